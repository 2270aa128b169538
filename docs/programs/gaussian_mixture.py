"""A mixture of Gaussians by expectation and maximisation, with full covariances, until the likelihood stands still."""
import numjit as np


def inputs():
    rng = np.random.default_rng(43)
    a = rng.normal(size=(60, 2)) @ np.array([[1.0, 0.6], [0.0, 0.5]])
    b = rng.normal(size=(40, 2)) @ np.array([[0.5, 0.0], [-0.4, 0.9]]) + np.array([3.0, 1.0])
    return np.concatenate([a, b]), np.array([[-1.0, 1.0], [2.0, 2.0]]), 1e-7


def log_density(x, mean, covariance):
    """Of each point under each Gaussian: (n, k)."""
    factor = np.linalg.cholesky(covariance)
    away = (x[:, np.newaxis] - mean)[..., np.newaxis]
    scaled = np.linalg.solve(factor, away)[..., 0]
    log_det = np.sum(np.log(np.diagonal(factor, axis1=-2, axis2=-1)), axis=-1)
    return -0.5 * np.sum(scaled ** 2, axis=-1) - log_det - 0.5 * x.shape[1] * np.log(2 * np.pi)


def run(x, mean, tolerance):
    n, d = x.shape
    k = len(mean)
    weight = np.full(k, 1 / k)
    covariance = np.stack([np.eye(d)] * k)
    before, gain, rounds = np.array(-np.inf), np.inf, 0
    while gain > tolerance:                                       # a break per round
        joint = np.log(weight) + log_density(x, mean, covariance)
        top = np.max(joint, axis=1, keepdims=True)
        total = top + np.log(np.sum(np.exp(joint - top), axis=1, keepdims=True))
        share = np.exp(joint - total)
        mass = np.sum(share, axis=0)
        weight = mass / n
        mean = share.T @ x / mass[:, np.newaxis]
        away = x[:, np.newaxis] - mean
        covariance = np.einsum("nk,nki,nkj->kij", share, away, away) / mass[:, np.newaxis, np.newaxis]
        likelihood = np.mean(total)
        gain, before = likelihood - before, likelihood
        rounds += 1
    return weight, mean, covariance, np.argmax(share, axis=1), np.array(rounds), likelihood
