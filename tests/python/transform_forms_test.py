"""Derivatives of forms of programs that are easily lost: scalars, other memory orders, views, stores, NumPy's own programs."""
import threading
import unittest

import numpy

import numjit as np
import transforms_test

X = numpy.array([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])
V = numpy.array([0.7, 1.9, -0.4])
W = numpy.arange(6.0).reshape(3, 2) - 1.3


def square(a):
    return (a * a).sum()


def stored(xp, to, at, value):
    to[at] = value
    return to


# Functions of (np, x); x is a vector of 3.
OF_VECTORS = {
    "sum of a scalar": lambda xp, x: xp.sum(x[0]) * xp.mean(x[1] * x[2]),
    "stack of scalars": lambda xp, x: square(xp.stack([x[0], x[1] * 2])),
    "full": lambda xp, x: square(xp.full(3, x[0])),
    "where of scalars": lambda xp, x: xp.where(x[0] > 0, x[1], x[2]) * x[0],
    "put of a scalar": lambda xp, x: square(stored(xp, x * 2, 1, x[0])),
    "angle of a scalar": lambda xp, x: xp.angle(x[0] + 1j * x[1]) * x[2],
    "new axis of a scalar": lambda xp, x: square(x[0][None] + x),
    "array of scalars": lambda xp, x: square(xp.array([x[0], x[1] * 2]) * x[:2]),
    "std of one": lambda xp, x: xp.sum(xp.std(x[:1])) + x[0] + xp.nanstd(x[1:2]),
    "norm at 0": lambda xp, x: xp.sum(xp.linalg.norm(x - V)) * 0 + x[0],
    "interp beyond the ends": lambda xp, x: xp.sum(xp.interp(xp.array([-9.0, 9.0]), xp.array([0.0, 1.0]), xp.array([0.0, 1.0]),
                                                             left=x[2], right=x[0] * x[1])),
    "gradient by an active distance": lambda xp, x: square(xp.gradient(x * x, x[1])),
    "gradient by active coordinates": lambda xp, x: square(xp.gradient(x * x, xp.cumsum(x * x + 1))),
    "view in reverse": lambda xp, x: square(_reversed_store(x)),
    "reductions with out of another dtype": lambda xp, x: square(xp.cumsum(x, out=xp.zeros(3))),
    "fractions": lambda xp, x: square(xp.modf(x * 3)[0]) + xp.sum(xp.modf(x)[1] * x),
    "sliding windows": lambda xp, x: square(xp.lib.stride_tricks.sliding_window_view(x, 2) * x[:2]),
}
# The same of a matrix.
OF_MATRICES = {
    "columns by a list": lambda xp, x: xp.sum(x[:, [2, 0]] * xp.asarray(W[:2])),
    "columns by a repeated list": lambda xp, x: square(x[:, [2, 0, 2]]),
    "copy in columns": lambda xp, x: xp.sum(x.copy(order="F") * xp.asarray(W.T)),
    "sort of a transposed array": lambda xp, x: xp.sum(xp.sort(x.T, axis=0) * xp.asarray(W) ** 2),
    "join of transposed arrays": lambda xp, x: square(xp.concatenate([x.T, x.T * 2]) * xp.concatenate([x.T, x.T])),
    "trace of a stack": lambda xp, x: square(xp.trace(x.reshape(1, 2, 3), axis1=1, axis2=2)),
    "diagonal by einsum": lambda xp, x: square(xp.einsum("ii->i", x @ x.T)),
    "cumprod": lambda xp, x: square(xp.cumprod(x / 3, axis=1)),
    "store through a view of columns": lambda xp, x: square(_tripled_through_a_view(x)),
    "put": lambda xp, x: xp.sum(_put(xp, x.copy()).T * xp.asarray(W)),
    "store by a moved slice": lambda xp, x: _moved(x * 1.0, xp.asarray(W)),
}


def _reversed_store(x):
    v = (x * 1)[::-1]
    float(v.sum())
    v[1:] -= v[:-1] * 0.3
    return v


def _tripled_through_a_view(x):
    y = x.T * 2.0
    v = y.T.reshape(-1)
    v *= 3
    return y


def _put(xp, x):
    xp.put(x, [1, -1], xp.array([5.0, 6.0]))
    return x


def _moved(x, w):
    v = x.reshape(-1)
    v[1:] *= v[:-1].copy()
    return v.sum() + (x.T * w).sum()


def differences(f, x):
    """The gradient by central differences of the function in NumPy."""
    return transforms_test.differences(lambda a: f(numpy, a), x)


class Forms(unittest.TestCase):
    def check(self, f, x):
        expected = differences(f, x)
        one = np.asarray(x)
        eager = np.grad(lambda a: f(np, a))(one)
        numpy.testing.assert_allclose(eager.__array__(), expected, rtol=1e-6, atol=1e-6)
        compiled, inner = np.compile(np.grad(lambda a: f(np, a))), np.compile(lambda a: f(np, a))
        for _ in range(2):
            self.assertEqual(compiled(one).tobytes(), eager.tobytes(), "compile(grad(f))")
            self.assertEqual(np.grad(inner)(one).tobytes(), eager.tobytes(), "grad(compile(f))")
            np.wait_for_compiles()
        direction = np.asarray(numpy.cos(numpy.arange(x.size)).reshape(x.shape))
        change = np.jvp(lambda a: f(np, a), (one,), (direction,))[1]
        numpy.testing.assert_allclose(float(change), float((eager * direction).sum()), rtol=1e-9, atol=1e-9)
        second = np.hvp(lambda a: f(np, a), (one,), (direction,))
        h = 1e-5
        gradient = np.grad(lambda a: f(np, a))
        by_differences = (gradient(one + h * direction) - gradient(one - h * direction)) / (2 * h)
        numpy.testing.assert_allclose(second.__array__(), by_differences.__array__(), rtol=1e-4, atol=1e-4)

    def test_parts_and_joins(self):
        forms = (lambda np, x: sum(np.unstack(x * x)), lambda np, x: np.split(x * x, 2)[1].sum(), lambda np, x: np.roll(x, 1)[0] * x[0],
                 lambda np, x: np.repeat(x * x, 2).sum(), lambda np, x: np.tile(x, 2)[3] * x[1], lambda np, x: np.resize(x, 7)[6] ** 2,
                 lambda np, x: np.diff(x * x)[0], lambda np, x: np.ediff1d(x * x)[0], lambda np, x: np.vstack([x, x * x])[1].sum(),
                 lambda np, x: np.trace(np.reshape(x * x, (2, 2))), lambda np, x: np.take_along_axis(x * x, np.array([1, 1]), 0).sum(),
                 lambda np, x: np.extract(np.array([True, False, True, True]), x * x).sum(), lambda np, x: np.append(x, x * x).sum(),
                 lambda np, x: np.rot90(np.reshape(x * x, (2, 2)))[0, 1], lambda np, x: np.sinc(x).sum(),
                 lambda np, x: np.broadcast_arrays(x, x * x)[1].sum(), lambda np, x: np.flip(x)[0] ** 2, lambda np, x: np.angle(1j * x + 1).sum())
        for f in forms:
            self.check(f, numpy.array([0.5, 1.5, -0.7, 2.0]))

    def test_of_vectors(self):
        for name, f in OF_VECTORS.items():
            with self.subTest(name):
                self.check(f, V.copy())

    def test_of_matrices(self):
        for name, f in OF_MATRICES.items():
            with self.subTest(name):
                self.check(f, X.copy())

    def test_stores_after_a_sum_do_not_change_its_change(self):
        def f(x):
            a = x * 1.0
            a[0] = x[1]
            y = a + 1.0
            a[1] = 0.0
            return (y * np.array([1.0, 10.0, 100.0])).sum()
        self.assertEqual(np.jvp(f, (np.array([1.0, 2.0, 3.0]),), (np.ones(3),))[1], 111.0)

    def test_second_derivatives_where_a_factor_is_zero(self):
        power = np.hessian(lambda p: p[0] ** p[1])(np.array([2.0, 0.0]))
        numpy.testing.assert_allclose(power.__array__(), [[0, 0.5], [0.5, numpy.log(2) ** 2]])
        ties = np.hessian(lambda p: np.logaddexp(p[0], p[1]))(np.array([1.0, 1.0]))
        numpy.testing.assert_allclose(ties.__array__(), [[0.25, -0.25], [-0.25, 0.25]])
        self.assertEqual(np.grad(np.logaddexp)(np.inf, np.array(np.inf)), 0.5)
        self.assertAlmostEqual(float(np.grad(np.grad(np.sinc))(0.0)), -numpy.pi ** 2 / 3)
        self.assertAlmostEqual(float(np.grad(np.grad(lambda s: np.i0(s).sum()))(0.0)), 0.5)

    def test_bounds_of_clip_belong_to_the_element(self):
        self.assertEqual(np.grad(lambda v: np.clip(v, 0.0, None).sum())(np.array([0.0, -1.0])).tolist(), [1.0, 0.0])
        self.assertEqual(np.grad(lambda v: v.clip(max=0.0).sum())(np.array([0.0, 1.0])).tolist(), [1.0, 0.0])

    def test_sweeps_leave_no_memory_to_the_collector(self):
        import gc
        import weakref
        gc.collect()
        gc.disable()
        try:
            held = []

            def f(p):
                y = p["a"] * 2.0
                held.append(weakref.ref(y))
                return square(y)
            np.grad(f)({"a": np.ones(3)})
            self.assertIsNone(held[0]())
        finally:
            gc.enable()


class Trees(unittest.TestCase):
    def test_go_by_their_names(self):
        x = np.array([1.0, 2.0])
        change = np.jvp(lambda d: d["a"] * d["b"], ({"a": x, "b": 2 * x},), ({"b": 0 * x, "a": np.ones(2)},))[1]
        self.assertEqual(change.tolist(), [2.0, 4.0])
        rows = np.vmap(lambda d: d["a"] * d["b"], in_axes=({"b": None, "a": 0},))({"a": x, "b": 3.0 * x})
        self.assertEqual(rows.tolist(), [[3.0, 6.0], [6.0, 12.0]])
        with self.assertRaises(ValueError) as raised:
            np.jvp(lambda d: d["a"], ({"a": x},), ({"c": x},))
        self.assertEqual(str(raised.exception), "[jvp] tangent 0 has another structure: the tree has entries ['c'], expected entries "
                                                "['a'].")

    def test_of_results_and_arguments(self):
        x = np.array([1.0, 2.0])
        second = np.hessian(lambda d: (d["a"] * d["b"]).sum())({"a": x, "b": x})
        self.assertEqual(second["a"]["b"].tolist(), [[1.0, 0.0], [0.0, 1.0]])
        self.assertEqual(np.hessian(lambda a, b: (a * b).sum(), argnums=(0, 1))(x, x)[0][1].tolist(), [[1.0, 0.0], [0.0, 1.0]])
        self.assertEqual(np.jacrev(lambda a: {"u": a * 2})(x)["u"].tolist(), [[2.0, 0.0], [0.0, 2.0]])
        self.assertEqual(np.jacrev(lambda a: a * (2 + 1j))(x).tolist(), [[2 + 1j, 0], [0, 2 + 1j]])
        with self.assertRaises(TypeError) as raised:
            np.hessian(lambda z: (z * z.conj()).real.sum())(x * 1j)
        self.assertEqual(str(raised.exception), "[hessian] the argument is complex, and its second derivatives make no matrix. Use vjp "
                                                "or jvp of the gradient.")

    def test_numbers_in_results_do_not_change(self):
        value, change = np.jvp(lambda a: (a * 2, 3.0), (np.ones(2),), (np.ones(2),))
        self.assertEqual((value[1], change[1]), (3.0, 0.0))


class Batches(unittest.TestCase):
    def test_of_numbers_lists_and_constants(self):
        x = np.array([1.0, 2.0, 3.0])
        self.assertEqual(np.vmap(lambda i: i * 2 + 1)(np.arange(3)).tolist(), [1, 3, 5])
        self.assertEqual(np.vmap(lambda a: np.array([a, 2 * a]))(x).tolist(), [[1, 2], [2, 4], [3, 6]])
        self.assertEqual(np.vmap(lambda a: np.stop_gradient(a) * 2)(x).tolist(), [2.0, 4.0, 6.0])
        self.assertEqual(np.grad(lambda a: np.vmap(lambda r: r * np.stop_gradient(r))(a).sum())(x).tolist(), [1.0, 2.0, 3.0])
        self.assertEqual(np.vmap(lambda a: a @ np.zeros((0, 2)))(np.zeros((3, 2, 0))).shape, (3, 2, 2))

    def test_views_are_those_of_an_example(self):
        def copied(z):
            z = z * 1.0
            c = z.T.reshape(-1)
            c[0] = 50.0
            return c, z

        def put(z):
            z = z * 1.0
            np.put(z.T, [0, 1], [0.7, 0.9])
            return z
        stack = np.arange(8.0).reshape(2, 2, 2)
        c, z = np.vmap(copied)(stack)
        self.assertEqual(c.tolist(), [[50, 2, 1, 3], [50, 6, 5, 7]])
        self.assertEqual(z.tolist(), stack.tolist())
        self.assertEqual(np.vmap(put)(stack).tolist(), [[[0.7, 1], [0.9, 3]], [[0.7, 5], [0.9, 7]]])


class Lost(unittest.TestCase):
    """What can't be followed is an error, never a silent zero."""

    def check(self, error, text, f, x=None):
        with self.assertRaises(error) as raised:
            np.grad(f)(np.array([1.0, 2.0, 3.0]) if x is None else x)
        self.assertEqual(str(raised.exception), text)

    def test_numbers_that_operations_read(self):
        end = " is read as a number, and neither derivatives nor batches go through it. Use stop_gradient."
        self.check(NotImplementedError, "[sum] initial" + end, lambda a: np.sum(a, initial=a[0]))
        self.check(NotImplementedError, "[arange] a bound or step" + end, lambda a: np.arange(0.0, a[2], 1.0).sum() + a.sum())
        self.check(NotImplementedError, "[vectorize] an argument" + end, lambda a: np.vectorize(lambda t: float(str(t)))(a).sum())

    def test_memory_that_others_get(self):
        text = ("[data] the memory of an array is asked for that depends on the arguments of a transform: what becomes of it would have "
                "no derivative. Pass stop_gradient(x), or give the code a derivative by custom_vjp.")
        self.check(NotImplementedError, text, lambda a: np.asarray(numpy.cumsum(memoryview(a * 2))).sum() + a.sum())
        self.check(NotImplementedError, text, lambda a: np.from_dlpack(a * 2).sum() + a.sum())
        self.assertEqual(np.grad(lambda a: np.asarray(numpy.asarray(np.stop_gradient(a))).sum() + a.sum())(np.ones(2)).tolist(), [1, 1])

    def test_arrays_of_numpys_that_nobody_follows(self):
        base = numpy.zeros(3)

        def added(r):
            u = base.copy()
            u += r[0]
            return numpy.sum(u) + r[1]

        def added_in_part(r):
            u = base.copy()
            u[1:] += r[0]
            return numpy.sum(u) + r[1]

        def written(r):
            u = base.copy()
            numpy.multiply(r, 2, out=u)
            return numpy.sum(u) + r[1]
        for f in (added, added_in_part, written):
            text = (f"at {__file__}:{f.__code__.co_firstlineno + 2} a value that depends on the arguments is stored into an array of "
                    "NumPy's, which nobody follows: it would have no derivative. Make the array inside of the function, as by np.zeros "
                    "or np.copy, or pass it as an argument.")
            for name, call in (("grad", np.grad(f)), ("jvp", lambda x, f=f: np.jvp(f, (x,), (numpy.ones(3),))),
                               ("grad", np.compile(np.grad(f)))):
                with self.subTest(f.__name__, call=name), self.assertRaises(NotImplementedError) as raised:
                    call(numpy.ones(3))
                self.assertEqual(str(raised.exception), f"[{name}] {text}")

        def element(r):
            u = base.copy()
            u[0] = r[0]
            return numpy.sum(u) + r[1]
        with self.assertRaises(ValueError) as raised:  # NumPy's text, with ours as its cause
            np.grad(element)(numpy.ones(3))
        self.assertIn("the memory of an array is asked for", str(raised.exception.__cause__))

        def inside(r):
            u = numpy.copy(base)
            u += r[0]
            u[1:] += r[1]
            return numpy.sum(u)
        self.assertEqual(np.grad(inside)(numpy.ones(3)).tolist(), [3.0, 2.0, 0.0])

    def test_arrays_that_custom_rules_capture(self):
        x, w = np.array([1.0, 2.0]), np.array([3.0, 4.0])

        def with_vjp(w):
            return np.sum(np.custom_vjp(lambda b: w * b, lambda b: (w * b, None), lambda _, g: (g * w,))(x))

        def with_jvp(w):
            return np.sum(np.custom_jvp(lambda b: w * b, lambda p, t: (w * p[0], w * t[0]))(x))

        def of_both(w):
            return np.sum(np.custom_vjp(lambda b: w * b, lambda b: (w[:1] * b, None), lambda _, g: (g * w,))(w * 2.0))
        text = ("a function with a derivative of its own uses an array that depends on the arguments and is none of its own: it would "
                "have no derivative. Pass it as an argument.")
        for f in (with_vjp, with_jvp, of_both):
            self.check(NotImplementedError, f"[grad] {text}", f, w)
            self.check(NotImplementedError, f"[grad] {text}", lambda w, f=f: np.sum(np.grad(lambda v: np.sum(v * v) * f(w))(x)), w)
        with self.assertRaises(NotImplementedError) as raised:
            np.jvp(with_jvp, (w,), (w,))
        self.assertEqual(str(raised.exception), f"[jvp] {text}")
        squared = np.custom_vjp(lambda b: b * b, lambda b: (b[:] * b, b), lambda b, g: (g * 2 * b[::1],))
        self.assertEqual(np.grad(lambda w: np.sum(squared(w[::-1]) * squared(x)))(w).tolist(), [24.0, 8.0])

    def test_other_threads(self):
        thrown = []

        def f(a):
            def work():
                try:
                    a * 2.0
                except ValueError as error:
                    thrown.append(str(error))
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            return a.sum()
        np.grad(f)(np.ones(3))
        self.assertEqual(thrown, ["[multiply] an array that grad follows on another thread is used here, where nobody follows it. "
                                  "Compute with it on the thread that calls grad, or pass stop_gradient(x)."])


class Texts(unittest.TestCase):
    def test_hvp_speaks_of_itself(self):
        def cube(a):
            return (a ** 3).sum()
        x, v = np.array([1.0, 2.0]), np.ones(2)
        self.assertEqual(np.hvp(cube, x, v).tolist(), [6.0, 12.0])
        self.assertEqual(np.hvp(cube, (x,), (v,)).tolist(), [6.0, 12.0])
        with self.assertRaises(ValueError) as raised:
            np.hvp(cube, x, np.ones(3))
        self.assertEqual(str(raised.exception), "[hvp] tangent 0 has shape (3,), the argument has shape (2,).")

    def test_numbers_of_arguments_beyond_an_index(self):
        with self.assertRaises(TypeError) as raised:
            np.grad(np.sum, argnums=10 ** 30)(np.ones(2))
        self.assertEqual(str(raised.exception), f"[grad] argnums has {10 ** 30}, the call has 1 positional arguments.")

    def test_rules_that_are_not_there(self):
        def doubled(x):
            return x * 2
        for custom, text in ((np.custom_vjp, "has no rules: call defvjp(fwd, bwd)."), (np.custom_jvp, "has no rule: call defjvp(rule).")):
            f = custom(doubled)
            for of_sum in (lambda x, f=f: np.sum(f(x)), lambda x, f=f: np.sum(np.vmap(f)(x))):
                with self.assertRaises(TypeError) as raised:
                    np.grad(of_sum)(np.ones(2))
                self.assertEqual(str(raised.exception), f"[{custom.__name__}] doubled {text}")

    def test_check_grads(self):
        np.testing.check_grads(lambda p, k: {"y": np.sin(p["x"]) * k, "n": np.argmax(p["x"])}, ({"x": np.array([0.5, 1.0])}, 2))
        np.testing.check_grads(lambda z: np.exp(z * 1j), (np.array([0.5 + 1j]),))
        wrong = np.custom_jvp(lambda a: a * a, lambda args, changes: (args[0] * args[0], 3 * args[0] * changes[0]))
        with self.assertRaises(AssertionError) as raised:
            np.testing.check_grads(wrong, (np.array([1.0, 2.0]),))
        self.assertRegex(str(raised.exception), r"\[check_grads\] order 1, forward: the derivative along a direction is .*, by differences")

    def test_printing_a_batched_array(self):
        with self.assertRaises(ValueError) as raised:
            np.vmap(lambda a: str(a))(np.ones((2, 3)))
        self.assertEqual(str(raised.exception), "[vmap] str() of a batched array: it stands for one example and has no values. Print "
                                                "its shape and dtype, or return it.")

    def test_explain_tells_the_way_back(self):
        def f(x):
            for _ in range(3):
                x = np.sin(x) * 1.5
                np.graph_break()
            return np.sum(x)
        x = np.linspace(0, 1, 1000)
        report = np.explain(np.compile(np.grad(f)))(x)
        self.assertEqual({graph.role for graph in report.graphs}, {"forward", "forward and backward"})
        self.assertEqual(report.tape.saved_bytes, 2 * 8000)
        self.assertIn("way back: 15.6 KiB kept in memory for it, 0 ops computed again", str(report))
        backward = np.explain(np.compile(f))(x)
        self.assertEqual({graph.role for graph in backward.graphs}, {"forward"})
        self.assertNotIn("way back", str(backward))

    def test_long_chains_with_stores_are_computed_once(self):
        def swing(t):
            a, s = np.zeros(()), np.zeros(())
            for q in t:
                s = s + 0.1 * (q - np.sin(a))
                a = a + 0.1 * s
            return a
        report = np.explain(np.compile(np.grad(swing)))(np.linspace(0, 1, 25))
        self.assertLess(report.tape.recomputed_ops, 60)
        self.assertTrue(all(len(kernel.ops) < 120 for kernel in report.kernels))

    def test_what_is_overwritten_behind_a_graph_is_not_read_by_the_way_back(self):
        """Stores that end the graph before them: what it holds for the way back is what was there then."""
        random = numpy.random.default_rng(3)

        def mask(x, v):
            x[x < 0.5] = v[x < 0.5]

        def mask_of_another(x, v):
            if x.ndim:
                v[x < 0.5] = x[x < 0.5]

        def places(x, v):
            x.reshape(-1)[np.flatnonzero(x < 0.5)] = 2.0

        def whole(x, v):
            x[...] = float(v.sum())

        def sorted_in_place(x, v):
            if x.ndim:
                x.sort()

        def drawn(x, v):
            np.random.default_rng(int(abs(float(v.sum())) * 100)).random(out=x.reshape(-1))

        for store in mask, mask_of_another, places, whole, sorted_in_place, drawn:
            for shape in (), (3,), (2, 3):
                def f(x):
                    v = x * 1.3
                    w = v * v + np.exp(v)
                    store(x, v)
                    return np.mean(np.sin(w) * w)
                x = random.uniform(-0.4, 0.9, shape)
                eagerly = numpy.asarray(np.grad(f)(np.array(x)))
                for mode in "never", "all":
                    with np.config_scope(recompute=mode):
                        compiled = np.compile(np.grad(f), backend="eager")
                        for _ in range(2):
                            made = numpy.asarray(compiled(np.array(x)))
                            self.assertEqual(made.tobytes(), eagerly.tobytes(), (store.__name__, shape, mode))


class CustomRules(unittest.TestCase):
    def test_what_is_kept_stays(self):
        exponential = np.custom_vjp(lambda a: np.exp(a), lambda a: (np.exp(a),) * 2, lambda kept, g: (g * kept,))
        in_tree = np.custom_vjp(lambda a: np.exp(a), lambda a: (lambda y: (y, {"y": y, "n": 2, "a": a}))(np.exp(a)),
                                lambda kept, g: (g * kept["y"] + 0 * kept["a"] * kept["n"],))
        x = np.array([0.5, 1.0])

        def f(a, rule):
            b = a * 1.0
            y = rule(b)
            total = (y * y).sum()
            y[0], b[1] = 7.0, 8.0
            return total + y.sum()
        expected = 2 * np.exp(x) ** 2 + np.exp(x) * np.array([0.0, 1.0])
        for rule in (exponential, in_tree):
            self.assertEqual(np.grad(lambda a: f(a, rule))(x).tolist(), expected.tolist())
            self.assertEqual(np.compile(np.grad(lambda a: f(a, rule)))(x).tolist(), expected.tolist())

    def test_plain_and_integer_arguments(self):
        x = np.array([1.0, 2.0, 3.0])
        for of_scale in (None, 1.0):
            scaled = np.custom_vjp(lambda a, s: a * s, lambda a, s: (a * s, s), lambda s, g: (g * s, of_scale))
            self.assertEqual(np.grad(lambda a: scaled(a, 2.0).sum())(x).tolist(), [2.0, 2.0, 2.0])
        taken = np.custom_jvp(lambda a, i: a[i])
        taken.defjvp(lambda args, changes: (args[0][args[1]], changes[0][args[1]]))
        self.assertEqual(np.grad(lambda a: taken(a, np.array([0, 2])).sum())(x).tolist(), [1.0, 0.0, 1.0])

    def test_under_vmap_inside_of_a_transform(self):
        product = np.custom_vjp(lambda p: p["a"] * p["b"], lambda p: (p["a"] * p["b"], p),
                                lambda p, g: ({"a": 2 * g * p["b"], "b": 3 * g * p["a"]},))  # wrong, so that it shows
        x, w = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([5.0, 6.0])

        def f(p):
            return np.sum(np.vmap(product, ({"a": 0, "b": None},))(p))
        for gradient in (np.grad(f), np.compile(np.grad(f))):
            made = gradient({"a": x, "b": w})
            self.assertEqual([made["a"].tolist(), made["b"].tolist()], [[[10.0, 12.0]] * 2, [12.0, 18.0]])
        log = np.custom_jvp(np.log, lambda args, changes: (np.log(args[0]), 7 * changes[0] / args[0]))
        self.assertEqual(np.jvp(np.vmap(log), (x,), (x,))[1].tolist(), [[7.0, 7.0]] * 2)

    def test_cotangents_are_like_their_arguments(self):
        wrong = np.custom_vjp(lambda a: a * 2, lambda a: (a * 2, None), lambda _, g: (g[:1],))
        with self.assertRaises(ValueError) as raised:
            np.grad(lambda a: wrong(a).sum())(np.ones(3))
        self.assertEqual(str(raised.exception), "[custom_vjp] cotangent 0 has shape (1,), the argument has shape (3,).")


def numpys(a, k=1.0):
    h = numpy.zeros(3)
    h[:] = numpy.tanh(a)
    return numpy.sum(h ** 2) * k


class NumpyPrograms(unittest.TestCase):
    def setUp(self):
        self.x = numpy.array([0.1, 0.2, 0.3])
        t = numpy.tanh(self.x)
        self.first, self.second = 2 * t * (1 - t * t), 2 * (1 - t * t) * (1 - 3 * t * t)

    def same(self, got, expected):
        self.assertIs(type(got), numpy.ndarray)
        numpy.testing.assert_allclose(got, expected)

    def test_all_transforms_take_and_give_numpys_arrays(self):
        self.same(np.grad(numpys)(self.x), self.first)
        self.same(np.grad(numpys)(self.x, k=2.0), 2 * self.first)
        self.same(np.hessian(numpys)(self.x), numpy.diag(self.second))
        self.same(np.hvp(numpys, (self.x,), (numpy.ones(3),)), self.second)
        self.same(np.compile(np.grad(numpys))(self.x), self.first)
        self.same(np.compile(np.vmap(numpys))(numpy.stack([self.x, self.x])), [numpys(self.x)] * 2)
        value, pull = np.vjp(lambda a: numpy.tanh(a) ** 2, self.x)
        self.same(value, numpy.tanh(self.x) ** 2)
        self.same(pull(numpy.ones(3))[0], self.first)
        value, push = np.linearize(lambda a: numpy.tanh(a) ** 2, self.x)
        self.same(push(numpy.ones(3)), self.first)
        self.assertAlmostEqual(float(np.jvp(numpys, (self.x,), (numpy.ones(3),))[1]), self.first.sum())

    def test_with_arrays_of_ours(self):
        numpy.testing.assert_allclose(np.grad(numpys)(np.asarray(self.x)).__array__(), self.first)
        both = np.grad(lambda a: numpy.sum(np.grad(numpys)(a)))
        self.same(numpy.asarray(both(self.x)), self.second)

    def test_objects_that_join_arrays(self):
        self.same(np.grad(lambda a: numpy.sum(numpy.c_[a, 2 * a] * numpy.r_[a, a].reshape(3, 2)))(self.x),
                  differences(lambda xp, a: numpy.sum(numpy.c_[a, 2 * a] * numpy.r_[a, a].reshape(3, 2)), self.x))


if __name__ == "__main__":
    unittest.main()
