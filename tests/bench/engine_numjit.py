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
        if Numjit.loaded == workload.name:
            return True
        Numjit.loaded = workload.name
        give_inputs(self.library, inputs)
        return True

    def run(self, repeats: int) -> float:
        """Seconds per call."""
        return 1e-9 * check(self.library, self.library.bench_run(self.workload.call.encode(), self.mode, repeats))

    def result(self) -> list:
        return read_results(self.library)

    def release(self) -> None:
        Numjit.loaded = None
        self.library.bench_clear()


def read_results(library) -> list:
    """The results of the last call as NumPy arrays of their dtypes and shapes."""
    results = []
    for i in range(library.bench_result_count()):
        name, _, shape = library.bench_result_layout(i).decode().partition(" ")
        result = np.empty(tuple(int(n) for n in shape.strip("()").split(",") if n.strip()), name)
        check(library, library.bench_result(i, result.ctypes.data_as(ctypes.c_void_p)))
        results.append(result)
    return results


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
        "bench_run": (number, [text, ctypes.c_int, ctypes.c_int]),
        "bench_result_count": (ctypes.c_int, []), "bench_result_layout": (text, [ctypes.c_int]),
        "bench_eager_op": (number, [text, ctypes.c_int]),
        "bench_result": (number, [ctypes.c_int, pointer]), "bench_explain": (text, [text]),
        "bench_cold": (number, [ctypes.c_int]), "bench_distinct_functions": (ctypes.c_int, []),
        "bench_kernels_compiled": (number, []), "bench_threads": (ctypes.c_int, []),
        "bench_copy_bandwidth": (number, []), "bench_triad_bandwidth": (number, []),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
