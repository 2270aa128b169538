"""Builds the worked example of docs/adding_a_function.md: its row in a copy of the table, its declaration in a copy of the header,
its function and body beside the objects of the build's module; then runs the page's programs in C++ and Python, and compares the
function with NumPy. JavaScript's row is compiled in its table, without a link.

    adding_a_function_test.py [--write]    --write puts what the programs print into the page
"""
# ctest: TIMEOUT 900

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(os.environ.get("NUMJIT_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("NUMJIT_BUILD_DIR", ROOT / "build"))
PAGE = ROOT / "docs/adding_a_function.md"
BODY = '#include "call.h"\n\nnamespace numjit::py {{\n\n{}\n}}  // namespace numjit::py\n'
AGAINST_NUMPY = """
import numpy
import numjit

def rescale(a, low=0.0, high=1.0, axis=None):
    least, most = a.min(axis, keepdims=True), a.max(axis, keepdims=True)
    return (a - least) / (most - least) * (high - low) + low

rng = numpy.random.default_rng(3)
for kind in "bhilBHIfd":
    for shape, options in (((5,), {}), ((3, 4), {"axis": 0}), ((3, 4), {"low": -2, "axis": (0, 1)}), ((2, 3, 4), {"high": 7.5, "axis": -1})):
        a = rng.permutation(numpy.prod(shape)).astype(kind).reshape(shape)
        wide = a.astype("d") if a.dtype.kind != "f" else a
        for x in (a, a.T) if "axis" not in options else (a,):
            want, got = rescale(wide if x is a else wide.T, **options), numpy.asarray(numjit.rescale(numjit.asarray(x), **options))
            numpy.testing.assert_array_equal(got, want)
            assert got.dtype == want.dtype, (got.dtype, want.dtype)
            numpy.testing.assert_array_equal(numpy.asarray(numjit.compile(numjit.rescale)(numjit.asarray(x), **options)), want)
"""


class Page:
    """The blocks of the page, and where what its programs print stands."""

    def __init__(self):
        self.text = PAGE.read_text()
        blocks = [(m[1], m[2], m.span(2)) for m in re.finditer(r"^```(\w+)\n(.*?)^```", self.text, re.M | re.S)]
        code = [t for kind, t, _ in blocks if kind == "cpp"]
        self.row = next(t for t in code if t.startswith("FUNCTION("))
        self.declaration = next(t for t in code if t.startswith("struct "))
        self.function = next(t for t in code if t.startswith("// "))
        self.body = next(t for t in code if t.startswith("nb::object "))
        self.javascript = next(t for t in code if t.startswith("row<"))
        self.programs = {"cpp": next(t for t in code if "int main" in t), "python": next(t for kind, t, _ in blocks if kind == "python")}
        self.outputs = [(t, span) for kind, t, span in blocks if kind == "text"]
        self.name = re.match(r"\w+\((\w+),", self.row)[1]

    def write(self, outputs):
        text = self.text
        for (_, (begin, end)), output in sorted(zip(self.outputs, outputs), reverse=True):
            text = text[:begin] + output + text[end:]
        PAGE.write_text(text)


def run(command, **environment):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env={**os.environ, **environment})
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))[:200]}: exit status {done.returncode}\n{done.stdout}{done.stderr[:4000]}")
    return done.stdout


def with_piece(path, piece, before, to):
    """A copy of a file of the tree with a piece added in front of the last place that reads like `before`."""
    text = (ROOT / path).read_text()
    at = text.rindex(before)
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(text[:at] + piece + "\n" + text[at:])
    return to


class Built:
    """The page's function in folders of its own: a program, and a copy of the package with a module that has it."""

    def __init__(self, page, folder):
        self.folder = folder
        entries = [entry for entry in json.loads((BUILD / "compile_commands.json").read_text()) if "numjit_python.dir" in entry["output"]]
        own = next(entry for entry in entries if entry["file"].endswith("numpy_compat/python/calls/call.cpp"))
        words = shlex.split(own["command"])
        # Copies are found before the files of the tree, and nothing is optimised.
        self.compiler, self.options = words[0], [f"-I{folder}", *words[1:words.index("-o")], "-O0", f"-I{ROOT}/numpy_compat/python/calls"]
        with_piece("numpy_compat/functions.def", page.row, "\n#undef FUNCTION", folder / "functions.def")
        with_piece("numpy_compat/numjit/np_statistics.h", page.declaration, "}  // namespace numjit", folder / "numjit/np_statistics.h")
        sources = {"function": page.function, "body": BODY.format(page.body), "program": page.programs["cpp"]}
        for name, text in sources.items():
            (folder / f"{name}.cpp").write_text(text)
        objects = {name: self.compiled(folder / f"{name}.cpp") for name in sources}
        table = self.compiled(ROOT / "numpy_compat/python/calls/call.cpp")
        library = [f"-L{BUILD}/lib", "-lnumjit", f"-Wl,-rpath,{BUILD}/lib"]
        run([self.compiler, objects["program"], objects["function"], "-o", folder / "program", *library])
        shutil.copytree(BUILD / "python/numjit", folder / "python/numjit", ignore=shutil.ignore_patterns("_core.*.so", "__pycache__"))
        module = next((BUILD / "python/numjit").glob("_core.*.so"))
        kept = [BUILD / entry["output"] for entry in entries if entry is not own]
        run([self.compiler, "-shared", *kept, table, objects["body"], objects["function"],
             BUILD / "lib/static/libnanobind-static.a", "-o", folder / "python/numjit" / module.name, *library])

    def compiled(self, source):
        target = self.folder / f"{source.stem}.o"
        run([*([shutil.which("ccache")] if shutil.which("ccache") else []), self.compiler, *self.options, "-c", source, "-o", target])
        return target

    def python(self, text):
        return run([sys.executable, "-c", text], PYTHONPATH=str(self.folder / "python"))

    def outputs(self, page):
        return [run([self.folder / "program"]), self.python(page.programs["python"])]


class AddingAFunction(unittest.TestCase):
    def setUp(self):
        self.folder = BUILD / "adding_a_function"  # the same path every time: the compiler cache then helps
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.addCleanup(shutil.rmtree, self.folder)

    def test_page(self):
        page = Page()
        self.assertNotIn(f"({page.name},", (ROOT / "numpy_compat/functions.def").read_text(), "the page needs another example")
        built = Built(page, self.folder)
        outputs = built.outputs(page)
        if "--write" in sys.argv:
            page.write(outputs)
        else:
            self.assertEqual(outputs, [text for text, _ in page.outputs])
        built.python(AGAINST_NUMPY)

    def test_javascript(self):
        page = Page()
        with_piece("numpy_compat/numjit/np_statistics.h", page.declaration, "}  // namespace numjit", self.folder / "numjit/np_statistics.h")
        source = with_piece("wasm/core/analysis.cpp", page.javascript, 'row<"sinc">', self.folder / "analysis.cpp")
        with_piece("numpy_compat/functions.def", page.row, "\n#undef FUNCTION", self.folder / "functions.def")
        run([os.environ.get("CXX", "g++"), "-std=c++20", "-fsyntax-only", f"-I{self.folder}", f"-I{ROOT}/src", f"-I{ROOT}/numpy_compat",
             f"-I{ROOT}/wasm/core", source])


if __name__ == "__main__":
    unittest.main(argv=[a for a in sys.argv if a != "--write"])
