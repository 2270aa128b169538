"""Objects that change, contain themselves or lie while numjit reads them: NumPy's errors, or Python's, and never a crash."""
import ctypes
import gc
import sys
import unittest

import numpy

from differential import nj

CHANGED = "Inconsistent object during array creation? Content of sequences changed (length inconsistent)."
TOO_DEEP = "[array] setting an array element with a sequence. The requested array would exceed the maximum number of dimension of 16."


def changing(method, value, act):
    """A list whose first element does something to it when it is converted."""
    made = []

    def convert(self, *args, **kwargs):
        act(made)
        return value
    made += [type("Changing", (), {method: convert})()] + [1.0] * 1000
    return made


ACTS = {"clear": lambda l: l.clear(), "pop": lambda l: l.pop(), "append": lambda l: l.append(1.0), "grow": lambda l: l.extend([1.0] * 10 ** 5)}


class Lists(unittest.TestCase):
    def test_length_changes(self):
        for method, value, dtype in (("__float__", 1.0, float), ("__int__", 1, int), ("__index__", 1, "u2"), ("__complex__", 1j, complex),
                                     ("__bool__", True, bool), ("__float__", 1.0, "f4"), ("__array__", numpy.array(1.0), None)):
            for name, act in ACTS.items():
                with self.subTest(method=method, act=name), self.assertRaises(RuntimeError) as e:
                    nj.array(changing(method, value, act), dtype=dtype)
                self.assertEqual(str(e.exception), CHANGED)

    def test_becomes_shallow(self):
        class Flat:
            def __float__(self):
                rows[1] = 5.0
                return 1.0
        rows = [[Flat(), 2.0], [3.0, 4.0]]
        with self.assertRaises(RuntimeError) as e:
            nj.array(rows, dtype=float)
        self.assertEqual(str(e.exception), CHANGED.replace("length inconsistent", "now too shallow"))

    def test_element_becomes_a_sequence(self):
        def deepen(l):
            l[1:] = [[1.0]] * (len(l) - 1)
        for dtype, method, value, error in ((float, "__float__", 1.0, ValueError), (int, "__int__", 1, TypeError), (complex, "__complex__", 1j, TypeError)):
            with self.assertRaises(error):
                nj.array(changing(method, value, deepen), dtype=dtype)

    def test_in_itself(self):
        l, t, d = [], ([],), {}
        l.append(l)
        t[0].append(t)
        d[0] = d
        for call in (lambda: nj.array(l), lambda: nj.array(l, dtype=float), lambda: nj.arange(3)[l], lambda: nj.arange(3) + l, lambda: nj.sum(t),
                     lambda: nj.array(t, dtype=int), lambda: nj.zeros(3).__setitem__(0, l), lambda: nj.stack(l), lambda: nj.add.at(nj.zeros(2), l, 1)):
            with self.assertRaises(ValueError) as e:
                call()
            self.assertEqual(str(e.exception), TOO_DEEP)
        with self.assertRaises(TypeError):
            nj.array(d, dtype=float)

    def test_sequences_are_read_once(self):
        class Lies:
            def __init__(self, says, has):
                self.says, self.has, self.asked = says, has, 0

            def __len__(self):
                return self.says

            def __getitem__(self, i):
                self.asked += 1
                if self.asked > self.has:
                    raise IndexError
                return float(i)
        for says, has in ((3, 3), (3, 5), (5, 3), (3, 0), (0, 4)):
            numpy.testing.assert_array_equal(nj.array(Lies(says, has)), numpy.array(Lies(says, has)))
            numpy.testing.assert_array_equal(nj.array([Lies(says, has)]), numpy.array([Lies(says, has)]))
        with self.assertRaises(RecursionError):
            nj.array(type("S", (), {"__len__": lambda self: exec("raise RecursionError('mine')"), "__getitem__": lambda self, i: 1})())

    def test_array_methods(self):
        for given in (5, None, [1.0], numpy.float64(1)):
            with self.assertRaises(ValueError) as e:
                nj.array(type("A", (), {"__array__": lambda self, *a, **k: given})())  # noqa: B023
            self.assertEqual(str(e.exception), "object __array__ method not producing an array")

    def test_foreign_byte_order_that_stays(self):
        class Swapped(ctypes.c_double.__ctype_be__ * 2):
            def astype(self, *args):
                return self
        self.assertEqual(nj.array(Swapped(1.0, 2.0)).tolist(), [1.0, 2.0])


class Arrays(unittest.TestCase):
    """Arrays that change what they refer to while an operation converts its other arguments."""

    def test_resized_meanwhile(self):
        def shrinks(a):
            def convert(self, *args, **kwargs):
                a.resize(100000, refcheck=False)
                a.resize(3, refcheck=False)
                a.shape = (3, 1)
                a.shape = (3,)
                return numpy.ones(3)
            return type("Shrinks", (), {"__array__": convert})()
        calls = (lambda a: a + shrinks(a), lambda a: shrinks(a) * a, lambda a: nj.add(a, shrinks(a)), lambda a: nj.where(a > 0, a, shrinks(a)),
                 lambda a: a.__iadd__(shrinks(a)), lambda a: nj.add(a, 1, where=shrinks(a)), lambda a: nj.dot(a, shrinks(a)), lambda a: nj.concatenate([a, shrinks(a)]),
                 lambda a: nj.minimum(a, 1, out=a, where=shrinks(a)), lambda a: nj.add.at(a, [0], shrinks(a)), lambda a: nj.put(a, [0], shrinks(a)))
        for call in calls:
            a = nj.arange(3.0)
            try:
                call(a)
            except (TypeError, ValueError):
                pass
            self.assertEqual(a.shape, (3,))

    def test_index_that_resizes(self):
        class Resizes:
            def __init__(self, a):
                self.a = a

            def __index__(self):
                self.a.resize(100000, refcheck=False)
                self.a.resize(2, refcheck=False)
                return 1
        for store in (lambda a: a.__setitem__(slice(Resizes(a), None), 2.0), lambda a: a[Resizes(a):], lambda a: a.__setitem__(slice(Resizes(a), None), a + 1),
                      lambda a: nj.sum(a, axis=Resizes(a)), lambda a: a.reshape(Resizes(a), -1), lambda a: nj.add.reduce(a, axis=(Resizes(a),)),
                      lambda a: a.__setitem__(Resizes(a), 1.0)):
            a = nj.arange(3.0)
            try:
                store(a)
            except (ValueError, IndexError):
                pass
            self.assertEqual(a.shape, (2,))

    def test_places_that_change_after_their_check(self):
        places = nj.array([0, 1])

        class Changes:
            def __array__(self, *args, **kwargs):
                places[:] = 10 ** 9
                return numpy.ones(2)
        with self.assertRaises(IndexError):
            nj.add.at(nj.zeros(3), places, Changes())

    def test_any_object_as_self(self):
        for call in (lambda: nj.ndarray.sort([3, 1]), lambda: nj.ndarray.__dlpack__(5), lambda: nj.mark_static("x", 0), lambda: nj.mark_dynamic([1], 0)):
            with self.assertRaises(TypeError) as e:
                call()
            self.assertRegex(str(e.exception), r"^expected an array: got an object of type '(list|int|str)'$")

    def test_layouts_beyond_the_buffer(self):
        for args in (((2 ** 61, 8),), ((2 ** 62, 4),), ((2,), "f8", None, 2 ** 62), ((2,), "f8", None, -8), ((2,), "f8", None, 0, (2 ** 62,)),
                     ((2,), "f8", None, 8, (-16,)), ((2 ** 40, 0, 2 ** 40),), ((5,), "f8", None, 0, (-8,))):
            outcomes = []
            for module in (numpy, nj):
                shape, dtype, _, offset, strides = (*args, "f8", None, 0, None)[:5] if len(args) == 1 else (*args, 0, None)[:5]
                try:
                    outcomes.append(module.ndarray(shape, dtype, bytearray(16), offset, strides).shape)
                except (TypeError, ValueError) as e:
                    outcomes.append(type(e))
            self.assertEqual(outcomes[1], outcomes[0], args)

    def test_halves_of_surrogates(self):
        for call in (lambda: nj.dtype("\ud800"), lambda: nj.add(1, 2, casting="\ud800"), lambda: nj.add(1, 2, order="\ud800"),
                     lambda: nj.add(1, 2, **{"\ud800": 1}), lambda: nj.add(1, 2, signature="\ud800"), lambda: nj.linalg.norm([1.0], "\ud800")):
            with self.assertRaises((UnicodeEncodeError, ValueError, TypeError)):
                call()

    def test_memory_outlives_the_array(self):
        def others():
            return [nj.full(3, 7.0) for _ in range(50)]
        pointer = nj.arange(3.0).ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        void = nj.arange(3.0).ctypes.data_as(ctypes.c_void_p)
        holder = type("Holder", (), {"__array_interface__": nj.arange(3.0).__array_interface__})()
        kept = others()
        self.assertEqual(pointer[:3], [0.0, 1.0, 2.0])
        self.assertEqual(ctypes.cast(void, ctypes.POINTER(ctypes.c_double))[:3], [0.0, 1.0, 2.0])
        self.assertEqual(numpy.asarray(holder).tolist(), [0.0, 1.0, 2.0])
        self.assertEqual(memoryview(nj.arange(3.0)).tolist(), [0.0, 1.0, 2.0])
        self.assertEqual(len(kept), 50)


class Replayed(unittest.TestCase):
    """Plain arguments and results of functions in replay mode."""

    def setUp(self):
        self.f = nj.compile(lambda x, p: x + 1, mode="replay", backend="eager")

    def test_in_themselves(self):
        l, t, d = [], ([],), {}
        l.append(l)
        t[0].append(t)
        d[0] = d
        for plain in (l, t, d, [d], {"a": [l]}):
            with self.assertRaises(RecursionError) as e:
                self.f(nj.ones(2), plain)
            self.assertEqual(str(e.exception), "maximum recursion depth exceeded while nested arguments or results were taken apart")
            with self.assertRaises(RecursionError):
                nj.compile(lambda x: (x, plain), mode="replay", backend="eager")(nj.ones(2))  # noqa: B023
        self.assertEqual(self.f(nj.ones(2), 1).tolist(), [2.0, 2.0])

    def test_deep(self):
        deep = 1
        for _ in range(100000):
            deep = [deep]
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(10 ** 6)
        try:
            with self.assertRaises(RecursionError) as e:
                self.f(nj.ones(2), deep)
        finally:
            sys.setrecursionlimit(before)
            while isinstance(deep, list):
                deep = deep[0]
        self.assertEqual(str(e.exception), "arguments or results are nested too deeply")

    def test_huge_integers(self):
        for n in (10 ** 5000, -10 ** 5000, 2 ** 64, 10 ** 5000 + 1):
            self.assertEqual(self.f(nj.ones(2), n).tolist(), [2.0, 2.0])
        counted = []
        g = nj.compile(lambda x, n: counted.append(n) or x * 2, mode="replay", backend="eager")
        for n in (10 ** 5000, 10 ** 5000 + 1, 10 ** 5000):
            g(nj.ones(2), n)
        self.assertEqual(len(counted), 2)

    def test_arguments_that_the_body_lets_go(self):
        f = nj.compile(lambda x, l: (l.clear(), x + 1)[1], mode="replay", backend="eager")
        for _ in range(3):
            self.assertEqual(f(nj.ones(2), [nj.ones(3), nj.ones(4)]).tolist(), [2.0, 2.0])

    def test_results_are_whole_whoever_looks(self):
        f = nj.compile(lambda x: {"a": [x + 1], "b": (x.sum(), x)}, mode="replay", backend="eager")
        for _ in range(3):
            f(nj.ones(2))
        for o in gc.get_objects():
            if type(o) in (list, tuple, dict):
                for part in o.values() if type(o) is dict else o:
                    if type(part) in (nj.ndarray, nj.float64):
                        repr(part)
        self.assertEqual(str(f(nj.ones(2))), "{'a': [array([2., 2.])], 'b': (np.float64(2.0), array([1., 1.]))}")

    def test_arrays_as_keys_of_a_result(self):
        f = nj.compile(lambda x: {x.sum(): x}, mode="replay", backend="eager")
        with self.assertRaises(TypeError):
            f(nj.ones(2))

    def test_collector_changes_a_result(self):
        kept = []

        def body(x):
            kept[:] = [[x + 1] for _ in range(20)]
            return kept
        armed = []

        def clear(phase, info):
            if armed and len(kept) > 1:
                kept.clear()
        f = nj.compile(body, mode="replay", backend="eager")
        before = gc.get_threshold()
        gc.callbacks.append(clear)
        texts = set()
        try:
            gc.set_threshold(1)
            armed.append(1)
            for _ in range(20):
                try:
                    f(nj.ones(2))
                except RuntimeError as e:
                    texts.add(str(e))
        finally:
            gc.callbacks.remove(clear)
            gc.set_threshold(*before)
        self.assertLessEqual(texts, {"[compile] a result changed while it was taken apart."})

    def test_called_by_what_the_collector_takes_apart(self):
        seen = []

        def make():
            class Last:
                __slots__ = ()

                def __del__(self):
                    try:
                        f(nj.ones(2))
                    except BaseException as e:  # noqa: BLE001
                        seen.append(str(e))
            last = Last()
            f = nj.compile(lambda x: (last, x)[1], backend="eager")
        for _ in range(10):
            make()
            gc.collect()
        self.assertLessEqual({s for s in seen if s.startswith("[compile]")}, {"[compile] the function is gone: the collector has taken it apart."})


class Backends(unittest.TestCase):
    """Functions that run graphs."""

    def run_by(self, run):
        return nj.compile(lambda x: (x + 1) * 2, backend=lambda graph: run)(nj.ones(3))

    def test_calls_that_are_kept(self):
        kept = []
        self.assertEqual(self.run_by(lambda call: kept.append(call) or call.run_op_by_op()).tolist(), [4.0, 4.0, 4.0])
        for use in (lambda call: call.inputs, lambda call: call.output_count, lambda call: call.run_op_by_op(), lambda call: call.set_output(0, nj.ones(3))):
            with self.assertRaises(ValueError) as e:
                use(kept[0])
            self.assertEqual(str(e.exception), "[compile] the run of the graph is over: a call can't be kept for later.")

    def test_outputs(self):
        for set_output, error, text in (
                (lambda call: call.set_output(5, nj.ones(3)), IndexError, "[compile] the graph has no output 5: it has 1."),
                (lambda call: call.set_output(0, nj.ones(7)), ValueError,
                 "[compile] the backend set output 0 to float64 of shape (7,), expected float64 of shape (3,).")):
            with self.assertRaises(error) as e:
                self.run_by(set_output)
            self.assertEqual(str(e.exception), text)

    def test_arguments_that_it_lets_go(self):
        world = [nj.ones(3)]

        def run(call):
            world[0].resize(100000, refcheck=False)
            world[0].resize(3, refcheck=False)
            call.run_op_by_op()
        f = nj.compile(lambda l: (l[0] + 1) * 2, backend=lambda graph: run, mode="replay")
        for _ in range(3):
            self.assertEqual(f(world).tolist(), [4.0, 4.0, 4.0])


class Words(unittest.TestCase):
    """What is said of arguments that do not convert: never in the binding's words."""

    def test_texts(self):
        for call, text in (
                (lambda: nj.stance_scope(5), "[StanceScope] an argument is of a wrong type or out of range: got (int)."),
                (lambda: nj.graph_break(5), "[graph_break] an argument is of a wrong type or out of range: got (int)."),
                (lambda: setattr(nj.config, "threads", "x"), "[config] threads: got a value of type 'str', which it does not take."),
                (lambda: nj.config_scope(float_mode=5), "[config] float_mode: got a value of type 'int', which it does not take."),
                (lambda: nj.set_logs(graph=[]), "a value is of a wrong type or out of range.")):
            with self.assertRaises(TypeError) as e:
                call()
            self.assertEqual(str(e.exception), text)

    def test_nowhere(self):
        for call in (lambda: nj.compile(lambda: 1, mode=5), lambda: nj.budget(max_breaks="x"), lambda: nj.device(5), lambda: nj.linspace(0, 1, 2 ** 70),
                     lambda: nj.std([1.0], ddof="a"), lambda: nj.histogram([1.0], range=("a", "b")), lambda: nj.diagonal(nj.ones((2, 2)), 2 ** 70),
                     lambda: nj.random.default_rng(0).shuffle(5), lambda: nj.random.default_rng(2 ** 200).spawn(-1), lambda: nj.einsum(5, 5),
                     lambda: nj.random.default_rng(0).bytes("x"), lambda: nj.random.PCG64(1).advance("x"), lambda: nj.random.PCG64(1).jumped([]),
                     lambda: nj.set_stance([]), lambda: nj.load_function(5), lambda: nj.array2string(5), lambda: nj.set_printoptions(precision="x"),
                     lambda: nj.tri(2 ** 70), lambda: nj.cov([1.0, 2.0], ddof="x"), lambda: nj.linalg.matrix_rank([[1.0]], tol="x"),
                     lambda: nj.disallow_in_graph(5), lambda: nj.set_device_memory_limit("cpu", "x")):
            try:
                call()
            except Exception as e:  # noqa: BLE001
                self.assertNotRegex(str(e), "incompatible function arguments|bad_cast|std::|basic_string")


if __name__ == "__main__":
    unittest.main()
