"""Expressions that mean the same in both libraries: results compared by their text, errors by class and text."""
import re
import unittest
import warnings

import numpy

from differential import nj


def outcome(expression, module):
    """What an expression of `np` gives, as text. Classes of errors that NumPy keeps to itself count as their bases."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return repr(eval(expression, {"np": module})).replace("numjit.", "numpy.")
    except Exception as e:
        text = re.sub(r"^\[\w+\] ", "", str(e)).strip().replace("numjit.", "numpy.")
        kind = next(t for t in type(e).__mro__ if not t.__module__.startswith("numpy._core"))
        return f"{kind.__name__}: {text}"


class ByText(unittest.TestCase):
    """Base of tests that hold tables of expressions, one a line."""

    def check(self, table):
        wrong, count = [], 0
        for expression in table.strip().split("\n"):
            count += 1
            ours, theirs = (outcome(expression, m) for m in (nj, numpy))
            if ours != theirs:
                wrong.append(f"{expression}\n  numjit: {ours}\n  NumPy:  {theirs}")
        self.assertGreater(count, 20)
        if wrong:
            self.fail("\n".join(wrong))
