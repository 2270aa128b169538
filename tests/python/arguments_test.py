"""What functions take as arguments, and how they refuse others, compared by text."""
import unittest

from by_text import ByText

INDICES = """
np.take(np.arange(3.), [True, False])
np.take(np.arange(3.), np.array([True, False]))
np.take(np.arange(3.), [1.7])
np.take(np.arange(3.), [[1.7], [2]])
np.take(np.arange(3.), 1.7)
np.take(np.arange(3.), np.float64(1.7))
np.take(np.arange(3.), np.array(1.7))
np.take(np.arange(3.), np.array([1.7]))
np.take(np.arange(3.), np.array([]))
np.take(np.arange(3.), [])
np.take(np.arange(3.), [np.nan])
np.take(np.arange(3.), [1, 5.2])
np.take(np.arange(3.), np.array([1], 'u8'))
np.arange(3.).take([1.7])
np.take(np.eye(2), [1.2], axis=1, mode='wrap')
(lambda a: (np.put(a, [1.7], 5), a))(np.arange(3.))
(lambda a: (np.put(a, 1.7, 5), a))(np.arange(3.))
(lambda a: (np.put(a, np.array([True]), 5), a))(np.arange(3.))
np.put(np.arange(3.), np.array([1.]), 5)
np.put(np.arange(3.), np.array([1], 'u8'), 5)
np.put(np.zeros(0), np.array([]), 5)
np.put(np.zeros(0), [], 5)
np.triu_indices(2.5)
np.triu_indices(2.5, 0.5)
np.tril_indices(3, -0.5)
np.tril_indices(3, 0, 2.5)
np.tril_indices(2.)
"""

BEGINNINGS = """
np.sum(np.ones(3), initial=[1, 2])
np.sum(np.ones((3, 2)), initial=np.array([1]))
np.sum(np.ones((3, 2)), initial=np.array(1))
np.prod(np.ones((3, 2)), axis=1, initial=np.ones((1, 1)))
np.max(np.ones((3, 2)), axis=1, initial=[1])
np.ones((3, 2)).min(initial=np.zeros((1, 2)))
np.ones((3, 2)).sum(initial=[1])
np.add.reduce(np.ones((3, 2)), initial=[1])
np.add.reduce(np.ones((3, 2)), initial=np.float32(1))
np.nansum(np.ones((3, 2)), initial=[1])
np.nanmax(np.ones((3, 2)), initial=[1, 2])
np.nanvar(np.arange(5, dtype='f2'), dtype='c8')
np.nanstd(np.arange(5.), dtype=complex)
np.nanvar(np.array([1, 2, 3j]), dtype=complex)
np.nanvar(np.array([1, 2, 3j]), dtype=float)
np.nanvar(np.array([1, 2, 3j]))
np.nanvar(np.array([[1, np.nan], [2, 5]]), axis=1, ddof=1, dtype='c8')
np.cov(np.arange(5), dtype=int)
np.cov(np.arange(5), dtype=bool)
np.cov(np.arange(5), dtype='f4')
np.cov(np.ones((2, 4)), np.arange(4), dtype='i4')
np.corrcoef(np.arange(5), dtype=int)
np.imag(np.arange(3)).flags.writeable
np.ones((2, 2), 'f4').imag.flags.writeable
np.ones(2, complex).imag.flags.writeable
np.iscomplex(3)
np.iscomplex(np.array(3.))
np.iscomplex([3., 4.])
np.iscomplex(np.array(3j))
"""

TYPES = """
np.dtype(type('Mine', (), {'dtype': np.dtype('f8')}))
np.dtype(type('Mine', (), {'dtype': np.dtype('f8')})())
np.zeros(2, type('Mine', (), {'dtype': np.dtype('i2')})).dtype
np.dtype(np.float32(3))
np.dtype(np.arange(3))
np.zeros(2, np.arange(3))
np.dtype(3)
np.dtype(2.5)
np.zeros(2, dtype=1j)
np.dtype[int]
np.dtype[np.float64]
np.dtype[int, int]
np.dtype[()]
np.number[()]
np.number[int, int]
np.complexfloating[()]
np.float64[int]
round(np.int32(2147483647), -1)
round(np.uint8(255), -1)
round(np.int8(126), -1)
round(np.int64(35), -1)
round(np.int64(3), 1)
"""

OPTIONS = """
np.convolve([1, 2], [1], mode='f')
np.convolve([1, 2], [1], mode='Full')
np.correlate([1, 2], [1], mode='v')
np.correlate([1, 2], [1], mode='x')
np.correlate([1, 2], [1], mode='')
np.linalg.norm(np.arange(3.), 'inf')
np.linalg.norm(np.arange(3.), 'nuc')
np.linalg.norm(np.ones((2, 2)), 'inf')
np.linalg.norm(np.ones((2, 2)), 'inf', axis=0)
np.linalg.vector_norm(np.ones((2, 2)), ord='x')
np.packbits(np.array([3], 'u1'), bitorder='l')
np.packbits(np.array([3], 'u1'), bitorder='bigger')
np.packbits(np.array([3], 'u1'), bitorder=1)
np.unpackbits(np.array([3], 'u1'), bitorder='BIG')
np.unpackbits(np.array([3], 'u1'), bitorder='l')
np.unpackbits(np.array([3], 'u1'), bitorder=1)
np.unpackbits(np.array([3], 'u1'), count='1')
np.arange(1 + 2j, 5 + 3j)
np.arange(0j, 5 + 5j)
np.arange(3 + 3j)
np.arange(0, 5 + 5j, 2)
np.arange(0, 5 + 5j, 0)
np.arange(1j, step=2)
np.arange(0, 10 + 10j, 3 - 1j)
np.arange(2, 10 + 10j, 3 + 0.5j, dtype='c8')
np.arange(0j, 5 + 5j, dtype=float)
np.arange(np.complex64(2 + 2j))
"""


class Arguments(ByText):
    def test_indices(self):
        self.check(INDICES)

    def test_beginnings(self):
        self.check(BEGINNINGS)

    def test_types(self):
        self.check(TYPES)

    def test_options(self):
        self.check(OPTIONS)


if __name__ == "__main__":
    unittest.main()
