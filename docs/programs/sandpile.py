"""The Abelian sandpile: grains fall on the middle until nothing topples; how large the avalanches are."""
import numjit as np


def inputs():
    return 15, 12, 20


def run(n, drops, grains):
    pile = np.zeros((n, n), dtype=np.int32)
    sizes = np.zeros(drops, dtype=np.int64)
    for drop in range(drops):
        pile[n // 2, n // 2] += grains
        while np.any(pile >= 4):  # a break per round
            falls = pile // 4
            pile -= 4 * falls
            pile[1:] += falls[:-1]
            pile[:-1] += falls[1:]
            pile[:, 1:] += falls[:, :-1]
            pile[:, :-1] += falls[:, 1:]
            sizes[drop] += np.sum(falls)
    symmetric = np.all(pile == np.rot90(pile)) & np.all(pile == pile.T)
    return pile, sizes, np.bincount(pile.ravel(), minlength=4), symmetric
