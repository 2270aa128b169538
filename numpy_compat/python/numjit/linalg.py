"""Linear algebra: what is made of operations."""
import operator

from . import _core as C
from ._core import LinAlgError
from ._creation import asarray
from ._manipulation import matrix_transpose
from ._products import cross as _cross, matmul, outer as _outer, tensordot, vecdot
from ._reductions import max as _max, min as _min, sum as _sum
from ._searching import diagonal as _diagonal, trace as _trace
from ._ufuncs import _axis, by_name

__all__ = ["LinAlgError", "cross", "diagonal", "matmul", "matrix_norm", "matrix_power", "matrix_transpose", "multi_dot", "norm",
           "outer", "tensordot", "trace", "vecdot", "vector_norm"]


def diagonal(x, /, *, offset=0):
    """A diagonal of the last two axes."""
    return _diagonal(x, offset, -2, -1)


def trace(x, /, *, offset=0, dtype=None):
    """Sum along a diagonal of the last two axes."""
    return _trace(x, offset, -2, -1, dtype)


def outer(x1, x2, /):
    """All products of two vectors."""
    x1, x2 = asarray(x1), asarray(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"Input arrays must be one-dimensional, but they are x1.ndim={x1.ndim!r} and x2.ndim={x2.ndim!r}.")
    return _outer(x1, x2)


def cross(x1, x2, /, *, axis=-1):
    """Vector product of vectors of three elements."""
    x1, x2 = asarray(x1), asarray(x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError("Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
                         f"{x1.shape[axis]} and {x2.shape[axis]} dimensional instead.")
    return _cross(x1, x2, axis=axis)


def norm(x, ord=None, axis=None, keepdims=False):
    """Norm of vectors or matrices."""
    x = asarray(x)
    if x.dtype.kind not in "fc":
        x = x.astype(C.float64)
    if axis is None and (ord is None or (ord in ("f", "fro") and x.ndim == 2) or (ord == 2 and x.ndim == 1)):
        made = by_name["sqrt"](_sum(_square(x)))
        return made.reshape((1,) * x.ndim) if keepdims else made
    if axis is None:
        axis = tuple(range(x.ndim))
    axis = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    if len(axis) == 1:
        return _vector(x, ord, axis, keepdims)
    if len(axis) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    return _matrix(x, ord, axis, keepdims)


def _square(x):
    return x.real * x.real + x.imag * x.imag if x.dtype.kind == "c" else x * x


def _vector(x, ord, axis, keepdims):
    size = by_name["absolute"](x)
    if ord is None or ord == 2:
        return by_name["sqrt"](_sum(_square(x), axis, keepdims=keepdims))
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    if ord == float("inf"):
        return _max(size, axis, keepdims=keepdims, initial=0)
    if ord == -float("inf"):
        return _min(size, axis, keepdims=keepdims)
    if ord == 0:
        return _sum((x != 0).astype(size.dtype), axis, keepdims=keepdims)
    if ord == 1:
        return _sum(size, axis, keepdims=keepdims)
    return by_name["power"](_sum(by_name["power"](size, ord), axis, keepdims=keepdims), 1 / ord)


def _matrix(x, ord, axis, keepdims):
    row, column = (_axis(a, x.ndim) for a in axis)
    if row == column:
        raise ValueError("Duplicate axes given.")
    if ord in (None, "fro", "f"):
        return by_name["sqrt"](_sum(_square(x), (row, column), keepdims=keepdims))
    if ord in (1, -1, float("inf"), -float("inf")):
        first, second = (row, column) if abs(ord) == 1 else (column, row)
        sums = _sum(by_name["absolute"](x), first, keepdims=True)
        made = (_max if ord > 0 else _min)(sums, second, keepdims=True)
        return made if keepdims else C.squeeze(made, [row, column])
    if ord in (2, -2, "nuc"):
        raise NotImplementedError("norms of singular values are not available: there is no singular value decomposition.")
    raise ValueError("Invalid norm order for matrices.")


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """Norm of vectors, along axes that count as one."""
    x = asarray(x)
    if x.dtype.kind not in "fc":
        x = x.astype(C.float64)
    axes = tuple(range(x.ndim)) if axis is None else tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    return _vector(x, ord, axes, keepdims)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """Norm of matrices, in the last two axes."""
    x = asarray(x)
    return _matrix(x if x.dtype.kind in "fc" else x.astype(C.float64), ord, (-2, -1), keepdims)


def matrix_power(a, n):
    """A square matrix multiplied by itself n >= 0 times."""
    a, n = asarray(a), operator.index(n)
    if a.ndim < 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    if a.shape[-1] != a.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    if n < 0:
        raise NotImplementedError("matrix_power with a negative exponent is not available: there is no inverse.")
    made, square = None, a
    while n:
        if n & 1:
            made = square if made is None else C.matmul(made, square)
        n >>= 1
        if n:
            square = C.matmul(square, square)
    if made is None:
        return C.copy(C.broadcast_to(C.eye(a.shape[-1], -1, 0, a.dtype), a.shape))
    return C.copy(made) if made is a else made


def multi_dot(arrays, *, out=None):
    """The product of several matrices, from the left."""
    from ._products import dot
    if len(arrays) < 2:
        raise ValueError("Expecting at least two arrays.")
    made = asarray(arrays[0])
    for a in arrays[1:-1]:
        made = dot(made, a)
    return dot(made, arrays[-1], out)


