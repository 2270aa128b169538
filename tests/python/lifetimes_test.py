"""What steers compiled functions keeps nothing alive: each kind is made, used and dropped, and what it held is gone."""
import gc
import os
import threading
import unittest
import weakref

from differential import nj


class Held:
    """Something that a function captures."""

    def __init__(self):
        self.y = nj.ones(3)


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def box(held):
    return nj.allow_in_graph(lambda a: a + held.y, lambda spec: spec)


def use_box(held):
    g = box(held)
    g.cycle = g
    f = nj.compile(lambda x: g(x * 2) + 1)
    for _ in range(3):
        assert f(nj.ones(3)).tolist() == [4, 4, 4]


def use_box_of_a_method(held):
    held.method = lambda a: a + held.y
    held.box = nj.allow_in_graph(held.method, lambda spec: spec)
    assert nj.compile(lambda x: held.box(x))(nj.ones(3)).tolist() == [2, 2, 2]


def use_box_made_inside(held):
    @nj.compile
    def f(x):
        return box(held)(x) + box(held)(x)
    for _ in range(3):
        assert f(nj.ones(3)).tolist() == [4, 4, 4]


def use_box_in_replay(held):
    g = box(held)
    f = nj.compile(lambda x: g(x) * 2, mode="replay")
    for _ in range(3):
        assert f(nj.ones(3)).tolist() == [4, 4, 4]


def use_disable(held):
    f = nj.disable(lambda x: x + held.y)
    assert nj.compile(lambda x: f(x) * 2)(nj.ones(3)).tolist() == [4, 4, 4]


def use_constant(held):
    f = nj.assume_constant(lambda: held.y)
    f.held = held
    assert nj.compile(lambda x: x + f())(nj.ones(3)).tolist() == [2, 2, 2]


def use_backend(held):
    def backend(graph):
        held.graph = graph
        return lambda call: held and call.run_op_by_op()
    held.f = nj.compile(lambda x: x + held.y, backend=backend)
    for x in (nj.ones(3), nj.ones(3, dtype="f4")):
        assert held.f(x).tolist() == [2, 2, 2]


def use_compiled(held):
    held.f = nj.compile(lambda x: x + held.y)
    held.f(nj.ones(3))


def use_replay(held):
    f = nj.compile(lambda x: (x + held.y, [1, "text"]), mode="replay")
    for _ in range(3):
        f(nj.ones(3))


def use_method(held):
    class Local:
        @nj.compile
        def call(self, x):
            return x + held.y
    Local().call(nj.ones(3))


def use_wrappers(held):
    for wrap in (nj.run, nj.dont_skip_tracing, nj.error_on_graph_break(False), nj.explain):
        wrap(lambda x: x + held.y)(nj.ones(3))


def use_sink(held):
    nj.set_log_sink(lambda text: held)
    nj.set_log_sink(None)


def use_marks(held):
    nj.mark_static(held.y, 0)
    nj.mark_dynamic(held.y, 0)
    nj.compile(lambda x: x + held.y, dynamic=False)(nj.ones(3))


USES = [value for name, value in list(globals().items()) if name.startswith("use_")]


class Lifetimes(unittest.TestCase):
    def setUp(self):
        nj.reset()
        nj.config.compile = "sync"

    def test_dropped_things_are_freed(self):
        for use in USES:
            held = Held()
            gone, array_gone = weakref.ref(held), weakref.ref(held.y)
            use(held)
            del held
            gc.collect()
            self.assertEqual((gone(), array_gone()), (None, None), use.__name__)

    def test_memory_does_not_grow(self):
        def step(use):
            held = Held()
            held.y, held.much = nj.ones(3), nj.ones(200_000)
            use(held)
            held.much += 1
            del held
            gc.collect()  # some hold each other
        for use in USES:
            for _ in range(3):
                step(use)
            before = resident()
            for _ in range(30):
                step(use)
            self.assertLess(resident() - before, 20 << 20, use.__name__)

    def test_a_box_works_after_reset(self):
        held = Held()
        g = box(held)
        f = nj.compile(lambda x: g(x) * 2)
        for _ in range(3):
            self.assertEqual(f(nj.ones(3)).tolist(), [4, 4, 4])
            nj.reset()

    def test_a_box_dropped_before_its_segment_runs(self):
        @nj.compile
        def f(x):
            y = nj.allow_in_graph(lambda a: a * 3, lambda spec: spec)(x)
            gc.collect()
            return y + 1
        self.assertEqual([f(nj.ones(2)).tolist() for _ in range(3)], [[4, 4]] * 3)

    def test_a_replayed_box_that_the_body_makes(self):
        @nj.compile(mode="replay")
        def f(x):
            return nj.allow_in_graph(lambda a: a * 3, lambda spec: spec)(x) + 1
        self.assertEqual([f(nj.ones(2)).tolist() for _ in range(20)], [[4, 4]] * 20)

    def test_reset_frees_constants(self):
        made = []

        def make():
            made.append(Held())
            return made.pop()
        f = nj.assume_constant(make)
        kept = weakref.ref(f())
        self.assertIsNotNone(kept())
        nj.reset()
        self.assertIsNone(kept())
        self.assertIsInstance(f(), Held)

    def test_reset_frees_what_replay_captured(self):
        y = nj.ones(3)
        f = nj.compile(lambda x: x + box_of[0], mode="replay")
        box_of = [y]
        for _ in range(3):
            f(nj.ones(3))
        kept = weakref.ref(y)
        del box_of[0], y
        nj.reset()
        self.assertIsNone(kept())

    def test_ended_threads_leave_nothing(self):
        f = nj.compile(lambda x, n: sum(((x + i) * (x - i) for i in range(n)), x))

        def work():
            for n in range(2, 60):
                f(nj.ones(50), n)
        for _ in range(5):
            t = threading.Thread(target=work)
            t.start()
            t.join()
        before = resident()
        for _ in range(40):
            t = threading.Thread(target=work)
            t.start()
            t.join()
        self.assertLess(resident() - before, 30 << 20)

    def test_functions_made_for_a_moment(self):
        def call():
            held = Held()
            return nj.compile(lambda x: x + held.y)(nj.ones(3))
        for _ in range(100):
            call()
        gc.collect()
        before = resident()
        for _ in range(3000):
            call()
        gc.collect()
        self.assertLess(resident() - before, 8 << 20)


if __name__ == "__main__":
    unittest.main()
