"""Arrays: making, indexing, storing, methods and operators with all their arguments, and what they refuse."""
import unittest

from by_text import ByText

ARRAYS = r"""
(lambda a: (setattr(a, 'dtype', 'i4'), a)[1])(np.arange(2))
(lambda a: (setattr(a, 'shape', (2,2)), a)[1])(np.arange(4))
(lambda a: (setattr(a, 'real', 3), a)[1])(np.ones(2, complex))
(lambda a: (setattr(a, 'imag', [1, 2]), a)[1])(np.ones(2, complex))
(lambda a: (setattr(a, 'imag', 2), a)[1])(np.ones(2))
(lambda a: (setattr(a, 'flat', [1, 2]), a)[1])(np.ones(4))
np.array(1+2j).real, np.array(1+2j).imag
np.array(1).real, np.array(1).imag
(lambda a: (setattr(a.real, 'flat', 5), a)[1])(np.array(1j))
(lambda a: a.__setitem__(0, [1,2]))(np.zeros(3))
(lambda a: a.__setitem__(slice(0,2), [1,2,3]))(np.zeros(3))
(lambda a: a.__setitem__(0, (1,2)))(np.zeros(3, int))
(lambda a: a.__setitem__((0, 1), 3))(np.zeros(3))
(lambda a: a.__setitem__('a', 3))(np.zeros(3))
(lambda a: a.__setitem__(1.5, 3))(np.zeros(3))
(lambda a: a.__setitem__(5, 3))(np.zeros(3))
(lambda a: (a.__setitem__(..., [1,2,3]), a)[1])(np.zeros(3))
(lambda a: (a.__setitem__(0, np.ones(1)), a)[1])(np.zeros(3))
(lambda a: (a.__setitem__(0, np.ones((1,1))), a)[1])(np.zeros((3)))
(lambda a: (a.__setitem__(0, 3.7), a)[1])(np.zeros(3, int))
(lambda a: (a.__setitem__(0, 3+1j), a)[1])(np.zeros(3))
(lambda a: (a.__setitem__(0, np.complex128(3+1j)), a)[1])(np.zeros(3))
(lambda a: (a.__setitem__(0, 300), a)[1])(np.zeros(3, 'u1'))
(lambda a: (a.__setitem__(0, np.nan), a)[1])(np.zeros(3, 'i8'))
(lambda a: (a.__setitem__(0, 2**70), a)[1])(np.zeros(3))
(lambda a: (a.__setitem__([0, 0], [1, 2]), a)[1])(np.zeros(3, int))
(lambda a: (a.__setitem__([], []), a)[1])(np.zeros(3, int))
(lambda a: (a.__setitem__(np.array([], dtype=bool), 3), a)[1])(np.zeros(0, int))
np.zeros(3)[np.array([True, False])]
np.zeros((3,3))[[0,1],[0,1,2]]
np.zeros((3,3))[..., ...]
np.zeros((3,3))[0,0,0]
np.zeros((3,3))[{}]
np.zeros((3,3))[1.0]
np.zeros((3,3))[np.float64(1)]
np.zeros((3,3))[None, 1, None].shape
np.zeros((3,3))[True].shape, np.zeros((3,3))[False].shape
np.zeros((3,3))[np.True_, 0].shape
np.zeros((3,3))[[True, False, True], [0, 2]].shape
np.zeros((3,3,2))[:, [0, 1], None, [0, 1]].shape
np.zeros((3,3,2))[[0, 1], :, [0, 1]].shape
np.arange(10)[slice(None, None, -3)]
np.arange(10)[np.int8(2):np.int64(5)]
np.arange(10)[np.array(2):5]
np.arange(10)['1':5]
np.arange(10)[1.5:3]
np.arange(6).reshape(2,3).argmax(axis=(0,1))
np.arange(6).reshape(2,3).argmax(axis=0, keepdims=True)
np.arange(6).reshape(2,3).argmax(out=np.zeros((), 'i4'))
np.arange(6).reshape(2,3).argmin(axis=1, out=np.zeros(2, int))
np.array([]).argmax()
np.zeros((0,3)).argmax(axis=0)
np.zeros((0,3)).argmax(axis=1)
np.arange(6).take([7], mode='wrap'), np.arange(6).take([-7], mode='clip')
np.arange(6).take(7)
np.arange(6).take([0,1], out=np.zeros(3, int))
np.arange(6).take([0,1], out=np.zeros(2))
np.arange(6).take([0,1], mode='foo')
np.arange(6).choose([1])
np.choose([0, 1, 2], [[1,2,3],[4,5,6]])
np.choose([0, 1, -1], [[1,2,3],[4,5,6]], mode='wrap')
np.arange(4).repeat([1,2])
np.arange(4).repeat([1,2,0,3], axis=0)
np.arange(6).compress([True, False, True]), np.arange(6).reshape(2,3).compress([0,1], axis=0)
np.arange(6).compress([0]*7)
np.arange(6).compress([0]*6+[1])
np.putmask(np.arange(3), [True, False], 3)
np.arange(3).put([5], 1)
(lambda a: (a.put([0, 5], [1, 2], mode='wrap'), a)[1])(np.arange(3))
(lambda a: (a.put([0, 1], []), a)[1])(np.arange(3))
(lambda a: (a.sort(axis=0), a)[1])(np.array([[3,1],[2,5]]))
np.array([3,1]).sort(axis=2)
np.array(3).sort()
np.sort(3)
np.array([3,1]).sort(kind='foo')
np.array([3,1]).sort(kind='mergesort', stable=True)
np.array([3,1]).argsort(kind='m')
np.array([[3,1],[2,5]]).argsort(axis=None)
np.array([3,1,2]).partition(5)
np.array([3,1,2]).partition([0, 1.5])
np.array([3,1,2]).searchsorted(2, side='foo')
np.array([1,2,3]).searchsorted([1,2], side='r', sorter=[0,1])
np.array([3,1,2]).searchsorted(2, sorter=[0,1,5])
np.array([3,1,2]).searchsorted(2, sorter=[0.,1,2])
np.lexsort([[1,2],[3]])
np.lexsort(3)
np.lexsort([])
np.lexsort(([3,1,2],[1,1,0]), axis=1)
np.arange(4).nonzero(), np.array([[1,0],[0,2]]).nonzero()
np.arange(8).reshape(2,2,2).trace(axis1=0, axis2=3)
np.arange(8).reshape(2,2,2).trace(offset=1, dtype='f4')
np.eye(2).trace(out=np.zeros(()))
np.arange(4).reshape(2,2).diagonal(axis1=0, axis2=0)
np.arange(4).diagonal()
np.arange(6).reshape(2,3).swapaxes(0, 2)
np.arange(6).reshape(2,3).transpose(1)
np.arange(6).reshape(2,3).transpose(1, 1)
np.arange(6).reshape(2,3).transpose((1, 0)), np.arange(6).reshape(2,3).transpose(None).shape
np.arange(6).reshape(4)
np.arange(6).reshape(-1, -1)
np.arange(6).reshape(2, -1), np.arange(6).reshape((3, 2), order='F')
np.arange(0).reshape(-1, 0)
np.arange(6).reshape(2.0, 3)
np.arange(6).reshape()
np.arange(6).reshape(2, 3, order='Q')
np.arange(6).reshape(2, 3, copy=False).base is not None
np.arange(6).reshape(2,3).T.reshape(6, copy=False)
np.arange(3).squeeze(0)
np.ones((1,2,1)).squeeze(axis=(0,2)).shape, np.ones((1,2,1)).squeeze(axis=1)
np.arange(3).view('i4'), np.arange(3).view('i3')
np.arange(3)[::2].view('i4')
np.arange(3, dtype='i4').view('i8')
np.arange(4).reshape(2,2).view('f4').shape
np.ones((2,3)).view('u1').shape
np.arange(3).item(5)
np.arange(3).item()
np.arange(6).reshape(2,3).item(1, 2), np.arange(6).reshape(2,3).item((1, 2)), np.arange(6).item(-1)
np.arange(3).tolist(), np.array(3).tolist(), np.array([[1.5]]).tolist()
np.arange(3).tobytes(order='Q')
np.arange(3).dot(np.arange(4))
np.ones((2,3)).dot(np.ones((2,3)))
np.dot(np.ones((2,3)), np.ones(3), out=np.zeros(2, 'f4'))
np.vdot(np.ones(3), np.ones(4))
np.inner(np.ones((2,3)), np.ones((2,4)))
np.dot(1, [1,2]), np.dot([[1]], 3)
np.outer([1,2],[3,4]), np.outer(1, 2)
np.ones(3) @ 3
3 @ np.ones(3)
np.ones((2,3)) @ np.ones((2,3))
(lambda a: a.__imatmul__(np.eye(2)))(np.ones((2,2)))
np.arange(3) == 'a'
np.arange(3) == None
np.arange(3) != [1,2]
np.arange(3) == [1,2]
np.arange(3) in [1]
2 in np.arange(3), 5 in np.arange(3)
bool(np.array([1,2]))
bool(np.array([0])), bool(np.array([[3]]))
int(np.array([1,2]))
int(np.array([3]))
float(np.array(2.5)), complex(np.array(1j)), int(np.array(2.7))
float(np.array(1j))
hash(np.arange(3))
len(np.array(3))
iter(np.array(3))
list(np.arange(2)), list(np.arange(4).reshape(2,2))
np.array(5).__index__(), np.array([5]).__index__()
np.array(5.0).__index__()
np.arange(3)[np.array(1)]
np.arange(3).__contains__(1)
divmod(np.arange(3), 2), divmod(7, np.array([2]))
pow(np.arange(3), 2), np.arange(3) ** 2.0, 2 ** np.arange(3)
np.arange(3) ** -1
np.arange(3.) ** -1
-np.array([True])
~np.array([1.5])
+np.array([True])
abs(np.array([True])), abs(np.array([-3+4j]))
np.array([1]) << 64, np.array([1]) >> 64, np.array([-1]) >> 70
np.array([1.]) << 1
np.array([1.]) & 1
np.array([True]) - np.array([True])
np.array([1], 'u1') - np.array([2], 'u1')
np.array([1], 'u8') + np.array([1], 'i8')
np.array([7]) // 0, np.array([7]) % 0
np.array([7.]) // 0, np.array([-7.]) % 0, np.array([7.]) % np.inf, np.array([-7.]) % np.inf
np.array([-128], 'i1') // -1, np.array([-128], 'i1') % -1, abs(np.array([-128], 'i1'))
np.array([1+2j]) // 1
np.array([1+2j]) % 1
np.array([1+2j]) < 2
np.array([1j, 1, 2]).max(), np.sort(np.array([1j, 1, 1-1j]))
np.array([np.nan, 1]).max(), np.array([np.nan, 1]).argmax(), np.fmax(np.nan, 1)
np.array([[1, 2], [3]])
np.array([[1, 2], 3])
np.array([[1, [2, 3]]])
np.array([1, 2.5, 3j]), np.array([True, 2]), np.array([np.int8(1), 2]), np.array([np.float32(1), 2])
np.array([2**63, -1])
np.array([-1, 2**63])
np.array(memoryview(b'ab')), np.array(bytearray(b'ab'))
np.array([1,2], ndmin=3).shape, np.array(3, ndmin=2)
np.array(np.arange(2), copy=False)
np.array([1.5], dtype='i4'), np.array([1], dtype='?')
np.array([300], dtype='u1')
np.array([-1], dtype='u8')
np.array([1e400, 1e39], dtype='f4')
np.zeros((-1,))
np.zeros('a')
np.zeros((2, 'a'))
np.zeros(2.5)
np.zeros(3, dtype='foo')
np.zeros(3, order='Q')
np.full(3, [1,2,3]), np.full((2,2), 1.5, dtype=int), np.full(2, 1j)
np.full(3, [1,2])
np.arange(5, 0), np.arange(0, 1, 0.3), np.arange(3, dtype='f4'), np.arange(0, 5, -1)
np.arange(0, 1, 0)
np.arange()
np.arange(3., dtype=bool)
np.arange(1, dtype=bool), np.arange(2, dtype=bool)
np.linspace(0, 1, -1)
np.linspace(0, 1, 2.5)
np.linspace(0, 1, 3, dtype=int), np.linspace(0, [1, 2], 3, axis=1), np.linspace(1, 2, 1, endpoint=False), np.linspace(0, 1j, 2)
np.linspace(0, 10, 5, retstep=True), np.linspace(0, 1, 0)
np.logspace(0, 2, 3), np.geomspace(1, 8, 4), np.geomspace(-1, -8, 4)
np.geomspace(0, 8, 4)
np.identity(2.5)
np.eye(2, 3, 1), np.eye(2, k=-1, dtype='i1')
np.tri(2, 3, 1), np.tril(np.ones((3,3)), -1)
np.diag(np.ones((2,2,2)))
np.frombuffer(b'')
np.frombuffer(b'abc', 'i2')
np.frombuffer(b'abcd', 'i2', count=3)
np.frombuffer(b'abcd', 'i2', offset=5)
np.frombuffer(b'abcdef', '<i2', count=1, offset=2), np.frombuffer(b'ab', 'u1').flags.writeable
np.fromstring('1 2 3', sep=' '), np.fromstring('1,2', dtype=int, sep=',')
np.concatenate([])
np.concatenate([1, 2])
np.concatenate([[1], [[2]]])
np.concatenate([[1], [2]], axis=1)
np.concatenate([[[1]], [[2, 3]]])
np.concatenate([[1], [2.5]], dtype='i4')
np.concatenate([[1], [2.5]], dtype='i4', casting='unsafe'), np.concatenate([[1], [[2]]], axis=None)
np.stack([])
np.stack([[1], [2, 3]])
np.stack([[1], [2]], axis=3)
np.stack([[1], [2]], axis=-1), np.hstack([1, 2]), np.vstack([1, 2]), np.dstack([[1], [2]])
np.where([True, False], 1, 2.5), np.where(3, [1], 2)
np.where([True], [1, 2], [1, 2, 3])
np.where([True], 1)
np.shares_memory(np.arange(3), np.arange(3)), np.may_share_memory(np.arange(3), 3)
np.result_type('i1', 3), np.result_type('i1', 300), np.result_type('u1', -1), np.result_type('f4', 1e300), np.result_type(np.int8(1), 2.5), np.result_type(1, 2j), np.result_type(True, 'u1')
np.result_type()
np.promote_types('i1', 'u8'), np.promote_types('u4', 'f4'), np.promote_types('i2', 'f2'), np.promote_types('F', 'd')
np.min_scalar_type(-129), np.min_scalar_type(255), np.min_scalar_type(1e50), np.min_scalar_type(3.5), np.min_scalar_type(1e5j)
np.can_cast('i8', 'f4'), np.can_cast('u8', 'f8'), np.can_cast('i8', 'f4', 'same_kind'), np.can_cast('f8', 'i8', 'same_kind'), np.can_cast('c16', 'f8', 'unsafe')
np.array([np.nan], dtype=int)
np.array(np.nan, dtype='i4')
np.array([np.inf], dtype=int)
(lambda a: a.__setitem__(slice(None), np.nan))(np.zeros(3, int))
(lambda a: a.__setitem__(slice(None), np.inf))(np.zeros(3, int))
(lambda a: a.__setitem__([0], np.nan))(np.zeros(3, int))
(lambda a: a.__setitem__(np.array([True,False,True]), np.inf))(np.zeros(3, int))
(lambda a: (a.__setitem__(0, 1e30), a)[1])(np.zeros(3, int))
(lambda a: (a.__setitem__(0, 1e3), a)[1])(np.zeros(3, 'i1'))
(lambda a: a.__setitem__(slice(0,1), [np.nan]))(np.zeros(3, int))
(lambda a: a.fill(np.nan))(np.zeros(3, int))
(lambda a: a.fill(1e30))(np.zeros(3, int))
(lambda a: a.__setitem__(0, (1,)))(np.zeros(3))
(lambda a: a.__setitem__(0, [1]))(np.zeros(3, int))
(lambda a: a.__setitem__(0, [1]))(np.zeros(3, complex))
(lambda a: a.__setitem__(0, [1]))(np.zeros(3, bool))
(lambda a: a.__setitem__(0, np.ones(1)))(np.zeros(3, int))
(lambda a: a.__setitem__((0, 0), np.ones((1, 1))))(np.zeros((3, 3), int))
(lambda a: (a.__setitem__((0, ...), np.ones(1)), a)[1])(np.zeros(3, int))
(lambda a: (a.__setitem__((), np.ones(1)), a)[1])(np.zeros(()))
(lambda a: (a.__setitem__(..., np.ones(1)), a)[1])(np.zeros(()))
(lambda a: (a.__setitem__(0, np.array(4.5)), a)[1])(np.zeros(3))
(lambda a: (a.__setitem__(0, np.float32(4.5)), a)[1])(np.zeros(3))
np.arange(10)[::1.5]
np.arange(10)[::0]
np.arange(10)[None:None:None].shape
np.ones((3,3))[1.5:3, 0]
(lambda a: a.__setitem__(slice(1.5, 3), 0))(np.zeros(3))
np.arange(6).take([0,1], out=np.zeros(2, 'f4'))
np.arange(6).take([0,1], out=np.zeros(2, 'i4'))
np.arange(6).take([0,1], out=np.zeros(2, 'i4'), mode='clip')
np.take(np.arange(6), [0,1], out=np.zeros((2,1), int))
np.sort([3,1], kind='mergesort', stable=True)
np.argsort([3,1], kind='mergesort', stable=False)
np.array([1,2,3]).searchsorted([1,2], side='r')
np.array([1,2,3]).searchsorted([1,2], side='foo')
np.array([1,2,3]).searchsorted([1,2], side=3)
np.array([1,2,3]).searchsorted([1,2], side='RIGHT')
np.array([3,1,2]).searchsorted(2, sorter=[0,1,-5])
np.arange(6).reshape(2,3).item(1, 7)
np.ones('a')
np.empty((2, 1.5))
np.full([2, 2.5], 1)
(lambda a: (setattr(a, 'dtype', 'i3'), a)[1])(np.arange(2))
(lambda a: (setattr(a, 'dtype', 'i4'), a)[1])(np.arange(4)[::2])
(lambda a: (setattr(a, 'dtype', 'f8'), a.view('i8'))[1])(np.arange(2))
np.array([1,2]).astype('i4', casting='no')
np.array([1,2]).astype('f4', casting='same_kind')
np.array([1.5]).astype('i4', casting='same_kind')
np.array([1,2]).astype('i8', copy=False).base
np.array([1,2]).astype(None)
np.array([1,2]).astype('i4', order='Z')
np.array([1+1j]).astype(float)
np.partition(np.arange(3), 2, kind=1)
np.partition(np.arange(3), 2, kind='nonsense')
np.arange(3).partition(2, kind='nonsense')
np.arange(3).argpartition(2, kind='nonsense')
np.arange(3).partition(5, axis=3)
np.arange(3).partition(5)
np.put(np.array([]), 1, 1, mode='wrap')
np.put(np.array([]), 1, 1, mode='clip')
np.put(np.array([]), 1, 1)
np.put(np.zeros(3), [0, 1], [[1, 2]])
(lambda a: (np.put(a, [0, 4], [5]), a)[1])(np.arange(5))
np.array([[0, 1], [2, 3]])[::-1, :].ravel(order='K'), np.array([[0, 1], [2, 3]])[::-1, :].ravel(order='A')
np.array([[0, 1], [2, 3]], order='F').ravel(order='K'), np.array([[0, 1], [2, 3]], order='F').ravel('A')
np.arange(12).reshape(2,3,2).transpose(1, 0, 2).ravel(order='K')
np.arange(4).reshape(2,2).T.ravel(order='K').base is None
np.ravel(np.arange(4).reshape(2,2).T, order='K')
np.arange(8)[::-2].ravel(order='K')
(lambda a, o: (a.conjugate(o) is o, o))(np.array([1-1j]), np.zeros(1, complex))
np.array([1.5]).conj()
type(np.array([1,2,3])[0, ...]) is np.ndarray
type(np.array([1,2,3])[0]) is np.ndarray
type(np.array(3)[...]) is np.ndarray, type(np.array(3)[()]) is np.ndarray
type(np.ones((2,2))[1, 1, ...]) is np.ndarray
np.array([0,1]).choose([1,2],[3,4])
np.array([0,1]).choose([[1,2],[3,4]])
np.array([0,1]).choose((10, 20))
(lambda x: (np.putmask(x, [0, 1], [-1, -2]), x)[1])(np.array([0, 0]))
(lambda x: (np.putmask(x, mask=[0, 1], values=[-1, -2]), x)[1])(np.array([0, 0]))
(lambda x: (np.putmask(x, x > 1, [7, 8]), x)[1])(np.arange(5))
np.isscalar(np.True_), np.isscalar(np.float64(1)), np.isscalar(3), np.isscalar(np.array(1))
np.argwhere(3), np.argwhere(0)
np.count_nonzero(np.eye(3), axis=0, keepdims=True)
np.add(np.ones((2,3), order='F'), 1, order='C').flags.c_contiguous
np.add(np.ones((2,3)), 1, order='F').flags.f_contiguous
(np.ones((2,3), order='F') + np.ones((2,3))).strides
np.ones((2,3), order='F').astype('f4').flags.f_contiguous
(-np.ones((4,3))[::-1]).strides
(np.ones((4,3))[:, ::-1] + 1).strides
(np.ones((3,1)).T + np.ones((1,1))).strides
(np.broadcast_to(np.ones(3), (2,3)) + 1).strides
(np.broadcast_to(np.ones((2,1)), (2,3)) + 1).strides
"""


# A few calls of each function, what they give and what they refuse.
CHAPTERS = r"""
np.histogram([1,2,3], weights=[1j,2,3])
np.histogram([1,2,3,2], bins=[1,2,3], weights=[1j,2,3,4])
np.histogram([1,2,3,2], bins=2, weights=[1,2,3,4.5], density=True)
np.histogram2d([1,2,3],[1,2,3], bins=2, weights=[1j,2,3])
np.histogram([1,2,3], bins=0)
np.histogram([1,2,3], bins=[3,2,1])
np.histogram([1,2,3], bins='foo')
np.histogram([1,2,3], bins='auto', weights=[1,2,3])
np.histogram([1,2,3], bins=2.5)
np.histogram([1,2,3], range=(3,1))
np.histogram([1,2,np.nan])
np.histogram([1,2,3], weights=[1,2])
np.histogram([True, False])
np.histogram([], bins=3)
np.histogramdd(np.ones((3,2)), bins=(2,3,4))
np.bincount([-1])
np.bincount([1.5])
np.bincount([1], minlength=-1)
np.bincount([], minlength=3)
np.interp(2.5, [1,2,3], [3,2,0]), np.interp([0,4], [1,2,3], [3,2,0], left=-1, right=9)
np.interp(1, [], [])
np.interp(1, [1,2], [1])
np.interp([1,2], [1,2,3], [1j,2,3])
np.interp(370, [0, 90], [1, 2], period=360)
np.interp(1, [1,2],[1,2], period=0)
np.trapezoid([1,2,3], x=[4,6,8]), np.trapezoid([[1,2],[3,4]], axis=0), np.trapezoid([1,2,3], dx=2)
np.average([1,2,3], weights=[1,2,0]), np.average([[1,2],[3,4]], axis=1, weights=[1,3], returned=True)
np.average([1,2], weights=[0,0])
np.average([[1,2],[3,4]], weights=[1,2])
np.average([[1,2],[3,4]], weights=[1,2,3], axis=0)
np.median([[1,2,3],[4,5,6]], axis=(0,1)), np.median([1,np.nan]), np.median([1,2], keepdims=True)
np.percentile([1,2,3], 101), 
np.percentile([1,2,3], [10, 50], method='foo')
np.quantile([1,2,3], 0.5, method='midpoint', axis=3)
np.nanmedian([1,np.nan,3]), np.nanmean([np.nan, 1]), np.nanstd([1,np.nan,3]), np.nanmax([np.nan, 2]), np.nanargmin([np.nan, 2])
np.nanargmax([np.nan])
np.nanmax([])
np.ptp([1,5]), np.ptp([[1,2],[3,9]], axis=1)
np.var([1,2,3], ddof=1), np.std([[1,2],[3,4]], axis=0), np.var([1+1j, 2]), np.mean([True, False]), np.mean(np.float16([1,2])).dtype
np.sum([1,2], axis=2)
np.sum([[1,2],[3,4]], axis=(0,0))
np.sum([1.5,2], dtype='i4')
np.prod([], dtype='f4'), np.sum([]), np.max([3,1], initial=7), np.min([[1,2]], axis=1, keepdims=True)
np.max([])
np.any([[0,1]], axis=0), np.all([]), np.any([]), np.count_nonzero([[1,0],[2,3]], axis=1)
np.cumsum([[1,2],[3,4]]), np.cumsum([[1,2],[3,4]], axis=1, dtype='f4'), np.cumprod([1,2,3]), np.cumulative_sum([1,2], include_initial=True)
np.cumulative_sum([[1]])
np.diff([1,4,9], prepend=0), np.diff([[1,2],[4,8]], axis=0, append=1), np.ediff1d([1,2,4], to_begin=9)
np.ediff1d([1,2], to_end=1.5)
np.unwrap([0, 3*np.pi]), np.unwrap([0, 5], period=4)
np.tensordot(np.ones((2,3)), np.ones((3,2)), axes=1), np.tensordot(np.ones((2,3)), np.ones((2,3)), axes=([0,1],[0,1]))
np.tensordot(np.ones((2,3)), np.ones((2,3)), axes=1)
np.kron([1,2],[3,4]), np.kron([[1,2]],[[3],[4]])
np.einsum('ii', np.eye(3)), np.einsum('ij->ji', np.ones((2,3))).shape, np.einsum('i,j', [1,2],[3,4])
np.einsum('i->ii', [1,2])
np.linalg.solve(np.ones((2,2)), [1,2])
np.linalg.inv(np.ones((2,3)))
np.linalg.det(np.ones((2,3)))
np.linalg.cholesky(-np.eye(2))
np.linalg.norm([[1,2],[3,4]], ord=7)
np.linalg.norm([[1,2],[3,4]], ord='foo')
np.linalg.norm([3,4]), np.linalg.norm([[1,2],[3,4]], axis=1), np.linalg.norm([3,4], ord=np.inf), np.linalg.norm([3,-4], ord=-np.inf), np.linalg.norm([3,4], 0)
np.linalg.matrix_power([[1,1],[0,1]], 3), np.linalg.matrix_power([[1.,1],[0,1]], -1)
np.linalg.lstsq([[1,2],[3,4]], [1,2,3])
np.linalg.eigvalsh([[2,0],[0,3]]), np.linalg.matrix_rank(np.ones((3,3))), np.linalg.multi_dot([[[1,2]],[[1],[2]]])
np.linalg.multi_dot([[1]])
np.linalg.qr(np.ones((2,2)), mode='foo')
np.linalg.slogdet(np.eye(2)), np.linalg.cond(np.eye(2)), np.linalg.pinv(np.eye(2))
np.linalg.svd(3)
np.linalg.tensorsolve(np.eye(4).reshape(2,2,2,2), np.ones((2,2)))
np.linalg.trace(np.eye(3)), np.linalg.diagonal(np.eye(2)), np.linalg.outer([1,2],[3,4])
np.linalg.outer([[1,2]],[3,4])
np.linalg.cross([1,2],[3,4])
np.unique([3,1,1], return_index=True, return_inverse=True, return_counts=True)
np.unique([[1,2],[1,2]], axis=0), np.unique([[1,2],[1,2]], axis=0, return_inverse=True)[1]
np.unique([[1,2],[2,1]], return_inverse=True)[1]
np.unique([1,np.nan,np.nan]), np.unique([1,np.nan,np.nan], equal_nan=False)
np.unique([[1]], axis=3)
np.intersect1d([1,2,3],[2,3], return_indices=True), np.setdiff1d([1,2],[2]), np.union1d([1],[2,1]), np.setxor1d([1,2],[2,3])
np.isin([1,2],[2]), np.isin([1,2],[2], invert=True), np.isin([1,2],[2], kind='sort')
np.isin([1.5,2],[2], kind='table')
np.pad([1,2], 1, mode='constant', constant_values=9), np.pad([1,2,3], (2,1), 'reflect'), np.pad([[1,2]], ((0,1),(1,0)), 'edge')
np.pad([1,2], -1)
np.pad([1,2], 1, mode='foo')
np.pad([1,2], (1,2,3))
np.pad([1,2], 1, 'edge', constant_values=3)
np.roll([1,2,3], 4), np.roll([[1,2],[3,4]], 1, axis=0), np.roll([[1,2],[3,4]], (1,1), axis=(0,1))
np.roll([1,2], 1, axis=3)
np.rot90([[1,2],[3,4]]), np.rot90([[1,2],[3,4]], -1)
np.rot90([1,2])
np.flip([[1,2],[3,4]], (0,1)), np.fliplr([[1,2]]), np.flipud([[1],[2]])
np.fliplr([1,2])
np.tile([1,2], (2,2)), np.repeat([[1,2]], 2, axis=1), np.tile(3, 2)
np.delete([1,2,3], 1), np.delete([1,2,3], [0,-1]), np.delete([[1,2],[3,4]], 0, axis=1), np.delete([1,2,3], slice(0,2))
np.delete([1,2,3], 5)
np.append([1], [2,3]), np.append([[1]], [[2]], axis=0)
np.append([[1]], [2], axis=0)
np.split(np.arange(6), 4)
np.split(np.arange(6), [2,4]), np.array_split(np.arange(5), 2), np.hsplit(np.ones((2,2)), 2)[0], np.vsplit(np.ones((2,2)), 2)[0]
np.vsplit(np.ones(2), 2)
np.expand_dims([1,2], (0,2)).shape
np.expand_dims([1,2], 5)
np.moveaxis(np.ones((2,3,4)), 0, -1).shape, np.rollaxis(np.ones((2,3,4)), 2).shape
np.squeeze(np.ones((1,2)), axis=1)
np.broadcast_to([1,2], (2,3))
np.broadcast_to([1,2], (2,2)).flags.writeable, np.broadcast_shapes((2,1),(3,)), np.broadcast_shapes()
np.broadcast_shapes((2,),(3,))
np.broadcast_arrays([1,2],[[1],[2]])[0].shape
np.meshgrid([1,2],[3,4,5], indexing='ij')[0].shape, np.meshgrid([1,2],[3], sparse=True)[0]
np.meshgrid([1],[2], indexing='foo')
np.triu_indices(2), np.tril_indices(2, k=-1), np.diag_indices(2), np.mask_indices(2, np.triu)
np.unravel_index(5, (2,3)), np.unravel_index([1,5], (2,3), order='F')
np.unravel_index(6, (2,3))
np.indices((2,2)), np.ix_([0,1],[1])[0].shape
np.apply_along_axis(np.sum, 0, [[1,2],[3,4]]), np.apply_along_axis(lambda r: r[::-1], 1, [[1,2],[3,4]])
np.apply_over_axes(np.sum, np.ones((2,3,4)), [0,2]).shape
np.vectorize(lambda x, y: x + y)([1,2], 3), np.vectorize(lambda x: x, otypes='f')([1])
np.fromfunction(lambda i, j: i + j, (2,2)), np.fromiter((i*i for i in range(3)), int, count=2)
np.select([[True, False],[False,True]], [[1,2],[3,4]], default=9), np.piecewise([1.,2], [[True,False]], [lambda x: -x, 5])
np.select([], [])
np.select([[1,0]], [[1,2]])
np.nan_to_num([np.nan, np.inf, -np.inf]), np.nan_to_num([np.nan], nan=3), np.nan_to_num(np.nan)
np.fix([1.5,-1.5]), np.trunc(2.7), np.rint(2.5), np.round(2.567, 2), np.round([15], -1), np.around(1.25, 1)
np.array_equal([1,2],[1,2]), np.array_equiv([1,2],[[1,2]]), np.allclose([1],[1+1e-9]), np.array_equal([np.nan],[np.nan], equal_nan=True)
np.packbits([1,0,1]), np.unpackbits(np.array([5], 'u1')), np.unpackbits(np.array([5], 'u1'), bitorder='little', count=3)
np.packbits([1.5])
np.unpackbits([1])
np.gcd(12, 18), np.lcm([4,6], 10), np.gcd(0, 0), np.lcm(np.int8(-4), np.int8(6))
np.gcd(1.5, 2)
np.heaviside([-1,0,1], 0.5), np.sign([-2,0,np.nan]), np.copysign(1, -0.0), np.nextafter(1, 2), np.spacing(1.), np.signbit([-0.0, 1])
np.sign([1+1j, 0]), np.sign(True)
np.power(2, -1)
np.left_shift(1, [1,2]), np.bitwise_count([7,-1]), np.invert(True), np.bitwise_xor(5, 3), np.logical_xor(1, 0)
np.ldexp(1.5, [1,2]), np.frexp(8), np.modf([-1.5, 2]), np.divmod(-7, 3), np.fmod(-7, 3), np.remainder(-7, 3), np.floor_divide(-7, 3)
np.maximum([1,np.nan],[2,1]), np.fmin([1,np.nan],[2,1]), np.clip([1,5,9], 2, 6), np.clip([1,5], None, 3), np.clip(5, 7, 3)
np.logaddexp(1, 2), np.logaddexp2(1, 2), np.hypot(3, 4), np.arctan2(1, -1), np.degrees(np.pi), np.deg2rad(180)
np.arange(start=4)
np.arange(step=3)
np.arange(dtype='int64')
np.arange(start=4, stop=6)
np.arange(4, step=2)
np.arange(stop=3)
np.arange(1, stop=3)
np.arange(1, 3, start=2)
np.arange(3, None)
np.arange(0, 0, 0)
np.array(np.ones((2,3)), copy=None, order='F').flags.f_contiguous
np.array(np.ones(3), copy=None).base
(lambda a: np.array(a, copy=None) is a)(np.ones(3))
(lambda a: np.asarray(a) is a)(np.ones(3))
(lambda a: delattr(a, 'shape'))(np.ones(3))
(lambda a: delattr(a, 'dtype'))(np.ones(3))
__import__('sys').getsizeof(np.ones(1000)) > 8000, __import__('sys').getsizeof(np.ones(1000)[1:]) < 8000
np.ones(3).nbytes, np.ones(3).itemsize, np.broadcast_to(1., (100,)).nbytes
np.copyto(np.zeros(3, int), np.ones(3))
(lambda a: (np.copyto(a, [1,2,3], where=[True,False,True]), a)[1])(np.zeros(3, int))
(lambda a: (np.copyto(a, 1.5, casting='unsafe'), a)[1])(np.zeros(3, int))
np.copyto(np.zeros(3), [1,2])
np.copyto(np.zeros(3, 'u1'), 300)
np.full(3, 300, dtype='u1')
np.full_like([1,2], 2.7), np.full_like([1.,2], 3), np.zeros_like([[1]], dtype='f4'), np.ones_like(3), np.empty_like(np.ones((2,0))).shape
np.zeros_like(np.ones((2,3), order='F')).flags.f_contiguous, np.zeros_like(np.ones((2,3)), shape=(4,)).shape
np.array([[1,2],[3,4]])[np.array([[True,False],[False,True]])]
np.array([1,2,3])[[True, False, True]], np.array([1,2,3])[(True,)].shape
np.array([[1,2],[3,4]])[[0,1],[1,0]], np.array([[1,2],[3,4]])[[[0],[1]],[0,1]], np.array([[1,2],[3,4]])[:, [1]]
np.array([1,2,3])[np.array([], int)], np.array([1,2,3])[[]], np.array([1,2,3])[()]
np.array([1,2,3])[np.array([-1, 0])], np.array([1,2,3])[-4]
np.array([1,2,3])[np.array([5])]
np.array([[1,2],[3,4]])[np.array([0]), np.array([0,1,2])]
np.array([1,2,3])[np.array([1.0])]
np.array([1,2,3])['a']
np.array([1,2,3])[{1}]
np.array([1,2,3])[1, 2]
np.array([1,2,3])[np.array([True, False])]
np.array([[1,2],[3,4]])[np.ones((2,3), bool)]
np.array([1,2,3])[..., 0], np.array([1,2,3])[None].shape, np.array([1,2,3])[np.newaxis, :, None].shape
np.array(5)[...], np.array(5)[()], np.array(5)[None], np.array(5)[True], np.array(5)[False].shape
np.array(5)[0]
np.array([1,2,3]).__getitem__(slice(None, None, -1)), np.arange(10)[-3:], np.arange(10)[8:2:-2], np.arange(5)[10:], np.arange(5)[-10:2]
np.maximum.reduce(np.zeros((0, 0)), axis=1)
np.max(np.zeros((0, 0)), axis=1)
np.max(np.zeros((0, 0)), axis=0)
np.max(np.zeros((0, 3)), axis=1)
np.max(np.zeros((0, 0, 0)), axis=2)
np.max(np.zeros((0, 30, 0)), axis=(0,1))
np.maximum.reduce(np.zeros((10, 0, 0)), axis=(0,1))
np.maximum.reduce(np.zeros((0, 10, 0)), axis=0)
np.maximum.reduce(np.zeros((10, 0, 0)), axis=2)
np.maximum.reduce(np.zeros((0, 0, 0, 15, 15)), axis=(0,1,2))
np.maximum.reduce(np.zeros((10, 0, 30)), axis=0)
np.maximum.reduce(np.zeros((10, 0, 30)), axis=1)
np.maximum.reduce(np.zeros((0, 0)), axis=())
np.fmax.reduce(np.zeros((0, 0)), axis=1)
np.fmax.reduce(np.zeros((0, 3)), axis=1)
np.logical_xor.reduce(np.zeros((0, 3)), axis=0)
np.subtract.reduce(np.zeros((0, 3)), axis=0)
np.subtract.reduce(np.zeros((0, 3)), axis=1)
np.argmax(np.zeros((0, 0)), axis=1)
np.argmax(np.zeros((0, 3)), axis=1)
np.argmax(np.zeros((3, 0)), axis=1)
np.cov(np.ones((1,3)), ddof=0, rowvar=False).shape
np.cov(np.ones((3,1)), ddof=0, rowvar=False).shape
np.cov(np.arange(6.).reshape(2,3), rowvar=False)
np.cov(np.arange(3.), np.arange(3.)**2, rowvar=False)
np.cov(np.arange(3.), np.ones((1,3)), rowvar=False)
np.cov(np.arange(6.).reshape(3,2), np.ones((3,1)), rowvar=False)
np.cov(np.ones((1,3)), np.ones((1,3)), rowvar=False)
np.corrcoef(np.arange(6.).reshape(3,2)**2, rowvar=False)
np.corrcoef(np.arange(3.), [1,5,2], rowvar=False)
(lambda x: np.diff(x, n=0) is x)([1,2])
np.gradient(np.ones((5,5)), np.arange(5))
np.gradient(np.ones((5,5)), np.arange(5), axis=0)
np.gradient(np.ones((5,5)), np.arange(5), axis=(0,1))
np.gradient(np.ones((5,5)), np.array(2.), axis=(0,1))[0]
np.gradient(np.ones((5,5)), 2.)[0].shape
np.piecewise([0, 0], np.array([True, False]), [1])
np.piecewise([1, 2], np.array([True, False]), [2, 3])
np.piecewise([1, 2], np.array([[True, False]]), [2, 3])
np.vecdot(np.arange(27.).reshape(3,3,3), np.arange(10,19.).reshape(3,1,3), axes=[0, 2], keepdims=True)
np.vecdot(np.arange(27.).reshape(3,3,3), np.arange(10,19.).reshape(3,1,3), axis=0, keepdims=True)
np.vecdot(np.arange(27.).reshape(3,3,3), np.arange(10,19.).reshape(3,1,3), axes=[0, 0], keepdims=True).shape
np.add.reduce(1, out=(...,))
np.add.resolve_dtypes((np.dtype('i4'), np.dtype('i4'), None), signature=(None, None, "f4"))
np.add.resolve_dtypes(("i4", "i4", None))
np.divmod(1, 2, out=(np.empty(()), ...))
np.add(np.ones(3), 1, casting=None)
(lambda a: a.flat.__setitem__((), 70))(np.zeros(3))
np.concatenate([[1], [2]], casting='same_value')
np.concatenate([[1], [2]], casting='unsafe')
"""


SMALL = """
np.append(np.arange(3), 5)
np.append(np.arange(3), 5.5)
np.append(np.arange(3.), 5)
np.append(np.float32([1]), 2.5)
np.append(np.arange(3), [4, 5])
np.append(np.arange(3), np.arange(2))
np.append(np.arange(3), np.arange(0))
np.append(np.arange(0), np.arange(2))
np.append(np.arange(3)[::2], 1)
np.append(np.arange(3), np.arange(4)[::2])
np.append(np.arange(3), 2 ** 63)
np.append(np.arange(3), True)
np.append(np.arange(4).reshape(2, 2), 1)
np.vdot(np.arange(3), np.arange(3))
np.vdot(np.arange(3.), np.arange(4.))
np.vdot(np.array([1j, 2]), np.array([1j, 2]))
np.vdot(np.array([True]), np.array([True]))
np.vdot(np.arange(3), np.arange(3.))
np.convolve(np.arange(3), np.arange(2))
np.convolve(np.arange(3.), np.arange(0.))
np.convolve(np.arange(2), np.arange(3), 'valid')
np.convolve(np.array([True, False]), np.array([True]))
np.add.reduce(np.arange(3))
np.add.reduce(np.array([True, True]))
np.add.reduce(np.arange(3), keepdims=True)
np.add.reduce(np.arange(0))
np.multiply.reduce(np.int8([100, 2]))
np.maximum.reduce(np.array([]))
np.maximum.reduce(np.array([1, np.nan]))
np.minimum.reduce(np.array([1j, 2]))
np.minimum.reduce(np.arange(3), axis=1)
np.array(np.arange(3)[::-1]).strides
np.array(np.arange(3), ndmin=2)
np.ascontiguousarray(np.arange(3)[::2]).flags.c_contiguous
np.ascontiguousarray(np.array(1))
(lambda a: np.ascontiguousarray(a) is a)(np.arange(3))
(lambda a: np.array(a) is a)(np.arange(3))
np.atleast_1d(np.arange(3), 2)
np.atleast_1d(3)
np.dot(np.int8([100]), np.int8([2]))
np.dot(np.float16([0.1]), np.float16([3]))
np.dot(np.array([True, False]), np.array([True, True]))
np.dot(np.arange(1024.), np.arange(1024.))
np.dot(np.arange(1025), np.arange(1025))
np.arange(3.)[::-1] @ np.arange(3.)
np.arange(1024.).sum()
np.arange(1025.)[::-1].sum()
np.arange(6)[::2].prod()
np.arange(5).sum(axis=())
np.arange(5).sum(axis=0, keepdims=True)
np.arange(5, dtype='B').max(axis=-1)
"""


class ArrayCalls(ByText):
    def test_small(self):
        self.check(SMALL)

    def test_arrays(self):
        self.check(ARRAYS)

    def test_chapters(self):
        self.check(CHAPTERS)


if __name__ == "__main__":
    unittest.main()
