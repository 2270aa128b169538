"""Every C++ block of README.md, docs/*.md and docs/tutorials compiles; one followed by an output block prints just that.

The pages of docs/breaks are made of programs that generated_test.py runs. A block is a fence that says `cpp`. Without `int main(` it is the inside of a main in which an error that escapes is
printed. A fence that says `cpp fragment` shows part of something and is left alone.
"""
# ctest: TIMEOUT 900
import concurrent.futures
import os
import sys
import unittest

from harness import ROOT, Failed, masked, output_of

sys.path.insert(0, str(ROOT / "tests" / "support"))
from blocks import blocks  # noqa: E402

ELSEWHERE = {"adding_an_op.md", "adding_a_function.md"}  # rows have to be added to tables first: tests/ops and tests/python build these


def check(where: str, code: str, expected: str | None) -> str:
    """What is wrong with a block; empty if nothing is."""
    try:
        printed = output_of(code)
    except Failed as failure:
        return f"{where}: {failure}"
    if expected is not None and masked(printed) != masked(expected):
        return f"{where}: printed\n{printed}\ninstead of\n{expected}"
    return ""


class Blocks(unittest.TestCase):
    def test_all(self):
        pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/tutorials").glob("*.md"))]
        pages = [page for page in pages if page.name not in ELSEWHERE]
        jobs = [(f"{page.relative_to(ROOT)}:{line}", code, expected)
                for page in pages for line, code, expected in blocks(page.read_text(), "cpp")]
        self.assertGreater(sum(expected is not None for _, _, expected in jobs), 5)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            wrong = [text for text in pool.map(lambda job: check(*job), jobs) if text]
        self.assertFalse(wrong, "\n\n".join(wrong))

    def test_the_check_finds_faults(self):
        text = "```cpp\nstd::cout << np::arange(3);\n```\n\n```output\n[0 1 2]\n```\n```cpp fragment\n???\n```\n"
        [(line, code, expected)] = blocks(text, "cpp")
        self.assertEqual((line, expected), (2, "[0 1 2]\n"))
        self.assertEqual(check("page", code, expected), "")
        self.assertIn("instead of", check("page", code, "[0 1 3]\n"))
        self.assertIn("does not compile", check("page", "std::cout << np::nonsense(3);", None))


if __name__ == "__main__":
    sys.exit(unittest.main())
