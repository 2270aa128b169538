"""Builds a wheel of a clean copy of the tree in pip's isolated environment; a program runs with it where the tree is hidden."""
# ctest: LABELS slow
# ctest: TIMEOUT 1800
# ctest: SKIP_RETURN_CODE 77
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import namespaces
from commands import check_sdist, compute, environment, run, tracked

source, build = Path(os.environ["NUMJIT_SOURCE_DIR"]), Path(os.environ["NUMJIT_BUILD_DIR"])
sys.path.insert(0, str(source / ".dev" / "package"))
from wheels import BACKEND, build_sdist, build_wheel  # noqa: E402


def copy_tree(names: list[str], to: Path) -> None:
    for name in names:
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source / name, to / name, follow_symlinks=False)


if not (build / "python" / "numjit").exists():
    print("no Python module in this build")
    sys.exit(namespaces.SKIPPED)
if not namespaces.allowed() and os.environ.get("NUMJIT_WHEEL_TEST") != "full":
    print("no mount namespace is allowed here, without which all is compiled again: NUMJIT_WHEEL_TEST=full does so")
    sys.exit(namespaces.SKIPPED)

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    tree, wheels, empty = (folder / part for part in ("tree", "wheels", "empty"))
    tree.mkdir(), empty.mkdir()
    names = tracked(source)
    copy_tree(names, tree)
    check_sdist(build_sdist(environment(folder / "backend", BACKEND), tree, folder), names)
    # A Python that ./dev may have left there is none of the build's business.
    (tree / ".venv" / "bin").mkdir(parents=True)
    (tree / ".venv" / "bin" / "python").write_text("#!/bin/sh\nexit 1\n")
    (tree / ".venv" / "bin" / "python").chmod(0o755)
    start = time.monotonic()
    build_wheel(environment(folder / "builder").with_name("pip"), tree, build, empty, wheels)
    print(f"wheel: {time.monotonic() - start:.0f} s, {sum(f.stat().st_size for f in wheels.glob('numjit*')) >> 20} MiB")
    user = environment(folder / "user")
    run(user, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-index", "--find-links", wheels, "numjit")
    for made in (tree, empty):
        shutil.rmtree(made)
    compute(user, folder, namespaces.hiding(source) if namespaces.allowed() else ())
print("built, installed into an empty environment and run")
