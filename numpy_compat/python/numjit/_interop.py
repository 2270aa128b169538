"""NumPy's functions on numjit's arrays: __array_ufunc__, __array_function__; the array API's inspection."""

from . import _core as C


def call_ufunc(ufunc, method, inputs, kwargs):
    """The ufunc of the same name here."""
    import numjit
    own = getattr(numjit, ufunc.__name__, None)
    if own is None or not callable(own):
        return NotImplemented
    if method != "__call__":
        own = getattr(own, method, None)
        if own is None:
            return NotImplemented
    if isinstance(kwargs.get("out"), tuple) and len(kwargs["out"]) == 1:
        kwargs["out"] = kwargs["out"][0]
    if kwargs.get("dtype") is not None:
        kwargs["dtype"] = C.dtype(kwargs["dtype"])
    return own(*inputs, **kwargs)


_MODULES = {"numpy": (), "numpy.linalg": ("linalg",), "numpy.fft": ("fft",), "numpy.random": ("random",),
            "numpy.lib.stride_tricks": ("lib", "stride_tricks"), "numpy.lib.array_utils": ("lib", "array_utils")}


def call_function(func, args, kwargs):
    """The function of the same name here; NotImplemented (NumPy's TypeError) where there is none."""
    import numjit
    home = numjit
    for name in _MODULES.get(func.__module__, ("",)):
        home = getattr(home, name, None) if name and home is not None else None
    own = getattr(home, func.__name__, None) if home is not None else None
    if own is None:
        return NotImplemented
    return own(*args, **kwargs)


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


