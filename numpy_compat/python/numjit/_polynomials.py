"""The class of polynomials as coefficients, highest power first."""
from . import _core as C
from ._creation import asarray
from ._functions import poly, polyadd, polyder, polydiv, polyint, polymul, polysub, polyval, roots


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
        return C.poly1d_text(self._coeffs, self._variable)

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
