"""Functions that call the user's functions on parts of arrays."""
from . import _core as C
from ._creation import _lying_as, asarray
from ._functions import any as _any


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
    made = _lying_as(C.full(x.shape, 0, x.dtype), x, "K")
    for c, f in zip(conditions, funclist):
        if c.ndim > x.ndim:
            raise IndexError(f"too many indices for array: array is {x.ndim}-dimensional, but {c.ndim} were indexed")
        c = C.broadcast_to(c, x.shape)
        if not callable(f):
            made[c] = f
        elif bool(_any(c)):
            made[c] = f(x[c], *args, **kw)
    return made


def mask_indices(n, mask_func, k=0):
    """Indices that a masking function leaves."""
    return C.nonzero(mask_func(C.full((n, n), 1, C.int64), k) != 0)


