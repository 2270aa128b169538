"""Errors that depend on values: at their line and in their order, compiled as eagerly, with NumPy's eager code as oracle."""
import contextlib
import inspect
import os
import tempfile
import threading
import traceback
import unittest

import numpy as np

import numjit as nj


def line_of(text, function):
    """Line of a function's source that holds a text."""
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(lines) if text in line)


def lines_of(error):
    """Lines of this file that an exception's traceback names."""
    return [entry.lineno for entry in traceback.extract_tb(error.__traceback__) if entry.filename.endswith("value_errors_test.py")]


SINGULAR = [[0.0, 0.0], [0.0, 0.0]]
NAN = float("nan")

# Operations that fail for the values they get: name, arguments, operation. Indices and the like are made inside of the
# function (`* 1`), so that nothing is known of them when the operation is called.
FAILING = [
    ("take a number", [[0.0, 1.0, 2.0]], lambda m, x: m.take(x * 1, 100)),
    ("take of a list", [[0.0, 1.0, 2.0]], lambda m, x: m.take(x * 1, [0, 100])),
    ("take, negative", [[0.0, 1.0, 2.0]], lambda m, x: m.take(x, -4)),
    ("take along an axis", [[[0.0, 1.0, 2.0]]], lambda m, x: m.take(x * 1, [0, 5], axis=1)),
    ("take by an argument", [[0.0, 1.0], [5]], lambda m, x, i: m.take(x, i)),
    ("take by pending indices", [[0.0, 1.0], [5]], lambda m, x, i: m.take(x, i * 1)),
    ("method take", [[0.0, 1.0], [5]], lambda m, x, i: (x * 1).take(i * 1)),
    ("index", [[0.0, 1.0], [5]], lambda m, x, i: x[i * 1]),
    ("index of axis 1", [[[0.0, 1.0]], [5]], lambda m, x, i: x[:, i * 1]),
    ("two indices", [[[0.0, 1.0]], [5]], lambda m, x, i: x[i * 0, i * 1]),
    ("index of nothing", [[], [0]], lambda m, x, i: m.ravel(x)[m.arange(3)]),
    ("store by index", [[0.0, 1.0], [5]], lambda m, x, i: x.__setitem__(i * 1, 7.0)),
    ("store by index of axis 1", [[[0.0, 1.0]], [5]], lambda m, x, i: x.__setitem__((slice(None), i * 1), 7.0)),
    ("put", [[0.0, 1.0], [5]], lambda m, x, i: m.put(x, i * 1, 7.0)),
    ("put at a number", [[0.0, 1.0]], lambda m, x: m.put(x, [5], 7.0)),
    ("store of too many by mask", [[1.0, 2.0, 3.0]], lambda m, x: x.__setitem__(x > 2, x[:2] * 1)),
    ("take_along_axis", [[0.0, 1.0], [5]], lambda m, x, i: m.take_along_axis(x, i * 1, 0)),
    ("put_along_axis", [[0.0, 1.0], [5]], lambda m, x, i: m.put_along_axis(x, i * 1, 7.0, 0)),
    ("add.at", [[0.0, 1.0], [5]], lambda m, x, i: m.add.at(x, i * 1, 7.0)),
    ("add.reduceat", [[0.0, 1.0], [5]], lambda m, x, i: m.add.reduceat(x, i * 1)),
    ("choose", [[0.0, 1.0], [0, 5]], lambda m, x, i: m.choose(i * 1, [x, x])),
    ("unravel_index", [[5]], lambda m, i: m.unravel_index(i, (2, 2))[0]),
    ("ravel_multi_index", [[5]], lambda m, i: m.ravel_multi_index((i * 1, i * 0), (2, 2))),
    ("quantile of a number", [[0.0, 1.0]], lambda m, x: m.quantile(x * 1, 1.5)),
    ("quantile of an array", [[0.0, 1.0], [0.5, 1.5]], lambda m, x, q: m.quantile(x, q * 1)),
    ("percentile of a number", [[0.0, 1.0]], lambda m, x: m.percentile(x * 1, 101)),
    ("percentile of an array", [[0.0, 1.0], [50.0, -1.0]], lambda m, x, q: m.percentile(x, q * 1)),
    ("weighted quantile", [[0.0, 1.0], [1.0, -1.0]],
     lambda m, x, w: m.quantile(x, 0.5, weights=w * 1, method="inverted_cdf")),
    ("average", [[0.0, 1.0], [1.0, -1.0]], lambda m, x, w: m.average(x, weights=w * 1)),
    ("repeat", [[0.0, 1.0], [1, -1]], lambda m, x, i: m.repeat(x, i * 1)),
    ("bincount", [[1, -1]], lambda m, i: m.bincount(i * 1)),
    ("digitize", [[0.5], [1.0, 0.0, 2.0]], lambda m, x, b: m.digitize(x, b * 1)),
    ("histogram", [[0.5, NAN]], lambda m, x: m.histogram(x * 1)[0]),
    ("histogram by edges", [[0.5], [1.0, 0.0, 2.0]], lambda m, x, b: m.histogram(x, b * 1)[0]),
    ("geomspace", [[0.0]], lambda m, x: m.geomspace(x * 1, 8.0)),
    ("nanargmax", [[NAN, NAN]], lambda m, x: m.nanargmax(x * 1)),
    ("nanargmin", [[[NAN, NAN]]], lambda m, x: m.nanargmin(x * 1, axis=1)),
    ("max of nothing selected", [[0.0, 1.0]], lambda m, x: x[x > 5].max()),
    ("argmin of nothing selected", [[0.0, 1.0]], lambda m, x: x[x > 5].argmin()),
    ("reshape of what was selected", [[0.0, 1.0]], lambda m, x: x[x > 0].reshape(2, 3)),
    ("asarray_chkfinite", [[0.0, NAN]], lambda m, x: m.asarray_chkfinite(x * 1)),
    ("power of integers", [[2, 3], [1, -1]], lambda m, i, k: i ** (k * 1)),
    ("power.reduce", [[2, -1]], lambda m, i: m.power.reduce(i * 1)),
    ("inv", [SINGULAR], lambda m, x: m.linalg.inv(x)),
    ("solve", [SINGULAR, [1.0, 2.0]], lambda m, x, b: m.linalg.solve(x * 1, b)),
    ("tensorinv", [[[0.0]]], lambda m, x: m.linalg.tensorinv(x * 1, ind=1)),
    ("matrix_power", [SINGULAR], lambda m, x: m.linalg.matrix_power(x * 1, -1)),
    ("cholesky", [[[-1.0, 0.0], [0.0, 1.0]]], lambda m, x: m.linalg.cholesky(x * 1)),
    ("svd", [[[NAN, 0.0], [0.0, 1.0]]], lambda m, x: m.linalg.svd(x * 1)[1]),
    ("svdvals", [[[NAN, 0.0], [0.0, 1.0]]], lambda m, x: m.linalg.svdvals(x * 1)),
    ("eig", [[[NAN, 0.0], [0.0, 1.0]]], lambda m, x: m.linalg.eig(x * 1)[0]),
    ("lstsq", [[[NAN, 0.0], [0.0, 1.0]], [1.0, 2.0]], lambda m, x, b: m.linalg.lstsq(x * 1, b)[0]),
    ("a draw", [[1.0, -1.0]], lambda m, x: m.random.default_rng(0).normal(0.0, x * 1)),
    ("binomial", [[0.5, 1.5]], lambda m, x: m.random.default_rng(0).binomial(3, x * 1)),
]


def made(module, lists):
    return [module.array(a, dtype=int if a and a == [i for i in a if isinstance(i, int)] else float) for a in lists]


def attempt(call):
    """Result or exception, as far as both libraries can agree on."""
    try:
        r = call()
        return None if r is None else np.asarray(r).tolist()
    except Exception as e:  # noqa: BLE001
        return e


def families(error):
    """Classes by which a handler may catch an exception."""
    return {c.__name__ for c in type(error).__mro__}


class InTry(unittest.TestCase):
    """An operation that fails inside a try: its handler gets the error, nothing after it has happened."""

    def setUp(self):
        nj.reset()
        nj.config.compile = "sync"

    def program(self, module, operation, log):
        def f(*args):
            args[0][...] = args[0] + 0  # a store that is pending when the operation is called
            try:
                log.append("before")
                operation(module, *args)
                log.append("after")
            except Exception as e:  # noqa: BLE001
                log.append((type(e).__name__, str(e)))
                args[0][...] = 9
            log.append("end")
            return args[0] * 1
        return f

    def test_each_operation(self):
        for name, lists, operation in FAILING:
            with self.subTest(name):
                outcomes = []
                for module, wrap in [(np, lambda f: f), (nj, lambda f: f), (nj, nj.compile), (nj, lambda f: nj.compile(f, fullgraph=True)),
                                     (nj, lambda f: nj.compile(f, mode="replay"))]:
                    log = []
                    f = wrap(self.program(module, operation, log))
                    if name in ("eig", "power of integers", "ravel_multi_index") and len(outcomes) == 3:
                        outcomes.append(outcomes[2])  # a graph break, which fullgraph refuses
                        continue
                    for _ in range(2):
                        args = made(module, lists)
                        result = attempt(lambda: f(*args))
                        seen = (log[:], result, np.asarray(args[0]).tolist())
                        log.clear()
                    outcomes.append(seen)
                expected, eager = outcomes[:2]
                self.assertEqual([e if isinstance(e, str) else e[0] for e in eager[0]], [e if isinstance(e, str) else e[0] for e in expected[0]])
                self.assertEqual(eager[1:], expected[1:])
                for compiled in outcomes[2:]:
                    if name == "unravel_index":  # its index is pending: the text can't tell it
                        compiled[0][1] = eager[0][1]
                    self.assertEqual(compiled, eager)

    def test_what_is_right_passes(self):
        """The same operations inside a try with values that they take: results of eager code."""
        good = [([[0.0, 1.0, 2.0], [1, 2]], lambda m, x, i: m.take(x, i * 1)), ([[0.0, 1.0], [1]], lambda m, x, i: x[i * 1]),
                ([[[2.0, 0.0], [0.0, 4.0]]], lambda m, x: m.linalg.inv(x * 1)), ([[0.0, 1.0]], lambda m, x: m.quantile(x * 1, 0.5)),
                ([[0.0, 1.0]], lambda m, x: x[x > 0].max()), ([[1, 2, 2]], lambda m, i: m.bincount(i * 1)),
                ([[0.0, 1.0], [0, 1]], lambda m, x, i: m.choose(i * 1, [x, x])), ([[0.0, 1.0], [1]], lambda m, x, i: m.put(x, i * 1, 7.0))]
        for lists, operation in good:
            log = []
            results = []
            for module, wrap in [(np, lambda f: f), (nj, nj.compile)]:
                f = wrap(self.program(module, operation, log))
                args = made(module, lists)
                results.append((np.asarray(f(*args)).tolist(), log[:]))
                log.clear()
            self.assertEqual(results[1], results[0])


class Outside(unittest.TestCase):
    """Without a handler: class, text and line of the error, whichever statements ran."""

    def setUp(self):
        nj.reset()
        nj.config.compile = "sync"

    def test_class_text_and_line(self):
        for name, lists, operation in FAILING:
            with self.subTest(name):
                def f(*args):
                    y = operation(nj, *args)
                    return y if y is None else y + 1
                expected = attempt(lambda: operation(np, *made(np, lists)))
                eager = attempt(lambda: f(*made(nj, lists)))
                for mode in ("rerun", "replay"):
                    g = nj.compile(f, mode=mode)
                    for _ in range(2):
                        error = attempt(lambda: g(*made(nj, lists)))
                        self.assertIsInstance(error, Exception)
                        self.assertLessEqual(families(expected) - {"MemoryError"}, families(error))
                        self.assertEqual((type(error), str(error)), (type(eager), str(eager)))
                        self.assertIn(operation.__code__.co_firstlineno, lines_of(error))

    def test_library_calls_run_at_their_line(self):
        for name in ("inv", "solve", "cholesky", "svd", "svdvals", "lstsq", "a draw"):
            _, lists, operation = next(case for case in FAILING if case[0] == name)
            log = []

            @nj.compile
            def f(*args):
                y = operation(nj, *args)
                log.append("after")
                return y
            self.assertIsInstance(attempt(lambda: f(*made(nj, lists))), Exception)
            self.assertEqual(log, [], name)

    def test_known_values_are_checked_at_the_call(self):
        for name in ("take a number", "take of a list", "take, negative", "take along an axis", "take by an argument",
                     "quantile of a number", "percentile of a number", "unravel_index", "put at a number"):
            _, lists, operation = next(case for case in FAILING if case[0] == name)
            log = []

            @nj.compile
            def f(*args):
                y = operation(nj, *args)
                log.append("after")
                return y
            self.assertIsInstance(attempt(lambda: f(*made(nj, lists))), Exception)
            self.assertEqual(log, [], name)

    def test_a_number_that_was_right_last_time(self):
        @nj.compile
        def f(x, i, q):
            log.append("before")
            y = nj.take(x * 2, i) + nj.quantile(x, q)
            log.append("after")
            return y
        log = []
        x = nj.arange(3.0)
        for _ in range(3):
            self.assertEqual(float(f(x, 2, 0.5)), 5.0)
        log.clear()
        with self.assertRaisesRegex(IndexError, "index 3 is out of bounds for axis 0 with size 3"):
            f(x, 3, 0.5)
        with self.assertRaisesRegex(ValueError, r"Quantiles must be in the range \[0, 1\]"):
            f(x, 2, 1.5)
        with self.assertRaisesRegex(IndexError, "index 2 is out of bounds for axis 0 with size 2"):
            f(nj.arange(2.0), 2, 0.5)
        self.assertEqual(log, ["before"] * 3)
        self.assertEqual(float(f(x, 2, 0.5)), 5.0)

    def test_the_first_of_two_errors_wins(self):
        def f(x, i):
            y = nj.take(x, i * 1)  # first
            z = nj.bincount(i * -1)
            return y, z
        error = attempt(lambda: nj.compile(f)(nj.arange(3.0), nj.array([5])))
        self.assertIsInstance(error, IndexError)
        self.assertIn(line_of("# first", f), lines_of(error))

    def test_an_error_of_the_call_does_not_hide_an_earlier_one(self):
        def f(x, i, how):
            y = nj.take(x, i * 1)  # first
            if how == "shapes":
                return nj.ones(2) + nj.ones(3)
            if how == "raise":
                raise KeyError("later")
            if how == "read":
                return float(y[0])
            return y
        for how in ("shapes", "raise", "read", ""):
            error = attempt(lambda: nj.compile(f)(nj.arange(3.0), nj.array([5]), how))
            self.assertIsInstance(error, IndexError)
            self.assertIn(line_of("# first", f), lines_of(error))
        with self.assertRaises(KeyError):
            nj.compile(f)(nj.arange(3.0), nj.array([1]), "raise")

    def test_what_ends_the_program_goes_first(self):
        @nj.compile
        def f(x, i):
            y = nj.take(x, i * 1)
            raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            f(nj.arange(3.0), nj.array([5]))

    def test_stores_before_it_have_happened(self):
        @nj.compile
        def f(x, i):
            x += 1
            x[1:] *= 2
            y = nj.take(x, i * 1)
            x[0] = 100
            return y
        x = nj.arange(3.0)
        with self.assertRaises(IndexError):
            f(x, nj.array([5]))
        self.assertEqual(x.tolist()[1:], [4.0, 6.0])
        self.assertEqual(f(x, nj.array([1])).tolist(), [10.0])


class Forms(unittest.TestCase):
    """Where a handler stands, and of which kind it is."""

    def setUp(self):
        nj.reset()
        nj.config.compile = "sync"

    def both(self, f, *args):
        """What f(module, log, *args) gives and notes, by NumPy and compiled; twice, as the second call finds records."""
        seen = []
        for module, wrap in [(np, lambda g: g), (nj, nj.compile)]:
            log = []
            g = wrap(lambda *a, module=module, log=log: f(module, log, *a))
            for _ in range(2):
                log.clear()
                arrays = [module.array(a) for a in args]
                r = attempt(lambda: g(*arrays))
                result = (type(r).__name__, str(r).split("] ")[-1]) if isinstance(r, Exception) else r
                entry = (result, log[:], [np.asarray(a).tolist() for a in arrays])
            seen.append(entry)
        self.assertEqual(seen[1], seen[0])

    X, I = [0.0, 1.0, 2.0], [5]

    def test_in_the_caller_of_a_helper(self):
        def helper(m, log, x, i):
            y = m.take(x, i * 1)
            log.append("after")
            return y

        def f(m, log, x, i):
            try:
                return helper(m, log, x, i)
            except IndexError:
                log.append("caught")
                return x * 2
        self.both(f, self.X, self.I)

    def test_in_a_nested_compiled_function(self):
        inner = nj.compile(lambda x, i: nj.take(x, i * 1) + 1)

        def f(m, log, x, i):
            try:
                y = inner(x, i) if m is nj else m.take(x, i * 1) + 1
                log.append("after")
                return y
            except IndexError:
                return x * 2
        self.both(f, self.X, self.I)

    def test_in_a_generator(self):
        def parts(m, log, x, i):
            for k in range(3):
                try:
                    yield m.take(x, i * k)
                    log.append(k)
                except IndexError:
                    log.append("caught")
                    yield x[:1] * 0

        def f(m, log, x, i):
            return sum(parts(m, log, x, i))
        self.both(f, self.X, [2])

    def test_a_generator_without_handler(self):
        def parts(m, x, i):
            for k in range(3):
                yield m.take(x, i * k)

        def f(m, log, x, i):
            total = x * 0
            try:
                for part in parts(m, x, i):
                    total = total + part
                    log.append("part")
            except IndexError:
                log.append("caught")
            return total
        self.both(f, self.X, [2])

    def test_in_a_comprehension(self):
        def f(m, log, x, i):
            try:
                return sum([m.take(x, i + k) for k in range(3) if not log.append(k)])
            except IndexError as e:
                log.append(str(e).split("] ")[-1])
                return x
        self.both(f, self.X, [1])

    def test_in_callbacks(self):
        def f(m, log, x, i):
            try:
                return list(map(lambda k: float(m.take(x, i * k)[0]), [0, 1, 2]))
            except IndexError:
                return x
        self.both(f, self.X, [2])

    def test_with(self):
        def f(m, log, x, i):
            with contextlib.suppress(IndexError):
                m.take(x, i * 1)
                log.append("after")
            with contextlib.suppress(KeyError), contextlib.suppress(ValueError):
                m.take(x, i * 1)
            return x
        self.both(f, self.X, self.I)

    def test_a_context_of_ones_own(self):
        class Logged:
            def __init__(self, log):
                self.log = log

            def __enter__(self):
                self.log.append("enter")

            def __exit__(self, kind, value, trace):
                self.log.append(kind and kind.__name__)
                return kind is IndexError

        def f(m, log, x, i):
            with Logged(log):
                x[i * 1] = 5
                log.append("after")
            return x * 1
        self.both(f, self.X, self.I)
        self.both(f, self.X, [1])

    def test_finally(self):
        def f(m, log, x, i):
            try:
                x[0] = 7
                m.take(x, i * 1)
                log.append("after")
            finally:
                log.append(float(x[0]))
            return x
        self.both(f, self.X, self.I)
        self.both(f, self.X, [1])

    def test_raised_again(self):
        def f(m, log, x, i):
            try:
                try:
                    m.take(x, i * 1)
                except IndexError:
                    log.append("inner")
                    raise
                log.append("after")
            except IndexError as e:
                log.append("outer")
                raise ValueError("mine") from e
        self.both(f, self.X, self.I)

    def test_the_other_class_passes(self):
        def f(m, log, x, i):
            try:
                m.take(x, i * 1)
                log.append("after")
            except (KeyError, ValueError):
                log.append("caught")
            log.append("end")
            return x
        self.both(f, self.X, self.I)

    def test_else_and_loops(self):
        def f(m, log, x, i):
            for k in range(4):
                try:
                    y = m.take(x, i * k)
                except IndexError:
                    log.append("bad")
                    continue
                else:
                    log.append("good")
                    x = x + y
                    if k == 3:
                        break
            return x
        self.both(f, self.X, [1])

    def test_inside_of_a_handler(self):
        def f(m, log, x, i):
            try:
                raise KeyError
            except KeyError:
                m.take(x, i * 1)  # not watched any more
            return x
        self.both(f, self.X, self.I)

    def test_an_error_from_before_the_try_leaves_the_call(self):
        def f(m, log, x, i):
            y = m.take(x, i * 1)
            try:
                z = m.take(x, i * 0)
                return z
            except IndexError:
                return x
            finally:
                x += 100  # after the error in eager code, too: a finally of another try
        def g(m, log, x, i):
            y = m.take(x, i * 1)
            try:
                if x.sum() > 0:
                    return x
            except Exception:  # noqa: BLE001
                return x * 2
        for program in (f, g):
            for _ in range(2):
                compiled = nj.compile(lambda x, i: program(nj, [], x, i))
                with self.assertRaisesRegex(IndexError, "index 5 is out of bounds"):
                    compiled(nj.array(self.X), nj.array(self.I))
                self.assertEqual(float(compiled(nj.array(self.X), nj.array([0]))[0]), 0.0 if program is f else 0.0)

    def test_even_where_everything_is_caught(self):
        def f(x, i):
            y = nj.take(x, i * 1)  # the line
            try:
                return float(y[0])
            except:  # noqa: E722
                pass
            return 1.0
        error = attempt(lambda: nj.compile(f)(nj.array(self.X), nj.array(self.I)))
        self.assertIsInstance(error, IndexError)
        self.assertIn(line_of("# the line", f), lines_of(error))

    def test_on_threads(self):
        @nj.compile
        def f(x, i):
            try:
                return nj.take(x, i * 1)
            except IndexError:
                return x[:1] * 0 - 1
        results = {}

        def work(k):
            for round in range(20):
                i = (k + round) % 6
                results[k, round] = (float(f(nj.array(self.X), nj.array([i]))[0]), float(i) if i < 3 else -1.0)
        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(len(results), 80)
        for got, expected in results.values():
            self.assertEqual(got, expected)

    def test_handlers_around_the_compiled_call_do_not_count(self):
        @nj.compile
        def f(x, i):
            return nj.take(x * 2, i) + 1
        try:
            report = nj.explain(f)(nj.array(self.X), nj.array([1]) * 1)
        except IndexError:
            self.fail()
        self.assertEqual((report.graph_count, report.cuts), (1, 0))


class Cuts(unittest.TestCase):
    def setUp(self):
        nj.reset()
        nj.config.compile = "sync"

    def test_explain_lists_them(self):
        def f(x):
            y = nj.linalg.inv(x + 1)  # inv
            try:
                z = nj.take(y * 2, nj.argmax(y))  # take
            except IndexError:
                z = 0
            return z + 1
        report = nj.explain(nj.compile(f, fullgraph=True))(nj.array([[1.0, 0.0], [0.0, 3.0]]))
        self.assertEqual((report.graph_count, report.graph_break_count, report.cuts), (3, 0, 2))
        self.assertEqual([(c.reason, c.line, c.hits) for c in report.cut_reasons],
                         [("linalg.inv fails for some values", line_of("# inv", f), 1),
                          ("take fails for some values, and is in a try or with", line_of("# take", f), 1)])
        self.assertIn("cuts, which are not graph breaks\n", str(report))
        self.assertIn("inv fails for some values, 1 time\n", str(report))
        self.assertEqual(nj.counters().breaks, 0)

    def test_bundles_have_them_as_steps(self):
        def f(a):
            b = nj.linalg.inv(a + 1)
            try:
                c = nj.take(b * 2, nj.argmax(b))
            except IndexError:
                c = b[0, 0]
            return c + 1
        a = nj.array([[1.0, 0.0], [0.0, 3.0]])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "f.bundle")
            nj.export_function(f, (a,), path, targets=())
            loaded = nj.load_function(path)
            for x in (a, a * 2):
                self.assertEqual(float(loaded(x)), float(f(x)))
            with self.assertRaisesRegex(np.linalg.LinAlgError, "Singular matrix"):
                loaded(a * 0)

    def test_replay_has_one_graph(self):
        runs = []

        @lambda f: nj.compile(f, mode="replay")
        def f(x):
            runs.append(1)
            return nj.linalg.inv(x + 1) * 2
        x = nj.array([[1.0, 0.0], [0.0, 3.0]])
        for _ in range(5):
            first = f(x).tolist()
        self.assertEqual(first, (nj.linalg.inv(x + 1) * 2).tolist())
        self.assertLess(len(runs), 3)


class Swallowed(unittest.TestCase):
    """Errors that NumPy takes for "no buffer"."""

    def setUp(self):
        nj.reset()
        nj.config.compile = "sync"

    def test_breaks(self):
        def f(x):
            return np.asarray(x * 2) + 1
        with self.assertRaises(nj.GraphBreakError) as caught:
            nj.compile(f, fullgraph=True)(nj.arange(3.0))
        self.assertEqual(caught.exception.code, "NJ0003")
        self.assertIn("Graph break in user code at", str(caught.exception))

        @nj.compile
        def g(x):
            with nj.error_on_graph_break(True):
                return np.asarray(x * 2) + 1
        with self.assertRaises(nj.GraphBreakError) as caught:
            g(nj.arange(3.0))
        self.assertEqual(caught.exception.code, "NJ0003")
        self.assertEqual(nj.compile(f)(nj.arange(3.0)).tolist(), [1.0, 3.0, 5.0])

    def test_values(self):
        def f(x, i):
            return np.asarray(nj.take(x, i * 1))
        with self.assertRaisesRegex(IndexError, "index 5 is out of bounds for axis 0 with size 3"):
            nj.compile(f)(nj.arange(3.0), nj.array([5]))

    def test_what_was_caught_is_not_raised_again(self):
        @nj.compile
        def f(x):
            y = x * 2
            with nj.error_on_graph_break(True):
                try:
                    memoryview(y)
                except nj.GraphBreakError:
                    pass
            return y + 1
        self.assertEqual(f(nj.arange(3.0)).tolist(), [1.0, 3.0, 5.0])

    def test_arrays_in_a_list(self):
        @lambda f: nj.compile(f, fullgraph=True)
        def f(x):
            return np.array([x * 2, x * 3])
        with self.assertRaises(nj.GraphBreakError):
            f(nj.arange(3.0))


if __name__ == "__main__":
    unittest.main()
