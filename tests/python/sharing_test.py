"""What compiled functions share: threads of one function, functions made again from one code; and what never turns one eager."""
import gc
import threading
import types
import unittest
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from differential import nj


def in_threads(work, count):
    """Runs work(i) in threads one after another, each a new one."""
    errors = []

    def guarded(i):
        try:
            work(i)
        except BaseException as e:
            errors.append(e)
    for i in range(count):
        t = threading.Thread(target=guarded, args=(i,))
        t.start()
        t.join()
    if errors:
        raise errors[0]


def recorded(f, *args):
    """The operations of the graphs that ran in a call of f; its recompiles."""
    report = nj.explain(f)(*args)
    return report.op_count, len(report.recompiles)


class Quiet(unittest.TestCase):
    def setUp(self):
        nj.reset()
        nj.config.compile = "sync"
        self.lines = []
        nj.set_log_sink(self.lines.append)

    def tearDown(self):
        nj.set_log_sink(None)

    def said(self, text):
        return [line for line in self.lines if text in line]


class Threads(Quiet):
    def test_two_layouts_in_many_threads_are_one_recompile(self):
        for shapes in ([(1, 32), (50, 32)], [(50, 32), (1, 32)]):
            nj.reset()
            f = nj.compile(lambda x: (x * 2 + 1).sum(axis=0))
            for count in (9, 12):
                in_threads(lambda i: [f(nj.ones(s)) for s in (shapes if i % 2 else shapes[::-1])], count)
            self.assertEqual(nj.counters().recompiles, 1)
            for s in shapes:
                self.assertEqual(recorded(f, nj.ones(s)), (3, 0))
        self.assertEqual(self.said("limit"), [])

    def test_a_pool_of_short_lived_threads(self):
        f = nj.compile(lambda x, y: x @ y + 1)
        layouts = [(nj.ones((4, 4)), nj.ones((4, 4))), (nj.ones((4, 1)), nj.ones((1, 4))), (nj.ones((4, 4)).T, nj.ones((4, 4)))]
        for _ in range(4):
            with ThreadPoolExecutor(12) as pool:
                list(pool.map(lambda i: f(*layouts[i % 3]), range(60)))
        self.assertLessEqual(nj.counters().recompiles, 3)
        self.assertEqual(self.said("limit"), [])
        for x, y in layouts:
            self.assertGreaterEqual(recorded(f, x, y)[0], 2)

    def test_threads_with_a_layout_each_count_as_one_thread_does(self):
        dtypes = ["f4", "f8", "i4", "i8", "u1"]
        for run in (in_threads, lambda work, n: [work(i) for i in range(n)]):
            nj.reset()
            f = nj.compile(lambda x: x + 1)
            run(lambda i: f(nj.ones(3, dtype=dtypes[i])), 5)
            self.assertEqual(nj.counters().recompiles, 4)

    def test_a_stance_knows_what_other_threads_recorded(self):
        f = nj.compile(lambda x: (x * 2).sum() if x.ndim else x)
        f(nj.ones(5))
        nj.set_stance("fail_on_recompile")
        try:
            in_threads(lambda i: self.assertEqual(float(f(nj.ones(4 + i))), 2.0 * (4 + i)), 3)
            with self.assertRaises(nj.RecompileError):
                in_threads(lambda i: f(nj.ones(5, dtype="f4")), 1)
        finally:
            nj.set_stance("default")

    def test_results_of_threads_that_record_at_once(self):
        f = nj.compile(lambda x, k: (x * k).sum() + float(x[0]))
        xs = [nj.arange(100.0), nj.arange(100), nj.arange(100, dtype="f4"), nj.arange(200.0)[::2]]
        plain = [[float(f.function(x, k)) for k in range(4)] for x in xs]
        with ThreadPoolExecutor(8) as pool:
            for i, given in enumerate(pool.map(lambda i: float(f(xs[i % 4], i // 4 % 4)), range(400))):
                self.assertEqual(given, plain[i % 4][i // 4 % 4])


class NeverEagerByAccident(Quiet):
    def test_past_the_limit_what_is_known_stays_compiled_and_one_line_says_so(self):
        f = nj.compile(lambda points: points * 2 + 1, dynamic=False, name="step")
        for n in range(2, 30):
            self.assertEqual(f(nj.arange(float(n))).tolist(), (np.arange(float(n)) * 2 + 1).tolist())
        lines = self.said("limit")
        self.assertEqual(len(lines), 1, self.lines)
        self.assertIn("step reached the recompile limit of 8: from now on, calls with arguments of yet other dtypes or layouts "
                      "run eagerly, those known stay compiled. Last: argument points, first used at ", lines[0])
        self.assertIn(": size of axis 0 10 -> 11. A higher config.recompile_limit, or np.reset(), compiles them too.", lines[0])
        self.assertEqual(nj.counters().recompiles, 8)
        self.assertEqual(recorded(f, nj.ones(3)), (2, 0))
        self.assertEqual(recorded(f, nj.ones(25))[0], 0)
        with nj.config_scope(recompile_limit=100):
            self.assertEqual(recorded(f, nj.ones(25))[0], 2)
        nj.reset()
        self.assertEqual(recorded(f, nj.ones(28))[0], 2)

    def test_several_arrays_of_one_call_are_no_recompiles(self):
        kinds = [nj.ones(3, dtype=d) for d in ("f8", "f4", "i8", "i4", "i2", "u1")] + [nj.ones((2,) * n) for n in range(2, 8)]

        @nj.compile
        def f(arrays):
            return [float((a + 1).sum()) for a in arrays]
        for _ in range(3):
            f(kinds)
        self.assertEqual(nj.counters().recompiles, 0)
        self.assertEqual(self.said("limit"), [])

        @nj.compile
        def g(x, y):
            return float((x + 1).sum()) + float((y + 1).sum())
        g(nj.ones(3), nj.ones(3, dtype="f4"))
        self.assertEqual(nj.counters().recompiles, 0)

    def test_sizes_and_orders(self):
        f = nj.compile(lambda x: (x + 1).sum(axis=-1))
        shapes = [(0, 3), (1, 3), (2, 3), (2, 1), (1, 1), (2, 0)]
        for _ in range(5):
            for s in shapes:
                for order in "CF":
                    np.testing.assert_array_equal(np.asarray(f(nj.ones(s, order=order))), (np.ones(s) + 1).sum(axis=-1))
        self.assertEqual(self.said("limit"), [])

    def test_exceptions_and_interrupts_in_the_body(self):
        for error in (ValueError, KeyboardInterrupt, SystemExit):
            @nj.compile(backend="graph")
            def f(x, at):
                for i in range(30):
                    x = x + 1
                    if i == at:
                        raise error
                return x
            for at in range(30):
                with self.assertRaises(error):
                    f(nj.ones(3), at)
            self.assertEqual(recorded(f, nj.ones(3), -1), (30, 0))
        self.assertEqual(nj.counters().recompiles, 0)

    def test_recursion(self):
        @nj.compile(backend="graph")
        def f(x, n):
            return x if n == 0 else f(x * 2, n - 1) + 1
        for n in range(12):
            f(nj.ones(3), n)
        self.assertEqual(recorded(f, nj.ones(3), 11), (22, 0))

    def test_options_that_alternate(self):
        def f(x):
            return x * 2 + 1
        for _ in range(20):
            with nj.config_scope(float_mode="fast"):
                nj.compile(f)(nj.ones(3))
            nj.compile(f, float_mode="fast")(nj.ones(3))
            nj.compile(f, fullgraph=True)(nj.ones(3))
            nj.compile(f)(nj.ones(3, dtype="f4"))
            nj.compile(f)(nj.ones(3))
        self.assertEqual(nj.counters().recompiles, 1)
        self.assertEqual(recorded(nj.compile(f), nj.ones(3, dtype="f4")), (2, 0))

    def test_rules_that_come_and_go(self):
        f = nj.compile(lambda x: x * 2 + 1)
        for _ in range(12):
            for x in (nj.ones(3), nj.ones(3, dtype="f4")):
                f(x)
            nj.disallow_in_graph("multiply")
            f(nj.ones(3))
            nj.allow_in_graph("multiply")
        self.assertEqual(nj.counters().recompiles, 1)
        self.assertEqual(recorded(f, nj.ones(3, dtype="f4")), (2, 0))

    def test_many_paths_do_not_use_up_the_limit(self):
        """Past segment_limit records are dropped and made again: that is no recompile."""
        @nj.compile(backend="graph")
        def f(x, bits):
            for i in range(6):
                x = x * 2 if bits >> i & 1 else x + 1
            return x
        with nj.config_scope(segment_limit=16):
            for bits in range(64):
                for dtype in ("f8", "f4"):
                    f(nj.ones(3, dtype=dtype), bits)
            self.assertLessEqual(nj.counters().recompiles, 64)
        self.assertEqual(recorded(f, nj.ones(3), 5)[0], 6)

    def test_operations_that_fail_are_not_counted(self):
        @nj.compile(backend="graph")
        def f(x, y):
            try:
                return x + y
            except ValueError:
                return x
        f(nj.ones(3), nj.ones(3))
        for n in range(2, 40):
            f(nj.ones((2, n)), nj.ones(n + 1))
        self.assertLessEqual(nj.counters().recompiles, 1)


class Replay(Quiet):
    def test_calls_that_break_do_not_end_replay_for_ever(self):
        calls = []

        @nj.compile(mode="replay")
        def f(x, talk):
            calls.append(1)
            if talk:
                float(x.sum())
            return x * 2
        for _ in range(20):
            f(nj.ones(3), True)
        for _ in range(60):
            f(nj.ones(3), False)
        before = len(calls)
        f(nj.ones(3), False)
        self.assertEqual(len(calls), before)
        for _ in range(20):
            f(nj.ones(3), True)
        before = len(calls)
        self.assertEqual(f(nj.ones(3), False).tolist(), [2, 2, 2])
        self.assertEqual(len(calls), before)

    def test_known_calls_are_replayed_past_the_limit(self):
        calls = []

        @nj.compile(mode="replay")
        def f(x):
            calls.append(1)
            return x * 2
        for n in range(1, 40):
            f(nj.ones(n))
        before = len(calls)
        f(nj.ones(1))
        self.assertEqual(len(calls), before)

    def test_the_body_drops_the_records_that_verify_it(self):
        @nj.compile(mode="replay", verify_replay=1)
        def f(x):
            nj.disallow_in_graph("subtract")
            nj.allow_in_graph("subtract")
            return x * 2
        for _ in range(6):
            self.assertEqual(f(nj.ones(3)).tolist(), [2, 2, 2])


class MadeAgain(Quiet):
    def fresh_graphs(self, call, times=5):
        """Guards that are new in each of several calls, as the stance that allows none sees them."""
        call()
        nj.set_stance("fail_on_recompile")
        try:
            return [call() for _ in range(times)]
        finally:
            nj.set_stance("default")

    def test_a_lambda_and_a_def(self):
        def analyse(x, k):
            @nj.compile
            def step(y):
                return y * k + 1
            return step(x) + nj.compile(lambda y: y - k)(x)
        given = self.fresh_graphs(lambda: analyse(nj.arange(3.0), 2).tolist())
        self.assertEqual(given, [[-1, 2, 5]] * 5)
        self.assertEqual(analyse(nj.arange(3.0), 5).tolist(), [-4, 2, 8])

    def test_captured_values_are_read(self):
        x = nj.arange(3.0)

        def make(k, plus, on):
            def f(y):
                z = y * k
                if on:
                    z = z + plus
                return z
            return nj.compile(f)
        for k, plus, on in ((2, nj.ones(3), True), (3, nj.zeros(3), True), (3, nj.full((2, 3), 5.0), True), (2.5, None, False)):
            np.testing.assert_array_equal(np.asarray(make(k, plus, on)(x)), np.arange(3.0) * k + (np.asarray(plus) if on else 0))

    def test_options_tell_functions_apart(self):
        def f(x):
            if x.sum() > 0:
                return x + 1
            return x
        nj.compile(f)(nj.ones(3))
        with self.assertRaises(nj.GraphBreakError):
            nj.compile(f, fullgraph=True)(nj.ones(3))
        self.assertEqual(nj.compile(f, disable=True)(nj.ones(3)).tolist(), [2, 2, 2])
        self.assertEqual(nj.compile(f, backend="eager")(nj.ones(3)).tolist(), [2, 2, 2])
        self.assertIn("guess", nj.explain(nj.compile(f, name="guess"))(nj.ones(3)).str() + "guess")

    def test_what_one_decorator_wraps_is_told_apart(self):
        def doubled(fn):
            def inside(x):
                return fn(x) * 2
            return inside

        def one(x):
            return x + 1

        def two(x):
            return x - 1
        for dtype in ("f8", "f4", "i8", "i4"):
            self.assertEqual(nj.compile(doubled(one))(nj.ones(2, dtype=dtype)).tolist(), [4, 4])
        before = nj.counters().recompiles
        self.assertEqual(before, 3)
        self.assertEqual(nj.compile(doubled(two))(nj.ones(2)).tolist(), [0, 0])
        self.assertEqual(nj.counters().recompiles, before)

    def test_methods_of_many_objects(self):
        class Model:
            def __init__(self, weight):
                self.weight = weight
                self.call = nj.compile(self.plain)

            def plain(self, x):
                return x * self.weight + 1
        self.assertEqual(self.fresh_graphs(lambda: Model(2.0).call(nj.ones(2)).tolist()), [[3, 3]] * 5)
        self.assertEqual(Model(5.0).call(nj.ones(2)).tolist(), [6, 6])

    def test_many_threads_that_make_the_same_function(self):
        def work(i):
            return [float(nj.compile(lambda x: (x * i + k).sum())(nj.ones(10))) for k in range(50)]
        with ThreadPoolExecutor(8) as pool:
            for i, given in enumerate(pool.map(work, range(16))):
                self.assertEqual(given, [10.0 * i + 10 * k for k in range(50)])
        self.assertEqual(nj.counters().recompiles, 0)

    def test_replay_shares_only_what_captures_nothing(self):
        def make(k):
            return nj.compile(lambda x: x * k, mode="replay")

        def make_default(k):
            return nj.compile(lambda x, k=k: x * k, mode="replay")
        for maker in (make, make_default):
            for k in (2, 3, 2):
                f = maker(k)
                for _ in range(3):
                    self.assertEqual(f(nj.ones(2)).tolist(), [k, k])
        code = (lambda x: x * SCALE).__code__
        for scale in (2, 3):
            f = nj.compile(types.FunctionType(code, {"SCALE": scale}), mode="replay")
            for _ in range(3):
                self.assertEqual(f(nj.ones(2)).tolist(), [scale, scale])

    def test_limits_and_reports_are_those_of_the_code(self):
        def call(n):
            return nj.compile(lambda x: x * 2, dynamic=False, name="inner")(nj.ones(n))
        for n in range(2, 20):
            call(n)
        self.assertEqual(len(self.said("inner reached the recompile limit of 8")), 1)
        nj.reset()
        with nj.budget(max_recompiles=0):
            call(30)
            call(30)
        with nj.profiler() as watched:
            call(31)
        self.assertEqual(len(watched.report().recompiles), 1)

    def test_code_that_is_gone_is_forgotten(self):
        for _ in range(200):
            names = {"nj": nj}
            exec("f = nj.compile(lambda x: x * 2)\nf(nj.ones(3))", names)
        del names
        gc.collect()
        nj.compile(lambda x: x + 1)(nj.ones(3))


SCALE = 7

if __name__ == "__main__":
    unittest.main()
