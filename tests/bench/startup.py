"""First calls with nothing cached, and whole processes that find their kernels in the disk cache."""
import ctypes
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from engine_numjit import check, read_results
from measure import row
from peers import COLD_SIZE
from workloads import distinct

TITLES = {"cold_compile": "first call with nothing cached, median of 9 functions",
          "warm_start": "a process to its first result, caches filled",
          "warm_start_20": "a process to the results of 20 functions, caches filled"}


def run_cold(library, peers, np) -> dict:
    rng = np.random.default_rng(1)
    a, b = rng.uniform(0.5, 2, COLD_SIZE), rng.uniform(0.5, 2, COLD_SIZE)
    shape = (ctypes.c_int64 * 1)(COLD_SIZE)
    library.bench_clear()
    for array in (a, b):
        check(library, library.bench_input(array.ctypes.data_as(ctypes.c_void_p), b"float64", 1, shape))
    count = library.bench_distinct_functions()
    compiled = check(library, library.bench_kernels_compiled())
    times, agree = [], True
    for i in range(count):
        times.append(1e-6 * check(library, library.bench_cold(i)))
        agree = agree and np.allclose(read_results(library)[0], distinct(np, i, a, b), rtol=1e-12)
    if check(library, library.bench_kernels_compiled()) - compiled != count:
        print(f"bench: cold_compile: the {count} functions were not compiled to a kernel each", file=sys.stderr)
        agree = False
    results = {"numjit": statistics.median(times)}
    for peer in peers:
        seconds = [peer.cold(i, a, b) for i in range(count)]
        if None not in seconds:
            results[peer.name] = 1e3 * statistics.median(seconds)
    return row("cold_compile", "ms", results, 80.0, bool(agree), title=TITLES["cold_compile"], bound="start")


def time_process(command, environment, runs: int):
    """The best of some runs in milliseconds, and what the last one printed."""
    times, text = [], ""
    for _ in range(runs):
        start = time.perf_counter()
        text = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
        times.append(time.perf_counter() - start)
    return 1e3 * min(times), text


def run_warm_start(name, functions: int, peers) -> dict:
    program = Path(os.environ["NUMJIT_BUILD_DIR"]) / "bin" / "bench" / "warm_start"
    wanted = ["compiled", "0", "loaded", str(functions), "halide", "0"]
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMJIT_CACHE_DIR": f"{cache}/numjit", "JAX_COMPILATION_CACHE_DIR": f"{cache}/jax",
                       "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0"}
        time_process([program, str(functions)], environment, 1)  # fills the cache
        best, text = time_process([program, str(functions)], environment, 20)
        results = {"numjit": best}
        value, _, report = text.partition(" ")
        agree = report.split() == wanted
        if not agree:
            print(f"bench: {name}: the kernels did not come from the disk cache: {report.strip()}", file=sys.stderr)
        for peer in peers:
            if not peer.start_program:
                continue
            command = [sys.executable, "-c", peer.start_program, str(functions)]
            time_process(command, environment, 1)
            results[peer.name], text = time_process(command, environment, 3)
            if abs(float(text) - float(value)) > 1e-10 * abs(float(value)):
                print(f"bench: {name}: {peer.name} disagrees: got {text.strip()}, expected {value}", file=sys.stderr)
                agree = False
    return row(name, "ms", results, 20.0, agree, title=TITLES[name], bound="start")
