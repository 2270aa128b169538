"""Polynomial regression: gradient descent until it converges, normal equations, ridge with cross-validation."""
from functools import partial

import numpy as np
from numpy import linalg as la


def inputs():
    rng = np.random.default_rng(3)
    x = np.sort(rng.uniform(-1, 1, 50))
    y = 0.5 - 1.2 * x + 2 * x ** 3 + rng.normal(0, 0.1, 50)
    return x, y, 3, [1e-3, 1e-2, 1e-1, 1.0]


def features(x, degree):
    return np.column_stack([x ** p for p in range(degree + 1)])


def mse(w, X, y):
    r = X @ w - y
    return float(r @ r) / len(y)


def gradient_descent(X, y, lr=0.4, tol=1e-7, max_iter=4000):
    w = np.zeros(X.shape[1])
    steps = 0
    while steps < max_iter:
        grad = 2 / len(y) * X.T @ (X @ w - y)
        if np.abs(grad).max() < tol:
            break
        w -= lr * grad
        steps += 1
    return w, steps


def solve_normal(X, y, penalty=0.0):
    A = X.T @ X
    if penalty:
        A += penalty * np.eye(len(A))
    try:
        return la.solve(A, X.T @ y), True
    except la.LinAlgError:
        return la.lstsq(X, y, rcond=None)[0], False


def cross_validate(X, y, penalty, folds=5):
    index = np.arange(len(y))
    total = 0.0
    for k in range(folds):
        held = index % folds == k
        w, _ = solve_normal(X[~held], y[~held], penalty)
        total += mse(w, X[held], y[held])
    return total / folds


def run(x, y, degree, penalties):
    X = features(x, degree)
    loss = partial(mse, X=X, y=y)
    w, steps = gradient_descent(X, y)
    exact, regular = solve_normal(X, y)

    # The gradient by differences agrees with the formula
    slope = lambda w, e, h=1e-2: (loss(w + h * e) - loss(w - h * e)) / (2 * h)
    numeric = lambda w: np.array([slope(w, e) for e in np.eye(len(w))])
    formula = 2 / len(y) * X.T @ (X @ np.ones(degree + 1) - y)
    checked = np.allclose(numeric(np.ones(degree + 1)), formula)

    scores = {p: cross_validate(X, y, p) for p in penalties}
    best = min(scores, key=scores.get)
    ridge, _ = solve_normal(X, y, best)

    # A column given twice makes the system singular
    twice = np.column_stack([np.ones(4), np.ones(4)])
    least, singular_ok = solve_normal(twice, np.array([1.0, 2.0, 3.0, 6.0]))

    residual = y - X @ exact
    r2 = 1 - residual.var() / y.var()
    return {"descent": (w, steps), "exact": exact, "regular": [regular, singular_ok], "checked": checked,
            "scores": scores, "best": best, "ridge": ridge, "least": least, "r2": r2}
