"""Length, height and noise of a Gaussian process by the gradient of the marginal likelihood, through np.linalg."""
from optimisers import lbfgs

import numjit as np


def inputs():
    rng = np.random.default_rng(11)
    x = np.sort(rng.uniform(0, 10, 24))
    return x, np.sin(1.3 * x) + rng.normal(0, 0.15, 24), np.log(np.array([0.5, 0.5, 0.5])), np.linspace(0, 10, 50)


def kernel(p, a, b):
    """p: the logarithms of length, height and noise."""
    return np.exp(2 * p[1] - 0.5 * ((a[:, np.newaxis] - b) / np.exp(p[0])) ** 2)


def covariance(p, x):
    return kernel(p, x, x) + np.exp(2 * p[2]) * np.eye(len(x))


def loss(p, x, y):
    k = covariance(p, x)
    white = np.linalg.solve(np.linalg.cholesky(k), y)
    return 0.5 * (white @ white + np.linalg.slogdet(k)[1] + len(x) * np.log(2 * np.pi))


def run(x, y, start, at):
    p, losses = lbfgs(lambda p: loss(p, x, y), start, 15)
    mean = kernel(p, at, x) @ np.linalg.solve(covariance(p, x), y)
    return np.exp(p), losses, np.grad(loss)(p, x, y), mean - np.sin(1.3 * at)


def check(found, losses, slope, error):
    length, height, noise = found
    assert losses[-1] < losses[0] - 5
    assert np.max(np.abs(slope)) < 1e-4                        # the likelihood is highest there
    assert 0.1 < noise < 0.22 and 0.8 < length < 2.5 and 0.4 < height < 2.5
    assert np.sqrt(np.mean(error ** 2)) < 0.15                 # nearer to the truth than the observations are
