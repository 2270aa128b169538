"""Shapes, joining, splitting, rearranging."""
import itertools
import math
import operator

from . import _core as C
from ._creation import _falling_as, asarray
from ._ufuncs import _axis, _target
from ._order import order_of
from ._quick import quick


def _written(shape):
    """A shape as NumPy's errors write it: (2,3)."""
    return f"({','.join(map(str, shape))}{',' * (len(shape) == 1)})"


@quick("reshape")
def reshape(a, /, shape, order="C", *, copy=None):
    """The same elements in another shape."""
    a = asarray(a)
    shape = a.shape if shape is None else shape
    order = order_of(order, "C")
    if isinstance(copy, str):
        raise ValueError("strings are not allowed for 'copy' keyword. Use True/False/None instead.")
    if order == "K":
        raise ValueError("order 'K' is not permitted for reshaping")
    if order == "A":
        order = "F" if a._f_contiguous and not a._c_contiguous else "C"
    if order == "F":
        shape = (shape,) if not isinstance(shape, (tuple, list)) else tuple(shape)
        if not any(n < 0 for n in shape) and math.prod(shape) != a.size:
            raise ValueError(f"cannot reshape array of size {a.size} into shape {_written(shape)}")
        made = C.reshape(C.transpose(a, None), shape[::-1])
        made = C.transpose(made, None)
    else:
        made = C.reshape(a, shape)
    shares = copy is None or a._is_lazy or a.size == 0 or C._may_share_memory(a, made)
    if copy is False and not shares:
        raise ValueError("Unable to avoid creating a copy while reshaping.")
    return C.copy(made) if copy and shares else made


@quick("ravel")
def ravel(a, order="C"):
    """The elements as one axis."""
    a, order = asarray(a), order_of(order, "C")
    if order == "K" and a.ndim > 1 and not a._c_contiguous:
        return C.ravel_as_it_lies(a)
    return C.ravel(a) if order in ("C", "K") else reshape(a, -1, order)


@quick("transpose")
def transpose(a, axes=None):
    """Axes permuted."""
    return C.transpose(asarray(a), axes)


permute_dims = transpose


def matrix_transpose(x, /):
    """The last two axes swapped."""
    x = asarray(x)
    if x.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return C.swapaxes(x, -1, -2)


@quick("swapaxes")
def swapaxes(a, axis1, axis2):
    """Two axes swapped."""
    return C.swapaxes(asarray(a), axis1, axis2)


def moveaxis(a, source, destination):
    """Axes moved to other places."""
    return C.moveaxis(asarray(a), source, destination)


def rollaxis(a, axis, start=0):
    """One axis moved before another place."""
    a = asarray(a)
    axis = _axis(axis, a.ndim)
    if not -a.ndim <= start <= a.ndim:
        raise C.AxisError(f"'start' arg requires {-a.ndim} <= start < {a.ndim + 1}, but {start} was passed in")
    start = start + a.ndim if start < 0 else start
    start -= axis < start
    order = [i for i in range(a.ndim) if i != axis]
    order.insert(start, axis)
    return C.transpose(a, order)


@quick("squeeze")
def squeeze(a, axis=None):
    """Axes of length 1 removed."""
    given, a = a, asarray(a)
    made = C.squeeze(a, None if a.ndim == 0 and axis in (0, -1) else axis)
    return given if isinstance(given, C.array_base) and given._is_scalar else made


def expand_dims(a, axis):
    """New axes of length 1."""
    a = asarray(a)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    ndim = a.ndim + len(axes)
    axes = [_axis(i, ndim) for i in axes]
    if len(set(axes)) != len(axes):
        raise ValueError("repeated axis")
    rest = iter(a.shape)
    return C.reshape(a, tuple(1 if i in axes else next(rest) for i in range(ndim)))


def _atleast(arrays, ndim, shape):
    made = [shape(a) if a.ndim < ndim else a for a in map(asarray, arrays)]
    return made[0] if len(made) == 1 else tuple(made)


@quick("atleast_1d")
def atleast_1d(*arys):
    """Arrays with at least one axis."""
    return _atleast(arys, 1, lambda a: C.reshape(a, 1))


def atleast_2d(*arys):
    """Arrays with at least two axes."""
    return _atleast(arys, 2, lambda a: C.reshape(a, (1, -1) if a.size else (1, 0)))


def atleast_3d(*arys):
    """Arrays with at least three axes."""
    return _atleast(arys, 3, lambda a: C.reshape(a, {0: (1, 1, 1), 1: (1,) + a.shape + (1,), 2: a.shape + (1,)}[a.ndim]))


def broadcast_to(array, shape, subok=False):
    """A read-only view repeated along new or length-1 axes."""
    return C.broadcast_to(asarray(array), shape)


def broadcast_shapes(*args):
    """The shape that shapes broadcast to."""
    made = C.broadcast_shapes(*args)
    if math.prod(made) >= 1 << 63:
        raise ValueError("broadcast dimensions too large.")
    return made


def broadcast_arrays(*args, subok=False):
    """Views of one shape."""
    arrays = [asarray(a) for a in args]
    shape = C.broadcast_shapes(*(a.shape for a in arrays))
    return tuple(a if a.shape == shape else C.broadcast_to(a, shape) for a in arrays)


@quick("concatenate")
def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays joined along an existing axis, or flattened ones for axis None."""
    if casting != "same_kind":
        C.can_cast(bool, bool, casting)  # refuses what is no rule
    if not hasattr(arrays, "__len__"):
        raise TypeError("The first input argument needs to be a sequence")
    out = _target(out, "'out' must be an array")
    if axis is None and dtype is None and out is None and any(map(C.is_weak, arrays)):
        dtype = C.result_type(*arrays)
    arrays = [asarray(a) for a in arrays]
    if not arrays:
        raise ValueError("need at least one array to concatenate")
    if dtype is None and out is None:
        return C.concatenate(arrays, axis, None, None)
    if dtype is not None and out is not None:
        raise TypeError("concatenate() only takes `out` or `dtype` as an argument, but both were provided.")
    target = C.dtype(dtype) if out is None else asarray(out).dtype
    for a in arrays:
        if not C.can_cast(a.dtype, target, casting):
            raise TypeError(f"Cannot cast array data from {a.dtype!r} to {target!r} according to the rule '{casting}'")
    made = C.concatenate([a.astype(target, copy=False) for a in arrays], axis, None, None)
    if out is None:
        return C.in_order_of(made, target)
    if asarray(out).shape != made.shape:
        raise ValueError("Output array " + ("is the wrong shape" if asarray(out).ndim == made.ndim else "has wrong dimensionality"))
    C.store(asarray(out), made, None)
    return out


concat = concatenate


@quick("stack")
def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays of one shape joined along a new axis."""
    _check_sequence(arrays)
    arrays = [asarray(a) for a in arrays]
    if not arrays:
        raise ValueError("need at least one array to stack")
    if out is None and dtype is None:
        return C.stack(arrays, operator.index(axis))
    if len({a.shape for a in arrays}) != 1:
        raise ValueError("all input arrays must have the same shape")
    axis = _axis(axis, arrays[0].ndim + 1)
    return concatenate([expand_dims(a, axis) for a in arrays], axis, out, dtype=dtype, casting=casting)


def _check_sequence(arrays):
    if not hasattr(arrays, "__getitem__"):
        raise TypeError('arrays to stack must be passed as a "sequence" type such as list or tuple.')


def unstack(x, /, *, axis=0):
    """The parts along an axis."""
    x = asarray(x)
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    moved = C.moveaxis(x, axis, 0)
    return tuple(moved[i, ...] if moved.ndim > 1 else moved[i] for i in range(len(moved)))


@quick("vstack")
def vstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays joined as rows."""
    _check_sequence(tup)
    return concatenate([atleast_2d(a) for a in tup], 0, dtype=dtype, casting=casting)


row_stack = vstack


@quick("hstack")
def hstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays joined as columns; 1-D ones end to end."""
    _check_sequence(tup)
    arrays = [atleast_1d(a) for a in tup]
    return concatenate(arrays, 0 if arrays and arrays[0].ndim == 1 else 1, dtype=dtype, casting=casting)


def dstack(tup):
    """Arrays joined along a third axis."""
    _check_sequence(tup)
    return concatenate([atleast_3d(a) for a in tup], 2)


def column_stack(tup):
    """1-D arrays as columns."""
    _check_sequence(tup)
    return concatenate([C.reshape(a, (-1, 1)) if a.ndim < 2 else a for a in map(asarray, tup)], 1)


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


@quick("append")
def append(arr, values, axis=None):
    """values joined behind arr; both flattened without axis."""
    return concatenate([asarray(arr), asarray(values)], axis)


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


def array_split(ary, indices_or_sections, axis=0):
    """Parts of nearly equal length, or between indices: views."""
    a = asarray(ary)
    n = a.shape[axis]
    if not hasattr(indices_or_sections, "__len__"):
        sections = int(indices_or_sections)
        if sections <= 0:
            raise ValueError("number sections must be larger than 0.")
        each, extra = divmod(n, sections)
        lengths = extra * [each + 1] + (sections - extra) * [each]
        cuts = [0, *itertools.accumulate(lengths)]
    else:
        cuts = [0, *(operator.index(i) for i in indices_or_sections), n]
    moved = C.swapaxes(a, axis, 0)
    return [C.swapaxes(moved[start:stop], axis, 0) for start, stop in zip(cuts, cuts[1:])]


def split(ary, indices_or_sections, axis=0):
    """Equal parts, or parts between indices: views."""
    if not hasattr(indices_or_sections, "__len__"):
        if asarray(ary).shape[axis] % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def hsplit(ary, indices_or_sections):
    """split along the second axis (the first of 1-D arrays)."""
    if asarray(ary).ndim == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if asarray(ary).ndim > 1 else 0)


def vsplit(ary, indices_or_sections):
    """split along the first axis."""
    if asarray(ary).ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


def dsplit(ary, indices_or_sections):
    """split along the third axis."""
    if asarray(ary).ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


@quick("tile")
def tile(A, reps):
    """The array repeated along each axis."""
    a = asarray(A)
    reps = (reps,) if not hasattr(reps, "__len__") else tuple(reps)
    reps = (1,) * (a.ndim - len(reps)) + reps
    if any(n < 0 for n in reps if isinstance(n, int)):
        raise ValueError("negative dimensions are not allowed")
    shape = (1,) * (len(reps) - a.ndim) + a.shape
    wide = C.broadcast_to(C.reshape(a, tuple(itertools.chain.from_iterable((1, n) for n in shape))),
                          tuple(itertools.chain.from_iterable(zip(reps, shape))))
    return C.reshape(C.copy(wide), tuple(r * n for r, n in zip(reps, shape)))


@quick("repeat")
def repeat(a, repeats, axis=None):
    """Each element repeated."""
    a = asarray(a)
    if isinstance(repeats, (list, tuple)):
        repeats = asarray(repeats).astype(C.int64, copy=False)
        if repeats.ndim > 1:
            raise ValueError("setting an array element with a sequence. The requested array would exceed the maximum number of "
                             "dimension of 1.")
    elif isinstance(repeats, float) or (isinstance(repeats, C.array_base) and repeats._is_scalar and repeats.dtype.kind == "f"):
        repeats = int(repeats)
    elif isinstance(repeats, C.array_base):
        if repeats.ndim > 1:
            raise ValueError("object too deep for desired array")
        if repeats.dtype.kind not in "biu":
            raise TypeError(f"Cannot cast {'array data' if repeats.ndim else 'scalar'} from {repeats.dtype!r} to dtype('int64') according "
                            "to the rule 'safe'")
    a = C.reshape(a, 1) if a.ndim == 0 else a
    empty = (a.size if axis is None else a.shape[_axis(axis, a.ndim)]) == 0
    if empty and (isinstance(repeats, int) or asarray(repeats).size == 1):
        repeats = 0  # of nothing as many as one likes, less than none included
    elif isinstance(repeats, int) and repeats < 0:
        raise ValueError("negative dimensions are not allowed")
    return C.repeat(a, repeats, axis)


def _one_or_more(x):
    """A number, or several, as a sequence."""
    x = x.tolist() if isinstance(x, C.array_base) else x
    return x if isinstance(x, (tuple, list)) else (x,)


def roll(a, shift, axis=None):
    """Elements moved cyclically."""
    a = asarray(a)
    if axis is None:
        return C.reshape(roll(C.ravel(a), shift, 0), a.shape)
    shifts, axes = _one_or_more(shift), _one_or_more(axis)
    if any(hasattr(n, "__len__") for n in (*shifts, *axes) if not isinstance(n, str)):
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    if len(shifts) != 1 != len(axes):
        C.broadcast_shapes((len(shifts),), (len(axes),))
    if len(shifts) == 1:
        shifts = tuple(shifts) * len(axes)
    if len(axes) == 1:
        axes = tuple(axes) * len(shifts)
    axes = [_axis(ax, a.ndim) for ax in axes]
    moves = [int(s) % a.shape[ax] if a.shape[ax] else 0 for s, ax in zip(shifts, axes)]
    return C.roll(a, moves, axes) if axes else C.copy(a)


def flip(m, axis=None):
    """Order reversed along axes: a view."""
    m = asarray(m)
    return m[()] if axis is None and m.ndim == 0 else C.flip(m, axis)


def flipud(m):
    """Order reversed along the first axis."""
    m = asarray(m)
    if m.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return m[::-1, ...]


def fliplr(m):
    """Order reversed along the second axis."""
    m = asarray(m)
    if m.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return m[:, ::-1]


def rot90(m, k=1, axes=(0, 1)):
    """Rotated by 90 degrees k times in the plane of two axes."""
    m, axes = asarray(m), tuple(axes)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    if axes[0] == axes[1] or abs(axes[0] - axes[1]) == m.ndim:
        raise ValueError("Axes must be different.")
    if not all(-m.ndim <= a < m.ndim for a in axes):
        raise ValueError(f"Axes={axes} out of range for array of ndim={m.ndim}.")
    k %= 4
    if k == 0:
        return m[:]
    if k == 2:
        return C.flip(C.flip(m, axes[0]), axes[1])
    if k == 1:
        return C.swapaxes(C.flip(m, axes[1]), *axes)
    return C.flip(C.swapaxes(m, *axes), axes[1])


def resize(a, new_shape):
    """The elements repeated or cut to fill a shape."""
    a = C.ravel(asarray(a))
    if not hasattr(new_shape, "__len__") or (isinstance(new_shape, C.array_base) and new_shape.ndim == 0):
        new_shape = (new_shape,)
    shape, n = tuple(operator.index(s) for s in new_shape), 1
    for s in shape:
        if s < 0:
            raise ValueError("all elements of `new_shape` must be non-negative")
        n *= s
    if a.size == 0 or n == 0:
        return C.full(shape, 0, a.dtype)
    return C.reshape(tile(a, -(-n // a.size))[:n], shape)


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


def _check_work(max_work):
    if max_work is not None and not -1 << 63 <= operator.index(max_work) < 1 << 63:
        raise OverflowError("Python int too large to convert to C ssize_t")


def shares_memory(a, b, max_work=None):
    """Is any byte in both arrays?"""
    _check_work(max_work)
    return C._may_share_memory(a, b)


def may_share_memory(a, b, max_work=None):
    """Do the ranges of addresses overlap from the first to the last byte? With max_work also: is any byte in both?"""
    _check_work(max_work)
    if max_work:
        return shares_memory(a, b)
    (low, high), (first, last) = (_bounds(asarray(x)) for x in (a, b))
    return low < last and first < high


def _bounds(a):
    if not a.size:
        return 0, 0
    reach = [(n - 1) * step for n, step in zip(a.shape, a.strides)]
    return a._address + sum(r for r in reach if r < 0), a._address + sum(r for r in reach if r > 0) + a.itemsize


def astype(x, dtype, /, *, copy=True, device=None):
    """A copy cast to another dtype."""
    if not isinstance(x, C.array_base):
        raise TypeError(f"Input should be a NumPy array. It is of type {type(x)} instead.")
    made = x.astype(dtype, copy=copy)
    return made if device is None else C._to_device(made, str(device))
