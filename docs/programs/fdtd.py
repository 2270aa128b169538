"""Maxwell's equations in two dimensions by Yee's scheme (FDTD): a pulse meets a piece of glass between mirrors."""
import numjit as np


def inputs():
    glass = np.ones((24, 30))
    glass[:, 18:24] = 2.25
    return glass, 30


def run(permittivity, steps, courant=0.5):
    rows, columns = permittivity.shape
    ez, hx, hy = np.zeros((rows, columns)), np.zeros((rows, columns - 1)), np.zeros((rows - 1, columns))
    factor = courant / permittivity[1:-1, 1:-1]
    seen = np.zeros(steps)
    for t in range(steps):
        hx -= courant * (ez[:, 1:] - ez[:, :-1])
        hy += courant * (ez[1:] - ez[:-1])
        ez[1:-1, 1:-1] += factor * (hy[1:, 1:-1] - hy[:-1, 1:-1] - hx[1:-1, 1:] + hx[1:-1, :-1])
        ez[12, 8] += np.exp(-((t - 10) / 4) ** 2)
        seen[t] = ez[12, 20]
    energy = 0.5 * (np.sum(permittivity * ez ** 2) + np.sum(hx ** 2) + np.sum(hy ** 2))
    return ez, seen, energy
