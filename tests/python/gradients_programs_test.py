"""Each Python program of docs/programs/gradients: it converges, and compiled it gives the same bits, without kernels and with them."""
import importlib
import os
import sys
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("NUMJIT_SOURCE_DIR", Path(__file__).resolve().parents[2]))
BUILD = Path(os.environ.get("NUMJIT_BUILD_DIR", ROOT / "build"))
FOLDER = ROOT / "docs" / "programs" / "gradients"
sys.path[:0] = [str(BUILD / "python"), str(FOLDER)]

import numpy  # noqa: E402
import numjit as np  # noqa: E402


def same_bits(a, b) -> bool:
    a, b = numpy.asarray(a), numpy.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


class Programs(unittest.TestCase):
    def test_all(self):
        names = sorted(path.stem for path in FOLDER.glob("*.py"))
        self.assertGreaterEqual(len(names), 16)
        for name in names:
            with self.subTest(program=name):
                module = importlib.import_module(name)
                eager = module.run(*module.inputs())
                module.check(*eager)
                compiled = np.compile(module.run, name=name)
                for call in ("first", "second", "third"):
                    got = compiled(*module.inputs())  # made anew: programs may draw from a generator among them
                    for i, (one, other) in enumerate(zip(got, eager, strict=True)):
                        self.assertTrue(same_bits(one, other), f"result {i} of the {call} call")
                    np.wait_for_compiles()


if __name__ == "__main__":
    unittest.main()
