"""No eager loop calls libm: its functions differ from library to library, and so would the bits.

Looks at the undefined symbols of the loops' object files, of every instruction set that was built. Kernels:
tests/halide_gen/no_libm_test.cpp.
"""
import functools
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("NUMJIT_BUILD_DIR", ROOT / "build"))
FLAGS = ["-std=c++20", "-O3", "-march=x86-64-v3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math",
         "-I", str(ROOT / "src")]


def symbols(option: str, path) -> set[str]:
    text = subprocess.run(["nm", *option.split(), str(path)], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in text.splitlines() if line.strip() and not line.endswith(":")}


@functools.cache
def libm() -> set[str]:
    """Every function that libm and libmvec export."""
    names = set()
    for library in ("libm.so.6", "libmvec.so.1"):
        path = subprocess.run(["g++", f"-print-file-name={library}"], capture_output=True, text=True).stdout.strip()
        if os.path.isabs(path) and os.path.exists(path):
            names |= symbols("-D --defined-only", path)
    return {name for name in names if not name.startswith("GLIBC") and not name.startswith("_dl")}


def calls_of_libm(path) -> set[str]:
    return symbols("-u", path) & libm()


class NoLibm(unittest.TestCase):
    def test_libm_is_known(self):
        self.assertTrue({"exp", "sinf", "pow", "fmod", "floor", "nearbyintf", "lgamma_r"} <= libm())

    def test_eager_loops(self):
        folders = sorted(BUILD.glob("CMakeFiles/numjit_loops_*.dir"))
        self.assertNotEqual(folders, [], f"no loops were built in {BUILD}")
        for folder in folders:
            objects = sorted(folder.rglob("*.o"))
            self.assertGreaterEqual(len(objects), 15, folder)
            for path in objects:
                with self.subTest(path.relative_to(BUILD)):
                    self.assertEqual(calls_of_libm(path), set())

    def test_a_call_is_found(self):
        """The checker sees a call that someone adds to a loop, and no call in the vocabulary's own exp."""
        loop = "void f(const double* a, double* r) {{ for (int i = 0; i < 999; ++i) r[i] = {}; }}\n"
        with tempfile.TemporaryDirectory() as folder:
            for expression, expected in (("numjit::m::exp(a[i])", set()), ("numjit::m::exp(a[i]) + std::exp(a[i])", {"exp"}),
                                         ("numjit::m::fmod(a[i], a[0])", set()), ("std::fmod(a[i], a[0])", {"fmod"}),
                                         ("std::floor(a[i])", set()), ("std::lgamma(a[i])", {"lgamma"})):
                source = Path(folder) / "loop.cpp"
                source.write_text("#include <cmath>\n#include <numjit/ops/math/vocabulary.h>\n" + loop.format(expression))
                subprocess.run(["g++", *FLAGS, "-c", source, "-o", source.with_suffix(".o")], check=True)
                self.assertEqual(calls_of_libm(source.with_suffix(".o")), expected, expression)


if __name__ == "__main__":
    unittest.main()
