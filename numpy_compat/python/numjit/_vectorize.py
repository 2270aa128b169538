"""vectorize: functions of numbers, or of small arrays, as functions of arrays. A loop in Python."""
import functools
import itertools
import math
import re

from . import _core as C
from ._creation import asarray
from ._manipulation import _written
from ._ufuncs import _NOT_GIVEN

_NAMES = r"\(\s*(?:\w+(?:\s*,\s*\w+)*\s*)?\)"
_SIGNATURE = re.compile(rf"^\s*{_NAMES}(?:\s*,\s*{_NAMES})*\s*->\s*{_NAMES}(?:\s*,\s*{_NAMES})*\s*$")


def _parsed(signature):
    """Names of core axes of inputs and outputs: '(m,n),(n)->(m)'."""
    if not _SIGNATURE.match(signature):
        raise ValueError(f"not a valid gufunc signature: {signature}")
    return tuple([tuple(re.findall(r"\w+", names)) for names in re.findall(_NAMES, side)] for side in signature.split("->"))


class vectorize:
    """A function of numbers as a function of arrays: a loop in Python."""

    _joins = False  # are the dtypes of results those that hold all of them, in place of the first one's?

    def __init__(self, pyfunc=_NOT_GIVEN, otypes=None, doc=None, excluded=None, cache=False, signature=None):
        if pyfunc is not _NOT_GIVEN and not callable(pyfunc):
            raise TypeError("When used as a decorator, only accepts keyword arguments." if otypes is None else
                            f"'{type(pyfunc).__name__}' object is not callable")
        if isinstance(otypes, str):
            for char in otypes:
                C.dtype(char)
        elif otypes is not None and not hasattr(otypes, "__iter__"):
            raise ValueError("Invalid otype specification")
        self.pyfunc, self.cache, self.signature = pyfunc, cache, signature
        self.otypes = None if otypes is None else [C.dtype(t) for t in otypes]
        self.excluded = set(excluded or ())
        self._cores = None if signature is None else _parsed(signature)
        self._doc = doc
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
        positions = [i for i in range(len(args)) if i not in self.excluded]
        names = [n for n in kwargs if n not in self.excluded]
        arrays = [asarray(args[i]) for i in positions] + [asarray(kwargs[n]) for n in names]

        def call(values):
            full, named = list(args), dict(kwargs)
            for i, v in zip(positions, values):
                full[i] = v
            named.update(zip(names, values[len(positions):]))
            return self.pyfunc(*full, **named)
        if self._cores is not None:
            return self._with_cores(call, arrays)
        if not arrays:
            return call(())
        otypes, first = self.otypes, []
        if otypes is None:
            if any(a.size == 0 for a in arrays):
                raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
            first = [call([C.ravel(a)[0] for a in arrays])]  # of strong numbers: its dtypes are those of all results
            many = isinstance(first[0], tuple)
            otypes = [asarray(v).dtype for v in (first[0] if many else first)]
        shape = C.broadcast_shapes(*(a.shape for a in arrays))
        rows = zip(*(C.ravel(C.broadcast_to(a, shape)).tolist() for a in arrays))  # NumPy's loop is one over Python's numbers
        results = [first.pop() if first and self.cache else call(row) for row in rows]
        columns = [results] if len(otypes) == 1 else list(zip(*results))
        made = tuple(C.reshape(self._column(list(c), t), shape) for c, t in zip(columns or [()] * len(otypes), otypes))
        return made if len(made) > 1 else made[0]

    def _column(self, values, otype):
        return C.array(values, None if self._joins else otype, True) if values else C.full((0,), 0, otype)

    def _with_cores(self, call, arrays):
        inputs, outputs = self._cores
        if len(arrays) != len(inputs):
            raise TypeError(f"wrong number of positional arguments: expected {len(inputs)}, got {len(arrays)}")
        sizes = {}
        for a, core in zip(arrays, inputs):
            self._fit(sizes, a, core, "does not have enough dimensions")
        loops = [a.shape[:a.ndim - len(core)] for a, core in zip(arrays, inputs)]
        shape = C.broadcast_shapes(*loops)
        arrays = [C.broadcast_to(a, shape + a.shape[a.ndim - len(core):]) for a, core in zip(arrays, inputs)]
        results = []
        for at in itertools.product(*map(range, shape)):
            found = call([a[at] if at else a for a in arrays])
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
            raise ValueError(f"could not broadcast input array from shape {_written(a.shape)} into shape {_written(shape)}")
        return C.reshape(a, shape)

    @staticmethod
    def _fit(sizes, a, core, text):
        if a.ndim < len(core):
            raise ValueError(f"{a.ndim}-dimensional argument {text} for all core dimensions {core!r}")
        for name, n in zip(core, a.shape[a.ndim - len(core):]):
            if sizes.setdefault(name, n) != n:
                raise ValueError(f"inconsistent size for core dimension {name!r}: {n!r} vs {sizes[name]!r}")


def frompyfunc(func, /, nin, nout, *, identity=None):
    """A function of numbers as a function of arrays (of numbers: there are no objects)."""
    made = vectorize(func, cache=True)
    made._joins = True
    return made
