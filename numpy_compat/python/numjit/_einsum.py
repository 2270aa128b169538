"""Sums of products by subscripts."""
import functools
import operator

from . import _core as C
from ._creation import asarray
from ._order import order_of


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
