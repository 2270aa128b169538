"""Memory shared with NumPy and others without a copy, both ways, and who keeps it alive."""
import ctypes
import gc
import unittest
import weakref

import numpy as np

from differential import DTYPES, layouts

import numjit as nj


class Exchange(unittest.TestCase):
    def test_a_compiled_truth_value_keeps_its_memory(self):
        f = nj.compile(lambda a: a.sum() > 0)
        x = nj.arange(10.0)
        self.assertTrue(x.sum() > 0)  # numjit.True_, which is not the result of f
        held = [np.asarray(f(x + i)) for i in range(64)]
        others = [nj.zeros(1, bool) for _ in range(64)]  # would get memory that went back
        self.assertEqual({h.tobytes() for h in held}, {b"\x01"})
        self.assertFalse(any(others))

    def test_array_wrap(self):
        x = nj.ones(2)
        for wrapped in (x.__array_wrap__(np.arange(3.0)), x.__array_wrap__(np.float64(2)), x.__array_wrap__(np.array(2.0), None, False)):
            self.assertIs(type(wrapped), nj.ndarray)
        self.assertIsInstance(x.__array_wrap__(np.array(2.0), None, True), nj.float64)
        self.assertEqual(x.__array_wrap__(np.arange(3.0)).tolist(), [0.0, 1.0, 2.0])

    def test_buffers_both_ways(self):
        for dtype in DTYPES:
            for label, a in layouts(dtype).items():
                mine = nj.asarray(a)
                back = np.asarray(mine)
                for x in (back, np.array(mine), np.asarray(memoryview(mine)), mine.__array__()):
                    self.assertEqual((x.dtype, x.shape), (a.dtype, a.shape), label)
                    np.testing.assert_array_equal(x, a)
                if a.size:
                    self.assertTrue(np.shares_memory(a, back), (dtype, label))
                    self.assertEqual(mine._address, a.__array_interface__["data"][0])
                    self.assertEqual(back.flags.writeable, a.flags.writeable)
                self.assertEqual(nj.array(a).tolist(), a.tolist())

    def test_writes_are_seen(self):
        a = np.zeros(3)
        mine = nj.asarray(a)
        mine[1] = 5
        a[2] = 7
        self.assertEqual(mine.tolist(), [0, 5, 7])
        self.assertEqual(a.tolist(), [0, 5, 7])
        read_only = np.arange(3)
        read_only.flags.writeable = False
        with self.assertRaises(ValueError):
            nj.asarray(read_only)[0] = 1
        with self.assertRaises(ValueError):
            nj.broadcast_to(mine, (2, 3))[0] = 1
        self.assertFalse(np.asarray(nj.broadcast_to(mine, (2, 3))).flags.writeable)

    def test_lifetimes(self):
        class Owner(np.ndarray):
            pass
        owner = np.arange(5.0).view(Owner)
        kept = weakref.ref(owner)
        mine = nj.asarray(owner)[1:]
        del owner
        gc.collect()
        self.assertIsNotNone(kept())
        self.assertEqual(mine.tolist(), [1, 2, 3, 4])
        del mine
        gc.collect()
        self.assertIsNone(kept())
        view = np.asarray(nj.arange(1000.0) * 2)
        gc.collect()
        self.assertEqual(view[999], 1998.0)
        mine = nj.arange(6)
        old = np.asarray(mine)
        mine.shape = (2, 3)
        self.assertEqual((old.shape, np.asarray(mine).shape), ((6,), (2, 3)))

    def test_foreign_formats(self):
        self.assertEqual(nj.asarray(np.arange(3, dtype=">i4")).tolist(), [0, 1, 2])
        self.assertEqual(nj.array(bytearray(b"ab")).tolist(), [97, 98])
        self.assertEqual(nj.asarray((ctypes.c_int * 3)(1, 2, 3)).tolist(), [1, 2, 3])
        self.assertEqual(nj.frombuffer(b"\0\0\x80?", dtype="float32").tolist(), [1.0])
        for x in (np.array(["a"]), np.array([None]), np.array(["2020"], "M8[D]"), np.zeros(2, [("a", int)]), np.zeros(2, np.longdouble), b"ab"):
            with self.assertRaises(TypeError):
                nj.asarray(x)

    def test_array_protocol(self):
        a = nj.arange(3)
        self.assertEqual(np.asarray(a, dtype="float32").dtype, np.float32)
        self.assertFalse(np.shares_memory(np.array(a, copy=True), np.asarray(a)))
        with self.assertRaises(ValueError):
            a.__array__("float32", copy=False)
        interface = a.__array_interface__
        self.assertEqual((interface["shape"], interface["typestr"]), ((3,), "<i8"))

        class Wrapper:
            __array_interface__ = np.arange(4.0).__array_interface__
            kept = np.arange(4.0)
        Wrapper.__array_interface__ = Wrapper.kept.__array_interface__
        self.assertEqual(nj.asarray(Wrapper()).tolist(), [0, 1, 2, 3])

        class Gives:
            def __array__(self, dtype=None, copy=None):
                return np.ones(2)
        self.assertEqual((nj.ones(2) + Gives()).tolist(), [2, 2])

    def test_protocols_of_instances(self):
        class Wrapper:
            pass
        for module in (nj, np):
            a, w = module.array([1, 2, 3, 4]), Wrapper()
            w.__array_interface__ = {**a.__array_interface__, "shape": (2, 2)}
            made = module.array(w, copy=False)
            made[0, 0] = 1000
            self.assertEqual(a.tolist(), [1000, 2, 3, 4])
            self.assertEqual((module.asarray(w) + 1).tolist(), [[1001, 3], [4, 5]])
            v = Wrapper()
            v.__array__ = lambda dtype=None, copy=None: np.arange(3.0)
            self.assertEqual((module.ones(3) * v).tolist(), [0.0, 1.0, 2.0])
        with self.assertRaises(TypeError) as caught:
            nj.asarray(Wrapper())
        self.assertEqual(str(caught.exception), "[array] there is no dtype for an object of type 'Wrapper': got it as an element, expected "
                                                "numbers. Objects, strings and dates are left out.")

    def test_numpys_functions(self):
        a = nj.arange(6.0).reshape(2, 3)
        n = np.arange(6.0).reshape(2, 3)
        for made, expected in [(np.sin(a), np.sin(n)), (np.add(n, a), n + n), (n + a, n + n), (a + n, n + n), (np.add.reduce(a), np.add.reduce(n)),
                               (np.concatenate([a, a]), np.concatenate([n, n])), (np.sum(a, axis=1), np.sum(n, axis=1)),
                               (np.where(a > 2, a, 0), np.where(n > 2, n, 0)), (np.linalg.norm(a), np.linalg.norm(n)),
                               (np.multiply.outer(a, a), np.multiply.outer(n, n)), (np.float32(2) * a, np.float32(2) * n), (np.mean(a), np.mean(n)),
                               (np.stack([a, a], axis=1), np.stack([n, n], axis=1)), (n > a, n > n), (np.maximum.accumulate(a), np.maximum.accumulate(n))]:
            self.assertIsInstance(made, (nj.ndarray, nj.generic))
            np.testing.assert_allclose(np.asarray(made), expected)
        out = nj.zeros((2, 3))
        self.assertIs(np.add(a, a, out=out), out)
        target = np.zeros((2, 3))
        target += a
        target[0] = a[1]
        np.testing.assert_array_equal(target, [[3, 4, 5], [3, 4, 5]])
        with self.assertRaises(TypeError):
            np.busday_count(a, a)

    def test_dlpack(self):
        for dtype in DTYPES:
            for label, a in layouts(dtype).items():
                mine = nj.array(a)
                back = np.from_dlpack(mine)
                np.testing.assert_array_equal(back, a)
                self.assertEqual(back.dtype, a.dtype)
                self.assertTrue(not a.size or np.shares_memory(back, np.asarray(mine)))
                if a.flags.writeable:
                    there = nj.from_dlpack(a)
                    np.testing.assert_array_equal(np.asarray(there), a)
                    self.assertTrue(not a.size or np.shares_memory(a, np.asarray(there)), label)
        mine = nj.arange(3)
        self.assertEqual(mine.__dlpack_device__(), (1, 0))
        copied = np.from_dlpack(mine, copy=True)
        self.assertFalse(np.shares_memory(copied, np.asarray(mine)))
        mine.flags.writeable = False
        self.assertFalse(np.from_dlpack(mine).flags.writeable)
        with self.assertRaises(BufferError):
            mine.__dlpack__()
        capsule = nj.arange(3).__dlpack__(max_version=(1, 0))
        self.assertEqual(nj._core._from_dlpack_capsule(capsule).tolist(), [0, 1, 2])
        with self.assertRaises(ValueError):
            nj._core._from_dlpack_capsule(capsule)
        nj.arange(3).__dlpack__()  # nobody takes it
        owner = np.arange(4.0)
        kept = weakref.ref(owner)
        there = nj.from_dlpack(owner)
        del owner
        gc.collect()
        self.assertEqual(there.tolist(), [0, 1, 2, 3])
        del there
        gc.collect()
        self.assertIsNone(kept())

    def test_array_api(self):
        x = nj.arange(6.0).reshape(2, 3)
        xp = x.__array_namespace__(api_version="2024.12")
        self.assertIs(xp, nj)
        info = xp.__array_namespace_info__()
        self.assertEqual(info.default_dtypes()["real floating"], xp.float64)
        self.assertIn("complex128", info.dtypes(kind="complex floating"))
        self.assertEqual((x.device, x.to_device("cpu") is x), ("cpu", True))
        for name in ("acos asin atan atan2 acosh asinh atanh bitwise_invert bitwise_left_shift concat permute_dims matrix_transpose vecdot "
                     "unique_all unique_counts unique_inverse unique_values isdtype astype finfo iinfo result_type can_cast pow "
                     "cumulative_sum from_dlpack unstack searchsorted take argsort tensordot").split():
            self.assertTrue(callable(getattr(xp, name)), name)
        self.assertEqual(xp.permute_dims(x, (1, 0)).shape, (3, 2))
        self.assertEqual(xp.unique_all(xp.asarray([1, 1, 2])).counts.tolist(), [2, 1])
        self.assertTrue(xp.isdtype(x.dtype, "real floating") and not xp.isdtype(x.dtype, ("integral", "bool")))
        with self.assertRaises(ValueError):
            x.__array_namespace__(api_version="1999.12")
        with self.assertRaises(ValueError):
            xp.zeros(3, device="gpu")


if __name__ == "__main__":
    unittest.main()
