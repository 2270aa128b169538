"""Writes golden/oracle.txt: calls, their arguments and what NumPy gives, for a C++ test that needs no Python.

A line: function, options, arguments, result, between tabs. An array is dtype:shape:layout:hex of its elements in C
order; layouts are C, F, R (all axes reversed), S (every second element). A literal is b, i, f or c and its value.
"""
import pathlib
import sys

import numpy as np

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "complex64", "complex128"]
UNARY = """negative positive absolute sign invert logical_not square reciprocal sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos
arctan sinh cosh tanh arcsinh arccosh arctanh deg2rad rad2deg floor ceil trunc rint isnan isinf isfinite signbit conjugate fabs bitwise_count""".split()
BINARY = """add subtract multiply divide floor_divide remainder fmod power maximum minimum fmax fmin equal not_equal less less_equal greater greater_equal
logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor left_shift right_shift arctan2 hypot copysign nextafter logaddexp logaddexp2
heaviside gcd lcm float_power""".split()
REDUCTIONS = ["sum", "prod", "max", "min", "any", "all", "mean", "var", "std", "argmax", "argmin", "cumsum", "cumprod", "count_nonzero"]
SHAPES = [(), (3,), (0,), (2, 3), (1, 3), (2, 1), (0, 2), (2, 3, 2), (5,)]
LITERALS = [True, 1, 3, -1, 127, 128, 255, 300, -129, 70000, 2**31, 2**40, 2**63, 0.5, -2.0, 1e300, 1j, 2 - 1j]
rng = np.random.default_rng(11)


def raw(dtype, shape):
    t = np.dtype(dtype)
    if t.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if t.kind in "iu":
        return np.asarray(rng.integers(0 if t.kind == "u" else -9, 10, shape)).astype(t)
    made = np.asarray(rng.integers(-16, 17, shape) / 4)
    if t.kind == "c":
        made = made + 1j * (rng.integers(-16, 17, shape) / 4)
    made = np.asarray(made).astype(t)
    if made.size and rng.random() < 0.2:
        made.flat[0] = rng.choice([np.nan, np.inf, -np.inf, -0.0])
    return made


class Argument:
    """An array with the layout that the test gives it."""

    def __init__(self, array, layout="C"):
        self.value, self.layout = array, layout

    def text(self):
        v = np.ascontiguousarray(self.value).reshape(self.value.shape)
        return f"{v.dtype.name}:{','.join(map(str, v.shape))}:{self.layout}:{v.tobytes().hex()}"


def argument(dtype, shape):
    return Argument(raw(dtype, shape), "CFRS"[rng.integers(4)] if shape else "C")


def text_of(x):
    if isinstance(x, Argument):
        return x.text()
    if isinstance(x, bool):
        return f"b:{int(x)}"
    if isinstance(x, int):
        return f"i:{x}"
    if isinstance(x, float):
        return f"f:{x!r}"
    return f"c:{x.real!r},{x.imag!r}"


def result_of(name, args, options):
    values = [a.value if isinstance(a, Argument) else a for a in args]
    with np.errstate(all="ignore"):
        try:
            r = np.asarray(getattr(np, name)(*values, **options))
        except Exception as e:  # noqa: BLE001
            kind = next(k for k in ("AxisError", "OverflowError", "IndexError", "ValueError", "TypeError") if k in [c.__name__ for c in type(e).__mro__])
            return f"error:{kind}"
    return Argument(r).text()


def small_exponents(name, b):
    if name in ("left_shift", "right_shift", "power", "float_power"):
        if isinstance(b, Argument) and b.value.dtype.kind in "iu":
            return Argument((np.abs(b.value) % 5).astype(b.value.dtype), b.layout)
        if isinstance(b, int) and not isinstance(b, bool):
            return abs(b) % 5
    return b


def cases():
    for name in UNARY:
        for dtype in DTYPES:
            for shape in ((3,), SHAPES[rng.integers(len(SHAPES))]):
                yield name, [argument(dtype, shape)], {}
    for name in BINARY:
        for x in DTYPES:
            for y in sorted({x, *rng.choice(DTYPES, 2).tolist()}):
                shape = SHAPES[rng.integers(len(SHAPES))]
                other = [shape, shape, (), shape[1:], (4,)][rng.integers(5)]
                yield name, [argument(x, shape), small_exponents(name, argument(str(y), other))], {}
            literal = LITERALS[rng.integers(len(LITERALS))]
            if name in ("power", "float_power") and not isinstance(literal, int):
                continue
            yield name, [argument(x, (3,)), small_exponents(name, literal)], {}
            if name not in ("left_shift", "right_shift", "power", "float_power"):
                yield name, [literal, argument(x, (2,))], {}
    for name in REDUCTIONS:
        for dtype in DTYPES:
            for _ in range(4):
                shape = SHAPES[rng.integers(len(SHAPES))]
                options = {}
                if len(shape) and rng.random() < 0.7:
                    options["axis"] = int(rng.integers(-len(shape), len(shape) + (rng.random() < 0.05)))
                if name not in ("cumsum", "cumprod") and rng.random() < 0.4:
                    options["keepdims"] = True
                if name in ("mean", "var", "std") and dtype == "float16" or 0 in shape and name in ("mean", "var", "std"):
                    continue
                a = argument(dtype, shape)
                if a.value.dtype.kind == "c" and not np.isfinite(a.value).all():
                    continue  # products of infinities have no agreed imaginary part
                yield name, [a], options


def main():
    lines = ["# Written by make_oracle_goldens.py from NumPy " + np.__version__ + ": function, options, arguments, result."]
    for name, args, options in cases():
        option_text = ",".join(f"{k}={int(v)}" for k, v in options.items())
        lines.append("\t".join([name, option_text or "-", "|".join(map(text_of, args)), result_of(name, args, options)]))
    path = pathlib.Path(__file__).with_name("golden") / "oracle.txt"
    path.write_text("\n".join(lines) + "\n")
    print(len(lines) - 1, "calls,", path.stat().st_size // 1024, "KiB")


if __name__ == "__main__":
    sys.exit(main())
