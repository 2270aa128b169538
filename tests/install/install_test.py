"""Installs the build, moves the prefix, and builds and runs a small project that says find_package(numjit)."""
# ctest: LABELS slow
# ctest: TIMEOUT 300
import os
import subprocess
import sys
import tempfile
from pathlib import Path

build = Path(os.environ["NUMJIT_BUILD_DIR"])
consumer = Path(__file__).resolve().parent / "consumer"
has_plug_in = (build / "lib" / "numjit_halide.so").exists()


def run(*command: object, **options) -> str:
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def cached(name: str) -> str:
    """An entry of the build's CMake cache."""
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if line.startswith(name + ":"):
            return line.split("=", 1)[1]
    sys.exit(f"{name} is not in CMakeCache.txt")


with tempfile.TemporaryDirectory() as folder:
    first, prefix, work = Path(folder) / "first", Path(folder) / "moved", Path(folder) / "work"
    cmake = cached("CMAKE_COMMAND")
    run(cmake, "--install", build, "--prefix", first)
    first.rename(prefix)  # the package must not remember where it was
    run(cmake, "-S", consumer, "-B", work, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={cached('CMAKE_MAKE_PROGRAM')}",
        f"-DCMAKE_CXX_COMPILER={cached('CMAKE_CXX_COMPILER')}", f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCONSUMER_COMPONENTS={'jit' if has_plug_in else ''}")
    run(cmake, "--build", work)
    environment = {**os.environ, "NUMJIT_CACHE_DIR": str(Path(folder) / "cache"), "NUMJIT_BUILD_DIR": ""}
    out = run(work / "consumer", env=environment)
    expected = "30\n30\n" + ("compiled\n" if has_plug_in else "eager\n")
    if out != expected:
        sys.exit(f"the consumer printed {out!r}, expected {expected!r}")
    wrong = subprocess.run([cmake, "-S", consumer, "-B", Path(folder) / "wrong", "-G", "Ninja",
                            f"-DCMAKE_PREFIX_PATH={prefix}", "-DCONSUMER_COMPONENTS=nonsense"],
                           capture_output=True, text=True)
    if wrong.returncode == 0 or "nonsense" not in wrong.stderr:
        sys.exit("find_package(numjit COMPONENTS nonsense) went through:\n" + wrong.stderr)
    program = prefix / "bin" / "numjit"
    if program.exists():
        run(program, "--help", env=environment)
print("installed, moved, found, built and run")
