"""config.adaptive: compiled functions whose calls take less time one operation after the other run so, with the same bits."""
import os
import unittest

import numpy

os.environ["NUMJIT_FAULT"] = "slow_record"  # which of both ways takes less time is no matter of this machine
import numjit as np

CALLS = 40  # by then a choice is made


def loop(x):
    y = np.zeros_like(x)
    y[0] = x[0]
    for t in range(1, len(x)):
        y[t] = 0.9 * y[t - 1] + 0.1 * x[t]
    return y


class Adaptive(unittest.TestCase):
    def setUp(self):
        scope = np.config_scope(adaptive=True, compile="sync")
        scope.__enter__()
        self.addCleanup(scope.__exit__, None, None, None)

    def choice(self, f, *args, calls=CALLS):
        """A compiled function after some calls, and what explain says of the next one."""
        compiled = np.compile(f)
        for _ in range(calls):
            compiled(*args)
        return compiled, np.explain(compiled)(*args).eager_choice

    def test_loops_over_elements(self):
        x = np.array(numpy.random.default_rng(0).standard_normal(200))
        compiled, choice = self.choice(loop, x)
        self.assertRegex(choice, r"^[0-9.e+-]+ ms recorded, [0-9.e+-]+ ms eagerly$")
        before = np.counters()
        self.assertEqual(compiled(x).tolist(), loop(x).tolist())
        self.assertEqual((np.counters().cuts, np.counters().eager_ops), (before.cuts, before.eager_ops))  # no region was open
        report = np.explain(compiled)(x)
        self.assertIn("such calls run one operation after the other, which takes less time: ", str(report))
        self.assertGreater(report.graph_count, 0)
        # Arguments of another size are weighed anew.
        self.assertEqual(np.explain(compiled)(np.ones(20)).eager_choice, "")

    def test_what_the_package_asks_itself(self):
        """Some functions look whether operations are recorded: that is no question of the program's."""
        x = np.array(numpy.random.default_rng(0).standard_normal((20, 8)))

        def paths(x):
            back = np.zeros(x.shape, dtype=np.int64)
            for t in range(len(x)):
                back[t, 0] = np.argmin(x[t])
            return back
        self.assertNotEqual(self.choice(paths, x)[1], "")
        self.assertNotEqual(self.choice(lambda x: [np.isclose(x[i], x[0]).sum() for i in range(len(x))][0], x)[1], "")
        self.assertNotEqual(self.choice(lambda x: [np.nanmean(x[i]) for i in range(len(x))][0], x)[1], "")

    def test_off(self):
        x = np.array(numpy.random.default_rng(0).standard_normal(200))
        with np.config_scope(adaptive=False):
            self.assertEqual(self.choice(lambda a: loop(a) * 1.0, x)[1], "")

    def test_functions_that_ask_or_must_record(self):
        x = np.array(numpy.random.default_rng(0).standard_normal(200))
        asked = []

        def asks(a):
            asked.append(np.is_compiling())
            return loop(a)
        self.assertEqual(self.choice(asks, x)[1], "")
        self.assertTrue(all(asked))
        asked.clear()
        inside = np.disable(lambda: asked.append(np.is_compiling()))

        def asks_where_it_is_disabled(a):
            inside()
            return loop(a)
        self.assertEqual(self.choice(asks_where_it_is_disabled, x)[1], "")
        self.assertFalse(any(asked))
        compiled = np.compile(lambda a: loop(a) + 0.0)
        with np.error_on_graph_break(False):
            for _ in range(CALLS):
                compiled(x)
        gradient = np.grad(lambda a: compiled(a).sum())(x)
        numpy.testing.assert_allclose(numpy.asarray(gradient), numpy.asarray(np.grad(lambda a: loop(a).sum())(x)))

    def test_errors_and_stores_are_the_programs(self):
        def program(a, store):
            for i in range(len(a)):
                a[i] = a[i] * 2 + 1
            if float(a[0]) > 1e6:
                raise KeyError("user")
            store[:] = a
            return a.sum()
        compiled, store = np.compile(program), np.zeros(100)
        plain, expected = np.ones(100), np.zeros(100)
        a = np.ones(100)
        for _ in range(CALLS):
            try:
                got = compiled(a, store)
            except KeyError:
                got = None
            try:
                want = program(plain, expected)
            except KeyError:
                want = None
            self.assertEqual(got is None, want is None)
            self.assertEqual(got, want)
            self.assertEqual((a.tolist(), store.tolist()), (plain.tolist(), expected.tolist()))


if __name__ == "__main__":
    unittest.main()
