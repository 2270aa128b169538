"""k-means clustering, from centres far apart until no point changes its cluster."""
import numjit as np


def inputs():
    rng = np.random.default_rng(5)
    blobs = rng.uniform(-6, 6, (4, 2))
    return blobs[rng.integers(0, 4, 150)] + 0.7 * rng.normal(size=(150, 2)), 4


def squared_distance(points, centres):
    return np.sum((points[:, np.newaxis] - centres) ** 2, axis=-1)


def run(points, k):
    centres = points[:1]
    while len(centres) < k:  # the point farthest from all centres so far
        far = np.argmax(np.min(squared_distance(points, centres), axis=1))
        centres = np.concatenate([centres, points[far][np.newaxis]])
    labels = np.full(len(points), -1)
    while True:
        new_labels = np.argmin(squared_distance(points, centres), axis=1)
        if np.array_equal(new_labels, labels):  # a break per round
            break
        labels = new_labels
        counts = np.bincount(labels, minlength=k)
        sums = [np.bincount(labels, weights=points[:, d], minlength=k) for d in range(points.shape[1])]
        centres = np.stack(sums, axis=1) / counts[:, np.newaxis]
    return centres, labels, np.sum(np.min(squared_distance(points, centres), axis=1))
