"""A mixture of Gaussians by the gradient of the log likelihood: weights by softmax, precisions by their triangular factors."""
from collections import namedtuple

from optimisers import lbfgs

import numjit as np

# The factor of the precision matrix is lower triangular, its diagonal exp(log_diagonal): positive whatever the numbers are.
Mixture = namedtuple("Mixture", "shares means log_diagonal below")


def inputs():
    rng = np.random.default_rng(10)
    x = np.concatenate([rng.normal(size=(150, 2)) @ np.array([[1.0, 0.6], [0.0, 0.5]]),
                        rng.normal(size=(100, 2)) * 0.5 + np.array([4.0, 0.0]),
                        rng.normal(size=(50, 2)) * np.array([0.3, 1.0]) + np.array([2.0, 4.0])])
    start = Mixture(np.zeros(3), np.array([[-1.0, 1.0], [3.0, 1.0], [1.0, 3.0]]), np.zeros((3, 2)), np.zeros(3))
    return x, start


def logsumexp(x, axis):
    top = np.max(x, axis=axis, keepdims=True)
    return np.squeeze(top, axis) + np.log(np.sum(np.exp(x - top), axis=axis))


def log_joint(p, x):
    """log of the share of each Gaussian times its density at each point: (n, k)."""
    away = x[:, np.newaxis] - p.means
    first = np.exp(p.log_diagonal[:, 0]) * away[..., 0]
    second = p.below * away[..., 0] + np.exp(p.log_diagonal[:, 1]) * away[..., 1]
    log_share = p.shares - logsumexp(p.shares, 0)
    return log_share + np.sum(p.log_diagonal, axis=1) - np.log(2 * np.pi) - 0.5 * (first ** 2 + second ** 2)


def run(x, start):
    p, losses = lbfgs(lambda p: -np.mean(logsumexp(log_joint(p, x), 1)), start, 60)
    share = np.exp(log_joint(p, x) - logsumexp(log_joint(p, x), 1)[:, np.newaxis])
    return p.means, np.mean(share, axis=0), np.exp(p.shares - logsumexp(p.shares, 0)), np.argmax(share, axis=1), losses


def check(means, responsible, shares, cluster, losses):
    np.testing.assert_allclose(means, [[0, 0], [4, 0], [2, 4]], atol=0.3)
    np.testing.assert_allclose(shares, [1 / 2, 1 / 3, 1 / 6], atol=0.05)
    np.testing.assert_allclose(responsible, shares, atol=1e-5)  # at the maximum a step of EM changes nothing
    assert np.mean(cluster == np.repeat(np.arange(3), [150, 100, 50])) > 0.95
    assert losses[-1] < losses[0] - 1
