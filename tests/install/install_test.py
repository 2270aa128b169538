"""Installs the build, moves the prefix, and builds and runs a small project that says find_package(numjit), where the
source and the build tree are hidden."""
# ctest: LABELS slow
# ctest: TIMEOUT 300
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import consumers
import namespaces
from commands import cached, run

build, source = Path(os.environ["NUMJIT_BUILD_DIR"]), Path(os.environ["NUMJIT_SOURCE_DIR"])
has_plug_in = (build / "lib" / "numjit_halide.so").exists()


def doctor(*command: object, **options) -> dict[str, str]:
    """What doctor says about each thing, with the remedy on a line of its own."""
    lines = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options).stdout.splitlines()
    said, last = {}, ""
    for line in lines:
        state, _, rest = line.partition(" ")
        if state:
            last, _, text = rest.strip().partition(" ")
            said[last] = f"{state}: {text.strip()}"
        else:
            said[last] += "\n" + line.strip()
    return said


def check_doctor(program: Path, prefix: Path, hidden: list[str], environment: dict[str, str]) -> None:
    """In a prefix the compiler works; without Halide's library or without the plug-in the advice is how to get them."""
    library = next(p.parent for p in prefix.rglob("numjit_halide.so"))
    command = [*hidden, program, "doctor"]
    said = doctor(*command, env=environment)
    if not said["compiler"].endswith(f"from {library}/numjit_halide.so") or not said["kernel"].startswith("ok: x + y compiled"):
        sys.exit(f"doctor says of the prefix: {said}")
    (library / "numjit" / "libHalide.so").rename(prefix / "libHalide.so")
    lacking = [("libHalide.so: cannot open shared object file", f"Put libHalide.so of Halide 21 into {library} (pip install halide "
                "brings it in halide/lib64), or name its folder in LD_LIBRARY_PATH.")]
    found = [doctor(*command, env=environment)["compiler"]]
    if doctor(*command, env={**environment, "LD_LIBRARY_PATH": str(prefix)})["kernel"][:3] != "ok:":
        sys.exit("doctor: LD_LIBRARY_PATH names Halide's library, and it is not found")
    plug_in = library / "numjit_halide.so"
    plug_in.write_bytes(b"no library" * 100)
    lacking.append((str(plug_in), "Install what it asks for, or build numjit on this machine."))
    found.append(doctor(*command, env=environment)["compiler"])
    plug_in.unlink()
    lacking.append((f"{plug_in} does not exist",
                    "This numjit was built without Halide: build it with -DNUMJIT_HALIDE=ON, where pip has installed halide."))
    found.append(doctor(*command, env=environment)["compiler"])
    for (cause, remedy), text in zip(lacking, found):
        if not text.startswith("wrong: ") or cause not in text or not text.endswith("\n" + remedy):
            sys.exit(f"doctor says {text!r}, expected {cause!r} and {remedy!r}")


with tempfile.TemporaryDirectory() as folder:
    first, prefix, work = Path(folder) / "first", Path(folder) / "moved", Path(folder) / "work"
    cmake = cached(build, "CMAKE_COMMAND")
    run(cmake, "--install", build, "--prefix", first)
    first.rename(prefix)  # the package must not remember where it was
    environment = {**os.environ, "NUMJIT_CACHE_DIR": str(Path(folder) / "cache"), "NUMJIT_BUILD_DIR": ""}
    # Outside, what a prefix must do without is still there, and these tests say less.
    hidden = namespaces.hiding(source, build) if namespaces.allowed() else ()
    ninja = ("-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={cached(build, 'CMAKE_MAKE_PROGRAM')}")
    consumers.build_and_run(prefix, work, jit=has_plug_in, cmake=(cmake, *ninja), compiler=cached(build, "CMAKE_CXX_COMPILER"),
                            pkg_config=bool(shutil.which("pkg-config")), hidden=hidden, env=environment, cwd=folder)
    wrong = subprocess.run([cmake, "-S", consumers.PROJECT, "-B", Path(folder) / "wrong", "-G", "Ninja",
                            f"-DCMAKE_PREFIX_PATH={prefix}", "-DCONSUMER_COMPONENTS=nonsense"],
                           capture_output=True, text=True)
    if wrong.returncode == 0 or "nonsense" not in wrong.stderr:
        sys.exit("find_package(numjit COMPONENTS nonsense) went through:\n" + wrong.stderr)
    program = prefix / "bin" / "numjit"
    if program.exists():
        run(program, "--help", env=environment)
    if program.exists() and has_plug_in:
        check_doctor(program, prefix, hidden, environment)
print("installed, moved, found, built and run" + ("" if hidden else "; nothing was hidden: no mount namespace is allowed here"))
