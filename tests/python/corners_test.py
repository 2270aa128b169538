"""Corners of NumPy's semantics that its own test files and those of its imitators look into, compared by their text."""
import unittest
import warnings

import numpy

from by_text import ByText, outcome
from differential import nj

COMPARED = """
np.arange(3) == None
np.arange(3) != None
None == np.arange(3)
np.arange(3) == 'abc'
'abc' != np.arange(3)
np.arange(3) == b'x'
np.arange(3) == object()
np.arange(3) != ...
np.arange(3) == {}
np.arange(6).reshape(2, 3)[:, ::2] == {1}
np.zeros((0, 3)) == object()
np.array(3) == None
np.array(3) == ...
np.float64(3) == None
np.float64(3) != None
np.float64(3) == object()
np.float64(3) != ...
np.float64(3) == 'a'
np.arange(3) == type('Two', (), {'__eq__': lambda self, other: other == 2})()
np.arange(3) != type('Two', (), {'__ne__': lambda self, other: other != 2})()
np.arange(3) == type('Mine', (), {'__array_ufunc__': None, '__eq__': lambda self, other: 'mine'})()
np.arange(3) == type('Odd', (), {'__eq__': lambda self, other: 1 / 0})()
np.arange(3).__eq__(object())
"""

EMPTY_MASKS = """
np.ones((2, 3, 4))[np.zeros(0, bool)]
np.ones((2, 3))[np.zeros((2, 0), bool)]
np.ones((2, 3))[np.zeros((0, 3), bool)]
np.ones((2, 3))[np.zeros((0, 5), bool)]
np.ones((2, 3))[np.zeros((3, 0), bool)]
np.ones((2, 3))[:, np.zeros(0, bool)]
np.ones((2, 3))[[0, 1], np.zeros(0, bool)]
np.ones((2, 3))[[0], np.zeros(0, bool)]
np.ones((2, 3))[0, np.zeros(0, bool)]
np.ones((2, 3))[np.zeros(0, bool), np.zeros(0, bool)]
np.ones((2, 3))[np.zeros(0, bool), ...]
np.ones((2, 3))[..., np.zeros(0, bool)]
np.ones((2, 3))[None, np.zeros(0, bool)]
np.ones((2, 3, 4))[:, np.zeros((0, 4), bool)]
np.ones((2, 3, 4))[:, np.zeros((3, 0), bool)]
np.ones(5)[np.zeros(0, bool)]
np.ones((0, 3))[np.zeros(1, bool)]
(lambda a: (a.__setitem__(np.zeros(0, bool), 5), a)[1])(np.ones((2, 3)))
(lambda a: (a.__setitem__(np.zeros(0, bool), [1, 2]), a)[1])(np.ones((2, 3)))
(lambda a: (a.__setitem__((slice(None), np.zeros(0, bool)), 5), a)[1])(np.ones((2, 3)))
(lambda a: (a.__setitem__(np.zeros((0, 3), bool), 5), a)[1])(np.ones((2, 3)))
"""

CASTING = """
np.add(1., 2, casting='equiv')
np.add(1., 2., casting='equiv')
np.add(np.ones(2), 2, casting='equiv')
np.add(np.ones(2), 2., casting='equiv')
np.add(np.ones(2, 'f4'), 2., casting='equiv')
np.add(np.array([1], 'u8'), 3, casting='equiv')
np.add(np.array([1], 'i4'), 3, casting='equiv')
np.add(np.array([1], 'u8'), 3, casting='no')
np.add(np.array([1.]), True, casting='no')
np.add(1, True, casting='no')
np.add(True, True, casting='no')
np.arctan2(1., 2, casting='equiv')
np.arctan2(1., 2., casting='equiv')
np.greater(np.array([1.]), 2, casting='equiv')
np.greater(np.array([1], 'i1'), 2, casting='equiv')
np.add(3., 4., dtype='f4', casting='equiv')
np.sin(1, casting='equiv')
np.sin(True, casting='no')
np.logical_and(1, 2., casting='equiv')
np.sqrt(np.float32(2), casting='no')
np.add(np.array([1j], 'F'), 1, casting='safe')
"""

STORED = """
(lambda a: (np.copyto(a, 3.2), a)[1])(np.zeros(2, 'i1'))
(lambda a: (np.copyto(a, 0), a)[1])(np.zeros(2, bool))
(lambda a: (np.copyto(a, True), a)[1])(np.zeros(2, 'i1'))
(lambda a: (np.copyto(a, 1j), a)[1])(np.zeros(2))
(lambda a: (np.copyto(a, 300), a)[1])(np.zeros(2, 'i1'))
(lambda a: (np.copyto(a, -1), a)[1])(np.zeros(2, 'u1'))
(lambda a: (np.copyto(a, 3), a)[1])(np.zeros(2, 'u1'))
(lambda a: (np.copyto(a, 3.2, casting='unsafe'), a)[1])(np.zeros(2, 'i1'))
(lambda a: (np.copyto(a, 3, casting='equiv'), a)[1])(np.zeros(2, 'i1'))
(lambda a: (np.copyto(a, 3, casting='no'), a)[1])(np.zeros(2, 'i1'))
(lambda a: (np.copyto(a, 3., casting='safe'), a)[1])(np.zeros(2, 'f4'))
(lambda a: (np.copyto(a, 3, casting='odd'), a)[1])(np.zeros(2, 'f4'))
(lambda a: (np.copyto(a, 3, where=3.2), a)[1])(np.zeros(2))
(lambda a: (np.copyto(a, 3, where=[0, 1]), a)[1])(np.zeros(2))
(lambda a: (np.copyto(a, 3, where=np.array([0, 1])), a)[1])(np.zeros(2))
(lambda a: (np.copyto(a, 3, where=None), a)[1])(np.zeros(2))
(lambda a: (np.place(a, [True, False], [1]), a)[1])(np.zeros(7))
(lambda a: (np.place(a, np.ones((3, 2), bool), [1]), a)[1])(np.zeros((2, 3)))
(lambda a: (np.putmask(a, [0, 1, 0], 300), a)[1])(np.zeros(3, 'i1'))
(lambda a: (np.putmask(a, [0, 1, 0], [1.5]), a)[1])(np.zeros(3, int))
(lambda a: (np.putmask(a, [0, 1, 0], np.array([1.5])), a)[1])(np.zeros(3, 'f4'))
(lambda a: (np.putmask(a, [0, 1, 0], np.float64(1.5)), a)[1])(np.zeros(3, 'i4'))
np.putmask(a=np.zeros(2), values=[-1, -2], mask=[0, 1])
np.putmask([1, 2], [0, 1], 3)
np.ones((2, 2)).partition(2, axis=None)
np.ones(3).sort(axis=None)
np.array(np.arange(3), copy='x')
np.asarray([1, 2], copy='x')
np.reshape([1, 2], (2, 1), copy='a')
"""

SHIFTED = """
np.roll([1, 2], '1')
np.roll([1, 2], 1.5)
np.roll(np.arange(6).reshape(2, 3), np.array([1, 2]), (0, 1))
np.roll(np.arange(6).reshape(2, 3), np.array([1, 2]), np.array([0, 1]))
np.roll(np.arange(6).reshape(2, 3), [[1, 2]], 0)
np.roll(np.arange(6).reshape(2, 3), (1, 2), (0, 1, 0))
np.roll(np.arange(6).reshape(2, 3), 1, (0, 0))
np.repeat([1, 2], 2.0)
np.repeat([1, 2], np.float64(2))
np.repeat([1, 2], np.array(2.0))
np.repeat([1, 2], [[1, 2]])
np.repeat([1, 2], np.array([[1]]))
np.arange(3).repeat(2.0)
np.flip(np.array(5.)), np.flip(5.), np.flip(np.float64(5.))
np.flip(5, 0)
np.kron(2, 3.), np.kron(2, 3), np.kron(np.array(2), 3), np.kron([1, 2], 3)
np.squeeze(5), np.squeeze(np.float64(5)), np.squeeze(np.float64(5), axis=0), np.squeeze(np.float64(5), -1)
np.float64(5).squeeze(), np.float64(5).squeeze(0)
np.squeeze(np.array(5), 1)
np.trim_zeros(np.array(1.)), np.trim_zeros(np.array(0.)), np.trim_zeros(5)
(lambda a: a.real is a)(np.ones(3)), (lambda a: np.real(a) is a)(np.ones(3)), (lambda a: a.real.base is a)(np.ones(3, complex)), (lambda a: a.imag.base is a)(np.ones(3, complex))
np.zeros((0, 2)).byteswap(), np.zeros((2, 0, 3), complex).byteswap()
np.mgrid[np.zeros(3)[:, None]:np.ones(3)[:, None]:3j, np.zeros(3)[:, None]:np.ones(3)[:, None]:3j]
np.ogrid[np.zeros(3)[:, None]:np.ones(3)[:, None]:3j, np.zeros(3)[:, None]:np.ones(3)[:, None]:3j]
np.select([np.array([True, False])], [np.arange(2)], [1, 2, 3])
np.unique(np.array([1 + 1j, np.nan, complex(1, np.nan), complex(np.nan, 1)]))
np.unique(np.array([1 + 1j, complex(np.nan, 1), np.nan, complex(1, np.nan)], 'F'))
np.unique(np.array([1 + 1j, complex(np.nan, 1), np.nan]), equal_nan=False)
np.unique(np.array([], complex))
np.ones(3).searchsorted(1, sorter=[1.1])
np.searchsorted([1, 2, 3], [1], sorter=[[1, 2, 3]])
np.searchsorted([1, 2, 3], [1], sorter=[1, 2])
np.isin(np.array([1], 'i1'), np.array([-100, 100], 'i1'), kind='table')
np.random.RandomState(0).multinomial(10, [[0, 1]])
np.random.default_rng(0).multivariate_hypergeometric([2**60-100, 101], 5, 1, 'count')
(lambda a: (np.random.RandomState(0).shuffle(a), np.asarray(a)))(memoryview(np.arange(5)))
"""

BYTES = """
__import__('hashlib').sha256(np.zeros((2, 2))).hexdigest()
__import__('hashlib').sha256(np.zeros((2, 2)).T).hexdigest()
__import__('hashlib').sha256(np.zeros((2, 3)).T).hexdigest()
__import__('hashlib').sha256(np.arange(4)[::2]).hexdigest()
__import__('hashlib').sha256(np.array(3)).hexdigest()
__import__('zlib').crc32(np.arange(6).reshape(2, 3))
bytes(np.zeros((2, 2), 'u1').T)
memoryview(np.zeros((2, 2))).ndim
len((lambda b: (__import__('pickle').dumps(np.ones((3, 2), order='F'), protocol=5, buffer_callback=b.append), b)[1])([]))
len((lambda b: (__import__('pickle').dumps(np.ones((3, 2)), protocol=5, buffer_callback=b.append), b)[1])([]))
len((lambda b: (__import__('pickle').dumps(np.ones((3, 2))[::2], protocol=5, buffer_callback=b.append), b)[1])([]))
(lambda p: p.loads(p.dumps(np.arange(6).reshape(3, 2).T, protocol=5)).strides)(__import__('pickle'))
(lambda p: p.loads(p.dumps(np.arange(6).reshape(3, 2).T, protocol=2)).strides)(__import__('pickle'))
(lambda p: p.loads(p.dumps(np.arange(24).reshape(2, 3, 4).transpose(1, 2, 0), protocol=5)))(__import__('pickle'))
(lambda p: p.loads(p.dumps(np.arange(6).reshape(3, 2)[:, ::-1], protocol=5)))(__import__('pickle'))
(lambda p: p.loads(p.dumps(np.arange(6.).reshape(3, 2), protocol=5)).flags.writeable)(__import__('pickle'))
(lambda p: p.loads(p.dumps(np.broadcast_to(np.arange(3), (2, 3)), protocol=5)))(__import__('pickle'))
(lambda p: [p.loads(p.dumps(np.zeros((0, 2), 'c8'), protocol=k)) for k in range(6)])(__import__('pickle'))
(lambda p: [p.loads(p.dumps(np.array([1.5, 2], 'f2'), protocol=k)) for k in range(6)])(__import__('pickle'))
(lambda p: [p.loads(p.dumps(np.array(1.5), protocol=k)) for k in range(6)])(__import__('pickle'))
(lambda p: [p.loads(p.dumps(np.float32(1.5), protocol=k)) for k in range(6)])(__import__('pickle'))
(lambda p, a: (lambda b: p.loads(p.dumps(a, protocol=5, buffer_callback=b.append), buffers=b))([]))(__import__('pickle'), np.arange(6).reshape(2, 3))
"""

CONVERTED = """
np.array([1, None], dtype=float)
np.array([1, None], dtype=complex)
np.array([1, None], dtype=int)
np.array([1, None], dtype=bool)
np.array('1.5 2'.split(), dtype=float)
np.array(['1', '2'], dtype=int)
np.array(['1.5', '2'], dtype=int)
np.array(['a', '2'], dtype=float)
np.array(['1+2j', '2'], dtype=complex)
np.array(['True', ''], dtype=bool)
np.array([b'1.5', b'2'], dtype=float)
np.array('3', dtype=float)
np.array([['1', '2'], ['3', '4']], dtype='i4')
np.array([['1', '2'], ['3']], dtype='i4')
np.array([1.5, '2', None], dtype='f2')
np.array(['nan', '-Infinity', ' 3 ', '1e400'], dtype=float)
np.array(['300'], dtype='i1')
np.array(None, dtype=float)
np.array([__import__('decimal').Decimal('1.5'), __import__('fractions').Fraction(1, 4)], dtype=float)
np.array([object()], dtype=float)
np.array([np.arange(2), ['3', None]], dtype=float)
np.asarray(['1', '2'], dtype='f4')
np.fromiter(['1', None], float)
np.fromiter(['1', '2'], int)
np.full(2, '3', dtype=float), np.full(2, None, dtype=float)
np.full((2, 2), np.nan, dtype=int), np.full(2, [np.nan, 1], dtype='u1')
(lambda a: (a.__setitem__(0, None), a.__setitem__(1, '3'), a)[-1])(np.zeros((2, 2)))
(lambda a: (a.__setitem__((0, 1), None), a.__setitem__((1, 0), '3'), a)[-1])(np.zeros((2, 2)))
(lambda a: (a.__setitem__([0, 1], [None, '3']), a)[-1])(np.zeros(2))
(lambda a: (a.__setitem__(0, None), a)[-1])(np.zeros((2, 2), int))
(lambda a: (a.__setitem__(0, 'x'), a)[-1])(np.zeros((2, 2)))
(lambda a: (a.__setitem__(0, __import__('fractions').Fraction(1, 4)), a)[-1])(np.zeros(2))
(lambda a: (a.__setitem__(0, 1j), a)[-1])(np.zeros(2, 'u1'))
(lambda a: (a.__setitem__(0, {}), a)[-1])(np.zeros(2))
(lambda a: (a.fill('3'), a)[-1])(np.zeros(2))
np.vectorize(lambda x: x if x > 0 else 0)(np.array([-1.5, 2.]))
np.vectorize(lambda x: max(x, 0))(np.array([1.5, -2.], 'f4'))
np.vectorize(lambda x: x * 100)(np.array([1, 2], 'i1'))
np.vectorize(lambda x: type(x).__name__ == 'int64')(np.array([1, 2]))
np.vectorize(lambda x, y: x // y)(np.array([1, 2]), np.array([0, 1]))
np.vectorize(lambda x, y: x < y)(np.array([1, 2]), 3j)
np.vectorize(lambda x: (x, x > 1))(np.array([1, 127], 'u1'))
np.vectorize(lambda x: x)([]), np.vectorize(lambda x: x, otypes='f')([])
np.vectorize(lambda x: x + 1)(3), np.vectorize(lambda x, y: x + y)([[1], [2]], [3, 4.])
(lambda seen: (np.vectorize(lambda x: seen.append(x) or x)([1, 2]), len(seen)))([])
(lambda seen: (np.vectorize(lambda x: seen.append(x) or x, cache=True)([1, 2]), len(seen)))([])
"""

BINNED = """
np.bincount([]), np.bincount([], minlength=2)
np.bincount(np.array([]))
np.bincount(np.array([], int), weights=[]), np.bincount([], weights=[], minlength=2)
np.digitize([1, 2, np.nan], [np.nan] * 4), np.digitize([1, 2, np.nan], [np.nan] * 4, right=True)
np.digitize([1, 2, np.nan], [1, np.nan, np.nan])
np.digitize([1, 2, np.nan], [np.nan, 1, 2])
np.digitize([1, 2, np.nan], [1, 2, np.nan]), np.digitize([1, 2, np.nan], [np.nan, 2, 1])
np.digitize([1, 2, 3], []), np.digitize([1, 2, 3], [1, 1, 1])
np.digitize([1], [1, 3, 2])
np.digitize([1], [[1, 2]])
np.histogram(np.array([1, 2, 3], 'f4'), weights=np.array([1, 2, 3], 'f4'), density=True)
np.histogram(np.array([1, 2, 3], 'f4'), bins=np.array([0, 2, 4], 'f4'), weights=np.array([1, 2, 3], 'f4'), density=True)
np.histogram(np.array([1, 2, 3], 'f4'), bins=[3, 2, 4])
np.histogram2d(np.array([1, 2, 3], 'f4'), np.array([1, 2, 3], 'f4'), bins=3)
np.histogram2d(np.array([1, 2, 3], 'f4'), np.array([1, 2, 3], 'f8'), bins=3)
np.histogram2d(np.array([1, 2, 3], 'f4'), np.array([1, 2, 3], 'f4'), bins=3, range=[(0, 1.1), (0, 5)])
np.histogram2d(np.array([1, 2, 3], 'i4'), np.array([1, 2, 3], 'i4'), bins=3)
np.histogramdd(np.array([[1, 2], [3, 4]], 'f4'), bins=[np.array([1, 2, 4], 'f4'), 2])
np.ravel_multi_index((np.array([True, False]), np.array([True, True])), (2, 2)), np.unravel_index(True, (3, 4))
np.ravel_multi_index(([1], [1]), (3., 4))
np.lexsort([3, 1, 2]), np.lexsort([[3, 1, 2]])
np.argpartition(np.array(1), 0)
np.binary_repr(0, 0), np.binary_repr(0, 1), np.binary_repr(0), np.binary_repr(0, 3), np.binary_repr(-4, 3)
np.unwrap(np.array([5, 7, 6, 5, 4], 'u1'))
np.unwrap(np.array([5, 17, 6, 5, 4], 'i4'), period=4), np.unwrap(np.array([5, 17, 6, 5, 4], 'i4'), period=4.)
np.unwrap(np.array([5, 7, 6, 5, 4], 'u1'), period=4)
np.unwrap([5., 17, 6, 5, 4], discont=8), np.unwrap(np.array([[5, 17, 6], [5, 4, 9]], 'f4'), axis=0), np.unwrap([True, False, True])
np.nan_to_num([0, 1, np.nan, 4.], nan=[1, 2, 3, 4]), np.nan_to_num([0, np.inf], posinf=[1, 2.])
np.nan_to_num([0, 1, np.nan, 4.], nan=np.zeros((2, 4)))
np.nan_to_num([0, 1, np.nan, 4.], nan=[1, 2])
(lambda a: (np.may_share_memory(a[::2], a[1::2]), np.shares_memory(a[::2], a[1::2]), np.may_share_memory(a[:5], a[5:]), np.may_share_memory(a[::-1], a[8:]), np.may_share_memory(a[:0], a)))(np.arange(10))
"""

AT = """
(lambda a: (np.add.at(a, [0, 1, 0, -1], 3), a)[1])(np.zeros(4))
(lambda a: (np.add.at(a, [0, 1, 0, -1], np.arange(8.)[::2]), a)[1])(np.zeros(4))
(lambda a: (np.add.at(a, [0, 1, 0, -1], a), a)[1])(np.arange(4.))
(lambda a: (np.add.at(a, [3, 3, 0, 1], a[::-1]), a)[1])(np.arange(4.))
(lambda a: (np.add.at(a[:3], [0, 1, 2, 2], a), a)[1])(np.arange(4.))
(lambda a: (np.add.at(a, np.array([[0, 1], [1, 1]]), [5, 6]), a)[1])(np.zeros(3, 'i4'))
(lambda a: (np.add.at(a, np.array([0, 0], 'u1'), np.array([1.5, 2.5], 'f4')), a)[1])(np.zeros(3))
(lambda a: (np.add.at(a, (slice(None), [0, 0]), [[1, 2]]), a)[1])(np.zeros((2, 2)))
(lambda a: (np.multiply.at(a, [1, 1], [2, 3]), a)[1])(np.ones(3, complex))
(lambda a: (np.maximum.at(a, [1, 1, 2], [2, np.nan, 3]), a)[1])(np.ones(3))
(lambda a: (np.negative.at(a, [0, 0, 1]), a)[1])(np.arange(3) + 1)
(lambda a: (np.power.at(a, [0, 1], [2, -1]), a)[1])(np.arange(3) + 1)
(lambda a: np.add.at(a, [4], 1))(np.zeros(4))
(lambda a: np.add.at(a, [-5], 1))(np.zeros(4))
(lambda a: np.add.at(a, [0, 1], [1, 2, 3]))(np.zeros(4))
(lambda a: np.add.at(a, [0], 1.5))(np.zeros(4, int))
(lambda a: np.add.at(a, [0]))(np.zeros(4))
(lambda a: np.negative.at(a, [0], 1))(np.zeros(4))
(lambda a: (np.add.at(a, [], 1), a)[1])(np.zeros(2))
(lambda a: (np.add.at(a, [True, False, True], [1, 2]), a)[1])(np.zeros(3))
(lambda a, i: (np.add.at(a, i, np.ones(5000)), a)[1])(np.zeros(7), np.arange(5000) % 7)
(lambda a, i: (np.subtract.at(a, i, 2), a)[1])(np.zeros(7, 'i2'), np.arange(500) % 7 - 7)
"""

SUMMED = """
np.einsum('ij,jk', np.ones((2, 2)))
np.einsum('ij', np.ones((2, 2)), np.ones((2, 2)))
np.einsum('i...j...', np.ones((2, 3)))
np.einsum('i.j', np.ones((2, 3)))
np.einsum('ij->.j', np.ones((2, 3)))
np.einsum('ij->...j...', np.ones((2, 3)))
np.einsum('ij->i->j', np.ones((2, 3)))
np.einsum('ij-i', np.ones((2, 3)))
np.einsum('i%j', np.ones((2, 3)))
np.einsum('', 2, 3)
np.einsum(',', 2, 3)
np.einsum(3, [0, 'a'])
np.einsum(np.ones(3), [-1])
np.einsum(np.ones(3), [52])
np.einsum(np.ones(3), [51])
np.einsum(np.ones(3), [0], [0, 0])
np.einsum(np.ones(3), [0], [1])
np.einsum(np.ones(3), 0)
np.einsum(np.ones(3), np.array(0))
np.einsum(np.ones((2, 3)), np.array([0, 1]), np.array([1]))
np.einsum(np.ones((2, 2)), np.array([0, 0]))
np.einsum(np.ones((2, 3)), range(2))
np.einsum(np.ones(3), 'i')
np.einsum(np.ones((2, 3)), [..., ...])
np.einsum(np.ones(3))
np.einsum('i')
np.einsum(np.arange(6.).reshape(2, 3), [30, 2])
np.einsum('ij,jk,kl', np.arange(6, dtype='u2').reshape(2, 3), np.ones((3, 4), bool), np.ones((4, 2), bool))
np.einsum('ij,k->k', np.full((2, 3), 100, 'i1'), np.ones(2, 'f4'))
np.einsum('i,i,i', np.full(3, 100, 'i1'), np.full(3, 100, 'i1'), np.ones(3))
np.einsum('ij->ji', np.ones((2, 3), 'f4'), dtype='f8'), np.einsum('ij->i', np.ones((2, 3), 'f4'), dtype='f8')
np.polyfit([0, 1, 2], [1, 2, 4], 1.0).round(9)
np.polyfit(np.arange(5), np.arange(5), 1, w=np.ones(6))
np.polyfit(np.arange(5), np.arange(5), 1, w=np.ones((5, 1)))
np.polymul([], [1, 2]), np.polymul(np.array([]), np.array([1., 2]))
np.polymul(np.ones((2, 2)), [1, 2])
np.poly1d([1, 2]) ** np.int32(2)
np.poly1d([1, 2]) ** 2.0
np.einsum(np.arange(6.).reshape(2, 3), [0, ...], [..., 0])
"""

TARGETS = """
np.sum([1, 2], out=3)
np.sum([1, 2], out=...)
np.mean([1., 2], out=3)
np.std([1, 2], out=3)
np.any([1, 2], out=3)
np.max([1, 2], out='a')
np.ones(3).sum(out=3)
np.ones(3).mean(out=...)
np.median([1, 2], out=3)
np.nansum([1, 2], out=3)
np.percentile([1, 2], 50, out=3)
np.cumsum([1, 2], out=3)
np.argmax([1, 2], out=3)
np.take([1, 2], [0], out=3)
np.concatenate([[1]], out=3)
np.stack([[1]], out=...)
np.trace(np.ones((2, 2)), out=3)
np.choose([0], [[1]], out=3)
np.compress([1], [1], out=3)
np.add.reduce([1, 2], out=3)
np.add.reduce([1, 2], out=...)
np.add.accumulate([1, 2], out=3)
np.add.accumulate([1, 2], out=...)
np.add.reduceat([1, 2], [0], out=...)
(lambda o: (np.sum([1, 2], out=o) is o, o))(np.zeros(()))
(lambda o: (np.add.reduce([1, 2], out=(o,)) is o, o))(np.zeros(()))
(lambda o: (np.cumsum([1, 2], out=o) is o, o))(np.zeros(2))
(lambda o: (np.argmax([[1, 2]], 1, out=o) is o, o))(np.zeros(1, int))
(lambda o: (np.concatenate([[1], [2]], out=o) is o, o))(np.zeros(2, int))
(lambda o: (np.take([1, 2], [0], out=o) is o, o))(np.zeros(1, int))
(lambda o: (np.median([1, 2], out=o) is o, o))(np.zeros(()))
(lambda o: (np.percentile([1, 2], 50, out=o) is o, o))(np.zeros(()))
"""

NOT_FINITE = """
np.linalg.svd(np.full((2, 2), np.nan))
np.linalg.svd(np.full((2, 2), np.nan), compute_uv=False)
np.linalg.svd(np.array([np.eye(2), np.full((2, 2), np.nan)]))
np.linalg.svd(np.array([[1, np.nan], [0, 1]], 'f4'))
np.linalg.svd(np.array([[1, np.nan], [0, 1]], 'F'))
np.linalg.svdvals(np.full((2, 2), np.nan))
np.linalg.svd(np.full((2, 2), np.inf))
np.linalg.norm(np.full((2, 2), np.nan), 2)
np.linalg.norm(np.full((2, 2), np.nan), 'nuc')
np.linalg.norm(np.full((2, 2), np.nan), 'fro')
np.linalg.norm(np.full((2, 2), np.nan), 1)
np.linalg.matrix_rank(np.full((2, 2), np.nan))
np.linalg.pinv(np.full((2, 2), np.nan))
np.linalg.cond(np.full((2, 2), np.nan))
np.linalg.lstsq(np.full((2, 2), np.nan), np.ones(2))
np.linalg.lstsq(np.full((2, 2), np.inf), np.ones(2))
np.linalg.lstsq(np.eye(2), np.array([np.nan, 1]))
np.linalg.eigvals(np.full((2, 2), np.nan))
np.linalg.eigh(np.full((2, 2), np.nan))
np.linalg.qr(np.full((2, 2), np.nan))
np.linalg.cholesky(np.full((2, 2), np.nan))
np.linalg.det(np.full((2, 2), np.nan))
np.linalg.inv(np.full((2, 2), np.nan)), np.linalg.solve(np.full((2, 2), np.nan), [1, 2])
"""

# Shapes whose elements can't be counted, asked of few elements: the product of extents wraps.
UNCOUNTABLE = """
np.ones(20)[::2].reshape(2, 13, 419, 691, 823, 2977518503)
np.ones(10).reshape(2, 13, 419, 691, 823, 2977518503)
np.ones(20).reshape(2, 2 ** 62 + 5, 2)
np.ones(20).reshape((2, 2 ** 62 + 5, 2))
np.reshape(np.ones(20), (2, 2 ** 62 + 5, 2))
np.reshape(np.ones(20)[::2], (2 ** 62, 2, 2, -1))
np.ones(20).reshape(2 ** 62, 4, -1)
np.ones((2 ** 62, 4))
np.zeros((0, 2 ** 40, 2 ** 40))
np.zeros((2 ** 40, 2 ** 40))
np.ones((2 ** 32, 2 ** 32), 'u1')
np.empty((2 ** 31, 2 ** 31, 2 ** 31))
np.arange(6).reshape(2 ** 63 - 1, -1)
np.arange(6).reshape(2 ** 63 - 1, 2, 3)
np.broadcast_shapes((2 ** 62, 1), (1, 4))
np.broadcast_shapes((2 ** 40, 1, 1), (1, 2 ** 40, 1))
np.broadcast_shapes((2 ** 31, 1), (1, 2 ** 31))
np.broadcast_to(np.ones(1, 'u1'), (2 ** 62,)).shape
np.ndarray((2 ** 62, 4), buffer=bytearray(16))
np.eye(2 ** 62)
np.tri(2 ** 62)
np.random.rand(2 ** 32, 2 ** 32, 2 ** 32)
"""

# Numbers on their way into elements: as int() and float() make them.
WRITTEN = """
[(a := np.zeros(2, int)), a.fill(float('nan'))]
[(a := np.zeros(2, 'u1')), a.fill(float('nan'))]
[(a := np.zeros(2, int)), a.fill(float('inf'))]
[(a := np.zeros(2, int)), a.fill(1e300)]
[(a := np.zeros(2, 'u1')), a.fill(300.5)]
[(a := np.zeros(2, 'u8')), a.fill(1.8e19)]
[(a := np.zeros(2, 'i1')), a.fill(-1.5)]
[(a := np.zeros(2, 'u1')), a.fill(-1.5)]
[(a := np.zeros(2, int)), a.fill(1j)]
[(a := np.zeros(2, int)), np.put(a, [0], float('nan'))]
[(a := np.zeros(2, 'u1')), np.put(a, [0, 1], [300])]
[(a := np.zeros(2, 'u1')), np.put(a, [0, 1], [1j])]
[(a := np.zeros(2, 'u1')), np.put(a, [0, 1], np.array([300]))]
[(a := np.arange(3)), np.put(a, 1, [7, 8])]
[(a := np.array(3)), a.put(0, 5)]
[(a := np.array(3)), np.put(a, 0, [7, 8])]
np.array(3).put(100, 0)
np.zeros((5, 3))[:, :2].__setattr__('shape', (10,))
np.lexsort((np.array(3),), axis=1)
np.lexsort((np.array(3),), axis=-2)
np.lexsort((np.array(3),), axis=-1)
__import__('copy').copy(np.empty((2, 2), order='F')).flags
__import__('copy').deepcopy(np.ones((2, 3, 4)).transpose(1, 2, 0)).strides
np.array([[1, 2], [3, 4]]).compress([True, False], axis=1, out=np.zeros((2, 1), 'f4'))
np.array([[1, 2], [3, 4]]).compress([True, False], axis=1, out=np.zeros((2, 1), 'i8'))
np.array([[1, 2], [3, 4]]).compress([True, False], axis=1, out=np.zeros((2, 2), 'i8'))
[(a := np.arange(3)), np.place(a, [True, False, True], [float('nan')])]
[(a := np.arange(3)), np.place(a, [True, False, True], [8.5, 9.5])]
[(a := np.arange(3)), np.putmask(a, [True, False, True], [float('nan')])]
[(a := np.arange(3)), np.putmask(a, [True, False, True], [8.5, 9.5, 1.5])]
[(a := np.zeros((2, 2), int)), np.fill_diagonal(a, float('nan'))]
[(a := np.zeros((2, 2), int).T[::-1]), np.fill_diagonal(a, 2.5)]
[(a := np.zeros(2, int)), np.copyto(a, float('nan'), casting='unsafe')]
np.insert(np.arange(3), 1, float('nan'))
np.insert(np.arange(3), [0, 2], [1.5, 2.5])
np.full(2, 1 + 1j, int)
np.full_like(np.arange(2.0), 1j)
np.full(2, float('nan'), 'i4')
np.array([1 + 1j], dtype=float)
np.array(1 + 1j, dtype=int)
np.float32(1j)
np.int8(1j)
np.int8(5) @ np.int8(5)
np.int8(5) @ 3
np.int8(5) @ np.ones(3)
np.int64(2 ** 70)
np.arange(3) + 2 ** 70
np.clip(np.arange(5, dtype='i4'), None, 2 ** 300)
np.clip(np.arange(5, dtype='u1'), -2 ** 300, 2 ** 300)
np.arange(5).clip(-2 ** 300, 2)
np.clip(np.arange(5), 2 ** 300, None)
np.clip(np.arange(5), None, -2 ** 300)
np.finfo(np.float16), np.finfo(np.float32), np.finfo(np.float64), np.finfo(np.complex64)
[(b := np.broadcast(np.ones(3), np.ones((2, 1)))), [list(i) for i in b.iters]][1:]
"""

# Each drops imaginary parts, and warns of it.
DROPPED = """
np.full(2, 1j).astype(float)
np.full(2, 1j).astype('i1')
np.full((2, 2), 1j).T.astype('f4')
np.complex64(1j).astype('f4')
np.array(np.full(2, 1j), dtype=float)
np.array(np.full((2, 2), 1j).T, dtype=float)
np.asarray(np.full(2, 1j, 'c8'), dtype='i4')
np.full(2, 1 + 1j, float)
np.full(2, np.complex64(1 + 1j), 'f4')
[(a := np.zeros(3)), a.__setitem__(slice(None), np.full(3, 1j))]
[(a := np.zeros(3)), a.__setitem__(0, np.complex128(3))]
[(a := np.zeros(3, int)), a.__setitem__(0, np.complex128(3))]
[(a := np.zeros(3)), a.__setitem__([0, 1], np.full(2, 1j))]
float(np.complex128(1)), int(np.complex64(2))
np.float32(np.complex64(1j)), np.float64(np.complex64(2)), np.int8(np.complex64(3))
"""


class Corners(ByText):
    def test_uncountable(self):
        self.check(UNCOUNTABLE)

    def test_written(self):
        self.check(WRITTEN)

    def test_dropped(self):
        for expression in DROPPED.strip().split("\n"):
            own_line = []
            for module in (nj, numpy):
                with self.subTest(expression, module=module.__name__), warnings.catch_warnings(record=True) as given:
                    warnings.simplefilter("always")
                    eval(expression, {"np": module})
                    self.assertGreater(len(given), 0)
                    self.assertIs(given[0].category, numpy.exceptions.ComplexWarning)
                    self.assertEqual(str(given[0].message), "Casting complex values to real discards the imaginary part")
                    own_line.append(given[0].filename == "<string>")
            self.assertGreaterEqual(*own_line)
            self.assertEqual(outcome(expression, nj), outcome(expression, numpy))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            nj.full(2, 1j).astype(bool), nj.full(2, 1j).astype("c8"), nj.full(2, 1j).real.astype(float)
            a = nj.zeros(2)
            for drops in (lambda: nj.full(2, 1j).astype(float), lambda: a.__setitem__(0, nj.complex64(1)), lambda: float(nj.complex64(1))):
                self.assertRaises(numpy.exceptions.ComplexWarning, drops)
            self.assertEqual(a.tolist(), [0, 0])

    def test_compared(self):
        self.check(COMPARED)

    def test_empty_masks(self):
        self.check(EMPTY_MASKS)

    def test_casting(self):
        self.check(CASTING)

    def test_stored(self):
        self.check(STORED)

    def test_shifted(self):
        self.check(SHIFTED)

    def test_bytes(self):
        self.check(BYTES)

    def test_converted(self):
        self.check(CONVERTED)

    def test_binned(self):
        self.check(BINNED)

    def test_targets(self):
        self.check(TARGETS)

    def test_not_finite(self):
        self.check(NOT_FINITE)

    def test_at(self):
        self.check(AT)

    def test_summed(self):
        self.check(SUMMED)


if __name__ == "__main__":
    unittest.main()
