"""np.pad: borders, one axis after the other."""
import itertools
import operator

from . import _core as C
from ._creation import asarray, copy, linspace
from ._ufuncs import by_name


def _pairs(widths, ndim, text="`pad_width` must be of integral type."):
    try:
        w = asarray(widths)
    except (TypeError, ValueError) as e:
        raise TypeError(text) from e
    if w.dtype.kind not in "iu":
        raise TypeError(text)
    pairs = C.broadcast_to(w, (ndim, 2)).tolist()
    if any(n < 0 for pair in pairs for n in pair):
        raise ValueError("index can't contain negative values")
    return pairs


def pad(array, pad_width, mode="constant", **kwargs):
    """Borders added."""
    a = asarray(array)
    made = _padded(a, pad_width, mode, kwargs)
    return copy(made, "F") if a.ndim > 1 and a.flags.f_contiguous and not a.flags.c_contiguous else made


def _padded(a, pad_width, mode, kwargs):
    if isinstance(pad_width, dict):
        pairs = [(0, 0)] * a.ndim
        for ax, w in pad_width.items():
            pairs[ax] = (w, w) if not hasattr(w, "__len__") else tuple(w)
    else:
        pairs = _pairs(pad_width, a.ndim)
    if callable(mode):
        made = C.full(tuple(n + b + e for n, (b, e) in zip(a.shape, pairs)), 0, a.dtype)
        made[tuple(slice(b, b + n) for n, (b, _) in zip(a.shape, pairs))] = a
        for ax in range(a.ndim):
            view = C.moveaxis(made, ax, -1)
            for at in itertools.product(*map(range, view.shape[:-1])):
                mode(view[at], tuple(pairs[ax]), ax, kwargs)
        return made
    allowed = {"constant": {"constant_values"}, "linear_ramp": {"end_values"}, "maximum": {"stat_length"},
               "mean": {"stat_length"}, "median": {"stat_length"}, "minimum": {"stat_length"}, "reflect": {"reflect_type"},
               "symmetric": {"reflect_type"}, "edge": set(), "wrap": set(), "empty": set()}
    if mode not in allowed:
        raise ValueError(f"mode '{mode}' is not supported")
    if set(kwargs) - allowed[mode]:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {set(kwargs) - allowed[mode]}")
    if mode in ("constant", "empty"):
        given = asarray(kwargs.get("constant_values", 0))
        if given.ndim == 0 and a.ndim and any(map(any, pairs)):  # one number all round
            shape = tuple(n + before + after for n, (before, after) in zip(a.shape, pairs))
            made = C.copy(C.broadcast_to(given.astype(a.dtype), shape))
            made[tuple(slice(before, before + n) for n, (before, _) in zip(a.shape, pairs))] = a
            return made
        values = C.broadcast_to(given, (a.ndim, 2)) if a.ndim else None
        for ax, (before, after) in enumerate(pairs):
            shape = lambda n: a.shape[:ax] + (n,) + a.shape[ax + 1:]
            ends = [C.broadcast_to(values[ax, side].astype(a.dtype), shape(n)) for side, n in enumerate((before, after))]
            a = C.concatenate([ends[0], a, ends[1]], ax, None, None)
        return a if a.ndim and any(map(any, pairs)) else C.copy(a)
    even = kwargs.get("reflect_type", "even") != "odd"
    if mode in ("edge", "wrap", "reflect", "symmetric") and even and a.ndim:
        return C.pad(a, [(operator.index(before), operator.index(after)) for before, after in pairs], mode)
    if mode in ("maximum", "minimum") and kwargs.get("stat_length") is not None and not asarray(kwargs["stat_length"]).all():
        raise ValueError("stat_length of 0 yields no value for padding")
    for ax, (before, after) in enumerate(pairs):
        if before or after:
            a = _pad_axis(a, ax, before, after, mode, kwargs)
    return a


def _pad_axis(a, ax, before, after, mode, options):
    n = a.shape[ax]
    if n == 0:
        raise ValueError(f"can't extend empty axis {ax} using modes other than 'constant' or 'empty'")
    at = (slice(None),) * ax
    if mode in ("reflect", "symmetric"):
        return _pad_odd(a, ax, before, after, mode)
    if mode == "linear_ramp":
        return _pad_ramp(a, ax, before, after, options.get("end_values", 0))
    from . import _functions as R
    stat = {"maximum": R.max, "minimum": R.min, "mean": R.mean, "median": R.median}[mode]
    lengths = options.get("stat_length")
    lengths = [n, n] if lengths is None else [min(n, x) for x in _pairs(lengths, a.ndim, "`stat_length` must be of integral type.")[ax]]
    if 0 in lengths and mode in ("maximum", "minimum"):
        raise ValueError("stat_length of 0 yields no value for padding")
    parts = []
    for side, count in ((slice(0, lengths[0]), before), (slice(n - lengths[1], n), after)):
        value = stat(a[at + (side,)], axis=ax, keepdims=True)
        if a.dtype.kind in "iu":
            value = by_name["rint"](value)
        parts.append(C.broadcast_to(value.astype(a.dtype), a.shape[:ax] + (count,) + a.shape[ax + 1:]))
    return C.concatenate([parts[0], a, parts[1]], ax, None, None)


def _pad_ramp(a, ax, before, after, end_values):
    at, n = (slice(None),) * ax, a.shape[ax]
    ends = C.broadcast_to(asarray(end_values), (a.ndim, 2))
    edges = a[at + (0,)], a[at + (n - 1,)]
    first = linspace(ends[ax, 0], edges[0], before, endpoint=False, dtype=a.dtype, axis=ax)
    last = linspace(ends[ax, 1], edges[1], after, endpoint=False, dtype=a.dtype, axis=ax)
    return C.concatenate([first, a, C.flip(last, ax)], ax, None, None)


def _pad_odd(a, ax, before, after, mode):
    at, n = (slice(None),) * ax, a.shape[ax]
    skip = 1 if mode == "reflect" and n > 1 else 0
    while before > 0 or after > 0:
        n = a.shape[ax]
        take = n - skip
        b, e = min(before, take), min(after, take)
        left, right = a[at + (slice(0, 1),)], a[at + (slice(n - 1, n),)]
        front = 2 * left - C.flip(a[at + (slice(skip, skip + b),)], ax)
        back = 2 * right - C.flip(a[at + (slice(n - skip - e, n - skip),)], ax)
        a = C.concatenate([front, a, back], ax, None, None)
        before, after = before - b, after - e
    return a
