"""Writes golden/expressions.txt, golden/printing.txt and golden/npy/ from NumPy.

    ./dev python tests/compat/make_goldens.py [--check]

Expressions are those of the VALUE, TEXT and ERROR lines of the tests beside this file. --check writes nothing
and fails if a golden is missing or stale.
"""
import io
import os
import pathlib
import re
import sys
import tempfile
import warnings

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
STRING = r'"((?:[^"\\]|\\.)*)"'
LINE = re.compile(r'\b(VALUE|VALUE_EXACT|VALUE_CLOSE|TEXT|ERROR)\(\s*((?:' + STRING + r'\s*)+)')


def escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def element(x) -> str:
    if isinstance(x, (np.bool_, bool)):
        return str(bool(x))
    if isinstance(x, np.complexfloating):
        return f"{float(x.real)!r},{float(x.imag)!r}"
    if isinstance(x, np.floating):
        return repr(float(x))
    return str(int(x))


def evaluate(code: str, kind: str) -> tuple[str, str, str, str]:
    scope = {"np": np, "inf": np.inf, "nan": np.nan}
    *statements, last = code.split("; ")
    try:
        for s in statements:
            exec(s, scope)
        if kind == "ERROR" and re.match(r"^[a-z_]\w*(\[.*\])? ?[-+*/%&|^<>]*= ", last):
            exec(last, scope)
            value = None
        else:
            value = eval(last, scope)
    except Exception as e:  # noqa: BLE001: the error is the golden
        family = [c.__name__ for c in type(e).__mro__]
        name = next(n for n in family if not n.startswith(("_", "UFunc")))  # UFuncTypeError is a TypeError
        return "error", name, "", escape(str(e).rstrip())
    if isinstance(value, str):
        return "text", "str", "", escape(value)
    a = np.asarray(value)
    return "value", a.dtype.name, str(a.shape), " ".join(element(x) for x in a.ravel())


def expressions() -> str:
    lines = ["# Written by make_goldens.py from NumPy " + np.__version__ +
             ": expression, kind, dtype or error class, shape, body."]
    seen = set()
    for path in sorted(HERE.glob("*_test.cpp")):
        source = path.read_text(encoding="utf-8")
        for name, text in re.findall(r"^#define (\w+) (" + '"(?:[^"\\\\]|\\\\.)*"' + r")$", source, re.MULTILINE):
            source = re.sub(rf'\b{name} "', lambda _, text=text: text + ' "', source)  # a literal that others begin with
        for kind, literals, _ in LINE.findall(source):
            code = "".join(re.findall(STRING, literals))
            code = code.replace('\\"', '"').replace("\\\\", "\\")
            if code in seen:
                continue
            seen.add(code)
            result = evaluate(code, kind)
            wanted = {"TEXT": "text", "ERROR": "error"}.get(kind, "value")
            if result[0] != wanted:
                print(f"{path.name}: {kind} {code!r} gave {result}", file=sys.stderr)
            lines.append("\t".join((escape(code),) + result))
    return "\n".join(lines) + "\n"


def printed_arrays():
    """Arrays whose text is compared, by dtype, rank, size and kind of values."""
    rng = np.random.default_rng(7)
    ints = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
    floats = [np.float16, np.float32, np.float64]
    for t in ints:
        info = np.iinfo(t)
        yield np.array([1, 2, 3], t)
        yield np.array([info.min, 0, info.max], t)
        yield np.array(info.max, t)
        yield np.arange(12).astype(t).reshape(3, 4)
    yield np.array([True, False, True])
    yield np.array(True)
    yield np.array([[True, False], [False, False]])
    specials = [0.0, -0.0, np.nan, np.inf, -np.inf]
    for t in floats:
        yield np.array([1, 2, 3], t)
        yield np.array([0.1, 0.2, 0.3], t)
        yield np.array([1.5, -2.25, 100], t)
        yield np.array([1e-3, 1, 1000.5], t)
        yield np.array([1e-5, 1], t)
        yield np.array([1 / 3, 2 / 3, 1e3], t)
        yield np.array(specials, t)
        yield np.array([np.nan, 1.5], t)
        yield np.array([np.nan, np.nan], t)
        yield np.array([-np.inf, 1e-7, 3], t)
        yield np.array([np.inf, 1.25, -1], t)
        yield np.array([0, 0], t)
        yield np.array([-0.0], t)
        yield np.array([np.finfo(t).max, np.finfo(t).tiny], t)
        yield np.array([np.finfo(t).smallest_subnormal], t)
        yield np.array([0.0001, 0.001], t)
        yield np.array([0.00009, 0.09], t)
        yield np.array([999.0, 1.0], t)
        yield np.array([1001.0, 1.0], t)
        yield np.array([12345, 0.5], t)
        yield np.array([-1e10 if t is not np.float16 else -1e4, 1], t)
        for v in (0.0, 1.0, -1.5, 0.1, 1 / 3, 1e-4, 9e-5, 1e3, 999, 65504, 1e-7, np.nan, np.inf, -np.inf):
            yield np.array(v, t)
        yield rng.normal(size=7).astype(t)
        yield rng.normal(size=(3, 4)).astype(t)
        yield (rng.normal(size=(2, 3)) * 10 ** rng.uniform(-6, 4, size=(2, 3))).astype(t)
        yield np.arange(1500).astype(t) / t(7)
    for v in (1e15, 1e16, 123456789012345678.0, 1e22, 1e100, 1e-300, 123456.789, 99999999.0, 1e8):
        yield np.array(v)
        yield np.array([v])
        yield np.array([v, 1.0])
    for v in (999999.0, 1e6, 1234567.0, 12345678.0, 1e-4):
        yield np.array(v, np.float32)
        yield np.array([v], np.float32)
    yield np.array([0.12345678912345, 12345678.9])
    yield np.array([0.12345678912345, 1.0])
    yield np.array([9.999999999, 1.0])
    yield np.array([9.999999999e-9, 1.0])
    yield np.array([0.000000005, 0.1])
    yield np.array([2.5, 3.5, 1234.125])
    for t in (np.complex64, np.complex128):
        yield np.array([1 + 2j, -3.5 - 0.25j], t)
        yield np.array([0, 1j], t)
        yield np.array([complex(np.nan, np.inf), 1 - 1j], t)
        yield np.array([1e-7 + 1e7j, 2], t)
        yield np.array([[1 + 1j, 2 - 2j], [0.5j, 3]], t)
        for v in (1 + 2j, 2j, 1 - 0j, complex(-0.0, 1), 1e20 + 1j, 0, complex(np.nan, -np.inf), 0.1 + 1e-5j):
            yield np.array(v, t)
        yield (rng.normal(size=5) + 1j * rng.normal(size=5)).astype(t)
    for t in (np.int64, np.float64, np.float32, np.bool_, np.complex128):
        yield np.zeros((0,), t)
        yield np.zeros((2, 0), t)
        yield np.zeros((0, 3, 2), t)
    yield np.arange(1000)
    yield np.arange(1001)
    yield np.arange(2000).reshape(2, 1000)
    yield np.arange(2000).reshape(1000, 2)
    yield np.arange(10000).reshape(100, 100)
    yield np.arange(3000).reshape(10, 10, 30)
    yield np.arange(5000).reshape(1, 5000)
    yield np.arange(24).reshape(2, 3, 4)
    yield np.arange(24).reshape(2, 3, 4) / 4
    yield np.arange(16).reshape(2, 2, 2, 2)
    yield np.arange(40) * 1000
    yield np.arange(40) / 8
    yield np.arange(60).astype(np.int8)
    yield np.linspace(0, 1, 25)
    yield np.ones((1, 1, 1))
    yield np.ones((5, 30))
    yield np.arange(1, 31).reshape(2, 15) * 123456
    yield np.tile(np.array([True, False]), 30)
    yield np.full((3,), 1e-10)
    yield np.full(30, 1234567.125, np.float32)
    yield rng.integers(-1000, 1000, size=(4, 20))
    yield rng.uniform(size=(4, 8)) + 1j


def printing() -> str:
    lines = ["# Written by make_goldens.py from NumPy " + np.__version__ +
             ": dtype, shape, bytes in C order (hex) or 'arange' data, str, repr."]
    for a in printed_arrays():
        a = np.ascontiguousarray(a).reshape(a.shape)
        data = a.tobytes().hex()
        if a.size > 100 and a.dtype == np.int64 and np.array_equal(a.ravel(), np.arange(a.size)):
            data = "arange"
        lines.append("\t".join([a.dtype.name, str(a.shape), data, escape(str(a)), escape(repr(a))]))
    return "\n".join(lines) + "\n"


def npy_files() -> dict[str, bytes]:
    """.npy files as NumPy writes them, the text of each beside it, and some that are not supported."""
    arrays = {np.dtype(t).name: np.array([[0, 1, 2], [3, 4, 1]]).astype(t) for t in "?bhilBHILefdFD"}
    arrays |= {"scalar": np.array(2.5), "empty": np.zeros((0, 3)), "line": np.arange(3),
               "fortran": np.asfortranarray(np.arange(6).reshape(2, 3)), "deep": np.ones((1, 2, 1, 2, 1)),
               "big_f8": np.array([1.5, -2]).astype(">f8"), "big_c16": np.array([1 + 2j]).astype(">c16"),
               "long": np.arange(12345)}
    files = {}

    def store(name: str, a: np.ndarray, version=None) -> None:
        buffer = io.BytesIO()
        np.lib.format.write_array(buffer, a, version=version)
        files[name + ".npy"] = buffer.getvalue()

    for name, a in arrays.items():
        store("ok_" + name, a)
        files[f"ok_{name}.npy.txt"] = (repr(a.astype(a.dtype.newbyteorder("="))) + "\n").encode()
    for version in (2, 3):
        store(f"ok_v{version}", np.arange(4.0), (version, 0))
        files[f"ok_v{version}.npy.txt"] = (repr(np.arange(4.0)) + "\n").encode()
    store("bad_object", np.array([None, 1], dtype=object))
    store("bad_string", np.array(["a", "bc"]))
    store("bad_struct", np.zeros(2, [("x", int), ("y", float)]))
    store("bad_date", np.array(["2020-01-01"], "M8[D]"))
    return files


def main() -> int:
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    check = "--check" in sys.argv[1:]
    stale = []
    os.chdir(tempfile.mkdtemp())  # expressions may write files
    (HERE / "golden").mkdir(exist_ok=True)
    for name, text in (("expressions.txt", expressions()), ("printing.txt", printing())):
        path = HERE / "golden" / name
        if check:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                stale.append(name)
        else:
            path.write_text(text, encoding="utf-8")
    (HERE / "golden" / "npy").mkdir(exist_ok=True)
    for name, data in npy_files().items():
        path = HERE / "golden" / "npy" / name
        if not check:
            path.write_bytes(data)
        elif not path.exists() or path.read_bytes() != data:
            stale.append("npy/" + name)
    if stale:
        print("stale goldens: " + ", ".join(stale) + ": run tests/compat/make_goldens.py")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
