"""Every operation between ranks, on 1, 2, 3, 4 and 8 of them, against what one process computes; programs that go wrong."""
import sys

from launch import PROGRAMS, available, expect, run


def check(library, program, ranks):
    status, out, err = run(library, ranks, [PROGRAMS / program])
    expect(status == 0 and f"all the same on {ranks} ranks" in out, f"{program} on {ranks} ranks of {library}: {status}\n{out}\n{err}")


def texts(library, ranks, case, more=(), **environment):
    """What each rank of a program that goes wrong caught, by rank."""
    _, out, err = run(library, ranks, [PROGRAMS / "ranks_wrong", case], more=more, **environment)
    found = {}
    for line in out.splitlines():
        if line.startswith("rank "):
            rank, _, text = line[5:].partition(" caught ")
            found[int(rank)] = text
    return found, out + err


def expect_all(library, ranks, case, expected, **how):
    found, everything = texts(library, ranks, case, **how)
    for rank, text in expected.items():
        expect(found.get(rank) == text, f"{case} on {library}, rank {rank}:\n got {found.get(rank)}\n expected {text}\n{everything}")


DIFFER = ("ValueError: [distributed] the ranks' programs differ in operation 2: {}, {}. Hint: all ranks of a communicator call the "
          "same operations in the same order, with equal dtypes and shapes.")


def check_wrong(library):
    def differ(case, first, second, ranks=2):
        text = DIFFER.format("rank 0 calls " + first, "rank 1 calls " + second)
        expect_all(library, ranks, case, {rank: text for rank in range(ranks)})

    file = "tests/distributed/programs/ranks_wrong.cpp"
    differ("shape", f"all_reduce (sum) of float64 (3,) at {file}:100", f"all_reduce (sum) of float64 (4,) at {file}:200")
    differ("dtype", f"all_reduce (sum) of float64 (3,) at {file}:100", f"all_reduce (sum) of float32 (3,) at {file}:200")
    differ("order", f"all_reduce (sum) of float64 (3,) at {file}:100", f"all_gather of float64 (part,) at {file}:200")
    found, everything = texts(library, 3, "apart")  # who meets whom first is open
    for rank in range(3):
        text = found.get(rank, "")
        expect(text.startswith("ValueError: [distributed] the ranks' programs differ") and f"all_reduce (sum) of float64 (3,) at {file}:200"
               in text and "rank 1 calls" in text, f"apart on {library}, rank {rank}: {text}\n{everything}")
    differ("large", f"all_reduce (sum) of float64 (300000,) at {file}:100",
           f"all_reduce (max) of float64 (300000,) at {file}:200")
    waits = f"and rank 0 waits for it in all_reduce (sum) of float64 (3,) at {file}:100."
    expect_all(library, 2, "leaves", {0: f"DeviceError: [distributed] rank 1 left the program, {waits}"})
    expect_all(library, 2, "throws", {0: f"DeviceError: [distributed] rank 1 left the program: no bread, {waits}"})
    expect_all(library, 2, "aborts", {0: f"DeviceError: [distributed] rank 1 left the program: no butter, {waits}"})
    if library == "openmpi":  # MPICH's launcher ends the others by a signal
        expect_all(library, 2, "killed", {0: "DeviceError: [distributed] rank 1 ended without a word (it was killed, or crashed), "
                                             f"{waits}"}, more=["--enable-recovery"])
    expect_all(library, 2, "late", {0: "DeviceError: [distributed] rank 0 waited 1 s for rank 1 in all_reduce (sum) of float64 (3,) at "
                                       f"{file}:100. Hint: where ranks need longer than that between two operations, raise "
                                       "config.distributed_timeout_s."}, NUMJIT_DISTRIBUTED_TIMEOUT_S="1")
    expect_all(library, 1, "fork", {0: "DeviceError: [distributed] this process was forked from a rank, and MPI does not work in it. "
                                       "Hint: start processes with the launcher, or fork before the first use of np::distributed."})


def main():
    libraries = available()
    for library in libraries:
        for ranks in (1, 2, 3, 4, 8) if library == "openmpi" else (1, 2, 3):
            check(library, "ranks_eager", ranks)
            if library == "openmpi" and ranks in (1, 2, 3):
                check(library, "ranks_compiled", ranks)
                check(library, "ranks_gradients", ranks)
        check_wrong(library)
    if not libraries:
        sys.exit(77)


main()
