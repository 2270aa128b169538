"""Ufuncs that no row of the table stands for: several results, and those of vectors and matrices (gufuncs)."""
import operator
import re

from . import _core as C
from ._core import array_base as ndarray
from ._creation import asarray
from ._order import order_of
from ._ufuncs import _NOT_GIVEN, aliases, by_name, ufunc

_RULES = ("no", "equiv", "safe", "same_kind", "unsafe")
_RANKS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


def _no_loop(name):
    return TypeError(f"No loop matching the specified signature and casting was found for ufunc {name}")


class composite(C.composite_ufunc):
    """A ufunc that is made of others: several outputs, or none of the table's rows."""

    def __init__(self, function, nin, nout, types, core=None):
        self._function, self._nin, self._nout, self._types, self._core = function, nin, nout, types, core
        self._name, self._doc = function.__name__.rstrip("_"), function.__doc__
        self._set_quick(self._name)

    nin = property(lambda self: self._nin)
    nout = property(lambda self: self._nout)
    nargs = property(lambda self: self._nin + self._nout)
    types = property(lambda self: list(self._types))
    ntypes = property(lambda self: len(self._types))
    identity = property(lambda self: None)
    signature = property(lambda self: self._core)

    @property
    def __doc__(self):
        inputs = "x" if self.nin == 1 else ", ".join(f"x{i + 1}" for i in range(self.nin))
        outputs = "" if self.nout == 1 else f"[, {', '.join(f'out{i + 1}' for i in range(self.nout))}]"
        out = "out=None" if self.nout == 1 else f"[, out={(None,) * self.nout}]"
        where = "" if self._core else "where=True, "
        return (f"{self._name}({inputs}{outputs}, /{', ' if self.nout == 1 else ' '}{out}, *, {where}casting='same_kind', order='K', dtype=None, "
                f"subok=True[, signature{', axes, axis' if self._core else ''}])\n\n{self._doc}")

    def _call(self, *args, **options):  # what the quick ways in C don't take
        if options or len(args) != self._nin:
            return self._with_options(args, **options)
        made = self._function(*args)
        if self._nout == 1:
            return C.as_scalar(made) if made.ndim == 0 else made
        return tuple([C.as_scalar(r) if r.ndim == 0 else r for r in made])

    def _with_options(self, args, out=None, where=True, dtype=None, casting="same_kind", order="K", subok=True, signature=None, sig=None,
                      **unknown):
        inputs, outs, always_array = self._operands(args, out, unknown)
        types = self._wanted(dtype, signature, sig)
        if types is not None or casting != "same_kind":
            inputs = self._cast(inputs, types, casting)
        mask = None if where is True else C.mask(where)
        results = self._function(*inputs)
        results = results if isinstance(results, tuple) else (results,)
        if mask is not None or any(o is not None for o in outs):
            results = self._of_one_shape(inputs, results, outs, mask, casting)
        if order_of(order) == "F":
            results = [C.copy_in_order(r, None, "F", r) if o is None and r.ndim > 1 else r for r, o in zip(results, outs)]
        given = tuple(self._finish(r, o, mask, casting, always_array) for r, o in zip(results, outs))
        return given if self.nout > 1 else given[0]

    def _of_one_shape(self, inputs, results, outs, mask, casting):
        """The results in the shape that inputs, outputs and mask broadcast to together. Nothing is stored before all fits."""
        targets = [None if o is None else asarray(o) for o in outs]
        for result, target in zip(results, targets):
            if target is not None:
                self._check_output_cast(result, target, casting)
        shapes = [() if C.is_weak(x) else asarray(x).shape for x in inputs] + [t.shape for t in targets if t is not None]
        shape = _broadcast(shapes if mask is None else [*shapes, mask.shape])
        for target in targets:
            if target is not None and target.shape != shape:
                raise ValueError(f"non-broadcastable output operand with shape {_text(target.shape)} doesn't match the broadcast shape "
                                 f"{_text(shape)}")
        return [r if o is not None or r.shape == shape else C.copy(C.broadcast_to(r, shape)) for r, o in zip(results, outs)]

    def _check_output_cast(self, result, target, casting):
        if not C.can_cast(result.dtype, target.dtype, casting):
            raise TypeError(f"Cannot cast ufunc '{self._name}' output from {result.dtype!r} to {target.dtype!r} with casting rule '{casting}'")

    def _operands(self, args, out, unknown):
        """Inputs, one output or None per result, and whether results are arrays also where there would be scalars."""
        for name in unknown:
            raise TypeError(f"{self._name}() got an unexpected keyword argument '{name}'")
        if not self.nin <= len(args) <= self.nargs:
            raise TypeError(f"{self._name}() takes from {self.nin} to {self.nargs} positional arguments but {len(args)} "
                            f"{'was' if len(args) == 1 else 'were'} given")
        inputs, outs = args[:self.nin], args[self.nin:]
        if any(o is Ellipsis for o in outs):
            raise TypeError("out=... is only allowed as a keyword argument.")
        if outs and out is not None:
            raise TypeError("cannot specify 'out' as both a positional and keyword argument")
        if out is not None and out is not Ellipsis:
            if isinstance(out, tuple):
                if len(out) != self.nout:
                    raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
                if any(o is Ellipsis for o in out):
                    raise TypeError("must use `...` as `out=...` and not per-operand/in a tuple")
            elif self.nout > 1:
                raise TypeError("'out' must be a tuple of arrays")
            outs = out if isinstance(out, tuple) else (out,)
        for o in outs:
            if o is not None and not isinstance(o, ndarray) and not hasattr(o, "__array_interface__"):
                raise TypeError("return arrays must be of ArrayType")
        return inputs, tuple(outs) + (None,) * (self.nout - len(outs)), out is Ellipsis

    def _wanted(self, dtype, signature, sig):
        """dtypes asked for, one or None per operand; None if nothing is asked for."""
        if signature is not None and sig is not None:
            raise TypeError("cannot specify both 'sig' and 'signature'")
        signature = sig if signature is None else signature
        if dtype is not None:
            if signature is not None:
                raise TypeError("cannot specify both 'signature' and 'dtype'")
            return [None] * self.nin + [C.dtype(dtype)] * self.nout
        if signature is None:
            return None
        if isinstance(signature, str):
            ins, arrow, outs = signature.replace(" ", "").partition("->")
            if len(signature) == 1:
                raise TypeError("Use `dtype` or  fill the tuple with more than one 'None'.")
            if not arrow or len(ins) != self.nin or len(outs) != self.nout:
                raise ValueError(f"a type-string for {self._name}, {self.nin} typecode(s) before and {self.nout} after the -> sign")
            return [C.dtype(c) for c in ins + outs]
        if not isinstance(signature, tuple):
            raise TypeError("the signature object to ufunc must be a string or a tuple.")
        if len(signature) == 1:
            raise TypeError("a single item type tuple cannot contain None." if signature[0] is None else
                            "Use `dtype` or  fill the tuple with more than one 'None'.")
        if len(signature) != self.nargs:
            raise ValueError(f"a type-tuple must be specified of length {self.nargs} for ufunc '{self._name}'")
        types = [None if t is None else C.dtype(t) for t in signature]
        return types if any(t is not None for t in types) else None

    def _cast(self, inputs, types, casting):
        """The inputs as the loop takes them that was asked for, or the one that there is for them; TypeError if the rule forbids it."""
        if casting not in _RULES:
            raise ValueError(f"casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe' (got '{casting}')")
        arrays = [asarray(x) for x in inputs]
        weak = [self.nin > 1 and C.is_weak(x) and type(x) is not bool for x in inputs]
        chars = self._loop(arrays, weak, types)
        for x, a, w, t in zip(inputs, arrays, weak, chars):
            if w and casting == "equiv" and a.dtype != t and _RANKS[a.dtype.kind] <= _RANKS[t.kind]:
                raise TypeError(f"cannot cast Python {type(x).__name__} to {t.name} under the casting rule 'equiv'")
        for i, (a, w, t) in enumerate(zip(arrays, weak, chars)):
            if not (_RANKS[a.dtype.kind] <= _RANKS[t.kind] if w and casting != "unsafe" else C.can_cast(a.dtype, t, casting)):
                raise TypeError(f"Cannot cast ufunc '{self._name}' input{f' {i}' if self.nin > 1 else ''} from {a.dtype!r} to {t!r} with "
                                f"casting rule '{casting}'")
        return [a if a.dtype == t else C.full((), x, t) if type(x) is int and t.kind in "iu" else a.astype(t)
                for x, a, t in zip(inputs, arrays, chars)]

    def _loop(self, arrays, weak, types):
        """The dtypes of the first loop with those asked for that takes the inputs; loops of one dtype take what can be cast. A
        number takes the dtype of a loop if an array of its kind or a wider one is beside it; otherwise it has its own."""
        ranks = [_RANKS[a.dtype.kind] for a in arrays]
        most = max((r for r, w in zip(ranks, weak) if not w), default=-1)

        def fits(rank, w, a, t):
            return rank <= _RANKS[t.kind] if w and rank <= most else C.can_cast(a.dtype, t, "safe")

        for loop in self._types:
            found = [C.dtype(c) for c in loop.replace("->", "")]
            asked = types or [None] * len(found)
            free = types is None or len(set(found)) > 1
            if all(w is None or w == t for w, t in zip(asked, found)) and all(
                    w is not None or not free or fits(*x) for w, *x in zip(asked, ranks, weak, arrays, found)):
                return found
        raise _not_supported(self._name) if types is None else _no_loop(self._name)

    def _finish(self, result, out, mask, casting="same_kind", always_array=False):
        if out is None:
            if always_array:
                return asarray(result)
            return C.as_scalar(result) if isinstance(result, ndarray) and result.ndim == 0 else result
        target = asarray(out)
        self._check_output_cast(result, target, casting)
        if result.ndim > target.ndim or any(n not in (1, m) for n, m in zip(result.shape[::-1], target.shape[::-1])):
            raise ValueError(f"non-broadcastable output operand with shape {_text(target.shape)} doesn't match the broadcast shape "
                             f"{_text(result.shape)}")
        C.store(target, result if result.dtype == target.dtype else C.astype(result, target.dtype), mask)
        return out

    def __repr__(self):
        return f"<ufunc '{self._name}'>"

    def __reduce__(self):
        return named, (self._name,)

    def _loop_dtypes(self, *inputs):
        results = self._function(*inputs)
        results = results if isinstance(results, tuple) else (results,)
        made = self._cast(inputs, [None] * self.nin + [r.dtype for r in results], "unsafe")
        return tuple(x.dtype for x in made) + tuple(r.dtype for r in results)


def _broadcast(shapes):
    made = [1] * max(map(len, shapes))
    for shape in shapes:
        for axis, n in enumerate(shape, len(made) - len(shape)):
            if n != 1 and made[axis] not in (1, n):
                raise ValueError(f"operands could not be broadcast together with shapes {' '.join(map(_text, shapes))} ")
            made[axis] = made[axis] if n == 1 else n
    return tuple(made)


def _text(shape):
    return "(" + ",".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


class gufunc(composite):  # a function of vectors and matrices in the last axes, or, by axes= and axis=, in any
    __doc__ = vars(composite)["__doc__"]

    def __init__(self, function, core):
        types = [f"{c}{c}->{c}" for c in "?bBhHiIlLefdFD"]
        super().__init__(function, 2, 1, types, core)
        self._cores = [tuple(found.split(",")) if found else () for found in re.findall(r"\((.*?)\)", core)]
        self._least = [sum(not n.endswith("?") for n in axes) for axes in self._cores]

    def _call(self, *args, **options):
        if options or len(args) != 2:
            return self._with_options(args, **options)
        a, b = args
        if type(a) is not C.ndarray or type(b) is not C.ndarray:
            for x, other in ((a, b), (b, a)):
                if C.is_weak(x):
                    self._check_literal(x, asarray(other))
            a, b = asarray(a), asarray(b)
        made = self._compute(a, b)
        return C.as_scalar(made) if made.ndim == 0 else made

    @staticmethod
    def _check_literal(number, other):
        """OverflowError for a number that the other operand's dtype does not hold: NumPy looks at it before the axes."""
        by_name["add"](number, C.full((0,), 0, other.dtype))

    def _compute(self, a, b):
        """The function of operands whose core axes are last. Lengths are looked at where they don't fit only, as they may depend on data."""
        least = self._least
        if a.ndim < least[0] or b.ndim < least[1] or (least[2] == 0 and not self._cores[2] and a.shape[-1] != b.shape[-1]):
            self._check(a, b)
        try:
            return self._function(a, b)
        except ValueError:
            self._check(a, b)
            raise

    def _with_options(self, args, out=None, axes=_NOT_GIVEN, axis=_NOT_GIVEN, keepdims=False, casting="same_kind", order="K", dtype=None,
                      subok=True, signature=None, sig=None, **unknown):
        inputs, (target,), always_array = self._operands(args, out, unknown)
        types = self._wanted(dtype, signature, sig)
        if types is not None or casting != "same_kind":
            inputs = self._cast(inputs, types, casting)
        a, b = map(asarray, inputs)
        places = self._places(a, b, axes, axis, keepdims)
        if places is not None:
            a, b = (C.moveaxis(x, at, tuple(range(-len(at), 0))) for x, at in zip((a, b), places))
        made = self._compute(a, b)
        if keepdims:
            made = C.expand_dims(made, -1)
        if places is not None and places[2]:
            at = tuple(self._axis(i, made.ndim) for i in places[2])
            made = C.moveaxis(made, tuple(range(-len(at), 0)), at)
        if target is not None:
            to = asarray(target)
            self._check_out(made, to, len(self._sizes(a, b)[2]) + keepdims)
            while made.ndim > to.ndim and made.shape[0] == 1:  # axes of the loop that the output need not have
                made = made[0]
        if order_of(order) == "F" and target is None and made.ndim > 1:
            made = C.copy_in_order(made, None, "F", made)
        return self._finish(made, target, None, casting, always_array)

    def _sizes(self, a, b):
        """The core axes of the operands; those marked ? that an operand has not got are left out."""
        left, right, result = ([n for n in core] for core in self._cores)
        for x, core in ((a, left), (b, right)):
            if x.ndim == 1:
                for name in [n for n in core if n.endswith("?")]:
                    core.remove(name)
                    result.remove(name)
        return left, right, result

    def _check(self, a, b):
        cores = self._sizes(a, b)
        sizes = {}
        for i, (x, core) in enumerate(zip((a, b), cores)):
            if x.ndim < len(core):
                raise ValueError(f"{self._name}: Input operand {i} does not have enough dimensions (has {x.ndim}, gufunc core with "
                                 f"signature {self._core} requires {len([n for n in self._cores[i] if not n.endswith('?')])})")
            for k, (name, n) in enumerate(zip(core, x.shape[x.ndim - len(core):])):
                if sizes.setdefault(name, n) != n:
                    place = self._cores[i].index(name)
                    raise ValueError(f"{self._name}: Input operand {i} has a mismatch in its core dimension {place}, with gufunc "
                                     f"signature {self._core} (size {n} is different from {sizes[name]})")
        self._join(*(x.shape[:x.ndim - len(core)] for x, core in zip((a, b), cores)), a.shape, b.shape)

    def _join(self, left, right, *shapes):
        """The loop's shape."""
        for n, m in zip(left[::-1], right[::-1]):
            if n != m and 1 not in (n, m):
                told = " ".join(f"{_text(s)}->{_text(r)}" for s, r in zip(shapes, (left, right)))
                raise ValueError(f"operands could not be broadcast together with remapped shapes [original->remapped]: {told}")

    def _check_out(self, made, target, core):
        for k in range(1, core + 1):
            if target.ndim < core or target.shape[-k] != made.shape[-k]:
                if target.ndim < core:
                    raise ValueError(f"{self._name}: Output operand 0 does not have enough dimensions (has {target.ndim}, gufunc core "
                                     f"with signature {self._core} requires {core})")
                raise ValueError(f"{self._name}: Output operand 0 has a mismatch in its core dimension {core - k}, with gufunc signature "
                                 f"{self._core} (size {target.shape[-k]} is different from {made.shape[-k]})")

    @staticmethod
    def _axis(i, ndim):
        if not -ndim <= i < ndim:
            raise C.AxisError(f"axis {i} is out of bounds for array of dimension {ndim}")
        return i % ndim

    def _places(self, a, b, axes, axis, keepdims):
        """Where the core axes are, per operand; None: last."""
        if not isinstance(keepdims, bool):
            raise TypeError("'keepdims' must be a boolean")
        reduces = not self._cores[2] and len(self._cores[0]) == len(self._cores[1]) == 1
        if keepdims and not reduces:
            raise TypeError(f"{self._name} does not support keepdims: its signature {self._core} requires "
                            + (f"output 0 to have {len(self._cores[2])} core dimensions" if self._cores[2] else
                               f"inputs to have {len(self._cores[0])} core dimensions")
                            + ", but keepdims can only be used when all inputs have the same number of core dimensions and all "
                            "outputs have no core dimensions.")
        if axis is not _NOT_GIVEN and axes is not _NOT_GIVEN:
            raise TypeError("cannot specify both 'axis' and 'axes'")
        left, right, result = self._sizes(a, b)
        kept = 1 if keepdims else len(result)
        if axis is not _NOT_GIVEN and axis is not None:
            if not reduces:
                raise TypeError(f"{self._name}: axis can only be used with a single shared core dimension, not with the "
                                f"{len({n for core in self._cores for n in core})} distinct ones implied by signature {self._core}.")
            at = (operator.index(axis),)
            places = [at, at, at if keepdims else ()]
        elif axes is _NOT_GIVEN or axes is None:
            return None
        else:
            if not isinstance(axes, list):
                raise TypeError("axes should be a list.")
            if len(axes) != 3 and not (len(axes) == 2 and not self._cores[2]):
                raise ValueError("axes should be a list with an entry for all 3 inputs and outputs; entries for outputs can only be "
                                 "omitted if none of them has core axes.")
            places = [self._entry(i, entry, n) for i, (entry, n) in enumerate(zip(axes, (len(left), len(right), kept)))]
            if len(places) == 2:
                places.append((-1,) if keepdims else ())
        for x, at in zip((a, b), places):
            for i in at:
                self._axis(i, x.ndim)
        return places

    def _entry(self, i, entry, count):
        if not isinstance(entry, tuple):
            try:
                entry = (operator.index(entry),)
            except TypeError:
                raise TypeError(f"axes item {i} should be a tuple.") from None
            if count != 1:
                raise C.AxisError(f"{self._name}: operand {i} has {count} core dimensions, but the axes item is a single integer.")
        if len(entry) != count:
            raise C.AxisError(f"{self._name}: operand {i} has {count} core dimensions, but {len(entry)} dimensions are specified by axes tuple.")
        return tuple(operator.index(n) for n in entry)


def _not_supported(name):
    return TypeError(f"ufunc '{name}' not supported for the input types, and the inputs could not be safely coerced to any "
                     "supported types according to the casting rule ''safe''")


def divmod_(x1, x2):
    """Quotient and remainder, as floor_divide and remainder."""
    if any(asarray(x).dtype.kind == "c" for x in (x1, x2) if isinstance(x, (ndarray, complex))):
        raise _not_supported("divmod")
    return by_name["floor_divide"](x1, x2), by_name["remainder"](x1, x2)


def modf(x):
    """Fractional and integral part, both with the sign of the argument."""
    return C.modf(x)


def frexp(x):
    """Mantissa in [0.5, 1) and exponent of two."""
    return C.frexp(x)


def ldexp(x1, x2):
    """x1 * 2**x2."""
    return C.ldexp(x1, x2)


def spacing(x):
    """Distance to the next number away from zero."""
    return C.spacing(x)


def vecdot(x1, x2):
    """Dot products of vectors along an axis, the first conjugated."""
    product = by_name["conjugate"](x1) * x2 if x1.dtype.kind == "c" else x1 * x2
    return C.reduce(*(("any", product, -1, None) if product.dtype.kind == "b" else ("sum", product, -1, product.dtype)), None, False, None, None)


def matvec(x1, x2):
    """Products of matrices and vectors."""
    return C.squeeze(C.matmul(x1, C.expand_dims(x2, -1)), -1)


def vecmat(x1, x2):
    """Products of vectors, conjugated, and matrices."""
    x1 = by_name["conjugate"](x1) if x1.dtype.kind == "c" else x1
    return C.squeeze(C.matmul(C.expand_dims(x1, -2), x2), -2)


def matmul(x1, x2):
    """Matrix product over the last two axes."""
    return C.matmul(x1, x2)


_SAME = [f"{c}{c}->{c}{c}" for c in "bBhHiIlLefd"]
COMPOSITES = {made.__name__: made for made in (
    composite(divmod_, 2, 2, _SAME),
    composite(modf, 1, 2, ["e->ee", "f->ff", "d->dd"]),
    composite(frexp, 1, 2, ["e->ei", "f->fi", "d->di"]),
    composite(ldexp, 2, 1, ["ei->e", "fi->f", "el->e", "fl->f", "di->d", "dl->d"]),
    composite(spacing, 1, 1, ["e->e", "f->f", "d->d"]),
    gufunc(matmul, "(n?,k),(k,m?)->(n?,m?)"),
    gufunc(vecdot, "(n),(n)->()"),
    gufunc(matvec, "(m,n),(n)->(m)"),
    gufunc(vecmat, "(n),(n,m)->(m)"),
)}
matmul, vecdot, matvec, vecmat = (COMPOSITES[name] for name in ("matmul", "vecdot", "matvec", "vecmat"))

# The functions of NumPy's namespace that come from the table, aliases included.
NAMES = {**by_name, **{alias: by_name[target] for alias, target in aliases.items()}, **COMPOSITES}


def named(name):
    """The ufunc of a name: how ufuncs are pickled."""
    return NAMES[name] if name in NAMES else C.special_ufuncs[name] if name in C.special_ufuncs else C.ufuncs[name]
