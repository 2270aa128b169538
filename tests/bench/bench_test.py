"""The bench itself: rounds alternate, wrong results are found, JSON, plot and page say what was measured.

Only the programs of derivatives need numjit, from the build's package.
"""
import argparse
import contextlib
import hashlib
import io
import json
import os
import sys
import tempfile
import threading
import time
import unittest
import xml.etree.ElementTree
from pathlib import Path
from unittest import mock

import numpy as np

import eager
import measure
import peers
import report
import run
from grad import differences, measuring, pages
from grad.engines import NUMJIT, flat
from grad.workloads import WORKLOADS as GRADIENTS
from plot import plot, ticks
from workloads import WORKLOADS, Workload, distinct, distinct_source, listed, uniform

HERE = Path(__file__).parent
BUILD = Path(os.environ.get("NUMJIT_BUILD_DIR", HERE.parents[1] / "build"))
PACKAGE = BUILD / "python"


class Fake:
    """An engine that notes when it runs and gives a chosen result."""

    def __init__(self, name, value, log, fault=None):
        self.name, self.value, self.log, self.fault = name, value, log, fault

    def prepare(self, workload, inputs):
        if self.fault:
            raise self.fault
        return self.value is not None

    def run(self, repeats):
        self.log.append(self.name)
        return 0.01

    def result(self):
        return listed(self.value)

    def release(self):
        pass


def workload(function=lambda xp, x: x + x, **more):
    return Workload("twice", "x + x", function, uniform((1, 1, 4)), **more)


def measured(*engines, of=None):
    with contextlib.redirect_stderr(io.StringIO()) as complaints:
        return measure.run_workload(of or workload(), list(engines), np, 0.0), complaints.getvalue()


def small_inputs(w):
    """The workload's data cut down, lengths that differ by one kept so."""
    arrays = w.make(np.random.default_rng(3))
    longest = max(n for a in arrays for n in a.shape)
    cut = lambda n: n - longest + 40 if longest > 64 and n >= longest - 1 else min(n, 40)
    return [a[tuple(slice(0, cut(n)) for n in a.shape)].copy() for a in arrays]


def entry(name, numjit, peer, bound="compute", nbytes=10**6, **more):
    results = {"numjit": numjit, "numjit_1t": 2 * numjit, "numjit_eager": 3 * numjit, "numjit_fast": numjit, **peer}
    return measure.row(name, "ms", results, title=f"the {name}", bound=bound, bytes=nbytes, **more)


MACHINE = {"name": "machine", "unit": "", "better": "less", "results": {}, "limit": None, "agree": True,
           "details": {"processor": "A & B", "vectors": "AVX2", "threads": 2, "seconds": 1, "copy": 20.0, "triad": 10.0,
                       "versions": {"numpy": "2.4", "jax": "0.1"}}}


class Measuring(unittest.TestCase):
    def test_agreement(self):
        right, log = np.full(4, 2.0), []
        entry, complaints = measured(Fake("numjit", right, log), Fake("numjit_1t", right, log), Fake("jax", right, log))
        self.assertEqual((entry["agree"], complaints), (True, ""))
        self.assertEqual(json.loads(json.dumps(entry)), {
            "name": "twice", "unit": "ms", "better": "less", "limit": None, "agree": True,
            "results": {"numjit": 10.0, "numjit_1t": 10.0, "jax": 10.0},
            "title": "x + x", "bound": "memory", "bytes": 64})

    def test_a_wrong_result_is_found(self):
        right, log = np.full(4, 2.0), []
        entry, complaints = measured(Fake("numjit", right, log), Fake("jax", right + 1e-6, log))
        self.assertFalse(entry["agree"])
        self.assertEqual(complaints, "bench: twice: jax disagrees with NumPy\n")

    def test_each_of_several_results_is_compared(self):
        both = workload(lambda xp, x: (x + x, x * 3))
        twice, thrice = np.full(4, 2.0), np.full(4, 3.0)
        for results, agree in (((twice, thrice), True), ((twice, twice), False), ((twice,), False), (twice, False)):
            with self.subTest(results=results):
                self.assertEqual(measured(Fake("jax", results, []), of=both)[0]["agree"], agree)

    def test_numjit_must_give_the_dtype_too(self):
        found, complaints = measured(Fake("numjit", np.full(4, 2, np.int64), []))
        self.assertFalse(found["agree"])
        self.assertEqual(complaints, "bench: twice: numjit gives int64, expected float64\n")
        self.assertTrue(measured(Fake("torch", np.full(4, 2, np.int64), []))[0]["agree"])

    def test_ways_of_numjit_agree_in_every_bit(self):
        right, log = np.full(4, 2.0), []
        entry, complaints = measured(Fake("numjit", right, log), Fake("numjit_eager", np.nextafter(right, 3), log))
        self.assertFalse(entry["agree"])
        self.assertEqual(complaints, "bench: twice: numjit eager and compiled differ in bits\n")

    def test_fast_needs_the_same_values_but_not_the_same_bits(self):
        right, log = np.full(4, 2.0), []
        entry, complaints = measured(Fake("numjit", right, log), Fake("numjit_fast", np.nextafter(right, 3), log))
        self.assertEqual((entry["agree"], complaints), (True, ""))
        entry, complaints = measured(Fake("numjit", right, log), Fake("numjit_fast", right + 1e-6, log))
        self.assertEqual((entry["agree"], complaints), (False, "bench: twice: numjit_fast disagrees with NumPy\n"))

    def test_who_cannot_compute_it_is_left_out(self):
        right, log = np.full(4, 2.0), []
        entry, _ = measured(Fake("numjit", right, log), Fake("numexpr", None, log))
        self.assertEqual(list(entry["results"]), ["numjit"])

    def test_a_peer_that_fails_is_named_and_left_out_but_numjit_ends_the_run(self):
        right, fault = np.full(4, 2.0), TypeError("no complex\nmore")
        entry, complaints = measured(Fake("numjit", right, []), Fake("torch", right, [], fault))
        self.assertEqual((list(entry["results"]), complaints),
                         (["numjit"], "bench: twice: torch left out: TypeError: no complex\n"))
        with self.assertRaises(TypeError):
            measured(Fake("numjit", right, [], fault))

    def test_engines_take_turns_in_an_order_that_changes(self):
        log = []
        engines = [Fake(name, np.zeros(1), log) for name in "abc"]
        measure.measure(engines, workload(), 0.0)
        rounds = ["".join(log[i:i + 3]) for i in range(len(log) - 21, len(log), 3)]
        self.assertEqual(["".join(sorted(r)) for r in rounds], ["abc"] * 7)
        followed = {pair for r in rounds for pair in zip(r, r[1:])}
        self.assertEqual(len(followed), 6, f"each engine runs after each of the others: {rounds}")

    def test_a_turn_begins_when_threads_of_the_engine_before_sleep(self):
        with mock.patch("measure.running_threads", side_effect=[2, 1, 0]) as count:
            measure.wait_for_quiet(60)
        self.assertEqual(count.call_count, 3)
        with mock.patch("measure.running_threads", return_value=1) as count:
            measure.wait_for_quiet(0.01)
        self.assertGreater(count.call_count, 1)
        before = measure.running_threads()
        busy = threading.Thread(target=hashlib.sha256, args=(bytes(1 << 28),))
        busy.start()
        seen = 0
        while busy.is_alive():
            seen = max(seen, measure.running_threads())
            time.sleep(0.001)
        self.assertGreater(seen, before)

    def test_comparison_of_indices_and_shapes(self):
        w = WORKLOADS[0]
        labels = np.arange(20000)
        self.assertTrue(w.agrees(np.where(labels == 7, 0, labels), labels))
        self.assertFalse(w.agrees(labels + 1, labels))
        self.assertFalse(w.agrees(np.zeros((4, 1)), np.zeros(4)))
        chaotic = Workload("c", "", None, None, mismatch=1e-2)
        self.assertTrue(chaotic.agrees(np.where(labels == 7, 0.5, labels * 1.0), labels * 1.0))
        self.assertFalse(w.agrees(np.where(labels == 7, 0.5, labels * 1.0), labels * 1.0))


class Workloads(unittest.TestCase):
    def test_there_are_enough_and_no_name_twice(self):
        names = [w.name for w in WORKLOADS]
        self.assertGreaterEqual(len({w.call for w in WORKLOADS}), 24)
        self.assertEqual(len(names), len(set(names)))

    def test_every_workload_stands_in_cpp(self):
        text = "".join(p.read_text() for p in (HERE / "lib").glob("*.cpp"))
        for w in WORKLOADS:
            self.assertIn(f'>("{w.call}")', text)

    def test_a_second_call_gives_what_the_first_gave(self):  # or rounds would not do the same work
        for w in WORKLOADS:
            with self.subTest(workload=w.name):
                arrays, function = small_inputs(w), w.form("numpy")
                first = [r.copy() for r in listed(function(np, *arrays))]
                for before, after in zip(first, listed(function(np, *arrays))):
                    np.testing.assert_array_equal(before, after)

    def test_numexpr_and_numpy_compute_the_same(self):
        for peer in [p for p in peers.PEERS if p.name in ("numpy", "numexpr") and p.available()]:
            for w in WORKLOADS:
                small, engine = small_inputs(w), peer(1)
                with self.subTest(peer=peer.name, workload=w.name):
                    if engine.prepare(w, small):
                        engine.run(1)
                        self.assertTrue(w.agrees(engine.result(), w.function(np, *[a.copy() for a in small])))

    @unittest.skipUnless(peers.Numba.available(), "needs Numba: ./dev bench --peers installs it")
    def test_numbas_forms_compute_the_same(self):  # as plain Python: compiling them all takes a minute
        from numba_forms import FORMS
        for w in WORKLOADS:
            if w.call == "normals":  # Numba makes no generators
                continue
            small, form = small_inputs(w), FORMS.get(w.name) or FORMS[w.call]
            with self.subTest(workload=w.name), np.errstate(over="ignore"):
                expected = w.function(np, *[a.copy() for a in small])
                self.assertTrue(w.agrees(listed(form.py_func(*small)), expected))

    def test_distinct_functions_and_their_text_agree(self):
        a, b = np.linspace(0.5, 2, 10), np.linspace(1, 3, 10)
        for i in range(9):
            scope = {"sqrt": np.sqrt, "maximum": np.maximum}
            exec(distinct_source(i), scope)
            np.testing.assert_array_equal(scope["f"](a, b), distinct(np, i, a, b))

    def test_every_eager_operation_has_numpys_counterpart(self):
        text = (HERE / "lib" / "eager_ops.cpp").read_text()
        for name, function, dtypes, shapes in eager.OPS:
            arrays = eager.inputs_of(name, dtypes[-1], shapes[0])
            with self.subTest(op=name):
                np.asarray(function(*arrays))
                base = name.removesuffix("_axis0").removesuffix("_axis1").removeprefix("to_")
                self.assertIn(base, text)

    def test_bytes_that_have_to_move(self):
        heat = next(w for w in WORKLOADS if w.name == "heat")
        u = np.zeros((10, 10))
        self.assertEqual(heat.traffic([u, u], u), 1600)  # the second input is only written


class Run(unittest.TestCase):
    def test_the_json_grows_with_each_workload(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as table:
            options = argparse.Namespace(json=f"{folder}/out.json", explain=False, seconds=0.0)
            right, kept = np.full(4, 2.0), []
            broken = Fake("numjit", right, [], KeyError("later"))
            run.run_workloads(options, [workload()], [Fake("numjit", right, [])], None, ["numjit"], 10, kept)
            with self.assertRaises(KeyError):
                run.run_workloads(options, [workload()], [broken], None, ["numjit"], 10, kept)
            self.assertEqual([e["name"] for e in json.loads(Path(options.json).read_text())], ["twice"])
            self.assertIn("x + x", table.getvalue())


class Report(unittest.TestCase):
    RUN = [MACHINE, entry("first", 1.0, {"numpy": 8.0, "jax": 4.0}), entry("second", 1.0, {"numpy": 3.0, "jax": 1.0}),
           entry("third", 2.0, {"numpy": 1.0}, bound="memory", nbytes=10**7), entry("alone", 1.0, {}),
           entry("start", 1.0, {"numpy": 100.0}, bound="start")]

    def test_ratio_is_to_the_best_peer(self):
        self.assertEqual([(report.best_peer(e), e and report.ratio(e)) for e in self.RUN[1:4]],
                         [("jax", 4.0), ("jax", 1.0), ("numpy", 0.5)])

    def test_mean_is_over_workloads_with_peers(self):
        self.assertEqual([e["name"] for e in report.workloads(self.RUN)], ["first", "second", "third"])
        self.assertAlmostEqual(report.geometric_mean(report.workloads(self.RUN)), 2 ** (1 / 3))

    def test_every_loss_is_named_and_ties_are_none(self):
        self.assertEqual([e["name"] for e in report.losses(self.RUN)], ["third"])
        tie = entry("tie", 1.04, {"numpy": 1.0})
        self.assertEqual(report.losses([tie]), [])
        self.assertIn("- the third: 2 ms, NumPy 1 (0.50)", report.losses_text(self.RUN))

    def test_shortfalls(self):
        texts = {wanted: missed for wanted, missed, _ in report.shortfalls(self.RUN)}
        self.assertEqual(texts["at least 90% of the triad's bandwidth where memory-bound"], ["the third (50%)"])
        self.assertEqual(texts["eager at least at NumPy's speed"], ["the third (0.17x)"])
        self.assertEqual(texts["all threads at least 1.8 times one thread where compute-bound"], [])

    def test_pages_are_written_between_marks(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "docs").mkdir()
            for name in ("docs/performance.md", "README.md"):
                (root / name).write_text(f"before\n{report.MARK}\nold\n{report.MARK}\nafter\n")
            report.write_docs(self.RUN, root)
            text = (root / "docs" / "performance.md").read_text()
            self.assertTrue(text.startswith("before\n") and text.endswith("\nafter\n") and "old" not in text)
            self.assertIn("| the first, ms | 1 | 2 | 3 | 1 | 8 | 4 | 4.00 |", text)
            self.assertIn("| the third | memory | 5.0 | 50% | 2 | 1 | 0.167 |", text)
            self.assertIn("2 threads of A & B (AVX2); NumPy 2.4, JAX 0.1; copy 20.0 GB/s, triad 10.0 GB/s", text)
            self.assertEqual(json.loads((root / "docs" / "bench.json").read_text()), self.RUN)
            xml.etree.ElementTree.parse(root / "docs" / "bench.svg")
        with self.assertRaises(ValueError):
            report.between_marks("no marks", "part")

    def test_plot(self):
        tree = xml.etree.ElementTree.fromstring(plot([("a < b", 4.0, "JAX"), ("c", 0.5, "NumPy")], "title"))
        space = "{http://www.w3.org/2000/svg}"
        bars = tree.findall(space + "rect")
        self.assertEqual([b.get("class") for b in bars], ["more", "less"])
        widths = [float(b.get("width")) for b in bars]
        self.assertAlmostEqual(widths[0], 2 * widths[1], delta=0.3)  # logarithmic: 4 is twice as far from 1 as 1/2
        self.assertIn("a < b", [t.text for t in tree.iter(space + "text")])
        self.assertEqual(ticks(0.4, 12), [0.5, 1, 2, 5, 10])


def gradient_entry(name, numjit, peer, **more):
    results = {"numjit": numjit, "numjit_eager": 2 * numjit, "jax": peer}
    return measure.row(name, "ms", results, title=f"the {name}", bound="grad", cpu=results, first=results,
                       told={"numjit": {"held_bytes": 2**20}, "jax": {"held_bytes": 3 * 2**20}}, **more)


class DerivativesOfNumjit(unittest.TestCase):
    @unittest.skipUnless((PACKAGE / "numjit").is_dir(), "needs the Python package")
    def test_workloads_agree_with_differences(self):
        if str(PACKAGE) not in sys.path:
            sys.path.insert(0, str(PACKAGE))
        compiles = (BUILD / "lib" / "numjit_halide.so").exists()
        engines = [engine(1) for engine in NUMJIT if compiles or engine.name == "numjit_eager"]
        for w in GRADIENTS:
            inputs, found = w.make(np.random.default_rng(3), small=True), {}
            expected = differences.expected(w, inputs)
            for engine in engines:
                with self.subTest(workload=w.name, engine=engine.name):
                    self.assertTrue(engine.prepare(w, inputs))
                    engine.settle()
                    engine.run(1)
                    found[engine.name] = results = engine.result()
                    self.assertEqual(len(results), len(expected))
                    for result, right in zip(results, expected):
                        self.assertTrue(measuring.close(result, right, max(1e-5, w.rtol)))
                    self.assertTrue(differences.agrees(w, inputs, results))
            with self.subTest(workload=w.name):
                bits = {b"".join(r.tobytes() for r in results) for results in found.values()}
                self.assertEqual(len(bits), 1, "eager and compiled have the same bits")


class Loops(unittest.TestCase):
    def test_programs_agree_and_peers_are_told(self):
        sys.path.insert(0, str(PACKAGE))
        import loops
        with mock.patch.object(loops, "WARM_CALLS", 1), mock.patch.object(loops, "PAIRS", 1), \
                mock.patch.object(loops, "seconds_of", lambda call: 0.001), contextlib.redirect_stdout(io.StringIO()) as text:
            entries = loops.run(())
        self.assertEqual(len(entries), 20)
        self.assertEqual([e["name"] for e in entries if not e["agree"]], [])
        self.assertIn("compiled/eager: median 1.00", text.getvalue())

    def test_a_wrong_result_is_found(self):
        sys.path.insert(0, str(PACKAGE))
        import loops
        with mock.patch.object(loops, "WARM_CALLS", 0), mock.patch.object(loops, "PAIRS", 1), \
                mock.patch.object(loops, "seconds_of", lambda call: 0.001):
            self.assertFalse(loops.measured(lambda x: x + (np.__name__ == "numjit"), (np.ones(3),), ())["agree"])


class Latency(unittest.TestCase):
    def test_functions_differ_and_run(self):
        import latency
        sources = [latency.source(i).split(":", 1)[1] for i in range(latency.FUNCTIONS)]
        self.assertEqual(len(set(sources)), latency.FUNCTIONS)
        with tempfile.TemporaryDirectory() as folder:
            taken, expected = latency.one_process("numpy", 1, folder)
            with mock.patch.dict(os.environ):
                os.environ.pop("PYTHONPATH", None)  # a process finds the build by itself
                self.assertAlmostEqual(latency.one_process("eager", 1, folder)[1], expected)
        self.assertGreater(taken, 0)


class DerivativesReported(unittest.TestCase):
    def test_names_are_different_and_results_are_taken_apart(self):
        names = [w.name for w in GRADIENTS]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(flat((1, (2, [3]))), [1, 2, 3])

    def test_differences_find_a_wrong_gradient(self):
        w = next(w for w in GRADIENTS if w.name == "chain")
        inputs = w.make(np.random.default_rng(3), small=True)
        value, *gradient = differences.expected(w, inputs)
        self.assertTrue(differences.agrees(w, inputs, [value, *gradient]))
        self.assertFalse(differences.agrees(w, inputs, [value, 1.001 * gradient[0]]))
        self.assertFalse(differences.agrees(w, inputs, [1.001 * value, *gradient]))

    def test_misses_are_told(self):
        self.assertEqual(measuring.misses(gradient_entry("a", 1.0, 4.0, reach=.3)), [])
        self.assertEqual(measuring.misses(gradient_entry("a", 2.0, 4.0, reach=.3, limit=1)),
                         ["0.50 of the best peer's processor time, asked for 0.3", "over the limit of 1 ms"])

    def test_the_page(self):
        machine = {**MACHINE, "details": {**MACHINE["details"], "versions": {"jax": "0.1"}}}
        tape = measure.row("tape_eager", "ns", {"numjit": 90.0}, title="an operation", bound="tape")
        entries = [machine, gradient_entry("first", 2.0, 4.0, reach=.3), tape]
        with tempfile.TemporaryDirectory() as folder:
            docs = Path(folder) / "docs"
            docs.mkdir()
            (docs / "performance.md").write_text(f"before\n{pages.MARK}\nold\n{pages.MARK}\nafter\n{report.MARK}\n")
            pages.write(entries, Path(folder))
            text = (docs / "performance.md").read_text()
            self.assertTrue(text.startswith("before\n") and text.endswith(f"\nafter\n{report.MARK}\n") and "old" not in text)
            for line in ("| the first, ms | 2 | 4 | 4 | 2.00 |", "| the first, ms | 2 | 4 | 4 | 0.50 | 0.3 |",
                         "- the first: 0.50 of the best peer's processor time, asked for 0.3",
                         "- the first: numjit 1 MiB, JAX 3 MiB", "| an operation, ns | 90 |  |"):
                self.assertIn(line, text)
            xml.etree.ElementTree.parse(docs / "bench_grad.svg")
            self.assertEqual(json.loads((docs / "bench_grad.json").read_text()), entries)


if __name__ == "__main__":
    unittest.main()
