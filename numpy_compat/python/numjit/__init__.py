"""numjit: NumPy for C++ with a compiler behind it, from Python. `import numjit as np`; see docs/python.md."""
import os as _os
import sys as _sys

from . import _core

_core._set_package_folder(_os.path.dirname(_os.path.abspath(__file__)) + _os.sep)


def _tell_where_halide_is(packages):
    """Halide's wheel may be installed elsewhere than ours: system-wide beside a virtual environment, or a user's."""
    if not _os.path.exists(_os.path.join(packages, "halide", "lib64", "libHalide.so")):
        from importlib.util import find_spec
        spec = find_spec("halide")
        for folder in spec.submodule_search_locations or () if spec else ():
            _core._set_halide_folder(_os.path.join(folder, "lib64"))


_tell_where_halide_is(_os.path.dirname(_os.path.dirname(_os.path.abspath(__file__))))

from ._core import dtype, ndarray, ufunc  # noqa: E402
from ._core import GraphBreakError, RecompileError, CompileError, DeviceError, InternalError  # noqa: E402
from ._info import *  # noqa: E402,F401,F403
from ._info import ALL as _ALL_DTYPES  # noqa: E402,F401
from ._creation import (_CopyMode, array, asarray, asanyarray, asarray_chkfinite, ascontiguousarray, asfortranarray, arange, c_,  # noqa: E402
                        from_dlpack, frombuffer, fromfunction, fromiter, fromstring, index_exp, mgrid, ogrid, r_, require, s_)
from ._composites import NAMES as _UFUNCS  # noqa: E402
from ._ufuncs import _axes, clip, where  # noqa: E402
from ._searching import apply_along_axis, piecewise  # noqa: E402
from ._vectorize import frompyfunc, vectorize  # noqa: E402
from ._guvectorize import guvectorize  # noqa: E402
from ._more import (False_, True_, base_repr, binary_repr, broadcast, fromfile, ndenumerate, ndindex, typecodes)  # noqa: E402
from ._polynomials import poly1d  # noqa: E402
from ._io import flush_file, load, memmap, save, savez, savez_compressed  # noqa: E402
from ._text import (array2string, array_repr, array_str, format_float_positional, format_float_scientific, genfromtxt,  # noqa: E402
                    get_printoptions, loadtxt, printoptions, savetxt, set_printoptions)
from ._compile import (allow_in_graph, assume_constant, budget, compile, compile_times, config, config_scope, counters, device,  # noqa: E402
                       disable, disable_scope, disallow_in_graph, dont_skip_tracing, error_on_graph_break,
                       error_on_graph_break_scope, explain, export_function, flush, graph_break, help, is_compiling, is_disabled,
                       load_function,
                       mark_dynamic, mark_static, profiler, report_scope, reset, run, set_log_sink, set_logs, set_stance, share, stance_scope,
                       wait_for_compiles)
from ._devices import (cuda, device_host_work, device_memory_usage, list_devices, set_device_memory_limit, transfer_counts,  # noqa: E402
                       trim_device_memory)
from ._custom_rules import custom_jvp, custom_vjp  # noqa: E402
from ._transforms import (checkpoint, grad, hessian, hvp, jacfwd, jacobian, jacrev, jvp, linearize, stop_gradient,  # noqa: E402
                          value_and_grad, vjp, vmap)
from ._flat import flatiter  # noqa: E402
from ._errstate import errstate, geterr, geterrcall, seterr, seterrcall  # noqa: E402
from ._interop import Device, __array_namespace_info__, open_module as _open_module  # noqa: E402
from ._nditer import nditer  # noqa: E402
from ._config_report import show_config, show_runtime  # noqa: E402
from . import _methods as _methods, _pickling as _pickling  # noqa: E402
from ._show import show  # noqa: E402
from . import distributed, emath, exceptions, fft, lib, linalg, polynomial, random, special, tree  # noqa: E402

globals().update(_UFUNCS)
globals().update((_name, _function) for _name, _function in vars(_core.functions).items() if not _name.startswith("_"))

__version__ = "0.1.0"
__array_api_version__ = "2024.12"
bool = bool_  # noqa: F405


def iterable(y):
    """Whether an object can be iterated over; 0-D arrays can't."""
    return hasattr(y, "__iter__") and not (isinstance(y, _core.array_base) and y.ndim == 0)


def shape(a):
    """The shape of an array."""
    if isinstance(a, _core.array_base):
        return a.shape
    return () if a is None or isinstance(a, (str, bytes)) else asarray(a).shape


def ndim(a):
    """The number of axes of an array."""
    return a.ndim if isinstance(a, _core.array_base) else len(shape(a))


def size(a, axis=None):
    """The number of elements of an array, of an axis, or of several axes together."""
    extents, made = shape(a), 1
    for i in _axes(axis, len(extents), "repeated axis"):
        made *= extents[i]
    return made


for _module, _path in ((_sys.modules[__name__], ""), (linalg, "linalg."), (fft, "fft."), (emath, "emath.")):
    _open_module(_module, _path)


def __getattr__(name):
    if name in ("testing", "typing"):  # one imports NumPy's, the other much of Python's
        import importlib
        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [name for name in globals() if not name.startswith("_")] + ["__version__", "__array_api_version__"]
