"""A picture with few colours: quantised by a palette, dithered by error diffusion and by Bayer's matrix."""
from functools import partial

import numpy as np

FLOYD = [((0, 1), 7), ((1, -1), 3), ((1, 0), 5), ((1, 1), 1)]
ATKINSON = [((0, 1), 2), ((0, 2), 2), ((1, -1), 2), ((1, 0), 2), ((1, 1), 2), ((2, 0), 2)]
BAYER = np.array([[0, 2], [3, 1]])


def inputs():
    y, x = np.mgrid[0:20, 0:28]
    img = (255 * (0.5 + 0.4 * np.sin(x / 5.0) * np.cos(y / 7.0))).astype(np.uint8)
    return img, 4, np.array([[0, 0, 0], [255, 255, 255], [200, 40, 40], [30, 60, 180]], dtype=np.uint8)


def as_float(img):
    if np.issubdtype(img.dtype, np.integer):
        return img.astype(np.float64) / np.iinfo(img.dtype).max
    if img.dtype == np.float64:
        return img.copy()
    return img.astype(np.float64)


def nearest_level(v, levels):
    return np.round(v * (levels - 1)) / (levels - 1)


def diffuse(img, quantise, weights=FLOYD, serpentine=False):
    work = as_float(img)
    h, w = work.shape
    spent = 0.0
    for i in range(h):
        backwards = serpentine and i % 2 == 1
        for j in (range(w - 1, -1, -1) if backwards else range(w)):
            old = work[i, j]
            new = min(max(quantise(old), 0.0), 1.0)
            work[i, j] = new
            error = old - new
            spent += abs(float(error))
            for (di, dj), weight in weights:
                a, b = i + di, j + (-dj if backwards else dj)
                if a < h and 0 <= b < w:
                    work[a, b] += error * weight / 16
    return work, spent


def bayer(n):
    m = BAYER
    while len(m) < n:
        m = np.block([[4 * m + BAYER[0, 0], 4 * m + BAYER[0, 1]], [4 * m + BAYER[1, 0], 4 * m + BAYER[1, 1]]])
    return (m + 0.5) / m.size


def by_palette(img, palette):
    """Each pixel gets the nearest colour; the distances in integers wide enough."""
    d = palette.astype(int)[:, None, None] - img.astype(int)
    index = (d ** 2).sum(axis=-1).argmin(axis=0)
    return palette[index], np.bincount(index.flat, minlength=len(palette))


def run(img, levels, palette):
    quantise = partial(nearest_level, levels=levels)
    floyd, spent = diffuse(img, quantise)
    two, _ = diffuse(img, lambda v: 1.0 if v > 0.5 else 0.0, ATKINSON, serpentine=True)
    pattern = bayer(8)
    tiled = np.tile(pattern, (3, 4))[:img.shape[0], :img.shape[1]]
    ordered = (as_float(img) > tiled).astype(np.uint8) * np.uint8(255)
    colour = np.stack([img, img[::-1], 255 - img], axis=-1)
    mapped, used = by_palette(colour, palette)
    means = [float(a.mean()) for a in (as_float(img), floyd, two, ordered / 255)]
    packed = np.packbits(two.astype(bool), axis=1)
    tiles = floyd.reshape(5, 4, 7, 4)
    blocks = tiles.mean(axis=(1, 3))
    tiles[:, 0, :, 0] = blocks                       # written through the view
    floyd.flat[::29] = 0.4
    half = img.astype(np.float32)[::2, ::2] / np.float32(255)
    kinds = [as_float(a).dtype == np.float64 for a in (img, half, floyd)]
    return floyd, spent, packed, ordered, mapped, used, means, blocks, kinds, half
