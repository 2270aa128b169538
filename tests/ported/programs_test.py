"""Each Python program of docs/programs, eager, compiled and called again, against NumPy; graphs and breaks counted."""
# ctest: TIMEOUT 900
import sys
import unittest

import numpy as np

from programs import BUILD, FOLDER, GOLDEN, golden_arrays, load, names, results, table

sys.path.insert(0, str(BUILD / "python"))
import numjit as nj  # noqa: E402


def near(got, wanted) -> bool:
    """Integers and truth values are equal; others within a part of the largest element."""
    if got.dtype != wanted.dtype or got.shape != wanted.shape:
        return False
    if wanted.dtype.kind not in "fc":
        return np.array_equal(got, wanted)
    part = 2e-5 if wanted.dtype in (np.float32, np.complex64) else 1e-10
    return np.allclose(got, wanted, rtol=0, atol=part * np.max(np.abs(wanted), initial=0))


def same_bits(a, b) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def as_numpy(found) -> list:
    return [np.asarray(x) for x in found]


class Programs(unittest.TestCase):
    def test_all(self):
        # Kernels are shared with the tests of the C++ programs, which may run at the same time from the other end.
        nj.config.cache_dir = str(BUILD / "test_cache" / "ported" / "shared")
        nj.config.compile = "sync"
        counts = table()
        for name in reversed(names()):
            with self.subTest(program=name):
                module = load(name, nj)
                with np.errstate(all="ignore"):
                    wanted = as_numpy(results(load(name, np)))
                eager = as_numpy(results(module))
                self.assertEqual(len(eager), len(wanted))
                for i, (got, want) in enumerate(zip(eager, wanted)):
                    self.assertTrue(near(got, want), f"result {i}: got {got!r}, NumPy gave {want!r}")
                fast = nj.compile(module.run, name=name)
                for call in ("first", "second"):
                    for i, (got, want) in enumerate(zip(as_numpy(results(module, fast)), eager, strict=True)):
                        self.assertTrue(same_bits(got, want), f"result {i} of the {call} call")
                report = nj.explain(fast)(*module.inputs())
                self.assertEqual((report.graph_count, report.graph_break_count), counts[name], str(report))

    def test_goldens_are_what_numpy_gives(self):
        made = golden_arrays(np)
        with np.load(GOLDEN) as stored:
            self.assertEqual(sorted(stored.files), sorted(made), "run tests/ported/programs.py")
            for name, array in made.items():
                self.assertTrue(near(stored[name], array), f"{name}: run tests/ported/programs.py")

    def test_in_both_languages(self):
        self.assertEqual(names(), sorted(path.stem for path in FOLDER.glob("*.cpp")))
        self.assertEqual(names(), sorted(table()))
        self.assertGreaterEqual(len(names()), 30)


if __name__ == "__main__":
    unittest.main()
