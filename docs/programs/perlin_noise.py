"""Perlin's gradient noise: several octaves over a picture, by table look-ups with a permutation."""
import numjit as np


def inputs():
    return np.random.default_rng(41).permutation(64), 28, 36


def noise(x, y, table):
    i, j = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    u, v = x - i, y - j

    def fade(t):
        return t ** 3 * (t * (6 * t - 15) + 10)

    def corner(a, b):
        """The product of the corner's gradient and the way from there."""
        angle = 2 * np.pi * table[(table[(i + a) % 64] + j + b) % 64] / 64
        return np.cos(angle) * (u - a) + np.sin(angle) * (v - b)

    low = corner(0, 0) + fade(u) * (corner(1, 0) - corner(0, 0))
    high = corner(0, 1) + fade(u) * (corner(1, 1) - corner(0, 1))
    return low + fade(v) * (high - low)


def run(table, rows, columns, octaves=4):
    y, x = np.mgrid[0:rows, 0:columns] / 12
    total = np.zeros((rows, columns))
    for octave in range(octaves):
        scale = 2.0 ** octave
        total += noise(x * scale, y * scale, table) / scale
    height = (total - np.min(total)) / np.ptp(total)
    colours = np.array([[20, 40, 120], [60, 120, 60], [120, 100, 70], [250, 250, 250]], dtype=np.uint8)
    zone = np.digitize(height, np.array([0.4, 0.6, 0.85]))
    steep = np.hypot(*np.gradient(height))
    return total, colours[zone], steep[::2, ::2], np.bincount(zone.ravel())
