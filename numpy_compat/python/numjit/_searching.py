"""Sorting, searching, counting, sets, and indexing by functions."""
import math
import numbers
import operator

from . import _core as C
from ._creation import _lying_as, asarray, tri
from ._ufuncs import _axis, _target, _where, clip, unravel
from ._order import order_of
from ._reductions import any as _any, sum as _sum
from ._quick import quick

_KINDS = ("quicksort", "mergesort", "heapsort", "stable")


def _check_kind(kind, stable, order):
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")
    if kind is not None and stable is not None:
        raise ValueError("`kind` and keyword parameters can't be provided at the same time. Use only one of them.")
    if kind is not None and not any(kind and kind[0].lower() == k[0] for k in _KINDS):
        raise ValueError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got '{kind}')")


def sort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """A sorted copy; NaN last."""
    _check_kind(kind, stable, order)
    a = asarray(a)
    if a.ndim == 0 and axis is not None:
        raise C.AxisError(f"axis {axis} is out of bounds for array of dimension 0")
    made = C.sort(a, axis)
    return C.copy(C.flip(made, axis if axis is not None else 0)) if descending else made


def argsort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """Indices that sort, stable."""
    _check_kind(kind, stable, order)
    a = asarray(a)
    if a.ndim == 0:
        if axis not in (None, 0, -1):
            raise C.AxisError(f"axis {axis} is out of bounds for array of dimension 0")
        return C.full((1,), 0, C.int64)
    if descending:  # stable: equal elements keep their order
        axis = _axis(axis, a.ndim)
        n = a.shape[axis]
        made = C.argsort(C.flip(a, axis), axis)
        return C.copy(C.flip(n - 1 - made, axis))
    return C.argsort(a, axis)


def _places(a, kth, axis, kind):
    """kth as a list of places."""
    if not isinstance(kind, str):
        raise TypeError(f"select kind must be str, not {type(kind).__name__}")
    if kind != "introselect":
        raise ValueError(f"select kind must be 'introselect' (got {kind!r})")
    given, kth = kth, asarray(kth)
    if kth.dtype.kind not in "iu":
        raise TypeError("Partition index must be integer")
    if kth.ndim > 1:
        raise ValueError("object too deep for desired array" if given is kth else "setting an array element with a sequence. The requested "
                         "array would exceed the maximum number of dimension of 1.")
    if axis is not None:
        _axis(axis, a.ndim)
    return C.ravel(kth).tolist()


def partition(a, kth, axis=-1, kind="introselect", order=None):
    """The kth element in its place, none that is greater before it, none that is smaller behind it."""
    a = asarray(a)
    return C.partition(a, _places(a, kth, axis, kind), axis, False)


def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    """Indices of a partition."""
    a = asarray(a)
    a = C.reshape(a, 1) if a.ndim == 0 else a
    return C.partition(a, _places(a, kth, axis, kind), axis, True)


def sort_complex(a):
    """A sorted copy as complex numbers."""
    made = C.sort(asarray(a), -1)
    return made if made.dtype.kind == "c" else made.astype(C.complex64 if made.dtype.itemsize < 4 and made.dtype.kind in "iu" and made.dtype.itemsize < 3 else C.complex128)


@quick("searchsorted")
def searchsorted(a, v, side="left", sorter=None):
    """Places where v would be inserted into the sorted a."""
    if not isinstance(side, str):
        raise TypeError(f"search side must be str, not {type(side).__name__}")
    if side not in ("left", "right"):
        raise ValueError("search side must be one of 'left' or 'right'" if side[:1].lower() in ("l", "r") else
                         f"search side must be 'left' or 'right' (got '{side}')")
    a = asarray(a)
    if a.ndim != 1:
        raise ValueError(f"object {'too deep' if a.ndim else 'of too small depth'} for desired array")
    v = asarray(v)
    kind = C.promote_types(a.dtype, v.dtype)
    a, v = a.astype(kind, copy=False), v.astype(kind, copy=False)
    if sorter is not None:
        sorter = asarray(sorter)
        if sorter.dtype.kind not in "iu" and sorter.size:
            raise TypeError("sorter must only contain integers")
        if sorter.ndim != 1:
            raise TypeError("could not parse sorter argument")
        if len(sorter) != len(a):
            raise ValueError("sorter.size must equal a.size")
        if len(sorter) and not sorter._is_lazy and (sorter.min() < 0 or sorter.max() >= len(a)):
            raise ValueError("Sorter index out of range.")
        a = a[sorter]
    return C.searchsorted(a, v, side)


def digitize(x, bins, right=False):
    """Indices of the bins that values fall into."""
    x, bins = asarray(x), asarray(bins)
    if x.dtype.kind == "c":
        raise TypeError("x may not be complex")
    if bins.dtype.kind == "c":
        raise TypeError(f"Cannot cast array data from {bins.dtype!r} to dtype('float64') according to the rule 'safe'")
    if bins.ndim != 1:
        raise ValueError(f"object {'too deep' if bins.ndim else 'of too small depth'} for desired array")
    return C.digitize(x, bins, bool(right))


def _clip_mode(mode):
    """'raise', 'wrap' or 'clip', which NumPy takes as numbers, too; None is 'raise'."""
    if mode is None or mode in ("raise", "wrap", "clip"):
        return mode or "raise"
    if isinstance(mode, str):
        raise ValueError("Use one of 'clip', 'raise', or 'wrap' for clip mode" if mode and mode[0].lower() in "rwc" else
                         f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    if not hasattr(mode, "__index__"):
        raise TypeError("clipmode not understood")
    if operator.index(mode) not in (0, 1, 2):
        raise ValueError("integer clipmode must be RAISE, WRAP, or CLIP from 'numpy._core.multiarray'")
    return ("clip", "wrap", "raise")[mode]


def _as_indices(given, casting):
    """Integer indices: arrays by a casting rule, numbers and lists as np.array(given, int) makes them."""
    if isinstance(given, int):
        return given
    if not hasattr(given, "__array__") or isinstance(given, numbers.Number):
        return asarray(given, C.int64)
    given = asarray(given)
    if not C.can_cast(given.dtype, C.int64, casting):
        raise TypeError(f"Cannot cast {'array data' if given.ndim else 'scalar'} from {given.dtype!r} to dtype('int64') "
                        f"according to the rule '{casting}'")
    return given.astype(C.int64, copy=False)


@quick("take")
def take(a, indices, axis=None, out=None, mode="raise"):
    """Elements at integer indices along an axis."""
    a, indices, mode = asarray(a), _as_indices(indices, "same_kind"), _clip_mode(mode)
    if out is None:
        return C.take(a, indices, axis, mode)
    target = asarray(_target(out, "output must be an array"))
    at = 0 if axis is None else _axis(axis, a.ndim)
    if target.shape != (a.shape[:at] if axis is not None else ()) + asarray(indices).shape + (a.shape[at + 1:] if axis is not None else ()):
        raise ValueError("output array does not match result of ndarray.take")
    made = C.take(a, indices, axis, mode)
    if not C.can_cast(target.dtype, made.dtype, "safe"):
        raise TypeError(f"Cannot cast array data from {target.dtype!r} to {made.dtype!r} according to the rule 'safe'")
    C.store(target, C.astype(made, target.dtype), None)
    return out


def put(a, ind, v, mode="raise"):
    """Elements at flat indices overwritten, in place."""
    if not isinstance(a, C.array_base):
        raise TypeError("argument 1 must be numjit.ndarray")
    _must_be_writeable(a, "put: output array is read-only")
    ind = asarray(_as_indices(ind, "safe"))
    if a.size == 0 and ind.size:
        raise IndexError("cannot replace elements of an empty array")
    C.put(a, ind, _values_for(a, v), _clip_mode(mode))


def _values_for(a, values):
    """What is written over elements of an array: numbers and lists as np.array makes them with that dtype."""
    return values if isinstance(values, C.array_base) and not values._is_scalar else asarray(values, a.dtype)


def _check_literal(value, to, casting):
    """May a number of Python's go to a dtype? Under all rules but 'unsafe' to one of its own kind, or a wider kind."""
    C.can_cast(to, to, casting)  # refuses what is no rule
    own = C.result_type(value)
    if casting == "equiv" and own != to and own.kind in "ifc":
        raise TypeError(f"cannot cast Python {type(value).__name__} to {to.name} under the casting rule 'equiv'")
    if casting != "unsafe" and "biufc".index(own.kind) > "biufc".index(to.kind) + (to.kind == "i"):
        raise TypeError(f"Cannot cast scalar from {own!r} to {to!r} according to the rule '{casting}'")


def _must_be_array(a, text):
    """TypeError for what is written to and is none; scalars are none."""
    if not isinstance(a, C.array_base) or a._is_scalar:
        name = type(a).__name__
        raise TypeError(f"{text}, not {name if type(a).__module__ == 'builtins' else 'numpy.' + name}")


def _must_be_writeable(a, text):
    """Also where nothing would be written. What is stored into a scalar goes to a copy."""
    if not a._is_scalar and not a.flags.writeable:
        raise ValueError(text)


def copyto(dst, src, casting="same_kind", where=True):
    """Elements of src written over those of dst."""
    _must_be_array(dst, "copyto() argument 1 must be a numpy.ndarray")
    if C.is_weak(src):
        _check_literal(src, dst.dtype, casting)
        if casting == "unsafe" and dst.dtype.kind in "iu" and isinstance(src, (float, complex)):
            src = asarray(src)  # a cast, where a store would refuse NaN
    else:
        src = asarray(src)
        if not C.can_cast(src.dtype, dst.dtype, casting):
            what = "array data" if src.ndim else "scalar"
            raise TypeError(f"Cannot cast {what} from {src.dtype!r} to {dst.dtype!r} according to the rule '{casting}'")
        lead = src.ndim - dst.ndim
        if any(n != 1 for n in src.shape[:max(lead, 0)]) or any(n not in (1, m) for n, m in zip(src.shape[::-1], dst.shape[::-1])):
            tell = [str(s).replace(" ", "") for s in (src.shape, dst.shape)]
            raise ValueError(f"could not broadcast input array from shape {tell[0]} into shape {tell[1]}")
    C.store(dst, src, None if where is True else C.mask(where))


def putmask(a, /, mask, values):
    """Elements where a mask is true overwritten, in place."""
    from ._functions import resize
    if not isinstance(a, C.array_base) or a._is_scalar:
        raise TypeError("putmask: first argument must be an array")
    _must_be_writeable(a, "putmask: output array is read-only")
    mask = asarray(mask)
    if mask.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    values = _values_for(a, values)
    if not C.can_cast(values.dtype, a.dtype, "safe"):
        raise TypeError(f"Cannot cast {'array data' if values.ndim else 'scalar'} from {values.dtype!r} to {a.dtype!r} according to the rule "
                        "'safe'")
    if not values.size:  # nothing to repeat
        return
    C.store(a, resize(values, a.shape), mask.reshape(a.shape).astype(bool))


def place(arr, mask, vals):
    """Elements where a mask is true overwritten by the first values, in order."""
    from ._functions import resize
    _must_be_array(arr, "place() argument 1 must be numpy.ndarray")
    _must_be_writeable(arr, "assignment destination is read-only")
    mask = asarray(mask).astype(bool)
    vals = _values_for(arr, vals)
    if not C.can_cast(vals.dtype, arr.dtype, "safe"):
        raise TypeError(f"Cannot cast {'array data' if vals.ndim else 'scalar'} from {vals.dtype!r} to {arr.dtype!r} according to the rule 'safe'")
    vals = C.ravel(vals)
    if mask.size != arr.size:
        raise ValueError("place: mask and data must be the same size")
    mask = C.reshape(mask, arr.shape)
    n = int(_sum(mask))
    if n and not vals.size:
        raise ValueError("Cannot insert from an empty array!")
    if n:
        arr[mask] = resize(vals, (n,))


def compress(condition, a, axis=None, out=None):
    """Slices where a 1-D condition is true."""
    condition, a = asarray(condition).astype(bool, copy=False), asarray(a)
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    return take(a, C.nonzero(condition)[0], axis, out)


def _in_range(index, n, mode, text):
    """Indices brought into [0, n) by a mode, or an error with this text."""
    if mode == "wrap":
        return index % n
    if mode == "clip":
        return clip(index, 0, n - 1)
    if mode != "raise":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    if bool(_any((index < 0) | (index >= n))):
        raise ValueError(text)
    return index


def choose(a, choices, out=None, mode="raise"):
    """Elements of the choices, by number."""
    a = asarray(a)
    if isinstance(choices, (list, tuple)) and len(choices):
        kind = C.result_type(*choices)  # of all at once: int16, uint16 and float32 make float32
        choices = [asarray(c).astype(kind, copy=False) for c in choices]
    if a.dtype.kind not in "biu" or a.dtype == C.uint64:
        raise TypeError(f"Cannot cast array data from {a.dtype!r} to dtype('int64') according to the rule 'safe'")
    mode = _clip_mode(mode)
    if len(choices) == 0:
        raise ValueError("0-length sequence.")
    made = C.choose(a.astype(C.int64, copy=False), [asarray(c) for c in choices], mode)
    if out is None:
        return made
    target = asarray(_target(out, "output must be an array"))
    if target.shape != made.shape:
        raise TypeError("choose: invalid shape for output array.")
    C.store(target, made, None)
    return out


def select(condlist, choicelist, default=0):
    """The first condition that holds chooses."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    choices = [c if C.is_weak(c) else asarray(c) for c in choicelist]
    for arrays in (condlist, [*choices, default]):  # NumPy's words are those of broadcast_arrays
        C.broadcast_shapes(*(asarray(x).shape for x in arrays))
    kind = C.result_type(*choices, default)
    made, conditions = asarray(default).astype(kind), list(map(asarray, condlist))
    for i, condition in enumerate(conditions):
        if condition.dtype.kind != "b":
            raise TypeError(f"invalid entry {i} in condlist: should be boolean ndarray")
    for condition, choice in list(zip(conditions, choices))[::-1]:
        made = _where(condition, asarray(choice).astype(kind, copy=False), made)
    made = asarray(made)
    return made if made._c_contiguous else C.copy(made)


def piecewise(x, condlist, funclist, *args, **kw):
    """Functions of the elements where their conditions hold."""
    x = asarray(x)
    if C.is_weak(condlist) or (isinstance(condlist, C.array_base) and condlist.ndim == 0) or (not isinstance(condlist[0], (list, tuple, C.ndarray)) and x.ndim != 0):
        condlist = [condlist]
    conditions = [asarray(c).astype(bool, copy=False) for c in condlist]
    if len(funclist) == len(conditions) + 1:
        rest = conditions[0]
        for c in conditions[1:]:
            rest = rest | c
        conditions.append(~rest)
    elif len(funclist) != len(conditions):
        raise ValueError(f"with {len(conditions)} condition(s), either {len(conditions)} or {len(conditions) + 1} functions "
                         "are expected")
    made = _lying_as(C.full(x.shape, 0, x.dtype), x, "K")
    for c, f in zip(conditions, funclist):
        if c.ndim > x.ndim:
            raise IndexError(f"too many indices for array: array is {x.ndim}-dimensional, but {c.ndim} were indexed")
        c = C.broadcast_to(c, x.shape)
        if not callable(f):
            made[c] = f
        elif bool(_any(c)):
            made[c] = f(x[c], *args, **kw)
    return made


def sum_of_steps(shape):
    """Elements from one place of the main diagonal to the next one."""
    step = 1
    for n in shape[:0:-1]:
        step = step * n + 1
    return step


def fill_diagonal(a, val, wrap=False):
    """The main diagonal overwritten, in place."""
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2 and len(set(a.shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    val = _values_for(a, val)
    if val.size == 0:
        return
    if a._c_contiguous and a.size:  # the diagonal as a strided view of all elements
        end = a.shape[1] * a.shape[1] if a.ndim == 2 and not wrap else a.size
        places = C.reshape(a, (a.size,))[:end:sum_of_steps(a.shape)]
        from ._functions import resize
        places[...] = resize(val, places.shape)
        return
    rows = a.shape[0] if wrap and a.ndim == 2 else min(a.shape)
    if a.ndim == 2 and wrap:
        flat = C.arange(0, a.size, a.shape[1] + 1, None)
    else:
        flat = C.arange(0, rows, 1, None) * sum_of_steps(a.shape)
    from ._functions import resize
    a[unravel(flat, a.shape)] = resize(val, flat.shape)


def tril_indices(n, k=0, m=None):
    """Indices of the lower triangle."""
    if any(isinstance(x, float) for x in (n, k, m)):
        return C.nonzero(tri(n, m, k, bool))
    return C.tril_indices(n, k, -1 if m is None else max(m, 0))


def triu_indices(n, k=0, m=None):
    """Indices of the upper triangle."""
    if any(isinstance(x, float) for x in (n, k, m)):
        return C.nonzero(~tri(n, m, k - 1, bool))
    return C.triu_indices(n, k, -1 if m is None else max(m, 0))


def mask_indices(n, mask_func, k=0):
    """Indices that a masking function leaves."""
    return C.nonzero(mask_func(C.full((n, n), 1, C.int64), k) != 0)


def _whole(indices):
    """Indices as an integer array."""
    found = asarray(indices)
    if found.dtype.kind == "b":
        return found.astype(C.int64)
    if found.dtype.kind not in "iu":
        if not found.size and not isinstance(indices, C.array_base):
            raise TypeError("indices must be integral: the provided empty sequence was inferred as float. Wrap it with "
                            "'np.array(indices, dtype=np.intp)'")
        raise TypeError("only int indices permitted")
    return found


def unravel_index(indices, shape, order="C"):
    """Index arrays of flat indices."""
    shape = tuple(shape) if hasattr(shape, "__len__") else (shape,)
    flat = _whole(indices)
    scalar = flat.ndim == 0
    if not shape and flat.ndim and not bool(_any(flat)):
        raise ValueError("multiple indices are not supported for 0d arrays")
    n = math.prod(shape)
    if n >= 2 ** 63:
        raise ValueError("dimensions are too large; arrays and shapes with a total size greater than 'intp' are not supported.")
    found = C.unravel_index(flat, shape, order_of(order, "C", "CF"))
    return tuple(C.as_scalar(asarray(i)) if scalar else asarray(i) for i in found)


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """Flat indices of index arrays."""
    dims = tuple(operator.index(n) for n in dims) if hasattr(dims, "__len__") else (operator.index(dims),)
    index = [_whole(i) for i in multi_index]
    if len(index) != len(dims):
        raise ValueError("parameter multi_index must be a sequence of length " + str(len(dims)))
    modes = tuple(map(_clip_mode, mode if isinstance(mode, tuple) else (mode,) * len(dims)))
    if len(modes) != len(dims):
        raise ValueError(f"list of clipmodes has wrong length ({len(modes)} instead of {len(dims)})")
    if math.prod(dims) >= 2 ** 63:
        raise ValueError("invalid dims: array size defined by dims is larger than the maximum possible size.")
    checked = []
    for i, n, how in zip(index, dims, modes):
        if n == 0 and i.size:
            raise ValueError("cannot do a non-empty take from an empty axes." if how == "wrap" else "invalid entry in coordinates array")
        checked.append(_in_range(i, n, how, "invalid entry in coordinates array").astype(C.int64))
    if order_of(order, "C", "CF") == "F":
        checked, dims = checked[::-1], dims[::-1]
    flat = C.int64(0)
    for i, n in zip(checked, dims):
        flat = flat * n + i
    return flat
