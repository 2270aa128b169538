"""Derivatives in Python: trees of arguments, NumPy programs as they are, errors word by word."""
import collections
import dataclasses
import unittest

import numpy
import numjit as np


@dataclasses.dataclass
class Layer:
    w: object
    b: object
    name: str = "layer"


Pair = collections.namedtuple("Pair", "left right")


def differences(f, x, h=1e-6):
    """The gradient of f at a NumPy array, by central differences."""
    made = numpy.zeros_like(x)
    for i in numpy.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[i] += h
        down[i] -= h
        made[i] = (float(f(up)) - float(f(down))) / (2 * h)
    return made


class Grad(unittest.TestCase):
    def test_stores_branches_and_masks(self):
        def f(x):
            y = np.zeros(4)
            for i in range(4):
                y[i] = x[i] * x[i]
            y[1:3] *= x[0]
            if y[0] > 0.1:
                y += np.sin(y)
            y[y > 1] = 2 * y[y > 1]
            return (y * np.arange(4.0)).sum()
        start = numpy.array([0.7, -0.4, 1.3, 0.2])
        expected = differences(lambda x: f(np.array(x)), start)
        numpy.testing.assert_allclose(numpy.asarray(np.grad(f)(np.array(start))), expected, rtol=1e-6)
        compiled = np.compile(np.grad(f))
        for _ in range(3):
            self.assertEqual(compiled(np.array(start)).tobytes(), np.grad(f)(np.array(start)).tobytes())
            np.wait_for_compiles()
        inner = np.compile(f)
        for _ in range(3):
            self.assertEqual(np.grad(inner)(np.array(start)).tobytes(), np.grad(f)(np.array(start)).tobytes())

    def test_operators_and_scalars(self):
        def f(x):
            a, b = x[0], x[1]  # scalars
            c = a * b + 2.0 ** a - b / a + abs(b) + (-a) ** 2 + a % 0.3 + divmod(b, 0.7)[1]
            return c * x[2] + np.float64(3.0) * a - 1 + np.sqrt(a) * x.T[1] + x.mean() + x.max() * x.min()
        start = numpy.array([0.7, 1.45, 1.3])
        expected = differences(lambda x: f(np.array(x)), start)
        numpy.testing.assert_allclose(numpy.asarray(np.grad(f)(np.array(start))), expected, rtol=1e-6)

    def test_python_floats_and_scalars_are_arguments(self):
        self.assertEqual(np.grad(lambda x: x * x)(3.0), 6.0)
        self.assertIs(type(np.grad(lambda x: x * x)(3.0)), np.float64)
        self.assertEqual(np.grad(np.sin)(np.float64(0.0)), 1.0)
        self.assertEqual(np.value_and_grad(lambda x: x ** 3)(2.0), (8.0, 12.0))

    def test_trees(self):
        def f(p, x):
            return (p["w"] * x + p["layers"][0].w * p["layers"][0].b + p["pair"].left[0]).sum()
        x = np.array([1.0, 2.0])
        parameters = {"w": np.array([3.0, 4.0]), "layers": [Layer(np.array([1.0, 1.0]), np.array([2.0, 3.0]))],
                      "pair": Pair((np.float64(1.0), "text"), None), "scale": 7}
        g = np.grad(f)(parameters, x)
        self.assertEqual(g["w"].tolist(), [1.0, 2.0])
        self.assertEqual((g["layers"][0].w.tolist(), g["layers"][0].b.tolist(), g["layers"][0].name), ([2.0, 3.0], [1.0, 1.0], "layer"))
        self.assertEqual((g["pair"].left[0], g["pair"].left[1], g["pair"].right, g["scale"]), (2.0, "text", None, 7))
        gp, gx = np.grad(f, argnums=(0, 1))(parameters, x)
        self.assertEqual(gx.tolist(), [3.0, 4.0])
        self.assertEqual(np.tree.map(lambda a, b: a + b, [1.0, (2.0,)], [10.0, (20.0,)]), [11.0, (22.0,)])

    def test_aux_and_keywords(self):
        def f(x, *, power=2):
            return (x ** power).sum(), {"x": x}
        g, aux = np.grad(f, has_aux=True)(np.array([1.0, 2.0]), power=3)
        self.assertEqual((g.tolist(), aux["x"].tolist()), ([3.0, 12.0], [1.0, 2.0]))
        (value, aux), g = np.value_and_grad(f, has_aux=True)(np.array([1.0, 2.0]))
        self.assertEqual((value, g.tolist()), (5.0, [2.0, 4.0]))


class NumpyPrograms(unittest.TestCase):
    def test_as_they_are(self):
        def f(x, w):
            h = numpy.zeros(3)
            h[:] = numpy.tanh(w @ x)
            h[0] += x.sum()
            return numpy.sum(numpy.where(h > 0, h, 0.1 * h) ** 2)
        rng = numpy.random.default_rng(1)
        x, w = rng.standard_normal(3), rng.standard_normal((3, 3))
        gx, gw = np.grad(f, argnums=(0, 1))(x, w)
        self.assertIs(type(gx), numpy.ndarray)
        numpy.testing.assert_allclose(gx, differences(lambda a: f(a, w), x), rtol=1e-5, atol=1e-8)
        numpy.testing.assert_allclose(gw, differences(lambda a: f(x, a), w), rtol=1e-5, atol=1e-8)
        value, _ = np.value_and_grad(f)(x, w)
        self.assertIs(type(value), numpy.float64)
        self.assertEqual(value, f(x, w))

    def test_jacobian(self):
        j = np.jacobian(lambda x: numpy.sin(x) * x[0])(numpy.array([0.3, 0.5]))
        self.assertIs(type(j), numpy.ndarray)
        numpy.testing.assert_allclose(j, [[numpy.cos(0.3) * 0.3 + numpy.sin(0.3), 0], [numpy.sin(0.5), numpy.cos(0.5) * 0.3]])


class Others(unittest.TestCase):
    def test_vjp_jvp_and_linearize(self):
        x = np.array([0.5, 1.0])
        y, pull = np.vjp(lambda a, b: (a * b, a.sum()), x, np.array([2.0, 3.0]))
        self.assertEqual(y[0].tolist(), [1.0, 3.0])
        ga, gb = pull((np.array([1.0, 1.0]), np.float64(10.0)))
        self.assertEqual((ga.tolist(), gb.tolist()), ([12.0, 13.0], [0.5, 1.0]))
        y, dy = np.jvp(lambda a: {"out": a * a}, (x,), (np.array([1.0, 0.0]),))
        self.assertEqual(dy["out"].tolist(), [1.0, 0.0])
        y, push = np.linearize(lambda a: a * a, x)
        self.assertEqual(push(np.array([1.0, 2.0])).tolist(), [1.0, 4.0])
        self.assertEqual(np.hvp(lambda a: (a ** 3).sum(), (x,), (np.ones(2),)).tolist(), [3.0, 6.0])
        self.assertEqual(np.hessian(lambda a: (a ** 3).sum())(x).tolist(), [[3.0, 0.0], [0.0, 6.0]])
        for jacobian in (np.jacfwd, np.jacrev, np.jacobian):
            self.assertEqual(jacobian(lambda a: a * a)(x).tolist(), [[1.0, 0.0], [0.0, 2.0]])
        self.assertEqual(np.grad(lambda a: (a * np.stop_gradient(a)).sum())(x).tolist(), [0.5, 1.0])

    def test_sequences_iteration_and_fancy_indices(self):
        def f(x):
            total = 0.0
            for row in x:
                total = total + row[::-1] @ row
            total += sum(v for v in x[0]) + np.stack([x[1], x[0]])[0, 1] + x[[0, 1], [1, 0]].sum() * x.flat[2]
            x2 = x.copy()
            x2[[0, 1, 0]] += 1.5 * x[1]
            np.add.at(x2, [0, 0], x[1])
            return total + (x2 ** 2).sum() + np.sort(x2, axis=None)[1] + x2.reshape(-1)[3] + np.einsum("ij,ij->", x, x2)
        start = numpy.array([[0.3, -0.4], [0.9, 0.2]])
        expected = differences(lambda a: f(np.array(a)), start)
        numpy.testing.assert_allclose(numpy.asarray(np.grad(f)(np.array(start))), expected, rtol=1e-5, atol=1e-8)


class Vmap(unittest.TestCase):
    def test_against_the_loop(self):
        x, w = numpy.random.default_rng(1).standard_normal((3, 4)), numpy.random.default_rng(2).standard_normal((4, 4))

        def f(row, weights):
            z = np.zeros(4)
            for i in range(4):
                z[i] = row[i] * row[3 - i]
            z[1:] += np.tanh(weights @ row)[:-1]
            return {"z": z, "total": z.sum()}
        made = np.vmap(f, in_axes=(0, None))(np.array(x), np.array(w))
        for i in range(3):
            one = f(np.array(x[i]), np.array(w))
            numpy.testing.assert_allclose(numpy.asarray(made["z"][i]), numpy.asarray(one["z"]), rtol=1e-12)
            numpy.testing.assert_allclose(float(made["total"][i]), float(one["total"]), rtol=1e-12)
        moved = np.vmap(lambda a: a * 2, in_axes=1, out_axes=1)(np.array(x))
        self.assertEqual(moved.tolist(), (x * 2).tolist())
        trees = np.vmap(lambda t: t["a"] + t["b"], in_axes=({"a": 0, "b": None},))({"a": np.array(x), "b": np.array(x[0])})
        self.assertEqual(trees.tolist(), (x + x[0]).tolist())

    def test_of_gradients_of_numpy_programs(self):
        x = numpy.random.default_rng(1).standard_normal((5, 3))
        gradients = np.vmap(np.grad(lambda row: numpy.sum(numpy.sin(row) * row)))(x)
        self.assertIs(type(gradients), numpy.ndarray)
        numpy.testing.assert_allclose(gradients, numpy.cos(x) * x + numpy.sin(x))

    def test_views_at_places_of_each_example(self):
        """x[np.argmin(...)] shows its part of x, as without a batch: what is stored into the one is in the other."""
        def twice(x):
            row = x[np.argmin(x[:, 0])]
            row *= 2
            return np.sum(x * x)

        def one_and_another(x):
            row, other = x[np.argmin(x[:, 0])], x[np.argmax(x[:, 1])]
            row[1:] += other[:-1]
            x[0] = row * 3
            other -= row
            return np.sum(x * x) + np.sum(row * other)

        def updated(x):
            i = np.argmin(x[:, 0])
            x[i] *= 3
            x[i, 1:] += x[i, :-1]
            return np.sum(x * x)

        def column(x):
            y, i = x * 2, np.argmin(x[:, 0])
            part = y[1:, i % 2]
            y += 1
            part[0] = 4
            return np.sum(y * part[0]) + np.sum(part * part)

        def made_inside(x):
            y = np.ones((2, 3))
            row = y[np.argmin(x[:, 0]) % 2]
            y += 1
            row *= x[0]
            y[1] = 2
            return np.sum(y * y) + row.sum()

        stack = np.array(numpy.random.default_rng(0).standard_normal((3, 3, 3)))
        for f in twice, one_and_another, updated, column, made_inside:
            for g in f, np.grad(f):
                alone = numpy.stack([numpy.asarray(g(np.array(x))) for x in stack])
                for way in np.vmap(g), np.compile(np.vmap(g), backend="eager"):
                    self.assertEqual(numpy.asarray(way(np.array(stack))).tobytes(), alone.tobytes(), f.__name__)

    def test_what_is_a_view_goes_by_how_an_example_lies(self):
        def f(x):
            y = x.T + 1
            y.reshape(-1)[1] = 7  # of a copy: y lies in Fortran order
            z = x * 2
            z.reshape(-1)[1] = 7
            return y.sum() + 3 * z.sum()
        for stack in numpy.arange(12.0).reshape(2, 2, 3), numpy.arange(12.0).reshape(2, 3, 2).transpose(0, 2, 1):
            alone = [float(f(np.array(stack)[k])) for k in range(2)]
            self.assertEqual(np.vmap(f)(np.array(stack)).tolist(), alone)

    def test_errors(self):
        x = np.ones((2, 3))
        for call, text in ((lambda a: float(a[0]), "float"), (lambda a: bool(a[0] > 0), "bool"), (lambda a: a.tolist(), "tolist")):
            with self.assertRaisesRegex(ValueError, rf"\[vmap\] {text}\(\) of a batched array: each example may branch its own way"):
                np.vmap(call)(x)
        with self.assertRaisesRegex(ValueError, r"\[vmap\] axis sizes differ: argument 0 has 2 along axis 0, argument 1 has 4\."):
            np.vmap(lambda a, b: a)(x, np.ones(4))

    def test_gradients_have_the_bits_of_a_loop(self):
        """`v[1:] *= ...` ends with a store of v[1:] into itself, which is none in a batch either: what comes to x adds up in one
        order."""
        def element(x, z):
            z, v = z.copy(), x.reshape(-1)
            v[1:] *= v[:-1].copy()
            z[...] += x
            return (v * v).sum() + (z * z).sum() + np.sum(x * 0.6739)

        def row(x, z):
            z, v = z.copy(), x.copy()
            u = v.reshape(2, -1)
            u.shape = (-1,)
            u[1:] += z[0]
            v[...] *= x
            return (u * v).sum() + (u * x).sum() + (v * v * 0.3).sum()

        random = numpy.random.default_rng(0)
        for f, shape in (element, ()), (row, (8,)):
            for _ in range(20):
                gradient = np.grad(f)
                x, z = np.array(random.standard_normal((3, *shape))), np.array(random.standard_normal(13))
                together = np.asarray(np.vmap(lambda a: gradient(a, z))(x))
                alone = [numpy.asarray(gradient(np.array(a), z)) for a in x]
                self.assertEqual(together.tobytes(), numpy.array(alone).tobytes(), f.__name__)


class Custom(unittest.TestCase):
    def test_custom_vjp(self):
        @np.custom_vjp
        def clipped(x):
            """Its own words."""
            return x * 1
        clipped.defvjp(lambda x: (x * 1, None), lambda kept, g: (np.clip(g, -1, 1),))
        x = np.array([1.0, 2.0])
        self.assertEqual((clipped(x).tolist(), clipped.__doc__), ([1.0, 2.0], "Its own words."))
        self.assertEqual(np.grad(lambda a: (clipped(a) * np.array([5.0, -0.5])).sum())(x).tolist(), [1.0, -0.5])
        two = np.custom_vjp(lambda a, b: a * b, lambda a, b: (a * b, b), lambda b, g: (g * b,))
        with self.assertRaises(ValueError) as raised:
            np.grad(lambda a: two(a, a).sum())(x)
        self.assertEqual(str(raised.exception), "[custom_vjp] bwd gave 1 cotangent, the function has 2 arguments.")
        ints = np.custom_vjp(lambda a, n: a * n, lambda a, n: (a * n, n), lambda n, g: (g * n, None))
        self.assertEqual(np.grad(lambda a: ints(a, 3).sum())(x).tolist(), [3.0, 3.0])

    def test_custom_jvp(self):
        @np.custom_jvp
        def safe_log(x):
            return np.log(x)
        safe_log.defjvp(lambda args, changes: (np.log(args[0]), changes[0] / np.maximum(args[0], 0.5)))
        x = np.array([0.1, 2.0])
        f = lambda a: safe_log(a).sum()  # noqa: E731
        self.assertEqual(np.grad(f)(x).tolist(), [2.0, 0.5])
        self.assertEqual(float(np.jvp(f, (x,), (np.ones(2),))[1]), 2.5)
        self.assertEqual(float(np.linearize(f, x)[1](np.ones(2))), 2.5)
        self.assertEqual(np.grad(lambda a: np.grad(f)(a).sum())(x).tolist(), [0.0, -0.25])


class Errors(unittest.TestCase):
    def check(self, error, text, call):
        with self.assertRaises(error) as raised:
            call()
        self.assertEqual(str(raised.exception), text)

    def test_texts(self):
        x = np.array([1.0, 2.0])
        self.check(TypeError, "[grad] argument 0['w'][2] has dtype int64, expected float16, float32, float64, complex64 or complex128: "
                              "integers have no derivative. Cast it, as in x.astype(float64).",
                   lambda: np.grad(lambda p: p["w"][0].sum())({"w": [x, x, np.arange(2)]}))
        self.check(ValueError, "[grad] the function returned shape (2,), expected a real 0-D array. Return a sum or mean, or use vjp or "
                               "jacobian.", lambda: np.grad(lambda a: a * 2)(x))
        self.check(TypeError, "[grad] the function returned a Python float, expected a real 0-D array: float() of an array gives a "
                              "constant. Return the array.", lambda: np.grad(lambda a: float(a.sum()) * 2)(x))
        self.check(TypeError, "[grad] argument 0 holds no array: got 'int', expected arrays of a float or complex dtype, or a float.",
                   lambda: np.grad(lambda a: a * 2.0)(3))
        self.check(TypeError, "[grad] argnums has 1, the call has 1 positional arguments.", lambda: np.grad(lambda a: a.sum(), argnums=1)(x))
        self.check(TypeError, "[grad] got an object of type 'int', expected a function.", lambda: np.grad(3))
        self.check(NotImplementedError, "[grad] no derivative of 'poisson' is known. Use stop_gradient, or give one by custom_vjp.",
                   lambda: np.grad(lambda a: np.random.default_rng(1).poisson(a).sum())(x))
        self.check(ValueError, "[vjp] cotangent 0 has shape (3,), the result has shape (2,).", lambda: np.vjp(np.sin, x)[1](np.ones(3)))

    def test_a_number_that_was_read_is_a_constant(self):
        with self.assertWarnsRegex(RuntimeWarning, r"the result depends on no argument, but the value of an array that does was read at .*transforms_test.py"):
            g = np.grad(lambda a: np.array(float(a.sum())) * 2.0)(np.array([1.0]))
        self.assertEqual(g.tolist(), [0.0])

    def test_levels_end_with_errors(self):
        def fails(a):
            raise KeyError("user")
        with self.assertRaises(KeyError):
            np.grad(fails)(np.array([1.0]))
        self.assertEqual((np.array([1.0]) * 2).tolist(), [2.0])
        self.assertEqual(np.grad(lambda a: (a * a).sum())(np.array([1.0])).tolist(), [2.0])


if __name__ == "__main__":
    unittest.main()
