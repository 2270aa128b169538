"""numjit.compile on Python functions: results, breaks with file and line, guards, recompiles, steering, replay, threads."""
import gc
import inspect
import os
import signal
import tempfile
import threading
import time
import unittest
import weakref

import numpy as np

from differential import to_numpy

import numjit as nj


def line_of(text, function):
    """Line of a function's source that holds a text."""
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(lines) if text in line)


class Compile(unittest.TestCase):
    def setUp(self):
        nj.reset()
        nj.config.compile = "sync"

    def test_results_and_graph_count(self):
        @nj.compile
        def distance(x, y):
            return ((x - y) ** 2).sum(axis=1)
        a, b = np.random.default_rng(1).normal(size=(2, 50, 7))
        x, y = nj.array(a), nj.array(b)
        plain = distance.function(x, y)
        for _ in range(3):
            self.assertEqual(distance(x, y).tolist(), plain.tolist())
        np.testing.assert_allclose(np.asarray(plain), ((a - b) ** 2).sum(axis=1))
        report = nj.explain(distance)(x, y)
        self.assertEqual((report.graph_count, report.graph_break_count, report.op_count), (1, 0, 3))
        self.assertIn("subtract", report.graphs[0].text)
        self.assertEqual(distance.__name__, "distance")
        self.assertGreaterEqual(nj.counters().graphs, 1)

    def test_break_names_file_and_line(self):
        def f(x):
            y = x * 2
            if y.sum() > 0:
                return y + 1
            return y - 1
        report = nj.explain(f)(nj.arange(4.0))
        self.assertEqual((report.graph_count, report.graph_break_count), (2, 1))
        reason = report.break_reasons[0]
        self.assertEqual((os.path.basename(reason.file), reason.line), ("compile_test.py", line_of("if y.sum()", f)))
        self.assertEqual(reason.id, "NJ0001")
        texts = []
        nj.set_log_sink(texts.append)
        nj.set_logs(graph_breaks=True)
        try:
            nj.compile(f)(nj.arange(4.0))
        finally:
            nj.set_logs()
            nj.set_log_sink(None)
        self.assertIn(f"compile_test.py:{line_of('if y.sum()', f)}", texts[0])
        with self.assertRaises(nj.GraphBreakError) as caught:
            nj.compile(f, fullgraph=True)(nj.arange(4.0))
        self.assertEqual(caught.exception.code, "NJ0001")
        self.assertIn("Data-dependent branch", str(caught.exception))

    def test_a_break_tells_of_all_frames_where_asked(self):
        def inner(x):
            return x * 2 if x.sum() > 0 else x

        class Model:
            def outer(self, x):
                return inner(x + 1)

        def lines_of(text):
            return [int(line.split("compile_test.py:")[1].split(" in ")[0]) for line in text if "compile_test.py" in line]

        def stack():
            return lines_of(nj.explain(Model().outer)(nj.arange(4.0)).break_reasons[0].user_stack)
        here = type(self).test_a_break_tells_of_all_frames_where_asked
        chain = [line_of(text, here) for text in ("nj.explain(Model", "inner(x + 1)", "x.sum() > 0")]
        self.assertEqual(stack(), chain[-1:])
        with nj.config_scope(user_stack=True):
            self.assertEqual(stack()[-3:], chain)
            with self.assertRaises(nj.GraphBreakError) as caught:
                nj.compile(Model().outer, fullgraph=True)(nj.arange(4.0))
        traceback = str(caught.exception).split("User code traceback:\n")[1].splitlines()
        self.assertEqual(lines_of(traceback)[-2:], chain[-2:])
        self.assertGreater(len(traceback), 3)

    def test_what_breaks_and_what_does_not(self):
        x = nj.arange(1.0, 7).reshape(2, 3)
        for breaks, f in [(0, lambda x: x[0, 1] * x[1]), (0, lambda x: x[:, ::-1] + x.T.sum()), (0, lambda x: nj.where(x > 2, x, 0)),
                          (0, lambda x: len(x) * x), (0, lambda x: nj.concatenate([x, x]).mean()), (0, lambda x: x.astype("int32") + x.shape[1]),
                          (0, lambda x: nj.array([x.sum(), x.max()])), (0, lambda x: x[x.argmax(axis=1)[0] * 0]), (0, lambda x: x[x.argmax(axis=1)[0] * 0, 0]), (0, lambda x: np.sin(x)),
                          (0, lambda x: nj.add(x, 1, out=nj.zeros((2, 3)))), (1, lambda x: float(x.sum()) * x), (1, lambda x: x * x.sum().item()),
                          (1, lambda x: [str(x * 2), x][1] * 2), (1, lambda x: np.asarray(x * 2)[0]), (1, lambda x: nj.asarray((x * 2).tolist())),
                          (1, lambda x: int((x + 1).max()) + x)]:
            with self.subTest(source=inspect.getsource(f)[:60], breaks=breaks):
                report = nj.explain(f)(x)
                self.assertEqual(report.graph_break_count, breaks)
                np.testing.assert_array_equal(to_numpy(nj.compile(f)(x)), to_numpy(f(x)))

    def test_mutation_and_exceptions(self):
        @nj.compile
        def f(u, fail):
            u[1:] += 1
            u *= 2
            if fail:
                raise KeyError("mine")
            return u
        u = nj.zeros(3)
        f(u, False)
        self.assertEqual(u.tolist(), [0, 2, 2])
        with self.assertRaises(KeyError):
            f(u, True)
        self.assertEqual(u.tolist(), [0, 6, 6])
        with self.assertRaisesRegex(ValueError, "could not be broadcast"):
            nj.compile(lambda x: x + nj.ones(5))(nj.ones(3))

    def test_pytrees(self):
        def f(state, *, scale=2, **more):
            return {"u": state["u"] * scale, "list": [state["v"][0], (state["v"][1] + more.get("k", 0), None, "text", 3)]}
        state = {"u": nj.ones(2), "v": (nj.arange(3), nj.arange(2.0))}
        for mode in ("rerun", "replay"):
            g = nj.compile(f, mode=mode)
            for k in (1, 1, 2, 1):
                a, b = g(state, scale=k, k=k), f(state, scale=k, k=k)
                self.assertEqual(a["u"].tolist(), b["u"].tolist())
                self.assertEqual(a["list"][1][0].tolist(), b["list"][1][0].tolist())
                self.assertEqual(a["list"][1][1:], (None, "text", 3))
                self.assertEqual(a["list"][0].tolist(), [0, 1, 2])

    def test_replay_does_not_run_the_body(self):
        calls = []

        @nj.compile(mode="replay")
        def f(x, k):
            calls.append(1)
            return x * k + 1
        for _ in range(4):
            self.assertEqual(f(nj.arange(3), 2).tolist(), [1, 3, 5])
        self.assertEqual(len(calls), 1)
        self.assertEqual(f(nj.arange(3), 3).tolist(), [1, 4, 7])
        self.assertEqual(len(calls), 2)
        with self.assertRaisesRegex(TypeError, "can't be replayed"):
            f(nj.arange(3), object())

    def test_recompile_names_the_argument(self):
        @nj.compile(dynamic=False)
        def f(points):
            return points * 2
        f(nj.ones(3))
        report = nj.explain(f)(nj.ones(4))
        self.assertEqual(len(report.recompiles), 1)
        self.assertIn("points", report.recompiles[0].reason)
        self.assertEqual(os.path.basename(report.recompiles[0].file), "compile_test.py")

    def test_disable(self):
        def inner(x):
            nj.graph_break("here")
            return x + 1
        outer = nj.disable(lambda x: inner(x + 2), reason="prints")

        def f(x):
            return outer(x) + 4
        report = nj.explain(f)(nj.ones(3))
        self.assertEqual(nj.compile(f)(nj.ones(3)).tolist(), [8, 8, 8])
        self.assertEqual((report.graph_count, report.op_count), (1, 1))
        self.assertEqual((nj.is_disabled(outer).disabled, nj.is_disabled(outer).reason), (True, "prints"))

        def selective(x):
            with nj.disable_scope(recursive=False):
                y = x + 2
                return inner(y)
        self.assertEqual(nj.compile(lambda x: selective(x) + 4)(nj.ones(3)).tolist(), [8, 8, 8])
        report = nj.explain(lambda x: selective(x) + 4)(nj.ones(3))
        self.assertEqual([g.runs for g in report.graphs], [2])  # that of inner and that of + 4 are equal

    def test_steering(self):
        f = nj.compile(lambda x: x * 2 + 1)
        self.assertFalse(nj.is_compiling())
        self.assertTrue(nj.compile(nj.is_compiling)())
        with nj.stance_scope("fail_on_recompile"), self.assertRaises(nj.RecompileError):
            f(nj.ones(3))
        with self.assertRaises(ValueError):
            nj.set_stance("nonsense")
        with nj.error_on_graph_break(True), self.assertRaises(nj.GraphBreakError):
            nj.compile(lambda x: float(x.sum()))(nj.ones(3))
        with self.assertRaises(nj.GraphBreakError):
            nj.compile(nj.error_on_graph_break(True)(lambda x: float(x.sum())))(nj.ones(3))
        nj.disallow_in_graph("multiply")
        try:
            self.assertEqual(nj.explain(lambda x: x * 2 + 1)(nj.ones(3)).graph_break_count, 1)
        finally:
            nj.allow_in_graph("multiply")
        with self.assertRaisesRegex(ValueError, "multiply"):
            nj.disallow_in_graph("multipyl")
        table = nj.assume_constant(lambda: nj.ones(3).sum().item())
        self.assertEqual(nj.explain(lambda x: x * table())(nj.ones(3)).graph_break_count, 0)
        smooth = nj.allow_in_graph(lambda x: nj.asarray(np.asarray(x) * 3), lambda spec: spec)
        report = nj.explain(lambda x: smooth(x + 1) - 1)(nj.ones(3))
        self.assertEqual((report.graph_count, report.graph_break_count), (1, 0))
        self.assertEqual(nj.compile(lambda x: smooth(x + 1) - 1)(nj.ones(3)).tolist(), [5, 5, 5])
        with self.assertRaises(nj.GraphBreakError), nj.budget(max_breaks=0):
            nj.compile(lambda x: float(x.sum()))(nj.ones(3))
        with nj.profiler() as watched:
            f(nj.ones(3))
        self.assertEqual(watched.report().calls, 1)

    def test_config(self):
        self.assertEqual(nj.config.compile, "sync")
        before = nj.config.recompile_limit
        with nj.config_scope(recompile_limit=2, float_mode="fast"):
            self.assertEqual((nj.config.recompile_limit, nj.config.float_mode), (2, "fast"))
        self.assertEqual((nj.config.recompile_limit, nj.config.float_mode), (before, "exact"))
        for name, value in (("nonsense", 1), ("compile", "never"), ("threads", -1)):
            with self.assertRaises(ValueError):
                setattr(nj.config, name, value)

    def test_backends_and_options(self):
        x = nj.arange(4.0)
        for backend in ("eager", "graph", "halide"):
            self.assertEqual(nj.compile(lambda x: x * 2, backend=backend)(x).tolist(), [0, 2, 4, 6])
        seen = []

        def backend(graph):
            seen.append(str(graph))
            return lambda call: call.run_op_by_op()
        self.assertEqual(nj.compile(lambda x: x * 2, backend=backend)(x).tolist(), [0, 2, 4, 6])
        self.assertIn("multiply", seen[0])
        for wrong in ({"backend": "nonsense"}, {"mode": "nonsense"}, {"float_mode": "nonsense"}):
            with self.assertRaises(ValueError):
                nj.compile(lambda x: x, **wrong)
        with self.assertRaises(TypeError):
            nj.compile(3)
        self.assertEqual(nj.compile(lambda x: float(x.sum()), disable=True)(x), 6.0)

    def test_methods_and_lifetimes(self):
        class Model:
            weight = 3.0

            @nj.compile
            def call(self, x):
                return x * self.weight
        self.assertEqual(Model().call(nj.ones(2)).tolist(), [3, 3])

        def inside(x):
            return x + 1
        f, kept = nj.compile(inside), weakref.ref(inside)
        f.cycle = f
        f(nj.ones(2))
        del f, inside
        gc.collect()
        self.assertIsNone(kept())

    def test_loop(self):
        @nj.compile
        def heat(u, steps):
            for _ in range(steps):
                u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
            return u
        a = np.random.default_rng(2).normal(size=100)
        b = a.copy()
        for _ in range(200):
            b[1:-1] += 0.1 * (b[2:] - 2 * b[1:-1] + b[:-2])
        np.testing.assert_allclose(np.asarray(heat(nj.array(a), 200)), b, rtol=1e-12)

    def test_threads(self):
        f = nj.compile(lambda x, k: (x * k).sum() + float(x[0]))
        x, wrong = nj.arange(1000.0), []

        def work(k):
            for _ in range(200):
                if float(f(x, k)) != 499500.0 * k:
                    wrong.append(k)
        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_gil_is_released(self):
        a = nj.ones((700, 700))
        times, stop = [], threading.Event()

        def tick():
            while not stop.is_set():
                times.append(time.perf_counter())
                time.sleep(0.001)
        t = threading.Thread(target=tick)
        t.start()
        end = time.perf_counter() + 0.3
        while time.perf_counter() < end:
            nj.sort(nj.sin(a * 3 + a @ a), axis=None)
        stop.set()
        t.join()
        self.assertGreater(len(times), 20)

    def test_keyboard_interrupt(self):
        f = nj.compile(lambda x: x * 2 + 1)
        x = nj.ones(10)
        timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            end = time.perf_counter() + 30
            while time.perf_counter() < end:
                x = f(x) * 0
        self.assertEqual(f(nj.ones(2)).tolist(), [3, 3])

    def test_interrupts_inside_operations(self):
        """A handler that raises ends a long operation at once, eagerly and compiled; afterwards all works."""
        class Stop(Exception):
            pass

        def stop(*_):
            raise Stop

        x = nj.full(6_000_000, 0.5 + 0.25j)
        f = nj.compile(lambda x: nj.arccos(nj.arcsinh(x)))
        before = signal.signal(signal.SIGALRM, stop)
        try:
            for run in (lambda: nj.arccos(nj.arcsinh(x)), lambda: f(x)):
                run()
                began = time.perf_counter()
                run()
                whole = time.perf_counter() - began
                if whole < 0.4:
                    self.skipTest(f"too fast to be interrupted: {whole:.2f} s")
                began = time.perf_counter()
                signal.setitimer(signal.ITIMER_REAL, 0.05)
                with self.assertRaises(Stop):
                    run()
                self.assertLess(time.perf_counter() - began, 0.05 + 0.5 * whole)
                self.assertEqual(run()[:2].tolist(), nj.arccos(nj.arcsinh(x[:2])).tolist())
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def test_functions_as_files(self):
        """A bundle does what its function did, stores included; what no bundle can hold is an error."""
        def step(u, source):
            u[1:-1] += 0.25 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
            u += source
            return u.max(), u * 2.0

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "step.npj")
            nj.export_function(step, (nj.zeros(6), nj.zeros(6)), path)
            loaded = nj.load_function(path)
            mine, theirs = nj.arange(6.0) ** 2, nj.arange(6.0) ** 2
            largest, twice = loaded(mine, nj.ones(6))
            expected = step(theirs, nj.ones(6))
            self.assertEqual(mine.tolist(), theirs.tolist())
            self.assertEqual((largest.item(), twice.tolist()), (expected[0].item(), expected[1].tolist()))
            self.assertEqual(loaded.output_count, 2)
            with self.assertRaisesRegex(TypeError, "the result holds a 'int', expected arrays only"):
                nj.export_function(lambda x: 3, (nj.ones(2),), path)
            with self.assertRaisesRegex(TypeError, "got an argument of type 'set'"):
                nj.export_function(lambda x: x, ({1},), path)
            with self.assertRaises(OSError):
                nj.load_function(os.path.join(folder, "none.npj"))


class DiscardedInside(unittest.TestCase):
    def test_rows_from_before_are_views_still(self):
        inner = nj.compile(lambda v: bool(v.sum() > 0), fullgraph=True)

        def f(x, y):
            row = x[nj.argmin(y)]
            try:
                inner(x * 2)
            except nj.GraphBreakError:
                pass
            row += 1.0
            return x * 1

        for backend in ("eager", "halide"):
            g = nj.compile(f, backend=backend)
            for _ in range(2):
                x, y = nj.arange(6.0).reshape(3, 2), nj.array([3.0, -1.0, 2.0])
                self.assertEqual((g(x, y).tolist(), x.tolist()), ([[0.0, 1.0], [3.0, 4.0], [4.0, 5.0]],) * 2)


class ReadOnly(unittest.TestCase):
    """Arrays of a graph that were made read-only are writable again where the graph's next call makes them."""

    def test_flags_are_those_of_the_call(self):
        def flag(x):
            y = x * 2
            before = y.flags.writeable
            y += 1
            y.flags.writeable = False
            return before, y.sum()

        def imaginary(x, other):
            if other:
                y = nj.zeros_like(x)
                y[0] = 3.0
                return y.sum()
            return nj.imag(x).sum()
        f, g, x = nj.compile(flag), nj.compile(imaginary), nj.arange(3.0)
        for _ in range(3):
            self.assertEqual(f(x), (True, 9.0))
            self.assertEqual((g(x, False), g(x, True)), (0.0, 3.0))
        self.assertFalse(nj.compile(lambda x: nj.imag(x))(x).flags.writeable and nj.compile(lambda x: nj.imag(x * 2).flags.writeable)(x))


class PendingPlaces(unittest.TestCase):
    """m[np.argmin(x)] shows a row of m: what is stored through it, and into m later, is seen on both sides."""

    def test_rows_are_views(self):
        def through(x, y):
            m = x * 2
            row = m[nj.argmin(y)]
            row[0] = 100.0
            return m

        def in_place(x, y):
            m = x * 2
            row = m[nj.argmin(y)]
            row += 1
            return m, row

        def into(x, y):
            m = x * 2
            row, column, part = m[nj.argmin(y)], m[:, nj.argmin(y)], m[nj.argmin(y), 0:1]
            m[1] = 7.0
            return row, column, part

        def element(x, y):
            m = x * 2
            one, taken = m[nj.argmin(y), nj.argmin(y)], m[nj.argmin(y)[None]]
            m[nj.argmin(y)] += 1
            m[:] = 0.0
            return one, taken, m
        def only_read(x, y):
            row = x[nj.argmin(y)]
            return row * 2 + x[0]

        def given_back(x, y):
            return x[nj.argmin(y)]

        def view_of_it(x, y):
            part = x[nj.argmin(y)][1:]
            part += 5.0
            return part, x * 1

        def of_a_temporary(x, y):
            row = (x * 3)[nj.argmin(y)]
            row += 1.0
            return row

        def one_into_another(x, y):
            first, last = x[nj.argmin(y)], x[nj.argmax(y)]
            first += 1.0
            last += first
            return first, last

        def row_of_rows(x, y):
            stacked = nj.stack([x, x + 1])
            row = stacked[nj.argmin(y) - 1]
            inner = row[nj.argmax(y)]
            inner += 1.0
            return row, inner, stacked

        def both(x, y):
            m = x + 0
            return m, m[nj.argmin(y)]

        def gone(x, y):
            total = x[nj.argmin(y)].sum()
            x += 1
            return total

        def into_another_array(x, y):
            row = x[nj.argmin(y)]
            y += 1.0
            return row * 2

        def by_out(x, y):
            row = x[nj.argmin(y)]
            nj.multiply(x, 2.0, out=x)
            return row
        functions = {through: 1, in_place: 1, into: 1, element: 0, only_read: 0, given_back: 0, view_of_it: 1, of_a_temporary: 0,
                     one_into_another: 1, row_of_rows: 2, both: 0, gone: 0, into_another_array: 0, by_out: 1}
        for f, breaks in functions.items():
            for backend in ("eager", "halide"):
                g = nj.compile(f, backend=backend)
                for _ in range(3):
                    x, y = nj.arange(9.0).reshape(3, 3), nj.array([3.0, -1.0, 2.0])
                    xg, yg = x.copy(), y.copy()
                    expected, got = f(x, y), g(xg, yg)
                    if not isinstance(expected, tuple):
                        expected, got = (expected,), (got,)
                    self.assertEqual([a.tolist() for a in (*got, xg, yg)], [a.tolist() for a in (*expected, x, y)], f.__name__)
                    for a, b in zip(got, expected):  # views still behave as views
                        a *= 2
                        b *= 2
                    self.assertEqual([a.tolist() for a in (*got, xg)], [a.tolist() for a in (*expected, x)], f.__name__)
            self.assertEqual(nj.explain(nj.compile(f))(x, y).graph_break_count, breaks, f.__name__)
        x, y = nj.arange(9.0).reshape(3, 3), nj.array([3.0, -1.0, 2.0])
        self.assertEqual(nj.compile(element, fullgraph=True)(x, y)[0], 8.0)
        self.assertEqual(nj.compile(only_read, fullgraph=True)(x, y).tolist(), [6.0, 9.0, 12.0])
        with self.assertRaisesRegex(nj.GraphBreakError, r"(?s)add stores into memory that m\[k\] shows too.*np\.take\(m, k\)"):
            nj.compile(in_place, fullgraph=True)(x, y)
        self.assertEqual(nj.vmap(lambda v: x[nj.argmin(v)])(nj.array([[1.0, 0.0], [0.0, 1.0]])).tolist(), x[:2][::-1].tolist())


if __name__ == "__main__":
    unittest.main()
