"""The bench itself: rounds alternate, wrong results are found, the JSON has the promised form. No numjit needed."""
import contextlib
import io
import json
import unittest
from pathlib import Path

import numpy as np

import eager
import peers
import run
from workloads import WORKLOADS, Workload, uniform


class Fake:
    """An engine that notes when it runs and gives a chosen result."""

    def __init__(self, name, value, log):
        self.name, self.value, self.log = name, value, log

    def prepare(self, workload, inputs):
        return self.value is not None

    def run(self, repeats):
        self.log.append(self.name)
        return 0.01

    def result(self):
        return self.value


def workload():
    return Workload("twice", "x + x", lambda xp, x: x + x, uniform((1, 1, 4)))


def measured(*engines):
    with contextlib.redirect_stderr(io.StringIO()) as complaints:
        return run.run_workload(workload(), list(engines), np, 0.0), complaints.getvalue()


class Bench(unittest.TestCase):
    def test_agreement(self):
        right, log = np.full(4, 2.0), []
        entry, complaints = measured(Fake("numjit", right, log), Fake("numjit_1t", right, log), Fake("jax", right, log))
        self.assertEqual((entry["agree"], complaints), (True, ""))
        self.assertEqual(json.loads(json.dumps(entry)), {
            "name": "twice", "unit": "ms", "better": "less", "limit": None, "agree": True,
            "results": {"numjit": 10.0, "numjit_1t": 10.0, "jax": 10.0}})

    def test_a_wrong_result_is_found(self):
        right, log = np.full(4, 2.0), []
        entry, complaints = measured(Fake("numjit", right, log), Fake("jax", right + 1e-6, log))
        self.assertFalse(entry["agree"])
        self.assertEqual(complaints, "bench: twice: jax disagrees with NumPy\n")

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

    def test_every_eager_operation_has_numpys_counterpart(self):
        text = (Path(eager.__file__).parent / "lib" / "eager_ops.cpp").read_text()
        for name, function, dtypes, shapes in eager.OPS:
            arrays = eager.inputs_of(name, dtypes[-1], shapes[0])
            with self.subTest(op=name):
                np.asarray(function(*arrays))
                base = name.removesuffix("_axis0").removesuffix("_axis1").removeprefix("to_")
                self.assertIn(base, text)

    def test_who_cannot_compute_it_is_left_out(self):
        right, log = np.full(4, 2.0), []
        entry, _ = measured(Fake("numjit", right, log), Fake("numexpr", None, log))
        self.assertEqual(list(entry["results"]), ["numjit"])

    def test_rounds_alternate(self):
        log = []
        engines = [Fake(name, np.zeros(1), log) for name in "abc"]
        run.measure(engines, workload(), 0.0)
        rounds = ["".join(log[i:i + 3]) for i in range(len(log) - 21, len(log), 3)]
        self.assertEqual(rounds, ["abc", "bca", "cab", "abc", "bca", "cab", "abc"])

    def test_comparison_of_indices_and_shapes(self):
        w = WORKLOADS[0]
        labels = np.arange(20000)
        self.assertTrue(w.agrees(np.where(labels == 7, 0, labels), labels))
        self.assertFalse(w.agrees(labels + 1, labels))
        self.assertFalse(w.agrees(np.zeros((4, 1)), np.zeros(4)))

    def test_numexpr_and_numpy_compute_the_same(self):
        for peer in [p for p in peers.PEERS if p.name in ("numpy", "numexpr") and p.available()]:
            for w in WORKLOADS:
                small = [a[tuple(slice(0, 40) for _ in a.shape)] for a in w.make(np.random.default_rng(3))]
                engine = peer(1)
                with self.subTest(peer=peer.name, workload=w.name):
                    self.assertTrue(engine.prepare(w, small))
                    engine.run(1)
                    self.assertTrue(w.agrees(engine.result(), w.function(np, *[a.copy() for a in small])))


if __name__ == "__main__":
    unittest.main()
