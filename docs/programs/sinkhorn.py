"""Optimal transport by Sinkhorn's iteration in logarithms, between two clouds of points, until both margins fit."""
import numjit as np


def inputs():
    rng = np.random.default_rng(53)
    return rng.normal(size=(20, 2)), rng.normal(size=(15, 2)) + np.array([2.0, 0.0]), 0.2, 1e-8


def soft_min(x, axis):
    top = np.max(x, axis=axis, keepdims=True)
    return -np.squeeze(top, axis) - np.log(np.sum(np.exp(x - top), axis=axis))


def run(x, y, blur, tolerance):
    cost = np.linalg.norm(x[:, np.newaxis] - y, axis=-1)
    a, b = np.full(len(x), 1 / len(x)), np.full(len(y), 1 / len(y))
    f, g = np.zeros(len(x)), np.zeros(len(y))
    error = np.inf
    while error > tolerance:  # a break each ten rounds
        for _ in range(10):
            f = blur * soft_min((g - cost) / blur + np.log(b), 1)
            g = blur * soft_min((f[:, np.newaxis] - cost) / blur + np.log(a)[:, np.newaxis], 0)
        plan = np.exp((f[:, np.newaxis] + g - cost) / blur) * a[:, np.newaxis] * b
        error = np.sum(np.abs(np.sum(plan, axis=1) - a))
    moved = plan @ y * len(x)
    return f - np.mean(f), np.sum(plan * cost), moved, np.argmax(plan, axis=1), np.sum(plan, axis=0)
