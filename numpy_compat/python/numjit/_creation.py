"""Making arrays: from values, filled, ranges, grids, from functions."""
import builtins
import enum
import math
import operator

from . import _core as C
from ._core import array_base as ndarray
from ._functions import broadcast_shapes
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


def _beside(made, other, device):
    """A new array on the device that was asked for; None: on that of another array."""
    if device is None and made.device != other.device and not other._is_lazy:
        device = other.device
    return _placed(made, device)


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


def copy(a, order="K", subok=False):
    """A copy, its axes in memory in an order of 'CFAK'."""
    a = asarray(a)
    return C.copy_in_order(a, None, order_of(order), a)


@quick("zeros", binds=False)
def empty(shape, dtype=None, order="C", *, device=None, like=None):
    """A new array of undefined values."""
    return _placed(_ordered(C.full(shape, 0, float64 if dtype is None else dtype), order), device)


def _ordered(a, order):
    if order == "C":
        return a
    return _fortran(a) if order_of(order, "C", "CF") == "F" and a.ndim > 1 else a


@quick("zeros", binds=False)
def zeros(shape, dtype=None, order="C", *, device=None, like=None):
    """A new array of zeros."""
    return _placed(_ordered(C.full(shape, 0, float64 if dtype is None else dtype), order), device)


def ones(shape, dtype=None, order="C", *, device=None, like=None):
    """A new array of ones."""
    return _placed(_ordered(C.full(shape, 1, float64 if dtype is None else dtype), order), device)


def full(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    """A new array of one value."""
    if C.is_weak(fill_value):
        kind = C.dtype(dtype).kind if dtype is not None else ""
        if kind == "b" and type(fill_value) is int and not -2 ** 63 <= fill_value < 2 ** 63:  # NumPy asks for a long first
            raise OverflowError("Python int too large to convert to C long")
        odd = isinstance(fill_value, float) and fill_value - fill_value != 0 and kind in "iu"
        drops = isinstance(fill_value, complex) and kind in "iuf"
        if kind and (odd or drops):  # cast: of NaN and infinities whatever the processor makes of them
            if drops:
                C.warn_complex(C.complex128, dtype)
            return _placed(_ordered(C.astype(C.full(shape, fill_value, None), C.dtype(dtype)), order), device)
        return _placed(_ordered(C.full(shape, fill_value, dtype), order), device)
    value = asarray(fill_value, dtype if fill_value is None or isinstance(fill_value, (str, bytes)) else None)
    made = C.full(shape, 0, value.dtype if dtype is None else dtype)
    made[...] = value
    return _placed(_ordered(made, order), device)


def _like(a, dtype, shape):
    return a.shape if shape is None else shape, a.dtype if dtype is None else dtype


def _lying_as(made, prototype, order):
    """A new array with its axes in memory in an order of 'CFAK', which may be that of a prototype."""
    order = order_of(order)
    if order == "A":
        order = "F" if prototype._f_contiguous and not prototype._c_contiguous else "C"
    if made.ndim < 2 or order == "C" or (order == "K" and (prototype._c_contiguous or prototype.ndim != made.ndim)):
        return made
    return C.copy_in_order(made, None, order, prototype)


@quick("zeros_like")
def zeros_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Zeros with shape and dtype of another array."""
    a = asarray(a)
    return _beside(_lying_as(C.full(*_swap(_like(a, dtype, shape), 0)), a, order), a, device)


def ones_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Ones with shape and dtype of another array."""
    a = asarray(a)
    return _beside(_lying_as(C.full(*_swap(_like(a, dtype, shape), 1)), a, order), a, device)


@quick("zeros_like")
def empty_like(prototype, /, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Undefined values with shape and dtype of another array."""
    return zeros_like(prototype, dtype, order, shape=shape, device=device)


def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """One value with shape and dtype of another array."""
    a = asarray(a)
    shape, dtype = _like(a, dtype, shape)
    return _beside(_lying_as(full(shape, fill_value, dtype), a, order), a, device)


def _swap(shape_and_dtype, value):
    return shape_and_dtype[0], value, shape_and_dtype[1]


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


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """num evenly spaced values from start to stop."""
    made = _linspace(start, stop, num, endpoint, retstep, dtype, axis)
    if device is None:
        return made
    return (_placed(made[0], device), made[1]) if retstep else _placed(made, device)


def _linspace(start, stop, num, endpoint, retstep, dtype, axis):
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    ends = [x if C.is_weak(x) else asarray(x) for x in (start, stop)]
    made = C.linspace(*ends, num, bool(endpoint), dtype, operator.index(axis))
    if not retstep:
        return made
    div = num - 1 if endpoint else num
    if not any(isinstance(x, ndarray) for x in ends) and not any(isinstance(x, complex) for x in ends):
        return made, float64((float(stop) - float(start)) / div if div > 0 else float("nan"))
    start, stop = (asarray(x) * 1.0 for x in ends)
    return made, (stop - start) / div if div > 0 else C.asarray(float("nan"), None, True)


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """base ** linspace(start, stop, num)."""
    if not C.is_weak(base):
        base = asarray(base)
        if base.ndim:
            ndim = max(asarray(x).ndim for x in (start, stop, base))
            start, stop, base = (C.reshape(x, (1,) * (ndim - x.ndim) + x.shape) for x in map(asarray, (start, stop, base)))
            base = C.expand_dims(base, axis)
    y = C.ufuncs["power"](base, linspace(start, stop, num, endpoint, axis=axis))
    return y if dtype is None else y.astype(dtype)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """num values from start to stop in equal ratio."""
    start, stop = (x if C.is_weak(x) else asarray(x) for x in (start, stop))
    return C.geomspace(start, stop, operator.index(num), bool(endpoint), dtype, operator.index(axis))


def eye(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None):
    """Ones on the k-th diagonal."""
    N = operator.index(N)
    columns = N if M is None else operator.index(M)
    if N < 0 or columns < 0:
        raise ValueError("negative dimensions are not allowed")
    k = max(min(operator.index(k), columns), -N)  # further out is as empty
    return _placed(_ordered(C.eye(N, columns, k, dtype), order), device)


def identity(n, dtype=None, *, like=None):
    """The n by n identity matrix."""
    return eye(n, dtype=float if dtype is None else dtype)


def tri(N, M=None, k=0, dtype=float, *, like=None):
    """Ones at and below the k-th diagonal."""
    M = N if M is None else M
    rows, columns = C.arange(0, N, 1, int64).reshape((-1, 1)), C.arange(-k, M - k, 1, int64)
    return (rows >= columns).astype(dtype)


def tril(m, k=0):
    """The elements at and below the k-th diagonal, zero elsewhere."""
    m = asarray(m)
    return C.ufuncs["where"](tri(*_last_two(m), k=k, dtype=bool), m, C.full((1,), 0, m.dtype))


def triu(m, k=0):
    """The elements at and above the k-th diagonal, zero elsewhere."""
    m = asarray(m)
    return C.ufuncs["where"](tri(*_last_two(m), k=k - 1, dtype=bool), C.full((1,), 0, m.dtype), m)


def _last_two(m):
    if m.ndim == 0:
        raise TypeError("tri() missing 1 required positional argument: 'N'")
    return m.shape[-2:] if m.ndim > 1 else (m.shape[-1], m.shape[-1])


def diag(v, k=0):
    """The k-th diagonal of a matrix, or a matrix with a vector on its k-th diagonal."""
    v = asarray(v)
    if v.ndim == 2:
        return C.diagonal(v, operator.index(k), 0, 1)
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    n = v.shape[0] + abs(k)
    made = C.full((n, n), 0, v.dtype)
    if v.shape[0]:  # the diagonal as a strided view of the flat matrix
        first = max(k, 0) + max(-k, 0) * n
        C.reshape(made, (n * n,))[first:first + (v.shape[0] - 1) * (n + 1) + 1:n + 1] = v
    return made


def diagflat(v, k=0):
    """A matrix with the flattened argument on its k-th diagonal."""
    return diag(C.ravel(asarray(v)), k)


def vander(x, N=None, increasing=False):
    """Vandermonde matrix: columns are powers of x."""
    x = asarray(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    N = len(x) if N is None else N
    made = C.full((len(x), N), 1, C.promote_types(x.dtype, int64))
    columns = made if increasing else made[:, ::-1]
    for i in range(1, N):
        columns[:, i] = columns[:, i - 1] * x
    return made


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Coordinate matrices of coordinate vectors."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    n = len(xi)
    out = [asarray(x).reshape((1,) * i + (-1,) + (1,) * (n - 1 - i)) for i, x in enumerate(xi)]
    if indexing == "xy" and n > 1:
        out[0] = out[0].reshape((1, -1) + (1,) * (n - 2))
        out[1] = out[1].reshape((-1, 1) + (1,) * (n - 2))
    if not sparse:
        shape = broadcast_shapes(*(o.shape for o in out))
        out = [C.broadcast_to(o, shape) for o in out]
    return tuple(C.copy(o) for o in out) if copy else tuple(out)


def indices(dimensions, dtype=int, sparse=False):
    """Grids of indices."""
    dimensions, dtype = tuple(dimensions), C.dtype(dtype)
    n = len(dimensions)
    grids = [C.arange(0, d, 1, dtype).reshape((1,) * i + (d,) + (1,) * (n - 1 - i)) for i, d in enumerate(dimensions)]
    if sparse:
        return tuple(grids)
    made = C.full((n,) + dimensions, 0, dtype)
    for i, g in enumerate(grids):
        made[i] = g
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
