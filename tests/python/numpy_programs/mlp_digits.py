"""A multi-layer perceptron learns to read noisy digits of 5 x 3 pixels by stochastic gradient descent."""
import numpy as np
from _helpers import one_hot, softmax

GLYPHS = """
111 010 111 111 101 111 111 111 111 111
101 110 001 001 101 100 100 001 101 101
101 010 111 111 111 111 111 010 111 111
101 010 100 001 001 001 101 010 101 001
111 111 111 111 001 111 111 010 111 111
"""


def digits():
    rows = [line.split() for line in GLYPHS.strip().splitlines()]
    return np.array([[[int(c) for c in rows[r][d]] for r in range(5)] for d in range(10)], dtype=float)


class MLP:
    def __init__(self, sizes, rng, lr=0.3, momentum=0.8):
        self.W = [rng.normal(0, np.sqrt(2 / m), (m, n)) for m, n in zip(sizes[:-1], sizes[1:])]
        self.b = [np.zeros(n) for n in sizes[1:]]
        self.vW = [np.zeros_like(w) for w in self.W]
        self.vb = [np.zeros_like(b) for b in self.b]
        self.lr = lr
        self.momentum = momentum
        self.seen = np.zeros(sizes[-1], dtype=int)
        self.average = None

    def forward(self, X):
        self.activations = [X]
        for i, (w, b) in enumerate(zip(self.W, self.b)):
            z = self.activations[-1] @ w + b
            self.activations.append(np.tanh(z) if i < len(self.W) - 1 else softmax(z))
        return self.activations[-1]

    def backward(self, Y):
        delta = (self.activations[-1] - Y) / len(Y)
        for i in reversed(range(len(self.W))):
            a = self.activations[i]
            gW, gb = a.T @ delta, delta.sum(axis=0)
            if i > 0:
                delta = (delta @ self.W[i].T) * (1 - a ** 2)
            self.vW[i] *= self.momentum
            self.vW[i] -= self.lr * gW
            self.vb[i] = self.momentum * self.vb[i] - self.lr * gb
            self.W[i] += self.vW[i]
            self.b[i] += self.vb[i]

    def train_batch(self, X, labels):
        Y = one_hot(labels, 10)
        p = self.forward(X)
        loss = -np.mean(np.log(np.sum(p * Y, axis=1)))
        self.backward(Y)
        self.seen += np.bincount(labels, minlength=10)
        if self.average is None:
            self.average = self.W[-1].copy()
        else:
            self.average = 0.9 * self.average + 0.1 * self.W[-1]
        return float(loss)

    def predict(self, X):
        return self.forward(X).argmax(axis=1)


def inputs():
    return 7, 120, 6, 20


def run(seed, samples, epochs, batch):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 10, samples)
    X = digits()[labels].reshape(samples, -1)
    X += rng.normal(0, 0.25, X.shape)
    split = samples * 4 // 5
    train, test = slice(None, split), slice(split, None)
    Xtrain, ytrain = X[train], labels[train]

    net = MLP([15, 16, 10], rng)
    history = []
    for epoch in range(epochs):
        order = rng.permutation(split)
        total = 0.0
        for start in range(0, split, batch):
            pick = order[start:start + batch]
            total += net.train_batch(Xtrain[pick], ytrain[pick]) * len(pick)
        history.append(total / split)
    accuracy = np.mean(net.predict(X[test]) == labels[test])
    return history, accuracy, net.W[0], net.b[-1], net.average, net.seen
