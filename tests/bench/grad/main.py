"""./dev bench grad: the run itself. run.py has parsed the arguments and confined the process to its cores."""
import json
import os
import sys
import tempfile
from pathlib import Path

import report

ROOT = Path(__file__).resolve().parents[3]


def machine(options, engines) -> dict:
    processor, vectors = report.cpu_facts()
    versions = {e.name: e.version() for e in engines if e.version()}
    versions.pop("torch_eager", None)  # the same package as torch
    details = {"processor": processor, "vectors": vectors, "threads": options.threads, "seconds": options.seconds,
               "versions": versions}
    return {"name": "machine", "unit": "", "better": "less", "results": {}, "limit": None, "agree": True,
            "details": details}


def chosen_workloads(names) -> list:
    from .workloads import WORKLOADS
    known = [w.name for w in WORKLOADS] + ["tape"]
    wanted = [n for n in known if not names or any(part in n for part in names)]
    if not wanted:
        sys.exit(f"bench: no workload of derivatives is called {' or '.join(names)}, expected one of {', '.join(known)}")
    return [w for w in WORKLOADS if w.name in wanted], "tape" in wanted


def measure_all(options, add) -> None:
    """Gives every entry to `add` as it is made."""
    from . import measuring, pages, tape
    workloads, with_tape = chosen_workloads(options.name[1:])
    engines = measuring.make_engines(options)
    first = add(machine(options, engines))
    print(pages.machine_text(first) + "; best of interleaved rounds; ratio: best peer / numjit (compiled)")
    names = [e.name for e in engines]
    width = max(len(t) for t in [w.title for w in workloads] + [t for t, _ in tape.TITLES.values()])
    print(f"{'':<{width}}      " + "".join(f"{name:>13}" for name in names) + f"{'ratio':>9}")
    for workload in workloads:
        entry = measuring.run_workload(workload, engines, options.seconds)
        text = entry["told"].get("numjit", {}).pop("text", "")
        measuring.show(add(entry), names, width)
        if options.explain:
            print(text)
    if with_tape:
        for entry in tape.run(options.peers):
            measuring.show(add(entry), names, width)


def save(entries, options) -> int:
    from . import pages
    if options.svg:
        Path(options.svg).write_text(pages.svg(entries))
    if options.docs:
        pages.write(entries, ROOT)
    return 0 if all(e["agree"] for e in entries) else 1


def run(options) -> int:
    if options.source:
        return save(json.loads(Path(options.source).read_text()), options)
    sys.path.insert(0, str(Path(os.environ["NUMJIT_BUILD_DIR"]) / "python"))
    entries = []

    def add(entry):
        entries.append(entry)
        if options.json:  # grows with each entry: a run cut short leaves what it measured
            Path(options.json).write_text(json.dumps(entries, indent=2) + "\n")
        return entry
    with tempfile.TemporaryDirectory() as cache:
        os.environ["NUMJIT_CACHE_DIR"], os.environ["TORCHINDUCTOR_CACHE_DIR"] = f"{cache}/numjit", f"{cache}/torch"
        measure_all(options, add)
    return save(entries, options)
