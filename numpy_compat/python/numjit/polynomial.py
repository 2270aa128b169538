"""numpy.polynomial in the power basis: coefficients from the lowest power on, and the class Polynomial."""
import operator
import sys
import warnings

from . import _core as C
from . import linalg
from ._core import array_base as ndarray
from ._creation import array, asarray
from ._info import common_type, finfo
from ._functions import convolve, eye, moveaxis
from ._ufuncs import _axis, by_name

with C.DeviceScope("cpu"):  # wherever arrays are made by default
    polydomain = C.array([-1.0, 1.0], None, True)
    polyzero, polyone, polyx = (C.array(c, None, True) for c in ([0], [1], [0, 1]))


# ---- coefficients ----

def _vector(c):
    c = array(c, ndmin=1, copy=None)
    if c.size == 0:
        raise ValueError("Coefficient array is empty")
    if c.ndim != 1:
        raise ValueError("Coefficient array is not 1-d")
    return c


def trimseq(seq):
    """Without the zeros at the end, but for one element."""
    n = len(seq)
    while n > 1 and seq[n - 1] == 0:
        n -= 1
    return seq[:n]


def as_series(alist, trim=True):
    """Copies of coefficients as vectors of one dtype, float or complex."""
    found = [_vector(a) for a in alist]
    found = [trimseq(a) for a in found] if trim else found
    try:
        kind = common_type(*found)
    except TypeError as e:
        raise ValueError("Coefficient arrays have no common type") from e
    return [C.array(a, kind, True) for a in found]


def polytrim(c, tol=0):
    """Coefficients without the last ones that are no larger than tol."""
    if tol < 0:
        raise ValueError("tol must be non-negative")
    [c] = as_series([c])
    kept = C.nonzero(by_name["absolute"](c) > tol)[0]
    return C.copy(c[:kept[-1].item() + 1]) if len(kept) else c[:1] * 0


trimcoef = polytrim


def _integer(x, what):
    try:
        return operator.index(x)
    except TypeError as e:
        raise TypeError(f"{what} must be an integer, received {x}") from e


def polyline(off, scl):
    """off + scl x."""
    return asarray([off, scl] if scl != 0 else [off])


def polyfromroots(roots):
    """The polynomial with these zeros and a leading 1."""
    if len(roots) == 0:
        return C.full((1,), 1, C.float64)
    [roots] = as_series([roots], trim=False)
    parts = [polyline(-r, 1) for r in C.sort(roots, -1)]
    while len(parts) > 1:  # halves times halves, as the roundings go
        half, odd = divmod(len(parts), 2)
        products = [polymul(parts[i], parts[i + half]) for i in range(half)]
        if odd:
            products[0] = polymul(products[0], parts[-1])
        parts = products
    return parts[0]


def _sum(c1, c2):
    long, short = (c1, c2) if len(c1) > len(c2) else (c2, c1)
    long = C.copy(long)
    long[:len(short)] += short
    return trimseq(long)


def polyadd(c1, c2):
    """Sum of two polynomials."""
    return _sum(*as_series([c1, c2]))


def polysub(c1, c2):
    """Difference of two polynomials."""
    c1, c2 = as_series([c1, c2])
    return _sum(c1, -c2)


def polymulx(c):
    """A polynomial times x."""
    [c] = as_series([c])
    if len(c) == 1 and c[0] == 0:
        return c
    return C.concatenate([c[:1] * 0, c], 0, None, None)


def polymul(c1, c2):
    """Product of two polynomials."""
    c1, c2 = as_series([c1, c2])
    return trimseq(convolve(c1, c2))


def polydiv(c1, c2):
    """Quotient and remainder of two polynomials."""
    c1, c2 = as_series([c1, c2])
    if c2[-1] == 0:
        raise ZeroDivisionError("division by a polynomial without coefficients other than zero")
    if len(c1) < len(c2):
        return c1[:1] * 0, c1
    if len(c2) == 1:
        return c1 / c2[-1], c1[:1] * 0
    top, below, n = c2[-1], c2[:-1] / c2[-1], len(c2) - 1
    for j in range(len(c1) - 1, n - 1, -1):
        c1[j - n:j] -= below * c1[j]
    return c1[n:] / top, trimseq(c1[:n])


def polypow(c, pow, maxpower=None):
    """A whole power of a polynomial."""
    [c] = as_series([c])
    power = int(pow)
    if power != pow or power < 0:
        raise ValueError("Power must be a non-negative integer.")
    if maxpower is not None and power > maxpower:
        raise ValueError("Power is too large")
    if power == 0:
        return C.full((1,), 1, c.dtype)
    made = c
    for _ in range(power - 1):
        made = convolve(made, c)
    return made


# ---- values ----

def _floating(c):
    c = array(c, ndmin=1, copy=None)
    return c + 0.0 if c.dtype.kind in "biu" else c


def polyval(x, c, tensor=True):
    """Values at x, by Horner's rule; columns of c are polynomials of their own."""
    c = _floating(c)
    x = asarray(x) if isinstance(x, (tuple, list)) else x
    if isinstance(x, ndarray) and tensor:
        c = C.reshape(c, c.shape + (1,) * x.ndim)
    made = c[-1] + x * 0
    for i in range(2, len(c) + 1):
        made = c[-i] + made * x
    return made


def polyvalfromroots(x, r, tensor=True):
    """Values at x of the polynomial with zeros r and a leading 1."""
    r = _floating(r)
    x = asarray(x) if isinstance(x, (tuple, list)) else x
    if isinstance(x, ndarray):
        if tensor:
            r = C.reshape(r, r.shape + (1,) * x.ndim)
        elif x.ndim >= r.ndim:
            raise ValueError("x.ndim must be < r.ndim when tensor == False")
    return C.reduce("prod", x - r, 0, None, None, False, None, None)


def _values_at(names, c, *points):
    points = [asarray(p) for p in points]
    if any(p.shape != points[0].shape for p in points):
        raise ValueError(f"{names} are incompatible")
    c = polyval(points[0], c)
    for p in points[1:]:
        c = polyval(p, c, tensor=False)
    return c


def polyval2d(x, y, c):
    """Values of a polynomial of two variables at points."""
    return _values_at("x, y", c, x, y)


def polyval3d(x, y, z, c):
    """Values of a polynomial of three variables at points."""
    return _values_at("x, y, z", c, x, y, z)


def polygrid2d(x, y, c):
    """Values of a polynomial of two variables on a grid."""
    return polyval(y, polyval(x, c))


def polygrid3d(x, y, z, c):
    """Values of a polynomial of three variables on a grid."""
    return polyval(z, polygrid2d(x, y, c))


# ---- derivatives and integrals ----

def _along(c, m, axis, what):
    """Coefficients along the first axis, how often, and the axis they came from."""
    c = array(c, ndmin=1, copy=True)
    c = c + 0.0 if c.dtype.kind in "biu" else c
    count, axis = _integer(m, f"the order of {what}"), _integer(axis, "the axis")
    if count < 0:
        raise ValueError(f"The order of {what} must be non-negative")
    return c, count, _axis(axis, c.ndim)


def _column(n, like):
    return C.reshape(C.arange(1, n + 1, 1, None), (-1,) + (1,) * (like.ndim - 1))


def polyder(c, m=1, scl=1, axis=0):
    """The m-th derivative, by a variable of which x is a multiple."""
    c, count, axis = _along(c, m, axis, "derivation")
    if count == 0:
        return c
    kind, c = c.dtype, moveaxis(c, axis, 0)
    if count >= len(c):
        return moveaxis(c[:1] * 0, 0, axis)
    for _ in range(count):
        c = (_column(len(c) - 1, c) * (c[1:] * scl)).astype(kind)
    return moveaxis(c, 0, axis)


def polyint(c, m=1, k=[], lbnd=0, scl=1, axis=0):
    """The m-th integral from lbnd, with constants k."""
    k = list(k) if hasattr(k, "__iter__") and getattr(k, "ndim", 1) else [k]
    c, count, axis = _along(c, m, axis, "integration")
    if len(k) > count:
        raise ValueError("Too many integration constants")
    if asarray(lbnd).ndim:
        raise ValueError("lbnd must be a scalar.")
    if asarray(scl).ndim:
        raise ValueError("scl must be a scalar.")
    if count == 0:
        return c
    kind, c = c.dtype, moveaxis(c, axis, 0)
    for constant in k + [0] * (count - len(k)):
        c = (c * scl).astype(kind)
        if len(c) == 1 and bool(C.reduce("all", c[0] == 0, None, None, None, False, None, None)):
            c = (c + constant).astype(kind)
            continue
        c = C.concatenate([c[:1] * 0, (c / _column(len(c), c)).astype(kind)], 0, None, None)
        c[0] += constant - polyval(lbnd, c)
    return moveaxis(c, 0, axis)


# ---- matrices, fits, zeros ----

def polyvander(x, deg):
    """Powers of x, from 0 to deg, along a last axis."""
    degree = _integer(deg, "deg")
    if degree < 0:
        raise ValueError("deg must be non-negative")
    x = array(x, copy=None, ndmin=1) + 0.0
    rows = [x * 0 + 1]
    for _ in range(degree):
        rows.append(rows[-1] * x if len(rows) > 1 else x)
    return C.stack(rows, x.ndim)


def _vander_of(points, deg):
    if len(deg) != len(points):
        raise ValueError(f"Expected {len(points)} dimensions of degrees, got {len(deg)}")
    points = asarray([asarray(p) for p in points]) + 0.0
    n, made = len(points), None
    for i, (p, d) in enumerate(zip(points, deg)):
        v = polyvander(p, d)
        v = C.reshape(v, v.shape[:-1] + (1,) * i + v.shape[-1:] + (1,) * (n - 1 - i))
        made = v if made is None else made * v
    return C.reshape(made, made.shape[:-n] + (-1,))


def polyvander2d(x, y, deg):
    """Products of powers of x and y."""
    return _vander_of((x, y), deg)


def polyvander3d(x, y, z, deg):
    """Products of powers of x, y and z."""
    return _vander_of((x, y, z), deg)


def polyfit(x, y, deg, rcond=None, full=False, w=None):
    """Coefficients of the polynomial that fits points best; deg may be a list of the powers to use."""
    x, y, deg = asarray(x) + 0.0, asarray(y) + 0.0, asarray(deg)
    if deg.ndim > 1 or deg.dtype.kind not in "iu" or deg.size == 0:
        raise TypeError("deg must be an int or non-empty 1-D array of int")
    powers = sorted(C.ravel(deg).tolist())
    if powers[0] < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if not 1 <= y.ndim <= 2:
        raise TypeError("expected 1D or 2D array for y")
    if len(x) != len(y):
        raise TypeError("expected x and y to have same length")
    top = powers[-1]
    powers = list(range(top + 1)) if deg.ndim == 0 else powers
    left, right = polyvander(x, top)[:, powers].T, y.T
    if w is not None:
        w = asarray(w) + 0.0
        if w.ndim != 1:
            raise TypeError("expected 1D vector for w")
        if len(x) != len(w):
            raise TypeError("expected x and w to have same length")
        left, right = left * w, right * w
    rcond = len(x) * finfo(x.dtype).eps if rcond is None else rcond
    size = by_name["absolute"](left)
    scale = by_name["sqrt"](C.reduce("sum", size * size, 1, None, None, False, None, None))
    scale[scale == 0] = 1
    c, residuals, rank, s = linalg.lstsq(left.T / scale, right.T, rcond)
    c = (c.T / scale).T
    if deg.ndim:
        wide = C.full((top + 1,) + c.shape[1:], 0, c.dtype)
        wide[powers] = c
        c = wide
    if full:
        return c, [residuals, rank, s, rcond]
    if int(rank) != len(powers):
        from .exceptions import RankWarning
        warnings.warn("The fit may be poorly conditioned", RankWarning, stacklevel=2)
    return c


def polycompanion(c):
    """The matrix whose eigenvalues are the zeros."""
    [c] = as_series([c])
    if len(c) < 2:
        raise ValueError("Series must have maximum degree of at least 1.")
    n = len(c) - 1
    made = eye(n, n, -1, c.dtype)
    made[:, -1] -= c[:-1] / c[-1]
    return made


def polyroots(c):
    """The zeros, sorted."""
    [c] = as_series([c])
    if len(c) < 2:
        return C.full((0,), 0, c.dtype)
    if len(c) == 2:
        return asarray([-c[0] / c[1]])
    return C.sort(linalg.eigvals(polycompanion(c)), -1)


# ---- domains ----

def getdomain(x):
    """The smallest interval, or rectangle, that holds all x."""
    [x] = as_series([x], trim=False)
    if x.dtype.kind == "c":
        return asarray([complex(x.real.min(), x.imag.min()), complex(x.real.max(), x.imag.max())])
    return asarray([x.min(), x.max()])


def mapparms(old, new):
    """off and scl of the line that takes one interval to another."""
    length = old[1] - old[0]
    return (old[1] * new[0] - old[0] * new[1]) / length, (new[1] - new[0]) / length


def mapdomain(x, old, new):
    """x on the line that takes one interval to another."""
    x = x if C.is_weak(x) or isinstance(x, Polynomial) else asarray(x)
    off, scl = mapparms(old, new)
    return off + scl * x


from ._polynomial_class import Polynomial, format_float, set_default_printstyle  # noqa: E402,F401

# numpy.polynomial.polynomial and .polyutils, as which these functions are known as well.
polynomial = polyutils = sys.modules[__name__]
sys.modules[__name__ + ".polynomial"] = sys.modules[__name__ + ".polyutils"] = polynomial
