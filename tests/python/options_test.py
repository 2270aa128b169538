"""Functions that sort, search, choose, write at places and count, with every option and what is none: the results, or the errors, are
NumPy's."""
import re
import unittest
import warnings

import numpy
import numjit

ARRAYS = ("m.array([3, 1, 2])", "m.array([[3., 1, m.nan], [0, 5, -1]])", "m.array([[3, 1], [2, 7]], dtype='i2')", "5", "m.array(5.)",
          "[3, 1, 2]", "m.array([], dtype='f4')", "m.array([1, 2], dtype='f4')")
TARGETS = ("m.zeros(3)", "m.zeros((2, 3))", "m.zeros(3, 'i4')", "m.zeros(3, 'u1')", "m.zeros(3, 'c8')", "m.zeros(3, bool)",
           "m.zeros((2, 3)).T", "m.float64(3)", "[1, 2]", "m.zeros((0,))")
VALUES = ("1", "1.5", "True", "m.nan", "300", "-1", "m.arange(3)", "m.arange(3.)", "m.ones((1, 1, 3))", "m.ones((2, 3))", "[1, 2, 3]",
          "m.float32(2)", "m.int64(2)", "[]", "10**30")
INDICES = ("0", "-1", "[0, 1]", "[0, 9]", "m.array([0, 1], dtype='i2')", "1.7", "[1.7]", "m.array([1.])", "[[0, 1], [1, 0]]", "True", "[]",
           "m.array(1)", "m.float32(1)", "m.array([0, 1], dtype='u8')")


def forms_of_sorts():
    for x in ARRAYS:
        for o in ("", "axis=0", "axis=1", "axis=None", "axis=7", "kind='quick'", "kind='bubble'", "kind=3", "order='x'", "stable=True",
                  "kind='heap', stable=True"):
            yield f"m.sort({x}, {o})"
            yield f"m.argsort({x}, {o})"
            yield f"m.array({x}).argsort({o})"
        for o in ("0", "[0, 1]", "1, axis=0", "1, axis=None", "1.5", "1, kind='x'", "1, kind=2", "9", "-1"):
            if x != "5" and x != "m.array(5.)":
                yield f"m.sort(m.partition({x}, {o}), None)"
            yield f"m.argpartition({x}, {o}).shape"
        yield f"m.sort_complex({x})"
    for d in "bhBHeflLdFD":
        yield f"m.sort_complex(m.ones(2, '{d}'))"


def forms_of_searches():
    for x in ARRAYS:
        for v in ("2", "2.5", "[1, 2.5]", "m.array([[1, 2], [3, 4]])", "1j", "m.nan"):
            for o in ("", "side='right'", "side='l'", "side='x'", "side=3", "sorter=[2, 1, 0]", "sorter=[0., 1, 2]", "sorter=[[0]]",
                      "sorter=[0]", "sorter=[9, 9, 9]", "sorter=[]"):
                yield f"m.searchsorted({x}, {v}, {o})"
            yield f"m.digitize({v}, {x})"
    for c in ("[True, False]", "m.array([1, 0, 1])", "[[True]]", "[]", "True"):
        for x in ARRAYS:
            for o in ("", "axis=0", "axis=1"):
                yield f"m.compress({c}, {x}, {o})"
            yield f"m.array({x}).compress({c})"
    for a in ("3", "3, 1", "3, -1", "3, 0, 2", "3, k=1, m=5", "3.5", "3, 0.5", "3, -0.5", "3, 0, 2.5", "0", "-1", "3, 0, -1", "3, 2, 0"):
        yield f"m.tril_indices({a})"
        yield f"m.triu_indices({a})"
    for a in ("5, (2, 3)", "[5, 1], (2, 3)", "9, (2, 3)", "-1, (2, 3)", "5, 6", "5., (2, 3)", "[], (2, 3)", "[1, 2], ()", "0, ()", "[0], ()",
              "True, (2, 3)", "5, (2, 3), 'F'", "5, (2, 3), order='A'", "5, (2**40, 2**40)", "5, shape=(2, 3)", "5, (2.5, 3)"):
        yield f"m.unravel_index({a})"
    for a in ("(1, 2), (3, 4)", "([1, 2], [2, 3]), (3, 4)", "(1, 9), (3, 4)", "(1, 9), (3, 4), 'wrap'", "(1, 9), (3, 4), ('raise', 'wrap')",
              "(1, 9), (3, 4), ('raise',)", "(1, 2, 3), (3, 4)", "(1, 2), (3, 4), order='F'", "(1.5, 2), (3, 4)", "(1, 2), (0, 4)",
              "([], []), (0, 4)", "(1, 2), (2**40, 2**40)", "m.arange(4).reshape(2, 2), (3, 4)", "(5,), 9", "(1, 2), (3, 4), order='K'",
              "(1, 2), (3, 4), mode=7", "(-1, 2), (3, 4)", "(-1, 2), (3, 4), 'wrap'", "(1, 2), (3, 4), None"):
        yield f"m.ravel_multi_index({a})"


def forms_of_takes():
    for x in ARRAYS:
        for i in INDICES:
            for o in ("", "axis=0", "mode='wrap'", "mode='clip'", "mode=1", "mode=None"):
                yield f"m.take({x}, {i}, {o})"
            for v in ("7", "[7, 8]", "7.5", "m.array([1.5])", "[]", "m.array(2)"):
                yield f"a = m.array({x}); m.put(a, {i}, {v}); a"
                yield f"a = m.array({x}); a.put({i}, {v}, mode='wrap'); a"
    for o in ("mode='x'", "mode='Raise'", "mode=1.5", "axis=5", "out=3"):
        yield f"m.take([3, 1, 2], [0, 1], {o})"
    for t in ("m.zeros(2)", "m.zeros(2, 'i4')", "m.zeros(2, 'i8')", "m.zeros(3, 'i8')"):
        yield f"o = {t}; m.take(m.array([3, 1, 2]), [0, 1], out=o); o"


def forms_of_choices():
    for c in ("[0, 1]", "m.array([[0, 1], [1, 0]])", "0", "[-1, 0]", "1.5", "[True, False]", "m.array([1], 'u8')", "[]"):
        for x in ("[[1, 2], [3, 4]]", "[m.arange(2), 1.5]", "[1, 2]", "m.arange(4).reshape(2, 2)", "[]",
                  "(m.array([1], 'i2'), m.array([1], 'u2'), m.array([1], 'f4'))"):
            for o in ("", "mode='wrap'", "mode='clip'", "mode='z'", "out=m.zeros(2)", "out=m.zeros(2, 'i4')", "out=3", "mode=2"):
                yield f"m.choose({c}, {x}, {o})"
    for c in ("[m.array([True, False])]", "[[True, False], [False, True]]", "[]", "[m.array([1, 0])]", "[True, False]",
              "m.array([[True, False], [True, True]])", "[m.array([True, False, True])]"):
        for x in ("[[1, 2]]", "[[1, 2], [3, 4]]", "[1, 2.5]", "[]", "[m.array([1.5, 2], 'f4')]", "m.arange(4).reshape(2, 2)", "[1]"):
            for o in ("", "7", "m.nan", "default=1.5", "default=m.int8(3)", "default=[1, 2]", "default=1j"):
                yield f"m.select({c}, {x}, {o})"


def forms_of_stores():
    for t in TARGETS:
        for v in VALUES:
            for o in ("", "casting='no'", "casting='equiv'", "casting='safe'", "casting='unsafe'", "where=False"):
                if not (v == "10**30" and "bool" in t):
                    yield f"a = {t}; m.copyto(a, {v}, {o}); a"
            for mask in ("[True, False, True]", "m.array([1, 0, 1])", "[[True, False, True]]", "[0, 0, 0]", "m.arange(6).reshape(2, 3) % 2"):
                yield f"a = {t}; m.putmask(a, {mask}, {v}); a"
                yield f"a = {t}; m.place(a, {mask}, {v}); a"
    for o in ("where=[True, False, True]", "where=m.array([1, 0, 1])", "where=[1, 0, 1]", "casting='x'", "casting=3"):
        yield f"a = m.zeros((2, 3)); m.copyto(a, 1, {o}); a"
    yield "a = m.zeros((3, 2)); m.copyto(a, 1, where=[True, False, True]); a"
    for t in ("m.zeros((3, 3))", "m.zeros((7, 3))", "m.zeros((3, 7))", "m.zeros((3, 3, 3))", "m.zeros((3, 3, 2))", "m.zeros((7, 3)).T",
              "m.zeros((3, 7)).T", "m.zeros((6, 6))[::2, ::2]", "m.zeros((3, 3), 'i4')", "m.zeros((0, 3))", "m.zeros((3, 0))", "m.zeros(3)",
              "m.broadcast_to(m.zeros(3), (3, 3))"):
        for v in ("1", "[1, 2]", "[]", "m.arange(3.)", "1.5", "[[1, 2], [3, 4]]"):
            for o in ("", "True", "wrap=False"):
                yield f"a = {t}; m.fill_diagonal(a, {v}, {o}); a"


def forms_of_moves():
    for a in ("0, 5", "-5, 0", "4, 0", "0, 4", "3"):
        yield f"m.rollaxis(m.zeros((1, 2, 3, 4)), {a}).shape"
    for i in ("2**63 + 2", "-2**70 - 1", "m.uint64(2**63 + 2)", "2**100", "[2**63, 1]"):
        yield f"m.roll(m.arange(5), {i})"
        yield f"m.roll(m.arange(6).reshape(2, 3), {i}, axis=1)"
    yield "m.roll(m.arange(0), 2**80)"
    for a in ("[m.float32(1), 1.]", "[m.array([1], 'f4'), [1.]]", "[m.array([1], 'i1'), 1, True]", "[m.array([1], 'i1'), 300]", "[1, 2.5]"):
        yield f"m.concatenate({a}, axis=None)"
    for rule in ("no", "equiv", "safe"):
        for t in ("f8", ">f8"):
            yield f"m.concatenate(([1.1], [2.2]), out=m.empty(2, '{t}'), casting='{rule}')"
            yield f"m.concatenate(([1.1], [2.2]), dtype='{t}', casting='{rule}').dtype.itemsize"
            yield f"m.stack(([1.1], [2.2]), dtype='{t}', casting='{rule}').dtype.itemsize"
            yield f"m.concatenate((m.ones(1, '{t}'), m.ones(1, '{t}')), dtype='{t}', casting='{rule}').dtype.itemsize"
    yield "m.eye(3).resize(refcheck='hi')"
    for call in ("searchsorted(v=1, side='right')", "take(indices=[0, 1])", "argpartition(kth=1).shape", "repeat(repeats=2)",
                 "put(indices=0, values=5)", "take(indices=[0], mode='x')"):
        yield f"m.array([1, 2, 3]).{call}"


def forms_of_sets():
    sets = ("[3, 1, 2, 3]", "m.array([[1, 2], [2, 1]])", "m.array([1.5, m.nan, 1.5, m.nan])", "m.array([True, False])", "5", "[]",
            "m.array([1, 300], 'i2')", "m.array([200, 1], 'u1')", "m.array([1+1j, 1-1j, 1+1j])", "m.array([-128, 127], 'i1')")
    for x in sets:
        for o in ("", "True", "return_inverse=True", "return_counts=True", "return_index=True, return_counts=True", "axis=0", "axis=-1",
                  "axis=1", "axis=7", "equal_nan=False", "True, True, True, None"):
            yield f"m.unique({x}, {o})"
        for name in ("unique_all", "unique_counts", "unique_inverse"):
            yield f"tuple(m.{name}({x}))"
        yield f"m.sort(m.unique_values({x}))"
        for y in sets:
            yield f"m.union1d({x}, {y})"
            for o in ("", "True", "assume_unique=False"):
                yield f"m.setdiff1d({x}, {y}, {o})"
            yield f"m.intersect1d({x}, {y})"
            yield f"m.setxor1d({x}, {y})"
            yield f"m.intersect1d({x}, {y}, return_indices=True)"
            for o in ("", "invert=True", "kind='sort'", "kind='table'", "kind='x'", "False, True"):
                yield f"m.isin({x}, {y}, {o})"


def forms_of_counts_and_windows():
    for x in ("[0, 1, 1]", "m.array([0, 2], 'u1')", "[0., 1]", "m.array([0., 1])", "[[1]]", "1", "[]", "[-1]", "m.array([True, False])", "(1, 3)"):
        for o in ("", "weights=[1, 2, 3]", "[.5, 1.5]", "minlength=5", "minlength=-1", "minlength=1.5", "None, 7"):
            if x != "[-1]" or "weights" not in o and "." not in o:
                yield f"m.bincount({x}, {o})"
    for x in ("[1, 0, 1]", "m.array([[1, 0, 2], [0, 0, 1]], 'u1')", "m.ones(3)", "[]", "m.array(True)", "m.ones((2, 9), bool)"):
        for o in ("", "axis=0", "axis=1", "axis=7", "bitorder='little'", "bitorder='lit'", "bitorder='littleness'", "bitorder=3", "0"):
            yield f"m.packbits({x}, {o})"
            yield f"m.unpackbits(m.array({x}, 'u1'), {o})"
        for o in ("count=3", "count=-1", "count=-99", "axis=0, count=20", "bitorder='l'", "bitorder='x'", "count=1.5"):
            if x != "[]" or "count=3" != o != "axis=0, count=20":  # NumPy's are whatever the memory holds
                yield f"m.unpackbits(m.array({x}, 'u1'), {o})"
        yield f"m.unpackbits({x})"
    for n in ("0", "1", "5", "8", "-3", "4.5", "m.int64(6)", "m.float32(5)", "1.5"):
        for name in ("bartlett", "blackman", "hamming", "hanning"):
            yield f"m.round(m.{name}({n}), 12)"
        for beta in ("0", "14", "2.5"):
            yield f"m.round(m.kaiser({n}, {beta}), 12)"
    for x in ("0", "1.5", "[0., 3, 20]", "m.array([1, 2])", "1j", "m.array(2.)"):
        yield f"m.round(m.i0({x}), 8)"


def told(x):
    """A result with its types, for both modules alike."""
    if isinstance(x, (tuple, list)):
        return tuple(told(one) for one in x)
    if hasattr(x, "dtype"):
        return str(x.dtype), numpy.shape(x), repr(numpy.asarray(x).tolist()), type(x).__name__
    return x


def outcome(module, form):
    *before, last = form.split("; ")
    home = {"m": module}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec("; ".join(before), home)
            return repr(told(eval(last, home)))
    except Exception as e:
        return f"{type(e).__name__}: {e}"


class Options(unittest.TestCase):
    def holds(self, forms):
        wrong = []
        for form in forms:
            expected, got = outcome(numpy, form), outcome(numjit, form)
            if re.sub(r"^(\w+: )\[\w+\] ", r"\1", got) != expected:
                wrong.append(f"{form}\n    NumPy: {expected}\n    got:   {got}")
        self.assertFalse(wrong, f"{len(wrong)} differ\n" + "\n".join(wrong[:40]))

    def test_sorts(self):
        self.holds(forms_of_sorts())

    def test_searches(self):
        self.holds(forms_of_searches())

    def test_takes_and_puts(self):
        self.holds(forms_of_takes())

    def test_choices(self):
        self.holds(forms_of_choices())

    def test_stores(self):
        self.holds(forms_of_stores())

    def test_moves_and_joins(self):
        self.holds(forms_of_moves())

    def test_sets(self):
        self.holds(forms_of_sets())

    def test_counts_bits_and_windows(self):
        self.holds(forms_of_counts_and_windows())

    def test_arrays_in_descending_order(self):
        a = [3.0, 1.0, float("nan"), 3.0, 2.0]
        self.assertEqual(repr(numjit.sort(a, descending=True).tolist()), "[nan, 3.0, 3.0, 2.0, 1.0]")
        self.assertEqual(numjit.argsort(a, descending=True).tolist(), [2, 0, 3, 4, 1])
        self.assertEqual(numjit.array([[1, 5], [4, 2]]).argsort(axis=0, descending=True).tolist(), [[1, 0], [0, 1]])


if __name__ == "__main__":
    unittest.main()
