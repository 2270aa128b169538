"""The part of docs/performance.md about derivatives, its plot and the figures as JSON."""
import json

import report
from plot import plot

from .measuring import cpu_ratio, misses

MARK = "<!-- measured: grad -->"


def rows(entries) -> list:
    return [e for e in entries if e.get("bound") == "grad"]


def columns(entries) -> list:
    return [name for name in report.NAMES if any(name in e["results"] for e in entries)]


def heads(names, ours="compiled") -> list:
    return ["", *((ours if name == "numjit" else report.NAMES[name]) for name in names)]


def cells(values, names) -> list:
    return [report.number(values.get(name)) for name in names]


def times_table(entries, ours="compiled") -> str:
    names = columns(entries)
    return report.table([*heads(names, ours), "best peer / numjit"], [
        [f"{e['title']}, {e['unit']}", *cells(e["results"], names), f"{report.ratio(e):.2f}" if report.best_peer(e) else ""]
        for e in entries])


def cpu_table(entries) -> str:
    names = columns(entries)
    last = lambda e: [f"{cpu_ratio(e):.2f}" if cpu_ratio(e) else "", f"{e['reach']:g}" if e["reach"] else ""]
    return report.table([*heads(names), "numjit / best peer", "asked for, at most"], [
        [f"{e['title']}, {e['unit']}", *cells(e["cpu"], names), *last(e)] for e in entries])


def first_table(entries) -> str:
    names = columns(entries)
    return report.table(heads(names), [[e["title"], *cells(e["first"], names)] for e in entries])


def memory_text(entries) -> str:
    """Of long loops: what engines hold for backward, which grows with the steps."""
    lines = []
    for e in entries:
        held = {name: facts["held_bytes"] for name, facts in e["told"].items() if "held_bytes" in facts}
        if held:
            lines.append(f"- {e['title']}: " + ", ".join(f"{report.NAMES[n]} {v / 2**20:.0f} MiB" for n, v in held.items()))
    return "\n".join(lines)


def misses_text(entries) -> str:
    lines = [f"- {e['title']}: {'; '.join(misses(e))}" for e in entries if misses(e)]
    return "\n".join(lines) if lines else "All figures asked for are reached."


def summary(entries) -> str:
    measured = report.measured(entries)
    if not measured:
        return "No peers were measured."
    return (f"Over {len(measured)} programs, the best peer takes {report.geometric_mean(measured):.2f} times the time of "
            f"numjit compiled (geometric mean); lost by more than 5%: {len(report.losses(measured))}.")


def machine_text(entry) -> str:
    d = entry["details"]
    versions = ", ".join(f"{report.NAMES[name]} {version}" for name, version in d["versions"].items())
    return f"{d['threads']} threads of {d['processor']} ({d['vectors']})" + (f"; {versions}" if versions else "")


def page(entries) -> str:
    chosen, tape = rows(entries), [e for e in entries if e.get("bound") == "tape"]
    parts = [f"Best of interleaved rounds in one process: {machine_text(entries[0])}.", summary(chosen),
             "![best peer's time over numjit's, derivatives](bench_grad.svg)",
             "Not reached:\n\n" + misses_text([*chosen, *tape]), "Time of a call:", times_table(chosen),
             "Processor time of all threads, of a call:", cpu_table(chosen),
             "Seconds to the first result, nothing cached:", first_table(chosen)]
    if memory_text(chosen):
        parts.append("Peak memory of the process, less that of the same loop of two steps:\n\n" + memory_text(chosen))
    return "\n\n".join([*parts, "An operation of a long chain on 10 elements:", times_table(tape, "numjit")])


def title() -> str:
    return "Derivatives: time of the best peer over numjit's (longer is better for numjit)"


def svg(entries) -> str:
    return plot(report.bars(rows(entries)), title())


def write(entries, root) -> None:
    """docs/bench_grad.json, docs/bench_grad.svg and the measured part of docs/performance.md."""
    docs = root / "docs"
    (docs / "bench_grad.json").write_text(json.dumps(entries, indent=1) + "\n")
    (docs / "bench_grad.svg").write_text(svg(entries))
    path = docs / "performance.md"
    path.write_text(report.between_marks(path.read_text(), page(entries), MARK))
