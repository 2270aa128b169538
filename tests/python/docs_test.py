"""Every Python block of README.md, docs/*.md and docs/tutorials runs; one followed by an output block prints just that."""
import contextlib
import io
import linecache
import os
import sys
import unittest
from pathlib import Path

from differential import describe  # puts the built module on the path

ROOT = Path(os.environ.get("NUMJIT_SOURCE_DIR", Path(__file__).parents[2]))
sys.path.insert(0, str(ROOT / "tests" / "support"))
from blocks import blocks  # noqa: E402


def output_of(code, name):
    """What a program prints."""
    printed = io.StringIO()
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)  # np.vectorize reads the source of functions
    with contextlib.redirect_stdout(printed):
        exec(compile(code, name, "exec"), {"__name__": "__main__"})
    return printed.getvalue()


class Blocks(unittest.TestCase):
    def test_all(self):
        found = 0
        # adding_a_function_test.py builds what that page adds
        pages = [page for page in sorted((ROOT / "docs").glob("*.md")) if page.name != "adding_a_function.md"]
        for page in [ROOT / "README.md", *pages, *sorted((ROOT / "docs/tutorials").glob("*.md"))]:
            for line, code, expected in blocks(page.read_text(), "python"):
                found += 1
                with self.subTest(f"{page.name}:{line}"):
                    printed = output_of(code, f"{page.name}:{line}")
                    if expected is not None:
                        self.assertEqual(printed, expected)
        self.assertGreaterEqual(found, 4)

    def test_the_check_finds_faults(self):
        [(line, code, expected)] = blocks("text\n```python\nprint(1)\n```\n\n```output\n2\n```\n", "python")
        self.assertEqual((line, expected), (3, "2\n"))
        self.assertNotEqual(output_of(code, "x"), expected)
        self.assertEqual(describe(3), "3")


if __name__ == "__main__":
    unittest.main()
