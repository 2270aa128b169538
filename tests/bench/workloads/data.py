"""Workloads that count, select, look up, sort and draw."""
import numpy as np

from workloads.base import Workload, integers, uniform


def bincount(xp, x):
    return xp.bincount(x, minlength=1000)


def bincount_jax(xp, x):
    return xp.bincount(x, length=1000)


def cells(xp, x, y):
    return xp.astype(xp.floor(x * 100), xp.int64) * 100 + xp.astype(xp.floor(y * 100), xp.int64)


def histogram2d(xp, x, y):
    return xp.bincount(cells(xp, x, y), minlength=10000).reshape(100, 100)


def histogram2d_jax(xp, x, y):
    return xp.bincount(cells(xp, x, y), length=10000).reshape(100, 100)


def mask_read(xp, x):
    return x[x > 0.5]


def mask_store(xp, x):
    y = xp.copy(x)
    y[y > 0.5] = 0.5
    return y


def mask_store_jax(xp, x):
    return xp.where(x > 0.5, 0.5, x)


def mask_store_numexpr(evaluate, x):
    return evaluate("where(x > 0.5, 0.5, x)", {"x": x})


def sort(xp, x):
    return xp.sort(x)


def unique(xp, x):
    return xp.unique(x)


def searchsorted(xp, edges, x):
    return xp.searchsorted(edges, x)


def normals(xp, scale):
    return xp.random.default_rng(7).standard_normal((1000, scale.size)) * scale


def edges_and_values(rng):
    return [np.sort(rng.uniform(0, 1, 1000)), rng.uniform(0, 1, 10**6)]


DATA = [
    Workload("bincount", "bincount of 4e6 int64, 1,000 bins", bincount, integers(0, 1000, 4 * 10**6, np.int64),
             mismatch=0, numexpr=None, jax=bincount_jax),
    Workload("histogram2d", "2-D histogram by bincount, 1e6 points, 100x100 bins", histogram2d,
             uniform((0, 1, 10**6), (0, 1, 10**6)), mismatch=0, bound="compute", numexpr=None, jax=histogram2d_jax),
    # How many are read is not known beforehand: JAX can't compile that, its users run it as it is.
    Workload("mask_read", "x[x > 0.5], 1e7 float64", mask_read, uniform((0, 1, 10**7)), jit=False, numexpr=None),
    Workload("mask_store", "a copy with x[x > 0.5] = 0.5, 1e7 float64", mask_store, uniform((0, 1, 10**7)),
             numexpr=mask_store_numexpr, jax=mask_store_jax),
    Workload("sort", "sort of 1e6 float64", sort, uniform((0, 1, 10**6)), bound="compute", numexpr=None),
    Workload("sort_i4", "sort of 1e6 int32", sort, integers(-2**31, 2**31, 10**6, np.int32), call="sort", mismatch=0,
             bound="compute", numexpr=None),
    Workload("unique", "unique of 1e6 int64 below 1e5", unique, integers(0, 10**5, 10**6, np.int64), mismatch=0,
             bound="compute", jit=False, numexpr=None),
    # The same stream as NumPy's; the others draw from streams of their own, or from theirs in Python.
    Workload("normals", "4e6 random normals, scaled by column", normals, uniform((0.5, 2, 4000)), bound="compute",
             numexpr=None, jax=None, torch=None),
    Workload("searchsorted", "places of 1e6 float64 in 1,000 edges", searchsorted, edges_and_values, mismatch=0,
             bound="compute", numexpr=None),
]
