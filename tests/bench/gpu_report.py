"""What gpu.cpp and gpu_peers.py measured, as a table beside the goals: gpu_report.py bench.jsonl. Status 1 if something is amiss."""
import json
import sys
from pathlib import Path

SHARE, HOST_US = 0.9, 3.0  # goals: of copy bandwidth; of the host's time for a replayed call


def table(entries) -> list:
    """Lines of Markdown, a row for each workload."""
    own = [e for e in entries if "share_of_copy" in e]
    peers = list(dict.fromkeys(e["peer"] for e in entries if "peer" in e and "missing" not in e))
    theirs = {(e["peer"], e["workload"]): e for e in entries if "peer" in e and "workload" in e}
    rows = [f"| workload | ms | GB/s | of copy | {' | '.join(f'{p}, ms' for p in peers)} |".replace("|  |", "|"), "|---" * (4 + len(peers)) + "|"]
    for e in own:
        cells = [e["workload"], f"{e['ms']:.4g}", f"{e['GB_per_s']:.4g}", f"{100 * e['share_of_copy']:.0f}%"]
        for peer in peers:
            other = theirs.get((peer, e["workload"]), {})
            cells.append(f"{other['ms']:.4g} ({other['ms'] / max(e['ms'], 1e-9):.2f}x)" if "ms" in other else other.get("failed", ""))
        rows.append("| " + " | ".join(cells) + " |")
    rows += ["", "| call of few elements | host, us |", "|---|---|"]
    for e in entries:
        if "host_us" in e:
            whose = e.get("peer", f"numjit, graphs {'on' if e.get('graphs') else 'off'}")
            rows.append(f"| {e['workload']}: {whose} | {e['host_us']} |")
    return rows


def verdicts(entries) -> list:
    """(is it as it should be, what) of each goal."""
    own = {e["workload"]: e for e in entries if "share_of_copy" in e}
    found = []
    for name, e in own.items():
        if name != "driver's copy":
            found.append((e["share_of_copy"] >= SHARE, f"{name}: {100 * e['share_of_copy']:.0f}% of copy bandwidth, goal {100 * SHARE:.0f}%"))
    for e in entries:
        if "peer" in e and "ms" in e and e["workload"] in own:
            found.append((own[e["workload"]]["ms"] <= e["ms"], f"{e['workload']}: {e['peer']} takes {e['ms'] / max(own[e['workload']]['ms'], 1e-9):.2f}x"))
        elif "host_us" in e and e.get("graphs"):
            found.append((e["host_us"] <= HOST_US, f"{e['workload']}: {e['host_us']} us on the host, goal {HOST_US:g}"))
    return found


def complaints(entries) -> list:
    """What makes the figures worth less: workloads that the host computed, results that differ, peers that fail."""
    own = {e["workload"]: e for e in entries if "share_of_copy" in e}
    found = [] if own else ["nothing was measured"]
    for e in entries:
        if "on_host" in e:
            found.append(f"the host computed {e['on_host']} ({e['count']} times): a kernel was not there")
        elif "failed" in e:
            found.append(f"{e['peer']} fails at {e['workload']}: {e['failed']}")
        elif "peer" in e and "check" in e and "check" in own.get(e["workload"], {}):
            want = own[e["workload"]]["check"]
            if not abs(e["check"] - want) <= 1e-3 * max(abs(want), 1e-3):
                found.append(f"{e['workload']}: {e['peer']}'s result differs: {e['check']:g}, numjit's {want:g}")
    return found


def main(path: str) -> int:
    entries = [json.loads(line) for line in Path(path).read_text().splitlines() if line.startswith("{")]
    print("\n".join(table(entries)) + "\n")
    goals = verdicts(entries)
    for good, text in goals:
        print(f"- {'reached' if good else 'MISSED'}: {text}")
    for e in entries:
        if "missing" in e:
            print(f"- not compared with {e['peer']}: {e['missing']}")
    amiss = complaints(entries)
    for text in amiss:
        print(f"- AMISS: {text}")
    print(f"\n{sum(good for good, _ in goals)} of {len(goals)} goals reached, {len(amiss)} things amiss")
    return 1 if amiss else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
