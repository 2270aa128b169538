"""The harness of others' tests: what it swaps, that a file that crashes or hangs stops no other, and that tables only rise."""
# ctest: TIMEOUT 300
import importlib.util
import os
import sys
import tempfile
import textwrap
import types
import unittest
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
os.environ["OUTSIDE_SILENCE"] = "8"

import outside  # noqa: E402
import rules  # noqa: E402
import swapped  # noqa: E402

TABLE = """# words
# abcdef
numpy/a.py 10 2
numpy/b.py  3 0
left out dates 4
"""

FILE = '''
import os, time
import numpy as np
from numpy.testing import assert_array_equal
import pytest

broken = np.ones(2).astype(object)

def test_ours():
    assert type(np.ones(3)).__module__ == "numjit"
    assert_array_equal(np.arange(3) * 2, [0, 2, 4])

def test_fails():
    assert_array_equal(np.arange(3), [0, 1, 3])

def test_uses_what_could_not_be_made():
    broken.sum()

@pytest.mark.parametrize("x", [1, 2, np.nothing])
def test_parameters_that_could_not_be_made(x):
    pass

def test_crashes():
    os.abort()

def test_hangs():
    time.sleep(1000)

@pytest.mark.skip
def test_skipped():
    pass

def test_left_out():
    np.array(["text"])

def test_behind():
    pass
'''


def executed(text):
    """The names of a file after it was read, rewritten."""
    module = types.ModuleType("read")
    exec(compile(swapped.rewritten(textwrap.dedent(text)), "read", "exec"), vars(module))
    return module


class Tables(unittest.TestCase):
    def test_fewer_that_pass_are_a_complaint(self):
        counts = {"numpy/a.py": Counter(passed=9, failed=3), "numpy/b.py": Counter(passed=4)}
        self.assertEqual(outside.complaints(TABLE, counts, {"dates": 4}), ["numpy/a.py: 9 tests pass, 10 did"])
        self.assertEqual(outside.complaints(TABLE, {"numpy/a.py": Counter(passed=10)}, {}), ["numpy/b.py: 0 tests pass, 3 did"])

    def test_more_left_out_is_a_complaint(self):
        counts = {"numpy/a.py": Counter(passed=10), "numpy/b.py": Counter(passed=3)}
        self.assertEqual(outside.complaints(TABLE, counts, {"dates": 5, "new": 1}),
                         ["left out for dates: 5 tests, 4 were: left_out.txt may only shrink",
                          "left out for new: 1 tests, 0 were: left_out.txt may only shrink"])
        self.assertEqual(outside.complaints(TABLE, counts, {"dates": 3}), [])

    def test_what_is_written_is_read(self):
        counts = {"numpy/a.py": Counter(passed=10, failed=2), "numpy/c.py": Counter({"left out": 3})}
        text = outside.table_text("numpy", counts, {"dates": 4}, "abcdef")
        self.assertEqual(outside.read_table(text), ({"numpy/a.py": 10}, {"dates": 4}, "abcdef"))

    def test_tables_of_the_tree(self):
        known = {cause + end for cause, _ in rules.read().rules for end in ("", " (files)")}
        for judge in outside.JUDGES:
            files, causes, inputs = outside.read_table(outside.table_of(judge).read_text())
            self.assertGreater(sum(files.values()), {"numpy": 24000, "array_api_strict": 750}[judge])
            self.assertLessEqual(set(causes), known)
            self.assertRegex(inputs, "^[0-9a-f]{64}$")


class LeftOut(unittest.TestCase):
    def test_conditions_hold_together(self):
        table = rules.Rules("dates | file datetime | test x$\nothers | why left out")
        self.assertEqual(table.cause("test_datetime.py", "test_x", "", ""), "dates")
        self.assertIsNone(table.cause("test_datetime.py", "test_y", "", ""))
        self.assertEqual(table.cause("test_y.py", "test_y", "", "data type 'x' is left out"), "others")

    def test_rules_that_leave_out_everything(self):
        with self.assertRaisesRegex(ValueError, r"left_out.txt:2: got a cause without a condition, expected ` \| file`"):
            rules.Rules("# words\ndates")
        with self.assertRaisesRegex(ValueError, "left_out.txt:1: got 'name x', expected one of file, test, source, why and a pattern"):
            rules.Rules("dates | name x")


class Imports(unittest.TestCase):
    def test_each_form(self):
        import numjit
        import numpy
        made = executed('''
            """Words."""
            from __future__ import annotations
            import os, numpy as np, numpy
            import numpy.linalg as la, numpy._core.umath as ncu
            from numpy import sin as s, float32
            from numpy.testing import assert_equal, IS_PYPY
            from numpy._core._multiarray_tests import internal_overlap
            def f():
                from numpy.linalg import solve
                return solve
        ''')
        self.assertIs(made.np.cos, numjit.cos)
        self.assertIs(made.numpy, made.np)
        self.assertIs(made.la, numjit.linalg)
        self.assertIs(made.ncu.add, numjit.add)
        self.assertIs(made.s, numjit.sin)
        self.assertIs(made.float32, numjit.float32)
        self.assertIs(made.f(), numjit.linalg.solve)
        self.assertIs(made.os, os)
        self.assertFalse(made.IS_PYPY)
        self.assertIs(made.internal_overlap, numpy._core._multiarray_tests.internal_overlap)
        with self.assertRaisesRegex(AssertionError, r"DESIRED: array\(2\)"):
            made.assert_equal(numjit.array(1), 2)

    def test_what_numjit_lacks_is_missing(self):
        made = executed("import numpy as np\nfrom numpy._core import _nothing\nx = np.nothing")
        with self.assertRaisesRegex(AttributeError, "module 'numjit' has no attribute 'nothing'"):
            made.np.nothing
        with self.assertRaisesRegex(AttributeError, "module 'numjit' has no attribute 'nothing'"):
            made.x()
        with self.assertRaisesRegex(AttributeError, "numjit has no numpy._core._nothing"):
            made._nothing()


@unittest.skipUnless(importlib.util.find_spec("pytest") and importlib.util.find_spec("hypothesis"), "pytest is not installed")
class Files(unittest.TestCase):
    def test_one_that_crashes_and_hangs(self):
        with tempfile.TemporaryDirectory() as folder:
            package = Path(folder) / "numpy"
            (package / "tests").mkdir(parents=True)
            (package / "tests" / "test_it.py").write_text(FILE)
            outside.WORK = Path(folder) / "work"
            for name in ("cwd", "results"):
                (outside.WORK / name).mkdir(parents=True)
            self.assertEqual(swapped.make_copies(package, outside.WORK), ["numpy/tests/test_it.py"])
            ended = outside.run_file("numpy/tests/test_it.py", False)
        outcomes = {test: record["outcome"] for test, record in ended.items()}
        self.assertEqual(outcomes, {
            "test_ours": "passed", "test_fails": "failed", "test_uses_what_could_not_be_made": "left out",
            "test_parameters_that_could_not_be_made[None]": "failed", "test_crashes": "failed", "test_hangs": "failed",
            "test_skipped": "skipped", "test_left_out": "left out", "test_behind": "passed"})
        self.assertEqual(ended["test_crashes"]["why"], "its process ended: -6")
        self.assertEqual(ended["test_hangs"]["why"], "its process ended: no word")
        self.assertEqual(ended["test_left_out"]["cause"], "string dtypes")


if __name__ == "__main__":
    unittest.main()
