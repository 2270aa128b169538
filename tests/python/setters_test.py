"""Attributes that are set: shape, dtype, real, imag and flat of arrays made inside of compiled functions, with NumPy as oracle."""
import unittest

import numpy as np

import numjit as nj


def attempt(call):
    """Results as lists, or the exception."""
    try:
        return np.asarray(call()).tolist()
    except Exception as e:  # noqa: BLE001
        return e


class Setters(unittest.TestCase):
    """Attributes of arrays made inside of a compiled function."""

    def setUp(self):
        nj.reset()
        nj.config.compile = "sync"

    def test_as_in_numpy(self):
        def shape(m, x):
            y = x * 2
            y.shape = (2, 3)
            return y

        def open_extent(m, x):
            y = x * 2
            y.shape = (-1, 2)
            y += 1
            return y, y.shape

        def flat(m, x):
            y = x.reshape(2, 3) + 1
            z = y[1]
            y.shape = 6
            y[3] = 100
            return y, z

        def view(m, x):
            y = x[::-1] * 1
            v = y[1:5]
            v.shape = (2, 2)
            v[0, 0] = 50
            return y, v

        def argument(m, x):
            x += 1
            x.shape = (3, 2)
            return x * 2

        def selected(m, x):
            y = x[x > 1]
            y.shape = (2, 2)
            return y

        def not_possible(m, x):
            y = (x.reshape(2, 3) * 1).T
            try:
                y.shape = 6
            except AttributeError:
                return y
            return x

        def wrong_size(m, x):
            y = x * 2
            y.shape = (4, 2)
            return y

        def dtype(m, x):
            y = x * 2
            y.dtype = "int64"
            return y

        def parts(m, x):
            y = x * (1 + 2j)
            y.real = 5
            y.imag = x
            return y

        def flat_store(m, x):
            y = x.reshape(2, 3) * 2
            y.flat = [1, 2]
            return y

        def no_setter(m, x):
            y = x.reshape(2, 3) * 2
            y.T = y
            return y
        for f in (shape, open_extent, flat, view, argument, selected, not_possible, wrong_size, dtype, parts, flat_store, no_setter):
            with self.subTest(f.__name__):
                seen = []
                for module, wrap in [(np, lambda g: g), (nj, lambda g: g), (nj, nj.compile)]:
                    g = wrap(lambda x, module=module: f(module, x))
                    for _ in range(2):
                        x = module.arange(6.0)
                        r = attempt(lambda: g(x) if f is not open_extent and f not in (flat, view) else g(x)[0])
                        result = type(r).__name__ if isinstance(r, Exception) else r
                        entry = (result, x.tolist(), x.shape)
                    seen.append(entry)
                self.assertEqual(seen[1], seen[0])
                self.assertEqual(seen[2], seen[0])


if __name__ == "__main__":
    unittest.main()
