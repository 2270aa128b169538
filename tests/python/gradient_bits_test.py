"""Derivatives have the same bits by every way: eagerly, compiled, compiled again, cut into graphs of any length, whatever is saved
or computed again for the backward pass, and with any number of threads."""
import itertools
import unittest

import numpy

from differential import nj

N = 24
RNG = numpy.random.default_rng(3)
X, Y = RNG.normal(size=N), RNG.normal(size=(N, N))


def elementwise(x, y):
    return nj.sum(nj.sin(x) * nj.exp(-x * x) + nj.tanh(y * x) / (1 + nj.exp(y)))


def stores_and_views(x, y):
    a = y * 1.5
    a[1:-1, ::2] += x[1:-1, None] * a[:-2, 1::2]
    row = a[3]
    row *= x
    a[a > 1] = 0.5
    nj.multiply(a, y, out=a)
    return (a * a).sum() + row.sum()


def loop_that_branches(x, y):
    for step in range(6):
        x = nj.cos(x) if x[step] > 0 else x * x - y[step]
        y[step] = x.mean()
    return (x * y).sum()


def products(x, y):
    h = nj.tanh(y @ x)
    return nj.einsum("ij,j,i->", y, h, x) + nj.linalg.norm(nj.outer(h, x) - y) + nj.linalg.solve(y + 30 * nj.eye(N), h).sum()


def orders_and_scans(x, y):
    s = nj.sort(y, axis=1)[:, ::3]
    return nj.cumsum(x * nj.median(y, axis=0)).std() + (nj.cumprod(nj.cos(x)) * s.max(axis=1)).sum() + y[nj.argsort(x), 2].prod()


def stencil_in_place(x, y):
    u = y + x
    for _ in range(5):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        u += 0.1 * (nj.roll(u, 1, 0) - u)
    return nj.log(1 + u * u).sum()


def gathers(x, y):
    places = (nj.abs(y) * 7).astype(int) % N
    picked = x[places] * y
    total = nj.zeros(N)
    nj.add.at(total, places[0], picked[1])
    return nj.where(picked > 0, nj.sqrt(nj.abs(picked) + 1e-3), 0).sum() + (total ** 3).sum()


def drawn(x, y):
    noise = nj.random.default_rng(5).normal(size=N)
    return ((x * noise - y) ** 2).mean()


def twice(x, y):
    slope = nj.grad(lambda a: nj.sum(nj.tanh(a) * y))(x)
    return (slope * slope).sum()


def batched(x, y):
    return (nj.vmap(nj.grad(lambda row: nj.sum(nj.sin(row) * x * row)))(y) ** 2).sum()


PROGRAMS = [elementwise, stores_and_views, loop_that_branches, products, orders_and_scans, stencil_in_place, gathers, drawn, twice,
            batched]


def arguments():
    return nj.array(X), nj.array(Y)


class SameBits(unittest.TestCase):
    def setUp(self):
        before = {name: getattr(nj.config, name) for name in ("compile", "threads", "segment_limit", "recompute")}
        self.addCleanup(lambda: [setattr(nj.config, name, value) for name, value in before.items()])
        nj.config.compile = "sync"

    def test_by_every_way(self):
        for program in PROGRAMS:
            nj.config.threads = 1
            asked = nj.value_and_grad(program, argnums=(0, 1))
            expected = bits(asked(*arguments()))
            self.assertTrue(all(numpy.isfinite(numpy.frombuffer(b)).all() and numpy.frombuffer(b).any() for b in expected), program)
            for limit, recompute in itertools.product((1, 3, 64, 512), ("never", "cheap", "all")):
                nj.config.segment_limit, nj.config.recompute = limit, recompute
                compiled = nj.compile(asked)
                for threads in (1, 2):
                    nj.config.threads = threads
                    for call in ("first", "second", "third"):
                        with self.subTest(program=program.__name__, limit=limit, recompute=recompute, threads=threads, call=call):
                            self.assertEqual(bits(compiled(*arguments())), expected)

    def test_pulled_later_and_pushed(self):
        for program in PROGRAMS:
            value, pull = nj.vjp(program, *arguments())
            expected = bits([value, *pull(nj.ones(()))])
            self.assertEqual(bits([value, *pull(nj.ones(()))]), expected, program)
            for recompute in ("never", "all"):
                nj.config.recompute = recompute
                value, pull = nj.vjp(nj.compile(program), *arguments())
                with self.subTest(program=program.__name__, recompute=recompute):
                    self.assertEqual(bits([value, *pull(nj.ones(()))]), expected)


def bits(results):
    """The bytes of a value and its gradients."""
    value, *gradients = results
    if len(gradients) == 1 and isinstance(gradients[0], tuple):
        gradients = gradients[0]
    return [numpy.asarray(a).tobytes() for a in (value, *gradients)]


if __name__ == "__main__":
    unittest.main()
