"""A fixed part of ./dev test bits, and that the comparison finds what is different."""
# ctest: TIMEOUT 300
import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import bits  # noqa: E402


class SameBits(unittest.TestCase):
    def test_a_part_of_all_suites(self):
        # Kernels of the full run take minutes to compile: other seeds and all cases are ./dev test bits.
        self.assertEqual(bits.main(["--programs", "6", "--seed", "5000", "--every", "457", "--threads", "1,7", "--no-opencl",
                                    "--targets", "x86-64-v2,x86-64-v4"]), 0)

    def test_a_difference_is_found(self):
        chosen = bits.options(["--suite", "matrix", "--targets", "x86-64-v2,x86-64-v3"])
        run = bits.Run(chosen, Path(os.devnull))
        run.digests = {"add ff": {"x86-64-v2": "1", "x86-64-v3": "2"}}
        run.has = lambda target: True
        run.work = lambda *job: None
        run.opencl = lambda target: ""
        run.show = lambda case, digests: f"{case} differs"
        self.assertEqual(run.all(), 1)
        self.assertEqual(run.differences, ["add ff differs"])


if __name__ == "__main__":
    unittest.main()
