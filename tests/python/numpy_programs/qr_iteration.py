"""Gram and Schmidt's orthogonal vectors, classical and modified, and eigenvalues by the QR iteration with shifts."""
import numpy as np
import numpy.linalg as la
from numpy.linalg import norm


def inputs():
    rng = np.random.default_rng(4)
    B = rng.normal(size=(5, 5))
    S = B + B.T + np.diag(np.arange(5) * 4.0)
    return S, rng.normal(size=(7, 4)), 1e-13


def gram_schmidt(A, modified=True):
    m, n = A.shape
    Q, R = np.zeros((m, n)), np.zeros((n, n))
    for j in range(n):
        v = A[:, j].astype(float)
        for i in range(j):
            R[i, j] = Q[:, i] @ (v if modified else A[:, j])
            v -= R[i, j] * Q[:, i]
        R[j, j] = norm(v)
        if R[j, j] < 1e-10:
            raise la.LinAlgError(f"column {j} depends on those before")
        Q[:, j] = v / R[j, j]
    return Q, R


def wilkinson(T):
    a, b, c = T[-2, -2], T[-1, -2], T[-1, -1]
    d = (a - c) / 2
    if d == 0:
        return c - abs(b)
    return c - np.sign(d) * b ** 2 / (abs(d) + np.sqrt(d ** 2 + b ** 2))


def eigenvalues(S, tol):
    """By deflation: each time the last row is done, the matrix gets smaller."""
    T = S.copy()
    values, steps = [], 0
    while len(T) > 1:
        while norm(T[-1, :-1]) > tol * norm(T):
            shift = wilkinson(T)
            eye = np.eye(len(T))
            Q, R = la.qr(T - shift * eye)
            T = R @ Q + shift * eye
            steps += 1
            if steps > 200:
                raise la.LinAlgError("no convergence")
        values.append(T[-1, -1])
        T = T[:-1, :-1]
    values.append(T[0, 0])
    return np.sort(values), steps


def is_positive(S):
    try:
        la.cholesky(S)
    except np.linalg.LinAlgError:
        return False
    return True


def independent(*vectors):
    try:
        gram_schmidt(np.stack(vectors, axis=1))
    except np.linalg.LinAlgError as e:
        return str(e)
    return "independent"


def run(S, A, tol):
    Q, R = gram_schmidt(A)
    Q2, R2 = gram_schmidt(A, modified=False)
    assert np.allclose(Q @ R, A) and np.allclose(Q.T @ Q, np.eye(4))
    values, steps = eigenvalues(S, tol)
    assert np.allclose(values, la.eigvalsh(S))
    verdicts = [independent(A[:, 0], A[:, 1]), independent(A[:, 0], A[:, 1], A[:, 0] - 2 * A[:, 1])]
    positive = [is_positive(S), is_positive(S + (1 - values[0]) * np.eye(5))]

    # The largest by powers, with Rayleigh's quotient
    v = np.ones(5)
    old, new = 0.0, 1.0
    while abs(new - old) > 1e-13 * abs(new):
        w = S @ v
        v = w / norm(w)
        old, new = new, float(v @ S @ v)
    volume = np.prod(np.diag(R))
    return Q, R, np.allclose(R, R2), values, verdicts, positive, new, volume, np.trace(S) - values.sum() < 1e-9
