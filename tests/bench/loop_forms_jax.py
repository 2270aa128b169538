"""The programs of loop_programs.py whose loops JAX can express, in its words."""
import jax.numpy as np
from jax import lax


def recurrence(x):
    def step(last, value):
        new = 0.9 * last + 0.1 * value
        return new, new
    return np.concatenate([x[:1], lax.scan(step, x[0], x[1:])[1]])


def moving_average_with_resets(x):
    def step(state, value):
        state = np.where(np.abs(value) > 2.0, 0.0, state)
        state = state + 0.2 * (value - state)
        return state, state
    return lax.scan(step, 0.0, x)[1]


def edit_distance(a, b):
    def row(previous, a_and_i):
        value, i = a_and_i

        def cell(left, above):
            diagonal, up, other = above
            new = np.minimum(np.minimum(up + 1, left + 1), diagonal + np.where(value == other, 0, 1))
            return new, new
        rest = lax.scan(cell, i, (previous[:-1], previous[1:], b))[1]
        return np.concatenate([i[None], rest]), None
    first = np.arange(len(b) + 1.0)
    return lax.scan(row, first, (a, np.arange(1.0, len(a) + 1)))[0][-1]


def common_subsequence(a, b):
    def row(previous, value):
        def cell(left, above):
            diagonal, up, other = above
            new = np.where(value == other, diagonal + 1, np.maximum(up, left))
            return new, new
        return np.concatenate([np.zeros(1), lax.scan(cell, 0.0, (previous[:-1], previous[1:], b))[1]]), None
    return lax.scan(row, np.zeros(len(b) + 1), a)[0][-1]


def crc32(data):
    def byte(crc, value):
        def bit(_, crc):
            return (crc >> 1) ^ np.where(crc & 1, 0xEDB88320, 0)
        return lax.fori_loop(0, 8, bit, crc ^ value), None
    return lax.scan(byte, np.int64(0xFFFFFFFF), data)[0][None] ^ 0xFFFFFFFF


def heat(u):
    def step(_, u):
        inner = u[1:-1, 1:-1]
        return u.at[1:-1, 1:-1].add(0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * inner))
    return lax.fori_loop(0, 50, step, u)


def life(cells):
    def step(_, cells):
        inner = (cells[:-2, :-2] + cells[:-2, 1:-1] + cells[:-2, 2:] + cells[1:-1, :-2] + cells[1:-1, 2:] + cells[2:, :-2] +
                 cells[2:, 1:-1] + cells[2:, 2:])
        around = np.zeros_like(cells).at[1:-1, 1:-1].set(inner)
        return np.where((around == 3) | ((cells == 1) & (around == 2)), 1, 0)
    return lax.fori_loop(0, 20, step, cells)


def rotations(angles):
    def step(total, angle):
        c, s = np.cos(angle), np.sin(angle)
        return total @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), None
    return lax.scan(step, np.eye(3), angles)[0]


def kalman(measured):
    move, noise = np.array([[1.0, 0.1], [0.0, 1.0]]), 0.01 * np.eye(2)

    def step(carried, value):
        state, spread = carried
        state = move @ state
        spread = move @ spread @ move.T + noise
        gain = spread[:, 0] / (spread[0, 0] + 0.5)
        state = state + gain * (value - state[0])
        return (state, spread - np.outer(gain, spread[0])), state[0]
    return lax.scan(step, (np.zeros(2), np.eye(2)), measured)[1]


def bisection(x):
    def step(_, bounds):
        low, high = bounds
        middle = (low + high) / 2
        is_above = middle * middle > x
        return np.where(is_above, low, middle), np.where(is_above, middle, high)
    return lax.fori_loop(0, 40, step, (np.zeros_like(x), np.full_like(x, 2.0)))[0]


def newton(x):
    return lax.while_loop(lambda y: np.max(np.abs(y * y - x)) > 1e-10, lambda y: 0.5 * (y + x / y), x * 1.0)


def viterbi(costs, moves):
    return lax.scan(lambda total, cost: (np.min(total[:, None] + moves, axis=0) + cost, None), costs[0], costs[1:])[0]


def pendulum(state):
    def slope(state):
        return np.array([state[1], -np.sin(state[0])])
    return lax.fori_loop(0, 100, lambda _, state: state + 0.01 * slope(state + 0.005 * slope(state)), state)
