"""A histogram of parted numbers, and their sort by samples: splitters from samples of all ranks, every number to the rank of its
range, where it is sorted."""
import numjit as np
from numjit import distributed

NUMBERS, BINS = 5_000, 20


def sorted_by_samples(x):
    ranks = distributed.world().size
    x = np.sort(x)
    samples = x[np.linspace(0, len(x) - 1, 32).astype(np.int64)]
    splitters = np.sort(distributed.all_gather(samples))[32 * np.arange(1, ranks)]
    borders = np.concatenate([[0], np.searchsorted(x, splitters), [len(x)]])
    counts = np.diff(borders)
    # Blocks of one length travel: that of the longest piece of any rank.
    most = int(distributed.all_reduce(np.max(counts), "max"))
    blocks = np.full((ranks, most), np.inf)
    for i in range(ranks):
        blocks[i, :int(counts[i])] = x[int(borders[i]):int(borders[i + 1])]
    came = distributed.all_to_all(blocks)
    mine = np.sort(came[came < np.inf])
    # Ranks have different numbers of elements: they, too, are gathered in blocks.
    lengths = distributed.all_gather(np.array(len(mine)))
    padded = np.full((1, int(np.max(lengths))), np.inf)
    padded[0, :len(mine)] = mine
    everything = distributed.all_gather(padded)
    return everything[everything < np.inf]


def run():
    x = np.random.default_rng(4).normal(size=NUMBERS)[distributed.part(NUMBERS)]
    low, high = distributed.all_reduce(np.min(x), "min"), distributed.all_reduce(np.max(x), "max")
    counts, edges = np.histogram(x, bins=BINS, range=(float(low), float(high)))
    return distributed.all_reduce(counts), edges, sorted_by_samples(x)
