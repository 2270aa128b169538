"""Gradient descent, momentum, Adam and L-BFGS for trees of arrays, tried on a curve with a wave, a line and a bump."""
from collections import namedtuple

import numjit as np

tree_map = np.tree.map
Wave = namedtuple("Wave", "height phase")


def sgd(rate):
    """Two functions, as of all optimisers here: start(p) gives the state, step(p, g, state) the next p and state."""
    return lambda p: (), lambda p, g, state: (tree_map(lambda p, g: p - rate * g, p, g), state)


def momentum(rate, keep=0.9):
    def step(p, g, speed):
        speed = tree_map(lambda v, g: keep * v - rate * g, speed, g)
        return tree_map(np.add, p, speed), speed

    return lambda p: tree_map(np.zeros_like, p), step


def adam(rate, keep=0.9, keep_square=0.999):
    def step(p, g, state):
        count, mean, square = state[0] + 1, state[1], state[2]
        mean = tree_map(lambda m, g: keep * m + (1 - keep) * g, mean, g)
        square = tree_map(lambda s, g: keep_square * s + (1 - keep_square) * g * g, square, g)
        even, even_square = 1 - keep ** count, 1 - keep_square ** count    # both means began at zero
        p = tree_map(lambda p, m, s: p - rate * (m / even) / (np.sqrt(s / even_square) + 1e-8), p, mean, square)
        return p, (count, mean, square)

    return lambda p: (0, tree_map(np.zeros_like, p), tree_map(np.zeros_like, p)), step


def minimise(loss, p, optimiser, steps):
    start, step = optimiser
    state, losses = start(p), np.empty(steps)
    for i in range(steps):
        losses[i], g = np.value_and_grad(loss)(p)
        p, state = step(p, g, state)
    return p, losses


def dot(a, b):
    return sum(np.sum(x * y) for x, y in zip(np.tree.leaves(a), np.tree.leaves(b)))


def along(p, length, way):
    return tree_map(lambda p, w: p + length * w, p, way)


def lbfgs(loss, p, steps, memory=8):
    """Newton's direction from the last moves and how the gradient changed; halved until the loss falls (a break each time)."""
    value, slope = np.value_and_grad(loss)(p)
    past, losses = [], [value]
    for _ in range(steps):
        way, shares = slope, []
        for move, turn, bend in reversed(past):
            shares.append(dot(move, way) / bend)
            way = along(way, -shares[-1], turn)
        # No scale is known at first: a step of length 1 at most.
        scale = past[-1][2] / dot(past[-1][1], past[-1][1]) if past else 1 / (1 + np.sqrt(dot(slope, slope)))
        way = tree_map(lambda w: -scale * w, way)
        for (move, turn, bend), share in zip(past, reversed(shares)):
            way = along(way, -share - dot(turn, way) / bend, move)
        length, fall = 1.0, dot(slope, way)
        for _ in range(20):
            ahead = along(p, length, way)
            new_value, new_slope = np.value_and_grad(loss)(ahead)
            if new_value <= value + 1e-4 * length * fall:
                break
            length *= 0.5
        else:
            break                                              # nothing falls any more
        move, turn = along(ahead, -1.0, p), along(new_slope, -1.0, slope)
        bend = dot(move, turn)
        if bend > 1e-12 * dot(turn, turn):                     # else the curvature is not that of a minimum
            past = past[-memory + 1:] + [(move, turn, bend)]
        p, value, slope = ahead, new_value, new_slope
        losses.append(value)
    return p, np.stack(losses)


def curve(p, x):
    wave, line, bump = p["wave"], p["line"], p["bump"]
    return wave.height * np.sin(3 * x + wave.phase) + line[0] * x + line[1] + bump[0] * np.exp(-((x - bump[1]) ** 2))


def inputs():
    truth = {"wave": Wave(np.array(0.8), np.array(0.6)), "line": np.array([0.5, -1.0]), "bump": [np.array(2.0), np.array(1.5)]}
    x = np.linspace(-3, 3, 60)
    first = {"wave": Wave(np.array(0.3), np.array(0.0)), "line": np.zeros(2), "bump": [np.array(1.0), np.array(1.0)]}
    return x, curve(truth, x), first


def run(x, y, first):
    def loss(p):
        return np.mean((curve(p, x) - y) ** 2)

    descent = minimise(loss, first, sgd(0.1), 150)[1]
    rolling = minimise(loss, first, momentum(0.05), 150)[1]
    by_adam = minimise(loss, first, adam(0.05), 150)[1]
    found, newton = lbfgs(loss, first, 25)
    return descent, rolling, by_adam, newton, found["wave"].height, found["wave"].phase, found["line"], np.stack(found["bump"])


def check(descent, rolling, by_adam, newton, height, phase, line, bump):
    assert descent[-1] < 0.01 * descent[0]
    assert rolling[-1] < 0.1 * descent[-1]                     # momentum is faster than without
    assert by_adam[-1] < 1e-3 * by_adam[0]
    assert newton[-1] < 1e-12 and len(newton) <= 26
    np.testing.assert_allclose(np.concatenate([[height, phase], line, bump]), [0.8, 0.6, 0.5, -1.0, 2.0, 1.5], atol=1e-5)
