"""What happens when floating-point arithmetic meets a pole, an overflow or a NaN: errstate, seterr, geterr, seterrcall.

As in NumPy, but that everything is ignored until a program asks for more: the looking costs time, and compiled
functions run eagerly meanwhile. Settings belong to contexts (contextvars), as NumPy's do.
"""
import contextvars
import functools

from . import _core as C

_KINDS = ("divide", "over", "under", "invalid")
_MODES = ("ignore", "warn", "raise", "call", "print", "log")  # the core warns for the last three, which happen here
_ERRORS = {"divide by zero": ("divide", 1), "overflow": ("over", 2), "underflow": ("under", 4), "invalid value": ("invalid", 8)}
_CALL = contextvars.ContextVar("numjit_errcall", default=None)
_UNCHANGED = object()


def _given(all, divide, over, under, invalid):
    """What is given for each kind, "" for nothing."""
    given = [g or all or "" for g in (divide, over, under, invalid)]
    for v in given:
        if v and v not in _MODES:
            raise ValueError(f"invalid error mode {v!r}: expected 'ignore', 'warn', 'raise', 'call', 'print' or 'log'.")
    return given


def _checked(call):
    if call is not None and call is not _UNCHANGED and not callable(call) and not callable(getattr(call, "write", None)):
        raise TypeError("python object must be callable or have a callable write method")
    return call


def _react(text):
    """A floating-point error of which the core would warn. Whether it has been dealt with."""
    what, _, where = text.partition(" encountered in ")
    kind, flag = _ERRORS.get(what, (None, 0))
    mode, call = C.geterr().get(kind), _CALL.get()
    if mode == "print":
        C.print_to_stderr(f"Warning: {text}\n")
    elif mode == "call":
        if call is None:
            raise NameError(f"python callback specified for {what} (in {where}) but no function found.")
        call(what, flag)
    elif mode == "log":
        if call is None:
            raise NameError(f"log specified for {what} (in {where}) but no object with write method found.")
        call.write(f"Warning: {text}\n")
    return mode in ("print", "call", "log")


C.set_float_error_reaction(_react)


def geterr():
    """The settings of this context: {'divide': 'ignore', 'over': ..., 'under': ..., 'invalid': ...}."""
    return C.geterr()


def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    """Sets what this context does, until the errstate around it ends; gives the settings before."""
    before = geterr()
    C.seterr(_given(all, divide, over, under, invalid))
    return before


def geterrcall():
    """What is called for kinds that are set to 'call', or written to for 'log'; None at first."""
    return _CALL.get()


def seterrcall(func):
    """Sets what is called with an error's text and flag ('call'), or whose write() gets a line ('log'); gives the one before."""
    before = geterrcall()
    _CALL.set(_checked(func))
    return before


class errstate:
    """A context, or decorator, in which floating-point errors are ignored, warned of, raised, printed or handed on: `call`
    is what seterrcall() takes."""

    def __init__(self, *, call=_UNCHANGED, all=None, divide=None, over=None, under=None, invalid=None):
        self._given, self._call = _given(all, divide, over, under, invalid), _checked(call)
        self._scope = None

    def __enter__(self):
        if self._scope is not None:
            raise TypeError("Cannot enter `np.errstate` twice.")
        self._scope = C.ErrstateScope(self._given)
        self._scope.__enter__()
        if self._call is not _UNCHANGED:
            self._before = seterrcall(self._call)

    def __exit__(self, *exception):
        if self._call is not _UNCHANGED and geterrcall() is self._call:  # scopes may end in another order than they began
            _CALL.set(self._before)
        self._scope.__exit__(*exception)

    def __call__(self, function):
        call = {} if self._call is _UNCHANGED else {"call": self._call}
        kinds = {kind: g or None for kind, g in zip(_KINDS, self._given)}

        @functools.wraps(function)
        def inside(*args, **kwargs):
            with errstate(**call, **kinds):
                return function(*args, **kwargs)
        return inside
