"""What the tests of packages share: commands that have to succeed, new environments, a program in them, the files of the tree."""
import os
import subprocess
import sys
import tarfile
from pathlib import Path

PROGRAM = """
import numjit as np
np.config.compile = "sync"

@np.compile
def distance(x, y):
    return np.sqrt(((x - y) ** 2).sum(axis=1))

x = np.arange(6.0).reshape(2, 3)
square = np.ones((300, 300))
print((square @ square).sum(), np.linalg.solve(np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([3.0, 5.0])))
print(distance(x, np.ones((2, 3))), np.counters().kernels_compiled > 0, np.__file__)
print(*sorted({line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}), sep="\\n")
"""


def run(*command: object, **options) -> str:
    """What it prints; the test ends with all that it said where it fails."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout[-6000:]}{done.stderr[-6000:]}")
    return done.stdout


def cached(build: Path, name: str) -> str:
    """An entry of the build's CMake cache."""
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if line.startswith(name + ":"):
            return line.split("=", 1)[1]
    sys.exit(f"{name} is not in CMakeCache.txt")


def environment(folder: Path, *packages: str, base: str | Path = getattr(sys, "_base_executable", sys.executable)) -> Path:
    """The Python of a new virtual environment with packages."""
    run(base, "-m", "venv", folder)
    if packages:
        run(folder / "bin" / "pip", "install", "-q", "--disable-pip-version-check", *packages)
    return folder / "bin" / "python"


def compute(python: Path, folder: Path, hidden: tuple = (), **settings: str) -> list[str]:
    """Runs a program of an environment with numjit in it, whose kernel cache is empty; the libraries that are loaded at its end."""
    (folder / "program.py").write_text(PROGRAM)
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "LD_", "NUMJIT_"))}
    set_by = ["env", f"NUMJIT_CACHE_DIR={folder / 'cache'}", *(f"{name}={value}" for name, value in settings.items())]
    products, result, *libraries = run(*hidden, *set_by, python, folder / "program.py", cwd=folder, env=kept).splitlines()
    expected = f"[1.41421356 5.38516481] True {python.parents[1]}"
    if products != "27000000.0 [0.8 1.4]" or not result.startswith(expected):
        sys.exit(f"the program printed {products!r} and {result!r}, expected '27000000.0 [0.8 1.4]', {expected!r} and a path in it")
    return libraries


def tracked(source: Path) -> list[str]:
    """The files of a clean clone, if all that is there were committed."""
    listed = run("git", "-C", source, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    return [name for name in listed if name and (source / name).is_file()]


def check_sdist(archive: Path, names: list[str]) -> None:
    """The source distribution has each file of the tree, so that a wheel of it is a wheel of the tree."""
    with tarfile.open(archive) as opened:
        there = {name.partition("/")[2] for name in opened.getnames()}
    missing = [name for name in names if name not in there]
    if missing:
        sys.exit(f"{archive.name} lacks {len(missing)} files of the tree, as {missing[:5]}")
