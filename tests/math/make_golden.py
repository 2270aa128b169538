"""Writes golden.txt: what NumPy 2.4.6 gives for special values and for all pairs of 8-bit integers.

Lines, all values as hexadecimal bit patterns:
  in <type> <values>                    special values of a type (NumPy's type character)
  unary <name> <type> <results>         over `in <type>`
  binary <name> <type> <results>        over all pairs of the first `pairs` special values, row by row
  mixed <name> <type><type> <results>   the same for two types
  cast <from> <to> <results>            astype over `in <from>`
  exhaustive <name> <type> <hash>       of the results over all (a, b), a slowest; unary: over all a
Run: python3 tests/math/make_golden.py > tests/math/golden.txt
"""
import sys
import numpy as np

np.seterr(all="ignore")
PAIRS = 18
REPEAT = 16  # arrays are long enough for NumPy's vector loops, the first element stands for all


def specials(t):
    d = np.dtype(t)
    if d.kind == "f":
        i = np.finfo(d)
        base = [0.0, 1.0, i.smallest_subnormal, 0.5, 2.0, 2.5, i.max, np.inf, 3.0, i.tiny, 0.7, 1.5, 10.0,
                0.25, 100.0, 1e5, 0.9999, 1.0001, 30.5, 88.0, 1e-5, 1e-30, 1e30]
        wide = [x for v in base for x in (v, -v)]
        first = [x for v in base[:8] for x in (v, -v)] + [np.nan, 3.0]
        return np.array(first + [x for x in wide if x not in first], t)
    if d.kind == "c":
        part = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 30.0, 1e-20, np.inf, -np.inf, np.nan]
        return np.array([complex(a, b) for a in part for b in part], t)
    if d.kind == "b":
        return np.array([False, True])
    i = np.iinfo(d)
    v = [0, 1, 2, 3, 7, 8, 31, 63, 64, 100, i.max, i.max - 1, i.max // 2, i.min, i.min + 1]
    v += [-1, -2, -7, -64] if i.min < 0 else [i.max // 3, i.max - 2]
    return np.array(list(dict.fromkeys(v)), t)


def hexes(a):
    a = np.ascontiguousarray(a)
    if a.dtype.kind == "c":
        a = a.view(a.real.dtype)
    return " ".join("%x" % v for v in a.view("u%d" % a.dtype.itemsize if a.dtype.kind != "b" else "u1"))


def repeated(a):
    return np.repeat(a, REPEAT)


def emit(*words):
    print(*words)


def digest(a):
    h = np.uint64(0)
    b = np.ascontiguousarray(a).view(np.uint8).astype(np.uint64)
    k = np.cumprod(np.full(b.size, 0x9E3779B97F4A7C15, np.uint64))
    return "%016x" % int((b * k).sum(dtype=np.uint64) ^ h)


COMPLEX = ["exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "sin", "cos", "tan", "arcsin",
           "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "square", "reciprocal",
           "sign", "negative", "conjugate", "absolute", "rint", "isnan", "isinf", "isfinite", "logical_not"]
FLOAT1 = [n for n in COMPLEX if n != "conjugate"] + ["cbrt", "fabs", "floor", "ceil", "trunc", "degrees", "radians", "signbit"]
COMPARE = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]
FLOAT2 = ["add", "subtract", "multiply", "divide", "floor_divide", "remainder", "fmod", "power", "arctan2", "hypot",
          "copysign", "nextafter", "heaviside", "logaddexp", "logaddexp2", "maximum", "minimum", "fmax", "fmin"] + COMPARE
INT1 = ["negative", "absolute", "sign", "square", "reciprocal", "invert", "bitwise_count", "logical_not"]
INT2 = ["add", "subtract", "multiply", "floor_divide", "remainder", "fmod", "maximum", "minimum", "bitwise_and",
        "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "gcd", "lcm"] + COMPARE
COMPLEX2 = ["add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "fmax", "fmin"] + COMPARE


def unary(name, t):
    emit("unary", name, t, hexes(getattr(np, name)(repeated(specials(t)))[::REPEAT]))


def binary(name, t, u):
    a, b = specials(t), specials(u)
    if t in "FD":
        a = b = a[::7]
    a, b = a[:PAIRS], b[:PAIRS]
    x, y = np.repeat(a, len(b)), np.tile(b, len(a))
    r = getattr(np, name)(repeated(x), repeated(y))[::REPEAT]
    emit("binary" if t == u else "mixed", name, t if t == u else t + u, hexes(r))


for t in "?bhilBHILfdFD":
    emit("in", t, hexes(specials(t)))
for t in "fd":
    for n in FLOAT1:
        unary(n, t)
    for n in FLOAT2:
        binary(n, t, t)
    x = specials(t)[:PAIRS]
    a, b, c = (v.ravel() for v in np.meshgrid(x[::2], x[::2], x[::2], indexing="ij"))
    emit("clip", t, hexes(np.clip(repeated(a), repeated(b), repeated(c))[::REPEAT]))
for t in "FD":
    for n in COMPLEX:
        unary(n, t)
    for n in COMPLEX2:
        binary(n, t, t)
for t in "bhilBHIL":
    for n in INT1:
        unary(n, t)
    for n in INT2:
        binary(n, t, t)
for n in COMPARE:
    binary(n, "l", "L")
    binary(n, "L", "l")
for f in "?bhilBHILfdFD":
    for t in "?bhilBHILfdFD":
        emit("cast", f, t, hexes(repeated(specials(f)).astype(t)[::REPEAT]))
for t in "bB":
    every = np.arange(256, dtype=np.uint8).view(t)
    x, y = np.repeat(every, 256), np.tile(every, 256)
    for n in INT1:
        emit("exhaustive", n, t, digest(getattr(np, n)(every)))
    for n in INT2:
        emit("exhaustive", n, t, digest(getattr(np, n)(x, y)))
    natural = np.where(y < 0, 0, y).astype(t) if t == "b" else y
    emit("exhaustive", "power", t, digest(np.power(x, natural)))
sys.stdout.flush()
