"""numjit.linalg, compared with NumPy; decompositions by what they are to fulfil."""
import os
import subprocess
import sys
import unittest

import numpy as np

from differential import Tally, to_numpy, values

import numjit as nj

DTYPES = ["int64", "float32", "float64", "complex128"]


class Linalg(unittest.TestCase):
    def test_against_numpy(self):
        tally = Tally()
        for dtype in DTYPES:
            for shape in ((3, 3), (2, 3, 3), (1, 1), (0, 0)):
                a = values(dtype, shape, 1) + (4 * np.eye(shape[-1])).astype(dtype)
                a = a.astype(dtype)
                h = a @ a.conj().swapaxes(-1, -2)
                b = values(dtype, shape[:-1] + (2,), 2)
                options = {"ulps": 1e5, "floor": 1e4}
                for name, args in [("det", [a]), ("inv", [a]), ("solve", [a, b]), ("slogdet", [a]), ("eigvalsh", [h]), ("svdvals", [a]), ("cholesky", [h]), ("matrix_rank", [a]),
                                   ("pinv", [a]), ("matrix_power", [a, 3]), ("matrix_power", [a, -2]), ("matrix_power", [a, 0]), ("trace", [a]), ("diagonal", [a])]:
                    if shape == (0, 0) and name in ("matrix_rank", "pinv"):
                        continue
                    tally.check("linalg." + name, args, **options)
            for name in ("norm", "cond"):
                for ord_ in (None, 1, -1, 2, -2, np.inf, "fro", "nuc", "nonsense"):
                    tally.check("linalg." + name, [values(dtype, (3, 3), 4), ord_], **options)
            for name, shape in product_shapes():
                tally.check("linalg." + name, [values(dtype, shape, 5)], **options)
            tally.check("linalg.lstsq", [values(dtype, (5, 3), 6), values(dtype, (5,), 7)], **options)
            tally.check("linalg.multi_dot", [[values(dtype, (2, 3), 1), values(dtype, (3, 4), 2), values(dtype, (4, 2), 3)]], **options)
            tally.check("linalg.tensorinv", [np.eye(6).reshape(2, 3, 2, 3).astype(dtype)], **options)
            tally.check("linalg.cross", [values(dtype, (2, 3), 1), values(dtype, (2, 3), 2)], **options)
        self.assertGreater(tally.cases, 200)
        if tally.wrong:
            self.fail(tally.report())

    def test_decompositions(self):
        for dtype in ("float64", "complex128"):
            a = values(dtype, (2, 4, 3), 1)
            x = nj.asarray(a)
            u, s, vh = map(to_numpy, nj.linalg.svd(x, full_matrices=False))
            np.testing.assert_allclose(u * s[..., None, :] @ vh, a, atol=1e-12)
            q, r = map(to_numpy, nj.linalg.qr(x))
            np.testing.assert_allclose(q @ r, a, atol=1e-12)
            square = a[:, :3] + 3 * np.eye(3)
            made = nj.linalg.eig(nj.asarray(square))
            w, v = map(to_numpy, made)
            np.testing.assert_allclose(square @ v, v * w[..., None, :], atol=1e-11)
            hermitian = square @ square.conj().swapaxes(-1, -2)
            w, v = map(to_numpy, nj.linalg.eigh(nj.asarray(hermitian)))
            np.testing.assert_allclose(hermitian @ v, v * w[..., None, :], atol=1e-10)
            self.assertIs(made.eigenvalues, made[0])

    def test_errors(self):
        for call in (lambda m: m.linalg.inv(m.zeros((2, 2))), lambda m: m.linalg.solve(m.zeros((2, 2)), m.ones(2)), lambda m: m.linalg.cholesky(-m.eye(2)), lambda m: m.linalg.det(m.ones((2, 3)))):
            with self.assertRaises(np.linalg.LinAlgError):
                call(np)
            with self.assertRaises(nj.linalg.LinAlgError):
                call(nj)
        self.assertTrue(issubclass(nj.linalg.LinAlgError, ValueError))

    def test_classes_are_numpys(self):
        self.assertIs(nj.linalg.LinAlgError, np.linalg.LinAlgError)
        self.assertIs(nj.exceptions.AxisError, np.exceptions.AxisError)
        with self.assertRaises(np.exceptions.AxisError) as caught:
            nj.sum(nj.ones((2, 3)), axis=2)
        self.assertEqual(str(caught.exception), "[sum] axis 2 is out of bounds for array of dimension 2")
        with self.assertRaises(np.linalg.LinAlgError):
            nj.linalg.inv(nj.zeros((2, 2)))
        with self.assertRaisesRegex(AttributeError, "module 'numjit.exceptions' has no attribute 'Nothing'"):
            nj.exceptions.Nothing
        with self.assertRaisesRegex(AttributeError, "module 'numjit.linalg' has no attribute 'Nothing'"):
            nj.linalg.Nothing
        with self.assertRaisesRegex(AttributeError, "module 'numjit._core' has no attribute 'Nothing'"):
            nj._core.Nothing

    def test_importing_loads_no_numpy(self):
        code = "import sys, numjit; assert 'numpy' not in sys.modules; print(numjit.arange(3).sum())"
        environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(nj.__file__))}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
        self.assertEqual(done.stdout, "3\n")

    def test_options(self):
        turn, rows, vector = [[0, 1, 0], [0, 0, 1], [1, 0, 0]], np.arange(6.0).reshape(2, 3), np.arange(3.0)
        for power in (2**31 + 1, 2**100 + 2, -2**100):
            np.testing.assert_array_equal(to_numpy(nj.linalg.matrix_power(turn, power)), np.linalg.matrix_power(turn, power))
        for matrices, shape in (([rows, np.eye(3)], (2, 3)), ([rows, np.eye(3), np.ones((3, 4))], (2, 4)), ([vector, np.eye(3), np.ones((3, 4))], (1, 4))):
            out = nj.zeros(shape)
            theirs = np.linalg.multi_dot(matrices, out=np.zeros(shape))
            made = nj.linalg.multi_dot([nj.asarray(m) for m in matrices], out=out)
            np.testing.assert_array_equal(to_numpy(made), theirs)
            np.testing.assert_array_equal(to_numpy(out), theirs.reshape(shape))
            self.assertEqual(made is out, theirs.shape == shape)
        for mode, text in (("full", "The 'full' option is deprecated in favor of 'reduced'.\nFor backward compatibility let mode default."),
                           ("e", "The 'economic' option is deprecated.")):
            with self.assertWarns(DeprecationWarning) as told:
                made = nj.linalg.qr(nj.asarray(rows), mode)
            self.assertEqual((str(told.warning), told.filename), (text, __file__))
            with np.testing.suppress_warnings() as quiet:
                quiet.filter(DeprecationWarning)
                theirs = np.linalg.qr(rows, mode)
            np.testing.assert_allclose(to_numpy(made if mode == "e" else made.R), theirs if mode == "e" else theirs.R)
        np.testing.assert_allclose(to_numpy(nj.linalg.norm(nj.asarray(rows), axis="1")), np.linalg.norm(rows, axis=1))

    def test_texts_of_errors(self):
        x = nj.eye(3)
        for call, text in ((lambda: nj.linalg.norm(x, axis="x"), "TypeError: 'axis' must be None, an integer or a tuple of integers"),
                           (lambda: nj.linalg.norm(x[0], "x"), "ValueError: [norm] Invalid norm order 'x' for vectors"),
                           (lambda: nj.linalg.norm(x, "x"), "ValueError: [norm] Invalid norm order for matrices."),
                           (lambda: nj.linalg.matrix_power(x, 2.0), "TypeError: exponent must be an integer"),
                           (lambda: nj.linalg.eigh(x, UPLO=3), "TypeError: UPLO must be str, not int"),
                           (lambda: nj.linalg.qr(x, 3), "ValueError: [qr] Unrecognized mode '3'"),
                           (lambda: nj.linalg.multi_dot([x, x], out=3), "TypeError: 'out' must be an array"),
                           (lambda: nj.linalg.multi_dot(3), "TypeError: 'int' object is not iterable"),
                           (lambda: nj.linalg.vecdot(x, 1), "ValueError: [vecdot] vecdot: Input operand 1 does not have enough dimensions "
                            "(has 0, gufunc core with signature (n),(n)->() requires 1)"),
                           (lambda: nj.linalg.trace(x, offset=1.5), "TypeError: integer argument expected, got float"),
                           (lambda: nj.linalg.cholesky(x, True), "TypeError: cholesky() takes 1 positional argument but 2 were given")):
            with self.assertRaises((TypeError, ValueError)) as caught:
                call()
            self.assertEqual(f"{type(caught.exception).__name__}: {caught.exception}", text)

    def test_signs_of_what_is_not_finite(self):
        for rows in ([[np.nan, 1], [1, 2]], [[1, np.nan], [1, 2]], [[np.nan, np.nan], [np.nan, np.nan]], [[np.inf, 1], [0, -2]], [[-np.inf, 0], [0, 2]]):
            for dtype in ("float64", "float32"):
                with np.errstate(all="ignore"):
                    theirs = np.linalg.slogdet(np.array(rows, dtype))
                ours = nj.linalg.slogdet(nj.array(rows, dtype=dtype))
                np.testing.assert_array_equal([to_numpy(v) for v in ours], theirs, str(rows))


def product_shapes():
    """Names and shapes of what is refused: no square matrices."""
    return [(name, shape) for name in ("det", "inv", "eigvals", "cholesky", "slogdet", "eigh", "svd") for shape in ((2, 3), (3,), ()) if (name, shape) != ("svd", (2, 3))]


if __name__ == "__main__":
    unittest.main()
