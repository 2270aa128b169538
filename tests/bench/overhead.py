"""./dev bench overhead: what a call of a compiled function costs besides its arithmetic, on 10 elements.

numjit's figures come from the C++ program beside this file (overhead.cpp), the peers' from the same chains of
operations called from Python, round by round in turn with it. A figure is the best of the rounds.
"""
import importlib.util
import os
import subprocess
import time
from pathlib import Path

import numpy as np

TITLES = {
    "rerun_per_op": "each recorded operation, ns",
    "rerun_per_call": "a call, kernel included, ns",
    "replay_per_call": "a call in mode replay, ns",
    "per_break": "each graph break, ns",
    "changing_shapes_per_call": "a call when sizes change each time, ns",
    "loop_two_stores_to_eager": "a time loop with two stores, times eager",
    "loop_rows_to_eager": "a loop over rows, times eager",
    "loop_elements_to_eager": "a loop over elements, times eager",
    "eager_per_op": "an eager operation, ns",
}
ROUNDS = 5


def chain(ops):
    def compute(x, y):
        z = x + y
        for i in range(1, ops):
            z = z * x if i % 2 else z + y
        return z
    return compute


def best_of(f, *arguments) -> float:
    """Nanoseconds per call: the best of some rounds of calls."""
    f(*arguments)
    start = time.perf_counter()
    f(*arguments)
    calls = max(1, min(2000, int(0.002 / max(time.perf_counter() - start, 1e-7))))
    best = float("inf")
    for _ in range(20):
        start = time.perf_counter()
        for _ in range(calls):
            f(*arguments)
        best = min(best, (time.perf_counter() - start) / calls)
    return 1e9 * best


def alternating(f, *pairs) -> float:
    def both():
        for pair in pairs:
            f(*pair)
    return best_of(both) / len(pairs)


class Peer:
    """Compiles plain functions of arrays; `ready` waits for the result."""

    def __init__(self, name, compile, arrays=lambda *a: a, ready=lambda r: r, breaks=None):
        self.name, self.arrays, self.ready, self.breaks = name, arrays, ready, breaks
        # One loop length per function: compilers unroll it.
        self.short, self.long = compile(chain(4)), compile(chain(32))

    def measure(self, x, y, x11, y11) -> dict:
        x, y, x11, y11 = self.arrays(x, y, x11, y11)
        short, ready = self.short, self.ready
        at_4 = best_of(lambda: ready(short(x, y)))
        per_op = max(0.0, (best_of(lambda: ready(self.long(x, y))) - at_4) / 28)
        found = {"rerun_per_op": per_op, "rerun_per_call": max(0.0, at_4 - 4 * per_op),
                 "changing_shapes_per_call": alternating(lambda a, b: ready(short(a, b)), (x, y), (x11, y11))}
        if self.breaks:
            one, five = self.breaks
            found["per_break"] = (best_of(lambda: ready(five(x, y))) - best_of(lambda: ready(one(x, y)))) / 4
        return found


class Eager(Peer):
    """Nothing is compiled: an operation costs what it costs."""

    def measure(self, *arrays) -> dict:
        return {"eager_per_op": super().measure(*arrays)["rerun_per_op"]}


def numba_peer() -> Peer:
    import numba
    return Peer("numba", lambda f: numba.njit(f))


def jax_peer() -> Peer:
    import jax
    jax.config.update("jax_enable_x64", True)
    return Peer("jax", jax.jit, lambda *a: [jax.device_put(v) for v in a], lambda r: r.block_until_ready())


def torch_peer() -> Peer:
    import torch

    def breaking(breaks):
        def compute(x, y):
            z = x + y
            for _ in range(breaks):
                torch._dynamo.graph_break()
                z = z * y
            return z
        return torch.compile(compute)
    return Peer("torch", torch.compile, lambda *a: [torch.from_numpy(v) for v in a],
                breaks=(breaking(1), breaking(5)))


MAKERS = {"numba": numba_peer, "jax": jax_peer, "torch": torch_peer}


def run_program() -> dict:
    """Name -> (value, limit) of one run of overhead.cpp."""
    program = Path(os.environ["NUMJIT_BUILD_DIR"]) / "bin" / "bench" / "overhead"
    text = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return {name: (float(value), float(limit)) for name, value, limit in map(str.split, text.splitlines())}


def table(ours: dict, peers: dict) -> list:
    """Entries as the other benchmarks give them; prints a line for each."""
    print(f"{'':<44}{'limit':>8}{'numjit':>10}" + "".join(f"{name:>10}" for name in peers))
    entries = []
    for name, (value, limit) in ours.items():
        results = {"numjit": value} | {peer: found[name] for peer, found in peers.items() if name in found}
        cells = "".join(f"{results[p]:>10.4g}" if p in results else f"{'':>10}" for p in ["numjit", *peers])
        print(f"{TITLES[name]:<44}{limit:>8g}{cells}{'' if value <= limit else '  over the limit'}", flush=True)
        entries.append({"name": name, "unit": "x" if name.endswith("to_eager") else "ns", "better": "less",
                        "results": results, "limit": limit, "agree": True})
    return entries


def run(names) -> list:
    """Measures numjit and the peers of these names that are installed."""
    vectors = [np.linspace(0.5, 1, 10), np.linspace(0.9, 1.1, 10), np.linspace(0.5, 1, 11), np.linspace(0.9, 1.1, 11)]
    makers = [MAKERS[name] for name in names if importlib.util.find_spec(name)]
    peers = [Eager("numpy", lambda f: f)] + [make() for make in makers]
    ours, theirs = {}, {peer.name: {} for peer in peers}
    for _ in range(ROUNDS):
        for name, (value, limit) in run_program().items():
            ours[name] = (min(value, ours.get(name, (value,))[0]), limit)
        for peer in peers:
            for name, value in peer.measure(*vectors).items():
                theirs[peer.name][name] = min(value, theirs[peer.name].get(name, value))
    return table(ours, theirs)
