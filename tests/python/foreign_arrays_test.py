"""Arrays of other libraries, and NumPy's functions on what we don't hold: classes with protocols of their own, classes
derived from NumPy's array, ufuncs of others; SciPy, pandas, Dask and xarray where they are installed."""
import importlib
import unittest

import numpy as np

from differential import to_numpy

import numjit as nj


class Labelled:
    """An array with a name, which ufuncs and functions keep; it takes NumPy's arrays and its own kind only."""

    def __init__(self, values, name="x"):
        self.values, self.name = np.asarray(values), name

    def __array__(self, dtype=None, copy=None):
        return self.values.astype(dtype) if dtype else self.values

    def _plain(self, x):
        if isinstance(x, (list, tuple)):
            return type(x)(map(self._plain, x))
        return x.values if isinstance(x, Labelled) else x

    def _made(self, r):
        return tuple(map(self._made, r)) if isinstance(r, tuple) else Labelled(r, self.name)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        for x in inputs:
            if not isinstance(x, (np.ndarray, np.generic, Labelled, int, float)):
                return NotImplemented
        return self._made(getattr(ufunc, method)(*map(self._plain, inputs), **kwargs))

    def __array_function__(self, function, types, args, kwargs):
        if not all(issubclass(t, (Labelled, np.ndarray)) for t in types):
            return NotImplemented
        return self._made(function(*map(self._plain, args), **{k: self._plain(v) for k, v in kwargs.items()}))


class OnlyUfuncs:
    """As pandas' and xarray's arrays: ufuncs by the protocol, functions by methods."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def __array__(self, dtype=None, copy=None):
        return self.values

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return OnlyUfuncs(getattr(ufunc, method)(*(x.values if isinstance(x, OnlyUfuncs) else x for x in inputs), **kwargs))

    def mean(self, axis=None, dtype=None, out=None):
        return OnlyUfuncs(self.values.mean(axis=axis))

    def __radd__(self, other):
        return "radd"


class Units(np.ndarray):
    """A class derived from NumPy's array."""


class Refuses:
    __array_ufunc__ = None

    def __radd__(self, other):
        return "radd"


class Foreign(unittest.TestCase):
    def test_ufuncs_give_way(self):
        a = nj.array([1.0, 4.0, 9.0])
        x = Labelled([1.0, 4.0, 9.0])
        for call in (lambda: nj.sqrt(x), lambda: nj.add(a, x), lambda: nj.add(x, a), lambda: nj.add(a, x, where=[True] * 3), lambda: nj.hypot(2, x),
                     lambda: nj.add.reduce(x), lambda: nj.multiply.outer(a, x), lambda: nj.add.accumulate(x), lambda: nj.maximum(np.ones(3), x),
                     lambda: nj.ldexp(x, 2), lambda: nj.matmul(a, x), lambda: np.add(a, x), lambda: np.add(x, a), lambda: np.sqrt(x)):
            made = call()
            self.assertEqual((type(made), made.name, type(made.values) in (np.ndarray, np.float64)), (Labelled, "x", True))
        for made in nj.modf(x), nj.divmod(a, x), np.divmod(a, x):
            self.assertEqual([type(r) for r in made], [Labelled, Labelled])
        np.testing.assert_array_equal(nj.add(a, x).values, [2, 8, 18])
        np.testing.assert_array_equal(nj.subtract(a, x).values, [0, 0, 0])

    def test_methods_of_ufuncs_in_place(self):
        for module in (np, nj):
            a = module.arange(4)
            self.assertIsNone(module.negative.at(a, [0, 1, 1]))  # no second operand: nothing to ask
            self.assertIsNone(module.add.at(a, [3], 1))
            self.assertEqual(a.tolist(), [0, 1, 2, 4])
        self.assertEqual(list(nj.add.reduceat(np.ma.array([1, 2, 3], mask=[0, 1, 0]), [0, 2]).shape), [2])

    def test_operators_give_way(self):
        a = nj.array([1.0, 4.0, 9.0])
        for call in (lambda x: a + x, lambda x: a - x, lambda x: a * x, lambda x: a / x, lambda x: a // x, lambda x: a % x, lambda x: a ** x, lambda x: a < x,
                     lambda x: a == x, lambda x: a @ x):
            x = Labelled([1.0, 4.0, 9.0])
            made = call(x)
            self.assertIs(type(made), Labelled)
            np.testing.assert_allclose(made.values, to_numpy(call(nj.array([1.0, 4.0, 9.0]))))
        self.assertIs(type(a + OnlyUfuncs([1.0, 2, 3])), OnlyUfuncs)  # as NumPy's arrays: not its __radd__
        self.assertIs(type(np.ones(3) + OnlyUfuncs([1.0, 2, 3])), OnlyUfuncs)
        for module in (np, nj):
            self.assertEqual(module.ones(3) + Refuses(), "radd")
            with self.assertRaises(TypeError):
                module.add(module.ones(3), Refuses())

    def test_functions_give_way(self):
        a, x = nj.array([[1.0, 2], [3, 4]]), Labelled([[1.0, 2], [3, 4]])
        for call in (lambda np: np.mean(x), lambda np: np.sum(x, axis=0), lambda np: np.concatenate([a, x]), lambda np: np.stack((x, a)), lambda np: np.where(x, a, 0),
                     lambda np: np.clip(x, 0, 1), lambda np: np.transpose(x), lambda np: np.linalg.det(x), lambda np: np.fft.fft(x), lambda np: np.sort(x),
                     lambda np: np.dot(a, x), lambda np: np.median(x), lambda np: np.zeros_like(x), lambda np: np.polyval(x, 2.0), lambda np: np.argmax(x),
                     lambda np: np.cumsum(x), lambda np: np.reshape(x, (4,)), lambda np: np.diff(x), lambda np: np.einsum("ij->i", x),
                     lambda np: np.linalg.norm(x), lambda np: np.isclose(a, x), lambda np: np.unique(x),
                     lambda np: np.take(x, [0]), lambda np: np.round(x), lambda np: np.histogram(x)[0], lambda np: np.tile(x, 2)):
            made = call(nj)
            self.assertIs(type(made), Labelled)
        self.assertIs(type(np.concatenate([x, a])), Labelled)
        self.assertIs(type(nj.mean(OnlyUfuncs([1.0, 2]))), OnlyUfuncs)
        self.assertIs(type(nj.asarray(x)), nj.ndarray)  # what makes arrays takes anything
        self.assertIs(type(nj.array([x, x])), nj.ndarray)
        self.assertEqual(nj.array(OnlyUfuncs([1, 2])).tolist(), [1, 2])

    def test_classes_derived_from_numpys(self):
        masked = np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False])
        self.assertEqual(nj.mean(masked), 2.0)  # not what lies under the mask
        self.assertEqual(nj.add(masked, nj.ones(3)).tolist(), [2.0, None, 4.0])
        self.assertEqual((nj.ones(3) + masked).tolist(), [2.0, None, 4.0])
        self.assertEqual(nj.sum(masked), 4.0)
        matrix = np.asmatrix([[1.0, 2], [3, 4]])
        self.assertIs(type(nj.transpose(matrix)), np.matrix)
        units = np.arange(3.0).view(Units)
        self.assertIs(type(nj.sqrt(units)), Units)
        self.assertIs(type(nj.sqrt(np.arange(3.0))), nj.ndarray)

    def test_results_are_ours_and_outputs_themselves(self):
        a, out = nj.ones(3), nj.zeros(3)
        smooth = np.vectorize(lambda x: x + 1)(a)
        self.assertEqual(smooth.tolist(), [2.0] * 3)
        self.assertIs(np.add(a, a, out=out), out)
        self.assertEqual(out.tolist(), [2.0] * 3)

    def test_ufuncs_of_others(self):
        a = nj.array([1.0, 2.0, 3.0])
        twice = np.frompyfunc(lambda x: 2 * x, 1, 1)
        self.assertEqual(list(twice(a)), [2.0, 4.0, 6.0])  # an array of objects, which is NumPy's
        pairs = np.frompyfunc(lambda x, y: (x, y), 2, 2)
        self.assertEqual([list(r) for r in pairs(a, 1.0)], [[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]])
        add = np.frompyfunc(lambda x, y: x + y, 2, 1)
        self.assertEqual(add.reduce(a), 6.0)
        self.assertEqual(list(add.accumulate(a)), [1.0, 3.0, 6.0])
        # One with loops for our dtypes, whose name is none of NumPy's functions, and one that has the name of another function here.
        inv = np.linalg._umath_linalg.inv
        made = inv(nj.array([[2.0, 0], [0, 4]]))
        self.assertEqual((type(made), made.tolist()), (nj.ndarray, [[0.5, 0], [0, 0.25]]))
        det = np.linalg._umath_linalg.det
        made = det(nj.array([[2.0, 0], [0, 4]]))
        self.assertAlmostEqual(made, 8.0)
        self.assertIs(type(made), type(nj.float64(1)))
        out = nj.zeros((2, 2))
        self.assertIs(inv(nj.array([[2.0, 0], [0, 4]]), out=out), out)
        self.assertEqual(out.tolist(), [[0.5, 0], [0, 0.25]])
        into = nj.ones((2, 2))[:, ::1]
        inv(2 * nj.eye(2), into)
        self.assertEqual(into.tolist(), [[0.5, 0], [0, 0.5]])
        self.assertEqual(np.isnat(np.array(["NaT"], "M8[s]")).tolist(), [True])

    def test_what_has_no_dtype_here_goes_to_numpy(self):
        a = nj.arange(3)
        first, second = np.broadcast_arrays(a, None)
        self.assertEqual((type(first), first.tolist(), second.tolist()), (nj.ndarray, [0, 1, 2], [None] * 3))
        made = np.concatenate([a, np.array(["x", None], object)])
        self.assertEqual((type(made), made.tolist()), (np.ndarray, [0, 1, 2, "x", None]))
        self.assertEqual(np.where(a > 1, "yes", "no").tolist(), ["no", "no", "yes"])
        self.assertEqual(np.equal(a, np.array([0, "b", 2], object)).tolist(), [True, False, True])
        self.assertEqual(np.stack([a, np.array([None] * 3)]).shape, (2, 3))
        self.assertEqual(np.full_like(a, None, dtype=object).tolist(), [None] * 3)
        self.assertEqual(np.append(a, [None]).tolist(), [0, 1, 2, None])
        self.assertEqual(np.insert(np.array([None, 1], object), a[:1], 5).tolist(), [5, None, 1])
        with self.assertRaises(ValueError):  # an error of the function stays that
            np.concatenate([a, nj.ones((2, 2))])
        with self.assertRaises(TypeError):
            np.add(a, None)

    def test_functions_that_are_numpys_alone(self):
        a = nj.array([3.0, 1.0, 2.0])
        made = np.lib.stride_tricks.sliding_window_view(a, 2)
        self.assertEqual((type(made), made.tolist()), (nj.ndarray, [[3.0, 1.0], [1.0, 2.0]]))
        self.assertEqual(np.busday_count("2026-01-01", np.datetime64("2026-01-08")), 5)
        x = nj.array([1.5, 2.5])
        self.assertEqual(np.char.add(["a"], ["b"]).tolist(), ["ab"])
        self.assertTrue(np.shares_memory(np.real_if_close(x), np.asarray(x)))
        self.assertEqual(np.linalg.cond(nj.eye(2)), 1.0)

    def test_signatures_and_pickles_stay(self):
        import inspect
        import pickle
        for function in (nj.mean, nj.where, nj.linalg.norm, nj.fft.fft, nj.add.reduce):
            self.assertTrue(callable(function) and function.__doc__ and inspect.signature(function))
        for function in (nj.mean, nj.where, nj.linalg.norm, nj.fft.fft):
            self.assertIs(pickle.loads(pickle.dumps(function)), function)
        self.assertEqual(str(inspect.signature(nj.diff)).split(",")[0], "(a")


def peer(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


class Peers(unittest.TestCase):
    @unittest.skipUnless(peer("scipy"), "SciPy is not installed")
    def test_scipy(self):
        special = importlib.import_module("scipy.special")
        x = nj.array([0.0, 0.5, 1.0])
        for name in ("erf", "gamma", "expit", "j0", "log1p", "exp2"):
            made = getattr(special, name)(x)
            self.assertIs(type(made), nj.ndarray)
            np.testing.assert_array_equal(np.asarray(made), getattr(special, name)(np.asarray(x)))

    @unittest.skipUnless(peer("pandas"), "pandas is not installed")
    def test_pandas(self):
        pandas = peer("pandas")
        s = pandas.Series([1.0, 4.0], index=["a", "b"])
        for made in (nj.sqrt(s), nj.add(nj.ones(2), s), nj.ones(2) + s, np.add(nj.ones(2), s)):
            self.assertEqual((type(made), list(made.index)), (pandas.Series, ["a", "b"]))

    @unittest.skipUnless(peer("dask"), "Dask is not installed")
    def test_dask(self):
        array = importlib.import_module("dask.array")
        d = array.ones((4,), chunks=2)
        for made in (nj.sin(d), nj.add(nj.ones(4), d), nj.mean(d), nj.ones(4) + d, nj.concatenate([nj.ones(4), d])):
            self.assertIs(type(made), array.Array)

    @unittest.skipUnless(peer("xarray"), "xarray is not installed")
    def test_xarray(self):
        xarray = peer("xarray")
        x = xarray.DataArray([1.0, 4.0], dims="t")
        for made in (nj.sqrt(x), nj.ones(2) + x, nj.mean(x)):
            self.assertIs(type(made), xarray.DataArray)

    def test_protocols_without_a_way_to_become_an_array(self):
        class Both:
            def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
                return ufunc.__name__, method

            def __array_function__(self, function, types, args, kwargs):
                return function.__name__

        class Refuses:
            __array_ufunc__ = None

            def __radd__(self, other):
                return "radd"

            def __gt__(self, other):
                return "gt"
        both, refuses = Both(), Refuses()
        for module in (np, nj):
            x, s = module.ones(3), module.float64(2)
            self.assertEqual([x + both, both + x if hasattr(both, "__add__") else s + both, x @ both, x ** both, x < both],
                             [(name, "__call__") for name in ("add", "add", "matmul", "power", "less")])
            self.assertEqual([x == both, x != both, x <= both, x > both, x >= both, both > x, s < both],
                             [(name, "__call__") for name in ("equal", "not_equal", "less_equal", "greater", "greater_equal", "less", "less")])
            x += both
            self.assertEqual(x, ("add", "__call__"))
            x = module.ones(3)
            self.assertEqual((module.where(both), module.where(both, 1, 2)), ("where", "where"))
            self.assertEqual((x + refuses, x < refuses), ("radd", "gt"))
            with self.assertRaises(TypeError) as caught:
                module.add(x, refuses)
            self.assertEqual(str(caught.exception), "operand 'Refuses' does not support ufuncs (__array_ufunc__=None)")
        self.assertEqual(nj.compile(lambda a: a * 2 + both)(nj.ones(2)), ("add", "__call__"))

    @unittest.skipUnless(peer("matplotlib"), "Matplotlib is not installed")
    def test_matplotlib(self):
        pyplot = importlib.import_module("matplotlib.pyplot")
        bars = pyplot.bar(nj.arange(3), nj.arange(3))
        self.assertEqual([b.get_height() for b in bars], [0, 1, 2])


if __name__ == "__main__":
    unittest.main()
