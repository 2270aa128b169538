"""ndarray: attributes, operators, conversions, indexing, text, copies, compared with NumPy."""
import copy
import operator
import pickle
import unittest

import numpy as np

from differential import DTYPES, Tally, difference, layouts, outcome, product, to_numjit, to_numpy, values
from error_texts import text_difference

import numjit as nj

INDICES = [0, -1, 5, 99, slice(None), slice(1, None), slice(None, None, -1), slice(4, 0, -2), slice(-100, 100), None, ..., True, False, (), (0,), (0, 1),
           (0, slice(1, 3)), (..., 0), (None, 0), (slice(None), None), (..., ...), (0, 0, 0), (slice(None, None, 2), slice(None, None, -1)),
           [0, 2], [], [[0, 1], [2, 0]], ([0, 1], [1, 2]), ([0, 1], slice(None)), (slice(None), [0, -1]), ([0, 1], 0), (0, [0, 1]), ([[0], [1]], [0, 2]),
           (slice(None), [True, False, True, False]), [True, False, True], ([0, 1], [0, 1, 2]), [99], 1.5, "a", [1.5], np.int64(1), np.array(1), (np.array([True, False, True]), 0),
           (True, 0), ([0, 1], None, [1, 1]), (None, [0, 1]), ([0, 1], slice(None), [0, 1]), (0, slice(None), [0, 1]), slice(0, 0), slice(None, None, 0)]


class Arrays(unittest.TestCase):
    def test_getitem(self):
        tally = Tally()
        for dtype, shape, index in product(["int64", "float32", "bool"], [(3, 4), (5,), (2, 3, 4), (), (0, 3)], INDICES):
            a = values(dtype, shape)
            tally.check("getitem", [a, index], own=operator.getitem, other=operator.getitem, label=repr(index))
            if isinstance(index, (list, tuple)) or index is True or index is False:
                mask = a > 0
                tally.check("getitem", [a, mask], own=operator.getitem, other=operator.getitem)
        self.finish(tally, 600)

    def test_setitem(self):
        tally = Tally()

        def store(module):
            def inside(a, index, value):
                a = module.array(a)
                a[index] = value
                return a
            return inside
        for dtype, shape, index in product(["int64", "float32", "uint8"], [(3, 4), (5,), (2, 3, 4), (), (0, 3)], INDICES):
            for value in (7, 2.5, [1, 2], np.arange(4), np.arange(12.0).reshape(3, 4), 300, 1j):
                tally.check("setitem", [values(dtype, shape), index, value], own=store(nj), other=store(np), label=repr(index), either=(TypeError, ValueError, IndexError, OverflowError))
        self.finish(tally, 4000)

    def finish(self, tally, least):
        self.assertGreater(tally.cases, least)
        if tally.wrong:
            self.fail(tally.report())

    def test_few_elements_stored(self):
        """The common stores, which are carried out in C: by masks, places and scalars, rows, and what is none of these."""
        def run(module, dtype, index, value):
            a = module.arange(12, dtype=dtype).reshape(3, 4) if isinstance(index, tuple) or getattr(index, "ndim", 1) == 2 else \
                module.arange(6, dtype=dtype)
            inside = lambda x: module.array(x) if isinstance(x, np.ndarray) else x  # noqa: E731
            a[tuple(map(inside, index)) if isinstance(index, tuple) else inside(index)] = value(module, a)
            return a
        indices = [np.array([1, -1]), np.array([6]), np.array([-7]), np.array([[0, 1], [1, 2]]), np.array([], int), np.arange(6) % 2 == 0, np.array([True]),
                   np.eye(3, 4, dtype=bool), 0, -1, 6, (1, 2), (1, slice(1, 3)), (slice(None), 1), (2, slice(None, None, -2)), (0, 9), slice(1, 4)]
        makers = [lambda m, a: 2, lambda m, a: 2.5, lambda m, a: 300, lambda m, a: 2 ** 70, lambda m, a: True, lambda m, a: a.dtype.type(7),
                  lambda m, a: m.float64(1.5), lambda m, a: a.ravel()[:2].copy(), lambda m, a: a.ravel()[:3], lambda m, a: a.ravel()[::-3][:2],
                  lambda m, a: a[..., :2] if a.ndim == 1 else a[1, 1:3], lambda m, a: m.array([1.5, 2.5])]
        count = 0
        for dtype, index, (i, value) in product(["int8", "int64", "float32", "float64"], indices, enumerate(makers)):
            if isinstance(index, np.ndarray) and i in (8, 9, 10):
                continue  # parts of the array itself, which NumPy writes over while it reads them
            found = [outcome(lambda m=m: run(m, dtype, index, value)) for m in (nj, np)]
            if found[0][0] == found[1][0] == "error":
                kinds = {type(e).__name__ for _, e in found}
                # Of an index and a value that are both wrong either may be named.
                problem = kinds if len(kinds) == 2 and "IndexError" not in kinds else text_difference(found[0][1], found[1][1]) if len(kinds) == 1 else ""
            else:
                problem = difference(*found)
            self.assertFalse(problem, f"{dtype} [{index!r}] value {i}: {problem} {found}")
            count += 1
        self.assertGreater(count, 700)

    def test_iteration(self):
        for a in (np.arange(3.), np.arange(6).reshape(2, 3), np.zeros((0, 2)), np.arange(4, dtype=np.int8)[::-2]):
            x = nj.array(a)
            self.assertEqual([to_numpy(v).tolist() for v in x], a.tolist())
            self.assertEqual([type(v).__name__ for v in x], [type(v).__name__ for v in a])
            rest = iter(x)
            self.assertEqual(operator.length_hint(rest), len(a))
            for _ in range(len(a)):
                next(rest)
            self.assertRaises(StopIteration, next, rest)
            self.assertRaises(StopIteration, next, rest)
        rows = list(nj.zeros((2, 2)))
        self.assertIsNotNone(rows[0].base)  # views
        for scalar, text in ((nj.array(1), "iteration over a 0-d array"), (nj.float64(1), "'numjit.float64' object is not iterable")):
            with self.assertRaises(TypeError) as caught:
                iter(scalar)
            self.assertEqual(str(caught.exception), text)

    def test_scalars_go_into_integers_as_numbers(self):
        for dtype, index in product(["int64", "int8", "uint16"], [0, slice(None), [0, 1], slice(0, 0)]):
            for text in ("float64(nan)", "float32(nan)", "float64(inf)", "float64(-inf)", "float64(1e300)", "float64(300.7)", "float32(99.5)", "int64(300)",
                         "int64(-1)", "bool_(True)", "float16(2.5)"):
                def store(m, target, value):
                    target[index] = value
                    return target
                kind, theirs = outcome(lambda: store(np, np.zeros(2, dtype), eval(f"np.{text}", {"np": np, "nan": np.nan, "inf": np.inf})))
                for scalar in (f"np.{text}", f"nj.{text}"):
                    got, ours = outcome(lambda: store(nj, nj.zeros(2, dtype), eval(scalar, {"np": np, "nj": nj, "nan": np.nan, "inf": np.inf})))
                    self.assertEqual(got, kind, (dtype, index, scalar))
                    if kind == "error":
                        self.assertEqual((type(ours), str(ours).removeprefix("[store] ")), (type(theirs), str(theirs)), (dtype, index, scalar))
                    else:
                        self.assertEqual(to_numpy(ours).tolist(), theirs.tolist(), (dtype, index, scalar))

    def compare(self, function, *names):
        """A function of module and of arrays made by it: NumPy's outcome is that of numjit, eager and compiled."""
        kind, theirs = outcome(lambda: function(np))
        for ours in (lambda: function(nj), nj.compile(lambda: function(nj))):
            got, value = outcome(ours)
            self.assertEqual(got, kind, (names, value, theirs))
            if kind == "error":
                self.assertEqual((type(value), str(value).split("] ")[-1]), (type(theirs), str(theirs)), names)
            else:
                self.assertEqual(to_numpy(value).tolist(), theirs.tolist(), names)

    def test_scalars_of_a_graph_go_into_integers_as_numbers(self):
        stores = {"element": lambda m, t, s: t.__setitem__(0, s), "slice": lambda m, t, s: t.__setitem__(slice(1, 3), s),
                  "fill": lambda m, t, s: t.fill(s), "list": lambda m, t, s: t.__setitem__(slice(0, 2), [s, s]),
                  "array": lambda m, t, s: m.array([s, 1], dtype=t.dtype)}
        for (name, store), dtype, number in product(stores.items(), ["int8", "int64"], [2.7, -3.5, np.nan, np.inf, 1e20, 300.0]):
            def inside(m, source="float64"):
                target = m.zeros(4, dtype)
                made = store(m, target, m.array([number, 0], source).sum())
                return target if made is None else made
            self.compare(inside, name, dtype, number)
            if number == 300:
                self.compare(lambda m: inside(m, "int16"), name, dtype, "int16")

    def test_an_element_of_flat_has_one_error(self):
        for dtype, number in product(["int8", "uint8", "float32"], [np.nan, 2**70, 1j, "x", [1, 2], 7]):
            def inside(m):
                a = m.zeros(3, dtype)
                a.flat[1] = number
                return a
            kind, theirs = outcome(lambda: inside(np))
            got, ours = outcome(lambda: inside(nj))
            self.assertEqual((got, str(ours) if got == "error" else str(to_numpy(ours).tolist())),
                             (kind, str(theirs) if kind == "error" else str(theirs.tolist())), (dtype, number))

    def test_place_takes_arrays_that_are_cast_safely(self):
        for dtype, values in product(["int8", "int64", "float32"], [np.array(2), np.array(2.5), np.array([2.5]), np.int8(3), 2.5, [1.5, 2]]):
            def inside(m):
                target = m.zeros(3, dtype)
                m.place(target, m.array([True, False, True]), m.array(values) if isinstance(values, np.ndarray) else values)
                return target
            kind, theirs = outcome(lambda: inside(np))
            got, ours = outcome(lambda: inside(nj))
            self.assertEqual((got, str(ours) if got == "error" else to_numpy(ours).tolist()),
                             (kind, str(theirs) if kind == "error" else theirs.tolist()), (dtype, values))

    def test_indices_of_uint64_wrap(self):
        for places in ([3, 2**64 - 1], [2**64 - 10], [2**63], [0, 2**64 - 11], [10]):
            def with_places(work):
                def inside(m):
                    a = m.arange(10.0)
                    result = work(m, a, m.array(places, dtype="uint64"))
                    return a if result is None else result
                return inside
            for work in (lambda m, a, i: a[i], lambda m, a, i: a.reshape(1, 10)[:, i], lambda m, a, i: a.__setitem__(i, -1),
                         lambda m, a, i: m.take(a, i), lambda m, a, i: m.add.at(a, i, 5), lambda m, a, i: a[i + 0],
                         lambda m, a, i: a.reshape(1, 10)[m.zeros(len(i), dtype="int8"), i], lambda m, a, i: m.take_along_axis(a, i, 0)):
                self.compare(with_places(work), places)

    def test_operators(self):
        tally = Tally()
        binary = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.and_, operator.or_,
                  operator.xor, operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge, divmod, operator.matmul]
        for op, dtype in product(binary, DTYPES):
            a, b = values(dtype, (3, 3), 1), values(dtype, (3, 3), 2)
            others = [b, 3, 2.5, True, [1, 2, 3], b[0], np.int8(3), b[0, 0], "a", None]
            if np.dtype(dtype).kind != "c":
                others.append(1j)
            for x in others:
                if x is None and op not in (operator.eq, operator.ne) or isinstance(x, str):
                    continue
                tally.check(op.__name__, [a, x], own=op, other=op, ulps=16)
                tally.check(op.__name__, [x, a], own=op, other=op, ulps=16)
        for op, dtype in product([operator.neg, operator.pos, operator.abs, operator.invert], DTYPES):
            tally.check(op.__name__, [values(dtype, (3,))], own=op, other=op)
        for e, dtype in product([0, 1, 2, 3, 0.5, -1, 2.5], DTYPES):
            tally.check("pow", [np.abs(values(dtype, (3,))).astype(dtype), e], own=operator.pow, other=operator.pow, ulps=16)
            tally.check("pow", [e, np.abs(values(dtype, (3,))).astype(dtype)], own=operator.pow, other=operator.pow, ulps=16)
        self.finish(tally, 3500)

    def test_in_place(self):
        tally = Tally()

        def apply(module, op):
            def inside(a, b):
                a = module.array(a)
                same = a
                a = op(a, b)
                assert a is same
                return a
            return inside
        for op, dtype in product([operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod, operator.ipow,
                                  operator.iand, operator.ior, operator.ixor, operator.ilshift, operator.irshift], DTYPES):
            for b in (3, 2.5, True, values(dtype, (3,), 2), values("float64", (3,), 2), np.arange(4)):
                if op in (operator.ipow, operator.ilshift, operator.irshift) and isinstance(b, np.ndarray):
                    b = np.abs(b).astype(b.dtype)
                tally.check(op.__name__, [values(dtype, (3,), 1), b], own=apply(nj, op), other=apply(np, op), ulps=16)
        self.finish(tally, 900)

    def test_methods_and_attributes(self):
        tally = Tally()
        for name in ("shape", "ndim", "size", "itemsize", "nbytes", "T", "real", "imag", "mT", "strides"):
            for dtype in DTYPES:
                for label, a in layouts(dtype).items():
                    if name == "strides" and a.size == 0:
                        continue  # mean nothing
                    tally.check(name, [a], own=operator.attrgetter(name), other=operator.attrgetter(name), label=label)
        calls = [("sum",), ("sum", 0), ("mean",), ("max", 0), ("argmax",), ("cumsum",), ("all",), ("any", -1), ("prod",), ("std",), ("var",), ("min",),
                 ("astype", "float32"), ("astype", "int8"), ("copy",), ("reshape", -1), ("reshape", 2, 2), ("ravel",), ("flatten",), ("transpose",), ("squeeze",),
                 ("swapaxes", 0, -1), ("repeat", 2), ("clip", 0, 2), ("clip", None, 1), ("round",), ("conj",), ("tolist",), ("item",), ("item", 0), ("nonzero",),
                 ("argsort",), ("take", [0]), ("diagonal",), ("trace",), ("dot", 2), ("ptp",), ("tobytes",), ("searchsorted", 1), ("compress", [True])]
        for dtype, (name, *rest) in product(DTYPES, calls):
            for label, a in layouts(dtype).items():
                if name in ("argsort",) and a.size > 0 or name == "ptp" or name == "searchsorted" and a.dtype.kind == "c":
                    continue
                tally.check(name, [a, *rest], own=lambda x, *r: getattr(x, name)(*r), other=lambda x, *r: getattr(x, name)(*r), label=label, ulps=100)
        self.finish(tally, 5000)

    def test_conversions(self):
        tally = Tally()
        for dtype, f in product(DTYPES, [bool, int, float, complex, operator.index, len, list, hash, iter, round, format, "{}".format]):
            for shape in ((), (1,), (2,), (0,)):
                if f is iter or f is list and shape == () or f in (format, "{}".format) or f is round:
                    continue
                if f is list:
                    continue
                if shape == (1,) and f in (int, float, complex):
                    continue  # deprecated in NumPy, an error here
                tally.check(getattr(f, "__name__", "f"), [values(dtype, shape)], own=f, other=f)
        self.finish(tally, 300)
        self.assertIn(3, nj.array([1, 2, 3]))
        self.assertNotIn(4, nj.array([1, 2, 3]))
        self.assertEqual([int(x) for x in nj.arange(4)], [0, 1, 2, 3])
        self.assertEqual(hash(nj.float64(2.5)), hash(2.5))
        self.assertEqual(f"{nj.float64(2.5):.3f} {nj.arange(3)}", "2.500 [0 1 2]")

    def test_text(self):
        for dtype in DTYPES:
            for a in layouts(dtype).values():
                self.assertEqual(repr(nj.array(a)), repr(np.array(a)))
                self.assertEqual(str(nj.array(a)), str(np.array(a)))
            for x in (values(dtype, (2,), 3)[0], np.dtype(dtype).type(1)):
                self.assertEqual(repr(nj.asarray(np.array([x]))[0]), repr(x))
                self.assertEqual(str(nj.asarray(np.array([x]))[0]), str(x))
            self.assertEqual(repr(nj.dtype(dtype)), repr(np.dtype(dtype)))

    def test_scalars_do_not_change(self):
        a = nj.arange(3.0)
        a[0], a[2] = a[2], a[0]
        self.assertEqual(a.tolist(), [2, 1, 0])
        x = y = a.sum()
        x += 1
        self.assertEqual((float(x), float(y)), (4, 3))
        with self.assertRaises(TypeError):
            y[...] = 3

    def test_copies(self):
        for dtype in DTYPES:
            for a in layouts(dtype).values():
                mine = nj.asarray(a)
                for made in (copy.copy(mine), copy.deepcopy(mine), pickle.loads(pickle.dumps(mine))):
                    self.assertEqual(difference(to_numpy(made), np.asarray(a)), "")
                    self.assertFalse(a.size and np.shares_memory(np.asarray(made), a))
            self.assertIs(pickle.loads(pickle.dumps(nj.dtype(dtype))), nj.dtype(dtype))
            self.assertEqual(pickle.loads(pickle.dumps(nj.dtype(dtype)(1))).item(), np.dtype(dtype).type(1).item())
        self.assertIs(pickle.loads(pickle.dumps(nj.sin)), nj.sin)

    def test_dtypes(self):
        for name in DTYPES:
            mine, theirs = nj.dtype(name), np.dtype(name)
            for attribute in ("name", "kind", "char", "itemsize", "str", "alignment"):
                self.assertEqual(getattr(mine, attribute), getattr(theirs, attribute))
            self.assertEqual(np.dtype(mine), theirs)
            self.assertEqual(nj.dtype(theirs), mine)
            self.assertEqual(nj.dtype(theirs.type), mine)
            self.assertTrue(mine == name and mine == theirs and hash(mine) == hash(nj.dtype(name)))
            for other in DTYPES:
                self.assertEqual(nj.promote_types(name, other).name, np.promote_types(name, other).name)
                self.assertEqual(nj.can_cast(name, other), np.can_cast(name, other))
                self.assertEqual(nj.can_cast(name, other, "same_kind"), np.can_cast(name, other, "same_kind"))
        for t in (float, int, bool, complex, "f4", "<f8", "d", "?"):
            self.assertEqual(nj.dtype(t).name, np.dtype(t).name)
        for t in ("U3", "M8[s]", object, "f16", "nonsense", [("a", int)]):
            self.assertEqual(outcome(lambda: nj.dtype(t))[0], "error")
        self.assertTrue(nj.issubdtype(nj.float32, nj.floating) and not nj.issubdtype(nj.int8, nj.floating))
        for name in ("float16", "float32", "float64"):
            for limit in ("eps", "max", "min", "tiny", "smallest_subnormal", "resolution"):
                self.assertEqual(float(getattr(nj.finfo(name), limit)), float(getattr(np.finfo(name), limit)), (name, limit))
            self.assertEqual(nj.finfo(name).bits, np.finfo(name).bits)
        for name in ("int8", "uint64"):
            self.assertEqual((nj.iinfo(name).min, nj.iinfo(name).max), (np.iinfo(name).min, np.iinfo(name).max))

    def test_order(self):
        calls = [lambda m, o: m.zeros((2, 3), order=o).flags.f_contiguous, lambda m, o: m.array([[1, 2], [3, 4]], order=o).strides,
                 lambda m, o: m.asarray([[1, 2], [3, 4]], order=o).shape, lambda m, o: m.arange(6).reshape(2, 3, order=o).tolist(),
                 lambda m, o: m.arange(6).reshape(2, 3).ravel(o).tolist(), lambda m, o: m.arange(6).reshape(2, 3).flatten(o).tolist(),
                 lambda m, o: m.arange(6).reshape(2, 3).tobytes(o), lambda m, o: m.arange(6).reshape(2, 3).T.tobytes(o),
                 lambda m, o: m.ravel_multi_index((1, 1), (2, 3), order=o), lambda m, o: m.unravel_index(3, (2, 3), o),
                 lambda m, o: m.einsum("ij->i", [[1, 2]], order=o).tolist(), lambda m, o: m.eye(2, 3, order=o).tolist()]
        for order in ["c", "f", "C", "F", "A", "a", "K", "k", "x", "Fortran", "", None]:
            for call in calls:
                own, other = [(kind, type(got).__name__ if kind == "error" else got)
                              for kind, got in (outcome(lambda: call(m, order)) for m in (nj, np))]
                self.assertEqual(own, other, repr(order))

    def test_flat_and_flags(self):
        a = np.arange(6).reshape(2, 3)
        mine = nj.array(a)
        self.assertEqual([int(x) for x in mine.flat], a.ravel().tolist())
        mine.flat[1:3] = 9
        a.flat[1:3] = 9
        self.assertEqual(mine.tolist(), a.tolist())
        self.assertTrue(mine.flags.c_contiguous and mine.T.flags.f_contiguous and mine.flags["W"])
        mine.flags.writeable = False
        with self.assertRaises(ValueError):
            mine[0] = 1
        with self.assertRaises(ValueError):
            mine += 1
        self.assertEqual(to_numjit(a).shape, (2, 3))

    def test_scalar_types(self):
        """The types of scalars, and what they are below, are NumPy's."""
        for name in DTYPES:
            mine, theirs = getattr(nj, name), getattr(np, name)
            with self.subTest(name):
                self.assertEqual([c.__name__ for c in mine.__mro__ if c is not object and c.__name__ != "array_base"],
                                 [c.__name__ for c in theirs.__mro__ if c is not object])
                self.assertIs(type(nj.zeros(2, name)[0]), mine)
                self.assertIs(type(nj.max(nj.zeros(2, mine))), mine)
                self.assertIs(nj.dtype(name).type, mine)
                self.assertEqual(nj.dtype(mine), nj.dtype(theirs))
                for kind in ("generic", "number", "integer", "signedinteger", "unsignedinteger", "inexact", "floating", "complexfloating"):
                    self.assertEqual(isinstance(mine(1), getattr(nj, kind)), isinstance(theirs(1), getattr(np, kind)), kind)
                    self.assertEqual(nj.issubdtype(mine, getattr(nj, kind)), np.issubdtype(theirs, getattr(np, kind)), kind)
        with self.assertRaisesRegex(TypeError, "cannot create 'numjit.floating' instances"):
            nj.floating(1)
        self.assertFalse(isinstance(nj.float64(1), nj.ndarray))
        self.assertEqual(complex(nj.complex64(1, 2)), 1 + 2j)


if __name__ == "__main__":
    unittest.main()
