"""Heat in a rod by Crank and Nicolson's implicit steps, each solved by Thomas's algorithm for tridiagonal systems."""
import numjit as np


def inputs():
    x = np.linspace(0, 1, 18)
    return np.exp(-100 * (x - 0.3) ** 2), 0.4, 6


def thomas(lower, diagonal, upper, b):
    """Solves a tridiagonal system; sweeps down, then up."""
    n = len(b)
    c, d = np.zeros(n), np.zeros(n)
    c[0], d[0] = upper / diagonal, b[0] / diagonal
    for i in range(1, n):
        pivot = diagonal - lower * c[i - 1]
        c[i] = upper / pivot
        d[i] = (b[i] - lower * d[i - 1]) / pivot
    for i in range(n - 2, -1, -1):
        d[i] -= c[i] * d[i + 1]
    return d


def run(u, r, steps):
    history = [u]
    for _ in range(steps):
        right = u[1:-1] + 0.5 * r * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = np.pad(thomas(-0.5 * r, 1 + r, -0.5 * r, right), 1)
        history.append(u)
    # The same by a matrix and its powers.
    n = len(u) - 2
    second = np.eye(n, k=1) - 2 * np.eye(n) + np.eye(n, k=-1)
    step = np.linalg.solve(np.eye(n) - 0.5 * r * second, np.eye(n) + 0.5 * r * second)
    final = np.linalg.matrix_power(step, steps) @ history[0][1:-1]
    return np.array(history), np.trapezoid(u, dx=1 / 17), np.max(np.abs(final - u[1:-1])) < 1e-6
