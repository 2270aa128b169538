"""Reductions, scans and statistics."""
import builtins

from . import _core as C
from ._creation import asarray
from ._ufuncs import _NOT_GIVEN, _axes, _where, by_name, clip
from ._quick import quick


def _mask(where):
    return None if where is _NOT_GIVEN or where is True or where is None else asarray(where)


def _reduce(name, a, axis, dtype, out, keepdims, initial, where):
    if isinstance(out, tuple):
        out, = out
    keepdims = False if keepdims is _NOT_GIVEN else keepdims
    return C.reduce(name, asarray(a), _axis_list(axis), dtype, out, builtins.bool(keepdims),
                    None if initial is _NOT_GIVEN else initial, _mask(where))


def _axis_list(axis):
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


def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """Arithmetic mean."""
    return C.mean(asarray(a), _axis_list(axis), dtype, out, builtins.bool(keepdims), _mask(where))


def _ddof(ddof, correction):
    if correction is _NOT_GIVEN:
        return float(ddof)
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return float(correction)


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=_NOT_GIVEN):
    """Variance: mean of the squared distances from the mean."""
    return C.var(False, asarray(a), _axis_list(axis), dtype, out, _ddof(ddof, correction), builtins.bool(keepdims), _mask(where))


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=_NOT_GIVEN):
    """Standard deviation: the square root of var."""
    return C.var(True, asarray(a), _axis_list(axis), dtype, out, _ddof(ddof, correction), builtins.bool(keepdims), _mask(where))


def _arg(name, a, axis, out, keepdims):
    return C.argreduce(name, asarray(a), axis, out, False if keepdims is _NOT_GIVEN else builtins.bool(keepdims))


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
    return C.scan("cumsum", asarray(a), axis, dtype, out)


def cumprod(a, axis=None, dtype=None, out=None):
    """Running product."""
    return C.scan("cumprod", asarray(a), axis, dtype, out)


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Running sum along an axis."""
    x = asarray(x)
    return C.cumulative_sum(C.reshape(x, 1) if x.ndim == 0 else x, axis, dtype, out, builtins.bool(include_initial))


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Running product along an axis."""
    x = asarray(x)
    return C.cumulative_prod(C.reshape(x, 1) if x.ndim == 0 else x, axis, dtype, out, builtins.bool(include_initial))


def ptp(a, axis=None, out=None, keepdims=False):
    """Largest minus smallest element."""
    return by_name["subtract"](max(a, axis, keepdims=keepdims), min(a, axis, keepdims=keepdims), out=out)


def count_nonzero(a, axis=None, *, keepdims=False):
    """Number of elements that are not zero."""
    return C.reduce("sum", by_name["not_equal"](asarray(a), 0), _axis_list(axis), C.int64, None, builtins.bool(keepdims), None, None)


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """Mean weighted by weights."""
    a = asarray(a)
    if weights is None:
        value = mean(a, axis, keepdims=keepdims)
        scale = asarray(a.size / (value.size or 1)).astype(value.dtype)
    else:
        w = asarray(weights)
        kind = C.result_type(a, w, C.float64) if a.dtype.kind in "biu" else C.result_type(a, w)
        if a.shape != w.shape:
            if axis is None:
                raise TypeError("Axis must be specified when shapes of a and weights differ.")
            axes = _axes(axis, a.ndim, "average")
            if w.shape != tuple(a.shape[i] for i in axes):
                raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
            order = sorted(range(len(axes)), key=lambda i: axes[i])
            w = C.transpose(w, order)
            w = C.reshape(w, tuple(a.shape[i] if i in axes else 1 for i in range(a.ndim)))
        scale = sum(C.broadcast_to(w, a.shape), axis, kind, keepdims=keepdims)
        if builtins.bool((scale == 0).any()):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        value = sum(by_name["multiply"](a, w, dtype=kind), axis, keepdims=keepdims) / scale
    if returned:
        return value, C.copy(C.broadcast_to(scale, value.shape)) if scale.shape != value.shape else scale
    return value


# ---- order statistics ----

def _sorted_along(a, axis, nan=False):
    """The array with the reduced axes last, merged and sorted, and its rank of kept axes."""
    axes = _axes(axis, a.ndim, "")
    rest = [i for i in range(a.ndim) if i not in axes]
    moved = C.transpose(a, rest + list(axes))
    n = 1
    for i in axes:
        n *= a.shape[i]
    moved = C.reshape(moved, tuple(a.shape[i] for i in rest) + (n,))
    return C.sort(moved, -1), axes


def _kept(result, a, axes, keepdims, lead=0):
    if not keepdims:
        return C.as_scalar(result) if result.ndim == 0 else result
    return C.reshape(result, result.shape[:lead] + tuple(1 if i in axes else n for i, n in enumerate(a.shape)))


def _has_nan(s):
    return by_name["isnan"](s[..., -1]) if s.dtype.kind in "fc" and s.shape[-1] else None


def _out(result, out):
    if out is None:
        return result
    C.store(asarray(out), result, None)
    return out


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """Middle element of the sorted values, the mean of the two middle ones for an even count."""
    a = asarray(a)
    s, axes = _sorted_along(a, axis)
    n = s.shape[-1]
    if n == 0:
        return mean(a, axis, out=out, keepdims=keepdims)
    middle = s[..., (n - 1) // 2:n // 2 + 1]
    result = mean(middle, -1)
    if s.dtype.kind in "fc":
        result = _where(_has_nan(s), C.full((), float("nan"), result.dtype), result)
    return _out(_kept(asarray(result), a, axes, keepdims), out)


_CONTINUOUS = {"weibull": lambda n, q: (n + 1) * q - 1, "interpolated_inverted_cdf": lambda n, q: n * q - 1,
               "hazen": lambda n, q: n * q + 0.5 - 1, "linear": lambda n, q: (n - 1) * q,
               "median_unbiased": lambda n, q: n * q + (1 / 3 + q * (1 - 2 / 3)) - 1,
               "normal_unbiased": lambda n, q: n * q + (3 / 8 + q * (1 - 6 / 8)) - 1}
_DISCRETE = ("inverted_cdf", "averaged_inverted_cdf", "closest_observation", "lower", "higher", "midpoint", "nearest")


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None,
             interpolation=None):
    """q-th quantiles, 0 <= q <= 1."""
    weak, a, q = C.is_weak(q), asarray(a), asarray(q)
    if interpolation is not None:
        raise TypeError("quantile() got an unexpected keyword argument 'interpolation'")
    if a.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    if weights is not None:
        return _out(_weighted_quantile(a, q, axis, asarray(weights), method, keepdims), out)
    if a.dtype.kind == "b":
        by_name["subtract"](a, a)
    if q.dtype.kind not in "f":
        q = q.astype(C.float64)
    if not builtins.bool(((q >= 0) & (q <= 1)).all()):
        raise ValueError("Quantiles must be in the range [0, 1]")
    if method not in _CONTINUOUS and method not in _DISCRETE:
        raise ValueError(f"{method!r} is not a valid method. Use one of: {[*_CONTINUOUS, *_DISCRETE]!r}")
    if q.ndim > 2:
        raise ValueError("q must be a scalar or 1d")
    s, axes = _sorted_along(a, axis)
    n = s.shape[-1]
    s = C.moveaxis(s, -1, 0)
    flat = C.ravel(q).astype(C.float64)
    if n == 0:
        made = C.full(q.shape + s.shape[1:], float("nan"), C.result_type(a, 1.0))
        return _out(_kept(made, a, axes, keepdims, q.ndim), out)
    low, high, gamma = _places(method, n, flat)
    lower, upper = s[low], s[high]
    if gamma is None:
        made = lower
    else:
        gamma = C.reshape(gamma, (-1,) + (1,) * (s.ndim - 1))
        gamma = gamma.astype(C.result_type(s.dtype, 1.0) if s.dtype.kind == "f" and weak else C.promote_types(s.dtype, q.dtype))
        lower, upper = (x.astype(gamma.dtype) if x.dtype.kind == "b" else x for x in (lower, upper))
        gap = upper - lower
        made = _where(gamma >= 0.5, upper - gap * (1 - gamma), lower + gap * gamma)
        made = _where(by_name["equal"](lower, upper), lower, made)
    if s.dtype.kind == "f":
        nan = by_name["isnan"](s[-1, ...])
        made = _where(nan, C.full((), float("nan"), made.dtype), made)
    made = C.reshape(made, q.shape + s.shape[1:])
    return _out(_kept(made, a, axes, keepdims, q.ndim), out)


def _checked_weights(w, a, axis):
    """Weights in the shape of the array."""
    if w.shape != a.shape:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        axes = _axes(axis, a.ndim, "")
        if w.shape != tuple(a.shape[i] for i in axes):
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        w = C.transpose(w, sorted(range(len(axes)), key=lambda i: axes[i]))
        w = C.broadcast_to(C.reshape(w, tuple(n if i in axes else 1 for i, n in enumerate(a.shape))), a.shape)
    if builtins.bool(any(w < 0)):
        raise ValueError("Weights must be non-negative.")
    return w


def _weighted_quantile(a, q, axis, w, method, keepdims):
    """Quantiles where elements count as often as their weights say: the first with a share of at least q below or at it."""
    if method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    w = _checked_weights(w, a, axis)
    q = q.astype(C.float64, copy=False)
    if not builtins.bool(((q >= 0) & (q <= 1)).all()):
        raise ValueError("Quantiles must be in the range [0, 1]")
    values, shape, a, axes = _rows(a, axis)
    weights = _rows(w, axis)[0]
    made = C.full((q.size, len(values)), 0, a.dtype)
    for i, (row, counts) in enumerate(zip(values, weights)):
        order = C.argsort(row, 0)
        share = cumsum(counts[order], dtype=C.float64)
        total = share[-1].item()
        if not 0 < total < float("inf"):
            raise ValueError("Weights included NaN, inf or were all zero.")
        share = _where(share == 0, -1.0, share / total)
        at = clip(C.searchsorted(share, C.ravel(q), "left"), 0, row.size - 1)
        made[:, i] = row[order][at]
        if row.dtype.kind == "f" and builtins.bool(by_name["isnan"](row).any()):
            made[:, i] = float("nan")
    return _kept(C.reshape(made, q.shape + shape), a, axes, keepdims, q.ndim)


def _rows(a, axis):
    """The reduced axes as one row for each place of the others, and the shape of these."""
    axes = _axes(axis, a.ndim, "")
    rest = [i for i in range(a.ndim) if i not in axes]
    rows = C.reshape(C.transpose(a, rest + list(axes)), (_count(a.shape[i] for i in rest), _count(a.shape[i] for i in axes)))
    return [rows[i] for i in range(rows.shape[0])], tuple(a.shape[i] for i in rest), a, axes


def _places(method, n, q):
    """Lower and upper index of each quantile, and the weight of the upper one."""
    floor = by_name["floor"]
    gamma = None
    if method in _CONTINUOUS:
        virtual = _CONTINUOUS[method](n, q)
    elif method in ("lower", "higher", "midpoint", "nearest"):
        virtual = (n - 1) * q
        if method == "lower":
            virtual = floor(virtual)
        elif method == "higher":
            virtual = by_name["ceil"](virtual)
        elif method == "nearest":
            virtual = by_name["rint"](virtual)
        else:
            virtual = 0.5 * (floor(virtual) + by_name["ceil"](virtual))
        if method != "midpoint":
            index = C.astype(virtual, C.int64)
            return index, index, None
    elif method == "closest_observation":
        base = n * q - 1 - 0.5
        down = floor(base)
        index = C.astype(clip(_where((base == down) & (down % 2 == 1), down, down + 1), 0, n - 1), C.int64)
        return index, index, None
    else:
        base = n * q
        down = floor(base)
        if method == "inverted_cdf":
            index = C.astype(clip(_where(base == down, down - 1, down), 0, n - 1), C.int64)
            return index, index, None
        virtual = base - 1
        gamma = _where(virtual == floor(virtual), 0.5, 1.0)
    down = floor(virtual)
    if gamma is None:
        gamma = virtual - down
    low = C.astype(clip(down, 0, n - 1), C.int64)
    high = C.astype(clip(down + 1, 0, n - 1), C.int64)
    return low, high, gamma


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None,
               interpolation=None):
    """q-th percentiles, 0 <= q <= 100."""
    if asarray(a).dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    q = q / 100 if C.is_weak(q) else asarray(q) / 100
    if not builtins.bool(((asarray(q) >= 0) & (asarray(q) <= 1)).all()):
        raise ValueError("Percentiles must be in the range [0, 100]")
    return quantile(a, q, axis, out, overwrite_input, method, keepdims, weights=weights)


# ---- without NaN ----

def _nan(name, a, axis, dtype, out, keepdims, initial, where):
    return getattr(C, name)(asarray(a), _axis_list(axis), dtype, out, False if keepdims is _NOT_GIVEN else builtins.bool(keepdims),
                            None if initial is _NOT_GIVEN else initial, _mask(where))


def nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=_NOT_GIVEN, where=True):
    """Sum, NaN counted as 0."""
    return _nan("nansum", a, axis, dtype, out, keepdims, initial, where)


def nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=_NOT_GIVEN, where=True):
    """Product, NaN counted as 1."""
    return _nan("nanprod", a, axis, dtype, out, keepdims, initial, where)


def nancumsum(a, axis=None, dtype=None, out=None):
    """Running sum, NaN counted as 0."""
    return C.nancumsum(asarray(a), axis, dtype, out)


def nancumprod(a, axis=None, dtype=None, out=None):
    """Running product, NaN counted as 1."""
    return C.nancumprod(asarray(a), axis, dtype, out)


def nanmax(a, axis=None, out=None, keepdims=False, initial=_NOT_GIVEN, where=True):
    """Largest element that is not NaN."""
    return _nan("nanmax", a, axis, None, out, keepdims, initial, where)


def nanmin(a, axis=None, out=None, keepdims=False, initial=_NOT_GIVEN, where=True):
    """Smallest element that is not NaN."""
    return _nan("nanmin", a, axis, None, out, keepdims, initial, where)


def nanargmax(a, axis=None, out=None, *, keepdims=False):
    """Index of the first largest element that is not NaN."""
    return C.nanargmax(asarray(a), axis, out, builtins.bool(keepdims))


def nanargmin(a, axis=None, out=None, *, keepdims=False):
    """Index of the first smallest element that is not NaN."""
    return C.nanargmin(asarray(a), axis, out, builtins.bool(keepdims))


def nanmean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """Mean of the elements that are not NaN."""
    return _nan("nanmean", a, axis, dtype, out, keepdims, _NOT_GIVEN, where)


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=_NOT_GIVEN):
    """Variance of the elements that are not NaN."""
    return C.nanvar(asarray(a), _axis_list(axis), dtype, out, _ddof(ddof, correction), builtins.bool(keepdims), _mask(where))


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=_NOT_GIVEN):
    """Standard deviation of the elements that are not NaN."""
    return C.nanstd(asarray(a), _axis_list(axis), dtype, out, _ddof(ddof, correction), builtins.bool(keepdims), _mask(where))


def _nan_rows(function, a, axis, keepdims):
    """A function of 1-D arrays for each row without its NaN."""
    rows, shape, a, axes = _rows(asarray(a), axis)
    values = [function(row[~by_name["isnan"](row)] if row.dtype.kind in "fc" else row) for row in rows]
    return values, shape, a, axes


def _count(lengths):
    n = 1
    for x in lengths:
        n *= x
    return n


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """Median of the elements that are not NaN."""
    values, shape, a, axes = _nan_rows(median, a, axis, keepdims)
    made = C.reshape(asarray([asarray(v) for v in values]) if values else C.full((0,), 0, C.float64), shape)
    return _out(_kept(made, a, axes, keepdims), out)


def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None,
                interpolation=None):
    """Quantiles of the elements that are not NaN."""
    weak, q = q, asarray(q)
    if asarray(a).dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    if weights is not None:
        a = asarray(a)
        w = _checked_weights(asarray(weights), a, axis)
        if a.dtype.kind == "f":
            nan = by_name["isnan"](a)
            a, w = _where(nan, C.full((), float("inf"), a.dtype), a), _where(nan, 0, w)
        return _out(_weighted_quantile(a, q, axis, w, method, keepdims), out)
    values, shape, a, axes = _nan_rows(lambda row: asarray(quantile(row, weak, method=method)), a, axis, keepdims)
    made = asarray(values) if values else C.full((0,) + q.shape, 0, C.float64)
    made = C.reshape(C.moveaxis(C.reshape(made, (len(values), -1)), 0, -1), q.shape + shape)
    return _out(_kept(made, a, axes, keepdims, q.ndim), out)


def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None,
                  interpolation=None):
    """Percentiles of the elements that are not NaN."""
    q = q / 100 if C.is_weak(q) else asarray(q) / 100
    if not builtins.bool(((asarray(q) >= 0) & (asarray(q) <= 1)).all()):
        raise ValueError("Percentiles must be in the range [0, 100]")
    return nanquantile(a, q, axis, out, overwrite_input, method, keepdims, weights=weights)
