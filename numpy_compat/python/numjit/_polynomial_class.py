"""Polynomial: a polynomial in the power basis as a value, its variable mapped from a domain to a window."""
import numbers

from . import _core as C
from ._creation import asarray
from ._text import format_float_positional, format_float_scientific, get_printoptions
from .polynomial import (as_series, getdomain, mapdomain, mapparms, polyadd, polyder, polydiv, polydomain, polyfit, polyfromroots, polyint,
                         polyline, polymul, polypow, polyroots, polysub, polytrim, polyval)


def format_float(x, parens=False):
    """A coefficient as text, by the print options."""
    if not isinstance(x, C.scalar_types["floating"]):
        return str(x)
    o = get_printoptions()
    if x != x:
        return o["nanstr"]
    if abs(x) == float("inf"):
        return o["infstr"]
    fixed, size = o["floatmode"] == "fixed", abs(x)
    options = {"precision": o["precision"], "unique": not fixed, "trim": "k" if fixed else "0", "sign": o["sign"] == "+"}
    if x != 0 and (size >= 1e8 or size < 10 ** min(0, -(o["precision"] - 1) // 2)):
        text = format_float_scientific(x, **options)
        return f"({text})" if parens else text
    return format_float_positional(x, fractional=True, **options)


def _interval(given, name):
    [given] = as_series([given], trim=False)
    if len(given) != 2:
        raise ValueError(f"{name} has wrong number of elements.")
    return given


def _same(a, b):
    return a.shape == b.shape and bool(C.reduce("all", a == b, None, None, None, False, None, None))


def _part(made, i):
    """One of two results, unless the operation was refused."""
    return made if made is NotImplemented else made[i]


def set_default_printstyle(style):
    """How polynomials are printed: 'unicode', with raised digits, or 'ascii'."""
    if style not in ("unicode", "ascii"):
        raise ValueError(f"Unsupported format string '{style}'. Valid options are 'ascii' and 'unicode'")
    Polynomial._style = style


_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Polynomial:
    """A polynomial whose variable is mapped from `domain` to `window` first."""

    __hash__ = None
    __array_ufunc__ = None
    maxpower = 100
    domain = window = polydomain
    basis_name = None
    _style = "unicode"

    def __init__(self, coef, domain=None, window=None, symbol="x"):
        [self.coef] = as_series([coef], trim=False)
        if domain is not None:
            self.domain = _interval(domain, "Domain")
        if window is not None:
            self.window = _interval(window, "Window")
        if not isinstance(symbol, str):
            raise TypeError("Symbol must be a non-empty string")
        if not symbol.isidentifier():
            raise ValueError("Symbol string must be a valid Python identifier")
        self._symbol = symbol

    symbol = property(lambda self: self._symbol, doc="The name of the variable.")

    def _made(self, coef):
        return type(self)(coef, self.domain, self.window, self.symbol)

    def _coefficients(self, other):
        if not isinstance(other, Polynomial):
            return other
        if not self.has_samedomain(other):
            raise TypeError("Domains differ")
        if not self.has_samewindow(other):
            raise TypeError("Windows differ")
        if self.symbol != other.symbol:
            raise ValueError("Polynomial symbols differ")
        return other.coef

    def has_samecoef(self, other):
        """Are the coefficients equal?"""
        return _same(self.coef, other.coef)

    def has_samedomain(self, other):
        """Are the domains equal?"""
        return _same(self.domain, other.domain)

    def has_samewindow(self, other):
        """Are the windows equal?"""
        return _same(self.window, other.window)

    def has_sametype(self, other):
        """Is the other one of this class?"""
        return isinstance(other, type(self))

    # -- text --

    def __repr__(self):
        coef, domain, window = (repr(a)[6:-1] for a in (self.coef, self.domain, self.window))
        return f"{type(self).__name__}({coef}, domain={domain}, window={window}, symbol='{self.symbol}')"

    def __str__(self):
        return self._text(self._style)

    def __format__(self, spec):
        if spec not in ("", "ascii", "unicode"):
            raise ValueError(f"Unsupported format string '{spec}' passed to {type(self)}.__format__. Valid options are 'ascii' "
                             "and 'unicode'")
        return self._text(spec or self._style)

    def _variable(self, number=format_float):
        """The argument of the powers, and whether it takes parentheses."""
        off, scl = self.mapparms()
        scaled = self.symbol if scl == 1 else f"{number(scl)}{self.symbol}"
        return scaled if off == 0 else f"{number(off)} + {scaled}", not (off == 0 and scl == 1)

    def _text(self, style):
        width, (variable, parts) = max(1, get_printoptions()["linewidth"]), self._variable()
        variable = f"({variable})" if parts else variable
        out = format_float(self.coef[0])
        for i in range(1, len(self.coef)):
            c = self.coef[i]
            power = "" if i == 1 else f"**{i}" if style == "ascii" else str(i).translate(_RAISED)
            nxt = (f"+ {format_float(c, True)}" if c >= 0 else f"- {format_float(-c, True)}") + ("·" if style == "unicode" else " ") + variable + power
            out += " "
            length = len(out.split("\n")[-1]) + len(nxt) + (2 if i < len(self.coef) - 1 else 0)
            out += nxt.replace(" ", "\n", 1) if length >= width else nxt
        return out

    @staticmethod
    def _repr_latex_scalar(x, parens=False):
        return rf"\text{{{format_float(x, parens)}}}"

    def _repr_latex_(self):
        number = self._repr_latex_scalar
        (variable, parts), body = self._variable(number), ""
        variable = rf"\left({variable}\right)" if parts else variable
        for i in range(len(self.coef)):
            c = self.coef[i]
            if i == 0:
                term = number(c)
            elif c.dtype.kind == "c":
                term = f" + ({number(c)})"
            else:
                term = f" + {number(c, True)}" if c >= 0 else f" - {number(-c, True)}"
            term += "" if i == 0 else rf"\,{variable}" if i == 1 else rf"\,{variable}^{{{i}}}"
            body += rf"\color{{LightGray}}{{{term}}}" if c == 0 else term
        return rf"${self.symbol} \mapsto {body}$"

    # -- arithmetic --

    def __getstate__(self):
        return {"coef": self.coef, "domain": self.domain, "window": self.window, "_symbol": self.symbol}

    def __setstate__(self, state):
        self.__dict__ = state

    def __call__(self, arg):
        return polyval(mapdomain(arg, self.domain, self.window), self.coef)

    def __iter__(self):
        return iter(self.coef)

    def __len__(self):
        return len(self.coef)

    def __neg__(self):
        return self._made(-self.coef)

    def __pos__(self):
        return self

    def _with(self, function, other, reflected=False):
        other = self._coefficients(other)
        try:
            return function(other, self.coef) if reflected else function(self.coef, other)
        except ZeroDivisionError:
            raise
        except Exception:
            return NotImplemented

    def _one(self, function, other, reflected=False):
        made = self._with(function, other, reflected)
        return made if made is NotImplemented else self._made(made)

    def __add__(self, other):
        return self._one(polyadd, other)

    def __radd__(self, other):
        return self._one(polyadd, other, True)

    def __sub__(self, other):
        return self._one(polysub, other)

    def __rsub__(self, other):
        return self._one(polysub, other, True)

    def __mul__(self, other):
        return self._one(polymul, other)

    def __rmul__(self, other):
        return self._one(polymul, other, True)

    def __divmod__(self, other):
        made = self._with(polydiv, other)
        return made if made is NotImplemented else tuple(map(self._made, made))

    def __rdivmod__(self, other):
        made = self._with(polydiv, other, True)
        return made if made is NotImplemented else tuple(map(self._made, made))

    def __truediv__(self, other):
        if not isinstance(other, numbers.Number) or isinstance(other, bool):
            raise TypeError(f"unsupported types for true division: '{type(self)}', '{type(other)}'")
        return self // other

    def __floordiv__(self, other):
        return _part(self.__divmod__(other), 0)

    def __mod__(self, other):
        return _part(self.__divmod__(other), 1)

    def __rfloordiv__(self, other):
        return _part(self.__rdivmod__(other), 0)

    def __rmod__(self, other):
        return _part(self.__rdivmod__(other), 1)

    def __pow__(self, other):
        return self._made(polypow(self.coef, other, maxpower=self.maxpower))

    def __eq__(self, other):
        return (isinstance(other, type(self)) and self.has_samedomain(other) and self.has_samewindow(other)
                and self.has_samecoef(other) and self.symbol == other.symbol)

    def copy(self):
        """A copy."""
        return self._made(self.coef)

    def degree(self):
        """The number of coefficients less one."""
        return len(self.coef) - 1

    def trim(self, tol=0):
        """Without the last coefficients that are no larger than tol."""
        return self._made(polytrim(self.coef, tol))

    def truncate(self, size):
        """The first coefficients alone."""
        count = int(size)
        if count != size or count < 1:
            raise ValueError("size must be a positive integer")
        return self._made(self.coef[:count])

    def cutdeg(self, deg):
        """Powers up to a degree alone."""
        return self.truncate(deg + 1)

    # -- calculus, and other ways to make one --

    def mapparms(self):
        """off and scl of the map from domain to window."""
        return mapparms(self.domain, self.window)

    def integ(self, m=1, k=(), lbnd=None):
        """The m-th integral."""
        off, scl = self.mapparms()
        return self._made(polyint(self.coef, m, k, 0 if lbnd is None else off + scl * lbnd, 1.0 / scl))

    def deriv(self, m=1):
        """The m-th derivative."""
        return self._made(polyder(self.coef, m, self.mapparms()[1]))

    def roots(self):
        """The zeros."""
        return mapdomain(polyroots(self.coef), self.window, self.domain)

    def linspace(self, n=100, domain=None):
        """n points of the domain, and the values there."""
        from ._functions import linspace
        low, high = self.domain if domain is None else domain
        x = linspace(low, high, n)
        return x, self(x)

    def convert(self, domain=None, kind=None, window=None):
        """The same polynomial by another domain and window."""
        kind = type(self) if kind is None else kind
        return self(kind.identity(kind.domain if domain is None else domain, kind.window if window is None else window, self.symbol))

    @classmethod
    def cast(cls, series, domain=None, window=None):
        """Another series as one of this class."""
        return series.convert(domain, cls, window)

    @classmethod
    def fit(cls, x, y, deg, domain=None, rcond=None, full=False, w=None, window=None, symbol="x"):
        """The one that fits points best."""
        if domain is None:
            domain = getdomain(x)
            if domain[0] == domain[1]:
                domain += asarray([-1, 1])
        elif isinstance(domain, list) and not domain:
            domain = cls.domain
        window = cls.window if window is None else window
        made = polyfit(mapdomain(x, domain, window), y, deg, w=w, rcond=rcond, full=full)
        if full:
            return cls(made[0], domain=domain, window=window, symbol=symbol), made[1]
        return cls(made, domain=domain, window=window, symbol=symbol)

    @classmethod
    def fromroots(cls, roots, domain=(), window=None, symbol="x"):
        """The one with these zeros."""
        [roots] = as_series([roots], trim=False)
        domain = getdomain(roots) if domain is None else domain if len(domain) else cls.domain
        window = cls.window if window is None else window
        off, scl = mapparms(domain, window)
        return cls(polyfromroots(off + scl * roots) / scl ** len(roots), domain=domain, window=window, symbol=symbol)

    @classmethod
    def identity(cls, domain=None, window=None, symbol="x"):
        """p(x) = x."""
        domain, window = cls.domain if domain is None else domain, cls.window if window is None else window
        return cls(polyline(*mapparms(window, domain)), domain, window, symbol)

    @classmethod
    def basis(cls, deg, domain=None, window=None, symbol="x"):
        """x to a power."""
        degree = int(deg)
        if degree != deg or degree < 0:
            raise ValueError("deg must be non-negative integer")
        return cls([0] * degree + [1], domain, window, symbol)
