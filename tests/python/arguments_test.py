"""What functions take as arguments, and how they refuse others, compared by text."""
import unittest

import numjit as nj

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
(lambda a: (np.put(a, [99], []), a))(np.arange(3.))
np.negative.at(np.array([True, False]), [])
np.subtract.at(np.array([True, False]), np.array([], int), True)
(lambda a: (np.floor_divide.at(a, [], 1), a))(np.arange(3.))
(lambda a: (a.__setitem__(1, np.array([True])), a))(np.zeros(3, bool))
(lambda a: (a.__setitem__(1, np.array([[1.5]])), a))(np.zeros(3, bool))
(lambda a: (a.__setitem__(1, np.array([True, False])), a))(np.zeros(3, bool))
(lambda a: (a.__setitem__(1, np.array([])), a))(np.zeros(3, bool))
(lambda a: (a.__setitem__(1, np.array([1])), a))(np.zeros(3, int))
np.interp(np.array([1j, 2]), [1., 2], [3., 4])
np.interp(np.array(1j), [1., 2], [3., 4])
np.interp([1.5], np.array([1, 2j]), [3., 4])
np.interp(np.array([1j, 2], 'c8'), [1., 2], [3., 4j])
np.interp([1.5, 2], [1., 2], np.array([3., 4j]))
np.interp(np.array([1, 2]), np.array([1, 2], 'u1'), np.array([3., 4], 'f4'))
np.sum(np.array([1., 2]), initial=1j)
np.array([1, 2]).prod(initial=1j)
np.max(np.array([1., 2], 'f4'), initial=1j)
np.add.reduce(np.array([1., 2]), initial=1j)
np.sum(np.array([1., 2j]), initial=1j)
np.sum(np.array([1., 2]), initial=1j, dtype=complex)
np.logical_or.reduce(np.array([0., 0]), initial=1j)
(lambda a: (a.setflags(write=False), np.put(a, [], 5)))(np.arange(3.))
(lambda a: (a.setflags(write=False), np.put(a, [0], [])))(np.arange(3.))
(lambda a: (a.setflags(write=False), a.put([99], 'x', mode='wrap')))(np.arange(3.))
(lambda a: (a.setflags(write=False), np.putmask(a, [False] * 3, 1)))(np.arange(3.))
(lambda a: (a.setflags(write=False), np.putmask(a, a > 9, [])))(np.arange(3.))
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

ELEMENTS = """
np.ones((2, 3)).item((4,))
np.ones((2, 3)).item(())
np.ones((1, 1)).item(())
np.ones((2, 3)).item((0, 1))
np.ones((2, 3)).item((0, 1, 2))
np.ones((2, 3)).item(0, 1, 2)
np.ones((2, 3)).item([0, 1])
np.ones((2, 3)).item(1.)
np.ones((2, 3)).item(-1)
np.ones((2, 3)).item(0, -4)
np.ones(()).item((0,))
np.ones(()).item(0)
np.arange(3).item(np.int8(1))
np.arange(3).item(None)
np.unravel_index(np.array(1), (1, 4))
np.unravel_index(np.array(1, 'i1'), (1, 4))
np.unravel_index([1], (1, 4))
np.iscomplexobj(None)
np.isrealobj(None)
np.iscomplexobj('a')
np.iscomplexobj([1, 2j])
"""

POLYNOMIALS = """
np.poly(np.array([1, 2, 3], 'f4'))
np.poly(np.array([1, 2, 3], 'f2'))
np.poly(np.array([1, 2, 3], 'i4'))
np.poly(np.array([1, 2, 3], 'c8'))
np.poly(np.array([1j, -1j], 'c8'))
np.poly(np.array([1j, 2], 'c8'))
np.poly(np.array([], 'f4'))
np.polyder(np.array([1], 'i2'))
np.polyder(np.array([1], 'i2'), m=2)
np.polyder(np.array([1, 2], 'f2'), m=3)
np.polyder(np.array([], 'f4'))
np.polyder(np.array([3, 1, 2], 'f4'))
np.polyfit(np.arange(5, dtype='f4'), np.arange(5, dtype='f4'), 1, full=True)[4]
np.polyfit(np.arange(5), np.arange(5), 1, full=True)[4]
np.polyfit(np.arange(5, dtype='c8'), np.arange(5), 1, full=True)[4]
np.polyval([1, 2, 3], np.poly1d([1, 2]))
np.polyval(np.poly1d([1, 2]), [3, 4])
np.polyval(np.array(3), 2)
np.polyadd([1], np.poly1d([1., 2]))
np.polysub([True], [False, True])
np.polymul([1, 2], np.poly1d([0, 1]))
np.polydiv(np.poly1d([1, 2, 3]), [1, 2])
np.polydiv([0, 1, 2], [1, 1, 1, 1])
np.polydiv([1, 2, 3], np.ones((2, 2)))
np.polydiv(np.ones((3, 1)), np.ones(1))
np.polydiv([], [1, 2])
np.polyder([1, 2, 3], '1')
np.polyder(np.poly1d([1, 2, 3]), 0)
np.polyder(np.array(3))
np.polyint([1, 2, 3], 2, [3])
np.polyint([1, 2, 3], 1, 1j)
np.polyint([1, 2, 3], 1, [])
np.polyint([1, 2, 3], m=1.9)
np.polyint(np.poly1d([1, 2, 3]), k=3)
np.polyint(np.array(3))
np.poly(np.ones((2, 3)))
np.poly([])
np.roots(np.ones((2, 3)))
np.polyfit([0, 1, 2, 3], [1., 3, 7, 14], -0.5)
np.polyfit([0, 1, 2, 3], [1., 3, 7, 14], 3, cov=True)
[m.round(9) for m in np.polyfit([0, 1, 2, 3], [1., 3, 7, 14], 1, cov='unscaled')]
[m.round(9) for m in np.polyfit([0, 1, 2, 3], np.arange(8.).reshape(4, 2) ** 2, 1, cov=True)]
np.polyfit([0, 1, 2, 3], [1., 3, 7, 14], 1, w=[1, 2, 3, 4], rcond=0.5, full=True)[1:3]
np.polyfit([0, 1, 2, 3], [1., 3, 7, 14], 1, w=[1, 2, 3, 4], rcond=0.5, full=True)[4]
np.r_['0,4,-1', [1, 2, 3], [4, 5, 6]].shape
np.r_['0,4,-2', [1, 2, 3], [4, 5, 6]].shape
np.r_['0,3,-1', np.ones((2, 2)), np.ones((2, 2))].shape
np.r_['0,3,-3', np.ones(2), np.ones(2)].shape
np.r_['0,3,-2', [1, 2], 0:2]
np.r_['0,3,1', [1, 2], 0:2]
np.r_['-1,4,-3', np.ones(2), np.ones(2)].shape
np.r_['0,3,5', np.ones(2), np.ones(2)]
np.c_['0,4,-1', [1, 2, 3], [4, 5, 6]].shape
"""

CONTRACTIONS = """
np.einsum('ij,jk->ik', np.ones((2, 3)), np.ones((3, 2)), foo=3)
np.einsum('ij,jk->ik', np.ones((2, 3)), np.ones((3, 2)), dtype='f4')
np.einsum('ij,jk->ik', np.ones((2, 3)), np.ones((3, 2)), dtype='f4', casting='same_kind')
np.einsum('ij,jk->ik', np.ones((2, 3)), np.ones((3, 2)), out=np.zeros((2, 2), 'f4'))
np.einsum('ij,jk->ik', np.ones((2, 3)), np.ones((3, 2)), out=np.zeros((2, 2), 'i4'), casting='unsafe')
np.einsum('ij,jk->ik', np.ones((2, 3)), np.ones((3, 2)), out=np.zeros(2))
np.einsum('ij,jk->ik', np.ones((2, 3)), np.ones((3, 2)), out=(np.zeros((2, 2)),))
np.einsum('ij,jk->ik', np.ones((2, 3)), np.arange(6).reshape(3, 2), casting='no')
np.einsum('ij,jk->ik', np.ones((2, 3)), np.ones((3, 2)), order='F').flags.f_contiguous
np.einsum('ij,jk->ik', np.ones((2, 3)), np.ones((3, 2)), order='X')
np.einsum('ij,jk->ik', np.ones((2, 3)), np.ones((3, 2)), order=3)
np.einsum('ij->ji', np.ones((2, 3)), dtype='f4')
(lambda a: (np.einsum('ii->i', a).fill(7), a)[1])(np.zeros((2, 2)))
(lambda a: (np.einsum(a, [1, 0]).fill(7), a)[1])(np.zeros((2, 3)))
(lambda a: np.einsum('ij->ji', a).base is a)(np.zeros((2, 3)))
np.einsum('ii->i', np.broadcast_to(1., (2, 2))).flags.writeable
np.einsum('ii->i', np.ones((1, 3)))
np.einsum('ii,i', np.ones((2, 3)), np.ones(3))
np.einsum('...i->i', np.ones((2, 3)))
np.einsum('i,i->i', np.zeros(0), np.ones(1))
np.einsum('ij,jk,kl->il', *[np.arange(4).reshape(2, 2)] * 3, optimize='optimal')
np.einsum('ij,jk,kl->il', *[np.arange(4).reshape(2, 2)] * 3, optimize=('greedy', 3))
np.einsum('ij,jk,kl->il', *[np.arange(4).reshape(2, 2)] * 3, optimize=['einsum_path', (1, 2), (0, 1)])
np.einsum('ij,jk,kl->il', *[np.arange(4).reshape(2, 2)] * 3, optimize='best')
np.einsum('ij,jk,kl->il', *[np.arange(4).reshape(2, 2)] * 3, optimize=('greedy',))
np.einsum('ij,jk->ik', *[np.arange(4).reshape(2, 2)] * 2, optimize='best')
np.einsum(np.arange(4), [0], np.arange(4), [0], [])
np.einsum_path('ij,jk,kl->il', *[np.ones((2, 2))] * 3)
np.einsum_path('ij,jk,kl', np.ones((2, 3)), np.ones((3, 4)), np.ones((4, 5)), optimize=False)
np.einsum_path('ij,jk,kl', np.ones((2, 3)), np.ones((3, 4)), np.ones((4, 5)), optimize=['einsum_path', (1, 2), (0, 1)])
np.einsum_path(np.ones((2, 3)), [30, 1], np.ones((3, 4)), [1, 2], np.ones((4, 2)), [2, 3])
np.einsum_path('ij,jk,kl', np.ones((2, 3)), np.ones((3, 4)), np.ones((4, 5)), optimize='best')
"""

AXES = """
np.size(np.ones((2, 3)), (0, 0))
np.size(np.ones((2, 3)), (0, 1))
np.average(np.ones((2, 2)), axis=(0, 0))
np.average(np.ones((2, 2)), axis=(0, 1))
np.gradient(np.ones((2, 2)), axis=(0, 0))
np.sum(np.ones((2, 2)), (0, 0))
np.squeeze(np.ones((1, 2)), (0, 0))
np.flip(np.ones((2, 2)), (0, 0))
np.tensordot(np.ones((3, 2, 2)), np.ones(2), axes=2)
np.tensordot(np.ones(2), np.ones((3, 2, 2)), axes=2)
np.tensordot(np.ones((3, 2, 2)), np.ones((2, 2, 2)), axes=([0, 5], [0, 1]))
np.tensordot(np.ones((3, 2, 2)), np.ones((2, 2, 2)), axes=(5, 1))
np.tensordot(np.ones((3, 2)), np.ones((3, 2)), axes=1)
np.tensordot(np.ones((3, 2)), np.ones((3, 2)), axes=0).shape
np.tensordot(np.ones((3, 2)), np.ones((3, 2)), axes=-1).shape
np.tensordot(np.ones((3, 2)), np.ones((2, 3)), axes=([-1], [0]))
np.tensordot(np.ones((3, 2)), np.ones((2, 3)), axes=([0, 1], [1]))
np.linalg.solve(np.eye(3), 10)
np.ndim(None)
np.shape('a')
np.size(None)
np.size(None, 0)
np.size(np.ones((2, 3)))
np.size([[1, 2, 3]], -1)
np.mgrid[[slice(0, 2), slice(0, 3)]]
np.ogrid[[slice(0, 2), slice(0, 3)]]
np.linalg.norm(np.ones(3), axis='a')
np.linalg.norm(np.ones(3), axis=0.)
np.linalg.norm(np.ones((2, 2)), axis=[0, 1])
np.nanargmax(np.array([1, 2.]), out=np.zeros((2, 2), int))
np.nanargmin(np.array([1, 2.]), out=np.zeros((), int))
np.interp(1.5, [1, 2], [3, 4], left='x')
np.interp(1.5, [1, 2], [3, 4], right='x')
np.interp(0, [1, 2], [3, 4], left=7)
np.interp(0, [1, 2], [3, 4j], left=7j)
"""

MODES = """
np.take([1, 2], [0], mode=None)
np.take([1, 2], [3], mode=0)
np.take([1, 2], [3], mode=1)
np.take([1, 2], [3], mode=2)
np.take([1, 2], [0], mode=7)
np.take([1, 2], [0], mode=1.)
np.take([1, 2], [0], mode='x')
np.take([1, 2], [0], mode='')
np.take([1, 2], [0], mode='Raise')
np.take([1, 2], [0, 5], out=np.zeros(1, int))
np.take(np.eye(2), [0], axis=1, out=np.zeros((2, 1)))
np.choose([0, 1], [[1, 2], [3, 4]], mode=None)
np.choose([0, 1], [])
np.choose([0, 1], [[1, 2], [3, 4]], out=np.zeros((1, 2), int))
np.choose([0, 1], [[1, 2], [3, 4]], out=np.zeros(3, int))
np.choose([0, 1], [[1, 2], [3, 4]], mode='w')
np.put(np.arange(3), [0], [1], mode=None)
np.put(np.arange(3), [0], [1], mode='x')
np.ravel_multi_index(([1], [1]), (2, 2), mode=None)
np.ravel_multi_index(([5], [1]), (2, 2), mode=0)
np.compress([True] * 6, np.arange(4), out=np.arange(4))
np.select(np.eye(2, dtype=bool), np.arange(4).reshape(2, 2))
np.select(np.eye(2, dtype=bool), np.arange(2))
np.select(np.zeros(0, bool), np.zeros(0, int))
np.select(np.ones(2, int), np.ones(2))
np.insert([1, 2, 3], np.array([[True, False, True]]), 9)
np.insert([1, 2, 3], np.array(True), 9)
np.insert([1, 2, 3], np.array([True, False, True]), 9)
np.lexsort((np.ones((2, 2)), np.ones(4)))
np.lexsort(([1, 2], [1, 2, 3]))
np.partition([3, 1, 2], [[0, 1]])
np.argpartition([3, 1, 2], np.array([[0], [1]]))
np.partition([3, 1, 2], [0, 1])
np.isin(5, [1, 2])
np.isin(np.array(5), [1, 5], invert=True)
"""

OUTPUTS = """
np.mean(np.ones(3), out=np.zeros(1))
np.mean(np.ones((2, 3)), axis=0, out=np.zeros((1, 3)))
np.mean(np.ones((2, 3)), axis=0, out=np.zeros((2, 3)))
np.mean(np.ones((2, 3)), axis=0, out=np.zeros(3))
np.std(np.ones(3), out=np.zeros(1))
np.var(np.ones((2, 3)), axis=0, out=np.zeros((1, 3)))
np.ones(3).mean(out=np.zeros(1))
np.nanmean(np.ones(3), out=np.zeros(1))
np.nanvar(np.array([1, 2.]), out=np.zeros(1))
np.nanstd(np.array([1, 2.]), out=np.zeros(1))
np.nansum(np.ones(3), out=np.zeros(1))
np.ptp(np.ones(3), out=np.zeros(1))
np.max(np.ones(3), out=np.zeros(1))
np.quantile(np.arange(5), .5, out=np.zeros(1))
np.stack([[1, 2], [3, 4]], out=np.zeros(2))
np.stack([[1, 2], [3, 4]], out=np.zeros((2, 3)))
np.concatenate([[1, 2], [3, 4]], out=np.zeros((2, 3)))
np.concatenate([[1, 2], [3, 4]], out=np.zeros(2))
np.putmask(np.float64(3), True, 1.)
np.copyto(np.float64(3), 1.)
np.place(np.float64(3), True, 1.)
np.place([1], True, 1.)
(lambda a: (np.fill_diagonal(a, []), a))(np.ones((2, 2)))
(lambda a: (np.fill_diagonal(a, np.zeros((0, 3))), a))(np.ones((4, 2)))
(lambda a: (np.fill_diagonal(a, [1, 2]), a))(np.zeros((3, 3)))
"""

SHAPES = """
np.arange(20).reshape(None).shape
np.arange(4).reshape(2, 2).reshape(None)
np.reshape(np.arange(4).reshape(2, 2), None)
np.vectorize(lambda x, y: np.zeros((2, 2)), signature='(n),(n)->(n)')(np.zeros((2, 2)), np.zeros((2, 2)))
np.vectorize(lambda x: x[None], signature='(n)->(n)')(np.zeros((3, 2)))
np.vectorize(lambda x: np.zeros((2, 1)), signature='(n)->(k)')(np.zeros((3, 2)))
np.vectorize(lambda x: np.zeros(2), signature='(n)->()')(np.zeros((3, 2)))
np.vectorize(lambda x: np.zeros(1), signature='(n)->()')(np.zeros((3, 2)))
np.vectorize(lambda x: np.zeros(1), signature='(n)->()')(np.zeros(2))
np.vectorize(lambda x: np.zeros(2), signature='(n)->()')(np.zeros(2))
np.vectorize(lambda x: (x, x.sum()), signature='(n)->(n),()')(np.ones((3, 2)))
np.reshape(np.arange(20), (4, -5), order='F')
np.reshape(np.arange(20), (4, 3), order='F')
np.arange(20).reshape(-7, 4)
np.frombuffer(np.zeros((1, 0, 1), 'i4'))
np.frombuffer(np.zeros(0, 'i4'))
np.frombuffer(np.zeros((0, 2), 'i4'), dtype='c8')
np.frombuffer(np.zeros((0, 2)), count=1)
np.frombuffer(b'', offset=1)
np.cov([1, 2], np.ones((2, 2, 2)))
np.tile([1, 2], -4)
np.tile([1, 2], (2, -4))
np.tile([1, 2], (2, 0)).shape
np.repeat([], -3)
np.repeat([], [-3])
np.repeat([], -3, axis=1)
np.repeat([1], -3)
np.repeat([], [1, 2])
np.repeat(np.zeros((2, 0)), -1, axis=1).shape
np.repeat([1, 2], [1, -1])
np.eye(5, -1)
np.eye(0, -1)
np.eye(2, 0)
np.tril_indices(3, m=-1)
np.triu_indices(3, m=-2)
np.indices((2,), dtype=None)
np.indices((2,), 'i2')
np.gradient(np.array([1, 2., 4, 7]), edge_order=-1)
np.gradient(np.array([1, 2., 4, 7]), edge_order=3)
np.gradient(np.array([1, 2., 4, 7]), edge_order=0)
np.cross([], [1, 2, 3])
np.cross([1], [2, 3])
np.cross([1, 2, 3, 4], [3, 4, 5])
np.mask_indices(3, np.triu, 0.5)
np.tril(np.ones((3, 3)), -0.5)
np.triu(np.ones((3, 3)), 0.5)
np.diag(np.ones((3, 3)), k=0.0)
np.diagonal(np.ones((3, 3)), axis1=1.)
np.diagonal(np.ones((3, 3)), axis1=None)
np.trace(np.ones((3, 3)), 1.)
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

    def test_elements(self):
        self.check(ELEMENTS)

    def test_polynomials(self):
        self.check(POLYNOMIALS)

    def test_contractions(self):
        self.check(CONTRACTIONS)
        matrices = [nj.eye(2)] * 3
        for call, text in ((lambda: nj.einsum("ij,jk,kl", *matrices, optimize=["einsum_path", (0, 1)]),
                            "RuntimeError: [einsum] Invalid einsum_path is specified: 1 more operands has to be contracted."),
                           (lambda: nj.einsum("ij,jk,kl", *matrices, optimize=["einsum_path", (0, 7)]),
                            "IndexError: [einsum] invalid path: a step names operand 7, of 3 that are left."),
                           (lambda: nj.einsum("ij,jk", nj.eye(2), nj.eye(3)),
                            "ValueError: [einsum] operands could not be broadcast together with remapped shapes: label 'j' has sizes 2 and 3"),
                           (lambda: nj.einsum_path("ij,jk", *matrices[:2], einsum_call=True),
                            "NotImplementedError: [einsum_path] einsum_call: got True, expected False; it is a matter of NumPy's own.")):
            with self.assertRaises((ValueError, IndexError, RuntimeError)) as caught:
                call()
            self.assertEqual(f"{type(caught.exception).__name__}: {caught.exception}", text)

    def test_warning_of_fits(self):
        for options in ({}, {"cov": "unscaled"}):
            with self.assertWarns(nj.exceptions.RankWarning) as told:
                nj.polyfit([0, 1, 1 + 1e-15, 1], [1, 2, 3, 4], 2, rcond=1e-3, **options)
            self.assertEqual((str(told.warning), told.filename), ("Polyfit may be poorly conditioned", __file__))

    def test_axes(self):
        self.check(AXES)

    def test_modes(self):
        self.check(MODES)

    def test_outputs(self):
        self.check(OUTPUTS)

    def test_shapes(self):
        self.check(SHAPES)


if __name__ == "__main__":
    unittest.main()
