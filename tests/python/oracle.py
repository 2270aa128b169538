"""Random calls of numjit and NumPy with the same arguments: a table of functions and what their arguments are made of.

A case is made by a seed and the number of the case, so that each can be made again alone. `python oracle.py --seconds N
[--seed S] [--only NAME]` goes on for as long as it is told and prints the smallest form of what differs.
"""
import argparse
import math
import operator
import re
import sys
import time

import numpy as np

from differential import BUILTIN, DTYPES, difference, outcome, precision, to_numjit, to_numpy
from error_texts import text_difference

import numjit as nj

SHAPES = [(), (1,), (3,), (0,), (4,), (2, 3), (3, 2), (1, 3), (2, 1), (0, 3), (2, 0), (3, 3), (2, 3, 2), (1, 1, 2), (2, 2, 2), (7,), (17,)]
REAL = [d for d in DTYPES if not d.startswith("complex")]
INTEGERS = [d for d in DTYPES if "int" in d]
FLOATS = ["float16", "float32", "float64"]
INEXACT = FLOATS + ["complex64", "complex128"]
NUMBERS = [d for d in DTYPES if d != "bool"]


class Out:
    """An out= argument: made anew for each library, and compared after the call."""

    def __init__(self, array):
        self.array = array

    def __repr__(self):
        return f"out {self.array.dtype}{list(self.array.shape)}"


class Makers:
    """What arguments are made of."""

    def __init__(self, seed):
        self.r = np.random.Generator(np.random.PCG64(seed))

    def one(self, items):
        return items[int(self.r.integers(len(items)))]

    def chance(self, p):
        return self.r.random() < p

    def int(self, low, high):
        return int(self.r.integers(low, high + 1))

    def flag(self):
        return bool(self.r.integers(2))

    def raw(self, dtype, shape, special=True):
        """Multiples of a quarter: sums of them are exact in every order."""
        t = np.dtype(dtype)
        if t.kind == "b":
            return self.r.integers(0, 2, shape).astype(bool)
        if t.kind == "u":
            made = self.r.integers(0, 10, shape).astype(t)
        elif t.kind == "i":
            made = self.r.integers(-9, 10, shape).astype(t)
        else:
            made = np.asarray(self.r.integers(-16, 17, shape) / 4)
            if t.kind == "c":
                made = made + 1j * (self.r.integers(-16, 17, shape) / 4)
            made = np.asarray(made).astype(t)
        made = np.asarray(made)
        if special and made.size and self.chance(0.15):
            place = tuple(int(self.r.integers(n)) for n in made.shape)
            made[place] = self.one([np.nan, np.inf, -np.inf, -0.0]) if t.kind in "fc" else self.one([np.iinfo(t).min, np.iinfo(t).max])
        return made

    def a(self, dtypes=DTYPES, shape=None, least=0, most=3, special=True):
        """An array of any layout."""
        dtype = self.one(dtypes)
        if shape is None:
            shape = self.one([s for s in SHAPES if least <= len(s) <= most])
        layout = self.int(0, 7)
        if layout == 1 and len(shape) > 1:
            return np.asfortranarray(self.raw(dtype, shape, special))
        if layout == 2 and shape:  # every second
            return self.raw(dtype, tuple(2 * n for n in shape), special)[tuple(slice(None, None, 2) for _ in shape)]
        if layout == 3 and shape:
            return self.raw(dtype, shape, special)[tuple(slice(None, None, -1) for _ in shape)]
        if layout == 4 and shape and shape[0]:
            return np.broadcast_to(self.raw(dtype, (1, *shape[1:]), special), shape)
        if layout == 5 and len(shape) > 1:
            return self.raw(dtype, shape[::-1], special).T
        if layout == 6 and not shape:
            return self.raw(dtype, shape, special)[()]  # a scalar
        return self.raw(dtype, shape, special)

    def like(self, a, dtypes=DTYPES, special=True):
        """An array that broadcasts against another, mostly."""
        shape = np.shape(a)
        how = self.int(0, 5)
        if how == 0:
            shape = ()
        elif how == 1 and shape:
            shape = shape[1:]
        elif how == 2 and shape:
            shape = tuple(1 if self.flag() else n for n in shape)
        elif how == 3 and self.chance(0.3):
            shape = self.one(SHAPES)
        return self.a(dtypes, shape=shape, special=special)

    def same(self, a, dtypes=DTYPES):
        return self.a(dtypes, shape=np.shape(a))

    def literal(self):
        return self.one([True, False, 0, 1, 2, -1, -3, 100, 127, 128, 255, 256, -128, 300, 2**31, 2**63, -2**63, 2**64, 0.5, 2.0, -1.5, 1e300, 1j, 2 - 1j])

    def axis(self, a):
        n = np.ndim(a)
        return self.int(-n, n - 1) if n and not self.chance(0.05) else self.one([0, 5, -4])

    def axes(self, a):
        """None, an axis, or several."""
        how = self.int(0, 3)
        if how == 0:
            return None
        if how == 1 and np.ndim(a) > 1:
            return tuple(int(i) for i in self.r.permutation(np.ndim(a))[:self.int(0, np.ndim(a))])
        return self.axis(a)

    def dtype(self, dtypes=DTYPES):
        return np.dtype(self.one(dtypes))

    def mask(self, a):
        return self.like(a, ["bool"])

    def index(self, n, count):
        """Places in an axis, rarely out of bounds."""
        made = np.asarray(self.r.integers(-n, n, count) if n else np.zeros(count, np.int64))
        if made.size and self.chance(0.05):
            made.flat[0] = n + 3
        return made

    def some(self, **options):
        """Each option with a chance of a third; values are made when they are needed."""
        return {k: (v() if callable(v) else v) for k, v in options.items() if self.chance(0.3)}


# ---- the table ----
# name -> (maker of (args, kwargs), tolerance in units of the last place)

TABLE = {}


def add(names, make, ulps=4, in_place=False, order=False):
    """Functions with one kind of arguments. `in_place`: the first argument is changed and compared."""
    for name in names.split():
        TABLE[name] = (make, ulps, in_place)


UFUNCS = sorted(n for n in nj._UFUNCS if isinstance(getattr(np, n, None), np.ufunc))
UNARY = [n for n in UFUNCS if getattr(np, n).nin == 1]
BINARY = [n for n in UFUNCS if getattr(np, n).nin == 2 and not getattr(np, n).signature]
COMPARISONS = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}
ONE_OUT = {n for n in UFUNCS if getattr(np, n).nout == 1}
SHIFTS = {"left_shift", "right_shift", "bitwise_left_shift", "bitwise_right_shift", "power", "pow", "float_power", "ldexp"}


def ufunc_options(g, name, first, second=None):
    options = g.some(where=lambda: g.mask(first))
    if name in ONE_OUT and (options or g.chance(0.2)):
        shape = np.broadcast_shapes(np.shape(first), np.shape(first if second is None else second)) if compatible(first, second) else np.shape(first)
        if "where" in options and compatible(np.empty(shape), options["where"]):
            shape = np.broadcast_shapes(shape, np.shape(options["where"]))
        options["out"] = Out(g.raw(g.one(DTYPES), shape, False))
    elif "where" in options:
        del options["where"]  # without out= the rest is undefined
    if g.chance(0.15):
        options["dtype"] = g.dtype()
    if g.chance(0.1):
        options["casting"] = g.one(["no", "equiv", "safe", "same_kind", "unsafe"])
        if options["casting"] == "unsafe" and "out" in options and options["out"].array.dtype.kind in "iu":
            del options["out"]  # what integers NaN becomes is nobody's promise
            options.pop("where", None)
    return options


def compatible(a, b):
    try:
        np.broadcast_shapes(np.shape(a), () if b is None else np.shape(b))
        return True
    except ValueError:
        return False


def unary(name):
    def make(g):
        a = g.a()
        return [a], ufunc_options(g, name, a)
    return make


def exponents(x):
    """Numbers of bits, exponents: small ones."""
    return (np.abs(x) % 7).astype(x.dtype) if isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind in "iu" else x


def binary(name):
    def make(g):
        a = g.a()
        b = g.like(a) if g.chance(0.75) else g.literal()
        if name in SHIFTS:
            b = exponents(b) if not isinstance(b, int) or b is True or b is False else b % 7
        args = [a, b]
        if g.chance(0.15) and name not in SHIFTS:
            args = [b, a]
        options = ufunc_options(g, name, a, b)
        if name in COMPARISONS and any(isinstance(x, int) for x in args):
            options.pop("where", None)  # NumPy 2.4 crashes for comparisons with integers that the dtype can't hold
        return args, options
    return make


for _name in UNARY:
    add(_name, unary(_name), ulps=8)
for _name in BINARY:
    add(_name, binary(_name), ulps=16)
add("clip", lambda g: (lambda a: ([a, g.one([None, -1, 0.5, g.like(a, REAL)]), g.one([2, 1.5, g.like(a, REAL)])], {}))(g.a(REAL)))

# reductions

def reduction(dtypes=DTYPES, **more):
    def make(g):
        a = g.a(dtypes)
        options = g.some(axis=lambda: g.axes(a), keepdims=g.flag, **{k: (lambda v=v: v(g, a)) for k, v in more.items()})
        if options.get("axis") == ():
            del options["axis"]
        return [a], options
    return make


def out_for(g, a):
    return Out(g.raw(g.one(DTYPES), g.one([(), np.shape(a)[1:], np.shape(a)[:-1]]), False))


_dtype = lambda g, a: g.dtype(NUMBERS)  # noqa: E731
_where = lambda g, a: g.mask(a)  # noqa: E731
_initial = lambda g, a: g.one([0, 1, 3, -1, 2.5])  # noqa: E731
add("sum", reduction(dtype=_dtype, where=_where, initial=_initial, out=out_for), ulps=64)
add("prod", reduction(REAL, dtype=_dtype, where=_where, initial=_initial, out=out_for), ulps=64)
add("max min amax amin", reduction(where=_where, initial=_initial, out=out_for))
add("all any", reduction(where=_where, out=out_for))
add("mean", reduction(where=_where, dtype=lambda g, a: g.dtype(INEXACT)), ulps=64)
add("var std", reduction(ddof=lambda g, a: g.one([0, 1, 2])), ulps=512)
add("ptp", reduction(NUMBERS))
add("median", reduction(REAL), ulps=64)
add("nansum nanprod nanmax nanmin nanmean", reduction(FLOATS + INTEGERS), ulps=64)
add("nanvar nanstd", reduction(INEXACT), ulps=512)
add("count_nonzero", lambda g: (lambda a: ([a], g.some(axis=lambda: g.axes(a), keepdims=g.flag)))(g.a()))
add("argmax argmin nanargmax nanargmin", lambda g: (lambda a: ([a], g.some(axis=lambda: g.axis(a), keepdims=g.flag)))(g.a()))
add("cumsum cumprod nancumsum nancumprod", lambda g: (lambda a: ([a], g.some(axis=lambda: g.axis(a), dtype=lambda: g.dtype(NUMBERS))))(g.a()), ulps=64)
add("cumulative_sum cumulative_prod", lambda g: (lambda a: ([a], {"axis": g.axis(a), **g.some(include_initial=g.flag)}))(g.a(least=1)), ulps=64)
add("average", lambda g: (lambda a: ([a], g.some(axis=lambda: g.axis(a), weights=lambda: np.abs(g.same(a, REAL[1:])) + np.float16(1), keepdims=g.flag)))(g.a(INEXACT, special=False)), ulps=512)
add("percentile quantile", lambda g: (lambda a: ([a, g.one([0.25, 1.0, 0.0, [0.1, 0.5], 0.75])], {**g.some(axis=lambda: g.axis(a), keepdims=g.flag), "method": g.one(
    ["linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased", "closest_observation",
     "averaged_inverted_cdf", "interpolated_inverted_cdf"])}))(g.a(["float32", "float64", "int64", "uint8"], least=1, special=False)), ulps=256)

# sorting, searching

add("sort", lambda g: (lambda a: ([a], g.some(axis=lambda: g.one([None, g.axis(a)]), kind=lambda: g.one(["quicksort", "stable", "mergesort", "heapsort"]))))(g.a()))
add("argsort", lambda g: (lambda a: ([a], {"kind": "stable", **g.some(axis=lambda: g.one([None, g.axis(a)]))}))(g.a()))
add("unique", lambda g: (lambda a: ([a], g.some(return_index=g.flag, return_inverse=g.flag, return_counts=g.flag)))(g.a()))
add("searchsorted", lambda g: ([np.sort(g.a(REAL, shape=g.one([(0,), (4,), (7,)]))), g.a(REAL)], g.some(side=lambda: g.one(["left", "right"]))))
add("digitize", lambda g: ([g.a(REAL), np.arange(4.0)[::g.one([1, -1])]], g.some(right=g.flag)))
add("nonzero flatnonzero argwhere", lambda g: ([g.a(least=1)], {}))
add("where", lambda g: (lambda a: ([g.like(a, ["bool", "int8", "float64"]), a, g.like(a)], {}))(g.a()))
add("lexsort", lambda g: (lambda a: ([[a, g.same(a, REAL)]], {}))(g.a(REAL, least=1)))
add("isin", lambda g: ([g.a(), g.a()], g.some(invert=g.flag)))
add("union1d intersect1d setdiff1d setxor1d", lambda g: ([g.a(special=False), g.a(special=False)], {}))
add("take", lambda g: (lambda a: ([a, g.index(a.size, g.one([(), (2,), (2, 2), (0,)]))], g.some(mode=lambda: g.one(["wrap", "clip"]))))(g.a()))
add("take_along_axis", lambda g: (lambda a, k: ([a, g.index(a.shape[k], a.shape)], {"axis": k}))(*(lambda a: (a, g.int(0, a.ndim - 1)))(g.a(least=1))))
add("compress", lambda g: (lambda a: ([g.raw("bool", g.int(0, 3)), a], g.some(axis=lambda: g.axis(a))))(g.a()))
add("choose", lambda g: ([g.raw("uint8", (3,), False) % 3, [g.a(shape=(3,)), g.a(shape=(3,)), g.a(shape=())]], g.some(mode=lambda: g.one(["wrap", "clip"]))))
add("select", lambda g: (lambda a: ([[g.mask(a), g.mask(a)], [a, g.like(a)]], g.some(default=lambda: g.one([0, 7, 2.5]))))(g.a(least=1)))
add("bincount", lambda g: ([g.raw("uint8", (5,), False) % 9], g.some(minlength=lambda: g.one([0, 4, 12]), weights=lambda: g.raw("float64", (5,), False))))
add("histogram", lambda g: ([g.a(["float64", "int64", "float32"], special=False), g.one([4, 10, [0, 1, 2], [-4, 0, 4.5]])], g.some(density=g.flag, range=(-5, 5))), ulps=64)

# manipulation

add("reshape", lambda g: (lambda a: ([a, g.one([-1, (-1, 1), (1, -1), a.size, np.shape(a)[::-1], (3, 2), (2, -1)])], g.some(order=lambda: g.one(["C", "F", "A"]))))(g.a()))
add("ravel", lambda g: ([g.a()], g.some(order=lambda: g.one(["C", "F", "A", "K"]))))
add("transpose", lambda g: (lambda a: ([a] + ([tuple(int(i) for i in g.r.permutation(np.ndim(a)))] if g.flag() else []), {}))(g.a()))
add("moveaxis", lambda g: (lambda a: ([a, g.axis(a), g.axis(a)], {}))(g.a(least=1)))
add("swapaxes", lambda g: (lambda a: ([a, g.axis(a), g.axis(a)], {}))(g.a(least=1)))
add("squeeze", lambda g: (lambda a: ([a], g.some(axis=lambda: g.axes(a))))(g.a()))
add("expand_dims", lambda g: ([g.a(), g.one([0, -1, 1, (0, 1), (0, 0), 7])], {}))
add("flip", lambda g: (lambda a: ([a], g.some(axis=lambda: g.axes(a))))(g.a()))
add("fliplr flipud atleast_1d atleast_2d atleast_3d diagflat", lambda g: ([g.a()], {}))
add("rot90", lambda g: ([g.a(), g.int(-3, 4)], g.some(axes=lambda: g.one([(0, 1), (1, 0), (0, 0), (1, 2)]))))
add("roll", lambda g: (lambda a: ([a, g.int(-9, 9)], g.some(axis=lambda: g.axis(a))))(g.a()))
add("repeat", lambda g: (lambda a: ([a, g.one([0, 1, 3, [1, 2, 0]])], g.some(axis=lambda: g.axis(a))))(g.a()))
add("tile", lambda g: ([g.a(), g.one([0, 2, (2, 1), (1, 2, 2), ()])], {}))
add("broadcast_to", lambda g: ([g.a(), g.one([(), (3,), (2, 3), (4, 2, 3), (2, 3, 2), (0, 3)])], {}))
add("concatenate", lambda g: (lambda a: ([[a, g.same(a), g.one([g.same(a), g.a()])]], {**g.some(axis=lambda: g.one([None, g.axis(a)]), dtype=lambda: g.dtype(), casting=lambda: g.one(["safe", "unsafe", "same_kind"]))}))(g.a()))
add("stack", lambda g: (lambda a: ([[a, g.same(a)]], g.some(axis=lambda: g.int(-3, 3))))(g.a()))
add("vstack hstack dstack column_stack", lambda g: (lambda a: ([[a, g.one([g.same(a), g.a()])]], {}))(g.a()))
add("split array_split", lambda g: (lambda a: ([a, g.one([1, 2, 3, [1], [1, 2], [0, 5]])], g.some(axis=lambda: g.axis(a))))(g.a(least=1)))
add("append", lambda g: (lambda a: ([a, g.one([g.same(a), 3])], g.some(axis=lambda: g.axis(a))))(g.a()))
add("delete", lambda g: (lambda a: ([a, g.one([0, -1, 1, [0, 1], [], slice(0, 2), 9])], g.some(axis=lambda: g.axis(a))))(g.a(least=1)))
add("insert", lambda g: (lambda a: ([a, g.one([0, 1, -1, [0, 1]]), g.one([5, 2.5, True])], g.some(axis=lambda: g.axis(a))))(g.a(least=1)))
add("resize", lambda g: ([g.a(), g.one([(2, 3), 5, (0,), (3, 1, 2)])], {}))
add("pad", lambda g: ([g.a(NUMBERS, least=1, special=False), g.one([0, 1, 2, (1, 0), (0, 2)])], {"mode": g.one(["constant", "edge", "wrap", "reflect", "symmetric", "maximum", "minimum", "empty"][:7])}))
add("tril triu", lambda g: ([g.a(least=1), g.int(-2, 2)], {}))
add("diag diagonal trace", lambda g: ([g.a(least=1), g.int(-2, 2)], {}), ulps=16)
add("meshgrid", lambda g: ([g.a(most=1), g.a(most=1)], g.some(indexing=lambda: g.one(["xy", "ij"]), sparse=g.flag)))
add("ediff1d", lambda g: ([g.a(NUMBERS, special=False)], {}))
add("diff", lambda g: (lambda a: ([a], g.some(n=lambda: g.int(0, 3), axis=lambda: g.axis(a))))(g.a(special=False)))
add("gradient", lambda g: ([g.a(["float32", "float64", "int64", "complex128"], least=1, special=False)], g.some(edge_order=lambda: g.one([1, 2]))), ulps=32)
add("trapezoid", lambda g: (lambda a: ([a], g.some(axis=lambda: g.axis(a), dx=lambda: 0.5)))(g.a(INEXACT, least=1, special=False)), ulps=64)
add("interp", lambda g: ([g.a(["float64", "int64"]), np.arange(4.0), g.raw("float64", (4,), False)], {}), ulps=16)
add("round", lambda g: ([g.a(special=False), g.int(-1, 3)], {}), ulps=4)
add("nan_to_num isreal iscomplex real imag angle fix isposinf isneginf sinc", lambda g: ([g.a(FLOATS + INTEGERS if g.flag() else INEXACT)], {}), ulps=16)
add("array_equal array_equiv", lambda g: (lambda a: ([a, g.one([a, g.like(a)])], {}))(g.a()))
add("allclose isclose", lambda g: (lambda a: ([a, g.like(a, INEXACT + INTEGERS)], g.some(equal_nan=g.flag, rtol=lambda: 0.5)))(g.a(INEXACT + INTEGERS)))
add("packbits", lambda g: (lambda a: ([a], g.some(axis=lambda: g.axis(a), bitorder=lambda: g.one(["big", "little"]))))(g.a(["bool", "uint8"], least=1)))
add("unpackbits", lambda g: (lambda a: ([a], g.some(axis=lambda: g.axis(a), count=lambda: g.int(0, 8))))(g.a(["uint8"], shape=g.one([(3,), (2, 3), (1, 2)]))))
add("unravel_index", lambda g: ([g.index(6, g.one([(), (3,), (2, 2)])) % 7, g.one([(2, 3), (6,), (3, 2, 1)])], g.some(order=lambda: g.one(["C", "F"]))))
add("trim_zeros", lambda g: ([g.a(most=1, least=1)], g.some(trim=lambda: g.one(["f", "b", "fb"]))))

# products

add("dot matmul inner", lambda g: (lambda a: ([a, g.one([g.like(a, special=False), g.a(special=False), a.T])], {}))(g.a(special=False)), ulps=512)
add("vdot outer", lambda g: ([g.a(special=False), g.a(special=False)], {}), ulps=512)
add("kron", lambda g: ([g.a(most=2, special=False), g.a(most=2, special=False)], {}), ulps=64)
add("tensordot", lambda g: ([g.a(shape=(2, 3, 2), special=False), g.a(shape=g.one([(2, 3), (3, 2), (2, 3, 2)]), special=False)], {"axes": g.one([0, 1, 2, ([1], [0]), ([0, 1], [1, 0])])}), ulps=512)
add("cross", lambda g: ([g.a(NUMBERS, shape=g.one([(3,), (2, 3)]), special=False), g.a(NUMBERS, shape=(3,), special=False)], {}), ulps=64)
add("convolve correlate", lambda g: ([g.a(shape=g.one([(3,), (7,), (1,)]), special=False), g.a(shape=g.one([(2,), (4,)]), special=False)], g.some(mode=lambda: g.one(["full", "same", "valid"]))), ulps=512)
add("einsum", lambda g: [(lambda s, *shapes: ([s, *[g.a(NUMBERS, shape=x, special=False) for x in shapes]], {}))(*c) for c in [g.one(
    [("ij,jk->ik", (2, 3), (3, 2)), ("ii", (3, 3)), ("ii->i", (3, 3)), ("ij->ji", (2, 3)), ("ij,ij->", (2, 3), (2, 3)), ("i,j->ij", (3,), (2,)), ("ij,j", (2, 3), (3,)),
     ("ijk->k", (2, 3, 2)), ("ij,jk", (2, 3), (2, 3)), ("bij,bjk->bik", (2, 2, 3), (2, 3, 2))])]][0], ulps=512)
add("vander", lambda g: ([g.a(NUMBERS, shape=(3,), special=False)], g.some(N=lambda: g.int(0, 4), increasing=g.flag)), ulps=64)
add("cov corrcoef", lambda g: ([g.a(["float64", "int64", "float32"], shape=g.one([(7,), (3, 3), (2, 3)]), special=False)], {}), ulps=4096)
add("polyval", lambda g: ([g.a(NUMBERS, shape=(3,), special=False), g.a(NUMBERS, special=False)], {}), ulps=64)

# creation

add("arange", lambda g: ([g.one([0, 1, 2.5, -3]), g.one([5, 2, 7.25])] + ([g.one([1, 2, 0.5, -1, 0])] if g.flag() else []), g.some(dtype=lambda: g.dtype(NUMBERS))))
add("linspace", lambda g: ([g.one([0, 1.5, -2]), g.one([1, 3, 2j]), g.int(0, 7)], g.some(endpoint=g.flag, retstep=g.flag, dtype=lambda: g.dtype(INEXACT))), ulps=16)
add("zeros ones", lambda g: ([g.one(SHAPES + [3, -1])], g.some(dtype=g.dtype)))
add("full", lambda g: ([g.one(SHAPES), g.literal()], g.some(dtype=g.dtype)))
add("zeros_like ones_like", lambda g: ([g.a()], g.some(dtype=g.dtype, shape=lambda: g.one(SHAPES))))
add("full_like", lambda g: ([g.a(), g.literal()], g.some(dtype=g.dtype)))
add("eye", lambda g: ([g.int(0, 4)], g.some(M=lambda: g.int(0, 4), k=lambda: g.int(-3, 3), dtype=g.dtype)))
add("tri", lambda g: ([g.int(0, 4)], g.some(M=lambda: g.int(0, 4), k=lambda: g.int(-3, 3), dtype=g.dtype)))
add("indices", lambda g: ([g.one([(2,), (2, 3), (0, 2), (1, 2, 3)])], g.some(dtype=lambda: g.dtype(NUMBERS), sparse=g.flag)))
add("asarray array ascontiguousarray asfortranarray copy", lambda g: ([g.a()], {}))
add("can_cast", lambda g: ([g.dtype(), g.dtype()], g.some(casting=lambda: g.one(["no", "equiv", "safe", "same_kind", "unsafe"]))))
add("result_type", lambda g: ([g.one([g.a(), g.literal(), g.dtype()]) for _ in range(g.int(1, 3))], {}))

# in place

add("put", lambda g: (lambda a: ([a.copy(), g.index(a.size, (2,)), g.one([7, [1, 2]])], g.some(mode=lambda: g.one(["wrap", "clip"]))))(g.a(least=1)), in_place=True)
add("place", lambda g: (lambda a: ([a.copy(), g.raw("bool", a.shape), [1, 2]], {}))(g.a(least=1)), in_place=True)
add("putmask", lambda g: (lambda a: ([a.copy(), g.raw("bool", a.shape), g.one([[1, 2], 3])], {}))(g.a(least=1)), in_place=True)
add("copyto", lambda g: (lambda a: ([a.copy(), g.like(a)], g.some(where=lambda: g.mask(a), casting=lambda: g.one(["unsafe", "same_kind"]))))(g.a(least=1)), in_place=True)
add("fill_diagonal", lambda g: ([g.raw(g.one(DTYPES), g.one([(3, 3), (2, 3), (2, 2, 2), (2, 3, 2)])), g.one([7, 2.5, [1, 2]])], {}), in_place=True)
add("put_along_axis", lambda g: (lambda a, k: ([a.copy(), g.index(a.shape[k], a.shape), 3, k], {}))(*(lambda a: (a, g.int(0, a.ndim - 1)))(g.a(least=1))), in_place=True)


# ---- methods and operators of arrays: name -> function of (module, array) and maker ----

def entry_index(g, n):
    return g.one([0, -1, n - 1, slice(None), slice(None, None, -1), slice(1, None), slice(None, None, 2), slice(5, 0, -2), slice(0, 0), None, Ellipsis, n + 1])


def index_of(g, shape):
    """An index of any kind."""
    how = g.int(0, 6)
    if how == 0:
        return g.raw("bool", shape)
    if how == 1 and shape:
        return g.index(shape[0], g.one([(), (2,), (2, 2), (0,)]))
    if how == 2 and shape:
        return tuple(g.index(n, (2,)) for n in shape[:g.int(1, len(shape))])
    if how == 3 and len(shape) > 1:
        return (slice(None), g.index(shape[1], (2,)))
    if how == 4 and shape:
        return (g.raw("bool", shape[:1]), *[entry_index(g, n) for n in shape[1:]])
    made = [entry_index(g, n) for n in shape[:g.int(0, len(shape))]]
    return tuple(made)


def getitem(module, a, key):
    return a[key]


def setitem(module, a, key, value):
    a[key] = value


def shared(f):
    """A function's result, and whether it lies on the memory of its first argument."""
    def call(module, a, *rest, **options):
        if module is np:
            a = np.asarray(a)  # scalars have memory of their own for each question
        result = f(module, a, *rest, **options)
        return result, module.shares_memory(a, result)
    return call


def method(name):
    return lambda module, a, *rest, **options: getattr(a, name)(*rest, **options)


def function(name):
    return lambda module, *args, **options: getattr(module, name)(*args, **options)


OWN = {
    "getitem": (getitem, lambda g: (lambda a: ([a, index_of(g, a.shape)], {}))(g.a(least=1)), 0, False),
    "getitem_view": (shared(getitem), lambda g: (lambda a: ([a, index_of(g, a.shape)], {}))(g.a(least=1)), 0, False),
    "setitem": (setitem, lambda g: (lambda a: ([a.copy(), index_of(g, a.shape), g.one([7, 2.5, True, g.a(shape=(2,)), g.a(shape=())])], {}))(g.a(least=1)), 0, True),
    "astype": (method("astype"), lambda g: ([g.a(REAL, special=False), g.dtype()], {}), 0, False),
    "view_of_reshape": (shared(function("reshape")), TABLE["reshape"][0], 0, False),
    "view_of_ravel": (shared(function("ravel")), TABLE["ravel"][0], 0, False),
    "view_of_transpose": (shared(function("transpose")), TABLE["transpose"][0], 0, False),
    "view_of_broadcast_to": (shared(function("broadcast_to")), TABLE["broadcast_to"][0], 0, False),
    "view_of_squeeze": (shared(function("squeeze")), TABLE["squeeze"][0], 0, False),
    "view_of_flip": (shared(function("flip")), lambda g: (lambda a: ([a], g.some(axis=lambda: g.axis(a))))(g.a(least=1)), 0, False),
    "view_of_expand_dims": (shared(function("expand_dims")), TABLE["expand_dims"][0], 0, False),
    "view_of_asarray": (shared(function("asarray")), TABLE["asarray"][0], 0, False),
    "view_of_ascontiguousarray": (shared(function("ascontiguousarray")), TABLE["asarray"][0], 0, False),
    "view_of_real": (shared(function("real")), lambda g: ([g.a(least=1)], {}), 0, False),
    "view_of_imag": (shared(function("imag")), lambda g: ([g.a(["complex64", "complex128"], least=1)], {}), 0, False),
    "view_of_diagonal": (shared(function("diagonal")), lambda g: ([g.a(least=2)], {}), 0, False),
    "view_of_rot90": (shared(function("rot90")), lambda g: ([g.a(least=2), g.int(0, 3)], {}), 0, False),
    "view_of_moveaxis": (shared(function("moveaxis")), TABLE["moveaxis"][0], 0, False),
    "view_of_swapaxes": (shared(function("swapaxes")), TABLE["swapaxes"][0], 0, False),
    "view_of_atleast_3d": (shared(function("atleast_3d")), lambda g: ([g.a(least=1)], {}), 0, False),
    "tolist": (method("tolist"), lambda g: ([g.a(least=0)], {}), 0, False),
    "item": (method("item"), lambda g: ([g.a(least=1)] + ([g.int(-3, 3)] if g.flag() else []), {}), 0, False),
    "strides": (lambda module, a: [s for s, n in zip(module.transpose(a).strides, a.shape[::-1]) if n > 1 and a.size], lambda g: ([g.a(least=1)], {}), 0, False),
}
for _name in ["sum", "prod", "max", "min", "mean", "all", "any", "cumsum", "argmax", "argmin"]:
    OWN["method_" + _name] = (method(_name), TABLE[_name][0], TABLE[_name][1], False)
for _name in ["reduce", "accumulate"]:
    def _make(g):
        a = g.a(least=1)
        return [g.one(["add", "multiply", "maximum", "minimum", "logical_or", "bitwise_and", "subtract", "hypot", "logaddexp", "gcd", "fmax"]), a], g.some(axis=lambda: g.axis(a))
    OWN["ufunc_" + _name] = ((lambda which: lambda module, name, a, **o: getattr(getattr(module, name), which)(a, **o))(_name), _make, 512, False)
for _symbol in ["add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor", "matmul", "lt", "ge", "eq", "ne"]:
    def _make(g):
        a = g.a(least=0, special=False)
        return [a, g.like(a, special=False) if g.flag() else g.literal()], {}
    OWN["operator_" + _symbol] = ((lambda s: lambda module, a, b: s(a, b))(getattr(operator, {"and": "and_", "or": "or_"}.get(_symbol, _symbol))), _make, 64, False)
for _symbol in ["iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "iand", "ior", "ixor"]:
    def _make(g):
        a = g.a(least=1, special=False).copy()
        return [a, g.like(a, special=False) if g.flag() else g.literal()], {}
    def _call(s):
        def call(module, a, b):
            s(a, b)
        return call
    OWN["operator_" + _symbol] = (_call(getattr(operator, _symbol)), _make, 64, True)

NAMES = sorted(set(TABLE) - {n for n in TABLE if not hasattr(nj, n) or not hasattr(np, n)}) + sorted(OWN)


# ---- where numjit is known to differ: what a line says here, and nothing else, is not compared ----

def is_huge(x):
    return type(x) is int and not -2**63 <= x < 2**64


def known(case):
    """Why a case is not compared; empty if it is."""
    arrays = [a for a in case.args if isinstance(a, (np.ndarray, np.generic))]
    options = case.kwargs
    if any(map(is_huge, case.args)):
        return "integers beyond 64 bits are an OverflowError, also where NumPy makes a float of them"
    if case.name.split("_")[-1] in ("sum", "prod") and not all(np.isfinite(a).all() for a in arrays[:1]) and options.get("dtype", np.dtype(bool)).kind == "c":
        return "the imaginary part of infinities"
    if case.name == "operator_matmul" and any(np.ndim(a) == 0 for a in case.args):
        return "a scalar of NumPy's is an array of numjit's here: its text names it so"
    if case.name == "result_type" and len(case.args) == 1 and type(case.args[0]) is int and case.args[0] >= 2 ** 63:
        return "NumPy's unsigned long long, which numjit has as its unsigned long"
    if case.name == "ufunc_reduce" and case.args[0] == "multiply" and not np.isfinite(case.args[1]).all():
        return "NumPy multiplies by 1, which infinities of complex dtypes don't stand"
    if case.name == "copyto" and not all(np.isfinite(a).all() for a in arrays):
        return "what NaN becomes as an integer is nobody's promise"
    if "dtype" in options and options["dtype"].kind in "iu" and any(a.dtype.kind in "fc" and not np.isfinite(a).all() for a in arrays):
        return "what NaN becomes as an integer is nobody's promise"
    if options.get("out") is not None and case.name.split("_")[-1] in ("max", "min", "amax", "amin", "sum", "prod") and arrays and \
            not np.can_cast(arrays[0].dtype, options["out"].array.dtype):
        return "a reduction into a dtype that cannot hold its values: NumPy casts between its steps"
    if case.name.split("_")[-1] in ("cumprod", "cumsum", "prod", "sum") and "cum" in case.name and np.float16 in (
            options.get("dtype"), arrays[0].dtype):
        return "scans of float16 are rounded once"
    if case.name == "view_of_ravel" and not arrays[0].flags.c_contiguous:
        return "ravel gives a view where the axes can be merged"
    return ""


# ---- cases ----

class Case:
    """One call: `Case(seed, number)` is always the same."""

    def __init__(self, seed, number, name=None):
        g = Makers([seed, number])
        self.seed, self.number = seed, number
        self.name = name or NAMES[int(g.r.integers(len(NAMES)))]
        if self.name in OWN:
            self.call, make, self.ulps, self.in_place = OWN[self.name]
        else:
            make, self.ulps, self.in_place = TABLE[self.name]
            self.call = function(self.name)
        self.args, self.kwargs = make(g)

    def run(self):
        """What differs; empty if nothing does. The class of the error and the start of its text count too."""
        return compare_call(self.call, self.args, self.kwargs, self.ulps, self.in_place)

    def text(self):
        """The call as a line of Python."""
        parts = [code(a) for a in self.args] + [f"{k}={code(v)}" for k, v in self.kwargs.items()]
        return f"{self.name}({', '.join(parts)})"

    def smaller(self):
        """The same with fewer options and smaller arrays, as long as it differs."""
        changed = True
        while changed:
            changed = False
            for key in list(self.kwargs):
                if key == "out" and "where" in self.kwargs:
                    continue  # without out= what the mask leaves out is undefined
                kept = self.kwargs.pop(key)
                if self.run():
                    changed = True
                else:
                    self.kwargs[key] = kept
            for i, a in enumerate(self.args):
                if not isinstance(a, np.ndarray):
                    continue
                for less in smaller_arrays(a):
                    self.args[i] = less
                    if self.run():
                        changed = True
                        break
                    self.args[i] = a
        return self


def smaller_arrays(a):
    if a.ndim and not a.flags.c_contiguous:
        yield a.copy()
    for axis in range(a.ndim):
        if a.shape[axis] > 1:
            yield a[(slice(None),) * axis + (slice(0, a.shape[axis] - 1),)].copy()
            yield a[(slice(None),) * axis + (slice(1, None),)].copy()
    if a.ndim and a.size == 1:
        yield a.reshape(()).copy()


def copied(x):
    """Own memory for each library, the layout kept."""
    if isinstance(x, Out):
        return x.array.copy()
    return x


def compare_call(call, args, kwargs, ulps=4, in_place=False):
    theirs, ours = [copied(a) for a in args], [copied(a) for a in args]
    if in_place:
        theirs[0], ours[0] = args[0].copy(), args[0].copy()
    their_options, our_options = {k: copied(v) for k, v in kwargs.items()}, {k: to_numjit(copied(v)) for k, v in kwargs.items()}
    our_args = to_numjit(ours)
    kind, expected = outcome(lambda: call(np, *theirs, **their_options))
    got_kind, got = outcome(lambda: call(nj, *our_args, **our_options))
    if kind == "error":
        return error_difference(got_kind, got, expected)
    if got_kind == "error":
        return f"{type(got).__name__}: {got}; expected {expected!r}"
    coarse = precision(args)
    if "out" in kwargs:  # small integers are computed in small floats
        coarse = max(coarse, precision([np.empty(0, np.result_type(a, np.float16)) for a in args if isinstance(a, (np.ndarray, np.generic)) and a.dtype.kind in "biu"]))
    coarse = max(coarse, precision([np.empty(0, v) for v in kwargs.values() if isinstance(v, np.dtype)]))
    if "out" in kwargs and got is not our_options["out"]:
        return "the result is not the out= array"
    if isinstance(got, nj.dtype):
        got = np.dtype(got.name)
    found = difference(to_numpy(got), expected, ulps, coarse, floor=ulps)
    if not found and in_place:
        found = difference(np.asarray(our_args[0]), theirs[0], ulps, coarse)
        return found and "in place: " + found
    return found


def error_difference(got_kind, got, expected):
    wanted = next((b for b in BUILTIN if isinstance(expected, b)), Exception)
    if got_kind != "error":
        return f"no error, expected {type(expected).__name__}: {expected}"
    if wrong_twice(got, expected):
        return ""
    if isinstance(got, wanted):
        return text_difference(got, expected)
    return f"{type(got).__name__}: {got}; expected {type(expected).__name__}: {expected}"


def wrong_twice(got, expected):
    """A call with two faults: either may be found first."""
    def kind(e):
        text = str(e)
        return "cast" if re.search(r"[Cc]annot cast|No loop matching", text) else "range" if isinstance(e, (OverflowError, IndexError)) else \
            "shape" if re.search("broadcast|dimension", text) else ""
    return len({kind(got), kind(expected)} - {""}) == 2


def code(x):
    if isinstance(x, Out):
        return code(x.array)
    if isinstance(x, np.generic):
        return f"np.{x.dtype.name}({x.item()!r})" if x.dtype != bool else f"np.bool({x!s})"
    if isinstance(x, np.ndarray):
        return f"np.array({x.tolist()!r}, '{x.dtype}')" if x.size else f"np.empty({x.shape}, '{x.dtype}')"
    if isinstance(x, np.dtype):
        return f"np.dtype('{x.name}')"
    if isinstance(x, (list, tuple)):
        inside = ", ".join(map(code, x))
        return f"[{inside}]" if isinstance(x, list) else f"({inside}{',' if len(x) == 1 else ''})"
    return repr(x)


def run_cases(seed, cases=math.inf, seconds=math.inf, only=None, most=100):
    """Runs cases until one limit is reached; (number of compared cases, lines about what differs)."""
    start, number, compared, wrong, seen = time.monotonic(), 0, 0, [], {}
    while number < cases and (number % 64 or time.monotonic() - start < seconds):
        case = Case(seed, number, only)
        found = "" if known(case) else case.run()
        compared += not known(case)
        if found:
            seen[case.name] = seen.get(case.name, 0) + 1
            if seen[case.name] <= 1 and len(wrong) < most:
                small = Case(seed, number, only).smaller()
                wrong.append(f"seed {seed} case {number}: {small.text()}\n    {small.run()}"[:1200])
        number += 1
    if seen:
        wrong.append(f"{sum(seen.values())} of {compared} cases differ: {seen}")
    return compared, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--case", type=int, default=None, help="only this case")
    parser.add_argument("--only", choices=NAMES, metavar="NAME", help="only this function")
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else time.time_ns() % 1000000007
    if given.case is not None:
        case = Case(seed, given.case, given.only)
        print(case.text())
        sys.exit(case.run())
    number, wrong = run_cases(seed, seconds=given.seconds, only=given.only)
    print(f"seed {seed}: {number} cases of {len(NAMES)} functions in {given.seconds:g} s", flush=True)
    sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
