"""Wheels for each CPython 3.10 to 3.13 of this machine, and the source distribution: wheels.py BUILD WORK PACKAGES.

The wheel of the Python that runs this lies in PACKAGES, so that `pip install PACKAGES/*.whl` means it; those of other versions lie
in a folder below.
The wheels of all versions are made in one build folder, WORK/wheel, so that the core is compiled once. Where mount namespaces are
allowed it stands in the place of BUILD: the compiler's command lines are those of that build, and ccache has the results.
"""
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "install"))
import namespaces  # noqa: E402
from commands import cached, environment, run  # noqa: E402
from licences import copyrights  # noqa: E402

BACKEND = re.search(r"scikit-build-core==[\d.]+", (ROOT / "pyproject.toml").read_text())[0]
VERSIONS = ("3.10", "3.11", "3.12", "3.13")
# Libraries that wheels find elsewhere: Halide's in its own wheel, MPI's where the user has one.
ELSEWHERE = ("libHalide.so*", "libmpi.so*", "libmpich.so*")
# The C and C++ compilers' own, which each system has.
EVERYWHERE = ("linux-vdso", "ld-linux", "libc.", "libm.", "libstdc++.", "libgcc_s.")
PROBE = """
import os, sys, sysconfig, ensurepip
usable = sys.implementation.name == "cpython" and os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))
print(getattr(sys, "_base_executable", sys.executable) if usable else "")
"""


@functools.cache
def pythons() -> dict[str, Path]:
    """By version the CPython that can build modules: the one on the PATH, or the newest of pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = {}
    for version in VERSIONS:
        on_path = shutil.which(f"python{version}")
        folders = sorted(pyenv.glob(f"{version}.*"), key=lambda f: [int(n) for n in f.name.split(".") if n.isdigit()], reverse=True)
        for program in ([on_path] if on_path else []) + [folder / "bin" / "python" for folder in folders]:
            said = subprocess.run([program, "-c", PROBE], capture_output=True, text=True)
            if said.returncode == 0 and said.stdout.strip():
                found[version] = Path(said.stdout.strip())
                break
    return found


def build_wheel(pip: Path, tree: Path, build: Path, work: Path, wheels: Path, *options: str) -> None:
    """The wheel of a tree, in pip's isolated environment. `work`, a build folder, must not lie in a place that `build` hides."""
    before, folder = ["env", "-C", str(tree)], work
    if namespaces.allowed():
        before, folder = namespaces.in_place_of({ROOT: tree, build: work}, ROOT), build
    compilers = {"CC": cached(build, "CMAKE_C_COMPILER"), "CXX": cached(build, "CMAKE_CXX_COMPILER")}
    run(*before, pip, "wheel", "-q", "--disable-pip-version-check", *options, "-w", wheels, f"--config-settings=build-dir={folder}", ".",
        env={**os.environ, **compilers})


def what_is_called_of_openblas(library: Path, folder: Path) -> None:
    """A libopenblas.so.0 of the functions that the library calls: all of it would be half of a wheel. Nothing where this system
    has no archive of it."""
    archive = Path(run("g++", "-print-file-name=libopenblas.a").strip())
    if not archive.is_absolute():
        return
    names = [set(run("nm", "--format=just-symbols", *which).split()) for which in (["-D", "-u", library], ["--defined-only", archive])]
    called = sorted(names[0] & names[1])
    (folder / "called").write_text(f"{{ global: {'; '.join(called)}; local: *; }};")
    run("g++", "-shared", "-o", folder / "libopenblas.so.0", "-Wl,-soname,libopenblas.so.0", f"-Wl,--version-script,{folder / 'called'}",
        *(f"-Wl,-u,{name}" for name in called), archive, "-lgfortran", "-lpthread", "-lm", "-s")


def repair(wheel: Path, packages: Path) -> Path:
    """Puts the libraries of this system that it needs into the wheel, and tags it with the oldest system that it runs on."""
    folder = wheel.parent
    with zipfile.ZipFile(wheel, "a") as opened:
        library = Path(opened.extract("numjit/libnumjit.so.0", folder))
        what_is_called_of_openblas(library, folder)
        needed = [name for name in re.findall(r"^\s+(\S+) => ", run("ldd", library), re.MULTILINE) if not name.startswith(EVERYWHERE)]
        for package, text in copyrights(needed).items():
            opened.write(text, f"{'-'.join(wheel.name.split('-')[:2])}.dist-info/licenses/{package}")
    excluded = [f"--exclude={name}" for name in ELSEWHERE]
    run(sys.executable, "-m", "auditwheel", "repair", *excluded, "-w", packages, wheel,
        env={**os.environ, "LD_LIBRARY_PATH": str(folder)})
    return next(packages.glob(wheel.name.rpartition("-")[0] + "-*.whl"))


def build_sdist(python: Path | str, tree: Path, packages: Path) -> Path:
    """The source distribution of a tree, by a Python that has the backend."""
    code = f"import scikit_build_core.build as b; print(b.build_sdist({str(packages)!r}))"
    return packages / run(python, "-c", code, cwd=tree).splitlines()[-1]


def place(packages: Path, version: str) -> Path:
    """Where the wheel of a version of Python lies."""
    return packages if version == "{}.{}".format(*sys.version_info) else packages / "other_pythons"


def main() -> int:
    build, work, packages = map(Path, sys.argv[1:])
    if not pythons():
        sys.exit("no CPython 3.10 to 3.13 with its headers: apt-get install python3-dev python3-venv")
    work.mkdir(parents=True, exist_ok=True)
    for version, python in pythons().items():
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (work / "CMakeCache.txt").unlink(missing_ok=True)  # what it knows of Python is true of the last version
            build_wheel(environment(folder / "builder", base=python).with_name("pip"), ROOT, build, work, folder, "--no-deps")
            made = repair(next(folder.glob("*.whl")), place(packages, version))
        print(f"{made.name}: {made.stat().st_size / 1e6:.1f} MB", flush=True)
    made = build_sdist(sys.executable, ROOT, packages)
    print(f"{made.name}: {made.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
