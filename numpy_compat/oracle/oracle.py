#!/usr/bin/env python3
"""Asks NumPy and writes the goldens that tests compare with.

    oracle.py            writes every golden
    oracle.py NAME ...   writes these (see GOLDENS at the end)
    oracle.py --check    writes nothing; exit status 1 if a committed golden is missing or differs

Goldens lie in tests/ops/golden/. Each file explains its own format in its first lines.
Expected values come from running NumPy, never from reading it.
"""

import itertools
import pathlib
import re
import sys
import warnings

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "ops" / "golden"
NUMPY = "2.4.6"

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float16", "float32", "float64", "complex64", "complex128"]
WEAK = {"weak_bool": True, "weak_int": 1, "weak_float": 1.0, "weak_complex": 1j}
CLASSES = DTYPES + list(WEAK)
CLASS_NAMES = ["BoolDType", "Int8DType", "Int16DType", "Int32DType", "Int64DType", "UInt8DType",
               "UInt16DType", "UInt32DType", "UInt64DType", "Float16DType", "Float32DType",
               "Float64DType", "Complex64DType", "Complex128DType", "BoolDType", "_PyLongDType",
               "_PyFloatDType", "_PyComplexDType"]


def ufunc_rows():
    """(arity, name) of each UFUNC row that NumPy has too, in file order."""
    text = (ROOT / "src/numjit/ops/elementwise.def").read_text()
    rows = [(int(m[1]), m[2]) for m in re.finditer(r"^UFUNC(\d)\((\w+),", text, re.M)]
    return [row for row in rows if hasattr(np, row[1])]


def own_rows():
    """Names of UFUNC rows that NumPy does not have."""
    text = (ROOT / "src/numjit/ops/elementwise.def").read_text()
    names = re.findall(r"^(?:UFUNC|SPECIAL|POWER|LINEAR)\d\((\w+),", text, re.M)
    return [n for n in names if not hasattr(np, n)]


def numpy_function(name):
    return np._core.umath.clip if name == "clip" else getattr(np, name)


def value(cls, zero_dim=False):
    """An input of the class: an array of one element, or a Python number."""
    if cls in WEAK:
        return WEAK[cls]
    return np.ones((), cls) if zero_dim else np.ones(1, cls)


def chars_of(types):
    """Loop text in our characters: "ll:l"."""
    text = "".join("l" if t == np.int64 else "L" if t == np.uint64 else t.char for t in types)
    return text[:-1] + ":" + text[-1]


def error_text(error):
    """Exception class and text; NumPy's private subclasses count as their public base."""
    kind = type(error)
    while kind.__module__.startswith("numpy._core"):
        kind = kind.__mro__[1]
    return f"{kind.__name__}|{error}"


def attempt(call):
    try:
        return call(), None
    except Exception as error:  # every exception is an answer here
        return None, error_text(error)


class Texts:
    """Distinct error texts, numbered. What differs from call to call is replaced by {op}, {in0} and
    {in1} (dtypes of inputs), {inputs} (NumPy's list of their classes) and {dtype} (of dtype=)."""

    def __init__(self):
        self.numbers = {}

    def code(self, text, op, combo=(), forced=None):
        text = text.replace(f"'{op}'", "'{op}'").replace(f"ufunc {op}", "ufunc {op}")
        for i, cls in enumerate(combo):
            name = "bool" if cls == "weak_bool" else cls
            text = text.replace(f" input {i} from dtype('{name}')", f" input {i} from dtype('{{in{i}}}')")
            text = text.replace(f" input from dtype('{name}')", " input from dtype('{in0}')")
        if forced:
            text = text.replace(f" to dtype('{forced}')", " to dtype('{dtype}')")
        if "matching types" in text:
            inputs = ["<class 'numpy.dtypes.%s'>" % CLASS_NAMES[CLASSES.index(c)] for c in combo]
            listed = inputs[0] if len(inputs) == 1 else "(" + ", ".join(inputs) + ")"
            text = text.replace("types " + listed, "types {inputs}")
        return "E%d" % self.numbers.setdefault(text, len(self.numbers))


def run_lengths(codes):
    out = []
    for code, group in itertools.groupby(codes):
        n = len(list(group))
        out.append(code if n == 1 else f"{code}*{n}")
    return " ".join(out)


def resolve(name, arity, combo, forced=None):
    """Loop that NumPy takes, as text, or None and an error. Calls as well as resolves, both for arrays
    and for 0-D arrays, and insists that the answers agree."""
    function = numpy_function(name)
    out = []
    for zero_dim in (False, True):
        values = [value(c, zero_dim) for c in combo]
        options = {"dtype": forced} if forced else {}
        result, error = attempt(lambda: function(*values, **options))
        out.append((np.result_type(result) if error is None else None, error))
    if out[0] != out[1]:
        raise SystemExit(f"{name}{combo}: array and 0-D differ: {out}")
    dtype, error = out[0]
    if error:
        return None, error
    if name == "where":
        types = (np.dtype(bool), dtype, dtype, dtype)
    else:
        weak = {"weak_int": int, "weak_float": float, "weak_complex": complex}
        operands = [np.dtype("bool") if c == "weak_bool" else weak.get(c) or np.dtype(c)
                    for c in combo]
        if all(c in WEAK for c in combo):  # resolve_dtypes wants at least one dtype
            defaults = {"weak_bool": "bool", "weak_int": "int64", "weak_float": "float64",
                        "weak_complex": "complex128"}
            operands = [np.dtype(defaults[c]) for c in combo]
        options = {"signature": (None,) * arity + (np.dtype(forced),)} if forced else {}
        operands = tuple(operands) + (None,)
        try:
            types = function.resolve_dtypes(operands, casting="same_kind", **options)
        except TypeError:  # it holds a literal's default dtype against dtype=; the call does not
            types = function.resolve_dtypes(operands, casting="unsafe", **options)
    if types[-1] != dtype:
        raise SystemExit(f"{name}{combo}: resolve_dtypes says {types}, the call gave {dtype}")
    return chars_of(types), None


def table(name, arity, texts, combos, forced=None):
    codes = []
    for combo in combos:
        loop, error = resolve(name, arity, combo, forced)
        if error:
            codes.append(texts.code(error, name, combo, forced))
            continue
        codes.append(loop)
    return run_lengths(codes)


def combos_of(name, arity):
    if arity == 3 and name == "where":  # the condition may be anything; the branches decide
        return list(itertools.product(["bool", "float64", "weak_int"], CLASSES, CLASSES))
    return list(itertools.product(CLASSES, repeat=arity))


def promotion():
    """Loop or error of every UFUNC row for all pairs of inputs, without and with dtype=."""
    texts = Texts()
    blocks = {}
    for arity, name in ufunc_rows():
        combos = combos_of(name, arity)
        lines = [f"arity {arity}", "plain " + table(name, arity, texts, combos)]
        if arity < 3:
            for forced in DTYPES:
                lines.append(f"{forced} " + table(name, arity, texts, combos, forced))
        blocks.setdefault("\n".join(lines), []).append(name)
    head = ["# Loop that NumPy %s takes, for each ufunc row and all classes of inputs." % NUMPY,
            "# classes: " + " ".join(CLASSES),
            "# A block: `ops` that share it, then a line per dtype= (`plain`: none), with one entry per",
            "# combination of classes, last input fastest (where: first input bool, float64, weak_int).",
            "# Entry: inputs:output of the loop, or En, the error; *n repeats it n times.",
            "# errors: En class|text, with {op}, {in0}, {in1} (dtypes), {inputs} (NumPy's classes), {dtype}."]
    errors = [f"E{n} {t}" for t, n in texts.numbers.items()]
    body = []
    for block, names in blocks.items():
        body += ["", "ops " + " ".join(names), block]
    return "\n".join(head + errors + body) + "\n"


def casts():
    """promote_types and can_cast for all pairs, result_type for pairs of classes."""
    lines = ["# promote A B result | can_cast A B safe same_kind | result_type A B result, by NumPy " + NUMPY,
             "# three: result_type of all triples of dtypes, last fastest; *n repeats"]
    for a, b in itertools.product(DTYPES, repeat=2):
        lines.append(f"promote {a} {b} {np.promote_types(a, b)}")
        lines.append(f"can_cast {a} {b} {int(np.can_cast(a, b))} {int(np.can_cast(a, b, 'same_kind'))}")
    for a, b in itertools.product(CLASSES, repeat=2):
        lines.append(f"result_type {a} {b} {np.result_type(value(a), value(b))}")
    for a in CLASSES:
        lines.append(f"result_type {a} - {np.result_type(value(a))}")
    lines.append("three " + run_lengths([str(np.result_type(*c)) for c in itertools.product(DTYPES, repeat=3)]))
    return "\n".join(lines) + "\n"


LITERALS = [0, 1, -1, 2, 127, 128, -128, -129, 255, 256, 300, -300, 32767, 32768, -32768, -32769, 65535,
            65536, 2**31 - 1, 2**31, -2**31, -2**31 - 1, 2**32 - 1, 2**32, 2**63 - 1, -2**63, 2**63, 2**64 - 1]


def literals():
    """Integer literals beside each dtype, all binary ufuncs and where/clip: dtype and value of the
    result, or the error."""
    texts = Texts()
    lines = ["# op dtype side: one entry per literal, for an array holding [2] (bool: [True]) beside it,",
             "# the literal on the given side: result dtype, `=1`/`=0` for comparisons, or the error En.",
             "# literals: " + " ".join(map(str, LITERALS))]
    blocks = {}
    names = [n for a, n in ufunc_rows() if a == 2]
    for name in names:
        comparison = name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
        block = []
        for dtype, side in itertools.product(DTYPES, ("right", "left")):
            array, codes = np.full(1, 2, dtype), []
            for literal in LITERALS:
                args = (array, literal) if side == "right" else (literal, array)
                result, error = attempt(lambda: getattr(np, name)(*args))
                codes.append(texts.code(error, name) if error else
                             f"{result.dtype}={int(result[0])}" if comparison else str(result.dtype))
            block.append(f"{dtype} {side} " + run_lengths(codes))
        block.append("alone one " + run_lengths(
            [texts.code(e, name) if e else f"{r.dtype}={int(r)}" if comparison else str(r.dtype)
             for r, e in (attempt(lambda l=l: getattr(np, name)(l, 1)) for l in LITERALS)]))
        blocks.setdefault("\n".join(block), []).append(name)
    for dtype in DTYPES:
        for what, call in (
                ("where", lambda a, l: np.where([False], a, l)),
                ("clip_low", lambda a, l: np.clip(a, l, None)),
                ("clip_high", lambda a, l: np.clip(a, None, l))):
            array, codes = np.full(1, 2, dtype), []
            for literal in LITERALS:
                result, error = attempt(lambda: call(array, literal))
                # Floats are compared by the arithmetic tests.
                code = f"{result.dtype}={int(result[0])}" if error is None and result.dtype.kind in "iu" \
                    else str(result.dtype) if error is None else texts.code(error, what)
                codes.append(code)
            blocks.setdefault(f"{dtype} right " + run_lengths(codes), []).append(what + "@" + dtype)
    errors = [f"E{n} {t}" for t, n in texts.numbers.items()]
    body = []
    for block, names in blocks.items():
        body += ["", "ops " + " ".join(names), block]
    return "\n".join(lines + errors + body) + "\n"


def loops():
    """np.<name>.types of each UFUNC row, for the ledger."""
    lines = ["# name: NumPy %s's loop types (q, Q: the same as l, L here)" % NUMPY]
    for arity, name in ufunc_rows():
        function = numpy_function(name)
        types = function.types if isinstance(function, np.ufunc) else ["not a ufunc"]
        lines.append(f"{name}: " + " ".join(types))
    lines += [f"{name}: not in NumPy" for name in own_rows()]
    return "\n".join(lines) + "\n"


def errors():
    """Named cases of wrong calls and what NumPy says; tests make the same call."""
    zeros = np.zeros
    readonly = zeros(3)
    readonly.flags.writeable = False
    cases = {
        "broadcast": lambda: np.add(zeros((2, 3)), zeros(4)),
        "broadcast_scalar": lambda: np.clip(zeros((2, 3)), zeros(4), 0),
        "broadcast_0d": lambda: np.add(zeros((2, 0)), zeros((3, 2))),
        "out_small": lambda: np.add(zeros((2, 3)), 1, out=zeros(3)),
        "out_ones": lambda: np.add(zeros((2, 4)), 1, out=zeros((1, 4))),
        "out_differs": lambda: np.add(zeros((2, 4)), 1, out=zeros((2, 3))),
        "out_cast": lambda: np.add(zeros((2, 3)), 1, out=zeros((2, 3), int)),
        "out_cast_complex": lambda: np.sin(zeros(3, complex), out=zeros(3)),
        "out_readonly": lambda: np.add(zeros(3), 1, out=readonly),
        "mask_differs": lambda: np.add(zeros(3), 1, out=zeros(3), where=zeros(2, bool)),
        "mask_grows": lambda: np.add(zeros(3), 1, out=zeros(3), where=zeros((2, 3), bool)),
        "mask_dtype": lambda: np.add(zeros(3), 1, out=zeros(3), where=zeros(3, int)),
        "bool_subtract": lambda: zeros(3, bool) - zeros(3, bool),
        "bool_negative": lambda: -zeros(3, bool),
        "bool_positive": lambda: +zeros(3, bool),
        "float_and": lambda: zeros(3) & 1,
        "float_invert": lambda: ~zeros(3),
        "complex_arctan2": lambda: np.arctan2(zeros(3, complex), 1.0),
        "complex_floor": lambda: np.floor(zeros(3, complex)),
        "int_literal": lambda: zeros(3, np.uint8) + 300,
        "int_literal_negative": lambda: zeros(3, np.uint8) + -1,
        "int_literal_shift": lambda: np.left_shift(zeros(3, np.uint8), 300),
        "int_literal_long": lambda: zeros(3, np.int64) + 2**63,
        "negative_power": lambda: np.power(np.ones(3, int), -1),
        "negative_power_bool": lambda: np.power(np.ones(3, bool), -1),
        "negative_power_unsigned": lambda: np.power(np.ones(3, np.uint8), -1),
        "negative_power_empty": lambda: np.power(np.ones(0, int), -1),
        "forced_input": lambda: np.add(zeros(3), 1, dtype=np.int32),
        "forced_unary": lambda: np.sin(zeros(3, complex), dtype=np.float32),
        "forced_none": lambda: np.sin(zeros(3, int), dtype=np.int32),
        "element_count": lambda: np.empty((2**62, 8)),
        "negative_extent": lambda: np.empty((-2, 1)),
        "axis": lambda: np.sum(zeros((2, 3)), axis=5),
        "axis_negative": lambda: np.sum(zeros((2, 3)), axis=-3),
        "len_0d": lambda: len(np.array(1)),
        "memory": lambda: np.empty((10**6, 10**6, 10**3)),
    }
    lines = ["# case: class|text, or `ok` and the result's dtype and shape, by NumPy " + NUMPY]
    for name, call in cases.items():
        result, error = attempt(call)
        lines.append(f"{name}: " + (error.rstrip() if error else f"ok {result.dtype} {result.shape}"))
    return "\n".join(lines) + "\n"


GOLDENS = {"promotion": promotion, "casts": casts, "literals": literals, "loops": loops,
           "errors": errors}


def main(arguments):
    if np.__version__ != NUMPY:
        print(f"oracle: got NumPy {np.__version__}, expected {NUMPY}: goldens come from one version")
        return 1
    warnings.simplefilter("ignore")
    check = "--check" in arguments
    names = [a for a in arguments if a != "--check"] or list(GOLDENS)
    wrong = 0
    for name in names:
        text, path = GOLDENS[name](), FOLDER / f"{name}.txt"
        if not check:
            path.write_text(text)
            print(f"{path.relative_to(ROOT)}: {len(text)} bytes")
        elif not path.exists() or path.read_text() != text:
            print(f"{path.relative_to(ROOT)}: missing or not what NumPy says now")
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
