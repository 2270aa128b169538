"""An LSTM learns to add numbers bit by bit, the lowest first, and then adds numbers three times as long."""
from optimisers import adam

import numjit as np


def numbers(count, bits, rng):
    """Bits of two numbers and of their sum, each (bits, count, ...)."""
    a, b = rng.integers(0, 2 ** (bits - 1), (2, count))
    places = np.arange(bits)[:, np.newaxis]
    return np.stack([a >> places & 1, b >> places & 1], axis=2) * 1.0, ((a + b) >> places & 1) * 1.0


def inputs():
    rng = np.random.default_rng(8)
    n = 12
    p = {"w": rng.normal(0, 0.4, (2 + n, 4 * n)), "b": np.zeros(4 * n), "out": rng.normal(0, 0.4, n), "shift": np.zeros(())}
    return p, 120, rng


def logistic(x):
    return 0.5 + 0.5 * np.tanh(0.5 * x)


def scores(p, x):
    n = len(p["out"])
    h, c = np.zeros((x.shape[1], n)), np.zeros((x.shape[1], n))
    found = []
    for bits in x:
        gates = np.concatenate([bits, h], axis=1) @ p["w"] + p["b"]
        keep, write, show = logistic(gates[:, :n] + 1), logistic(gates[:, n:2 * n]), logistic(gates[:, 2 * n:3 * n])
        c = keep * c + write * np.tanh(gates[:, 3 * n:])
        h = show * np.tanh(c)
        found.append(h @ p["out"] + p["shift"])
    return np.stack(found)


def run(p, steps, rng):
    def loss(p, x, y):
        s = scores(p, x)
        return np.mean(np.logaddexp(0, s) - y * s)

    start, step = adam(0.05)
    state, losses = start(p), np.empty(steps)
    for i in range(steps):
        losses[i], g = np.value_and_grad(loss)(p, *numbers(32, 6, rng))
        p, state = step(p, g, state)
    x, y = numbers(100, 18, rng)
    right = (scores(p, x) > 0) == (y > 0)
    return losses, np.mean(right), np.mean(np.all(right, axis=0))


def check(losses, bits, sums):
    assert abs(losses[0] - np.log(2)) < 0.2                    # at first it guesses
    assert losses[-1] < 0.05 * losses[0]
    assert bits > 0.99 and sums > 0.95                         # it has found the carry
