"""Named results of sets, and functions applied along axes."""
from collections import namedtuple

from . import _core as C
from ._creation import asarray
from ._ufuncs import _axis


UniqueAllResult = namedtuple("UniqueAllResult", "values indices inverse_indices counts")
UniqueCountsResult = namedtuple("UniqueCountsResult", "values counts")
UniqueInverseResult = namedtuple("UniqueInverseResult", "values inverse_indices")


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """A function of each 1-D slice along an axis."""
    import itertools
    a = asarray(arr)
    axis = _axis(axis, a.ndim)
    moved = C.moveaxis(a, axis, -1)
    shape = moved.shape[:-1]
    rows = [asarray(func1d(moved[at], *args, **kwargs)) for at in itertools.product(*map(range, shape))]
    if not rows:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    made = C.reshape(asarray(rows), shape + rows[0].shape)
    for i in range(rows[0].ndim):
        made = C.moveaxis(made, len(shape) + i, axis + i)
    return made


def apply_over_axes(func, a, axes):
    """A function applied over axes, one after the other."""
    val = asarray(a)
    for axis in asarray(axes).reshape(-1).tolist():
        axis = axis + val.ndim if axis < 0 else axis
        res = func(val, axis)
        val = res if res.ndim == val.ndim else C.expand_dims(res, axis)
    return val
