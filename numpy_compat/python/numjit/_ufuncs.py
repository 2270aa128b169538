"""Ufuncs: those of the op table, and the methods reduce, accumulate, reduceat, outer, at."""
import inspect
import operator

from . import _core as C, _functions as F
from ._core import array_base as ndarray
from ._creation import asarray
from ._interop import call_numpy_by_name
from ._signatures import no_value as _NOT_GIVEN

ufunc = C.ufunc
_array = C.ndarray  # arrays with axes, and no scalars
by_name = dict(C.ufuncs)
# Neither is a ufunc in NumPy: where is a function, clip one with other names of arguments.
_where, _clip = by_name.pop("where"), by_name.pop("clip")
aliases = {alias: target for alias, target in C.aliases.items() if target in by_name}


def _binary(self, method):
    if self.signature is not None:
        raise RuntimeError("Reduction not defined on ufunc with signature")
    if self.nout != 1:
        raise ValueError(f"{method} only supported for functions returning a single value")
    if self.nin != 2:
        raise ValueError(f"{method} only supported for binary functions")


def _one(out):
    if not isinstance(out, tuple):
        return out if out is Ellipsis else _target(out)
    if out[0] is Ellipsis:
        raise TypeError("must use `...` as `out=...` and not per-operand/in a tuple")
    return _target(out[0])


def _axes(axis, ndim, repeated="duplicate value in 'axis'"):
    if axis is None:
        return tuple(range(ndim))
    axes = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    axes = tuple(_axis(a, ndim) for a in axes)
    if len(set(axes)) != len(axes):
        raise ValueError(repeated)
    return axes


def _one_axis(axis, ndim, method):
    if ndim and len(_axes(axis, ndim)) != 1:
        raise ValueError(f"{method} does not allow multiple axes")
    return axis[0] if isinstance(axis, (tuple, list)) else axis


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


def _in_table(self, a):
    """The name of a ufunc of the op table. Others take no results of their own: TypeError."""
    if self.__name__ in by_name:
        return self.__name__
    probe = C.full((1,), 1, a.dtype)
    self(probe, probe)
    raise TypeError(f"No loop matching the specified signature and casting was found for ufunc {self.__name__}")


def _given_way(self, method, *args, **kwargs):
    """The method of NumPy's ufunc, which asks the classes of the operands."""
    return call_numpy_by_name("." + method, (self, *args), kwargs)


# The reductions of a whole vector, which have quick ways in C.
_of_vectors = {"add": F.sum, "multiply": F.prod, "maximum": F.max, "minimum": F.min}


def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=_NOT_GIVEN, where=True):
    """Applies the function along axes until one element is left of each."""
    if type(array) is C.ndarray and axis == 0 and dtype is None and out is None and initial is _NOT_GIVEN and where is True and \
            not keepdims and array.ndim == 1 and self.__name__ in _of_vectors:
        return _of_vectors[self.__name__](array)
    if C.is_foreign(array):
        given = {"initial": initial} if initial is not _NOT_GIVEN else {}
        return _given_way(self, "reduce", array, axis, dtype, out, keepdims, where=where, **given)
    _binary(self, "reduce")
    a, out = asarray(array), _one(out)
    if out is Ellipsis:  # an array also where there would be a scalar
        return asarray(reduce(self, a, axis, dtype, None, keepdims, initial, where))
    name = self.__name__
    given = None if initial is _NOT_GIVEN else initial
    mask = None if where is True else C.mask(where)
    if a.ndim == 0 and axis in (0, -1):
        axis = None
    if initial is None:  # without the identity, which the function may have
        if any(a.shape[i] == 0 for i in _axes(axis, a.ndim)):
            raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
        if mask is not None:
            raise ValueError(f"reduction operation '{name}' does not have an identity, so to use a where mask one has to "
                             "specify 'initial'")
    return C.ufunc_reduce(_in_table(self, a), a, axis, dtype, out, bool(keepdims), given, mask)


def accumulate(self, array, axis=0, dtype=None, out=None):
    """Running results of the function along an axis."""
    if C.is_foreign(array):
        return _given_way(self, "accumulate", array, axis, dtype, out)
    _binary(self, "accumulate")
    a = asarray(array)
    axis = _one_axis(axis, a.ndim, "accumulate")
    return C.ufunc_accumulate(_in_table(self, a), a, axis, dtype, None if out is Ellipsis else _one(out))


def reduceat(self, array, indices, axis=0, dtype=None, out=None):
    """reduce() of the slices between successive indices along an axis."""
    if C.is_foreign(array):
        return _given_way(self, "reduceat", array, indices, axis, dtype, out)
    _binary(self, "reduceat")
    a = asarray(array)
    indices = asarray(indices)
    if indices.ndim == 0:
        raise ValueError("object of too small depth for desired array")
    if indices.ndim > 1:
        raise ValueError("object too deep for desired array")
    axis = _one_axis(axis, a.ndim, "reduceat")
    return C.ufunc_reduceat(_in_table(self, a), a, indices, axis, dtype, None if out is Ellipsis else _one(out))


def outer(self, /, *operands, **kwargs):
    """The function of all pairs of elements."""
    if self.signature is not None:
        raise TypeError("method outer is not allowed in ufunc with non-trivial signature")
    if self.nin != 2:
        raise ValueError("outer product only supported for binary functions")
    if len(operands) != 2:
        raise TypeError("exactly two arguments expected")
    if any(map(C.is_foreign, operands)):
        return _given_way(self, "outer", *operands, **kwargs)
    A, B = map(asarray, operands)
    return self(A.reshape(A.shape + (1,) * B.ndim), B, **kwargs)


def at(self, a, indices, b=None, /):
    """The function applied in place at indices, each occurrence counted; the results are cast to the array's dtype."""
    if self.signature is not None:
        raise TypeError(f"{self.__name__}.at does not support ufunc with non-trivial signature: {self.__name__} has signature "
                        f"{self.signature}.")
    if self.nout != 1:
        raise ValueError("Only single output ufuncs supported at this time")
    if C.is_foreign(a) or C.is_foreign(b):
        return _given_way(self, "at", a, indices, *(() if b is None else (b,)))
    if not isinstance(a, ndarray) or a._is_scalar:
        raise TypeError("first operand must be array")
    if self.nin == 1 and b is not None:
        raise ValueError("second operand provided when ufunc is unary")
    if self.nin == 2 and b is None:
        raise ValueError("second operand needed for ufunc")
    if self.nin == 2:  # before the places are checked: reading it may run code of the user's
        b = asarray(b)
    places = C.direct_places(a, indices) if isinstance(indices, ndarray) else None
    if places is None:
        places = asarray(C.arange(0, a.size, 1, None).reshape(a.shape)[indices])
    values = None
    if self.nin == 2:
        values = b
        if values.ndim > places.ndim or any(n not in (1, m) for n, m in zip(values.shape[::-1], places.shape[::-1])):
            raise ValueError("array is not broadcastable to correct shape")
        values = C.broadcast_to(values, places.shape)
        values = values if values.ndim == 1 else values.ravel()
    places = places.ravel()
    if self.__name__ in C.ufuncs or self.__name__ in C.special_ufuncs:
        C.ufunc_at(self.__name__, a, places, values)
        return
    flat = a.ravel()  # made of others: one place after the other
    for i, place in enumerate(places.tolist()):
        flat[place] = C.astype(self(flat[place]) if values is None else self(flat[place], values[i]), a.dtype)
    a[...] = flat.reshape(a.shape)


def _target(out, text="return arrays must be of ArrayType"):
    """What results are written to: an array, or None."""
    if out is None or isinstance(out, C.ndarray) or (hasattr(out, "__array_interface__") and not C.stands_for_number(out)):
        return out
    if isinstance(out, tuple) and len(out) == 1:
        return _target(out[0], text)
    raise TypeError("out=... is only allowed as a keyword argument." if out is Ellipsis and text.startswith("return") else text)


def unravel(flat, shape):
    """Index arrays of flat indices, one per axis."""
    index = []
    for n in reversed(shape):
        index.append(flat % n if n else flat)
        flat = flat // n if n else flat
    return tuple(reversed(index)) if index else ()


def resolve_dtypes(self, dtypes, *, signature=None, casting=None, reduction=False):
    """dtypes with which a call on inputs of given dtypes (or int, float, complex: numbers of Python) would compute."""
    if not isinstance(dtypes, tuple) or len(dtypes) != self.nargs:
        raise TypeError("resolve_dtypes: The dtypes must be a tuple of `ufunc.nargs` length.")
    if reduction and (self.nin != 2 or self.nout != 1):
        raise TypeError("resolve_dtypes: reduction=True is only supported for binary functions of a single result.")
    inputs, out = list(dtypes[:self.nin]), dtypes[self.nin:]
    if reduction:
        if inputs[0] is not None:
            raise TypeError("resolve_dtypes: the first dtype must be None for a reduction.")
        inputs[0] = _accumulator(self, C.full((1,), 1, inputs[1]), out[0])
    if any(d is None for d in inputs):
        raise TypeError("resolve_dtypes: an input's dtype must not be None.")
    weak = {int: 1, float: 1.0, complex: 1j}
    if any(not hasattr(d, "kind") and not (isinstance(d, type) and d in weak) for d in [*inputs, *(d for d in out if d is not None)]):
        raise TypeError("Provided dtype must be a valid NumPy dtype, int, float, complex, or None.")
    probes = [weak[d] if isinstance(d, type) and d in weak else C.full((1,), 1, d) for d in inputs]
    rule = "same_kind" if casting is None else casting
    if signature is not None and all(t is None for t in signature[:self.nin]) and signature[self.nin] is not None:
        probes = [C.full((1,), 1, signature[self.nin])] * self.nin
    elif signature is not None:
        probes = [p if t is None else C.full((1,), 1, t) for p, t in zip(probes, signature)]
    found = self._loop_dtypes(*probes)
    if reduction:
        found = (found[-1],) * 3
    for given, loop in zip(inputs, found):
        if isinstance(given, C.dtype) and not C.can_cast(given, loop, rule):
            raise TypeError(f"Cannot cast ufunc '{self.__name__}' input from {given!r} to {loop!r} with casting rule '{rule}'")
    for given, loop in zip(out, found[self.nin:]):
        if given is not None and not C.can_cast(loop, given, rule):
            raise TypeError(f"Cannot cast ufunc '{self.__name__}' output from {loop!r} to {C.dtype(given)!r} with casting rule '{rule}'")
    return found


def _identity(self):
    value = C.ufunc_identity(self.__name__) if self.nin == 2 and self.__name__ in by_name else None
    if value is None or value in (float("inf"), -float("inf")):
        return value
    return bool(value) if self.__name__.startswith("logical") else int(value)


for _method in (reduce, accumulate, reduceat, outer, at, resolve_dtypes):
    setattr(ufunc, _method.__name__, _method)
ufunc.identity = property(_identity, doc="What changes nothing in a reduction, or None.")


def _signature(self):
    """As inspect.signature() tells it."""
    P = inspect.Parameter
    def option(name, default):
        return P(name, P.KEYWORD_ONLY, default=default)
    inputs = [P("x" if self.nin == 1 else f"x{i + 1}", P.POSITIONAL_ONLY) for i in range(self.nin)]
    out = P("out", P.POSITIONAL_OR_KEYWORD, default=None if self.nout == 1 else (None,) * self.nout)
    if self.signature is None:
        own = [option("where", True)]
    else:
        own = [option("axes", _NOT_GIVEN), option("axis", _NOT_GIVEN), option("keepdims", False)]
    rest = [option("casting", "same_kind"), option("order", "K"), option("dtype", None), option("subok", True), option("signature", None)]
    return inspect.Signature([*inputs, out, *own, *rest])


class _Signature:
    """Of a ufunc what it takes; of their class, which nobody calls, nothing."""

    def __get__(self, instance, cls):
        return inspect.Signature() if instance is None else _signature(instance)


ufunc.__signature__ = _Signature()


def where(condition, x=_NOT_GIVEN, y=_NOT_GIVEN, /):
    """Elements of x where the condition is true, else of y; indices of true elements without x and y."""
    if x is _NOT_GIVEN and y is _NOT_GIVEN:
        return call_numpy_by_name("where", (condition,), {}) if C.is_foreign(condition) else C.nonzero(asarray(condition))
    if x is _NOT_GIVEN or y is _NOT_GIVEN:
        raise ValueError("either both or neither of x and y should be given")
    made = _where(condition, x, y)
    return made if type(made) is _array or not isinstance(made, ndarray) else asarray(made)


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
    if C.levels_are_open() and asarray(a).dtype.kind == "f":  # whose derivative at a bound is that of the element
        return _clip(a, *(float(sign + "inf") if b is None else C.clip_bound(a, b, low)
                          for b, sign, low in ((a_min, "-", True), (a_max, "", False))), out=out, **kwargs)
    if a_min is None:
        return by_name["minimum"](a, C.clip_bound(a, a_max, False), out=out, **kwargs)
    if a_max is None:
        return by_name["maximum"](a, C.clip_bound(a, a_min, True), out=out, **kwargs)
    return _clip(a, C.clip_bound(a, a_min, True), C.clip_bound(a, a_max, False), out=out, **kwargs)
