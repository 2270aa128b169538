"""Builds a wheel of a clean copy of the tree in pip's isolated environment; a program runs with it where the tree is hidden."""
# ctest: LABELS slow
# ctest: TIMEOUT 1800
# ctest: SKIP_RETURN_CODE 77
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

import namespaces

source, build = Path(os.environ["NUMJIT_SOURCE_DIR"]), Path(os.environ["NUMJIT_BUILD_DIR"])
PROGRAM = """
import numjit as np
np.config.compile = "sync"

@np.compile
def distance(x, y):
    return np.sqrt(((x - y) ** 2).sum(axis=1))

x = np.arange(6.0).reshape(2, 3)
print(distance(x, np.ones((2, 3))), np.counters().kernels_compiled > 0, np.__file__)
"""


def run(*command: object, **options) -> str:
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout[-6000:]}{done.stderr[-6000:]}")
    return done.stdout


def cached(name: str) -> str:
    """An entry of the build's CMake cache."""
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if line.startswith(name + ":"):
            return line.split("=", 1)[1]
    sys.exit(f"{name} is not in CMakeCache.txt")


def environment(folder: Path, *packages: str) -> Path:
    """The Python of a new virtual environment with packages."""
    run(getattr(sys, "_base_executable", sys.executable), "-m", "venv", folder)
    if packages:
        run(folder / "bin" / "pip", "install", "-q", "--disable-pip-version-check", *packages)
    return folder / "bin" / "python"


def tracked() -> list[str]:
    """The files of a clean clone, if all that is there were committed."""
    listed = run("git", "-C", source, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    return [name for name in listed if name and (source / name).is_file()]


def copy_tree(names: list[str], to: Path) -> None:
    for name in names:
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source / name, to / name, follow_symlinks=False)


def check_sdist(tree: Path, folder: Path, names: list[str]) -> None:
    """The source distribution has each file of the tree, so that a wheel of it is a wheel of the tree."""
    python = environment(folder / "backend", "scikit-build-core==1.1.2")
    code = f"import scikit_build_core.build as b; print(b.build_sdist({str(folder)!r}))"
    made = run(python, "-c", code, cwd=tree).splitlines()[-1]
    with tarfile.open(folder / made) as archive:
        there = {name.partition("/")[2] for name in archive.getnames()}
    missing = [name for name in names if name not in there]
    if missing:
        sys.exit(f"{made} lacks {len(missing)} files of the tree, as {missing[:5]}")


if not (build / "python" / "numjit").exists():
    print("no Python module in this build")
    sys.exit(namespaces.SKIPPED)
if not namespaces.allowed() and os.environ.get("NUMJIT_WHEEL_TEST") != "full":
    print("no mount namespace is allowed here, without which all is compiled again: NUMJIT_WHEEL_TEST=full does so")
    sys.exit(namespaces.SKIPPED)

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    tree, wheels, empty, cache = (folder / part for part in ("tree", "wheels", "empty", "cache"))
    tree.mkdir(), empty.mkdir()
    names = tracked()
    copy_tree(names, tree)
    check_sdist(tree, folder, names)
    # A Python that ./dev may have left there is none of the build's business.
    (tree / ".venv" / "bin").mkdir(parents=True)
    (tree / ".venv" / "bin" / "python").write_text("#!/bin/sh\nexit 1\n")
    (tree / ".venv" / "bin" / "python").chmod(0o755)
    pip = environment(folder / "builder").with_name("pip")
    # Where the tree stands in the place of this one, and its build folder in that of this build, the compiler's command
    # lines are those of this build, and ccache has the results.
    before = namespaces.in_place_of({source: tree, build: empty}, source) if namespaces.allowed() else ["env", "-C", str(tree)]
    start = time.monotonic()
    settings = f"--config-settings=build-dir={build if namespaces.allowed() else tree / 'build'}"
    compilers = {"CC": cached("CMAKE_C_COMPILER"), "CXX": cached("CMAKE_CXX_COMPILER")}
    run(*before, pip, "wheel", "-q", "--disable-pip-version-check", "-w", wheels, settings, ".", env={**os.environ, **compilers})
    print(f"wheel: {time.monotonic() - start:.0f} s, {sum(f.stat().st_size for f in wheels.glob('numjit*')) >> 20} MiB")
    user = environment(folder / "user")
    run(user, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-index", "--find-links", wheels, "numjit")
    for file in (tree, empty):
        shutil.rmtree(file)
    (folder / "program.py").write_text(PROGRAM)
    hidden = namespaces.hiding(source) if namespaces.allowed() else []
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "LD_", "NUMJIT_"))}
    out = run(*hidden, user, folder / "program.py", cwd=folder, env={**kept, "NUMJIT_CACHE_DIR": str(cache)})
    expected = f"[1.41421356 5.38516481] True {folder / 'user'}"
    if not out.startswith(expected):
        sys.exit(f"the program printed {out!r}, expected {expected!r} and a path in it")
print("built, installed into an empty environment and run")
