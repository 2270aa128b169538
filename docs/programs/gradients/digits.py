"""Pictures of digits, 12 x 12: a font of 5 x 7 dots, shifted, of uneven strength, with noise."""
import numjit as np

# A digit is seven rows of five dots, each row a number in binary.
FONT = [[14, 17, 19, 21, 25, 17, 14], [4, 12, 4, 4, 4, 4, 14], [14, 17, 1, 2, 4, 8, 31], [31, 2, 4, 2, 1, 17, 14],
        [2, 6, 10, 18, 31, 2, 2], [31, 16, 30, 1, 1, 17, 14], [6, 8, 16, 30, 17, 17, 14], [31, 1, 2, 4, 8, 8, 8],
        [14, 17, 17, 14, 17, 17, 14], [14, 17, 17, 15, 1, 2, 12]]


def font():
    return (np.array(FONT)[..., np.newaxis] >> np.arange(4, -1, -1) & 1).astype(np.float64)


def digits(count, seed, noise=0.15):
    """(pictures, labels)."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 10, count)
    top, left = rng.integers(2, 4, count), rng.integers(2, 5, count)
    pictures = np.zeros((count, 12, 12))
    rows, columns = top[:, np.newaxis] + np.arange(7), left[:, np.newaxis] + np.arange(5)
    pictures[np.arange(count)[:, np.newaxis, np.newaxis], rows[:, :, np.newaxis], columns[:, np.newaxis]] = font()[labels]
    pictures *= rng.uniform(0.6, 1.2, (count, 1, 1))
    return pictures + rng.normal(0, noise, pictures.shape), labels


def inputs():
    return 500, 3


def run(count, seed):
    """By the best place of the best digit: what can be known of such pictures without learning."""
    pictures, labels = digits(count, seed)
    places = np.lib.stride_tricks.sliding_window_view(pictures, (7, 5), axis=(1, 2))      # (count, 6, 8, 7, 5)
    patterns = font() - np.mean(font(), axis=(1, 2), keepdims=True)
    patterns = patterns / np.sqrt(np.sum(patterns ** 2, axis=(1, 2), keepdims=True))
    fits = np.tensordot(places, patterns, axes=([3, 4], [1, 2]))
    found = np.argmax(np.max(fits, axis=(1, 2)), axis=1)
    return pictures, labels, found


def check(pictures, labels, found):
    assert pictures.shape == (500, 12, 12)
    assert np.all(np.bincount(labels, minlength=10) > 25)
    assert np.mean(found == labels) > 0.97


def picture(pictures, labels, found):
    return pictures[:40].reshape(5, 8, 12, 12).transpose(0, 2, 1, 3).reshape(60, 96)
