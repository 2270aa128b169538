"""The ledger of NumPy's public names: docs/numpy_coverage.md, and its sums in docs/numpy.md.

`./dev python tests/python/coverage.py` writes both.
"""
import io
import os
import re
import sys
import types
import warnings
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np

from differential import outcome

import numjit as nj

ROOT = Path(os.environ.get("NUMJIT_SOURCE_DIR", Path(__file__).parents[2]))
PAGE, SUMMARY = ROOT / "docs" / "numpy_coverage.md", ROOT / "docs" / "numpy.md"
MARKS = "<!-- made by tests/python/coverage.py: begin -->", "<!-- end -->"

# Names that are left out, by reason.
LEFT_OUT = {
    "strings and bytes": "char strings str_ bytes_ character flexible array2string_formatter typename",
    "dates": "datetime64 timedelta64 busday_count busday_offset busdaycalendar datetime_as_string datetime_data is_busday isnat",
    "objects, structures, records": "object_ void rec recarray record isdtype_void fromregex genfromtxt_structured",
    "long double": "longdouble clongdouble float128 complex256",
    "masked arrays, matrix": "ma matrix matrixlib asmatrix bmat",
    "iteration machinery": "nested_iters lib",
    "NumPy's own configuration and build": "getbufsize setbufsize test get_include info core ctypeslib distutils dtypes f2py "
                                           "testing typing rec emath char strings sctypeDict",
}
# What is there, but not just as in NumPy: of which chapter, what differs.
DIFFERS = {
    "numpy": {
        "errstate": "everything is ignored until a program asks", "geterr": "the default is 'ignore'",
        "nditer": "a loop in Python; no ranges", "show_config": "of numjit", "show_runtime": "of numjit",
        "finfo": "limits are Python's floats", "genfromtxt": "no named columns, no masks", "frompyfunc": "results are numbers, never objects",
        "empty": "zeros", "empty_like": "zeros", "shares_memory": "a search that grows too long answers True",
        "load": "no arrays of objects", "memmap": "makes plain arrays, which have `flush()`, `filename`, `offset` and `mode` where they lie over a file", "resize": "of an array as a function of it: a new array",
    },
    "numpy.ndarray": {"resize": "with refcheck=False views made before keep the old memory"},
}
# Names of Python's that C++ has in another form, or cannot have.
NOT_IN_CPP = {
    "numpy": {"half": "`half_`: `half` is the class", "short": "`short_`: a keyword", "long": "`long_`: a keyword", "s_": "indices are arguments",
              "index_exp": "indices are arguments", "frompyfunc": "`vectorize`", "iterable": "Python's own", "ScalarType": "Python's own",
              "sctypeDict": "`dtype_of(name)`", "typecodes": "`dtype_of(name)`"},
    "numpy.ndarray": {"ctypes": "`data<T>()`", "dump": "pickles", "dumps": "pickles"},
}
REASON = {name: reason for reason, names in LEFT_OUT.items() for name in names.split()}
# Calls that read or write files, or change the process: not tried.
NOT_TRIED = set("save savez savez_compressed load loadtxt savetxt genfromtxt fromfile tofile set_printoptions printoptions seterr setflags dump dumps resize "
                "get_printoptions fromregex seed set_state".split())


def public(module):
    """Public names of a module or class."""
    names = getattr(module, "__all__", None) or [n for n in dir(module) if not n.startswith("_")]
    return sorted(n for n in set(names) if not n.startswith("_") and not isinstance(getattr(module, n, None), types.ModuleType))


CHAPTERS = [
    ("numpy", np, nj, public(np)),
    ("numpy.linalg", np.linalg, nj.linalg, public(np.linalg)),
    ("numpy.fft", np.fft, getattr(nj, "fft", None), public(np.fft)),
    ("numpy.random.Generator", np.random.Generator, getattr(getattr(nj, "random", None), "Generator", None), public(np.random.Generator)),
    ("numpy.ndarray", np.ndarray, nj.ndarray, public(np.ndarray)),
    ("numpy.polynomial.polynomial", np.polynomial.polynomial, nj.polynomial, public(np.polynomial.polynomial)),
]


def cpp_texts():
    """The C++ headers by chapter, without comments."""
    headers = {p: re.sub(r"//.*", "", p.read_text()) for p in sorted((ROOT / "numpy_compat" / "numjit").glob("**/*.h"))
               if p.stem != "np_devices"}  # its names are none of NumPy's
    array = re.sub(r"//.*", "", (ROOT / "src" / "numjit" / "array" / "array.h").read_text())
    dtype = (ROOT / "src" / "numjit" / "array" / "dtype.h").read_text() + (ROOT / "src" / "numjit" / "trace" / "api" / "errstate.h").read_text()
    pick = lambda *words: "\n".join(t for p, t in headers.items() if any(w in p.stem for w in words))
    return {"numpy": "\n".join(headers.values()) + array + dtype, "numpy.linalg": pick("linalg"), "numpy.fft": pick("fft"),
            "numpy.random.Generator": pick("random"), "numpy.ndarray": array,
            "numpy.polynomial.polynomial": ""}  # C++ has poly1d and its functions


def in_cpp(chapter, name, texts):
    """Is a name declared in the C++ headers, or a row of the op table?"""
    core = nj._core
    if chapter == "numpy" and any(name in table for table in (core.ufuncs, core.aliases, core.reductions, core.argreductions, core.scans)):
        return True
    if chapter == "numpy.random.Generator" and name in core.random.signatures:
        return True  # made by a macro
    name = {"delete": "delete_", "bool": "bool_"}.get(name, name)
    return re.search(rf"(?<![\w.:]){re.escape(name)}\s*[({{]|\b(array|dtype|double|none_t|none|class|struct|mgrid_t|ogrid_t) {re.escape(name)}\b|"
                     rf"using numjit::{re.escape(name)};|[ ,]{re.escape(name)} =|, {re.escape(name)};", texts[chapter]) is not None


def candidates(chapter):
    """Argument lists that functions are tried with."""
    x = nj.arange(1.0, 10).reshape(3, 3)
    i = nj.arange(4)
    lists = [(x,), (x, x), (x, 2), (x, 0), (x, 1, 0), (x, x, x), ([x, x],), (i,), (i, 2), (i, i), (i, [1, 2]), (x[0],), (x[0], x[0]), (x[0], x[0], x[0]), (x, (3, 3)),
             (x > 2, x), (x, i[:3], 0), (x, (9,)), (x, [0]), ("ij,jk", x, x), (3,), (0.0, 1.0), ([x > 2], [x]), (i, (3, 3)), (1.0, 8.0), ((2, 2), 1.0),
             (x, [x > 2], [1.0, 0.0])]
    return lists if chapter != "numpy.ndarray" else [(x,), (x, 0), (x, x), (x, (9,)), (x, 0, 1), (i,), (i, i), (x[0], x[0]), (x, "float32"), (x, x > 2, x)]


def in_graphs(chapter, name, function):
    """Does a call stay in the graph? "yes", "breaks", or "" where there is nothing to record."""
    if not callable(function) or name in NOT_TRIED or isinstance(function, type) or isinstance(function, nj.dtype):
        return ""
    for args in candidates(chapter):
        kind, value = outcome(lambda: function(*args))
        if kind == "error" or value is NotImplemented:
            continue
        arrays = value if isinstance(value, (tuple, list)) else [value]
        if not any(isinstance(a, (nj.ndarray, nj.generic)) for a in arrays):
            return ""
        kind, report = outcome(lambda: nj.explain(nj.compile(lambda *a: function(*a), backend="eager"))(*args))
        if kind == "error":
            return ""
        if report.graph_count == 0:
            return "yes"  # made at once: creation, views
        return "yes" if report.graph_break_count == 0 else "breaks"
    return ""


def rows():
    """(chapter, name, C++, Python, in graphs, note) of each public name."""
    texts = cpp_texts()
    nj.config.compile = "sync"
    for chapter, theirs, ours, names in CHAPTERS:
        for name in names:
            own = getattr(ours, name, None) if ours is not None else None
            has = own is not None or (chapter == "numpy" and name in vars(nj))
            graphs = in_graphs(chapter, name, own) if has else ""
            cpp = in_cpp(chapter, name, texts)
            note = "differs: " + DIFFERS[chapter][name] if has and name in DIFFERS.get(chapter, {}) else "" if has else "left out: " + REASON[name] if name in REASON and chapter == "numpy" else "" if cpp else "not yet"
            yield chapter, name, "yes" if cpp else NOT_IN_CPP.get(chapter, {}).get(name, "") and "no: " + NOT_IN_CPP[chapter][name], "yes" if has else "", graphs, note


def in_javascript(chapter, name):
    """Is a name exported by the JavaScript package?"""
    sources = "\n".join(p.read_text() for p in sorted((ROOT / "wasm").glob("**/*.ts")) if "node_modules" not in p.parts)
    return re.search(rf"(?<!\w){re.escape(name)}\s*[(:=<]", sources) is not None


def sums(table):
    """The table of counts by chapter."""
    lines = ["| Chapter | Names | Left out | Python | of those that fit | C++ |", "|---|---|---|---|---|---|"]
    for chapter, *_ in CHAPTERS:
        mine = [r for r in table if r[0] == chapter]
        out, python, cpp = sum(r[5].startswith("left") for r in mine), sum(bool(r[3]) for r in mine), sum(r[2] == "yes" for r in mine)
        lines.append(f"| {chapter} | {len(mine)} | {out} | {python} | {100 * python // max(len(mine) - out, 1)}% | {cpp} |")
    return lines


def page(table):
    """The text of docs/numpy_coverage.md."""
    javascript = {(c, n): "yes" if in_javascript(c, n) else "" for c, n, *_ in table}
    has_javascript = any(javascript.values())
    lines = ["# NumPy's public names, and which of them numjit has", "",
             f"Made by `./dev python tests/python/coverage.py` from NumPy {np.__version__}; a test fails when it is stale. *In graphs* is measured: a call under",
             "`np.compile` records everything (yes), or breaks the graph (breaks: the value is needed, or lengths depend on data); empty where there is nothing to",
             "record or no simple call was found. What differs for all of them is said in [python.md](python.md) and [numpy.md](numpy.md).", ""]
    lines += sums(table)
    for chapter, *_ in CHAPTERS:
        lines += ["", f"## {chapter}", "", f"| Name | C++ | Python |{' JavaScript |' if has_javascript else ''} In graphs | |", f"|---|---|---|{'---|' if has_javascript else ''}---|---|"]
        lines += [f"| `{name}` | {cpp} | {python} |{f' {javascript[c, name]} |' if has_javascript else ''} {graphs} | {note} |"
                  for c, name, cpp, python, graphs, note in table if c == chapter]
    return "\n".join(lines) + "\n"


def summary(table):
    """docs/numpy.md with the sums in their place."""
    text = SUMMARY.read_text()
    before, _, rest = text.partition(MARKS[0])
    after = rest.partition(MARKS[1])[2]
    return "\n".join([before + MARKS[0], *sums(table), MARKS[1]]) + after


def measured():
    """All rows, as a list."""
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return list(rows())


def parsed(text):
    """{(chapter, name): cells} of a page."""
    found, chapter = {}, ""
    for line in text.splitlines():
        if line.startswith("## "):
            chapter = line[3:]
        elif line.startswith("| `"):
            cells = [c.strip() for c in line.strip("|").split("|")]
            found[chapter, cells[0].strip("`")] = cells[1:]
    return found


if __name__ == "__main__":
    found = measured()
    PAGE.write_text(page(found))
    SUMMARY.write_text(summary(found))
    print(f"wrote {PAGE} and {SUMMARY}", file=sys.stderr)
