"""A round trip through cities by simulated annealing: pieces of the tour reversed by Metropolis's rule."""
import math

import numpy as np


def inputs():
    rng = np.random.default_rng(8)
    return rng.random((16, 2)), 8, 1500


def run(cities, seed, steps, t_start=0.5, t_end=0.01):
    rng = np.random.default_rng(seed)
    n = len(cities)
    dist = np.sqrt(((cities[:, None] - cities) ** 2).sum(-1))

    def length(tour):
        return dist[tour, np.roll(tour, -1)].sum()

    def change(tour, i, j):
        a, b = tour[i - 1], tour[i]
        c, d = tour[j], tour[(j + 1) % n]
        return dist[a, c] + dist[b, d] - dist[a, b] - dist[c, d]

    # The nearest neighbour's tour to compare with
    def greedy():
        left = np.ones(n, dtype=bool)
        tour = [0]
        left[0] = False
        while left.any():
            d = np.where(left, dist[tour[-1]], np.inf)
            tour.append(int(d.argmin()))
            left[tour[-1]] = False
        return np.array(tour)

    tour = np.arange(n)
    current = float(length(tour))
    best, best_tour = current, tour.copy()
    cool = (t_end / t_start) ** (1 / steps)
    temperature = t_start
    accepted = np.zeros(5, dtype=int)
    trace = []
    for k in range(steps):
        i, j = np.sort(rng.choice(n - 1, 2, replace=False) + 1)
        delta = change(tour, i, j)
        chance = rng.random()
        if delta < 0 or chance < math.exp(-delta / temperature):
            tour[i:j + 1] = tour[i:j + 1][::-1].copy()
            current += delta
            accepted[5 * k // steps] += 1
            if current < best - 1e-12:
                best = current
                best_tour[:] = tour
        temperature *= cool
        if k % 300 == 0:
            trace.append(current)
    return [best_tour, best, length(best_tour), length(greedy()), accepted, trace]
