"""All shortest paths of a graph by Floyd and Warshall, with the paths themselves, and which nodes reach each other."""
import numjit as np


def inputs():
    rng = np.random.default_rng(9)
    weight = rng.integers(1, 20, (14, 14)).astype(np.float64)
    weight[rng.random((14, 14)) < 0.75] = np.inf
    np.fill_diagonal(weight, 0)
    return (weight,)


def run(weight):
    n = len(weight)
    distance = weight.copy()
    next_node = np.where(np.isfinite(weight), np.arange(n), -1)
    for k in range(n):
        through = distance[:, k, np.newaxis] + distance[k]
        shorter = through < distance
        distance = np.where(shorter, through, distance)
        next_node = np.where(shorter, next_node[:, k, np.newaxis], next_node)
    # From the node 0 to all others at once, a step at a time.
    target = np.arange(n)
    here = np.where(next_node[0] >= 0, 0, -1)
    path = [here]
    for _ in range(6):
        here = np.where(here >= 0, next_node[np.maximum(here, 0), target], -1)
        path.append(here)
    reach = np.isfinite(distance)
    finite = np.where(reach, distance, -1)
    return finite, np.stack(path), np.unique(np.sum(reach, axis=1)), np.max(finite, axis=1), np.argmax(finite, axis=1)
