"""An Asian option by Monte Carlo, with antithetic paths and the geometric mean as control variate; quantiles of the payoff."""
import numjit as np


def inputs():
    return 2024, 400, 12, 100.0, 100.0, 0.03, 0.3


def run(seed, paths, months, spot, strike, rate, volatility):
    rng = np.random.default_rng(seed)
    dt = 1 / months
    half = rng.standard_normal((paths // 2, months))
    moves = np.concatenate([half, -half])
    growth = (rate - 0.5 * volatility ** 2) * dt + volatility * np.sqrt(dt) * moves
    price = spot * np.exp(np.cumsum(growth, axis=1))
    payoff = np.exp(-rate) * np.maximum(np.mean(price, axis=1) - strike, 0)
    control = np.exp(-rate) * np.maximum(np.exp(np.mean(np.log(price), axis=1)) - strike, 0)
    c = np.cov(payoff, control)
    beta = c[0, 1] / c[1, 1]
    better = payoff - beta * (control - np.mean(control))
    error = np.std(better, ddof=1) / np.sqrt(paths)
    ever = np.mean(np.any(price > 1.2 * spot, axis=1))
    return np.mean(better), error, beta, ever, np.percentile(payoff, [50, 75, 95, 99]), np.corrcoef(payoff, control)
