"""Filters over a picture: blurred, edges by Sobel, the median against outliers, and Otsu's threshold."""
import numjit as np


def inputs():
    rng = np.random.default_rng(4)
    y, x = np.mgrid[0:28, 0:36]
    disc = 120.0 * ((x - 20) ** 2 + (y - 13) ** 2 < 64) + 60.0 * (x < 12) + x
    picture = disc + rng.normal(0, 6, disc.shape)
    picture[rng.integers(0, 28, 12), rng.integers(0, 36, 12)] = 255
    return (np.clip(picture, 0, 255).astype(np.uint8),)


def separable(picture, column, row):
    """A filter that is a product: down the columns first, then along the rows; edges are repeated."""
    tall = np.pad(picture, ((1, 1), (0, 0)), mode="edge")
    wide = np.pad(column[0] * tall[:-2] + column[1] * tall[1:-1] + column[2] * tall[2:], ((0, 0), (1, 1)), mode="edge")
    return row[0] * wide[:, :-2] + row[1] * wide[:, 1:-1] + row[2] * wide[:, 2:]


def otsu(picture):
    """The threshold that parts the grey levels best."""
    share = np.bincount(picture.ravel(), minlength=256) / picture.size
    below, level = np.cumsum(share), np.cumsum(share * np.arange(256))
    between = (level[-1] * below - level) ** 2 / np.maximum(below * (1 - below), 1e-12)
    return np.argmax(between)


def run(picture):
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(picture, 1, mode="edge"), (3, 3))
    calm = np.median(windows.reshape(picture.shape + (9,)), axis=-1)
    smooth, slope = np.array([0.25, 0.5, 0.25]), np.array([-1.0, 0.0, 1.0])
    blurred = separable(calm, smooth, smooth)
    edges = np.hypot(separable(blurred, smooth, slope), separable(blurred, slope, smooth))
    edges = np.rint(255 * edges / np.max(edges)).astype(np.uint8)
    threshold = otsu(np.rint(blurred).astype(np.uint8))
    return calm.astype(np.uint8), blurred.astype(np.float32), edges, threshold, np.rint(blurred) > threshold
