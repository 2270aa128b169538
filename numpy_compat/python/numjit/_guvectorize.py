"""guvectorize: functions of small arrays, over whose other axes they are called, as in Numba."""
import itertools

from . import _core as C
from ._creation import asarray
from ._functions import zeros
from ._lane_program import CoreCall
from ._ufuncs import _NOT_GIVEN
from ._vectorize import vectorize


class _OfArrays(vectorize):
    """What guvectorize() gives."""

    def __init__(self, pyfunc, signature, otypes):
        super().__init__(pyfunc, otypes, signature=signature)
        inputs, outputs = self._cores
        code = getattr(pyfunc, "__code__", None)
        count = code.co_argcount if code else len(inputs)
        self._writes = count == len(inputs) + len(outputs)
        if count not in (len(inputs), len(inputs) + len(outputs)):
            raise TypeError(f"[guvectorize] {self.__name__} has {count} parameters, expected {len(inputs)}, or {len(inputs) + len(outputs)} "
                            f"with those that it writes its results to, as the signature {signature!r} says.")
        if otypes is not None and len(self.otypes) != len(outputs):
            raise ValueError(f"[guvectorize] got {len(self.otypes)} dtypes, expected {len(outputs)}: one for each result.")

    def __call__(self, *args):
        inputs, outputs = self._cores
        if len(args) not in (len(inputs), len(inputs) + len(outputs)):
            raise TypeError(f"[guvectorize] {self.__name__} got {len(args)} arguments, expected {len(inputs)}, or "
                            f"{len(inputs) + len(outputs)} with arrays for its results.")
        targets = args[len(inputs):]
        made = self._writing(args[:len(inputs)], targets) if self._writes else super().__call__(*args[:len(inputs)])
        if not targets:
            return made
        for target, result in zip(targets, made if isinstance(made, tuple) else (made,)):
            target[...] = result
        return targets if len(targets) > 1 else targets[0]

    def _writing(self, args, targets):
        """Of a function that writes its results into its last parameters."""
        arrays = [asarray(a) for a in args]
        if (batched := self._under_vmap(arrays, lambda values: (values, {}))) is not _NOT_GIVEN:
            return batched
        inputs, outputs = self._cores
        shape, sizes = self._sizes(arrays)
        for name in dict.fromkeys(n for core in outputs for n in core if n not in sizes):
            raise ValueError(f"[guvectorize] no argument has the core dimension {name!r} of a result of {self.__name__}. Hint: an argument "
                             "of that length says how long the result is.")
        otypes = self.otypes or [t.dtype for t in targets] or [C.result_type(*arrays)] * len(outputs)

        def of_lane(at):
            outs = [zeros(tuple(sizes[n] for n in core) or (1,), t) for core, t in zip(outputs, otypes)]
            self.pyfunc(*self._parts(arrays, shape, at), *outs)
            return [out if core else out[0] for out, core in zip(outs, outputs)]
        call = CoreCall(lambda values: (values, {}), shape, None, self._cores, sizes, otypes)
        made = self._as_operations(call, arrays, shape, lambda lanes: of_lane(self._first(lanes, shape)),
                                   lambda at: lambda: of_lane(C.functions.unravel_index(at, shape)))
        if made is not None:
            return made
        self._refuse_followed(arrays, "guvectorize")
        made = tuple(zeros(shape + tuple(sizes[n] for n in core), t) for core, t in zip(outputs, otypes))
        for at in itertools.product(*map(range, shape)):
            for whole, part in zip(made, of_lane(at)):
                whole[at] = part
        return made if len(made) > 1 else made[0]


def guvectorize(signature, otypes=None):
    """A decorator for functions of small arrays: the result takes arrays with any axes before these, and loops over them.

    signature: the core dimensions of arguments and results, as "(n),(n)->()". The function gets the arguments' parts as arrays;
    it writes into its last parameters, as Numba's do (a result without core dimensions is an array of one element), or returns its
    results. otypes: dtypes of results; else that of all arguments together, or of arrays that a call gives for results.
    A function that does other things than compute numbers is called in a loop in Python, as `vectorize` says.

        >>> @numjit.guvectorize("(n)->()")
        ... def alternating(x, result):
        ...     total = 0.0
        ...     for i in range(len(x)):
        ...         total += x[i] if i % 2 == 0 else -x[i]
        ...     result[0] = total
        >>> alternating(numjit.array([[1.0, 2.0, 4.0], [3.0, 5.0, 7.0]]))
        array([3., 5.])

    Errors: ValueError for a signature that is none, and for a core dimension of results that no argument has; TypeError for functions
    and calls of another number of parameters.
    """
    def of(pyfunc):
        return _OfArrays(pyfunc, signature, otypes)
    return of

