"""QR decomposition by Householder's reflections, by hand, and least squares with it."""
import numjit as np


def inputs():
    t = np.linspace(0, 1, 10)
    return np.vander(t, 4), np.sin(5 * t)


def decompose(a):
    r, q = a.copy(), np.eye(len(a))
    for k in range(a.shape[1]):
        v = r[k:, k].copy()
        v[0] += np.copysign(np.linalg.norm(v), v[0])
        v /= np.linalg.norm(v)
        r[k:] -= 2 * np.outer(v, v @ r[k:])
        q[:, k:] -= 2 * np.outer(q[:, k:] @ v, v)
    return q, np.triu(r)


def run(a, b):
    n = a.shape[1]
    q, r = decompose(a)
    rotated = q.T @ b
    x = np.zeros(n)
    for i in reversed(range(n)):
        x[i] = (rotated[i] - r[i, i + 1:n] @ x[i + 1:]) / r[i, i]
    orthogonal = np.max(np.abs(q.T @ q - np.eye(len(q)))) < 1e-14
    known = np.linalg.lstsq(a, b, rcond=None)[0]
    return q, r, x, orthogonal, np.max(np.abs(x - known)) < 1e-10, np.linalg.norm(rotated[n:])
