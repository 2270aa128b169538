"""Compresses a colour picture by keeping the largest singular values of each channel."""
import numpy as np
import numpy.linalg as la
from numpy.linalg import norm

LUMA = np.array([0.2126, 0.7152, 0.0722])


def inputs():
    y, x = np.mgrid[0:40, 0:56]
    red = 127 + 100 * np.sin(x / 6) * np.cos(y / 9)
    green = np.where((x - 28) ** 2 + (y - 20) ** 2 < 150, 220, 40)
    blue = (3 * x + 2 * y) % 256
    picture = np.stack([red, green, blue], axis=-1).astype(np.uint8)
    return picture, [1, 4, 12]


def to_float(img):
    if isinstance(img, np.ndarray) and img.dtype == np.uint8:
        return img / 255
    return np.asarray(img, dtype=float)


def run(picture, ranks):
    img = to_float(picture)
    gray = img @ LUMA

    # The grey picture first
    U, s, Vt = la.svd(gray, full_matrices=False)
    assert np.allclose(U * s @ Vt, gray)
    errors = [norm(gray - (U[:, :k] * s[:k]) @ Vt[:k]) / norm(gray) for k in ranks]

    # Now the three channels in one stacked call
    channels = np.transpose(img, (2, 0, 1))
    U, s, Vt = np.linalg.svd(channels)
    Sigma = np.zeros(channels.shape)
    for j in range(3):
        np.fill_diagonal(Sigma[j], s[j])
    approx = {}
    for k in ranks:
        low = U @ Sigma[..., :k] @ Vt[..., :k, :]
        np.clip(low, 0, 1, out=low)
        approx[k] = np.rint(low.transpose(1, 2, 0) * 255).astype(np.uint8)

    energy = np.cumsum(s ** 2, axis=1) / np.sum(s ** 2, axis=1, keepdims=True)
    needed = (energy < 0.99).sum(axis=1) + 1
    psnr = {k: 10 * np.log10(255 ** 2 / np.mean((a.astype(int) - picture.astype(int)) ** 2))
            for k, a in approx.items()}
    saved = [1 - k * (sum(gray.shape) + 1) / gray.size for k in ranks]
    return {"errors": errors, "approx": approx, "needed": needed, "psnr": psnr, "saved": saved}
