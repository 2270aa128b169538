"""Workloads of element by element work: formulas, choices, complex numbers, integer mixing."""
import numpy as np

from workloads.base import Workload, integers, uniform


def chain(xp, a, b):
    return a * b + xp.sqrt(a) - b / (1 + a)


def chain_numexpr(evaluate, a, b):
    return evaluate("a * b + sqrt(a) - b / (1 + a)", {"a": a, "b": b})


def normal_cdf(xp, x):
    return 1 / (1 + xp.exp(-1.5976 * x - 0.07056 * x * x * x))


def black_scholes(xp, spot, strike, years):
    rate, volatility = 0.02, 0.3
    deviation = volatility * xp.sqrt(years)
    d1 = (xp.log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / deviation
    d2 = d1 - deviation
    return spot * normal_cdf(xp, d1) - strike * xp.exp(-rate * years) * normal_cdf(xp, d2)


def black_scholes_numexpr(evaluate, s, k, t):
    cdf = "1 / (1 + exp(-1.5976 * {0} - 0.07056 * {0} * {0} * {0}))"
    d1 = "((log(s / k) + 0.065 * t) / (0.3 * sqrt(t)))"
    d2 = "(" + d1 + " - 0.3 * sqrt(t))"
    return evaluate(f"s * ({cdf.format(d1)}) - k * exp(-0.02 * t) * ({cdf.format(d2)})", {"s": s, "k": k, "t": t})


def gelu(xp, x):
    return 0.5 * x * (1 + xp.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def gelu_numexpr(evaluate, x):
    f = np.float32  # its constants are double unless they come as variables
    return evaluate("half * x * (one + tanh(c * (x + d * x * x * x)))",
                    {"x": x, "half": f(0.5), "one": f(1), "c": f(0.7978845608), "d": f(0.044715)})


def where_chain(xp, x):
    return xp.where(x < 0.2, 0.1 * x,
                    xp.where(x < 0.5, 0.02 + 0.3 * (x - 0.2),
                             xp.where(x < 0.8, 0.11 + 0.4 * (x - 0.5), 0.23 + 0.5 * (x - 0.8))))


def where_chain_numexpr(evaluate, x):
    return evaluate("where(x < 0.2, 0.1 * x, where(x < 0.5, 0.02 + 0.3 * (x - 0.2), "
                    "where(x < 0.8, 0.11 + 0.4 * (x - 0.5), 0.23 + 0.5 * (x - 0.8))))", {"x": x})


def spectral_step(xp, u, force, k2):
    dt = 0.01
    return (u + dt * force) * xp.exp(-k2 * dt) / (1 + dt * k2)


def spectral_step_numexpr(evaluate, u, force, k2):
    return evaluate("(u + 0.01 * f) * exp(-k2 * 0.01) / (1 + 0.01 * k2)", {"u": u, "f": force, "k2": k2})


def spectral_data(rng):
    n = 1024
    frequency = np.fft.fftfreq(n, 1 / n)
    waves = rng.normal(size=(2, n, n)) + 1j * rng.normal(size=(2, n, n))
    return [waves[0], waves[1], frequency[:, None] ** 2 + frequency[None] ** 2]


def hash32(xp, x):  # the last mixing of MurmurHash3
    h = x ^ (x >> 16)
    h = h * xp.uint32(0x85ebca6b)
    h = h ^ (h >> 13)
    h = h * xp.uint32(0xc2b2ae35)
    return h ^ (h >> 16)


def hash64(xp, x):  # SplitMix64
    z = x + xp.uint64(0x9e3779b97f4a7c15)
    z = (z ^ (z >> 30)) * xp.uint64(0xbf58476d1ce4e5b9)
    z = (z ^ (z >> 27)) * xp.uint64(0x94d049bb133111eb)
    return z ^ (z >> 31)


def sized(name, n, text, **more):
    return Workload(name, f"the first expression, {text} elements", chain, uniform((0, 2, n), (0, 2, n)),
                    call="chain", bound="calls", unit="us", numexpr=chain_numexpr, **more)


ELEMENTWISE = [
    Workload("chain", "a*b+sqrt(a)-b/(1+a), 1e7 float64", chain, uniform((0, 2, 10**7), (0, 2, 10**7)),
             numexpr=chain_numexpr),
    sized("small", 10, "10", limit=0.3), sized("chain_100", 100, "100"), sized("chain_1k", 1000, "1,000"),
    sized("chain_10k", 10**4, "10,000"), sized("chain_1m", 10**6, "1e6"),
    Workload("black_scholes", "Black-Scholes, 4e6 float64", black_scholes,
             uniform((50, 150, 4 * 10**6), (50, 150, 4 * 10**6), (0.1, 2, 4 * 10**6)), rtol=1e-10, bound="compute",
             numexpr=black_scholes_numexpr),
    Workload("gelu", "GELU (tanh), 4096x1000 float32", gelu, uniform((-4, 4, (4096, 1000)), dtype=np.float32),
             rtol=1e-5, bound="compute", numexpr=gelu_numexpr),
    Workload("where_chain", "a tariff in 4 steps by where, 4e6 float64", where_chain, uniform((0, 1, 4 * 10**6)),
             numexpr=where_chain_numexpr),
    Workload("spectral_step", "spectral step, 1024x1024 complex128", spectral_step, spectral_data,
             numexpr=spectral_step_numexpr),
    # NumExpr has no unsigned integers, torch.compile no multiplication of them.
    Workload("hash32", "MurmurHash3 mixing, 4e6 uint32", hash32, integers(0, 2**32, 4 * 10**6, np.uint32),
             numexpr=None, torch=None),
    Workload("hash64", "SplitMix64, 4e6 uint64", hash64, integers(0, 2**63, 4 * 10**6, np.uint64),
             numexpr=None, torch=None),
]
