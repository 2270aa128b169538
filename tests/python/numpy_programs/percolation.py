"""Percolation: water floods porous stones by masks written in place; from which porosity on it comes through."""
import numpy as np


def inputs():
    return 14, 24, np.linspace(0.35, 0.85, 6)


def flood(open_, wet):
    """Spreads the water within the open cells, into the mask itself; returns the number of rounds."""
    rounds = 0
    before = -1
    while np.count_nonzero(wet) != before:
        before = np.count_nonzero(wet)
        wet[1:] |= wet[:-1]
        wet[:-1] |= wet[1:]
        wet[:, 1:] |= wet[:, :-1]
        wet[:, :-1] |= wet[:, 1:]
        wet &= open_
        rounds += 1
    return rounds


def percolates(open_):
    if not open_[0].any() or not open_[-1].any():
        return False
    wet = np.zeros_like(open_)
    wet[0] = open_[0]
    flood(open_, wet)
    return bool(wet[-1].any())


def threshold(noise):
    """The porosity at which this stone opens, by bisection over its own values."""
    levels = np.sort(noise, axis=None)
    lo, hi = 0, levels.size - 1
    while lo < hi:
        mid = (lo + hi) // 2
        if percolates(noise <= levels[mid]):
            hi = mid
        else:
            lo = mid + 1
    return levels[lo]


def flood_fill(labels, start, new):
    """With a stack, as a paint program does it."""
    old = labels[start]
    if old == new:
        return 0
    stack, painted = [start], 0
    while stack:
        i, j = stack.pop()
        if labels[i, j] != old:
            continue
        labels[i, j] = new
        painted += 1
        for a, b in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
            if 0 <= a < labels.shape[0] and 0 <= b < labels.shape[1] and labels[a, b] == old:
                stack.append((a, b))
    return painted


def run(size, stones, porosities):
    rng = np.random.default_rng(size)
    noise = rng.random((stones, size, size))
    chance = np.array([np.mean([percolates(n < p) for n in noise]) for p in porosities])
    opens = np.array([threshold(n) for n in noise])

    open_ = noise[0] < 0.62
    wet = np.zeros_like(open_)
    wet[0] = open_[0]
    rounds = flood(open_, wet)

    labels = open_.astype(np.int8)
    label, sizes = 2, []
    for i, j in zip(*np.nonzero(open_)):
        if labels[i, j] == 1:
            sizes.append(flood_fill(labels, (i, j), label))
            label += 1
    assert sum(sizes) == open_.sum()
    same = np.array_equal(wet, np.isin(labels, np.unique(labels[0][labels[0] > 0])))
    return chance, opens.mean(), opens.std(ddof=1), wet, rounds, labels, np.sort(sizes)[::-1], same
