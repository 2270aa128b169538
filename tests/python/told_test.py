"""What users of compile are told: disabled code, new paths, explain, help, swallowed errors, functions that change arguments."""
import asyncio
import inspect
import os
import subprocess
import sys
import tempfile
import unittest

import numpy

import numjit as nj

FILE = os.path.abspath(__file__)


class Told(unittest.TestCase):
    def setUp(self):
        nj.reset()
        self.lines = []
        nj.set_log_sink(lambda text: self.lines.append(text.rstrip("\n")))
        self.addCleanup(nj.set_log_sink, None)
        self.addCleanup(nj.set_logs)

    def texts(self, report):
        return [[line.split(" = ")[1].split("(")[0] for line in g.text.splitlines() if "input" not in line] for g in report.graphs]

    # ---- code that is not recorded ----

    def test_a_disabled_function_is_named_with_its_reason(self):
        def outer1(x):
            return x + 1
        off = nj.disable(outer1, reason="prints a lot")
        f = nj.compile(lambda x: off(x * 2) - 1)
        nj.set_logs(graph_breaks=True)
        f(nj.ones(3))
        line, name = inspect.getsourcelines(f.function)[1], outer1.__qualname__
        self.assertEqual(self.lines, [
            f"Graph break in user code at {FILE}:{line}\n"
            "Graph Break Reason: Call to a disabled function\n"
            f"  Explanation: Skip calling function '{name}': excluded by np.disable, reason: prints a lot.\n"
            "  Hint: Remove np.disable, or call the function outside the compiled function.\n"
            "  Developer debug context: pending ops: 1\n"
            'For more: np.help("NJ0007")\n'
            f"User code traceback:\n  {FILE}:{line} in {f.function.__qualname__}:{line}"])

    def explanation(self, body):
        reasons = nj.explain(nj.compile(body))(nj.ones(3)).break_reasons
        self.assertEqual(len(reasons), 1)
        return reasons[0].explanation

    def test_texts_without_reason_without_recursion_and_of_scopes(self):
        def plain(x):
            return x + 1

        def in_scope(x):
            y = x * 2
            with nj.disable_scope(reason="a scope"):
                return y + 1
        name = plain.__qualname__
        self.assertEqual(self.explanation(lambda x: nj.disable(plain)(x * 2)), f"Skip calling function '{name}': excluded by np.disable.")
        self.assertEqual(self.explanation(lambda x: nj.disable(plain, recursive=False, reason="r")(x * 2)),
                         f"Skip inlining function '{name}': excluded by np.disable without recursion, what it calls is recorded, "
                         "reason: r.")
        self.assertEqual(self.explanation(in_scope), "Skip the code of a scope: excluded by np.disable_scope, reason: a scope.")

    def test_a_function_without_operations_of_its_own_lets_all_it_calls_be_recorded(self):
        def aa(x):
            return x + 1

        def bb(x):
            return x / 2
        for off in (nj.disable(lambda x: bb(aa(x)), recursive=False), nj.disable(lambda x: [bb(v) for v in [aa(x)]][0], recursive=False)):
            f = nj.compile(lambda x, off=off: off(x * 5) - 3)
            report = nj.explain(f)(nj.ones(3))
            self.assertEqual((report.op_count, self.texts(report)), (4, [["multiply"], ["add", "divide"], ["subtract"]]))
            self.assertEqual(f(nj.ones(3)).tolist(), [0.0] * 3)

    def test_only_its_own_operations_are_eager_wherever_they_stand(self):
        def aa(x):
            return x + 1

        def bb(x):
            return x / 2

        def mixed(x):
            y = bb(x)
            return [v * 7 for v in [aa(y)]][0] ** 2
        report = nj.explain(nj.compile(lambda x: nj.disable(mixed, recursive=False)(x * 5) - 3))(nj.ones(3))
        self.assertEqual(self.texts(report), [["multiply"], ["divide", "add"], ["subtract"]])

        def with_scope(x):
            with nj.disable_scope(recursive=False):
                y = bb(x * 5)
            return y - 3
        report = nj.explain(nj.compile(with_scope))(nj.ones(3))
        self.assertEqual(self.texts(report), [["divide"], ["subtract"]])

    def test_graph_break_where_nothing_is_recorded_is_none(self):
        def body(x):
            nj.graph_break("here")
            return x + 1
        cases = {"eager": body, "disabled": nj.compile(nj.disable(body)),
                 "not recursive": nj.compile(lambda x: nj.disable(body, recursive=False)(x * 2))}
        for name, f in cases.items():
            before = nj.counters().breaks
            f(nj.ones(3))
            own = 0 if name == "eager" else 1  # the call of what is disabled
            self.assertEqual(nj.counters().breaks - before, own, name)

    def test_a_break_without_a_message_has_no_empty_one(self):
        def body(x):
            nj.graph_break()
            return x + 1
        self.assertEqual(self.explanation(body), "User-inserted graph break.")

    # ---- new paths ----

    def test_a_new_path_is_told_counted_and_limited(self):
        def f(x, bits):
            for i in range(7):
                x = nj.sqrt(x) if bits >> i & 1 else x + 1
            return x
        line = inspect.getsourcelines(f)[1] + 2
        compiled = nj.compile(f, backend="eager", name="f")
        nj.set_logs(recompiles=True)
        with nj.profiler() as seen:
            for bits in range(2):
                compiled(nj.ones(3), bits)
            compiled(nj.ones(3), 2)
        hint = "Hint: np.where makes one graph of several ways; what decides the way may stand outside."
        said = [f"new path 1 of f at {FILE}:{line}: the record has add, the program calls sqrt. {hint}",
                f"new path 2 of f at {FILE}:{line}: the record has add, the program calls sqrt. {hint}"]
        self.assertEqual(self.lines, said)
        self.assertEqual([r.reason for r in seen.report().recompiles], said)
        self.assertEqual((nj.counters().new_paths, nj.counters().recompiles), (2, 0))
        self.lines.clear()
        for bits in range(128):
            self.assertEqual(compiled(nj.ones(3), bits).tolist(), f(nj.ones(3), bits).tolist())
        self.assertEqual(nj.counters().new_paths, 64)
        self.assertEqual(sum("as many as recompile_limit allows" in text for text in self.lines), 1)
        self.assertTrue(self.lines[-1].startswith(
            "f took 64 new paths, as many as recompile_limit allows: from now on, calls that take another one go on eagerly, those "
            f"known stay compiled. Last: f at {FILE}:{line}: the record has "), self.lines[-1])
        before = nj.counters().eager_ops
        compiled(nj.ones(3), 127)
        self.assertGreaterEqual(nj.counters().eager_ops, before)

    def test_a_budget_of_no_recompiles_sees_new_paths(self):
        f = nj.compile(lambda x, up: x * 2 + 1 if up else x * 2 - 1, name="f")
        f(nj.ones(3), True)
        with self.assertRaisesRegex(nj.RecompileError, r"^\[budget\] 1 recompile, allowed 0\. Last: new path 1 of f at .*: the record "
                                                       r"has add, the program calls subtract\. Hint: "):
            with nj.budget(max_recompiles=0):
                f(nj.ones(3), False)

    def paths(self, f, *calls):
        compiled = nj.compile(f, backend="eager", name="f")
        nj.set_logs(recompiles=True)
        self.lines.clear()
        for call in calls:
            compiled(*call)
        return [text.split(": ", 1)[1].split(". Hint")[0] for text in self.lines if text.startswith("new path")]

    def test_what_is_a_new_path(self):
        x, y = nj.ones(3), nj.ones(3)
        self.assertEqual(self.paths(lambda a, b: a + b, (x, x), (x, y), (y, x)), ["operands 0 and 1 of add are two arrays, and were one"])
        self.assertEqual(self.paths(lambda a, axis: nj.sum(a * 2, axis=axis), (nj.ones((2, 2)), 0), (nj.ones((2, 2)), 1)),
                         ["the record has sum(axis=0), the program calls sum(axis=1)"])
        self.assertEqual(self.paths(lambda a, b: (a * 2) + b, (x, y), (x, 3.0)), ["operand 1 of add is a number, and was an array"])
        self.assertEqual(self.paths(lambda a, first: (u := a * 2, v := u * 3) and (u if first else v) + 1, (x, True), (x, False)),
                         ["operand 0 of add is another value"])

    def test_what_is_none(self):
        x = nj.ones(3)
        self.assertEqual(self.paths(lambda a, k: a * k + 1, (x, 2.0), (x, 3.0)), [])
        self.assertEqual(self.paths(lambda a: a * 2 + 1, (x,), (nj.ones(5),), (nj.ones((2, 2)),), (nj.ones(3, dtype="f4"),)), [])
        self.assertEqual(self.paths(lambda a: a * 2 + 1 if a.sum() > 0 else a / 2 - 1, (x,), (-x,)), [])

    # ---- explain ----

    def test_explain_waits_for_kernels(self):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, nj.config_scope(cache_dir=folder):
            text = nj.explain(nj.compile(lambda x: nj.sum(nj.sin(x) * 2 + x ** 3 - 1.25)))(nj.ones(1000)).str()
            self.assertNotIn("(no kernel)", text)
            self.assertIn("rows  ", text)

    def test_explain_without_waiting_says_what_compiles(self):
        with tempfile.TemporaryDirectory() as folder, nj.config_scope(cache_dir=folder, compile="async"):
            text = nj.explain(nj.compile(lambda x: nj.sum(nj.cos(x) * 3 + x ** 3 - 2.25)), wait=False)(nj.ones(1000)).str()
            self.assertIn("  (compiling)            cos, multiply, power_3, add, subtract, sum\n", text)
            nj.wait_for_compiles()

    def test_products_count_bytes_and_operations(self):
        kernel, = nj.explain(nj.compile(lambda x: x @ x))(nj.ones((50, 50))).kernels
        self.assertEqual((kernel.bytes, kernel.flops), (3 * 50 * 50 * 8, 2 * 50 ** 3))
        self.assertRegex(nj.explain(nj.compile(lambda x: x @ x))(nj.ones((50, 50))).str(),
                         r"58\.6 KiB moved, 0\.00025 GFLOP in [\d.]+ .s, [\d.]+ GFLOP/s\n")

    def test_shares_above_one_are_in_cache(self):
        f = nj.compile(lambda x: x * 2 + 1)
        f(nj.ones(20000))
        text = nj.explain(f)(nj.ones(20000)).str()
        self.assertNotRegex(text, r"\b[1-9]\d\d+% of copy bandwidth")

    def test_equal_graphs_are_one(self):
        def loop(x):
            for _ in range(20):
                x = x * 2 + 1
                nj.graph_break("a step")
            return x
        report = nj.explain(nj.compile(loop))(nj.ones(3))
        self.assertEqual((report.graph_count, [g.runs for g in report.graphs], report.op_count), (1, [20], 2))
        self.assertIn("loop: 1 graph (run 20 times), 20 graph breaks, 2 ops,", report.str())
        self.assertIn("\ngraph 1, 20 times (2 ops)\n", report.str())
        self.assertLess(len(report.str().splitlines()), 40)

    def test_a_breaks_cost_leaves_out_compiling(self):
        def f(x):
            y = nj.tanh(x) * 2 + nj.cosh(x) ** 3
            return y + 1 if y.sum() > 0 else y - 1
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, nj.config_scope(cache_dir=folder):
            reason, = nj.explain(nj.compile(f))(nj.ones(100)).break_reasons
            self.assertLess(reason.cost_ns, 20_000_000)

    def test_inputs_have_the_names_of_arguments(self):
        def f(points, scale):
            return points * scale
        self.assertEqual(nj.explain(nj.compile(f))(nj.ones(3), nj.ones(3)).guards,
                         ["argument points: float64[?], C-contiguous", "argument scale: float64[?], C-contiguous"])

    def test_results_that_nobody_reads_are_not_computed(self):
        def f(v):
            unused = nj.sort(v)
            also_unused = nj.cumsum(unused)  # noqa: F841
            return v + 1
        report = nj.explain(nj.compile(f))(nj.arange(5.0))
        self.assertEqual([k.ops for k in report.kernels], [["add"]])

        def fails(v, i):
            nj.take(v, i * 1)
            return v + 1
        with self.assertRaises(IndexError):
            nj.compile(fails)(nj.arange(5.0), nj.array([7]))

    # ---- help ----

    def test_help(self):
        self.assertEqual(nj.help("NJ0008"), (
            "NJ0008: Call to np.graph_break()\n\nUser-inserted graph break. Message: ...\n\n"
            "The compiled function's graph ends here: what is pending runs, the program gets its value, and a new graph begins after "
            "it. Results are the same as without np.compile; only speed is lost. np.explain lists the breaks of a call with their "
            "lines and cost; with the option fullgraph a break is an error.\n\n"
            "Hint: Remove the np.graph_break() call.\n"))
        self.assertTrue(nj.help("AxisError").startswith("AxisError\n\nAn axis number is outside the array's rank.\n\nHint: "))
        with self.assertRaisesRegex(ValueError, r"^\[help\] unknown topic: got 'x', expected the identifier of a graph break, NJ0001 to "
                                                r"NJ0016, or a class of errors, TypeError, ValueError, .*, GraphBreakError\.$"):
            nj.help("x")

    def test_texts_are_pythons(self):
        def f(x):
            return x + 1 if x.sum() > 0 else x
        with self.assertRaises(nj.GraphBreakError) as caught:
            nj.compile(f, fullgraph=True)(nj.ones(3))
        self.assertIn("Hint: Use np.where, or compute", str(caught.exception))
        self.assertNotIn("np::", str(caught.exception) + nj.explain(f)(nj.ones(3)).str())

    # ---- errors that others swallow ----

    def test_break_errors_that_numpy_swallows_are_raised(self):
        for convert in (numpy.asarray, lambda y: numpy.float64(y.sum()), lambda y: numpy.array([y[0], 1.0]), memoryview):
            def full(x, convert=convert):
                y = x * 2
                convert(y)
                return y + 1

            def inside(x, convert=convert):
                with nj.error_on_graph_break(True):
                    y = x * 2
                    convert(y)
                return y + 1
            with self.assertRaises(nj.GraphBreakError):
                nj.compile(full, fullgraph=True)(nj.ones(3))
            with self.assertRaises(nj.GraphBreakError):
                nj.compile(inside)(nj.ones(3))
            self.assertEqual(nj.compile(full)(nj.ones(3)).tolist(), [3.0] * 3)

    def test_a_handler_of_the_users_keeps_its_error(self):
        def f(x):
            y = x * 2
            with nj.error_on_graph_break(True):
                try:
                    float(y.sum())
                except nj.GraphBreakError:
                    pass
            return x + 1
        self.assertEqual(nj.compile(f)(nj.ones(3)).tolist(), [2.0] * 3)

    # ---- functions of allow_in_graph ----

    def test_a_function_gets_its_arguments_for_reading(self):
        def store(a):
            a += 1
            return a * 1

        def through_numpy(a):
            numpy.asarray(a)[0] = 7
            return a * 1
        for fn in (store, through_numpy):
            box = nj.allow_in_graph(fn, lambda s: s)
            for call in (lambda x: box(x) + x, nj.compile(lambda x: box(x) + x), nj.compile(lambda x: box(x * 2) + x)):
                x = nj.full(3, 5.0)
                with self.assertRaises(ValueError) as caught:
                    call(x)
                self.assertEqual(str(caught.exception), (
                    "[allow_in_graph] the function stores into an argument, which it gets for reading: expected a function that changes "
                    "none. Hint: name the arguments that it changes by their numbers, as the option mutates."))
                self.assertEqual(x.tolist(), [5.0] * 3)

    def test_a_function_may_change_what_it_names(self):
        def store(a, b):
            a += b
            return a * 1
        box = nj.allow_in_graph(store, lambda a, b: a, mutates=(0,))

        def body(x):
            y = x * 2
            z = box(y, 1.0)
            w = box(x, y)
            return x + y + z + w
        x, again = nj.full(3, 5.0), nj.full(3, 5.0)
        plain = body(x).tolist()
        report = nj.explain(nj.compile(body, fullgraph=True))(nj.full(3, 5.0))
        self.assertEqual(nj.compile(body)(again).tolist(), plain)
        self.assertEqual((again.tolist(), plain), (x.tolist(), [16.0 + 11 + 11 + 16] * 3))
        self.assertEqual(report.graph_break_count, 0)
        self.assertEqual([c.reason for c in report.cut_reasons], ["a function of allow_in_graph changes its arguments: runs at its line"] * 2)
        with self.assertRaises(ValueError) as caught:
            nj.allow_in_graph(store, lambda a, b: a, mutates=(2,))(x, x)
        self.assertEqual(str(caught.exception), "[allow_in_graph] mutates: got 2, expected numbers of the 2 arguments, from 0 on.")

    # ---- functions that go on ----

    def test_coroutines_are_recorded_between_awaits(self):
        seen = []

        @nj.compile
        async def f(x):
            y = x * 2 + 1
            await asyncio.sleep(0)
            seen.append(nj.is_compiling())
            try:
                await asyncio.wait_for(asyncio.sleep(5), 0.001)
            except asyncio.TimeoutError:
                y = y - 1
            return y / 2

        async def main():
            return await asyncio.gather(f(nj.ones(3)), f(nj.arange(3.0)))
        self.assertTrue(inspect.iscoroutinefunction(f))
        self.assertEqual([a.tolist() for a in asyncio.run(main())], [[1.0] * 3, [0.0, 1.0, 2.0]])
        self.assertEqual(seen, [True, True])
        self.assertEqual(nj.counters().graphs, 2)

    def test_generators(self):
        @nj.compile
        def f(x):
            got = yield x * 2 + 1
            try:
                yield got * 3 - 1
            except KeyError:
                yield got - 5
            return got

        @nj.compile
        def powers(x, n):
            for i in range(n):
                yield x ** i

        def outer(x):
            return (yield from powers(x, 2))
        g = f(nj.ones(2))
        self.assertEqual(next(g).tolist(), [3.0] * 2)
        self.assertEqual(g.send(nj.ones(2)).tolist(), [2.0] * 2)
        self.assertEqual(g.throw(KeyError()).tolist(), [-4.0] * 2)
        with self.assertRaises(StopIteration) as caught:
            next(g)
        self.assertEqual(caught.exception.value.tolist(), [1.0] * 2)
        self.assertEqual(nj.counters().graphs, 3)
        self.assertEqual([a.tolist() for a in outer(nj.full(2, 3.0))], [[1.0, 1.0], [3.0, 3.0]])

        @nj.compile
        async def items(x):
            for i in range(3):
                yield x * i + 1

        async def collect():
            return [a.tolist() async for a in items(nj.ones(1))]
        self.assertEqual(asyncio.run(collect()), [[1.0], [2.0], [3.0]])

    def test_what_functions_that_go_on_can_not(self):
        async def f(x):
            return x + 1
        with self.assertRaises(TypeError) as caught:
            nj.compile(f, mode="replay")
        self.assertEqual(str(caught.exception), f"compile: got mode='replay' for {f.__qualname__!r}, which goes on after it has returned "
                                                "(async, yield), expected mode='rerun'.")
        with self.assertRaises(TypeError) as caught:
            nj.explain(nj.compile(f))
        self.assertEqual(str(caught.exception), "explain: got a function that goes on after it has returned (async, yield), expected one "
                                                "that ends. Hint: with np.profiler() around what runs it.")

    # ---- kernels that can't be made ----

    def test_compile_errors_are_raised_where_breaks_are(self):
        code = ("import numjit as nj, sys\n"
                "f = lambda x: nj.sinh(x) * 2 + 1\n"
                "print(nj.compile(f)(nj.ones(3)).tolist()[0] > 0)\n"
                "for call in (nj.compile(f, fullgraph=True), nj.error_on_graph_break(True)(nj.compile(f))):\n"
                "    try:\n"
                "        call(nj.ones(3))\n"
                "    except nj.CompileError as e:\n"
                "        print(str(e).splitlines()[0][:9])\n")
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "NUMJIT_FAULT": "halide", "NUMJIT_COMPILE": "sync", "NUMJIT_CACHE_DIR": folder,
                           "NUMJIT_REPRO_LEVEL": "0"}
            done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
        self.assertEqual((done.stdout, done.returncode), ("True\n[compile]\n[compile]\n", 0), done.stderr)

    # ---- the debug folder ----

    def test_graphs_on_disk_have_lines_and_kinds_can_be_chosen(self):
        code = "import numjit as nj\ndef step(x):\n    y = x * 2\n    return y + 1\nnj.compile(step, backend='eager')(nj.ones(3))\n"
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "app.py")
            with open(script, "w") as f:
                f.write(code)
            root = os.path.join(folder, "debug")
            run = lambda **settings: subprocess.run([sys.executable, script], capture_output=True, text=True,  # noqa: E731
                                                    env={**os.environ, "NUMJIT_DEBUG": root, **settings})
            done = run(NUMJIT_DEBUG_FILES="graphs")
            files = [os.path.join(d, f) for d, _, names in os.walk(root) for f in names]
            self.assertEqual(sorted(os.path.basename(f) for f in files), ["000-step.json", "000-step.txt"], done.stderr)
            with open(next(f for f in files if f.endswith(".txt"))) as f:
                self.assertEqual(f.read(), "%0 = input : float64[?]\n"
                                           f"%1 = multiply(%0, $0:float64) : float64[?]  # {script}:3\n"
                                           f"%2 = add(%1, $1:float64) : float64[?]  -> output  # {script}:4\n")
            self.assertIn("NUMJIT_DEBUG_FILES: got 'graph', expected some of plans, pictures, graphs, kernels, timings, log, with commas "
                          "between.", run(NUMJIT_DEBUG_FILES="log,graph").stderr)

    # ---- memory ----

    def test_what_does_not_fit_is_refused_before_anything_is_stored(self):
        def f(x):
            x += 1
            return x[:, None] * x
        compiled = nj.compile(f)
        x = nj.ones(4096)
        with nj.config_scope(memory_limit=64 << 20), self.assertRaises(MemoryError) as caught:
            compiled(x)
        self.assertRegex(str(caught.exception), r"^Unable to allocate 128\. MiB for the arrays of a graph, of which nothing was stored: "
                                                r"[\d.]+ \w+ in use, config\.memory_limit is 64\.0 MiB$")
        self.assertEqual(x.sum(), 4096.0)
        self.assertEqual(compiled(x).shape, (4096, 4096))
        self.assertEqual(x.sum(), 8192.0)

    # ---- add.at ----

    def test_add_at_of_pending_indices_needs_no_other_operation(self):
        def f(t, i, v):
            nj.add.at(t, i, v)
            return t
        i = nj.array([0, 2, -1, 2])
        report = nj.explain(nj.compile(f))(nj.zeros(3), i, nj.ones(4))
        self.assertEqual([k.ops for k in report.kernels], [["add.at"], ["store"]])
        self.assertEqual(nj.compile(f)(nj.zeros(3), i, nj.ones(4)).tolist(), [1.0, 0.0, 3.0])
        for function in (f, nj.compile(f)):
            with self.assertRaises(IndexError) as caught:
                function(nj.zeros(3), nj.array([0, -4, 1, 1]), nj.ones(4))
            self.assertEqual(str(caught.exception), "[index] index -4 is out of bounds for axis 0 with size 3")


if __name__ == "__main__":
    unittest.main()
