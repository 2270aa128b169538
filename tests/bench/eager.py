"""./dev bench eager: one eager call of every kind of operation beside NumPy's, over dtypes and shapes.

The table has a line for each operation and a column for each dtype; a cell is numjit's time over NumPy's, the worst
over the shapes. Both run in turns in one process; the figure is the best of the rounds, and what looks slow is
measured again, longer.
"""
import time

import numpy as np

from engine_numjit import check, give_inputs, read_results

LIMIT = 1.3  # how much slower than NumPy an eager call without transcendentals may be
DTYPES = {"?": "bool", "u": "uint8", "i": "int32", "l": "int64", "f": "float32", "d": "float64"}
LINE = [(10,), (1000,), (100000,), (1000000,)]
PLANE = [(10, 10), (1000, 1000), (100000, 10), (10, 100000), (100, 100)]
ROWS = PLANE + [(64, 65536), (10000, 100)]
NUMBERS, ALL, INTEGERS, FLOATS, BITS = "uilfd", "?uilfd", "uil", "fd", "?uil"

backward, other = slice(None, None, -1), slice(None, None, 2)


def same(name):
    return getattr(np, name, None)


def along(name, axis):
    return lambda x, *_: getattr(np, name)(x, axis=axis)


def store(x, index, value):
    x[index] = value
    return x


def add_in_place(x, y, *_):
    x += y
    return x


def one(names, dtypes):
    return [(name, lambda x, *_, f=same(name): f(x), dtypes, LINE) for name in names.split()]


def two(names, dtypes):
    return [(name, lambda x, y, *_, f=same(name): f(x, y), dtypes, LINE) for name in names.split()]


def reductions():
    for name in "sum prod max min argmax argmin any all mean cumsum".split():
        dtypes = "fd" if name == "prod" else ALL
        yield name, along(name, None), dtypes, LINE + [(1000, 1000)]
        yield name + "_axis0", along(name, 0), dtypes, ROWS
        yield name + "_axis1", along(name, 1), dtypes, ROWS


# Name in lib/eager_ops.cpp, the same in NumPy's words, dtypes, shapes. x and y are arrays of the dtype, m a mask
# of their shape, i indices into x.
OPS = [
    *one("negative sign", NUMBERS), *one("absolute logical_not", ALL), *one("square reciprocal", NUMBERS),
    *one("sqrt floor rint isnan isfinite signbit", FLOATS), *one("invert", BITS),
    *two("add multiply maximum minimum", ALL), *two("subtract floor_divide remainder", NUMBERS),
    *two("divide fmax copysign", FLOATS), *two("equal not_equal less greater_equal logical_and logical_xor", ALL),
    *two("bitwise_and bitwise_or", BITS), *two("left_shift right_shift", INTEGERS),
    *reductions(),
    *[("to_" + t, lambda x, *_, t=t: x.astype(t), ALL, LINE) for t in "uint8 int32 int64 float32 float64".split()],
    ("to_bool_", lambda x, *_: x.astype(bool), ALL, LINE),
    ("add_number", lambda x, *_: x + 2, NUMBERS, LINE),
    ("number_less", lambda x, *_: x < 1, NUMBERS, LINE),
    ("floor_divide_number", lambda x, *_: x // 7, NUMBERS, LINE),
    ("remainder_number", lambda x, *_: x % 7, NUMBERS, LINE),
    ("square_root_of_sum", lambda x, y, *_: np.sqrt(x + y), FLOATS, LINE),
    ("add_in_place", add_in_place, NUMBERS, LINE),
    ("add_every_other", lambda x, y, *_: x[other] + y[other], NUMBERS, LINE),
    ("add_backward", lambda x, y, *_: x[backward] + y[backward], NUMBERS, LINE),
    ("add_columns", lambda x, y, *_: x[:, other] + y[:, other], NUMBERS, PLANE),
    ("add_row", lambda x, y, *_: x + y[0], NUMBERS, PLANE),
    ("add_column", lambda x, y, *_: x + y[:, :1], NUMBERS, PLANE),
    ("add_transposed", lambda x, y, *_: x + y.T, NUMBERS, [(10, 10), (100, 100), (1000, 1000)]),
    ("where", lambda x, y, m, i: np.where(m, x, y), ALL, LINE),
    ("where_number", lambda x, y, m, i: np.where(m, x, 0), NUMBERS, LINE),
    ("where_row", lambda x, y, m, i: np.where(m[0], x, y), NUMBERS, PLANE),
    ("clip", lambda x, *_: np.clip(x, 1, 2), NUMBERS, LINE),
    ("copy", lambda x, *_: np.copy(x), ALL, LINE),
    ("copy_transposed", lambda x, *_: np.ascontiguousarray(x.T), ALL, PLANE),
    ("copy_every_other", lambda x, *_: np.copy(x[other]), ALL, LINE),
    ("copy_columns", lambda x, *_: np.copy(x[:, other]), ALL, PLANE),
    ("concatenate", lambda x, y, *_: np.concatenate([x, y]), ALL, LINE),
    ("concatenate_axis1", lambda x, y, *_: np.concatenate([x, y], axis=1), ALL, PLANE),
    ("stack", lambda x, y, *_: np.stack([x, y]), ALL, LINE),
    ("stack_last", lambda x, y, *_: np.stack([x, y], axis=-1), ALL, LINE),
    ("repeat", lambda x, *_: np.repeat(x, 3), ALL, LINE),
    ("repeat_axis0", lambda x, *_: np.repeat(x, 3, axis=0), ALL, PLANE),
    ("tile", lambda x, *_: np.tile(x, 3), ALL, LINE),
    ("roll", lambda x, *_: np.roll(x, 3), ALL, LINE),
    ("take", lambda x, y, m, i: np.take(x, i), ALL, LINE),
    ("take_axis0", lambda x, y, m, i: np.take(x, i, axis=0), ALL, PLANE),
    ("take_axis1", lambda x, y, m, i: np.take(x, i, axis=1), ALL, PLANE),
    ("mask_select", lambda x, y, m, i: x[m], ALL, LINE),
    ("masked_store", lambda x, y, m, i: store(x, m, 1), ALL, LINE),
    ("masked_array_store", lambda x, y, m, i: store(x, m, y[m]), ALL, LINE),
    ("index_store", lambda x, y, m, i: store(x, i, 1), ALL, LINE),
    ("nonzero", lambda x, y, m, i: np.flatnonzero(m), "d", LINE),
    ("count_nonzero", lambda x, y, m, i: np.array(np.count_nonzero(m)), "d", LINE),
    ("fill", lambda x, *_: np.full(x.shape, 3.0), "d", LINE),
    ("arange", lambda x, *_: np.arange(x.size), "d", LINE),
]


def inputs_of(name, dtype, shape):
    rng = np.random.default_rng(5)
    low, high = (0.99, 1.01) if name.startswith("prod") else (0, 3) if name.startswith(("to_", "sq")) else (-3, 3)
    if dtype == "?":
        x, y = rng.random(shape) < 0.5, rng.random(shape) < 0.5
    elif dtype in "fd":
        x, y = rng.uniform(low, high, shape), rng.uniform(0.5, 3, shape)
    else:
        x, y = rng.integers(0, 50, shape), rng.integers(1, 7, shape)
    axis = {"take_axis0": 0, "take_axis1": 1, "index_store": 0}.get(name)
    count = x.size if axis is None else shape[axis]
    return [x.astype(DTYPES[dtype]), y.astype(DTYPES[dtype]), rng.random(shape) < 0.5, rng.integers(0, count, count)]


def time_numpy(function, arrays, repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        function(*arrays)
    return (time.perf_counter() - start) / repeats


def agree(result, expected) -> bool:
    if expected.dtype.kind == "f":
        tolerance = 1e-4 if expected.dtype.itemsize == 4 else 1e-11
        return np.allclose(result, expected, rtol=tolerance, atol=tolerance * max(1, np.abs(expected).max()), equal_nan=True)
    return np.array_equal(result, expected)


def measure(library, name, function, dtype, shape):
    """Seconds per call of numjit and of NumPy."""
    arrays = inputs_of(name, dtype, shape)
    give_inputs(library, arrays)
    op = name.encode()
    ours = lambda n: 1e-9 * check(library, library.bench_eager_op(op, n))
    theirs = lambda n: time_numpy(function, arrays, n)
    ours(1)
    expected = np.asarray(function(*arrays))
    result, = read_results(library)
    if (result.dtype, result.shape) != (expected.dtype, expected.shape):
        raise RuntimeError(f"{name} {DTYPES[dtype]} {shape}: got a result {result.dtype}{result.shape}, "
                           f"expected {expected.dtype}{expected.shape}")
    if not agree(result, expected):
        raise RuntimeError(f"{name} {DTYPES[dtype]} {shape}: numjit and NumPy disagree")
    best = {}
    for rounds, seconds in ((5, 0.0005), (15, 0.002), (15, 0.005)):
        for engine, run in (("numjit_eager", ours), ("numpy", theirs)):
            best.setdefault(engine, min(run(1), run(1)))
        for _ in range(rounds):
            for engine, run in (("numjit_eager", ours), ("numpy", theirs)):
                best[engine] = min(best[engine], run(max(1, int(seconds / best[engine]))))
        if best["numjit_eager"] < LIMIT * best["numpy"]:
            break
    return best


def run(library, wanted: str = ""):
    """Prints the table; returns the JSON entries."""
    print("one eager call: numjit's time over NumPy's, the worst over shapes; * marks more than", LIMIT)
    print(f"{'':<22}" + "".join(f"{name:>9}" for name in DTYPES.values()))
    entries = []
    np.seterr(all="ignore")
    for name, function, dtypes, shapes in OPS:
        if wanted not in name:
            continue
        line = f"{name:<22}"
        for dtype in DTYPES:
            worst = 0
            for shape in shapes if dtype in dtypes else ():
                best = measure(library, name, function, dtype, shape)
                worst = max(worst, best["numjit_eager"] / best["numpy"])
                size = "x".join(map(str, shape))
                entries.append({
                    "name": f"eager_{name}_{DTYPES[dtype]}_{size}", "unit": "us", "better": "less", "limit": None,
                    "results": {engine: 1e6 * seconds for engine, seconds in best.items()}, "agree": True})
            line += f"{worst:>8.2f}{'*' if worst > LIMIT else ' '}" if worst else f"{'':>9}"
        print(line, flush=True)
    return entries
