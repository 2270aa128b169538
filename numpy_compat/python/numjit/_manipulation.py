"""Shapes, joining, splitting, rearranging."""
import itertools
import math
import operator

from . import _core as C
from ._creation import _falling_as, asarray
from ._functions import concatenate
from ._ufuncs import _axis


def _written(shape):
    """A shape as NumPy's errors write it: (2,3)."""
    return f"({','.join(map(str, shape))}{',' * (len(shape) == 1)})"


def broadcast_shapes(*args):
    """The shape that shapes broadcast to."""
    made = C.broadcast_shapes(*args)
    if math.prod(made) >= 1 << 63:
        raise ValueError("broadcast dimensions too large.")
    return made


def _place(index):
    return "arrays" + "".join(f"[{i}]" for i in index if i is not None)


def _bottom(x, at):
    """The index of the first block, None behind an empty list; all must lie as deep."""
    if isinstance(x, tuple):
        raise TypeError(f"{_place(at)} is a tuple. Only lists can be used to arrange blocks, and np.block does not allow implicit "
                        "conversion from tuple to ndarray.")
    if not isinstance(x, list):
        return at
    if not x:
        return at + [None]
    first = _bottom(x[0], at + [0])
    for i, y in enumerate(x[1:], 1):
        found = _bottom(y, at + [i])
        if len(found) != len(first):
            raise ValueError(f"List depths are mismatched. First element was at depth {len(first)}, but there is an element at "
                             f"depth {len(found)} ({_place(found)})")
        first = found if found[-1] is None else first
    return first


def block(arrays):
    """An array of nested lists of blocks."""
    def depth(x):
        return 1 + max((depth(y) for y in x), default=0) if isinstance(x, list) else 0
    levels = depth(arrays)

    def join(x, level):
        if not isinstance(x, list):
            a = asarray(x)
            return C.reshape(a, (1,) * (ndim - a.ndim) + a.shape)
        return concatenate([join(y, level + 1) for y in x], -(levels - level))

    bottom = _bottom(arrays, [])
    if bottom and bottom[-1] is None:
        raise ValueError(f"List at {_place(bottom)} cannot be empty")

    def leaves(x):
        return itertools.chain.from_iterable(map(leaves, x)) if isinstance(x, list) else [asarray(x).ndim]
    ndim = max(itertools.chain([levels], leaves(arrays)))
    made = join(arrays, 0)
    return made if isinstance(arrays, list) else C.copy(made)


def _without_bounds(obj, n):
    if isinstance(obj, slice):
        return list(range(*obj.indices(n)))
    a = asarray(obj)
    if a.dtype.kind == "b":
        return [i for i, on in enumerate(a.tolist()) if on]
    return a


def delete(arr, obj, axis=None):
    """Without the elements at indices along an axis."""
    a = asarray(arr)
    if axis is None:
        a, axis = C.ravel(a), 0
    axis = _axis(axis, a.ndim)
    n = a.shape[axis]
    if not isinstance(obj, slice):
        given = asarray(obj)
        if given.dtype.kind == "b" and given.shape != (n,):
            raise ValueError(f"boolean array argument obj to delete must be one dimensional and match the axis length of {n}")
        if given.dtype.kind not in "biu" and (given.size or isinstance(obj, C.array_base)):
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
    found = _without_bounds(obj, n)
    gone = [operator.index(i) for i in C.ravel(asarray(found)).tolist()]
    for i in gone:
        if not -n <= i < n:
            raise IndexError(f"index {i} is out of bounds for axis {axis} with size {n}")
    before = (slice(None),) * axis
    if len(gone) == 1:
        i = gone[0] % n
        return _falling_as(C.concatenate([a[before + (slice(0, i),)], a[before + (slice(i + 1, n),)]], axis, None, None), a)
    keep = C.full((n,), True, bool)
    if gone:
        keep[C.array(gone, int, True)] = False
    made = a[before + (keep,)]
    return _falling_as(made, a) if isinstance(obj, slice) else made


def insert(arr, obj, values, axis=None):
    """With values inserted before indices along an axis."""
    a = asarray(arr)
    if axis is None:
        a, axis = C.ravel(a), 0
    axis = _axis(axis, a.ndim)
    n = a.shape[axis]
    if not isinstance(obj, slice) and asarray(obj).dtype.kind == "b" and asarray(obj).ndim != 1:
        raise ValueError("boolean array argument obj to insert must be one dimensional")
    found = _without_bounds(obj, n)
    if not isinstance(found, list):
        found = asarray(found)
        if found.dtype.kind == "f" and found.ndim == 0:
            raise TypeError("slice indices must be integers or None or have an __index__ method")
        if found.dtype.kind not in "biu" and (found.size or isinstance(obj, C.array_base)):
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
        if found.ndim > 1:
            raise ValueError("index array argument obj to insert must be one dimensional or scalar")
    number = not isinstance(found, list) and found.ndim == 0
    where = [operator.index(i) for i in C.ravel(found).tolist()] if not isinstance(found, list) else found
    for i in where:
        if not -n <= i <= n:
            raise IndexError(f"index {i} is out of bounds for axis {axis} with size {n}")
    where = [i % n if i < 0 else i for i in where]
    values = asarray(values, a.dtype)
    if len(where) == 1:  # as many as there are values
        values = C.reshape(values, (1,) * (a.ndim - values.ndim) + values.shape) if values.ndim < a.ndim else values
        if number:
            values = C.moveaxis(values, 0, axis)
        new = (values.shape[axis] if values.ndim else 1)
        before, i = (slice(None),) * axis, where[0]
        spread = C.broadcast_to(values, a.shape[:axis] + (new,) + a.shape[axis + 1:])
        return _falling_as(C.concatenate([a[before + (slice(0, i),)], spread, a[before + (slice(i, n),)]], axis, None, None), a)
    order = sorted(range(len(where)), key=lambda k: where[k])
    places = [0] * len(where)
    for shift, k in enumerate(order):
        places[k] = where[k] + shift
    made = _falling_as(C.full(a.shape[:axis] + (n + len(where),) + a.shape[axis + 1:], 0, a.dtype), a)
    old = C.full((n + len(where),), True, bool)
    for i in places:
        old[i] = False
    before = (slice(None),) * axis
    made[before + (C.array(places, int, True),)] = values
    made[before + (old,)] = a
    return made


def trim_zeros(filt, trim="fb", axis=None):
    """Without leading and trailing zeros along axes."""
    a, trim = asarray(filt), trim.lower()
    if trim not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    if a.ndim == 0:
        return filt
    axes = range(a.ndim) if axis is None else [_axis(i, a.ndim) for i in (axis if isinstance(axis, (tuple, list)) else (axis,))]
    window = [slice(None)] * a.ndim
    for i in axes:
        others = [k for k in range(a.ndim) if k != i]
        there = C.reduce("any", a != 0, others, None, None, False, None, None) if others else a != 0
        n = a.shape[i]
        first = int(there.argmax()) if n else 0
        if n and bool(there[first]):
            last = n - int(there[::-1].argmax())
        else:
            first = last = n if "f" in trim else 0
        window[i] = slice(first if "f" in trim else 0, last if "b" in trim else a.shape[i])
    made = a[tuple(window)]
    return made.tolist() if isinstance(filt, list) else tuple(made.tolist()) if isinstance(filt, tuple) else made


def astype(x, dtype, /, *, copy=True, device=None):
    """A copy cast to another dtype."""
    if not isinstance(x, C.array_base):
        raise TypeError(f"Input should be a NumPy array. It is of type {type(x)} instead.")
    made = x.astype(dtype, copy=copy)
    return made if device is None else C._to_device(made, str(device))
