"""./dev bench loops: programs that loop over elements, eager and compiled, beside NumPy and Numba, JAX and torch.compile.

All run in turns in one process, on the same data; results are compared. compiled/eager is the median of five pairs of
times, after twenty calls that are not counted. Numba and torch.compile are given the same text; JAX has loops of its own
(loop_forms_jax.py) for the programs whose loops it can express.
"""
import statistics
import time
import types

import numpy

import loop_programs

WARM_CALLS, PAIRS = 45, 5
MEDIAN_LIMIT, WORST_LIMIT = 1.05, 1.15  # of compiled/eager


def of_module(function, module):
    """The program with that module as its `np`."""
    return types.FunctionType(function.__code__, {**function.__globals__, "np": module}, function.__name__, function.__defaults__)


def numba_form(function):
    import numba
    return numba.njit(of_module(function, numpy))


def jax_form(function):
    import jax
    jax.config.update("jax_enable_x64", True)
    import loop_forms_jax
    form = getattr(loop_forms_jax, function.__name__, None)
    return None if form is None else jax.jit(form)


def torch_form(function):
    import torch
    return torch.compile(of_module(function, numpy))


PEERS = {"numba": numba_form, "jax": jax_form, "torch": torch_form}


def seconds_of(call, least=0.02):
    """The time of one call, of as many as take `least` together."""
    count, start = 0, time.perf_counter()
    while True:
        call()
        count += 1
        taken = time.perf_counter() - start
        if taken >= least:
            return taken / count


def ready(result):
    return numpy.asarray(result.block_until_ready() if hasattr(result, "block_until_ready") else result)


def peer_calls(function, arguments, names, expected):
    """{name: call} of the peers that run the program and give its result."""
    calls = {}
    for name in names:
        try:
            form = PEERS[name](function)
            if form is not None and numpy.allclose(ready(form(*arguments)), expected, rtol=1e-6, equal_nan=True):
                calls[name] = lambda form=form: ready(form(*arguments))
        except Exception as error:
            print(f"  {name} does not run {function.__name__}: {type(error).__name__}: {str(error).splitlines()[:1]}")
    return calls


def measured(function, arguments, peers):
    import numjit
    own = [numjit.array(a) for a in arguments]
    plain, eager = of_module(function, numpy), of_module(function, numjit)
    compiled = numjit.compile(of_module(function, numjit))
    expected = numpy.asarray(plain(*arguments))
    results = [numpy.asarray(eager(*own)), numpy.asarray(compiled(*own))]
    for _ in range(WARM_CALLS):
        compiled(*own)
        numjit.wait_for_compiles()
    calls = {"numpy": lambda: plain(*arguments), "eager": lambda: eager(*own), "compiled": lambda: compiled(*own),
             **peer_calls(function, arguments, peers, expected)}
    rounds = [{name: seconds_of(call) for name, call in calls.items()} for _ in range(PAIRS)]
    return {"name": function.__name__, "unit": "ms",
            "agree": results[0].tobytes() == results[1].tobytes() and numpy.allclose(results[0], expected, rtol=1e-9),
            "compiled_of_eager": statistics.median(r["compiled"] / r["eager"] for r in rounds),
            "results": {name: 1e3 * min(r[name] for r in rounds) for name in calls}}


def run(peers, only=()):
    """One entry a program; prints the table."""
    columns = ["numpy", "eager", "compiled", *peers]
    print(f"{'milliseconds':<28}" + "".join(f"{c:>11}" for c in columns) + f"{'compiled/eager':>16}")
    entries = []
    for function, arguments in loop_programs.make(numpy.random.default_rng(20261128)):
        if only and not any(part in function.__name__ for part in only):
            continue
        entries.append(measured(function, arguments, peers))
        entry = entries[-1]
        cells = "".join(f"{entry['results'][c]:>11.4g}" if c in entry["results"] else f"{'':>11}" for c in columns)
        note = ("" if entry["agree"] else "  DISAGREE") + ("  over" if entry["compiled_of_eager"] > WORST_LIMIT else "")
        print(f"{entry['name']:<28}{cells}{entry['compiled_of_eager']:>16.2f}{note}", flush=True)
    ratios = [e["compiled_of_eager"] for e in entries]
    print(f"compiled/eager: median {statistics.median(ratios):.2f} (at most {MEDIAN_LIMIT}), worst {max(ratios):.2f} (at most {WORST_LIMIT})")
    return entries
