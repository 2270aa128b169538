"""Blocks of nested lists, and shapes."""
import itertools
import math

from . import _core as C
from ._creation import asarray
from ._functions import concatenate


def _written(shape):
    """A shape as NumPy's errors write it: (2,3)."""
    return f"({','.join(map(str, shape))}{',' * (len(shape) == 1)})"


def broadcast_shapes(*args):
    """The shape that shapes broadcast to."""
    made = C.broadcast_shapes(*args)
    if math.prod(made) >= 1 << 63:
        raise ValueError("broadcast dimensions too large.")
    return made


def _place(index):
    return "arrays" + "".join(f"[{i}]" for i in index if i is not None)


def _bottom(x, at):
    """The index of the first block, None behind an empty list; all must lie as deep."""
    if isinstance(x, tuple):
        raise TypeError(f"{_place(at)} is a tuple. Only lists can be used to arrange blocks, and np.block does not allow implicit "
                        "conversion from tuple to ndarray.")
    if not isinstance(x, list):
        return at
    if not x:
        return at + [None]
    first = _bottom(x[0], at + [0])
    for i, y in enumerate(x[1:], 1):
        found = _bottom(y, at + [i])
        if len(found) != len(first):
            raise ValueError(f"List depths are mismatched. First element was at depth {len(first)}, but there is an element at "
                             f"depth {len(found)} ({_place(found)})")
        first = found if found[-1] is None else first
    return first


def block(arrays):
    """An array of nested lists of blocks."""
    def depth(x):
        return 1 + max((depth(y) for y in x), default=0) if isinstance(x, list) else 0
    levels = depth(arrays)

    def join(x, level):
        if not isinstance(x, list):
            a = asarray(x)
            return C.reshape(a, (1,) * (ndim - a.ndim) + a.shape)
        return concatenate([join(y, level + 1) for y in x], -(levels - level))

    bottom = _bottom(arrays, [])
    if bottom and bottom[-1] is None:
        raise ValueError(f"List at {_place(bottom)} cannot be empty")

    def leaves(x):
        return itertools.chain.from_iterable(map(leaves, x)) if isinstance(x, list) else [asarray(x).ndim]
    ndim = max(itertools.chain([levels], leaves(arrays)))
    made = join(arrays, 0)
    return made if isinstance(arrays, list) else C.copy(made)


def astype(x, dtype, /, *, copy=True, device=None):
    """A copy cast to another dtype."""
    if not isinstance(x, C.array_base):
        raise TypeError(f"Input should be a NumPy array. It is of type {type(x)} instead.")
    made = x.astype(dtype, copy=copy)
    return made if device is None else C._to_device(made, str(device))
