# ctest: LABELS slow
"""Every float function of the vocabulary that a loop applies to arrays must be vectorised by g++.

Nothing else would tell: a function that stops being vectorised gives the same bits, two to three times slower.
"""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
UNARY = """absolute sign square sqrt reciprocal floor ceil trunc rint exp exp2 expm1 log log2 log10 log1p arcsin
arccos arctan sinh cosh tanh arcsinh arccosh arctanh cbrt degrees radians erf erfc gamma
gammaln""".split()
TAME = "sin cos tan".split()
TAME_BINARY = "fmod remainder floor_divide".split()
BINARY = """add subtract multiply divide maximum minimum fmax fmin power arctan2 hypot logaddexp logaddexp2 copysign
heaviside nextafter""".split()
PREDICATES = "less less_equal equal not_equal greater".split()
# SSE has no shifts of each element by another number.
UNSHIFTED = {f"{name} of double" for name in TAME_BINARY}
LEVELS = {"v2": 16, "v3": 32, "v4": 64}


def source():
    """One loop a line, so that the compiler's notes name the function by its line."""
    lines = ["#include <numjit/ops/math/vocabulary.h>"]
    names = {}

    def loop(name, element, result, expression):
        names[len(lines) + 1] = f"{name} of {element}"
        lines.append(f"void {name}_{element}(const {element}* __restrict a, const {element}* __restrict b, "
                     f"{result}* __restrict r) {{ for (int i = 0; i < 4096; ++i) r[i] = {expression}; (void)b; }}")

    for t in ("float", "double"):
        for n in UNARY:
            loop(n, t, t, f"numjit::m::{n}(a[i])")
        for n in TAME:
            loop(n, t, t, f"numjit::m::{n}(numjit::m::tame<{t}>{{a[i]}})")
        for n in TAME_BINARY:
            loop(n, t, t, f"numjit::m::{n}(numjit::m::tame<{t}>{{a[i]}}, b[i])")
        for n in BINARY:
            loop(n, t, t, f"numjit::m::{n}(a[i], b[i])")
        for n in PREDICATES:
            loop(n, t, "bool", f"numjit::m::{n}(a[i], b[i])")
    for n in TAME_BINARY:  # of 64-bit integers, by way of doubles
        loop(n, "long", "long", f"numjit::m::{n}(numjit::m::tame<long>{{a[i]}}, b[i])")
    return "\n".join(lines) + "\n", names


def main():
    text, names = source()
    missing = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "loops.cpp")
        with open(path, "w") as f:
            f.write(text)
        for level, width in LEVELS.items():
            command = ["g++", "-std=c++20", "-O3", f"-march=x86-64-{level}", "-mprefer-vector-width=512",
                       "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-I", os.path.join(ROOT, "src"),
                       "-fopt-info-vec", "-c", path, "-o", os.path.join(folder, "loops.o")]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            found = set()
            for note in done.stderr.splitlines():
                if note.startswith(path) and f"loop vectorized using {width} byte vectors" in note:
                    found.add(int(note.split(":")[1]))
            missing += [f"{names[line]} is not vectorised at x86-64-{level}" for line in names
                        if line not in found and not (level == "v2" and names[line] in UNSHIFTED)]
    print("\n".join(missing) or f"{len(names)} loops, all vectorised at {', '.join(LEVELS)}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
