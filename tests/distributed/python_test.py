"""numjit.distributed from Python, alone and beside mpi4py, on several ranks; the programs of docs/programs/ranks in both languages."""
import os
import sys
from pathlib import Path

from launch import BUILD, PROGRAMS as CPP_PROGRAMS, available, expect, run

HERE = Path(__file__).parent
PROGRAMS = Path(os.environ["NUMJIT_SOURCE_DIR"]) / "docs" / "programs" / "ranks"
# How much of a program's results is that of one rank: all bits, where sums and gathers alone join parts.
SAME_BITS = ("heat", "conjugate_gradient", "monte_carlo", "histogram_sort", "pagerank")
NEAR = ("kmeans", "training")


def start(library, ranks, command, **environment):
    path = os.pathsep.join(filter(None, [str(BUILD / "python"), os.environ.get("PYTHONPATH")]))
    return run(library, ranks, command, PYTHONPATH=path, **environment)


def of_mpi4py(library):
    """What mpi4py goes by. It looks for MPICH by the name that its binary interface has; Debian's has another."""
    if library == "openmpi":
        return {}
    folder = BUILD / "test_cache" / "mpich"
    folder.mkdir(parents=True, exist_ok=True)
    link, real = folder / "libmpi.so.12", next(Path("/usr/lib").glob("*/libmpich.so.12"))
    if not link.is_symlink():
        link.symlink_to(real)
    return {"MPI4PY_MPIABI": "mpich", "LD_LIBRARY_PATH": str(folder)}


def check(library, ranks, case, **environment):
    status, out, err = start(library, ranks, [sys.executable, HERE / "python_ranks.py", case], **environment)
    expect(status == 0 and f"all well on {ranks} ranks" in out, f"{case} on {ranks} ranks of {library}: {status}\n{out}\n{err}")


def check_throws(library):
    _, out, err = start(library, 2, [sys.executable, HERE / "python_ranks.py", "throws"])
    expect("rank 0 caught [distributed] rank 1 left the program: KeyError: 'no cheese', and rank 0 waits for it in all_reduce (sum) "
           "of float64 (2,) at " in out, f"throws on {library}:\n{out}\n{err}")


def check_programs(library):
    folder = BUILD / "test_cache" / "ranks"
    folder.mkdir(parents=True, exist_ok=True)
    for ranks in (1, 3, 4):
        for language, command in (("Python", [sys.executable, HERE / "run_programs.py", PROGRAMS, folder / f"Python {ranks}", *SAME_BITS, *NEAR]),
                                  ("C++", [CPP_PROGRAMS / "ranks_programs", folder / f"C++ {ranks}"])):
            status, out, err = start(library, ranks, command)
            expect(status == 0, f"programs in {language} on {ranks} ranks of {library}: {status}\n{out}\n{err}")
    import numpy
    for name in SAME_BITS + NEAR:
        one = numpy.load(folder / "Python 1" / f"{name}.npz")
        for run in ("C++ 1", "Python 3", "Python 4", "C++ 3", "C++ 4"):
            other = numpy.load(folder / run / f"{name}.npz")
            expect(sorted(other) == sorted(one), f"{name}, {run} ranks: results {sorted(other)}, expected {sorted(one)}")
            for key in one:
                same = other[key].shape == one[key].shape and (
                    other[key].tobytes() == one[key].tobytes() if name in SAME_BITS
                    else numpy.allclose(other[key], one[key], rtol=1e-10, atol=1e-10))
                expect(same, f"{name}, {run} ranks: result {key}\n{other[key]}\nof one rank\n{one[key]}")


def main():
    libraries = available()
    if not libraries:
        sys.exit(77)
    for library in libraries:
        for ranks in (1, 3):
            check(library, ranks, "operations")
        check(library, 2, "gradients")
        check_throws(library)
    check_programs(libraries[0])
    try:
        import mpi4py  # noqa: F401
    except ImportError:
        print("skipped: no mpi4py (./dev test installs it)", file=sys.stderr)
        return
    for library in libraries:
        check(library, 2, "mpi4py", **of_mpi4py(library))
    check(libraries[0], 2, "finalized")


main()
