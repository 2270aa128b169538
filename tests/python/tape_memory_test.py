"""What derivatives keep: np.checkpoint and config.tape_memory; draws of random numbers under transforms."""
import gc
import threading
import unittest

import numpy
import numjit as np


def layer(x):
    y = np.sin(x) * np.exp(-x * x)
    y = np.where(y > 0.1, y * y, 0.3 * y)
    return np.tanh(y) / (1 + y * y)


def loop(u, steps, seed=0):
    """A state that is stored into, reads, draws and branches."""
    rng = np.random.default_rng(seed)
    u, total = u.copy(), 0.0
    for i in range(steps):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = u + 0.01 * np.sin(3 * u) * rng.normal(1.0, 0.1, u.shape)
        if i % 7 == 0 and float(u.max()) > 0.4:
            u[u > 0.4] *= 0.5
        total = total + (u * u).mean()
    return total + u.sum()


class Checkpoint(unittest.TestCase):
    def test_is_called_once(self):
        told = []

        @np.checkpoint
        def twice(x, *, scale):
            """Told."""
            told.append(float(x[0]))
            return {"y": layer(layer(x * scale)), "n": len(told)}
        x = np.linspace(-1, 1, 50)
        plain = np.grad(lambda a: layer(layer(a * 2.0)).sum())(x)
        made = np.grad(lambda a: twice(a, scale=2.0)["y"].sum())(x)
        self.assertEqual(made.tolist(), plain.tolist())
        self.assertEqual(told, [-1.0])
        self.assertEqual((twice.__name__, twice.__doc__), ("twice", "Told."))
        self.assertEqual(twice(x, scale=1.0)["n"], 2)  # without derivatives

    def test_nested_and_compiled(self):
        x = np.linspace(-1, 1, 64)

        def deep(a, wrap):
            for _ in range(6):
                a = wrap(layer)(a)
            return a
        plain = np.grad(lambda a: deep(a, lambda f: f).sum())(x)
        nested = np.checkpoint(lambda a: deep(a, np.checkpoint))
        compiled = np.compile(np.grad(lambda a: nested(a).sum()))
        for made in (np.grad(lambda a: nested(a).sum())(x), compiled(x), compiled(x)):
            self.assertEqual(made.tolist(), plain.tolist())

    def test_of_numpy_programs(self):
        def f(x):
            @np.checkpoint
            def inner(a):
                b = numpy.zeros(4)
                b[1:] = numpy.tanh(a) * a
                return b
            return numpy.sum(inner(x) ** 2)
        x = numpy.array([0.3, 0.5, -0.7])
        expected = numpy.tanh(x) * x
        gradient = np.grad(f)(x)
        self.assertIs(type(gradient), numpy.ndarray)
        numpy.testing.assert_allclose(gradient, 2 * expected * (numpy.tanh(x) + x * (1 - numpy.tanh(x) ** 2)), rtol=1e-12)

    def test_explain_tells_of_it(self):
        def f(x, wrap):
            for _ in range(3):
                x = wrap(layer)(x)
                np.graph_break()
            return x.sum()
        x = np.linspace(0, 1, 1000)
        kept = np.explain(np.compile(np.grad(lambda a: f(a, lambda g: g))))(x)
        thinned = np.explain(np.compile(np.grad(lambda a: f(a, np.checkpoint))))(x)
        self.assertEqual((kept.tape.thinned_segments, thinned.tape.thinned_segments), (0, 3))
        self.assertLessEqual(thinned.tape.saved_bytes, 2 * 8000)
        self.assertLess(thinned.tape.saved_bytes, kept.tape.saved_bytes)
        self.assertIn("3 segments thinned", str(thinned))

    def test_what_is_no_function(self):
        with self.assertRaises(TypeError) as raised:
            np.checkpoint(3)
        self.assertEqual(str(raised.exception), "[checkpoint] got an object of type 'int', expected a function.")


class TapeMemory(unittest.TestCase):
    def test_bits_do_not_depend_on_it(self):
        u = np.linspace(-1, 1, 200)
        run = np.grad(lambda a: loop(a, 60))
        expected = run(u).tolist()
        for size in (1, 5000, 20000):
            with np.config_scope(tape_memory=size):
                self.assertEqual(run(u).tolist(), expected, size)
        compiled = np.compile(run)
        with np.config_scope(tape_memory=8000):
            for _ in range(3):
                self.assertEqual(compiled(u).tolist(), expected)

    def test_values_that_are_kept(self):
        clipped = np.custom_vjp(lambda a: a * 1.0, lambda a: (a * 1.0, a), lambda a, g: (np.clip(g, -0.1, 0.1) * a,))

        def f(x):
            for i in range(8):
                x = clipped(x * x + 0.1)
                x = x[::-1] * np.random.default_rng(i).exponential((x * x).sum(), 4)
                x = x / (1 + np.linalg.norm(x)) + 0.1 * np.sort(x)
            return x.sum()
        x = np.array([0.5, -0.3, 0.8, 0.1])
        expected = np.grad(f)(x).tolist()
        with np.config_scope(tape_memory=1):
            self.assertEqual(np.grad(f)(x).tolist(), expected)
            self.assertEqual(np.value_and_grad(np.checkpoint(f))(x)[1].tolist(), expected)
            _, pull = np.vjp(f, x)
            self.assertEqual([pull(np.array(1.0))[0].tolist() for _ in range(2)], [expected, expected])

    def test_outlives_reset_and_its_function(self):
        u = np.linspace(-1, 1, 100)
        expected = np.grad(lambda a: loop(a, 30))(u).tolist()
        for compiled in (False, True):
            with np.config_scope(tape_memory=2000):
                f = np.compile(lambda a: loop(a, 30)) if compiled else lambda a: loop(a, 30)
                _, pull = np.vjp(f, u)
                del f
                np.reset()
                gc.collect()
                self.assertEqual([pull(np.array(1.0))[0].tolist() for _ in range(2)], [expected] * 2)

    def test_goes_back_on_another_thread(self):
        u, made = np.linspace(-1, 1, 100), []
        expected = np.grad(lambda a: loop(a, 30))(u).tolist()
        with np.config_scope(tape_memory=2000):
            _, pull = np.vjp(lambda a: loop(a, 30), u)
        thread = threading.Thread(target=lambda: made.append(pull(np.array(1.0))[0].tolist()))
        thread.start()
        thread.join()
        self.assertEqual(made, [expected])

    def test_is_a_setting(self):
        with self.assertRaises(ValueError) as raised:
            np.config.tape_memory = -1
        self.assertIn("tape_memory", str(raised.exception))


class Draws(unittest.TestCase):
    def test_in_numpy_programs(self):
        def f(p):
            return numpy.sum(numpy.random.default_rng(3).normal(p[0], p[1], 5))
        p = numpy.array([1.0, 2.0])
        z = numpy.random.default_rng(3).standard_normal(5)
        numpy.testing.assert_allclose(np.grad(f)(p), [5.0, z.sum()], rtol=1e-14)
        numpy.testing.assert_allclose(np.value_and_grad(f)(p)[0], f(p), rtol=1e-14)

        def one(p):
            return numpy.random.default_rng(3).normal(p[0], p[1]) * numpy.random.default_rng(4).exponential(p[1])
        z, e = numpy.random.default_rng(3).standard_normal(), numpy.random.default_rng(4).standard_exponential()
        numpy.testing.assert_allclose(np.grad(one)(p), [e * 2.0, e * (1 + 4 * z)], rtol=1e-14)

    def test_randomness(self):
        def f(a):
            return a * numpy.random.default_rng(5).random()
        x = numpy.ones(3)
        numpy.testing.assert_array_equal(np.vmap(f, randomness="different")(x), numpy.random.default_rng(5).random(3))
        numpy.testing.assert_array_equal(np.vmap(f, randomness="same")(x), [numpy.random.default_rng(5).random()] * 3)


if __name__ == "__main__":
    unittest.main()
