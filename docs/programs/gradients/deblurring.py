"""A blurred and noisy picture is made sharp: the picture that blurs to what was seen and has the least total variation."""
from optimisers import adam, minimise

import numjit as np


def inputs():
    y, x = np.meshgrid(np.arange(32), np.arange(32), indexing="ij")
    sharp = 0.2 + 0.6 * ((x - 20) ** 2 + (y - 11) ** 2 < 50) + 0.4 * ((x > 4) & (x < 13) & (y > 14) & (y < 28)) * 1.0
    return sharp, blur(sharp) + np.random.default_rng(16).normal(0, 0.01, sharp.shape)


def blur(picture):
    weights = np.exp(-0.5 * (np.arange(-4, 5) / 1.5) ** 2)
    weights = weights / np.sum(weights)
    for axis in (0, 1):
        wide = np.pad(picture, [(4, 4) if a == axis else (0, 0) for a in (0, 1)], mode="edge")
        windows = np.lib.stride_tricks.sliding_window_view(wide, 9, axis=axis)
        picture = windows @ weights
    return picture


def run(sharp, seen, steps=150, weight=2e-3):
    def loss(picture):
        down, right = picture[1:, :-1] - picture[:-1, :-1], picture[:-1, 1:] - picture[:-1, :-1]
        variation = np.sum(np.sqrt(down ** 2 + right ** 2 + 1e-6))
        return 0.5 * np.sum((blur(picture) - seen) ** 2) + weight * variation

    found, losses = minimise(loss, seen, adam(0.02), steps)
    return losses, np.mean((seen - sharp) ** 2), np.mean((found - sharp) ** 2), sharp, seen, found


def check(losses, before, after, sharp, seen, found):
    assert losses[-1] < 0.5 * losses[0]
    assert after < 0.3 * before                                # 5 dB


def picture(losses, before, after, sharp, seen, found):
    return np.concatenate([sharp, seen, found], axis=1)
