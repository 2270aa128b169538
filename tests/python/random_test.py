"""numjit.random: the streams are NumPy's, number by number."""
import copy
import pickle
import unittest

import numpy as np

from differential import Tally, to_numpy

import numjit as nj

DRAWS = [("random", ()), ("standard_normal", ()), ("standard_exponential", ()), ("standard_gamma", (2.5,)), ("normal", (1.0, 2.0)), ("uniform", (-1.0, 3.0)),
         ("exponential", (2.0,)), ("gamma", (0.5, 2.0)), ("beta", (0.5, 2.0)), ("poisson", (3.5,)), ("poisson", (50.0,)), ("binomial", (10, 0.3)), ("binomial", (100, 0.4)),
         ("chisquare", (3.0,)), ("f", (2.0, 5.0)), ("geometric", (0.2,)), ("gumbel", ()), ("hypergeometric", (5, 7, 6)), ("laplace", ()), ("logistic", ()), ("lognormal", ()),
         ("logseries", (0.6,)), ("negative_binomial", (3, 0.4)), ("noncentral_chisquare", (3.0, 1.0)), ("noncentral_f", (3.0, 4.0, 1.0)), ("pareto", (3.0,)), ("power", (2.0,)),
         ("rayleigh", ()), ("standard_cauchy", ()), ("standard_t", (4.0,)), ("triangular", (0.0, 1.0, 3.0)), ("vonmises", (0.0, 2.0)), ("wald", (1.0, 2.0)), ("weibull", (2.0,)),
         ("zipf", (2.5,)), ("multinomial", (20, [0.2, 0.3, 0.5])), ("dirichlet", ([1.0, 2.0, 3.0],))]


class Random(unittest.TestCase):
    def same(self, call, kinds, **options):
        tally = Tally()
        for make in kinds:
            tally.check("draw", [], own=lambda: call(make(nj.random)), other=lambda: call(make(np.random)), **options)
        if tally.wrong:
            self.fail(tally.report())

    def test_distributions(self):
        kinds = [lambda r: r.default_rng(7), lambda r: r.RandomState(7), lambda r: r.Generator(r.Philox(3)), lambda r: r.Generator(r.MT19937(3)),
                 lambda r: r.Generator(r.SFC64([1, 2])), lambda r: r.Generator(r.PCG64DXSM(2**100))]
        for name, args in DRAWS:
            with self.subTest(name):
                for size in (5, (2, 3), None):
                    if size is None and name not in ("multinomial", "dirichlet"):
                        continue  # Python's numbers in NumPy, scalars here
                    self.same(lambda r: getattr(r, name)(*args, size=size), kinds, ulps=64)
                first = [to_numpy(getattr(m.random.default_rng(1), name)(*args)) for m in (nj, np)]
                np.testing.assert_allclose(*first, rtol=1e-13)

    def test_generator(self):
        kinds = [lambda r: r.default_rng(11)]
        for call in (lambda r: r.integers(0, 10, 20), lambda r: r.integers(5, size=(2, 3), dtype="int8"), lambda r: r.integers(0, 2**63, 4, endpoint=True, dtype="uint64"),
                     lambda r: r.choice(10, 4), lambda r: r.choice([1.5, 2.5, 3.5], 5, p=[0.1, 0.2, 0.7]), lambda r: r.choice(10, 4, replace=False), lambda r: r.permutation(8),
                     lambda r: r.permutation(np.arange(6).reshape(3, 2).tolist()), lambda r: r.random(4, dtype="float32"), lambda r: r.standard_normal(4, dtype="float32"),
                     lambda r: r.standard_exponential(3, method="inv"), lambda r: r.normal([1.0, 2.0], [[1.0], [3.0]]), lambda r: r.permuted(np.arange(6).reshape(2, 3).tolist(), axis=1),
                     lambda r: r.spawn(2)[1].random(3), lambda r: r.bit_generator.random_raw(3), lambda r: r.multivariate_hypergeometric([3, 4, 5], 6),
                     lambda r: r.bit_generator.jumped().random_raw(2), lambda r: r.normal(0, -1, 3), lambda r: r.integers(5, 2), lambda r: r.poisson(-1.0, 2), lambda r: r.nonsense()):
            self.same(call, kinds, ulps=64)
        for make in (lambda r: r.default_rng(-1), lambda r: r.default_rng("a"), lambda r: r.default_rng([1, 2, 3]).random(2), lambda r: r.SeedSequence(5).spawn(2)[1].generate_state(3)):
            self.same(lambda x: x, [make])

    def test_legacy(self):
        def draws(r):
            r.seed(42)
            return [r.rand(2, 2), r.randn(3), r.randint(0, 10, 5), r.normal(size=2), r.permutation(4), r.choice(5, 3), r.random_sample(2), r.uniform(size=2)]
        for mine, theirs in zip(draws(nj.random), draws(np.random)):
            np.testing.assert_allclose(to_numpy(mine), theirs, rtol=1e-14)

    def test_shuffle_and_state(self):
        for x in ([1, 2, 3, 4, 5], np.arange(6.0)):
            mine, theirs = copy.copy(x) if isinstance(x, list) else nj.array(x), copy.copy(x)
            nj.random.default_rng(3).shuffle(mine)
            np.random.default_rng(3).shuffle(theirs)
            self.assertEqual(list(mine), list(theirs))
        for kind in ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"):
            mine, theirs = nj.random.Generator(getattr(nj.random, kind)(5)), np.random.Generator(getattr(np.random, kind)(5))
            mine.integers(0, 9, 3, dtype="int32"), theirs.integers(0, 9, 3, dtype="int32")
            a, b = mine.bit_generator.state, theirs.bit_generator.state
            self.assertEqual(str({k: v if not isinstance(v, dict) else {i: np.asarray(w).tolist() for i, w in v.items()} for k, v in a.items() if k != "buffer"}),
                             str({k: v if not isinstance(v, dict) else {i: np.asarray(w).tolist() for i, w in v.items()} for k, v in b.items() if k != "buffer"}))
            again = pickle.loads(pickle.dumps(mine))
            self.assertEqual(again.random(3).tolist(), theirs.random(3).tolist())
            mine.bit_generator.state = theirs.bit_generator.state
            self.assertEqual(mine.random(2).tolist(), theirs.random(2).tolist())
        with self.assertRaises(ValueError):
            nj.random.PCG64(1).state = np.random.SFC64(1).state

    def test_long_draws(self):
        """Threads share them; the numbers and the state after them are those of NumPy's one thread."""
        def state(g):
            own = g.bit_generator.state
            return own["state"], own["has_uint32"], own["uinteger"]
        for name, args in (("random", {}), ("random", {"dtype": "float32"}), ("standard_normal", {}), ("standard_normal", {"dtype": "float32"}),
                           ("integers", {"low": 0, "high": 1000}), ("integers", {"low": 0, "high": 3 * 2**30}), ("integers", {"low": 0, "high": 3 * 2**61}),
                           ("integers", {"low": 0, "high": 77, "dtype": "int32"}), ("uniform", {"low": 2.0, "high": 3.0}), ("exponential", {})):
            mine, theirs = nj.random.default_rng(8), np.random.default_rng(8)
            for n in (99991, 200000):
                a, b = to_numpy(getattr(mine, name)(size=n, **args)), getattr(theirs, name)(size=n, **args)
                self.assertEqual(a.dtype, b.dtype)
                differ = np.flatnonzero(a != b)  # the tails' last bits are those of a logarithm
                self.assertLessEqual(len(differ), n // 1000 if a.dtype.kind == "f" else 0, name)
                np.testing.assert_allclose(a[differ], b[differ], rtol=1e-6 if a.dtype.itemsize == 4 else 1e-14)
                self.assertEqual(state(mine), state(theirs), (name, args))

    def test_bounds_beyond_a_dtype(self):
        for low, high, dtype in (([2**64], [2**64 - 1], "uint64"), (2**63, 5, "int64"), ([300], [4], "uint8"), ([2**63], 2**62, "int64")):
            for endpoint in (False, True):
                with self.assertRaises(ValueError):
                    np.random.default_rng(1).integers(low, high, dtype=dtype, endpoint=endpoint)
                with self.assertRaisesRegex(ValueError, "^low > high$" if endpoint else "^low >= high$"):
                    nj.random.default_rng(1).integers(low, high, dtype=dtype, endpoint=endpoint)

    def test_compiled(self):
        rng, plain = nj.random.default_rng(5), np.random.default_rng(5)
        f = nj.compile(lambda x: x + rng.normal(size=3) * 2)
        for _ in range(3):
            np.testing.assert_allclose(np.asarray(f(nj.zeros(3))), plain.normal(size=3) * 2, rtol=1e-14)
        self.assertEqual(nj.explain(f)(nj.zeros(3)).graph_break_count, 0)


if __name__ == "__main__":
    unittest.main()
