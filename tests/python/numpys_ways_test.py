"""Ways of NumPy's that programs rely on beside values: where errors are found, which functions are methods, iterators, protocols,
warnings. Results by text, errors by class and text."""
import contextlib
import ctypes
import io
import math
import os
import random
import sys
import tempfile
import threading
import unittest
import warnings

import numpy

from by_text import ByText
from differential import nj

ERRORS = """
np.array([1e300]).astype('f4')
np.array([1e10]).astype('f2')
np.array([1e-300]).astype('f4')
np.array([1e-310, 1.0])
np.array([np.nan]).astype('i4')
np.array([1e30]).astype('i4')
np.array([1e30]).astype('i8')
np.array([3e9]).astype('u4')
np.array([300., -1.]).astype('i2')
np.array([np.inf]).astype('f4')
np.array([1e300 + 1j]).astype('c8')
np.asarray(np.array([1e300]), dtype='f4')
np.zeros(2, 'f4').__setitem__(0, np.float64(1e300))
np.zeros(2, 'f4').__setitem__(0, 1e300)
np.zeros(2, 'f4').__setitem__(slice(None), np.array([1e300]))
np.zeros(2, 'f4').__setitem__([0, 1], np.array([1e300, 1]))
np.zeros(2, 'f4').__setitem__(np.array([True, False]), np.array([1e300]))
np.copyto(np.zeros(2, 'f4'), np.array([1e300, 1.0]), casting='same_kind')
np.float32(1e300)
np.int8(127) + np.int8(1)
np.int64(2**63 - 1) + np.int64(1)
np.int64(2**62) * np.int64(4)
np.uint8(1) - np.uint8(2)
np.int8(100) + 100
-np.uint8(2)
-np.int8(-128)
abs(np.int8(-128))
np.int64(5) + np.int64(6), np.int64(5) * 3, -np.int8(3), np.uint8(3) - np.uint8(3)
np.int64(1) // np.int64(0)
np.int64(1) % np.int64(0)
np.array([127], 'i1') + np.array([1], 'i1')
np.array([1e-300]) * np.array([1e-10])
np.float64(1e-300) * np.float64(1e-10)
np.array([1e-310]) * 1.0, np.array([0.0]) * 1e-300, np.array([1e-160]) * 1e-140
np.exp(np.array([-745.0]))
np.divide.reduce(np.array([1., 0., 2.]))
np.divide.reduce(np.array([1e300, 1e-300]))
np.multiply.reduce(np.array([1e300, 1e300]))
np.add.reduce(np.array([np.inf, -np.inf]))
np.divide.accumulate(np.array([1., 0.]))
np.multiply.reduceat(np.full(4, 1e300), [0, 2])
np.divide.reduceat(np.array([1., 2., 3., 0.]), [0, 2])
np.divide.at(np.ones(2), [0], 0.)
np.floor_divide.at(np.ones(3), [0, 0, 1], [0., 2., 2.])
np.floor_divide.at(np.ones(3, int), [0, 0, -1], [1, 2, 0])
np.floor_divide.at(np.full(3, -128, 'i1'), [0, 1], np.array([1, -1], 'i1'))
np.floor_divide.at(np.ones(3, 'u1'), [0], np.uint8(2))
np.floor_divide.reduce(np.array([5, 0, 2]))
np.floor_divide.reduce(np.array([0, 5, 2]))
np.floor_divide.reduce(np.array([-128, 1, -1], 'i1'))
np.floor_divide.reduce(np.array([-128, 2, -1], 'i1'))
np.floor_divide.reduce(np.array([[1, 2], [0, 1]]), axis=1)
np.floor_divide.reduce(np.array([[1, 2], [0, 1]]), axis=0)
np.floor_divide.reduce(np.array([5., 0., 2.]))
np.floor_divide.accumulate(np.array([5, 0, 2], 'u2'))
np.floor_divide.accumulate(np.array([[-128, 3], [-1, 1]], 'i1'))
np.floor_divide.reduceat(np.array([5, 0, 2, 3]), [0, 2])
np.floor_divide.reduceat(np.array([5, 0, 2, 3]), [1, 2])
np.remainder.reduce(np.array([5, 0, 2]))
np.zeros(2, 'f2').__setitem__(0, 70000)
np.zeros(2, 'f2').fill(70000)
np.zeros(2, 'f2').fill(70000.)
np.zeros(2, 'c8').fill(1e300)
np.array([70000, 1]).astype('f2')
np.array([65519, 1]).astype('f2')
np.array([70000.], 'f2')
np.array([[1, 70000]], 'f2')
np.array([1e300 + 0j], 'c8')
np.array(10**100, 'f4')
np.full(3, 1e300, 'f4')
np.full(3, np.inf, 'f4')
np.full(3, 70000, 'f2')
np.complex64(1e300)
np.float32('1e300')
np.float32(10**100)
np.nanmean(np.zeros((0, 3)), axis=0), np.nanvar(np.array([np.nan])), np.nanmedian(np.array([[np.nan, np.nan], [1, 2]]), axis=1)
np.isclose(1.0, 1.0, atol=np.nan)
np.multiply.at(np.full(2, 1e300), [0], 1e300)
np.add.at(np.ones(2), [0, 0], 1.)
np.cumprod(np.array([1e300, 1e300]))
np.array([1e308, 1e308]).sum()
np.float64(1) / np.float64(0)
np.float64(1e300) * np.float64(1e300)
np.float64(1e300) * 1e300
np.float64(np.inf) - np.float64(np.inf)
np.float64(10) ** np.float64(400)
np.array([1e300]).__imul__(1e300)
np.array([1.]).__itruediv__(0.0)
(lambda x: np.divide(x, np.array([0., 1.]), out=x))(np.ones(2))
(lambda x: np.exp(x, out=x))(np.array([1000.]))
np.divide(np.ones(2), np.array([0., 1.]), where=np.array([False, True]), out=np.zeros(2))
np.divide(np.ones(2), np.array([0., 1.]), where=np.array([True, True]), out=np.zeros(2))
np.log(np.array([-1., 1.]), where=np.array([False, True]), out=np.zeros(2))
"""

VALUES = """
[x.tolist() for x in np.histogram(np.linspace(0, 1, 97).astype('f4'), 10, (np.float64(0.1), np.float64(0.3)))]
[(x.dtype, x.tolist()) for x in np.histogram(np.linspace(0, 1, 97).astype('f4'), 7, (np.float64(0.1), 0.7))]
[(x.dtype, x.tolist()) for x in np.histogram(np.linspace(0, 1, 97).astype('f2'), 7, (np.float64(0.1), np.float64(0.7)))]
[(x.dtype, x.tolist()) for x in np.histogram(np.linspace(0, 1, 97).astype('f4'), 7, (0.1, 0.7))]
[(x.dtype, x.tolist()) for x in np.histogram(np.linspace(0, 1, 97), 7, (np.float64(0.1), 0.7))]
[(x.dtype, x.tolist()) for x in np.histogram(np.linspace(0, 1, 97).astype('f4'), np.linspace(0.1, 0.7, 7))]
np.histogram_bin_edges(np.linspace(0, 1, 97).astype('f4'), 5, (np.float64(0.1), np.float64(0.7)))
np.einsum('ij,jk->ik', np.ones((2, 3)), np.ones((3, 4)), order='F').flags.f_contiguous
np.einsum('ij,jk->ik', np.ones((2, 3)), np.ones((3, 4)), order='C', optimize=True).flags.c_contiguous
np.einsum('i,i->', np.arange(3), np.arange(3), order='X')
np.einsum('i,i->', np.arange(3), np.arange(3), out=np.zeros((), int))
[np.dtype(t).name for t in (__import__('ctypes').c_int, __import__('ctypes').c_double, __import__('ctypes').c_float, __import__('ctypes').c_uint8, __import__('ctypes').c_bool, __import__('ctypes').c_size_t, __import__('ctypes').c_short)]
np.zeros(2, __import__('ctypes').c_int).dtype, np.array((__import__('ctypes').c_int * 3)(1, 2, 3))
np.random.multinomial(10, []).shape, np.random.multinomial(10, [], size=3).shape
np.r_[0:36:np.array(100j)].shape, np.r_[0:36:np.complex128(100j)].shape, np.r_[0:36:np.complex64(5j)].shape, np.r_[0:36:10j].shape, np.mgrid[0:5:np.array(3j)].shape
np._CopyMode.ALWAYS, bool(np._CopyMode.NEVER), np.array([1], copy=np._CopyMode.IF_NEEDED), np.array(np.arange(2), copy=np._CopyMode.NEVER)
np.ones(2).astype('f8', copy=np._CopyMode.IF_NEEDED)
bool(np._CopyMode.IF_NEEDED)
(lambda a: (np.asarray(a, copy=np._CopyMode.NEVER) is a, np.array(a, copy=np._CopyMode.ALWAYS) is a))(np.ones(2))
[np.frombuffer(b'\\0\\1\\0\\2' * 2, t).tolist() for t in ('>i2', '>u4', '>f8', '>i1', '<i2')], np.frombuffer(b'\\0\\1\\0\\2', dtype='>u2', count=1, offset=2).tolist()
(lambda o: np.frombuffer(o).base is o)(b'12345678'), (lambda o: np.frombuffer(o).base is o)(np.arange(4))
(lambda a, m: [np.asarray(m).base.obj is a, np.asarray(m)[1:].base.base.obj is a, np.array(m).base])(*(lambda a: (a, memoryview(a)))(np.arange(4)))
(lambda o: [np.asarray(o).base is o, np.array(o).base])(type('O', (), {'__array_interface__': np.arange(3).__array_interface__})())
[np.array(np.ones((2, 3), order='F'), copy=np.False_, order='F').shape, np.array([1], copy=np.True_)]
np.complex64(b'1+3j'), np.float32(b'1.5'), np.int8(b'12')
np.complex64(1, 2), np.complex128(np.float32(1), 2)
np.complex64(1j, 1)
np.complex64(None, 1)
np.frompyfunc(abs, 64, 1)
np.shares_memory(np.ones(2), np.ones(2), max_work=10**100)
np.iscomplexobj(type('L', (list,), {'dtype': complex})([1j]))
np.add(3, 4, signature='%^->#')
np.add(1, 1, signature=b'dd->d')
delattr(np.ones(2), 'strides')
(lambda x: [r := __import__('weakref').ref(x), x.resize(6)])(np.arange(3))
np.ones(2).__array_function__(np.reshape, (np.ndarray,), [1], {})
np.ones(2).__array_ufunc__(1, 2)
(lambda a: setattr(a, 'strides', (80,)))(np.arange(6))
(lambda a: setattr(a, 'strides', (8, 8)))(np.arange(6))
(lambda a: (setattr(a, 'strides', (8, 16)), a)[1])(np.arange(6).reshape(2, 3).T.copy().T.T)
(lambda a: (setattr(a, 'strides', (-8,)), a)[1])(np.arange(6)[::-1])
type(np.arange(3).__array_struct__).__name__, type(np.float64(3).__array_struct__).__name__
(lambda x: (x.resize(6), x)[1])(np.arange(3))
(lambda x: [y := x, x.resize(6)])(np.arange(3))
(lambda x: [y := x, x.resize(3), x])(np.arange(3))
(lambda x: [y := x, x.resize(6, refcheck=False), x])(np.arange(3))
(lambda x: [y := x[1:], x.resize((2, 3))])(np.arange(3))
(lambda x: [y := memoryview(x), x.resize((2, 3))])(np.arange(3))
(lambda x: x.resize(6))(np.arange(6)[1:])
type('M', (), {'f': np.array})().f([1.0, 2.0])
type('M', (), {'f': np.asarray})().f([1.0, 2.0])
type('M', (), {'f': np.zeros})().f(2)
type('M', (), {'f': np.arange})().f(2)
type('M', (), {'f': np.frombuffer})().f(b'12345678').shape
type('M', (), {'f': np.frompyfunc})().f(abs, 1, 1)(-1)
type('M', (), {'f': np.sin})().f(0.0)
type('M', (np.poly1d,), {'f': np.real})([1, 2]).f().tolist()
np.finfo(np.int32)
np.finfo(np.int32)
np.finfo('?')
np.ones(3)[[0.5]]
np.ones(3)[[[0.5, 1]]]
np.ones(3)[np.array(1.5)]
np.ones(3)[np.array([0.5])]
np.ones(3)[np.float32(1)]
np.ones((3, 3))[0, np.array(1j)]
np.ones(3).__setitem__([0.5], 1)
np.ones(3).__setitem__(np.array(1.5), 1)
(lambda a: (a.setflags(write=False), a.sort()))(np.array([3, 1, 2]))
(lambda a: (a.setflags(write=False), a.sort(5)))(np.array([3, 1, 2]))
(lambda a: (a.setflags(write=False), a.partition(1)))(np.array([3, 1, 2]))
"""

FROM_FUNCTION = """
np.frompyfunc(lambda a, b: a + b, 2, 1).reduce([2, 3, 4])
np.frompyfunc(lambda a, b: a - b, 2, 1).reduce(np.arange(6).reshape(2, 3)).tolist()
np.frompyfunc(lambda a, b: a - b, 2, 1).reduce(np.arange(6).reshape(2, 3), axis=1).tolist()
np.frompyfunc(lambda a, b: a - b, 2, 1).reduce(np.arange(6).reshape(2, 3), axis=None)
np.frompyfunc(lambda a, b: a - b, 2, 1).reduce(np.arange(6).reshape(2, 3), axis=1, keepdims=True).tolist()
np.frompyfunc(lambda a, b: a - b, 2, 1).reduce([1, 2], initial=10)
np.frompyfunc(lambda a, b: a * b, 2, 1, identity=1).reduce([])
np.frompyfunc(lambda a, b: a * b, 2, 1).reduce([])
np.frompyfunc(lambda a, b: a * b, 2, 1).reduce(3)
np.frompyfunc(lambda a: a, 1, 1).reduce([1])
np.frompyfunc(lambda a, b: (a, b), 2, 2).reduce([1, 2])
np.frompyfunc(lambda a, b: a - b, 2, 1).accumulate([2, 3, 4]).tolist()
np.frompyfunc(lambda a, b: a - b, 2, 1).accumulate(np.arange(6).reshape(2, 3), axis=1).tolist()
np.frompyfunc(lambda a, b: a - b, 2, 1).reduceat([1, 2, 3, 4], [0, 2]).tolist()
np.frompyfunc(lambda a, b: a - b, 2, 1).reduceat(np.arange(8).reshape(2, 4), [0, 3, 1], axis=1).tolist()
np.frompyfunc(lambda a, b: a - b, 2, 1).outer([1, 2], [3, 4, 5]).tolist()
(lambda a: (np.frompyfunc(lambda a, b: a + b, 2, 1).at(a, [0, 0, -1], [5, 6, 7]), a)[1])(np.array([1, 2, 3]))
(lambda a: (np.frompyfunc(lambda a: -a, 1, 1).at(a, [0, 2]), a)[1])(np.array([1, 2, 3]))
(lambda u: (u.nin, u.nout, u.nargs, u.ntypes, u.types, u.identity, u.__name__))(np.frompyfunc(lambda a, b: a + b, 2, 1))
(lambda u: (u.nin, u.nout, u.nargs, u.types, u.identity))(np.frompyfunc(lambda a: (a, a), 1, 2, identity=0))
[x.tolist() for x in np.frompyfunc(divmod, 2, 2)([7, 8], 3)]
np.frompyfunc(lambda a, b: a + b, 2, 1)([1, 2], 3).tolist(), np.frompyfunc(lambda a: a, 1, 1)(5)
"""

ITERATORS = """
[x.item() for x in np.nditer(np.arange(6).reshape(2, 3))]
[x.item() for x in np.nditer(np.arange(6).reshape(2, 3).T)]
[x.item() for x in np.nditer(np.arange(6).reshape(2, 3)[::-1, ::-1])]
[x.item() for x in np.nditer(np.arange(24).reshape(2, 3, 4).transpose(1, 0, 2))]
[x.item() for x in np.nditer(np.arange(24).reshape(2, 3, 4).swapaxes(0, 2)[:, ::2])]
[[x.item() for x in np.nditer(np.arange(6).reshape(2, 3).T, order=o)] for o in 'CFAK']
[(x.item(), y.item()) for x, y in np.nditer([np.arange(3), np.arange(6).reshape(2, 3)])]
[(x.item(), y.item()) for x, y in np.nditer([np.arange(6).reshape(2, 3).T, np.arange(6).reshape(3, 2)])]
[x.tolist() for x in np.nditer(np.arange(6).reshape(2, 3), flags=['external_loop'])]
[x.tolist() for x in np.nditer(np.arange(6).reshape(2, 3), flags=['external_loop'], order='F')]
[(x.tolist(), y.tolist()) for x, y in np.nditer([np.arange(3), np.arange(6).reshape(2, 3)], flags=['external_loop'])]
[x.tolist() for x in np.nditer(np.arange(12).reshape(3, 4)[:, ::2], flags=['external_loop'])]
(lambda it: [(it.multi_index, x.item()) for x in it])(np.nditer(np.arange(6).reshape(2, 3), flags=['multi_index']))
(lambda it: [(it.multi_index, x.item()) for x in it])(np.nditer(np.arange(6).reshape(2, 3).T, flags=['multi_index']))
(lambda it: [(it.index, x.item()) for x in it])(np.nditer(np.arange(6).reshape(2, 3), flags=['f_index']))
(lambda it: [(it.index, x.item()) for x in it])(np.nditer(np.arange(6).reshape(2, 3).T, flags=['c_index']))
(lambda it: (it.itersize, it.shape, it.ndim, it.nop, it.has_index, it.has_multi_index, len(it), it.finished))(np.nditer([np.arange(3), np.ones((2, 3))], flags=['multi_index']))
(lambda it: [y.__setitem__(..., x * 2) for x, y in it] and it.operands[1])(np.nditer([np.arange(3), None]))
(lambda a: ([x.__setitem__(..., x * 2) for x in np.nditer(a, op_flags=['readwrite'])], a)[1])(np.arange(6).reshape(2, 3).T)
[x.dtype for x in np.nditer(np.arange(2), op_dtypes=['f8'], flags=['buffered'])]
np.nditer(np.arange(2), op_dtypes=['f8'])
np.nditer(np.arange(2.), op_dtypes=['i8'], flags=['buffered'])
[x.item() for x in np.nditer(np.arange(2.5, 4), op_dtypes=['i8'], flags=['buffered'], casting='unsafe')]
(lambda a, b: ([y.__iadd__(x) for x, y in np.nditer([a, b], flags=['reduce_ok'], op_flags=[['readonly'], ['readwrite']], op_axes=[None, [-1, 0]])], b)[1])(np.arange(6).reshape(2, 3), np.zeros(3, int))
np.nditer([np.arange(6).reshape(2, 3), np.zeros(3, int)], op_flags=[['readonly'], ['readwrite']])
[(x.item(), y.item()) for x, y in np.nditer([np.arange(2), np.arange(3)], op_axes=[[0, -1], [-1, 0]])]
next(np.nditer(np.arange(3))).__setitem__(..., 1)
np.nditer(np.arange(3), flags=['nonsense'])
np.nditer(np.zeros((0, 3)))
[x for x in np.nditer(np.zeros((0, 3)), flags=['zerosize_ok'])]
np.nditer(np.arange(3)).multi_index
np.nditer(np.arange(3)).index
(lambda it: [(it[0].item(), it.iternext()) for _ in range(2)] + [it.finished])(np.nditer(np.arange(2)))
(lambda it: (list(it) and it.value))(np.nditer(np.arange(2)))
(lambda it: (next(it).item(), next(it).item(), it.reset(), next(it).item()))(np.nditer(np.arange(2)))
np.nditer(np.array(5)).value, [x.item() for x in np.nditer(5)]
"""

# Each with all of its warnings.
WARNINGS = """
np.mean([])
np.array([]).mean()
np.zeros((0, 3)).mean(axis=0)
np.zeros((0, 3)).mean(axis=1)
np.mean(np.ones((2, 0)), axis=(0, 1))
np.var([])
np.nanmedian(np.full((3, 3), np.nan), axis=0)
np.nanmedian(np.array([[np.nan, 1], [np.nan, 2], [np.nan, np.nan]]), axis=1)
np.nanmedian(np.full((3, 3), np.nan)), np.nanmedian(np.zeros((0, 3)), axis=0)
np.random.default_rng(0).multivariate_normal([0, 0], [[1, 2], [2, 1]]).shape
np.random.default_rng(0).multivariate_normal([0, 0], [[1, 2], [2, 1]], method='eigh').shape
np.random.default_rng(0).multivariate_normal([0, 0], [[1, 2], [2, 1]], check_valid='ignore').shape
np.random.RandomState(0).multivariate_normal([0, 0], [[1, 2], [2, 1]]).shape
np.random.RandomState(np.random.PCG64(0)).get_state()['bit_generator']
np.random.RandomState(0).randint(0, 200, size=2, dtype='>i4').shape
[x.tolist() for x in np.histogram([True, True, False])]
np.std(np.array([1.]), ddof=1)
np.array([1.]).var(ddof=2)
np.var(np.ones((2, 3)), axis=0, ddof=1)
np.var(np.ones((2, 3)), axis=1, ddof=3)
np.median([])
np.average([])
np.nanmean([])
np.nanmean([np.nan])
np.nanmean([np.inf, -np.inf])
np.nanmax([np.nan])
np.nanmin(np.array([[np.nan, 1], [np.nan, np.nan]]), axis=1)
np.nanmax(np.array([[np.nan, 1], [np.nan, np.nan]]), axis=0)
np.nanmax(np.array([1, 2]))
np.nanmedian([np.nan])
np.nanmedian([])
np.nanvar([np.nan])
np.nanstd(np.array([[np.nan, 1, 2], [np.nan, np.nan, 1]]), axis=1, ddof=1)
np.nanpercentile([np.nan], 50)
np.nanquantile(np.array([[np.nan, 1], [np.nan, np.nan]]), [0.25, 0.5], axis=1)
np.nansum([np.nan])
"""


def with_warnings(expression, module):
    """What an expression gives, and NumPy's warnings of empty and all-NaN slices."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = repr(eval(expression, {"np": module})).replace("numjit.", "numpy.")
    texts = {f"{w.category.__name__}: {w.message}".replace("numjit.", "numpy.") for w in caught}
    return made, sorted(t for t in texts if "encountered in" not in t)


class Ways(ByText):
    def test_floating_point_errors(self):
        with nj.errstate(all="raise"), numpy.errstate(all="raise"):
            self.check(ERRORS)
        with nj.errstate(all="ignore"), numpy.errstate(all="ignore"):
            self.check(ERRORS)

    def test_values(self):
        self.check(VALUES)

    def test_ufuncs_of_functions(self):
        self.check(FROM_FUNCTION)

    def test_iterators(self):
        self.check(ITERATORS)

    def test_iterators_over_any_layout(self):
        rng = random.Random(3)
        for case in range(400):
            shape = [rng.randint(1, 3) for _ in range(rng.randint(1, 4))]
            base = numpy.arange(math.prod(2 * n for n in shape)).reshape([2 * n for n in shape])
            key = tuple(rng.choice([slice(None, None, 2), slice(0, n), slice(None, None, -2), slice(n - 1, None, -1)]) for n in shape)
            axes = rng.sample(range(len(shape)), len(shape))
            order, flags, two = rng.choice("CFAK"), rng.choice([[], ["multi_index"], ["external_loop"]]), rng.random() < 0.3
            seen = []
            for module in (nj, numpy):
                a = module.asarray(base)[key].transpose(axes)
                it = module.nditer([a, module.arange(a.shape[-1])] if two else a, flags=flags, order=order)
                values = [(it.multi_index if flags == ["multi_index"] else None, [v.tolist() for v in (x if two else (x,))]) for x in it]
                if flags == ["external_loop"]:  # pieces may be longer
                    values = [numpy.concatenate([v[k] for _, v in values]).tolist() for k in range(1 + two)]
                seen.append(values)
            self.assertEqual(seen[0], seen[1], (case, base[key].transpose(axes).strides, order, flags, two))

    def test_warnings(self):
        with numpy.errstate(all="ignore"):
            for expression in WARNINGS.strip().split("\n"):
                self.assertEqual(with_warnings(expression, nj), with_warnings(expression, numpy), expression)

    def test_warnings_name_the_callers_line(self):
        for call in (lambda: nj.mean([]), lambda: nj.ones(0).mean(), lambda: nj.var([1.0], ddof=1), lambda: nj.nanmax([nj.nan]),
                     lambda: nj.histogram([True]), lambda: nj.random.RandomState(nj.random.PCG64()).get_state()):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                call()
            self.assertEqual([w.filename for w in caught], [__file__])

    def test_nothing_is_read_while_a_graph_is_recorded(self):
        f = nj.compile(lambda x: (nj.nanmax(x * 2), nj.mean(x[x > 0]), nj.nanvar(x), nj.var(x[x > 0])), fullgraph=True)
        for _ in range(3):
            self.assertEqual(float(f(nj.arange(4.0))[0]), 6.0)


class Reactions(unittest.TestCase):
    """'call', 'log' and 'print' of errstate and seterr."""

    def both(self, program):
        outcomes = []
        for module in (numpy, nj):
            old, call = module.seterr(all="ignore"), module.geterrcall()
            try:
                outcomes.append(program(module))
            finally:
                module.seterr(**old)
                module.seterrcall(call)
        self.assertEqual(outcomes[1], outcomes[0])

    def poles(self, np):
        return np.array([1.0]) / np.array([0.0]), np.array([1e300]) * 1e300, np.log(np.array([-1.0])), np.array([1e-300]) * 1e-300

    def test_call(self):
        def program(np):
            seen = []
            with np.errstate(all="call", call=lambda kind, flag: seen.append((kind, flag))):
                self.poles(np)
                seen.append(np.geterr())
            return seen, np.geterrcall(), np.geterr()
        self.both(program)

    def test_set_and_undone(self):
        def program(np):
            seen = []
            before = np.seterrcall(lambda *given: seen.append(given))
            with np.errstate(divide="call"):
                seen.append(np.seterr(over="call"))
                self.poles(np)
                with np.errstate(divide="raise", over="ignore"):
                    seen.append(np.geterr())
                    try:
                        self.poles(np)
                    except FloatingPointError:
                        seen.append("raised")
            self.poles(np)
            return seen, before, np.geterr()
        self.both(program)

    def test_log(self):
        class Log(list):
            write = list.append

        def program(np):
            log = Log()
            with np.errstate(divide="log", call=log):
                self.poles(np)
            return log
        self.both(program)

    def test_errors_in_calls(self):
        def program(np):
            def call(kind, flag):
                raise KeyError(kind)
            with np.errstate(divide="call", call=call):
                try:
                    self.poles(np)
                except KeyError as e:
                    return str(e)
        self.both(program)

    def test_nothing_to_call(self):
        for how in ("call", "log"):
            with nj.errstate(divide=how, call=None), self.assertRaises(NameError) as e:
                self.poles(nj)
            self.assertIn("divide by zero (in divide) but no ", str(e.exception))

    def test_what_can_be_called(self):
        def program(np):
            try:
                np.seterrcall(3)
            except TypeError as e:
                return str(e)
        self.both(program)

    def test_print(self):
        import subprocess
        code = "import numjit as np\nwith np.errstate(divide='print'): np.array([1.0]) / np.array([0.0])"
        made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        self.assertEqual((made.stdout, made.stderr), ("", "Warning: divide by zero encountered in divide\n"))

    def test_what_is_no_mode(self):
        for call in (lambda: nj.seterr(divide="bad"), lambda: nj.errstate(all="bad")):
            with self.assertRaises(ValueError) as e:
                call()
            self.assertEqual(str(e.exception), "invalid error mode 'bad': expected 'ignore', 'warn', 'raise', 'call', 'print' or 'log'.")

    def test_decorator(self):
        @nj.errstate(divide="call", call=lambda *given: seen.append(given))
        def f():
            return self.poles(nj)[0].tolist()
        seen = []
        self.assertEqual((f(), f()), ([float("inf")], [float("inf")]))
        self.assertEqual(seen, [("divide by zero", 1)] * 2)

    def test_threads(self):
        seen = {}

        def work(k):
            with nj.errstate(divide="call", call=lambda *given: seen.setdefault(k, []).append(given)):
                for _ in range(20):
                    nj.array([1.0]) / 0.0
        threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(seen, {k: [("divide by zero", 1)] * 20 for k in range(3)})


class Protocols(unittest.TestCase):
    def test_array_method_keeps_the_object(self):
        class Holder:
            def __init__(self, a):
                self.a = a

            def __array__(self, dtype=None, copy=None):
                return self.a
        h = Holder(nj.arange(3))
        self.assertIs(nj.asarray(h), h.a)
        self.assertIs(nj.asanyarray(h), h.a)
        self.assertIs(nj.array(h, copy=None), h.a)
        self.assertEqual(nj.asarray(h, dtype="f4").dtype, nj.float32)

    def test_array_struct(self):
        class Holder:
            def __init__(self, a):
                self.a = a

            @property
            def __array_struct__(self):
                return self.a.__array_struct__
        for a in (nj.arange(6).reshape(2, 3).T, nj.ones(3, "f4"), nj.array(1j), nj.zeros((0, 2))):
            seen = numpy.asarray(Holder(a))
            self.assertEqual((seen.tolist(), seen.dtype.str, seen.strides), (a.tolist(), a.dtype.str, a.strides))
            if a.size and a.ndim:
                seen[...] = 7
                self.assertTrue((a == 7).all())
        read_only = nj.arange(3)
        read_only.flags.writeable = False
        self.assertFalse(numpy.asarray(Holder(read_only)).flags.writeable)
        n = numpy.arange(3)
        self.assertEqual((nj.asarray(Holder(n)) + 1).tolist(), [1, 2, 3])
        self.assertEqual((nj.ones(3) + Holder(n)).tolist(), [1, 2, 3])

    def test_ctypes_of_all_sizes(self):
        for t in (ctypes.c_byte, ctypes.c_longlong, ctypes.c_ulong, ctypes.c_uint16, ctypes.c_int32):
            self.assertEqual(nj.dtype(t).name, numpy.dtype(t).name)
        for t in (ctypes.c_char_p, ctypes.c_void_p, ctypes.c_longdouble, ctypes.py_object):
            with self.assertRaises(TypeError):
                nj.dtype(t)

    def test_scalar_types_are_dtypes_of_numpys(self):
        for name in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split():
            ours, theirs = getattr(nj, name), numpy.dtype(getattr(numpy, name))
            made = [numpy.dtype(ours), numpy.zeros(2, ours).dtype, numpy.ones(3).astype(ours).dtype, numpy.dtype(ours(1)),
                    numpy.full(1, 1, dtype=ours).dtype]
            self.assertEqual(made, [theirs] * 5)
            self.assertIs(ours(1).dtype, nj.dtype(name))
            self.assertTrue(numpy.can_cast(ours, theirs, "no"))

    def test_show_config(self):
        self.assertEqual(set(nj.show_config(mode="dicts")) & set(numpy.show_config(mode="dicts")),
                         {"Python Information", "Machine Information", "Build Dependencies"})
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            nj.show_config()
            nj.show_runtime()
        self.assertIn("Machine Information", out.getvalue())
        with self.assertRaises(AttributeError):
            nj.show_config(mode="x")


class ByteOrders(unittest.TestCase):
    """Numbers in files whose bytes stand in the other order."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.raw, self.npy = os.path.join(folder.name, "raw"), os.path.join(folder.name, "a.npy")
        numbers = numpy.arange(6, dtype=">f8").reshape(2, 3)
        numbers.tofile(self.raw)
        numpy.save(self.npy, numbers)

    def test_read(self):
        self.assertEqual(nj.fromfile(self.raw, ">f8").tolist(), [0, 1, 2, 3, 4, 5])
        self.assertEqual(nj.fromfile(self.raw, numpy.dtype(">f8")).tolist(), [0, 1, 2, 3, 4, 5])
        self.assertEqual(nj.load(self.npy).tolist(), [[0, 1, 2], [3, 4, 5]])

    def test_mapped(self):
        for made in (nj.memmap(self.raw, ">f8", "r", shape=(2, 3)), nj.load(self.npy, mmap_mode="r")):
            self.assertEqual(made.tolist(), [[0, 1, 2], [3, 4, 5]])
            self.assertFalse(made.flags.writeable)
        made = nj.load(self.npy, mmap_mode="c")
        made[0] = 9
        self.assertEqual(nj.load(self.npy).tolist(), [[0, 1, 2], [3, 4, 5]])
        with self.assertRaises(ValueError) as e:
            nj.memmap(self.raw, ">f8", "r+")
        self.assertEqual(str(e.exception), "memmap: bytes in another order than the processor's are mapped for reading only: got mode "
                                           "'r+', expected 'r' or 'c'. Read them with np.fromfile().")


# Calls that write files, print, or change the process.
LEFT_OUT = ("run wait_for_compiles set_stance set_logs set_log_sink reset flush seterr seterrcall set_printoptions show_config show_runtime "
            "save savez savez_compressed savetxt memmap export_function set_device_memory_limit").split()


class Bindings(unittest.TestCase):
    def test_outcome_has_no_words_of_the_binding(self):
        class Other:
            pass
        values = (None, "a", b"b", -1, 2.5, 1j, [], {}, Other(), Other, 10**30, "\ud800", nj.arange(3.0), float("nan"))
        words = ("incompatible function arguments", "argument types are supported", "std::", "bad_cast", "nanobind", "SystemError")
        for name in sorted(nj.__all__):
            function = getattr(nj, name)
            if not callable(function) or name in LEFT_OUT:
                continue
            for args in [(v,) for v in values] + [(nj.ones((2, 2)), v) for v in values]:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        function(*args)
                    except Exception as e:
                        text = f"{type(e).__name__}: {e}"
                        self.assertFalse([w for w in words if w in text], f"{name}{args!r}: {text}")


if __name__ == "__main__":
    unittest.main()
