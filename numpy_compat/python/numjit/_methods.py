"""Methods of ndarray that take options, and its protocols."""
import builtins
import contextlib
import inspect
import math
import operator
import types

from . import _core as C
from . import _functions as F
from ._core import array_base as ndarray
from ._creation import _CopyMode, asarray
from ._interop import numpys_method
from . import _flat as _flat
from ._order import order_of
from ._quick import quick


def method(function):
    """Adds a method to ndarray."""
    setattr(ndarray, function.__name__, function)
    _sign(function)
    return function


def _sign(function):
    """The signature that NumPy's methods tell: self is positional."""
    first, *rest = inspect.signature(function).parameters.values()
    first = first.replace(name="self", kind=inspect.Parameter.POSITIONAL_ONLY)
    function.__signature__ = inspect.Signature([first, *rest])


def _shape(args):
    return args[0] if len(args) == 1 else args


_C_NAMES = dict(zip("?bBhHiIlLefdFD", "bool byte ubyte short ushort int uint long ulong half float double cfloat cdouble".split()))


def _same_value(a, t, order):
    """Cast to another dtype; ValueError where a value changes."""
    made = astype(a, t, order)
    back = C.astype(made, a.dtype)
    equal = C.ufuncs["equal"]
    # There and back alone would take 255 of uint8 for -1 of int8; compared as floats, 2**63 - 1 is 2**63.
    same = equal(a, back) & equal(a, made)
    if a.dtype.kind in "fc":
        same = same | (C.ufuncs["isnan"](a) & C.ufuncs["isnan"](back))
    if not same.all():
        why = ": imag is not 0" if a.dtype.kind == "c" != t.kind and C.ufuncs["not_equal"](a.imag, 0).any() else ""
        raise ValueError(f"could not cast 'same_value' {_C_NAMES[a.dtype.char]} to {_C_NAMES[t.char]}{why}")
    return made


@method
@quick("astype")
def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
    """A copy cast to another dtype; the array itself for copy=False where nothing changes."""
    try:
        t = C.dtype(dtype)
    except TypeError as error:
        return numpys_method(error, "astype", self, dtype, order, casting)
    if isinstance(copy, _CopyMode):
        raise ValueError("_CopyMode enum is not allowed for astype function. Use true/false instead.")
    if casting == "same_value":
        return _same_value(self, t, order)
    if not C.can_cast(self.dtype, t, casting):
        raise TypeError(f"Cannot cast array data from {self.dtype!r} to {t!r} according to the rule '{casting}'")
    if not copy and self.dtype == t:
        return self
    if self.dtype.kind == "c":
        C.warn_complex(self.dtype, t)
    order = order_of(order)
    if order == "C" or self.ndim < 2 or (order == "K" and self._c_contiguous):
        return C.astype(self, t)
    return C.copy_in_order(self, t, order, self)


@method
@quick("copy")
def copy(self, order="C"):
    """A copy in C order."""
    if self._is_scalar:
        return C.as_scalar(C.copy(self))
    return C.copy_in_order(self, None, order_of(order, "C"), self)


@method
@quick("reshape")
def reshape(self, *shape, order="C", copy=None):
    """The same elements in another shape."""
    if not shape:
        raise TypeError("reshape() takes exactly 1 argument (0 given)")
    if shape == (None,):
        shape = self.shape
    if order == "C" and copy is None:
        return C.reshape(self, _shape(shape))
    return F.reshape(self, _shape(shape), order, copy=copy)


@method
@quick("transpose")
def transpose(self, *axes):
    """Axes permuted."""
    return C.transpose(self, _shape(axes) if axes else None)


@method
@quick("ravel")
def ravel(self, order="C"):
    """The elements as one axis."""
    return F.ravel(self, order)


_tobytes = ndarray.tobytes


@method
def tobytes(self, order="C"):
    """The elements' bytes in C order; in Fortran order for "F", and for "A" where the array lies so."""
    order = order_of(order, "C")
    falls = order == "F" or (order == "A" and self._f_contiguous)
    return _tobytes(C.transpose(self, None) if falls and self.ndim > 1 else self)


@method
@quick("flatten")
def flatten(self, order="C"):
    """A copy of the elements as one axis."""
    return C.copy(F.ravel(self, order))


@method
@quick("squeeze")
def squeeze(self, axis=None):
    """Axes of length 1 removed."""
    return F.squeeze(self, axis)


@method
@quick("swapaxes")
def swapaxes(self, axis1, axis2):
    """Two axes swapped."""
    return C.swapaxes(self, axis1, axis2)


@method
@quick("fill")
def fill(self, value):
    """All elements set to one value."""
    if not C.is_weak(value) and value is not None and not isinstance(value, (str, bytes)) and asarray(value).ndim:
        if self.dtype.kind == "f" or isinstance(value, C.array_base):
            raise ValueError("setting an array element with a sequence.")
        raise TypeError(f"must be real number, not {type(value).__name__}" if self.dtype.kind == "c" else
                        f"int() argument must be a string, a bytes-like object or a real number, not '{type(value).__name__}'")
    if not self._is_scalar:  # those never change: NumPy fills a copy
        self[...] = value


@method
def conj(self, out=None, /):
    """Complex conjugate; the array itself if it is real."""
    if out is not None:
        return C.ufuncs["conjugate"](self, out)
    return C.ufuncs["conjugate"](self) if self.dtype.kind == "c" else self


ndarray.conjugate = conj


@method
def view(self, dtype=None, type=None):
    """The same memory as another dtype, or the same array anew."""
    if isinstance(dtype, builtins.type) and not C.scalar_types.get(dtype.__name__) is dtype:
        if dtype is C.ndarray or type is not None:
            dtype, type = None, dtype
    if type is not None and type is not C.ndarray:
        raise TypeError("Type must be a sub-type of ndarray type")
    if dtype is None:
        return self if self._is_scalar else self[...]
    try:
        return C._reinterpret(self, dtype)
    except TypeError as error:
        if not self.dtype.isnative or not C.in_numpy_program() and C.names_other_order(dtype):
            return _view_in_order(self, C.dtype(dtype))
        return numpys_method(error, "view", self, dtype)


def _view_in_order(a, t):
    """view() to or from a dtype of the other byte order: as memory is in the processor's, a copy that can't be written, unless
    nothing changes."""
    if t == a.dtype:
        return a[...]
    made = C._reinterpret(C.astype(a, a.dtype) if a.dtype.isnative else _swapped(a), t.newbyteorder("="))
    made = made if t.isnative else C.in_order_of(_swapped(made), t)
    made.flags.writeable = False
    return made


def _swapped(a):
    """A copy with the bytes of each element in reverse order, of a dtype in the processor's order."""
    size = a.dtype.itemsize // (2 if a.dtype.kind == "c" else 1)
    t = a.dtype.newbyteorder("=")
    raw = C._reinterpret(C.reshape(C.astype(a, t), a.shape + (1,)), C.uint8)
    raw = C.reshape(raw, a.shape + (a.dtype.itemsize // size, size))[..., ::-1]
    return C.reshape(C._reinterpret(C.reshape(C.copy(raw), a.shape + (t.itemsize,)), t), a.shape)


@method
def byteswap(self, inplace=False):
    """The bytes of each element in reverse order."""
    if inplace and self._is_scalar:
        raise ValueError("cannot byteswap a scalar in-place")
    made = _swapped(self)
    if self._is_scalar:
        return C.as_scalar(made)
    if not inplace:
        return C.in_order_of(made, self.dtype)
    C.store(self, made, None)
    return self


_REFERENCED = ("cannot resize an array that references or is referenced\nby another object in this way.\nUse the np.resize "
               "function to get a new resized copy or\n set refcheck=False to disable this check")


@method
def _resize(self, referenced, *new_shape, refcheck=True):
    """What resize() does, when it has looked for other references: with refcheck=False views keep the old memory."""
    refcheck = operator.index(refcheck)
    if not new_shape or new_shape == (None,):
        return
    shape = tuple(operator.index(n) for n in (_shape(new_shape) if hasattr(_shape(new_shape), "__len__") else new_shape))
    if any(n < 0 for n in shape):
        raise ValueError("negative dimensions not allowed")
    if self._is_scalar:  # never changes: NumPy resizes a copy
        return
    if self.base is not None:
        raise ValueError("cannot resize this array: it does not own its data")
    falls = self._f_contiguous and not self._c_contiguous  # the elements stay where they are in memory
    count = math.prod(shape)
    if refcheck and referenced and count != self.size:
        raise ValueError(_REFERENCED)
    flat = C.ravel(self.T if falls else self)[:count]
    if count > flat.size:
        flat = C.concatenate([flat, C.full((count - flat.size,), 0, self.dtype)], 0, None, None)
    C.rebind(self, C.copy_in_order(C.reshape(flat, shape[::-1]).T, None, "F", self) if falls else C.copy(C.reshape(flat, shape)))


_resize.__qualname__ = "resize"  # what errors about its arguments name


@method
def dumps(self):
    """The array pickled, as bytes."""
    import pickle
    return pickle.dumps(self)


@method
def dump(self, file):
    """Pickles the array to a file."""
    import os
    with contextlib.nullcontext(file) if hasattr(file, "write") else open(os.fspath(file), "wb") as f:
        f.write(self.dumps())


def _field(self, dtype, offset):
    t = C.dtype(dtype)
    if offset < 0 or offset + t.itemsize > self.itemsize:
        raise ValueError(f"Need 0 <= offset <= {self.itemsize} for requested type but received offset = {offset}"
                         if t.itemsize <= self.itemsize else "new type is larger than original type")
    if not (t.isnative and self.dtype.isnative):
        raise TypeError("getfield() and setfield() need dtypes in the processor's byte order")
    raw = C._reinterpret(C.expand_dims(self, -1), C.uint8)
    return C._reinterpret(raw[..., offset:offset + t.itemsize], t)[..., 0]


@method
def getfield(self, dtype, offset=0):
    """A part of the bytes of each element, as another dtype: a view, and a number of a number."""
    made = _field(self, dtype, offset)
    return C.as_scalar(made) if self._is_scalar else made


@method
def setfield(self, val, dtype, offset=0):
    """Writes a part of the bytes of each element."""
    if self._is_scalar:
        raise TypeError("Can't set fields in a non-void array scalar.")
    _field(self, dtype, offset)[...] = val


ndarray.data = property(memoryview, doc="The memory, as a buffer.")


class _Ctypes:
    """NumPy's object for the same memory; pointers keep the array."""

    def __init__(self, a):
        C._address_for(a, "ctypes")
        self._arr, self._theirs = a, a.__array__().ctypes

    def data_as(self, obj, /):
        """The address as a pointer of a class, which keeps the array alive."""
        pointer = self._theirs.data_as(obj)
        pointer._arr = self._arr
        return pointer

    def __getattr__(self, name):
        return getattr(self._theirs, name)

    @property
    def _as_parameter_(self):
        return self.data_as(__import__("ctypes").c_void_p)


ndarray.ctypes = property(_Ctypes, doc="For the ctypes module.")


def _arrange(self, made, name):
    if type(self) is C.ndarray and not self._writeable:
        raise ValueError(f"{name} array is read-only")
    C.store(self, made, None)


@method
def sort(self, axis=-1, kind=None, order=None, *, stable=None):
    """Sorts in place."""
    axis = operator.index(axis)  # None is for the function of this name
    _arrange(self, F.sort(self, axis, kind, order, stable=stable), "sort")


@method
def partition(self, kth, axis=-1, kind="introselect", order=None):
    """Partitions in place."""
    axis = operator.index(axis)
    _arrange(self, F.partition(self, kth, axis, kind), "partition")


for _name, _function in vars(C.array_methods).items():
    if not _name.startswith("_"):
        setattr(ndarray, _name, _function)


@method
def choose(self, *choices, out=None, mode="raise"):
    """Elements of the choices, by number."""
    return F.choose(self, _shape(choices), out, mode)


@method
def compress(self, condition, axis=None, out=None):
    """Slices where a condition is true."""
    return F.compress(condition, self, axis, out)


@method
def clip(self, min=None, max=None, out=None, **kwargs):
    """The elements held between two bounds."""
    from ._ufuncs import clip
    return clip(self, min, max, out, **kwargs)


@method
def tofile(self, fid, sep="", format="%s"):
    """Writes the elements' bytes, or their text, to a file."""
    made = C.stop_gradient(self).__array__()
    (made if self.dtype.isnative else made.astype(self.dtype.__numpy_dtype__)).tofile(fid, sep, format)


@method
def to_device(self, device, /, *, stream=None):
    """The array on another device: a copy, or the array itself if it is there already."""
    if stream is not None:
        raise ValueError("to_device: streams are numjit's own: got one, expected None.")
    return C._to_device(self, str(device))


@method
def to(self, device):
    """The array on another device: a copy, or the array itself if it is there already."""
    return C._to_device(self, str(device))


class flagsobj:
    """How an array lies in memory."""
    _names = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY")
    _attributes = {
        "C": "c_contiguous", "CONTIGUOUS": "c_contiguous", "C_CONTIGUOUS": "c_contiguous", "F": "f_contiguous",
        "FORTRAN": "f_contiguous", "F_CONTIGUOUS": "f_contiguous", "O": "owndata", "OWNDATA": "owndata", "W": "writeable",
        "WRITEABLE": "writeable", "A": "aligned", "ALIGNED": "aligned", "X": "writebackifcopy",
        "WRITEBACKIFCOPY": "writebackifcopy", "FNC": "fnc", "FORC": "forc", "B": "behaved", "BEHAVED": "behaved",
        "CA": "carray", "CARRAY": "carray", "FA": "farray", "FARRAY": "farray"}
    # Bits of num, those of NumPy's C interface.
    _bits = {"c_contiguous": 0x1, "f_contiguous": 0x2, "owndata": 0x4, "aligned": 0x100, "writeable": 0x400}

    def __init__(self, a):
        self._a = a

    c_contiguous = property(lambda self: self._a._c_contiguous)
    f_contiguous = property(lambda self: self._a._f_contiguous)
    contiguous, fortran = c_contiguous, f_contiguous
    forc = property(lambda self: self._a._c_contiguous or self._a._f_contiguous)
    fnc = property(lambda self: self._a._f_contiguous and not self._a._c_contiguous)
    behaved = property(lambda self: self.aligned and self.writeable)
    carray = property(lambda self: self.behaved and self._a._c_contiguous)
    farray = property(lambda self: self.behaved and self.fnc)
    owndata = property(lambda self: self._a.base is None)
    aligned = property(lambda self: self._a._aligned)
    writebackifcopy = property(lambda self: False)
    writeable = property(lambda self: self._a._writeable, lambda self, on: setattr(self._a, "_writeable", on))
    num = property(lambda self: sum(bit for name, bit in self._bits.items() if getattr(self, name)))

    def __getitem__(self, key):
        if key not in self._attributes:
            raise KeyError("Unknown flag")
        return getattr(self, self._attributes[key])

    def __setitem__(self, key, value):
        if self._attributes.get(key) not in ("writeable", "aligned", "writebackifcopy"):
            raise KeyError("Unknown flag")
        if self._attributes[key] == "writeable":
            self.writeable = value
        elif builtins.bool(value) != self[key]:
            raise ValueError("cannot set aligned flag of mis-aligned array to True" if key[0] == "A" and value else
                             f"cannot set {key} flag to {builtins.bool(value)}")

    def __eq__(self, other):
        return isinstance(other, flagsobj) and self.num == other.num

    __hash__ = None

    def __repr__(self):
        return "\n".join(f"  {n} : {self[n]}" for n in self._names) + "\n"


ndarray.flags = property(flagsobj, doc="How the array lies in memory.")
C.set_flags_type(flagsobj)


@method
def setflags(self, write=None, align=None, uic=None):
    """Sets the WRITEABLE flag."""
    if uic:
        raise ValueError("cannot set WRITEBACKIFCOPY flag to True")
    if write is not None:
        self._writeable = bool(write)


# ---- scalars ----

def _on(*names):
    """Adds a method to scalar types."""
    def add(function):
        for name in names:
            setattr(C.scalar_types[name], function.__name__, function)
        _sign(function)
        return function
    return add


@_on("floating")
def is_integer(self):
    """Is it a whole number?"""
    return self.item().is_integer()


@_on("integer")
def is_integer(self):  # noqa: F811
    """True."""
    return True


@_on("floating")
def as_integer_ratio(self):
    """Two integers whose quotient it is."""
    return self.item().as_integer_ratio()


@_on("integer")
def bit_count(self):
    """The number of bits of the absolute value that are one."""
    return self.item().bit_count()


for _name, _get in {"numerator": lambda self: self, "denominator": lambda self: self.dtype.type(1)}.items():
    setattr(C.scalar_types["integer"], _name, property(_get))


@_on("number")
def __round__(self, ndigits=None):
    """round(x): a whole number of Python, or rounded to digits in the same dtype."""
    if ndigits is None:
        return round(self.item())
    return F.round(self, ndigits)


@_on("float64")
def hex(self):
    """The number in hexadecimal digits, as Python's float.hex."""
    return self.item().hex()


C.scalar_types["float64"].fromhex = classmethod(lambda cls, text: cls(float.fromhex(text)))
for _name in ("__trunc__", "__floor__", "__ceil__"):  # what NumPy's float64 has from Python's float
    setattr(C.scalar_types["float64"], _name, lambda self, _name=_name: getattr(self.item(), _name)())


def _subscripted(most):
    def class_getitem(cls, item):
        given = len(item) if isinstance(item, tuple) else 1
        if not 1 <= given <= most:
            raise TypeError(f"Too {'few' if given == 0 else 'many'} arguments for {cls.__module__}.{cls.__name__}")
        return types.GenericAlias(cls, item)
    return classmethod(class_getitem)


def _refuse_subscript(cls, item):
    raise TypeError(f"There are no type variables left in {cls.__module__}.{cls.__name__}")


C.ndarray.__signature__ = inspect.signature(lambda shape, dtype=None, buffer=None, offset=0, strides=None, order=None: None)
C.dtype.__signature__ = inspect.signature(lambda dtype, align=False, copy=False: None)


def _by_place(**defaults):
    P = inspect.Parameter
    return inspect.Signature([P(name, P.POSITIONAL_ONLY, default=default) for name, default in defaults.items()])


for _name, _type in C.scalar_types.items():
    if _name == "bool":
        _type.__signature__ = _by_place(value=False)
    elif _type.__name__[-1].isdigit():  # no class of several
        _is_complex = issubclass(_type, C.scalar_types["complexfloating"])
        _type.__signature__ = _by_place(real=0, imag=0) if _is_complex else _by_place(value=0)
    if _name in ("number", "integer", "signedinteger", "unsignedinteger", "inexact", "floating", "bool"):
        _type.__class_getitem__ = _subscripted(1)
    elif _name == "complexfloating":
        _type.__class_getitem__ = _subscripted(2)
    elif _name != "generic":
        _type.__class_getitem__ = classmethod(_refuse_subscript)
C.ndarray.__class_getitem__ = _subscripted(2)
C.dtype.__class_getitem__ = _subscripted(1)


# ---- protocols ----

def _rebuild(data, dtype, shape):
    if not data:
        return C.full(shape, 0, dtype)
    made = C.reshape(C._reinterpret(C.copy(C.asarray(data, None, True)), dtype.newbyteorder("=")), shape)
    return made if dtype.isnative else C.in_order_of(_swapped(made), dtype)


def _rebuild_on(buffer, dtype, shape, places):
    """An array on the memory of a buffer, its axes where they were."""
    raw = C.asarray(memoryview(buffer).cast("B"), None, True)
    made = C.reshape(C._reinterpret(raw, dtype), shape)
    return made if places is None else C.transpose(made, places)


def _in_memory_order(a):
    """A view whose elements lie side by side in C order, and where its axes belong; (None, None): there is none."""
    if a._c_contiguous:
        return a, None
    axes = sorted(range(a.ndim), key=lambda axis: -a.strides[axis])
    view = C.transpose(a, axes)
    return (view, tuple(axes.index(i) for i in range(a.ndim))) if view._c_contiguous else (None, None)


def _rebuild_scalar(value, dtype):
    return C.as_scalar(C.array(value, dtype, True))


@method
def __reduce__(self):
    if self._is_scalar:
        return _rebuild_scalar, (self.item(), self.dtype)
    return _rebuild, (bytearray(self.tobytes()), self.dtype, self.shape)


@method
def __reduce_ex__(self, protocol):
    view, places = (None, None) if self._is_scalar or not self.size or not self.dtype.isnative else _in_memory_order(self)
    if view is None or (protocol < 5 and places is None):
        return self.__reduce__()
    import pickle
    buffer = pickle.PickleBuffer(view) if protocol >= 5 else bytearray(view.tobytes())
    return _rebuild_on, (buffer, self.dtype, view.shape, places)


@method
def __sizeof__(self):
    """Bytes of the object, and of the elements that it owns."""
    return object.__sizeof__(self) + 16 * self.ndim + (self.nbytes if self.base is None else 0)


@method
def __copy__(self):
    return self if self._is_scalar else C.copy_in_order(self, None, "K", self)


@method
def __deepcopy__(self, memo):
    return self if self._is_scalar else C.copy_in_order(self, None, "K", self)


@method
def __format__(self, spec):
    if self.ndim == 0:
        number = self._is_scalar and self.dtype.kind != "b"
        return format(self.item(), spec) if spec or number else str(self)
    if spec:
        raise TypeError("unsupported format string passed to numpy.ndarray.__format__")
    return str(self)


@method
def __array__(self, dtype=None, *, copy=None):
    import numpy
    made = numpy.array(memoryview(self), copy=self._is_scalar or None)  # scalars are never shared
    if dtype is not None and numpy.dtype(dtype) != made.dtype:
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        return made.astype(dtype)
    return made.copy() if copy else made


def _interface(self):
    address = C._address_for(self, "__array_interface__")
    text = self.dtype.newbyteorder("=").str  # that of the memory
    return {"version": 3, "shape": self.shape, "typestr": text, "data": (address, not self._writeable),
            "strides": None if self._c_contiguous else self.strides, "descr": [("", text)],
            "__ref": self}  # whoever has the address has the memory


ndarray.__array_interface__ = property(_interface)
ndarray.__array_priority__ = 1000.0


@method
def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    if dl_device is not None and tuple(map(int, dl_device)) != (1, 0):
        raise BufferError(f"unsupported device requested: got {dl_device}, expected (1, 0).")
    if stream is not None:
        raise RuntimeError("NumPy only supports stream=None.")
    return C._dlpack_capsule(self, max_version is not None and max_version[0] >= 1, bool(copy))


@method
def __dlpack_device__(self):
    return (1, 0)


@method
def __array_namespace__(self, *, api_version=None):
    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
        raise ValueError(f'Version "{api_version}" of the Array API Standard is not supported.')
    import numjit
    return numjit


@method
def __array_wrap__(self, array, context=None, return_scalar=False, /):
    """What a function made of this array, as an array of numjit; a scalar if that is asked for and it has no axes."""
    made = asarray(array)
    return made[()] if return_scalar and made.ndim == 0 else made


def _scalar_wrap(self, array, context=None, return_scalar=None, /):
    """What a function made of this scalar: a scalar, unless it has axes or the array itself is asked for."""
    made = asarray(array)
    return made if return_scalar is False or made.ndim else made[()]


C.scalar_types["generic"].__array_wrap__ = _scalar_wrap


@method
def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
    from ._interop import call_ufunc
    if not hasattr(ufunc, "nin") or not isinstance(method, str):
        raise TypeError(f"attribute name must be string, not '{type(method).__name__}'" if not isinstance(method, str) else
                        f"expected a ufunc, got '{type(ufunc).__name__}'")
    return call_ufunc(ufunc, method, inputs, kwargs)


@method
def __array_function__(self, func, types, args, kwargs):
    from ._interop import call_function
    if not isinstance(args, tuple) or not isinstance(kwargs, dict):
        raise TypeError("args must be a tuple." if not isinstance(args, tuple) else "kwargs must be a dict.")
    return call_function(func, types, args, kwargs)
