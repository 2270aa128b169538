"""Differences, rounding, correlation, closeness, parts of numbers."""
import builtins
import math
import operator
import warnings

from . import _core as C
from ._creation import _falling_as, _lying_as, asarray, copy as _copy
from ._functions import diff
from ._products import _store
from ._functions import all, sum
from ._ufuncs import _axes, _axis, _where, by_name, clip


def gradient(f, *varargs, axis=None, edge_order=1):
    """Central differences inside, one-sided at the ends."""
    f = asarray(f)
    axes = _axes(axis, f.ndim, "repeated axis") if axis is not None else tuple(range(f.ndim))
    one = len(varargs) == 1 and asarray(varargs[0]).ndim == 0
    if varargs and not one and len(varargs) != len(axes):
        raise TypeError("invalid number of arguments")
    spacings = list(varargs) * (len(axes) if len(varargs) == 1 else 1) or [1.0] * len(axes)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    boolean = f.dtype.kind == "b"
    if f.dtype.kind not in "fc":
        f = f.astype(C.float64)
    results = []
    for ax, h in zip(axes, spacings):
        if f.shape[ax] < edge_order + 1:
            raise ValueError("Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements "
                             "are required.")
        if boolean:
            by_name["subtract"](f == 0, f == 0)
        results.append(C.moveaxis(_gradient(C.moveaxis(f, ax, 0), h, 1 if edge_order == 1 else 2), 0, ax))
    return results[0] if len(results) == 1 else tuple(results)


def _gradient(f, h, edge_order):
    h = asarray(h)
    uniform = h.ndim == 0
    if not uniform:
        if h.ndim != 1:
            raise ValueError("distances must be either scalars or 1d")
        if len(h) != f.shape[0]:
            raise ValueError("when 1d, distances must match the length of the corresponding dimension")
        h = diff(h.astype(C.float64) if h.dtype.kind in "iub" else h)
        if not C.is_followed(h) and builtins.bool((h == h[0]).all()):
            h, uniform = h[0], True
    made = _lying_as(C.full(f.shape, 0, f.dtype), f, "K")
    if uniform:
        h = h if C.is_followed(h) else h.item()
        made[1:-1] = (f[2:] - f[:-2]) / (2.0 * h)
        if edge_order == 1:
            made[0] = (f[1] - f[0]) / h
            made[-1] = (f[-1] - f[-2]) / h
        else:
            made[0] = (-1.5 / h) * f[0] + (2.0 / h) * f[1] + (-0.5 / h) * f[2]
            made[-1] = (0.5 / h) * f[-3] + (-2.0 / h) * f[-2] + (1.5 / h) * f[-1]
        return made
    column = (-1,) + (1,) * (f.ndim - 1)
    d1, d2 = C.reshape(h[:-1], column), C.reshape(h[1:], column)
    made[1:-1] = -(d2) / (d1 * (d1 + d2)) * f[:-2] + (d2 - d1) / (d1 * d2) * f[1:-1] + d1 / (d2 * (d1 + d2)) * f[2:]
    if edge_order == 1:
        made[0] = (f[1] - f[0]) / h[0]
        made[-1] = (f[-1] - f[-2]) / h[-1]
    else:
        a, b = h[0], h[1]
        made[0] = -(2. * a + b) / (a * (a + b)) * f[0] + (a + b) / (a * b) * f[1] + -a / (b * (a + b)) * f[2]
        a, b = h[-2], h[-1]
        made[-1] = b / (a * (a + b)) * f[-3] + -(b + a) / (a * b) * f[-2] + (2. * b + a) / (b * (a + b)) * f[-1]
    return made


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """Integral along an axis by the trapezoidal rule."""
    y, given = asarray(y), axis
    axis = _axis(axis, y.ndim)
    if x is None:
        d = dx
    else:
        x = asarray(x)
        d = diff(x) if x.ndim == 1 else diff(x, axis=given)
        if x.ndim == 1:
            d = C.reshape(d, tuple(-1 if i == axis else 1 for i in range(y.ndim)))
    before = (slice(None),) * axis
    axis -= y.ndim  # the distances may have more axes in front
    return sum(d * (y[before + (slice(1, None),)] + y[before + (slice(None, -1),)]) / 2.0, axis)


def round(a, decimals=0, out=None):
    """Rounded to decimals places, halves to even."""
    a = asarray(a)
    decimals = operator.index(decimals)
    if a.dtype.kind in "biu":
        if a.dtype.kind == "b" and decimals:
            raise TypeError(f"Cannot cast ufunc '{'multiply' if decimals > 0 else 'divide'}' output from dtype('float64') to dtype('bool') "
                            "with casting rule 'same_kind'")
        if decimals >= 0:
            made = a.astype(C.float16) if a.dtype.kind == "b" else _copy(a)
            made = by_name["rint"](made) if a.dtype.kind == "b" else made
        else:
            scale = 10 ** -decimals
            made = _falling_as(asarray(by_name["rint"](a / scale) * scale), a)
            made = made.astype(a.dtype)
    elif a.dtype.kind == "c":
        real, imag = round(a.real, decimals), round(a.imag, decimals)
        made = _copy(a)
        made.real, made.imag = real, imag
    elif decimals == 0:
        made = by_name["rint"](a)
    elif decimals > 0:
        scale = a.dtype.type(10.0 ** decimals)
        made = _falling_as(asarray(by_name["rint"](a * scale) / scale), a)
    else:
        scale = a.dtype.type(10.0 ** -decimals)
        made = _falling_as(asarray(by_name["rint"](a / scale) * scale), a)
    if out is None:
        return C.as_scalar(made) if made.ndim == 0 else made
    target = asarray(out[0] if isinstance(out, tuple) else out)
    if target.size != made.size:
        raise ValueError("invalid output shape")
    return _store(C.broadcast_to(made, target.shape), out)


around = round


def fix(x, out=None):
    """Rounded towards zero."""
    return by_name["trunc"](x, out=out)


def _as_result(made):
    return C.as_scalar(made) if made.ndim == 0 else made


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """NaN and infinities replaced."""
    x = asarray(x)
    if x.dtype.kind not in "fc":
        return _as_result(_copy(x) if copy else x)
    if x.dtype.kind == "c":
        made = _copy(x) if copy else x
        made.real = nan_to_num(x.real, True, nan, posinf, neginf)
        made.imag = nan_to_num(x.imag, True, nan, posinf, neginf)
        return _as_result(made)
    from ._info import finfo
    limits = finfo(x.dtype)

    def value(given, default):
        given = default if given is None else given
        if C.is_weak(given):
            return x.dtype.type(given)
        made = asarray(given)
        if made.ndim > x.ndim or any(n not in (1, m) for n, m in zip(made.shape[::-1], x.shape[::-1])):
            tell = [str(s).replace(" ", "") for s in (made.shape, x.shape)]
            raise ValueError(f"could not broadcast input array from shape {tell[0]} into shape {tell[1]}")
        return made.astype(x.dtype)
    made = _where(by_name["isnan"](x), value(nan, 0.0), x)
    made = _where(x == float("inf"), value(posinf, limits.max), made)
    made = _where(x == -float("inf"), value(neginf, limits.min), made)
    if not copy:
        C.store(x, made, None)
        made = x
    return _as_result(made)


def interp(x, xp, fp, left=None, right=None, period=None):
    """Piecewise linear interpolation of the points (xp, fp)."""
    xp, fp, x = asarray(xp), asarray(fp), asarray(x)
    if xp.ndim != 1 or fp.ndim != 1:
        odd = fp if fp.ndim != 1 else xp  # NumPy looks at the values first
        raise ValueError(f"object {'too deep' if odd.ndim else 'of too small depth'} for desired array")
    if len(xp) != len(fp):
        raise ValueError("fp and xp are not of the same length.")
    if len(xp) == 0:
        raise ValueError("array of sample points is empty")
    if fp.dtype.kind == "c":
        part = lambda v, name: None if v is None else getattr(asarray(v), name)  # noqa: E731
        both = [interp(x, xp, getattr(fp, n), part(left, n), part(right, n), period) for n in ("real", "imag")]
        made = C.full(asarray(x).shape, 0, C.complex128)
        made.real, made.imag = both
        return C.as_scalar(made) if made.ndim == 0 else made
    if any(isinstance(v, str) for v in (left, right, period)):
        raise TypeError("must be real number, not str")
    C.refuse_followed(period, "interp", "period")
    followed = [period is None and C.is_followed(end) for end in (left, right)]
    left_end, right_end, period = (None if v is None or C.is_followed(v) else float(v) for v in (left, right, period))
    made = C.interp(x, xp, fp, left_end, right_end, period)
    if followed[0]:
        made = _where(x < xp[0], left, made)
    return _where(x > xp[-1], right, made) if followed[1] else made


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """Covariance matrix of variables."""
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    m = asarray(m)
    if m.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    if y is not None and asarray(y).ndim > 2:
        raise ValueError("y has more than 2 dimensions")
    if m.ndim == 2 and m.shape[0 if rowvar else 1] == 0:
        return C.full((0, 0), 0, C.float64)
    for given, name in ((fweights, "fweights"), (aweights, "aweights")):
        if given is not None:
            given = asarray(given)
            if name == "fweights" and given.dtype.kind == "f" and not builtins.bool(all(given == by_name["rint"](given))):
                raise TypeError("fweights must be integer")
            if given.ndim > 1:
                raise RuntimeError(f"cannot handle multidimensional {name}")
            if given.shape[0] != (m.shape[-1] if rowvar or m.ndim == 1 else m.shape[0]):
                raise RuntimeError(f"incompatible numbers of samples and {name}")
    if y is not None:
        m, y = m.astype(C.result_type(m, asarray(y))), asarray(y).astype(C.result_type(m, asarray(y)))
    if dtype is not None and C.dtype(dtype).kind in "fc":
        m, y = m.astype(dtype), None if y is None else asarray(y).astype(dtype)
    made = C.cov(m, None if y is None else asarray(y), bool(rowvar), bool(bias), None if ddof is None else float(ddof),
                 None if fweights is None else asarray(fweights), None if aweights is None else asarray(aweights), dtype)
    return made if dtype is None else made.astype(dtype, copy=False)


def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """Matrix of correlation coefficients."""
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    s = by_name["sqrt"](C.diagonal(c, 0, 0, 1).real)
    c = c / C.reshape(s, (-1, 1)) / s
    if c.dtype.kind == "c":
        made = C.copy(c)
        made.real, made.imag = clip(c.real, -1, 1), clip(c.imag, -1, 1)
        return made
    return clip(c, -1, 1)


def _check_tolerances(rtol, atol):
    """NumPy's answer to a tolerance that is no number, by what errstate says of invalid values; of arrays that are at hand."""
    mode = C.geterr()["invalid"]
    if mode == "ignore" or C.is_recording() or all(by_name["isfinite"](rtol)) and all(by_name["isfinite"](atol)):
        return
    text = f"One of rtol or atol is not valid, atol: {atol}, rtol: {rtol}"
    if mode == "raise":
        raise FloatingPointError(text)
    if mode == "warn":
        warnings.warn(text, RuntimeWarning, stacklevel=3)


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """|a - b| <= atol + rtol * |b|, element by element."""
    a, b, rtol, atol = (x if C.is_weak(x) else asarray(x) for x in (a, b, rtol, atol))
    if not (type(rtol) is type(atol) is float and math.isfinite(rtol) and math.isfinite(atol)):
        _check_tolerances(rtol, atol)
    if not C.is_weak(b) and b.dtype.kind in "biu":
        b = b.astype(C.promote_types(b.dtype, C.float64) if b.dtype.kind != "b" else C.float64)
    elif isinstance(b, (int, builtins.bool)):
        b = float(b)
    close = by_name["absolute"](by_name["subtract"](a, b)) <= atol + rtol * (abs(b) if C.is_weak(b) else by_name["absolute"](b))
    made = (close & by_name["isfinite"](b)) | by_name["equal"](a, b)
    if equal_nan:
        made = made | (by_name["isnan"](a) & by_name["isnan"](b))
    return made


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Are all elements close?"""
    return builtins.bool(all(isclose(a, b, rtol, atol, equal_nan)))


def real(val):
    """Real part."""
    if C.is_weak(val):
        return val.real
    return asarray(val).real if not isinstance(val, C.array_base) else val.real


def imag(val):
    """Imaginary part."""
    if C.is_weak(val):
        return val.imag
    return asarray(val).imag if not isinstance(val, C.array_base) else val.imag


def _signs(x):
    """Which elements are infinite, and which have a sign bit."""
    x = asarray(x)
    if x.dtype.kind == "c":
        raise TypeError(f"This operation is not supported for {x.dtype} values because it would be ambiguous.")
    return by_name["isinf"](x), by_name["signbit"](x)


def isposinf(x, out=None):
    """Elements that are positive infinity."""
    infinite, negative = _signs(x)
    return by_name["logical_and"](infinite, ~negative, out=out)


def isneginf(x, out=None):
    """Elements that are negative infinity."""
    return by_name["logical_and"](*_signs(x), out=out)


def unwrap(p, discont=None, axis=-1, *, period=6.283185307179586):
    """Jumps of more than half a period taken out."""
    p = asarray(p)
    axis = _axis(axis, p.ndim)
    steps = diff(p, axis=axis)
    kind = C.result_type(steps, period)
    half, is_even = divmod(period, 2) if kind.kind in "iu" else (period / 2, 0)
    folded = (steps - -half) % period + -half
    if is_even == 0:  # a step of exactly half a period upwards stays upwards
        folded = _where((folded == -half) & (steps > 0), folded.dtype.type(half), folded)
    change = folded - steps
    change = _where(abs(steps) < (period / 2 if discont is None else discont), change.dtype.type(0), change)
    before = (slice(None),) * axis
    later = p[before + (slice(1, None),)] + change.cumsum(axis)
    return C.concatenate([p[before + (slice(0, 1),)].astype(kind), later.astype(kind)], axis, None, None)


