"""The workloads: their data, what they compute in NumPy's words, and how results are compared."""
import numpy as np


def chain(xp, a, b):
    return a * b + xp.sqrt(a) - b / (1 + a)


def normal_cdf(xp, x):
    return 1 / (1 + xp.exp(-1.5976 * x - 0.07056 * x * x * x))


def black_scholes(xp, spot, strike, years):
    rate, volatility = 0.02, 0.3
    deviation = volatility * xp.sqrt(years)
    d1 = (xp.log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / deviation
    d2 = d1 - deviation
    return spot * normal_cdf(xp, d1) - strike * xp.exp(-rate * years) * normal_cdf(xp, d2)


def row_sums(xp, x):
    return xp.sum(x, axis=1)


def mean_square(xp, x, y):
    d = x - y
    return xp.mean(d * d)


def kmeans(xp, points, centres):
    diff = points[:, None] - centres[None]
    return xp.argmin(xp.sum(diff * diff, axis=-1), axis=1)


def heat_interior(u):
    inner = u[1:-1, 1:-1]
    return inner + 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * inner)


def heat(xp, u, following):
    following[1:-1, 1:-1] = heat_interior(u)
    return following


# The i-th of a family of small functions no two of which have the same graph: digits choose the ops.
def distinct(xp, i, a, b):
    x = a
    for _ in range(4):
        x = [lambda: x * b + 0.5, lambda: xp.maximum(x, b) - 0.25, lambda: xp.sqrt(x * x + b)][i % 3]()
        i //= 3
    return x


class Workload:
    """One row of the table: `make` draws the inputs, `function(xp, *inputs)` says what is computed."""

    def __init__(self, name, title, function, make, unit="ms", rtol=1e-12, limit=None):
        self.name, self.title, self.function, self.make = name, title, function, make
        self.unit, self.rtol, self.limit = unit, rtol, limit

    def agrees(self, result, expected) -> bool:
        """Equal up to rounding; of indices one in ten thousand may differ (ties decided by rounding)."""
        result, expected = np.asarray(result), np.asarray(expected)
        if result.shape != expected.shape:
            return False
        if expected.dtype.kind in "iu":
            return bool(np.mean(result != expected) <= 1e-4)
        return bool(np.allclose(result, expected, rtol=self.rtol, atol=self.rtol))


def uniform(*bounds_and_shape, dtype=np.float64):
    def make(rng):
        return [rng.uniform(low, high, shape).astype(dtype) for low, high, shape in bounds_and_shape]
    return make


def heat_data(rng):
    u = rng.uniform(0, 1, (2000, 2000))
    return [u, u.copy()]


WORKLOADS = [
    Workload("chain", "a*b+sqrt(a)-b/(1+a), 1e7 float64", chain, uniform((0, 2, 10**7), (0, 2, 10**7))),
    Workload("black_scholes", "Black-Scholes, 4e6 float64", black_scholes,
             uniform((50, 150, 4 * 10**6), (50, 150, 4 * 10**6), (0.1, 2, 4 * 10**6)), rtol=1e-10),
    Workload("row_sums", "row sums, 4096x1000 float32", row_sums,
             uniform((0, 1, (4096, 1000)), dtype=np.float32), rtol=1e-4),
    Workload("mean_square", "mean of (x-y)^2, 4096x1000 float32", mean_square,
             uniform((0, 1, (4096, 1000)), (0, 1, (4096, 1000)), dtype=np.float32), rtol=1e-4),
    Workload("kmeans", "k-means assignment, 1e5x8, 16 centres", kmeans,
             uniform((0, 1, (10**5, 8)), (0, 1, (16, 8)), dtype=np.float32)),
    Workload("heat", "heat step, 2000x2000 float64", heat, heat_data),
    Workload("small", "the first expression, 10 elements", chain, uniform((0, 2, 10), (0, 2, 10)),
             unit="us", limit=0.3),
]
