"""Logistic regression by Newton's method, its steps by conjugate gradients that ask only for the Hessian times a vector."""
import numjit as np


def inputs():
    rng = np.random.default_rng(9)
    x = np.column_stack([np.ones(400), rng.normal(size=(400, 7))])
    truth = np.array([0.5, 1.0, -2.0, 0.0, 0.7, 1.5, -0.5, 0.0])
    y = (rng.random(400) < 1 / (1 + np.exp(-x @ truth))) * 1.0
    return x, y, truth


def run(x, y, truth, rounds=8, penalty=1e-3):
    def loss(w):
        s = x @ w
        return np.mean(np.logaddexp(0, s) - y * s) + 0.5 * penalty * (w @ w)

    w = np.zeros(x.shape[1])
    losses, slopes = np.empty(rounds), np.empty(rounds)
    for i in range(rounds):
        losses[i], slope = np.value_and_grad(loss)(w)
        slopes[i] = np.sqrt(slope @ slope)
        step, rest = np.zeros_like(w), -slope
        way, square = rest, rest @ rest
        for _ in range(len(w)):                                # as many as there are weights: exact but for rounding
            bent = np.hvp(loss, (w,), (way,))
            length = square / (way @ bent)
            step, rest = step + length * way, rest - length * bent
            before, square = square, rest @ rest
            way = rest + square / before * way
        w = w + step
    error = np.sqrt(np.diag(np.linalg.inv(np.hessian(loss)(w))) / len(x))
    return w, error, losses, slopes, (w - truth) / error


def check(w, error, losses, slopes, surprise):
    assert np.all(np.diff(losses) < 1e-15)
    assert slopes[-1] < 1e-12
    assert slopes[5] < 20 * slopes[4] ** 2   # quadratic: the digits double each round
    assert np.all(error < 0.3) and np.max(np.abs(surprise)) < 3
