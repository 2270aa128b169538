"""Other libraries' arrays and NumPy's functions: who computes a call, and NumPy's functions on the memory of our arrays."""
import functools
import types

from . import _core as C

MODULES = {"numpy": (), "numpy.linalg": ("linalg",), "numpy.fft": ("fft",), "numpy.random": ("random",),
           "numpy.lib.stride_tricks": ("lib", "stride_tricks"), "numpy.lib.array_utils": ("lib", "array_utils")}


# ---- NumPy's functions on the memory of our arrays ----

def _as_numpys(value, ours):
    """An argument with NumPy's arrays, scalars and dtypes in the places of ours. `ours`: arrays by the id of NumPy's."""
    kind = type(value)
    if kind is tuple or kind is list:
        return kind(_as_numpys(v, ours) for v in value)
    if kind is dict:
        return {key: _as_numpys(v, ours) for key, v in value.items()}
    if isinstance(value, C.array_base):
        made = value.__array__()
        if value._is_scalar:
            return made[()]
        ours[id(made)] = value, made
        return made
    if isinstance(value, C.dtype) or isinstance(value, type) and issubclass(value, C.scalar_types["generic"]):
        import numpy
        return numpy.dtype(C.dtype(value).str)
    return value


def _as_ours(value, ours):
    """A result with our arrays and scalars in the places of NumPy's, but for those of dtypes that are not ours."""
    import numpy
    kind = type(value)
    if kind is numpy.ndarray:
        if id(value) in ours:
            return ours[id(value)][0]
        return _or_itself(lambda v: C.asarray(v, None, True), value)
    if isinstance(value, numpy.dtype):
        return _or_itself(C.dtype, value)
    if isinstance(value, numpy.generic):
        return _or_itself(lambda v: C.as_scalar(C.array(v, None, True)), value)
    if kind is list or kind is tuple:
        return kind(_as_ours(v, ours) for v in value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return kind(*(_as_ours(v, ours) for v in value))
    return value


def _or_itself(convert, value):
    try:
        return convert(value)
    except TypeError:  # objects, text, dates
        return value


def by_numpy(function, args, kwargs):
    """What a function that takes NumPy's arrays gives for ours, on the same memory."""
    ours = {}
    return _as_ours(function(*_as_numpys(args, ours), **_as_numpys(kwargs, ours)), ours)


def call_numpy_by_name(name, args, kwargs):
    """The same for NumPy's function of a name; NotImplemented where it has none, or one that asks no other classes."""
    import numpy
    found = numpy
    if name.startswith("."):  # a method of the ufunc that comes first
        ufunc, *args = args
        name = ufunc.__name__ + name
    for part in name.split("."):
        found = getattr(found, part, None)
    if kwargs.get("like") is not None and not isinstance(kwargs["like"], (C.array_base, numpy.ndarray)):
        if not hasattr(type(kwargs["like"]), "__array_function__"):
            raise TypeError("The `like` argument must be an array-like that implements the `__array_function__` protocol.")
        return found(*args, **kwargs)
    if isinstance(getattr(found, "__self__", None), numpy.ufunc):
        return by_numpy(found, tuple(args), kwargs)
    if not isinstance(found, numpy.ufunc) and not hasattr(found, "_implementation"):
        return NotImplemented
    return by_numpy(found, args, kwargs)


def as_numpys(value):
    """The same for a value: what a function of a NumPy program gives to NumPy, say."""
    return _as_numpys(value, {})


def is_for_numpy(error):
    """Is it, in a NumPy program, about elements that we don't hold? NumPy does it then."""
    return C.in_numpy_program() and is_not_held(error)


def numpys_method(error, name, array, *args):
    """What NumPy's method of an array gives in a NumPy program, where ours refused a dtype that we don't hold."""
    if not is_for_numpy(error):
        raise error
    import numpy
    return by_numpy(getattr(numpy.ndarray, name), (array, *args), {})


# ---- the protocols by which NumPy asks us ----

def is_not_held(error):
    """Is it the TypeError of a conversion: something has none of our dtypes?"""
    return "there is no dtype for" in str(error) or "is left out: strings, dates, objects" in str(error)


def _called(own, args, options):
    """A function of ours that may store into an array of NumPy's: on its memory, and what is given back is that array."""
    import numpy
    outs = options.get("out")
    given = outs if isinstance(outs, tuple) else (outs,)
    if not any(type(o) is numpy.ndarray for o in given):
        return own(*args, **options)
    ours = [C.asarray(o, None, True) if type(o) is numpy.ndarray else o for o in given]
    result = own(*args, **{**options, "out": tuple(ours) if isinstance(outs, tuple) else ours[0]})

    def left(value):
        return next((g for g, o in zip(given, ours) if value is o), value)
    return tuple(left(r) for r in result) if isinstance(result, tuple) else left(result)


def call_ufunc(ufunc, method, inputs, kwargs):
    """NumPy's ufunc: ours of the same name, if it is one of NumPy's and all operands are such as we hold; else that ufunc
    itself (it may be SciPy's or a user's) on the same memory."""
    import numjit
    import numpy
    own = getattr(numjit, ufunc.__name__, None) if getattr(numpy, ufunc.__name__, None) is ufunc else None
    if method != "__call__":
        own = getattr(own, method, None)
    outs = kwargs.get("out", ())
    if own is None or any(C.is_foreign(x) for x in (*inputs, *(outs if isinstance(outs, tuple) else (outs,)))):
        return by_numpy(getattr(ufunc, method), inputs, kwargs)
    options = dict(kwargs)
    if isinstance(outs, tuple) and len(outs) == 1:
        options["out"] = outs[0]
    if options.get("dtype") is not None:
        options["dtype"] = C.dtype(options["dtype"])
    try:
        return _called(own, inputs, options)
    except TypeError as error:
        if not is_not_held(error):
            raise
    return by_numpy(getattr(ufunc, method), inputs, kwargs)


def call_function(function, classes, args, kwargs):
    """NumPy's function: ours of the same name; NumPy's on the same memory where there is none, or where an argument is such
    as we don't hold."""
    import numjit
    import numpy
    own = numjit
    for name in MODULES.get(function.__module__, ("",)):
        own = getattr(own, name, None) if name and own is not None else None
    own = getattr(own, function.__name__, None) if own is not None else None
    if own is None or any(not issubclass(c, (C.array_base, numpy.ndarray)) for c in classes):
        return by_numpy(function, args, kwargs)
    try:
        return _called(own, args, kwargs)
    except TypeError as error:
        if not is_not_held(error):
            raise
    return by_numpy(function, args, kwargs)


# ---- our functions, which ask others ----

# What makes arrays takes anything as elements, as NumPy's does, and gives way to `like=` only; where() is a ufunc here, which asks
# by itself.
_CLOSED = frozenset(f"{__package__}.{name}" for name in ("_compile", "_devices", "_errstate", "_interop"))
_MAKERS = frozenset("asarray_chkfinite c_ from_dlpack where".split())


# What NumPy has in C, which is no method where a class has it, beside those that quick() makes so.
_NO_METHODS = "asfortranarray frombuffer fromfile fromiter fromstring from_dlpack frompyfunc".split()


def _described(made, function):
    functools.update_wrapper(made, function)
    made.__defaults__, made.__kwdefaults__, made.__code__ = function.__defaults__, function.__kwdefaults__, function.__code__
    return made


def opened(path, function):
    """A function that gives way to arrays of other libraries: see dispatch.cpp."""
    return _described(C.open_function(path, function), function)


def open_module(module, path=""):
    """All functions of a module so; one function that has several names stays one."""
    names, opened_functions = dict(vars(module)), {}
    for name, function in names.items():
        if not (isinstance(function, types.FunctionType) and not name.startswith("_") and name not in _MAKERS and
                function.__module__.startswith(__package__) and function.__module__ not in _CLOSED):
            continue
        if function not in opened_functions:
            own = function.__name__
            made = opened(path + (own if names.get(own) is function else name), function)
            made.__module__ = module.__name__  # where it is found again, as pickle does
            opened_functions[function] = made
        setattr(module, name, opened_functions[function])
    for name in () if path else _NO_METHODS:
        function = getattr(module, name)
        made = _described(C.builtin_function(name, function), function)
        made.__module__ = module.__name__
        setattr(module, name, made)


# ---- the array API's inspection ----

class Device(str):
    """A device by its name: "cpu", "cuda:0", "opencl:0"."""


class _Info:
    """What __array_namespace_info__() tells."""

    def capabilities(self):
        """What depends on the library."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 16}

    def default_device(self):
        """The device of new arrays."""
        return C._device_now()

    def devices(self):
        """All devices."""
        return [d["name"] for d in C._list_devices()]

    def default_dtypes(self, *, device=None):
        """dtypes of new arrays."""
        self._check(device)
        return {"real floating": C.float64, "complex floating": C.complex128, "integral": C.int64, "indexing": C.int64}

    def dtypes(self, *, device=None, kind=None):
        """dtypes by name, of one kind or several."""
        from ._info import isdtype
        self._check(device)
        from ._info import _KINDS
        if isinstance(kind, str) and kind not in _KINDS:
            raise ValueError(f"unsupported kind: {kind!r}")
        names = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
                 "complex64", "complex128")
        return {n: C.dtype(n) for n in names if kind is None or isdtype(C.dtype(n), kind)}

    @staticmethod
    def _check(device):
        if device is not None:
            C._device_name(str(device))


def __array_namespace_info__():
    """What this namespace of the array API has."""
    return _Info()


