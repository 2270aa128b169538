"""Expressions that mean the same in both libraries: results by their text, errors by class and text."""
import os
import subprocess
import sys
import unittest

from by_text import ByText

INDEX_TRICKS = """
np.mgrid[0:3, 0:2]
np.mgrid[0:3.5:0.5, 0:2]
np.mgrid[-1:1:5j, -2:2:3j]
np.mgrid[-1:1:5j]
np.mgrid[np.float32(0.1):np.float32(0.33):np.float32(0.1)]
np.mgrid[np.float32(0.1):np.float32(0.33):np.float32(0.1),]
np.mgrid[:5, 1:3:np.int8(1)].dtype
np.mgrid[0:1:np.complex64(3j)]
np.mgrid[0:1:.1, 0:1:3j]
np.mgrid[3:0, 0:2]
np.mgrid[10:0:-3, 0:2]
np.ogrid[0:3, 0:2.5:.5]
np.ogrid[0:2:5j, 0:2]
np.ogrid[0:5]
np.r_[0:5:3j]
np.r_['0,2', [1, 2], [3, 4]]
np.r_[[1, 2], '-1']
np.ix_(np.array([], dtype='f4'))
np.ix_([], [1])
np.ix_([[1]])
np.ix_(np.array([True, False]), [1, 2])
np.ndindex((2, 3.0))
np.ndindex(-1)
np.ravel_multi_index(([], []), (3, 4))
np.ravel_multi_index((5, 1), (3, 4), mode=('wrap', 'clip', 'raise'))
np.ravel_multi_index(np.array([[3, 6, 6], [4, 5, 1]]), (7, 6), order='F')
np.ravel_multi_index(([1.], [1]), (3, 4))
np.unravel_index([], (10, 3, 5))
np.unravel_index(np.array([]), (10, 3, 5))
np.unravel_index(np.array([], dtype=int), (10, 3, 5))
np.unravel_index([0, 0], ())
np.unravel_index(0, ())
np.unravel_index([1.5], (3, 4))
np.unravel_index([1, 20], (3, 4))
np.unravel_index(np.int8(4), (3, 4))
np.arange(3)[10 ** 30]
np.arange(3)[-10 ** 30]
"""

FLAT = """
np.arange(9).reshape(3, 3).flat[True]
np.arange(9).reshape(3, 3).flat[False]
np.arange(9).reshape(3, 3).flat[np.True_]
np.arange(9).reshape(3, 3).flat[np.False_]
np.arange(9).reshape(3, 3).flat[np.array(True)]
np.arange(9).reshape(3, 3).flat[np.array(False)]
(lambda a: (a.flat.__setitem__(np.array(True), 7), a))(np.arange(4))
(lambda a: (a.flat.__setitem__(np.True_, 7), a))(np.arange(4))
np.arange(9).reshape(3, 3).flat[[True, True]]
np.arange(9).reshape(3, 3).flat[[True, 1]]
np.arange(9).reshape(3, 3).flat[None]
np.arange(9).reshape(3, 3).flat[1, 2]
np.arange(9).reshape(3, 3).flat[1,]
np.arange(9).reshape(3, 3).flat[..., 1]
np.arange(9).reshape(3, 3).flat['']
np.arange(9).reshape(3, 3).flat[-10]
np.arange(9).reshape(3, 3).flat[np.array([1.])]
np.arange(9).reshape(3, 3).flat[[1., 2.]]
np.arange(9).reshape(3, 3).flat[np.zeros(10, bool)]
np.arange(9).reshape(3, 3).flat[np.ones((3, 3), bool)]
np.arange(9).reshape(3, 3).flat[[[1, 2], [3, 4]]]
np.arange(9).reshape(3, 3).flat[np.array(3)]
np.arange(9).reshape(3, 3).flat[::-2]
np.arange(9).reshape(3, 3).T.flat[...]
(lambda f: (f.coords, f.index, next(f), next(f), f.coords, f.index, len(f), iter(f) is f, list(f)))(np.arange(6).reshape(2, 3).flat)
(lambda a: (a.flat.__setitem__(slice(None, None, 2), [7, 8]), a))(np.arange(9).reshape(3, 3).T)
(lambda a: (a.flat.__setitem__([0, 1, 2], 5), a))(np.arange(9).reshape(3, 3))
(lambda a: a.flat.__setitem__(0, [5, 6]))(np.arange(9).reshape(3, 3))
(lambda a: (setattr(a, 'flat', [1, 2]), a))(np.arange(9).reshape(3, 3))
np.arange(4).flat == np.array([0, 1, 5, 3])
type(np.arange(3).flat).__name__
"""

MEMORY_ORDER = """
np.array(np.arange(6).reshape(2, 3).T).strides
np.array(np.arange(6).reshape(2, 3).T, order='A').strides
np.array(np.arange(6).reshape(2, 3).T, order='C').strides
np.array(np.arange(24).reshape(2, 3, 4).transpose(1, 2, 0)).strides
np.array(np.arange(24).reshape(2, 3, 4)[::-1].transpose(1, 2, 0), np.float32).strides
np.array(np.arange(6).reshape(2, 3).T).flags.owndata
np.array([[1, 2], [3, 4]], order='F').flags
np.array(np.arange(6).reshape(2, 3).T)
np.asarray(np.arange(6).reshape(2, 3).T, np.float32).strides
np.asarray(np.arange(6).reshape(2, 3), order='F').flags.owndata
np.copy(np.arange(6).reshape(2, 3).T).strides
np.copy(np.arange(6).reshape(2, 3).T, 'C').strides
np.arange(6).reshape(2, 3).T.copy().strides
np.arange(6).reshape(2, 3).T.copy('K').strides
np.arange(6).reshape(2, 3).copy('F')
np.arange(6).reshape(2, 3).T.astype(np.float32).strides
np.arange(6).reshape(2, 3).T.astype(np.float32, 'C').strides
np.arange(6).reshape(2, 3).astype(np.float32, 'F').strides
np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1).astype(np.int8).strides
np.broadcast_to(np.arange(3), (2, 3)).copy('K').strides
np.zeros_like(np.ones((2, 3)).T).strides
np.zeros_like(np.ones((2, 3)).T, order='C').strides
np.ones_like(np.ones((2, 3)), order='F').strides
np.empty_like(np.ones((2, 3, 4)).transpose(1, 0, 2)).strides
np.full_like(np.ones((2, 3)).T, [7, 8])
np.full_like(np.ones((2, 3)).T, 7, shape=(4, 5)).strides
np.zeros_like(np.ones((2, 3)).T, shape=(4, 5, 6)).strides
np.array([1, 2], order='X')
np.arange(6).reshape(2, 3).T.flatten('K')
np.arange(6).reshape(2, 3).T.ravel('A')
"""

ARGUMENTS = """
np.interp(0.5, [np.nan, 1], [0, 10]), np.interp(0.5, [0, np.nan], [0, 10]), np.interp(np.linspace(-1, 2, 5), [0, .2, np.nan, 1], [3, 0, 1, 2]), np.interp(np.linspace(-1, 2, 5), [np.nan] * 4, [3, 0, 1, 2]), np.interp([-1, 0, .5, 2], [0, 1], [0, 10j], left=-5, right=7)
np.modf(2.5), np.modf(np.float32(-2.5)), np.modf([1.5, -0.0, np.inf, np.nan]), np.modf(3), np.modf(np.array([1, 2], 'i1'))
np.frexp(8), np.frexp([0.1, 0., np.inf, 5e-324]), np.frexp(np.array([3, 4], 'i2'))
np.spacing(1), np.spacing(np.array([1, -2, 0], 'i1')), np.spacing([1., -1., 0., np.inf]), np.spacing(np.array([1, -1, 65504], 'f2')), np.spacing(True)
np.ldexp(1, 3), np.ldexp(2.5, [1, 2, -1080]), np.ldexp([1., 3.], -1), np.ldexp(np.array([1, 2]), np.array([3, 4], 'i1')), np.ldexp(np.float16(1), 20), np.ldexp([0.1, 3.], [[1], [2]])
np.ldexp(1., 2.)
np.divmod([7, -7], [2, 2]), np.divmod(7.5, 2), np.divmod(np.array([200], 'u1'), 7), np.divmod([1., -1.], 0.)
np.divmod(np.array([1], 'u1'), 300)
np.divmod(1j, 2)
np.vecdot([1, 2, 3], [4, 5, 6]), np.vecdot([1j, 2], [3, 4j]), np.vecdot([True, False], [True, True]), np.vecdot(np.ones((2, 3)), np.arange(3.)), np.vecdot(np.ones((2, 3), 'f4'), np.ones((2, 3), 'f4'))
np.vecdot([1, 2], [1, 2, 3])
np.matvec(np.eye(2), [1., 2.]), np.vecmat([1j, 2], np.array([[1, 2], [3, 4j]])), np.matmul([1, 2], [3, 4]), np.matmul([[1, 2]], [[3], [4]])
np.modf([1.5, 2.5], out=(np.zeros(2), np.zeros(2))), np.modf([1.5], np.zeros(1)), np.spacing([1., 2.], out=np.zeros(2)), np.divmod([7., 8.], 3., out=(np.zeros(2, 'f4'), np.zeros(2)))
np.modf([1.5], out=np.zeros(1))
np.vecdot([1., 2.], [3., 4.], out=np.zeros(())), np.matmul(np.eye(2), np.ones((2, 2)), out=np.zeros((2, 2)))
np.nan_to_num(np.nan), np.nan_to_num(3), np.nan_to_num(np.array([np.inf, 1j * np.nan])), np.nan_to_num(np.float32(np.inf)), np.nan_to_num(np.array(1.5))
np.sin(0.5), np.add(1, 2), np.add(np.uint8(200), np.uint8(100)), np.power(2, 3), np.maximum(np.float32(1), 2.5), np.equal(1, 1.0), np.negative(np.int8(-128))
np.add(np.uint8(200), 300)
np.unpackbits(np.array([1, 200, 255], 'u1')), np.unpackbits(np.array([1, 2], 'u1'), bitorder='little'), np.unpackbits(np.array([[1], [2]], 'u1'), axis=0), np.unpackbits(np.array([7, 9], 'u1'), count=11), np.unpackbits(np.array([7], 'u1'), count=-3), np.unpackbits(np.array([7], 'u1'), count=12)
np.trim_zeros([0, 1, 0, 2, 0]), np.trim_zeros(np.array([0., 0., 3.]), 'b'), np.trim_zeros(np.zeros(3)), np.trim_zeros((0, 1)), np.trim_zeros(np.array([[0, 0], [0, 1]])), np.trim_zeros(np.zeros((2, 2))), np.trim_zeros(np.array([0, 1, 0]), 'f')
np.convolve(np.arange(9000) % 7, [1, -2, 3, 4]).sum(), np.convolve(np.arange(9000) % 7, np.arange(50), 'same')[[0, 1, 4500, -1]], np.convolve(np.arange(9000) % 7, np.arange(50), 'valid')[[0, 1, 4500, -1]], np.correlate(np.arange(50) % 3 + 1j, np.arange(9000), 'full')[[0, 1, 4500, -1]], np.convolve(np.arange(9000) % 3 == 0, np.arange(20) > 10)[:13]
np.zeros((True, 2))
np.zeros(True)
np.ones((2, 3)).sum(axis=True)
np.ones((2, 3)).transpose(True, False)
np.arange(6).reshape((2, True))
np.broadcast_to(1, (True, 2))
[1, 2] * np.int64(2)
np.uint8(2) * 'ab'
np.float64(2) * [1, 2]
(1,) * np.float64(2)
[1, 2] * np.True_
np.complex128(2) * [1]
np.array([1, 2]) * [1, 2]
np.int64(2) * range(3)
np.array([1, 2, 3]) + range(3)
np.histogramdd(np.array([[1, 2], [3, 4]]), bins=[np.array([0, 2, 4]), np.array([0, 3, 5])])
np.histogramdd(np.ones((3, 2)), bins=(2.0, 3))
np.histogramdd(np.ones((3, 2)), bins=(2, [[1]]))
np.histogramdd(np.ones((3, 2)), bins=(0, 1))
np.histogramdd(np.ones((3, 2)), bins=([3, 1], 1))
np.histogramdd(np.ones((3, 2)), range=[(0, 1)])
np.histogramdd(np.ones((3, 2)), bins=3, weights=[1, 2])
np.histogramdd(np.ones((3, 2)), bins=2, weights=[1j, 2, 3])
np.histogram2d([1, 2], [1, 2], bins=[[1, 2, 3], 2])
np.histogram([1, 2, 2.5], bins=2, weights=[1 + 2j, 2, 3])
"""

REARRANGED = """
np.trapezoid([1, 2], [[1, 2], [3, 4]])
np.trapezoid([[1, 2], [3, 4]], [[1, 2], [3, 5]], axis=0)
np.trapezoid([[1, 2], [3, 4]], [1, 3], axis=0)
np.hanning(2.5)
np.hamming(3.2)
np.blackman(3.5)
np.bartlett(4.5)
np.kaiser(3.5, 2.)
np.bincount([1.5])
np.bincount([0, 1], weights=np.array([1j, 2]))
np.delete([1, 2, 3], [True, False])
np.delete([1, 2, 3], 1.0)
np.delete([1, 2, 3], [])
np.delete([1, 2, 3], [True, False, True])
np.block([[[1]], [2]])
np.block([[1, 2], [3]])
np.block([[1], 2])
np.block((1, 2))
np.block([[1], [[2]]])
np.block([[], []])
np.block([[1, 2], [3, 4]])
np.block([1, [2]])
np.block([[1], []])
np.block([[[1]], [[]]])
np.block([[np.ones((2, 2)), np.zeros((2, 1))], [np.zeros((1, 3))]])
np.block([[np.ones((2, 3, 2))], [np.ones((2, 1, 2))]]).shape
np.block([np.ones((2, 2)), np.ones(3)])
np.block([[1.5, 2j], [3, True]])
np.block([[1, (2, 3)]])
np.block(3), np.block([]).shape
np.astype([1, 2], 'f4')
np.astype(np.ones(2), 'i4', copy=False), np.astype(np.float64(3), 'f4')
(lambda a: np.astype(a, 'f8', copy=False) is a)(np.ones(2))
np.isfortran(np.ones((2, 3)).T), np.isfortran(np.ones(3))
np.broadcast_shapes((-1,))
np.broadcast_shapes((2 ** 40, 1, 0), (1, 2 ** 40, 1))
np.broadcast_shapes((0, 2 ** 40, 1), (1, 1, 2 ** 40))
np.unique_all([np.nan, 1., np.nan])
np.mask_indices(3, np.triu, 1), np.mask_indices(2, lambda m, k: m * k, 0)
np.mask_indices(2.5, np.triu)
np.apply_over_axes(np.sum, np.arange(24).reshape(2, 3, 4), [0, -1])
np.apply_over_axes(lambda a, axis: a * 2, np.ones((2, 2)), np.array([0, 1]))
np.apply_over_axes(lambda a, axis: a[0, 0], np.ones((2, 2, 2)), 0)
np.apply_over_axes(lambda a, axis: 1 / 0, np.ones((2, 2, 2)), 0)
np.apply_over_axes(np.sum, np.ones((2, 2)), 5)
str(np.poly1d([1.5, 0, -2j, 3 + 1e-7j])), str(np.poly1d([0])), str(np.poly1d([1, -1, 0], variable='y'))
str(np.poly1d(np.arange(1, 25) * 1.25)), str(np.poly1d([np.nan, np.inf]))
np.unique_inverse([[3, 1], [1, 2]])
np.histogram2d([1.0, 1.0 + 2 ** -52], [1, 2], 10)[0].sum()
np.histogram2d(np.array([1, 2, 4], 'f4'), np.array([1, 2, 2], 'f2'), 3)
np.histogram2d([1, 2, 3.], [1, 2, 2], weights=[1j, 2, 3])
np.histogramdd([[1, 2], [3, 5]], 2, density=True)
np.add.reduce([], initial=None)
np.add.reduce([[1, 2]], axis=1, initial=None)
np.add.reduce([1, 2], initial=None, where=[True, False])
np.maximum.reduce([1, 2], initial=None)
np.block([(1, 2)])
np.repeat([1, 2], -1)
np.repeat([1, 2], [1.5, 2])
np.split(np.arange(4), 2.0)
np.array_split(np.arange(5), 2.5)
np.copyto(np.ones(2), [1, 2, 3])
np.copyto([1], [2])
np.place([1], [True], [2])
(lambda a: a[1:].base is a and a.T.base is a and a[...].base is a and a.reshape(3, 2)[1:].base is a)(np.arange(6).reshape(2, 3).copy())
(lambda a: a[1:].base is a and a[1:][1:].base is a and np.squeeze(a[None]).base is a and np.flip(a).base is a)(np.ones(4))
(lambda a: (a[1:] + 1).base is None)(np.ones(4))
np.emath.sqrt([-1, 4])
np.emath.sqrt([1, 4])
np.emath.log(np.float32(-1)).dtype
np.emath.logn(2, [4, -8]).round(12)
np.emath.power([2, 4], -2)
np.emath.power([-2, 4], 2)
np.emath.arccos([1, 2]).round(12)
np.emath.arcsin(0.5)
np.emath.arctanh([0.5, 2]).round(12)
np.arange(4).searchsorted([1, 5], sorter=[3, 2, 1])
np.zeros(2).fill([1])
np.zeros(2, int).fill([1])
np.zeros(2, complex).fill([1, 2])
np.dot(np.ones((2, 2)), [1, 2], out=np.zeros(2, int))
np.dot(np.ones((2, 2)), np.ones((2, 2)), out=np.zeros((2, 2), order='F'))
np.dot(np.ones((2, 2)), np.ones((2, 2)), out=np.zeros((2, 3)))
np.dot(np.ones((2, 2)), np.ones((2, 2)), out=[1])
(lambda o: np.dot([1., 2], [1., 2], out=o) == 5)(np.zeros(()))
np.fft.fftfreq(0)
np.fft.rfftfreq(0)
np.float64(2.5).hex()
np.float64.fromhex('0x1p3')
__import__('math').trunc(np.float64(-2.5))
np.arange(6).reshape(2, 3)[0.0:, 0.0]
np.arange(3)[type('I', (), {'__index__': lambda self: 1})()]
"""

POLYNOMIALS = """
np.poly1d([1., 2, 3])
str(np.poly1d([1.89999 + 2j, -3j, -5.12345678, 2 + 1j]))
str(np.poly1d([-3, -2, -1]))
str(np.poly1d([0, 0]))
str(np.poly1d(list(range(1, 30))))
np.poly1d([1, 2, 4]) / np.poly1d([4., 2, 1])
np.poly1d([1, 2, 4]) ** 3
np.poly1d([1, 2, 4])(np.poly1d([1, 2]))
np.poly1d([1, 2, 4])([1, 2])
2 * np.poly1d([1, 2, 4]) + 1
1 - np.poly1d([1, 2, 4])
np.poly1d([1, 2], True)
np.poly1d([1, 2, 4]).integ(2, k=[3, 4])
np.poly1d([1, 2, 4]).deriv(3)
np.poly1d([[1]])
np.poly1d([1, 2, 4]) ** -1
np.poly1d([1, 2, 4])[0], np.poly1d([1, 2, 4])[5]
np.polyadd(np.poly1d([1, 2]), [1])
np.polydiv([1, 2, 3], np.poly1d([1, 1]))
np.polyval([1, 2], np.poly1d([1, 2]))
np.poly([1j, -1j])
np.poly([1j, 2])
np.poly([])
np.roots([[1, 2]])
np.polyfit([0, 1, 2, 3], [1, 3, 7, 13.5], 1, cov=True)[1].round(9)
np.polyfit([0, 1, 2, 3], [1, 3, 7, 13.5], 1, cov='unscaled')[1].round(9)
np.polyfit([0, 1, 2, 3], [1, 3, 7, 13.5], 3, cov=True)
np.polyfit([0, 1, 2, 3], [[1, 2], [3, 4], [5, 7], [7, 9]], 1, cov=True)[1].round(9)
np.polynomial.Polynomial([1, 2, 3])
str(np.polynomial.Polynomial([1, -2.5, 3e-9]))
format(np.polynomial.Polynomial([1, 2, 3], domain=[0, 4]), 'ascii')
np.polynomial.Polynomial([1, 2, 3]) * np.polynomial.Polynomial([1, 1]) - 3
divmod(np.polynomial.Polynomial([1, 2, 3]), np.polynomial.Polynomial([1, 1]))
np.polynomial.Polynomial([1, 2, 3]) ** 2
np.polynomial.Polynomial([1, 2, 3])([1, 2])
np.polynomial.Polynomial([1, 2, 3], domain=[0, 2]).deriv()
np.polynomial.Polynomial([1, 2, 3], domain=[0, 2]).integ(2, k=1)
np.polynomial.Polynomial([1, 2, 3], domain=[0, 2]).convert()
np.polynomial.Polynomial([6, -5, 1]).roots()
np.polynomial.Polynomial.fromroots([1, 2])
np.polynomial.Polynomial.basis(3)
np.polynomial.Polynomial([1], domain=[1])
np.polynomial.Polynomial([1], symbol='2')
np.polynomial.Polynomial([1]) + np.polynomial.Polynomial([1], domain=[0, 1])
np.polynomial.polynomial.polyval2d([1, 2], [3, 4], [[1, 2], [3, 4]])
np.polynomial.polynomial.polygrid2d([1, 2], [3, 4], [[1, 2], [3, 4]])
np.polynomial.polynomial.polyvander2d([1, 2], [3, 4], [1, 2])
np.polynomial.polynomial.polyder([[1, 2], [3, 4], [5, 6]], axis=0)
np.polynomial.polynomial.polyint([1, 2, 3], 2, k=[1, 2], lbnd=1, scl=2)
np.polynomial.polynomial.polyfit([0, 1, 2], [1, 3, 7], [0, 2]).round(9)
np.polynomial.polynomial.polycompanion([1, 2, 3])
np.polynomial.polynomial.polyfromroots([1, 2, 3])
"""

AXES = """
np.lib.array_utils.normalize_axis_index(-1, 3)
np.lib.array_utils.normalize_axis_index(3, 3)
np.lib.array_utils.normalize_axis_index(-4, 3, 'source')
np.lib.array_utils.normalize_axis_tuple(-1, 3)
np.lib.array_utils.normalize_axis_tuple((0, -1), 3)
np.lib.array_utils.normalize_axis_tuple((0, -3), 3)
np.lib.array_utils.normalize_axis_tuple((0, -3), 3, 'axes')
np.lib.array_utils.normalize_axis_tuple((0, -3), 3, 'axes', True)
np.lib.array_utils.normalize_axis_tuple([0, 5], 3, 'axes')
np.lib.array_utils.normalize_axis_tuple(1.5, 3)
(lambda b: b[1] - b[0])(np.lib.array_utils.byte_bounds(np.ones((3, 4))[::-1, ::2]))
(lambda b: b[1] - b[0])(np.lib.array_utils.byte_bounds(np.ones((3, 4), 'f4').T))
(lambda b: b[1] - b[0])(np.lib.array_utils.byte_bounds(np.ones((0, 3))))
(lambda b: b[1] - b[0])(np.lib.array_utils.byte_bounds(np.ones(())))
np.lib.stride_tricks.as_strided(np.arange(6), (2, 3), (8, 16))
np.lib.stride_tricks.as_strided(np.arange(6)[5:], (3,), (-16,))
np.moveaxis(np.ones((1, 2, 3)), 0, -1).shape
np.moveaxis(np.ones((1, 2, 3)), [0, 1], [-1, 0]).shape
np.moveaxis(np.ones((1, 2, 3)), 3, 0)
np.moveaxis(np.ones((1, 2, 3)), [0, 0], [1, 2])
np.expand_dims(np.ones(3), (0, 2)).shape
np.expand_dims(np.ones(3), (0, 0))
np.squeeze(np.ones((1, 2, 1)), (0, -1)).shape
np.lib.scimath.sqrt(-1)
"""

RANDOM = """
np.random.default_rng(1).random()
np.random.default_rng(1).random(())
np.random.default_rng(1).random(dtype='f4')
np.random.default_rng(1).poisson(3)
np.random.default_rng(1).poisson(3, size=())
np.random.default_rng(1).integers(5)
np.random.default_rng(1).integers(5, size=())
np.random.default_rng(1).integers(5, dtype=int)
np.random.default_rng(1).choice(5)
np.random.default_rng(1).choice([5, 6])
np.random.default_rng(1).choice([5, 6], size=())
np.random.default_rng(1).uniform(np.array(3.), 4)
np.random.RandomState(1).randint(5)
np.random.RandomState(1).rand()
np.random.RandomState(1).random_sample(())
np.random.RandomState(1).random_integers(3)
np.random.RandomState(1).permutation(2.5)
np.random.RandomState(1).seed(1.5)
np.random.RandomState(1).randint(2, dtype=float)
np.random.default_rng(np.random.RandomState(3)).random()
np.random.default_rng([1.5])
np.random.Generator(np.random.PCG64)
np.random.default_rng(1).shuffle([1, 2, 3], axis=1)
np.random.default_rng(1).permuted(np.arange(3), out=[1, 2, 3])
(lambda out: np.random.default_rng(1).random(out=out) is out)(np.zeros(3))
np.random.MT19937(5).jumped().random_raw(3)
np.random.MT19937(5).jumped(2).state['state']['pos']
np.random.MT19937(5).jumped().jumped().random_raw(3)
(lambda g: [g.advance(2**63 + 5), g.random_raw(3)][1])(np.random.Philox(3))
(lambda g: [g.advance(2**255 + 2**127), g.random_raw(3)][1])(np.random.Philox(3))
(lambda g: [g.advance(2**127), g.random_raw(3)][1])(np.random.PCG64(3))
(lambda g, r: [setattr(g, 'state', r.get_state()), g.random_raw(3)][1])(np.random.MT19937(1), np.random.RandomState(5))
(lambda g: setattr(g, 'state', ('X', [1], 2)))(np.random.MT19937(1))
(lambda g: setattr(g, 'state', ('MT19937', [1], 2)))(np.random.PCG64(1))
(lambda g: setattr(g, 'state', 5))(np.random.MT19937(1))
(lambda g: [setattr(g, 'state', dict(g.state, state={'state': [2**63 + 1, 2, 3, 4]})), g.random_raw(3)][1])(np.random.SFC64(1))
(lambda g: [setattr(g, 'state', dict(g.state, buffer=[1, 2**63, 3, 4], buffer_pos=0)), g.random_raw(3)][1])(np.random.Philox(1))
(lambda g: setattr(g, 'state', {'bit_generator': 'PCG64', 'state': {}}))(np.random.MT19937(1))
(lambda g: [g.random(), g.bit_generator.advance(-3) is g.bit_generator, g.random()])(np.random.Generator(np.random.PCG64(3)))
(lambda g: setattr(g, 'state', {'bit_generator': 'X', 'state': {}}))(np.random.PCG64(1))
(lambda g: setattr(g, 'state', {'bit_generator': 'X', 'state': {}}))(np.random.Philox(1))
"""


class Expressions(ByText):
    def test_index_tricks(self):
        self.check(INDEX_TRICKS)

    def test_flat(self):
        self.check(FLAT)

    def test_memory_order(self):
        self.check(MEMORY_ORDER)

    def test_arguments(self):
        self.check(ARGUMENTS)

    def test_rearranged(self):
        self.check(REARRANGED)

    def test_polynomials(self):
        self.check(POLYNOMIALS)

    def test_axes(self):
        self.check(AXES)

    def test_modules_of_lib(self):
        for line in ("import numjit.lib.stride_tricks as m; m.sliding_window_view", "from numjit.lib.array_utils import byte_bounds",
                     "from numjit.lib.scimath import sqrt"):
            subprocess.run([sys.executable, "-c", line], check=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})

    def test_random(self):
        self.check(RANDOM)


if __name__ == "__main__":
    unittest.main()
