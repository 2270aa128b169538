"""Workloads around matrix products."""
import numpy as np

from workloads.base import Workload, uniform


def dense_layer(xp, x, weights, bias):
    return xp.maximum(xp.matmul(x, weights) + bias, 0)


def einsum_chain(xp, a, b, c):
    return xp.einsum("bij,bjk,bkl->bil", a, b, c)


def einsum_chain_numpy(xp, a, b, c):
    return xp.einsum("bij,bjk,bkl->bil", a, b, c, optimize=True)


LINEAR = [
    Workload("dense_layer", "max(x @ w + b, 0), 1024x512 by 512x512 float32", dense_layer,
             uniform((-1, 1, (1024, 512)), (-1, 1, (512, 512)), (-1, 1, 512), dtype=np.float32), rtol=1e-3,
             bound="compute", numexpr=None),
    Workload("einsum_chain", "einsum of three, 64 times 64x64 float64", einsum_chain,
             uniform(*[(-1, 1, (64, 64, 64))] * 3), rtol=1e-9, bound="compute", numexpr=None,
             numpy=einsum_chain_numpy),
]
