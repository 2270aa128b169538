"""k-means over parted points: each rank labels its own, and the sums and counts of the clusters are reduced."""
import numjit as np
from numjit import distributed

POINTS, CLUSTERS, ROUNDS = 900, 4, 12


@np.compile
def improved(points, centres):
    distance = np.sum((points[:, np.newaxis] - centres) ** 2, axis=-1)
    labels = np.argmin(distance, axis=1)
    members = (labels[:, np.newaxis] == np.arange(CLUSTERS)).astype(np.float64)
    sums = distributed.all_reduce(members.T @ points)
    counts = distributed.all_reduce(np.sum(members, axis=0))
    return sums / np.maximum(counts, 1)[:, np.newaxis], labels


def run():
    rng = np.random.default_rng(5)
    blobs = rng.uniform(-6, 6, (CLUSTERS, 2))
    points = blobs[rng.integers(0, CLUSTERS, POINTS)] + 0.7 * rng.normal(size=(POINTS, 2))
    centres, mine = points[:CLUSTERS], points[distributed.part(POINTS)]
    for _ in range(ROUNDS):
        centres, labels = improved(mine, centres)
    return centres, distributed.all_gather(labels, length=POINTS)
