"""Principal components: of the covariance matrix, and by the singular values; projection and what is lost."""
import numjit as np


def inputs():
    rng = np.random.default_rng(11)
    hidden = rng.normal(size=(60, 3)) * np.array([3.0, 1.5, 0.7])
    return hidden @ rng.normal(size=(3, 6)) + 0.1 * rng.normal(size=(60, 6)), 2


def run(x, k):
    mean = np.mean(x, axis=0)
    centred = x - mean
    variances, vectors = np.linalg.eigh(np.cov(centred, rowvar=False))
    order = np.argsort(-variances)
    variances, vectors = variances[order], vectors[:, order]
    # The sign of a component is open: its largest entry shall be positive.
    largest = np.take_along_axis(vectors, np.argmax(np.abs(vectors), axis=0)[np.newaxis], axis=0)
    vectors *= np.sign(largest)
    scores = centred @ vectors[:, :k]
    rebuilt = scores @ vectors[:, :k].T + mean
    singular = np.linalg.svd(centred, compute_uv=False) ** 2 / (len(x) - 1)
    same = np.max(np.abs(singular - variances)) < 1e-12
    return variances / np.sum(variances), vectors[:, :k], scores, np.mean((x - rebuilt) ** 2), same
