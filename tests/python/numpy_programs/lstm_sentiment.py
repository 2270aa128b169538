"""An LSTM cell reads short reviews word by word, forwards only, and says how positive each one is."""
from collections import namedtuple

import numpy as np
import _helpers as helpers
from _helpers import sigmoid

State = namedtuple("State", ["h", "c"])


class LSTMCell:
    def __init__(self, params):
        self.params = params
        self.hidden = params["Wf"].shape[0]
        self.gates = np.zeros(4)
        self.calls = 0

    def __call__(self, x, state):
        z = np.concatenate((state.h, x))
        p = self.params
        f = sigmoid(p["Wf"] @ z + p["bf"])
        i = sigmoid(p["Wi"] @ z + p["bi"])
        o = sigmoid(p["Wo"] @ z + p["bo"])
        g = np.tanh(p["Wc"] @ z + p["bc"])
        self.gates += [f.mean(), i.mean(), o.mean(), np.abs(g).mean()]
        self.calls += 1
        c = f * state.c + i * g
        return State(o * np.tanh(c), c)


def inputs():
    rng = np.random.default_rng(11)
    hidden, emb = 6, 4
    params = {"W" + k: rng.normal(0, 0.4, (hidden, hidden + emb)) for k in "fioc"}
    params.update({"b" + k: np.zeros(hidden) for k in "fioc"})
    params["bf"] += 1                       # remember at first
    params["W2"] = rng.normal(0, 1, (2, hidden))
    vocab = "a bad boring fine good great movie not the this was".split()
    table = {w: rng.normal(0, 1, emb) for w in vocab}
    reviews = ["this movie was great", "a bad boring movie", "the movie was not good", "fine", ""]
    return reviews, params, table


def encode(review, table, maxlen=4):
    words = review.split()[:maxlen]
    if not words:
        return None
    dim = len(next(iter(table.values())))
    out = np.zeros((len(words), dim))
    for row, w in zip(out, words):
        row[...] = table[w]
    return out


def forward(X, cell, start=None):
    state = start if start is not None else State(np.zeros(cell.hidden), np.zeros(cell.hidden))
    cache = []
    for x in X:
        state = cell(x, state)
        cache.append(state)
    return state, cache


def run(reviews, params, table):
    cell = LSTMCell(params)
    probs = np.full((len(reviews), 2), 0.5)
    norms = []
    last = None
    for n, review in enumerate(reviews):
        X = encode(review, table)
        if X is None:
            continue
        last, cache = forward(X, cell)
        probs[n] = helpers.softmax(params["W2"] @ last.h)
        norms.append(np.array([np.linalg.norm(s.c) for s in cache]))
    # The same review backwards, from where the last one ended
    X = encode(reviews[0], table)[::-1]
    again, _ = forward(X, cell, start=last)
    params["b2"] = np.log(probs.mean(axis=0))
    return probs, norms, again, cell.gates / cell.calls, probs.argmax(axis=1)
