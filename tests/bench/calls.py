"""./dev bench calls: what a call of each of NumPy's functions costs from Python on 10 elements, beside NumPy's own.

Each function is called in the first of the forms below that NumPy takes. calls.json has the call and the ratio of each function as
it was before functions.def; what is a tenth slower than there is told. `--json FILE` keeps the ratios of this run.
"""
import json
import math
import time
import warnings
from pathlib import Path

import numpy

TABLE = Path(__file__).with_name("calls.json")
NAMES = {
    "x": lambda np: np.linspace(0.1, 0.9, 10), "y": lambda np: np.linspace(0.2, 0.8, 10), "n": lambda np: np.arange(1, 11),
    "m": lambda np: np.linspace(0.1, 0.9, 10) > 0.5, "A": lambda np: np.linspace(0.1, 2.0, 9).reshape(3, 3) + np.eye(3),
    "i": lambda np: np.arange(5), "z": lambda np: np.linspace(0.1, 0.9, 10) + 0.5j,
}
FORMS = ("x", "x, y", "n", "n, n", "x, n", "A", "A, A", "A, 0", "A, 0, 1", "x, 1", "x, i", "x, [1, 2]", "[x, y]", "m, x", "x, m, y",
         "x, m, 0.0", "n, 3", "[m, ~m], [x, y]", "(3, 4)", "(3, 4), 1.5", "10", "0, 1", "0, 1, 10", "x, 'f4'", "'f4'", "'f4', 'f8'",
         "[n, n], (20, 20)", "[0, 1, 2], (3, 3)", "5, (3, 3)", "x, (2, 5)", "'ij,jk->ik', A, A", "x, x, y", "x, x, 2", "x, n, 1",
         "x, 2, 0.5", "x, 2, 1", "A, (0, 1)", "A, i[:3], 0", "lambda v: v.sum(), 0, A", "np.sum, A, [0]",
         "x, [x > 0.5], [1.0]", "lambda i, j: i + j, (3, 3)", "A, n[:3, None] % 3, 0", "2, A", "(3,), (4, 1)", "x, x, [1, 2]", "")
FIRST = {"roll": "x, 3", "repeat": "x, 3", "array_split": "x, 2", "split": "x, 2", "hsplit": "x, 2", "tile": "x, 3", "resize": "x, 20",
         "reshape": "x, (2, 5)", "rollaxis": "A, 1", "put": "x, 1, 2.0", "delete": "x, 3", "insert": "x, 3, 1.5", "take": "x, i",
         "broadcast_to": "x, (3, 10)", "vsplit": "A, 3", "ones": "(2, 5)", "zeros": "(2, 5)", "full": "(2, 5), 1.5", "sort": "x"}
LEFT_OUT = ("show_config show_runtime info test save savez savez_compressed load loadtxt savetxt genfromtxt fromfile fromregex memmap "
            "get_include set_printoptions seterr seterrcall setbufsize getbufsize getbuffer geterr geterrcall get_printoptions "
            "printoptions frompyfunc vectorize nested_iters from_dlpack frombuffer fromiter fromstring busday_count busday_offset "
            "is_busday datetime_as_string datetime_data isnat bmat asmatrix typename").split()


def public(module):
    for name in sorted(dir(module)):
        value = getattr(module, name)
        if not name.startswith("_") and callable(value) and not isinstance(value, type) and name not in LEFT_OUT:
            yield name


def form_of(name, function):
    """The first form that NumPy takes."""
    names = {key: make(numpy) for key, make in NAMES.items()} | {"np": numpy}
    for form in (FIRST.get(name, "x"), *FORMS):
        try:
            eval(f"f({form})", names | {"f": function})
            return form
        except Exception:
            continue
    return None


def timer(np, function, form):
    names = {key: make(np) for key, make in NAMES.items()} | {"np": np, "f": function}
    exec(f"def call(times_):\n  for _ in range(times_): f({form})", names)
    names["call"](3)
    return names["call"]


def nanoseconds(call, seconds):
    best, n = math.inf, 20
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        call(n)
        best = min(best, (time.perf_counter() - start) / n)
    return best * 1e9


def measure(seconds):
    import os
    import sys
    sys.path.insert(0, str(Path(os.environ["NUMJIT_BUILD_DIR"]) / "python"))
    import numjit
    rows = {}
    for prefix, theirs, ours in (("", numpy, numjit), ("linalg.", numpy.linalg, numjit.linalg), ("fft.", numpy.fft, numjit.fft)):
        for name in public(theirs):
            own = getattr(ours, name, None)
            form = form_of(name, getattr(theirs, name)) if own else None
            if form is None:
                continue
            try:
                pair = timer(numpy, getattr(theirs, name), form), timer(numjit, own, form)
            except Exception as error:
                print(f"{prefix}{name}({form}): {type(error).__name__}: {error}")
                continue
            times = [min(nanoseconds(call, seconds) for _ in range(2)) for call in pair]
            rows[prefix + name] = [form, round(times[1] / times[0], 3), round(times[1])]
    return rows


def run(options):
    """The slowest calls, and those that are slower than the table in the tree says."""
    warnings.simplefilter("ignore")
    rows = measure(min(options.seconds, 0.02))
    for name, (form, ratio, ns) in sorted(rows.items(), key=lambda row: -row[1][1])[:40]:
        print(f"{ratio:7.2f} {ns:8d} ns  {name}({form})")
    mean = math.exp(sum(math.log(row[1]) for row in rows.values()) / len(rows))
    print(f"{len(rows)} functions, geometric mean {mean:.3f} of NumPy's time, {sum(row[1] > 1 for row in rows.values())} above it")
    before = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    for name, (form, ratio, _) in sorted(rows.items()):
        if name in before and ratio > 1.1 * before[name][1]:
            print(f"slower: {name}({form}): {before[name][1]:.3f} in {TABLE.name}, {ratio:.3f} now")
    if options.json:
        with open(options.json, "w") as file:
            file.write("{\n" + ",\n".join(f'  "{name}": {json.dumps(row[:2])}' for name, row in sorted(rows.items())) + "\n}\n")
    return 0
