"""numpy.emath: functions whose results are complex where real ones would be NaN. Whether they are depends on values."""
from . import _core as C
from ._creation import asarray
from ._functions import any as _any
from ._ufuncs import by_name

__all__ = ["sqrt", "log", "log2", "logn", "log10", "power", "arccos", "arcsin", "arctanh"]

_NARROW = ("float32", "int8", "int16", "uint8", "uint16", "complex64")


def _widened(x, outside):
    """As complex numbers, if a real one lies outside of where the function is real."""
    x = asarray(x)
    real = x if x.dtype.kind != "c" else x.real
    beyond = outside(real) if x.dtype.kind != "c" else outside(real) & (x.imag == 0)
    if not bool(_any(beyond)):
        return x
    return x.astype(C.complex64 if x.dtype.name in _NARROW else C.complex128)


def _negative(x):
    return x < 0


def _beyond_one(x):
    return by_name["absolute"](x) > 1


def _function(name, outside, text):
    ufunc = by_name[name]

    def function(x):
        return ufunc(_widened(x, outside))
    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return function


sqrt = _function("sqrt", _negative, "Square roots, imaginary for negative numbers.")
log = _function("log", _negative, "Natural logarithms, complex for negative numbers.")
log2 = _function("log2", _negative, "Logarithms to base 2, complex for negative numbers.")
log10 = _function("log10", _negative, "Logarithms to base 10, complex for negative numbers.")
arccos = _function("arccos", _beyond_one, "Inverse cosines, complex beyond [-1, 1].")
arcsin = _function("arcsin", _beyond_one, "Inverse sines, complex beyond [-1, 1].")
arctanh = _function("arctanh", _beyond_one, "Inverse hyperbolic tangents, complex beyond [-1, 1].")


def logn(n, x):
    """Logarithms to base n, complex for negative numbers."""
    return log(x) / log(n)


def power(x, p):
    """Powers, complex for negative bases; negative exponents make floats."""
    p = asarray(p)
    if p.dtype.kind in "iu" and bool(_any(p < 0)):
        p = p * 1.0
    return by_name["power"](_widened(x, _negative), p)
