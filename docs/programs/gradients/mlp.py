"""A network with one hidden layer learns to read the digits: minibatches, cross entropy, Adam."""
from optimisers import adam

import numjit as np
from digits import digits


def inputs():
    rng = np.random.default_rng(5)
    p = {"w1": rng.normal(0, 0.1, (144, 32)), "b1": np.zeros(32), "w2": rng.normal(0, 0.2, (32, 10)), "b2": np.zeros(10)}
    return p, *digits(2000, 1), *digits(200, 2)


def scores(p, x):
    return np.tanh(x.reshape(len(x), -1) @ p["w1"] + p["b1"]) @ p["w2"] + p["b2"]


def cross_entropy(scores, labels):
    scores = scores - np.max(scores, axis=1, keepdims=True)
    return np.mean(np.log(np.sum(np.exp(scores), axis=1)) - scores[np.arange(len(labels)), labels])


def run(p, x, labels, test, truth, steps=250, batch=80):
    def loss(p, x, labels):
        return cross_entropy(scores(p, x), labels)

    start, step = adam(0.01)
    state, losses = start(p), np.empty(steps)
    for i in range(steps):
        part = slice(i * batch % len(x), i * batch % len(x) + batch)
        losses[i], g = np.value_and_grad(loss)(p, x[part], labels[part])
        p, state = step(p, g, state)
    found = np.argmax(scores(p, test), axis=1)
    return losses, np.mean(found == truth), p["w1"]


def check(losses, accuracy, weights):
    assert abs(losses[0] - np.log(10)) < 0.5                   # at first it knows nothing
    assert losses[-1] < 0.1 * losses[0]
    assert accuracy > 0.92


def picture(losses, accuracy, weights):
    """What the hidden units look at."""
    return weights.T.reshape(4, 8, 12, 12).transpose(0, 2, 1, 3).reshape(48, 96)
