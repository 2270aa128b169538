"""Counting, histograms, sets, and functions applied along axes."""
import builtins
import math
import operator
from collections import namedtuple

from . import _core as C
from ._creation import asarray
from ._quick import quick
from ._reductions import any as _any, cumsum, max as _max, min as _min, sum as _sum
from ._searching import searchsorted
from ._ufuncs import _axis, _where, by_name, clip


@quick("bincount")
def bincount(x, /, weights=None, minlength=0):
    """Counts of the values 0, 1, ..., or sums of their weights."""
    x = asarray(x)
    if x.ndim != 1:
        raise ValueError("object of too small depth for desired array" if x.ndim == 0 else "object too deep for desired array")
    if x.dtype.kind not in "biu" and x.size:
        raise TypeError(f"Cannot cast array data from {x.dtype!r} to dtype('int64') according to the rule 'safe'")
    x = x.astype(C.int64)
    minlength = operator.index(minlength)
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    w = None  # that no element is negative is checked when they are counted: no graph ends for it
    if weights is not None:
        w = asarray(weights)
        if w.shape != x.shape:
            raise ValueError("The weights and list don't have the same length.")
    return C.bincount(x, w, minlength)


def _spread(x):
    return _max(x).item() - _min(x).item()


def _quartiles(x):
    from ._reductions import percentile
    low, high = percentile(x, [25, 75]).tolist()
    return high - low


def _std(x):
    from ._reductions import std
    return float(std(x))


def _width_stone(x, range):
    """The width of the bins with the least estimated squared error."""
    n, spread = x.size, _spread(x)
    if n <= 1 or spread == 0:
        return 0

    def error(bins):
        width = spread / bins
        share = histogram(x, bins, range)[0] / n
        return (2 - (n + 1) * float(_sum(share * share))) / width
    most = builtins.max(100, int(n ** 0.5))
    return spread / builtins.min(builtins.range(1, most + 1), key=error)


def _width_doane(x, range):
    """Sturges' rule, for skewed data."""
    n, sigma = x.size, _std(x) if x.size > 2 else 0.0
    if n <= 2 or sigma <= 0:
        return 0.0
    error = (6.0 * (n - 2) / ((n + 1.0) * (n + 3))) ** 0.5
    z = (x - float(_sum(x)) / n) / sigma
    skew = float(_sum(z * z * z)) / n
    return _spread(x) / (1.0 + math.log2(n) + math.log2(1.0 + abs(skew) / error))


def _width_fd(x, range):
    return 2.0 * _quartiles(x) * x.size ** (-1.0 / 3.0)


def _width_sturges(x, range):
    return _spread(x) / (math.log2(x.size) + 1.0)


def _width_sqrt(x, range):
    return _spread(x) / math.sqrt(x.size)


def _width_auto(x, range):
    """Freedman and Diaconis' or Sturges', whichever is narrower; not much wider than the square root rule's."""
    fd, sturges, root = (w(x, range) for w in (_width_fd, _width_sturges, _width_sqrt))
    fd = builtins.max(fd, root / 2)
    return builtins.min(fd, sturges) if fd else sturges


# Widths of bins by the name of a rule.
_WIDTHS = {"auto": _width_auto, "fd": _width_fd, "doane": _width_doane, "sturges": _width_sturges, "sqrt": _width_sqrt, "stone": _width_stone,
           "rice": lambda x, range: _spread(x) / (2.0 * x.size ** (1.0 / 3)),
           "scott": lambda x, range: (24.0 * math.pi ** 0.5 / x.size) ** (1.0 / 3.0) * _std(x)}


def _bins_by_rule(name, a, range, weights, low, high):
    if name not in _WIDTHS:
        raise ValueError(f"{name!r} is not a valid estimator for `bins`")
    if weights is not None:
        raise TypeError("Automated estimation of the number of bins is not supported for weighted data")
    if range is not None:
        a = a[(a >= low) & (a <= high)]
    if a.size == 0:
        return 1
    width = _WIDTHS[name](a, (low, high))
    if a.dtype.kind in "iu" and width < 1:
        width = 1
    return int(math.ceil((float(high) - float(low)) / width)) if width else 1


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """Edges of equal bins."""
    from ._creation import linspace
    a = C.ravel(asarray(a))
    if a.dtype.kind == "b":
        a = a.astype(C.uint8)
    if not isinstance(bins, (int, str)) and asarray(bins).ndim == 1:
        edges = asarray(bins)
        if bool(_any(edges[:-1] > edges[1:])):
            raise ValueError("`bins` must increase monotonically, when an array")
        return edges
    rule = bins if isinstance(bins, str) else None
    if rule is None:
        if asarray(bins).ndim > 1:
            raise ValueError("`bins` must be 1d, when an array")
        try:
            bins = operator.index(bins)
        except TypeError as e:
            raise TypeError("`bins` must be an integer, a string, or an array") from e
        if bins < 1:
            raise ValueError("`bins` must be positive, when an integer")
    if range is not None:
        low, high = (float(r) for r in range)
        if low > high:
            raise ValueError("max must be larger than min in range parameter.")
    elif a.size == 0:
        low, high = 0.0, 1.0
    else:
        low, high = _min(a), _max(a)
    if not (abs(low) < float("inf") and abs(high) < float("inf")):
        raise ValueError(f"supplied range of [{low}, {high}] is not finite" if range is not None else
                         f"autodetected range of [{low}, {high}] is not finite")
    if low == high:
        low, high = low - 0.5, high + 0.5
    if rule is not None:
        bins = _bins_by_rule(rule, a, range, weights, low, high)
    kind = C.result_type(low, high, a)
    edges = linspace(low, high, bins + 1, dtype=kind if kind.kind == "f" else C.float64)
    if builtins.bool(_any(edges[:-1] >= edges[1:])):
        raise ValueError(f"Too many bins for data range. Cannot create {bins} finite-sized bins.")
    return edges


def histogram(a, bins=10, range=None, density=None, weights=None):
    """Counts in bins, and their edges."""
    a = asarray(a)
    w = None
    if weights is not None:
        w = asarray(weights)
        if w.shape != a.shape:
            raise ValueError("weights should have the same shape as a.")
        w = C.ravel(w)
    a = C.ravel(a)
    if a.dtype.kind == "b":
        a = a.astype(C.uint8)
    edges = histogram_bin_edges(a, bins, range, weights)
    n = len(edges) - 1
    at = C.searchsorted(edges.astype(C.promote_types(edges.dtype, a.dtype)), a.astype(C.promote_types(edges.dtype, a.dtype)), "right") - 1
    at = _where(a == edges[-1], n - 1, at)
    inside = (a >= edges[0]) & (a <= edges[-1])
    counts = C.bincount(at[inside], None if w is None else w[inside], n)
    if w is not None and w.dtype.kind in "biu":
        counts = counts.astype(w.dtype if w.dtype.kind != "b" else C.int64)
    if density:
        widths = edges[1:] - edges[:-1]
        return counts / widths / _sum(counts), edges
    return counts, edges


def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """Counts in a grid of bins, and the edges of each axis."""
    if isinstance(sample, C.array_base) and sample.ndim == 2:
        columns = [sample[:, i] for i in builtins.range(sample.shape[1])]
    elif isinstance(sample, C.array_base):
        columns = [sample]
    else:
        columns = [C.ravel(asarray(s)) for s in sample]
    d = len(columns)
    many = isinstance(bins, (list, tuple)) or (isinstance(bins, C.array_base) and bins.ndim)
    if many and len(bins) != d:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    bins = list(bins) if many else [bins] * d
    range = range if range is not None else [None] * d
    edges = [histogram_bin_edges(c, b, r).astype(C.float64) for c, b, r in zip(columns, bins, range)]
    flat, inside = None, None
    for c, e in zip(columns, edges):
        n = len(e) - 1
        at = C.searchsorted(e, c.astype(C.float64), "right") - 1
        at = _where(c == e[-1], n - 1, at)
        ok = (c >= e[0]) & (c <= e[-1])
        flat = at if flat is None else flat * n + at
        inside = ok if inside is None else inside & ok
    shape = tuple(len(e) - 1 for e in edges)
    total = 1
    for n in shape:
        total *= n
    w = None if weights is None else C.ravel(asarray(weights))[inside]
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

def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    """Sorted distinct elements, with first indices, inverse indices and counts."""
    a = asarray(ar)
    if isinstance(axis, float):
        raise TypeError("integer argument expected, got float")
    if axis is not None and a.ndim == 1:  # rows of one element: NaNs count as one value, too
        axis = None if _axis(axis, 1) == 0 else axis
    if not (return_index or return_inverse or return_counts):
        return C.unique(a, axis, bool(equal_nan))
    values, indices, inverse, counts = C.unique_all(a, axis, bool(equal_nan))
    asked = zip((indices, inverse, counts), (return_index, return_inverse, return_counts))
    return (values, *(part for part, wanted in asked if wanted))


UniqueAllResult = namedtuple("UniqueAllResult", "values indices inverse_indices counts")
UniqueCountsResult = namedtuple("UniqueCountsResult", "values counts")
UniqueInverseResult = namedtuple("UniqueInverseResult", "values inverse_indices")


def unique_all(x, /):
    """Distinct elements, first indices, inverse indices, counts."""
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


def unique_counts(x, /):
    """Distinct elements and counts."""
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x, /):
    """Distinct elements and inverse indices."""
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


def unique_values(x, /):
    """Distinct elements."""
    return unique(x, equal_nan=False)


def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Where do the elements occur in the test elements?"""
    if kind not in (None, "sort", "table"):
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    a, test = asarray(element), C.ravel(asarray(test_elements))
    if kind == "table" and not (a.dtype.kind in "iub" and test.dtype.kind in "iub"):
        raise ValueError("The 'table' method is only supported for boolean or integer arrays. Please select 'sort' or None for kind.")
    return C.isin(a, test, bool(invert))


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """Sorted values that are in both."""
    a, b = asarray(ar1), asarray(ar2)
    return C.intersect1d_all(a, b) if return_indices else C.intersect1d(a, b, bool(assume_unique))


def union1d(ar1, ar2):
    """Sorted values that are in either."""
    return C.union1d(asarray(ar1), asarray(ar2))


def setdiff1d(ar1, ar2, assume_unique=False):
    """Values of the first that are not in the second."""
    return C.setdiff1d(asarray(ar1), asarray(ar2), bool(assume_unique))


def setxor1d(ar1, ar2, assume_unique=False):
    """Sorted values that are in just one."""
    return C.setxor1d(asarray(ar1), asarray(ar2), bool(assume_unique))


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
