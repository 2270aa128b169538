"""vectorize: functions of numbers, or of small arrays, as functions of arrays.

The function's source becomes operations on arrays (_lane_program.py); where it can't, the function is called in a loop.
"""
import functools
import itertools
import math
import operator
import re
import time

from . import _core as C
from ._composites import _text
from ._creation import asarray
from ._custom_rules import Below
from ._functions import broadcast_shapes
from ._interop import as_numpys, by_numpy, is_for_numpy
from ._lane_program import FEW, Asked, Call, CoreCall, Program, Refusal, first_of, told
from ._ufuncs import _NOT_GIVEN, _axes

_NAMES = r"\(\s*(?:\w+(?:\s*,\s*\w+)*\s*)?\)"
_SIGNATURE = re.compile(rf"^\s*{_NAMES}(?:\s*,\s*{_NAMES})*\s*->\s*{_NAMES}(?:\s*,\s*{_NAMES})*\s*$")


def _parsed(signature):
    """Names of core axes of inputs and outputs: '(m,n),(n)->(m)'."""
    if not _SIGNATURE.match(signature):
        raise ValueError(f"not a valid gufunc signature: {signature}")
    return tuple([tuple(re.findall(r"\w+", names)) for names in re.findall(_NAMES, side)] for side in signature.split("->"))


def _plain(a):
    """An array for Python's function, which no derivative goes through."""
    return C.stop_gradient(a) if C.levels_are_open() else a


class vectorize:
    """A function of numbers as a function of arrays.

    Its `if`, `while` and `for` become operations on arrays, in which each element has what the function gives for it. A function
    that does other things than compute numbers is called in a loop in Python, and the log channel perf_hints says which line
    it is.

        >>> numjit.vectorize(lambda x: x if x > 0 else 0.1 * x)(numjit.array([-1.0, 2.0]))
        array([-0.1,  2. ])
    """

    _joins = False  # are the dtypes of results those that hold all of them, in place of the first one's?

    def __init__(self, pyfunc=_NOT_GIVEN, otypes=None, doc=None, excluded=None, cache=False, signature=None):
        if pyfunc is not _NOT_GIVEN and not callable(pyfunc):
            raise TypeError("When used as a decorator, only accepts keyword arguments." if otypes is None else
                            f"'{type(pyfunc).__name__}' object is not callable")
        if otypes is not None and not hasattr(otypes, "__iter__"):
            raise ValueError("Invalid otype specification")
        self.pyfunc, self.cache, self.signature = pyfunc, cache, signature
        self.otypes, self._is_numpys = None if otypes is None else list(otypes), False
        try:
            self.otypes = self.otypes and [C.dtype(t) for t in self.otypes]
        except TypeError as error:
            if not is_for_numpy(error):
                raise
            self._is_numpys = True
        self.excluded = set(excluded or ())
        self._cores = None if signature is None else _parsed(signature)
        self._doc = doc
        self._program = None if pyfunc is _NOT_GIVEN else Program(pyfunc)
        self._describe()

    def _describe(self):
        self.__name__ = getattr(self.pyfunc, "__name__", "vectorize")
        self.__doc__ = self._doc if self._doc is not None else getattr(self.pyfunc, "__doc__", None)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args, **kwargs):
        if self.pyfunc is _NOT_GIVEN:
            made = vectorize(args[0], self.otypes, self._doc, self.excluded, self.cache, self.signature)
            return made
        if not self._is_numpys:
            try:
                return self._call(*args, **kwargs)
            except TypeError as error:
                if not is_for_numpy(error):
                    raise
        return by_numpy(self._numpys(), args, kwargs)

    def _numpys(self):
        """NumPy's own, for elements that we don't hold, in a NumPy program."""
        import numpy
        return numpy.vectorize(self._called_by_numpy, as_numpys(self.otypes), None, self.excluded, self.cache, self.signature)

    def _called_by_numpy(self, *args, **kwargs):
        return as_numpys(self.pyfunc(*args, **kwargs))

    def _call(self, *args, **kwargs):
        positions = [i for i in range(len(args)) if i not in self.excluded]
        names = [n for n in kwargs if n not in self.excluded]
        arrays = [asarray(args[i]) for i in positions] + [asarray(kwargs[n]) for n in names]

        def filled(values):
            full, named = list(args), dict(kwargs)
            for i, v in zip(positions, values):
                full[i] = v
            named.update(zip(names, values[len(positions):]))
            return full, named
        if (batched := self._under_vmap(arrays, filled)) is not _NOT_GIVEN:
            return batched

        def call(values):
            full, named = filled(values)
            return self.pyfunc(*full, **named)
        if self._cores is not None:
            return self._with_cores(call, filled, arrays)
        if not arrays:
            return call(())
        if self.otypes is None and any(a.size == 0 for a in arrays):
            self._refuse_followed(arrays)
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        shape = broadcast_shapes(*(a.shape for a in arrays))
        first = []

        def dtypes_of_first():
            """Those of all results: of a call with scalars of NumPy's."""
            if not first:
                first.append(call([_plain(C.ravel(a)[0]) for a in arrays]))
            return [asarray(v).dtype for v in (first[0] if isinstance(first[0], tuple) else first)]
        if not self._joins:
            def of_lane(lanes):
                if self.otypes is None:
                    dtypes_of_first()  # may raise, too, and comes before
                call(first_of(lanes, arrays, shape))

            def sample(at):
                return functools.partial(call, [C.ravel(C.broadcast_to(a, shape))[at].item() for a in arrays])
            made = self._as_operations(Call(filled, shape, self.otypes, dtypes_of_first), arrays, shape, of_lane, sample)
            if made is not None:
                return made
        self._refuse_followed(arrays)
        otypes = dtypes_of_first() if self.otypes is None else self.otypes
        rows = zip(*(C.ravel(C.broadcast_to(a, shape)).tolist() for a in arrays))  # NumPy's loop is one over Python's numbers
        results = [first.pop() if first and self.cache else call(row) for row in rows]
        columns = [results] if len(otypes) == 1 else list(zip(*results))
        made = tuple(C.reshape(self._column(list(c), t), shape) for c, t in zip(columns or [()] * len(otypes), otypes))
        return made if len(made) > 1 else made[0]

    def _under_vmap(self, arrays, filled):
        """The call outside of a batch: its examples are one more axis of the loop."""
        level = C.CustomCall(arrays, True) if arrays and C.levels_are_open() else None
        if level is None or not level.is_for_below and not level.is_batched:
            return _NOT_GIVEN
        if level.is_for_below:
            with Below(level):
                return self._called(filled(arrays))
        cores = [0] * len(arrays) if self._cores is None else [len(core) for core in self._cores[0]]
        most = max(a.ndim - core for a, core in zip(arrays, cores))
        stacks, axes, _ = level.stacks()
        with Below(level):
            made = self._called(filled([
                a if axis is None else C.reshape(a, (a.shape[0], *[1] * (most + core + 1 - a.ndim), *a.shape[1:]))
                for a, axis, core in zip(stacks, axes, cores)]))
        examples = level.examples(list(made) if isinstance(made, tuple) else [made])
        return tuple(examples) if isinstance(made, tuple) else examples[0]

    def _called(self, arguments):
        args, kwargs = arguments
        return self(*args, **kwargs)

    def _as_operations(self, call, arrays, shape, of_lane, sample):
        """The results as operations on arrays give them, or None. of_lane: asks Python about a lane of a mask; sample: gives
        the call of one by its number."""
        kinds, lanes = tuple((a.dtype, a.ndim) for a in arrays), math.prod(shape)
        if kinds in self._program.refusals or lanes == 0:
            return None
        choice = self._program.choice(kinds, lanes, arrays)
        if choice is not None and (lanes < FEW or choice.is_loop(lanes)):
            return None
        begin = time.perf_counter()
        try:
            made = self._program.run(call, arrays, lanes)
        except Refusal as refusal:
            self._program.refusals[kinds] = refusal
            C.log_hint(told(self.pyfunc, refusal))
            return None
        except Asked as asked:
            of_lane(asked.lanes)
            return None
        if choice is not None:
            choice.note(time.perf_counter() - begin, sample, lanes)
        return tuple(made) if len(made) > 1 else made[0]

    @staticmethod
    def _refuse_followed(arrays, name="vectorize"):
        for a in arrays:
            C.refuse_followed(a, name, "an argument")

    def _column(self, values, otype):
        return C.array(values, None if self._joins else otype, True) if values else C.full((0,), 0, otype)

    def _with_cores(self, call, filled, arrays):
        outputs = self._cores[1]
        shape, sizes = self._sizes(arrays)
        made = self._as_operations(CoreCall(filled, shape, self.otypes, self._cores, sizes), arrays, shape,
                                   lambda lanes: call(self._parts(arrays, shape, self._first(lanes, shape))),
                                   lambda at: functools.partial(call, self._parts(arrays, shape, C.functions.unravel_index(at, shape))))
        if made is not None:
            return made
        self._refuse_followed(arrays)
        results = []
        for at in itertools.product(*map(range, shape)):
            found = call(self._parts(arrays, shape, at))
            found = found if isinstance(found, tuple) else (found,)
            if len(found) != len(outputs):
                raise ValueError(f"wrong number of outputs from pyfunc: expected {len(outputs)}, got {len(found)}")
            results.append([asarray(f) for f in found])
            for i, core in enumerate(outputs):
                self._fit(sizes, results[-1][i], core, "does not have enough dimensions")
                results[-1][i] = self._stored(results[-1][i], tuple(sizes[n] for n in core))
        if not results:
            if self.otypes is None:
                raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
            if any(n not in sizes for core in outputs for n in core):
                raise ValueError("cannot call `vectorize` with a signature including new output dimensions on size 0 inputs")
            made = tuple(C.full(shape + tuple(sizes[n] for n in core), 0, t) for core, t in zip(outputs, self.otypes))
        else:
            made = tuple(C.reshape(self._typed([r[i] for r in results], i), shape + results[0][i].shape) for i in range(len(outputs)))
        return made if len(made) > 1 else made[0]

    def _sizes(self, arrays):
        """The loop's shape, and the lengths of core dimensions."""
        inputs, sizes = self._cores[0], {}
        if len(arrays) != len(inputs):
            raise TypeError(f"wrong number of positional arguments: expected {len(inputs)}, got {len(arrays)}")
        for a, core in zip(arrays, inputs):
            self._fit(sizes, a, core, "does not have enough dimensions")
        return broadcast_shapes(*(a.shape[:a.ndim - len(core)] for a, core in zip(arrays, inputs))), sizes

    def _parts(self, arrays, shape, at):
        """The arguments of one call of the function."""
        whole = [C.broadcast_to(_plain(a), shape + a.shape[a.ndim - len(core):]) for a, core in zip(arrays, self._cores[0])]
        return [a[at] if at else a for a in whole]

    @staticmethod
    def _first(lanes, shape):
        """Where the first lane is in which a mask is true."""
        return tuple(C.functions.unravel_index(int(C.ravel(C.broadcast_to(lanes, shape)).argmax()), shape))

    def _typed(self, parts, i):
        made = asarray(parts)
        return made.astype(self.otypes[i]) if self.otypes else made

    @staticmethod
    def _stored(a, shape):
        """What a call gave, as it goes into a place of this shape: axes of length 1 before it are dropped."""
        if a.shape == shape:
            return a
        if not shape:
            raise ValueError("setting an array element with a sequence.")
        if a.size != math.prod(shape):
            raise ValueError(f"could not broadcast input array from shape {_text(a.shape)} into shape {_text(shape)}")
        return C.reshape(a, shape)

    @staticmethod
    def _fit(sizes, a, core, text):
        if a.ndim < len(core):
            raise ValueError(f"{a.ndim}-dimensional argument {text} for all core dimensions {core!r}")
        for name, n in zip(core, a.shape[a.ndim - len(core):]):
            if sizes.setdefault(name, n) != n:
                raise ValueError(f"inconsistent size for core dimension {name!r}: {n!r} vs {sizes[name]!r}")


class _FromFunction(vectorize):
    """What frompyfunc() gives: a ufunc over a function of Python's numbers (there are no arrays of objects)."""

    _joins = True
    ntypes = 1

    def __init__(self, func, nin, nout, identity):
        super().__init__(func, cache=True)
        self.nin, self.nout, self.nargs, self.identity = nin, nout, nin + nout, identity
        self.types = ["O" * nin + "->" + "O" * nout]
        self.__name__ = f"{getattr(func, '__name__', '?')} (vectorized)"

    def _numpys(self):
        import numpy
        return numpy.frompyfunc(self._called_by_numpy, self.nin, self.nout, identity=self.identity)

    def _call(self, *args, out=None):
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(f"{self.__name__}() takes from {self.nin} to {self.nargs} positional arguments but {len(args)} were given")
        made, out = super()._call(*args[:self.nin]), args[self.nin:] or out
        if out is None:  # without axes what the function gave
            numbers = [m.item() if m.ndim == 0 else m for m in (made if isinstance(made, tuple) else (made,))]
            return tuple(numbers) if len(numbers) > 1 else numbers[0]
        outs, results = out if isinstance(out, tuple) else (out,), made if isinstance(made, tuple) else (made,)
        for target, result in zip(outs, results):
            target[...] = result
        return outs if len(outs) > 1 else outs[0]

    def _lanes(self, method, array, axis):
        """The array's elements for each index along an axis (or axes, or None for all) as a list, and the other axes' lengths."""
        if self.nin != 2 or self.nout != 1:
            raise ValueError(f"{method} only supported for {'binary functions' if self.nin != 2 else 'functions returning a single value'}")
        a = asarray(array)
        if a.ndim == 0 and method != "reduce":
            raise TypeError(f"cannot {method} on a scalar")
        axes = range(a.ndim) if axis is None or a.ndim == 0 else _axes(axis, a.ndim, "duplicate value in 'axis'")
        if len(axes) > 1 and self.identity is None:
            raise ValueError(f"reduction operation '{self.__name__}' is not reorderable, so at most one axis may be specified")
        others = [i for i in range(a.ndim) if i not in axes]
        rest = tuple(a.shape[i] for i in others)
        moved = C.transpose(a, [*axes, *others])
        count = math.prod(a.shape[i] for i in axes)
        return a, list(axes), C.reshape(moved, (count, math.prod(rest))).tolist(), rest

    def _joined(self, x, y):
        return [self.pyfunc(a, b) for a, b in zip(x, y)]

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=_NOT_GIVEN):
        """Elements along axes joined one after the other."""
        a, axes, lanes, rest = self._lanes("reduce", array, axis)
        start = self.identity if initial is _NOT_GIVEN else initial
        if start is None and not lanes:
            raise ValueError(f"zero-size array to reduction operation {self.__name__} which has no identity")
        first = [] if start is None else [[start] * math.prod(rest)]
        joined = functools.reduce(self._joined, first + lanes)
        if not rest and out is None and not keepdims:
            return joined[0] if dtype is None else C.dtype(dtype)(joined[0])
        shape = tuple(1 if i in axes else n for i, n in enumerate(a.shape)) if keepdims else rest
        made = C.reshape(C.array(joined, dtype, True) if joined else C.full((0,), 0, dtype or a.dtype), shape)
        if out is None:
            return made
        out[...] = made
        return out

    def accumulate(self, array, axis=0, dtype=None, out=None):
        """The same with all results on the way."""
        return self._along(array, axis, dtype, out, "accumulate", lambda lanes: itertools.accumulate(lanes, self._joined))

    def reduceat(self, array, indices, axis=0, dtype=None, out=None):
        """The same over pieces of an axis, each from an index to the next one; where that is not larger, the element there."""
        at = [operator.index(i) for i in asarray(indices).tolist()]

        def pieces(lanes):
            for i, end in zip(at, at[1:] + [len(lanes)]):
                if not 0 <= i < len(lanes):
                    raise IndexError(f"index {i} out-of-bounds in {self.__name__}.reduceat [0, {len(lanes)})")
                yield functools.reduce(self._joined, lanes[i:end] if i < end else lanes[i:i + 1])
        return self._along(array, axis, dtype, out, "reduceat", pieces)

    def _along(self, array, axis, dtype, out, method, join):
        a, (axis,), lanes, rest = self._lanes(method, array, axis)
        joined = list(join(lanes))
        flat = [v for lane in joined for v in lane]
        made = C.array(flat, dtype, True) if flat else C.full((0,), 0, dtype or a.dtype)
        made = C.reshape(made, (len(joined), *rest))
        made = C.transpose(made, [*range(1, axis + 1), 0, *range(axis + 1, a.ndim)])
        if out is None:
            return made
        out[...] = made
        return out

    def outer(self, A, B, /):
        """The function of each element of A with each of B."""
        a, b = asarray(A), asarray(B)
        return self(C.reshape(a, a.shape + (1,) * b.ndim), b)

    def at(self, a, indices, b=None, /):
        """In place at indices, again and again where they repeat."""
        places = C.reshape(C.arange(0, a.size, 1, None), a.shape)[indices]
        values = [None] * places.size if self.nin == 1 else C.ravel(C.broadcast_to(asarray(b), places.shape)).tolist()
        for place, value in zip(C.ravel(asarray(places)).tolist(), values):
            before = a.flat[place].item()
            a.flat[place] = self.pyfunc(before) if self.nin == 1 else self.pyfunc(before, value)

    def __repr__(self):
        return f"<ufunc '{self.__name__}'>"


def frompyfunc(func, /, nin, nout, *, identity=None):
    """A function of numbers as a ufunc (of numbers: there are no arrays of objects)."""
    if not callable(func):
        raise TypeError("function must be callable")
    nin, nout = operator.index(nin), operator.index(nout)
    if nin + nout > 64:
        raise ValueError(f"Cannot construct a ufunc with more than 64 operands (requested number were: inputs = {nin} and "
                         f"outputs = {nout})")
    return _FromFunction(func, nin, nout, identity)
