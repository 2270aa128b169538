"""Flow around a cylinder by the lattice Boltzmann method: nine speeds, collisions, streaming, bounces."""
import numjit as np


def inputs():
    y, x = np.ogrid[0:18, 0:36]
    return (x - 9) ** 2 + (y - 8) ** 2 < 10, 15


def equilibrium(density, velocity, directions, weights):
    along = 3 * np.einsum("id,dyx->iyx", directions, velocity)
    speed = 1.5 * np.sum(velocity ** 2, axis=0)
    return weights[:, np.newaxis, np.newaxis] * density * (1 + along + 0.5 * along ** 2 - speed)


def run(solid, steps, relaxation=1.7, inflow=0.08):
    shifts = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]
    directions = np.array(shifts)
    weights = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
    opposite = np.array([0, 3, 4, 1, 2, 7, 8, 5, 6])
    wind = np.zeros((2,) + solid.shape)
    wind[0] = inflow
    f = equilibrium(np.ones(solid.shape), wind, directions, weights)
    for _ in range(steps):
        for i, (dx, dy) in enumerate(shifts):
            f[i] = np.roll(f[i], (dy, dx), axis=(0, 1))
        bounced = f[opposite]
        density = np.sum(f, axis=0)
        velocity = np.tensordot(directions.T, f, axes=1) / density
        f += relaxation * (equilibrium(density, velocity, directions, weights) - f)
        f = np.where(solid, bounced, f)
        f[:, :, 0] = equilibrium(np.ones((len(solid), 1)), wind[:, :, :1], directions, weights)[:, :, 0]
    velocity = np.where(solid, 0, velocity)
    curl = np.gradient(velocity[1], axis=1) - np.gradient(velocity[0], axis=0)
    return velocity[0], curl, np.sum(density[~solid])
