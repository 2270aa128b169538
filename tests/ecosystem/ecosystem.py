"""numjit among other libraries: ./dev test ecosystem.

The rows of rows.py, whose table stands in docs/python.md (--write writes it); the programs of docs/scaling.md that need a library; the
notebooks of docs/notebooks. What is not installed is skipped, and said.
"""
import contextlib
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy
import numjit
from rows import ROWS

ROOT = Path(os.environ.get("NUMJIT_SOURCE_DIR", Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(ROOT / "tests" / "support"))
from blocks import blocks  # noqa: E402

MARKS = ("<!-- libraries: written by tests/ecosystem/ecosystem.py --write -->\n", "<!-- end of libraries -->")
MODULES = {"scikit-learn": "sklearn", "pillow": "PIL"}


def pinned():
    """Package -> version, as .dev/requirements has them."""
    folder = ROOT / ".dev" / "requirements"
    return dict(re.findall(r"^([\w.-]+)==(\S+)$", "\n".join((folder / f"{name}.txt").read_text() for name in ("base", "ecosystem", "torch")),
                           re.MULTILINE))


def table():
    versions, text = pinned(), "| Library | | Works with arrays as they are | Takes `numpy.asarray(a)` |\n|---|---|---|---|\n"
    for row in ROWS:
        text += f"| {row.library} | {versions[row.package]} | {row.what} | {row.through} |\n"
    return text


def page_with_table():
    text = (ROOT / "docs" / "python.md").read_text()
    head, rest = text.split(MARKS[0])
    return text, head + MARKS[0] + table() + MARKS[1] + rest.split(MARKS[1])[1]


def assert_same(theirs, ours, where):
    """Values, dtypes and shapes of what a row gave with NumPy's arrays and with numjit's."""
    if isinstance(theirs, (tuple, list)):
        assert type(theirs) is type(ours) and len(theirs) == len(ours), where
        for at, (a, b) in enumerate(zip(theirs, ours)):
            assert_same(a, b, f"{where}[{at}]")
    elif isinstance(theirs, (str, bytes, bool)):
        assert theirs == ours, f"{where}: {ours!r} instead of {theirs!r}"[:500]
    else:
        a, b = numpy.asarray(theirs), numpy.asarray(ours)
        assert (a.dtype, a.shape) == (b.dtype, b.shape), f"{where}: {b.dtype}{b.shape} instead of {a.dtype}{a.shape}"
        numpy.testing.assert_allclose(b, a, rtol=1e-6, atol=1e-9, err_msg=where)


class Libraries(unittest.TestCase):
    def test_rows(self):
        for row in ROWS:
            with self.subTest(row.run.__name__):
                if importlib.util.find_spec(MODULES.get(row.package, row.package)) is None:
                    self.skipTest(f"{row.package} is not installed")
                assert_same(row.run(numpy), row.run(numjit), row.run.__name__)

    def test_the_comparison_finds_faults(self):
        for theirs, ours in [((1, 2), (1, 3)), (numpy.zeros(2), numjit.zeros(3)), (numpy.zeros(2), numjit.zeros(2, numjit.float32)), (b"a", b"b"),
                             ([1], (1,)), ("a", "b")]:
            with self.assertRaises(AssertionError):
                assert_same(theirs, ours, "")

    def test_table(self):
        there, wanted = page_with_table()
        self.assertEqual(there, wanted, "tests/ecosystem/ecosystem.py --write writes the table of docs/python.md")


class Scaling(unittest.TestCase):
    """Blocks `python libraries` of docs/scaling.md: those that name a file are written, and run if they print something."""

    def test_page(self):
        ran = 0
        with tempfile.TemporaryDirectory() as folder:
            for line, code, expected in blocks((ROOT / "docs" / "scaling.md").read_text(), "python libraries"):
                name = re.match(r"# (\w+\.py)\n", code).group(1)
                Path(folder, name).write_text(code)
                if expected is not None:
                    done = subprocess.run([sys.executable, "-W", "ignore", name], cwd=folder, capture_output=True, text=True, timeout=120)
                    self.assertEqual((done.stdout, done.returncode), (expected, 0), f"line {line}: {done.stderr[-3000:]}")
                    ran += 1
        self.assertGreaterEqual(ran, 3)


class Notebooks(unittest.TestCase):
    """Those of docs/notebooks run from top to bottom; arrays and reports in them are shown as HTML."""

    def test_notebooks(self):
        import nbformat
        from nbclient import NotebookClient
        notebooks = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
        self.assertGreaterEqual(len(notebooks), 2)
        shown = ""
        for path in notebooks:
            with self.subTest(path.name), tempfile.TemporaryDirectory() as folder:
                notebook = nbformat.read(path, as_version=4)
                self.assertFalse(any(cell.get("outputs") for cell in notebook.cells), "notebooks are kept without what they print")
                NotebookClient(notebook, timeout=120, resources={"metadata": {"path": folder}}).execute()
                outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
                shown += "".join(output.get("data", {}).get("text/html", "") for output in outputs)
        for part in ("<table>", "<iframe srcdoc=", 'src="data:image/png;base64,'):
            self.assertIn(part, shown)


def main():
    if "--write" in sys.argv:
        (ROOT / "docs" / "python.md").write_text(page_with_table()[1])
        return
    with contextlib.suppress(ImportError):
        import matplotlib
        matplotlib.use("Agg")
    unittest.main()


if __name__ == "__main__":
    main()
