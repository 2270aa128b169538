"""Views of other dtypes as bool: all bytes but 0 are true, whatever the layout. Results are NumPy's for truth values of 0 and 1:
with other bytes its comparisons differ between the vectors of a row and the elements behind them."""
import unittest
import warnings

import numpy

from differential import nj

# They copy, and a true byte stays what it is: the same value, not always the same byte.
COPIES = {"ceil", "floor", "trunc"}


def is_meant(name):
    f = getattr(numpy, name)
    return (isinstance(f, numpy.ufunc) and f.nout == 1 and f.signature is None and "?" in f.types[0].split("->")[0]
            and hasattr(nj, name) and name not in COPIES)


UFUNCS = [name for name in sorted(dir(numpy)) if is_meant(name)]


def outcome(name, a, b, in_place):
    f = getattr(nj if isinstance(a, nj.ndarray) else numpy, name)
    made = f(*(a, b)[:f.nin], out=a) if in_place else f(*(a, b)[:f.nin])
    return made.dtype.name, numpy.asarray(made.view("u1") if made.dtype == "?" else made).tolist()


class BoolBytes(unittest.TestCase):
    def test_ufuncs(self):
        self.assertIn("logical_or", UFUNCS)
        rng = numpy.random.default_rng(7)
        for n in (3, 16, 33, 1000):
            x, y = (rng.integers(0, 6, n).astype("u1") for _ in range(2))
            for name in UFUNCS:
                gives_bool = getattr(numpy, name).types[0].endswith("?")
                for steps in ((1, 1), (2, 2), (-1, -1), (1, n), (2, n), (n, 2)):  # n: one element
                    for in_place in (False, True) if steps[0] != n and gives_bool else (False,):
                        with self.subTest(name=name, n=n, steps=steps, in_place=in_place):
                            ours = [nj.asarray(v.copy()).view("?")[::step] for v, step in zip((x, y), steps)]
                            theirs = [(v != 0)[::step] for v, step in zip((x, y), steps)]
                            self.assertEqual(outcome(name, *ours, in_place), outcome(name, *theirs, in_place))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    unittest.main()
