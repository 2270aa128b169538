"""PageRank of a small web by the power method until it stands still, and by the eigenvector it is."""
import numjit as np


def inputs():
    rng = np.random.default_rng(30)
    source = rng.integers(0, 20, 70)
    target = (source + 1 + rng.zipf(1.7, 70)) % 18  # few pages have most of the links
    return source, target, 20


def run(source, target, n, damping=0.85):
    links = np.zeros((n, n))
    links[target, source] = 1.0                     # doubles count once
    out = np.sum(links, axis=0)
    dangling = out == 0
    walk = links / np.where(dangling, 1.0, out)
    rank, change = np.full(n, 1 / n), 1.0
    rounds = 0
    while change > 1e-11:                           # a break each five rounds
        for _ in range(5):
            old = rank
            rank = damping * (walk @ rank + np.sum(rank[dangling]) / n) + (1 - damping) / n
        change = np.sum(np.abs(rank - old))
        rounds += 5
    full = damping * (walk + dangling / n) + (1 - damping) / n
    values, vectors = np.linalg.eig(full.astype(np.complex128))
    leading = np.abs(vectors[:, np.argmax(np.abs(values))])
    agrees = np.max(np.abs(leading / np.sum(leading) - rank)) < 1e-9
    return rank, np.argsort(-rank, kind="stable")[:5], np.array(rounds), agrees
