"""What NumPy casts, refuses to cast or rounds on the way: by the text of results and errors."""
import unittest

from by_text import ByText

OF_SEVERAL_RESULTS = """
np.frexp(np.arange(3), casting='no')
np.frexp(np.arange(3), casting='unsafe')
np.frexp(np.arange(3), dtype=int)
np.frexp(np.arange(3.), dtype=np.float64, casting='no')
np.frexp(np.float32([1.5]), dtype=np.float64)
np.frexp(1.5, dtype=np.float16)
np.frexp(True, casting='no')
np.modf(np.arange(3), casting='no')
np.modf(1, casting='safe')
np.modf(1, casting='equiv')
np.modf(True, casting='no')
np.modf(1.5, dtype=np.float16)
np.modf(np.int8([1]), dtype=np.float64, casting='equiv')
np.modf(np.complex64([1]), dtype=np.float32)
np.spacing(1, casting='no')
np.spacing(1.0, casting='no')
np.spacing(5.0, dtype='e')
np.spacing(np.float16(-np.inf))
np.spacing(np.array([-np.inf, 1, np.inf], 'e'), casting='no')
np.spacing(np.arange(3.), dtype=np.float32)
np.ldexp(np.float32([1]), np.arange(1), casting='no')
np.ldexp(np.float32([1]), np.int8([1]), casting='no')
np.ldexp(np.float32([1]), 2, casting='equiv')
np.ldexp(1, 2, casting='no')
np.ldexp(1.0, np.int8(2), casting='no')
np.ldexp(1, np.int8(1), dtype='f')
np.ldexp(1, 1, dtype='i')
np.ldexp(5, np.arange(4))
np.ldexp(5, np.arange(4, dtype=np.uint32))
np.ldexp(70000, np.arange(2))
np.ldexp(2 ** 70, np.int8(1))
np.ldexp(5, np.array(3))
np.ldexp(5, np.True_)
np.ldexp(5, 3)
np.ldexp(5.5, np.arange(4))
np.ldexp(np.int8(5), 3)
np.divmod(1, 2.5, casting='no')
np.divmod(3, 2, casting='equiv')
np.divmod(np.int8(3), 2, casting='equiv')
np.divmod(np.float32([3]), 2, casting='equiv')
np.divmod(3.0, np.int8(2), casting='no')
np.divmod(5, 2, dtype='b')
np.divmod(300, 2, dtype='b')
np.divmod(5, 2.0, dtype='b')
np.divmod(np.float32([5]), 2, dtype='e')
"""

INTO_OUT = """
np.sum(np.array([1.5, 1.5]), out=np.array(0))
np.add.reduce(np.array([1.5, 1.5]), out=np.array(0))
np.sum(np.array([[.5, .5, 1.5]] * 3), out=np.zeros(3, int), axis=0)
np.sum(np.array([[.5, .5, 1.5]] * 3), out=np.zeros(3, int), axis=1)
np.sum(np.array([300, 300]), out=np.array(0, np.int8))
np.sum(np.array([1.5, 3]), out=np.array(False))
np.sum(np.array([1.5, 1.5]), out=np.array(0), where=[True, False])
np.sum(np.array([2 ** 62, 2 ** 62, 2 ** 62]), out=np.array(0.))
np.prod(np.array([1.5, 2]), out=np.array(0, np.int64))
np.max(np.int8([1, 2]), initial=300, out=np.array(0))
np.max(np.int8([1, 2]), initial=300, out=np.array(0, np.int8))
np.max([1, 2], initial=2.5, out=np.array(0.))
np.max([1, 2], initial=2.5, out=np.array(0))
np.sum(np.float32([1, 2]), initial=2.5, out=np.array(0))
np.min(np.arange(6.).reshape(2, 3), axis=0, initial=0.5, out=np.zeros(3, int))
np.cumsum([.5, .5, 1.5], out=np.zeros(3, int))
np.cumsum(np.int8([100, 100]), out=np.zeros(2, np.int16))
np.cumprod([.5, 4], out=np.zeros(2, int))
np.add.accumulate([.5, .5, 1.5], out=np.zeros(3, int))
np.sum(np.array([-8, 5, 3], 'b'), dtype=np.uint16, out=np.array(0.))
np.prod(np.array([-3, 7], 'b'), dtype=np.uint16, out=np.array(0))
np.cumsum(np.array([-3, 7], 'b'), dtype=np.uint16, out=np.zeros(2))
np.add(np.uint64([4]), 2, dtype='d', casting='equiv')
np.less(np.int8([-6]), 300, casting='no')
np.less(300, np.uint8([6]), casting='equiv')
np.less(np.float32([6]), 300, casting='equiv')
np.fmod(np.array([1.75]), 300, dtype='h', casting='equiv')
np.gcd(np.uint32([9]), 0, dtype='f', casting='equiv')
np.ravel(np.broadcast_to(np.arange(3), (2, 3)), order='K')
np.ravel(np.broadcast_to(np.arange(3), (2, 2, 3)).T, order='K')
np.average(np.empty((1, 0)), axis=0)
np.zeros(1, complex).__setitem__((0,), np.array([8], 'B'))
np.argmax(np.arange(6).reshape(2, 3), axis=0, out=np.zeros(3, np.int32))
np.argmax(np.arange(6).reshape(2, 3), axis=0, out=np.zeros(3))
np.argmin(np.arange(6).reshape(2, 3), axis=0, out=np.zeros(3, np.uint64))
np.argmin(np.arange(6).reshape(2, 3), axis=0, out=np.zeros(2))
np.nanargmax(np.arange(6.).reshape(2, 3), axis=0, out=np.zeros(3, np.float32))
"""

REDUCED_AND_KINDS = """
np.gcd.reduce([-4])
np.gcd.reduce(np.array([[-4], [3]], np.int8), axis=1)
np.lcm.reduce([-4])
np.average(np.array(3.0), weights=2.0)
np.round(np.array([True, False]))
np.array([True]).round(-1)
np.around(np.array([True]), 2)
np.sum([[1], [2]], axis=[0])
np.sum([[1], [2]], axis=1.5)
np.sum([[1], [2]], axis=(0, 1))
np.ones((2, 3)).max(axis=[1])
np.mean([[1], [2]], axis=[0])
np.nanmax([[1.]], axis=[0])
np.count_nonzero([[1.]], axis=[0])
np.median([[1.]], axis=[0])
np.percentile([[1.]], 50, axis=[0])
np.average([[1.]], axis=[0])
np.common_type(np.arange(2, dtype=np.float32)) is np.float32
np.common_type(np.arange(2, dtype=np.float32), np.arange(2)) is np.float64
np.common_type(np.arange(4), np.array([45, 6.j]), np.array([45.0])) is np.complex128
type(np.poly1d([1, 2]) == np.poly1d([1, 2])) is np.bool_
np.poly1d([1, 2]) == np.poly1d([1, 2, 3])
type(np.arange(3).flat).__name__
np.zeros(3).setflags(uic=True)
"""

HUGE_AND_ZEROS = """
np.add(np.arange(3.), 2 ** 70)
np.add(np.arange(3), 2 ** 70)
np.power(2.0, 2 ** 64)
np.maximum(2 ** 70, 1.5)
np.add(2 ** 70, 1)
np.add(2 ** 70, 1j)
np.where([True, False], 2 ** 70, 1.5)
np.where([True, False], 1.5, -2 ** 70)
np.where([True, False], 2 ** 63, 1)
np.full(3, 2 ** 63, dtype=bool)
np.full(3, 2 ** 70, dtype=float)
np.arange(-3, 3, dtype=np.uint8)
np.arange(-3, dtype=np.uint8)
np.arange(3, -3, -1, np.uint32)
np.arange(5, -3, -6, dtype=np.uint8)
np.arange(-129, 3, 100, dtype=np.int8)
np.arange(0, 300, 100, dtype=np.int8)
np.arange(-3.5, 3, dtype=np.uint8)
np.arange(300, 200, dtype=np.int8)
np.sinh(np.pi * 1j)
np.sinh(np.array([0 + 3j, complex(-0.0, 3), 0 - 3j, complex(-0.0, -3)]))
np.sinh(np.array([0 + 1j, complex(-0.0, 1), 0 - 1j, complex(-0.0, -1)], np.complex64))
np.cosh(np.array([0 + 3j, complex(-0.0, 3), 0 - 3j, complex(-0.0, -3)]))
np.cosh(np.array([0 + 4j, complex(-0.0, 4), 0 - 4j, complex(-0.0, -4)], np.complex64))
np.sin(np.array([3 + 0j, -3 + 0j, complex(3, -0.0), complex(-3, -0.0)]))
np.cos(np.array([3 + 0j, -3 + 0j, complex(3, -0.0), complex(-3, -0.0)]))
np.tan(np.array([3 + 0j, -3 + 0j, complex(3, -0.0), complex(-3, -0.0)]))
np.tanh(np.array([0 + 3j, complex(-0.0, 3), 0 - 3j, complex(-0.0, -3)]))
"""

INDICES = """
np.arange(6).reshape(2, 3)[np.array(1), None].flags.owndata
np.arange(6).reshape(2, 3)[..., np.array(-1)]
np.arange(6).reshape(2, 3)[np.array(2)]
np.arange(6).reshape(2, 3)[np.uint8(1)].base is None
np.arange(6).reshape(2, 3)[[1]].flags.owndata
np.zeros((2, 2)).__setitem__(np.array(1), np.ones((1, 2)))
np.arange(6).reshape(2, 3)[np.array(1)].flags.owndata
np.arange(6).reshape(2, 3)[np.array(1), :].flags.owndata
np.arange(6).reshape(2, 3)[np.int64(1)].flags.owndata
np.arange(6).reshape(2, 3)[:, np.array(1)].strides
np.arange(12).reshape(2, 3, 2).T[np.array(1)].strides
np.arange(5)[np.array(2)]
np.zeros(3).__setitem__(np.array([True, False, True]), np.ones((1, 2)))
np.zeros((2, 2)).__setitem__(np.ones((2, 2), bool), np.ones((1, 4)))
np.zeros((2, 2)).__setitem__(np.zeros((2, 2), bool), np.ones((1, 1)))
np.zeros((2, 2)).__setitem__(np.array([True, False]), np.ones((1, 1, 2)))
np.searchsorted([[1]], 2)
np.searchsorted(1, 2)
np.interp(1, [1, 2], [[1, 2]])
np.interp(1, 1, [1, 2])
np.correlate(1, [1])
"""

def resized(np, shape):
    """An array in Fortran order of another size, and its strides."""
    a = np.array([[0, 1], [2, 3]], order="F")
    a.resize(shape)
    return repr(a), a.strides


class Casting(ByText, unittest.TestCase):
    def test_of_several_results(self):
        self.check(OF_SEVERAL_RESULTS)

    def test_into_out(self):
        self.check(INTO_OUT)

    def test_reduced_and_kinds_of_results(self):
        self.check(REDUCED_AND_KINDS)

    def test_huge_numbers_and_signs_of_zeros(self):
        self.check(HUGE_AND_ZEROS)

    def test_indices(self):
        self.check(INDICES)

    def test_resized(self):
        import numpy

        import numjit
        for shape in ((2, 1), (3, 2), (4,), (1, 5)):
            self.assertEqual(resized(numjit, shape), resized(numpy, shape), shape)


if __name__ == "__main__":
    unittest.main()
