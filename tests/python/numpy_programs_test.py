"""np.compile of functions written for NumPy, as they are: results, what becomes of arguments, NumPy left alone, what is said.

The programs (docs/programs and tests/python/numpy_programs) run unmodified, with NumPy for `np`.
"""
# ctest: TIMEOUT 900
import collections
import dataclasses
import functools
import importlib.util
import json
import sys
import threading
import types
import unittest
import warnings
from pathlib import Path

import numpy as np
import numpy.linalg as la
from numpy import cos, pi

import numjit as nj

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "numpy_programs"
COUNTS = FOLDER / "counts.json"  # written by `python tests/python/numpy_programs_test.py --write-counts`
sys.path[:0] = [str(HERE.parent / "ported"), str(FOLDER)]
import programs as ported  # noqa: E402


def names():
    return ported.names() + sorted(path.stem for path in FOLDER.glob("[a-z]*.py"))


def load(name):
    """A program as a module in which `np` is NumPy."""
    if name in ported.names():
        return ported.load(name, np)
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def difference(got, want, path="result", part=0.0):
    """Where one value is not the other: types, dtypes, shapes, elements (to a part of the largest), and what objects hold."""
    if type(got) is not type(want):
        return f"{path}: got {type(got)}, expected {type(want)}"
    if isinstance(want, (np.ndarray, np.generic)):
        if got.dtype != want.dtype or got.shape != want.shape:
            return f"{path}: got {got.dtype}{got.shape}, expected {want.dtype}{want.shape}"
        if want.dtype.kind in "fc" and part:
            part *= 1e4 if want.dtype.itemsize < 8 else 1
            finite = np.abs(want)[np.isfinite(want)]
            equal = np.allclose(got, want, rtol=part, atol=part * np.max(finite, initial=0), equal_nan=True)
        else:
            equal = np.array_equal(got, want, equal_nan=want.dtype.kind in "fc")
        return "" if equal else f"{path}: got {got!r}, expected {want!r}"
    if isinstance(want, (list, tuple)):
        if len(got) != len(want):
            return f"{path}: {len(got)} items, expected {len(want)}"
        return next(filter(None, (difference(g, w, f"{path}[{i}]", part) for i, (g, w) in enumerate(zip(got, want)))), "")
    if isinstance(want, dict):
        if list(got) != list(want):
            return f"{path}: keys {list(got)}, expected {list(want)}"
        return next(filter(None, (difference(got[k], want[k], f"{path}[{k!r}]", part) for k in want)), "")
    if callable(want) or isinstance(want, np.random.Generator):
        return ""
    if isinstance(want, float):
        return "" if got == want or got != got and want != want or abs(got - want) <= part * abs(want) \
            else f"{path}: {got}, expected {want}"
    if hasattr(want, "__dict__"):
        return difference(vars(got), vars(want), path + ".__dict__", part)
    return "" if got == want else f"{path}: got {got!r}, expected {want!r}"


class Compiled(unittest.TestCase):
    def setUp(self):
        nj.reset()
        nj.config.compile = "sync"

    def same(self, fn, make, calls=3, part=1e-14, **options):
        """fn(*make()), compiled and plain: results or errors, and what the arguments are after it."""
        fast = nj.compile(fn, **options)
        for _ in range(calls):
            outcomes = []
            for f in (fast, fn):
                args = make()
                try:
                    result = f(*args)
                except Exception as e:  # noqa: BLE001  (its type is compared)
                    result = type(e).__name__
                outcomes.append([result, list(args)])
            self.assertEqual(difference(*outcomes, part=part), "")
        return fast


def ramp(*shape):
    return np.arange(1.0, 1 + np.prod(shape)).reshape(shape)


class Programs(Compiled):
    def test_all(self):
        counts = json.loads(COUNTS.read_text())
        self.assertEqual(sorted(counts), sorted(names()))
        self.assertGreaterEqual(len(counts), 60)
        for name in names():
            with self.subTest(program=name), np.errstate(all="ignore"):
                nj.reset()
                module = load(name)
                fast = self.same(module.run, module.inputs, calls=2, part=1e-10)
                report = nj.explain(fast)(*module.inputs())
                self.assertEqual([report.graph_count, report.graph_break_count], counts[name])


class Arguments(Compiled):
    def test_overlapping_arrays_are_one_memory(self):
        def run(x, y):
            x += 1
            y *= 2
            return x.sum() + y.sum()

        def of(*keys):
            base = ramp(6)
            return tuple(base[key] for key in keys)
        for keys in ((slice(None), slice(1, 4)), (slice(None, None, 2), slice(1, 4)), (slice(None), slice(None)),
                     (slice(None, None, -1), slice(None)), (slice(0, 3), slice(3, 6))):
            self.same(run, lambda: of(*keys))
        self.same(run, lambda: (lambda a: (a, a))(ramp(4)))
        self.same(run, lambda: (lambda a: (a.view(np.int64), a))(ramp(4)))

    def test_containers(self):
        def lists(xs):
            xs[0] += 1
            xs.append(xs[0] * 2)
            xs[1] = xs[1] + xs[0]
            return len(xs)

        def dicts(p, lr):
            for k in p:
                p[k] -= lr * p[k].sum()
            p["new"] = p["w"] @ p["w"]
            return p.pop("b")

        def nested(t):
            a, (b, d) = t
            a += d["c"]
            b[0] = 9
            return {"r": [a + b, (d["c"],)]}
        pair = collections.namedtuple("pair", "x y")
        self.same(lists, lambda: ([ramp(3), ramp(3)],))
        self.same(dicts, lambda: ({"w": ramp(2, 2), "b": ramp(3)}, 0.1))
        self.same(nested, lambda: ((ramp(3), [ramp(3), {"c": ramp(3)}]),))
        self.same(lambda p: pair(p.x + p.y, p.x), lambda: (pair(ramp(3), ramp(3)),))
        self.same(lambda a, b: (a is b, a.append(a[0] * 2)), lambda: (lambda xs: (xs, xs))([ramp(2)]))

    def test_lists_are_written_back_where_the_call_raises(self):
        def run(xs, x):
            xs.append(x * 2)
            x[0] = -1
            raise KeyError("on purpose")
        self.same(run, lambda: ([ramp(2)], ramp(3)))

    def test_objects(self):
        @dataclasses.dataclass
        class State:
            x: np.ndarray
            v: np.ndarray
            t: float = 0.0

        class Model:
            def __init__(self):
                self.w, self.history = ramp(3, 3), []

            def step(self, x):
                self.w -= 0.125 * np.outer(x, x)
                self.last = np.maximum(self.w @ x, 0)
                self.history.append(self.last.sum())
                return self.last

            def twice(self, x):
                return self.step(x) + self.step(2 * x)

        def advance(s, dt):
            s.x += dt * s.v
            s.v = s.v - dt * s.x
            s.t += dt
            return State(2 * s.x, s.v, s.t)
        self.same(advance, lambda: (State(ramp(3), ramp(3)), 0.25))
        self.same(Model.twice, lambda: (Model(), ramp(3)))
        plain, compiled = Model(), Model()
        fast = nj.compile(compiled.twice)  # a bound method
        for _ in range(2):
            self.assertEqual(difference([fast(ramp(3)), compiled], [plain.twice(ramp(3)), plain]), "")

    def test_what_an_object_reaches_is_never_stale(self):
        class Holder:
            pass

        def run(h, x):
            x += 1
            a = float(h.deep[0]["x"].sum())  # the same memory, by NumPy
            h.deep[0]["x"][0] = 100
            return x * 2 + a

        def make():
            h, x = Holder(), ramp(4)
            h.deep = [{"x": x}]
            return h, x
        self.same(run, make)

    def test_globals_and_cells_are_never_stale(self):
        x = ramp(4)

        def run(a):
            a += 1
            seen = float(x.sum())
            x[0] = 100
            return a * 2 + seen
        fast = nj.compile(run)
        self.assertEqual(fast(x).tolist(), [214.0, 20.0, 22.0, 24.0])

    def test_a_list_that_a_name_leads_to_is_one_list(self):
        names = [ramp(2)]

        def run(xs, x):
            names.append(x + 1)
            xs.append(x * 2)
            return len(xs), xs is names
        fast = nj.compile(run)
        self.assertEqual(fast(names, ramp(2)), (3, True))
        self.assertEqual(difference(names, [ramp(2), ramp(2) + 1, ramp(2) * 2]), "")

    def test_identity_scalars_and_views(self):
        x = ramp(6)
        fast = nj.compile(lambda x: (x, [x, x[1:]], x[0], x.sum() > 3, np.float32(2), x.dtype, np.asarray(x) is x))
        same, (again, view), first, truth, single, kind, kept = fast(x)
        self.assertIs(same, x)
        self.assertIs(again, x)
        self.assertTrue(np.shares_memory(view, x))
        view[0] = 7
        self.assertEqual(x[1], 7)
        self.assertEqual([type(first), type(single), kind, kept], [np.float64, np.float32, np.dtype("f8"), True])
        self.assertIs(truth, np.True_)
        y = nj.compile(lambda x: x * 2)(x)
        self.assertEqual(nj.compile(lambda a: a[::-1] + 1)(y).tolist(), (y[::-1] + 1).tolist())  # memory of ours comes back

    def test_layout_and_readonly(self):
        def reshapes(x):
            x.shape = (3, 2)
            return x.sum(axis=0)

        def writes(x):
            x[0] = 1
        self.same(reshapes, lambda: (ramp(6),))
        self.same(writes, lambda: (lambda a: (a.setflags(write=False), a)[1:])(ramp(3)))
        self.same(lambda x: x * 2, lambda: (ramp(3).astype(">f8"),))
        self.same(lambda x: x.astype(">f8")[0], lambda: (ramp(3),))
        self.same(lambda x, y: x[:, ::2] @ y.T, lambda: (np.asfortranarray(ramp(3, 4)), ramp(4, 2)[::-1].copy()))
        self.same(lambda a: np.sum(a), lambda: (np.zeros((0, 3)),))

    def test_arguments_of_neither(self):
        self.same(lambda n: np.linspace(0, 1, n) ** 2, lambda: (5,))
        self.same(lambda: np.arange(4).reshape(2, 2) @ np.eye(2), lambda: ())
        self.same(lambda s: (s * 2, s.dtype), lambda: (np.float32(3),))
        self.same(lambda s: s + 1, lambda: (np.array(3.0),))
        self.same(lambda a, b: a + b, lambda: (ramp(3), ramp(3)))  # names nothing
        self.same(lambda x, *rest, scale=2, **more: x * scale + sum(rest), lambda: (ramp(3), 1, ramp(3)))

    def test_modes(self):
        self.same(lambda x, d: {"a": x + d["b"], "n": 3}, lambda: (ramp(3), {"b": ramp(3)}), mode="replay")
        self.same(lambda x: np.sqrt(x).sum(), lambda: (ramp(3),), fullgraph=True)
        self.same(lambda x: np.sqrt(x), lambda: (ramp(3),), disable=True)
        ours = nj.compile(lambda x: np.sqrt(x) + np.ones(3))(nj.arange(3.0))
        self.assertIsInstance(ours, nj.ndarray)  # called with ours: as without compile
        with_ours = nj.compile(lambda x: nj.sqrt(x))(ramp(3))
        self.assertIsInstance(with_ours, nj.ndarray)  # written for ours


G = ramp(4)
MATRIX, SCALE = ramp(3, 3), 2.5


def helper(x):
    return np.maximum(x, 2) + la.det(np.eye(3)) + cos(x) * pi


def stores_a_global(x):
    global G
    G = G + x
    G[0] = 5
    return G.sum()


def generator(n):
    for i in range(n):
        yield np.full(3, i) * 1.5


def decorator(f):
    @functools.wraps(f)
    def inside(*args, **kwargs):
        return f(*args, **kwargs) + np.ones(3)
    return inside


@decorator
def decorated(x):
    return np.zeros(3) + x


@nj.compile
def compiled_helper(x):
    return np.zeros(3) + x * 2


def uses_compiled_helper(x):
    return compiled_helper(x) + np.ones(3)


class Names(Compiled):
    def graphs(self, fn, *args):
        report = nj.explain(nj.compile(fn))(*args)
        return report.graph_count, report.graph_break_count, report.op_count

    def test_functions_of_all_kinds(self):
        self.same(lambda x: helper(x) * SCALE, lambda: (ramp(3),))
        self.same(lambda x: MATRIX @ x + np.full(3, SCALE), lambda: (ramp(3),))
        self.same(lambda x: (sum(generator(4)) + x, [*map(np.square, generator(2))]), lambda: (ramp(3),))
        self.same(decorated, lambda: (ramp(3),))
        self.same(uses_compiled_helper, lambda: (ramp(3),))
        self.same(lambda x, f=np.sqrt, *, g=np.square: f(x) + g(x), lambda: (ramp(3),))
        self.same(functools.partial(lambda a, b, k=1: np.ones(3) * a + b * k, ramp(3), k=3), lambda: (ramp(3),))
        self.same(np.linalg.norm, lambda: (ramp(3),))

        class Callable:
            def __call__(self, x):
                return np.zeros(3) + x
        self.same(Callable(), lambda: (ramp(3),))

        def outer(x):
            c, seen = ramp(3), []

            def inner(v):
                nonlocal c
                c = c * 2
                seen.append(c + v)
                return np.sum(c)

            def recursive(n):
                return np.ones(3) * n if n == 0 else recursive(n - 1) + inner(x)
            return recursive(3), [np.sqrt(a) for a in seen], sum(np.square(a).max() for a in seen), c, seen
        self.same(outer, lambda: (ramp(3),))

    def test_one_graph_where_names_mean_ours(self):
        def run(x):
            z = np.zeros(len(x)) + np.arange(len(x))
            for _ in range(3):
                z += np.sqrt(x) * helper(x)
            return z.sum()
        self.assertEqual(self.graphs(run, ramp(3))[:2], (1, 0))
        self.assertEqual(self.graphs(lambda X, Y: np.sum(X[:, :, None] * Y[:, None, :], axis=(-2, -1)),
                                     ramp(2, 3), ramp(2, 3)), (1, 0, 2))
        self.assertEqual(self.graphs(uses_compiled_helper, ramp(3))[:2], (1, 0))
        self.assertEqual(self.graphs(lambda: np.random.default_rng(1).random(4) * np.ones(4))[:2], (1, 0))

    def test_a_name_may_also_be_an_attribute(self):
        module = types.ModuleType("attributes")
        module.__file__ = "attributes.py"
        exec("from numpy import sum, sqrt\nimport numpy\ndef run(x):\n    return sum(x) + x.sum() + sqrt(x).sum() + numpy.sqrt(x)",
             module.__dict__)
        self.same(module.run, lambda: (ramp(3),))
        self.assertEqual(self.graphs(module.run, ramp(3))[:2], (1, 0))

    def test_more_names_than_a_byte_counts(self):
        lines = [f"    x = x + g{i}" for i in range(300)]
        namespace = {f"g{i}": float(i) for i in range(300)}
        namespace.update(np=np, __name__="many")
        exec("def run(x):\n" + "\n".join(lines) + "\n    return np.sqrt(x) + np.ones(3)", namespace)
        self.same(namespace["run"], lambda: (ramp(3),))

    def test_globals_that_functions_store(self):
        global G
        outcomes = []
        for f in (nj.compile(stores_a_global), stores_a_global):
            G = ramp(4)
            outcomes.append([f(ramp(4)), f(ramp(4)), G])
        self.assertEqual(difference(*outcomes), "")

    def test_names_that_change(self):
        module = types.ModuleType("changes")
        exec("import numpy as np\nf = np.sqrt\ndef g(x): return np.ones(3)\ndef run(x): return f(x) + g(x)", module.__dict__)
        fast = nj.compile(module.run)
        for value in (np.sqrt, np.square, lambda x: x - 1, np.sqrt, np.negative, np.square, np.abs):
            module.f = value
            self.assertEqual(fast(ramp(3)).tolist(), module.run(ramp(3)).tolist())
        module.g = lambda x: np.zeros(3)
        self.assertEqual(fast(ramp(3)).tolist(), module.run(ramp(3)).tolist())
        cell = np.sqrt

        def of_cell(x):
            return cell(x)
        fast = nj.compile(of_cell)
        for cell in (np.sqrt, np.square, np.negative):
            self.assertEqual(fast(ramp(3)).tolist(), cell(ramp(3)).tolist())

    def test_a_module_of_helpers(self):
        helpers = types.ModuleType("helpers_of_mine")
        helpers.__file__ = str(HERE / "helpers_of_mine.py")
        exec(compile("import numpy as np\ndef f(x): return np.zeros(3) + np.sqrt(x)", helpers.__file__, "exec"), helpers.__dict__)

        def run(x):
            return helpers.f(x) + helpers.np.ones(3)
        self.same(run, lambda: (ramp(3),))
        self.assertEqual(self.graphs(run, ramp(3))[:2], (1, 0))
        fast = nj.compile(run)
        fast(ramp(3))
        helpers.f = lambda x: -x
        self.assertEqual(fast(ramp(3)).tolist(), [0.0, -1.0, -2.0])

    def test_explain_tells_the_functions(self):
        report = nj.explain(nj.compile(lambda x: helper(x)))(ramp(3))
        self.assertEqual([(f.name.split(".")[-1], f.by, f.reason) for f in report.functions],
                         [("helper", "twin", ""), ("<lambda>", "twin", "")])
        self.assertIn("\nfunctions\n  helper                 twin\n", str(report))

    def test_exports(self):
        import os
        import tempfile
        path = os.path.join(tempfile.mkdtemp(), "f.npj")
        nj.export_function(lambda x: np.sqrt(x) + np.ones(3), (ramp(3),), path)
        self.assertEqual(nj.load_function(path)(nj.asarray(ramp(3))).tolist(), (np.sqrt(ramp(3)) + 1).tolist())

    def test_exports_gradients(self):
        import os
        import tempfile
        path, x = os.path.join(tempfile.mkdtemp(), "f.npj"), ramp(5) - 1.5

        def f(u):
            u = np.sin(u) * u
            u[1:] += u[:-1]
            return np.sum(u * u)

        def plain(u):
            return (u * u * u).sum()
        for function in (f, plain, nj.checkpoint(f)):
            nj.export_function(nj.value_and_grad(function), (x,), path)
            value, gradient = nj.load_function(path)(nj.asarray(x))
            expected = nj.value_and_grad(function)(x)
            self.assertEqual((value.tolist(), gradient.tolist()), (float(expected[0]), expected[1].tolist()))
        nj.export_function(nj.vmap(nj.grad(f)), (np.stack([x, x]),), path)
        self.assertEqual(nj.load_function(path)(nj.asarray(np.stack([x, -x]))).tolist(), [nj.grad(f)(v).tolist() for v in (x, -x)])


class NotOurs(Compiled):
    """What NumPy has and we have not runs as NumPy's own."""

    def test_other_dtypes(self):
        self.same(lambda x: np.array(["a", "b"])[0] + str(len(x)), lambda: (ramp(3),))
        self.same(lambda x: np.array([None, x], dtype=object)[1] + np.ones(3), lambda: (ramp(3),))
        self.same(lambda x: (np.datetime64("2020-01-01") + np.arange(3), x * 2), lambda: (ramp(3),))
        self.same(lambda x: np.zeros(2, dtype=[("a", "f4"), ("b", "i4")])["a"] + x[:2], lambda: (ramp(3),))
        self.same(lambda x: np.ma.masked_array(x, mask=[0, 1, 0]).mean(), lambda: (ramp(3),))
        self.same(lambda o: o + 1, lambda: (np.array([1, 2], dtype=object),))
        self.same(lambda r: (r["a"] * 2).sum(), lambda: (np.ones(3, dtype=[("a", "f8"), ("b", "i4")]),))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PendingDeprecationWarning)
            self.same(lambda m: m * m, lambda: (np.matrix([[1, 2], [3, 4]]),))
        self.same(lambda x, names: ([str(n) for n in np.unique(names)], x * 2), lambda: (ramp(3), np.array(["b", "a", "b"])))
        self.same(lambda x: np.char.upper(np.array(["a"]))[0] + str(x.sum()), lambda: (ramp(3),))

    def test_a_break_at_its_line(self):
        def run(x):
            y = x * 2
            z = np.asmatrix(y).A1  # NumPy's own
            return z + x
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PendingDeprecationWarning)
            fast = self.same(run, lambda: (ramp(3),))
            report = nj.explain(fast)(ramp(3))
        self.assertEqual([(b.line, b.id) for b in report.break_reasons], [(run.__code__.co_firstlineno + 2, "NJ0003")])

    def test_the_global_generator_is_numpys(self):
        def run(n):
            np.random.seed(3)
            a = np.random.rand(n)
            np.random.shuffle(a)
            return a * 2, np.random.randint(0, 5, 3)
        self.same(run, lambda: (5,))
        self.same(lambda r, n: r.normal(size=n) * 2, lambda: (np.random.default_rng(1), 5))
        self.same(lambda n: np.random.default_rng(1).normal(size=n), lambda: (5,))

    def test_texts_are_numpys(self):
        with np.printoptions(precision=3, suppress=True):
            self.same(lambda x: f"{x / 3} {x / 3!r} {x[0] / 3:.3f} {x[0]} {x.sum()!r}", lambda: (ramp(3),))

    def test_errors(self):
        def inverse(x):
            x += 1
            return np.linalg.inv(np.zeros((2, 2)))

        def handled(x):
            try:
                return np.linalg.inv(x)
            except np.linalg.LinAlgError:
                return np.full_like(x, -1)
        self.same(inverse, lambda: (ramp(6),))
        self.same(handled, lambda: (np.zeros((2, 2)),))
        self.same(lambda x: x[10], lambda: (ramp(6),))
        self.same(lambda x: np.concatenate([x, np.zeros((2, 2))]), lambda: (ramp(6),))

    def test_types(self):
        self.same(lambda x: (isinstance(x, np.ndarray), isinstance(x[0], np.floating), np.issubdtype(x.dtype, np.floating),
                             x.dtype == np.float64, np.dtype("f4") == x.astype(np.float32).dtype, x.dtype.kind,
                             np.result_type(x, np.int8), np.isscalar(x[0]), isinstance(np.dtype("f8"), np.dtype)),
                  lambda: (ramp(3),))

    def test_fullgraph_refuses_what_records_nothing(self):
        fast = nj.compile(lambda x: np.char.upper(np.array(["a"])), fullgraph=True, name="texts")
        with self.assertRaises(nj.CompileError) as caught:
            fast(ramp(3))
        self.assertEqual(str(caught.exception),
                         "[compile] texts: nothing was recorded, and fullgraph is on. All of its work was NumPy's own, on arrays "
                         "that are no arguments, or in code of installed packages: explain() tells which functions were looked into.")


class NumpyIsLeftAlone(Compiled):
    def test_no_attribute_differs(self):
        modules = [m for name, m in sys.modules.items() if name == "numpy" or name.startswith("numpy.")]
        before = [{k: id(v) for k, v in vars(m).items()} for m in modules]
        during, errors = [], []

        def look():
            during.append([{k: id(v) for k, v in vars(m).items()} for m in modules] == before)

        def run(x, fails):
            y = np.sqrt(x) + np.ones(len(x))
            look()
            if fails:
                raise KeyError(float(y[0]))
            return y
        fast = nj.compile(run)

        def work(fails):
            try:
                for _ in range(50):
                    fast(ramp(3), False)
                    if fails:
                        with self.assertRaises(KeyError):
                            fast(ramp(3), True)
            except BaseException as e:  # noqa: BLE001
                errors.append(e)
        threads = [threading.Thread(target=work, args=(i % 2,)) for i in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(errors, [])
        self.assertEqual(set(during), {True})
        self.assertEqual([{k: id(v) for k, v in vars(m).items()} for m in modules], before)

    def test_a_function_keeps_its_names(self):
        names = set(vars(sys.modules[__name__]))
        nj.compile(lambda x: helper(x))(ramp(3))
        added = set(vars(sys.modules[__name__])) - names
        self.assertFalse([name for name in added if name.isidentifier()])
        self.assertIs(helper.__globals__["np"], np)
        self.assertIsInstance(helper(ramp(3)), np.ndarray)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write-counts"]:
        nj.config.compile = "sync"
        found = {}
        for one in names():
            nj.reset()
            program = load(one)
            compiled = nj.compile(program.run)
            with np.errstate(all="ignore"):
                for _ in range(2):
                    compiled(*program.inputs())
                told = nj.explain(compiled)(*program.inputs())
            found[one] = [told.graph_count, told.graph_break_count]
        COUNTS.write_text("{\n" + ",\n".join(f'  "{name}": {json.dumps(count)}' for name, count in sorted(found.items())) + "\n}\n")
    else:
        unittest.main()
