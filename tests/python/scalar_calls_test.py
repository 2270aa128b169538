"""Scalars, dtypes and random numbers: conversions, operators, arguments, and what they refuse."""
import unittest

from by_text import ByText

SCALARS = r"""
np.real(3), np.imag(3.5), np.real(1+2j), np.real([1]), np.imag(True)
np.i0(1.), np.i0([1., 2])
np.cross([1,2],[3,4])
np.linalg.matrix_power(np.eye(2), 1.5)
np.float64(3).as_integer_ratio(), np.float32(0.5).is_integer(), np.int8(5).bit_count()
np.float64(2.5).hex(), np.float64.fromhex('0x1p0')
np.int8(5).numerator, np.float64(3).conjugate(), np.float64(3).real, np.complex64(1+2j).imag
np.float32(3.7).astype(int), np.int8(3).dtype, np.float64(1).shape, np.float64(1).ndim, np.float64(1).size
np.float64(3)[()], np.float64(3)[...]
len(np.float64(3))
np.int64(3) + 2.5, np.int8(3) * 2, np.int8(100) + np.int8(100), np.uint8(3) - np.int8(5), np.float32(1) + 1.5, np.float32(1) + np.float64(1)
np.int8(3) + 300
np.uint8(3) + (-1)
np.int8(3) / 2, np.int8(7) // 2, np.int8(7) % 3, np.int8(2) ** 3, divmod(np.int8(7), 2), -np.int8(-128), abs(np.int8(-128))
np.int8(2) ** -1
np.uint8(1) << 9, np.int8(-1) >> 3, np.int8(5) & 3, np.int8(5) | 3, np.int8(5) ^ 3, ~np.int8(5)
np.float64(1) & 1
np.float64(1) == 1, np.float64(1) < 2, np.int8(3) == 3.0, np.int8(3) == 300, np.uint8(3) > -1, np.int64(2**62) < 2**70
np.True_ + 1, np.True_ + np.True_, np.True_ * 2.5, np.True_ & False, np.True_ | False, np.True_ ^ True, ~np.True_
-np.True_
np.True_ - np.True_
bool(np.True_), int(np.True_), float(np.False_), np.True_.item()
hash(np.float64(1.5)) == hash(1.5), hash(np.int8(3)) == hash(3), hash(np.True_) == hash(True)
str(np.float64(1.5)), repr(np.float64(1.5)), str(np.int8(3)), repr(np.int8(3)), str(np.True_), repr(np.complex64(1+2j)), repr(np.float16(0.1)), str(np.float32(0.1))
f'{np.float64(1.5):.3f}', f'{np.int8(3):04d}', '%d' % np.int8(3), '%.2f' % np.float32(1.5), f'{np.complex128(1+2j):.1f}', format(np.True_)
round(np.float64(2.567), 2), round(np.float64(2.5)), round(np.int8(15), -1), np.float64(2.567).round(1), np.float32(2.5).__round__()
int(np.float64(2.7)), float(np.int8(3)), complex(np.float32(2)), range(3)[np.int8(1)], [1,2,3][np.int64(1)]
np.float64('1.5'), np.int32('12'), np.float64('nan'), np.complex64('1+2j')
np.int32('a')
np.float64('a')
np.int8(300)
np.int8(-129)
np.uint8(-1)
np.int8(1.7), np.int8(True), np.uint64(2**64-1), np.int64(-2**63), np.float16(70000), np.float32(1e40)
np.int64(2**63)
np.float64([1,2]), np.int8([[1]]), np.float64(), np.int8(), np.complex128()
issubclass(np.float64, np.floating), issubclass(np.int8, np.signedinteger), issubclass(np.bool, np.generic), np.issubdtype(np.int8, np.integer), np.issubdtype('f4', np.inexact)
np.dtype('f8').name, np.dtype('f8').kind, np.dtype('f8').char, np.dtype('f8').str, np.dtype('f8').num, np.dtype('f8').itemsize, np.dtype('f8').byteorder, np.dtype('f8').alignment
np.dtype(float), np.dtype(int), np.dtype(bool), np.dtype(complex), np.dtype('float'), np.dtype('i'), np.dtype('<f4'), np.dtype('=i2'), np.dtype('|u1'), np.dtype(np.float32), np.dtype('int')
np.dtype('x')
np.dtype('f3')
np.dtype(None), np.dtype('?'), np.dtype('b1'), np.dtype('c8'), np.dtype('half'), np.dtype('double'), np.dtype('single'), np.dtype('longlong'), np.dtype('intp'), np.dtype('uintp'), np.dtype('byte')
np.dtype('f8') == float, np.dtype('f8') == 'f4', np.dtype('f8') != np.float64, np.dtype('f8') in [float], hash(np.dtype('f8')) == hash(np.dtype(float))
np.dtype('f8').newbyteorder('='), np.dtype('f8').isnative, np.dtype('f8').fields, np.dtype('f8').names, np.dtype('f8').subdtype, np.dtype('f8').shape, np.dtype('f8').base, np.dtype('f8').hasobject, np.dtype('f8').isbuiltin, np.dtype('f8').flags
np.dtype('f8').type is np.float64, np.float64 == np.dtype('f8'), np.dtype(np.dtype('f8'))
np.iinfo(float)
np.inf, np.nan, np.pi, np.e, np.euler_gamma, np.newaxis, np.little_endian
"""

RANDOM = r"""
np.random.default_rng(5).choice([1,2,3], 2, replace=False), np.random.default_rng(5).choice(5, 3, p=[0,0,.5,.5,0])
np.random.default_rng(5).choice(5, 6, replace=False)
np.random.default_rng(5).choice(5, 3, p=[.5,.5])
np.random.default_rng(5).choice(3, 3, p=[.5,.5,.5])
np.random.default_rng(5).choice(3, 3, p=[-.5,1,.5])
np.random.default_rng(5).choice([])
np.random.default_rng(5).choice(0)
np.random.default_rng(5).choice([[1,2],[3,4]], 2, axis=1)
np.random.default_rng(5).normal(0, -1)
np.random.default_rng(5).normal([0,1],[1,2],(3,))
np.random.default_rng(5).uniform(0, np.inf)
np.random.default_rng(5).uniform(5, 1)
np.random.default_rng(5).exponential(-1)
np.random.default_rng(5).gamma(-1)
np.random.default_rng(5).beta(0, 1)
np.random.default_rng(5).binomial(-1, 0.5)
np.random.default_rng(5).binomial(3, 1.5)
np.random.default_rng(5).poisson(-1)
np.random.default_rng(5).poisson(1e20)
np.random.default_rng(5).geometric(0)
np.random.default_rng(5).hypergeometric(3, 4, 8)
np.random.default_rng(5).multinomial(3, [.5,.7])
np.random.default_rng(5).multinomial(3, [.2,.3,.5]), np.random.default_rng(5).dirichlet([1,2,3])
np.random.default_rng(5).dirichlet([-1,2])
np.random.default_rng(5).multivariate_normal([0,0],[[1,0],[0,1]])
np.random.default_rng(5).multivariate_normal([0,0],[[1,0]])
np.random.default_rng(5).multivariate_normal([[0,0]],[[1,0],[0,1]])
np.random.default_rng(5).permutation(5), np.random.default_rng(5).permutation([[1,2],[3,4]]), np.random.default_rng(5).permuted([[1,2,3],[4,5,6]], axis=1)
np.random.default_rng(5).integers(0, 10, 5), np.random.default_rng(5).integers(0, 10, (2,2), dtype='u1'), np.random.default_rng(5).integers([1,10],[5,20])
np.random.default_rng(5).random((2,2)), np.random.default_rng(5).standard_normal(2, dtype='f4'), np.random.default_rng(5).bytes(3)
np.random.default_rng(5).standard_normal(2, dtype='i4')
np.random.default_rng(5).random(2, dtype='f2')
np.random.default_rng(-1)
np.random.default_rng('a')
np.random.default_rng(1.5)
np.random.default_rng(np.random.PCG64(3)).random(), np.random.default_rng([1,2]).random(), np.random.SeedSequence(5).generate_state(2), np.random.SeedSequence(5).spawn(2)[1].entropy
np.random.SeedSequence(5), np.random.default_rng(5).bit_generator.state['state']
np.random.RandomState(-1)
np.random.RandomState(5).randint(5, 1)
np.random.RandomState(5).standard_cauchy(), np.random.RandomState(5).laplace(), np.random.RandomState(5).zipf(2), np.random.RandomState(5).vonmises(0, 1), np.random.RandomState(5).weibull(2)
np.random.RandomState(5).multivariate_normal([0,0],[[1,0],[0,1]]), np.random.RandomState(5).hypergeometric(3,4,5), np.random.RandomState(5).logseries(.5), np.random.RandomState(5).negative_binomial(2,.5)
"""


class ScalarCalls(ByText):
    def test_scalars(self):
        self.check(SCALARS)

    def test_random(self):
        self.check(RANDOM)


if __name__ == "__main__":
    unittest.main()
