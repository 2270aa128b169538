"""Calls of functions of numbers as operations on arrays: arguments in, results out, and the lanes for which Python is asked."""
import ast
import builtins
import math
import os
import time

from . import _core as C
from ._compile import compile as compiled
from ._creation import asarray
from ._errstate import errstate, geterr
from ._info import int64
from ._lane_arrays import Cells, integers_fit, made_inside, of_argument
from ._lane_source import Refusal, meaning, plain_function, tree_of
from ._lane_values import DTYPES, UNSURE, Lane, Run, is_any, is_number, kind_of, unbatched, where
from ._lane_walk import call_function

FEW = 64  # lanes for which a loop in Python takes less time, where it has the same bits
SOME = 1 << 14  # lanes up to which it may take less time
MANY = 1024  # lanes from which on the operations are compiled
_USUAL = (DTYPES["i"], DTYPES["f"], DTYPES["c"])
_SAME_BITS = {builtins.abs, min, max, int, float, bool, round, range, len, sum, divmod, enumerate, zip, reversed}


class Asked(Exception):
    """Python has to be asked: about lanes that raise an error or leave what arrays can hold."""

    def __init__(self, lanes):
        super().__init__()
        self.lanes = lanes


def first_of(lanes, arrays, shape):
    """The numbers in the first of the lanes where a mask is true; under vmap in the first example that has one."""
    arrays = [C.stop_gradient(a) if C.levels_are_open() else a for a in arrays]
    none = lanes & ~lanes  # with the examples of all arrays
    for a in arrays:
        none = none | ((a == a) & (a != a))
    lanes, *arrays = (C.ravel(unbatched(C.broadcast_to(where(none, a, a), shape))) for a in (lanes, *arrays))
    at = int(lanes.argmax())
    return [a[at].item() for a in arrays]


def number_of_lane(a):
    """An argument of numbers, each of which Python's function gets as a number of Python's."""
    dtype = a.dtype
    if dtype.kind == "b":
        return Lane(a, "b", first=dtype)
    if dtype.kind in "iu":
        if dtype.itemsize == 8 and dtype.kind == "u":
            raise Refusal("an argument of dtype uint64")
        bits = dtype.itemsize * 8
        low, high = (0, 2 ** bits - 1) if dtype.kind == "u" else (-2 ** (bits - 1), 2 ** (bits - 1) - 1)
        return Lane(a if dtype == DTYPES["i"] else a.astype(int64), "i", first=dtype, low=low, high=high)
    return Lane(a if dtype == DTYPES[dtype.kind] else a.astype(DTYPES[dtype.kind]), dtype.kind, first=dtype)


class Program:
    """A function of numbers as one of arrays."""

    def __init__(self, pyfunc):
        self.function, self.bound = plain_function(pyfunc)
        self.refusals = {}  # by the kinds of arguments: why the function is none of arrays

        self.name = getattr(pyfunc, "__qualname__", type(pyfunc).__name__)
        self.stretches, self.choices = {}, {}

    def run(self, call, arrays, lanes):
        """The results of a call, or a Refusal, or Asked."""
        if self.function is None:
            raise Refusal("it is no function of Python's")
        inside = C.is_compiling() or C.levels_are_open()
        with errstate(all="ignore"):
            return call.carried_out(self, arrays, None if inside or lanes < MANY else self.stretch)

    def stretch(self, key, action):
        """A part of the function as a compiled function of its own."""
        if key not in self.stretches:
            def stretch(part):
                return part()
            self.stretches[key] = compiled(stretch, name=f"vectorize({self.name})")
        return self.stretches[key](action)

    def choice(self, kinds, lanes, arrays):
        """Where both ways have the same bits, and few lanes, the times of both. Functions of math are numjit's, and Python's are
        the system's."""
        if lanes >= SOME or C.is_compiling() or C.levels_are_open() or any(a.dtype.kind == "c" for a in arrays):
            return None
        if self.function is None or not _is_plain(self.function):
            return None
        return self.choices.setdefault((kinds, lanes.bit_length()), Choice())


def _is_plain(function):
    try:
        for node in ast.walk(tree_of(function.__code__)):
            if isinstance(node, ast.Pow):
                return False
            if isinstance(node, ast.Call) and (not isinstance(node.func, ast.Name)
                                               or meaning(function, node.func.id) not in _SAME_BITS):
                return False
    except (Refusal, TypeError):
        return False
    return True


class Choice:
    """Which way takes less time, for calls of about as many lanes: operations on arrays, or a loop in Python with the same bits."""

    def __init__(self):
        self.calls, self.arrays, self.lane = 0, math.inf, None

    def is_loop(self, lanes):
        return self.calls > 1 and 1.25 * self.lane * lanes < self.arrays

    def note(self, seconds, sample, lanes):
        """What a call took. The function, which has no effects, is called for a few lanes to see what these take in Python."""
        self.calls, self.arrays = self.calls + 1, min(self.arrays, seconds)
        if self.lane is None:
            few = [sample(i * lanes // 32) for i in range(32)]
            begin = time.perf_counter()
            for one in few:
                one()
            self.lane = (time.perf_counter() - begin) / len(few)


class Call:
    """One call: what is no array of it, and how results become arrays."""

    def __init__(self, arguments, shape, otypes, first_call):
        self.arguments = arguments  # (arrays' values as lanes) -> args, kwargs of the function
        self.shape, self.otypes, self.first_call = shape, otypes, first_call
        self.errors = geterr()

    def lanes_of(self, arrays):
        return [number_of_lane(a) for a in arrays]

    def carried_out(self, program, arrays, stretch):
        """The results as arrays."""
        run = Run(all(a.dtype in _USUAL for a in arrays), C.levels_are_open(), self.shape, stretch)
        self.given = list(arrays)
        args, kwargs = self.arguments(self.lanes_of(arrays))
        made = call_function(run, None, program.function, [*program.bound, *args], kwargs)
        if run.asks_numpy and any(how != "ignore" for how in self.errors.values()):
            raise Refusal("floating-point errors of NumPy's scalars are looked for")
        if stretch is None:
            results = self.results(run, made, arrays)
        else:
            results = stretch("results", lambda: self.results(run, made, arrays))
        self.ask(run)
        return results

    def ask(self, run):
        """Raises Asked with the first lane that has to be."""
        if run.bad is None:
            return
        if run.bad is True:
            raise Asked(C.full(self.shape, True, bool))
        if is_any(run.bad):
            raise Asked(run.bad)

    def results(self, run, made, arrays):
        values = made if isinstance(made, tuple) else (made,)
        if not values or not all(is_number(v) for v in values):
            raise Refusal("a result that is no number")
        otypes = self.otypes
        if otypes is None:
            otypes = [self._dtype_of(v) for v in values]
            if UNSURE in otypes or run.asks_first:
                otypes = self.first_call()
        if len(otypes) != len(values):
            raise Refusal("another number of results than dtypes")
        return [self._finished(self._stored(run, v, t)) for v, t in zip(values, otypes)]

    @staticmethod
    def _dtype_of(v):
        if not isinstance(v, Lane) or v.first is None:
            return UNSURE if kind_of(v) == "m" else DTYPES[kind_of(v)]
        return v.first

    def _stored(self, run, v, dtype):
        """A result in its dtype, as NumPy stores numbers of Python's."""
        kind = kind_of(v)
        if kind == "c" and dtype.kind not in "c":
            raise Refusal("a complex result in an array of real numbers")
        if not isinstance(v, Lane):
            return C.array(v, dtype, True)
        if dtype.kind in "iu":
            integers_fit(run, None, v, dtype)
        return v.a if v.a.dtype == dtype else v.a.astype(dtype)

    def _finished(self, a):
        """The result in memory of its own, with the shape of all."""
        a = asarray(a)
        if a.shape != tuple(self.shape):
            a = C.broadcast_to(a, self.shape)
        elif not any(a is g for g in self.given):
            return a
        return C.copy(a)


class CoreCall(Call):
    """A call with core dimensions: the function gets arrays, which hold scalars of NumPy's."""

    def __init__(self, arguments, shape, otypes, cores, sizes, outputs=None):
        super().__init__(arguments, shape, otypes, None)
        self.cores, self.sizes, self.written = cores, sizes, outputs

    def lanes_of(self, arrays):
        made = [of_argument(a, len(core)) for a, core in zip(arrays, self.cores[0])]
        if self.written is None:
            return made
        self.outs = [made_inside(tuple(self.sizes[n] for n in core) or (1,), dtype, 0) for core, dtype in zip(self.cores[1], self.written)]
        return made + self.outs

    def results(self, run, made, arrays):
        cores = self.cores[1]
        if self.written is not None:
            if made is not None:
                raise Refusal("it returns something, and has parameters for its results")
            values = [out if core else out.at((0,)) for out, core in zip(self.outs, cores)]
        else:
            values = made if isinstance(made, tuple) else (made,)
        if len(values) != len(cores):
            raise Refusal("another number of results than the signature has")
        return [self._core_result(run, v, core, i) for i, (v, core) in enumerate(zip(values, cores))]

    def _core_result(self, run, v, core, i):
        if not core:
            if not is_number(v):
                raise Refusal("a result that is no number")
            dtype = self._dtype_of(v) if self.otypes is None else self.otypes[i]
            if dtype == UNSURE:
                raise Refusal("a result whose dtype differs between lanes")
            return self._finished(self._stored(run, v, dtype))
        if not isinstance(v, Cells) or any(self.sizes.setdefault(name, n) != n for name, n in zip(core, v.shape)) or v.ndim != len(core):
            raise Refusal("a result of another shape than the signature has")
        shape = v.shape
        parts = [C.broadcast_to(asarray(e.a), self.shape) for e in v.flat()]
        if not parts:
            raise Refusal("a result without elements")
        made = C.reshape(C.stack(parts, len(self.shape)), (*self.shape, *shape))
        return made if self.otypes is None or made.dtype == self.otypes[i] else made.astype(self.otypes[i])


def told(function, refusal):
    """Where and why a function runs as a loop in Python."""
    code = getattr(function, "__code__", None)
    where = f"{os.path.basename(code.co_filename)}:{getattr(refusal.node, 'lineno', code.co_firstlineno)}" if code else "?"
    return f"{getattr(function, '__qualname__', type(function).__name__)} runs as a loop in Python: {where}: {refusal.why}"

