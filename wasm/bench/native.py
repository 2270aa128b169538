"""The workloads of workloads.js by the native build: prints {workload: {size: milliseconds}} as JSON.

    PYTHONPATH=build/python NUMJIT_THREADS=1 NUMJIT_TARGET=x86-64-v2 python native.py [WORKLOAD]
"""
import json
import math
import sys
import time

import numjit as np

SIZES = [100, 1000, 10_000, 100_000, 1_000_000]
CLUSTERS = 8
rng = np.random.default_rng(7)


def uniform(shape, low=0.1, high=2.0):
    return rng.uniform(low, high, shape).astype("float32")


def side(n):
    return max(4, round(math.sqrt(n)))


def square(n, low=0.1, high=2.0):
    return uniform((side(n), side(n)), low, high)


def chain(a, b):
    return a * b + np.sqrt(a) - b / (1 + a)


def mandelbrot(a, b):
    x, y, count = np.zeros_like(a), np.zeros_like(a), np.zeros_like(a)
    for _ in range(20):
        t = x * x - y * y + a
        y = x * y * 2 + b
        x = t
        count = count + (x * x + y * y < 4)
    return count


def newton(x, y):
    for _ in range(10):
        a, b = x * x - y * y, x * y * 2
        d = (a * a + b * b) * 3
        x, y = x * (2 / 3) + a / d, y * (2 / 3) - b / d
    return x


def heat(u):
    here = u[1:-1, 1:-1]
    return here + (u[1:-1, :-2] + u[1:-1, 2:] + u[:-2, 1:-1] + u[2:, 1:-1] - here * 4) * 0.1


def laplace(a):
    return a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1] - a[1:-1, 1:-1] * 4


def gray_scott(u, v):
    inner_u, inner_v = u[1:-1, 1:-1], v[1:-1, 1:-1]
    uvv = inner_u * inner_v * inner_v
    return (inner_u + laplace(u) * 0.2 - uvv + (1 - inner_u) * 0.04, inner_v + laplace(v) * 0.1 + uvv - inner_v * 0.1)


def black_scholes(s, k, t):
    def cdf(x):
        return (np.tanh(x * 0.7978846 + x * x * x * 0.0356774) + 1) * 0.5

    spread = np.sqrt(t) * 0.25
    d1 = (np.log(s / k) + t * 0.06125) / spread
    return s * cdf(d1) - k * np.exp(t * -0.03) * cdf(d1 - spread)


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def kmeans(points, centres):
    d = points - centres
    return np.argmin((d * d).sum(axis=2), axis=1)


def total(a):
    return a.sum()


def ordered(a):
    return np.sort(a)


def product(x, y):
    return x @ y


def spectrum(signal, window):
    return np.abs(np.fft.rfft(signal * window))


def boids(x, y):
    dx, dy = x - x[:, None], y - y[:, None]
    r2 = dx * dx + dy * dy
    pull = (r2 < 0.25).astype(np.float32) - 0.01 / (r2 + 0.01)
    return (pull * dx).sum(axis=1), (pull * dy).sum(axis=1)


def pagerank(links, rank):
    for _ in range(10):
        rank = (links @ rank) * 0.85 + 0.15 / len(rank)
    return rank


PAIRS = [16, 64, 256, 1024]
WORKLOADS = {
    "chain": (chain, SIZES, lambda n: (uniform(n), uniform(n, 0.5, 3))),
    "mandelbrot": (mandelbrot, SIZES, lambda n: (uniform(n, -2, 0.6), uniform(n, -1.2, 1.2))),
    "newton": (newton, SIZES, lambda n: (uniform(n, 0.2), uniform(n, 0.2))),
    "heat": (heat, SIZES, lambda n: (square(n),)),
    "gray_scott": (gray_scott, SIZES, lambda n: (square(n, 0.2, 1), square(n, 0, 0.5))),
    "black_scholes": (black_scholes, SIZES, lambda n: (uniform(n, 50, 150), uniform(n, 60, 140), uniform(n, 0.1, 2))),
    "softmax": (softmax, SIZES, lambda n: (uniform((n // 100, 100), -3, 3),)),
    "kmeans": (kmeans, SIZES, lambda n: (uniform((n, 1, 3), 0, 1), uniform((1, CLUSTERS, 3), 0, 1))),
    "sum": (total, SIZES, lambda n: (uniform(n, 0, 1),)),
    "sort": (ordered, SIZES, lambda n: (uniform(n, -1, 1),)),
    "matmul": (product, [64, 256, 512], lambda n: (uniform((n, n)), uniform((n, n)))),
    "spectrum": (spectrum, [128, 1024, 8192, 131072, 1048576], lambda n: (uniform(n, -1, 1), uniform(n, 0, 1))),
    "boids": (boids, PAIRS, lambda n: (uniform(n, -1, 1), uniform(n, -0.8, 0.8))),
    "pagerank": (pagerank, PAIRS, lambda n: (uniform((n, n), 0, 2 / n), uniform(n, 1 / n, 1 / n))),
}


def milliseconds(function, arguments, budget=0.06):
    """Of the fastest of five batches, per call; kernels are there before."""
    for _ in range(3):
        function(*arguments)
    begin = time.perf_counter()
    function(*arguments)
    count = max(1, int(budget / 4 / max(time.perf_counter() - begin, 1e-7)))
    best = math.inf
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(count):
            function(*arguments)
        best = min(best, (time.perf_counter() - begin) / count)
    return best * 1e3


def main(only=None):
    found = {}
    for name, (function, sizes, data) in WORKLOADS.items():
        if only and only != name:
            continue
        compiled = np.compile(function, mode="replay", fullgraph=True)
        found[name] = {n: milliseconds(compiled, data(n)) for n in sizes}
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
