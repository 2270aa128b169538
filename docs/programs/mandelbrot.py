"""The Mandelbrot set by escape times: only the points that are still inside are computed, by a mask."""
import numjit as np


def inputs():
    return 48, 32, 25


def run(columns, rows, limit):
    c = np.linspace(-2.2, 0.8, columns) + 1j * np.linspace(-1.2, 1.2, rows)[:, np.newaxis]
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=np.int32)
    for _ in range(limit):
        inside = np.abs(z) <= 2
        z[inside] = z[inside] ** 2 + c[inside]
        count[inside] += 1
    # Between the bands: how far beyond the circle the last step went.
    beyond = np.log2(np.log(np.maximum(np.abs(z), 2)) / np.log(2))
    return count, np.where(count < limit, count + 1 - beyond, limit)
