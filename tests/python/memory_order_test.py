"""In which order the axes of results lie in memory: NumPy's strides, eagerly, compiled, and compiled again."""
import random
import unittest
import warnings

import numpy as np

from differential import nj, to_numpy

UNARY = ["negative", "sqrt", "exp", "absolute", "square", "rint", "isfinite", "conjugate", "logical_not"]
BINARY = ["add", "multiply", "subtract", "maximum", "divide", "less", "arctan2", "equal", "hypot"]
DTYPES = ["f8", "f8", "f4", "i4", "i8", "c16", "u1"]


def permuted(rng, shape):
    """An array of this shape whose axes lie in memory in a random order, some of them backwards or with steps."""
    axes = rng.choice([list(range(len(shape)))[::-1], rng.sample(range(len(shape)), len(shape))])
    steps = [rng.choice([2, -1, -2]) if rng.random() < 0.15 else 1 for _ in shape]
    lengths = [shape[a] * abs(steps[a]) for a in axes]
    dtype = rng.choice(DTYPES)
    memory = (np.arange(np.prod(lengths, dtype=int)) % 17 + 1).astype(dtype).reshape(lengths)
    back = [axes.index(i) for i in range(len(shape))]
    return memory.transpose(back)[tuple(slice(None, None, s) for s in steps)]


def operand(rng, full):
    """An array that broadcasts to a shape."""
    kind = rng.random()
    shape = () if kind < 0.08 else full[rng.randrange(len(full)):] if kind < 0.25 else full
    made = permuted(rng, tuple(1 if rng.random() < 0.12 else n for n in shape))
    return np.broadcast_to(made, full) if rng.random() < 0.1 else made


def program(rng, count):
    """Operations with the places of their operands; the results come after these."""
    steps = []
    for _ in range(rng.randrange(1, 5)):
        def any_place():
            return rng.randrange(count)
        steps.append(rng.choice([
            (rng.choice(UNARY), any_place()), (rng.choice(BINARY), any_place(), any_place()), (rng.choice(BINARY), any_place(), 2.0),
            (rng.choice(BINARY), any_place(), any_place()), ("where", any_place(), any_place(), any_place()),
            ("clip", any_place(), any_place()), ("transpose", any_place()), ("astype", any_place())]))
        count += 1
    return steps


def run(module, steps, arrays):
    values = list(arrays)
    for name, *places in steps:
        x = [p if isinstance(p, float) else values[p] for p in places]
        if name == "where":
            values.append(module.where(module.not_equal(x[0], 3), x[1], x[2]))
        elif name == "clip":
            values.append(module.clip(x[0], 1, x[1]))
        elif name == "astype":
            values.append(x[0].astype("f4"))
        else:
            values.append(getattr(module, name)(*x))
    return tuple(values[len(arrays):])


class MemoryOrder(unittest.TestCase):
    def setUp(self):
        nj.config.compile = "sync"

    def check(self, want, got, what):
        self.assertEqual(len(want), len(got))
        for w, g in zip(want, got):
            if np.ndim(w) == 0:
                continue
            self.assertEqual(w.strides, g.strides, what)
            self.assertEqual(w.flags.c_contiguous, g.flags.c_contiguous, what)
            self.assertEqual(w.flags.f_contiguous, g.flags.f_contiguous, what)
            np.testing.assert_allclose(to_numpy(g), w, rtol=1e-5, err_msg=str(what))

    def random_calls(self, seed, count, compiled):
        checked = 0
        for number in range(count):
            rng = random.Random(1000 * seed + number)
            full = tuple(rng.choice([2, 3, 4, 5, 7]) for _ in range(rng.choice([2, 2, 3, 3, 4])))
            arrays = [operand(rng, full) for _ in range(rng.choice([1, 2, 2, 3]))]
            if any(nj.asarray(a).strides != a.strides for a in arrays):  # of length 1: NumPy hands them out tidied
                continue
            steps = program(rng, len(arrays))
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                try:
                    want = run(np, steps, arrays)
                except (TypeError, ValueError):  # no loop for these dtypes; shapes that do not broadcast any more
                    continue
                own = [nj.asarray(a) for a in arrays]
                what = (number, steps, [(a.dtype.str, a.shape, a.strides) for a in arrays])
                if compiled:
                    fused = nj.compile(lambda *a: run(nj, steps, a))
                    for _ in range(2):
                        self.check(want, fused(*own), what)
                self.check(want, run(nj, steps, own), what)
            checked += 1
        return checked

    def test_elementwise(self):
        self.assertGreater(self.random_calls(1, 500, compiled=False), 350)

    def test_elementwise_compiled(self):
        self.assertGreater(self.random_calls(2, 25, compiled=True), 20)

    def test_graph_for_other_orders(self):
        """One compiled function, called with every order in turn."""
        def f(m, x, y):
            d = x * 2.0 - y
            return d, m.where(d > 1, x, y), d.T, m.sum(d, axis=1), m.ravel(d, order="K"), m.max(d, axis=0, keepdims=True)
        fused = nj.compile(lambda x, y: f(nj, x, y))
        x = np.arange(60.0)
        orders = [x.reshape(3, 4, 5), x.reshape(5, 4, 3).T, x.reshape(3, 5, 4).transpose(0, 2, 1), x.reshape(4, 5, 3).transpose(2, 0, 1),
                  x.reshape(4, 3, 5).transpose(1, 0, 2)[::-1]]
        for _ in range(2):
            for a in orders:
                for b in orders:
                    self.check(f(np, a, b), fused(nj.asarray(a), nj.asarray(b)), (a.strides, b.strides))

    def test_reductions_and_scans(self):
        for number in range(300):
            rng = random.Random(number)
            name = rng.choice(["sum", "prod", "max", "min", "any", "all", "cumsum", "cumprod", "argmax", "mean", "var"])
            least = 2 if name in ("mean", "var") else 1  # there the strides of axes of length 1 may differ
            shape = tuple(rng.randrange(least, 6) for _ in range(rng.choice([2, 3, 4])))
            a = permuted(rng, shape)
            options = {"axis": rng.randrange(len(shape))}
            if name in ("sum", "prod", "max", "min", "any", "all"):
                options["axis"] = rng.choice([options["axis"], tuple(rng.sample(range(len(shape)), rng.randrange(1, len(shape))))])
                options["keepdims"] = rng.random() < 0.3
            if a.dtype.kind == "c" and name in ("max", "min", "argmax"):
                continue
            with np.errstate(all="ignore"):
                self.check([getattr(np, name)(a, **options)], [getattr(nj, name)(nj.asarray(a), **options)],
                           (name, options, a.dtype, a.shape, a.strides))

    def test_copies_and_likes(self):
        # What NumPy's empty arrays hold is left to chance: integers, of which no zero is NaN.
        calls = [lambda m, x: m.empty_like(x, dtype="i8") * 0, lambda m, x: m.zeros_like(x), lambda m, x: m.ones_like(x, dtype="i4"),
                 lambda m, x: m.full_like(x, 3), lambda m, x: m.zeros_like(x, order="C"), lambda m, x: m.copy(x), lambda m, x: x.copy(),
                 lambda m, x: x.copy("K"), lambda m, x: x.copy("F"), lambda m, x: x.copy("A"), lambda m, x: x.astype("f4"),
                 lambda m, x: x.astype("f8"), lambda m, x: m.array(x), lambda m, x: m.asarray(x, dtype="f4")]
        a = np.arange(24.0).reshape(2, 3, 4)
        layouts = [a, a.T, a.transpose(1, 0, 2), a.transpose(2, 0, 1)[::-1], a[:, ::2], a.T[:, :1], a.T[..., 0],
                   np.broadcast_to(a[0], (2, 3, 4)), np.arange(20.0).reshape(4, 1, 5).T]
        for i, call in enumerate(calls):
            for x in layouts:
                self.check([call(np, x)], [call(nj, nj.asarray(x))], (i, x.shape, x.strides))
                self.check([call(np, x)], [nj.compile(lambda y: call(nj, y))(nj.asarray(x))], (i, x.shape, x.strides))

    def test_what_moves_elements(self):
        for number in range(300):
            rng = random.Random(number)
            shape = tuple(rng.randrange(3, 6) for _ in range(rng.choice([2, 3, 4])))
            a, b = permuted(rng, shape), permuted(rng, shape)
            if rng.random() < 0.5:
                b = a[::-1]
            axis = rng.randrange(-len(shape), len(shape))
            calls = [lambda m, x, y: m.concatenate([x, y], axis), lambda m, x, y: m.concatenate([x, y, x], axis, dtype="c16"),
                     lambda m, x, y: m.stack([x, y], axis), lambda m, x, y: m.vstack([x, y]), lambda m, x, y: m.hstack([y, x]),
                     lambda m, x, y: m.roll(x, 2, axis), lambda m, x, y: m.roll(x, (1, 2), (0, 1)), lambda m, x, y: m.roll(x, 3),
                     lambda m, x, y: m.sort(x, axis), lambda m, x, y: m.argsort(x, axis, kind="stable"), lambda m, x, y: m.sort(x, axis=None),
                     lambda m, x, y: m.partition(x, range(3), axis), lambda m, x, y: m.diff(x, axis=axis), lambda m, x, y: m.append(x, y, axis)]
            places, others = (permuted(rng, (2, 3)).real.astype(kind, order="K") % 3 for kind in ("i8", "i4"))
            calls += [lambda m, x, y: x[m.asarray(places)], lambda m, x, y: x[:, m.asarray(places)], lambda m, x, y: m.ravel(x)[m.asarray(others)],
                      lambda m, x, y: x[m.asarray(places), m.asarray(others)], lambda m, x, y: x[..., [2, 0]],
                      lambda m, x, y: m.take(x, m.asarray(places), axis), lambda m, x, y: m.compress([True, False, True], x, axis),
                      lambda m, x, y: m.insert(x, 1, 5, axis), lambda m, x, y: m.insert(x, [0, 2], 5, axis), lambda m, x, y: m.delete(x, 1, axis),
                      lambda m, x, y: m.delete(x, [0, 2], axis), lambda m, x, y: m.delete(x, slice(0, 1), axis),
                      lambda m, x, y: m.piecewise(x, [m.asarray(a > 3)], [1, 2]), lambda m, x, y: m.gradient(x * 1.0, axis=axis),
                      lambda m, x, y: m.select([x > 3, y > 5], [x, y]), lambda m, x, y: m.cross(x[..., :3], y[..., :3]),
                      lambda m, x, y: m.fft.fft(x, axis=axis), lambda m, x, y: m.fft.rfft(x.real, 7, axis=axis), lambda m, x, y: m.round(x, 1),
                      lambda m, x, y: m.round(x), lambda m, x, y: m.nan_to_num(x), lambda m, x, y: m.sinc(x), lambda m, x, y: m.nanmean(x, axis),
                      lambda m, x, y: m.linalg.norm(x, axis=axis)]
            if x_in_columns := a.flags.f_contiguous:
                calls.append(lambda m, x, y: m.pad(x, ((1, 2),) + ((0, 1),) * (len(shape) - 1), constant_values=3))
                calls.append(lambda m, x, y: m.pad(x, 2, "edge"))
            for i, call in enumerate(calls):
                if "partition" in str(call.__code__.co_names) and np.partition(a, range(3), axis).tolist() != np.sort(a, axis).tolist():
                    continue  # behind the chosen places any order will do
                what = (number, i, axis, x_in_columns, a.dtype.str, shape, a.strides, b.strides)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    want = call(np, a, b)
                    self.check([want], [call(nj, nj.asarray(a), nj.asarray(b))], what)
                    if number % 30 == 0:
                        fused = nj.compile(lambda x, y: call(nj, x, y))
                        for _ in range(2):
                            self.check([want], [fused(nj.asarray(a), nj.asarray(b))], what)

    def test_order_of_ufuncs(self):
        a = np.arange(24.0).reshape(2, 3, 4)
        for x in (a, a.T, a.transpose(1, 0, 2)[:, ::-1]):
            for order in "CFAK":
                self.check([np.add(x, 1, order=order)], [nj.add(nj.asarray(x), 1, order=order)], (order, x.strides))
                out, own = np.zeros(x.shape), nj.zeros(x.shape)
                np.add(x, 1, out=out)
                self.check([out], [nj.add(nj.asarray(x), 1, out=own)], x.strides)
                self.assertEqual(own.strides, out.strides)


class Ravel(unittest.TestCase):
    def test_is_a_view_of_what_lies_in_order_and_else_a_copy(self):
        makers = (lambda n: n.arange(3.0), lambda n: n.arange(6.0)[::2], lambda n: n.arange(6.0)[::-1], lambda n: n.arange(6.0).reshape(2, 3),
                  lambda n: n.arange(6.0).reshape(2, 3).T, lambda n: n.arange(24.0).reshape(2, 3, 4).transpose(1, 0, 2),
                  lambda n: n.array(3.0), lambda n: n.zeros((2, 0)))
        for make in makers:
            for order in "CFAK":
                theirs, ours = make(np), make(nj)
                flat, own = np.ravel(theirs, order=order), nj.ravel(ours, order=order)
                flat[:1], own[:1] = 9, 9
                self.assertEqual((own.tolist(), ours.tolist()), (flat.tolist(), theirs.tolist()), (order, theirs))


if __name__ == "__main__":
    unittest.main()
