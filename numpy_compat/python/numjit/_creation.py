"""Making arrays from values, buffers and functions; ranges and grids by slices."""
import builtins
import enum
import math

from . import _core as C
from ._core import array_base as ndarray
from ._functions import empty, indices, linspace
from ._info import float64, int64, result_type
from ._order import order_of
from ._quick import quick


class _CopyMode(enum.Enum):
    """What copy= may be: True, False, or None as IF_NEEDED."""

    ALWAYS = True
    NEVER = False
    IF_NEEDED = 2

    def __bool__(self):
        if self is _CopyMode.IF_NEEDED:
            raise ValueError(f"{self} is neither True nor False.")
        return self.value


_CopyMode.__module__ = "numjit"


def _copy_flag(copy):
    return copy if copy is None or isinstance(copy, str) else None if copy is _CopyMode.IF_NEEDED else builtins.bool(copy)


@quick("array", binds=False)
def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, ndmax=0, like=None):
    """An array of the given values; a copy unless copy is None (where needed) or False (an error if needed)."""
    if isinstance(copy, str):
        raise ValueError("strings are not allowed for 'copy' keyword. Use True/False/None instead.")
    copy = _copy_flag(copy)
    if ndmax:
        if not 0 < ndmax <= 64:
            raise ValueError("ndmax must be in the range [0, NPY_MAXDIMS (64)]")
        if ndmin > ndmax:
            raise ValueError("ndmin must be <= ndmax")
        made = array(object, dtype, copy=copy, order=order, ndmin=ndmin)
        if made.ndim > ndmax:
            raise ValueError("setting an array element with a sequence. The requested array would exceed the maximum number of "
                             f"dimension of {ndmax}.")
        return made
    if copy is True and order == "K" and not ndmin:
        return C.array(object, dtype, True)
    order = order_of(order)
    if copy and isinstance(object, ndarray):
        if dtype is not None and object.dtype.kind == "c":
            C.warn_complex(object.dtype, dtype)
        a = C.copy_in_order(object, dtype, order, object)
    else:
        a = C.array(object, dtype, True) if copy else C.asarray(object, dtype, copy is None)
        falls = order == "F" and a.ndim > 1
        if copy is False and not (a._f_contiguous if falls else order != "C" or a._c_contiguous):
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        a = _fortran(a) if falls else C.copy(a) if order == "C" and not a._c_contiguous else a
    if a.ndim < ndmin:
        a = a.reshape((1,) * (ndmin - a.ndim) + a.shape)
    return a


def _fortran(a):
    return a if a._f_contiguous else C.copy_in_order(a, None, "F", a)


@quick("asarray", binds=False)
def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """The argument as an array: itself if it is one, shared memory where it can be."""
    if order is None and copy is None and device is None:
        return C.asarray(a, dtype, True)
    copy = _copy_flag(copy)
    if copy or isinstance(copy, str):
        return _placed(array(a, dtype, copy=copy, order=order), device)
    order = order_of(order)
    made = C.asarray(a, dtype, copy is not False)
    if device is not None:
        there = C._to_device(made, str(device))
        if there is not made and copy is False:
            raise ValueError(f"Unable to avoid copy while creating an array as requested: it is on '{made.device}', not on "
                             f"'{there.device}'. Use copy=None.")
        made = there
    if order == "C" and not made._c_contiguous:
        made = C.copy(made)
    elif order == "F" and made.ndim > 1:
        made = _fortran(made)
    return made


asanyarray = asarray


def _placed(made, device):
    """A new array on the device that was asked for; None: where it is."""
    return made if device is None else C._to_device(made, str(device))


@quick("ascontiguousarray", binds=False)
def ascontiguousarray(a, dtype=None, *, like=None):
    """The argument with its elements in C order, at least 1-D."""
    a = asarray(a, dtype)
    if a.ndim == 0:
        a = a.reshape(1)
    return a if a._c_contiguous else C.copy(a)


def asfortranarray(a, dtype=None, *, like=None):
    """The argument with its elements in Fortran order."""
    a = asarray(a, dtype)
    return _fortran(a.reshape(1) if a.ndim == 0 else a)


_REQUIREMENTS = {name: flag[0] for flag in ("C CONTIGUOUS C_CONTIGUOUS", "F FORTRAN F_CONTIGUOUS", "A ALIGNED", "W WRITEABLE",
                                            "O OWNDATA", "E ENSUREARRAY") for name in flag.split()}


def require(a, dtype=None, requirements=None, *, like=None):
    """The argument with what is required of it: 'C', 'F', 'A', 'W', 'O', 'E', or their long names."""
    wanted = {_REQUIREMENTS[r.upper()] for r in requirements or ()}
    if {"C", "F"} <= wanted:
        raise ValueError('Cannot specify both "C" and "F" order')
    a = asarray(a, dtype, order="F" if "F" in wanted else "C" if "C" in wanted else None)
    lacks = ("W" in wanted and not a._writeable) or ("O" in wanted and a.base is not None) or ("A" in wanted and not a._aligned)
    return C.copy_in_order(a, None, "F" if "F" in wanted else "C" if "C" in wanted else "A", a) if lacks else a


def asarray_chkfinite(a, dtype=None, order=None):
    """asarray() that refuses NaN and infinities."""
    a = asarray(a, dtype, order)
    return C.asarray_chkfinite(a)


@quick("arange", binds=False)
def arange(start_or_stop=None, /, stop=None, step=None, dtype=None, *, device=None, like=None, start=None):
    """Evenly spaced values in [start, stop)."""
    if type(start_or_stop) is int and stop is None and step is None and start is None:
        return _placed(C.arange(0, start_or_stop, 1, dtype), device)
    if start is not None and start_or_stop is not None:
        raise TypeError("argument for arange() given by name ('start') and position (position 0)")
    first = start_or_stop if start_or_stop is not None else start
    if stop is None and start_or_stop is None:
        raise TypeError("arange() requires stop to be specified.")
    if stop is None:
        first, stop = 0, first
    if first is None:
        first = 0
    # 0-D arrays count as numbers here: the length is needed.
    for v in (first, stop, step):
        C.refuse_followed(v, "arange", "a bound or step")
    values = [v.item() if isinstance(v, ndarray) else v for v in (first, stop, 1 if step is None else step)]
    if dtype is None and any(isinstance(v, ndarray) for v in (first, stop, step)):
        dtype = result_type(first, stop, *([] if step is None else [step]), int64)
    if any(isinstance(v, complex) for v in values):
        return _placed(_complex_arange(*values, dtype), device)
    return _placed(C.arange(*values, dtype), device)


def _complex_arange(start, stop, step, dtype):
    """As many values as fit before stop both in the real and in the imaginary part."""
    of = C.dtype(complex if dtype is None else dtype)
    if of.kind != "c":
        raise TypeError("must be real number, not complex")
    steps = (stop - start) / step
    count = C.arange(0, max(min(math.ceil(steps.real), math.ceil(steps.imag)), 0), 1, None).astype(C.dtype(f"float{of.itemsize * 4}"))
    made = empty(count.shape, of)
    for part in ("real", "imag"):
        setattr(made, part, getattr(start, part) + count * getattr(step, part))
    return made


def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """The array of function(i0, i1, ...) of its index grids."""
    return function(*indices(shape, dtype=dtype), **kwargs)


def fromiter(iter, dtype, count=-1, *, like=None):
    """A 1-D array of the values of an iterable."""
    values = list(iter) if count < 0 else [v for v, _ in zip(iter, range(count))]
    if count >= 0 and len(values) < count:
        raise ValueError(f"iterator too short: Expected {count} but iterator had only {len(values)} items.")
    for v in values:
        if isinstance(v, (str, bytes)) or v is None:
            continue
        if not C.is_weak(v) and not hasattr(v, "__index__") and not hasattr(v, "__float__") and not hasattr(v, "__complex__"):
            raise TypeError(f"int() argument must be a string, a bytes-like object or a real number, not '{type(v).__name__}'"
                            if C.dtype(dtype).kind in "iu" else f"must be real number, not {type(v).__name__}")
    return C.array(values, dtype, True)


def _in_byte_order(dtype):
    """The dtype of numbers in memory or a file, and whether their bytes stand in the other order: ">f8"."""
    t = C.dtype(dtype)
    return t.newbyteorder("="), not t.isnative


def frombuffer(buffer, dtype=None, count=-1, offset=0, *, like=None):
    """A 1-D array on the memory of a buffer."""
    t, swapped = _in_byte_order(dtype)
    view = memoryview(buffer)
    view = view.cast("B") if view.nbytes else memoryview(b"")  # Python casts no view that is empty
    if offset < 0 or offset > len(view):
        raise ValueError(f"offset must be non-negative and no greater than buffer length ({len(view)})")
    if count < 0:
        if (len(view) - offset) % t.itemsize:
            raise ValueError("buffer size must be a multiple of element size")
        count = (len(view) - offset) // t.itemsize
    if offset + count * t.itemsize > len(view):
        raise ValueError("buffer is smaller than requested size")
    raw = C.asarray(view[offset:offset + count * t.itemsize], None, True)
    made = C._set_base(C._reinterpret(raw, t), buffer) if count else C.full((0,), 0, t)
    return C.in_order_of(made.byteswap(), dtype) if swapped else made


def fromstring(string, dtype=float, count=-1, *, sep, like=None):
    """A 1-D array of numbers in text."""
    import numpy
    return asarray(numpy.fromstring(string, C.dtype(dtype).__numpy_dtype__, count, sep=sep))


def from_dlpack(x, /, *, device=None, copy=None):
    """An array on the memory of an object that has __dlpack__."""
    if not hasattr(x, "__dlpack__"):
        raise AttributeError(f"'{type(x).__name__}' object has no attribute '__dlpack__'")
    if hasattr(x, "__dlpack_device__") and int(x.__dlpack_device__()[0]) != 1:
        raise BufferError(f"the memory is on another device: got {x.__dlpack_device__()}, expected (1, 0). Copy it to the "
                          "host first.")
    try:
        capsule = x.__dlpack__(max_version=(1, 0), copy=copy) if copy is not None else x.__dlpack__(max_version=(1, 0))
    except TypeError:
        capsule = x.__dlpack__()
    made = C._from_dlpack_capsule(capsule)
    return _placed(C.copy(made) if copy else made, device)


class _Grid:
    """mgrid and ogrid: grids by slices."""

    def __init__(self, sparse):
        self.sparse = sparse

    def __getitem__(self, key):
        if not isinstance(key, (tuple, list)):
            return self._single(*self._parts(key))
        parts = [self._parts(s) for s in key]
        kind = result_type(0, *(x for start, stop, step in parts for x in (start, stop, abs(step) if _counts(step) else step)))
        sizes = [int(abs(step)) if _counts(step) else math.ceil((stop - start) / step) for start, stop, step in parts]
        if not self.sparse and any(n < 0 for n in sizes):
            raise ValueError("negative dimensions are not allowed")
        n, grids = len(parts), []
        for i, (size, (start, stop, step)) in enumerate(zip(sizes, parts)):
            row, before, after = C.arange(0, size, 1, kind), (None,) * i, (None,) * (n - 1 - i)
            # start and stop may be arrays: beside the whole grid of mgrid, and beside the one axis of ogrid
            row = row if self.sparse else row[before + (slice(None),) + after]
            row = row * (_distance(start, stop, step) if _counts(step) else step) + start
            grids.append(row[before + (slice(None),) + after] if self.sparse else row)
        if self.sparse:
            return tuple(grids)
        made = C.full((n,) + tuple(sizes), 0, kind)
        for i, g in enumerate(grids):
            made[i] = g
        return made

    @staticmethod
    def _parts(s):
        return 0 if s.start is None else s.start, s.stop, 1 if s.step is None else s.step

    @staticmethod
    def _single(start, stop, step):
        if not _counts(step):
            return arange(start, stop, step)
        count = abs(step)
        return C.arange(0, int(count), 1, result_type(start, stop, count)) * _distance(start, stop, step) + start


def _counts(step):
    """An imaginary step is a number of elements, both ends included."""
    return isinstance(step, (complex, C.scalar_types["complexfloating"]))


def _distance(start, stop, step):
    count = int(abs(step))
    return count if count == 1 else (stop - start) / float(count - 1)


mgrid, ogrid = _Grid(False), _Grid(True)


class _Concatenator:
    """r_ and c_: joining by indexing."""

    def __init__(self, columns):
        self.columns = columns

    def __getitem__(self, key):
        parts, keys = [], list(key) if isinstance(key, tuple) else [key]
        axis, ndmin, trans1d = (-1, 2, 0) if self.columns else (0, 1, -1)
        if keys and isinstance(keys[0], str):
            if keys[0] in ("r", "c"):
                raise NotImplementedError("matrices are left out: got 'r' or 'c' in r_.")
            try:
                words = [int(w) for w in keys.pop(0).split(",")]
            except ValueError as e:
                raise ValueError(f"unknown special directive {key[0]!r}") from e
            axis, ndmin, trans1d = (words + [ndmin, trans1d][len(words) - 1:])[:3]
        for k in keys:
            if isinstance(k, slice):
                start, stop, step = _Grid._parts(k)
                k = linspace(start, stop, int(abs(step))) if _counts(step) else arange(start, stop, step)
                parts.append(self._widened(k, ndmin, trans1d))
            elif isinstance(k, str):
                raise ValueError("special directives must be the first entry.")
            elif C.is_weak(k):
                parts.append(k)
            else:
                parts.append(self._widened(asarray(k), ndmin, trans1d))
        kind = result_type(*parts) if parts else float64
        for i, p in enumerate(parts):
            if C.is_weak(p):  # the others' dtype must hold it
                parts[i] = self._widened(C.reshape(C.array(p, kind, True), 1), ndmin, trans1d)
        return C.concatenate(parts, axis, None, None)

    @staticmethod
    def _widened(a, ndmin, trans1d):
        if a.ndim == 0:
            a = C.reshape(a, 1)
        if a.ndim >= ndmin:
            return a
        new = ndmin - a.ndim
        a = C.reshape(a, (1,) * new + a.shape)
        k = trans1d + new + 1 if trans1d < 0 else trans1d
        order = list(range(ndmin))
        return C.transpose(a, order[:k] + order[new:] + order[k:new])


r_, c_ = _Concatenator(False), _Concatenator(True)


class _IndexExpression:
    def __init__(self, maketuple):
        self.maketuple = maketuple

    def __getitem__(self, item):
        return (item,) if self.maketuple and not isinstance(item, tuple) else item


s_, index_exp = _IndexExpression(False), _IndexExpression(True)
