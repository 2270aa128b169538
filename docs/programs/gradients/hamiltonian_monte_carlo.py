"""Hamiltonian Monte Carlo: many chains at once, by vmap, draw from a banana by leapfrog steps along the gradient."""
import numjit as np


def inputs():
    return np.random.default_rng(13), 150, 100, 12


def log_density(q):
    """q[0] is normal, and q[1] is normal around q[0]^2."""
    return -0.5 * q[0] ** 2 - 0.5 * (q[1] - q[0] ** 2) ** 2


def run(rng, chains, draws, steps, size=0.25):
    value_and_slope = np.vmap(np.value_and_grad(log_density))
    q = rng.normal(size=(chains, 2))
    value, slope = value_and_slope(q)
    found, accepted, drift = np.empty((draws, chains, 2)), np.empty(draws), np.empty(draws)
    for draw in range(draws):
        speed = rng.normal(size=(chains, 2))
        before = value - 0.5 * np.sum(speed ** 2, axis=1)
        ahead, ahead_value, ahead_slope = q, value, slope
        for _ in range(steps):
            speed = speed + 0.5 * size * ahead_slope
            ahead = ahead + size * speed
            ahead_value, ahead_slope = value_and_slope(ahead)
            speed = speed + 0.5 * size * ahead_slope
        change = ahead_value - 0.5 * np.sum(speed ** 2, axis=1) - before
        take = np.log(rng.random(chains)) < change
        q, slope = np.where(take[:, np.newaxis], ahead, q), np.where(take[:, np.newaxis], ahead_slope, slope)
        value = np.where(take, ahead_value, value)
        found[draw], accepted[draw], drift[draw] = q, np.mean(take), np.mean(np.exp(change))
    return found[20:].reshape(-1, 2), np.mean(accepted), np.mean(drift[20:])


def check(found, accepted, drift):
    x, y = found.T
    assert 0.6 < accepted < 0.995
    assert abs(drift - 1) < 0.05                               # exp(-change of energy) is 1 on average, in equilibrium
    assert abs(np.mean(x)) < 0.06 and abs(np.var(x) - 1) < 0.1
    assert abs(np.mean(y) - 1) < 0.1 and abs(np.var(y) - 3) < 0.4
    assert abs(np.mean((y - x ** 2) ** 2) - 1) < 0.06


def picture(found, accepted, drift):
    return np.histogram2d(found[:, 1], found[:, 0], bins=(30, 40), range=((-3, 8), (-3, 3)))[0][::-1]
