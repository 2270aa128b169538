"""From the last pattern of Gray and Scott's reaction: at which rates it was fed and killed. Backwards through stores in place."""
from optimisers import lbfgs

import numjit as np


def inputs():
    rng = np.random.default_rng(17)
    u, v = np.ones((22, 22)), np.zeros((22, 22))
    u[7:15, 7:15], v[7:15, 7:15] = 0.5, 0.25
    v += 0.02 * rng.random((22, 22))
    return u, v, react(u, v, 0.035, 0.065), np.array([0.05, 0.05])


def laplacian(z):
    return z[:-2, 1:-1] + z[1:-1, :-2] - 4 * z[1:-1, 1:-1] + z[1:-1, 2:] + z[2:, 1:-1]


def react(u, v, feed, kill, steps=50):
    u, v = u.copy(), v.copy()
    inner_u, inner_v = u[1:-1, 1:-1], v[1:-1, 1:-1]            # views: stores into them are stores into u and v
    for _ in range(steps):
        reaction = inner_u * inner_v ** 2
        change_u, change_v = laplacian(u), laplacian(v)
        inner_u += 0.16 * change_u - reaction + feed * (1 - inner_u)
        inner_v += 0.08 * change_v + reaction - (feed + kill) * inner_v
        for z in (u, v):                                       # the border is that of a torus
            z[0], z[-1] = z[-2], z[1]
            z[:, 0], z[:, -1] = z[:, -2], z[:, 1]
    return np.stack([u, v])


def run(u, v, seen, start):
    def loss(rates):
        return np.mean((react(u, v, rates[0], rates[1]) - seen) ** 2)

    rates, losses = lbfgs(loss, start, 12)
    return rates, losses, react(u, v, *start)[1], seen[1]


def check(rates, losses, first, seen):
    np.testing.assert_allclose(rates, [0.035, 0.065], atol=1e-5)
    assert losses[-1] < 1e-8 * losses[0]


def picture(rates, losses, first, seen):
    return np.concatenate([first, seen], axis=1)
