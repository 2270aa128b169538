"""Rounds in which all engines take turns, the comparison of their results, and one entry of the JSON."""
import random
import statistics
import sys
import threading
import time
from pathlib import Path

from workloads import listed

ORDER = ["numjit", "numjit_1t", "numjit_eager", "numjit_fast", "numpy", "numexpr", "numba", "jax",
         "torch_eager", "torch", "autograd", "mlx"]
UNITS = {"ms": 1e3, "us": 1e6}
ROUNDS, ROUNDS_OF_SLOW_ONES = 7, 3


def running_threads() -> int:
    """Threads of this process that run or wait for a core, this one left out."""
    count = 0
    for task in Path("/proc/self/task").iterdir():
        if int(task.name) != threading.get_native_id():
            try:
                count += (task / "stat").read_text().rpartition(")")[2].split()[0] == "R"
            except OSError:  # ended meanwhile
                pass
    return count


def wait_for_quiet(limit: float = 0.5) -> None:
    """Until threads of the engine before sleep: OpenBLAS's spin for 0.1 s after a product, on another engine's core."""
    end = time.monotonic() + limit
    while running_threads() and time.monotonic() < end:
        time.sleep(0.002)


def measure(engines, workload, seconds: float) -> dict:
    """Name -> (best, median) seconds per call, over rounds in which the engines run in random order."""
    repeats, times = {}, {}
    for engine in engines:  # warm up (compiles), then as many calls a round as fill some milliseconds
        engine.run(1)
        once = engine.run(1)
        for _ in range(3):
            if once < 0.1:
                once = min(once, engine.run(1))
        repeats[engine.name] = max(1, min(100000, int(0.005 / max(once, 1e-8))))
        times[engine.name] = []
    turns = random.Random(20261121)
    start, rounds, least = time.monotonic(), 0, ROUNDS
    while rounds < least or time.monotonic() < start + seconds:
        for engine in turns.sample(engines, len(engines)):
            wait_for_quiet()
            times[engine.name].append(engine.run(repeats[engine.name]))
        rounds += 1
        if time.monotonic() - start > max(seconds, 1) / ROUNDS_OF_SLOW_ONES:
            least = ROUNDS_OF_SLOW_ONES
    return {name: (min(values), statistics.median(values)) for name, values in times.items()}


def compare(engines, workload, expected) -> bool:
    """Every engine agrees with NumPy; numjit in every dtype, and its exact ways with each other in every bit."""
    agree, ours = True, []
    for engine in engines:
        engine.run(1)
        results = engine.result()
        if engine.name.startswith("numjit") and [r.dtype for r in results] != [e.dtype for e in listed(expected)]:
            print(f"bench: {workload.name}: {engine.name} gives {', '.join(r.dtype.name for r in results)}, "
                  f"expected {', '.join(e.dtype.name for e in listed(expected))}", file=sys.stderr)
            agree = False
        if engine.name.startswith("numjit") and engine.name != "numjit_fast":
            ours.append(b"".join(r.tobytes() for r in results))
        if not workload.agrees(results, expected):
            print(f"bench: {workload.name}: {engine.name} disagrees with NumPy", file=sys.stderr)
            agree = False
    if len(set(ours)) > 1:
        print(f"bench: {workload.name}: numjit eager and compiled differ in bits", file=sys.stderr)
        agree = False
    return agree


def row(name, unit, results, limit=None, agree=True, **more) -> dict:
    """An entry of the JSON; `more` may hold title, bound and bytes of a workload."""
    results = {engine: results[engine] for engine in ORDER if results.get(engine) is not None}
    return {"name": name, "unit": unit, "better": "less", "results": results, "limit": limit, "agree": agree, **more}


def ready_engines(engines, workload, inputs, first=None) -> list:
    """Those that can compute the workload. One that fails says so on stderr and is left out: a peer's fault must
    not end the run; numjit's must. `first` takes the seconds to each one's first result, by names."""
    ready = []
    for engine in engines:
        start = time.perf_counter()
        try:
            if engine.prepare(workload, inputs):
                engine.run(1)
                if first is not None:
                    first[engine.name] = time.perf_counter() - start
                ready.append(engine)
        except Exception as error:  # noqa: BLE001: whatever a peer throws
            if engine.name.startswith("numjit"):
                raise
            text = str(error).strip().splitlines() or [""]
            print(f"bench: {workload.name}: {engine.name} left out: {type(error).__name__}: {text[0]}", file=sys.stderr)
    return ready


def run_workload(workload, engines, np, seconds: float) -> dict:
    inputs = workload.make(np.random.default_rng(20261121))
    reference = workload.form("numpy") or workload.function
    expected = reference(np, *[a.copy() for a in inputs])
    ready = ready_engines(engines, workload, inputs)
    times = measure(ready, workload, seconds)
    agree = compare(ready, workload, expected)
    for engine in engines:
        engine.release()
    scale = UNITS[workload.unit]
    return row(workload.name, workload.unit, {n: best * scale for n, (best, _) in times.items()}, workload.limit, agree,
               title=workload.title, bound=workload.bound, bytes=workload.traffic(inputs, expected))
