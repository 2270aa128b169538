"""Copies and pickles: compiled functions as functions are, arrays, scalars, dtypes, generators and ufuncs as NumPy's."""
import copy
import functools
import importlib.util
import multiprocessing
import os
import pickle
import subprocess
import sys
import tempfile
import textwrap
import unittest
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from differential import DTYPES, layouts, nj


@nj.compile
def step(u, dt=0.5):
    """One step."""
    return u + dt * (u * u)


@nj.compile(fullgraph=True, name="other name")
def strict(u):
    return u * 2 if u.sum() > 0 else u


def plain(u):
    return u - 1


fast = nj.compile(plain, dynamic=False, args=["points"], float_mode="exact")


@nj.compile
def factorial(n):
    return 1 if n == 0 else n * factorial(n - 1)


class Model:
    def __init__(self, weight):
        self.weight = weight
        self.act = step

    @nj.compile
    def call(self, x):
        return self.act(x * self.weight)

    def scale(self, x):
        return x * self.weight

    @staticmethod
    @nj.compile
    def twice(x):
        return x * 2


class Scaled:
    def __init__(self, by):
        self.by = by

    def __call__(self, x):
        return x * self.by


def runs_graph(graph):
    return lambda call: call.run_op_by_op()


custom = nj.compile(plain, backend=runs_graph)


def round_trip(value, protocol=pickle.HIGHEST_PROTOCOL):
    return pickle.loads(pickle.dumps(value, protocol))


def call_in_worker(f, *args):
    return np.asarray(f(*args)).tolist()


PROTOCOLS = range(2, pickle.HIGHEST_PROTOCOL + 1)


class Functions(unittest.TestCase):
    def test_copies_are_the_function_itself(self):
        for f in (step, strict, fast, nj.compile(lambda x: x), nj.compile(Model(2.0).call)):
            self.assertIs(copy.copy(f), f)
            self.assertIs(copy.deepcopy(f), f)
        held = copy.deepcopy({"model": step, "list": [fast, Model(3.0)]})
        self.assertIs(held["model"], step)
        self.assertEqual(held["list"][1].call(nj.ones(2)).tolist(), [7.5, 7.5])

    def test_pickled_by_name(self):
        for protocol in PROTOCOLS:
            for f in (step, strict, factorial, Model.call, Model.twice):
                self.assertIs(round_trip(f, protocol), f)
        self.assertEqual(round_trip(Model(2.0)).call(nj.ones(2)).tolist(), [4, 4])
        bound = round_trip(Model(2.0).call)
        self.assertEqual(bound(nj.ones(2)).tolist(), [4, 4])
        self.assertIs(round_trip(functools.partial(step, dt=1.0)).func, step)
        self.assertIs(round_trip(Model), Model)

    def test_pickled_with_what_made_it(self):
        for protocol in PROTOCOLS:
            again = round_trip(fast, protocol)
            self.assertIsNot(again, fast)
            self.assertIs(again.function, plain)
            self.assertEqual(again._options, {"dynamic": False, "args": ["points"], "float_mode": "exact"})
            self.assertEqual(again(nj.ones(2)).tolist(), [0, 0])
        nj.reset()
        nj.set_log_sink(lambda text: None)
        try:
            again = round_trip(fast)
            again(nj.ones(2))
            report = nj.explain(again)(nj.ones(3))
        finally:
            nj.set_log_sink(None)
        self.assertIn("argument points", report.recompiles[0].reason)
        self.assertIs(round_trip(custom)._options["backend"], runs_graph)
        self.assertEqual(round_trip(custom)(nj.ones(2)).tolist(), [0, 0])
        everything = nj.compile(plain, fullgraph=True, dynamic=True, backend="eager", mode="replay", name="n", verify_replay=3,
                                disable=True, float_mode="fast", args=["a"])
        self.assertEqual(round_trip(everything)._options, {
            "fullgraph": True, "dynamic": True, "backend": "eager", "mode": "replay", "name": "n", "verify_replay": 3, "disable": True,
            "float_mode": "fast", "args": ["a"]})
        fast.note = [1, 2]
        try:
            self.assertEqual(round_trip(fast).note, [1, 2])
        finally:
            del fast.note

    def test_callables_of_all_kinds(self):
        for callable_, want in ((Model(2.0).scale, [2, 2]), (functools.partial(plain), [0, 0]), (Scaled(3.0), [3, 3]),
                                (nj.negative, [-1, -1]), (nj.cumsum, [1, 2])):
            compiled = nj.compile(callable_, name="c")
            self.assertIs(copy.deepcopy(compiled), compiled)
            again = round_trip(compiled)
            self.assertEqual(again(nj.ones(2)).tolist(), want)
            self.assertEqual(again._options, {"name": "c"})

    def test_what_cannot_be_pickled_says_so_in_pickles_words(self):
        def local(x):
            return x

        def words(value):
            try:
                pickle.dumps(value)
            except (pickle.PicklingError, AttributeError) as e:
                return type(e), str(e).split(" at 0x")[0]
        for f in (lambda x: x, local):
            self.assertIsNotNone(words(f))
            self.assertEqual(words(nj.compile(f)), words(f))
            self.assertEqual(words({"model": [nj.compile(f)]}), words(f))

    def test_what_tells_about_the_function(self):
        self.assertEqual((step.__name__, step.__doc__, step.__module__), ("step", "One step.", __name__))
        self.assertEqual(fast.__wrapped__, plain)


class Workers(unittest.TestCase):
    def test_processes(self):
        x = nj.arange(4.0)
        want = np.asarray(step(x)).tolist()
        for method in multiprocessing.get_all_start_methods():
            context = multiprocessing.get_context(method)
            with ProcessPoolExecutor(2, mp_context=context) as pool:
                got = [pool.submit(call_in_worker, f, *args) for f, *args in
                       ((step, x), (fast, x), (Model(1.0).call, x), (functools.partial(step, dt=0.5), x))]
                self.assertEqual([g.result(300) for g in got], [want, [-1, 0, 1, 2], want, want], method)
                self.assertEqual([np.asarray(y).tolist() for y in pool.map(step, [x, x[::2]])], [want, want[::2]], method)
            with context.Pool(2) as pool:
                self.assertEqual(call_in_worker(nj.concatenate, pool.map(step, [x, x])), want + want, method)

    def test_scripts(self):
        """Functions of __main__, under the pickler of each library; libraries that are not installed are left out."""
        script = textwrap.dedent("""
            import sys
            {imports}
            sys.path.insert(0, {path!r})
            import numjit as np

            @np.compile(name="kept")
            def step(u):
                return helper(u) + OFFSET

            @np.compile
            def helper(u):
                return u * 2

            @np.compile
            def down(u, n):
                return u if n == 0 else down(u - 1, n - 1)

            class Model:
                def __init__(self):
                    self.f = step

                @np.compile
                def call(self, u):
                    return self.f(u)

            OFFSET = 5
            square = np.compile(lambda u: u * u, dynamic=False)

            if __name__ == "__main__":
                x = np.arange(3.0)
                {body}
            """)
        bodies = {
            "cloudpickle": ("import cloudpickle", """
                import subprocess, base64
                def far(f, *args):
                    code = ("import sys, pickle, base64; sys.path.insert(0, %r); import numjit;"
                            "f, args = pickle.loads(base64.b64decode(sys.stdin.read()));"
                            "print(f(*args).tolist())" % {path!r})
                    sent = base64.b64encode(cloudpickle.dumps((f, args))).decode()
                    return eval(subprocess.run([sys.executable, "-c", code], input=sent, capture_output=True, text=True, check=True).stdout)
                assert far(step, x) == [5, 7, 9] and far(square, x) == [0, 1, 4] and far(down, x, 3) == [-3, -2, -1]
                assert far(Model().call, x) == [5, 7, 9]
                again = pickle.loads(cloudpickle.dumps(square))
                assert again._options == {{"dynamic": False}} and again(x).tolist() == [0, 1, 4]
                assert pickle.loads(pickle.dumps(step)) is step"""),
            "joblib": ("import joblib", """
                for backend in ("loky", "multiprocessing", "threading"):
                    with joblib.Parallel(2, backend=backend) as parallel:
                        got = parallel(joblib.delayed(f)(x) for f in ((step, Model().call) if backend == "multiprocessing" else
                                                                      (step, square, Model().call)))
                    assert [g.tolist() for g in got][::2] == ([[5, 7, 9]] if backend == "multiprocessing" else [[5, 7, 9]] * 2), got"""),
            "dask": ("import dask, dask.multiprocessing", """
                for scheduler in ("processes", "threads"):
                    got = dask.compute(*[dask.delayed(f)(x) for f in (step, square)], scheduler=scheduler)
                    assert [g.tolist() for g in got] == [[5, 7, 9], [0, 1, 4]], got"""),
            "sklearn": ("import sklearn.base", """
                class Estimator(sklearn.base.BaseEstimator):
                    def __init__(self, f=None):
                        self.f = f
                again = sklearn.base.clone(Estimator(step))
                assert again.f is step"""),
        }
        path = os.path.dirname(os.path.dirname(os.path.abspath(nj.__file__)))
        missing = []
        for library, (imports, body) in bodies.items():
            if importlib.util.find_spec(library) is None:
                missing.append(library)
                continue
            text = script.format(imports="import pickle\n" + imports, path=path,
                                 body=textwrap.indent(textwrap.dedent(body.format(path=path)), " " * 4).strip())
            with tempfile.TemporaryDirectory() as folder:
                name = os.path.join(folder, "script.py")
                with open(name, "w") as f:
                    f.write(text)
                done = subprocess.run([sys.executable, name], capture_output=True, text=True, timeout=500)
            self.assertEqual(done.returncode, 0, library + "\n" + done.stderr[-3000:])
        if missing:
            self.skipTest("not installed: " + ", ".join(missing))


class Forked(unittest.TestCase):
    def child(self, work):
        """Runs work() in a forked child; whether it came to its end."""
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            try:
                work()
                os._exit(7)
            except BaseException as e:
                sys.stderr.write(repr(e))
            finally:
                os._exit(1)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def test_while_kernels_are_compiled_in_the_background(self):
        nj.reset()
        with nj.config_scope(compile="async", cache_dir="off"):
            fs = [nj.compile(eval(f"lambda x: (x * {i} + 1).sum() / (x + {i}.5).{kind}()"))
                  for i, kind in enumerate(("sum", "max", "min"))]
            x = nj.arange(50_000.0)
            want = [float(f(x)) for f in fs]

            def work():
                assert [float(f(x)) for f in fs] == want
                nj.wait_for_compiles()
                report = nj.explain(fs[2])(x)
                assert float(fs[2](x)) == want[2]
                assert len(report.kernels) > 0, str(report)
                assert nj.sort(nj.arange(100_000.0)[::-1])[0] == 0
            self.assertEqual(self.child(work), 7)
            nj.wait_for_compiles()
            self.assertEqual([float(f(x)) for f in fs], want)

    def test_inside_a_compiled_call(self):
        @nj.compile
        def f(x):
            y = x * 2 + 1

            def work():
                assert y.tolist() == [1, 3, 5]
                assert step(nj.ones(2)).tolist() == [1.5, 1.5]
            assert self.child(work) == 7
            return y.sum()
        self.assertEqual(float(f(nj.arange(3.0))), 9)
        self.assertEqual(float(f(nj.arange(3.0))), 9)


def numpy_of(x):
    return np.asarray(x)


class Values(unittest.TestCase):
    def test_arrays(self):
        for dtype in DTYPES:
            for what, a in layouts(dtype).items():
                x = nj.asarray(a)
                for protocol in PROTOCOLS:
                    got, want = round_trip(x, protocol), round_trip(a, protocol)
                    self.assertEqual((got.dtype.name, got.shape), (want.dtype.name, want.shape), (what, protocol))
                    if a.size:
                        self.assertEqual(got.strides, want.strides, (what, protocol))
                    np.testing.assert_array_equal(numpy_of(got), want)
                    self.assertTrue(got.flags.writeable)
                for copied, by in ((copy.copy(x), copy.copy(a)), (copy.deepcopy(x), copy.deepcopy(a))):
                    self.assertEqual((copied.shape, copied.strides if a.size else ()), (by.shape, by.strides if a.size else ()), what)
                    self.assertFalse(nj.shares_memory(copied, x))
        a, x = np.ones(3), nj.ones(3)
        a.flags.writeable = x.flags.writeable = False
        self.assertEqual(copy.deepcopy(x).flags.writeable, copy.deepcopy(a).flags.writeable)
        both = round_trip([x, x])
        self.assertIs(both[0], both[1])

    def test_pending_arrays(self):
        @nj.compile
        def f(x):
            y = x * 2
            return round_trip(y), copy.deepcopy(y), copy.copy(y), pickle.loads(pickle.dumps(y.sum())), y
        for _ in range(2):
            for got in f(nj.arange(3.0))[:3]:
                self.assertEqual(got.tolist(), [0, 2, 4])
            self.assertEqual(float(f(nj.arange(3.0))[3]), 6)

    def test_scalars_and_dtypes(self):
        for dtype in DTYPES:
            x = getattr(nj, dtype if dtype != "bool" else "bool_")(1)
            for again in (round_trip(x), copy.copy(x), copy.deepcopy(x)):
                self.assertIs(type(again), type(x))
                self.assertEqual(again, x)
            t = nj.dtype(dtype)
            for again in (round_trip(t), copy.copy(t), copy.deepcopy(t)):
                self.assertEqual(again, t)
            self.assertIs(round_trip(type(x)), type(x))

    def test_generators_go_on_where_they_were(self):
        for name in ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"):
            for module in (nj, np):
                g = module.random.Generator(getattr(module.random, name)(7))
                g.random(3), g.integers(0, 9, 3, dtype=module.uint32)
                for again in (round_trip(g), copy.deepcopy(g)):
                    self.assertIsNot(again.bit_generator, g.bit_generator)
                    self.assertEqual(again.random(3).tolist(), copy.deepcopy(g).random(3).tolist())
                if module is nj:
                    mine = round_trip(g).normal(size=3).tolist()
            self.assertEqual(mine, round_trip(g).normal(size=3).tolist())
            b = getattr(nj.random, name)(3)
            self.assertEqual(round_trip(b).random_raw(2).tolist(), copy.deepcopy(b).random_raw(2).tolist())
        r = nj.random.RandomState(3)
        self.assertEqual(round_trip(r).rand(2).tolist(), np.random.RandomState(3).rand(2).tolist())
        s = nj.random.SeedSequence(5)
        self.assertEqual(round_trip(s).generate_state(2).tolist(), np.random.SeedSequence(5).generate_state(2).tolist())

    def test_every_public_function_goes_by_name(self):
        for module in (nj, nj.linalg, nj.fft):
            for name in sorted(set(dir(module))):
                value = getattr(module, name)
                if name.startswith("_") or not callable(value):
                    continue
                for act in (round_trip, copy.copy, copy.deepcopy):
                    self.assertIs(act(value), value, f"{module.__name__}.{name}")

    def test_scopes_cannot_be_sent(self):
        scopes = [nj.config_scope(threads=1), nj.stance_scope("force_eager"), nj.disable_scope(), nj.budget(max_breaks=1),
                  nj.device("cpu")]
        for scope in scopes:
            for act in (pickle.dumps, copy.deepcopy, copy.copy):
                with self.assertRaises(TypeError) as caught:
                    act(scope)
                self.assertRegex(str(caught.exception), "^cannot pickle '[a-zA-Z_.]+' object")


if __name__ == "__main__":
    unittest.main()
