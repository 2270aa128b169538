"""Details that programs hold NumPy to: casts that keep values, deprecations, signatures, texts, and who makes an array."""
import inspect
import itertools
import unittest
import warnings

import numpy
from numpy._core._multiarray_tests import get_buffer_info

from by_text import ByText
from differential import nj

SAME_VALUE = "\n".join(
    f"np.array([{value}], '{a}').astype('{b}', casting='same_value')"
    for a, values in {"i1": (-1, 127), "u1": (255, 3), "i8": (-1, 2**63 - 1, 2**53 + 1), "u8": (2**64 - 1, 2**63, 7), "f4": (2.5, -3.0, 3e38),
                      "f8": (2.0**63, 1e300, 300.0), "c8": ("1j", "2+0j")}.items()
    for value, b in itertools.product(values, ("i1", "u1", "i4", "i8", "u8", "f2", "f4", "f8", "c8")) if not (b == "f2" and a in ("f4", "f8")))

DTYPES = """
np.isdtype('int64', np.int64)
np.isdtype(np.int64, 1)
np.isdtype(np.int64, 'int64')
np.isdtype(np.int64, (np.int64, 'nothing'))
np.isdtype(np.dtype('f4'), ('integral', np.float32))
np.isdtype(np.float64(1), 'integral')
np.sctypeDict['ulong'] is np.ulong
np.sctypeDict['half'] is np.float16
np.sctypeDict['float'] is np.float64
np.ScalarType[:7]
[t for t in np.ScalarType if t in (np.bool, np.int8, np.int64, np.uint8, np.float16, np.float64, np.complex64)]
np.lib.NumpyVersion('1.8.0') < '1.8.1'
np.lib.NumpyVersion('1.8.0rc1') < '1.8.0'
np.lib.NumpyVersion('1.8.0a2') < '1.8.0b1'
np.lib.NumpyVersion('1.9.0.dev-1') == '1.9.0.dev-2'
np.lib.NumpyVersion('1.9.0.dev-1') < '1.9.0'
np.lib.NumpyVersion('1.9.0') >= '1.9.0rc2'
np.lib.NumpyVersion('1.9.0.dev-1') < '1.9.0a1'
np.lib.NumpyVersion('1.9.0a2.dev-1') < '1.9.0a2'
np.lib.NumpyVersion('1.9.0rc1') > '1.9.0b2'
np.lib.NumpyVersion('1.10.0') > '1.9.3'
np.lib.NumpyVersion('1.7')
np.lib.NumpyVersion('1.7.0') < 3
np.int8(3).__array_wrap__(np.array(3))
np.int8(3).__array_wrap__(np.array(3), None, True)
np.int8(3).__array_wrap__(np.array(3), None, False)
np.int8(3).__array_wrap__(np.array([3]))
np.array([3]).__array_wrap__(np.array(3))
np.pad([1., 2.], 0, 'minimum', stat_length=(1, 0))
np.pad([1., 2.], 1, 'maximum', stat_length=(2, 1))
type('Z', (complex,), {})(1+2j) + np.arange(2)
np.array(type('Z', (complex,), {})(1+2j))
np.array([type('Z', (complex,), {})(1j), 2])
np.arange(3) * type('F', (float,), {})(2.5)
np.arange(3) * type('I', (int,), {})(2)
"""

OPTIONS = """
[p.tolist() for p in np.split(np.arange(100.), list(range(1, 41)))]
[p.tolist() for p in np.array_split(np.arange(40), np.arange(0, 40, 2))]
[p.shape for p in np.hsplit(np.ones((2, 40)), list(range(30)))]
[p.shape for p in np.vsplit(np.ones((40, 2)), (1, 3))]
np.split(np.arange(9), [2.5])
(lambda a: a.__imatmul__(np.eye(3) * 1.5))(np.ones((3, 3), int))
(lambda a: a.__imatmul__(np.eye(2) * 1j))(np.ones((2, 2), np.float32))
(lambda a: a.__imatmul__(np.eye(2, dtype=np.float32)))(np.ones((2, 2)))
np.sum([1, 2], where=None)
np.prod([3, 2], where=None)
np.add.reduce([1, 2], where=None)
np.nansum([1., 2], where=None)
np.sum([1, 2, 3], initial=np.inf)
np.prod([1, 2, 3], initial=-np.inf)
np.add.reduce([1, 2], initial=np.nan)
np.max([1, 2], initial=np.inf)
np.max([1, 2], initial=2.5)
np.sum([1., 2], initial=np.inf)
np.sum([1, 2], dtype=float, initial=np.inf)
np.array2string(np.arange(2000), threshold=1, edgeitems=0)
np.array2string(np.arange(12.).reshape(3, 4), threshold=1, edgeitems=0)
np.array2string(np.arange(24).reshape(2, 3, 4), threshold=1, edgeitems=0)
np.histogramdd([1, 2, 3], bins=2)
np.histogramdd([[1, 2, 3], [2, 2, 4]], bins=2)
np.histogramdd([1, 2], bins=[1, 2])
np.power.reduce([1., 2, 3], out=np.zeros(3))
np.hypot.reduceat(np.array([[100, -100, 27], [5, 0, 120]], np.int8), [0], out=np.zeros((1, 3)))
np.subtract.accumulate(np.array([200, 100], np.uint8), out=np.zeros(2))
np.logical_and.accumulate([1, 2], dtype='f4')
np.logical_or.reduce([1, 2], dtype='f4')
np.logical_xor.reduceat([1, 2], [0], dtype='f4')
np.logical_and.reduce([1, 2], dtype=bool)
"""

ITERATORS = """
np.arange(6).reshape(2, 3).flat.base
(lambda f: (next(f), f.index, f.coords))(np.arange(6).reshape(2, 3).flat)
np.arange(3).flat.__delitem__(1)
np.arange(6).reshape(2, 3).flat[-1]
np.arange(6).reshape(2, 3).T.flat.__array__().flags.writeable
np.arange(6).reshape(2, 3).flat.__array__().flags.writeable
np.arange(6).reshape(2, 3).flat == np.arange(6)
[i.base.shape for i in np.broadcast(np.ones((2, 1)), np.ones(3)).iters]
[list(i) for i in np.broadcast(np.arange(2).reshape(2, 1), 7).iters]
list(np.broadcast([[1], [2]], [3, 4]))
np.broadcast(1, x=1)
np.broadcast([1, 2], [1, 2, 3])
"""

POLYNOMIALS = """
str(np.polynomial.Polynomial([1, 2, 3]))
f"{np.polynomial.Polynomial([1, 2, 0, -1]):ascii}"
f"{np.polynomial.Polynomial([1, 2, 0, -1]):unicode}"
str(np.polynomial.Polynomial([0+1j, 1+1j, -2+2j, 3+0j]))
str(np.polynomial.Polynomial([1, 2], domain=[0, 4]))
np.polynomial.Polynomial([1, 2, 3])._repr_latex_()
np.polynomial.Polynomial([1, 0, -3], domain=[-2, 0])._repr_latex_()
np.polynomial.Polynomial([1, 2], domain=[-0.5, 0.5], symbol='z')._repr_latex_()
np.polynomial.Polynomial([1j, 2, 3j])._repr_latex_()
(np.polynomial.set_default_printstyle('ascii'), str(np.polynomial.Polynomial([1, 2, 3])), np.polynomial.set_default_printstyle('unicode'))[1]
np.polynomial.set_default_printstyle('html')
"""

DEPRECATED = """
np.fft.fftn(np.ones((4, 4)), s=(2, 2), axes=None)
np.fft.ifftn(np.ones((4, 4)), s=(None, 2), axes=(0, 1))
np.fft.irfftn(np.ones((4, 4)), s=(None, 4), axes=None)
np.fft.fft2(np.ones((4, 4)), s=(2, None))
np.fft.fftn(np.ones((4, 4)), s=(2, 2), axes=(0, 1))
np.random.RandomState(1).random_integers(3, size=2)
np.random.RandomState(1).random_integers(1, 3)
np.random.RandomState(1).shuffle({0: 0, 1: 1})
np.random.default_rng(1).shuffle({0: 0, 1: 1, 2: 2})
np.random.default_rng(1).shuffle([1, 2])
np.arange(4).flat[True]
np.arange(4).flat[[1.0, 2.0]]
np.arange(4).flat.__setitem__(False, 3)
np.arange(4).flat[1]
np.linalg.qr(np.eye(2), mode='full')
np.linalg.qr(np.eye(2), mode='e')
np.linalg.qr(np.eye(2), mode='r')
"""


class Texts(ByText):
    def test_casts_that_keep_values(self):
        self.check(SAME_VALUE)

    def test_dtypes_and_scalars(self):
        self.check(DTYPES)

    def test_iterators_and_polynomials(self):
        self.check(ITERATORS + POLYNOMIALS.lstrip())

    def test_options(self):
        self.check(OPTIONS)

    def test_flat_iterators_are_not_moved(self):
        for name in ("index", "base"):
            with self.assertRaises(AttributeError):
                setattr(nj.arange(3).flat, name, 1)


class Warnings(unittest.TestCase):
    def test_what_is_deprecated_says_so_at_its_line(self):
        def said(expression, module):
            with warnings.catch_warnings(record=True) as found:
                warnings.simplefilter("always")
                eval(compile(expression, "program.py", "eval"), {"np": module})
            return [(w.category, str(w.message), w.filename) for w in found]
        for expression in DEPRECATED.strip().split("\n"):
            self.assertEqual(said(expression, nj), [(c, t, "program.py") for c, t, _ in said(expression, numpy)], expression)

    def test_dicts_are_shuffled_in_place(self):
        for make in (lambda np: np.random.RandomState(7), lambda np: np.random.default_rng(7)):
            ours, theirs = {i: i for i in range(9)}, {i: i for i in range(9)}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                make(nj).shuffle(ours)
                make(numpy).shuffle(theirs)
            self.assertEqual(ours, theirs)


class Signatures(unittest.TestCase):
    def test_scalar_types(self):
        for t in nj._core.scalar_types.values():
            if t.__subclasses__() or t.__name__ == "generic":
                continue
            self.assertEqual(str(inspect.signature(t)), str(inspect.signature(getattr(numpy, t.__name__))), t)

    def test_methods_take_self_by_position(self):
        for method in (nj.float64.is_integer, nj.int8.is_integer, nj.float32.as_integer_ratio, nj.generic.item, nj.ndarray.item,
                       nj.ndarray.tolist, nj.ndarray.__complex__):
            parameter = inspect.signature(method).parameters["self"]
            self.assertIs(parameter.kind, inspect.Parameter.POSITIONAL_ONLY, method)

    def test_broadcast(self):
        self.assertEqual(str(inspect.signature(nj.broadcast)), "(*arrays)")
        self.assertEqual(str(inspect.signature(nj.broadcast.reset)), "(self, /)")

    def test_loops_of_ufuncs_name_long_long_as_well(self):
        for name in ("add", "isfinite", "floor_divide", "negative", "true_divide", "bitwise_and", "sin", "equal", "logical_not"):
            ours, theirs = getattr(nj, name), getattr(numpy, name).types
            kept = [t for t in theirs if not set(t) & set("gGOmM")]
            self.assertEqual([t for t in kept if t not in ours.types], [], name)
            self.assertEqual(ours.ntypes, len(ours.types))
            self.assertLess(*[next(i for i, t in enumerate(ours.types) if t.startswith(c)) for c in "qQ"]) if "q" in "".join(ours.types) else None


class Other:
    """An array of another library that makes arrays."""

    def __array_function__(self, function, types, args, kwargs):
        return function.__name__, args, {k: v for k, v in kwargs.items() if k != "like"}


CALLS = {"array": ([1],), "asarray": ([1],), "asanyarray": ([1],), "ascontiguousarray": ([1],), "asfortranarray": ([1],), "zeros": (3,),
         "ones": (3,), "empty": (3,), "full": (3, 1), "arange": (3,), "eye": (3,), "identity": (3,), "tri": (3,), "frombuffer": (b"12345678",),
         "fromiter": ([1.0], float), "require": ([1],), "fromfunction": (lambda i: i, (3,))}


class Like(unittest.TestCase):
    def test_another_library_makes_the_array(self):
        for name, args in CALLS.items():
            found = getattr(nj, name)(*args, like=Other())
            self.assertEqual(found[:2], ("asarray" if name == "asanyarray" else name, args), name)  # one function here
        self.assertEqual(nj.zeros(3, dtype="f4", like=Other())[2], {"dtype": "f4"})

    def test_arrays_of_numpy_and_of_numjit_change_nothing(self):
        for name, args in CALLS.items():
            for like in (nj.ones(1), numpy.ones(1), nj.float32(1), numpy.float32(1), None):
                self.assertIs(type(getattr(nj, name)(*args, like=like)), nj.ndarray, name)

    def test_what_has_no_protocol_is_refused(self):
        for name, args in CALLS.items():
            for like in (1, [1], "text", object()):
                with self.assertRaises(TypeError) as caught:
                    getattr(nj, name)(*args, like=like)
                self.assertEqual(str(caught.exception),
                                 "The `like` argument must be an array-like that implements the `__array_function__` protocol.", (name, like))


class Buffers(unittest.TestCase):
    def test_scalars_give_no_memory_to_write(self):
        for value in (nj.float64(3), nj.bool_(True), nj.complex64(1j), nj.uint8(1)):
            self.assertTrue(memoryview(value).readonly)
            with self.assertRaises(BufferError) as caught:
                get_buffer_info(value, ["WRITABLE"])
            self.assertEqual(str(caught.exception), "scalar buffer is readonly")

    def test_read_only_arrays_keep_their_error(self):
        x = nj.ones(3)
        x.flags.writeable = False
        with self.assertRaises(ValueError) as caught:
            get_buffer_info(x, ["WRITABLE"])
        self.assertEqual(str(caught.exception), "buffer source array is read-only")


class Offering:
    """An object whose arrays are of a library."""

    def __init__(self, module, view):
        self.a = module.arange(5)
        self.view = self.a[1:] if view else self.a

    def __array__(self, dtype=None, copy=None):
        return self.view


class Protocols(unittest.TestCase):
    def test_copies_are_copies(self):
        for module, view in itertools.product((nj, numpy), (False, True)):
            for options in ({}, {"copy": True}, {"dtype": "i8"}, {"dtype": "f4"}, {"order": "F"}, {"ndmin": 2}):
                offering = Offering(module, view)
                nj.array(offering, **options)[...] = 9
                self.assertEqual(offering.a.tolist(), [0, 1, 2, 3, 4], (module.__name__, view, options))
            offering = Offering(module, view)
            nj.asarray(offering)[...] = 9
            self.assertEqual(offering.view.tolist(), [9] * len(offering.view))

    def test_no_memory_or_stack_is_no_answer(self):
        for attribute, error in itertools.product(("__array__", "__array_interface__"), (MemoryError, RecursionError)):
            class Bad:
                def __getattr__(self, name):
                    if name == attribute:
                        raise error
                    raise AttributeError(name)
            for use in (nj.array, nj.asarray, lambda x: nj.add(x, 1)):
                with self.assertRaises(error):
                    use(Bad())

    def test_other_errors_mean_that_it_has_none(self):
        class Bad:
            def __getattr__(self, name):
                raise ZeroDivisionError
        with self.assertRaisesRegex(TypeError, "there is no dtype for an object of type 'Bad'"):
            nj.array(Bad())


if __name__ == "__main__":
    unittest.main()
