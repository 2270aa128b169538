"""./dev bench: every engine on the same data in one process, in turns; results compared; one table.

Each round lets every engine compute every workload once (small ones many times), the order turning from round to
round, so that what disturbs the machine disturbs all. The figure is the best round. All engines have the same cores:
the process is confined to --threads of them before any is loaded.
"""
import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NUMJIT_ENGINES = ("numjit", "numjit_1t", "numjit_eager", "numjit_fast")


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench", description="Measures numjit beside NumPy and others.")
    parser.add_argument("name", nargs="*", default=[], help="only workloads whose name contains one of these; "
                        "eager: single operations beside NumPy's; grad: derivatives (then names of them); calls: what a call of each function costs from Python; million: functions of the Python module on a million elements; overhead: calls on 10 elements; loops: programs that loop over elements; latency: scripts of many small functions, from start to end; map: numjit map over files")
    parser.add_argument("--peers", action="store_true", help="NumExpr, Numba and JAX too; of derivatives JAX, PyTorch, autograd and MLX")
    parser.add_argument("--with-torch", action="store_true", help="torch.compile too (3 GB)")
    parser.add_argument("--list", action="store_true", help="print the names of the workloads and end")
    parser.add_argument("--json", metavar="FILE", help="write the results there as well")
    parser.add_argument("--svg", metavar="FILE", help="draw them there: best peer / numjit")
    parser.add_argument("--docs", action="store_true", help="write docs/performance.md's figures, docs/bench.svg and "
                        "docs/bench.json from this run, or from --from")
    parser.add_argument("--from", metavar="FILE", dest="source", help="take the results of an earlier --json run")
    parser.add_argument("--seconds", type=float, default=2.0, help="time for each workload (default 2)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="cores for every engine")
    parser.add_argument("--explain", action="store_true", help="print what np::explain says of each workload")
    return parser.parse_args()


def confine(threads: int) -> None:
    """The same cores for every engine; must come before any of them is loaded."""
    cores = sorted(os.sched_getaffinity(0))
    if not 1 <= threads <= len(cores):
        sys.exit(f"bench: --threads: got {threads}, expected 1 to {len(cores)}")
    os.sched_setaffinity(0, cores[:threads])
    for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_MAX_THREADS", "NUMEXPR_NUM_THREADS",
                 "NUMBA_NUM_THREADS", "MKL_NUM_THREADS"]:
        os.environ[name] = str(threads)
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ.setdefault("NUMJIT_BUILD_DIR", str(ROOT / "build"))
    for name in [n for n in os.environ if n.startswith("NUMJIT_") and n not in ("NUMJIT_BUILD_DIR", "NUMJIT_SOURCE_DIR")]:
        del os.environ[name]  # the bench measures numjit as it comes


def show_header(engines, width: int) -> None:
    print(f"{'':<{width}}      " + "".join(f"{name:>13}" for name in engines) + f"{'ratio':>9}")


def show(entry, engines, width: int) -> None:
    """One line; ratio: the best peer's time over numjit's."""
    from report import best_peer, ratio
    results = entry["results"]
    cells = "".join(f"{results[name]:>13.4g}" if name in results else f"{'':>13}" for name in engines)
    last = f"{ratio(entry):>8.2f}x" if best_peer(entry) else f"{'':>9}"
    limit = entry["limit"]
    note = "" if limit is None or results["numjit"] <= limit else f"  over the limit of {limit:g} {entry['unit']}"
    print(f"{entry['title']:<{width}} {entry['unit']:>3}  {cells}{last}{'' if entry['agree'] else '  DISAGREE'}{note}",
          flush=True)


def write_json(entries, options) -> None:
    if options.json:
        Path(options.json).write_text(json.dumps(entries, indent=2) + "\n")


def save(entries, options) -> int:
    """Writes what was asked for; the exit status: 1 if results differ."""
    import report
    write_json(entries, options)
    if options.svg:
        Path(options.svg).write_text(report.plot(report.bars(entries), report.title(entries)))
    if options.docs:
        report.write_docs(entries, ROOT)
    return 0 if all(entry.get("agree", True) for entry in entries) else 1


def run_workloads(options, workloads, engines, library, columns, width, entries) -> None:
    """Adds to `entries`; the JSON grows with each, so that a run cut short leaves what it measured."""
    import numpy as np
    from measure import run_workload
    for workload in workloads:
        entries.append(run_workload(workload, engines, np, options.seconds))
        show(entries[-1], columns, width)
        write_json(entries, options)
        if options.explain:
            give_and_explain(library, workload, np)


def give_and_explain(library, workload, np) -> None:
    from engine_numjit import give_inputs
    give_inputs(library, workload.make(np.random.default_rng(20261121)))
    print(library.bench_explain(workload.call.encode()).decode())
    library.bench_clear()


def bench(options, wanted) -> list:
    import numpy as np
    import report
    import startup
    from engine_numjit import Numjit, load_library
    from peers import PEERS
    from workloads import WORKLOADS
    chosen = [p for p in PEERS if p.name == "numpy" or
              ((options.with_torch if p.large else options.peers) and p.available())]
    environment = dict(os.environ)
    with tempfile.TemporaryDirectory() as cache:
        os.environ["NUMJIT_CACHE_DIR"] = cache
        library = load_library()
        peers = [peer(options.threads) for peer in chosen]
        engines = [Numjit(library, name) for name in NUMJIT_ENGINES] + peers
        if options.name == ["eager"]:
            import eager
            return eager.run(library)
        entries = [report.machine(library, chosen, options)]
        print(report.machine_text(entries[0]) + "; best of interleaved rounds; ratio: best peer / numjit")
        columns = [e.name for e in engines]
        titles = [w.title for w in WORKLOADS if w.name in wanted] + [t for n, t in startup.TITLES.items() if n in wanted]
        width = max(len(title) for title in titles)
        show_header(columns, width)
        run_workloads(options, [w for w in WORKLOADS if w.name in wanted], engines, library, columns, width, entries)
        if "cold_compile" in wanted:
            entries.append(startup.run_cold(library, peers, np))
            show(entries[-1], columns, width)
        os.environ.clear()
        os.environ.update(environment)
        for name, functions in (("warm_start", 1), ("warm_start_20", 20)):
            if name in wanted:
                entries.append(startup.run_warm_start(name, functions, peers))
                show(entries[-1], columns, width)
    return entries


def main() -> int:
    options = arguments()
    confine(options.threads)
    from startup import TITLES
    from workloads import WORKLOADS

    if options.name[:1] == ["grad"]:
        import grad.main
        return grad.main.run(options)
    if options.source:
        return save(json.loads(Path(options.source).read_text()), options)
    if options.name == ["overhead"]:
        import overhead
        with tempfile.TemporaryDirectory() as cache:
            os.environ["NUMJIT_CACHE_DIR"] = cache
            peers = (["numba", "jax"] if options.peers else []) + (["torch"] if options.with_torch else [])
            return save(overhead.run(peers), options)
    if options.name[:1] == ["calls"]:
        import calls
        return calls.run(options)
    if options.name[:1] == ["million"]:
        sys.path.insert(0, str(Path(os.environ["NUMJIT_BUILD_DIR"]) / "python"))
        import million
        entries = million.run("".join(options.name[1:2]), options.threads)
        write_json(entries, options)
        return 0 if all(e["agree"] for e in entries) else 1
    if options.name[:1] in (["loops"], ["latency"]):
        sys.path.insert(0, str(Path(os.environ["NUMJIT_BUILD_DIR"]) / "python"))
        peers = (["numba", "jax"] if options.peers else []) + (["torch"] if options.with_torch else [])
        if options.name[0] == "loops":
            import loops
            entries = loops.run(peers, options.name[1:])
        else:
            import latency
            entries = latency.run(peers)
        write_json(entries, options)
        return 0 if all(e["agree"] for e in entries) else 1
    if options.name == ["map"]:
        import map_files
        with tempfile.TemporaryDirectory() as cache:
            os.environ["NUMJIT_CACHE_DIR"] = cache
            entries = map_files.run()
            write_json(entries, options)
            return 0 if entries[0]["agree"] else 1
    names = [w.name for w in WORKLOADS] + list(TITLES)
    if options.list:
        print("\n".join(names))
        return 0
    wanted = [name for name in names if not options.name or any(part in name for part in options.name)]
    if not wanted and options.name != ["eager"]:
        sys.exit(f"bench: no workload is called {' or '.join(options.name)}, expected one of {', '.join(names)}")
    return save(bench(options, wanted), options)


if __name__ == "__main__":
    sys.exit(main())
