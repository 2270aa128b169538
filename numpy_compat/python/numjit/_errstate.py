"""What happens when floating-point arithmetic meets a pole, an overflow or a NaN: errstate, seterr, geterr.

As in NumPy, but that everything is ignored until a program asks for more: the looking costs time, and compiled
functions run eagerly meanwhile. Settings belong to contexts (contextvars), as NumPy's do.
"""
import functools

from . import _core as C

_KINDS = ("divide", "over", "under", "invalid")


def _given(all, divide, over, under, invalid):
    """What is given for each kind, "" for nothing."""
    given = [g or all or "" for g in (divide, over, under, invalid)]
    for v in given:
        if v in ("call", "print", "log"):
            raise NotImplementedError(f"errstate: {v!r} is not available: got it, expected 'ignore', 'warn' or 'raise'.")
        if v not in ("", "ignore", "warn", "raise"):
            raise ValueError(f"{v!r} is not a valid error mode: expected 'ignore', 'warn' or 'raise'.")
    return given


def geterr():
    """The settings of this context: {'divide': 'ignore', 'over': ..., 'under': ..., 'invalid': ...}."""
    return C.geterr()


def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    """Sets what this context does, until the errstate around it ends; gives the settings before."""
    before = geterr()
    C.seterr(_given(all, divide, over, under, invalid))
    return before


class errstate:
    """A context, or decorator, in which floating-point errors are ignored, warned of or raised."""

    def __init__(self, *, call=None, all=None, divide=None, over=None, under=None, invalid=None):
        if call is not None:
            raise NotImplementedError("errstate: call= is not available: got one, expected 'ignore', 'warn' or 'raise' for the kinds.")
        self._given = _given(all, divide, over, under, invalid)
        self._scope = None

    def __enter__(self):
        if self._scope is not None:
            raise TypeError("Cannot enter `np.errstate` twice.")
        self._scope = C.ErrstateScope(self._given)
        self._scope.__enter__()

    def __exit__(self, *exception):
        self._scope.__exit__(*exception)

    def __call__(self, function):
        @functools.wraps(function)
        def inside(*args, **kwargs):
            with C.ErrstateScope(self._given):
                return function(*args, **kwargs)
        return inside
