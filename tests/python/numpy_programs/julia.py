"""Julia sets for several constants, with smooth colours by masks, and the same points one by one with np.vectorize."""
import numpy as np
from numpy import abs, log, log2

CONSTANTS = np.array([-0.4 + 0.6j, 0.285 + 0.01j, -0.70176 - 0.3842j])
RADIUS = 4.0


def inputs():
    x = np.linspace(-1.5, 1.5, 41)
    y = np.linspace(-1.2, 1.2, 33)
    return x, y, 14


def mesh(x, y):
    re, im = np.meshgrid(x, y)
    return re + 1j * im


def julia(z, c, steps):
    z = z.copy()
    count = np.zeros(z.shape, dtype=np.int64)
    alive = abs(z) <= RADIUS
    for _ in range(steps):
        np.multiply(z, z, out=z, where=alive)
        np.add(z, c, out=z, where=alive)
        count[alive] += 1
        alive &= abs(z) <= RADIUS
    return count, z, alive


def smooth(count, z, alive):
    shade = np.zeros(count.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        np.subtract(count, log2(log(abs(z)) / log(RADIUS)), out=shade, where=~alive)
    return shade


def escape(z, c, steps):
    for k in range(steps):
        if abs(z) > RADIUS:
            return k
        z = z * z + c
    return steps


def run(x, y, steps):
    z = mesh(x, y)
    shades, inside = [], []
    for c in CONSTANTS:
        count, last, alive = julia(z, c, steps)
        shades.append(smooth(count, last, alive))
        inside.append(int(alive.sum()))
    one_by_one = np.vectorize(escape, excluded=["c", "steps"])
    few = one_by_one(z[::8, ::8], c=complex(CONSTANTS[0]), steps=steps)
    count = julia(z, CONSTANTS[0], steps)[0]
    assert np.array_equal(few, count[::8, ::8])
    symmetric = np.array_equal(count, count[::-1, ::-1])
    parts = z.view(np.float64).reshape(z.shape + (2,))
    histogram = np.bincount(count.ravel(), minlength=steps + 1)
    area = [n * (x[1] - x[0]) * (y[1] - y[0]) for n in inside]
    return np.array(shades), inside, few, symmetric, np.abs(parts).mean(axis=(0, 1)), histogram, area
