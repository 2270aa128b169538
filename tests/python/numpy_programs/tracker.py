"""Trackers made of closures (alpha-beta, exponential and a small Kalman filter) follow a noisy path and are compared."""
from collections import namedtuple
from functools import partial

import numpy as np

Track = namedtuple("Track", ["position", "velocity"])


def inputs():
    rng = np.random.default_rng(29)
    t = np.arange(40) * 0.5
    truth = np.column_stack([2 * t, 10 * np.sin(0.2 * t)])
    noisy = truth + rng.normal(0, 0.4, truth.shape)
    noisy[[12, 13, 27]] = np.nan                     # lost for a moment
    return truth, noisy, Track(np.zeros(2), np.array([2.0, 2.0])), 0.5


def run(truth, noisy, start, dt):
    import numpy as xp

    def alpha_beta(alpha, beta):
        x, v = start.position.copy(), start.velocity.copy()

        def update(z):
            nonlocal x
            x = x + dt * v
            if xp.isnan(z).any():
                return Track(x, v.copy())
            r = z - x
            x = x + alpha * r
            v[:] += beta / dt * r                     # in place: the array of the closure
            return Track(x, v.copy())

        return update

    def exponential(weight=0.5):
        level = None

        def update(z):
            nonlocal level
            if level is None:
                level = xp.array(z)
            elif not xp.isnan(z).any():
                level = level + weight * (z - level)
            return Track(level, xp.zeros(2))

        return update

    def kalman(q, r, /, **extra):
        F = xp.eye(4) + dt * xp.eye(4, k=2)
        H = xp.eye(2, 4)
        Q = q * xp.diag([dt ** 3 / 3] * 2 + [dt] * 2)
        s = xp.concatenate(start)
        P = extra.get("doubt", 1.0) * xp.eye(4)
        gains = extra.setdefault("gains", [])

        def update(z):
            nonlocal s, P
            s, P = F @ s, F @ P @ F.T + Q
            if not xp.isnan(z).any():
                K = xp.linalg.solve(H @ P @ H.T + r * xp.eye(2), H @ P).T
                s = s + K @ (z - H @ s)
                P = P - K @ H @ P
                gains.append(K[0, 0])
            return Track(s[:2], s[2:])

        return update

    gains = []
    makers = {"alpha-beta": partial(alpha_beta, 0.6, beta=0.2), "smooth": exponential,
              "kalman": lambda: kalman(0.5, 0.16, doubt=2.0, gains=gains)}
    paths, errors = {}, {}
    last = None
    for name, make in makers.items():
        follow = make()
        track = [follow(z) for z in noisy]
        paths[name] = np.array([p.position for p in track])
        errors[name] = float(np.sqrt(np.mean((paths[name] - truth) ** 2)))
        last = track[-1]
    best = min(errors, key=errors.get)
    raw = np.sqrt(np.nanmean((noisy - truth) ** 2))
    return paths, errors, best, raw, last, np.array(gains)
