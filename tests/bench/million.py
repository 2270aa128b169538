"""./dev bench million: functions of the Python module on a million elements beside NumPy's, over dtypes.

A cell is NumPy's time over numjit's, best of alternating rounds in one process; results are compared. The figure below
the table is the geometric mean. What loses is measured again, longer.
"""
import math
import time

import numpy as np

DTYPES = {"i": "int32", "l": "int64", "f": "float32", "d": "float64", "D": "complex128"}
ALL, REAL, FLOATS, INEXACT, WHOLE = "ilfdD", "ilfd", "fd", "fdD", "il"
N, ROWS = 1_000_000, 1000
clock = [time.perf_counter]

UNARY = {"absolute": ALL, "negative": ALL, "positive": ALL, "sign": REAL, "square": ALL, "reciprocal": FLOATS, "conjugate": "D",
         "logical_not": REAL, "invert": WHOLE, "bitwise_count": WHOLE}
UNARY |= dict.fromkeys("sqrt exp log sin cos tan arctan sinh cosh tanh arcsinh".split(), INEXACT)
UNARY |= dict.fromkeys(("exp2 expm1 log2 log10 log1p cbrt arcsin arccos arccosh arctanh floor ceil trunc rint fabs degrees radians isnan isinf "
                        "isfinite signbit spacing modf frexp").split(), FLOATS)
BINARY = {"add": ALL, "subtract": ALL, "multiply": ALL, "divide": ALL, "equal": ALL, "left_shift": WHOLE, "right_shift": WHOLE}
BINARY |= dict.fromkeys("not_equal less less_equal greater greater_equal maximum minimum logical_and logical_or logical_xor floor_divide remainder fmod divmod".split(), REAL)
BINARY |= dict.fromkeys("power float_power arctan2 hypot copysign nextafter logaddexp logaddexp2 heaviside fmax fmin".split(), FLOATS)
BINARY |= dict.fromkeys("bitwise_and bitwise_or bitwise_xor gcd lcm".split(), WHOLE)
REDUCTIONS = dict.fromkeys("sum mean any all count_nonzero cumsum".split(), ALL)
REDUCTIONS |= dict.fromkeys("max min argmax argmin ptp var std cumprod nansum nanmean nanmax nanmin nanstd nanargmax".split(), REAL)
ORDER = dict.fromkeys("sort argsort unique median nanmedian".split(), REAL)
# Of x, y (a second array), m (a mask), i (places).
OTHERS = {
    "percentile": (REAL, lambda xp, x, y, m, i: xp.percentile(x, [10, 50, 90])),
    "partition": (REAL, lambda xp, x, y, m, i: xp.partition(x, 400_000)),
    "argpartition": (REAL, lambda xp, x, y, m, i: xp.argpartition(x, 400_000)),
    "unique_counts": (WHOLE, lambda xp, x, y, m, i: xp.unique(x, return_counts=True)),
    "unique_inverse": ("d", lambda xp, x, y, m, i: xp.unique(x, return_inverse=True)),
    "searchsorted": (REAL, lambda xp, x, y, m, i: xp.searchsorted(y[:1000] * 0 + xp.sort(y[:1000]), x)),
    "digitize": (FLOATS, lambda xp, x, y, m, i: xp.digitize(x, xp.sort(y[:100]))),
    "histogram": (REAL, lambda xp, x, y, m, i: xp.histogram(x, 100)[0]),
    "histogram_edges": (FLOATS, lambda xp, x, y, m, i: xp.histogram(x, xp.sort(y[:100]))[0]),
    "histogram2d": ("d", lambda xp, x, y, m, i: xp.histogram2d(x, y, 50)[0]),
    "bincount": ("l", lambda xp, x, y, m, i: xp.bincount(x)),
    "isin": (REAL, lambda xp, x, y, m, i: xp.isin(x, y[:1000])),
    "intersect1d": ("ld", lambda xp, x, y, m, i: xp.intersect1d(x, y)),
    "union1d": ("ld", lambda xp, x, y, m, i: xp.union1d(x, y)),
    "lexsort": ("ld", lambda xp, x, y, m, i: xp.lexsort((x, y))),
    "nonzero": (REAL, lambda xp, x, y, m, i: xp.nonzero(x)[0]),
    "flatnonzero": ("d", lambda xp, x, y, m, i: xp.flatnonzero(m)),
    "argwhere": ("d", lambda xp, x, y, m, i: xp.argwhere(m.reshape(ROWS, -1))),
    "mask": (ALL, lambda xp, x, y, m, i: x[m]),
    "gather": (ALL, lambda xp, x, y, m, i: x[i]),
    "take": (ALL, lambda xp, x, y, m, i: xp.take(x, i)),
    "take_along_axis": ("d", lambda xp, x, y, m, i: xp.take_along_axis(x.reshape(ROWS, -1), i.reshape(ROWS, -1) % 1000, 1)),
    "compress": ("d", lambda xp, x, y, m, i: xp.compress(m, x)),
    "where": (ALL, lambda xp, x, y, m, i: xp.where(m, x, y)),
    "choose": ("l", lambda xp, x, y, m, i: xp.choose(x % 2, [x, y])),
    "select": ("d", lambda xp, x, y, m, i: xp.select([x > 0.7, x > 0.3], [x, y])),
    "clip": (REAL, lambda xp, x, y, m, i: xp.clip(x, 0, 1)),
    "round": (FLOATS, lambda xp, x, y, m, i: xp.round(x, 2)),
    "nan_to_num": (FLOATS, lambda xp, x, y, m, i: xp.nan_to_num(x)),
    "diff": (REAL, lambda xp, x, y, m, i: xp.diff(x)),
    "ediff1d": ("d", lambda xp, x, y, m, i: xp.ediff1d(x)),
    "gradient": (FLOATS, lambda xp, x, y, m, i: xp.gradient(x)),
    "trapezoid": ("d", lambda xp, x, y, m, i: xp.trapezoid(x)),
    "interp": ("d", lambda xp, x, y, m, i: xp.interp(x, xp.linspace(0, 1, 100), y[:100])),
    "convolve": ("d", lambda xp, x, y, m, i: xp.convolve(x, y[:9], "same")),
    "correlate": ("d", lambda xp, x, y, m, i: xp.correlate(x, y[:9], "same")),
    "cov": ("d", lambda xp, x, y, m, i: xp.cov(x, y)),
    "corrcoef": ("d", lambda xp, x, y, m, i: xp.corrcoef(x, y)),
    "average": ("d", lambda xp, x, y, m, i: xp.average(x, weights=y)),
    "polyval": ("d", lambda xp, x, y, m, i: xp.polyval([1.0, 2, 3, 4], x)),
    "unwrap": ("d", lambda xp, x, y, m, i: xp.unwrap(x)),
    "sinc": ("d", lambda xp, x, y, m, i: xp.sinc(x)),
    "i0": ("d", lambda xp, x, y, m, i: xp.i0(x)),
    "isclose": (FLOATS, lambda xp, x, y, m, i: xp.isclose(x, y)),
    "allclose": ("d", lambda xp, x, y, m, i: xp.allclose(x, y)),
    "array_equal": ("d", lambda xp, x, y, m, i: xp.array_equal(x, x + 0)),
    "dot": (INEXACT, lambda xp, x, y, m, i: xp.dot(x, y)),
    "vdot": ("D", lambda xp, x, y, m, i: xp.vdot(x, y)),
    "inner": ("d", lambda xp, x, y, m, i: xp.inner(x.reshape(ROWS, -1), y[:1000])),
    "cross": ("d", lambda xp, x, y, m, i: xp.cross(x[:999_999].reshape(-1, 3), y[:999_999].reshape(-1, 3))),
    "concatenate": (ALL, lambda xp, x, y, m, i: xp.concatenate([x, y])),
    "stack": (ALL, lambda xp, x, y, m, i: xp.stack([x, y], axis=1)),
    "tile": ("d", lambda xp, x, y, m, i: xp.tile(x, 2)),
    "repeat": (ALL, lambda xp, x, y, m, i: xp.repeat(x, 2)),
    "roll": ("d", lambda xp, x, y, m, i: xp.roll(x, 3)),
    "flip_copy": ("d", lambda xp, x, y, m, i: xp.copy(xp.flip(x))),
    "rot90_copy": ("d", lambda xp, x, y, m, i: xp.copy(xp.rot90(x.reshape(ROWS, -1)))),
    "transpose_copy": (ALL, lambda xp, x, y, m, i: xp.ascontiguousarray(x.reshape(ROWS, -1).T)),
    "pad": ("d", lambda xp, x, y, m, i: xp.pad(x.reshape(ROWS, -1), 2)),
    "pad_reflect": ("d", lambda xp, x, y, m, i: xp.pad(x.reshape(ROWS, -1), 2, mode="reflect")),
    "tril": ("d", lambda xp, x, y, m, i: xp.tril(x.reshape(ROWS, -1))),
    "insert": ("d", lambda xp, x, y, m, i: xp.insert(x, 5, 1.0)),
    "delete": ("d", lambda xp, x, y, m, i: xp.delete(x, [3, 5])),
    "append": ("d", lambda xp, x, y, m, i: xp.append(x, y)),
    "meshgrid": ("d", lambda xp, x, y, m, i: xp.meshgrid(x[:1000], y[:1000])[0]),
    "unravel_index": ("l", lambda xp, x, y, m, i: xp.unravel_index(i, (ROWS, 1000))[0]),
    "ravel_multi_index": ("l", lambda xp, x, y, m, i: xp.ravel_multi_index((i // 1000, i % 1000), (ROWS, 1000))),
    "packbits": ("l", lambda xp, x, y, m, i: xp.packbits(m)),
    "to_float32": (REAL, lambda xp, x, y, m, i: x.astype("float32")),
    "to_int64": (REAL, lambda xp, x, y, m, i: x.astype("int64")),
    "to_complex": (REAL, lambda xp, x, y, m, i: x.astype("complex128")),
    "angle": ("D", lambda xp, x, y, m, i: xp.angle(x)),
    "arange": ("d", lambda xp, x, y, m, i: xp.arange(N)),
    "linspace": ("d", lambda xp, x, y, m, i: xp.linspace(0, 1, N)),
    "logspace": ("d", lambda xp, x, y, m, i: xp.logspace(0, 1, N)),
    "geomspace": ("d", lambda xp, x, y, m, i: xp.geomspace(1, 2, N)),
    "full": ("d", lambda xp, x, y, m, i: xp.full(N, 3.0)),
    "store_mask": ("d", lambda xp, x, y, m, i: stored(x, m)),
    "fft": ("D", lambda xp, x, y, m, i: xp.fft.fft(x)),
    "rfft": ("d", lambda xp, x, y, m, i: xp.fft.rfft(x)),
    "fft2": ("D", lambda xp, x, y, m, i: xp.fft.fft2(x.reshape(ROWS, -1))),
    "einsum": ("d", lambda xp, x, y, m, i: xp.einsum("ij,ij->i", x.reshape(ROWS, -1), y.reshape(ROWS, -1))),
    "norm": (FLOATS, lambda xp, x, y, m, i: xp.linalg.norm(x)),
}


def stored(x, mask):
    x[mask] = 0.5
    return x


def rows():
    """(name, dtypes, call(xp, x, y, m, i)) of every row."""
    for name, dtypes in UNARY.items():
        shift = 1 if name == "arccosh" else 0
        yield name, dtypes, lambda xp, x, y, m, i, name=name, shift=shift: getattr(xp, name)(x + shift if shift else x)
    for name, dtypes in BINARY.items():
        # Shifts and powers by few.
        yield name, dtypes, lambda xp, x, y, m, i, name=name: getattr(xp, name)(x, y)
    for name, dtypes in REDUCTIONS.items():
        yield name, dtypes, lambda xp, x, y, m, i, name=name: getattr(xp, name)(x)
        for axis in (0, 1):
            yield f"{name}_axis{axis}", dtypes, lambda xp, x, y, m, i, name=name, axis=axis: getattr(xp, name)(x.reshape(ROWS, -1), axis=axis)
    for name, dtypes in ORDER.items():
        yield name, dtypes, lambda xp, x, y, m, i, name=name: getattr(xp, name)(x)
    for name in ("sort", "argsort", "median"):
        yield f"{name}_axis1", FLOATS, lambda xp, x, y, m, i, name=name: getattr(xp, name)(x.reshape(ROWS, -1), axis=1)
    for name, (dtypes, call) in OTHERS.items():
        yield name, dtypes, call


def data(name, dtype):
    """x, y, m, i of a row: in (0, 1), whole numbers below 1000 and from 1 to 7."""
    rng = np.random.default_rng(5)
    if dtype in WHOLE:
        x, y = rng.integers(0, 1000, N), rng.integers(1, 1000 if name in ("intersect1d", "union1d", "isin", "searchsorted", "gcd", "lcm") else 8, N)
    elif name.startswith("cumprod"):
        x, y = rng.uniform(0.9999, 1.0001, N), rng.uniform(0, 1, N)
    else:
        x, y = rng.uniform(0, 1, N), rng.uniform(0, 1, N)
    if dtype == "D":
        x, y = x + 1j * rng.uniform(0, 1, N), y + 1j * rng.uniform(0, 1, N)
    return [x.astype(DTYPES[dtype]), y.astype(DTYPES[dtype]), rng.random(N) < 0.5, rng.integers(0, N, N)]


def same(got, expected):
    """Are results alike? Partitions need not be: their callers compare what is promised."""
    if isinstance(expected, tuple):
        return all(map(same, got, expected))
    got, expected = np.asarray(got), np.asarray(expected)
    if (got.dtype, got.shape) != (expected.dtype, expected.shape):
        return False
    if expected.dtype.kind in "fc":  # a million roundings, in another order
        eps = np.finfo(expected.dtype).eps
        return np.allclose(got, expected, rtol=max(20000 * eps, 1e-9), atol=2000 * eps * np.abs(expected).max(initial=1), equal_nan=True)
    return np.array_equal(got, expected)


def measure(call, nj, name, dtype):
    """Seconds of numjit and of NumPy, and whether results agree."""
    theirs = data(name, dtype)
    ours = [nj.array(a) for a in theirs]
    runs = {"numjit": lambda: call(nj, *ours), "numpy": lambda: call(np, *theirs)}
    got, expected = runs["numjit"](), runs["numpy"]()
    if name.startswith("argsort"):  # equal elements may stand in any order
        order = lambda r, a: np.take_along_axis(np.asarray(a).reshape(np.shape(r)), np.asarray(r), -1)
        agree = np.array_equal(order(got, ours[0]), order(expected, theirs[0]))
    elif "partition" in name:
        k = 400_000
        pick = (lambda r, a: np.asarray(a)[np.asarray(r)[k]]) if name == "argpartition" else (lambda r, a: np.asarray(r)[k])
        agree = pick(got, ours[0]) == pick(expected, theirs[0])
    else:
        agree = same(got, expected)
    best = {}
    for rounds in (4, 8, 24):
        for _ in range(rounds):
            for engine, run in runs.items():
                start = clock[0]()
                run()
                best[engine] = min(best.get(engine, math.inf), clock[0]() - start)
        if best["numpy"] > 1.1 * best["numjit"] or best["numjit"] > 0.1:
            break
    return best, agree


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def run(wanted="", threads=2):
    """Prints the table; the JSON entries. On one thread processor time is measured, which other load does not change."""
    import numjit as nj
    clock[0] = time.process_time if threads == 1 else time.perf_counter
    np.seterr(all="ignore")
    entries = []
    print("a million elements: NumPy's time over numjit's; * marks less than 1")
    print(f"{'':<22}" + "".join(f"{name:>12}" for name in DTYPES.values()))
    for name, dtypes, call in rows():
        if wanted not in name:
            continue
        line = f"{name:<22}"
        for dtype in DTYPES:
            if dtype not in dtypes:
                line += f"{'':>12}"
                continue
            best, agree = measure(call, nj, name, dtype)
            quotient = best["numpy"] / best["numjit"]
            line += f"{quotient:>10.2f}{'*' if quotient < 1 else ' '}{' ' if agree else '!'}"
            entries.append({"name": f"million_{name}_{DTYPES[dtype]}", "unit": "us", "better": "less", "limit": None,
                            "results": {engine: 1e6 * seconds for engine, seconds in best.items()}, "agree": bool(agree)})
        print(line.rstrip(), flush=True)
    print(summary(entries))
    return entries


def quotient(entry):
    return entry["results"]["numpy"] / entry["results"]["numjit"]


def summary(entries):
    """One sentence: the geometric mean and what loses."""
    slower = sorted((e for e in entries if quotient(e) < 0.95), key=quotient)
    named = ", ".join(f"{e['name'].removeprefix('million_')} {quotient(e):.2f}" for e in slower)
    return (f"{len(entries)} functions and dtypes on a million elements, called from Python: NumPy takes {geomean([quotient(e) for e in entries]):.2f} "
            f"times numjit's time (geometric mean); slower by more than 5% are {len(slower)}" + (f": {named}." if named else "."))
