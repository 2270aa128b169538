"""numjit.lib.stride_tricks: views by strides."""
import types

from . import _core as C
from ._creation import asarray
from ._ufuncs import _axis


def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    """A view with a shape and strides of one's own, inside the array's memory."""
    x = asarray(x)
    return C._as_strided(x, x.shape if shape is None else shape, x.strides if strides is None else strides, writeable)


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """Read-only views of all windows of a shape."""
    x = asarray(x)
    window = tuple(window_shape) if hasattr(window_shape, "__len__") else (window_shape,)
    if any(w < 0 for w in window):
        raise ValueError("`window_shape` cannot contain negative values")
    axes = tuple(range(x.ndim)) if axis is None else tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    if len(window) != len(axes):
        raise ValueError(f"Must provide matching length window_shape and axis; got {len(window)} window_shape elements and "
                         f"{len(axes)} axes elements." if axis is not None else
                         f"Since axis is `None`, must provide window_shape for all dimensions of `x`; got {len(window)} "
                         f"window_shape elements and `x.ndim` is {x.ndim}.")
    axes = [_axis(a, x.ndim) for a in axes]
    shape = list(x.shape)
    for a, w in zip(axes, window):
        if shape[a] < w:
            raise ValueError("window shape cannot be larger than input array shape")
        shape[a] -= w - 1
    return C._as_strided(x, tuple(shape) + window, x.strides + tuple(x.strides[a] for a in axes), writeable)


from . import emath as scimath  # noqa: E402,F401

stride_tricks = types.SimpleNamespace(as_strided=as_strided, sliding_window_view=sliding_window_view)
