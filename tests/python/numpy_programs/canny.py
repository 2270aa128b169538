"""Canny's edges in a picture like an X-ray: blur, gradients, thinning, two thresholds, and edges followed."""
from functools import reduce

import numpy as np
import _helpers as helpers
from numpy.lib.stride_tricks import as_strided

SOBEL = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], dtype=float)
LAPLACE = np.array([[0, 1, 0], [1, -4, 1], [0, 1, 0]], dtype=float)


def inputs():
    y, x = np.mgrid[-1:1:40j, -1:1:44j]
    ribs = 40 * np.sin(9 * y + x ** 2)
    lungs = np.where((np.abs(x) - 0.45) ** 2 / 0.1 + y ** 2 / 0.5 < 1, -70, 0)
    return 128 + ribs + lungs, 1.2, 0.12, 0.3


def gaussian(sigma):
    r = int(3 * sigma + 0.5)
    k = np.exp(-0.5 * (np.arange(-r, r + 1) / sigma) ** 2)
    k /= k.sum()
    return k


def blur(img, sigma):
    k = gaussian(sigma)
    img = helpers.convolve2d(img, k[:, None])
    return helpers.convolve2d(img, k[None, :])


def thin(mag, angle):
    """Keeps only what is largest across the edge."""
    out = np.zeros_like(mag)
    sector = np.round(angle / (np.pi / 4)).astype(int) % 4
    steps = [(0, 1), (1, 1), (1, 0), (1, -1)]
    inner = mag[1:-1, 1:-1]
    h, w = inner.shape
    for k, (dy, dx) in enumerate(steps):
        ahead = mag[1 + dy:1 + dy + h, 1 + dx:1 + dx + w]
        behind = mag[1 - dy:1 - dy + h, 1 - dx:1 - dx + w]
        keep = (sector[1:-1, 1:-1] == k) & (inner > ahead) & (inner >= behind)
        out[1:-1, 1:-1][keep] = inner[keep]
    return out


def grow(mask):
    padded = np.pad(mask, 1)
    h, w = mask.shape
    shifted = (padded[i:i + h, j:j + w] for i in range(3) for j in range(3))
    return reduce(np.logical_or, shifted)


def hysteresis(weak, strong):
    edges = strong.copy()
    rounds = 0
    while True:
        more = grow(edges) & weak
        if np.array_equal(more, edges):
            return edges, rounds
        edges[more] = True
        rounds += 1


def block_view(a, size):
    h, w = a.shape[0] // size, a.shape[1] // size
    s0, s1 = a.strides
    return as_strided(a, (h, w, size, size), (s0 * size, s1 * size, s0, s1))


def run(img, sigma, low, high):
    smooth = blur(img, sigma)
    gx, gy = helpers.convolve2d(smooth, SOBEL), helpers.convolve2d(smooth, SOBEL.T)
    mag = np.hypot(gx, gy)
    mag /= mag.max()
    peaks = thin(mag, np.arctan2(gy, gx))
    strong = peaks >= high
    weak = peaks >= low
    edges, rounds = hysteresis(weak, strong)
    log = helpers.convolve2d(smooth, LAPLACE)
    crossings = np.count_nonzero(log[:, 1:] * log[:, :-1] < 0)
    density = block_view(edges.astype(float), 4).mean(axis=(2, 3))
    masked = np.where(edges, helpers.rescale(img, 0, 255), 0).astype(np.uint8)
    return edges, rounds, mag, helpers.rescale(log, 1, 2), crossings, density, masked
