"""Dtypes as classes and limits: abstract types, issubdtype, finfo, iinfo, constants."""
import builtins
import math
import numbers
import types

from . import _core as C
from ._core import dtype

# The scalar types. What functions here give are dtypes: C.float64 and so on.
_TYPES = C.scalar_types
generic, number, integer, signedinteger, unsignedinteger, inexact, floating, complexfloating = (
    _TYPES[n] for n in ("generic", "number", "integer", "signedinteger", "unsignedinteger", "inexact", "floating", "complexfloating"))
# As NumPy's own: isinstance(x, numbers.Real) of a float32.
numbers.Number.register(number)
numbers.Integral.register(integer)
numbers.Real.register(floating)
numbers.Complex.register(inexact)
bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, complex64, complex128 = ALL = tuple(
    _TYPES[n] for n in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
                        "float64", "complex64", "complex128"))
sctypeDict = {**{t.__name__: t for t in ALL}, **{C.dtype(t).char: t for t in ALL}}


class _NumpysDtype:
    """Of a scalar type: NumPy's dtype, which NumPy asks a class for that it is given as one."""

    def __get__(self, scalar, cls):
        try:
            return dtype(cls).__numpy_dtype__
        except ImportError as error:
            raise AttributeError("__numpy_dtype__") from error


for _type in ALL:
    _type.__numpy_dtype__ = _NumpysDtype()

# Other names of dtypes, as in NumPy on this platform.
numbers.Number.register(bool_)  # numpy.isscalar() and numpy.testing look for it
bool = bool_  # noqa: A001
byte, short, intc, int_, intp, longlong, long = int8, int16, int32, int64, int64, int64, int64
ubyte, ushort, uintc, uint, uintp, ulonglong, ulong = uint8, uint16, uint32, uint64, uint64, uint64, uint64
half, single, double, csingle, cdouble = float16, float32, float64, complex64, complex128
sctypeDict.update({n: globals()[n] for n in "byte short intc int_ intp longlong long ubyte ushort uintc uint uintp ulonglong ulong half "
                   "single double csingle cdouble".split()}, int=int_, float=float64, complex=complex128, bool_=bool_)
ScalarType = (int, float, complex, builtins.bool, bytes, str, memoryview, bool_, complex64, complex128, float16, float32, float64, int8,
              int16, int32, int64, uint8, uint16, uint32, uint64)

pi, e, euler_gamma, inf, nan = math.pi, math.e, 0.5772156649015329, math.inf, math.nan
newaxis = None
little_endian = True


def issubdtype(arg1, arg2):
    """Is the first type the second one or below it?"""
    arg1, arg2 = (_as_type(t) for t in (arg1, arg2))
    return issubclass(arg1, arg2)


def _as_type(t):
    name = getattr(t, "__name__", "") if isinstance(t, type) and t.__module__ == "numpy" else ""
    if name in _TYPES:  # NumPy's own
        return _TYPES[name]
    return t if isinstance(t, type) and issubclass(t, generic) else dtype(t).type


def result_type(*arrays_and_dtypes):
    """dtype of an expression of these operands, Python's own numbers weak."""
    return C.result_type(*arrays_and_dtypes)


def promote_types(type1, type2, /):
    """The smallest dtype that both cast to safely."""
    return C.promote_types(type1, type2)


def can_cast(from_, to, casting="safe"):
    """May values of one dtype be cast to another under a rule?"""
    if C.is_weak(from_):
        raise TypeError("can_cast() does not support Python ints, floats, and complex because the result used to depend "
                        "on the value.")
    if from_ is None or to is None:
        raise TypeError("did not understand one of the types; 'None' not accepted")
    if isinstance(from_, C.array_base):
        from_ = from_.dtype
    return C.can_cast(from_, to, casting)


def min_scalar_type(a, /):
    """The smallest dtype that holds a scalar; that of an array."""
    from ._creation import asarray
    a = asarray(a)
    if a.ndim or a.dtype.kind == "b":
        return a.dtype
    value = a.item()
    if a.dtype.kind in "iu":
        for t in (C.uint8, C.uint16, C.uint32, C.uint64) if value >= 0 else (C.int8, C.int16, C.int32, C.int64):
            info = iinfo(t)
            if info.min <= value <= info.max:
                return t
    if a.dtype.kind == "f":
        for t in (C.float16, C.float32):
            if not math.isfinite(value) or abs(value) <= float(finfo(t).max):
                return t
        return C.float64
    big = max(abs(value.real), abs(value.imag))
    return C.complex64 if not math.isfinite(big) or big <= float(finfo(C.float32).max) else C.complex128


def common_type(*arrays):
    """The float or complex type that all arrays fit; integers count as float64."""
    found = C.float16
    for a in arrays:
        t = a.dtype if isinstance(a, C.array_base) else C.asarray(a, None, True).dtype
        if t.kind == "b":
            raise TypeError("can't get common type for non-numeric array")
        found = promote_types(found, C.float64 if t.kind in "iu" else t)
    return found.type


def mintypecode(typechars, typeset="GDFgdf", default="d"):
    """The smallest type character of a set to which all given ones can be cast."""
    codes = [t if isinstance(t, str) else C.asarray(t, None, True).dtype.char for t in typechars]
    found = {t for t in codes if t in typeset}
    if not found:
        return default
    if "F" in found and "d" in found:
        return "D"
    return min(found, key="GDFgdf".index)


def _dtype_of(x):
    """The dtype of a dtype, type, text, number or array."""
    if C.is_weak(x):
        return C.asarray(x, None, True).dtype
    return C.dtype(x if isinstance(x, type) else getattr(x, "dtype", x))


class finfo:
    """Limits of a float dtype (of the parts of a complex one)."""

    _parameters = {"float16": (16, 10, 5), "float32": (32, 23, 8), "float64": (64, 52, 11)}
    _made = {}
    __class_getitem__ = classmethod(types.GenericAlias)

    def __new__(cls, dtype):
        if dtype is None:
            raise TypeError("dtype must not be None")
        t = _dtype_of(dtype)
        made = cls._made.get(t)
        if made is None:
            made = super().__new__(cls)
            made._fill(t)
            cls._made[t] = made
        return made

    def _fill(self, t):
        if t.kind == "c":
            t = C.float32 if t == C.complex64 else C.float64
        if t.kind != "f":
            raise ValueError(f"data type {t.type!r} not inexact")
        bits, mantissa, exponent = self._parameters[t.name]
        self.dtype, self.bits, self.nmant, self.nexp, self.iexp = t, bits, mantissa, exponent, exponent
        self.machep, self.negep, self.precision = -mantissa, -mantissa - 1, int(mantissa * math.log10(2))
        top = 2 ** (exponent - 1)
        self.maxexp, self.minexp = top, 2 - top
        # Python's floats, as the array API wants: weak beside arrays of any float dtype.
        self.eps, self.epsneg = 2.0 ** -mantissa, 2.0 ** (-mantissa - 1)
        self.machar = None
        self.max = (2 - 2.0 ** -mantissa) * 2.0 ** (top - 1)
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0 ** (2 - top)
        self.smallest_subnormal = 2.0 ** (2 - top - mantissa)
        self.resolution = t(10.0 ** -self.precision).item()

    def __repr__(self):
        shown = {"float16": "%.5e", "float32": "%.7e", "float64": "%.16e"}[self.dtype.name]
        return (f"finfo(resolution={self.dtype.type(self.resolution)!s}, min={shown % self.min}, max={shown % self.max}, "
                f"dtype={self.dtype.name})")


class iinfo:
    """Limits of an integer dtype."""

    __class_getitem__ = classmethod(types.GenericAlias)

    def __init__(self, int_type):
        try:
            self.dtype = _dtype_of(int_type)
        except TypeError as error:
            if not isinstance(int_type, str):
                raise
            raise ValueError("Invalid integer data type 'U'.") from error
        if self.dtype.kind not in "iu":
            raise ValueError(f"Invalid integer data type {self.dtype.kind!r}.")
        self.kind, self.bits = self.dtype.kind, 8 * self.dtype.itemsize
        self.min = 0 if self.kind == "u" else -(1 << (self.bits - 1))
        self.max = (1 << self.bits) - 1 if self.kind == "u" else (1 << (self.bits - 1)) - 1
        self.key = f"{self.kind}{self.bits}"

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype.name})"


_KINDS = {"bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f",
          "complex floating": "c", "numeric": "iufc"}


def isdtype(dtype, kind):
    """Is a dtype of a kind of the array API, or one of several?"""
    if not _is_dtype(dtype):
        raise TypeError(f"dtype argument must be a NumPy dtype, but it is a {type(dtype)}.")
    kinds = kind if isinstance(kind, tuple) else (kind,)
    for k in kinds:
        if isinstance(k, str) and k not in _KINDS:
            raise ValueError(f"kind argument is a string, but {k!r} is not a known kind name.")
        if not isinstance(k, str) and not _is_dtype(k):
            raise TypeError(f"kind argument must be comprised of NumPy dtypes or strings only, but is a {type(k)}.")
    t = C.dtype(dtype)
    return any(t.kind in _KINDS[k] if isinstance(k, str) else t == C.dtype(k) for k in kinds)


def _is_dtype(x):
    """Is it a dtype or a scalar type, ours or NumPy's?"""
    kind = x if isinstance(x, type) else type(x)
    return issubclass(kind, (C.dtype, generic) if isinstance(x, type) else C.dtype) or kind.__module__.partition(".")[0] == "numpy"


def isscalar(element):
    """A number, but no array."""
    return isinstance(element, (numbers.Number, str, bytes, memoryview, generic))


def iscomplexobj(x):
    """Has the argument a complex dtype?"""
    try:
        return (dtype(x.dtype) if hasattr(x, "dtype") else C.asarray(x, None, True).dtype).kind == "c"
    except TypeError:  # texts, None and other objects are no numbers at all
        return False


def isrealobj(x):
    """Has the argument a dtype that is not complex?"""
    return not iscomplexobj(x)


__all__ = [_name for _name, _value in list(globals().items()) if not _name.startswith("_") and not isinstance(_value, types.ModuleType)]
