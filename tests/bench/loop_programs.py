"""Programs that loop over elements, rows or small matrices, as people write them with NumPy: the text is the same for all engines.

`np` is the module of the engine: loops.py gives each its own. PROGRAMS has (name, function, arguments) of each.
"""
import numpy as np


def recurrence(x):
    y = np.zeros_like(x)
    y[0] = x[0]
    for t in range(1, len(x)):
        y[t] = 0.9 * y[t - 1] + 0.1 * x[t]
    return y


def moving_average_with_resets(x):
    y = np.zeros_like(x)
    state = 0.0
    for t in range(len(x)):
        if abs(x[t]) > 2.0:
            state = 0.0
        state = state + 0.2 * (x[t] - state)
        y[t] = state
    return y


def edit_distance(a, b):
    n, m = len(a), len(b)
    d = np.zeros((n + 1, m + 1))
    d[:, 0] = np.arange(n + 1)
    d[0, :] = np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[n, m]


def common_subsequence(a, b):
    previous = np.zeros(len(b) + 1)
    for i in range(len(a)):
        current = np.zeros(len(b) + 1)
        for j in range(len(b)):
            if a[i] == b[j]:
                current[j + 1] = previous[j] + 1
            else:
                current[j + 1] = max(previous[j + 1], current[j])
        previous = current
    return previous[-1]


def knapsack(weights, values):
    best = np.zeros(200)
    for i in range(len(weights)):
        w = weights[i]
        best[w:] = np.maximum(best[w:], best[:-w] + values[i])
    return best


def cholesky(a):
    n = a.shape[0]
    lower = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            rest = a[i, j] - np.sum(lower[i, :j] * lower[j, :j])
            lower[i, j] = np.sqrt(rest) if i == j else rest / lower[j, j]
    return lower


def lu(a):
    a = a.copy()
    n = a.shape[0]
    for k in range(n - 1):
        p = k + np.argmax(np.abs(a[k:, k]))
        if p != k:
            row = a[k].copy()
            a[k] = a[p]
            a[p] = row
        a[k + 1:, k] /= a[k, k]
        a[k + 1:, k + 1:] -= np.outer(a[k + 1:, k], a[k, k + 1:])
    return a


def forward_substitution(lower, b):
    x = np.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - np.sum(lower[i, :i] * x[:i])) / lower[i, i]
    return x


def gauss_seidel(a, b):
    x = np.zeros(len(b))
    for _ in range(3):
        for i in range(len(b)):
            x[i] = (b[i] - np.sum(a[i, :i] * x[:i]) - np.sum(a[i, i + 1:] * x[i + 1:])) / a[i, i]
    return x


def sparse_rows(starts, columns, values, x):
    y = np.zeros(len(starts) - 1)
    for i in range(len(y)):
        begin, end = starts[i], starts[i + 1]
        y[i] = np.sum(values[begin:end] * x[columns[begin:end]])
    return y


def crc32(data):
    crc = 0xFFFFFFFF
    for i in range(len(data)):
        crc ^= int(data[i])
        for _ in range(8):
            crc = (crc >> 1) ^ (0xEDB88320 if crc & 1 else 0)
    return np.array([crc ^ 0xFFFFFFFF])


def heat(u):
    u = u.copy()
    for _ in range(50):
        u[1:-1, 1:-1] += 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])
    return u


def life(cells):
    cells = cells.copy()
    for _ in range(20):
        around = np.zeros_like(cells)
        around[1:-1, 1:-1] = (cells[:-2, :-2] + cells[:-2, 1:-1] + cells[:-2, 2:] + cells[1:-1, :-2] + cells[1:-1, 2:] +
                              cells[2:, :-2] + cells[2:, 1:-1] + cells[2:, 2:])
        cells = np.where((around == 3) | ((cells == 1) & (around == 2)), 1, 0)
    return cells


def rotations(angles):
    total = np.eye(3)
    for i in range(len(angles)):
        c, s = np.cos(angles[i]), np.sin(angles[i])
        turn = np.zeros((3, 3))
        turn[0, 0] = c
        turn[0, 1] = -s
        turn[1, 0] = s
        turn[1, 1] = c
        turn[2, 2] = 1.0
        total = total @ turn
    return total


def kalman(measured):
    state, spread = np.zeros(2), np.eye(2)
    step = np.array([[1.0, 0.1], [0.0, 1.0]])
    noise = 0.01 * np.eye(2)
    found = np.zeros(len(measured))
    for t in range(len(measured)):
        state = step @ state
        spread = step @ spread @ step.T + noise
        gain = spread[:, 0] / (spread[0, 0] + 0.5)
        state = state + gain * (measured[t] - state[0])
        spread = spread - np.outer(gain, spread[0])
        found[t] = state[0]
    return found


def sum_by_sign(x):
    above, below = 0.0, 0.0
    for i in range(len(x)):
        if x[i] > 0:
            above += x[i]
        else:
            below -= 0.5 * x[i]
    return np.array([above, below])


def bisection(x):
    low, high = np.zeros_like(x), np.full_like(x, 2.0)
    for _ in range(40):
        middle = (low + high) / 2
        is_above = middle * middle > x
        high = np.where(is_above, middle, high)
        low = np.where(is_above, low, middle)
    return low


def newton(x):
    y = x * 1.0
    while np.max(np.abs(y * y - x)) > 1e-10:
        y = 0.5 * (y + x / y)
    return y


def viterbi(costs, moves):
    total = costs[0].copy()
    back = np.zeros(costs.shape, dtype=np.int64)
    for t in range(1, costs.shape[0]):
        paths = np.expand_dims(total, 1) + moves
        for j in range(costs.shape[1]):
            back[t, j] = np.argmin(paths[:, j])
            total[j] = np.min(paths[:, j]) + costs[t, j]
    return total


def pendulum(state):
    for _ in range(100):
        a = np.array([state[1], -np.sin(state[0])])
        middle = state + 0.005 * a
        b = np.array([middle[1], -np.sin(middle[0])])
        state = state + 0.01 * b
    return state


def make(random):
    a = random.standard_normal((30, 30))
    positive = a @ a.T + 30 * np.eye(30)
    starts = np.arange(0, 401, 4)
    board = (random.random((60, 60)) < 0.3).astype(np.int64)
    return [
        (recurrence, (random.standard_normal(300),)),
        (moving_average_with_resets, (random.standard_normal(200),)),
        (edit_distance, (random.integers(0, 4, 30), random.integers(0, 4, 30))),
        (common_subsequence, (random.integers(0, 4, 30), random.integers(0, 4, 30))),
        (knapsack, (random.integers(1, 50, 60), random.random(60))),
        (cholesky, (positive,)),
        (lu, (random.standard_normal((40, 40)),)),
        (forward_substitution, (np.tril(positive), random.standard_normal(30))),
        (gauss_seidel, (positive, random.standard_normal(30))),
        (sparse_rows, (starts, random.integers(0, 100, 400), random.standard_normal(400), random.standard_normal(100))),
        (crc32, (random.integers(0, 256, 60),)),
        (heat, (random.random((100, 100)),)),
        (life, (board,)),
        (rotations, (random.random(50),)),
        (kalman, (random.standard_normal(50),)),
        (sum_by_sign, (random.standard_normal(200),)),
        (bisection, (random.random(1000),)),
        (newton, (random.random(1000) + 0.5,)),
        (viterbi, (random.random((30, 8)), random.random((8, 8)))),
        (pendulum, (np.array([1.0, 0.0]),)),
    ]
