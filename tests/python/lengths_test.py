"""Functions of arrays whose lengths a compiled function still computes, beside others of lengths that are known: as NumPy."""
import unittest

import numpy
import numjit as np

X = numpy.array([0.3, -1.0, 2.0, 0.7, -0.2])


def counts(np, m):
    v = np.bincount(np.array([0]), weights=np.array([1.5]))
    return (np.bincount(np.array([0]), weights=v), np.bincount(np.array([0, 2, 1]), weights=m),
            np.bincount(m.astype(int), weights=m))


def choices(np, m):
    return (np.select([m > 0.5, m < 0.4], [m, np.array([1.0, 2.0, 3.0])], 0.5),
            np.select([m > 0.5, np.array([True, False, True])], [m * 2, m], 0.5),
            np.choose([0, 1, 0], [m, np.zeros(3)]), np.where(m > 0.5, m, np.arange(3.0)))


def joins(np, m):
    return (np.stack([m, np.ones(3)]), np.concatenate([m, np.ones(2)]), np.vstack([m, np.ones(3)]),
            np.column_stack([m, np.ones(3)]))


def statistics(np, m):
    n = np.flatnonzero(X > 0)
    return (np.histogram(m, 3, weights=np.ones(3))[0], np.cov(m, n), np.average(m, weights=n + 1),
            np.gradient(m, n.astype(float)), np.trapezoid(m, n))


def places(np, m):
    n = np.unique(X)[:3]
    return (np.digitize(m, np.sort(n)), np.searchsorted(np.sort(m), n), np.take_along_axis(m, np.argsort(m), 0),
            np.lexsort((m, np.array([1, 0, 1]))), np.isin(m, X), np.intersect1d(m, X))


def products(np, m):
    n = np.array(X[[0, 2, 3]])
    return (np.cross(m, n), np.kron(m, n), np.convolve(m, n), np.einsum("i,i->i", m, np.ones(3)), np.dot(m, n), np.inner(m, n),
            np.polyval(m, m), np.polyfit(m, np.arange(3.0), 1), np.interp(m, np.arange(3.0), np.sort(m)))


def stores(np, m):
    z = np.zeros(3)
    np.copyto(z, m)
    np.putmask(z, m > 0.5, m * 2)
    np.place(z, m < 0.5, m)
    return z


class Lengths(unittest.TestCase):
    def test_beside_known_ones(self):
        for function in counts, choices, joins, statistics, places, products, stores:
            expected = function(numpy, X[X > 0])
            compiled = np.compile(lambda x: function(np, x[x > 0]), backend="eager")
            for _ in range(2):
                made = compiled(np.array(X))
                for number, (got, want) in enumerate(zip(made, expected)):
                    numpy.testing.assert_allclose(numpy.asarray(got), want, rtol=1e-12, err_msg=f"{function.__name__} {number}")

    def test_errors_of_other_lengths(self):
        def weights(x):
            return np.bincount(np.array([0, 1]), weights=x[x > 0])

        def select(x):
            return np.select([x[x > 0] > 0.5], [np.ones(2)])
        with self.assertRaisesRegex(ValueError, "^The weights and list don't have the same length.$"):
            np.compile(weights)(np.array(X))
        with self.assertRaisesRegex(ValueError, "shape mismatch: objects cannot be broadcast to a single shape"):
            np.compile(select)(np.array(X))


if __name__ == "__main__":
    unittest.main()
