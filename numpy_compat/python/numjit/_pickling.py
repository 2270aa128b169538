"""Compiled functions as values: copied as functions are, and pickled by name or, where no module holds them, with what made them."""
import copyreg
import importlib
import sys

from . import _core as C
from ._compile import _Config, compile

_OF_EVERY_FUNCTION = {"__wrapped__", "__module__", "__name__", "__qualname__", "__doc__", "__annotations__", "__type_params__"}


def _in_module(module, name):
    """What a dotted name of a module stands for."""
    found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _is_in_module(compiled):
    """Whether its own name leads to it, as that of a decorated function does."""
    try:
        return _in_module(compiled.__module__, compiled.__qualname__) is compiled
    except (ImportError, AttributeError, TypeError, ValueError):
        return False


def _goes_by_value(compiled):
    """Whether the pickler at work is cloudpickle's, or another of its kind, and sends this function's module by value."""
    frame = sys._getframe(2)
    while frame is not None and "self" not in frame.f_locals:
        frame = frame.f_back
    pickler = type(frame.f_locals["self"]) if frame is not None else object
    modules = [sys.modules.get(c.__module__) for c in pickler.__mro__]
    cloud = next((m for m, c in zip(modules, pickler.__mro__) if getattr(m, "CloudPickler", None) is c), None)
    if cloud is None:
        return False
    registered = getattr(cloud, "list_registry_pickle_by_value", set)()
    parts = compiled.__module__.split(".")
    return parts[0] == "__main__" or any(".".join(parts[:i + 1]) in registered for i in range(len(parts)))


def _made_again(function, options):
    return compile(function, **options)


def _reduce(self, protocol=None):
    if _is_in_module(self) and not _goes_by_value(self):
        return self.__qualname__
    own = getattr(self.function, "__dict__", {})
    added = {k: v for k, v in self.__dict__.items() if k not in _OF_EVERY_FUNCTION and (k not in own or own[k] is not v)}
    return (_made_again, (self.function, self._options), added) if added else (_made_again, (self.function, self._options))


def _itself(self, memo=None):
    return self


_Config.__reduce__ = lambda self: "config"
copyreg.pickle(type(C.set_stance), lambda function: function.__name__)
C.CompiledFunction.__reduce_ex__ = C.CompiledFunction.__reduce__ = _reduce
C.CompiledFunction.__copy__ = C.CompiledFunction.__deepcopy__ = _itself
