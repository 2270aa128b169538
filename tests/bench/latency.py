"""./dev bench latency: scripts of fifty small functions, from the start of the process to its end.

The script is one file of fifty functions of a few operations each, called once or three times on arrays of 1,000 elements, as
notebooks and scripts call them. Each engine runs it in a process of its own: cold (nothing cached) and warm (what an earlier
process left on disk is found). Results are compared. The figure is the best of some processes.
"""
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FUNCTIONS, RUNS = 50, 5
ENGINES = ("numpy", "eager", "compiled")
CACHES = {"NUMJIT_CACHE_DIR": "numjit", "JAX_COMPILATION_CACHE_DIR": "jax", "TORCHINDUCTOR_CACHE_DIR": "torch", "NUMBA_CACHE_DIR": "numba"}


def source(i):
    """The text of function i: other operations and another order for each."""
    unary = ["np.sin({})", "np.exp(-{})", "np.sqrt(np.abs({}))", "np.tanh({})", "({} * {})"]
    first, second = unary[i % 5], unary[(i // 5) % 5]
    ends = ["np.sum(c)", "np.max(c) - np.min(c)", "np.mean(c * c)", "c[::2].sum() + c[1]", "np.sum(np.where(c > 0.5, c, 0.0))"]
    a, b = first.format("x", "x"), second.format("y", "y")
    return (f"def f{i}(x, y):\n    a = {a} + {1 + i * 0.25}\n    b = {b} - x\n    c = a * b + y\n    return {ends[(i // 10) % 5]}\n")


def script():
    return "import numpy as np\n" + "\n".join(source(i) for i in range(FUNCTIONS))


def child(engine, calls):
    """Runs the script with an engine and prints the sum of what the functions gave."""
    import numpy
    names = {}
    exec(compile(script(), "script", "exec"), names)
    x, y = numpy.linspace(0.1, 1, 1000), numpy.linspace(1, 2, 1000)
    module, compiler = numpy, lambda f: f
    if engine in ("eager", "compiled"):
        import numjit as module
        x, y = module.array(x), module.array(y)
        compiler = module.compile if engine == "compiled" else compiler
    elif engine == "jax":
        import jax
        jax.config.update("jax_enable_x64", True)
        import jax.numpy as module
        compiler = jax.jit
    elif engine == "torch":
        import torch
        compiler = torch.compile
    elif engine == "numba":
        import numba
        compiler = numba.njit
    names["np"] = module
    total = 0.0
    for i in range(FUNCTIONS):
        function = compiler(names[f"f{i}"])
        for _ in range(calls):
            total += float(function(x, y))
    print(total)


def one_process(engine, calls, folder):
    environment = {**os.environ, **{name: f"{folder}/{part}" for name, part in CACHES.items()},
                   "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0"}
    start = time.perf_counter()
    done = subprocess.run([sys.executable, str(Path(__file__).resolve()), engine, str(calls)], env=environment, check=True,
                          capture_output=True, text=True)
    return 1e3 * (time.perf_counter() - start), float(done.stdout)


def measured(engine, calls):
    """(cold, warm, result) in milliseconds."""
    cold, warm = [], []
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory() as folder:
            taken, result = one_process(engine, calls, folder)
            cold.append(taken)
            warm.append(one_process(engine, calls, folder)[0])
    return min(cold), min(warm), result


def run(peers):
    """One entry for each number of calls; prints the table."""
    engines = [*ENGINES, *peers]
    print(f"{'a process of ' + str(FUNCTIONS) + ' functions, ms':<40}" + "".join(f"{e:>12}" for e in engines))
    entries = []
    for calls in (1, 3):
        found = {engine: measured(engine, calls) for engine in engines}
        expected = found["numpy"][2]
        agree = all(abs(result - expected) < 1e-9 * abs(expected) for _, _, result in found.values())
        for title, which in (("cold", 0), ("warm", 1)):
            results = {engine: times[which] for engine, times in found.items()}
            entries.append({"name": f"latency_{title}_{calls}", "unit": "ms", "agree": agree, "results": results})
            print(f"{title + ', each called ' + str(calls) + (' time' if calls == 1 else ' times'):<40}" +
                  "".join(f"{results[e]:>12.0f}" for e in engines) + ("" if agree else "  DISAGREE"), flush=True)
    return entries


if __name__ == "__main__":
    sys.path.insert(0, str(Path(os.environ["NUMJIT_BUILD_DIR"]) / "python"))
    child(sys.argv[1], int(sys.argv[2]))
