"""What happens when floating-point arithmetic meets a pole, an overflow or a NaN: errstate, seterr, geterr.

As in NumPy, but that everything is ignored until a program asks for more: the looking costs time, and compiled
functions run eagerly meanwhile.
"""
import functools
import threading

from . import _core as C

_KINDS = ("divide", "over", "under", "invalid")


class _Thread(threading.local):
    """The settings of a thread, and per open errstate the scopes of the core that are open."""

    def __init__(self):
        self.now = dict.fromkeys(_KINDS, "ignore")
        self.frames = [[]]


_thread = _Thread()


def _changed(all, divide, over, under, invalid):
    given = {"divide": divide, "over": over, "under": under, "invalid": invalid}
    made = {k: given[k] or all or _thread.now[k] for k in _KINDS}
    for v in made.values():
        if v in ("call", "print", "log"):
            raise NotImplementedError(f"errstate: {v!r} is not available: got it, expected 'ignore', 'warn' or 'raise'.")
        if v not in ("ignore", "warn", "raise"):
            raise ValueError(f"{v!r} is not a valid error mode: expected 'ignore', 'warn' or 'raise'.")
    return made


def _open(settings):
    scope = C.ErrstateScope("", *(settings[k] for k in _KINDS))
    scope.__enter__()
    _thread.frames[-1].append(scope)
    _thread.now = settings


def geterr():
    """The settings of this thread: {'divide': 'ignore', 'over': ..., 'under': ..., 'invalid': ...}."""
    return dict(_thread.now)


def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    """Sets what this thread does, until the errstate around it ends; gives the settings before."""
    before, settings = geterr(), _changed(all, divide, over, under, invalid)
    frame = _thread.frames[-1]
    if len(frame) > (len(_thread.frames) > 1):  # the scope of the seterr before
        frame.pop().__exit__(None, None, None)
    _open(settings)
    return before


class errstate:
    """A context, or decorator, in which floating-point errors are ignored, warned of or raised."""

    def __init__(self, *, call=None, all=None, divide=None, over=None, under=None, invalid=None):
        if call is not None:
            raise NotImplementedError("errstate: call= is not available: got one, expected 'ignore', 'warn' or 'raise' for the kinds.")
        self._options = (all, divide, over, under, invalid)
        _changed(*self._options)
        self._before = None

    def __enter__(self):
        if self._before is not None:
            raise TypeError("Cannot enter `np.errstate` twice.")
        settings = _changed(*self._options)
        self._before = _thread.now
        _thread.frames.append([])
        _open(settings)

    def __exit__(self, *exception):
        for scope in _thread.frames.pop()[::-1]:
            scope.__exit__(None, None, None)
        _thread.now = self._before

    def __call__(self, function):
        @functools.wraps(function)
        def inside(*args, **kwargs):
            with errstate(**dict(zip(("all", *_KINDS), self._options))):
                return function(*args, **kwargs)
        return inside
