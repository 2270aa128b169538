"""Gray and Scott's reaction and diffusion on a torus: stores in place, within a border that is refilled."""
import numjit as np


def inputs():
    rng = np.random.default_rng(2)
    u, v = np.ones((26, 26)), np.zeros((26, 26))
    u[9:16, 9:16], v[9:16, 9:16] = 0.5, 0.25
    return u, v + 0.02 * rng.random((26, 26)), 20


def laplacian(z):
    return z[:-2, 1:-1] + z[1:-1, :-2] - 4 * z[1:-1, 1:-1] + z[1:-1, 2:] + z[2:, 1:-1]


def wrap(z):
    z[0], z[-1] = z[-2], z[1]
    z[:, 0], z[:, -1] = z[:, -2], z[:, 1]


def run(u, v, steps, feed=0.035, kill=0.065):
    inner_u, inner_v = u[1:-1, 1:-1], v[1:-1, 1:-1]  # views: stores into them are stores into u and v
    for _ in range(steps):
        reaction = inner_u * inner_v ** 2
        change_u, change_v = laplacian(u), laplacian(v)
        inner_u += 0.16 * change_u - reaction + feed * (1 - inner_u)
        inner_v += 0.08 * change_v + reaction - (feed + kill) * inner_v
        wrap(u)
        wrap(v)
    return u, v
