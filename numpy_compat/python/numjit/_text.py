"""Text of arrays and tables in text files. What the core has no options for is NumPy's own code, on the same memory."""
import contextlib

from . import _core as C
from ._creation import asarray

# Options of printing that the core has; the others make str() and repr() NumPy's.
_OWN = ("precision", "threshold", "edgeitems", "linewidth", "suppress", "nanstr", "infstr")
_DEFAULTS = {"sign": "-", "formatter": None, "floatmode": "maxprec", "legacy": False, "override_repr": None}
_others = dict(_DEFAULTS)


def _numpy():
    """NumPy, which has formats that the core has not."""
    try:
        import numpy
    except ImportError as e:
        raise ImportError("this option of printing or of text files needs NumPy: pip install numpy") from e
    return numpy


def _theirs(a):
    made = a.__array__()
    return made[()] if a._is_scalar else made


def array2string(a, max_line_width=None, precision=None, suppress_small=None, separator=" ", prefix="", *, formatter=None,
                 threshold=None, edgeitems=None, sign=None, floatmode=None, suffix="", legacy=None):
    """Text of an array, without 'array(...)'."""
    a = asarray(a)
    given = {"linewidth": max_line_width, "precision": precision, "suppress": suppress_small, "threshold": threshold,
             "edgeitems": edgeitems}
    if separator == " " and not prefix and not suffix and (formatter, sign, floatmode, legacy) == (None,) * 4 and _others == _DEFAULTS:
        return C.array2string(a, {k: v for k, v in given.items() if v is not None})
    with _numpy().printoptions(**_numpys_options()):
        return _numpy().array2string(_theirs(a), max_line_width, precision, suppress_small, separator, prefix, formatter=formatter,
                                     threshold=threshold, edgeitems=edgeitems, sign=sign, floatmode=floatmode, suffix=suffix, legacy=legacy)


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """Text of an array as str() gives it."""
    if _others != _DEFAULTS or not isinstance(a, C.array_base):
        with _numpy().printoptions(**_numpys_options()):
            return _numpy().array_str(_theirs(a) if isinstance(a, C.array_base) else a, max_line_width, precision, suppress_small)
    return array2string(a, max_line_width, precision, suppress_small)


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """Text of an array as repr() gives it."""
    given = {k: v for k, v in (("linewidth", max_line_width), ("precision", precision), ("suppress", suppress_small)) if v is not None}
    with printoptions(**given):
        return repr(asarray(arr))


def get_printoptions():
    """Print options in force."""
    now = {**C.get_printoptions(), **_others}
    order = ("edgeitems", "threshold", "floatmode", "precision", "suppress", "linewidth", "nanstr", "infstr", "sign", "formatter",
             "legacy", "override_repr")
    return {k: now[k] for k in order}


def _numpys_options():
    return {k: v for k, v in get_printoptions().items() if k != "override_repr"} | {"override_repr": None}


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, suppress=None, nanstr=None, infstr=None,
                     formatter=None, sign=None, floatmode=None, *, legacy=None, override_repr=None):
    """Sets print options."""
    numpy_words = {k: v for k, v in (("sign", sign), ("floatmode", floatmode), ("legacy", legacy)) if v is not None}
    if numpy_words or threshold is not None or precision is not None:
        with _numpy().printoptions(threshold=threshold, precision=precision, **numpy_words):
            pass  # its errors for values that are none
    now = C.get_printoptions()
    given = (precision, threshold, edgeitems, linewidth, suppress, nanstr, infstr)
    now.update({k: v for k, v in zip(_OWN, given) if v is not None})
    now["threshold"] = int(min(now["threshold"], 2 ** 31 - 1))
    C.set_printoptions(*(now[k] for k in _OWN))
    _others.update(numpy_words, formatter=formatter, override_repr=override_repr)
    _choose_text()


# str() and repr() while an option is set that only NumPy has.

def _str(self):
    with _numpy().printoptions(**_numpys_options()):
        return str(_theirs(self))


def _repr(self):
    if _others["override_repr"] is not None and not self._is_scalar:
        return _others["override_repr"](self)
    with _numpy().printoptions(**_numpys_options()):
        return repr(_theirs(self))


_plain_text = C.array_base.__str__, C.array_base.__repr__


def _choose_text():
    C.array_base.__str__, C.array_base.__repr__ = _plain_text if _others == _DEFAULTS else (_str, _repr)


@contextlib.contextmanager
def printoptions(*args, **kwargs):
    """A context with other print options."""
    before = get_printoptions()
    try:
        set_printoptions(*args, **kwargs)
        yield get_printoptions()
    finally:
        _others.update(_DEFAULTS)
        set_printoptions(**before)


def format_float_positional(x, precision=None, unique=True, fractional=True, trim="k", sign=False, pad_left=None, pad_right=None,
                            min_digits=None):
    """A number as decimal text without an exponent."""
    x = _theirs(x) if isinstance(x, C.array_base) else x
    return _numpy().format_float_positional(x, precision, unique, fractional, trim, sign, pad_left, pad_right, min_digits)


def format_float_scientific(x, precision=None, unique=True, trim="k", sign=False, pad_left=None, exp_digits=None, min_digits=None):
    """A number as decimal text with an exponent."""
    x = _theirs(x) if isinstance(x, C.array_base) else x
    return _numpy().format_float_scientific(x, precision, unique, trim, sign, pad_left, exp_digits, min_digits)


# ---- tables in text files ----

def _their_dtype(dtype):
    try:
        return C.dtype(dtype).__numpy_dtype__
    except TypeError as e:
        if "left out" in str(e):
            raise
        return dtype


def savetxt(fname, X, fmt="%.18e", delimiter=" ", newline="\n", header="", footer="", comments="# ", encoding=None):
    """Writes a 1-D or 2-D array as text."""
    _numpy().savetxt(fname, asarray(X).__array__(), fmt, delimiter, newline, header, footer, comments, encoding)


def _read(function, *args, unpack, **options):
    """A table read by NumPy as ours; unpacked, a tuple's worth of columns."""
    made = function(*args, unpack=unpack, **options)
    return [asarray(m) for m in made] if isinstance(made, list) else asarray(made)


def loadtxt(fname, dtype=float, comments="#", delimiter=None, converters=None, skiprows=0, usecols=None, unpack=False, ndmin=0,
            encoding=None, max_rows=None, *, quotechar=None, like=None):
    """Reads rows of numbers."""
    return _read(_numpy().loadtxt, fname, _their_dtype(dtype), comments, delimiter, converters, skiprows, usecols, unpack=unpack,
                 ndmin=ndmin, encoding=encoding, max_rows=max_rows, quotechar=quotechar)


def genfromtxt(fname, dtype=float, comments="#", delimiter=None, skip_header=0, skip_footer=0, converters=None, missing_values=None,
               filling_values=None, usecols=None, names=None, excludelist=None, deletechars="".join(sorted(" !#$%&'()*+,-./:;<=>?@[\\]^{|}~")),
               replace_space="_", autostrip=False, case_sensitive=True, defaultfmt="f%i", unpack=None, usemask=False, loose=True,
               invalid_raise=True, max_rows=None, encoding=None, *, ndmin=0, like=None):
    """Reads a table of numbers that may have holes."""
    if usemask or names is not None:
        raise NotImplementedError("genfromtxt: masked arrays and named columns are left out: got usemask or names, expected neither.")
    return _read(_numpy().genfromtxt, fname, None if dtype is None else _their_dtype(dtype), comments, delimiter, skip_header, skip_footer, converters, missing_values, filling_values,
                 usecols, names, excludelist, deletechars, replace_space, autostrip, case_sensitive, defaultfmt, unpack=unpack, loose=loose,
                 invalid_raise=invalid_raise, max_rows=max_rows, encoding=encoding, ndmin=ndmin)


