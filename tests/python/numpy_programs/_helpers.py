"""Small functions that several of the programs share."""
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

EPS = 1e-12


def sigmoid(x):
    """Stable for large negative values too."""
    x = np.asarray(x, dtype=float)
    out = np.empty_like(x)
    pos = x >= 0
    out[pos] = 1 / (1 + np.exp(-x[pos]))
    e = np.exp(x[~pos])
    out[~pos] = e / (1 + e)
    return out


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    e /= e.sum(axis=axis, keepdims=True)
    return e


def one_hot(labels, classes=None):
    labels = np.asarray(labels)
    if classes is None:
        classes = int(labels.max()) + 1
    return np.eye(classes)[labels]


def convolve2d(image, kernel, mode="edge"):
    """Same-sized correlation of a picture with a small kernel."""
    kh, kw = kernel.shape
    padded = np.pad(image, ((kh // 2, kh // 2), (kw // 2, kw // 2)), mode=mode)
    windows = sliding_window_view(padded, (kh, kw))
    return np.einsum("ijkl,kl->ij", windows, kernel)


def rescale(x, low=0.0, high=1.0):
    span = x.max() - x.min()
    if span < EPS:
        return np.full(x.shape, low)
    return low + (high - low) * (x - x.min()) / span


def scatter_add(target, index, values):
    """Adds in place; repeated indices count repeatedly."""
    np.add.at(target, index, values)
    return target
