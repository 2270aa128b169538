"""Products of vectors and matrices, polynomials, windows."""
import functools
import math
import operator
import re

from . import _core as C
from ._creation import asarray
from ._composites import matmul, matvec, vecdot, vecmat  # noqa: F401
from ._ufuncs import _axis, by_name
from ._order import order_of
from ._quick import quick


def _store(result, out, casting="same_kind"):
    if out is None:
        return result
    if not isinstance(out[0] if isinstance(out, tuple) else out, C.array_base) and not hasattr(out, "__array_interface__"):
        raise TypeError("return arrays must be of ArrayType")
    target = asarray(out[0] if isinstance(out, tuple) else out)
    if target.shape != result.shape:
        raise ValueError(f"output array has the wrong shape: got {target.shape}, expected {result.shape}")
    if not C.can_cast(result.dtype, target.dtype, casting):
        raise TypeError(f"Cannot cast output from {result.dtype!r} to {target.dtype!r} with casting rule '{casting}'")
    if casting == "unsafe":
        result = C.astype(result, target.dtype)
    C.store(target, result, None)
    return out[0] if isinstance(out, tuple) else out


def dot(a, b, out=None):
    """Dot product of vectors, matrix product, or sum over the last and the second last axis."""
    made = C.dot(asarray(a), asarray(b))
    if out is None:
        return made
    if not isinstance(out, C.ndarray):
        raise TypeError("'out' must be an array")
    if out.dtype != made.dtype or out.ndim != made.ndim or not out._c_contiguous:
        raise ValueError("output array is not acceptable (must have the right datatype, number of dimensions, and be a C-Array)")
    if out.shape != made.shape:
        raise ValueError("output array has wrong dimensions")
    return _store(made, out)


@quick("vdot")
def vdot(a, b, /):
    """Sum of products of the flattened arrays, the first conjugated."""
    a, b = asarray(a), asarray(b)
    if a.size != b.size:
        raise ValueError(f"cannot reshape array of size {b.size} into shape ({a.size},)")
    return C.vdot(a, b)


def inner(a, b, /):
    """Sum of products over the last axes."""
    return C.inner(asarray(a), asarray(b))


def outer(a, b, out=None):
    """All products of the flattened arrays."""
    return _store(C.outer(asarray(a), asarray(b)), out)


def tensordot(a, b, axes=2):
    """Sum of products over pairs of axes."""
    a, b = asarray(a), asarray(b)
    if hasattr(axes, "__len__") or hasattr(axes, "__iter__"):
        first, second = axes
    else:
        axes = operator.index(axes)
        first, second = range(-axes, 0), range(axes)
    first = [first] if not hasattr(first, "__iter__") else list(first)
    second = [second] if not hasattr(second, "__iter__") else list(second)
    if len(first) != len(second) or any(a.shape[i] != b.shape[k] for i, k in zip(first, second)):
        raise ValueError("shape-mismatch for sum")
    first, second = [_axis(i, a.ndim) for i in first], [_axis(i, b.ndim) for i in second]
    return asarray(C.tensordot(a, b, first, second))


def kron(a, b):
    """Kronecker product."""
    a, b = asarray(a), asarray(b)
    n = max(a.ndim, b.ndim)
    if n == 0:
        return by_name["multiply"](a, b)
    x, y = C.reshape(a, (1,) * (n - a.ndim) + a.shape), C.reshape(b, (1,) * (n - b.ndim) + b.shape)
    wide = C.reshape(x, tuple(k for m in x.shape for k in (m, 1))) * C.reshape(y, tuple(k for m in y.shape for k in (1, m)))
    return asarray(C.reshape(wide, tuple(i * k for i, k in zip(x.shape, y.shape))))


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """Vector product of vectors of three elements."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = asarray(a), asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError("At least one array has zero dimension")
    a, b = C.moveaxis(a, axisa, -1), C.moveaxis(b, axisb, -1)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")

    def part(v, i):
        return v[..., i] if i < v.shape[-1] else C.full(v.shape[:-1], 0, v.dtype)
    a0, a1, a2 = (part(a, i) for i in range(3))
    b0, b1, b2 = (part(b, i) for i in range(3))
    if a.shape[-1] == b.shape[-1] == 2:
        return asarray(a0 * b1 - a1 * b0)
    parts = [a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0]
    made = C.concatenate([C.expand_dims(asarray(p), -1) for p in parts], -1, None, None)
    made = made if made._c_contiguous else C.copy(made)
    return C.moveaxis(made, -1, axisc) if made.ndim > 1 else made


def _expand_subscripts(subscripts, operands):
    """Subscripts with letters in place of '...', and views of the diagonals of repeated letters."""
    text = subscripts.replace(" ", "")
    inputs, arrow, output = text.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(operands):
        raise ValueError("fewer operands provided to einstein sum function than specified in the subscripts string"  # as NumPy counts
                         if len(terms) < len(operands) else
                         "more operands provided to einstein sum function than specified in the subscripts string")
    free = [c for c in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in text]
    longest, expanded = 0, []
    for t, a in zip(terms, operands):
        if "..." in t:
            longest = max(longest, a.ndim - len(t.replace("...", "")))
    letters = free[:longest]
    for t, a in zip(terms, operands):
        if "..." in t:
            n = a.ndim - len(t.replace("...", ""))
            if n < 0:
                raise ValueError("einstein sum subscripts string contains too many subscripts for operand")
            t = t.replace("...", "".join(letters[longest - n:]))
        expanded.append(t)
    if arrow:
        output = output.replace("...", "".join(letters))
    else:
        joined = "".join(expanded)
        output = "".join(letters) + "".join(sorted(c for c in set(joined) if joined.count(c) == 1 and c not in letters))
    return expanded, output


def einsum(*operands, out=None, optimize=False, dtype=None, order="K", casting="safe"):
    """Sum of products by subscripts."""
    if casting != "safe":
        C.can_cast(C.float64, C.float64, casting)  # refuses what is no rule
    if out is not None and not isinstance(out, C.array_base) and not hasattr(out, "__array_interface__"):
        raise TypeError("keyword parameter out must be an array for einsum")
    if not operands:
        raise ValueError("must specify the einstein sum subscripts string and at least one operand, or at least one operand "
                         "and its corresponding subscripts list")
    if not isinstance(operands[0], str):
        operands = _interleaved(operands)
    elif out is None and dtype is None and optimize is False and order == "K" and _is_plain(operands[0]) and all(type(a) is C.ndarray for a in operands[1:]):
        try:
            return C.einsum(operands[0], operands[1:])
        except ValueError:
            pass  # lengths of 1 that repeat, and NumPy's words for errors
    given = arrays = [asarray(a) for a in operands[1:]]
    wanted = dtype if dtype is not None else asarray(out).dtype if out is not None and casting == "unsafe" else None
    if wanted is not None:
        for i, a in enumerate(arrays):
            if not C.can_cast(a.dtype, wanted, casting):
                raise TypeError(f"Iterator operand {i} dtype could not be cast from {a.dtype!r} to {C.dtype(wanted)!r} according to "
                                f"the rule '{casting}'")
        arrays = [a.astype(wanted, copy=False) for a in arrays]
    order = order_of(order)
    falls = order == "F" or (order == "A" and all(a._f_contiguous and not a._c_contiguous for a in arrays))
    _check_subscripts(operands[0])
    if not arrays:
        raise ValueError("must specify the einstein sum subscripts string and at least one operand")
    terms, output = _expand_subscripts(operands[0], arrays)
    if wanted is not None and len(arrays) == 1 and out is None and sorted(set(terms[0])) == sorted(output):
        arrays = given  # nothing is summed: a view, whatever dtype says
    for i, (t, a) in enumerate(zip(terms, arrays)):
        if len(t) != a.ndim:
            raise ValueError("operand has more dimensions than subscripts given in einstein sum, but no '...' ellipsis "
                             "provided to broadcast the extra dimensions." if len(t) < a.ndim else
                             "einstein sum subscripts string contains too many subscripts for operand " + str(i))
    known = {}
    for t, a in zip(terms, arrays):
        for c, n in zip(t, a.shape):
            if known.get(c, 1) not in (1, n) and n != 1:
                raise ValueError(f"operands could not be broadcast together: subscript '{c}' has lengths {known[c]} and {n}")
            known[c] = max(known.get(c, 1), n) if n != 0 and known.get(c, 1) != 0 else 0
    for c in output:
        if c not in known:
            raise ValueError(f"einstein sum subscripts string included output subscript '{c}' which never appeared in an input")
        if output.count(c) > 1:
            raise ValueError(f"einstein sum subscripts string includes output subscript '{c}' multiple times")
    # Repeated letters are diagonals; axes of length 1 against longer ones are repeated.
    for i, (t, a) in enumerate(zip(terms, arrays)):
        for c in sorted(set(t)):
            while t.count(c) > 1:
                x = t.index(c)
                y = t.index(c, x + 1)
                if a.shape[x] != a.shape[y]:
                    raise ValueError(f"dimensions in operand {i} for collapsing index '{c}' don't match ({a.shape[x]} != "
                                     f"{a.shape[y]})")
                a = _diagonal_view(a, x, y)
                t = t[:x] + t[x + 1:y] + t[y + 1:] + c
        shape = tuple(known[c] for c in t)
        terms[i], arrays[i] = t, a if a.shape == shape else C.broadcast_to(a, shape)
    if len(arrays) == 1 and out is None and sorted(terms[0]) == sorted(output):  # nothing is summed: a view
        return C.transpose(arrays[0], [terms[0].index(c) for c in output]) if output else arrays[0][()]
    if len(arrays) > 2 and optimize is not False:
        made = _contract(terms, output, arrays, einsum_path(",".join(terms) + "->" + output, *arrays, optimize=optimize)[0][1:])
    else:
        made = C.einsum(",".join(terms) + "->" + output, arrays)
    return C.copy_in_order(made, None, "F", made) if falls and out is None else _store(made, out, casting)


@functools.lru_cache(256)
def _is_plain(subscripts):
    """At least two operands, no '...', no letter twice in a term, an order that casts nothing: what the core takes as it is."""
    terms = subscripts.partition("->")[0].split(",")
    return len(terms) > 1 and subscripts.replace("->", "").replace(",", "").isalpha() and all(len(set(t)) == len(t) for t in terms)


def _diagonal_view(a, x, y):
    """The diagonal of two axes as the last axis; writeable where the array is at hand."""
    if a._is_lazy:
        return C.diagonal(a, 0, x, y)
    rest = [i for i in range(a.ndim) if i not in (x, y)]
    return C._as_strided(a, [a.shape[i] for i in rest] + [a.shape[x]], [a.strides[i] for i in rest] + [a.strides[x] + a.strides[y]], a._writeable)


def _contract(terms, output, arrays, path):
    """Sums of products in the order of a path."""
    terms, arrays = list(terms), list(arrays)
    for step in path:
        picked = sorted(step, reverse=True)
        used, operands = [terms.pop(i) for i in picked], [arrays.pop(i) for i in picked]
        left = set("".join(terms)) | set(output)
        kept = output if not terms else "".join(sorted(set("".join(used)) & left))
        arrays.append(asarray(C.einsum(",".join(used) + "->" + kept, operands)))
        terms.append(kept)
    return C.as_scalar(arrays[0]) if arrays[0].ndim == 0 else arrays[0]


def _labels(labels):
    """A list of subscripts as text: 0 to 25 are capitals, 26 to 51 small letters, so that their order is that of the numbers."""
    try:
        labels = list(labels)
    except TypeError:
        raise TypeError("the subscripts for each operand must be a list or a tuple") from None
    if sum(i is Ellipsis for i in labels) > 1:
        raise ValueError("each subscripts list may have only one ellipsis")
    text = ""
    for i in labels:
        if i is not Ellipsis and not hasattr(i, "__index__"):
            raise TypeError("each subscript must be either an integer or an ellipsis")
        if i is not Ellipsis and not 0 <= operator.index(i) < 52:
            raise ValueError("subscript is not within the valid range [0, 52)")
        text += "..." if i is Ellipsis else chr(65 + i) if i < 26 else chr(71 + i)
    return text


def _interleaved(operands):
    if len(operands) < 2:
        raise ValueError("must provide at least an operand and a subscripts list to einsum")
    operands = list(operands)
    output = operands.pop() if len(operands) % 2 else None
    text = ",".join([_labels(labels) for labels in operands[1::2]])
    return [text + ("" if output is None else "->" + _labels(output)), *operands[0::2]]


def _check_subscripts(text):
    """Letters, commas, one '->', and at most one '...' a term: in NumPy's words."""
    inputs, arrow, output = text.replace(" ", "").partition("->")
    places = [(f"operand {i}", t) for i, t in enumerate(inputs.split(","))] + ([("the output", output)] if arrow else [])
    for place, term in places:
        rest = term.replace("...", "", 1)
        if "." in rest:
            raise ValueError(f"einstein sum subscripts string contains a '.' that is not part of an ellipsis ('...') in {place}")
        if "-" in rest and place != "the output":
            raise ValueError("einstein sum subscript string does not contain proper '->' output specified")
        for c in rest:
            if not (c.isascii() and c.isalpha()):
                raise ValueError(f"invalid subscript '{c}' in einstein sum subscripts string, subscripts must be letters")


def einsum_path(*operands, optimize="greedy", einsum_call=False):
    """The order of contraction that costs least, as NumPy finds it, and a table of it. Only shapes are looked at."""
    import numpy
    stand_ins = [numpy.broadcast_to(numpy.zeros((), asarray(a).dtype.__numpy_dtype__), asarray(a).shape)
                 if not isinstance(a, (str, list, tuple)) or (isinstance(a, (list, tuple)) and operands and isinstance(operands[0], str)) else a
                 for a in operands]
    return numpy.einsum_path(*stand_ins, optimize=optimize)


@quick("convolve")
def convolve(a, v, mode="full"):
    """Discrete convolution of two vectors."""
    a, v = (C.reshape(x, 1) if x.ndim == 0 else x for x in map(asarray, (a, v)))
    return C.convolve(a, v, _mode(mode))


def _mode(mode):
    """By its name, for which NumPy also takes 0, 1 and 2."""
    if isinstance(mode, str):
        return mode
    if not isinstance(mode, int):
        raise TypeError("convolve/correlate mode not understood")
    if not 0 <= mode <= 2:
        raise ValueError("integer convolve/correlate mode must be 0, 1, or 2")
    return ("valid", "same", "full")[mode]


def correlate(a, v, mode="valid"):
    """Cross-correlation of two vectors, the second conjugated."""
    a, v = asarray(a), asarray(v)
    if a.ndim != 1 or v.ndim != 1:
        odd = a if a.ndim != 1 else v
        raise ValueError(f"object {'too deep' if odd.ndim else 'of too small depth'} for desired array")
    return C.correlate(a, v, _mode(mode))
