"""A convolutional network reads the digits, in float32: 3 x 3 kernels over windows, the largest of 2 x 2, twice."""
from optimisers import adam

import numjit as np
from digits import digits
from mlp import cross_entropy


def inputs():
    rng = np.random.default_rng(6)
    p = {"kernels": [rng.normal(0, 0.3, (3, 3, 1, 8)), rng.normal(0, 0.15, (3, 3, 8, 16))], "shifts": [np.zeros(8), np.zeros(16)],
         "w": rng.normal(0, 0.1, (64, 10)), "b": np.zeros(10)}
    x, labels = digits(900, 1)
    test, truth = digits(200, 2)
    return np.tree.map(lambda a: a.astype(np.float32), p), x.astype(np.float32), labels, test.astype(np.float32), truth


def convolve(x, kernel):
    """x (n, rows, columns, channels), kernel (3, 3, channels, new channels)."""
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(1, 2))
    return np.tensordot(windows, kernel, axes=([4, 5, 3], [0, 1, 2]))


def pool(x):
    n, rows, columns, channels = x.shape
    return np.max(x.reshape(n, rows // 2, 2, columns // 2, 2, channels), axis=(2, 4))


def scores(p, x):
    x = np.pad(x[..., np.newaxis], ((0, 0), (1, 1), (1, 1), (0, 0)))                      # 14 x 14
    for kernel, shift in zip(p["kernels"], p["shifts"]):
        x = pool(np.maximum(convolve(x, kernel) + shift, 0))                              # to 12 and 6, to 4 and 2
    return x.reshape(len(x), -1) @ p["w"] + p["b"]


def run(p, x, labels, test, truth, steps=120, batch=60):
    def loss(p, x, labels):
        return cross_entropy(scores(p, x), labels)

    start, step = adam(0.01)
    state, losses = start(p), np.empty(steps, np.float32)
    for i in range(steps):
        part = slice(i * batch % len(x), i * batch % len(x) + batch)
        losses[i], g = np.value_and_grad(loss)(p, x[part], labels[part])
        p, state = step(p, g, state)
    found = np.argmax(scores(p, test), axis=1)
    return losses, np.mean(found == truth), p["kernels"][0]


def check(losses, accuracy, kernels):
    assert losses.dtype == kernels.dtype == np.float32
    assert losses[-1] < 0.1 * losses[0]
    assert accuracy > 0.95


def picture(losses, accuracy, kernels):
    return np.pad(kernels[:, :, 0], ((1, 1), (1, 1), (0, 0))).transpose(0, 2, 1).reshape(5, 40)
