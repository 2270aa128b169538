"""A genetic algorithm packs a knapsack: tournaments, crossover, mutation, and the best always kept."""
from functools import reduce

import numpy as np


class Population:
    def __init__(self, size, genes, rng):
        self.rng = rng
        self.genes = rng.random((size, genes)) < 0.5
        self.fitness = np.zeros(size)
        self.generation = 0
        self.best = None
        self.best_value = -np.inf

    def evaluate(self, values, weights, capacity):
        weight = self.genes @ weights
        np.dot(self.genes, values, out=self.fitness)
        over = weight > capacity
        self.fitness[over] = np.maximum(0, capacity - 3 * (weight[over] - capacity))
        top = self.fitness.argmax()
        if self.fitness[top] > self.best_value:
            self.best_value = float(self.fitness[top])
            self.best = self.genes[top].copy()

    def select(self):
        pairs = self.rng.integers(0, len(self.genes), (len(self.genes), 2))
        first = self.fitness[pairs[:, 0]] >= self.fitness[pairs[:, 1]]
        return self.genes[np.where(first, pairs[:, 0], pairs[:, 1])]

    def step(self, rate=0.02):
        parents = self.select()
        mates = np.roll(parents, 1, axis=0)
        cut = self.rng.integers(1, parents.shape[1], len(parents))
        left = np.arange(parents.shape[1]) < cut[:, np.newaxis]
        children = np.where(left, parents, mates)
        children ^= self.rng.random(children.shape) < rate
        children[0] = self.best
        self.genes = children                       # rebound, not written over
        self.generation += 1


def inputs():
    rng = np.random.default_rng(23)
    weights = rng.integers(1, 20, 18)
    return weights + rng.uniform(0, 10, 18), weights, 90, 40, 23


def exact(values, weights, capacity):
    """By dynamic programming over whole weights."""
    table = np.zeros(capacity + 1)
    for v, w in zip(values, weights):
        table[w:] = np.maximum(table[w:], table[:-w] + v)
    return table[-1]


grade = np.vectorize(lambda share: "A" if share > 0.99 else "B" if share > 0.8 else "C")


def run(values, weights, capacity, generations, seed):
    rng = np.random.default_rng(seed)
    pop = Population(30, len(values), rng)
    means = []
    for _ in range(generations):
        pop.evaluate(values, weights, capacity)
        means.append(pop.fitness.mean())
        pop.step()
    pop.evaluate(values, weights, capacity)
    optimum = exact(values, weights, capacity)
    common = reduce(np.bitwise_and, pop.genes)
    diversity = float((pop.genes.mean(axis=0) * (1 - pop.genes.mean(axis=0))).sum())
    grades = grade(pop.fitness / optimum)
    names, counts = np.unique(grades, return_counts=True)
    packed = np.packbits(pop.best).tobytes()
    marks = dict(zip(names.tolist(), counts))
    return [pop.best, pop.best_value, optimum, means, common, diversity, marks, list(packed)]
