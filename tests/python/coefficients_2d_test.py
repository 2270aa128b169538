"""Old polynomials whose coefficients have two axes, one polynomial a column, compared with NumPy; compiled as well."""
import unittest

import numpy as np

from differential import Tally, product, values

import numjit as nj

DTYPES = ["int64", "uint8", "float32", "float64", "complex128", "bool"]


class Coefficients(unittest.TestCase):
    def setUp(self):
        self.tally = Tally()

    def tearDown(self):
        if self.tally.wrong:
            self.fail(self.tally.report())

    def test_values(self):
        for dtype, p, x, x_type in product(DTYPES, [(), (3,), (2, 2), (3, 4), (3, 1), (1, 2), (0, 2), (2, 3, 2)],
                                           [(), (2,), (4,), (3, 1), (2, 3, 2)], ["int64", "float64", "complex128"]):
            self.tally.check("polyval", [values(dtype, p, 1), values(x_type, x, 2)], ulps=100)
        for x in (2, 2.5, 1j, [1, 2], [[1.0], [2.0]]):
            self.tally.check("polyval", [[[1.0, 2], [3, 4]], x])

    def test_sums(self):
        for name, dtype, a, b in product(["polyadd", "polysub"], ["int64", "float32", "complex128", "uint8"],
                                         [(), (3,), (2, 2), (3, 2), (3, 1)], [(), (2,), (3,), (2, 2), (3, 2), (1, 2)]):
            self.tally.check(name, [values(dtype, a, 1), values("float64", b, 2)], ulps=10)
            self.tally.check(name, [values(dtype, a, 1), values(dtype, b, 2)], ulps=10)

    def test_derivatives_and_integrals(self):
        for dtype, p, m in product(DTYPES, [(), (4,), (0,), (1,), (3, 2), (4, 3), (3, 1), (2, 2), (3, 4), (1, 1)], [0, 1, 2, 3, -1]):
            self.tally.check("polyder", [values(dtype, p, 1), m], ulps=10)
            self.tally.check("polyint", [values(dtype, p, 1), m], ulps=10)
        for k in (0, 2, 1.5, 1j, [1], [1, 2], [1j, 2], [[1, 2]], []):
            self.tally.check("polyint", [[1.0, 2, 3], 2, k], ulps=10)

    def test_products_quotients_roots(self):
        shapes = [(), (3,), (2, 2), (3, 1), (1, 3)]
        for dtype, a, b in product(["float64", "complex128", "int64"], shapes, shapes):
            self.tally.check("polymul", [values(dtype, a, 1), values(dtype, b, 2)], ulps=100)
            self.tally.check("polydiv", [values(dtype, a, 1) + 1, values(dtype, b, 2) + 20], ulps=200, floor=4)
        for p in ([[1, -3], [2, 0]], [[1, -3, 2]], [1, -3, 2], [0, 0], [1j, 2, 0], [2.0]):
            self.tally.check("roots", [p], ulps=100)
        for z in ([[1.0, 2], [2, 3]], [[1, 2, 3]], [1j, -1j], [[2.0]], np.zeros((0, 0)), np.zeros((2, 2, 2))):
            self.tally.check("poly", [z], ulps=100)

    def test_fits_of_several_columns(self):
        x = np.linspace(0, 3, 12)
        for columns, dtype in product([0, 1, 3], ["float64", "float32", "int64", "complex128"]):
            y = values(dtype, (12, columns), 3)
            self.tally.check("polyfit", [x, y, 2], ulps=1e5)
            self.tally.check("polyfit", [x, y, 2], {"w": x + 1}, ulps=1e5)
            if columns:
                self.tally.check("polyfit", [x, y, 2], {"cov": True}, ulps=1e6)
        self.tally.check("polyfit", [x, np.zeros((12, 2, 2)), 2])
        self.tally.check("polyfit", [np.zeros((12, 1)), x, 2])

    def test_the_class(self):
        for c in ([[1, 2], [3, 4]], [[1, 2, 3]]):
            for module in (np, nj):
                with self.assertRaisesRegex(ValueError, "^(\\[\\w+\\] )?Polynomial must be 1d only."):
                    module.poly1d(c)
        x = [[1.0, 2], [3, 4]]
        self.assertEqual(nj.poly1d([1, 2, 3])(nj.array(x)).tolist(), np.poly1d([1, 2, 3])(np.array(x)).tolist())
        self.assertEqual(nj.polyval([[1, 2], [3, 4]], nj.poly1d([1, 1])).c.tolist(), np.polyval([[1, 2], [3, 4]], np.poly1d([1, 1])).c.tolist())
        self.assertEqual(nj.poly1d([1, 2]).integ(2, [1j, 2]).c.tolist(), np.poly1d([1, 2]).integ(2, [1j, 2]).c.tolist())

    def test_compiled(self):
        p, x = values("float64", (3, 4), 1), values("float64", (4,), 2)
        for call in (lambda np, p, x: np.polyval(p, x), lambda np, p, x: np.polyadd(p, p) + x, lambda np, p, x: np.polysub(p[1:], p[:2]),
                     lambda np, p, x: np.polyder(p[:, :2]), lambda np, p, x: np.polyint(x, 2)):
            compiled = nj.compile(lambda p, x: call(nj, p, x))
            for _ in range(2):
                np.testing.assert_allclose(np.asarray(compiled(nj.asarray(p), nj.asarray(x))), call(np, p, x), rtol=1e-14)

    def test_the_example(self):
        self.assertEqual(nj.polyval(nj.array([[1.0, 2], [3, 4]]), nj.array([1.0, 2])).tolist(), [4.0, 8.0])
        with self.assertRaisesRegex(TypeError, r"^\[polyval\] iteration over a 0-d array$"):
            nj.polyval(nj.array(2.0), 1.0)


if __name__ == "__main__":
    unittest.main()
