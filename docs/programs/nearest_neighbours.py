"""Classification by the k nearest neighbours, on standardised data, with a confusion matrix and leave-one-out errors."""
import numjit as np


def inputs():
    rng = np.random.default_rng(23)
    label = rng.permutation(np.repeat(np.arange(3), 25))
    centre = np.array([[0.0, 0.0, 5.0], [2.5, 0.0, 6.0], [1.0, 2.5, 4.0]])
    x = (centre[label] + rng.normal(size=(75, 3))) * np.array([1.0, 10.0, 0.1])
    return x[:60], label[:60], x[60:], label[60:], 5


def vote(labels, classes):
    """The class most of the last axis is of, the smallest at a tie."""
    return np.argmax(np.sum(labels[..., np.newaxis] == np.arange(classes), axis=-2), axis=-1)


def run(known, label, asked, truth, k, classes=3):
    mean, scale = np.mean(known, axis=0), np.std(known, axis=0)
    a, b = (known - mean) / scale, (asked - mean) / scale
    # |x - y|^2 = |x|^2 - 2 x y + |y|^2
    distance = np.sum(b ** 2, axis=1)[:, np.newaxis] - 2 * b @ a.T + np.sum(a ** 2, axis=1)
    near = np.argsort(distance, axis=1, kind="stable")[:, :k]
    found = vote(label[near], classes)
    confusion = np.zeros((classes, classes), dtype=np.int64)
    np.add.at(confusion, (truth, found), 1)
    own = np.linalg.norm(a[:, np.newaxis] - a, axis=-1)
    np.fill_diagonal(own, np.inf)
    errors = np.stack([np.mean(vote(label[np.argsort(own, axis=1, kind="stable")[:, :m]], classes) != label)
                       for m in (1, 3, 5, 9)])
    radius = np.take_along_axis(np.sort(own, axis=1), np.full((len(a), 1), k - 1), axis=1)
    return found, confusion, errors, radius
