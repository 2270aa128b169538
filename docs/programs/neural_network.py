"""A neural network with one hidden layer learns two spirals: forward, backward and Adam's steps by hand."""
import numjit as np


def inputs():
    t = np.linspace(0.3, 1, 30) * 2 * np.pi
    arm = np.column_stack([t * np.cos(t), t * np.sin(t)]) / 6
    x = np.concatenate([arm, -0.9 * arm])
    y = np.repeat(np.arange(2), 30)
    rng = np.random.default_rng(1)
    weights = [rng.normal(0, 1, (2, 12)), np.zeros(12), rng.normal(0, 0.3, (12, 2)), np.zeros(2)]
    return x, y, *weights, 25


def forward(x, w1, b1, w2, b2):
    hidden = np.tanh(x @ w1 + b1)
    scores = hidden @ w2 + b2
    scores = scores - np.max(scores, axis=1, keepdims=True)
    chances = np.exp(scores)
    return hidden, chances / np.sum(chances, axis=1, keepdims=True)


def run(x, y, w1, b1, w2, b2, epochs, rate=0.05):
    parameters = [w1, b1, w2, b2]
    mean = [np.zeros_like(p) for p in parameters]
    square = [np.zeros_like(p) for p in parameters]
    truth = (y[:, np.newaxis] == np.arange(2)).astype(np.float64)
    losses = np.empty(epochs)
    for epoch in range(epochs):
        hidden, chances = forward(x, *parameters)
        losses[epoch] = -np.mean(np.log(chances[np.arange(len(y)), y]))
        error = (chances - truth) / len(y)
        back = (error @ parameters[2].T) * (1 - hidden ** 2)
        gradients = [x.T @ back, np.sum(back, axis=0), hidden.T @ error, np.sum(error, axis=0)]
        for p, g, m, s in zip(parameters, gradients, mean, square):
            m += 0.1 * (g - m)
            s += 0.001 * (g ** 2 - s)
            p -= rate * (m / (1 - 0.9 ** (epoch + 1))) / (np.sqrt(s / (1 - 0.999 ** (epoch + 1))) + 1e-8)
    chances = forward(x, *parameters)[1]
    return losses, chances, np.mean(np.argmax(chances, axis=1) == y)
