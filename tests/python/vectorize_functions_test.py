"""np.vectorize and np.guvectorize: functions of numbers as operations on arrays. NumPy's np.vectorize, a loop in Python, says what
each of them gives."""
import linecache
import math
import os
import tempfile
import traceback
import unittest
from unittest import mock

import numpy
import numjit as np
from numjit import _vectorize
from numjit._lane_program import Choice

import vectorize_functions as fs

RNG = numpy.random.default_rng(0)
X, Y = RNG.uniform(-3, 3, (2, 60))
N, M = RNG.integers(-20, 20, 60), RNG.integers(1, 30, 60)
ROWS, OTHERS = RNG.uniform(-1, 1, (2, 30, 7))
WORDS, LETTERS = RNG.integers(0, 3, (40, 6)), RNG.integers(0, 3, (40, 5))


def outcome(call):
    try:
        with numpy.errstate(all="ignore"):
            made = call()
    except Exception as e:  # noqa: BLE001
        return f"{type(e).__name__}: {str(e).split('] ', 1)[-1]}"
    return [(str(a.dtype), a.shape, numpy.asarray(a).tobytes()) for a in (made if isinstance(made, tuple) else (made,))]


class Told(unittest.TestCase):
    """Tests that see the lines of the log channel perf_hints."""

    def setUp(self):
        few = mock.patch.object(_vectorize, "FEW", 0)  # these have few elements
        few.start()
        self.addCleanup(few.stop)
        self.lines = []
        np.set_log_sink(self.lines.append)
        np.set_logs(perf_hints=True)

    def tearDown(self):
        np.set_logs()
        np.set_log_sink(None)

    def same(self, f, *args, turned=True, **options):
        with self.subTest(f.__name__):
            self.lines.clear()
            expected = outcome(lambda: numpy.vectorize(f, **options)(*args))
            given = [np.array(a) for a in args]
            self.assertEqual(outcome(lambda: np.vectorize(f, **options)(*given)), expected)
            self.assertEqual([line for line in self.lines if "runs as a loop" in line], [] if turned else self.lines[:1])
            if not turned:
                self.assertNotEqual(self.lines, [])


class Numbers(Told):
    def test_functions(self):
        for f, *args in ((fs.clamp, X), (fs.collatz, M), (fs.mandelbrot, X, Y), (fs.mandelbrot_of_complex, X, Y), (fs.root, X),
                         (fs.divisor, M, M[::-1]), (fs.triangle, N), (fs.leaving, N), (fs.several, X), (fs.first_decides, X),
                         (fs.first_decides, -abs(X)), (fs.quotient, X, M), (fs.whole_quotient, M), (fs.checked_root, X * X),
                         (fs.calls, X), (fs.looked_up, N % 8), (fs.crc, M), (fs.decided, X, Y), (fs.chained, X, Y),
                         (fs.extremes, X, Y), (fs.rounded, X), (fs.bits, N, M), (fs.powers, X, N), (fs.remainders, N, M),
                         (fs.factorial, M % 20), (fs.of_list, X), (fs.sorted_pair, N, M), (fs.loop_in_loop, M), (fs.checked, M),
                         (fs.refused, M), (fs.guarded, X, N), (fs.guarded, N, N)):
            self.same(f, *args)

    def test_dtypes(self):
        self.same(fs.clamp, X.astype("f4"))
        self.same(fs.powers, X.astype("f4"), N.astype("i4"))
        self.same(fs.bits, N.astype("i1"), M.astype("i1"))
        self.same(fs.remainders, N > 0, M)
        self.same(fs.triangle, M, otypes="f")
        self.same(fs.several, X, otypes=[numpy.int16, numpy.float32])
        self.same(fs.first_decides, X[:, None] * Y)
        self.same(fs.quotient, X[:5, None], M)
        self.same(fs.clamp, numpy.float64(2.5))

    def test_errors_are_those_of_the_first_element_that_has_one(self):
        self.same(fs.quotient, X, N)
        self.same(fs.whole_quotient, N)
        self.same(fs.checked_root, X)
        self.same(fs.looked_up, N)
        self.same(fs.checked, N)
        self.same(fs.refused, N)
        self.same(fs.factorial, M)
        try:
            np.vectorize(fs.quotient)(np.ones(20), np.arange(20) - 7)
        except ZeroDivisionError as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
        self.assertEqual((frame.name, frame.line), ("quotient", "return x / n"))

    def test_ints_have_any_size(self):
        large = numpy.array([2**62, 3, -2**62, 2**31])
        self.same(lambda n: (n * 4) % 7, large)
        self.same(lambda n: (n + n + n) // 5, large)
        self.same(lambda n, m: n << m, large, numpy.array([5, 2, 1, 31]))
        self.same(lambda n: n == 2.0 ** 62 + 1, large)
        self.same(lambda n: -n, numpy.array([-2**63, 1]))

    def test_names_are_looked_up_at_each_call(self):
        k = 2.0
        f = np.vectorize(lambda x: x * k)
        self.assertEqual(f(np.ones(20)).tolist(), [2.0] * 20)
        k = 3.0
        self.assertEqual(f(np.ones(20)).tolist(), [3.0] * 20)

    def test_excluded_arguments(self):
        def polynomial(x, p):
            total = 0
            for c in p:
                total = total * x + c
            return total
        for module in (numpy, np):
            f = module.vectorize(polynomial, excluded=["p"])
            self.assertEqual(f(module.arange(3.0), p=[1, 2, 3]).tolist(), [3.0, 6.0, 11.0])

    def test_objects_and_tables(self):
        class Line:
            slope = 2.0
            asked = 0

            def __init__(self):
                self.start = 3.0

            @property
            def counted(self):
                Line.asked += 1
                return 1.0

            def shifted(self, x):
                return x - self.start

            def at(self, x):
                return x * self.slope + self.start + self.shifted(x)
        line, table = Line(), numpy.array([1.0, 2.0, 3.0])
        self.same(line.at, X)
        self.same(lambda x: line.at(x) + line.slope, X)
        self.same(lambda n: table[n % 3], N)
        self.same(lambda n: table[n] * 2, N)
        self.same(lambda x: sum(c * x for c in table), X)
        Line.asked = 0
        np.vectorize(lambda x: x + line.counted, otypes="d")(np.array(X))
        self.assertEqual(Line.asked, X.size)
        self.assertTrue(self.lines[-1].endswith("the attribute 'counted' of an object of type 'Line', which may run code"), self.lines)

    def test_scalars_of_numpys(self):
        self.same(lambda x: numpy.abs(x) + numpy.maximum(x, 0), X)
        self.same(lambda x: numpy.float32(x) / 3, X)
        self.same(lambda x, n: numpy.float64(x) / n, X, N * 0)
        self.same(lambda n: numpy.uint8(n - 1), M)
        self.same(lambda n: numpy.uint8(n - 1), N)
        self.same(lambda x: numpy.int64(math.inf if x > 1 else x), X)

    def test_results_are_arrays_of_their_own(self):
        x = np.arange(20.0)
        y = np.vectorize(lambda v: v)(x)
        y[0] = 5
        self.assertEqual(float(x[0]), 0.0)

    def test_floating_point_errors_are_pythons(self):
        with np.errstate(all="raise"):
            made = np.vectorize(lambda x: 1 / x if x != 0 else 0.0)(np.array([0.0, 2.0] * 10))
        self.assertEqual(made.tolist(), [0.0, 0.5] * 10)


class Loops(Told):
    """What is called in a loop, and the line that says so."""

    def told(self, f, *args, why, **options):
        self.same(f, *args, turned=False, **options)
        name = f.__qualname__
        self.assertEqual(self.lines[0], f"{name} runs as a loop in Python: {why}")

    def line(self, text):
        with open(fs.__file__) as f:
            return f"vectorize_functions.py:{next(i for i, line in enumerate(f, 1) if text in line)}"

    def test_why(self):
        self.told(fs.printed, X, why=self.line('print(end="")') + ": a call of 'print', of which nothing is known")
        self.told(fs.recursive, M, why=self.line("recursive(n - 1)") + ": it calls itself")
        self.told(fs.stores, ROWS, why=self.line("x[0] = 1") + ": a store into an array that comes from outside", signature="(n)->()")
        np.vectorize(fs.scaled, signature="(n)->(n)")(np.array(ROWS))
        self.assertEqual(self.lines[-1], f"scaled runs as a loop in Python: {self.line('x / x.sum()')}: the attribute 'sum' of an array")

    def test_names_without_values(self):
        self.lines.clear()
        self.assertTrue(outcome(lambda: np.vectorize(fs.unsure)(X)).startswith("UnboundLocalError: "))
        self.assertEqual(self.lines, ["unsure runs as a loop in Python: " + self.line("return y  # maybe") + ": 'y' may have no value"])

    def test_effects_happen_once_for_each_element(self):
        seen = []

        def noted(x):
            seen.append(x)
            return x
        np.vectorize(noted, otypes="d")(np.arange(30.0))
        self.assertEqual(len(seen), 30)
        self.assertTrue(self.lines[0].endswith("the attribute 'append' of an object of type 'list'"), self.lines)

    def test_source_that_is_another_one(self):
        name = os.path.join(tempfile.mkdtemp(), "changing.py")
        for before, after in (("x * 2", "x * 3"), ("x * 2", "x + 2"), ("abs(x) * 2", "int(x) * 2")):
            space = {}
            exec(compile(f"def f(x):\n    return {before}\n", name, "exec"), space)
            with open(name, "w") as file:
                file.write(f"def f(x):\n    return {after}\n")
            linecache.checkcache(name)
            self.assertEqual(np.vectorize(space["f"])(np.full(3, -1.5)).tolist(), [3.0 if "abs" in before else -3.0] * 3)
            self.assertEqual(self.lines.pop(), "f runs as a loop in Python: changing.py:1: its source is not what it was compiled from")

    def test_said_once(self):
        f = np.vectorize(fs.printed)
        f(X), f(X)
        self.assertEqual(len(self.lines), 1)


class Arrays(Told):
    def test_functions_of_rows(self):
        for f, signature, *args in ((fs.edit_distance, "(n),(m)->()", WORDS, LETTERS), (fs.relaxed, "(n),(n)->(n)", ROWS, OTHERS),
                                    (fs.inner, "(n),(n)->()", ROWS, OTHERS), (fs.inner, "(n),(n)->()", ROWS[0], OTHERS),
                                    (fs.inner, "(n),(n)->()", ROWS.astype("f4"), OTHERS.astype("f4")),
                                    (fs.first_above, "(n),()->()", ROWS, 0.3), (fs.counted, "(n)->(k)", ROWS),
                                    (fs.element, "(n),()->()", ROWS, RNG.integers(-7, 7, 30)),
                                    (fs.product, "(n,k),(k,m)->(n,m)", RNG.uniform(-1, 1, (20, 3, 4)), RNG.uniform(-1, 1, (4, 2))),
                                    (fs.sorted_by_insertion, "(n)->(n)", ROWS),
                                    (fs.crc_of_bytes, "(n)->()", RNG.integers(0, 256, (30, 5)))):
            self.same(f, *args, signature=signature)

    def test_index_out_of_bounds(self):
        self.assertEqual(outcome(lambda: np.vectorize(fs.element, signature="(n),()->()")(np.array(ROWS), np.array(N[:30] + 40))),
                         f"IndexError: index {N[0] + 40} is out of bounds for axis 0 with size 7")

    def test_guvectorize_writes_into_its_last_parameters(self):
        @np.guvectorize("(n),()->(n)")
        def shifted(x, y, result):
            for i in range(x.shape[0]):
                result[i] = x[i] + y
        self.assertEqual(shifted(np.arange(6.0).reshape(2, 3), np.array([10, 20])).tolist(), [[10, 11, 12], [23, 24, 25]])
        self.assertEqual(shifted(np.arange(3), 2).dtype, np.int64)
        out = np.zeros(3)
        self.assertIs(shifted(np.arange(3), 2, out), out)
        self.assertEqual(out.tolist(), [2, 3, 4])
        self.assertEqual(self.lines, [])

    def test_guvectorize_as_a_loop(self):
        @np.guvectorize("(n)->(n),()", otypes=[float, int])
        def told(x, result, count):
            print(end="")
            result[:] = x * 2
            count[0] = len(x)
        whole, counts = told(np.arange(6.0).reshape(2, 3))
        self.assertEqual((whole.tolist(), counts.tolist(), str(counts.dtype)), ([[0, 2, 4], [6, 8, 10]], [3, 3], "int64"))
        self.assertEqual(len(self.lines), 1)

    def test_guvectorize_that_returns(self):
        @np.guvectorize("(n)->()")
        def largest(x):
            best = x[0]
            for v in x:
                if v > best:
                    best = v
            return best
        self.assertEqual(largest(np.array(ROWS)).tolist(), ROWS.max(1).tolist())

    def test_errors_of_guvectorize(self):
        for error, text, call in (
                (TypeError, "[guvectorize] f has 3 parameters, expected 1, or 2 with those that it writes its results to, as the signature "
                 "'(n)->()' says.", lambda: np.guvectorize("(n)->()")(self.f)),
                (ValueError, "[guvectorize] got 2 dtypes, expected 1: one for each result.",
                 lambda: np.guvectorize("(n),(n)->()", otypes="dd")(self.f)),
                (ValueError, "not a valid gufunc signature: n->n", lambda: np.guvectorize("n->n")(self.f)),
                (TypeError, "[guvectorize] f got 1 arguments, expected 2, or 3 with arrays for its results.",
                 lambda: np.guvectorize("(n),(n)->()")(self.f)(np.ones(3))),
                (ValueError, "[guvectorize] no argument has the core dimension 'k' of a result of f. Hint: an argument of that length says "
                 "how long the result is.", lambda: np.guvectorize("(n),(n)->(k)")(self.f)(np.ones(3), np.ones(3))),
                (ValueError, "inconsistent size for core dimension 'n': 4 vs 3",
                 lambda: np.guvectorize("(n),(n)->()")(self.f)(np.ones(3), np.ones(4)))):
            with self.subTest(text), self.assertRaises(error) as raised:
                call()
            self.assertEqual(str(raised.exception), text)

    @staticmethod
    def f(x, y, result):
        result[0] = x[0] + y[0]


def differences(f, x, h=1e-6):
    return [(float(f(x + h * (np.arange(x.size) == i)).sum()) - float(f(x - h * (np.arange(x.size) == i)).sum())) / (2 * h)
            for i in range(x.size)]


def wavy(x, y):
    if x > 0:
        return (x ** 0.5) * y
    z = 0.0
    while z < y:
        z += 0.5 * x * x + 0.1
    return z


class Transforms(Told):
    x, y = np.array([0.5, -1.0, 2.0, -0.3]), np.array([1.0, 2.0, 0.0, 3.0])
    stack = np.array([[0.5, -1.0, 2.0, -0.3], [1.0, 2.0, 3.0, -4.0]])

    def test_gradients(self):
        for f in (wavy, fs.root, fs.calls, fs.extremes):
            with self.subTest(f.__name__):
                f = np.vectorize(f, otypes="d")
                of = (lambda x: f(x, self.y)) if f.pyfunc in (wavy, fs.extremes) else f
                self.assertTrue(np.allclose(np.grad(lambda x: (of(x) * 1.0).sum())(self.x * 0.95), differences(of, self.x * 0.95), rtol=1e-5, atol=1e-8))
        rows = np.vectorize(fs.relaxed, signature="(n),(n)->(n)")
        x = np.array(ROWS[:2, :5])
        found = np.grad(lambda v: (rows(v, x) ** 2).sum())(x)
        expected = differences(lambda v: rows(v.reshape(2, 5), x) ** 2, x.ravel())
        self.assertTrue(np.allclose(found.ravel(), expected, rtol=1e-5))
        self.assertEqual(np.jvp(np.vectorize(wavy), (self.x, self.y), (np.ones(4), np.zeros(4)))[1].shape, (4,))

    def test_lanes_that_take_the_other_way_have_no_part_in_gradients(self):
        f = np.vectorize(lambda x: math.log(x) if x > 0 else 2 * x)
        self.assertEqual(np.grad(lambda x: f(x).sum())(np.array([2.0, 0.0, -1.0])).tolist(), [0.5, 2.0, 2.0])

    def test_vmap(self):
        f = np.vectorize(wavy)
        self.assertEqual(np.vmap(f, in_axes=(0, None))(self.stack, self.y).tolist(), f(self.stack, self.y).tolist())
        self.assertEqual(np.vmap(f)(self.x, self.y).tolist(), f(self.x, self.y).tolist())
        each = [float(np.grad(f)(a, b)) for a, b in zip(self.x, self.y)]
        self.assertEqual(np.vmap(np.grad(f))(self.x, self.y).tolist(), each)
        self.assertEqual(np.grad(lambda x: np.vmap(f)(x, self.y).sum())(self.x).tolist(), each)
        rows = np.vectorize(fs.inner, signature="(n),(n)->()")
        self.assertEqual(np.vmap(rows)(self.stack, self.stack).tolist(), rows(self.stack, self.stack).tolist())

    def test_errors_of_elements(self):
        f = np.vectorize(fs.quotient)
        for call in (lambda: np.grad(lambda x: f(x, self.y).sum())(self.x), lambda: np.vmap(lambda x: f(x, self.y))(self.stack),
                     lambda: np.vmap(np.grad(lambda x, y: f(x, y)))(self.x, self.y), lambda: np.compile(f)(self.x, self.y)):
            with self.assertRaises(ZeroDivisionError) as raised:
                call()
            self.assertEqual(str(raised.exception), "float division by zero")

    def test_compiled(self):
        f, plain = np.vectorize(wavy), np.vectorize(lambda t: t * 2 if t > 0 else -t)
        x, y = np.array(X), np.array(abs(Y))
        whole = np.compile(lambda x, y: f(x * 2, y) + plain(x))
        for _ in range(3):
            self.assertEqual(whole(x, y).tobytes(), (f(x * 2, y) + plain(x)).tobytes())
            np.wait_for_compiles()
        fused = np.compile(lambda x: plain(x + 1) * 3, fullgraph=True)
        self.assertEqual(fused(x).tobytes(), (plain(x + 1) * 3).tobytes())
        self.assertEqual(np.explain(fused)(x).graph_count, 1)

    def test_many_elements(self):
        x = np.array(numpy.random.default_rng(1).uniform(-2, 2, 5000))
        f = np.vectorize(fs.mandelbrot)
        with np.config_scope(disable=True):
            expected = f(x, x[::-1]).tobytes()
        for _ in range(2):
            self.assertEqual(f(x, x[::-1]).tobytes(), expected)
            np.wait_for_compiles()

    def test_few_elements_take_the_way_that_takes_less_time(self):
        choice = Choice()
        self.assertFalse(choice.is_loop(10))  # nothing is known
        choice.note(1.0, lambda i: (lambda: None), 10)
        self.assertFalse(choice.is_loop(10))  # a first call compiles
        choice.note(0.5, lambda i: (lambda: None), 10)
        choice.lane = 0.01
        self.assertTrue(choice.is_loop(10))
        self.assertFalse(choice.is_loop(100))
        f = np.vectorize(fs.collatz)
        for _ in range(4):
            self.assertEqual(f(np.array(M)).tolist(), [fs.collatz(int(n)) for n in M])

    def test_bundles(self):
        folder = tempfile.mkdtemp()
        f = np.vectorize(wavy)
        np.export_function(lambda x, y: f(x, y) * 2, (self.x, self.y), os.path.join(folder, "f.npj"))
        loaded = np.load_function(os.path.join(folder, "f.npj"))
        self.assertEqual(loaded(self.x, self.y).tobytes(), (f(self.x, self.y) * 2).tobytes())


if __name__ == "__main__":
    unittest.main()
