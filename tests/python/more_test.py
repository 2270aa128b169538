"""Smaller chapters, compared with NumPy: polynomials, bits, windows, numbers as text, text files."""
import io
import unittest

import numpy as np

from differential import Tally, product, values

import numjit as nj


class More(unittest.TestCase):
    def test_against_numpy(self):
        tally = Tally()
        for dtype, axis, order in product(["bool", "uint8", "int64"], [None, 0, 1], ["big", "little"]):
            tally.check("packbits", [values(dtype, (3, 11), 1)], {"axis": axis, "bitorder": order})
            tally.check("unpackbits", [values("uint8", (2, 3), 1)], {"axis": axis, "bitorder": order})
        for count in (None, 3, 30, -2):
            tally.check("unpackbits", [np.arange(3, dtype="uint8")], {"count": count})
        tally.check("packbits", [np.ones(3)])
        for n, width in product([0, 5, -5, -8, 255], [None, 4, 9]):
            tally.check("binary_repr", [n, width])
        for n, base in product([0, 5, -255], [2, 16, 36, 37, 1]):
            tally.check("base_repr", [n, base])
        for p in ([1, -3, 2], [1.0, 0, 0, -1], [0, 2, 4, 0], [3], [1j, 2]):
            tally.check("poly", [p], ulps=100)
            tally.check("polyval", [p, np.arange(3.0)], ulps=100)
            tally.check("polyder", [p])
            tally.check("polyint", [p])
            tally.check("polymul", [p, [1, 2]])
            tally.check("polyadd", [p, [1, 2]])
            tally.check("polydiv", [p, [1.0, 1.0]], ulps=100)
        x = np.linspace(0, 3, 20)
        tally.check("polyfit", [x, x ** 2 - x + np.cos(9 * x), 3], ulps=1e6)
        tally.check("i0", [np.linspace(-20, 20, 41)], ulps=50)
        for m, beta in product([0, 1, 6, 7], [0.0, 5.0, 14.0]):
            tally.check("kaiser", [m, beta], ulps=100)
        tally.check("ndindex", [2, 3], own=lambda *s: [list(i) for i in nj.ndindex(*s)], other=lambda *s: [list(i) for i in np.ndindex(*s)])
        self.assertGreater(tally.cases, 80)
        if tally.wrong:
            self.fail(tally.report())
        np.testing.assert_allclose(sorted(nj.roots([1.0, -6, 11, -6, 0]).tolist()), [0, 1, 2, 3], atol=1e-12)
        self.assertEqual([(i, int(x)) for i, x in nj.ndenumerate(nj.arange(2))], [((0,), 0), ((1,), 1)])

    def test_text_files(self):
        for a in (np.arange(6.0).reshape(2, 3), np.arange(3), values("complex128", (2, 2))):
            ours, theirs = io.StringIO(), io.StringIO()
            fmt = "%d" if a.dtype.kind == "i" else "%.18e"
            if a.dtype.kind != "c":
                nj.savetxt(ours, nj.asarray(a), fmt=fmt, header="a\nb", delimiter=",")
                np.savetxt(theirs, a, fmt=fmt, header="a\nb", delimiter=",")
                self.assertEqual(ours.getvalue(), theirs.getvalue())
        for text, options in [("1 2\n3 4\n", {}), ("# head\n1,2,3\n", {"delimiter": ","}), ("1\n2\n3", {"dtype": "int64"}), ("1 2\n3 4", {"unpack": True}),
                              ("1 2 3\n4 5 6", {"usecols": (0, 2)}), ("x\n1 2", {"skiprows": 1}), ("1 2\n3", {}), ("1 a", {}), ("5", {}), ("1 2\n3 4", {"max_rows": 1, "ndmin": 2})]:
            tally = Tally()
            tally.check("loadtxt", [], own=lambda: nj.loadtxt(io.StringIO(text), **options), other=lambda: np.loadtxt(io.StringIO(text), **options))
            self.assertFalse(tally.wrong, (text, options, tally.wrong))

    def test_npy_files(self):
        for dtype in ("bool", "int16", "float16", "complex128"):
            a, f = values(dtype, (3, 4)), io.BytesIO()
            nj.save(f, nj.asarray(a))
            f.seek(0)
            np.testing.assert_array_equal(np.load(f), a)
            f = io.BytesIO()
            np.savez_compressed(f, a, named=a)
            f.seek(0)
            with nj.load(f) as z:
                self.assertEqual(sorted(z.files), ["arr_0", "named"])
                np.testing.assert_array_equal(np.asarray(z["named"]), a)
            f = io.BytesIO()
            nj.savez(f, nj.asarray(a), named=nj.asarray(a))
            f.seek(0)
            np.testing.assert_array_equal(np.load(f)["named"], a)

    def test_axes_of_products(self):
        """axes= puts the vectors and matrices of products anywhere."""
        tally = Tally()
        for dtype in ("float64", "complex64", "int32"):
            for name, first, second, axes in (("matmul", (2, 3, 4), (4, 2, 5), [(1, 2), (0, 2), (0, 2)]), ("matmul", (2, 3), (4, 3), [(0, 1), (1, 0), (1, 0)]),
                                              ("matvec", (3, 4, 2), (4,), [(0, 1), 0, 1]), ("vecmat", (3, 2), (3, 4), [0, (0, 1), 0]),
                                              ("vecdot", (3, 2), (3, 2), [0, 0]), ("matmul", (2, 3), (3, 2), [0, 1, 2]), ("matvec", (2, 3), (4,), [(0, 1), 0, 0])):
                tally.check(name, [values(dtype, first), values(dtype, second)], {"axes": axes}, ulps=16, floor=64)
        self.assertEqual(tally.cases, 21)
        self.assertFalse(tally.wrong, tally.report())


if __name__ == "__main__":
    unittest.main()
