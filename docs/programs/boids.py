"""Boids: a flock that keeps together, keeps its distance and flies the same way, on a torus."""
import numjit as np


def inputs():
    rng = np.random.default_rng(21)
    return 10 * rng.random((24, 2)), rng.normal(0, 0.3, (24, 2)), 12


def run(position, velocity, steps, size=10.0, sight=2.5, close=0.8, fastest=0.5):
    for _ in range(steps):
        away = position[np.newaxis] - position[:, np.newaxis]
        away -= size * np.round(away / size)                 # the short way around
        distance = np.linalg.norm(away, axis=-1)
        near = distance < sight
        np.fill_diagonal(near, False)
        mates = np.maximum(np.sum(near, axis=1, keepdims=True), 1)
        together = np.sum(away, axis=1, where=near[..., np.newaxis]) / mates
        alike = near @ velocity / mates - velocity * np.any(near, axis=1, keepdims=True)
        apart = -np.sum(np.where((near & (distance < close))[..., np.newaxis], away, 0), axis=1)
        velocity = velocity + 0.02 * together + 0.1 * alike + 0.3 * apart
        speed = np.linalg.norm(velocity, axis=1, keepdims=True)
        velocity *= np.minimum(1, fastest / speed)
        position = (position + velocity) % size
    order = np.linalg.norm(np.mean(velocity / np.linalg.norm(velocity, axis=1, keepdims=True), axis=0))
    return position, velocity, order
