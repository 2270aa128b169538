"""Calls of the functions of numpy_compat/functions.def: each option of each signature by itself with values drawn by its name, the
options together, by position and by name, and methods. What NumPy refuses is a call, too, once for each option.
"""
import fnmatch
import inspect
import pathlib
import re

import numpy as np

TABLE = pathlib.Path(__file__).resolve().parents[2] / "numpy_compat" / "functions.def"
ROW = re.compile(r'^(FUNCTION|MODULE_FUNCTION|METHOD)\(((?:\w+, )+)"(\([^"]*\))"', re.M)


class NoValue:
    """The default of what is told from None."""


class Array:
    """An argument, in a layout: C, F, R (all axes reversed) or S (every second element). `target`: it is written to, and compared."""

    def __init__(self, value, layout="C", target=False):
        self.value, self.layout, self.target = np.asarray(value), layout, target

    def copy(self):
        return self.value.copy()


class Call:
    """`places`: names of options that stand in their places, behind what must be given."""

    def __init__(self, name, args, options=None, places=()):
        self.name, self.args, self.options, self.places = name, list(args), options or {}, list(places)

    def given(self):
        """Its options, by their names."""
        behind = self.args[len(self.args) - len(self.places):] if self.places else []
        return {**dict(zip(self.places, behind)), **self.options}


# ---- what languages have otherwise ----

ROW_OF_LANGUAGE = re.compile(r"^\| (C\+\+|JavaScript) \| ([^|]*) \| ([^|]*) \|", re.M)


class Exceptions:
    """The table of docs/numpy.md: a language, functions, and their arguments: `name`, `name=value`, `2**63` (integers from there on) or
    `TypeError` (what NumPy refuses so)."""

    def __init__(self):
        quoted = re.compile("`([^`]+)`")
        text = (TABLE.parents[1] / "docs" / "numpy.md").read_text()
        self.rows = [(language, quoted.findall(functions) or ["*"], quoted.findall(arguments)) for language, functions, arguments in ROW_OF_LANGUAGE.findall(text)]
        self.used = set()

    def languages(self, call, answer):
        """Those that have a call otherwise, each with the number of its row."""
        found = {}
        for number, (language, functions, arguments) in enumerate(self.rows):
            if any(fnmatch.fnmatch(call.name.strip("."), f) for f in functions) and any(self.is_meant(a, call, answer) for a in arguments):
                found[language] = number
                self.used.add(number)
        return found

    def is_meant(self, argument, call, answer):
        if argument == "TypeError":
            return answer == argument and "no_such_option" not in call.options
        if argument == "2**63":
            return any(isinstance(a, int) and a >= 2**63 for a in call.args)
        name, _, value = argument.partition("=")
        given = call.given()
        return name in given and (not value or str(given[name]) == value)


def signature_of(text):
    home = {"no_value": NoValue}
    exec(f"def f{text.replace('<no value>', 'no_value')}: pass", home)
    return inspect.signature(home["f"])


def rows():
    """(name, signature) of each row: `fft.fft` of modules, `.sum` of methods."""
    for kind, names, signature in ROW.findall(TABLE.read_text()):
        parts = names.rstrip(", ").split(", ")
        name = {"FUNCTION": parts[0], "MODULE_FUNCTION": ".".join(parts[:2]), "METHOD": f".{parts[0]}"}[kind]
        yield name, signature_of(signature)


# ---- what arguments are made of ----

rng = np.random.default_rng(33)  # of values in the tables; calls() seeds it for each row
REAL = ["float64", "float32", "int64", "int32", "uint8"]


def numbers(shape, dtype=None):
    """Multiples of a quarter: sums of them are exact in every order."""
    dtype = np.dtype(dtype or rng.choice(REAL))
    if dtype.kind in "iu":
        return rng.integers(0 if dtype.kind == "u" else -4, 9, shape).astype(dtype)
    made = rng.integers(-16, 17, shape) / 4
    return (made + 1j * rng.integers(-16, 17, shape) / 4 if dtype.kind == "c" else made).astype(dtype)


def array(shape=(2, 3), dtype=None):
    return Array(numbers(shape, dtype), str(rng.choice(list("CFRS"))) if shape else "C")


def distinct(shape=(2, 3)):
    """Without equal elements, whose order as indices is not told."""
    return Array(rng.permutation(int(np.prod(shape))).astype(str(rng.choice(REAL))).reshape(shape), str(rng.choice(list("CFRS"))))


def positive(shape, dtype="float64"):
    return Array(np.abs(numbers(shape, dtype)) + np.dtype(dtype).type(1))


def counts(shape, below, dtype="int64"):
    return Array(rng.integers(0, below, shape).astype(dtype))


def mask(shape):
    return Array(rng.integers(0, 2, shape).astype(bool))


def with_nan():
    made = numbers((2, 3), str(rng.choice(["float64", "float32"])))
    made[0, 1] = np.nan
    return Array(made, str(rng.choice(list("CFRS"))))


def target(shape=(2, 3), dtype="float64"):
    return Array(numbers(shape, dtype), target=True)


POINTS = [0.0, 1.0, 2.5, 4.0]
# Arguments that must be given, by their name, or by function.name: what makes them.
REQUIRED = {
    "a": array, "m": array, "x": array, "f": lambda: array((3, 4), "float64"), "arr": array, "ary": lambda: array((4, 4)), "array": array, "A": array, "val": lambda: array((3,), "complex128"),
    "z": lambda: array((3,), "complex128"), "y": lambda: array((2, 4), "float64"), "p": lambda: array((2, 4), "float64"), "filt": lambda: Array([0, 0, 1, 2, 0, 3, 0]), "ar": lambda: counts((3, 2), 3),
    "element": lambda: counts((2, 3), 5), "test_elements": lambda: counts((3,), 5), "ar1": lambda: Array([1, 3, 5, 7]), "ar2": lambda: Array([7, 1, 4]), "a1": array, "a2": array, "self": array,
    "shape": lambda: [3, 2], "broadcast_to.shape": lambda: [4, 2, 3], "new_shape": lambda: [4, 2], "axis1": lambda: 0, "axis2": lambda: 1, "source": lambda: 0, "destination": lambda: -1,
    "expand_dims.axis": lambda: 1, "rollaxis.axis": lambda: 1, "put_along_axis.axis": lambda: 1, "reps": lambda: [2, 1], "repeats": lambda: 2, "shift": lambda: 1,
    "arrays": lambda: [array((2, 3)), array((2, 3))], "tup": lambda: [array((2, 3)), array((2, 3))], "values": lambda: array((2, 3)), "insert.values": lambda: 7, "obj": lambda: 1,
    "pad_width": lambda: 2, "pad.array": lambda: array((5,)), "indices_or_sections": lambda: 2, "dsplit.ary": lambda: array((2, 2, 4)), "b": array, "kth": lambda: 1,
    "searchsorted.a": lambda: Array([1.0, 2.0, 3.5, 5.0]), ".searchsorted.self": lambda: Array([1.0, 2.0, 3.5, 5.0]), "v": lambda: array((3,), "float64"), "digitize.x": lambda: Array([0.5, 1.0, 3.0]),
    "bins": lambda: Array([0.0, 1.0, 2.0, 3.0]), "bincount.x": lambda: counts((6,), 4), "keys": lambda: [array((3,)), array((3,))], "indices": lambda: Array([0, 1]), "ind": lambda: Array([0, 2]),
    "put.a": target, ".put.self": target, "put.v": lambda: Array([7.0, 8.0]), ".put.values": lambda: Array([7.0, 8.0]), "dst": target, "src": lambda: array((3,), "float64"),
    "putmask.a": target, "putmask.mask": lambda: mask((2, 3)), "putmask.values": lambda: Array([7.0, 8.0]), "place.arr": target, "place.mask": lambda: mask((2, 3)), "vals": lambda: Array([7.0, 8.0]),
    "condition": lambda: Array([True, False, True]), "extract.condition": lambda: mask((2, 3)), "compress.a": lambda: array((3, 3)), "choose.a": lambda: Array([0, 1, 1]),
    "choices": lambda: [array((3,)), array((3,))], "condlist": lambda: [mask((3,)), mask((3,))], "choicelist": lambda: [array((3,)), array((3,))], "take_along_axis.indices": lambda: Array([[0, 1, 1], [1, 0, 0]]),
    "put_along_axis.arr": target, "put_along_axis.indices": lambda: Array([[0], [2]]), "put_along_axis.values": lambda: 9.0, "diagonal.a": lambda: array((3, 3, 2)), ".diagonal.self": lambda: array((3, 3, 2)),
    "trace.a": lambda: array((3, 3, 3)), ".trace.self": lambda: array((3, 3, 3)), "n": lambda: 4, "diag_indices_from.arr": lambda: array((3, 3)), "tril_indices_from.arr": lambda: array((3, 4)),
    "triu_indices_from.arr": lambda: array((3, 4)), "fill_diagonal.a": lambda: target((5, 2)), "fill_diagonal.val": lambda: 7.0, "unravel_index.indices": lambda: Array([1, 5]),
    "multi_index": lambda: [Array([1, 0]), Array([2, 1])], "dims": lambda: [2, 3], "interp.x": lambda: Array([-1.0, 0.5, 3.0, 9.0]), "xp": lambda: Array(POINTS), "fp": lambda: positive((4,)),
    "nan_to_num.x": lambda: Array([np.nan, np.inf, -np.inf, 1.5]), "isposinf.x": lambda: Array([np.nan, np.inf, -np.inf]), "isneginf.x": lambda: Array([np.nan, np.inf, -np.inf]),
    "fix.x": lambda: array((3,), "float64"), "sinc.x": lambda: array((3,), "float64"), "i0.x": lambda: array((3,), "float64"), "iscomplex.x": lambda: array((3,), "complex128"), "isreal.x": lambda: array((3,), "complex64"),
    "real_if_close.a": lambda: Array([1 + 1e-14j, 2 + 0j]), "packbits.a": lambda: mask((2, 9)), "unpackbits.a": lambda: counts((2, 2), 256, "uint8"), "M": lambda: 5, "beta": lambda: 2.5,
    "dot.a": lambda: array((2, 3), "float64"), "dot.b": lambda: array((3, 2), "float64"), ".dot.self": lambda: array((2, 3), "float64"), ".dot.b": lambda: array((3, 2), "float64"), "outer.a": lambda: array((2,), "float64"),
    "outer.b": lambda: array((3,), "float64"), "tensordot.a": lambda: array((3, 3), "float64"), "tensordot.b": lambda: array((3, 3), "float64"), "cross.a": lambda: array((3, 3), "float64"),
    "cross.b": lambda: array((3, 3), "float64"), "vdot.b": array, "isclose.a": lambda: Array([1.0, np.nan, 3.0]), "isclose.b": lambda: Array([1.0000001, np.nan, 3.5]), "allclose.a": lambda: Array([1.0, np.nan]),
    "allclose.b": lambda: Array([1.0, np.nan]), "array_equal.a1": lambda: Array([1.0, np.nan]), "array_equal.a2": lambda: Array([1.0, np.nan]), "q": lambda: Array([0.25, 0.75]), "percentile.q": lambda: 60.0,
    "nanpercentile.q": lambda: Array([10.0, 50.0]), "histogram.a": lambda: array((6,), "float64"), "histogram_bin_edges.a": lambda: array((6,), "float64"), "sample": lambda: array((6, 2), "float64"),
    "histogram2d.x": lambda: array((6,), "float64"), "histogram2d.y": lambda: array((6,), "float64"), "cov.m": lambda: array((2, 5), "float64"), "corrcoef.x": lambda: array((2, 5), "float64"),
    "convolve.a": lambda: array((5,), "float64"), "convolve.v": lambda: array((3,), "float64"), "correlate.a": lambda: array((5,), "float64"), "sort.a": lambda: array((2, 4)), "sort_complex.a": lambda: array((4,), "complex64"),
    "unwrap.p": lambda: Array([[0.0, 3.5, 7.0, 1.0], [1.0, 6.0, 0.5, 4.0]]), "rot90.m": lambda: array((2, 3, 2)), "squeeze.a": lambda: array((1, 3, 1)), "cumulative_sum.x": lambda: array((4,)), "cumulative_prod.x": lambda: array((4,)),
    "argsort.a": distinct, ".argsort.self": distinct, "argpartition.a": distinct, ".argpartition.self": distinct, "average.a": lambda: array((2, 3), "float64"), "trapezoid.y": lambda: array((4, 4), "float64"), "fftfreq.n": lambda: 5, "fft.fft2.a": lambda: array((2, 3), "float64"), "ediff1d.ary": lambda: array((4,), "float64"),
}
for _name in "nansum nanprod nancumsum nancumprod nanmax nanmin nanargmax nanargmin nanmean nanvar nanstd nanmedian nanquantile nanpercentile".split():
    REQUIRED[f"{_name}.a"] = with_nan
for _name in "fft ifft rfft irfft hfft ihfft fftn ifftn rfftn irfftn fft2 ifft2 rfft2 irfft2".split():
    REQUIRED[f"fft.{_name}.a"] = lambda: array((4, 3), "float64")
REQUIRED.update({
    "fill_value": lambda: 2.5, "prototype": array, "start": lambda: 1.5, "stop": lambda: 6,
    "dimensions": lambda: [2, 3], "vander.x": lambda: array((3,)),
    "eye.N": lambda: 4, "tri.N": lambda: 4, "diag.v": lambda: array((3,)), "diagflat.v": lambda: array((2, 2)), "tril.m": lambda: array((2, 3, 4)), "triu.m": lambda: array((2, 3, 4)),
})
# Matrices that have inverses, and symmetric ones.
REQUIRED.update({
    "linalg.a": lambda: Array([[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 5.0]]), "linalg.A": lambda: Array([[4.0, 1.0], [2.0, 0.5], [1.0, 3.0]]), "linalg.b": lambda: Array([1.0, 2.0, -1.0]),
    "linalg.x1": lambda: array((3, 3), "float64"), "linalg.x2": lambda: array((3, 3), "float64"), "linalg.outer.x1": lambda: array((3,), "float64"), "linalg.outer.x2": lambda: array((2,), "float64"),
    "linalg.arrays": lambda: [array((2, 3), "float64"), array((3, 2), "float64"), array((2, 4), "float64")], "linalg.matrix_power.n": lambda: 3, "linalg.norm.x": lambda: array((3, 4), "float64"),
    "linalg.vector_norm.x": lambda: array((3, 4), "float64"), "linalg.matrix_norm.x": lambda: array((3, 4), "float64"), "linalg.cond.x": lambda: Array([[4.0, 1.0], [1.0, 3.0]]), "linalg.trace.x": lambda: array((2, 3, 3), "float64"),
    "linalg.diagonal.x": lambda: array((2, 3, 3), "float64"), "linalg.tensorsolve.a": lambda: Array(np.eye(6).reshape(2, 3, 6) * 2), "linalg.tensorsolve.b": lambda: array((2, 3), "float64"),
    "linalg.tensorinv.a": lambda: Array(np.eye(6).reshape(2, 3, 6) * 2), "linalg.lstsq.a": lambda: Array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 4.0]]), "linalg.lstsq.b": lambda: Array([1.0, 2.5, 2.0, 4.0]),
    "polyval.p": lambda: Array([2.0, -1.0, 0.5]), "u": lambda: Array([3.0, 5.0, 2.0]), "polydiv.v": lambda: Array([2.0, 1.0]), "polyder.p": lambda: Array([2, 3, 1, 4]), "polyint.p": lambda: Array([2.0, 3.0, 1.0]),
    "polyadd.a2": lambda: array((3,)), "polyadd.a1": lambda: array((2,)), "polysub.a2": lambda: array((3,)), "polysub.a1": lambda: array((2,)), "polymul.a2": lambda: array((3,)), "polymul.a1": lambda: array((2,)),
    "roots.p": lambda: Array([1.0, -6.0, 11.0, -6.0]), "seq_of_zeros": lambda: Array([1.0, 2.0, -3.0]), "polyfit.x": lambda: Array([0.0, 1.0, 2.0, 3.0, 4.0]), "polyfit.y": lambda: Array([1.0, 2.0, 0.5, 3.0, 4.0]), "deg": lambda: 2,
    "unique_all.x": lambda: counts((3, 2), 3), "unique_counts.x": lambda: counts((3, 2), 3), "unique_inverse.x": lambda: counts((3, 2), 3), "unique_values.x": lambda: counts((3, 2), 3), "astype.dtype": lambda: np.dtype("float32"),
    "block.arrays": lambda: [[array((2, 2)), array((2, 1))], [array((1, 2)), array((1, 1))]],
})
VARIADIC = {"xi": lambda: [array((3,)), array((2,))], "broadcast_shapes.args": lambda: [[2, 1], [1, 3]], "arys": lambda: [array((3,)), 5], "args": lambda: [Array([[1], [2]]), Array([1, 2, 3])], "ix_.args": lambda: [Array([0, 1]), Array([2])], "varargs": lambda: [2.0]}

DTYPES = [np.dtype(t) for t in ("float64", "float32", "int64", "complex128")]
METHODS = ["inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest"]
PADS = ["edge", "reflect", "symmetric", "wrap", "linear_ramp", "maximum", "minimum", "mean", "median"]
# Values of options, by their name, or by function.name, the last of which NumPy may refuse. Of functions: called with the call's arguments.
VALUES = {
    "axis": [0, -1, None, [0, 1], 7], "axes": [0, [1, 0], None, [0, 5]], "keepdims": [True], "dtype": DTYPES, "initial": [1, 2.5, Array(3)], "ddof": [1, 0.5], "correction": [1], "where": [True], "order": ["C", "F", "A", "K", "x"],
    "casting": ["unsafe", "same_kind", "safe", "no", "x"], "subok": [False, True], "copy": [True, False, None], "mode": ["wrap", "clip", "raise", "x"], "kind": ["stable", "quicksort", "mergesort", "heapsort", None, "x"],
    "stable": [True, False], "partition.kind": ["introselect", "x"], "argpartition.kind": ["introselect", "x"], ".argpartition.kind": ["introselect", "x"], "sort.order": [None, "x"], "argsort.order": [None, "x"], ".argsort.order": [None, "x"],
    "partition.order": [None, "x"], "argpartition.order": [None, "x"], ".argpartition.order": [None, "x"], "isin.kind": ["sort", "table", None, "x"], "start": [1, 2, 5], "k": [1, -1, 2], "trim": ["f", "b", "fb", "x"],
    "max_work": [0, -1], "side": ["right", "left", "x"], "sorter": [Array([1, 3, 0, 2]), Array([0])], "right": [True, 9.5], "left": [-7.5], "digitize.right": [True, False], "minlength": [9, 0, -1],
    "offset": [1, -1], "axis1": [1, 2, 7], "axis2": [2, 0], "ndim": [3, 1], "m": [3, 6], "wrap": [True], "default": [7, 2.5], "n": [2, 3, 0], "prepend": [Array(1), Array([[1], [2]])], "append": [Array(2)],
    "to_end": [Array([9.0]), Array(3.0)], "to_begin": [Array([8.0, 7.0])], "edge_order": [2, 1, 3], "x": [Array([0.0, 1.0, 1.5, 4.0])], "dx": [0.5, 2], "period": [3.0, 2], "discont": [4.0, 1.5], "decimals": [1, -1, 2],
    "nan": [-1.0, 3], "posinf": [5.0], "neginf": [-5.0], "deg": [True], "tol": [1000, 1], "bitorder": ["little", "big", "x"], "count": [9, -3, 20], "tensordot.axes": [1, 2, [[0], [1]], [[0, 1], [1, 0]]],
    "axisa": [0, -1, 5], "axisb": [0], "axisc": [0], "rtol": [1e-3, 0.2], "atol": [1.0], "equal_nan": [True, False], "include_initial": [True], "returned": [True], "overwrite_input": [True, False], "method": METHODS + ["x"],
    "bins": [4, "sqrt", "auto", Array([-4.0, 0.0, 4.5]), "x"], "histogram2d.bins": [4, [3, 2]], "histogramdd.bins": [4, [3, 2]], "range": [[-5.0, 5.0], [1, 0]], "histogram2d.range": [[[-5.0, 5.0], [-3.0, 4.0]]],
    "histogramdd.range": [[[-5.0, 5.0], [-3.0, 4.0]]], "density": [True, None], "rowvar": [False], "bias": [True], "fweights": [Array([1, 2, 1, 3, 1])], "aweights": [Array([1.0, 2.0, 0.5, 1.0, 1.0])], "cov.y": [Array([[1.0, 3.0, 2.0, 5.0, 4.0]])],
    "corrcoef.y": [Array([[1.0, 3.0, 2.0, 5.0, 4.0]])], "convolve.mode": ["same", "valid", "full", "x"], "correlate.mode": ["same", "valid", "full", "x"], "return_index": [True], "return_inverse": [True], "return_counts": [True], "sorted": [True],
    "assume_unique": [True], "invert": [True], "return_indices": [True], "fft.n": [5, 2, 0], "s": [[3, 2], None], "norm": ["ortho", "forward", "backward", "x"], "d": [0.25],
    "rot90.axes": [[1, 2], [1, 0], [0, 0]],
    "transpose.axes": [[1, 0], None, [0, 0]], "reshape.order": ["C", "F", "A", "K"], "reshape.copy": [True, None], "pad.mode": ["constant", *PADS, "x"], "unravel_index.order": ["C", "F", "A"], "ravel_multi_index.order": ["C", "F", "A"],
    "unique.axis": [0, 1, None, 5], "cumulative_sum.axis": [0, -1, 7], "cumulative_prod.axis": [0, -1, 7], "average.weights": [positive((2, 3))], "bincount.weights": [positive((6,))], "histogram.weights": [positive((6,))], "histogram_bin_edges.weights": [positive((6,))],
    "histogramdd.weights": [positive((6,))], "histogram2d.weights": [positive((6,))], "roll.axis": [0, -1, 7], "fft.dtype": DTYPES[:2],
}
# NumPy takes these and leaves them as they are.
NUMPYS_FAULTS = {("fft.hfft", "out"), ("fft.ifft2", "out"), ("fft.irfft2", "out")}
VALUES.update({
    "ord": [None, 1, 2, np.inf, "x"], "linalg.norm.ord": [None, 1, 2, "fro", "nuc", np.inf, "x"], "linalg.matrix_norm.ord": [1, "nuc", "fro", np.inf, "x"], "p": [None, 1, "fro", 2], "rcond": [1e-3, None], "hermitian": [True], "rtol": [1e-3, 0.2],
    "UPLO": ["U", "L", "x"], "upper": [True], "linalg.tol": [0.5, None], "linalg.matrix_rank.rtol": [0.1, None], "linalg.tensordot.axes": [1, [[0], [1]]], "linalg.tensorsolve.axes": [None], "linalg.ind": [2, 0],
    "linalg.axis": [0, None, -1, [0, 1], 7], "polyder.m": [2, 0, -1], "polyint.m": [2, 0, -1], "polyint.k": [1.5, [2.0]], "full": [False], "w": [Array([1.0, 2.0, 1.0, 0.5, 1.0])], "cov": [False],
})
VALUES.update({
    "device": ["cpu", None, "x"], "zeros.order": ["C", "F", "K"], "ones.order": ["C", "F", "K"], "full.order": ["C", "F", "K"], "eye.order": ["C", "F", "x"], "shape": [[3, 2], 4, [2, 1, 2]],
    "num": [5, 1, 0, -1], "endpoint": [False, True], "retstep": [True, False], "base": [2.0, Array([2.0, 3.0])], "linspace.axis": [0, -1, 3], "logspace.axis": [0, -1], "geomspace.axis": [0, -1], "M": [5, 2, 0], "eye.k": [1, -2, 9],
    "tri.k": [1, -2, 9], "N": [4, 1, 0], "increasing": [True], "sparse": [True, False], "meshgrid.indexing": ["ij", "xy", "x"], "meshgrid.copy": [True],
})
# Whose results have signs that libraries choose, that call functions of the user's, or that write their arguments otherwise.
OTHERS = {"empty", "empty_like", "linalg.eig", "linalg.eigvals", "linalg.eigh", "linalg.svd", "linalg.qr", "mask_indices", "apply_over_axes", "einsum", "einsum_path"}
OPTIONS_OF_PAD = {"constant_values": ("constant", [5, [1, 2], [[3, 4]]]), "end_values": ("linear_ramp", [4, [1, 6]]), "stat_length": ("mean", [1, 2, [1, 2]]), "reflect_type": ("reflect", ["odd", "even"])}


# ---- calls ----

def looked_up(table, name, parameter):
    """What a table has for a parameter, by function.name first; the key "fft.n" is meant for all of a module's."""
    for key in (f"{name}.{parameter}", f"{name.split('.')[0]}.{parameter}", parameter):
        if key in table:
            return table[key]
    raise SystemExit(f"calls_of_rows.py has no values for {parameter} of {name}")


def outcome(call):
    """("value", [the result, the targets]) or ("error", class)."""
    targets = []

    def value_of(x):
        if isinstance(x, Array):
            made = x.copy()
            if x.target:
                targets.append(made)
            return made
        return [value_of(item) for item in x] if isinstance(x, list) else x

    def tupled(name, x):  # lists of numbers stand for tuples, which NumPy wants for axes and shapes
        return tuple(tupled(name, i) for i in x) if isinstance(x, list) and not any(isinstance(i, np.ndarray) for i in x) else x
    args = [tupled(call.name, value_of(a)) for a in call.args]
    options = {k: tupled(call.name, value_of(v)) for k, v in call.options.items()}
    function = numpys(call.name)
    with np.errstate(all="ignore"):
        try:
            result = function(*args, **options)
        except Exception as e:  # noqa: BLE001: the error is the golden
            known = ("AxisError", "LinAlgError", "OverflowError", "IndexError", "ValueError", "TypeError", "ZeroDivisionError")
            return "error", next(k for k in known if k in [c.__name__ for c in type(e).__mro__])
    return "value", [result, *targets]


def out_values(call):
    """Arrays that the result goes into: of its dtype, of a wider one, and one of another shape."""
    kind, made = outcome(call)
    assert kind == "value", (call.name, made)
    result = np.asarray(made[0])
    wide = "complex128" if result.dtype.kind == "c" else "float64"
    return [Array(np.zeros(result.shape, result.dtype), target=True), Array(np.zeros(result.shape, wide), target=True), Array(np.zeros((7, *result.shape), result.dtype), target=True)]


def values_of(name, parameter, call):
    if parameter == "out":
        return out_values(call)
    if parameter == "where":
        first = call.args[0].value.shape
        return [mask(first), mask(first[-1:]), True]
    if parameter == "mean":
        return [Array(np.nanmean(call.args[0].value, keepdims=True))]
    if parameter == "weights" and name.split("nan")[-1] in ("quantile", "percentile"):
        return [positive(call.args[0].value.shape)]
    return looked_up(VALUES, name, parameter)


def required_of(name, signature):
    args = []
    for p in signature.parameters.values():
        if p.kind is p.VAR_POSITIONAL:
            args += looked_up(VARIADIC, name, p.name)()
        elif p.default is p.empty and p.kind is not p.VAR_KEYWORD:
            args.append(looked_up(REQUIRED, name, p.name)())
    return args


def kept(calls, most):
    """The calls that NumPy carries out, `most` of them, and one that it refuses."""
    fine, refused = [], []
    for call in calls:
        (fine if outcome(call)[0] == "value" else refused).append(call)
    return fine[:most] + refused[:1]


BASED = ("out", "where", "mean", "weights", "sorter")  # whose values depend on the other arguments


def with_option(name, signature, parameter):
    """Calls with one option by its name. What makes them needs: initial of extrema none, weights of quantiles a method."""
    calls = []
    base = Call(name, required_of(name, signature))
    for value in values_of(name, parameter, base):
        call = Call(name, base.args if parameter in BASED else required_of(name, signature))
        if parameter == "weights" and "method" in signature.parameters:
            call.options["method"] = "inverted_cdf"
        if parameter == "sorter":
            call.args[0] = Array([3.5, 1.0, 5.0, 2.0])
        if parameter == "where" and "initial" in signature.parameters and name.strip(".").split("nan")[-1] in ("max", "min"):
            call.options["initial"] = 2
        calls.append(Call(name, call.args, {**call.options, parameter: value}))
    return kept(calls, len(METHODS) if parameter in ("method", "mode") else 3)


def together(name, signature, options):
    """One call with two options by name, one with all that may be given by position."""
    for _ in range(8):
        first, second = rng.choice(options, 2, replace=False)
        base = Call(name, required_of(name, signature))
        if {first, second} & set(BASED):
            continue
        both = sorted((str(first), str(second)), key=list(signature.parameters).index)
        call = Call(name, base.args, {o: values_of(name, o, base)[0] for o in both})
        if outcome(call)[0] == "value":
            yield call
            break


def by_position(name, signature):
    """Calls whose options stand in their places: the n-th with those before it as they are by default."""
    places = [p for p in signature.parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is not p.empty and (name, p.name) not in NUMPYS_FAULTS]
    if any(p.kind is p.VAR_POSITIONAL for p in signature.parameters.values()):
        return
    for i, place in enumerate(places):
        if any(p.default is NoValue for p in places[:i]):
            break
        base = Call(name, required_of(name, signature))
        before = [list(p.default) if isinstance(p.default, tuple) else np.dtype(p.default) if p.default in (float, int) else p.default for p in places[:i]]
        if place.name == "sorter" or place.name == "weights" and "method" in signature.parameters:
            continue
        call = Call(name, [*base.args, *before, values_of(name, place.name, base)[0]], places=[p.name for p in places[:i + 1]])
        if outcome(call)[0] == "value":
            yield call


def numpys(name):
    """NumPy's function or method of this name; None if it has none, as of ptp of arrays."""
    found = np.ndarray if name.startswith(".") else np
    for part in name.strip(".").split("."):
        found = getattr(found, part, None)
    return found


def calls_of(name, signature):
    theirs = numpys(name)
    if theirs is None or name in OTHERS:
        return
    try:
        has = set(inspect.signature(theirs).parameters)
    except ValueError:  # in C, without a signature
        has = set(signature.parameters)
    has.discard("like")  # asks another library for its function, and is nobody else's option
    options = [p.name for p in signature.parameters.values() if p.default is not p.empty and p.name in has and (name, p.name) not in NUMPYS_FAULTS]
    several = [p.name for p in signature.parameters.values() if p.kind is p.VAR_POSITIONAL]
    yield Call(name, required_of(name, signature), places=several)
    for option in options:
        yield from with_option(name, signature, option)
    if not any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
        yield Call(name, required_of(name, signature), {"no_such_option": 1})
    if len(options) > 1:
        yield from together(name, signature, options)
    yield from by_position(name, signature)
    if name == "pad":
        for option, (mode, values) in OPTIONS_OF_PAD.items():
            yield from kept([Call(name, required_of(name, signature), {"mode": mode, option: v}) for v in values], 3)


def calls():
    """Each row's are drawn for themselves: others stay what they are where one is added."""
    global rng
    for name, signature in rows():
        rng = np.random.default_rng(list(name.encode()))
        yield from calls_of(name, signature)
