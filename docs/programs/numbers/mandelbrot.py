"""The Mandelbrot set, point by point: the loop of a point ends where the point leaves."""
import numjit as np


def inputs():
    return np.linspace(-2.2, 0.8, 48), np.linspace(-1.2, 1.2, 32)[:, None], 60


@np.vectorize
def escape(x, y, limit):
    zr = zi = 0.0
    for count in range(limit):
        if zr * zr + zi * zi > 4.0:
            return count
        zr, zi = zr * zr - zi * zi + x, 2.0 * zr * zi + y
    return limit


def run(x, y, limit):
    return escape(x, y, limit)
