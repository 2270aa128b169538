"""Rows of derivatives: first calls, rounds in which engines take turns, the comparison of results, what is printed."""
import sys

import numpy as np

import measure
import report

from . import differences, memory
from .engines import NUMJIT, PEERS
from .workloads import Gradient

SEED = 20261121


def close(result, expected, rtol) -> bool:
    size = np.abs(expected).max(initial=0)
    return result.shape == expected.shape and bool(np.allclose(result, expected, rtol=rtol, atol=rtol * size))


def compare(engines, workload, inputs) -> list:
    """Complaints: numjit against differences of NumPy's results, its two ways bit for bit, peers against numjit."""
    results = {}
    for engine in engines:
        engine.run(1)
        results[engine.name] = engine.result()
    ours, complaints = results["numjit"], []
    if not differences.agrees(workload, inputs, ours):
        complaints.append("numjit disagrees with differences of NumPy's results")
    eager = results["numjit_eager"]
    if [(r.dtype, r.shape, r.tobytes()) for r in ours] != [(r.dtype, r.shape, r.tobytes()) for r in eager]:
        complaints.append("numjit eager and compiled differ in bits")
    for engine in engines:
        theirs, rtol = results[engine.name], max(workload.rtol, engine.rtol)
        if len(theirs) != len(ours) or not all(close(t, o, rtol) for t, o in zip(theirs, ours)):
            complaints.append(f"{engine.name} disagrees with numjit")
    return complaints


def run_workload(workload, engines, seconds: float) -> dict:
    inputs = workload.make(np.random.default_rng(SEED))
    first = {}
    ready = measure.ready_engines(engines, workload, inputs, first)
    for engine in ready:
        engine.settle()
    times = measure.measure(ready, workload, seconds)
    complaints = compare(ready, workload, inputs)
    for complaint in complaints:
        print(f"bench: {workload.name}: {complaint}", file=sys.stderr)
    scale, order = measure.UNITS[workload.unit], measure.ORDER
    cpu = {e.name: min(e.cpu) * scale for e in ready}
    told = {e.name: facts for e in ready if (facts := e.report(workload))}
    if workload.memory:
        for e in ready:
            if e.name in memory.ENGINES:
                told.setdefault(e.name, {})["held_bytes"] = memory.held(e.name, workload)
    for engine in engines:
        engine.release()
    return measure.row(
        workload.name, workload.unit, {n: best * scale for n, (best, _) in times.items()}, workload.limit, not complaints,
        title=workload.title, bound="grad", cpu={n: cpu[n] for n in order if n in cpu},
        first={n: first[n] for n in order if n in first}, reach=workload.reach, told=told)


def cpu_ratio(entry):
    """numjit's processor time over that of the best peer; None without peers."""
    peers = [value for name, value in entry.get("cpu", {}).items() if not name.startswith("numjit")]
    return entry["cpu"]["numjit"] / min(peers) if peers else None


def misses(entry) -> list:
    """What of the figures asked for is not reached, in words."""
    found, ratio = [], cpu_ratio(entry)
    if entry.get("reach") and ratio is not None and ratio > entry["reach"]:
        found.append(f"{ratio:.2f} of the best peer's processor time, asked for {entry['reach']:g}")
    if entry.get("limit") is not None and entry["results"]["numjit"] > entry["limit"]:
        found.append(f"over the limit of {entry['limit']:g} {entry['unit']}")
    return found


def show(entry, names, width) -> None:
    """Lines of wall time, processor time and first calls."""
    peer = report.best_peer(entry)
    lines = [(entry["title"], entry["unit"], entry["results"], f"{report.ratio(entry):>8.2f}x" if peer else "")]
    if "cpu" in entry:
        ratio = cpu_ratio(entry)
        lines.append(("  processor time", entry["unit"], entry["cpu"], f"{1 / ratio:>8.2f}x" if ratio else ""))
        lines.append(("  first result", "s", entry["first"], ""))
    for i, (title, unit, values, last) in enumerate(lines):
        cells = "".join(f"{values[n]:>13.4g}" if n in values else f"{'':>13}" for n in names)
        notes = [*(["WRONG"] if not entry["agree"] else []), *misses(entry)] if i == 0 else []
        print(f"{title:<{width}} {unit:>3}  {cells}{last}{'  ' if notes else ''}{'; '.join(notes)}", flush=True)


def warm(engine) -> None:
    """What an engine loads or compiles once for the process belongs to no row."""
    tiny = Gradient("tiny", "", lambda xp, x: xp.sum(x * x), lambda rng: [np.ones(3)], {}, {})
    engine.prepare(tiny, tiny.make(None))
    engine.run(1)
    engine.settle()
    engine.release()


def make_engines(options) -> list:
    engines = [engine(options.threads) for engine in NUMJIT]
    if options.peers:
        engines += [peer(options.threads) for peer in PEERS if peer.available()]
    for engine in engines:
        warm(engine)
    return engines
