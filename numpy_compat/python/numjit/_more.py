"""Smaller chapters: polynomials of coefficients, bits, numbers as text, iteration."""
import inspect
import itertools
import math
import operator

from . import _core as C
from ._creation import _in_byte_order, asarray
from ._flat import flatiter
from ._functions import broadcast_shapes

False_, True_ = C.bool_(False), C.bool_(True)
# Of the dtypes that there are.
typecodes = {"Character": "", "Integer": "bhilqnp", "UnsignedInteger": "BHILQNP", "Float": "efd", "Complex": "FD",
             "AllInteger": "bBhHiIlLqQnNpP", "AllFloat": "efdFD", "Datetime": "", "All": "?bhilqnpBHILQNPefdFD"}


class ndindex:
    """All index tuples of a shape."""

    def __init__(self, *shape):
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
        if min(shape, default=0) < 0:
            raise ValueError("negative dimensions are not allowed")
        self._indices = itertools.product(*map(range, shape))

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._indices)


class ndenumerate:
    """Pairs of index tuple and element."""

    def __init__(self, arr):
        a = asarray(arr)
        self._pairs = ((index, a[index]) for index in ndindex(a.shape))

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._pairs)


class broadcast:
    """Arrays broadcast against each other, element by element."""

    __signature__ = inspect.Signature([inspect.Parameter("arrays", inspect.Parameter.VAR_POSITIONAL)])

    def __new__(cls, *arrays, **kwargs):
        if kwargs:
            raise ValueError("keyword arguments not accepted.")
        return super().__new__(cls)

    def __init__(self, *arrays):
        args = arrays
        if len(args) > 64:
            raise ValueError(f"Need at least 0 and at most 64 array objects (got {len(args)}).")
        given = [p for a in args for p in (a._arrays if isinstance(a, broadcast) else [asarray(a)])]
        self.shape = broadcast_shapes(*(a.shape for a in given))
        self._arrays = given
        self.ndim = self.nd = len(self.shape)
        self.size = math.prod(self.shape)
        self.numiter = len(given)
        self.reset()

    @property
    def iters(self):
        """Iterators over the elements of each array."""
        return tuple(flatiter(a, self.shape) for a in self._arrays)

    def reset(self, /):
        """Begins anew."""
        self.index, self._rows = 0, zip(*self.iters)

    def __iter__(self):
        return self

    def __next__(self):
        row = next(self._rows)
        self.index += 1
        return row


def binary_repr(num, width=None):
    """An integer in base 2, negative ones with a sign or in two's complement of a width."""
    num = operator.index(num)
    if num == 0:
        return "0" * (width or 1)
    if num > 0:
        if width is not None and width < len(bin(num)) - 2:
            raise ValueError(f"Insufficient bit width={width} provided for binwidth={len(bin(num)) - 2}")
        return bin(num)[2:].zfill(width or 0)
    if width is None:
        return "-" + bin(-num)[2:]
    digits = len(bin(-num)) - 2
    digits = digits if 2 ** (digits - 1) == -num else digits + 1
    if digits > width:
        raise ValueError(f"Insufficient bit width={width} provided for binwidth={digits}")
    return bin(2 ** width + num)[2:].zfill(width)


def base_repr(number, base=2, padding=0):
    """An integer in a base from 2 to 36."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    if not 2 <= base <= 36:
        raise ValueError("Bases greater than 36 not handled in base_repr." if base > 36 else "Bases less than 2 not handled in base_repr.")
    n, text = abs(operator.index(number)), ""
    while n:
        text = digits[n % base] + text
        n //= base
    text = "0" * padding + text
    return ("-" if number < 0 else "") + (text or "0")


# ---- raw files ----

def fromfile(file, dtype=None, count=-1, sep="", offset=0, *, like=None):
    """A 1-D array of the bytes, or the text, of a file."""
    import numpy
    t, swapped = _in_byte_order(dtype)
    made = asarray(numpy.fromfile(file, t.__numpy_dtype__, count, sep, offset))
    return C.in_order_of(made if sep else made.byteswap(), dtype) if swapped else made
