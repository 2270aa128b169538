"""Numbers of all lanes at once: what a number of Python's, or a scalar of NumPy's, is in each call of a function of numbers."""
import operator

from . import _core as C
from ._creation import asarray
from ._custom_rules import Below
from ._info import bool_, complex64, complex128, float32, float64, int64
from ._lane_source import Refusal
from ._ufuncs import by_name

LOWEST, HIGHEST = -2 ** 63, 2 ** 63 - 1
EXACT = 2 ** 53  # integers up to here are floats without rounding
UNSURE = "unsure"  # the dtype of the first call's result is known only when the call was made
DTYPES = {"b": C.dtype(bool_), "i": C.dtype(int64), "f": C.dtype(float64), "c": C.dtype(complex128)}
_SINGLE = {C.dtype(float32): "f", C.dtype(complex64): "c"}
NAMES = {"b": "a bool", "i": "an int", "f": "a float", "m": "an int or a float", "c": "a complex"}
where = C.ufuncs["where"]


class Lane:
    """A number in each lane.

    a: the array. kind: b, i, f or c as the types of Python, m for floats that stand for an int where `tag` is true.
    low, high: bounds of an int. how: "py" for numbers of Python's, "np" for scalars of NumPy's of the array's dtype, "?" for either.
    first: the dtype of this value in the call by which NumPy finds the dtypes of results, None where it is a number of Python's.
    """
    __slots__ = ("a", "kind", "low", "high", "tag", "how", "first")

    def __init__(self, a, kind, how="py", first=None, low=LOWEST, high=HIGHEST, tag=None):
        self.a, self.kind, self.how, self.first, self.low, self.high, self.tag = a, kind, how, first, low, high, tag


def of_numpy(a):
    """Scalars of NumPy's."""
    kind = a.dtype.kind
    return Lane(a, "i" if kind == "u" else kind, "np", a.dtype)


def is_number(v):
    return isinstance(v, Lane) or type(v) in (int, float, bool, complex)


_KINDS = {bool: "b", int: "i", float: "f", complex: "c"}


def kind_of(v):
    return v.kind if isinstance(v, Lane) else _KINDS[type(v)]


def how_of(v):
    return v.how if isinstance(v, Lane) else "py"


def bounds(v):
    if not isinstance(v, Lane):
        return int(v), int(v)
    return (0, 1) if v.kind == "b" else (v.low, v.high)


def raw(v):
    """The array of a lane, or the number itself."""
    return v.a if isinstance(v, Lane) else v


def as_int(v):
    """Bools as the ints they are."""
    if isinstance(v, Lane):
        return Lane(v.a.astype(int64), "i", v.how, UNSURE, 0, 1) if v.kind == "b" else v
    return int(v) if type(v) is bool else v


class Run:
    """What is known while a function is carried out for all lanes: those for which Python's answer has to be asked for."""

    def __init__(self, usual, differentiated, shape, stretch=None):
        self.bad = None
        self.shape = shape  # of all lanes
        self.stretch = stretch  # runs a part of the function compiled, by a key of the part; None where all of it is
        self.lists = []  # that the function has made
        self.asks_first = False  # may the call with scalars of NumPy's raise what Python's numbers don't?
        self.asks_numpy = False  # are there operations of scalars of NumPy's, which may warn?
        self.usual = usual  # have all arguments dtypes that are Python's numbers, and are no bools?
        self.differentiated = differentiated

    def flag(self, live, condition):
        """Lanes that are alive and fulfil the condition (True: all) raise an error, or leave what arrays can hold."""
        if condition is False:
            return
        told = condition if live is None else live if condition is True else both(live, condition)
        self.bad = told if self.bad is None or told is True else self.bad if self.bad is True else self.bad | told

    def alive(self, live):
        """The lanes that are alive and have raised nothing: an array, or a bool if that is known of all."""
        if live is False or self.bad is True:
            return False
        if live is None and self.bad is None:
            return True
        return both(live, None if self.bad is None else ~self.bad)

    def joined(self, kind, *operands):
        """`first` of what an operation makes of operands. NumPy's bools have operators of their own."""
        known = []
        for v in operands:
            if isinstance(v, Lane):
                if v.kind == "b" and kind != "b":
                    self.asks_first = True
                    return UNSURE
                if v.first is not None:
                    known.append(v.first)
        if not known:
            return None
        if self.usual and UNSURE not in known:
            return DTYPES[kind]
        return known[0] if all(k == known[0] and _SINGLE.get(k) == kind for k in known) else UNSURE

    def exact(self, live, v):
        """A real number as a float: ints that would be rounded are flagged."""
        if not isinstance(v, Lane):
            if abs(v) > EXACT and type(v) is int:
                raise Refusal("an int of more than 53 bits meets a float")
            return float(v)
        if v.kind not in "bi":
            return v.a
        low, high = bounds(v)
        if low < -EXACT or high > EXACT:
            self.flag(live, by_name["absolute"](v.a) > EXACT)
            self.flag(live, v.a == LOWEST)
        return v.a.astype(float64)

    def guarded(self, live, v, safe=1.0):
        """An operand of what has no derivative everywhere: lanes that are not alive have another value, as 0 * inf is no 0."""
        return v if not self.differentiated or live is None or not isinstance(v, C.array_base) else where(live, v, safe)


def unbatched(a):
    """An array as it is outside of all vmap: examples are its first axes."""
    if not C.levels_are_open():
        return a
    level = C.CustomCall([a], True)
    if not level.is_for_below and not level.is_batched:
        return a
    inner = level.stacks()[0][0] if level.is_batched else a
    with Below(level):
        return unbatched(inner)


def is_any(a):
    """Is an element true, in any example? Its value is read."""
    return bool(unbatched(a).any())


def both(x, y):
    """x & y of masks, where None is all lanes and False is none."""
    if x is None or y is None:
        return y if x is None else x
    return False if x is False or y is False else x & y


def either(x, y):
    if x is None or y is None:
        return None
    return y if x is False else x if y is False else x | y


def but_not(x, y):
    if y is None or x is False:
        return False
    return x if y is False else ~y if x is None else x & ~y


def truth(v):
    """A bool, or an array of bools."""
    if isinstance(v, Lane):
        return v.a if v.kind == "b" else v.a != 0
    if is_number(v) or v is None or isinstance(v, (str, tuple, list)):
        return bool(v)
    raise Refusal(f"the truth of an object of type {type(v).__name__!r}")


def to_float(v):
    return float(v) if not isinstance(v, Lane) else v.a if v.kind in "fm" else v.a.astype(float64)


def to_complex(v):
    return complex(v) if not isinstance(v, Lane) else v.a if v.kind == "c" else v.a.astype(complex128)


def _tag(v):
    """Which lanes hold an int: an array or a bool."""
    return v.tag if kind_of(v) == "m" else kind_of(v) in "bi"


def select(run, live, condition, x, y):
    """x where the condition is true, y elsewhere."""
    if x is y:
        return x
    if isinstance(x, (tuple, list)) and type(x) is type(y) and len(x) == len(y):
        return type(x)(select(run, live, condition, a, b) for a, b in zip(x, y))
    if not (is_number(x) and is_number(y)):
        raise Refusal(f"{_told(x)} in some lanes, {_told(y)} in others")
    if "np" in (how_of(x), how_of(y)):
        return _select_scalars(run, condition, x, y)
    kinds = {kind_of(x), kind_of(y)}
    how = "py" if how_of(x) == how_of(y) == "py" else "?"
    if len(kinds) == 1 and "m" not in kinds:
        kind, first = kind_of(x), _same_first(run, x, y)
    elif "c" in kinds:
        raise Refusal(f"{_told(x)} in some lanes, {_told(y)} in others")
    elif kinds == {"b", "i"}:
        x, y, kind, first = as_int(x), as_int(y), "i", UNSURE
    else:
        tag = where(condition, _tag(x), _tag(y))
        x, y = run.exact(both(live, condition), x), run.exact(but_not(live, condition), y)
        return Lane(where(condition, x, y), "m", how, UNSURE, tag=tag)
    low, high = LOWEST, HIGHEST
    if kind == "i":
        (a, b), (c, d) = bounds(x), bounds(y)
        low, high = min(a, c), max(b, d)
        if low < LOWEST or high > HIGHEST:
            raise Refusal("an int of more than 64 bits")
    return Lane(where(condition, raw(x), raw(y)), kind, how, first, low, high)


def _same_first(run, x, y):
    a, b = (v.first if isinstance(v, Lane) else None for v in (x, y))
    if a is None or b is None:  # which a dtype takes for float64
        either_one = b if a is None else a
        return None if either_one is None else DTYPES[kind_of(x)] if run.usual and either_one != UNSURE else UNSURE
    return a if a == b else UNSURE


def _select_scalars(run, condition, x, y):
    """Of which one at least is a scalar of NumPy's."""
    dtypes = {v.a.dtype for v in (x, y) if how_of(v) == "np"}
    dtype = next(iter(dtypes))
    if len(dtypes) > 1 or any(DTYPES.get(kind_of(v)) != dtype for v in (x, y) if how_of(v) != "np"):
        raise Refusal(f"{_told(x)} in some lanes, {_told(y)} in others")
    how = "np" if how_of(x) == how_of(y) else "?"
    return Lane(where(condition, raw(x), raw(y)), kind_of(x), how, dtype)


def _told(v):
    if how_of(v) == "np":
        return f"a scalar of NumPy's ({v.a.dtype})"
    return NAMES[kind_of(v)] if is_number(v) else f"an object of type {type(v).__name__!r}"


# ---- operators ----

_OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
              "%": operator.mod, "**": operator.pow, "&": operator.and_, "|": operator.or_, "^": operator.xor,
              "<<": operator.lshift, ">>": operator.rshift, "<": operator.lt, "<=": operator.le, ">": operator.gt,
              ">=": operator.ge, "==": operator.eq, "!=": operator.ne}


def scalars(v, dtype, name):
    """An operand of NumPy's as it meets a scalar of this dtype."""
    if not isinstance(v, Lane) or v.how == "np":
        return raw(v)
    kind = v.kind
    target = C.result_type(dtype, {"b": False, "i": 0, "f": 0.0, "c": 0j}.get(kind, 0)) if kind != "m" else None
    if target is None or kind == "i" and target.kind in "iu" and target != DTYPES["i"]:
        raise Refusal(f"{name} of {NAMES[kind]} of Python's and a scalar of NumPy's ({dtype})")
    return v.a.astype(target)


def binary(run, live, name, x, y):
    """An operator of Python's on two numbers."""
    if not isinstance(x, Lane) and not isinstance(y, Lane):
        try:
            return _OPERATORS[name](x, y)
        except Exception as error:
            raise Refusal(f"it raises {type(error).__name__}") from None
    if not is_number(x) or not is_number(y):
        raise Refusal(f"{name} of {_told(x)} and {_told(y)}")
    if "np" in (how_of(x), how_of(y)):
        dtype = x.a.dtype if how_of(x) == "np" else y.a.dtype
        run.asks_numpy = True
        if name == "**" and kind_of(y) in "bi" and kind_of(x) in "bi":  # raises for negative ones, in lanes that are not alive, too
            raise Refusal("a power of whole scalars of NumPy's")
        return of_numpy(_OPERATORS[name](scalars(x, dtype, name), scalars(y, dtype, name)))
    how = "py" if how_of(x) == how_of(y) == "py" else "?"
    made = _python(run, live, name, x, y)
    if how == "?" and isinstance(made, Lane):
        if "b" in (kind_of(x), kind_of(y)):
            raise Refusal(f"{name} of what is a bool of Python's or of NumPy's")
        made.how, made.first = "?", DTYPES.get(made.kind, UNSURE)
    return made


def _python(run, live, name, x, y):
    if name in _COMPARISONS:
        return compared(run, live, name, x, y)
    kinds = kind_of(x) + kind_of(y)
    if name in "&|^" and kinds == "bb":
        return Lane(_OPERATORS[name](raw(x), raw(y)), "b", first=run.joined("b", x, y))
    if name in ("&", "|", "^", "<<", ">>"):
        if set(kinds) - set("bi"):
            raise Refusal(f"{name} of {_told(x)} and {_told(y)}")
        return _bits(run, live, name, as_int(x), as_int(y))
    if "c" in kinds:
        return _complex(run, live, name, x, y)
    if set(kinds) <= set("bi"):
        return _integers(run, live, name, x, y)
    if "m" in kinds and name in ("//", "%", "**"):
        raise Refusal(f"{name} of what is an int in some lanes and a float in others")
    return _floats(run, live, name, x, y)


_COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}


def compared(run, live, name, x, y):
    kinds = kind_of(x) + kind_of(y)
    if "c" in kinds:
        if name not in ("==", "!="):
            raise Refusal(f"{name} of a complex")
        x, y = to_complex(x), to_complex(y)
    elif set(kinds) <= set("bi"):
        x, y = (raw(as_int(v)) for v in (x, y))
        if any(type(v) is int and not LOWEST <= v <= HIGHEST for v in (x, y)):
            raise Refusal("an int of more than 64 bits")
    else:
        x, y = run.exact(live, x), run.exact(live, y)
    return Lane(_OPERATORS[name](x, y), "b")


def _integers(run, live, name, x, y):
    first = run.joined("f" if name == "/" else "i", x, y)
    if name == "/":
        a, b = run.exact(live, as_int(x)), run.exact(live, as_int(y))
        return Lane(_divided(run, live, operator.truediv, a, b), "f", first=first)
    x, y = as_int(x), as_int(y)
    if name == "**":
        return _int_power(run, live, x, y, first)
    if any(type(v) is int and not LOWEST <= v <= HIGHEST for v in (x, y)):
        raise Refusal("an int of more than 64 bits")
    a, b = raw(x), raw(y)
    if name in ("//", "%"):
        if type(b) is int and b > 0 and b & b - 1 == 0:  # shifts and masks are many times faster, and floor as Python does
            made = a & b - 1 if name == "%" else a >> b.bit_length() - 1
        else:
            made = _divided(run, live, _OPERATORS[name], a, b)
        return Lane(made, "i", first=first, **_bounds_of_quotient(run, live, name, x, y))
    made, (low, high) = _OPERATORS[name](a, b), _bounds_of(name, bounds(x), bounds(y))
    if low < LOWEST or high > HIGHEST:
        low, high = max(low, LOWEST), min(high, HIGHEST)
        run.flag(live, _overflows(name, a, b, made))
    return Lane(made, "i", first=first, low=low, high=high)


def _overflows(name, a, b, made):
    if name == "+":
        return ((a ^ made) & (b ^ made)) < 0
    if name == "-":
        return ((a ^ b) & (a ^ made)) < 0
    for number, lanes in ((a, b), (b, a)):
        if type(number) is int:
            most = HIGHEST // abs(number)
            return (lanes > most) | (lanes < -most)
    product = _float(a) * _float(b)
    return by_name["absolute"](product) >= 9.22e18


def _float(v):
    return v.astype(float64) if isinstance(v, C.array_base) else float(v)


def _bounds_of(name, x, y):
    (a, b), (c, d) = x, y
    if name == "+":
        return a + c, b + d
    if name == "-":
        return a - d, b - c
    ends = (a * c, a * d, b * c, b * d)
    return min(ends), max(ends)


def _bounds_of_quotient(run, live, name, x, y):
    (a, b), (c, d) = bounds(x), bounds(y)
    if name == "%":
        return {"low": min(0, c + 1), "high": max(0, d - 1)}
    if a == LOWEST and c <= -1 <= d:
        run.flag(live, (raw(x) == LOWEST) & (raw(y) == -1))
    largest = max(abs(a), abs(b))
    return {"low": max(-largest, LOWEST), "high": min(largest, HIGHEST)}


def _divided(run, live, op, a, b):
    """A quotient or remainder: ZeroDivisionError in Python."""
    if isinstance(b, C.array_base):
        run.flag(live, b == 0)
        b = run.guarded(live, b, 1)
    elif b == 0:
        run.flag(live, True)
    return op(a, b)


def _floats(run, live, name, x, y):
    first = run.joined("f", x, y)
    tags = [_tag(v) for v in (x, y)]
    integral = name in "+-*" and not any(t is False for t in tags)  # an int where both are
    a, b = (run.exact(live, v) if kind_of(v) == "m" or integral else to_float(v) for v in (x, y))
    if name == "**":
        return _float_power(run, live, a, b, first)
    if name in "+-*":
        made = _OPERATORS[name](a, b)
    else:
        made = _divided(run, live, _OPERATORS[name], a, b)
    if not integral:
        return Lane(made, "f", first=first)
    tag = tags[0] & tags[1]
    made = where(tag, made + 0.0, made)  # ints have no negative zero
    run.flag(live, tag & (by_name["absolute"](made) > EXACT))
    return Lane(made, "m", first=UNSURE, tag=tag)


def _float_power(run, live, a, b, first):
    """Raises for 0 to a negative exponent and past the largest float; a complex of a negative base and a fraction."""
    if not isinstance(b, C.array_base) and b in (1.0, 2.0):
        made = a * 1.0 if b == 1.0 else a * a
    else:
        made = by_name["power"](run.guarded(live, a), b)
    finite = by_name["isfinite"]
    whole = isinstance(b, float) and b.is_integer()
    if not (whole and b in (0.0, 1.0)):
        given = finite(a) if isinstance(b, float) else finite(b) if isinstance(a, float) else finite(a) & finite(b)
        run.flag(live, ~finite(made) & given)
    if isinstance(b, C.array_base) or b < 0:
        run.flag(live, (a == 0) & (b < 0))
    return Lane(made, "f", first=first)


def _int_power(run, live, x, y, first):
    if not isinstance(y, Lane):
        if y < 0:
            run.asks_first = True
            return _float_power(run, live, run.exact(live, x), float(y), UNSURE)
        if y > 63:
            raise Refusal("an int to a power above 63")
        made, square = 1, x  # by squares, each product looked at
        while y:
            made = square if type(made) is int and y & 1 else _integers(run, live, "*", made, square) if y & 1 else made
            y >>= 1
            square = _integers(run, live, "*", square, square) if y else square
        return made if isinstance(made, Lane) else Lane(x.a * 0 + 1, "i", first=first, low=1, high=1)
    run.flag(live, y.a < 0)
    run.asks_first = True
    exponent = by_name["maximum"](y.a, 0)
    base = raw(x)
    if not isinstance(x, Lane) and not LOWEST <= x <= HIGHEST:
        raise Refusal("an int of more than 64 bits")
    run.flag(live, by_name["power"](by_name["absolute"](_float(base)), _float(exponent)) >= 9.22e18)
    return Lane(by_name["power"](base if isinstance(x, Lane) else C.array(base, int64, True), exponent), "i", first=UNSURE)


def _bits(run, live, name, x, y):
    a, b = raw(x), raw(y)
    if any(type(v) is int and not LOWEST <= v <= HIGHEST for v in (a, b)):
        raise Refusal("an int of more than 64 bits")
    first, (low, high) = run.joined("i", x, y), bounds(x)
    if name in "&|^":
        low, high = _bounds_of_bits(name, bounds(x), bounds(y))
        return Lane(_OPERATORS[name](a, b), "i", first=first, low=low, high=high)
    few, most = bounds(y)
    if few < 0:
        run.flag(live, b < 0)
    if name == ">>":
        b = min(b, 63) if type(b) is int else by_name["minimum"](by_name["maximum"](b, 0), 63)
        return Lane(a >> b, "i", first=first, low=min(low, low >> max(few, 0)), high=max(high, high >> max(few, 0)))
    if most > 62:
        run.flag(live, (b > 62) & (a != 0))
        b = min(b, 62) if type(b) is int else by_name["minimum"](by_name["maximum"](b, 0), 62)
        most = 62
    made = a << b
    low, high = min(low, low << most), max(high, high << most)
    if low < LOWEST or high > HIGHEST:
        run.flag(live, (made >> b) != a)
        low, high = LOWEST, HIGHEST
    return Lane(made, "i", first=first, low=low, high=high)


def _bounds_of_bits(name, x, y):
    if name == "&" and (x[0] >= 0 or y[0] >= 0):
        return 0, min(v[1] for v in (x, y) if v[0] >= 0)
    largest = max(x[1], y[1], ~x[0], ~y[0])
    top = (1 << largest.bit_length()) - 1
    return (0 if x[0] >= 0 and y[0] >= 0 else ~top), top


def _complex(run, live, name, x, y):
    first = run.joined("c", x, y)
    if name == "**":
        return _complex_power(run, live, x, y, first)
    a, b = to_complex(x), to_complex(y)
    if name in "+-*":
        return Lane(_OPERATORS[name](a, b), "c", first=first)
    if name == "/":
        return Lane(_divided(run, live, operator.truediv, a, b), "c", first=first)
    raise Refusal(f"{name} of a complex")


def _complex_power(run, live, x, n, first):
    """A small whole power, as Python multiplies it."""
    if not isinstance(x, Lane) or type(n) is not int or not 0 < n <= 100:
        raise Refusal("a complex power other than a small whole number")
    made, square = complex(1.0, 0.0), to_complex(x)
    while n:
        if n & 1:
            made = made * square
        n >>= 1
        square = square * square if n else square
    finite = by_name["isfinite"]
    run.flag(live, ~finite(made) & finite(x.a))
    return Lane(made, "c", first=first)


def negated(run, live, v):
    if not isinstance(v, Lane):
        return -v
    if v.how == "np":
        return of_numpy(-v.a)
    if v.kind in "bi":
        made = _integers(run, live, "-", 0, v)
        made.how = v.how
        return made
    if v.kind == "m":
        return Lane(where(v.tag, 0.0 - v.a, -v.a), "m", v.how, UNSURE, tag=v.tag)
    return Lane(-v.a, v.kind, v.how, v.first)


def unary(run, live, name, v):
    """-x, +x, ~x."""
    if not is_number(v):
        raise Refusal(f"{name} of {_told(v)}")
    if name == "-":
        return negated(run, live, v)
    if name == "+":
        run.joined("i", v)
        return v if how_of(v) == "np" else as_int(v)
    if kind_of(v) not in "bi":
        raise Refusal(f"~ of {_told(v)}")
    if not isinstance(v, Lane):
        return ~int(v)
    if v.how != "py":
        return of_numpy(~v.a) if v.how == "np" else Lane(~as_int(v).a, "i", v.how, UNSURE)
    run.joined("i", v)
    v = as_int(v)
    return Lane(~v.a, "i", "py", v.first, ~v.high, ~v.low)
