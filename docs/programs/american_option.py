"""American and European puts by the binomial tree of Cox, Ross and Rubinstein, for many strikes at once."""
import numjit as np


def inputs():
    return np.linspace(80, 120, 9), 100.0, 0.05, 0.25, 1.0, 40


def run(strike, spot, rate, volatility, maturity, steps):
    dt = maturity / steps
    up = np.exp(volatility * np.sqrt(dt))
    chance = (np.exp(rate * dt) - 1 / up) / (up - 1 / up)
    discount = np.exp(-rate * dt)
    strikes = strike[:, np.newaxis]
    prices = spot * up ** np.arange(steps, -steps - 1, -2.0)
    american = np.maximum(strikes - prices, 0)
    european = american.copy()
    exercised = np.zeros(len(strike), dtype=np.int64)
    for step in range(steps - 1, -1, -1):
        european = discount * (chance * european[:, :-1] + (1 - chance) * european[:, 1:])
        waiting = discount * (chance * american[:, :-1] + (1 - chance) * american[:, 1:])
        now = np.maximum(strikes - spot * up ** np.arange(step, -step - 1, -2.0), 0)
        exercised += np.count_nonzero(now > waiting, axis=1)
        american = np.maximum(waiting, now)
    return american[:, 0], european[:, 0], exercised
