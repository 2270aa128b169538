"""Writes golden/oracle.txt and golden/options.txt: calls, their arguments and what NumPy gives, for tests in C++, Python and JavaScript.
oracle.txt has ufuncs and reductions of all dtypes, options.txt the functions of functions.def with each of their options, options.inc
those of them that C++ can write. With --check it writes nothing and fails where a file is another.

A line is JSON: f the function, a its arguments, o its options, and r what it gives, or e the class of its error; not: languages that have
it otherwise, by which row of the table of docs/numpy.md. r: the result, then what became of the arrays that it writes to. Values are numbers, true, false, null, lists, and texts by their first letter:
  a:dtype:shape:layout:elements    an array, its elements in C order; layouts are C, F, R (all axes reversed), S (every second element)
  w:dtype:shape:layout:elements    one that is written to
  t:text   d:dtype   f:float   c:real,imaginary   i:an integer that JSON's numbers don't tell apart
"""
import json
import math
import pathlib
import re
import sys
import warnings

import numpy as np

import calls_of_rows
import cpp_of_calls
from calls_of_rows import Array, Call, Exceptions, outcome

HERE = pathlib.Path(__file__).parent
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


def elements_of(a):
    return " ".join(f"{x.real!s},{x.imag!s}" if a.dtype.kind == "c" else str(int(x)) if a.dtype.kind in "biu" else str(x) for x in a.ravel())


def array_text(a, letter="a", layout="C"):
    return f"{letter}:{a.dtype.name}:{','.join(map(str, a.shape))}:{layout}:{elements_of(a)}"


def argument(dtype, shape):
    return Array(raw(dtype, shape), "CFRS"[rng.integers(4)] if shape else "C")


def json_of(x):
    """An argument as JSON has it."""
    if isinstance(x, Array):
        return array_text(x.value, "w" if x.target else "a", x.layout)
    if isinstance(x, (list, tuple)):
        return [json_of(item) for item in x]
    if isinstance(x, np.dtype):
        return f"d:{x.name}"
    if isinstance(x, (bool, type(None))) or isinstance(x, int) and abs(x) < 2**53:
        return x
    return f"t:{x}" if isinstance(x, str) else f"i:{x}" if isinstance(x, int) else f"f:{x!r}" if isinstance(x, float) else f"c:{x.real!r},{x.imag!r}"


def json_of_result(x):
    return None if x is None else [json_of_result(item) for item in x] if isinstance(x, (list, tuple)) else array_text(np.asarray(x))


def line_of(call, exceptions):
    kind, made = outcome(call)
    line = {"f": call.name, "a": json_of(call.args)}
    if call.options:
        line["o"] = {k: json_of(v) for k, v in call.options.items()}
    line["r" if kind == "value" else "e"] = [json_of_result(x) for x in made] if kind == "value" else made
    if languages := exceptions.languages(call, made if kind == "error" else None):
        line["not"] = languages
    return line


def small_exponents(name, b):
    if name in ("left_shift", "right_shift", "power", "float_power"):
        if isinstance(b, Array) and b.value.dtype.kind in "iu":
            return Array((np.abs(b.value) % 5).astype(b.value.dtype), b.layout)
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


def files():
    """The text of each file, by its name."""
    warnings.simplefilter("ignore")
    head = f"Written by make_oracle_goldens.py from NumPy {np.__version__}."
    exceptions, texts, statements = Exceptions(), {}, []
    for name, calls in (("oracle.txt", (Call(*case) for case in cases())), ("options.txt", calls_of_rows.calls())):
        lines = []
        for call in calls:
            line = line_of(call, exceptions)
            if name == "options.txt" and "C++" not in line.get("not", {}) and (text := cpp_of_calls.statement(call)):
                statements.append(f"OPTION_CALL({len(lines)}, {text})")
            lines.append(json.dumps(line, separators=(",", ":")))
        texts[name] = "\n".join([f"# {head}", *lines]) + "\n"
    texts["options.inc"] = "\n".join([f"// {head}", *statements]) + "\n"
    unused = [row for number, row in enumerate(exceptions.rows) if number not in exceptions.used]
    if unused:
        raise SystemExit(f"docs/numpy.md: no call has what these rows tell: {unused}")
    return texts


NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def near(a, b):
    return a == b or ("." in a + b or "e" in a + b) and math.isclose(float(a), float(b), rel_tol=1e-13, abs_tol=1e-15)


def same_but_for_rounding(old, new):
    """Another processor's LAPACK rounds otherwise, in NumPy as well."""
    return NUMBER.split(old) == NUMBER.split(new) and all(map(near, NUMBER.findall(old), NUMBER.findall(new)))


def main():
    wrong = 0
    for name, text in files().items():
        path = HERE / "golden" / name
        new, old = text.split("\n"), path.read_text().split("\n") if path.exists() else []
        old += [""] * (len(new) - len(old))
        text = "\n".join(a if same_but_for_rounding(a, b) else b for a, b in zip(old, new))
        if "--check" in sys.argv and path.read_text() != text:
            print(f"{name} is not what make_oracle_goldens.py writes")
            wrong = 1
        elif "--check" not in sys.argv:
            path.write_text(text)
            print(f"{name}: {text.count(chr(10)) - 1} calls, {len(text) // 1024} KiB")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
