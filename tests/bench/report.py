"""What a run says: the machine, ratios and losses, and the pages in docs that are made of them."""
import importlib.metadata
import json
import math
import platform
import re
import statistics
from pathlib import Path

from plot import plot

TIE = 1.05  # a peer this much faster is a tie
MARK = "<!-- measured -->"
NAMES = {"numjit": "numjit", "numjit_1t": "1 thread", "numjit_eager": "eager", "numjit_fast": "fast",
         "numpy": "NumPy", "numexpr": "NumExpr", "numba": "Numba", "jax": "JAX", "torch_eager": "PyTorch",
         "torch": "torch.compile", "autograd": "autograd", "mlx": "MLX"}


# ---- figures of one entry ----

def best_peer(entry):
    """Name of the fastest peer, None without any."""
    peers = {name: value for name, value in entry["results"].items() if not name.startswith("numjit")}
    return min(peers, key=peers.get) if peers else None


def ratio(entry) -> float:
    """The best peer's time over numjit's."""
    return entry["results"][best_peer(entry)] / entry["results"]["numjit"]


def quotient(entry, above, below):
    """Time of one engine over that of another, None if one was not measured."""
    results = entry["results"]
    return results[above] / results[below] if above in results and below in results else None


def bandwidth(entry) -> float:
    """GB/s of the bytes that have to move."""
    seconds = entry["results"]["numjit"] / {"ms": 1e3, "us": 1e6}[entry["unit"]]
    return 1e-9 * entry["bytes"] / seconds


# ---- figures of a run ----

def measured(entries) -> list:
    return [e for e in entries if best_peer(e)]


def workloads(entries) -> list:
    """Those that count for the geometric mean: starts of processes and compilers are told apart."""
    return [e for e in measured(entries) if e.get("bound") in ("memory", "compute", "calls")]


def geometric_mean(entries) -> float:
    return math.exp(statistics.fmean(math.log(ratio(e)) for e in entries))


def losses(entries) -> list:
    """Entries where a peer is faster by more than a tie, the worst first."""
    return sorted((e for e in measured(entries) if ratio(e) < 1 / TIE), key=ratio)


def shortfalls(entries) -> list:
    """(what was asked for, [texts of the entries that miss it]) of the figures beside those against peers."""
    details, chosen = entries[0]["details"], [e for e in entries if e.get("bound") in ("memory", "compute")]
    found = []

    def check(wanted, among, value, misses, show):
        texts = [f"{e['title']} ({show(value(e))})" for e in among if value(e) is not None and misses(value(e))]
        found.append((wanted, texts, sum(value(e) is not None for e in among)))
    memory = [e for e in chosen if e["bound"] == "memory"]
    compute = [e for e in chosen if e["bound"] == "compute"]
    percent, times = (lambda v: f"{100 * v:.0f}%"), (lambda v: f"{v:.2f}x")
    check("at least 90% of the triad's bandwidth where memory-bound", memory,
          lambda e: bandwidth(e) / details["triad"], lambda v: v < 0.9, percent)
    if details["threads"] > 1:
        check("all threads at least 1.8 times one thread where compute-bound", compute,
              lambda e: quotient(e, "numjit_1t", "numjit"), lambda v: v < 1.8, times)
    for text, among, limit in (("15% of fast mode where memory-bound", memory, 1.15),
                               ("40% of fast mode where compute-bound", compute, 1.4)):
        check(f"exact mode within {text}", among, lambda e: quotient(e, "numjit", "numjit_fast"),
              lambda v, limit=limit: v > limit, times)
    check("eager at least at NumPy's speed", [e for e in entries if e.get("bound") != "start"],
          lambda e: quotient(e, "numpy", "numjit_eager"), lambda v: v < 1 / TIE, times)
    return found


# ---- the machine ----

def cpu_facts() -> tuple[str, str]:
    text = Path("/proc/cpuinfo").read_text()
    name, flags = re.search(r"^model name\s*: (.*)$", text, re.M), re.search(r"^flags.*$", text, re.M)
    words = flags.group().split() if flags else []
    vectors = "AVX-512" if "avx512vl" in words else "AVX2" if "avx2" in words else "SSE4"
    return name.group(1) if name else platform.machine(), vectors


def machine(library, peers, options) -> dict:
    """The entry that says where and with what the others were measured."""
    processor, vectors = cpu_facts()
    details = {"processor": processor, "vectors": vectors, "threads": options.threads, "seconds": options.seconds,
               "versions": {p.name: importlib.metadata.version(p.module) for p in peers},
               "copy": round(library.bench_copy_bandwidth(), 1), "triad": round(library.bench_triad_bandwidth(), 1)}
    return {"name": "machine", "unit": "", "better": "less", "results": {}, "limit": None, "agree": True,
            "details": details}


def machine_text(entry) -> str:
    d = entry["details"]
    versions = ", ".join(f"{NAMES[name]} {version}" for name, version in d["versions"].items())
    return (f"{d['threads']} threads of {d['processor']} ({d['vectors']}); {versions}; copy {d['copy']:.1f} GB/s, "
            f"triad {d['triad']:.1f} GB/s")


# ---- pages ----

def number(value) -> str:
    return "" if value is None else f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def table(heads, rows) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def times_table(entries) -> str:
    columns = [name for name in NAMES if any(name in e["results"] for e in entries)]
    rows = [[f"{e['title']}, {e['unit']}"] + [number(e["results"].get(name)) for name in columns] + [f"{ratio(e):.2f}"]
            for e in measured(entries)]
    return table([""] + [NAMES[name] for name in columns] + ["best peer / numjit"], rows)


def derived_table(entries) -> str:
    triad, rows = entries[0]["details"]["triad"], []
    for e in workloads(entries):
        rate = bandwidth(e)
        share = [f"{rate:.1f}", f"{100 * rate / triad:.0f}%"] if e["bound"] == "memory" else ["", ""]
        rows.append([e["title"], e["bound"], *share,
                     number(quotient(e, "numjit_1t", "numjit")), number(quotient(e, "numjit", "numjit_fast")),
                     number(quotient(e, "numpy", "numjit_eager"))])
    return table(["", "bound by", "GB/s", "of triad", "1 thread / all", "exact / fast", "NumPy / eager"], rows)


def losses_text(entries) -> str:
    lost = losses(entries)
    if not lost:
        return "No workload is more than 5% slower than its best peer."
    lines = [f"- {e['title']}: {number(e['results']['numjit'])} {e['unit']}, {NAMES[best_peer(e)]} "
             f"{number(e['results'][best_peer(e)])} ({ratio(e):.2f})" for e in lost]
    return (f"More than 5% slower than the best peer ({len(lost)} of {len(measured(entries))}), time of the peer over "
            "numjit's in brackets:\n\n" + "\n".join(lines))


def summary(entries) -> str:
    chosen = workloads(entries)
    peers = ", ".join(NAMES[n] for n in entries[0]["details"]["versions"])
    return (f"Over {len(chosen)} workloads, the best of {peers} takes {geometric_mean(chosen):.2f} times numjit's time "
            f"(geometric mean); lost by more than 5%: {len(losses(chosen))} of them.")


def page(entries) -> str:
    """The part of docs/performance.md between the marks."""
    short = "\n".join(f"- {wanted}: " + ("all" if not texts else f"not {len(texts)} of {total}: {'; '.join(texts)}")
                      for wanted, texts, total in shortfalls(entries))
    return "\n\n".join([
        f"Best of interleaved rounds in one process: {machine_text(entries[0])}.", summary(entries),
        "![best peer's time over numjit's](bench.svg)", "### Losses", losses_text(entries),
        "### Other figures asked for", short, "### Times", times_table(entries),
        "### Bandwidth, threads, modes", derived_table(entries)])


def readme(entries) -> str:
    """The part of README.md between the marks."""
    return "\n\n".join([
        summary(entries), "![best peer's time over numjit's](docs/bench.svg)",
        f"Best of interleaved rounds in one process: {machine_text(entries[0])}. `./dev bench --peers` measures "
        "them anew; [docs/performance.md](docs/performance.md) has all engines and names every loss."])


def between_marks(text: str, part: str, mark: str = MARK) -> str:
    pieces = text.split(mark)
    if len(pieces) != 3:
        raise ValueError(f"expected two lines {mark}, got {len(pieces) - 1}")
    return f"{pieces[0]}{mark}\n{part}\n{mark}{pieces[2]}"


def write_docs(entries, root: Path) -> None:
    """docs/bench.json, docs/bench.svg, and the measured parts of docs/performance.md and README.md."""
    (root / "docs" / "bench.json").write_text(json.dumps(entries, indent=1) + "\n")
    (root / "docs" / "bench.svg").write_text(plot(bars(entries), title(entries)))
    for path, part in ((root / "docs" / "performance.md", page(entries)), (root / "README.md", readme(entries))):
        path.write_text(between_marks(path.read_text(), part))


def title(entries) -> str:
    return "Time of the best peer over numjit's (longer is better for numjit)"


def bars(entries) -> list:
    """(label, ratio, what stands behind the bar) for the plot."""
    return [(e["title"], ratio(e), NAMES[best_peer(e)]) for e in measured(entries)]
