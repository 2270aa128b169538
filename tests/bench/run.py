"""./dev bench: every engine on the same data in one process, in turns; results compared; one table.

Each round lets every engine compute every workload once (small ones many times), the order turning from round to
round, so that what disturbs the machine disturbs all. The figure is the best round. All engines have the same cores:
the process is confined to --threads of them before any is loaded.
"""
import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ORDER = ["numjit", "numjit_1t", "numjit_eager", "numjit_fast", "numpy", "numexpr", "numba", "jax", "torch"]
UNITS = {"ms": 1e3, "us": 1e6}
EXTRA = {"cold_compile": "cold compile, median of 9 kernels", "warm_start": "a process from start to first result"}


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench", description="Measures numjit beside NumPy and others.")
    parser.add_argument("name", nargs="?", default="", help="only workloads whose name contains this; "
                        "eager: single operations beside NumPy's; overhead: calls on 10 elements")
    parser.add_argument("--peers", action="store_true", help="NumExpr and JAX too; with overhead: Numba and JAX")
    parser.add_argument("--with-torch", action="store_true", help="torch.compile too (3 GB); with overhead only")
    parser.add_argument("--json", metavar="FILE", help="write the results there as well")
    parser.add_argument("--seconds", type=float, default=6.0, help="time for each workload (default 6)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="cores for every engine")
    parser.add_argument("--explain", action="store_true", help="print what np::explain says of each workload")
    return parser.parse_args()


def confine(threads: int) -> None:
    """The same cores for every engine; must come before any of them is loaded."""
    cores = sorted(os.sched_getaffinity(0))
    if not 1 <= threads <= len(cores):
        sys.exit(f"bench: --threads: got {threads}, expected 1 to {len(cores)}")
    os.sched_setaffinity(0, cores[:threads])
    for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_MAX_THREADS", "NUMEXPR_NUM_THREADS"]:
        os.environ[name] = str(threads)
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ.setdefault("NUMJIT_BUILD_DIR", str(ROOT / "build"))
    for name in [n for n in os.environ if n.startswith("NUMJIT_") and n not in ("NUMJIT_BUILD_DIR", "NUMJIT_SOURCE_DIR")]:
        del os.environ[name]  # the bench measures numjit as it comes


def measure(engines, workload, seconds: float) -> dict:
    """Name -> (best, median) seconds per call, over interleaved rounds."""
    repeats, times = {}, {}
    for engine in engines:  # warm up (compiles), then as many calls a round as fill some milliseconds
        for _ in range(2):
            engine.run(1)
        once = min(engine.run(1) for _ in range(3))
        repeats[engine.name] = max(1, min(100000, int(0.005 / max(once, 1e-8))))
        times[engine.name] = []
    end, rounds = time.monotonic() + seconds, 0
    while rounds < 7 or time.monotonic() < end:
        turn = rounds % len(engines)
        for engine in engines[turn:] + engines[:turn]:
            times[engine.name].append(engine.run(repeats[engine.name]))
        rounds += 1
    return {name: (min(values), statistics.median(values)) for name, values in times.items()}


def compare(engines, workload, expected) -> bool:
    """Every engine agrees with NumPy, and numjit's exact ways with each other in every bit."""
    agree, ours = True, []
    for engine in engines:
        engine.run(1)
        result = engine.result()
        if engine.name.startswith("numjit") and engine.name != "numjit_fast":
            ours.append(result.tobytes())
        if not workload.agrees(result, expected):
            print(f"bench: {workload.name}: {engine.name} disagrees with NumPy", file=sys.stderr)
            agree = False
    if len(set(ours)) > 1:
        print(f"bench: {workload.name}: numjit eager and compiled differ in bits", file=sys.stderr)
        agree = False
    return agree


def row(name, unit, results, limit=None, agree=True) -> dict:
    results = {engine: results[engine] for engine in ORDER if results.get(engine) is not None}
    return {"name": name, "unit": unit, "better": "less", "results": results, "limit": limit, "agree": agree}


def run_workload(workload, engines, np, seconds: float) -> dict:
    inputs = workload.make(np.random.default_rng(20261121))
    expected = workload.function(np, *[a.copy() for a in inputs])
    ready = [engine for engine in engines if engine.prepare(workload, inputs)]
    times = measure(ready, workload, seconds)
    agree = compare(ready, workload, expected)
    scale = UNITS[workload.unit]
    return row(workload.name, workload.unit, {n: best * scale for n, (best, _) in times.items()}, workload.limit, agree)


def run_cold(library, peers, np) -> dict:
    from engine_numjit import check
    from peers import COLD_SIZE
    from workloads import distinct
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
        result = np.empty(COLD_SIZE)
        check(library, library.bench_result(result.ctypes.data_as(ctypes.c_void_p)))
        agree = agree and np.allclose(result, distinct(np, i, a, b), rtol=1e-12)
    if check(library, library.bench_kernels_compiled()) - compiled != count:
        print(f"bench: cold_compile: the {count} functions were not compiled to a kernel each", file=sys.stderr)
        agree = False
    results = {"numjit": statistics.median(times)}
    for peer in peers:
        seconds = [peer.cold(i, a, b) for i in range(count)]
        if None not in seconds:
            results[peer.name] = 1e3 * statistics.median(seconds)
    return row("cold_compile", "ms", results, 80.0, bool(agree))


def time_process(command, environment, runs: int):
    times, text = [], ""
    for _ in range(runs):
        start = time.perf_counter()
        text = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
        times.append(time.perf_counter() - start)
    return 1e3 * min(times), text


def run_warm_start(peers) -> dict:
    program = Path(os.environ["NUMJIT_BUILD_DIR"]) / "bin" / "bench" / "warm_start"
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMJIT_CACHE_DIR": cache}
        time_process([program], environment, 1)  # fills the cache
        best, text = time_process([program], environment, 20)
    results = {"numjit": best}
    value, _, report = text.partition(" ")
    if report.split() != ["compiled", "0", "loaded", "1", "halide", "0"]:
        print(f"bench: warm_start: the kernel did not come from the disk cache: {report.strip()}", file=sys.stderr)
    agree = report.split() == ["compiled", "0", "loaded", "1", "halide", "0"]
    for peer in peers:
        if peer.start_program:
            results[peer.name], text = time_process([sys.executable, "-c", peer.start_program], os.environ, 3)
            agree = agree and abs(float(text) - float(value)) < 1e-12
    return row("warm_start", "ms", results, 20.0, agree)


def show_header(engines, width: int) -> None:
    print(f"{'':<{width}}      " + "".join(f"{name:>14}" for name in engines) + f"{'ratio':>9}")


def show(entry, title, engines, width: int) -> None:
    """One line; ratio: the best peer's time over numjit's."""
    results = entry["results"]
    cells = "".join(f"{results[name]:>14.4g}" if name in results else f"{'':>14}" for name in engines)
    peers = [value for name, value in results.items() if not name.startswith("numjit")]
    ratio = f"{min(peers) / results['numjit']:>8.2f}x" if peers else f"{'':>9}"
    limit = entry["limit"]
    note = "" if limit is None or results["numjit"] <= limit else f"  over the limit of {limit:g} {entry['unit']}"
    print(f"{title:<{width}} {entry['unit']:>3}  {cells}{ratio}{'' if entry['agree'] else '  DISAGREE'}{note}", flush=True)


def run_eager(library, options) -> int:
    import eager
    return save(eager.run(library), options)


def save(entries, options) -> int:
    if options.json:
        Path(options.json).write_text(json.dumps(entries, indent=2) + "\n")
    return 0 if all(entry.get("agree", True) for entry in entries) else 1


def main() -> int:
    options = arguments()
    confine(options.threads)
    import numpy as np
    from engine_numjit import Numjit, load_library
    from peers import PEERS
    from workloads import WORKLOADS

    if options.name == "overhead":
        import overhead
        with tempfile.TemporaryDirectory() as cache:
            os.environ["NUMJIT_CACHE_DIR"] = cache
            peers = (["numba", "jax"] if options.peers else []) + (["torch"] if options.with_torch else [])
            return save(overhead.run(peers), options)
    names = [w.name for w in WORKLOADS] + list(EXTRA)
    wanted = [name for name in names if options.name in name or options.name == "eager"]
    if not wanted:
        sys.exit(f"bench: no workload is called {options.name}, expected one of {', '.join(names)}")
    peers = [p for p in PEERS if p.name == "numpy" or (options.peers and p.available())]
    environment = dict(os.environ)
    with tempfile.TemporaryDirectory() as cache:
        os.environ["NUMJIT_CACHE_DIR"] = cache
        library = load_library()
        peers = [peer(options.threads) for peer in peers]
        engines = [Numjit(library, name) for name in ("numjit", "numjit_1t", "numjit_eager", "numjit_fast")] + peers
        if options.name == "eager":
            return run_eager(library, options)
        columns = [name for name in ORDER if name in [e.name for e in engines]]
        print(f"{options.threads} threads; copy {library.bench_copy_bandwidth():.1f} GB/s, "
              f"triad {library.bench_triad_bandwidth():.1f} GB/s; best of interleaved rounds; "
              "ratio: best peer / numjit")
        width = max(len(w.title) for w in WORKLOADS)
        show_header(columns, width)
        entries = []
        for workload in WORKLOADS:
            if workload.name in wanted:
                entries.append(run_workload(workload, engines, np, options.seconds))
                show(entries[-1], workload.title, columns, width)
                if options.explain:
                    print(library.bench_explain(workload.name.encode()).decode())
        if "cold_compile" in wanted:
            entries.append(run_cold(library, peers, np))
            show(entries[-1], EXTRA["cold_compile"], columns, width)
        os.environ.clear()
        os.environ.update(environment)
        if "warm_start" in wanted:
            entries.append(run_warm_start(peers))
            show(entries[-1], EXTRA["warm_start"], columns, width)
    return save(entries, options)


if __name__ == "__main__":
    sys.exit(main())
