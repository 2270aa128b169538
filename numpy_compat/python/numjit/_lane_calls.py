"""Functions that functions of numbers call: Python's own, math, cmath, and ufuncs, on numbers of all lanes."""
import builtins
import cmath
import math

from . import _core as C
from . import special
from ._info import int64
from ._lane_source import Refusal
from ._lane_values import (DTYPES, HIGHEST, LOWEST, UNSURE, Lane, as_int, binary, bounds, how_of, is_number, kind_of, of_numpy, select,
                           to_complex, to_float, truth)
from ._ufuncs import by_name

_finite, _nan = by_name["isfinite"], by_name["isnan"]


def _real(run, live, v, name):
    if not is_number(v) or kind_of(v) == "c":
        raise Refusal(f"{name} of what is no real number")
    return to_float(v)


def _checked(run, live, made, *given):
    """What functions of math raise for: a result that is no number, or infinite, of numbers that are neither."""
    for v in given:
        ok = _finite(v) if isinstance(v, C.array_base) else math.isfinite(v)
        run.flag(live, ~_finite(made) & ok)
        if isinstance(v, C.array_base):
            run.flag(live, _nan(made) & by_name["isinf"](v))
    return Lane(made, "f")


def _math(name, ufunc, fails=True, safe=1.0):
    def call(run, live, *args):
        numbers = [_real(run, live, v, f"math.{name}") for v in args]
        numbers = [run.guarded(live, v, safe) for v in numbers]
        made = ufunc(*numbers)
        return _checked_all(run, live, made, numbers) if fails else Lane(made, "f")
    return call


def _checked_all(run, live, made, numbers):
    if len(numbers) == 1:
        return _checked(run, live, made, *numbers)
    finite = True
    for v in numbers:
        finite = finite & (_finite(v) if isinstance(v, C.array_base) else math.isfinite(v))
    run.flag(live, ~_finite(made) & finite)
    infinite = [by_name["isinf"](v) if isinstance(v, C.array_base) else math.isinf(v) for v in numbers]
    known = [~_nan(v) if isinstance(v, C.array_base) else not math.isnan(v) for v in numbers]
    run.flag(live, _nan(made) & (infinite[0] | infinite[1]) & known[0] & known[1])
    return Lane(made, "f")


def _log(run, live, x, base=None):
    if base is None:
        return _math("log", by_name["log"])(run, live, x)
    if not isinstance(base, Lane):
        base = math.log(base) if base > 0 else 0.0
    else:
        base = _log(run, live, base)
    top = _log(run, live, x) if isinstance(x, Lane) else math.log(x) if x > 0 else None
    if top is None:
        raise Refusal("math.log of a number that has none")
    return binary(run, live, "/", top, base)


def _whole(name, ufunc):
    """floor, ceil, trunc and round: ints."""
    def call(run, live, v, *more):
        if more or not is_number(v) or kind_of(v) == "c":
            raise Refusal(f"{name} of this")
        if kind_of(v) in "bi":
            run.joined("i", v)
            made = as_int(v)
            return made if how_of(v) == "py" else Lane(made.a.astype(int64), "i", "py", None, made.low, made.high)
        a = to_float(v) if how_of(v) != "np" else v.a.astype(DTYPES["f"])
        made = a if ufunc is None else ufunc(a)
        run.flag(live, ~(by_name["absolute"](made) < 2.0 ** 63))
        return Lane(made.astype(int64), "i")
    return call


def _float(run, live, v=0.0):
    if not is_number(v) or kind_of(v) == "c":
        raise Refusal("float() of what is no real number")
    return Lane(v.a.astype(DTYPES["f"]), "f")


def _bool(run, live, v=False):
    return Lane(truth(v), "b") if isinstance(v, Lane) else bool(v)


def _complex(run, live, x=0.0, y=0.0):
    if kind_of(x) == "c" or kind_of(y) == "c":
        raise Refusal("complex() of a complex")
    if not isinstance(y, Lane) and y == 0 and math.copysign(1, y) > 0:
        return Lane(to_complex(x), "c")
    x, y = to_float(x), to_float(y)
    for v in (x, y):  # x + y * 1j is exact for others
        if isinstance(v, C.array_base):
            run.flag(live, ~_finite(v) | (v == 0) & by_name["signbit"](v))
        elif not math.isfinite(v) or v == 0 and math.copysign(1, v) < 0:
            raise Refusal("complex() of this")
    return Lane(x + y * 1j, "c")


def _abs(run, live, v):
    if how_of(v) == "np":
        return of_numpy(by_name["absolute"](v.a))
    kind = kind_of(v)
    if kind in "bi":
        v = as_int(v)
        low, high = bounds(v)
        if low == LOWEST:
            run.flag(live, v.a == LOWEST)
        ends = abs(low), abs(high)
        return Lane(by_name["absolute"](v.a), "i", v.how, v.first, 0 if low <= 0 <= high else min(ends), min(max(ends), HIGHEST))
    if kind == "m":
        return Lane(by_name["absolute"](v.a), "m", v.how, UNSURE, tag=v.tag)
    made = by_name["absolute"](v.a)
    if kind == "c":
        run.flag(live, by_name["isinf"](made) & _finite(v.a))
    return Lane(made, "f", v.how, run.joined("f", v) if kind == "c" else v.first)


def _extreme(name, sign):
    def call(run, live, *args):
        values = list(args[0]) if len(args) == 1 and isinstance(args[0], (tuple, list)) else list(args)
        if not values or len(args) == 1 and values == list(args):
            raise Refusal(f"{name}() of this")
        made = values[0]
        for v in values[1:]:
            if not isinstance(made, Lane) and not isinstance(v, Lane):
                made = getattr(builtins, name)(made, v)
            else:
                test = binary(run, live, sign, v, made)
                made = select(run, live, truth(test), v, made)
        return made
    return call


def _pow(run, live, x, y):
    return binary(run, live, "**", x, y)


def _math_pow(run, live, x, y):
    x, y = (_real(run, live, v, "math.pow") for v in (x, y))
    made = by_name["power"](run.guarded(live, x), y)
    zero = (x == 0) & (y < 0)
    run.flag(live, zero)
    return _checked_all(run, live, made, [x, y])


def _divmod(run, live, x, y):
    return binary(run, live, "//", x, y), binary(run, live, "%", x, y)


def _sum(run, live, values, start=0):
    for v in _listed(values, "sum"):
        start = binary(run, live, "+", start, v)
    return start


def _listed(values, name):
    if not isinstance(values, (tuple, list)):
        raise Refusal(f"{name}() of an object of type {type(values).__name__!r}")
    return values


def _length(run, live, values):
    return len(values)


def _is(ufunc):
    return lambda run, live, v: Lane(ufunc(_real(run, live, v, "this")), "b")


def _cmath(name):
    def call(run, live, v):
        a = to_complex(v)
        made = by_name[name](a)
        run.flag(live, ~_finite(made) & _finite(a))
        run.flag(live, ~_finite(a))
        return Lane(made, "c")
    return call


_UNARY = {"sin": "sin", "cos": "cos", "tan": "tan", "asin": "arcsin", "acos": "arccos", "exp": "exp", "expm1": "expm1",
          "log10": "log10", "log2": "log2", "log1p": "log1p", "sqrt": "sqrt", "sinh": "sinh", "cosh": "cosh",
          "acosh": "arccosh", "atanh": "arctanh", "exp2": "exp2", "cbrt": "cbrt"}
_TOTAL = {"atan": "arctan", "tanh": "tanh", "asinh": "arcsinh", "fabs": "fabs", "degrees": "degrees", "radians": "radians"}

CALLS = {abs: _abs, min: _extreme("min", "<"), max: _extreme("max", ">"), round: _whole("round()", by_name["rint"]),
         int: _whole("int()", by_name["trunc"]), float: _float, bool: _bool, complex: _complex, pow: _pow, divmod: _divmod,
         sum: _sum, len: _length, math.floor: _whole("math.floor", by_name["floor"]), math.ceil: _whole("math.ceil", by_name["ceil"]),
         math.trunc: _whole("math.trunc", by_name["trunc"]), math.log: _log, math.pow: _math_pow,
         math.isnan: _is(_nan), math.isinf: _is(by_name["isinf"]), math.isfinite: _is(_finite),
         math.atan2: _math("atan2", by_name["arctan2"], False), math.hypot: _math("hypot", by_name["hypot"]),
         math.copysign: _math("copysign", by_name["copysign"], False), math.fmod: _math("fmod", by_name["fmod"]),
         cmath.exp: _cmath("exp"), cmath.sqrt: _cmath("sqrt"), cmath.sin: _cmath("sin"), cmath.cos: _cmath("cos")}
CALLS.update((getattr(math, name), _math(name, by_name[ufunc], safe=0.5 if name == "acos" else 1.0))
             for name, ufunc in _UNARY.items() if hasattr(math, name))
CALLS.update((getattr(math, name), _math(name, by_name[ufunc], False)) for name, ufunc in _TOTAL.items())
CALLS.update((getattr(math, name), _math(name, getattr(special, name), False)) for name in ("erf", "erfc"))
