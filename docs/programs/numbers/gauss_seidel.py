"""Gauss and Seidel's sweeps for heat in many rods: each point takes what its left neighbour has just become."""
import numjit as np


def inputs():
    points = np.linspace(0.0, 1.0, 12)
    return np.sin(points * np.arange(1.0, 41.0)[:, None]), np.cos(3 * points) * np.ones((40, 1))


@np.vectorize(signature="(n),(n)->(n),()")
def relaxed(u, source):
    v = np.zeros(len(u))
    for i in range(len(u)):
        v[i] = u[i]
    for _ in range(4):
        change = 0.0
        for i in range(1, len(u) - 1):
            before = v[i]
            v[i] = 0.5 * (v[i - 1] + v[i + 1] + source[i])
            change = max(change, abs(v[i] - before))
    return v, change


def run(u, source):
    return relaxed(u, source)
