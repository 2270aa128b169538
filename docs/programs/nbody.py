"""Bodies that attract each other, by leapfrog steps; the energy shows how good they are."""
import numjit as np


def inputs():
    rng = np.random.default_rng(8)
    position = rng.normal(size=(12, 3))
    velocity = 0.3 * rng.normal(size=(12, 3))
    mass = rng.uniform(0.5, 1.5, 12)
    velocity -= np.average(velocity, axis=0, weights=mass)
    return position, velocity, mass, 0.01, 25


def acceleration(position, mass):
    away = position[np.newaxis] - position[:, np.newaxis]          # (n, n, 3): from each to each
    cubes = (np.sum(away ** 2, axis=-1) + 0.05) ** 1.5
    return np.einsum("ijk,ij,j->ik", away, 1 / cubes, mass)


def energy(position, velocity, mass):
    i, j = np.triu_indices(len(mass), 1)
    distance = np.sqrt(np.sum((position[i] - position[j]) ** 2, axis=1) + 0.05)
    return 0.5 * np.sum(mass * np.sum(velocity ** 2, axis=1)) - np.sum(mass[i] * mass[j] / distance)


def run(position, velocity, mass, dt, steps):
    start = energy(position, velocity, mass)
    velocity += 0.5 * dt * acceleration(position, mass)
    for _ in range(steps):
        position += dt * velocity
        velocity += dt * acceleration(position, mass)
    velocity -= 0.5 * dt * acceleration(position, mass)
    momentum = mass @ velocity
    return position, velocity, np.abs(momentum) < 1e-12, energy(position, velocity, mass) / start - 1
