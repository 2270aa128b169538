"""Functions of numbers as syntax trees: where a function's source is, and what its names mean."""
import ast
import builtins
import dis
import functools
import linecache
import types

from . import _core as C


class Refusal(Exception):
    """A function can't be turned into operations on arrays: the reason, and the node of the tree that it is about."""

    def __init__(self, why, node=None):
        super().__init__(why)
        self.why, self.node = why, node


@functools.lru_cache(maxsize=64)
def _tree(text):
    return ast.parse(text)


@functools.lru_cache(maxsize=64)
def _codes(text):
    """What this source is compiled to: each code by its name and line."""
    found, left = {}, [compile(text, "", "exec", dont_inherit=True)]
    while left:
        code = left.pop()
        found.setdefault((code.co_name, code.co_firstlineno), []).append(code)
        left += [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return found


def _is_from(code, source):
    """Is this what the source is compiled to, or a twin of it (_twins.py), in which names have other numbers?"""
    if [repr(c) for c in code.co_consts if not isinstance(c, types.CodeType)] != [
            repr(c) for c in source.co_consts if not isinstance(c, types.CodeType)]:
        return False
    if code.co_names == source.co_names:
        return code.co_code == source.co_code
    return code.co_names[:len(source.co_names)] == source.co_names and _steps(code) == _steps(source)


def _steps(code):
    return [(i.opname, None if i.opcode in dis.hasname else i.arg) for i in dis.get_instructions(code) if i.opname != "EXTENDED_ARG"]


def _lambda_stands_at(node, code):
    """Is this lambda the one of the code, by the columns that Python keeps of its instructions?"""
    inside = [p for p in code.co_positions() if p[0] is not None and p[2] is not None and p[3]]
    return any((node.body.lineno, node.body.col_offset) <= (line, column) and (end, end_column) <= (node.body.end_lineno,
               node.body.end_col_offset) for line, end, column, end_column in inside)


def _names_of(arguments):
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    given += [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    return tuple(a.arg for a in given)


def _count(code):
    return code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)


@functools.lru_cache(maxsize=1024)
def tree_of(code):
    """The FunctionDef or Lambda that this code was compiled from. Its lines are those of the file."""
    text = "".join(linecache.getlines(code.co_filename))
    if not text:
        raise Refusal("its source is not there")
    try:
        tree = _tree(text)
    except SyntaxError:
        raise Refusal("its source is not there") from None
    wanted = ast.Lambda if code.co_name == "<lambda>" else ast.FunctionDef
    found = []
    for node in ast.walk(tree):
        if isinstance(node, wanted) and _names_of(node.args) == code.co_varnames[:_count(code)]:
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
            if first == code.co_firstlineno and getattr(node, "name", "<lambda>") == code.co_name:
                found.append(node)
    if len(found) > 1 and hasattr(code, "co_positions"):
        found = [node for node in found if _lambda_stands_at(node, code)]
    if len(found) != 1:
        raise Refusal("its source is not told from that of others on its line" if found else "its source is not there")
    if not any(_is_from(code, source) for source in _codes(text).get((code.co_name, code.co_firstlineno), ())):
        raise Refusal("its source is not what it was compiled from")
    return found[0]


def plain_function(fn):
    """The function of Python's that a callable runs, and the object that it is a method of: (function, (object,)), or (None, ())."""
    if isinstance(fn, C.CompiledFunction):
        fn = fn.function
    if isinstance(fn, types.MethodType) and isinstance(fn.__func__, types.FunctionType):
        return fn.__func__, (fn.__self__,)
    return (fn, ()) if isinstance(fn, types.FunctionType) else (None, ())


def meaning(function, name):
    """What a name that is no local one means in a function, as it would find it."""
    code = function.__code__
    if name in code.co_freevars:
        try:
            return function.__closure__[code.co_freevars.index(name)].cell_contents
        except ValueError:
            raise Refusal(f"{name!r} has no value") from None
    if name in function.__globals__:
        return function.__globals__[name]
    if hasattr(builtins, name):
        return getattr(builtins, name)
    raise Refusal(f"{name!r} has no value")


def bound_arguments(function, args, kwargs):
    """The values of a function's parameters in a call, as a dict."""
    code = function.__code__
    if code.co_flags & 12:
        raise Refusal("it takes any number of arguments")
    positional, count = code.co_varnames[:code.co_argcount], code.co_argcount + code.co_kwonlyargcount
    values = dict(zip(positional, args))
    defaults = function.__defaults__ or ()
    for name, value in zip(positional[len(positional) - len(defaults):], defaults):
        if name not in kwargs:
            values.setdefault(name, value)
    for name, value in (function.__kwdefaults__ or {}).items():
        if name not in kwargs:
            values.setdefault(name, value)
    fits = len(args) <= len(positional) and not set(kwargs) & set(positional[:len(args)])
    values.update(kwargs)
    if not fits or set(values) != set(code.co_varnames[:count]) or set(kwargs) & set(positional[:code.co_posonlyargcount]):
        raise Refusal("the call's arguments don't fit")
    return values
