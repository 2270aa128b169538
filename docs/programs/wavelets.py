"""Daubechies's wavelets by lifting: a signal split into scales, cleaned of noise by a soft threshold, and put together."""
import numjit as np


def inputs():
    rng = np.random.default_rng(37)
    t = np.arange(128) / 128
    return np.sin(4 * np.pi * t) + (t > 0.4) * (t < 0.7), rng.normal(0, 0.15, 128), 4


def split(x):
    """One level of the D4 transform, on a circle."""
    even, odd = x[::2].copy(), x[1::2].copy()
    r3 = np.sqrt(3)
    even += r3 * odd
    odd -= r3 / 4 * even + (r3 - 2) / 4 * np.roll(even, 1)
    even -= np.roll(odd, -1)
    return (r3 - 1) / np.sqrt(2) * even, (r3 + 1) / np.sqrt(2) * odd


def join(smooth, detail):
    r3 = np.sqrt(3)
    even, odd = smooth * np.sqrt(2) / (r3 - 1), detail * np.sqrt(2) / (r3 + 1)
    even += np.roll(odd, -1)
    odd += r3 / 4 * even + (r3 - 2) / 4 * np.roll(even, 1)
    even -= r3 * odd
    x = np.empty(2 * len(even))
    x[::2], x[1::2] = even, odd
    return x


def run(signal, noise, levels):
    smooth, details = signal + noise, []
    for _ in range(levels):
        smooth, detail = split(smooth)
        details.append(detail)
    sigma = np.median(np.abs(details[0])) / 0.6745
    threshold = sigma * np.sqrt(2 * np.log(len(signal)))
    energy = np.stack([np.sum(d ** 2) for d in details])
    for detail in reversed(details):
        kept = np.sign(detail) * np.maximum(np.abs(detail) - threshold, 0)
        smooth = join(smooth, kept)
    before, after = np.std(noise), np.std(smooth - signal)
    return smooth, energy, sigma, after < before, np.sum([np.count_nonzero(np.abs(d) > threshold) for d in details])
