"""Burgers's equation by a network that fits it at points (PINN): its derivatives by jvp in jvp and grad, for all by vmap."""
from optimisers import lbfgs

import numjit as np

VISCOSITY = 0.1


def inputs():
    rng = np.random.default_rng(15)
    sizes = [2, 16, 16, 1]
    p = [(rng.normal(0, 1 / np.sqrt(a), (a, b)), np.zeros(b)) for a, b in zip(sizes, sizes[1:])]
    return p, rng.uniform(-1, 1, 250), rng.uniform(0, 1, 250)


def flow(p, x, t):
    """The speed at one place and time; what it is at t = 0 and at the walls holds whatever the network says."""
    h = np.stack([x, t])
    for w, b in p[:-1]:
        h = np.tanh(h @ w + b)
    w, b = p[-1]
    return -np.sin(np.pi * x) + t * (1 - x * x) * (h @ w + b)[0]


def misfit(p, x, t):
    """How far the flow is from u_t + u u_x = viscosity u_xx."""
    def by_x(x):
        return np.jvp(lambda x: flow(p, x, t), (x,), (np.ones(()),))

    (u, u_x), (_, u_xx) = np.jvp(by_x, (x,), (np.ones(()),))
    return np.grad(flow, argnums=2)(p, x, t) + u * u_x - VISCOSITY * u_xx


def run(p, x, t, steps=300):
    p, losses = lbfgs(lambda p: np.mean(np.vmap(misfit, in_axes=(None, 0, 0))(p, x, t) ** 2), p, steps)
    at_x, at_t = np.meshgrid(np.linspace(-1, 1, 41), np.linspace(0, 1, 11))
    return losses, np.vmap(np.vmap(flow, (None, 0, 0)), (None, 0, 0))(p, at_x, at_t)


def exact(x, t):
    """By Cole and Hopf's transformation: means over a kernel of heat."""
    way = np.linspace(-4, 4, 2001)
    weight = np.exp(-way ** 2 / (4 * VISCOSITY * t) - np.cos(np.pi * (x[:, np.newaxis] - way)) / (2 * np.pi * VISCOSITY))
    return -np.sum(np.sin(np.pi * (x[:, np.newaxis] - way)) * weight, axis=1) / np.sum(weight, axis=1)


def check(losses, u):
    assert losses[-1] < 2e-3 * losses[0]
    x = np.linspace(-1, 1, 41)
    for row, t in zip(u[1:], np.linspace(0, 1, 11)[1:]):
        assert np.max(np.abs(row - exact(x, t))) < 0.03


def picture(losses, u):
    return u
