"""Rays march through a scene of signed distances; where a ball is and how large, by the gradient of the picture's misfit."""
from optimisers import lbfgs

import numjit as np


def inputs():
    truth = {"centre": np.array([0.3, -0.2, 3.0]), "radius": np.array(0.8)}
    first = {"centre": np.array([-0.2, 0.1, 3.6]), "radius": np.array(0.6)}
    y, x = np.meshgrid(np.linspace(0.6, -0.6, 24), np.linspace(-0.6, 0.6, 24), indexing="ij")
    ways = np.stack([x.ravel(), y.ravel(), np.ones(x.size)], axis=1)
    ways = ways / np.sqrt(np.sum(ways ** 2, axis=1, keepdims=True))
    return ways, render(truth, ways), first


def scene(s, place):
    """The distance from a place to the ball or the floor, where they meet rounded off."""
    ball = np.sqrt(np.sum((place - s["centre"]) ** 2)) - s["radius"]
    floor = place[1] + 1
    return -np.logaddexp(-8 * ball, -8 * floor) / 8


def render(s, ways):
    """What a surface hides fades in over a little depth: with sharp edges a pixel has it or has not, and no slope."""
    sun = np.array([-1.0, 2.0, -1.5]) / np.sqrt(7.25)
    depths = np.linspace(1, 6, 40)
    look = np.vmap(np.vmap(np.value_and_grad(scene, argnums=1), (None, 0)), (None, 0))   # over depths and rays
    distances, normals = look(s, depths[:, np.newaxis, np.newaxis] * ways)
    solids = 1 / (1 + np.exp(distances / 0.06))
    brights = (0.2 + 0.8 * np.maximum(normals @ sun, 0)) * np.exp(-0.2 * depths)[:, np.newaxis]
    seen, clear = np.zeros(len(ways)), np.ones(len(ways))
    for solid, bright in zip(solids, brights):
        seen, clear = seen + clear * solid * bright, clear * (1 - solid)
    return seen + 0.1 * clear


def run(ways, seen, first):
    found, losses = lbfgs(lambda s: np.mean((render(s, ways) - seen) ** 2), first, 20)
    return losses, found["centre"], found["radius"], render(first, ways), render(found, ways), seen


def check(losses, centre, radius, before, after, seen):
    assert losses[-1] < 1e-5 * losses[0]
    np.testing.assert_allclose(centre, [0.3, -0.2, 3.0], atol=0.01)
    np.testing.assert_allclose(radius, 0.8, atol=0.01)


def picture(losses, centre, radius, before, after, seen):
    return np.concatenate([x.reshape(24, 24) for x in (before, after, seen)], axis=1)
