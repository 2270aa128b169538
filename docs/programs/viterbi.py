"""A hidden Markov model of a dice player who cheats: the likeliest path by Viterbi, the chances forwards and backwards."""
import numjit as np


def inputs():
    start = np.array([0.8, 0.2])
    move = np.array([[0.92, 0.08], [0.15, 0.85]])
    show = np.stack([np.full(6, 1 / 6), np.array([0.1, 0.1, 0.1, 0.1, 0.1, 0.5])])
    rng = np.random.default_rng(33)
    fair, loaded = rng.integers(0, 6, 25), rng.choice(6, 20, p=np.array([0.1, 0.1, 0.1, 0.1, 0.1, 0.5]))
    return np.concatenate([fair, loaded]), start, move, show


def run(seen, start, move, show):
    log_move, log_show = np.log(move), np.log(show)
    steps, states = len(seen), len(start)
    score = np.log(start) + log_show[:, seen[0]]
    came_from = np.zeros((steps, states), dtype=np.int64)
    forward = np.zeros((steps, states))
    forward[0] = score
    for t in range(1, steps):
        options = score[:, np.newaxis] + log_move
        came_from[t] = np.argmax(options, axis=0)
        score = np.max(options, axis=0) + log_show[:, seen[t]]
        chances = forward[t - 1][:, np.newaxis] + log_move
        forward[t] = np.logaddexp(chances[0], chances[1]) + log_show[:, seen[t]]
    path = np.zeros(steps, dtype=np.int64)
    path[-1] = np.argmax(score)
    for t in range(steps - 2, -1, -1):
        path[t] = came_from[t + 1, path[t + 1]]
    backward = np.zeros((steps, states))
    for t in range(steps - 2, -1, -1):
        chances = log_move + log_show[:, seen[t + 1]] + backward[t + 1]
        backward[t] = np.logaddexp(chances[:, 0], chances[:, 1])
    evidence = np.logaddexp(forward[-1, 0], forward[-1, 1])
    return path, np.max(score), evidence, np.exp(forward + backward - evidence)
