"""Conjugate gradients for Poisson's equation: each rank has its part of the rows of the grid, products need a halo, and sums are
those of one process."""
import numjit as np
from numjit import distributed

N, MOST = 48, 200


@np.compile
def laplacian(u):
    v = np.pad(distributed.exchange_halo(u, 1), ((0, 0), (1, 1)))
    return 4 * u - v[:-2, 1:-1] - v[2:, 1:-1] - v[1:-1, :-2] - v[1:-1, 2:]


def run():
    rng = np.random.default_rng(3)
    b = rng.normal(size=(N, N))[distributed.part(N)]
    x, r = np.zeros_like(b), b
    p, rr = r, distributed.sum(r * r)
    for iteration in range(MOST):
        if rr < 1e-16:  # the same on all ranks
            break
        q = laplacian(p)
        alpha = rr / distributed.sum(p * q)
        x, r = x + alpha * p, r - alpha * q
        rr, before = distributed.sum(r * r), rr
        p = r + rr / before * p
    return distributed.all_gather(x, length=N), np.array(iteration)
