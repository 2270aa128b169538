"""Programs on several ranks, by the launchers that are there: `run("openmpi", 4, ["program"])`."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

BUILD = Path(os.environ["NUMJIT_BUILD_DIR"])
PROGRAMS = BUILD / "bin" / "tests" / "programs"
LAUNCHERS = {"openmpi": "mpirun.openmpi", "mpich": "mpirun.mpich"}


def available():
    """The libraries whose launcher is there, and whose plug-in was built; those of which one is missing are named."""
    found = []
    for name, launcher in LAUNCHERS.items():
        if shutil.which(launcher) and (BUILD / "lib" / f"numjit_mpi_{name}.so").exists():
            found.append(name)
        else:
            print(f"skipped: no {launcher}, or no plug-in for it (./dev test installs both)", file=sys.stderr)
    return found


def run(library, ranks, command, seconds=120, more=(), **environment):
    """What the program wrote, and its status. Ranks may be more than cores, and root may start them."""
    launch = [LAUNCHERS[library], "-n", str(ranks), *more]
    if library == "openmpi":
        launch += ["--oversubscribe", "--bind-to", "none"]
    env = dict(os.environ, NUMJIT_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
               OMPI_MCA_btl_base_warn_component_unused="0", **environment)
    done = subprocess.run([*launch, *map(str, command)], env=env, timeout=seconds, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    return done.returncode, done.stdout, done.stderr


def expect(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")
