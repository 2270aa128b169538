"""Functions whose common calls are carried out in C: the decorated one is for all other calls, and tells the errors."""
import functools

from . import _core as C


def quick(name):
    """A decorator: calls of the forms in quick.cpp do not enter Python."""
    def wrap(function):
        made = C.quick(name, function)
        functools.update_wrapper(made, function)
        made.__defaults__, made.__kwdefaults__, made.__code__ = function.__defaults__, function.__kwdefaults__, function.__code__
        return made
    return wrap
