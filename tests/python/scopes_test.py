"""Scopes in tasks, generators, threads and contexts: each context sees what it has set, in whatever order scopes end."""
import asyncio
import contextvars
import functools
import gc
import threading
import unittest

import numpy

import numjit as nj


def error_on_break():
    """Is a graph break an error here?"""
    try:
        nj.compile(lambda x: x + 1 if x.sum() > 0 else x)(nj.ones(2))
    except nj.GraphBreakError:
        return True
    return False


def stance():
    """Does the stance forbid new graphs here?"""
    try:
        nj.compile(eval("lambda x: x * 2"))(nj.ones(2))  # of one code, whose graph exists, no second one would be new
    except nj.RecompileError:
        return "fail_on_recompile"
    return "default"


def over_budget():
    try:
        nj.compile(lambda x: x + 1 if x.sum() > 0 else x)(nj.ones(2))
    except nj.GraphBreakError:
        return True
    return False


def is_eager():
    seen = []
    nj.compile(lambda x: seen.append(nj.is_compiling()) or x + 1)(nj.ones(2))
    return not seen[0]


def precision():
    return repr(nj.array([1 / 3]))


# Per kind: how scopes are made, how what they set is seen; what is seen with the first, the second, and none of them.
KINDS = {
    "config": (lambda: nj.config_scope(threads=3), lambda: nj.config_scope(threads=5), lambda: nj.config.threads, 3, 5),
    "errstate": (lambda: nj.errstate(divide="raise"), lambda: nj.errstate(divide="warn"), lambda: nj.geterr()["divide"], "raise", "warn"),
    "stance": (lambda: nj.stance_scope("fail_on_recompile"), lambda: nj.stance_scope("default"), stance, "fail_on_recompile", "default"),
    "breaks": (lambda: nj.error_on_graph_break(True), lambda: nj.error_on_graph_break(False), error_on_break, True, False),
    "printing": (lambda: nj.printoptions(precision=2), lambda: nj.printoptions(precision=4), precision, "array([0.33])", "array([0.3333])"),
    "numpy's printing": (lambda: nj.printoptions(floatmode="fixed", precision=2, sign="-"), lambda: nj.printoptions(sign="+", precision=2),
                         precision, "array([0.33])", "array([+0.33])"),
    "budget": (lambda: nj.budget(max_breaks=0), lambda: nj.budget(max_breaks=9), over_budget, True, False),
    "disable": (nj.disable_scope, lambda: nj.disable_scope(recursive=False), is_eager, True, False),
}


def generator(scope, see):
    with scope:
        while True:
            yield see()


def each_kind(test):
    """The test for each kind of scope; afterwards nothing is set."""
    @functools.wraps(test)
    def run(self):
        for kind, (first, second, see, with_first, with_second) in KINDS.items():
            with self.subTest(kind):
                test(self, first, second, see, with_first, with_second, NONE[kind])
                self.assertEqual(see(), NONE[kind])
    return run


NONE = {kind: see() for kind, (_, _, see, _, _) in KINDS.items()}


class Orders(unittest.TestCase):
    def setUp(self):
        nj.reset()

    @each_kind
    def test_generators_ended_in_the_order_they_began(self, first, second, see, with_first, with_second, none):
        a, b = generator(first(), see), generator(second(), see)
        self.assertEqual(next(a), with_first)
        next(b)
        a.close()
        self.assertEqual(see(), with_second)
        b.close()

    @each_kind
    def test_generators_ended_in_the_other_order(self, first, second, see, with_first, with_second, none):
        a, b = generator(first(), see), generator(second(), see)
        next(a), next(b)
        b.close()
        self.assertEqual(see(), with_first)
        a.close()

    @each_kind
    def test_one_of_three_ended_in_the_middle(self, first, second, see, with_first, with_second, none):
        a, b, c = (generator(make(), see) for make in (second, first, second))
        next(a), next(b), next(c)
        b.close()
        self.assertEqual(see(), with_second)
        a.close()
        self.assertEqual(see(), with_second)
        c.close()

    @each_kind
    def test_generators_left_to_the_collector(self, first, second, see, with_first, with_second, none):
        a, b = generator(first(), see), generator(second(), see)
        next(a), next(b)
        cycle = [a]
        cycle.append(cycle)
        del a, cycle
        gc.collect()
        self.assertEqual(see(), with_second)
        del b
        gc.collect()

    @each_kind
    def test_a_generator_closed_on_another_thread(self, first, second, see, with_first, with_second, none):
        a = generator(first(), see)
        next(a)
        seen = []
        worker = threading.Thread(target=lambda: (seen.append(see()), a.close(), seen.append(see())))
        worker.start()
        worker.join()
        self.assertEqual(seen, [none] * 2)

    @each_kind
    def test_a_scope_that_outlives_its_thread(self, first, second, see, with_first, with_second, none):
        kept = []

        def work():
            kept.append(generator(first(), see))
            self.assertEqual(next(kept[0]), with_first)
        worker = threading.Thread(target=work)
        worker.start()
        worker.join()
        self.assertEqual(see(), none)
        kept.pop().close()

    @each_kind
    def test_an_exception_ends_what_it_leaves(self, first, second, see, with_first, with_second, none):
        a = generator(first(), see)
        next(a)
        with self.assertRaises(ZeroDivisionError), second():
            with first():
                a.throw(ZeroDivisionError)

    @each_kind
    def test_reset_between(self, first, second, see, with_first, with_second, none):
        a, b = generator(second(), see), generator(first(), see)
        next(a), next(b)
        nj.reset()
        self.assertEqual(see(), with_first)
        a.close()
        nj.reset()
        self.assertEqual(see(), with_first)
        b.close()

    @each_kind
    def test_a_scope_object_that_is_dropped(self, first, second, see, with_first, with_second, none):
        scope = first()
        scope.__enter__()
        self.assertEqual(see(), with_first)
        del scope
        gc.collect()

    def test_kinds_among_each_other(self):
        open_generators = [generator(row[0](), row[2]) for row in KINDS.values() if row[3] != "fail_on_recompile"]
        for g in open_generators:
            try:
                next(g)
            except nj.GraphBreakError:
                pass
        for g in open_generators:
            g.close()
        for kind, (_, _, see, _, _) in KINDS.items():
            self.assertEqual(see(), NONE[kind], kind)

    def test_the_example_that_crashed(self):
        def g():
            with nj.budget(max_breaks=3):
                yield
        a, b = g(), g()
        next(a), next(b)
        a.close()
        b.close()
        result = nj.compile(lambda x: x + 1 if x.sum() > 0 else x)(nj.ones(2))
        self.assertEqual(result.tolist(), [2, 2])


class Contexts(unittest.TestCase):
    def setUp(self):
        nj.reset()

    @each_kind
    def test_interleaved_tasks(self, first, second, see, with_first, with_second, none):
        seen = []

        async def task(wait, make):
            await asyncio.sleep(wait)
            with make():
                await asyncio.sleep(0.02)
                seen.append(see())
            seen.append(see())

        async def main():
            await asyncio.gather(task(0, first), task(0.01, second))
        asyncio.run(main())
        self.assertEqual(seen, [with_first, none, with_second, none])

    @each_kind
    def test_a_task_has_what_was_set_where_it_was_made(self, first, second, see, with_first, with_second, none):
        async def child():
            before = see()
            with second():
                await asyncio.sleep(0)
                return before, see()

        async def main():
            with first():
                task = asyncio.create_task(child())
                await asyncio.sleep(0)
                self.assertEqual(see(), with_first)
                both = await task
                self.assertEqual(see(), with_first)
            return both
        # The stricter of two budgets holds, and of two disables the one that leaves nothing.
        self.assertEqual(asyncio.run(main()), (with_first, with_second if with_first not in (True,) or see is error_on_break else with_first))

    @each_kind
    def test_run_in_another_context(self, first, second, see, with_first, with_second, none):
        empty = contextvars.copy_context()
        scope = first()
        with scope:
            full = contextvars.copy_context()
            self.assertEqual(empty.run(see), none)
            self.assertEqual(see(), with_first)
            self.assertEqual(full.run(see), with_first)

    @each_kind
    def test_ended_in_another_context(self, first, second, see, with_first, with_second, none):
        empty = contextvars.copy_context()
        a = generator(first(), see)
        next(a)
        empty.run(a.close)

    @each_kind
    def test_begun_in_another_context(self, first, second, see, with_first, with_second, none):
        other = contextvars.copy_context()
        a = generator(first(), see)
        self.assertEqual(other.run(next, a), with_first)
        self.assertEqual(see(), none)
        self.assertEqual(other.run(see), with_first)
        a.close()
        self.assertEqual(other.run(see), none)

    @each_kind
    def test_a_context_that_is_gone(self, first, second, see, with_first, with_second, none):
        scope = first()
        contextvars.copy_context().run(scope.__enter__)
        self.assertEqual(see(), none)

    @each_kind
    def test_threads_have_their_own(self, first, second, see, with_first, with_second, none):
        barrier = threading.Barrier(2, timeout=20)
        seen = {}

        def work(name, make):
            with make():
                barrier.wait()
                seen[name] = see()
                barrier.wait()
            seen[name + " after"] = see()
        threads = [threading.Thread(target=work, args=a) for a in (("a", first), ("b", second))]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        none = none
        self.assertEqual(seen, {"a": with_first, "b": with_second, "a after": none, "b after": none})

    def test_threads_that_take_a_context_along(self):
        for kind in ("config", "errstate", "stance", "breaks", "printing"):
            first, _, see, with_first, _ = KINDS[kind]
            with self.subTest(kind), first():
                seen = []
                worker = threading.Thread(target=contextvars.copy_context().run, args=(lambda: seen.append(see()),))
                worker.start()
                worker.join()
                self.assertEqual(seen, [with_first])

    def test_inside_a_compiled_function(self):
        other = contextvars.copy_context()
        scope = nj.errstate(divide="raise")
        other.run(scope.__enter__)

        @nj.compile
        def f(x):
            x += 1
            try:
                other.run(lambda: x / 0)
            except FloatingPointError:
                x += 10
            return x * 2 / 0.0
        for _ in range(3):
            self.assertEqual(f(nj.ones(2)).tolist(), [float("inf")] * 2)
            x = nj.ones(2)
            f(x)
            self.assertEqual(x.tolist(), [12, 12])
        other.run(scope.__exit__, None, None, None)

    @each_kind
    def test_nothing_is_looked_up_where_no_scope_is_open(self, first, second, see, with_first, with_second, none):
        before = nj._core.scopes_set()
        with first():
            a = generator(second(), see)
            next(a)
        a.close()
        nj.ones(2) + 1
        self.assertEqual(nj._core.scopes_set(), before)


class WithNumPy(unittest.TestCase):
    """The same program over both modules."""

    def both(self, program):
        with numpy.errstate(all="ignore"):
            expected = program(numpy)
        self.assertEqual(program(nj), expected)
        self.assertEqual(nj.geterr()["divide"], "ignore")

    def test_tasks(self):
        def program(np):
            log = []

            async def t(wait, how):
                await asyncio.sleep(wait)
                with np.errstate(divide=how):
                    await asyncio.sleep(0.02)
                    log.append(np.geterr())

            async def main():
                await asyncio.gather(t(0, "raise"), t(0.01, "ignore"))
            asyncio.run(main())
            return log, np.geterr()
        self.both(program)

    def test_seterr_inside_errstate_inside_a_task(self):
        def program(np):
            log = []

            async def t(how):
                with np.errstate(over="raise"):
                    log.append(np.seterr(divide=how))
                    await asyncio.sleep(0.01)
                    np.seterr(invalid="raise")
                    log.append(np.geterr())
                log.append(np.geterr())

            async def main():
                await asyncio.gather(t("raise"), t("ignore"))
                np.seterr(divide="warn")
                log.append(np.geterr())
            asyncio.run(main())
            return log, np.geterr()
        self.both(program)

    def test_nested_and_merged(self):
        def program(np):
            log = []
            with np.errstate(divide="raise"):
                with np.errstate(over="raise", all=None):
                    log.append(np.geterr())
                    np.seterr(all="warn")
                    with np.errstate(under="ignore"):
                        log.append(np.geterr())
                    log.append(np.geterr())
                log.append(np.geterr())
            old = np.seterr(divide="raise")
            log.append(np.geterr())
            np.seterr(**old)
            return log, np.geterr()
        self.both(program)

    def test_as_a_decorator(self):
        def program(np):
            @np.errstate(divide="raise")
            def f(n):
                seen = [np.geterr()["divide"]]
                np.seterr(divide="ignore")
                return seen + (f(n - 1) if n else []) + [np.geterr()["divide"]]
            return f(2), np.geterr()
        self.both(program)

    def test_entered_twice(self):
        for np in (numpy, nj):
            scope = np.errstate(divide="raise")
            with scope, self.assertRaisesRegex(TypeError, "^Cannot enter `np.errstate` twice.$"):
                scope.__enter__()
            with self.assertRaisesRegex(TypeError, "^Cannot enter `np.errstate` twice.$"):
                scope.__enter__()

    def test_a_child_keeps_what_its_parent_ended(self):
        def program(np):
            async def child():
                await asyncio.sleep(0.01)
                return np.geterr(), repr(np.array([1 / 3]))

            async def main():
                with np.errstate(divide="raise"), np.printoptions(precision=3):
                    task = asyncio.create_task(child())
                return await task
            return asyncio.run(main()), np.geterr(), repr(np.array([1 / 3]))
        self.both(program)

    def test_what_is_set_on_a_thread_stays_there(self):
        def program(np):
            seen = []

            def work():
                np.seterr(divide="raise")
                np.set_printoptions(precision=2)
                seen.extend([np.geterr()["divide"], repr(np.array([1 / 3]))])
            worker = threading.Thread(target=work)
            worker.start()
            worker.join()
            return seen, np.geterr()["divide"], repr(np.array([1 / 3]))
        self.both(program)

    def test_printing_in_threads(self):
        def program(np):
            barrier, seen = threading.Barrier(4, timeout=20), {}

            def work(p):
                with np.printoptions(precision=p, suppress=bool(p % 2)):
                    barrier.wait()
                    seen[p] = str(np.array([2 / 3, 1e-6])), np.get_printoptions()["precision"]
                    barrier.wait()
            threads = [threading.Thread(target=work, args=(p,)) for p in (1, 2, 3, 4)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            return seen, str(np.array([2 / 3]))
        self.both(program)

    def test_print_options_nest(self):
        def program(np):
            x, log = np.array([1 / 3, -2.0]), []
            with np.printoptions(precision=3, formatter={"float": lambda v: f"<{v:.1f}>"}) as options:
                log.append((str(x), options["precision"]))
                with np.printoptions(sign="+"):
                    log.append((str(x), repr(x)))
                    np.set_printoptions(precision=5)
                    log.append((str(x), np.get_printoptions()["precision"]))
                log.append(str(x))
            with np.printoptions(nanstr="?", infstr="oo"):
                log.append(str(np.array([np.nan, np.inf])))

            @np.printoptions(precision=2)
            def f():
                return str(x)
            log += [f(), f(), str(x), np.array2string(x, precision=1)]
            np.set_printoptions(precision=4)
            log.append(str(x))
            np.set_printoptions(linewidth=10)
            log.append(str(x))
            np.set_printoptions(precision=8, linewidth=75)
            return log, str(x)
        self.both(program)

    def test_generators_leave_nothing_behind(self):
        # NumPy's values depend on the order of ends here; ours are those of the scopes that are open.
        def g(how):
            with nj.errstate(divide=how):
                yield
        a, b = g("raise"), g("warn")
        next(a), next(b)
        a.close()
        self.assertEqual(nj.geterr()["divide"], "warn")
        b.close()
        self.assertEqual(nj.geterr()["divide"], "ignore")


class Errors(unittest.TestCase):
    def test_open_already(self):
        scope = nj.config_scope(threads=2)
        with scope, self.assertRaisesRegex(ValueError, "^the scope is open already.$"):
            scope.__enter__()
        with scope:
            self.assertEqual(nj.config.threads, 2)
        options = nj.printoptions(precision=2)
        with options, self.assertRaisesRegex(ValueError, "^printoptions: the scope is open already.$"):
            options.__enter__()
        with nj.error_on_graph_break(True) as again, again:
            self.assertTrue(error_on_break())

    def test_a_scope_that_cannot_open_leaves_nothing(self):
        before = nj._core.scopes_set()
        with self.assertRaises(ValueError):
            nj.device("no device").__enter__()
        with self.assertRaises(ValueError):
            nj.config_scope(threads=-1).__enter__()
        self.assertEqual(nj._core.scopes_set(), before)

    def test_left_open_at_the_end_of_a_compiled_function(self):
        kept = []

        @nj.compile
        def f(x):
            kept.append(generator(nj.disable_scope(), lambda: 0))
            next(kept[0])
            return x + 1
        with self.assertRaisesRegex(ValueError, r"a scope that was opened inside the compiled function is still open at its end"):
            f(nj.ones(2))
        kept.pop().close()
        self.assertFalse(is_eager())


if __name__ == "__main__":
    unittest.main()
