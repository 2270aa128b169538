"""Memory that others see is never stale in a compiled function: stores to it and reads of it happen at their line."""
import array
import ctypes
import inspect
import json
import os
import tempfile
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import shared_memory

import numpy as np

from differential import values  # puts the built module on the path

import numjit as nj


class Interface:
    """Shows an array by __array_interface__ alone."""

    def __init__(self, x):
        self.kept, self.__array_interface__ = x, x.__array_interface__


def show_by_pointer(x):
    pointer = x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    return x, np.ctypeslib.as_array(pointer, x.shape)


def on_shared_memory(a):
    block = shared_memory.SharedMemory(create=True, size=max(a.nbytes, 1))
    n = np.ndarray(a.shape, a.dtype, buffer=block.buf)
    n[...] = a
    block.unlink()
    return nj.asarray(n), (n, block)


def on_view_of(a):
    whole = np.zeros((2, *a.shape), a.dtype)
    whole[1] = a
    return nj.asarray(whole[1]), whole[1]


def on_list_of_bytes(a):
    memory = bytearray(a.tobytes())
    return nj.frombuffer(memory, a.dtype).reshape(a.shape), np.frombuffer(memory, a.dtype).reshape(a.shape)


def on_python_array(a):
    memory = array.array("d", a.ravel())
    return nj.asarray(memory), np.frombuffer(memory, a.dtype)


def on_file(a):
    with tempfile.NamedTemporaryFile(delete=False) as f:
        f.write(a.tobytes())
    mine = nj.memmap(f.name, a.dtype, "r+", shape=a.shape)
    theirs = np.memmap(f.name, a.dtype, "r+", shape=a.shape)
    os.unlink(f.name)
    return mine, theirs


def made(view):
    """An array of numjit's own, and somebody's view of it."""
    def make(a):
        x = nj.array(a)
        return x, view(x)
    return make


# By name: an array and another way to see its memory.
WAYS = {
    "numpy.asarray": made(np.asarray),
    "memoryview": made(lambda x: np.asarray(memoryview(x))),
    "DLPack": made(np.from_dlpack),
    "__array__": made(lambda x: x.__array__()),
    "__array_interface__": made(lambda x: np.asarray(Interface(x))),
    "ctypes": made(lambda x: show_by_pointer(x)[1]),
    "part of it": made(lambda x: np.asarray(x[:])),
    "data": made(lambda x: np.asarray(x.data)),
    "NumPy's array": lambda a: (lambda n: (nj.asarray(n), n))(a.copy()),
    "a view's base": on_view_of,
    "NumPy by DLPack": lambda a: (lambda n: (nj.from_dlpack(n), n))(a.copy()),
    "bytearray": on_list_of_bytes,
    "array.array": on_python_array,
    "file": on_file,
    "shared memory": on_shared_memory,
}


def view_of(other):
    return other[0] if isinstance(other, tuple) else other


def after_store(store):
    def body(x, n):
        store(x)
        return n.tolist()
    return body


def before_poke(read):
    def body(x, n):
        y = read(x)
        n[0] = 100.0
        return np.asarray(y + 0).tolist(), n.tolist()
    return body


STORES = [
    after_store(lambda x: x.__iadd__(1)),
    after_store(lambda x: x.__setitem__(1, 7.0)),
    after_store(lambda x: x.__setitem__(slice(1, 3), x[2:4] * 2)),
    after_store(lambda x: x.__setitem__(x > 2, 0.0)),
    after_store(lambda x: x[::2].__imul__(3)),
    after_store(lambda x: x.sort()),
    after_store(lambda x: x.fill(4.0)),
    after_store(lambda x: nj.add(x, 1, out=x)),
    after_store(lambda x: nj.sqrt(x, out=x, where=x > 1)),
    after_store(lambda x: nj.copyto(x, x[::-1])),
    after_store(lambda x: nj.put(x, [0, 2], [5.0, 6.0])),
    after_store(lambda x: nj.add.at(x, nj.array([1, 1]), 2.0)),
    after_store(lambda x: nj.random.default_rng(1).random(out=x)),
]
READS = [
    before_poke(lambda x: x * 2),
    before_poke(lambda x: x.sum()),
    before_poke(lambda x: x[1:] - x[:-1]),
    before_poke(lambda x: nj.where(x > 1, x, -x)),
    before_poke(lambda x: x[x < 50]),
    before_poke(lambda x: nj.take(x, [0, 1])),
    before_poke(lambda x: x.astype(nj.float32)),
    before_poke(lambda x: x.copy()),
    before_poke(lambda x: nj.cumsum(x)),
    before_poke(lambda x: x @ x),
    before_poke(lambda x: nj.concatenate([x, x])),
    before_poke(lambda x: nj.sort(x)),
    before_poke(lambda x: x.reshape(2, -1).T.ravel()),
]


class Views(unittest.TestCase):
    def setUp(self):
        nj.reset()

    def check(self, body, way, label):
        start = np.array([0.0, 3.0, 1.0, 2.0, 5.0, 4.0])
        x, other = WAYS[way](start)
        expected = body(x, view_of(other))
        compiled = nj.compile(body)
        for call in range(3):
            x, other = WAYS[way](start)
            self.assertEqual(compiled(x, view_of(other)), expected, f"{label}, {way}, call {call}")

    def test_stores_are_seen(self):
        for way in WAYS:
            for i, body in enumerate(STORES):
                self.check(body, way, f"store {i}")

    def test_reads_come_before_what_others_store_later(self):
        for way in WAYS:
            for i, body in enumerate(READS):
                self.check(body, way, f"read {i}")

    def test_numpy_operands(self):
        n = np.arange(3.0)

        @nj.compile
        def f(x):
            y = x + n
            n[0] = 50.0
            return y + 0
        for call in range(3):
            n[0] = 0.0
            self.assertEqual(f(nj.ones(3)).tolist(), [1.0, 2.0, 3.0], call)

    def test_captured_and_global_arrays(self):
        n = np.zeros(3)
        x = nj.asarray(n)

        @nj.compile
        def f(y):
            nonlocal x
            x += y
            return float(n.sum())
        self.assertEqual([f(nj.ones(3)) for _ in range(3)], [3.0, 6.0, 9.0])

    def test_views_taken_inside(self):
        @nj.compile
        def f(x):
            m = memoryview(x)
            x += 1
            first = m[0]
            y = x * 2
            v = np.asarray(y)
            y -= 1
            return first, v.tolist()
        for _ in range(3):
            self.assertEqual(f(nj.ones(2)), (2.0, [3.0, 3.0]))

    def test_all_dtypes(self):
        for dtype in "bool int8 uint16 int32 uint64 float16 float32 complex64 complex128".split():
            a = values(dtype, (4,))
            x = nj.array(a)
            n = np.asarray(x)

            @nj.compile
            def f(x):
                x[1:] = x[:-1]
                return n.tolist()
            a[1:] = a[:-1].copy()
            self.assertEqual(f(x), a.tolist(), dtype)

    def test_a_file_that_is_read_while_another_map_writes_it(self):
        with tempfile.NamedTemporaryFile() as f:
            np.zeros(3).tofile(f.name)
            writes = nj.memmap(f.name, nj.float64, "r+", shape=(3,))
            reads = nj.memmap(f.name, nj.float64, "r", shape=(3,))

            @nj.compile
            def g(w, r):
                w[0] = 5.0
                y = r * 2
                w[0] = 6.0
                return y.tolist(), np.fromfile(f.name).tolist()
            for _ in range(3):
                self.assertEqual(g(writes, reads), ([10.0, 0.0, 0.0], [6.0, 0.0, 0.0]))


class Counting(unittest.TestCase):
    """What is not shown is fused as ever."""

    def setUp(self):
        nj.reset()
        nj.config.compile = "sync"

    def graphs(self, x):
        def step(x):
            x += 1
            x *= 2
            return x.sum()
        return nj.explain(step)(x).graph_count

    def test_views_count_while_they_live(self):
        x = nj.arange(6.0)
        self.assertEqual(self.graphs(x), 1)
        for view in (memoryview, np.asarray, np.from_dlpack, lambda x: memoryview(x[2:]), lambda x: [memoryview(x), np.asarray(x)]):
            held = view(x)
            self.assertGreater(self.graphs(x), 1)
            del held
            self.assertEqual(self.graphs(x), 1)

    def test_foreign_memory_counts_while_others_have_it(self):
        n = np.arange(6.0)
        x = nj.asarray(n)
        self.assertGreater(self.graphs(x), 1)
        del n
        self.assertEqual(self.graphs(x), 1)
        self.assertEqual(self.graphs(nj.asarray(np.arange(6.0))), 1)
        whole = np.zeros((2, 6))
        x = nj.asarray(whole[1])
        self.assertGreater(self.graphs(x), 1)
        del whole
        self.assertEqual(self.graphs(x), 1)

    def test_for_good(self):
        for show in (lambda x: x.__array_interface__, lambda x: x.ctypes, nj.share):
            x = nj.arange(6.0)
            show(x)
            self.assertGreater(self.graphs(x), 1)
            self.assertEqual(self.graphs(x.copy()), 1)

    def test_internal_uses_do_not_show(self):
        x = nj.arange(6.0)
        nj.lib.array_utils.byte_bounds(x)
        nj.shares_memory(x, x)
        x.tobytes(), x.tolist(), str(x), np.sin(x), x.flags
        self.assertEqual(self.graphs(x), 1)

    def test_memory_that_nobody_writes(self):
        def f(x):
            return ((x + 1) * 2).sum()
        for x in (nj.frombuffer(np.arange(6.0).tobytes(), nj.float64), nj.asarray(np.frombuffer(np.arange(6.0).tobytes()))):
            self.assertEqual(nj.explain(f)(x).graph_count, 1)

    def test_private_maps(self):
        with tempfile.NamedTemporaryFile() as f:
            np.zeros(6).tofile(f.name)
            self.assertEqual(self.graphs(nj.memmap(f.name, nj.float64, "c", shape=(6,))), 1)
            self.assertGreater(self.graphs(nj.memmap(f.name, nj.float64, "r+", shape=(6,))), 1)

    def test_share_refuses_what_is_no_array(self):
        with self.assertRaises(TypeError) as caught:
            nj.share([1.0])
        self.assertEqual(str(caught.exception), "[share] expected an array, got an object of type 'list'.")

    def test_explain_names_who_shows_it(self):
        x = nj.arange(3.0)
        view = memoryview(x)  # here
        shown_at = inspect.currentframe().f_lineno - 1

        def f(x):
            x += 1  # and there
            return x.sum()
        report = nj.explain(f)(x)
        self.assertEqual(view[0], 1.0)
        self.assertEqual((report.graph_break_count, report.cuts), (0, len(report.cut_reasons)))
        reason = report.cut_reasons[0]
        self.assertEqual(os.path.basename(reason.file), "shown_memory_test.py")
        self.assertTrue(reason.reason.startswith("shown by memoryview or NumPy at "), reason.reason)
        self.assertTrue(reason.reason.endswith(f"shown_memory_test.py:{shown_at}: runs at its line"), reason.reason)
        self.assertIn("cuts, which are not graph breaks", str(report))
        self.assertIn(reason.reason, str(report))
        self.assertEqual(json.loads(report.json())["cut_reasons"][0]["reason"], reason.reason)

    def test_cuts_are_no_breaks(self):
        x = nj.arange(3.0)
        view = np.asarray(x)
        lines = []
        nj.set_log_sink(lines.append)
        nj.set_logs(graph_breaks=True)
        try:
            @nj.compile(fullgraph=True)
            def f(x):
                x += 1
                return x * 2
            with nj.budget(max_breaks=0), nj.error_on_graph_break(True):
                self.assertEqual(f(x).tolist(), [2.0, 4.0, 6.0])
        finally:
            nj.set_logs()
            nj.set_log_sink(None)
        self.assertEqual((lines, view.tolist()), ([], [1.0, 2.0, 3.0]))

    def test_replay_promises_array_work_only(self):
        runs = []

        @nj.compile(mode="replay")
        def f(x):
            runs.append(1)
            x += 1
            return x * 2
        x = nj.zeros(3)
        for call in range(4):
            if call == 2:
                view = np.asarray(x)
            self.assertEqual(f(x).tolist(), [2.0 * (call + 1)] * 3)
        self.assertEqual((view.tolist(), len(runs)), ([4.0] * 3, 1))


class Threads(unittest.TestCase):
    def setUp(self):
        nj.reset()

    def check(self, body, *starts):
        expected = body(*[nj.array(a) for a in starts])
        compiled = nj.compile(body)
        for call in range(3):
            self.assertEqual(compiled(*[nj.array(a) for a in starts]), expected, call)

    @staticmethod
    def elsewhere(function):
        with ThreadPoolExecutor(1) as ex:
            return ex.submit(function).result(60)

    def test_workers_read_what_was_stored(self):
        def body(x):
            x += 1
            with ThreadPoolExecutor(2) as ex:
                return sum(ex.map(lambda i: float(x[i]), range(3)))
        self.check(body, np.ones(3))

    def test_many_ways_to_read(self):
        looks = [lambda x: x.tolist(), lambda x: float(x.sum()), lambda x: np.asarray(x).tolist(), lambda x: list(memoryview(x)),
                 lambda x: x.item(0), lambda x: [float(v) for v in x], lambda x: (x * 2).tolist(), lambda x: str(x),
                 lambda x: x[1:].tolist(), lambda x: x[x > 1].tolist(), lambda x: nj.sort(x).tolist(), lambda x: bool(x.any()),
                 lambda x: nj.dot(x, x).item(), lambda x: x.tobytes(), lambda x: nj.unique(x).tolist(), lambda x: x[[0, 1]].tolist(),
                 lambda x: nj.concatenate([x, x]).tolist(), lambda x: nj.count_nonzero(x).item(), lambda x: nj.max(x).item(),
                 lambda x: nj.compile(lambda v: (v + 1).sum())(x).item(), lambda x: np.from_dlpack(x).tolist(), lambda x: x.max().item()]
        for i, look in enumerate(looks):
            def stored(x):
                x += 1
                return self.elsewhere(lambda: look(x))

            def pending(x):
                y = x + 1
                return self.elsewhere(lambda: look(y))
            with self.subTest(look=i):
                self.check(stored, np.array([3.0, 0.0, 2.0]))
                self.check(pending, np.array([3.0, 0.0, 2.0]))

    def test_workers_store(self):
        stores = [lambda x: x.__iadd__(1), lambda x: x.__setitem__(0, 9.0), lambda x: x.__setitem__(slice(None), 4.0), lambda x: x.fill(3.0),
                  lambda x: x.sort(), lambda x: nj.copyto(x, 8.0), lambda x: np.asarray(x).__setitem__(1, 7.0),
                  lambda x: nj.compile(lambda v: v.__iadd__(1))(x), lambda x: x.__setitem__(x > 1, 0.0), lambda x: nj.add(x, 2, out=x)]
        for i, store in enumerate(stores):
            def body(x):
                y = x * 2          # before the worker stores
                x += 1
                self.elsewhere(lambda: store(x))
                z = x * 3          # after
                return y.tolist(), z.tolist(), x.tolist()
            with self.subTest(store=i):
                self.check(body, np.array([3.0, 0.0, 2.0]))

    def test_results_go_on_being_used(self):
        def body(x):
            y = nj.sqrt(x) + 1
            total = self.elsewhere(lambda: float(y.sum()))
            return (y * total).tolist(), self.elsewhere(lambda: (y - x).tolist())
        self.check(body, np.arange(5.0))

    def test_large_arrays(self):
        def body(x):
            y = x * 2
            x += 1
            with ThreadPoolExecutor(3) as ex:
                parts = list(ex.map(lambda k: float((x[k::3] + y[k::3]).sum()), range(3)))
            return parts, float(y.sum())
        self.check(body, np.arange(200_000.0))

    def test_an_error_belongs_to_the_call(self):
        @nj.compile
        def f(x, i):
            y = nj.take(x, i)
            z = x + 1
            self.elsewhere(lambda: z.tolist())
            return y
        for _ in range(2):
            with self.assertRaises(IndexError):
                f(nj.arange(3.0), nj.array([7]))
        self.assertEqual(f.function(nj.arange(3.0), nj.array([2])).tolist(), [2.0])

    def test_calls_on_several_threads(self):
        shared = nj.arange(1000.0)

        @nj.compile
        def f(k):
            y = shared * k
            return float((y + 1).sum())
        expected = [f.function(float(k)) for k in range(8)]
        with ThreadPoolExecutor(8) as ex:
            for _ in range(10):
                self.assertEqual(list(ex.map(f, map(float, range(8)))), expected)

    def test_lazies_may_go_on_other_threads(self):
        done = threading.Barrier(2, timeout=60)

        @nj.compile
        def f(x):
            held = [x * k for k in range(50)]

            def drop():
                done.wait()
                while held:
                    held.pop()
            t = threading.Thread(target=drop)
            t.start()
            done.wait()
            total = sum(float((x + k).sum()) for k in range(50))
            t.join()
            return total
        x = nj.arange(100_000.0)
        for _ in range(5):
            self.assertEqual(f(x), f.function(x))


if __name__ == "__main__":
    unittest.main()
