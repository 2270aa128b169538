"""Discrete Fourier transforms."""
import operator
import warnings

from . import _core as C
from ._creation import asarray

_F = C.fft
__all__ = ["fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft", "irfft", "irfft2",
           "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn"]


def _norm(norm):
    if norm is None:
        return "backward"
    if norm not in ("backward", "ortho", "forward"):
        raise ValueError(f'Invalid norm value {norm}; should be "backward","ortho" or "forward".')
    return norm


def _along_axis(name, doc):
    transform = getattr(_F, name)

    def function(a, n=None, axis=-1, norm=None, out=None):
        return transform(asarray(a), n, operator.index(axis), _norm(norm), out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def _warn_of_lengths(s, axes):
    if axes is None:
        warnings.warn("`axes` should not be `None` if `s` is not `None` (Deprecated in NumPy 2.0). In a future version of NumPy, this "
                      "will raise an error and `s[i]` will correspond to the size along the transformed axis specified by `axes[i]`. "
                      "To retain current behaviour, pass a sequence [0, ..., k-1] to `axes` for an array of dimension k.",
                      DeprecationWarning, stacklevel=3)
    if None in s:
        warnings.warn("Passing an array containing `None` values to `s` is deprecated in NumPy 2.0 and will raise an error in a future "
                      "version of NumPy. To use the default behaviour of the corresponding 1-D transform, pass the value matching the "
                      "default for its `n` parameter. To use the default behaviour for every axis, the `s` argument can be omitted.",
                      DeprecationWarning, stacklevel=3)


def _along_axes(name, core, axes, doc):
    transform = getattr(_F, core)

    def function(a, s=None, axes=axes, norm=None, out=None):
        a = asarray(a)
        if isinstance(axes, int):
            raise TypeError(f"'{type(axes).__name__}' object is not iterable")
        if s is not None:
            s = list(s)
            _warn_of_lengths(s, axes)
            if core == "irfftn" and s and s[-1] is None:  # as irfft without a length
                s[-1] = 2 * (a.shape[-1 if axes is None else axes[-1]] - 1)
            s = [-1 if n is None else n for n in s]  # both: the length that there is
        return transform(a, s, axes, _norm(norm), out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


fft = _along_axis("fft", "Discrete Fourier transform along an axis.")
ifft = _along_axis("ifft", "Inverse of fft.")
rfft = _along_axis("rfft", "fft of real input: its first n // 2 + 1 results.")
irfft = _along_axis("irfft", "Inverse of rfft: n real results.")
hfft = _along_axis("hfft", "fft of a signal with Hermitian symmetry: n real results.")
ihfft = _along_axis("ihfft", "Inverse of hfft.")
fftn = _along_axes("fftn", "fftn", None, "Discrete Fourier transform along several axes.")
ifftn = _along_axes("ifftn", "ifftn", None, "Inverse of fftn.")
rfftn = _along_axes("rfftn", "rfftn", None, "fftn of real input.")
irfftn = _along_axes("irfftn", "irfftn", None, "Inverse of rfftn.")
fft2 = _along_axes("fft2", "fftn", (-2, -1), "Discrete Fourier transform along two axes.")
ifft2 = _along_axes("ifft2", "ifftn", (-2, -1), "Inverse of fft2.")
rfft2 = _along_axes("rfft2", "rfftn", (-2, -1), "fft2 of real input.")
irfft2 = _along_axes("irfft2", "irfftn", (-2, -1), "Inverse of rfft2.")


def _frequencies(made, device, dtype):
    """On a device, and of the dtype that the array API has an argument for."""
    made = made if dtype is None else C.astype(made, dtype)
    return made if device is None else C._to_device(made, str(device))


def _count(n, d):
    """The number of samples; NumPy's integers are some."""
    if not isinstance(n, int) and not (getattr(n, "ndim", None) == 0 and not type(n).__name__ == "ndarray" and n.dtype.kind in "iu"):
        raise ValueError("n should be an integer")
    n = operator.index(n)
    if n * d == 0:
        raise ZeroDivisionError("float division by zero")
    return n


def fftfreq(n, d=1.0, device=None, *, dtype=None):
    """Frequencies of fft's results, in cycles per unit of the sample spacing d."""
    n = _count(n, d)
    if n < 0:
        raise ValueError("negative dimensions are not allowed")
    return _frequencies(_F.fftfreq(n, float(d)), device, dtype)


def rfftfreq(n, d=1.0, device=None, *, dtype=None):
    """Frequencies of rfft's results."""
    n = _count(n, d)
    return _frequencies(_F.rfftfreq(n, float(d)), device, dtype)


def fftshift(x, axes=None):
    """The zero frequency moved to the middle."""
    return _F.fftshift(asarray(x), axes)


def ifftshift(x, axes=None):
    """Inverse of fftshift."""
    return _F.ifftshift(asarray(x), axes)
