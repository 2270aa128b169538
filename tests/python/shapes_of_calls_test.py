"""The shape of a call is that of its inputs, outputs and mask together: every function that takes out= or where=, with outputs
and masks of all shapes, compared with NumPy; compiled as well."""
import re
import unittest

import numpy as np

from differential import Tally, compare, outcome, product, to_numjit, values

import numjit as nj

SHAPES = [(), (1,), (2,), (3,), (2, 3), (1, 3), (3, 1), (2, 1), (0,), (2, 0), (4, 2, 3)]
COMPOSITES = {"modf": 1, "frexp": 1, "divmod": 2, "ldexp": 2, "spacing": 1}


def outputs(name):
    """dtypes of the results for float64, or integers where the function takes them."""
    return {"modf": ["float64"] * 2, "frexp": ["float64", "int32"], "divmod": ["float64"] * 2, "ldexp": ["float64"], "spacing": ["float64"]}[name]


def inputs(name, shape):
    first = values("float64", shape, 1)
    return [first] if COMPOSITES[name] == 1 else [first, values("int64", (), 2) % 5 + 1]


class ShapesOfCalls(unittest.TestCase):
    def setUp(self):
        self.tally = Tally()

    def tearDown(self):
        if self.tally.wrong:
            self.fail(self.tally.report())

    def test_one_output_widens_all(self):
        for name, shape, out in product(COMPOSITES, [(), (3,), (2, 1)], SHAPES):
            types = outputs(name)
            for place in range(len(types)):
                given = [None] * len(types)
                given[place] = np.zeros(out, types[place])
                self.tally.check(name, inputs(name, shape), {"out": tuple(given)})
                self.tally.check(name, [*inputs(name, shape), *given[:place + 1]])

    def test_two_outputs_of_two_shapes(self):
        for name, shape, first, second in product(["modf", "frexp", "divmod"], [(), (3,)], SHAPES, SHAPES):
            types = outputs(name)
            self.tally.check(name, inputs(name, shape), {"out": (np.zeros(first, types[0]), np.zeros(second, types[1]))})

    def test_masks_widen_too(self):
        for name, shape, mask in product([*COMPOSITES, "sqrt", "negative"], [(), (3,), (2, 1)], SHAPES):
            x = inputs(name, shape) if name in COMPOSITES else [np.abs(values("float64", shape, 1))]
            self.tally.check(name, x, {"where": np.ones(mask, bool)})
        for shape, mask, out in product([(), (3,)], SHAPES, SHAPES):
            ours = nj.full(out, 7.0), nj.full(out, 7.0)
            theirs = np.full(out, 7.0), np.full(out, 7.0)
            chosen = values("bool", mask, 4)
            with self.subTest(shape=shape, mask=mask, out=out):
                got = outcome(lambda: nj.modf(nj.asarray(values("float64", shape, 1)), *ours, where=nj.asarray(chosen)))
                expected = outcome(lambda: np.modf(values("float64", shape, 1), *theirs, where=chosen))
                self.assertEqual(got[0], expected[0])
                if got[0] == "value":
                    np.testing.assert_array_equal(np.asarray(ours), np.asarray(theirs))

    def test_texts(self):
        calls = [("modf", [np.ones(2), np.zeros(3)]), ("modf", [np.ones(3), np.zeros(1)]),
                 ("modf", [np.ones((2, 1)), np.zeros((2, 3)), np.zeros(3)]), ("frexp", [np.ones(3), np.zeros((2, 3)), np.zeros(3, "i4")]),
                 ("divmod", [np.ones(2), np.ones(2), np.zeros(3)]), ("ldexp", [np.ones(3), 1, np.zeros(1)])]
        for name, args in calls:
            _, expected = outcome(lambda: getattr(np, name)(*args))
            _, got = outcome(lambda: getattr(nj, name)(*to_numjit(args)))
            self.assertEqual((type(got), re.sub(r"^\[\w+\] ", "", str(got))), (ValueError, str(expected)), name)

    def test_nothing_is_stored_before_all_fits(self):
        for second in (nj.zeros(2), nj.zeros(3, "i4")):
            first = nj.full(3, 7.0)
            with self.assertRaises((ValueError, TypeError)):
                nj.modf(nj.full(3, 2.5), first, second)
            self.assertEqual(first.tolist(), [7.0] * 3)

    def test_reductions(self):
        for name, shape, out, axis, keep in product(["sum", "prod", "max", "min", "mean", "std", "var", "any", "all", "ptp", "nansum", "nanmax", "nanmean"],
                                                    [(3,), (2, 3)], SHAPES, [None, 0, -1], [False, True]):
            kind = "bool" if name in ("any", "all") else "float64"
            options = {"axis": axis, "out": np.zeros(out, kind), **({} if name == "ptp" else {"keepdims": keep})}
            self.tally.check(name, [values("float64", shape, 1)], options, ulps=50)
        for name, shape, mask in product(["sum", "prod", "mean", "std", "any", "all"], [(3,), (2, 3)], SHAPES):
            self.tally.check(name, [values("float64", shape, 1)], {"where": np.ones(mask, bool)}, ulps=50)
        for name, shape, mask in product(["max", "min"], [(3,), (2, 3)], SHAPES):
            self.tally.check(name, [values("float64", shape, 1)], {"where": np.ones(mask, bool), "initial": 2.0})
        for name, shape, out in product(["argmax", "argmin"], [(3,), (2, 3)], SHAPES):
            for axis in (None, 0):
                self.tally.check(name, [values("float64", shape, 1)], {"axis": axis, "out": np.zeros(out, "int64")})

    def test_others(self):
        a, b = values("float64", (2, 3), 1), values("float64", (3, 2), 2)
        for out in SHAPES:
            o = np.zeros(out)
            if o.ndim and o.size:  # NumPy's scans crash with others
                for name, args in [("cumsum", [a]), ("cumsum", [a[0]]), ("cumprod", [a[0]]), ("nancumsum", [a[0]])]:
                    self.tally.check(name, args, {"out": o})
            for name, args in [("add.accumulate", [a]), ("add.reduce", [a]),
                               ("clip", [1.0, 0, 2]), ("clip", [a, 0, 2]), ("clip", [a[0], 0, 2]), ("round", [1.26, 1]), ("round", [a[0], 1]),
                               ("around", [a]), ("fix", [1.5]), ("fix", [a[0]]), ("einsum", ["ij->i", a]), ("einsum", ["i->", a[0]]),
                               ("einsum", ["i,j", a[0], a[1]]), ("matmul", [a, b]), ("matmul", [a[0], a[1]]), ("matmul", [a, a[0]]),
                               ("vecdot", [a, a[0]]), ("dot", [a, b]), ("dot", [a[0], a[1]]), ("take", [a[0], [0, 1]]), ("outer", [a[0], a[1]]),
                               ("compress", [[1, 0, 1], a[0]]), ("concatenate", [[a[0]]]), ("stack", [[a[0]]]), ("trace", [a]),
                               ("choose", [[0, 1], [[1.0, 2], [3, 4]]]), ("add.outer", [a[0], a[1]]),
                               ("add", [1, 2]), ("negative", [a]), ("arctan2", [a, 1.0])]:
                self.tally.check(name, args, {"out": o}, ulps=50)
        for name in ("isneginf", "isposinf"):
            for out in SHAPES:
                self.tally.check(name, [1.0], {"out": np.zeros(out, bool)})

    def test_compiled(self):
        calls = [lambda np, x, a, b: np.modf(x, a, b), lambda np, x, a, b: np.modf(x, a)[1] + b, lambda np, x, a, b: np.divmod(x, 2.0, a, b),
                 lambda np, x, a, b: np.frexp(x, a)[0] + b, lambda np, x, a, b: np.cumsum(x, out=a[0]) + b, lambda np, x, a, b: np.clip(x, 0, 1, out=a)]
        for number, call in enumerate(calls):
            x = values("float64", (3,), 5)
            ours, theirs = [nj.zeros((2, 3)), nj.zeros((2, 3))], [np.zeros((2, 3)), np.zeros((2, 3))]
            compiled = nj.compile(lambda x, a, b: call(nj, x, a, b))
            expected = call(np, x, *theirs)
            for _ in range(2):
                with self.subTest(number):
                    got = compiled(nj.asarray(x), *ours)
                    np.testing.assert_array_equal(np.asarray(got), np.asarray(expected))
                    np.testing.assert_array_equal(np.asarray(ours), np.asarray(theirs))

    def test_the_example(self):
        self.assertEqual([r.tolist() for r in nj.modf(2.5, nj.zeros(3))], [[0.5] * 3, [2.0] * 3])
        self.assertEqual(compare("modf", [2.5, None, np.zeros((2, 2))]), "")


if __name__ == "__main__":
    unittest.main()
