"""inspect.signature of every function: NumPy's, but for those whose difference has a reason in docs/python.md."""
import inspect
import os
import pathlib
import re
import unittest

import numpy
import numjit

ROOT = pathlib.Path(os.environ.get("NUMJIT_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
MODULES = {"": (numpy, numjit), **{f"{name}.": (getattr(numpy, name), getattr(numjit, name)) for name in ("linalg", "fft", "random")},
           "polynomial.": (numpy.polynomial.polynomial, numjit.polynomial.polynomial), "ndarray.": (numpy.ndarray, numjit.ndarray),
           "random.Generator.": (numpy.random.Generator, numjit.random.Generator)}


def text_of(function):
    try:
        return str(inspect.signature(function))
    except (ValueError, TypeError):
        return None


def differing():
    for prefix, (theirs, own) in MODULES.items():
        for name in dir(theirs):
            function, ours = getattr(theirs, name), getattr(own, name, None)
            if name.startswith("_") or ours is None or not callable(function):
                continue
            expected = text_of(function)
            if expected is not None and text_of(ours) != expected:
                yield prefix + name, expected, text_of(ours)


class Signatures(unittest.TestCase):
    def test_all(self):
        page = (ROOT / "docs/python.md").read_text().split("### Signatures\n")[1].split("\n#")[0]
        known = {name for row in re.findall(r"^\| (`.*?) \|", page, re.M) for name in re.findall(r"`([\w.]+)`", row)}
        found = {name: f"{name}\n   NumPy:  {theirs}\n   numjit: {own}" for name, theirs, own in differing()}
        self.assertEqual(set(found) - known, set(), "\n".join(found[n] for n in sorted(set(found) - known)))
        self.assertEqual(known - set(found), set(), "differ no more")
        self.assertLessEqual(page.count("\n| `"), 20)


if __name__ == "__main__":
    unittest.main()
