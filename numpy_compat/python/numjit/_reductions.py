"""Reductions, scans and statistics."""
import builtins
import math
import operator
import os
import sys
import warnings

from . import _core as C
from ._creation import asarray
from ._ufuncs import _NOT_GIVEN, _axes, _of_vectors, _target, _where, by_name, clip
from ._quick import quick


def _mask(where):
    return None if where is _NOT_GIVEN or where is True or where is None else C.mask(where)


def _reduce(name, a, axis, dtype, out, keepdims, initial, where):
    if isinstance(out, tuple):
        out, = out
    out = _target(out)
    keepdims = False if keepdims is _NOT_GIVEN else keepdims
    return C.reduce(name, asarray(a), _axis_list(axis), dtype, out, builtins.bool(keepdims),
                    None if initial is _NOT_GIVEN else initial, _mask(where))


def _axis_list(axis):
    """Axes as ufuncs take them: one, or a tuple."""
    if isinstance(axis, tuple):
        return list(axis)
    return axis if axis is None or isinstance(axis, (builtins.int, builtins.bool)) else operator.index(axis)


def _any_axes(axis):
    """Axes of functions that sort, and of averages: lists, too."""
    return list(axis) if isinstance(axis, tuple) else axis


@quick("sum")
def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=_NOT_GIVEN, where=True):
    """Sum over axes."""
    return _reduce("sum", a, axis, dtype, out, keepdims, initial, where)


@quick("prod")
def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=_NOT_GIVEN, where=True):
    """Product over axes."""
    return _reduce("prod", a, axis, dtype, out, keepdims, initial, where)


@quick("max")
def max(a, axis=None, out=None, keepdims=False, initial=_NOT_GIVEN, where=True):
    """Largest element; NaN wins."""
    return _reduce("max", a, axis, None, out, keepdims, initial, where)


@quick("min")
def min(a, axis=None, out=None, keepdims=False, initial=_NOT_GIVEN, where=True):
    """Smallest element; NaN wins."""
    return _reduce("min", a, axis, None, out, keepdims, initial, where)


@quick("any")
def any(a, axis=None, out=None, keepdims=False, *, where=True):
    """Is any element true?"""
    return _reduce("any", a, axis, None, out, keepdims, _NOT_GIVEN, where)


@quick("all")
def all(a, axis=None, out=None, keepdims=False, *, where=True):
    """Are all elements true?"""
    return _reduce("all", a, axis, None, out, keepdims, _NOT_GIVEN, where)


amax, amin = max, min
_of_vectors.update(add=sum, multiply=prod, maximum=max, minimum=min)


_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def _warn(text):
    """Of the line that called into the package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, RuntimeWarning, stacklevel=level)


def _count(a, axis):
    """How many elements go into each result."""
    if axis is None:
        return a.size
    return math.prod(a.shape[i] for i in (axis if isinstance(axis, (tuple, list)) else (axis,)) if -a.ndim <= i < a.ndim)


def _warn_of_empty(a, axis, text="Mean of empty slice"):
    """NumPy's warning where nothing goes into a result. Not while a graph is recorded, which may end for a length."""
    if not a._is_lazy and a.size == 0 and _count(a, axis) == 0:
        _warn(text)


def _warn_of_degrees(a, axis, ddof, where):
    if where is True and not a._is_lazy and ddof >= _count(a, axis):
        _warn("Degrees of freedom <= 0 for slice")


def _warn_of_nan(made, a, axis, text, ddof=0, each=False):
    """NumPy's warning where no element of a result is a number, or too few for a variance: looked at if the result is NaN, and
    not while a graph is recorded, which would end for it. `each`: as often as there are such results."""
    if a.dtype.kind not in "fc" or made._is_lazy or C.is_compiling() or made.device != "cpu":
        return made
    isnan = by_name["isnan"]
    if builtins.bool(isnan(made) if made._is_scalar else C.reduce("any", isnan(made), None, None, None, False, None, None)):
        numbers = C.reduce("sum", by_name["logical_not"](isnan(a)), _axis_list(axis), C.int64, None, False, None, None)
        too_few = C.reduce("sum", numbers <= ddof, None, C.int64, None, False, None, None).item()
        for _ in range(too_few if each else builtins.min(too_few, 1)):
            _warn(text)
    return made


def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """Arithmetic mean."""
    a = asarray(a)
    _warn_of_empty(a, axis)
    return C.mean(a, _axis_list(axis), dtype, _target(out), builtins.bool(keepdims), _mask(where))


def _ddof(ddof, correction):
    if correction is _NOT_GIVEN:
        return float(ddof)
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return float(correction)


def _mean(mean):
    return None if mean is None or mean is _NOT_GIVEN else mean if isinstance(mean, (builtins.int, builtins.float, builtins.complex)) else asarray(mean)


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=_NOT_GIVEN):
    """Variance: mean of the squared distances from the mean."""
    a, ddof = asarray(a), _ddof(ddof, correction)
    _warn_of_degrees(a, axis, ddof, where)
    return C.var(False, a, _axis_list(axis), dtype, _target(out), ddof, builtins.bool(keepdims), _mask(where),
                 _mean(mean))


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=_NOT_GIVEN):
    """Standard deviation: the square root of var."""
    a, ddof = asarray(a), _ddof(ddof, correction)
    _warn_of_degrees(a, axis, ddof, where)
    return C.var(True, a, _axis_list(axis), dtype, _target(out), ddof, builtins.bool(keepdims), _mask(where),
                 _mean(mean))


def _arg(name, a, axis, out, keepdims):
    keepdims = False if keepdims is _NOT_GIVEN else builtins.bool(keepdims)
    return C.argreduce(name, asarray(a), axis, _target(out, "output must be an array"), keepdims)


@quick("argmax")
def argmax(a, axis=None, out=None, *, keepdims=False):
    """Index of the first largest element."""
    return _arg("argmax", a, axis, out, keepdims)


@quick("argmin")
def argmin(a, axis=None, out=None, *, keepdims=False):
    """Index of the first smallest element."""
    return _arg("argmin", a, axis, out, keepdims)


def cumsum(a, axis=None, dtype=None, out=None):
    """Running sum."""
    return C.scan("cumsum", asarray(a), axis, dtype, _target(out, "output must be an array"))


def cumprod(a, axis=None, dtype=None, out=None):
    """Running product."""
    return C.scan("cumprod", asarray(a), axis, dtype, _target(out, "output must be an array"))


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Running sum along an axis."""
    x = asarray(x)
    out = _target(out, "output must be an array")
    return C.cumulative_sum(C.reshape(x, 1) if x.ndim == 0 else x, axis, dtype, out, builtins.bool(include_initial))


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Running product along an axis."""
    x = asarray(x)
    out = _target(out, "output must be an array")
    return C.cumulative_prod(C.reshape(x, 1) if x.ndim == 0 else x, axis, dtype, out, builtins.bool(include_initial))


def ptp(a, axis=None, out=None, keepdims=False):
    """Largest minus smallest element."""
    return C.ptp(asarray(a), _axis_list(axis), _target(out), builtins.bool(keepdims))


def count_nonzero(a, axis=None, *, keepdims=False):
    """Number of elements that are not zero."""
    a = asarray(a)
    if axis is None and not keepdims:
        return C.count_nonzero(a, None)
    hits = a if a.dtype.kind == "b" else by_name["not_equal"](a, 0)
    return C.reduce("sum", hits, _axis_list(axis), C.int64, None, builtins.bool(keepdims), None, None)


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """Mean weighted by weights."""
    a, weights = asarray(a), None if weights is None else asarray(weights)
    _axes(axis, a.ndim, "repeated axis in `axis` argument")
    if weights is None:
        _warn_of_empty(a, axis)
    return C.average(a, _any_axes(axis), weights, builtins.bool(keepdims), builtins.bool(returned))


# ---- order statistics ----

def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """Middle element of the sorted values, the mean of the two middle ones for an even count."""
    a = asarray(a)
    _warn_of_empty(a, axis)
    return C.median(a, _any_axes(axis), _target(out), builtins.bool(keepdims))


def _quantile(name, a, q, axis, out, method, keepdims, weights, interpolation):
    if interpolation is not None:
        raise TypeError(f"{name}() got an unexpected keyword argument 'interpolation'")
    a, out = asarray(a), _target(out)
    if a.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    q = q if C.is_weak(q) and not isinstance(q, builtins.bool) else asarray(q)
    if not C.is_weak(q) and q.dtype.kind == "b":  # the ends
        q = q.astype(C.int64)
    made = getattr(C, name)(a, q, _any_axes(axis), None, method, builtins.bool(keepdims),
                            None if weights is None else asarray(weights))
    if name.startswith("nan") and a.size:
        _warn_of_nan(made, a, axis, "All-NaN slice encountered")
    if out is None:
        return made
    if not C.can_cast(made.dtype, asarray(out).dtype, "same_kind"):
        raise TypeError(f"Cannot cast ufunc 'add' output from {made.dtype!r} to {asarray(out).dtype!r} with casting rule 'same_kind'")
    C.store(asarray(out), made, None)
    return out


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None,
             interpolation=None):
    """q-th quantiles, 0 <= q <= 1."""
    return _quantile("quantile", a, q, axis, out, method, keepdims, weights, interpolation)


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None,
               interpolation=None):
    """q-th percentiles, 0 <= q <= 100."""
    return _quantile("percentile", a, q, axis, out, method, keepdims, weights, interpolation)


# ---- without NaN ----

def _nan(name, a, axis, dtype, out, keepdims, initial, where):
    keepdims = False if keepdims is _NOT_GIVEN else builtins.bool(keepdims)
    given, a = a, asarray(a)
    made = getattr(C, name)(a, _axis_list(axis), dtype, _target(out), keepdims,
                            None if initial is _NOT_GIVEN else initial, _mask(where))
    text = _NAN_TEXTS.get(name)
    if text == _ALL_NAN and given is not a:  # NumPy's word where it makes an array of the argument first
        text = "All-NaN axis encountered"
    return made if text is None or where is not _NOT_GIVEN and where is not True else _warn_of_nan(made, a, axis, text)


_ALL_NAN = "All-NaN slice encountered"
_NAN_TEXTS = {"nanmax": _ALL_NAN, "nanmin": _ALL_NAN, "nanmean": "Mean of empty slice"}


def nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=_NOT_GIVEN, where=True):
    """Sum, NaN counted as 0."""
    return _nan("nansum", a, axis, dtype, out, keepdims, initial, where)


def nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=_NOT_GIVEN, where=True):
    """Product, NaN counted as 1."""
    return _nan("nanprod", a, axis, dtype, out, keepdims, initial, where)


def nancumsum(a, axis=None, dtype=None, out=None):
    """Running sum, NaN counted as 0."""
    return C.nancumsum(asarray(a), axis, dtype, _target(out))


def nancumprod(a, axis=None, dtype=None, out=None):
    """Running product, NaN counted as 1."""
    return C.nancumprod(asarray(a), axis, dtype, _target(out))


def nanmax(a, axis=None, out=None, keepdims=False, initial=_NOT_GIVEN, where=True):
    """Largest element that is not NaN."""
    return _nan("nanmax", a, axis, None, out, keepdims, initial, where)


def nanmin(a, axis=None, out=None, keepdims=False, initial=_NOT_GIVEN, where=True):
    """Smallest element that is not NaN."""
    return _nan("nanmin", a, axis, None, out, keepdims, initial, where)


def nanargmax(a, axis=None, out=None, *, keepdims=False):
    """Index of the first largest element that is not NaN."""
    return C.nanargmax(asarray(a), axis, _target(out), builtins.bool(keepdims))


def nanargmin(a, axis=None, out=None, *, keepdims=False):
    """Index of the first smallest element that is not NaN."""
    return C.nanargmin(asarray(a), axis, _target(out), builtins.bool(keepdims))


def nanmean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """Mean of the elements that are not NaN."""
    return _nan("nanmean", a, axis, dtype, out, keepdims, _NOT_GIVEN, where)


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=_NOT_GIVEN):
    """Variance of the elements that are not NaN."""
    a, ddof = asarray(a), _ddof(ddof, correction)
    made = C.nanvar(a, _axis_list(axis), dtype, _target(out), ddof, builtins.bool(keepdims), _mask(where), _mean(mean))
    return _warn_of_nan(made, a, axis, "Degrees of freedom <= 0 for slice.", ddof) if where is True else made


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=_NOT_GIVEN):
    """Standard deviation of the elements that are not NaN."""
    a, ddof = asarray(a), _ddof(ddof, correction)
    made = C.nanstd(a, _axis_list(axis), dtype, _target(out), ddof, builtins.bool(keepdims), _mask(where), _mean(mean))
    return _warn_of_nan(made, a, axis, "Degrees of freedom <= 0 for slice.", ddof) if where is True else made


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """Median of the elements that are not NaN."""
    a = asarray(a)
    made = C.nanmedian(a, _any_axes(axis), _target(out), builtins.bool(keepdims))
    return _warn_of_nan(made, a, axis, "All-NaN slice encountered" if a.size else "Mean of empty slice", each=a.size > 0)


def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None,
                interpolation=None):
    """Quantiles of the elements that are not NaN."""
    return _quantile("nanquantile", a, q, axis, out, method, keepdims, weights, interpolation)


def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None,
                  interpolation=None):
    """Percentiles of the elements that are not NaN."""
    return _quantile("nanpercentile", a, q, axis, out, method, keepdims, weights, interpolation)


