"""Functions whose common calls are carried out in C: the decorated one is for all other calls, and tells the errors."""
import functools

from . import _core as C
from ._interop import opened


def quick(name, binds=True):
    """A decorator: calls of the forms in quick.cpp do not enter Python. `binds`: it is a method where a class has it, as NumPy's
    own functions are but for those in C."""
    def wrap(function):
        home = function.__module__.removeprefix(__package__ + ".")
        made = C.quick(name, opened(("" if home.startswith("_") else home + ".") + function.__name__, function), binds)
        functools.update_wrapper(made, function)
        made.__defaults__, made.__kwdefaults__, made.__code__ = function.__defaults__, function.__kwdefaults__, function.__code__
        return made
    return wrap
