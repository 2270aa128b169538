"""LU decomposition with partial pivoting by hand, and what it is for: solving, the determinant, the inverse."""
import numjit as np


def inputs():
    rng = np.random.default_rng(3)
    return rng.normal(size=(8, 8)), rng.normal(size=8)


def decompose(a):
    lu, order = a.copy(), np.arange(len(a))
    swaps = np.array(0)
    for k in range(len(a) - 1):
        pivot = k + np.argmax(np.abs(lu[k:, k]))
        swaps = swaps + (pivot != k)
        pair = np.stack([np.asarray(k), pivot])
        lu[pair] = lu[pair[::-1]]
        order[pair] = order[pair[::-1]]
        lu[k + 1:, k] /= lu[k, k]
        lu[k + 1:, k + 1:] -= np.outer(lu[k + 1:, k], lu[k, k + 1:])
    return lu, order, swaps


def solve(lu, order, b):
    x = b[order].copy()
    for i in range(len(x)):
        x[i] -= lu[i, :i] @ x[:i]
    for i in range(len(x) - 1, -1, -1):
        x[i] = (x[i] - lu[i, i + 1:] @ x[i + 1:]) / lu[i, i]
    return x


def run(a, b):
    lu, order, swaps = decompose(a)
    lower, upper = np.tril(lu, -1) + np.eye(len(a)), np.triu(lu)
    x = solve(lu, order, b)
    inverse = solve(lu, order, np.eye(len(a)))
    determinant = np.where(swaps % 2 == 0, 1.0, -1.0) * np.prod(np.diag(lu))
    right = np.array(np.max(np.abs(lower @ upper - a[order])) < 1e-13)
    return order, right, x, np.abs(a @ x - b) < 1e-12, inverse, determinant, np.linalg.det(a)
