"""NumPy programs as they are: functions written for NumPy, with our functions in the place of NumPy's. See docs/python.md.

A function gets a *twin*: the same code over the same globals, defaults and cells, in which names that mean something of
NumPy's are read under other keys, which hold ours. Nothing that others see changes: the keys are no identifiers.
"""
import dis
import functools
import importlib
import os
import sys
import sysconfig
import types

from . import _core as C
from ._interop import MODULES, by_numpy, is_not_held

_SHIFT = 1 if sys.version_info >= (3, 11) else 0  # LOAD_GLOBAL's argument has a flag in its lowest bit
_LIBRARIES = tuple(os.path.join(os.path.realpath(sysconfig.get_paths()[kind]), "") for kind in ("stdlib", "platstdlib"))
_STEERING = frozenset("graph_break disable disable_scope is_disabled is_compiling error_on_graph_break config config_scope "
                      "error_on_graph_break_scope stance_scope set_stance dont_skip_tracing allow_in_graph assume_constant "
                      "flush mark_static mark_dynamic share wait_for_compiles counters device compile "
                      "grad value_and_grad vjp jvp linearize jacobian jacfwd jacrev hessian hvp vmap stop_gradient custom_vjp "
                      "custom_jvp checkpoint tree numjit.tree".split())
_MAKERS = frozenset(("c_", "r_", "mgrid", "ogrid"))  # objects that make arrays of what they are indexed by
_FEW_CHANGES = 3  # of what a name means; then it is read as it is


# ---- what stands for what of NumPy's ----

_TwinFunction = type(C.twin_function(None, len, None))


class _StandIn(type):
    """The metaclass of what stands for a class of NumPy's: its objects are those of ours and those of NumPy's."""

    def __instancecheck__(cls, value):
        return isinstance(value._numpys if type(value) is _TwinFunction else value, cls._classes)

    def __subclasscheck__(cls, other):
        return other is cls or issubclass(other, cls._classes)

    def __call__(cls, *args, **kwargs):
        return cls._make(*args, **kwargs)

    def __getattr__(cls, name):
        return getattr(cls._classes[0], name)


def _stand_in(own, numpys):
    return _StandIn(numpys.__name__, (), {"_classes": (own, numpys), "_make": staticmethod(C.twin_function(own, numpys, _either))})


def _either(own, numpys, error, args, kwargs):
    """Ours has refused: NumPy's, where it is about elements that we don't hold (text, dates, objects)."""
    if own is not None and not is_not_held(error):
        raise error
    return by_numpy(numpys, args, kwargs)


# NumPy's global generator stays NumPy's: only what makes generators is ours.
_RANDOM = frozenset("default_rng Generator SeedSequence PCG64 PCG64DXSM Philox MT19937 SFC64 BitGenerator".split())
# Classes whose objects we don't take in where ours are asked for.
_TAKEN_AS_THEY_ARE = frozenset(("memmap", "matrix"))
# Texts are NumPy's in a program, those of str() and repr() too (texts.cpp): there is one state of print options.
_TEXTS = frozenset("array2string array_repr array_str get_printoptions set_printoptions printoptions format_float_positional "
                   "format_float_scientific".split())


def _modules():
    import numjit
    import numpy
    by_path = {("lib",): (numpy.lib, numjit.lib), ("emath",): (numpy.emath, numjit.emath)}  # whose functions are of others
    for theirs, path in MODULES.items():
        own = functools.reduce(getattr, path, numjit)
        by_path[path] = importlib.import_module(theirs), own
    return [by_path[path] for path in sorted(by_path, key=len)]


@functools.cache
def _table():
    """By the id of what is NumPy's: it, and what stands for it in twins."""
    import numpy
    table = {}
    for theirs, own in _modules():
        for name in dir(theirs):
            value = getattr(theirs, name)
            if name.startswith("_") or id(value) in table:
                continue
            if name in _MAKERS and theirs is numpy:
                table[id(value)] = value, getattr(own, name)
            if not callable(value):
                continue
            ours = None if theirs is numpy.random and name not in _RANDOM else getattr(own, name, None)
            made = _standing_for(value, ours if callable(ours) else None)
            if made is not value:
                table[id(value)] = value, made
    return table


def _standing_for(value, ours):
    import numpy
    if isinstance(value, type):
        if ours is None or value.__name__ in _TAKEN_AS_THEY_ARE or issubclass(value, Exception):
            return value
        if value in (numpy.ndarray, numpy.dtype, numpy.ufunc):
            return _stand_in(ours, value)
        return ours
    if not (getattr(value, "__module__", None) or "numpy").startswith("numpy"):
        return value
    name = getattr(value, "__name__", "")
    made = C.twin_function(None if name in _TEXTS else ours, value, _either)
    made._numpys = value
    return made


class _NumpyModule(types.ModuleType):
    """A module of NumPy's, as twins see it."""

    def __init__(self, of):
        super().__init__(of.__name__, of.__doc__)
        self.__dict__["_of"] = of

    def __getattr__(self, name):
        value = getattr(self._of, name)
        known = _table().get(id(value))
        if known is not None and known[0] is value:
            value = known[1]
        elif isinstance(value, types.ModuleType) and value.__name__.startswith("numpy"):
            value = _numpy_module(value)
        self.__dict__[name] = value
        return value

    def __setattr__(self, name, value):
        setattr(self._of, name, value)

    def __dir__(self):
        return dir(self._of)


@functools.cache
def _numpy_module(module):
    return _NumpyModule(module)


class _UsersModule:
    """A module of functions, as twins see it: read anew each time, as somebody may set its attributes."""
    __slots__ = "_of", "_twins"

    def __init__(self, of, twins):
        object.__setattr__(self, "_of", of)
        object.__setattr__(self, "_twins", twins)

    def __getattribute__(self, name):
        of = object.__getattribute__(self, "_of")
        return object.__getattribute__(self, "_twins").current(getattr(of, name))

    def __setattr__(self, name, value):
        setattr(object.__getattribute__(self, "_of"), name, value)

    def __delattr__(self, name):
        delattr(object.__getattribute__(self, "_of"), name)

    def __dir__(self):
        return dir(object.__getattribute__(self, "_of"))

    def __repr__(self):
        return repr(object.__getattribute__(self, "_of"))


# ---- whose code it is ----

@functools.cache
def _is_installed(file):
    """Of Python's library, or of an installed package?"""
    path = os.path.realpath(file)
    return "site-packages" in path or "dist-packages" in path or path.startswith(_LIBRARIES) or file.startswith("<frozen")


def _is_users(function):
    package = (function.__globals__.get("__name__") or "").partition(".")[0]
    return package not in ("numjit", "numpy") and not _is_installed(function.__code__.co_filename)


def _is_users_module(module):
    file = getattr(module, "__file__", None)
    package = module.__name__.partition(".")[0]
    return bool(file) and file.endswith(".py") and package not in ("numjit", "numpy") and not _is_installed(file)


def _is_numpys(value):
    if isinstance(value, types.ModuleType):
        return value.__name__ == "numpy" or value.__name__.startswith("numpy.")
    known = _table().get(id(value))
    return known is not None and known[0] is value


def _is_ours(value):
    name = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
    if isinstance(value, types.FunctionType) and hasattr(value, "__wrapped__"):
        return False  # of a user's function: disable() and the like
    return isinstance(name, str) and (name == "numjit" or name.startswith("numjit.")) and not isinstance(value, C.CompiledFunction)


# ---- code ----

class _Code:
    """What a function's code, with the functions defined in it, does with names and cells."""

    def __init__(self, code):
        self.reads, self.stores, self.stored_cells, self.steered = {}, set(), set(), {}
        self._look(code)

    def _look(self, code):
        instructions = list(dis.get_instructions(code))
        for i, one in enumerate(instructions):
            if one.opname == "LOAD_GLOBAL":
                after = instructions[i + 1] if i + 1 < len(instructions) else None
                attribute = after.argval if after and after.opname in ("LOAD_ATTR", "LOAD_METHOD") else None
                self.reads.setdefault(one.argval, set()).add(attribute)
            elif one.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
                self.stores.add(one.argval)
            elif one.opname in ("STORE_DEREF", "DELETE_DEREF"):
                self.stored_cells.add(one.argval)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self._look(constant)


_looked_at = functools.lru_cache(4096)(_Code)


def _renamed(code, keys, namespace):
    """The code with other keys for names it reads. Names also serve for attributes, so that the keys are new ones. Where
    the number of a key is too large for the instruction, what the key means is a constant."""
    names, content = {name: i for i, name in enumerate(code.co_names)}, bytearray(code.co_code)
    constants = [_renamed(c, keys, namespace) if isinstance(c, types.CodeType) else c for c in code.co_consts]
    numbers, wide = {}, []  # of keys that are constants
    instructions = list(dis.get_instructions(code))
    for one, after in zip(instructions, [i.offset for i in instructions[1:]] + [len(content)]):
        if one.opname == "EXTENDED_ARG":
            wide.append(one.offset)
            continue
        if one.opname == "LOAD_GLOBAL" and one.argval in keys:
            key, null = keys[one.argval], one.arg & 1 if _SHIFT else 0
            argument = names.get(key, len(names)) << _SHIFT | null
            if argument >= 1 << 8 * (len(wide) + 1):
                if key not in numbers:
                    numbers[key] = len(constants)
                    constants.append(namespace[key])
                begin = wide[0] if wide else one.offset
                content[begin:after] = _constant(numbers[key], null, after - begin)
            else:
                names.setdefault(key, len(names))
                for offset in (one.offset, *reversed(wide)):
                    content[offset + 1] = argument & 255
                    argument >>= 8
        wide = []
    return code.replace(co_names=tuple(names), co_code=bytes(content), co_consts=tuple(constants))


def _constant(number, null, room):
    """Instructions of so many bytes (of LOAD_GLOBAL and its caches) that load a constant, and the null that calls want
    beside it."""
    made = [dis.opmap["LOAD_CONST"], number & 255]
    while number := number >> 8:
        made = [dis.EXTENDED_ARG, number & 255, *made]
    if null:
        pushed = [dis.opmap["PUSH_NULL"], 0]
        made = made + pushed if sys.version_info >= (3, 13) else pushed + made
    if len(made) > room:
        raise OverflowError  # without caches, before Python 3.11
    return bytes(made) + bytes((dis.opmap["NOP"], 0)) * ((room - len(made)) // 2)


def _free_key(namespace, name, value):
    """A key for a name's other value in a namespace: the same value has the same one."""
    number = 0
    while True:
        key = f"_{name} in numjit" if number == 0 else f"_{name} in numjit, {number}"  # "import *" leaves it out
        if namespace.setdefault(key, value) is value:
            return key
        number += 1


# ---- twins ----

class Twins:
    """A program: a function, what it reaches by name, and the twins of those.

    style: "numpy" (it names something of NumPy's), "numjit" (something of ours, too, or only), or "" (neither).
    """

    def __init__(self, function, before=None):
        self.changes = dict(before.changes) if before else {}  # how often names have changed what they mean
        self.guards = []       # (dict or cell, key or None, value): while they hold, the twins are right
        self.watched = []      # (dict, key), (cell, None) or (object, None): may lead to arrays of the caller's
        self.stored = []       # the same, that the functions store to
        self.reached = []      # (name, "twin" or "protocols", why)
        self.names_numpy = self.names_numjit = False
        self._known, self._users_modules, self._dynamic = {}, {}, {}
        _table()
        self.twin = self._root(function)
        self.style = "numjit" if self.names_numjit else "numpy" if self.names_numpy else ""
        self.parts = (self.style, self.twin, self.guards, self.watched, self.stored)

    def _root(self, function):
        if isinstance(function, types.MethodType) and isinstance(function.__func__, types.FunctionType):
            self.watched.append((function.__self__, None))
            return types.MethodType(self._of_function(function.__func__), function.__self__)
        if isinstance(function, functools.partial) and type(function) is functools.partial:
            self.watched.append(((function.args, function.keywords), None))
            return functools.partial(self._root(function.func), *function.args, **function.keywords)
        if isinstance(function, types.FunctionType) and _is_users(function):
            return self._of_function(function)
        if _is_numpys(function):
            self.names_numpy = True
            return self._value(function)
        call = getattr(type(function), "__call__", None)
        if not isinstance(function, type) and isinstance(call, types.FunctionType) and _is_users(call):
            self.watched.append((function, None))
            return types.MethodType(self._of_function(call), function)
        self.names_numjit |= _is_ours(function)
        return function

    # What a name means in twins; the value itself where it means the same.
    def _value(self, value):
        if isinstance(value, types.FunctionType):
            if _is_users(value):
                return self._of_function(value)
            if not _is_ours(value) and not _is_numpys(value):
                self._tell(value, "protocols", "of an installed package")
        if isinstance(value, types.ModuleType):
            if _is_numpys(value):
                self.names_numpy = True
                return _numpy_module(value)
            if _is_users_module(value):
                if value not in self._users_modules:
                    self._users_modules[value] = _UsersModule(value, self)
                return self._users_modules[value]
            return value
        known = _table().get(id(value))
        if known is None or known[0] is not value:
            return value
        self.names_numpy = True
        return known[1]

    def current(self, value):
        """The same for a value that a twin has just read, out of a module of the user's."""
        if not isinstance(value, (types.FunctionType, types.ModuleType)) and id(value) not in _table():
            return value
        if not isinstance(value, types.FunctionType) or not _is_users(value):
            return self._value(value)
        part = self._dynamic.get(value)
        if part is None or not all(_holds(guard) for guard in part.guards):
            part = self._dynamic[value] = Twins(value, part)
        return part.twin if part.style == "numpy" else value

    def _tell(self, function, how, why=""):
        told = getattr(function, "__qualname__", repr(function)), how, why
        if told not in self.reached:
            self.reached.append(told)

    def _of_function(self, function):
        if function in self._known:
            return self._known[function]
        code = _looked_at(function.__code__)
        cells = self._cells(function, code)
        twin = types.FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__,
                                  cells and tuple(new for new, _, _ in cells))
        self._known[function] = twin  # before those that it calls: they may call it
        keys = self._keys(function, code)
        changed = bool(keys)
        for new, old, free in cells or ():
            if new is not old:
                value = old.cell_contents
                new.cell_contents = self._value(value)
                self.guards.append((old, None, value))
                changed |= new.cell_contents is not value
            elif free in code.stored_cells:
                self.stored.append((old, None))
            else:
                self.watched.append((old, None))
        defaults = self._defaults(function)
        changed |= defaults != (function.__defaults__, function.__kwdefaults__)
        if keys:
            try:
                twin.__code__ = _renamed(function.__code__, keys, function.__globals__)
            except OverflowError:
                self._tell(function, "protocols", "it has too many names")
                return twin
        twin.__defaults__, twin.__kwdefaults__ = defaults
        twin.__qualname__, twin.__module__, twin.__doc__ = function.__qualname__, function.__module__, function.__doc__
        twin.__dict__.update(function.__dict__)
        self._tell(function, "twin")
        if not changed:
            self._known[function] = function
            return function
        return twin

    def _keys(self, function, code):
        """The keys under which the twin reads names."""
        namespace, keys = function.__globals__, {}
        missing = object()
        for name, attributes in code.reads.items():
            value = namespace.get(name, missing)
            if name in code.stores:
                self.stored.append((namespace, name))
                continue
            if value is missing:
                continue
            if _is_ours(value):
                steers = isinstance(value, types.ModuleType) and attributes <= _STEERING or \
                    getattr(value, "__name__", "") in _STEERING
                self.names_numjit |= not steers
                continue
            other = value
            if self.changes.get((id(namespace), name), 0) < _FEW_CHANGES:
                other = self._value(value)
            if other is value:
                if not callable(value) and not isinstance(value, (types.ModuleType, int, float, complex, str, bytes)):
                    self.watched.append((namespace, name))
                continue
            keys[name] = _free_key(namespace, name, other)
            self.guards.append((namespace, name, value))
        self.stored.extend((namespace, name) for name in code.stores if name not in code.reads)
        return keys

    def _cells(self, function, code):
        """(the twin's cell, the function's, its name): another where the cell's value means something else."""
        if function.__closure__ is None:
            return None
        cells = []
        for name, cell in zip(function.__code__.co_freevars, function.__closure__):
            new = cell
            try:
                value = cell.cell_contents
            except ValueError:  # not set yet
                value = None
            if name not in code.stored_cells and self.changes.get((id(cell), None), 0) < _FEW_CHANGES:
                if _is_ours(value):
                    self.names_numjit = True
                elif isinstance(value, (types.FunctionType, types.ModuleType)) or _is_numpys(value):
                    new = types.CellType()
            cells.append((new, cell, name))
        return cells

    def _defaults(self, function):
        plain, named = function.__defaults__, function.__kwdefaults__
        if plain and any(callable(v) for v in plain):
            plain = tuple(self._value(v) for v in plain)
        if named and any(callable(v) for v in named.values()):
            named = {k: self._value(v) for k, v in named.items()}
        return plain, named

    def renewed(self, function):
        """The program anew, as some name means something else now."""
        for guard in self.guards:
            if not _holds(guard):
                at = id(guard[0]), guard[1]
                self.changes[at] = self.changes.get(at, 0) + 1
        return Twins(function, self)


def _holds(guard):
    where, key, value = guard
    if key is not None:
        return where.get(key) is value
    try:
        return where.cell_contents is value
    except ValueError:
        return False


def program(function, before=None):
    """For compile.cpp: the twins of a function. What np.grad and its kin give stands for itself where the function that they were
    given is written for NumPy: they look for its twin when they are called."""
    root = function
    while (inner := getattr(root, "__numjit_transformed__", None)) is not None:
        root = inner
    made = Twins(root) if before is None else before.renewed(root)
    if root is not function:
        made.parts = (made.style, function) + made.parts[2:]
    return made


def for_export(function, examples):
    """The twin of a function written for NumPy, and examples with our arrays in the place of NumPy's; others as they are."""
    import numpy

    def entered(value):
        if type(value) is numpy.ndarray:
            return C.asarray(value, None, True)
        return type(value)(entered(v) for v in value) if type(value) in (tuple, list) else value
    twins = program(function)
    style, twin = twins.parts[:2]
    return (function, examples) if style == "numjit" else (twin, [entered(example) for example in examples])


C.set_program_maker(program)
