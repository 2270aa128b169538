"""Ufuncs: those of the op table, those made of others, and the methods reduce, accumulate, reduceat, outer, at."""
import operator

from . import _core as C
from ._core import array_base as ndarray
from ._creation import asarray

ufunc = C.ufunc
by_name = dict(C.ufuncs)
# Neither is a ufunc in NumPy: where is a function, clip one with other names of arguments.
_where, _clip = by_name.pop("where"), by_name.pop("clip")
aliases = {alias: target for alias, target in C.aliases.items() if target in by_name}
_REDUCTIONS = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_or": "any",
               "logical_and": "all"}
_IDENTITY = {"add": 0, "multiply": 1, "logical_or": False, "logical_and": True, "logical_xor": False, "bitwise_or": 0,
             "bitwise_xor": 0, "bitwise_and": -1, "hypot": 0.0, "logaddexp": -float("inf"),
             "logaddexp2": -float("inf"), "gcd": 0, "left_shift": None}
# The order of elements does not matter: several axes at once are allowed.
_REORDERABLE = {"add", "multiply", "maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or", "logical_xor",
                "bitwise_and", "bitwise_or", "bitwise_xor", "hypot", "logaddexp", "logaddexp2", "gcd", "lcm"}
_NOT_GIVEN = object()


def _binary(self, method):
    if self.nin != 2 or self.nout != 1:
        raise ValueError(f"{method} only supported for binary functions")


def _one(out):
    return out[0] if isinstance(out, tuple) else out


def _axes(axis, ndim, name):
    if axis is None:
        return tuple(range(ndim))
    axes = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    axes = tuple(_axis(a, ndim) for a in axes)
    if len(set(axes)) != len(axes):
        raise ValueError("duplicate value in 'axis'")
    return axes


def _axis(axis, ndim):
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise C.AxisError(f"axis {axis} is out of bounds for array of dimension {ndim}")
    return axis % ndim


def _accumulator(self, a, dtype):
    """dtype in which a running result is kept."""
    if dtype is not None:
        return C.dtype(dtype)
    if self.__name__ in ("add", "multiply") and a.dtype.kind in "biu" and a.dtype.itemsize < 8:
        return C.uint64 if a.dtype.kind == "u" else C.int64
    probe = C.full((1,), 1, a.dtype)
    return self(probe, probe).dtype


def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=_NOT_GIVEN, where=True):
    """Applies the function along axes until one element is left of each."""
    _binary(self, "reduce")
    a, out = asarray(array), _one(out)
    name = self.__name__
    given = None if initial is _NOT_GIVEN else initial
    mask = None if where is True else asarray(where)
    if a.ndim == 0 and axis in (0, -1):
        axis = None
    if initial is None:  # without the identity, which the function may have
        if any(a.shape[i] == 0 for i in _axes(axis, a.ndim, name)):
            raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
        if mask is not None:
            raise ValueError(f"reduction operation '{name}' does not have an identity, so to use a where mask one has to "
                             "specify 'initial'")
    if name in _REDUCTIONS and not (name in ("logical_or", "logical_and") and given is not None):
        if name in ("logical_or", "logical_and"):
            dtype = None
        return C.reduce(_REDUCTIONS[name], a, axis, dtype, out, bool(keepdims), given, mask)
    axes = _axes(axis, a.ndim, name)
    kind = _accumulator(self, a, dtype)
    if len(axes) > 1 and name not in _REORDERABLE:
        raise ValueError(f"reduction operation '{name}' is not reorderable, so at most one axis may be specified")
    identity = _IDENTITY.get(name)
    if identity == -1 and kind.kind == "u":
        identity = (1 << 8 * kind.itemsize) - 1
    if given is None and initial is _NOT_GIVEN:
        needed = mask is not None or name == "hypot" or any(a.shape[i] == 0 for i in axes)
        given = identity if needed else None
    if given is None and any(a.shape[i] == 0 for i in axes):
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
    if given is None and mask is not None:
        raise ValueError(f"reduction operation '{name}' does not have an identity, so to use a where mask one has to "
                         "specify 'initial'")
    rest = [i for i in range(a.ndim) if i not in axes]
    moved = C.transpose(a, list(axes) + rest)
    n = 1
    for i in axes:
        n *= a.shape[i]
    moved = moved.reshape((n,) + tuple(a.shape[i] for i in rest))
    if mask is not None:
        mask = C.transpose(C.broadcast_to(mask, a.shape), list(axes) + rest).reshape(moved.shape)
    if kind.kind != "b" and moved.dtype != kind and not (moved.dtype.kind != "b" and name.startswith("logical")):
        moved = C.astype(moved, kind)
    result = C.full(moved.shape[1:], given, kind) if given is not None else C.copy(moved[0, ...])
    if result.dtype != kind:
        result = C.astype(result, kind)
    for i in range(0 if given is not None else 1, n):
        step = self(result, moved[i, ...])
        result = step if mask is None else _where(mask[i, ...], step, result)
    if keepdims:
        result = result.reshape(tuple(1 if i in axes else a.shape[i] for i in range(a.ndim)))
    if out is not None:
        C.store(asarray(out), result, None)
        return out
    return C.as_scalar(result) if result.ndim == 0 else result


def accumulate(self, array, axis=0, dtype=None, out=None):
    """Running results of the function along an axis."""
    _binary(self, "accumulate")
    a, out = asarray(array), _one(out)
    if a.ndim == 0:
        raise TypeError("cannot accumulate on a scalar")
    axis = _axis(axis, a.ndim)
    scan = {"add": "cumsum", "multiply": "cumprod"}.get(self.__name__)
    if scan:
        return C.scan(scan, a, axis, dtype, out)
    kind = _accumulator(self, a, dtype)
    made = C.full(a.shape, 0, kind)
    from_, to = C.moveaxis(a if a.dtype == kind or kind.kind == "b" else C.astype(a, kind), axis, 0), C.moveaxis(made, axis, 0)
    if a.shape[axis]:
        running = to[0, ...]
        C.store(running, from_[0, ...], None)
        for i in range(1, a.shape[axis]):
            running = self(running, from_[i, ...])
            C.store(to[i, ...], running, None)
    if out is not None:
        C.store(asarray(out), made, None)
        return out
    return made


def reduceat(self, array, indices, axis=0, dtype=None, out=None):
    """reduce() of the slices between successive indices along an axis."""
    _binary(self, "reduceat")
    a, out = asarray(array), _one(out)
    if a.ndim == 0:
        raise TypeError("cannot reduceat on a scalar")
    axis = _axis(axis, a.ndim)
    from_ = C.moveaxis(a, axis, 0)
    cuts = [operator.index(i) for i in asarray(indices).tolist()]
    n = a.shape[axis]
    for i in cuts:
        if not 0 <= i < n:
            raise IndexError(f"index {i} out-of-bounds in {self.__name__}.reduceat [0, {n})")
    parts = []
    for at, i in enumerate(cuts):
        stop = cuts[at + 1] if at + 1 < len(cuts) else n
        part = reduce(self, from_[i:stop], 0, dtype) if stop > i + 1 else C.astype(from_[i, ...], _accumulator(self, a, dtype))
        parts.append(C.expand_dims(part, 0))
    kind = _accumulator(self, a, dtype)
    made = C.concatenate(parts, 0, None, None) if parts else C.full((0,) + from_.shape[1:], 0, kind)
    made = C.moveaxis(made, 0, axis)
    if out is not None:
        C.store(asarray(out), made, None)
        return out
    return made


def outer(self, A, B, /, **kwargs):
    """The function of all pairs of elements."""
    _binary(self, "outer")
    A, B = asarray(A), asarray(B)
    return self(A.reshape(A.shape + (1,) * B.ndim), B, **kwargs)


def at(self, a, indices, b=None, /):
    """The function applied in place at indices, each occurrence counted."""
    if not isinstance(a, ndarray):
        raise TypeError("first operand must be array")
    if self.nin == 1:
        a[indices] = self(a[indices])
        return
    if b is None:
        raise ValueError("second operand needed for ufunc")
    # Places in memory order, one at a time where they repeat: rounds of distinct places.
    places = C.arange(0, a.size, 1, None).reshape(a.shape)[indices]
    values = C.broadcast_to(asarray(b), places.shape).ravel()
    places = places.ravel()
    if not places.size:
        return
    order = C.argsort(places, 0)
    places, values = places[order], values[order]
    new = C.concatenate([C.full((1,), True, bool), places[1:] != places[:-1]], 0, None, None)
    positions = C.arange(0, places.size, 1, None)
    firsts = positions[new][C.scan("cumsum", new, 0, None, None) - 1]
    rank = positions - firsts
    for round_ in range(int(rank.max()) + 1):
        here = rank == round_
        index = unravel(places[here], a.shape)
        step = self(a[index], values[here])
        if not C.can_cast(step.dtype, a.dtype, "same_kind"):
            raise TypeError(f"Cannot cast ufunc '{self.__name__}' output from dtype('{step.dtype}') to "
                            f"dtype('{a.dtype}') with casting rule 'same_kind'")
        a[index] = step


def unravel(flat, shape):
    """Index arrays of flat indices, one per axis."""
    index = []
    for n in reversed(shape):
        index.append(flat % n if n else flat)
        flat = flat // n if n else flat
    return tuple(reversed(index)) if index else ()


def resolve_dtypes(self, dtypes, *, signature=None, casting=None, reduction=False):
    """dtypes of inputs and output for given dtypes."""
    inputs = [C.full((1,), 1, d) for d in dtypes[:self.nin]]
    return tuple(i.dtype for i in inputs) + (self(*inputs).dtype,)


def _identity(self):
    return _IDENTITY.get(self.__name__)


for _method in (reduce, accumulate, reduceat, outer, at, resolve_dtypes):
    setattr(ufunc, _method.__name__, _method)
ufunc.identity = property(_identity, doc="What changes nothing in a reduction, or None.")


class composite:
    """A ufunc that is made of others: several outputs, or none of the table's rows."""

    def __init__(self, function, nin, nout, types):
        self._function, self.nin, self.nout, self.types = function, nin, nout, types
        self.__name__ = self.__qualname__ = function.__name__.rstrip("_")
        self.__doc__ = function.__doc__
        self.nargs, self.ntypes, self.identity, self.signature = nin + nout, len(types), None, None

    def __call__(self, *args, out=None, where=True, dtype=None, casting="same_kind", order="K", subok=True):
        if not self.nin <= len(args) <= self.nin + self.nout:
            raise TypeError(f"{self.__name__}() takes from {self.nin} to {self.nin + self.nout} positional arguments but "
                            f"{len(args)} were given")
        inputs = args[:self.nin]
        outs = args[self.nin:] or ((out if isinstance(out, tuple) else (out,)) if out is not None else ())
        if len(outs) < self.nout:
            outs = tuple(outs) + (None,) * (self.nout - len(outs))
        if dtype is not None:
            inputs = [asarray(x).astype(dtype) if i == 0 or self.__name__ != "ldexp" else x for i, x in enumerate(inputs)]
        results = self._function(*inputs)
        results = results if isinstance(results, tuple) else (results,)
        given = tuple(self._finish(r, o, where, self.__name__) for r, o in zip(results, outs))
        return given if self.nout > 1 else given[0]

    @staticmethod
    def _finish(result, out, where, name):
        if out is None:
            return C.as_scalar(result) if isinstance(result, ndarray) and result.ndim == 0 else result
        target = asarray(out)
        if not C.can_cast(result.dtype, target.dtype, "same_kind"):
            raise TypeError(f"Cannot cast ufunc '{name}' output from dtype('{result.dtype}') to dtype('{target.dtype}') with casting rule "
                            "'same_kind'")
        if C.broadcast_shapes(target.shape, result.shape) != target.shape:
            raise ValueError(f"non-broadcastable output operand with shape {target.shape} doesn't match the broadcast shape "
                             f"{result.shape}")
        C.store(target, result, None if where is True else asarray(where))
        return out

    def __repr__(self):
        return f"<ufunc '{self.__name__}'>"

    def __reduce__(self):
        return named, (self.__name__,)

    def outer(self, A, B, /, **kwargs):
        """The function of all pairs of elements."""
        return outer(self, A, B, **kwargs)


def _not_supported(name):
    return TypeError(f"ufunc '{name}' not supported for the input types, and the inputs could not be safely coerced to any "
                     "supported types according to the casting rule ''safe''")


def _floats(x, name):
    x = asarray(x)
    if x.dtype.kind == "c":
        raise _not_supported(name)
    if x.dtype.kind == "f":
        return x
    return x.astype(C.float16 if x.dtype.itemsize == 1 else C.float32 if x.dtype.itemsize == 2 else C.float64)


def divmod_(x1, x2):
    """Quotient and remainder, as floor_divide and remainder."""
    if any(asarray(x).dtype.kind == "c" for x in (x1, x2) if isinstance(x, (ndarray, complex))):
        raise _not_supported("divmod")
    return by_name["floor_divide"](x1, x2), by_name["remainder"](x1, x2)


def modf(x):
    """Fractional and integral part, both with the sign of the argument."""
    return C.modf(_floats(x, "modf"))


def frexp(x):
    """Mantissa in [0.5, 1) and exponent of two."""
    return C.frexp(_floats(x, "frexp"))


def ldexp(x1, x2):
    """x1 * 2**x2."""
    n = asarray(x2)
    x = _floats(C.full((), x1, n.dtype) if type(x1) is int and n.dtype.kind in "iu" else x1, "ldexp")
    if n.dtype.kind not in "iub" or (n.dtype == C.uint64 and not C.is_weak(x2)):
        raise _not_supported("ldexp")
    return C.ldexp(x, n)


def spacing(x):
    """Distance to the next number away from zero."""
    x = _floats(x, "spacing")
    if x.dtype == C.float16:  # NumPy's loop gives the distance upwards
        return by_name["nextafter"](x, C.full((), float("inf"), x.dtype)) - x
    return C.spacing(x)


COMPOSITES = {
    "divmod": composite(divmod_, 2, 2, ["bb->bb", "BB->BB", "hh->hh", "HH->HH", "ii->ii", "II->II", "ll->ll", "LL->LL",
                                        "ee->ee", "ff->ff", "dd->dd"]),
    "modf": composite(modf, 1, 2, ["e->ee", "f->ff", "d->dd"]),
    "frexp": composite(frexp, 1, 2, ["e->ei", "f->fi", "d->di"]),
    "ldexp": composite(ldexp, 2, 1, ["ei->e", "fi->f", "di->d"]),
    "spacing": composite(spacing, 1, 1, ["e->e", "f->f", "d->d"]),
}

def named(name):
    """The ufunc of a name: how ufuncs are pickled."""
    return NAMES[name] if name in NAMES else C.special_ufuncs[name] if name in C.special_ufuncs else C.ufuncs[name]


# The functions of NumPy's namespace that come from the table, aliases included.
NAMES = {**by_name, **{alias: by_name[target] for alias, target in aliases.items()}, **COMPOSITES}


def where(condition, x=_NOT_GIVEN, y=_NOT_GIVEN, /):
    """Elements of x where the condition is true, else of y; indices of true elements without x and y."""
    if x is _NOT_GIVEN and y is _NOT_GIVEN:
        return C.nonzero(asarray(condition))
    if x is _NOT_GIVEN or y is _NOT_GIVEN:
        raise ValueError("either both or neither of x and y should be given")
    made = _where(condition, x, y)
    return made if not made._is_scalar else asarray(made)


def clip(a, a_min=_NOT_GIVEN, a_max=_NOT_GIVEN, out=None, *, min=_NOT_GIVEN, max=_NOT_GIVEN, **kwargs):
    """The elements held between two bounds."""
    if a_min is _NOT_GIVEN and a_max is _NOT_GIVEN:
        a_min, a_max = (None if b is _NOT_GIVEN else b for b in (min, max))
    elif a_min is _NOT_GIVEN or a_max is _NOT_GIVEN:
        raise TypeError(f"clip() missing 1 required positional argument: 'a_{'min' if a_min is _NOT_GIVEN else 'max'}'")
    elif min is not _NOT_GIVEN or max is not _NOT_GIVEN:
        raise ValueError("Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden.")
    if a_min is None and a_max is None:
        return by_name["positive"](a, out=out, **kwargs)
    if a_min is None:
        return by_name["minimum"](a, C.clip_bound(a, a_max, False), out=out, **kwargs)
    if a_max is None:
        return by_name["maximum"](a, C.clip_bound(a, a_min, True), out=out, **kwargs)
    return _clip(a, C.clip_bound(a, a_min, True), C.clip_bound(a, a_max, False), out=out, **kwargs)
