"""Text of arrays and tables in text files. What the core has no options for is NumPy's own code, on the same memory."""
import contextlib
import contextvars
import inspect

from . import _core as C
from ._creation import asarray

# Options of printing that the core has; the others make str() and repr() NumPy's.
_OWN = ("precision", "threshold", "edgeitems", "linewidth", "suppress", "nanstr", "infstr")
_DEFAULTS = {"sign": "-", "formatter": None, "floatmode": "maxprec", "legacy": False, "override_repr": None}


class _Given:
    """What one printoptions, or the set_printoptions within one, gave."""

    def __init__(self, options, within=None):
        self.options, self.within, self.over = options, within, False


class _Scope(_Given):
    """What a printoptions gave."""


_given = contextvars.ContextVar("numjit_printoptions", default=None)  # a tuple of _Given, the innermost last; None: none


def _open():
    return tuple(g for g in _given.get() or () if not (g.over or g.within and g.within.over))


def _others():
    """The options that only NumPy has, as they are now."""
    now = dict(_DEFAULTS)
    for g in _open():
        now.update((k, v) for k, v in g.options.items() if k in _DEFAULTS)
    return now


def _numpy():
    """NumPy, which has formats that the core has not."""
    try:
        import numpy
    except ImportError as e:
        raise ImportError("this option of printing or of text files needs NumPy: pip install numpy") from e
    return numpy


def _theirs(a):
    made = C.stop_gradient(a).__array__()  # texts are of values
    return made[()] if a._is_scalar else made


def array2string(a, max_line_width=None, precision=None, suppress_small=None, separator=" ", prefix="", *, formatter=None,
                 threshold=None, edgeitems=None, sign=None, floatmode=None, suffix="", legacy=None):
    """Text of an array, without 'array(...)'."""
    a = asarray(a)
    given = {"linewidth": max_line_width, "precision": precision, "suppress": suppress_small, "threshold": threshold,
             "edgeitems": edgeitems}
    if separator == " " and not prefix and not suffix and (formatter, sign, floatmode, legacy) == (None,) * 4 and _others() == _DEFAULTS:
        return C.array2string(a, {**_own(), **{k: v for k, v in given.items() if v is not None}})
    with _numpy().printoptions(**_numpys_options()):
        return _numpy().array2string(_theirs(a), max_line_width, precision, suppress_small, separator, prefix, formatter=formatter,
                                     threshold=threshold, edgeitems=edgeitems, sign=sign, floatmode=floatmode, suffix=suffix, legacy=legacy)


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """Text of an array as str() gives it."""
    if _others() != _DEFAULTS or not isinstance(a, C.array_base):
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
    now = {**C.get_printoptions(), **_DEFAULTS}
    for g in _open():
        now.update(g.options)
    order = ("edgeitems", "threshold", "floatmode", "precision", "suppress", "linewidth", "nanstr", "infstr", "sign", "formatter",
             "legacy", "override_repr")
    return {k: now[k] for k in order}


def _own():
    now = get_printoptions()
    return {k: now[k] for k in _OWN}


def _numpys_options():
    return {k: v for k, v in get_printoptions().items() if k != "override_repr"} | {"override_repr": None}


def _checked(precision=None, threshold=None, edgeitems=None, linewidth=None, suppress=None, nanstr=None, infstr=None,
             formatter=None, sign=None, floatmode=None, *, legacy=None, override_repr=None):
    """The options that are given. A formatter and override_repr hold until the next call."""
    numpy_words = {k: v for k, v in (("sign", sign), ("floatmode", floatmode), ("legacy", legacy)) if v is not None}
    if numpy_words or threshold is not None or precision is not None:
        with _numpy().printoptions(threshold=threshold, precision=precision, **numpy_words):
            pass  # its errors for values that are none
    types = (int, lambda n: int(min(n, 2 ** 31 - 1)), int, int, bool, str, str)
    given = (precision, threshold, edgeitems, linewidth, suppress, nanstr, infstr)
    own = {k: as_type(v) for k, as_type, v in zip(_OWN, types, given) if v is not None}
    return {**own, **numpy_words, "formatter": formatter, "override_repr": override_repr}


def set_printoptions(*args, **kwargs):
    """Sets print options of this context, until the printoptions around it ends."""
    options = _checked(*args, **kwargs)
    now = _open()
    within = next((g for g in reversed(now) if isinstance(g, _Scope)), None)
    before = [g for g in now if g.within is within and not isinstance(g, _Scope)]
    for g in reversed(before):
        options = {**g.options, **options}
    _given.set((*(g for g in now if g not in before), _Given(options, within)))


set_printoptions.__signature__ = inspect.signature(_checked)


# str() and repr() where a context has options set.

def _text_of(self, function):
    if _others() != _DEFAULTS:
        with _numpy().printoptions(**_numpys_options()):
            return function(_theirs(self))
    return C.plain_text(self, function is repr, _own())


def _str(self):
    return _text_of(self, str)


def _repr(self):
    override = None if self._is_scalar else _others()["override_repr"]
    return _text_of(self, repr) if override is None else override(self)


C.set_text_functions(_given, _str, _repr)


class printoptions(contextlib.ContextDecorator):
    """A context, or decorator, with other print options."""

    def __init__(self, *args, **kwargs):
        self._arguments, self._scope, self._token = (args, kwargs), None, None

    def _recreate_cm(self):
        return printoptions(*self._arguments[0], **self._arguments[1])

    def __enter__(self):
        if self._scope is not None:
            raise ValueError("printoptions: the scope is open already.")
        made = _Scope(_checked(*self._arguments[0], **self._arguments[1]))
        self._token = _given.set((*_open(), made))
        self._scope = made
        return get_printoptions()

    def __exit__(self, *exception):
        made, self._scope = self._scope, None
        left = tuple(g for g in _open() if g is not made and g.within is not made)
        try:
            _given.reset(self._token)
        except ValueError:  # another context than that of its beginning: it ends for all of them
            made.over = True
        self._token = None
        _given.set(left or None)

    def __del__(self):
        if self._scope is not None:  # left without an end
            self._scope.over = True


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
    _numpy().savetxt(fname, C.stop_gradient(asarray(X)).__array__(), fmt, delimiter, newline, header, footer, comments, encoding)


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


