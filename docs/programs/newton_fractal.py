"""Newton's fractal: to which zero of a polynomial each point of the plane goes, and how fast."""
import numjit as np


def inputs():
    return np.array([1.0, 0.0, -2.0, 2.0]), 32, 24, 30


def run(p, columns, rows, limit):
    y, x = np.meshgrid(np.linspace(-1.5, 1.5, rows), np.linspace(-2, 2, columns), indexing="ij")
    z = x + 1j * y
    slope = np.polyder(p)
    steps = np.zeros(z.shape, dtype=np.int16)
    for _ in range(limit):
        move = np.polyval(p, z) / np.polyval(slope, z)
        z = z - move
        steps += np.abs(move) > 1e-6
    zeros = np.sort_complex(np.roots(p))
    basin = np.argmin(np.abs(z[..., np.newaxis] - zeros), axis=-1)
    settled = np.abs(np.polyval(p, z)) < 1e-9
    share = np.histogram(basin[settled], bins=3, range=(-0.5, 2.5))[0] / np.count_nonzero(settled)
    return steps, np.where(settled, basin, -1), zeros, share
