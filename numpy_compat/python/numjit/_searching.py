"""Functions that call the user's functions on parts of arrays."""
import itertools

from . import _core as C
from ._creation import asarray
from ._functions import any as _any, zeros_like
from ._ufuncs import _axis


def piecewise(x, condlist, funclist, *args, **kw):
    """Functions of the elements where their conditions hold."""
    x = asarray(x)
    if C.is_weak(condlist) or (isinstance(condlist, C.array_base) and condlist.ndim == 0) or (not isinstance(condlist[0], (list, tuple, C.ndarray)) and x.ndim != 0):
        condlist = [condlist]
    conditions = [asarray(c).astype(bool, copy=False) for c in condlist]
    if len(funclist) == len(conditions) + 1:
        rest = conditions[0]
        for c in conditions[1:]:
            rest = rest | c
        conditions.append(~rest)
    elif len(funclist) != len(conditions):
        raise ValueError(f"with {len(conditions)} condition(s), either {len(conditions)} or {len(conditions) + 1} functions "
                         "are expected")
    made = zeros_like(x)
    for c, f in zip(conditions, funclist):
        if c.ndim > x.ndim:
            raise IndexError(f"too many indices for array: array is {x.ndim}-dimensional, but {c.ndim} were indexed")
        c = C.broadcast_to(c, x.shape)
        if not callable(f):
            made[c] = f
        elif bool(_any(c)):
            made[c] = f(x[c], *args, **kw)
    return made


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """A function of each 1-D slice along an axis."""
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
