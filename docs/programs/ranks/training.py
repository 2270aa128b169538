"""Data-parallel training of a network with one hidden layer: each rank has its part of the examples, gradients are averaged in
buckets while the way back goes on."""
import numjit as np
from numjit import distributed

EXAMPLES, WIDTH, STEPS, RATE = 480, 24, 30, 0.2


def loss(weights, x, target):
    w1, b1, w2, b2 = weights
    hidden = np.tanh(x @ w1 + b1)
    return np.mean((hidden @ w2 + b2 - target) ** 2)


gradients = distributed.value_and_grad(loss, bucket_bytes=1024)


@np.compile
def step(weights, x, target):
    value, slopes = gradients(weights, x, target)
    return [w - RATE * g for w, g in zip(weights, slopes)], value


def run():
    rng = np.random.default_rng(8)
    x = rng.uniform(-1, 1, (EXAMPLES, 2))
    target = np.sin(3 * x[:, :1]) * x[:, 1:]
    weights = [rng.normal(size=(2, WIDTH)), np.zeros(WIDTH), 0.2 * rng.normal(size=(WIDTH, 1)), np.zeros(1)]
    mine = distributed.part(EXAMPLES)  # equally many on each rank, so that the mean of means is the mean
    losses = []
    for _ in range(STEPS):
        weights, value = step(weights, x[mine], target[mine])
        losses.append(value)
    return np.stack(losses), weights[0]
