"""The memory of arrays in tracemalloc, as NumPy's: by the line that made them, eager and compiled, on any thread."""
import tracemalloc
import unittest
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import numjit as nj


class MemoryTrace(unittest.TestCase):
    def setUp(self):
        nj.wait_for_compiles()
        tracemalloc.start(25)
        self.addCleanup(tracemalloc.stop)

    def traced(self, module):
        shots = tracemalloc.take_snapshot().filter_traces([tracemalloc.DomainFilter(True, module.lib.tracemalloc_domain)])
        return [(trace.size, [f.lineno for f in trace.traceback if f.filename == __file__]) for trace in shots.traces]

    def bytes_traced(self, module):
        return sum(size for size, _ in self.traced(module))

    def test_arrays_are_seen_where_they_are_made_and_no_longer_when_they_are_gone(self):
        for module in (np, nj):
            for make in (lambda: module.ones(1000), lambda: module.ones(1000) + 1, lambda: module.zeros((1000, 1000)),
                         lambda: module.arange(1e6) * 2.5, lambda: module.empty(10).repeat(10000), lambda: module.eye(30) @ module.eye(30),
                         lambda: module.array([[1.5] * 100] * 100), lambda: module.linalg.inv(module.eye(200))):
                kept = make()
                line = make.__code__.co_firstlineno
                self.assertEqual(self.bytes_traced(module), kept.nbytes, (module, line))
                for _, lines in self.traced(module):
                    self.assertIn(line, lines)
                del kept
                self.assertEqual(self.traced(module), [])

    def test_peaks_and_sizes_are_numpys(self):
        sizes = []
        for module in (np, nj):
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            a = module.ones(1_000_000)
            b = a + 1
            del a
            sizes.append([(x - before) // 1_000_000 for x in tracemalloc.get_traced_memory()])
            del b
        self.assertEqual(sizes, [[8, 16], [8, 16]])

    def test_results_of_compiled_functions(self):
        f = nj.compile(lambda x: nj.sqrt(x) * 2 + 1)
        x = nj.ones(1_000_000)
        for _ in range(3):
            y = f(x)
            self.assertLess(abs(self.bytes_traced(nj) - x.nbytes - y.nbytes), 1000)  # and the constants of a plan

    def test_threads(self):
        kept = []

        def work():
            for i in range(50):
                a = nj.arange(float(100 + 5000 * i))
                kept.append((a * 2 + 1)[:1])
        with ThreadPoolExecutor(4) as pool:
            for done in [pool.submit(work) for _ in range(4)]:
                done.result()
        self.assertEqual(len(kept), 200)
        self.assertEqual(self.bytes_traced(nj), 4 * sum(8 * (100 + 5000 * i) for i in range(50)))
        kept.clear()
        self.assertEqual(self.traced(nj), [])

    def test_what_began_before_and_ends_after(self):
        old = nj.ones(100_000)
        tracemalloc.stop()
        new = nj.ones(100_000)
        tracemalloc.start()
        del old, new
        self.assertEqual(self.traced(nj), [])


if __name__ == "__main__":
    unittest.main()
