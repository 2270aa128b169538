"""The Ising magnet by Metropolis's steps on a checkerboard, with its magnetisation, energy and correlations."""
import numjit as np


def inputs():
    return 7, 16, 20, 2.0


def run(seed, n, sweeps, temperature):
    rng = np.random.default_rng(seed)
    spin = rng.choice(np.array([-1, 1], dtype=np.int8), (n, n))
    black = np.indices((n, n)).sum(axis=0) % 2 == 0
    magnetisation, energy = np.empty(sweeps), np.empty(sweeps, dtype=np.int64)
    for sweep in range(sweeps):
        for cells in (black, ~black):
            field = np.roll(spin, 1, 0) + np.roll(spin, -1, 0) + np.roll(spin, 1, 1) + np.roll(spin, -1, 1)
            cost = 2 * spin * field
            flips = cells & (rng.random((n, n)) < np.exp(-cost / temperature))
            spin[flips] *= -1
        magnetisation[sweep] = np.mean(spin)
        energy[sweep] = -np.sum(spin * (np.roll(spin, 1, 0) + np.roll(spin, 1, 1)))
    correlation = np.fft.ifft2(np.abs(np.fft.fft2(spin)) ** 2).real[0, :n // 2] / n ** 2
    return spin, magnetisation, energy, correlation
