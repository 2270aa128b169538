"""Conjugate gradients with Jacobi's preconditioner for a sparse system in three arrays (CSR)."""
import numjit as np


def inputs():
    # A plate of 9 x 9 points with springs of unequal stiffness to the neighbours and to the ground.
    rng = np.random.default_rng(14)
    n = 9
    number = np.arange(n * n).reshape(n, n)
    first = np.concatenate([number[:, :-1].ravel(), number[:-1].ravel()])
    second = np.concatenate([number[:, 1:].ravel(), number[1:].ravel()])
    return first, second, rng.uniform(0.5, 2.0, len(first)), rng.normal(size=n * n), 1e-9


def assemble(first, second, stiffness, n):
    """Rows, columns and values of the matrix, sorted by row."""
    rows = np.concatenate([first, second, first, second, np.arange(n)])
    columns = np.concatenate([second, first, first, second, np.arange(n)])
    values = np.concatenate([-stiffness, -stiffness, stiffness, stiffness, np.full(n, 0.1)])
    order = np.lexsort([columns, rows])
    return rows[order], columns[order], values[order]


def run(first, second, stiffness, b, tolerance):
    n = len(b)
    rows, columns, values = assemble(first, second, stiffness, n)
    starts = np.searchsorted(rows, np.arange(n))
    product = np.add.reduceat(values * b[columns], starts)  # by segments; below by counting
    diagonal = np.bincount(rows, np.where(rows == columns, values, 0.0))
    x, r = np.zeros(n), b.copy()
    z = r / diagonal
    p, rz = z, np.dot(r, z)
    rounds = 0
    while np.sqrt(np.dot(r, r)) > tolerance:  # a break per round
        ap = np.bincount(rows, values * p[columns])
        alpha = rz / np.dot(p, ap)
        x = x + alpha * p
        r = r - alpha * ap
        z = r / diagonal
        rz, before = np.dot(r, z), rz
        p = z + rz / before * p
        rounds += 1
    return product, x, np.array(rounds)
