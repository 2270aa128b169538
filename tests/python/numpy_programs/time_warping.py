"""Dynamic time warping: how alike two series are when one may run slower, with the path, for several distances."""
import numpy as np
from numpy import pi, sin


def inputs():
    t = np.linspace(0, 1, 24)
    slow = sin(2 * pi * t ** 1.5)
    fast = sin(2 * pi * np.linspace(0, 1, 18)) + 0.05
    flat = 0.2 * np.arange(10.0)
    return [slow, fast, flat], 8


def metrics(xp):
    return {
        "abs": lambda a, b: xp.abs(a - b),
        "square": lambda a, b: xp.square(a - b),
        "huber": lambda a, b: xp.where(xp.abs(a - b) < 0.5, 0.5 * (a - b) ** 2, 0.5 * xp.abs(a - b) - 0.125),
    }


def dtw(x, y, metric, window=None):
    n, m = len(x), len(y)
    w = max(window or max(n, m), abs(n - m))
    D = np.full((n + 1, m + 1), np.inf)
    D[0, 0] = 0
    for i in range(1, n + 1):
        for j in range(max(1, i - w), min(m, i + w) + 1):
            D[i, j] = metric(x[i - 1], y[j - 1]) + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
    return D


def traceback(D):
    i, j = D.shape[0] - 1, D.shape[1] - 1
    path = []
    while i > 0 and j > 0:
        path.append((i - 1, j - 1))
        step = np.argmin([D[i - 1, j - 1], D[i - 1, j], D[i, j - 1]])
        if step == 0:
            i, j = i - 1, j - 1
        elif step == 1:
            i -= 1
        else:
            j -= 1
    return np.array(path[::-1])


def run(series, window):
    x, y = series[0], series[1]
    kinds = metrics(np)
    totals = {}
    for name, metric in kinds.items():
        totals[name] = dtw(x, y, metric)[-1, -1]
    D = dtw(x, y, kinds["square"], window)
    path = traceback(D)
    warped = np.array([y[path[path[:, 0] == i, 1]].mean() for i in range(len(x))])
    k = len(series)
    table = np.zeros((k, k))
    for a in range(k):
        for b in range(a):
            table[a, b] = table[b, a] = dtw(series[a], series[b], kinds["abs"])[-1, -1]
    gain = np.vectorize(lambda a, b: 0.0 if a == 0 else b / a)(table, table.max(axis=1, keepdims=True))
    inside = np.isfinite(D[1:, 1:])
    series.append(warped)
    series[2] -= series[2].mean()
    return {"totals": totals, "path": path, "warped": warped, "table": table, "gain": gain,
            "inside": int(inside.sum()), "end": D[-1, -3:]}
