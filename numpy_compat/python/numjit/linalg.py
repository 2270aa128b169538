"""Linear algebra: norms, solutions, decompositions."""
import operator
import warnings
from collections import namedtuple

from . import _core as C
from ._creation import asarray
from ._functions import matrix_transpose
from ._composites import matmul as _matmul, vecdot as _vecdot
from ._einsum import _store
from ._signatures import no_value as _NOT_GIVEN
from ._functions import cross as _cross, diagonal as _diagonal, outer as _outer, tensordot as _tensordot, trace as _trace

_L = C.linalg
__all__ = ["LinAlgError", "cholesky", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "lstsq", "matmul",
           "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "multi_dot", "norm", "outer", "pinv", "qr", "slogdet", "solve",
           "svd", "svdvals", "tensordot", "tensorinv", "tensorsolve", "trace", "vecdot", "vector_norm"]

EigResult = namedtuple("EigResult", "eigenvalues eigenvectors")
EighResult = namedtuple("EighResult", "eigenvalues eigenvectors")
QRResult = namedtuple("QRResult", "Q R")
SlogdetResult = namedtuple("SlogdetResult", "sign logabsdet")
SVDResult = namedtuple("SVDResult", "U S Vh")


def __getattr__(name):
    if name == "LinAlgError":  # NumPy's own class, and NumPy is loaded for it
        return C.LinAlgError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


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
    if axis is not None and not isinstance(axis, tuple):
        try:
            axis = int(axis)
        except Exception as e:
            raise TypeError("'axis' must be None, an integer or a tuple of integers") from e
    return _L.norm(asarray(x), ord, axis, bool(keepdims))


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """Norm of vectors, along axes that count as one."""
    return _L.vector_norm(asarray(x), ord, axis, bool(keepdims))


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """Norm of matrices, in the last two axes."""
    return _L.matrix_norm(asarray(x), ord, bool(keepdims))


def solve(a, b):
    """x of a @ x = b."""
    return _L.solve(asarray(a), asarray(b))


def inv(a):
    """The inverse of matrices."""
    return _L.inv(asarray(a))


def pinv(a, rcond=None, hermitian=False, *, rtol=_NOT_GIVEN):
    """The pseudo-inverse of matrices."""
    return _L.pinv(asarray(a), rcond, bool(hermitian), None if rtol is _NOT_GIVEN else rtol)


def matmul(x1, x2, /):
    """The product of matrices."""
    return _matmul(x1, x2)


def vecdot(x1, x2, /, *, axis=-1):
    """The dot product of vectors along an axis."""
    return _vecdot(x1, x2, axis=axis)


def tensordot(x1, x2, /, *, axes=2):
    """Sums of products over axes of both."""
    return _tensordot(x1, x2, axes)


def det(a):
    """The determinant of matrices."""
    return _L.det(asarray(a))


def slogdet(a):
    """Sign and logarithm of the determinant."""
    return SlogdetResult(*_L.slogdet(asarray(a)))


def eig(a):
    """Eigenvalues and eigenvectors."""
    return EigResult(*_L.eig(asarray(a)))


def eigvals(a):
    """Eigenvalues."""
    return _L.eigvals(asarray(a))


def eigh(a, UPLO="L"):
    """Eigenvalues and eigenvectors of Hermitian matrices."""
    return EighResult(*_L.eigh(asarray(a), UPLO))


def eigvalsh(a, UPLO="L"):
    """Eigenvalues of Hermitian matrices."""
    return _L.eigvalsh(asarray(a), UPLO)


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """Singular value decomposition."""
    if not compute_uv:
        return _L.svd(asarray(a), False, bool(hermitian))[1] if hermitian else _L.svdvals(asarray(a))
    return SVDResult(*_L.svd(asarray(a), bool(full_matrices), bool(hermitian)))


def svdvals(x, /):
    """Singular values."""
    return _L.svdvals(asarray(x))


def qr(a, mode="reduced"):
    """QR decomposition."""
    if mode in ("f", "full"):
        warnings.warn("The 'full' option is deprecated in favor of 'reduced'.\nFor backward compatibility let mode default.",
                      DeprecationWarning, stacklevel=2)
        mode = "reduced"
    elif mode in ("e", "economic"):
        warnings.warn("The 'economic' option is deprecated.", DeprecationWarning, stacklevel=2)
        return _L.qr(asarray(a), "raw")[0].mT
    q, r = _L.qr(asarray(a), mode)
    return r if mode == "r" else QRResult(q, r)


def cholesky(a, /, *, upper=False):
    """Cholesky decomposition."""
    return _L.cholesky(asarray(a), bool(upper))


def lstsq(a, b, rcond=None):
    """Least squares: solution, residuals, rank, singular values."""
    x, residuals, rank, s = _L.lstsq(asarray(a), asarray(b), rcond)
    return x, residuals, C.int32(rank), s


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """Rank of matrices."""
    return _L.matrix_rank(asarray(A), tol, bool(hermitian), rtol)


def matrix_power(a, n):
    """A square matrix multiplied by itself."""
    try:
        a, n = asarray(a), operator.index(n)
    except TypeError:
        raise TypeError("exponent must be an integer") from None
    if abs(n) < 2 ** 31:
        return _L.matrix_power(a, n)
    made, square = None, a if n > 0 else inv(a)
    for bit in bin(abs(n))[:1:-1]:
        if bit == "1":
            made = square if made is None else C.matmul(made, square)
        square = C.matmul(square, square)
    return made


def cond(x, p=None):
    """Condition number."""
    return _L.cond(asarray(x), p)


def multi_dot(arrays, *, out=None):
    """The product of several matrices."""
    return _store(_L.multi_dot([asarray(a) for a in arrays]), out)


def tensorsolve(a, b, axes=None):
    """x of tensordot(a, x, x.ndim) = b."""
    return _L.tensorsolve(asarray(a), asarray(b), axes)


def tensorinv(a, ind=2):
    """The inverse under tensordot."""
    return _L.tensorinv(asarray(a), ind)
