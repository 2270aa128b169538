"""What a loop of many steps holds for its gradient: peak memory of a process, less that of the same loop of two steps.

A process of its own for each engine: `python memory.py ENGINE WORKLOAD STEPS` prints the bytes.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENGINES = ("numjit", "jax")  # those whose memory is asked for


def status(name) -> int:
    return 1024 * int(re.search(rf"^{name}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.M).group(1))


def peak_of_call(engine_name, workload_name, steps) -> int:
    """Bytes at the worst moment of a call, when all is compiled."""
    import numpy as np
    from grad import engines, workloads
    workload = next(w for w in workloads.WORKLOADS if w.name == workload_name)
    inputs = workload.make(np.random.default_rng(1))
    workload.options["steps"] = steps
    kind = next(e for e in [*engines.NUMJIT, *engines.PEERS] if e.name == engine_name)
    engine = kind(len(os.sched_getaffinity(0)))
    engine.prepare(workload, inputs)
    for _ in range(3):
        engine.run(1)
        engine.settle()
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    engine.run(1)
    return status("VmHWM")


def held(engine_name, workload) -> int:
    """Bytes that grow with the steps."""
    def peak(steps):
        command = [sys.executable, __file__, engine_name, workload.name, str(steps)]
        return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1])
    return max(0, peak(workload.sizes["steps"]) - peak(2))


if __name__ == "__main__":
    sys.path[:0] = [str(HERE.parent), str(Path(os.environ["NUMJIT_BUILD_DIR"]) / "python")]
    sys.path.remove(str(HERE))
    print(peak_of_call(sys.argv[1], sys.argv[2], int(sys.argv[3])))
