"""Arrays over files: memmap, load with mmap_mode, open_memmap; their attributes, views and stores as NumPy's."""
import os
import pathlib
import re
import tempfile
import unittest

import numpy as np

from differential import outcome

import numjit as nj


class MappedFiles(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name="a.bin"):
        return os.path.join(self.folder.name, name)

    def same(self, ours, theirs, base=""):
        """Attributes of both. Where NumPy has none of a file, or says None, ours has none."""
        for name in ("filename", "offset", "mode"):
            expected = getattr(theirs, name, None)
            self.assertEqual(getattr(ours, name, None), expected, (base, name))
            self.assertIs(type(getattr(ours, name, None)), type(expected))
        self.assertEqual(isinstance(ours, nj.memmap), expected is not None, base)
        self.assertEqual((ours.shape, ours.dtype.name), (theirs.shape, theirs.dtype.name), base)
        if ours.size:
            self.assertEqual(ours.strides, theirs.strides, base)
        if ours.shape and not base.endswith("()"):
            self.assertEqual(ours.flags.writeable, theirs.flags.writeable, base)
        np.testing.assert_array_equal(np.asarray(ours), np.asarray(theirs))

    def test_the_example(self):
        m = nj.memmap(self.path(), dtype=nj.float64, mode="w+", shape=(4,))
        m[0] = 1
        self.assertIsNone(m.flush())
        self.assertEqual(np.fromfile(self.path()).tolist(), [1.0, 0, 0, 0])
        nj.save(self.path("x.npy"), nj.arange(3))
        r = nj.load(self.path("x.npy"), mmap_mode="r+")
        r[1] = 7
        r.flush()
        self.assertEqual(np.load(self.path("x.npy")).tolist(), [0, 7, 2])

    def test_modes(self):
        np.arange(12, dtype="f4").tofile(self.path())
        for options in [{"mode": m, "dtype": "f4"} for m in ("r", "c", "r+", "readonly", "copyonwrite", "readwrite")] + [
                {"mode": "r", "dtype": "f4", "offset": 8}, {"mode": "r", "dtype": "i2", "shape": 5}, {"mode": "r", "dtype": "u1", "shape": (7, 6)},
                {"mode": "r", "dtype": "f4", "shape": (3, 4), "order": "F"}, {"mode": "c", "dtype": "f4", "shape": (2, 0)}, {"mode": "r+"},
                {"mode": "r", "dtype": "f4", "offset": 4, "shape": ()}, {"mode": "r+", "dtype": "f4", "shape": [3, 4]}]:
            self.same(nj.memmap(self.path(), **options), np.memmap(self.path(), **options), str(options))
        for mode in ("w+", "write"):
            self.same(nj.memmap(self.path(), "f8", mode, 16, (2, 3)), np.memmap(self.path(), "f8", mode, 16, (2, 3)), mode)
            self.assertEqual(os.path.getsize(self.path()), 64)

    def test_names(self):
        np.arange(12, dtype="f4").tofile(self.path())
        before = os.getcwd()
        os.chdir(self.folder.name)
        self.addCleanup(os.chdir, before)
        with open("a.bin", "r+b") as file:
            for name in ("a.bin", "./a.bin", self.path(), pathlib.Path("a.bin"), pathlib.Path("..", os.path.basename(self.folder.name), "a.bin"), file):
                self.same(nj.memmap(name, "f4"), np.memmap(name, "f4"), repr(name))

    def test_views_and_copies(self):
        np.arange(12, dtype="f4").tofile(self.path())
        ours, theirs = (m.memmap(self.path(), "f4", "r+", 0, (3, 4)) for m in (nj, np))
        for text in ("m[1:]", "m[1]", "m.T", "m.reshape(-1)", "m[:, ::-2]", "m.view('i4')", "m.real", "m.ravel()", "m[1:][1:]", "m[None]", "m.swapaxes(0, 1)",
                     "m.squeeze()", "m[[0, 1]]", "m[m > 5]", "m + 1", "-m", "m.sum(axis=0)", "m.dot(m.T)"):
            self.same(eval(text, {"m": ours}), eval(text, {"m": theirs}), text)
        for text in ("m.copy()", "m.astype('f8')"):  # in NumPy of the class memmap, with None for all of these
            self.same(eval(text, {"m": ours}), eval(text, {"m": theirs}), text)
        for text in ("m[0, 0]", "m.sum()", "m.copy()", "m + 1"):
            with self.assertRaisesRegex(AttributeError, r"^'numjit.*' object has no attribute 'flush'$"):
                eval(text, {"m": ours}).flush()
        self.assertFalse(hasattr(nj.ones(3), "filename"))
        self.assertFalse(isinstance(nj.ones(3), nj.memmap) or isinstance(np.ones(3), nj.memmap))

    def test_stores(self):
        for mode in ("r+", "w+", "c"):
            np.zeros(6).tofile(self.path())
            m = nj.memmap(self.path(), nj.float64, mode, shape=(2, 3))
            m[1, 1:] = 5
            m[0] += 2
            nj.add(m[:, :1], 1, out=m[:, :1])
            m[1].flush()
            expected = [3, 2, 2, 1, 5, 5]
            self.assertEqual(m.ravel().tolist(), expected)
            self.assertEqual(np.fromfile(self.path()).tolist(), [0] * 6 if mode == "c" else expected, mode)
        read_only = nj.memmap(self.path(), nj.float64, "r")
        with self.assertRaisesRegex(ValueError, "read-only"):
            read_only[0] = 1
        self.assertIsNone(read_only.flush())

    def test_stores_of_compiled_functions(self):
        np.arange(6.0).tofile(self.path())
        m = nj.memmap(self.path(), nj.float64, "r+")

        @nj.compile
        def f(m):
            m[1:] += m[:-1] * 2
            return m[::2]
        every_second = f(m)
        m.flush()
        self.assertEqual(np.fromfile(self.path()).tolist(), [0, 1, 4, 7, 10, 13])
        self.assertEqual(every_second.tolist(), [0, 4, 10])

    def test_npy_files(self):
        for array in (np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6, dtype="i2").reshape(2, 3)), np.float32(3), np.zeros((0, 3))):
            np.save(self.path("x.npy"), array)
            for name in (self.path("x.npy"), pathlib.Path(self.path("x.npy"))):
                for mode in ("r", "r+", "c"):
                    self.same(nj.load(name, mmap_mode=mode), np.load(name, mmap_mode=mode), f"{array.shape} {mode}")
                    self.same(nj.lib.format.open_memmap(name, mode), np.lib.format.open_memmap(name, mode), mode)
        for options in ({"dtype": "f4", "shape": (3, 2)}, {"shape": (3,)}, {"dtype": "i8", "shape": (2, 3, 4), "fortran_order": True}, {"dtype": "c16", "shape": ()},
                        {"dtype": "f8", "shape": (2,), "version": (2, 0)}):
            theirs = np.lib.format.open_memmap(self.path("y.npy"), "w+", **options)
            with open(self.path("y.npy"), "rb") as f:
                expected = f.read()
            ours = nj.lib.format.open_memmap(self.path("y.npy"), "w+", **options)
            with open(self.path("y.npy"), "rb") as f:
                self.assertEqual(f.read(), expected, options)
            self.same(ours, theirs, str(options))
            ours[...] = 3
            ours.flush()
            self.assertTrue((np.load(self.path("y.npy")) == 3).all())

    def test_errors(self):
        np.arange(7.0).tofile(self.path())
        open(self.path("empty"), "w").close()
        calls = [(name, options) for name in ("a.bin", "empty") for options in (
            {"mode": "w+"}, {"mode": "x"}, {"mode": "r", "shape": (100,)}, {"mode": "r", "dtype": "f4", "offset": 3}, {"mode": "c", "shape": (1000,)},
            {"mode": "r", "shape": (0,)}, {"mode": "r", "dtype": "c16"})] + [("nowhere", {"mode": "r"})]
        for name, options in calls:
            kind, expected = outcome(lambda: np.memmap(self.path(name), **options))
            got_kind, got = outcome(lambda: nj.memmap(self.path(name), **options))
            self.assertEqual(got_kind, kind, (name, options, got, expected))
            if kind == "error":
                self.assertTrue(isinstance(got, type(expected)) or isinstance(expected, type(got)), (got, expected))
                if isinstance(expected, ValueError) and "Size of" not in str(expected):
                    self.assertEqual(re.sub(r"^\[\w+\] ", "", str(got)), str(expected))
        for module in (np, nj):
            with open(self.path(), "rb") as file, self.assertRaisesRegex(ValueError, "^Filename must be a string or a path-like object"):
                module.lib.format.open_memmap(file)

    def test_an_empty_array_takes_a_byte(self):
        for module in (np, nj):
            for mode in ("w+", "r+"):
                open(self.path("e"), "w").close()
                m = module.memmap(self.path("e"), mode=mode, shape=(0,))
                self.assertEqual((m.shape, os.path.getsize(self.path("e")), m.filename, m.mode), ((0,), 1, self.path("e"), mode))
                m.flush()


if __name__ == "__main__":
    unittest.main()
