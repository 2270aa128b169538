"""Every Python block of README.md and docs/*.md runs; one followed by an output block prints just that."""
import contextlib
import io
import os
import re
import unittest
from pathlib import Path

from differential import describe  # puts the built module on the path

ROOT = Path(os.environ.get("NUMJIT_SOURCE_DIR", Path(__file__).parents[2]))
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)


def blocks(text):
    """(line, code, expected output or None) of each Python block."""
    fences = list(FENCE.finditer(text))
    for at, fence in enumerate(fences):
        if fence.group(1).strip() != "python":
            continue
        after = fences[at + 1] if at + 1 < len(fences) else None
        expected = None
        if after and after.group(1).strip() == "output" and not text[fence.end():after.start()].strip():
            expected = after.group(2)
        yield text.count("\n", 0, fence.start()) + 2, fence.group(2), expected


def output_of(code, name):
    """What a program prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, name, "exec"), {"__name__": "__main__"})
    return printed.getvalue()


class Blocks(unittest.TestCase):
    def test_all(self):
        found = 0
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
            for line, code, expected in blocks(page.read_text()):
                found += 1
                with self.subTest(f"{page.name}:{line}"):
                    printed = output_of(code, f"{page.name}:{line}")
                    if expected is not None:
                        self.assertEqual(printed, expected)
        self.assertGreaterEqual(found, 4)

    def test_the_check_finds_faults(self):
        [(line, code, expected)] = blocks("text\n```python\nprint(1)\n```\n\n```output\n2\n```\n")
        self.assertEqual((line, expected), (3, "2\n"))
        self.assertNotEqual(output_of(code, "x"), expected)
        self.assertEqual(describe(3), "3")


if __name__ == "__main__":
    unittest.main()
