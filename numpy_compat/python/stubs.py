"""Writes the type stubs of the built package: `python stubs.py FOLDER`, where FOLDER holds numjit/. Run by the build."""
import inspect
import sys
import types
from pathlib import Path

HEAD = '''# Type stubs of numjit, made from the package by numpy_compat/python/stubs.py.
from typing import Any, Callable, Iterator

from . import exceptions as exceptions, lib as lib, linalg as linalg, random as random, special as special
from .exceptions import (AxisError as AxisError, CompileError as CompileError, DeviceError as DeviceError,
                         GraphBreakError as GraphBreakError, InternalError as InternalError, RecompileError as RecompileError)

class dtype:
    name: str
    kind: str
    char: str
    itemsize: int
    str: str
    def __init__(self, dtype: Any) -> None: ...
    def __call__(self, value: Any = ...) -> ndarray: ...

class ufunc:
    nin: int
    nout: int
    nargs: int
    types: list[str]
    identity: Any
    def __call__(self, *args: Any, out: Any = ..., where: Any = ..., casting: str = ..., dtype: Any = ...) -> Any: ...
    def reduce(self, array: Any, axis: Any = ..., dtype: Any = ..., out: Any = ..., keepdims: bool = ..., initial: Any = ..., where: Any = ...) -> ndarray: ...
    def accumulate(self, array: Any, axis: int = ..., dtype: Any = ..., out: Any = ...) -> ndarray: ...
    def reduceat(self, array: Any, indices: Any, axis: int = ..., dtype: Any = ..., out: Any = ...) -> ndarray: ...
    def outer(self, A: Any, B: Any, /, **kwargs: Any) -> ndarray: ...
    def at(self, a: ndarray, indices: Any, b: Any = ..., /) -> None: ...
'''
BINARY = "add sub mul truediv floordiv mod pow and or xor lshift rshift matmul".split()
ATTRIBUTES = {"shape": "tuple[int, ...]", "strides": "tuple[int, ...]", "dtype": "dtype", "ndim": "int", "size": "int",
              "itemsize": "int", "nbytes": "int", "T": "ndarray", "mT": "ndarray", "real": "ndarray", "imag": "ndarray",
              "base": "ndarray | None", "device": "str", "flags": "Any", "flat": "Any"}
# What reads like an expression of Python: any other default is written as `...`.
PLAIN = (bool, int, float, str, type(None))


def signature(function, method=False):
    """The parameters of a function as text, without types."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return "(self, *args: Any, **kwargs: Any)" if method else "(*args: Any, **kwargs: Any)"
    parameters = [p.replace(default=p.default if p.default is p.empty or isinstance(p.default, PLAIN) and p.default == p.default
                            and p.default not in (float("inf"), -float("inf")) else ...,
                            annotation=p.empty) for p in parameters]
    if method and parameters:
        parameters[0] = parameters[0].replace(name="self")
    return str(inspect.Signature(parameters)).replace("Ellipsis", "...")


def array_class(ndarray):
    """The class ndarray."""
    lines = ["class ndarray:", *(f"    {name}: {kind}" for name, kind in ATTRIBUTES.items())]
    for name in BINARY:
        for prefix in ("", "r", "i"):
            lines.append(f"    def __{prefix}{name}__(self, other: Any) -> ndarray: ...")
    lines += [f"    def __{name}__(self, other: Any) -> ndarray: ..." for name in ("lt", "le", "gt", "ge")]
    lines += [f"    def __{name}__(self, other: Any) -> ndarray: ...  # type: ignore[override]" for name in ("eq", "ne")]
    lines += [f"    def __{name}__(self) -> ndarray: ..." for name in ("neg", "pos", "abs", "invert")]
    lines += [f"    def __{name}__(self) -> {kind}: ..." for name, kind in
              (("bool", "bool"), ("int", "int"), ("float", "float"), ("complex", "complex"), ("index", "int"), ("len", "int"),
               ("iter", "Iterator[Any]"))]
    lines += ["    def __getitem__(self, key: Any) -> ndarray: ...", "    def __setitem__(self, key: Any, value: Any) -> None: ...",
              "    def __contains__(self, value: Any) -> bool: ..."]
    for name in sorted(vars(ndarray)):
        value = vars(ndarray)[name]
        if not name.startswith("_") and name not in ATTRIBUTES and callable(value):
            lines.append(f"    def {name}{signature(value, True)} -> Any: ...")
    return "\n".join(lines) + "\n"


def stubs(numjit):
    """The text of __init__.pyi."""
    parts = [HEAD, array_class(numjit.ndarray)]
    done = {"dtype", "ufunc", "ndarray", "exceptions", "lib", "linalg", "random", "special", "AxisError", *vars(numjit.exceptions)}
    for name in sorted(numjit.__all__):
        value = getattr(numjit, name)
        if name in done or isinstance(value, types.ModuleType):
            continue
        if isinstance(value, numjit.dtype):
            parts.append(f"{name}: dtype\n")
        elif isinstance(value, numjit.ufunc):
            parts.append(f"{name}: ufunc\n")
        elif inspect.isclass(value):
            parts.append(f"class {name}:\n    def __init__(self, *args: Any, **kwargs: Any) -> None: ...\n    def __getattr__(self, name: str) -> Any: ...\n")
        elif callable(value) and not isinstance(value, numjit._compile._Config):
            parts.append(f"def {name}{signature(value)} -> Any: ...\n")
        else:
            parts.append(f"{name}: {type(value).__name__ if isinstance(value, (bool, int, float, str)) else 'Any'}\n")
    return "".join(parts)


def main(folder):
    """Writes FOLDER/numjit/__init__.pyi."""
    sys.path.insert(0, folder)
    import numjit
    text = stubs(numjit)
    compile(text, "__init__.pyi", "exec")  # it is Python
    (Path(folder) / "numjit" / "__init__.pyi").write_text(text)


if __name__ == "__main__":
    main(sys.argv[1])
