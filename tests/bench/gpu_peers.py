"""The workloads of gpu.cpp by CuPy, JAX and torch.compile, on the same data: a line of JSON for each, as that program's.

    gpu_peers.py [MEGABYTES] [PEER ...]    cupy, jax, torch; numpy only where it is named
"""
import importlib
import json
import math
import sys
import time

try:
    import numpy as np
except ImportError:  # then the others are not there either
    np = None

ROUNDS, CALLS = 7, 5


def chain(xp, x, y):
    return x * y + xp.sqrt(x) - y / (1.0 + x)


def black_scholes(xp, s, k):
    d = xp.log((s + 1.0) / (k + 2.0)) + 0.02
    return (s + 1.0) / (1.0 + xp.exp(-1.702 * d)) - (k + 2.0) / (1.0 + xp.exp(-1.702 * (d - 0.2)))


def softmax(xp, a):
    e = xp.exp(a - xp.amax(a, 1).reshape(-1, 1))
    return e / xp.sum(e, 1).reshape(-1, 1)


def stencil(xp, u):
    inner = u[1:-1, 1:-1]
    return inner + 0.2 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * inner)


def k_means(xp, p, c):
    d = p[:, None] - c[None]
    return xp.argmin(xp.sum(d * d, -1), 1)


def five(xp, a):
    return xp.sqrt(a * a + 1.0) - a * 0.5


def chained(xp, a):
    e = xp.exp(a - xp.amax(a))
    return e / xp.sum(e)


# Name, function, arrays it takes.
WORKLOADS = [
    ("copy", lambda xp, x: -x, "x"), ("chain", chain, "xy"), ("black-scholes", black_scholes, "xy"), ("softmax", softmax, "s"),
    ("row sums", lambda xp, a: xp.sum(a, 1), "s"), ("column sums", lambda xp, a: xp.sum(a, 0), "s"),
    ("sum", lambda xp, a: xp.sum(a), "x"), ("stencil", stencil, "s"), ("k-means", k_means, "pc"),
]
CALLS_OF_FEW = [("replayed call", five), ("replayed call of several kernels", chained)]


def arrays(megabytes):
    """The data of gpu.cpp."""
    n = int(megabytes * 1e6 / 4)
    x = (np.arange(float(n)) * 1e-6).astype(np.float32)
    side = math.isqrt(n)
    points = x[: n // 8 // 16 * 8].reshape(-1, 8)
    return {"x": x, "y": x, "s": x[: side * side].reshape(side, side), "p": points, "c": points[:16].copy(), "small": x[:256].copy()}


class NumPy:
    """What the others are tested against."""

    def __init__(self):
        self.xp = np

    def compile(self, function):
        return lambda *a: function(self.xp, *a)

    def put(self, a):
        return a

    def wait(self, result):
        pass

    def first(self, result):
        """Up to 1,000 elements."""
        return np.ravel(np.asarray(result))[:1000]


class CuPy(NumPy):
    def __init__(self):
        self.xp = importlib.import_module("cupy")
        self.xp.cuda.runtime.getDeviceCount()  # raises where there is no GPU

    def put(self, a):
        return self.xp.asarray(a)

    def wait(self, result):
        self.xp.cuda.get_current_stream().synchronize()

    def first(self, result):
        return self.xp.asnumpy(self.xp.ravel(result)[:1000])


class Jax(NumPy):
    def __init__(self):
        self.jax = importlib.import_module("jax")
        self.xp = importlib.import_module("jax.numpy")

    def compile(self, function):
        return self.jax.jit(lambda *a: function(self.xp, *a))

    def put(self, a):
        return self.jax.device_put(a)

    def wait(self, result):
        self.jax.block_until_ready(result)

    def first(self, result):
        return np.asarray(self.xp.ravel(result)[:1000])


class Torch(NumPy):
    def __init__(self):
        self.xp = importlib.import_module("torch")
        self.device = "cuda" if self.xp.cuda.is_available() else "cpu"

    def compile(self, function):
        return self.xp.compile(lambda *a: function(self.xp, *a), dynamic=False)

    def put(self, a):
        return self.xp.from_numpy(a).to(self.device)

    def wait(self, result):
        if self.device == "cuda":
            self.xp.cuda.synchronize()

    def first(self, result):
        return result.reshape(-1)[:1000].cpu().numpy()


PEERS = {"cupy": CuPy, "jax": Jax, "torch": Torch, "numpy": NumPy}


def seconds(peer, call):
    """Of a call, best of several rounds, work of the device included."""
    for _ in range(3):
        result = call()
    peer.wait(result)
    best = math.inf
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(CALLS):
            result = call()
        peer.wait(result)
        best = min(best, (time.perf_counter() - start) / CALLS)
    return best, result


def host_seconds(peer, call):
    """What the host spends on a call that it does not wait for."""
    best = math.inf
    for _ in range(50):
        start = time.perf_counter()
        for _ in range(20):
            result = call()
        best = min(best, (time.perf_counter() - start) / 20)
        peer.wait(result)
    return best


def lines(name, megabytes):
    """The entries of one peer; of one that is not there, why."""
    try:
        importlib.import_module("numpy")
        peer = PEERS[name]()
    except Exception as e:  # not installed, or no GPU for it
        yield {"peer": name, "missing": str(e).splitlines()[0] if str(e) else type(e).__name__}
        return
    data, there = arrays(megabytes), {}
    for workload, function, takes in WORKLOADS:
        try:
            there |= {a: peer.put(data[a]) for a in takes if a not in there}
            given, compiled = [there[a] for a in takes], peer.compile(function)
            best, result = seconds(peer, lambda: compiled(*given))
            check = float(np.sum(np.abs(peer.first(result).astype(np.float64))))
            yield {"peer": name, "workload": workload, "ms": round(1e3 * best, 4), "check": check}
        except Exception as e:
            yield {"peer": name, "workload": workload, "failed": str(e).splitlines()[0] if str(e) else type(e).__name__}
    small = peer.put(data["small"])
    for workload, function in CALLS_OF_FEW:
        compiled = peer.compile(function)
        compiled(small)
        yield {"peer": name, "workload": workload, "host_us": round(1e6 * host_seconds(peer, lambda: compiled(small)), 2)}


def main(arguments):
    megabytes = float(arguments[0]) if arguments else 256
    for name in arguments[1:] or ["cupy", "jax", "torch"]:
        for entry in lines(name, megabytes):
            print(json.dumps(entry), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
