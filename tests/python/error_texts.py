"""Texts of errors against NumPy's: the operation in brackets, then NumPy's words, then what numjit adds.

OTHERWISE lists the texts that numjit has its own words for, each with the reason.
"""
import re

SHAPES = r"broadcast|axis remapping|shape mismatch|do not match"
# (NumPy's text, numjit's, why they differ): patterns that are searched for.
OTHERWISE = [
    (r"ufunc '?(deg2rad|rad2deg)\b", r"ufunc '?(radians|degrees)\b", "an alias: the function itself is named"),
    (r"reduction operation f(min|max)\b", r"reduction operation (minimum|maximum)\b", "nanmin and nanmax reduce by minimum and maximum"),
    (SHAPES, SHAPES, "NumPy has several words for shapes that do not fit, by the order in which it looks at inputs, out= and where="),
    (r"Cannot cast ufunc '\w+' input", r"Cannot cast ufunc '\w+' input", "which of several inputs that cannot be cast is named"),
    (r"requires a reduction along dimension", r"to out= of shape", "numjit tells both shapes"),
    (r"list assignment index|tuple index|list index", r"axis", "a fault of NumPy's: numjit names the axis"),
    (r"did not contain a loop with signature", r"did not contain a loop with signature", "loops are named by all their inputs"),
    (r"of dimension 1$", r"of dimension 0$", "arrays without axes count as such, not as vectors of one element"),
    (r"into shape \(.*newaxis", r"into shape", "the extent that was left open is not printed for order='F'"),
    (r"index -?\d+ is out of bounds for (axis 0 with )?size", r"index -?\d+ is out of bounds for axis \d+ with size", "insert() names the index and the size as given"),
    (r"cannot replace elements of an empty array", r"index -?\d+ is out of bounds", "put() names the index"),
    (r"unsupported operand type|must be real number|can't multiply sequence", r"", "Python's own words, by the types' names"),
]
# Calls with two faults, either of which may be found first: what the texts are about.
TOPICS = {
    "cast": r"[Cc]annot cast|No loop matching|not supported for the input types|did not contain a loop|out of bounds for u?int",
    "identity": r"no identity|not have an identity",
    "shape": r"broadcast|dimension|not aligned|mismatch|same shape|reshape|do not match|remapping",
    "index": r"index -?\d+ is out of bounds|indices",
    "axis": r"axis",
    "empty": r"empty",
    "value": r"must be|division|[Nn]egative",
}


def topic(text):
    """What an error is about."""
    return next((name for name, pattern in TOPICS.items() if re.search(pattern, text)), "")


def plain(error):
    """The text without what differs for good: the operation in brackets, the name of the module, that of an argument
    before an axis, the casting rule where the default's refuses as well, scalars as a kind of array."""
    text = re.sub(r"^\[[\w.]+\] ", "", str(error)).strip().replace("numjit.", "numpy.")
    text = re.sub(r"^\w+: (?=axis )", "", text)
    text = re.sub(r"with casting rule '\w+'", "with that casting rule", text)
    return text.replace("Cannot cast scalar from", "Cannot cast array data from")


def text_difference(got, expected):
    """What differs between the texts of two errors of one class; empty if ours begins with NumPy's words."""
    ours, theirs = plain(got), plain(expected)
    if ours.startswith(theirs.rstrip(".")):
        return ""
    if any(re.search(n, theirs) and re.search(o, ours) for n, o, _ in OTHERWISE) or len({topic(ours), topic(theirs)} - {""}) == 2:
        return ""
    return f"text: {ours}; expected {theirs}"
