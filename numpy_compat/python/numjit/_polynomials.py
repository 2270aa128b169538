"""Polynomials as coefficients, highest power first: functions, and the class poly1d."""
import functools
import re

from . import _core as C
from ._creation import asarray, vander
from ._info import finfo
from ._functions import convolve, outer
from ._ufuncs import by_name


def _keeps_class(function):
    """Results of functions of coefficients are poly1d where an argument is one."""
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        made = function(*args, **kwargs)
        if not any(isinstance(a, poly1d) for a in args):
            return made
        return tuple(poly1d(m) for m in made) if isinstance(made, tuple) else poly1d(made)
    return wrapped


def polyval(p, x):
    """The value of a polynomial; another polynomial where x is one."""
    if isinstance(x, poly1d):
        made = poly1d(0)
        for c in asarray(p):
            made = made * x + c
        return made
    p = asarray(p)
    if p.ndim == 0:
        raise TypeError("iteration over a 0-d array")
    return C.polyval(p, x if C.is_weak(x) else asarray(x))


@_keeps_class
def polyadd(a1, a2):
    """Sum of two polynomials."""
    a, b = _aligned(a1, a2)
    return a + b


@_keeps_class
def polysub(a1, a2):
    """Difference of two polynomials."""
    a, b = _aligned(a1, a2)
    return a - b


def _aligned(a1, a2):
    """Both with zeros in front, so that they have one length."""
    a, b = (C.reshape(x, (1,)) if x.ndim == 0 else x for x in (asarray(a1), asarray(a2)))
    n = max(len(a), len(b))
    return tuple(x if len(x) == n else C.concatenate([C.full((n - len(x),), 0, x.dtype), x], 0, None, None) for x in (a, b))


@_keeps_class
def polymul(a1, a2):
    """Product of two polynomials."""
    return convolve(_trimmed(a1), _trimmed(a2))


def _trimmed(p):
    """Coefficients without leading zeros."""
    p = asarray(p)
    if p.ndim > 1:
        raise ValueError("Polynomial must be 1d only.")
    p = C.ravel(p) if p.size else C.full((1,), 0, p.dtype)
    nonzero = C.nonzero(p)[0]
    return p[nonzero[0].item():] if len(nonzero) else p[:1]


@_keeps_class
def polyder(p, m=1):
    """m-th derivative of a polynomial."""
    m, p = int(m), asarray(p)
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    if p.ndim == 0:
        raise TypeError("len() of unsized object")
    return C.polyder(p, m)


@_keeps_class
def polyint(p, m=1, k=None):
    """m-th integral of a polynomial."""
    m = int(m)
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    k = C.full((m,), 0.0, C.float64) if k is None else asarray(k)
    k = C.reshape(k, (1,)) if k.ndim == 0 else k
    if len(k) == 1 and m > 1:
        k = k[0] * C.full((m,), 1.0, C.float64)
    if len(k) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    p = asarray(p)
    for i in range(m):
        if p.ndim == 0:
            raise TypeError("len() of unsized object")
        p = C.concatenate([p / C.arange(len(p), 0, -1, None), k[i:i + 1]], 0, None, None)
    return p


def roots(p):
    """The roots of a polynomial: eigenvalues of its companion matrix."""
    p = asarray(p)
    if p.ndim > 1:
        raise ValueError("Input must be a rank-1 array.")
    return C.roots(C.ravel(p))


def poly(seq_of_zeros):
    """The polynomial of given roots, or the characteristic one of a matrix."""
    z = asarray(seq_of_zeros)
    if z.ndim == 2 and z.shape[0] == z.shape[1] != 0:
        from . import linalg
        z = linalg.eigvals(z)
    elif z.ndim != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    return C.poly(z) if z.size else 1.0


@_keeps_class
def polydiv(u, v):
    """Quotient and remainder of two polynomials."""
    u, v = asarray(u), asarray(v)
    return C.polydiv(u, v) if u.ndim < 2 and v.ndim < 2 else _divided(u + 0.0, v + 0.0)


def _divided(u, v):
    """polydiv() of coefficients of which some have two axes: what NumPy's statements make of them."""
    from ._functions import allclose
    u, v = (C.reshape(x, (1,)) if x.ndim == 0 else x for x in (u, v))
    w = u[0] + v[0]
    steps, n = len(u) - len(v) + 1, len(v)
    scale = 1.0 / v[0]
    q = C.full((max(steps, 1),), 0, w.dtype)
    r = C.copy(u) if u.dtype == w.dtype else C.astype(u, w.dtype)
    for k in range(steps):
        d = scale * r[k]
        q[k] = d
        r[k:k + n] -= d * v
    while allclose(r[0], 0, rtol=1e-14) and r.shape[-1] > 1:
        r = r[1:]
    return q, r


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """Coefficients of the polynomial of a degree that fits points best."""
    from . import linalg
    if deg < 0:
        raise ValueError("expected deg >= 0")
    x, y, deg = asarray(x) + 0.0, asarray(y) + 0.0, int(deg)
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if len(x) != len(y):
        raise TypeError("expected x and y to have same length")
    given = rcond
    if rcond is None:
        rcond = len(x) * float(finfo(x.dtype).eps)  # a number: an array would have to be read, which is a break in a graph
    left, right = vander(x, deg + 1), y
    if w is not None:
        w = asarray(w) + 0.0
        if w.ndim != 1:
            raise TypeError("expected a 1-d array for weights")
        if len(w) != len(y):
            raise TypeError("expected w and y to have the same length")
        left = left * C.reshape(w, (-1, 1))
        right = right * (C.reshape(w, (-1, 1)) if y.ndim == 2 else w)
    scale = by_name["sqrt"](C.reduce("sum", left * left, 0, None, None, False, None, None))
    c, residuals, rank, s = linalg.lstsq(left / scale, right, rcond)
    c = C.transpose(C.transpose(c, None) / scale, None)
    if full:
        return c, residuals, rank, s, finfo(x.dtype).dtype.type(rcond) if given is None else rcond
    return (c, _covariance(left / scale, scale, y, residuals, len(x) - (deg + 1), cov)) if cov else c


def _covariance(left, scale, y, residuals, spare, cov):
    """How far off the coefficients of a fit may be; `spare`: points beyond those that determine it."""
    from . import linalg
    base = linalg.inv(left.T @ left) / outer(scale, scale)
    if cov == "unscaled":
        factor = 1
    else:
        if spare <= 0:
            raise ValueError("the number of data points must exceed order to scale the covariance matrix")
        factor = residuals / spare
    return base * factor if y.ndim == 1 else C.reshape(base, base.shape + (1,)) * factor


# ---- the class ----

def _number(c):
    if c.imag == 0:
        return f"{c.real:.4g}"
    return f"{c.imag:.4g}j" if c.real == 0 else f"({c.real:.4g} + {c.imag:.4g}j)"


def _raised(text, width=70):
    """Powers, written **n, on a line of their own above."""
    n, above, below, lines = 0, "", "", " "
    for found in re.finditer(r"\*\*([0-9]+)", text):
        power, part = found[1], text[n:found.start()]
        n = found.end()
        low, high = part + " " * (len(power) - 1), " " * (len(part) - 1) + power
        if len(below) + len(low) > width or len(above) + len(high) > width:
            lines += above + "\n" + below + "\n "
            above, below = high, low
        else:
            below, above = below + low, above + high
    return lines + above + "\n" + below + text[n:]


class poly1d:
    """A polynomial of one variable, with its arithmetic."""

    __hash__ = None
    __array_ufunc__ = None
    order = o = property(lambda self: len(self._coeffs) - 1, doc="The degree.")
    roots = r = property(lambda self: roots(self._coeffs), doc="The zeros.")
    variable = property(lambda self: self._variable, doc="The name of the variable.")

    def __init__(self, c_or_r, r=False, variable=None):
        if isinstance(c_or_r, poly1d):
            self._variable, self._coeffs = c_or_r._variable, c_or_r._coeffs
            if variable is not None:
                self._variable = variable
            return
        c = asarray(poly(c_or_r) if r else c_or_r)
        c = C.reshape(c, (1,)) if c.ndim == 0 else c
        if c.ndim > 1:
            raise ValueError("Polynomial must be 1d only.")
        found = C.nonzero(c)[0]
        self._coeffs = c[found[0].item():] if len(found) else C.full((1,), 0, c.dtype)
        self._variable = "x" if variable is None else variable

    def _get(self):
        return self._coeffs

    def _set(self, value):
        if value is not self._coeffs:
            raise AttributeError("Cannot set attribute")

    coeffs = coef = coefficients = c = property(_get, _set, doc="The coefficients, highest power first.")

    def __array__(self, dtype=None, copy=None):
        return self._coeffs if dtype is None and not copy else C.array(self._coeffs, dtype, True)

    def __repr__(self):
        return f"poly1d({repr(self._coeffs)[6:-1]})"

    def __len__(self):
        return self.order

    def __str__(self):
        c = by_name["logical_or"].accumulate(self._coeffs != 0)
        c = self._coeffs[c].tolist() or [0]
        text = "0"
        for k, value in enumerate(c):
            power, number = len(c) - 1 - k, _number(complex(value))
            if power == 0:
                term = number if number != "0" or k == 0 else ""
            else:
                term = "" if number == "0" else f"{number} {self._variable}" + (f"**{power}" if power > 1 else "")
            if k == 0:
                text = term
            elif term:
                text += f" - {term[1:]}" if term.startswith("-") else f" + {term}"
        return _raised(text)

    def __call__(self, val):
        return polyval(self._coeffs, val)

    def __neg__(self):
        return poly1d(-self._coeffs)

    def __pos__(self):
        return self

    def __add__(self, other):
        return poly1d(polyadd(self._coeffs, poly1d(other)._coeffs))

    __radd__ = __add__

    def __sub__(self, other):
        return poly1d(polysub(self._coeffs, poly1d(other)._coeffs))

    def __rsub__(self, other):
        return poly1d(polysub(poly1d(other)._coeffs, self._coeffs))

    def __mul__(self, other):
        if C.is_weak(other) or getattr(other, "ndim", 1) == 0:
            return poly1d(self._coeffs * other)
        return poly1d(polymul(self._coeffs, poly1d(other)._coeffs))

    __rmul__ = __mul__

    def __pow__(self, val):
        scalar = C.is_weak(val) or isinstance(val, str) or getattr(val, "_is_scalar", False)
        if not scalar or int(val) != val or val < 0:
            raise ValueError("Power to non-negative integers only.")
        made = [1]
        for _ in range(val):
            made = polymul(self._coeffs, made)
        return poly1d(made)

    def __truediv__(self, other):
        if C.is_weak(other) or getattr(other, "ndim", 1) == 0:
            return poly1d(self._coeffs / other)
        return polydiv(self, poly1d(other))

    def __rtruediv__(self, other):
        if C.is_weak(other) or getattr(other, "ndim", 1) == 0:
            return poly1d(other / self._coeffs)
        return polydiv(poly1d(other), self)

    def __eq__(self, other):
        if not isinstance(other, poly1d):
            return NotImplemented
        return self._coeffs.shape == other._coeffs.shape and (self._coeffs == other._coeffs).all()

    def __getitem__(self, val):
        if val > self.order or val < 0:
            return self._coeffs.dtype.type(0)
        return self._coeffs[self.order - val]

    def __setitem__(self, key, val):
        if key < 0:
            raise ValueError("Does not support negative powers.")
        if key > self.order:
            self._coeffs = C.concatenate([C.full((key - self.order,), 0, self._coeffs.dtype), self._coeffs], 0, None, None)
        self._coeffs[self.order - key] = val

    def __iter__(self):
        return iter(self._coeffs)

    def integ(self, m=1, k=0):
        """The m-th integral."""
        return poly1d(polyint(self._coeffs, m, k))

    def deriv(self, m=1):
        """The m-th derivative."""
        return poly1d(polyder(self._coeffs, m))
