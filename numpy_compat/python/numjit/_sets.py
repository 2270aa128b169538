"""Histograms, sets with named results, and functions applied along axes."""
import builtins
import operator
import warnings
from collections import namedtuple

from . import _core as C
from ._creation import asarray
from ._functions import unique
from ._info import result_type
from ._functions import any as _any, sum as _sum
from ._ufuncs import _axis, _where


def _bins_and_range(a, bins, range, weighted):
    """bins as a number, or as the edges that were given; range as floats, or None."""
    if range is not None:
        low, high = (float(r) for r in range)
        range = (low, high)
    if isinstance(bins, str):
        return C.bins_by_rule(a, bins, range, weighted), range
    if not isinstance(bins, int) and asarray(bins).ndim == 1:
        return asarray(bins), range
    if not isinstance(bins, int) and asarray(bins).ndim > 1:
        raise ValueError("`bins` must be 1d, when an array")
    try:
        return operator.index(bins), range
    except TypeError as e:
        raise TypeError("`bins` must be an integer, a string, or an array") from e


def _values(a):
    a = C.ravel(asarray(a))
    if a.dtype.kind != "b":
        return a
    warnings.warn(f"Converting input from {a.dtype} to {C.scalar_types['uint8']} for compatibility.", RuntimeWarning,
                  stacklevel=3)
    return a.astype(C.uint8)


def _as_wide(a, bins, range):
    """Values in the dtype of the edges, where a range of strong numbers has a wider one: Python's floats are weak."""
    if range is None or a.dtype.kind != "f" or all(C.is_weak(r) for r in range) or (asarray(bins).ndim if not isinstance(bins, (int, str)) else 0):
        return a
    return a.astype(result_type(a, *range), copy=False)


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """Edges of equal bins."""
    a = _as_wide(_values(a), bins, range)
    bins, range = _bins_and_range(a, bins, range, weights is not None)
    if isinstance(bins, int):
        return C.histogram_bin_edges(a, bins, range)
    if bool(_any(bins[:-1] > bins[1:])):
        raise ValueError("`bins` must increase monotonically, when an array")
    return bins


def histogram(a, bins=10, range=None, density=None, weights=None):
    """Counts in bins, and their edges."""
    a, w = asarray(a), None
    if weights is not None:
        w = asarray(weights)
        if w.shape != a.shape:
            raise ValueError("weights should have the same shape as a.")
        w = C.ravel(w)
        w = w.astype(C.int64) if w.dtype.kind == "b" else w
    a = _values(a)
    a = _as_wide(a, bins, range)
    bins, range = _bins_and_range(a, bins, range, w is not None)

    def count(weights):
        return C.histogram(a, bins, range, weights) if isinstance(bins, int) else (C.histogram_between(a, bins, weights), bins)
    if w is not None and w.dtype.kind == "c":
        (real, edges), (imag, _) = count(w.real), count(w.imag)
        counts = real + imag * 1j
    else:
        counts, edges = count(w)
    if density:
        return counts / (edges[1:] - edges[:-1]).astype(C.float64) / _sum(counts), edges
    return counts, edges


def _axis_edges(i, column, bins, range):
    """The edges of one axis of histogramdd(), with its number in errors."""
    if not C.is_weak(bins):
        given = asarray(bins)
        if given.ndim > 1:
            raise ValueError(f"`bins[{i}]` must be a scalar or 1d array")
        if given.ndim == 1:
            if bool(_any(given[:-1] > given[1:])):
                raise ValueError(f"`bins[{i}]` must be monotonically increasing, when an array")
            return given
    if bins < 1:
        raise ValueError(f"`bins[{i}]` must be positive, when an integer")
    try:
        count = operator.index(bins)
    except TypeError as e:
        raise TypeError(f"`bins[{i}]` must be an integer, when a scalar") from e
    # Between extremes of the data edges have its dtype, between Python's numbers they are float64.
    if column.dtype.kind != "f" or range is not None or not column.size:
        column = column.astype(C.float64)
    return histogram_bin_edges(column, count, range)


def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """Counts in a grid of bins, and the edges of each axis."""
    if isinstance(sample, C.array_base) and sample.ndim == 2:
        columns = [sample[:, i] for i in builtins.range(sample.shape[1])]
    elif isinstance(sample, C.array_base):
        columns = [sample]
    else:
        columns = [C.ravel(asarray(s)) for s in sample]
        kind = C.result_type(*columns)
        columns = [c.astype(kind, copy=False) for c in columns]
    d = len(columns)
    if any(c.dtype.kind == "c" for c in columns):
        raise NotImplementedError("[histogramdd] complex arrays are not supported.")
    if weights is not None:
        weights = C.ravel(asarray(weights))
        if weights.dtype.kind == "c":
            raise TypeError(f"Cannot cast array data from {weights.dtype!r} to dtype('float64') according to the rule 'safe'")
        if len(weights) != len(columns[0]):
            raise ValueError("The weights and list don't have the same length.")
    many = isinstance(bins, (list, tuple)) or (isinstance(bins, C.array_base) and bins.ndim)
    if many and len(bins) != d:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    bins = list(bins) if many else [bins] * d
    range = range if range is not None else [None] * d
    if len(range) != d:
        raise ValueError("range argument must have one entry per dimension")
    edges = [_axis_edges(i, c, b, r) for i, (c, b, r) in builtins.enumerate(zip(columns, bins, range))]
    flat, inside = None, None
    for c, e in zip(columns, edges):
        n = len(e) - 1
        kind = C.promote_types(e.dtype, c.dtype)
        at = C.searchsorted(e.astype(kind), c.astype(kind), "right") - 1
        at = _where(c == e[-1], n - 1, at)
        ok = (c >= e[0]) & (c <= e[-1])
        flat = at if flat is None else flat * n + at
        inside = ok if inside is None else inside & ok
    shape = tuple(len(e) - 1 for e in edges)
    total = 1
    for n in shape:
        total *= n
    w = None if weights is None else weights[inside]
    counts = C.reshape(C.bincount(flat[inside], w, total).astype(C.float64), shape)
    if density:
        s = _sum(counts)
        for i, e in enumerate(edges):
            counts = counts / C.reshape(e[1:] - e[:-1], (1,) * i + (-1,) + (1,) * (d - 1 - i))
        counts = counts / s
    return counts, edges


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """Counts in a 2-D grid of bins, and the edges."""
    if len(asarray(x)) != len(asarray(y)):
        raise ValueError("x and y must have the same length.")
    many = isinstance(bins, (list, tuple)) or isinstance(bins, C.array_base)
    if many and len(bins) not in (1, 2):
        bins = [asarray(bins)] * 2
    counts, edges = histogramdd([asarray(x), asarray(y)], bins, range, density, weights)
    return counts, edges[0], edges[1]


# ---- sets ----


UniqueAllResult = namedtuple("UniqueAllResult", "values indices inverse_indices counts")
UniqueCountsResult = namedtuple("UniqueCountsResult", "values counts")
UniqueInverseResult = namedtuple("UniqueInverseResult", "values inverse_indices")


def unique_all(x):
    """Distinct elements, first indices, inverse indices, counts."""
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


def unique_counts(x):
    """Distinct elements and counts."""
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x):
    """Distinct elements and inverse indices."""
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


def unique_values(x):
    """Distinct elements."""
    return unique(x, equal_nan=False)


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """A function of each 1-D slice along an axis."""
    import itertools
    a = asarray(arr)
    axis = _axis(axis, a.ndim)
    moved = C.moveaxis(a, axis, -1)
    shape = moved.shape[:-1]
    rows = [asarray(func1d(moved[at], *args, **kwargs)) for at in itertools.product(*map(range, shape))]
    if not rows:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    made = C.reshape(asarray(rows), shape + rows[0].shape)
    for i in range(rows[0].ndim):
        made = C.moveaxis(made, len(shape) + i, axis + i)
    return made


def apply_over_axes(func, a, axes):
    """A function applied over axes, one after the other."""
    val = asarray(a)
    for axis in asarray(axes).reshape(-1).tolist():
        axis = axis + val.ndim if axis < 0 else axis
        res = func(val, axis)
        val = res if res.ndim == val.ndim else C.expand_dims(res, axis)
    return val
