"""Calls with all their arguments: ufuncs, their methods and their signatures; functions of other chapters."""
import unittest

import numpy

from by_text import ByText, outcome
from differential import nj

UFUNCS = r"""
np.add(np.arange(3)*.5, 0.5, sig='i', casting='unsafe')
np.add(np.arange(3)*.5, 0.5, sig=('i4',), casting='unsafe')
np.add(np.arange(3)*.5, 0.5, sig='ii->i', casting='unsafe')
np.add(np.arange(3), 0.5, sig='d')
np.sin(np.arange(3), sig='d')
np.sin(np.arange(3), sig='f')
np.sin(np.arange(3), sig='d->d')
np.add(3, 4, sig=('f4',))
np.add(3, 4, sig='dd')
np.add(3, 4, sig='dd->dd')
np.add([3], [4], sig=(None, None, None))
np.add(3, 4, signature=(None,))
np.add(3, 4, signature=(None, None))
np.add(3, 4, signature=123.)
np.add(1, 2, sig='ii->i', signature='ii->i')
np.add(1, 2, sig='ii->i', dtype=int)
np.power(1.5, 2.8, dtype=np.intp, casting="unsafe")
np.power(1.5, 2.8, signature=(None, None, np.intp), casting="unsafe")
np.power(1.5, 2.8, dtype=np.intp)
np.add(3., 4., dtype=int)
np.equal(3., 4., dtype=int)
np.equal(3., 4., dtype=bool)
np.equal([3.], [4.], dtype='f4')
np.equal(np.array([3]), 3.0, casting="equiv")
np.add(np.array([3]), 3.0, casting="equiv")
np.add(np.array([3]), 3.0, casting="safe")
np.add(np.array([3.]), 3, casting="safe")
np.add(np.array([3.]), 3, casting="no")
np.add(1, 2, ...)
type(np.add(np.array(1), 2, out=...)) is np.ndarray
np.add(np.array(1), 2, out=...)
np.add.reduce(np.array(1), out=...)
np.add.reduce(np.arange(3), out=...)
np.divmod(np.array(7), 2, out=...)
np.add(1, 2, out=(...,))
np.add(1,2, where=[1])
np.power(np.arange(4).reshape(2, 2) + 2, [2, 3], out=np.ones((2,2),int), where=[[0, 1], [1, 0]])
np.add(1,2, where=np.array([1]))
np.add(np.ones(3), 1, out=np.zeros(3), where=1)
np.add(np.ones(3), 1, out=np.zeros(3), where=0)
np.add(np.ones(3), 1, out=np.zeros(3), where=None)
np.add.reduce(np.ones(3), where=[1,0,1])
np.sum(np.ones(3), where=[1,0,1])
np.vecdot(np.ones((2,3)), np.ones(3), keepdims=True)
np.vecdot(np.ones((2,3)), np.ones((2,1)), axis=0)
np.vecdot(np.arange(6).reshape(2,3), np.arange(2).reshape(2,1), axis=0, keepdims=True)
np.vecdot(np.ones((2,3)), np.ones(3), axes=[np.int8(-1), np.array(-1)])
np.vecdot(np.ones((2,3)), np.ones(3), axes=[-1, -1, ()])
np.vecdot(np.ones((2,3)), np.ones(3), axes=[-1, -1, -1])
np.vecdot(np.ones((2,3)), np.ones(3), axes=[-1, -1, -1], keepdims=True)
np.vecdot(np.ones((2,3)), np.ones(3), axes=[-1, -1, 0], keepdims=True)
np.vecdot(np.ones((2,3)), np.ones(3), axes=-1)
np.vecdot(np.ones((2,3)), np.ones(3), axes=[-1])
np.vecdot(np.ones((2,3)), np.ones(3), axes=[(-1, -1), -1])
np.vecdot(np.ones((2,3)), np.ones(3), axes=[4, -1])
np.vecdot(np.ones((2,3)), np.ones(3), axis=-1, axes=[-1, -1])
np.vecdot(np.ones((2,3)), np.ones(3), axis=5)
np.vecdot(np.ones((2,3)), np.ones(3), axis='a')
np.vecdot(np.ones((2,3)), np.ones(3), keepdims='a')
np.vecdot(np.ones((2,3)), np.ones(3), where=True)
np.vecdot(np.ones((2,3)), np.ones(4))
np.vecdot(np.ones((2,3)), 3)
np.vecdot(3, np.ones((2,3)))
np.vecdot(np.ones((2,3)), np.ones(3), dtype='f4')
np.vecdot(np.ones((2,3)), np.ones(3), dtype='i4')
np.vecdot(np.ones((2,3)), np.ones(3), dtype='i4', casting='unsafe')
np.vecdot(np.ones((2,3)), np.ones(3), sig='ff->f')
np.vecdot(np.ones((2,3)), np.ones(3), np.zeros(2))
np.vecdot(np.ones((2,3)), np.ones(3), out=np.zeros(2, int))
np.matmul(np.ones((2,3)), np.ones((3,2)), keepdims=True)
np.matmul(np.ones((2,3)), np.ones((3,2)), axis=0)
np.matmul(np.ones((2,3)), 3)
np.matmul(3, np.ones((2,3)))
np.matmul(np.ones((2,3)), np.ones((2,3)))
np.matmul(np.ones((2,3)), np.ones((2,3)), axes=[(0,1),(0,1)])
np.matmul(np.ones((2,3)), np.ones((2,3)), axes=[(0,1),(1,0),(1,0)])
np.matmul(np.ones((2,3)), np.ones(3), axes=[(0,1),(0),(0)])
np.matmul(np.ones((3)), np.ones(3), axes=[(0),(0),()])
np.matmul(np.ones((2,3)), np.ones(3), axes=[(0,1),(0)])
np.matmul(np.ones((2,3)), np.ones((3,2)), out=np.zeros((2,3)))
np.matmul(np.ones((2,3)), np.ones((3,2)), dtype='f4').dtype
np.matmul(np.ones((2,3)), np.ones((3,2)), dtype='i4')
np.matmul([[1,2]], [[1],[2]], casting='no')
np.matmul([[1,2]], [[1.],[2]], casting='no')
np.matmul(1)
np.matmul(1, 2, 3, 4)
np.matvec(np.ones((2,3)), np.ones(3)), np.matvec.signature
np.matvec(np.ones((2,3)), np.ones(2))
np.vecmat(np.ones(2), np.ones((2,3))), np.vecmat.signature
np.vecmat(np.ones(2), np.ones(3))
np.matvec(np.ones((2,3)), np.ones(3), axes=[(0,1),0,0])
np.matvec(np.ones((2,3)), np.ones(2), axes=[(1,0),0,0])
np.vecmat(1, np.ones(3))
isinstance(np.matmul, np.ufunc), isinstance(np.divmod, np.ufunc), isinstance(np.add, np.ufunc)
np.matmul.nin, np.matmul.nout, np.matmul.nargs, np.matmul.identity
np.matmul
np.matmul.reduce([1])
np.matmul.outer([1], [2])
np.matmul.accumulate([1])
np.matmul.at(np.ones(2), 0, 1)
np.divmod.reduce([1])
np.divmod.accumulate([1])
np.divmod.at(np.ones(2), 0, 1)
np.divmod.outer([7,8], [2,3])
np.sin.reduce([1])
np.sin.at([1], 0)
np.sin.outer([1], 0)
np.ufunc()
__import__('inspect').signature(np.add)
__import__('inspect').signature(np.sin)
__import__('inspect').signature(np.divmod)
__import__('inspect').signature(np.frexp)
__import__('inspect').signature(np.matmul)
__import__('inspect').signature(np.vecdot)
np.add.at([1,2,3], [0], 1)
(lambda a: (np.add.at(a, [0, 0, 2], 1), a)[1])(np.arange(4))
(lambda a: (np.negative.at(a, [0, 1, 1]), a)[1])(np.arange(4))
(lambda a: (np.add.at(a, [0, 0, 2], 1.5), a)[1])(np.arange(4))
(lambda a: (np.divide.at(a, [0, 1], 2), a)[1])(np.arange(4))
(lambda a: (np.divide.at(a, np.array([0, 1]), np.array([2,2])), a)[1])(np.arange(4))
(lambda a: (np.power.at(a, [1, 2], 2.0), a)[1])(np.arange(4))
(lambda a: (np.equal.at(a, [0, 1], 0), a)[1])(np.arange(4))
(lambda a: (np.add.at(a, [], 0), a)[1])(np.arange(4))
(lambda a: (np.add.at(a, [9], 0), a)[1])(np.arange(4))
(lambda a: (np.add.at(a, [0], [1,2]), a)[1])(np.arange(4))
(lambda a: (np.add.at(a, [0]), a)[1])(np.arange(4))
(lambda a: (np.negative.at(a, [0], 1), a)[1])(np.arange(4))
(lambda a: (np.add.at(a, (slice(None), [0,0]), 1), a)[1])(np.zeros((2,2)))
(lambda a: (np.add.at(a, np.array([True,False,True]), 1), a)[1])(np.zeros(3))
(lambda a: (np.add.at(a, 1, 1), a)[1])(np.zeros(3))
(lambda a: (np.add.at(a, (), 1), a)[1])(np.array(3.))
(lambda a: (np.add.at(a, ..., 1), a)[1])(np.array([3.]))
(lambda a: (np.sqrt.at(a, [0]), a)[1])(np.array([4]))
(lambda a: (np.modf.at(a, [0]), a)[1])(np.array([4.]))
(lambda a: (np.invert.at(a, [0]), a)[1])(np.array([4.]))
(lambda a: (np.greater.at(a, [0], 3), a)[1])(np.array([4.]))
(lambda a: (np.maximum.at(a, [0, 0, 1], [7, 3, 9]), a)[1])(np.array([4, 5], 'i1'))
(lambda a: (np.multiply.at(a, [0, 0], 2+1j), a)[1])(np.array([4., 5]))
(lambda a: (np.subtract.at(a, [0, 0, 1], 3), a)[1])(np.array([2, 5, 6], 'u4'))
(lambda a: (np.subtract.at(a, [True, True], 1), a)[1])(np.array([True, True]))
(lambda a: (np.add.at(a, np.arange(2), np.ones((3,2))), a)[1])(np.zeros(3))
(lambda a: (np.add.at(a, [[0,1],[0,2]], [10,20]), a)[1])(np.zeros(3))
np.add.reduce([[1,2],[3,4]], axis=(0,0))
np.add.reduce([[1,2],[3,4]], axis=2)
np.add.reduce(1, axis=1)
np.add.reduce([1,2], keepdims=3)
np.add.reduce([1,2], dtype='i1', out=np.zeros((), 'f4'))
np.add.reduce([1,2], 0, None, None, True)
np.minimum.reduce([])
np.minimum.reduce([], initial=3)
np.minimum.reduce(np.ones((0,2)))
np.minimum.reduce(np.ones((2,0)))
np.minimum.reduce(np.ones((2,0)), axis=1)
np.subtract.reduce(np.ones((2,2)), axis=(0,1))
np.add.accumulate([[1,2],[3,4]], axis=1, dtype='f4')
np.add.accumulate([[1,2],[3,4]], axis=(0,))
np.add.accumulate([[1,2],[3,4]], axis=None)
np.add.accumulate([[1,2],[3,4]], axis=2)
np.add.accumulate(1)
np.sin.accumulate([1])
np.equal.accumulate([1,2])
np.add.reduceat(np.arange(8), [0,4,1,5,2,6,3,7])
np.add.reduceat(np.arange(8), [0,9])
np.add.reduceat(np.arange(8), [0,1.5])
np.add.reduceat(np.arange(8), [])
np.add.reduceat(np.arange(8), 3)
np.add.reduceat(np.eye(3), [0,1], axis=1, dtype='i4')
np.add.outer([1,2],[3,4], dtype='f4')
np.add.outer([1,2],[3,4], out=np.zeros((2,2)))
np.add.outer([1,2])
np.ldexp(np.float32(1.), np.int_(2), dtype="d").dtype
np.ldexp(np.float32(1.), np.int_(2), signature=(None, None, "d")).dtype
np.ldexp(1., np.uint64(3), dtype="d")
np.frexp([1.,3.], sig='d->di')
np.modf([1.5], casting='foo')
np.divmod([7],[2], dtype='f4')
np.divmod([7.5],[2], dtype='i4')
np.divmod([7.5],[2], dtype='i4', casting='unsafe')
np.divmod([7],[2], where=[False], out=(np.zeros(1,int), np.ones(1,int)))
np.divmod([7],[2], np.zeros(1,int))
np.divmod([7],[2], out=np.zeros(1,int))
np.divmod([7],[2], out=(np.zeros(1,int),))
np.divmod([7],[2], foo=1)
np.divmod(1)
np.add(1, 2, foo=1)
np.add(np.ones((5,4,3)), 1, out=np.zeros(1))
np.add.resolve_dtypes((np.dtype('f4'), int, None))
np.add.resolve_dtypes((np.dtype('f4'), np.dtype('f8'), None))
np.add.resolve_dtypes((np.dtype('i4'), np.dtype('f8'), None))
np.equal.resolve_dtypes((np.dtype('i4'), np.dtype('i8'), None))
np.add.resolve_dtypes((None, np.dtype('i2'), None), reduction=True)
np.add.resolve_dtypes((np.dtype('f4'), np.dtype('f8'), np.dtype('f4')))
np.add.resolve_dtypes((np.dtype('f4'), np.dtype('f8')))
np.add.resolve_dtypes((np.dtype('f4'), np.dtype('f8'), np.dtype('i4')))
np.sqrt.resolve_dtypes((np.dtype('i4'), None))
np.sqrt.resolve_dtypes((np.dtype('i4'), None), signature=(np.dtype('f4'), None))
np.add.resolve_dtypes((np.dtype('f4'), float, None), casting='safe')
"""

FUNCTIONS = r"""
np.resize(np.array([[23, 95], [66, 37]]), np.int32(3))
np.size(np.ones((2,3,4)), (0,1))
np.size(np.ones((2,3,4)), ())
(np.True_ | np.True_) is np.True_
(np.array([1]) == 1).all() is np.True_
np.isclose(np.inf, -np.inf) is np.False_
np.can_cast('i4', None)
np.can_cast(None, 'i4')
np.isclose(np.float32(1), 2, atol=0, rtol=(1-2.220446049250313e-16)/2)
np.isclose(np.array(1-2.220446049250313e-16,'f4'), 2, atol=0, rtol=(1-2.220446049250313e-16)/2)
np.isclose(np.array(1-2.220446049250313e-16,'f4'), 1-2.220446049250313e-16, atol=0, rtol=0)
np.correlate(np.ones(100), np.ones(3), mode=-1)
np.correlate(np.ones(5), np.ones(3), mode=1)
np.correlate(np.ones(5), np.ones(3), mode=None)
np.convolve(np.ones(5), np.ones(3), mode=None)
np.convolve(np.ones(5), np.ones(3), mode=-1)
np.convolve(np.ones(5), np.ones(3), mode='a')
np.correlate(np.ones(5), np.ones(3), mode='')
np.convolve(np.ones(5), np.ones(3), mode=7)
np.ones(3).flags == np.ones(3).flags
np.ones(3).flags == np.ones((2,2)).T.flags
np.ones(3).flags.fortran
np.ones(3).flags['FORTRAN']
np.ones(3).flags['FNC']
np.ones(3).flags['FORC']
np.ones(3).flags['B']
np.ones(3).flags['BEHAVED']
np.ones(3).flags['CA']
np.ones(3).flags['FA']
np.ones(3).flags['CARRAY'], np.ones(3).flags['FARRAY']
np.ones(3).flags['X']
np.ones(3).flags['WRITEBACKIFCOPY']
np.ones(3).flags['c_contiguous']
np.ones(3).flags['Q']
np.ones(3).flags['CONTIGUOUS']
np.ones(3).flags.num
np.ones((2,2)).T.flags.num
np.ones((2,3))[:, 1:].flags.num
np.require(np.ones(3), None, 'Q')
np.require(np.ones(3), None, ['C','F'])
np.require(np.ones(3), None, ['CONTIGUOUS']).flags.c_contiguous
np.require(np.ones((2,2)), None, ['FORTRAN']).flags.f_contiguous
np.require(np.ones((2,2)), None, 'F_CONTIGUOUS').flags
np.frombuffer(b'x'*9, 'u1')[1:].view('f8').flags.aligned
np.frombuffer(b'x'*9, 'u1')[:8].view('f8').flags.aligned
np.frombuffer(bytearray(9), 'f8', offset=1).flags
np.require(np.frombuffer(bytearray(9), 'f8', offset=1), None, 'A').flags.aligned
np.broadcast(np.arange(3), x=1)
np.can_cast('i4', 'i8', 'foo')
np.fromiter([1, None, 3], dtype=int)
np.fromiter([[1,2]], dtype=int)
np.float16(6e-8) * np.float16(0.5)
np.equal.reduce(np.array([True, False])) is np.False_
np.hypot(1)
np.hypot()
np.hypot(1,2,3,4)
np.sin()
np.sin(1,2,3)
np.add(1)
np.lcm.reduce([2**62, 3])
np.add.__doc__.split(chr(10))[0]
np.add.__name__, np.add.__qualname__
np.insert(np.ones((3,3)), 2, np.arange(3), axis=1)
np.insert(np.ones((3,3)), [1,1,1], [1,2,3], axis=1)
np.insert(np.ones((3,3)), [1,2], [1,2], axis=1)
np.insert(np.ones((3,3)), [[1],[2]], [[1],[2]], axis=0)
np.insert(np.zeros((3,3)), [2], [[1,2,3]], axis=1)
np.insert(np.zeros((3,3)), [2], [1,2,3], axis=1)
np.insert([0,1,2], np.array([1.0, 2.0]), [10, 20])
np.insert([0,1,2], 1.0, 10)
np.insert(np.array([0, 1, 2]), np.array([], dtype=float), [])
np.diff(np.arange(3), n=-1)
np.diff([1,2,3], n=10)
np.diff([1,2,3], n=0)
np.diff([[1,2,3]], n=3).shape
np.gradient(np.arange(5.), axis=3)
np.gradient(np.arange(5.), np.ones(3))
np.gradient(np.eye(3), 1., axis=0, edge_order=3)
np.gradient(np.eye(3), np.array([1,2,3]), np.array([1,2]))
np.gradient([[1.,2],[3,4]], 1, 2, 3)
np.gradient([[1.,2],[3,4]], foo=3)
np.gradient([1.,2],  np.ones((2,2)))
np.gradient([1.], 2)
np.gradient([1.,2.], edge_order=2)
np.place([1, 2, 3], [True, False], [0, 1])
np.digitize([1,2,3+1j], [1,2,3])
np.digitize([1,2,3], [1,2,3+1j])
np.cov([[1,2,3],[4,5,6]], fweights=[1,2])
np.cov([[1,2,3],[4,5,6]], fweights=[[1,2,3],[1,2,3]])
np.cov([[1,2,3],[4,5,6]], fweights=[1,2.5,3])
np.cov([[1,2,3],[4,5,6]], fweights=[1,-2,3])
np.cov([[1,2,3],[4,5,6]], aweights=[1,2])
np.cov([[1,2,3],[4,5,6]], aweights=[[1,2,3],[1,2,3]])
np.cov([[1,2,3],[4,5,6]], aweights=[1,-2,3])
np.cov([[1,2,3],[4,5,6]], ddof=1.5)
np.cov(np.ones((3,1)), ddof=0)
np.cov(np.ones((3,1)), ddof=0, rowvar=False)
np.cov(np.ones((1,3)), ddof=0)
np.cov(np.ones((3,1)), rowvar=False)
np.cov([])
np.cov(np.ones((0,2)))
np.cov(np.ones((2,2,2)))
np.corrcoef(np.ones((3,1)))
np.piecewise([0, 0], [True, False], [1])
np.piecewise([0, 0], [[True, False]], [1])
np.piecewise([0, 0], [True, False], [lambda x: -1])
np.piecewise([0, 0], [[True, False], [False, True]], [1])
np.piecewise([1, 2, 3], [True, False, True], [1])
np.piecewise([1, 2, 3], [[True, False, True]], [1, 2, 3])
np.piecewise([0, 1], [[[True, False]]], [1])
np.piecewise(3, True, [4, lambda x: 0])
np.piecewise(3, [True], [4, 0])
np.piecewise(3, [False, True], [4, 5])
np.piecewise(np.array(3), np.array(3) > 1, [4, 0])
np.piecewise(np.array(3), [np.array(3) > 1, np.array(3)<2], [4, 0, 7])
np.piecewise(4, [4>3, 4<2], [lambda x: x*2, 0])
np.piecewise(np.array([1,2.]), [np.array([True, False])], [5])
np.piecewise(1, [], [2])
np.piecewise([1,2], [False, False], [0, 1])
np.percentile([1,2,3,4.0], np.nan)
np.percentile([1,2,3,4.0], [50, np.nan])
np.quantile([1,2,3,4.0], [0.5, np.nan])
np.quantile([1,2,3,4.0], np.nan)
np.quantile(np.float32([1,2,3]), np.float64(0.4), method='midpoint').dtype
np.quantile(np.float32([1,2,3]), np.float64(0.4), method='averaged_inverted_cdf').dtype
np.quantile(np.float32([1,2,3]), np.float64(0.4), method='linear').dtype
np.quantile(np.float32([1,2,3]), np.float64(0.4), method='nearest').dtype
np.quantile(np.float32([1,2,3]), np.float64(0.4), method='inverted_cdf').dtype
np.quantile(np.float32([1,2,3]), 0.4, method='midpoint').dtype
np.quantile(np.float32([1,2,3]), np.array([0.4]), method='weibull').dtype
np.quantile(np.float32([1,2,3]), np.array([0.4]), method='closest_observation').dtype
np.quantile(np.float16([1,2,3]), np.float32([0.4]), method='midpoint').dtype
np.quantile(np.float16([1,2,3]), np.float32([0.4]), method='interpolated_inverted_cdf').dtype
np.quantile(np.array([1,2,3], 'i1'), np.float32([0.4]), method='lower').dtype
np.quantile(np.array([1,2,3], 'i1'), np.float32([0.4]), method='midpoint').dtype
np.quantile([True, False, True], 0.3)
np.quantile([True, False, True], 0.3, method='lower')
np.quantile([True, False, True], 0.3, method='inverted_cdf')
np.quantile([True, False, True, False], 0.5, method='midpoint')
np.percentile([True, False, True], 30, method='averaged_inverted_cdf')
np.median([True, False])
np.quantile(np.array([1,2,3]), [0.1,0.5], weights=[1,2,3], method='inverted_cdf')
np.quantile(np.array([[1,2,3],[4,5,6]]), [0.1,0.5], weights=[1,2,3], method='inverted_cdf', axis=1)
np.quantile(np.array([[1,2,3],[4,5,6]]), 0.5, weights=[[1,2,3],[3,2,1]], method='inverted_cdf', axis=0)
np.quantile(np.array([[1,2,3],[4,5,6]]), [[0.5,.2]], weights=[1,1], method='inverted_cdf', axis=0)
np.quantile(np.array([[1,2,3],[4,5,6]]), 0.5, weights=[1,1], method='inverted_cdf', axis=0, keepdims=True)
np.percentile(np.array([[1,2,3],[4,5,6]]), 50, weights=[1,1], method='inverted_cdf', axis=0)
np.quantile([1,2,3], 0.5, weights=[1,2], method='inverted_cdf')
np.quantile([1,2,3], 0.5, weights=[1,2,-3], method='inverted_cdf')
np.quantile([1,2,3], 0.5, weights=[1,2,3])
np.quantile([1,2,3], 0.5, weights=[0,0,0], method='inverted_cdf')
np.quantile(np.array([1,2,np.nan]), 0.5, weights=[1,2,3], method='inverted_cdf')
np.median(np.ones((0,3)), axis=0)
np.median([])
np.median(np.ones((3,0)), axis=1)
np.dtype('i4') < np.dtype('i8')
np.dtype('i8') < np.dtype('i4')
np.dtype('i4') <= np.dtype('i4')
np.dtype('i4') < np.dtype('i4')
np.dtype('i4') >= 'i2'
np.dtype('f4') > np.dtype('i2')
np.dtype('i4') < None
np.dtype('f8') == None
np.dtype('f8') == 'f8'
np.dtype('f8') > float
np.fft.fftn(np.ones((2,3)), s=(2, None), axes=(0,1)).shape
np.fft.fftn(np.ones((2,3)), s=(2, -1), axes=(0,1)).shape
np.fft.rfftn(np.ones((2,3)), s=(-1, 4), axes=(0,1)).shape
np.fft.fftn(np.ones((2,3)), s=(2,))
np.fft.rfftn(np.ones((4,4)), s=(4,4), axes=(0,1), out=np.zeros((4,3), complex)).shape
np.fft.fft(np.ones(3), 0)
np.fft.fft(np.ones(3), -1)
np.fft.fft(np.ones(3), norm='foo')
np.fft.fft(np.ones(3), out=np.zeros(3))
np.fft.fft(np.ones(3), out=np.zeros(4, complex))
np.fft.irfft(np.ones(3), out=np.zeros(4))
np.fft.fft(np.ones(3,'f2')).dtype
np.fft.fft(np.ones((2,3)), axis=5)
np.fft.fft(1)
np.fft.fftfreq(2.5)
np.fft.fftfreq(4, 0.5, device='cpu')
np.fft.fftshift(np.arange(6).reshape(2,3), axes=1)
np.einsum("", 0, casting='blah')
np.einsum("", 0, order='W')
np.einsum("", 0, out='test')
np.einsum('i,i->', np.ones(7), np.ones(7), out=np.array(0), optimize=True, casting='unsafe')
np.einsum('...ft,mf->...mt', np.ones((2,3,5),order='F'), np.ones((4,3),order='F'), order='a', optimize=True).flags.f_contiguous
np.einsum('...ft,mf->...mt', np.ones((2,3,5),order='F'), np.ones((4,3),order='F'), order='F', optimize=False).flags.f_contiguous
np.einsum('...ft,mf->...mt', np.ones((2,3,5),order='F'), np.ones((4,3),order='C'), order='a', optimize=False).flags.f_contiguous
np.einsum('...ft,mf->...mt', np.ones((2,3,5),order='F'), np.ones((4,3),order='F'), order='C', optimize=False).flags.f_contiguous
np.einsum('ij->j', [np.arange(3), np.arange(3)], casting='same_value')
np.random.default_rng(1).integers(-1, 2**64)
np.random.default_rng(1).integers(2**64+1)
np.random.default_rng(1).integers(0, 2**70)
np.random.default_rng(1).integers(-2**64, 2)
np.random.default_rng(1).integers(0, 256, dtype='u1', endpoint=True)
np.random.default_rng(1).integers(-1, 2, dtype='u1')
np.random.default_rng(1).integers(3, 3)
np.random.default_rng(1).integers([1,2],[2**64, 3])
np.random.default_rng(1).integers(2**63, 2**64, dtype='u8')
np.random.default_rng(1).multivariate_hypergeometric([1,2,3], 7)
np.random.default_rng(1).multivariate_hypergeometric([2**40]*3, 7)
np.random.default_rng(1).multivariate_hypergeometric([10,10], 20, method='count')
np.random.default_rng(1).multivariate_hypergeometric([10**9,10], 10, method='marginals')
np.random.default_rng(1).multivariate_hypergeometric([10**9,10], 10**9)
np.random.default_rng(1).multivariate_hypergeometric([2**62,10], 10)
np.array([1.5, 2.]).astype(int, casting='same_value')
np.array([1., 2.]).astype(int, casting='same_value')
np.array([300]).astype('u1', casting='same_value')
np.int8(127).astype(int)
np.float16(1)+np.float64(2)
1 + type('f', (float,), {})(2) + np.float16(1)
np.float16(1) + type('f', (float,), {})(2)
type('f', (float,), {})(2) + np.float16(1)
np.float16(1) + type('f', (int,), {})(2)
np.ones(2,'f2') + type('f', (float,), {})(2)
np.ones(2,'i1') + type('f', (int,), {})(2)
np.ones(2,'f4') + True
np.int8(1) + True
np.quantile(True, False)
np.quantile([False, True, True], np.array([False, True, True]))
np.roots([1, -3, 2])
np.asarray(np.True_)
np.asarray(np.True_).flags.writeable
np.array(np.True_)
np.atleast_1d(np.True_).flags.writeable
(lambda a: (a.__setitem__(0, False), np.True_)[1])(np.atleast_1d(np.True_))
np.True_ + np.True_
np.float64(3).flags.writeable
np.ones(3).flags['W']
np.einsum_path('ij,jk', np.ones((2,2)), np.ones((2,2)))[0]
np.linalg.matmul([[1,2]], [[1],[2]])
np.linalg.vecdot([[1,2]], [1,2], axis=-1)
"""


class Calls(ByText):
    def test_ufuncs(self):
        self.check(UFUNCS)

    def test_functions(self):
        self.check(FUNCTIONS)

    def test_division_of_integers_under_errstate(self):
        with nj.errstate(all="raise"), numpy.errstate(all="raise"):
            for expression in ("np.array([-128], 'i1') // -1", "np.array([-128, 3], 'i1') // np.array([1, -1], 'i1')", "np.array([-128], 'i1') % -1",
                               "np.array([], int) // 0", "np.array([1]) // np.array([], int)", "np.array([5, 6]) // [1, 0]", "np.array([3]) % 0",
                               "np.array([-128], 'i2') // -1", "np.array([-2**63]) // -1", "np.array([128], 'u1') // 255", "-np.array([-128], 'i1')"):
                self.assertEqual(outcome(expression, nj), outcome(expression, numpy), expression)


if __name__ == "__main__":
    unittest.main()
