"""./dev test bits: identical bits by every way to a result.

Three suites of cases (tests/bits/suites.cpp): the op matrix with special values, reductions against their definition,
random programs. Each case runs eagerly, compiled and compiled without fusion, with 1, 2 and 7 threads, on C, Fortran,
strided and negative layouts in one process, and there is a process for each x86-64 level this machine has. Processes
compare their own ways; the digests of the cases are compared here. WebAssembly modules that ./dev build wasm made
do the same under Node, on one thread, with kernels made in the page. Where there is an OpenCL (on a CPU: pocl), kernels with GPU schedules are compared with
the eager results as well.
"""
import argparse
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(os.environ.get("NUMJIT_SOURCE_DIR", Path(__file__).resolve().parents[2]))
BUILD = Path(os.environ.get("NUMJIT_BUILD_DIR", ROOT / "build"))
PROGRAM = BUILD / "bin/tests/test_bits"
LEVELS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]
# Programs of ./dev build wasm, where they were built; Node 20 takes their files for pages without the option.
WASM = {f"wasm-{kind}": ["node", "--no-experimental-fetch", str(BUILD / "wasm" / kind / "bits.js")]
        for kind in ("simd", "scalar") if (BUILD / "wasm" / kind / "bits.js").exists() and shutil.which("node")}
SUITES = ["matrix", "reductions", "programs"]
SHOWN = 20  # differences printed


def options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev test bits", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=2000, help="random programs (2000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first program (1)")
    parser.add_argument("--suite", default=",".join(SUITES), help="comma list of matrix, reductions, programs")
    parser.add_argument("--every", type=int, default=1, help="only each so many-th case of matrix and reductions")
    parser.add_argument("--targets", default="", help="comma list of x86-64 levels, wasm-simd, wasm-scalar (all that are here)")
    parser.add_argument("--threads", default="1,2,7")
    parser.add_argument("--layouts", default="c,f,strided,negative")
    parser.add_argument("--no-opencl", action="store_true", help="without kernels for GPUs")
    parser.add_argument("--case", default="", help="only the case of this name")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time (one per core)")
    chosen = parser.parse_args(arguments)
    for suite in chosen.suite.split(","):
        if suite not in SUITES:
            parser.error(f"--suite: got {suite}, expected a comma list of {', '.join(SUITES)}")
    return chosen


class Run:
    def __init__(self, chosen: argparse.Namespace, folder: Path):
        self.chosen, self.folder = chosen, folder
        self.compiles = (BUILD / "lib/numjit_halide.so").exists()
        self.digests: dict[str, dict[str, str]] = {}  # case -> target -> digest
        self.suite_of: dict[str, str] = {}
        self.differences: list[str] = []
        self.counts: dict[str, int] = {}

    def tell(self, difference: str) -> None:
        self.differences.append(difference)
        if len(self.differences) <= SHOWN:
            print("DIFFERENT: " + difference, flush=True)

    def command(self, target: str, suite: str, *more: str) -> list[str]:
        c = self.chosen
        wasm = target in WASM
        engines = "eager,compiled,unfused" if self.compiles or wasm else "eager"
        every = "1" if suite == "programs" else str(c.every)
        command = [*WASM.get(target, [str(PROGRAM)]), "worker", "--suite", suite, "--engines", engines,
                   "--threads", "1" if wasm else c.threads,
                   "--layouts", c.layouts, "--seed", str(c.seed), "--programs", str(c.programs), "--every", every, *more]
        return command + (["--case", c.case] if c.case and "--case" not in more else [])

    def environment(self, target: str) -> dict[str, str]:
        # A folder of kernels for this run alone: kernels of an older code generator must not be taken for new ones.
        kept = {k: v for k, v in os.environ.items() if not k.startswith("NUMJIT_") or k in ("NUMJIT_BUILD_DIR", "NUMJIT_SOURCE_DIR")}
        return {**kept, "NUMJIT_TARGET": target, "NUMJIT_CACHE_DIR": str(self.folder / target)}

    def has(self, target: str) -> bool:
        if target in WASM:
            return True
        done = subprocess.run([str(PROGRAM), "worker", "--suite", "matrix", "--case", "none"], env=self.environment(target),
                              capture_output=True, text=True)
        if done.returncode not in (0, 3):
            sys.exit(f"bits: {PROGRAM} ends with {done.returncode}: {done.stderr}")
        return done.returncode == 0

    def work(self, target: str, suite: str, part: str) -> None:
        done = subprocess.run(self.command(target, suite, "--part", part), env=self.environment(target), capture_output=True,
                              text=True)
        for line in done.stdout.splitlines():
            kind, rest = line[:2], line[2:]
            if kind == "= ":
                case, digest = rest.rsplit("\t", 1)
                self.digests.setdefault(case, {})[target] = digest
                self.suite_of[case] = suite
            elif kind == "! ":
                case, way, text = rest.split("\t", 2)
                self.tell(f"{case}, {target}, {way}: " + text.replace("\\n", "\n    "))
            elif kind == "# ":
                words = rest.split()
                for name, count in zip(words[::2], words[1::2]):
                    self.counts[name] = self.counts.get(name, 0) + int(count)
        if done.returncode != 0:
            last = done.stdout.strip().splitlines()[-1:] or ["(nothing)"]
            self.tell(f"{suite} {part}, {target}: ended with status {done.returncode} after {last[0]}\n"
                                    f"    {done.stderr.strip()[-2000:]}")

    def opencl(self, target: str) -> str:
        """The op matrix and reductions through OpenCL, as test_halide_gen runs it; what to say about it."""
        program = BUILD / "bin/tests/test_halide_gen"
        if not self.compiles or not program.exists():
            return "OpenCL: not compared, built without the code generator"
        done = subprocess.run([str(program), "--gtest_filter=OpenCL.*EagerBits"], capture_output=True, text=True,
                              env={**self.environment(target), "BITS_EVERY": str(self.chosen.every)})
        said = [line for line in done.stdout.splitlines() if line.startswith(("OpenCL: ", "no OpenCL"))]
        if done.returncode != 0:
            self.tell(f"OpenCL: ended with status {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-2000:]}")
        return ", ".join(said) or "OpenCL: no result"

    def show(self, case: str, digests: dict[str, str]) -> str:
        """What differs between two processors: both run the case again and save its arrays."""
        import numpy as np
        first, second = min(digests), next(t for t in digests if digests[t] != digests[min(digests)])
        folders = []
        for target in (first, second):
            folders.append(self.folder / f"dump-{target}")
            shutil.rmtree(folders[-1], ignore_errors=True)
            subprocess.run(self.command(target, self.suite_of[case], "--case", case, "--dump", str(folders[-1])),
                           env=self.environment(target), capture_output=True)
        for path in sorted(folders[0].glob("out*.npy"), key=lambda p: int(p.stem[3:])):
            a, b = np.load(path), np.load(folders[1] / path.name)
            if a.dtype != b.dtype or a.shape != b.shape:
                return f"{case}: {path.stem} is {a.dtype}{a.shape} on {first}, {b.dtype}{b.shape} on {second}"
            x, y = (np.ascontiguousarray(v).reshape(-1) for v in (a, b))
            parts = f"u{x.itemsize // (2 if x.dtype.kind == 'c' else 1)}"
            wrong = x.view(parts) != y.view(parts)
            if x.dtype.kind in "fc":
                wrong &= ~(np.isnan(x.view(parts.replace("u", "f"))) & np.isnan(y.view(parts.replace("u", "f"))))
            if not wrong.any():
                continue
            i = int(wrong.argmax()) // (2 if x.dtype.kind == "c" else 1)
            text = f"{case}: {path.stem} {a.dtype}{a.shape} element {i}: {x[i]!r} on {first}, {y[i]!r} on {second}"
            for given in sorted(folders[0].glob("in*.npy")):
                v = np.load(given)
                if v.shape == a.shape:
                    text += f"; {v.dtype} {v.reshape(-1)[i]!r}"
            return text
        return f"{case}: results differ between {first} and {second}"

    def all(self) -> int:
        c = self.chosen
        start = time.monotonic()
        targets = [t for t in (c.targets.split(",") if c.targets else [*LEVELS, *WASM]) if self.has(t)]
        missing = [t for t in LEVELS if t not in targets]
        print(f"bits: {', '.join(targets)}" + (f" (not on this machine or not asked for: {', '.join(missing)})" if missing else ""))
        if not targets:
            sys.exit("bits: no such target on this machine")
        if not self.compiles:
            print("bits: built without the code generator: eager results only")
        # Parts of one suite meet at its kernels on disk; the long ones first.
        parts = 1 if c.case else 4
        jobs = [(target, suite, f"{k}/{parts}") for suite in reversed(c.suite.split(",")) for k in range(parts)
                for target in targets]
        with concurrent.futures.ThreadPoolExecutor(c.jobs) as pool:
            futures = {pool.submit(self.work, *job): job for job in jobs}
            for number, future in enumerate(concurrent.futures.as_completed(futures), 1):
                future.result()
                print(f"bits: {number} of {len(jobs)} pieces after {time.monotonic() - start:.0f} s", flush=True)
        asked = "matrix" in c.suite.split(",") and not c.case and not c.no_opencl
        said = self.opencl([t for t in targets if t not in WASM][-1]) if asked else "OpenCL: not asked for"
        print(f"bits: {said}")
        for case, digests in self.digests.items():
            if len(digests) < len(targets):
                continue  # its process ended early, which has been said
            if len(set(digests.values())) > 1:
                self.tell(self.show(case, digests) if len(self.differences) < SHOWN else case)
        if len(self.differences) > SHOWN:
            print(f"bits: {len(self.differences) - SHOWN} more differences are not shown")
        n = self.counts
        by_suite = ", ".join(f"{sum(s == suite for s in self.suite_of.values())} {suite}" for suite in c.suite.split(","))
        print(f"bits: {by_suite} (first seed {c.seed}); {n.get('runs', 0)} runs, {n.get('kernels', 0)} kernels compiled, "
              f"{n.get('loaded', 0)} loaded, {n.get('errors', 0) // max(1, len(targets))} cases with an error; "
              f"{len(self.differences)} differences; {time.monotonic() - start:.0f} s")
        if not self.digests:
            print("bits: nothing was compared")
            return 1
        return 1 if self.differences else 0


def main(arguments: list[str]) -> int:
    chosen = options(arguments)
    if not PROGRAM.exists():
        sys.exit(f"bits: {PROGRAM} has not been built")
    with tempfile.TemporaryDirectory(prefix="numjit_bits_") as folder:
        return Run(chosen, Path(folder)).all()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
