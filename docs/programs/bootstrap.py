"""Bootstrap: intervals for the median and a correlation from samples drawn anew, and a permutation test of two groups."""
import numjit as np


def inputs():
    rng = np.random.default_rng(31)
    x = rng.gamma(2.0, 1.5, 40)
    return x, 0.6 * x + rng.normal(0, 1, 40), 31, 300


def run(x, y, seed, draws):
    rng = np.random.default_rng(seed)
    pick = rng.integers(0, len(x), (draws, len(x)))
    medians = np.median(x[pick], axis=1)
    a, b = x[pick], y[pick]
    a = a - np.mean(a, axis=1, keepdims=True)
    b = b - np.mean(b, axis=1, keepdims=True)
    r = np.sum(a * b, axis=1) / np.sqrt(np.sum(a * a, axis=1) * np.sum(b * b, axis=1))
    # Bias-corrected: the rank of the sample's own value shifts the quantiles.
    share = np.mean(medians < np.median(x))
    # Permutations: how often is the difference of means as large by chance?
    both = np.concatenate([x, y])
    shuffled = rng.permuted(np.tile(both, (draws, 1)), axis=1)
    chance = np.mean(shuffled[:, :len(x)], axis=1) - np.mean(shuffled[:, len(x):], axis=1)
    p = (1 + np.count_nonzero(np.abs(chance) >= np.abs(np.mean(x) - np.mean(y)))) / (draws + 1)
    counts, edges = np.histogram(r, bins=8, range=(0.0, 1.0))
    return np.quantile(medians, [0.025, 0.5, 0.975]), np.percentile(r, [2.5, 97.5]), share, p, counts, edges
