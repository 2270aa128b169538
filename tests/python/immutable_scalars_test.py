"""Scalars never change, and memory that is read-only stays so, whatever way a program takes: NumPy's results and errors."""
import ctypes
import tempfile
import unittest

import numpy

from differential import nj

# Each tries to write through a scalar s.
WRITES = """
memoryview(s).__setitem__((), 5.0)
s.data.__setitem__((), 5.0)
np.asarray(s).__setitem__(..., 5.0)
np.asarray(s).fill(5.0)
np.asanyarray(s).__setitem__(..., 5.0)
np.atleast_1d(s).__setitem__(0, 5.0)
np.ravel(s).__setitem__(0, 5.0)
np.reshape(s, 1).__setitem__(0, 5.0)
s.reshape(1).__setitem__(0, 5.0)
s.ravel().__setitem__(0, 5.0)
s.flatten().__setitem__(0, 5.0)
np.expand_dims(s, 0).__setitem__(0, 5.0)
s[...].__setitem__(..., 5.0)
s[None].__setitem__(0, 5.0)
s.flat.__setitem__(0, 5.0)
s.fill(5.0)
s.put(0, 5.0)
np.put(s, 0, 5.0)
np.put(s, 7, 5.0)
s.sort()
s.resize(3)
s.setflags(write=True)
s.itemset(5.0)
np.add(1.0, 2.0, s)
np.add(1.0, 2.0, out=s)
np.add(1.0, 2.0, out=(s,))
np.sum([1.0, 2.0], out=s)
np.cumsum([1.0, 2.0], out=s)
np.max([1.0, 2.0], out=s)
np.mean([1.0, 2.0], out=s)
np.dot([1.0], [2.0], out=s)
np.take([1.0], 0, out=s)
np.choose([0], [1.0, 2.0], out=s)
np.clip(s, 1, 2, out=s)
np.concatenate([[1.0]], out=s)
np.copyto(s, 5.0)
np.copyto(np.asarray(s), 5.0)
np.place(s, True, 5.0)
np.putmask(s, True, 5.0)
np.add.at(s, ..., 1.0)
np.random.shuffle(s)
np.random.default_rng(0).random(out=s)
s.byteswap(True)
s.setfield(3, 'i1')
s.__setitem__((), 5.0)
s.__array__().__setitem__(..., 5.0)
setattr(s, 'shape', (1,))
setattr(s, 'real', 5.0)
setattr(s, 'imag', 5.0)
setattr(s, 'dtype', 'i8')
setattr(s, 'flat', 5.0)
s.view('i8')
np.frombuffer(s).__setitem__(0, 5.0)
s.base
s.T
s.real
s.imag
""".strip().split("\n")


class Scalars(unittest.TestCase):
    def test_writes(self):
        for text in WRITES:
            outcomes = []
            for module in (numpy, nj):
                s = module.float64(3.0)
                try:
                    made = eval(text, {"np": module, "s": s})
                    outcomes.append(repr(made).replace("numjit.", "numpy."))
                except (TypeError, ValueError, AttributeError, IndexError) as e:
                    outcomes.append("an error" if isinstance(e, (TypeError, AttributeError)) else type(e).__mro__[-4].__name__)
                self.assertEqual(float(s), 3.0, text)
                self.assertEqual(repr(s), "np.float64(3.0)", text)
            with self.subTest(text=text):
                self.assertEqual(outcomes[1] == "an error" or "Error" in outcomes[1], outcomes[0] == "an error" or "Error" in outcomes[0], outcomes)

    def test_attributes(self):
        for name, value in (("shape", (1,)), ("real", 5.0), ("imag", 5.0), ("dtype", "i8"), ("flat", 5.0), ("flat", [5.0])):
            for module in (numpy, nj):
                for s in (module.float64(3.0), module.arange(3)[1], module.complex64(1j), module.True_):
                    before = repr(s)
                    with self.assertRaises(AttributeError) as e:
                        setattr(s, name, value)
                    self.assertEqual(str(e.exception), f"attribute '{name}' of 'numpy.generic' objects is not writable")
                    self.assertEqual(repr(s), before)

    def test_types(self):
        for dtype in ("bool", "int8", "uint64", "float16", "float32", "complex64", "complex128"):
            s = nj.dtype(dtype).type(1)
            self.assertTrue(memoryview(s).readonly)
            for write in (lambda: nj.asarray(s).fill(0), lambda: s.reshape(1).fill(0), lambda: s[...].fill(0), lambda: nj.from_dlpack(s).fill(0)):  # noqa: B023
                write()
                self.assertEqual(s, 1)

    def test_results_are_scalars_of_their_own(self):
        a = nj.array([1.0, 2.0])
        s, z = a[0], a.sum()
        a[:] = 7
        self.assertEqual((float(s), float(z)), (1.0, 3.0))
        zero = nj.array(5.0)
        t = zero[()]
        zero[...] = 6
        self.assertEqual(float(t), 5.0)

    def test_of_a_number_come_numbers(self):
        # Where they would be arrays, a store into a view of one would show in the other.
        for text in ("s.view()", "s.view('i8')", "s.view('f8')", "s.transpose()", "s.transpose(())", "s.T", "s.reshape(())", "s.squeeze()",
                     "s.squeeze(1)", "s.squeeze(0)", "s.byteswap()", "s.getfield('f8')", "s.getfield('i2', 2)", "np.transpose(s)",
                     "np.reshape(s, ())", "np.squeeze(s)", "np.flip(s, ())", "np.flip(s)", "np.moveaxis(s, (), ())", "np.real(s)",
                     "np.expand_dims(s, ())", "np.broadcast_to(s, ())", "s[...]", "s[()]", "np.asarray(s)", "np.atleast_1d(s)", "s.ravel()"):
            outcomes = []
            for module in (numpy, nj):
                try:
                    made = eval(text, {"np": module, "s": module.float64(3.0)})
                    outcomes.append(f"{isinstance(made, module.generic)}, {made!r}")
                except Exception as e:  # noqa: BLE001
                    outcomes.append(type(e).__name__)
            with self.subTest(text=text):
                self.assertEqual(outcomes[1], outcomes[0])

    def test_numpys_and_ctypes_views(self):
        s = nj.float64(3.0)
        numpy.array(s)[...] = 5
        numpy.asarray(s)[...] = 5  # to NumPy it is a number of Python's, of which it makes an array of its own
        self.assertFalse(numpy.asarray(nj.float32(3)).flags.writeable)
        ctypes.cast(s.ctypes.data, ctypes.POINTER(ctypes.c_double))[0] = 9.0
        self.assertTrue(s.__array_interface__["data"][1])
        self.assertEqual(float(s), 3.0)


class ReadOnly(unittest.TestCase):
    """The flag WRITEABLE goes back on only where the memory may be written."""

    def refused(self, a):
        with self.assertRaises(ValueError) as e:
            a.flags.writeable = True
        self.assertEqual(str(e.exception), "cannot set WRITEABLE flag to True of this array")

    def test_memory_that_nobody_may_write(self):
        self.refused(nj.frombuffer(b"12345678"))
        self.refused(nj.frombuffer(b"12345678")[:1])
        self.refused(nj.asarray(memoryview(b"1234")))
        with tempfile.NamedTemporaryFile() as f:
            f.write(bytes(64))
            f.flush()
            self.refused(nj.memmap(f.name, dtype=float, mode="r"))
        frozen = numpy.zeros(3)
        frozen.flags.writeable = False
        self.refused(nj.asarray(frozen))

    def test_own_memory(self):
        a = nj.arange(3.0)
        a.flags.writeable = False
        self.refused(a[:2])
        a.flags.writeable = True
        a[0] = 5
        self.assertEqual(a[0], 5)

    def test_foreign_memory(self):
        theirs = numpy.zeros(3)
        a = nj.asarray(theirs)
        a.flags.writeable = False
        with self.assertRaises(ValueError):
            a[0] = 1
        a.setflags(write=True)
        a[0] = 1
        self.assertEqual(theirs[0], 1)

    def test_broadcast(self):
        for module in (numpy, nj):
            view = module.broadcast_to(module.arange(3), (2, 3))
            with self.assertRaises(ValueError):
                view[0] = 1
            with self.assertRaises(ValueError):
                view.flat[[]] = 1


if __name__ == "__main__":
    unittest.main()
