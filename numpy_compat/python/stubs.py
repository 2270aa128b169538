"""Writes the type stubs of the built package: `python stubs.py FOLDER`, where FOLDER holds numjit/. Run by the build."""
import inspect
import sys
import types
from pathlib import Path
from typing import Any

HEAD = '''# Type stubs of numjit, made from the package by numpy_compat/python/stubs.py.
import builtins
from typing import Any, Callable, Generic, Iterator
from typing_extensions import TypeVar

from . import (distributed as distributed, emath as emath, exceptions as exceptions, fft as fft, lib as lib, linalg as linalg,
               polynomial as polynomial, random as random, special as special, testing as testing, tree as tree, typing as typing)
from .exceptions import (AxisError as AxisError, CompileError as CompileError, DeviceError as DeviceError,
                         GraphBreakError as GraphBreakError, InternalError as InternalError, RecompileError as RecompileError)

_ScalarT_co = TypeVar("_ScalarT_co", bound=generic, default=Any, covariant=True)
_ShapeT_co = TypeVar("_ShapeT_co", bound=tuple[Any, ...], default=tuple[Any, ...], covariant=True)
_DTypeT_co = TypeVar("_DTypeT_co", bound=dtype[Any], default=dtype[Any], covariant=True)
_NBit1 = TypeVar("_NBit1", default=Any)
_NBit2 = TypeVar("_NBit2", default=Any)

class dtype(Generic[_ScalarT_co]):
    name: builtins.str
    kind: builtins.str
    char: builtins.str
    itemsize: int
    str: builtins.str
    type: builtins.type[_ScalarT_co]
    def __init__(self, dtype: Any) -> None: ...
    def __call__(self, value: Any = ...) -> ndarray: ...
    def __getattr__(self, name: builtins.str) -> Any: ...

class ufunc:
    nin: int
    nout: int
    nargs: int
    types: list[str]
    identity: Any
    def __call__(self, *args: Any, out: Any = ..., where: Any = ..., casting: str = ..., order: str = ..., dtype: Any = ...) -> Any: ...
    def reduce(self, array: Any, axis: Any = ..., dtype: Any = ..., out: Any = ..., keepdims: builtins.bool = ..., initial: Any = ..., where: Any = ...) -> Any: ...
    def accumulate(self, array: Any, axis: int = ..., dtype: Any = ..., out: Any = ...) -> ndarray: ...
    def reduceat(self, array: Any, indices: Any, axis: int = ..., dtype: Any = ..., out: Any = ...) -> ndarray: ...
    def outer(self, A: Any, B: Any, /, **kwargs: Any) -> Any: ...
    def at(self, a: ndarray, indices: Any, b: Any = ..., /) -> None: ...
'''
MODULE_HEAD = '''# Type stubs of numjit.{name}, made from the package by numpy_compat/python/stubs.py.
from typing import Any

from . import dtype, ndarray

'''
# Its functions are those of numpy.testing, which need not be there.
TESTING = "# Type stubs of numjit.testing.\nfrom typing import Any\n\ndef __getattr__(name: str) -> Any: ...\n"
MODULES = "distributed emath exceptions fft lib linalg polynomial random special tree".split()
BINARY = "add sub mul truediv floordiv mod pow and or xor lshift rshift matmul".split()
ATTRIBUTES = {"shape": "_ShapeT_co", "dtype": "_DTypeT_co", "strides": "tuple[int, ...]", "ndim": "int", "size": "int",
              "itemsize": "int", "nbytes": "int", "T": "{own}", "mT": "{own}", "real": "Any", "imag": "Any",
              "base": "ndarray | None", "device": "str", "flags": "Any", "flat": "Any"}
# Functions, and methods of arrays, whose result does not depend on what they are called with.
RESULTS = {
    "ndarray": """arange argpartition argsort argwhere array asanyarray asarray ascontiguousarray asfortranarray astype atleast_1d atleast_2d
        bartlett bincount blackman block broadcast_to choose column_stack compress concat concatenate convolve copy correlate cumprod cumsum
        delete diag diagflat diff digitize dstack ediff1d empty empty_like expand_dims extract eye flatnonzero flatten flip fliplr flipud
        from_dlpack frombuffer fromfile fromfunction fromiter fromstring full full_like geomspace hamming hanning hstack identity indices
        insert intersect1d isin kaiser kron linspace loadtxt logspace matrix_transpose moveaxis nan_to_num ones ones_like outer packbits pad
        permute_dims ravel repeat reshape resize roll rollaxis rot90 row_stack searchsorted setdiff1d setxor1d sort sort_complex stack
        swapaxes tile transpose tri tril triu union1d unpackbits unwrap vander vstack zeros zeros_like""",
    "tuple[ndarray, ...]": "broadcast_arrays diag_indices ix_ meshgrid nonzero tril_indices triu_indices unravel_index",
    "list[ndarray]": "array_split dsplit hsplit split vsplit",
    "tuple[ndarray, ndarray]": "histogram",
    "builtins.bool": """allclose array_equal array_equiv can_cast iscomplexobj isdtype isfortran isrealobj isscalar issubdtype iterable
        may_share_memory shares_memory""",
    "builtins.str": "array2string array_repr array_str base_repr binary_repr format_float_positional format_float_scientific tobytes",
    "int": "ndim", "tuple[int, ...]": "broadcast_shapes shape", "dtype": "min_scalar_type promote_types result_type",
}
RESULT_OF = {name: kind for kind, names in RESULTS.items() for name in names.split()}
OF_METHODS = {**RESULT_OF, "tobytes": "bytes", "sort": "None", "partition": "None", "resize": "None", "copy": "{own}"}
# Of other classes, beside their public methods.
PROTOCOLS = {f"__{name}__" for name in "call enter exit getitem iter len next setitem".split()}
# What reads like an expression of Python: any other default is written as `...`.
PLAIN = (bool, int, float, str, type(None))


def signature(function, method=False):
    """The parameters of a function as text, without types."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return "(self, *args: Any, **kwargs: Any)" if method else "(*args: Any, **kwargs: Any)"
    parameters = [p.replace(default=p.default if p.default is p.empty or isinstance(p.default, PLAIN) and p.default == p.default
                            and p.default not in (float("inf"), -float("inf")) else ..., annotation=Any)
                  for p in parameters]
    if method and parameters:
        parameters[0] = parameters[0].replace(name="self", annotation=inspect.Parameter.empty)
    return str(inspect.Signature(parameters)).replace("Ellipsis", "...").replace("typing.Any", "Any")


def array_methods(ndarray, own, results):
    """Attributes, operators and methods of arrays and of scalars; what gives an array gives `results` instead."""
    lines = []
    for name, kind in ATTRIBUTES.items():
        kind = kind.format(own=own) if results != "Any" or name not in ("shape", "dtype") else "Any"
        lines += ["    @property", f"    def {name}(self) -> {kind}: ...", f"    @{name}.setter", f"    def {name}(self, value: Any) -> None: ..."]
    for name in BINARY:
        for prefix in ("", "r", "i"):
            lines.append(f"    def __{prefix}{name}__(self, other: Any) -> {results}: ...")
    lines += [f"    def __{name}__(self, other: Any) -> {results}: ..." for name in ("lt", "le", "gt", "ge")]
    lines += [f"    def __{name}__(self, other: Any) -> {results}: ...{'  # type: ignore[override]' * (results != 'Any')}"
              for name in ("eq", "ne")]
    lines += [f"    def __{name}__(self) -> {results}: ..." for name in ("neg", "pos", "abs", "invert")]
    lines += [f"    def __{name}__(self) -> {kind}: ..." for name, kind in
              (("bool", "builtins.bool"), ("int", "int"), ("float", "float"), ("complex", "complex"), ("index", "int"), ("len", "int"),
               ("iter", "Iterator[Any]"))]
    lines += ["    def __getitem__(self, key: Any) -> Any: ...", "    def __setitem__(self, key: Any, value: Any) -> None: ...",
              "    def __contains__(self, value: Any) -> builtins.bool: ...", "    def __array__(self, dtype: Any = ..., /, *, copy: Any = ...) -> Any: ..."]
    members = {name: value for cls in ndarray.__mro__[-2::-1] for name, value in vars(cls).items()}
    for name, value in sorted(members.items()):
        if not name.startswith("_") and name not in ATTRIBUTES and callable(value):
            kind = OF_METHODS.get(name, "Any").format(own=own)
            lines.append(f"    def {name}{signature(value, True)} -> {'Any' if results == 'Any' and 'ndarray' in kind else kind}: ...")
    return "\n".join(lines) + "\n"


def scalar_class(cls, numjit):
    """A scalar type below its base."""
    name = cls.__name__
    numbered = {"complexfloating": "[_NBit1, _NBit2]"}.get(name, "[_NBit1]" if hasattr(cls, "__class_getitem__") else "")
    concrete = not numjit._core.scalar_types[name].__subclasses__() and name != "generic"
    bases = [b.__name__ if b.__module__ == "numjit" else f"builtins.{b.__name__}" for b in cls.__bases__ if b.__name__ != "array_base"]
    if not concrete and numbered:
        bases.append(f"Generic{numbered}")
    text = f"class {name}({', '.join(bases)}):\n" if bases else f"class {name}:\n"
    if name == "generic":
        return text + array_methods(numjit.ndarray, "Any", "Any")
    return text + ("    def __init__(self, value: Any = ..., /) -> None: ...\n" if concrete else "    ...\n")


def plain_class(cls, known):
    """A class by what it shows: its methods and attributes."""
    bases = [b.__name__ if b.__module__ == "builtins" or b.__name__ in known else None for b in cls.__bases__ if b is not object]
    lines = [f"class {cls.__name__}({', '.join(filter(None, bases))}):" if any(bases) else f"class {cls.__name__}:"]
    if not issubclass(cls, BaseException):
        lines.append("    def __init__(self, *args: Any, **kwargs: Any) -> None: ...")
    for name, value in sorted(vars(cls).items()):
        if name.startswith("_") and name not in PROTOCOLS:
            continue
        if isinstance(value, (staticmethod, classmethod)):
            lines.append(f"    @classmethod\n    def {name}(cls, *args: Any, **kwargs: Any) -> Any: ...")
        elif callable(value) and not inspect.isclass(value):
            lines.append(f"    def {name}{signature(value, True)} -> Any: ...")
        else:
            lines.append(f"    {name}: Any")
    lines.append("    def __getattr__(self, name: str) -> Any: ...")
    return "\n".join(lines) + "\n"


def function(name, value):
    return f"def {name}{signature(value)} -> {RESULT_OF.get(name, 'Any')}: ...\n"


def stubs(numjit):
    """The text of __init__.pyi."""
    parts = [HEAD, "class ndarray(Generic[_ShapeT_co, _DTypeT_co]):\n",
             array_methods(numjit.ndarray, "ndarray[_ShapeT_co, _DTypeT_co]", "ndarray")]
    done = {"dtype", "ufunc", "ndarray", "bool_", "AxisError", *vars(numjit.exceptions)}
    scalars = {cls: cls.__name__ for cls in numjit._core.scalar_types.values()}
    parts += [scalar_class(cls, numjit) for cls in scalars]
    parts.append("bool_ = bool\n")
    for name in sorted(numjit.__all__):
        value = getattr(numjit, name)
        if name in done or isinstance(value, types.ModuleType) or scalars.get(value if inspect.isclass(value) else None) == name:
            continue
        if inspect.isclass(value) and value in scalars:
            parts.append(f"{name} = {scalars[value]}\n")
        elif isinstance(value, numjit.dtype):
            parts.append(f"{name}: dtype\n")
        elif isinstance(value, numjit.ufunc):
            parts.append(f"{name}: ufunc\n")
        elif inspect.isclass(value):
            parts.append(plain_class(value, ()) if value.__name__ == name else f"{name} = {value.__name__}\n")
        elif callable(value) and not isinstance(value, numjit._compile._Config):
            parts.append(function(name, value))
        else:
            kind = type(value).__name__ if isinstance(value, (bool, int, float, str)) else "Any"
            parts.append(f"{name}: {'builtins.bool' if kind == 'bool' else kind}\n")
    return "".join(parts)


def module_stubs(module):
    """The text of a module's stubs: its public names, as far as they are its own."""
    parts = [MODULE_HEAD.format(name=module.__name__.partition(".")[2])]
    listed = getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]
    classes = [n for n in listed if inspect.isclass(getattr(module, n))]
    for name in sorted(listed, key=lambda n: (n not in classes, len(getattr(module, n).__mro__) if n in classes else 0, n)):
        value = getattr(module, name)
        if isinstance(value, types.ModuleType):
            continue
        if name in classes:
            parts.append(plain_class(value, classes))
        elif callable(value):
            parts.append(f"def {name}{signature(value)} -> Any: ...\n")
        else:
            parts.append(f"{name}: Any\n")
    return "".join(parts)


def main(folder):
    """Writes FOLDER/numjit/*.pyi."""
    sys.path.insert(0, folder)
    import numjit
    texts = {"__init__": stubs(numjit), **{name: module_stubs(getattr(numjit, name)) for name in MODULES}, "testing": TESTING}
    for name, text in texts.items():
        compile(text, f"{name}.pyi", "exec")  # it is Python
        (Path(folder) / "numjit" / f"{name}.pyi").write_text(text)


if __name__ == "__main__":
    main(sys.argv[1])
