"""PageRank by sums: each rank has its part of the pages with what they link to; what pages give is added up as one process would."""
import numjit as np
from numjit import distributed

PAGES, LINKS, ROUNDS, DAMPING = 300, 6, 20, 0.85


@np.compile
def improved(rank, targets):
    share = rank / LINKS
    given = np.zeros((len(share), PAGES))
    given += np.sum((targets[:, :, np.newaxis] == np.arange(PAGES)) * share[:, np.newaxis, np.newaxis], axis=1)
    return (1 - DAMPING) / PAGES + DAMPING * distributed.sum(given, axis=0)


def run():
    mine = distributed.part(PAGES)
    targets = np.random.default_rng(6).integers(0, PAGES, (PAGES, LINKS))[mine]
    rank = np.full(PAGES, 1 / PAGES)
    for _ in range(ROUNDS):
        rank = improved(rank[mine], targets)
    return rank, np.argsort(rank)[-5:]
