"""Calls of numjit and of NumPy with the same arguments, compared: value, dtype, shape, class of the error."""
import itertools
import os
import sys
import warnings

import numpy as np

if "NUMJIT_BUILD_DIR" in os.environ:
    sys.path.insert(0, os.path.join(os.environ["NUMJIT_BUILD_DIR"], "python"))
import numjit as nj  # noqa: E402

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
          "complex64", "complex128"]
BUILTIN = (TypeError, ValueError, IndexError, OverflowError, ZeroDivisionError, NotImplementedError)


def values(dtype, shape, seed=0):
    """Small numbers of a dtype, special ones among the floats."""
    rng = np.random.default_rng(seed)
    t = np.dtype(dtype)
    if t.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if t.kind in "iu":
        return rng.integers(0 if t.kind == "u" else -9, 10, shape).astype(t)
    made = rng.uniform(-4, 4, shape)
    if t.kind == "c":
        made = made + 1j * rng.uniform(-4, 4, shape)
    return np.asarray(np.asarray(made).round(2)).astype(t)


def layouts(dtype, seed=0):
    """Arrays of all kinds of layouts, by name."""
    base = values(dtype, (4, 6), seed)
    return {"0-D": values(dtype, (), seed), "empty": values(dtype, (0, 3), seed), "1-D": values(dtype, (5,), seed),
            "2-D": values(dtype, (3, 4), seed), "strided": base[::2, ::3], "reversed": values(dtype, (5,), seed)[::-1],
            "transposed": base.T, "broadcast": np.broadcast_to(values(dtype, (4,), seed), (3, 4)), "3-D": values(dtype, (2, 3, 4), seed)}


def to_numjit(x):
    """The same argument for numjit: arrays share their memory."""
    if isinstance(x, (np.ndarray, np.generic)):
        return nj.asarray(x)
    if isinstance(x, np.dtype):
        return nj.dtype(x.name)
    if isinstance(x, (list, tuple)):
        return type(x)(map(to_numjit, x))
    if isinstance(x, dict):
        return {k: to_numjit(v) for k, v in x.items()}
    return x


def to_numpy(x):
    """A result of numjit as NumPy's."""
    if isinstance(x, (nj.ndarray, nj.generic)):
        return np.asarray(x)
    if isinstance(x, (list, tuple)):
        return [to_numpy(v) for v in x]
    return x


def outcome(call):
    """("value", result) or ("error", exception)."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return "value", call()
        except RecursionError:
            raise
        except Exception as e:  # noqa: BLE001
            return "error", e


def precision(args):
    """The coarsest epsilon among float arrays: a wider output does not make a narrow computation exact."""
    found = 0.0
    for a in args:
        if isinstance(a, (np.ndarray, np.generic)) and a.dtype.kind in "fc":
            found = max(found, float(np.finfo(a.dtype).eps))
    return found


def difference(got, expected, ulps=4, coarse=0.0, floor=0):
    """What differs between two results; empty if nothing does."""
    if isinstance(expected, (list, tuple)):
        if not isinstance(got, (list, tuple)) or len(got) != len(expected):
            return f"got {got!r}, expected {expected!r}"
        return next((d for g, e in zip(got, expected) if (d := difference(g, e, ulps, coarse, floor))), "")
    if not isinstance(expected, (np.ndarray, np.generic)):
        got = got.item() if isinstance(got, (np.ndarray, np.generic)) and got.ndim == 0 else got
        same = got == expected or (got != got and expected != expected)
        return "" if type(got) is type(expected) and same else f"got {got!r}, expected {expected!r}"
    got, expected = np.asarray(got), np.asarray(expected)
    if got.dtype != expected.dtype:
        return f"dtype {got.dtype}, expected {expected.dtype}"
    if got.shape != expected.shape:
        return f"shape {got.shape}, expected {expected.shape}"
    if expected.dtype.kind in "biu":
        return "" if (got == expected).all() else f"got {got!r}, expected {expected!r}"
    parts = [(got, expected)] if expected.dtype.kind == "f" else [(got.real, expected.real), (got.imag, expected.imag)]
    eps = max(float(np.finfo(expected.dtype).eps), coarse)
    with np.errstate(all="ignore"):
        scale = np.abs(expected).astype(np.float64) + np.finfo(expected.dtype).tiny
        for g, e in parts:
            g, e = g.astype(np.float64), e.astype(np.float64)
            close = (np.abs(g - e) <= ulps * eps * scale + floor * eps) | (g == e) | (np.isnan(g) & np.isnan(e))
            if not close.all():
                return f"got {got!r}, expected {expected!r}"
    return ""


def compare(name, args, kwargs=None, ulps=4, own=None, other=None, floor=0, either=()):
    """What differs between both libraries for one call; empty if nothing does."""
    kwargs = kwargs or {}
    own = own or _find(nj, name)
    other = other or _find(np, name)
    kind, expected = outcome(lambda: other(*args, **kwargs))
    got_kind, got = outcome(lambda: own(*to_numjit(args), **to_numjit(kwargs)))
    if kind == "error":
        wanted = next((b for b in BUILTIN if isinstance(expected, b)), Exception)
        if got_kind != "error":
            return f"no error, expected {type(expected).__name__}: {expected}"
        return "" if isinstance(got, wanted) or isinstance(got, either) and isinstance(expected, either) else f"{type(got).__name__}: {got}; expected {type(expected).__name__}: {expected}"
    if got_kind == "error":
        return f"{type(got).__name__}: {got}; expected {expected!r}"
    return difference(to_numpy(got), expected, ulps, precision(args), floor)


def _find(module, name):
    for part in name.split("."):
        module = getattr(module, part)
    return module


class Tally:
    """Counts cases and keeps what differs."""

    def __init__(self):
        self.cases, self.wrong = 0, []

    def check(self, name, args, kwargs=None, label="", **options):
        """One case."""
        self.cases += 1
        found = compare(name, args, kwargs, **options)
        if found:
            shown = ", ".join([describe(a) for a in args] + [f"{k}={describe(v)}" for k, v in (kwargs or {}).items()])
            self.wrong.append(f"{name}({shown}){' ' + label if label else ''}: {found}")


    def report(self):
        """What differs, each function's first cases, short."""
        lines, seen = [], {}
        for line in self.wrong:
            name = line.partition("(")[0]
            seen[name] = seen.get(name, 0) + 1
            if seen[name] <= 3:
                lines.append(line[:400])
        return f"{len(self.wrong)} of {self.cases} cases differ: {seen}\n" + "\n".join(lines)


def describe(x):
    """An argument in a few words."""
    if isinstance(x, np.ndarray):
        return f"{x.dtype}{list(x.shape)}"
    if isinstance(x, (list, tuple)):
        return "[" + ", ".join(map(describe, x)) + "]"
    return repr(x)


def product(*lists):
    """itertools.product."""
    return itertools.product(*lists)
