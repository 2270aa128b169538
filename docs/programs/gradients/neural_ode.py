"""A neural differential equation learns a spiral; its gradient by the adjoint equation is that of going back through RK4."""
from optimisers import adam, along, tree_map

import numjit as np

H = 0.1


def inputs():
    rng = np.random.default_rng(14)
    p = {"w1": rng.normal(0, 0.5, (2, 16)), "b1": np.zeros(16), "w2": rng.normal(0, 0.3, (16, 2)), "b2": np.zeros(2)}
    starts = rng.normal(0, 0.2, (4, 2)) + np.array([1.2, 0.0])
    turn = np.array([[-0.1, 1.5], [-1.5, -0.1]])
    return p, solve(lambda y: y ** 3 @ turn, starts, 20)


def rk4(f, y, h):
    """y may be a tree."""
    a = f(y)
    b = f(along(y, h / 2, a))
    c = f(along(y, h / 2, b))
    d = f(along(y, h, c))
    return tree_map(lambda y, a, b, c, d: y + h / 6 * (a + 2 * b + 2 * c + d), y, a, b, c, d)


def solve(f, y, steps):
    path = [y]
    for _ in range(steps):
        path.append(rk4(f, path[-1], H))
    return np.stack(path)


def field(p, y):
    return np.tanh(y ** 3 @ p["w1"] + p["b1"]) @ p["w2"] + p["b2"]


def run(p, seen, rounds=150):
    steps = len(seen) - 1

    def solved(p, y):
        return solve(lambda y: field(p, y), y, steps)

    def back(kept, g):
        """The adjoint runs backwards in time, along the path; what the observations say comes in where they were made."""
        p, path = kept

        def f(state):
            slope, pull = np.vjp(field, p, state[0])
            by_p, by_y = pull(state[1])
            return slope, -by_y, tree_map(np.negative, by_p)

        adjoint, total = g[steps], tree_map(np.zeros_like, p)
        for k in range(steps, 0, -1):
            _, adjoint, total = rk4(f, (path[k], adjoint, total), -H)
            adjoint = adjoint + g[k - 1]
        return total, adjoint

    def forward(p, y):
        path = solved(p, y)
        return path, (p, path)

    by_adjoint = np.custom_vjp(solved, forward, back)

    def loss(p, solved):
        return np.mean((solved(p, seen[0]) - seen) ** 2)

    one, other = np.grad(loss)(p, by_adjoint), np.grad(loss)(p, solved)
    difference = tree_map(lambda a, b: np.max(np.abs(a - b)) / np.max(np.abs(b)), one, other)

    start, step = adam(0.03)
    state, losses = start(p), np.empty(rounds)
    for i in range(rounds):
        losses[i], g = np.value_and_grad(loss)(p, by_adjoint)
        p, state = step(p, g, state)
    return losses, np.stack(np.tree.leaves(difference)), solved(p, seen[0])


def check(losses, difference, path):
    assert losses[-1] < 0.002 * losses[0]
    assert np.all(difference < 1e-4)                           # both have the error of RK4
