"""Logistic regression by Newton's method (iteratively reweighted least squares), with its standard errors."""
import numjit as np


def inputs():
    rng = np.random.default_rng(17)
    x = np.column_stack([np.ones(80), rng.normal(size=(80, 3))])
    chance = 1 / (1 + np.exp(-x @ np.array([-0.5, 1.5, -2.0, 0.0])))
    return x, (rng.random(80) < chance).astype(np.float64)


def log_likelihood(x, y, weights):
    score = x @ weights
    return np.sum(y * score - np.logaddexp(0, score))


def run(x, y):
    weights = np.zeros(x.shape[1])
    history = []
    step = np.inf
    while np.max(np.abs(step)) > 1e-8:  # a break per step
        chance = 1 / (1 + np.exp(-(x @ weights)))
        hessian = x.T @ (x * (chance * (1 - chance))[:, np.newaxis])
        step = np.linalg.solve(hessian, x.T @ (y - chance))
        weights = weights + step
        history.append(log_likelihood(x, y, weights))
    errors = np.sqrt(np.diag(np.linalg.inv(hessian)))
    guess = x @ weights > 0
    confusion = np.zeros((2, 2), dtype=np.int64)
    np.add.at(confusion, (y.astype(np.int64), guess.astype(np.int64)), 1)
    return weights, errors, np.array(history), confusion
