"""numjit, through the shared library of lib/: eager, compiled on one thread, on all, and with float_mode fast."""
import ctypes
import os
from pathlib import Path

import numpy as np


class Numjit:
    """One of the four ways to run. The inputs live in the library and are shared by all of them."""

    MODES = {"numjit_eager": 0, "numjit": 1, "numjit_1t": 2, "numjit_fast": 3}
    loaded = None  # the workload whose inputs the library holds

    def __init__(self, library: ctypes.CDLL, name: str):
        self.name, self.library, self.mode = name, library, self.MODES[name]

    def prepare(self, workload, inputs) -> bool:
        self.workload = workload
        self.expected = workload.function(np, *[a.copy() for a in inputs])
        if Numjit.loaded == workload.name:
            return True
        Numjit.loaded = workload.name
        give_inputs(self.library, inputs)
        return True

    def run(self, repeats: int) -> float:
        """Seconds per call."""
        return 1e-9 * check(self.library, self.library.bench_run(self.workload.name.encode(), self.mode, repeats))

    def result(self):
        result = np.empty(np.shape(self.expected), np.asarray(self.expected).dtype)
        size = check(self.library, self.library.bench_result_bytes())
        if size != result.nbytes:
            raise RuntimeError(f"{self.name}, {self.workload.name}: a result of {size:.0f} bytes, "
                               f"expected {result.nbytes} ({result.dtype}{list(result.shape)})")
        check(self.library, self.library.bench_result(result.ctypes.data_as(ctypes.c_void_p)))
        return result


def give_inputs(library, inputs) -> None:
    """Copies of the arrays become the library's inputs, in place of those it had."""
    library.bench_clear()
    for array in inputs:
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        check(library, library.bench_input(
            array.ctypes.data_as(ctypes.c_void_p), array.dtype.name.encode(), array.ndim, shape))


def check(library, value: float) -> float:
    if value < 0:
        raise RuntimeError("numjit: " + library.bench_error().decode())
    return value


def load_library() -> ctypes.CDLL:
    build = Path(os.environ["NUMJIT_BUILD_DIR"])
    library = ctypes.CDLL(str(build / "lib" / "libnumjit_bench.so"))
    pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_double
    signatures = {
        "bench_error": (text, []), "bench_clear": (None, []),
        "bench_input": (number, [pointer, text, ctypes.c_int, ctypes.POINTER(ctypes.c_int64)]),
        "bench_run": (number, [text, ctypes.c_int, ctypes.c_int]), "bench_result_bytes": (number, []),
        "bench_eager_op": (number, [text, ctypes.c_int]),
        "bench_result": (number, [pointer]), "bench_explain": (text, [text]),
        "bench_cold": (number, [ctypes.c_int]), "bench_distinct_functions": (ctypes.c_int, []),
        "bench_kernels_compiled": (number, []), "bench_threads": (ctypes.c_int, []),
        "bench_copy_bandwidth": (number, []), "bench_triad_bandwidth": (number, []),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
