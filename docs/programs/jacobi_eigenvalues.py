"""Eigenvalues of a symmetric matrix by Jacobi's rotations, all pairs in turn, until the rest is nothing."""
import numjit as np


def inputs():
    rng = np.random.default_rng(19)
    a = rng.normal(size=(6, 6))
    return a + a.T, 1e-12


def rotate(a, vectors, p, q):
    """Makes a[p, q] zero."""
    theta = 0.5 * np.arctan2(2 * a[p, q], a[q, q] - a[p, p])
    c, s = np.cos(theta), np.sin(theta)
    for m in (a, a.T, vectors):                           # columns, then rows, then columns
        left, right = m[:, p].copy(), m[:, q].copy()
        m[:, p] = c * left - s * right
        m[:, q] = s * left + c * right


def run(matrix, tolerance):
    a, n = matrix.copy(), len(matrix)
    vectors = np.eye(n)
    sweeps = 0
    while np.sqrt(np.sum(np.tril(a, -1) ** 2)) > tolerance:  # a break per sweep
        for p in range(n - 1):
            for q in range(p + 1, n):
                rotate(a, vectors, p, q)
        sweeps += 1
    values = np.diag(a)
    order = np.argsort(values)
    vectors = vectors[:, order]
    vectors = vectors * np.sign(vectors[0])
    right = np.allclose(values[order], np.linalg.eigvalsh(matrix))
    return values[order], vectors, np.array(sweeps), np.array(right)
