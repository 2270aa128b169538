"""numjit.lib: views by strides, axes and addresses of arrays; its modules can be imported like NumPy's."""
import functools
import operator
import re
import sys as _sys
import types

from . import _core as C
from ._creation import asarray
from ._io import open_memmap
from ._ufuncs import _axis

tracemalloc_domain = C.tracemalloc_domain
"""The domain of arrays' memory in tracemalloc's snapshots."""


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
    # By an operation, which transforms see, and which needs no memory while recording.
    if (C.levels_are_open() or C.is_recording() and not writeable) and len(set(axes)) == len(axes):
        return _windows(x, dict(zip(axes, window)))
    shape = list(x.shape)
    for a, w in zip(axes, window):
        if shape[a] < w:
            raise ValueError("window shape cannot be larger than input array shape")
        shape[a] -= w - 1
    return C._as_strided(x, tuple(shape) + window, x.strides + tuple(x.strides[a] for a in axes), writeable)


def _windows(x, window):
    """The windows of lengths by axes, in the order of the axes given."""
    views = C.sliding_windows(x, tuple(window.get(a, 1) for a in range(x.ndim)))
    kept = views[(..., *(slice(None) if a in window else 0 for a in range(x.ndim)))]
    order = sorted(window)
    return kept.transpose(*range(x.ndim), *(x.ndim + order.index(a) for a in window))


def normalize_axis_index(axis, ndim, msg_prefix=None):
    """The axis as an index from 0. AxisError, its text after a prefix."""
    axis = operator.index(axis)
    if -ndim <= axis < ndim:
        return axis % ndim
    from .exceptions import AxisError
    raise AxisError((f"{msg_prefix}: " if msg_prefix else "") + f"axis {axis} is out of bounds for array of dimension {ndim}")


def normalize_axis_tuple(axis, ndim, argname=None, allow_duplicate=False):
    """One axis or several as indices from 0. AxisError; ValueError: "repeated axis"."""
    listed = axis if isinstance(axis, (tuple, list)) or not hasattr(axis, "__index__") else (axis,)
    found = tuple(normalize_axis_index(a, ndim, argname) for a in listed)
    if not allow_duplicate and len(set(found)) != len(found):
        raise ValueError(f"repeated axis in `{argname}` argument" if argname else "repeated axis")
    return found


def byte_bounds(a):
    """Addresses of the first byte of an array, and behind its last."""
    low = high = a._address if isinstance(a, C.array_base) else a.__array_interface__["data"][0]
    for n, stride in zip(a.shape, a.strides) if a.size else ():
        low, high = (low + (n - 1) * stride, high) if stride < 0 else (low, high + (n - 1) * stride)
    return low, high + a.itemsize if a.size else high


@functools.total_ordering
class NumpyVersion:
    """A version of NumPy that can be compared: development, alphas, betas and candidates come before what they lead to."""

    def __init__(self, vstring):
        self.vstring = vstring
        main = re.match(r"\d+\.\d+\.\d+", vstring)
        if not main:
            raise ValueError("Not a valid numpy version string")
        self.version = main.group()
        self.major, self.minor, self.bugfix = map(int, self.version.split("."))
        pre = re.match(r"(a|b|rc)\d", vstring[main.end():])
        self.pre_release = pre.group() if pre else "" if vstring[main.end():] else "final"
        self.is_devversion = ".dev" in vstring

    def _order(self):
        pre = ("", "a", "b", "rc", "final").index(self.pre_release.rstrip("0123456789"))  # a development version is before alphas
        return self.major, self.minor, self.bugfix, pre, self.pre_release, not self.is_devversion

    @classmethod
    def _of(cls, other):
        if not isinstance(other, (str, cls)):
            raise ValueError("Invalid object to compare with NumpyVersion.")
        return cls(other) if isinstance(other, str) else other

    def __eq__(self, other):
        return self._order() == self._of(other)._order()

    def __lt__(self, other):
        return self._order() < self._of(other)._order()

    def __repr__(self):
        return f"NumpyVersion({self.vstring})"


from . import emath as scimath  # noqa: E402,F401


def _module(name, *functions):
    made = types.ModuleType(f"{__name__}.{name}", f"The counterpart of numpy.lib.{name}.")
    made.__all__ = [f.__name__ for f in functions]
    for f in functions:
        setattr(made, f.__name__, f)
    _sys.modules[made.__name__] = made
    return made


stride_tricks = _module("stride_tricks", as_strided, sliding_window_view)
array_utils = _module("array_utils", byte_bounds, normalize_axis_index, normalize_axis_tuple)
format = _module("format", open_memmap)


def _of_format(name):
    """The other names of numpy.lib.format: headers of .npy files are NumPy's, and its functions work on the memory of our arrays."""
    from numpy.lib import format as theirs
    if name.startswith("_") or not hasattr(theirs, name):
        raise AttributeError(f"module {format.__name__!r} has no attribute {name!r}")
    found = getattr(theirs, name)
    if callable(found):
        from ._interop import by_numpy
        found = functools.wraps(found)(functools.partial(lambda function, *args, **kwargs: by_numpy(function, args, kwargs), found))
    setattr(format, name, found)
    return found


format.__getattr__ = _of_format
_sys.modules[f"{__name__}.scimath"] = scimath
