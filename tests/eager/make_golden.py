"""Writes golden/numpy.txt: what NumPy gives for every elementwise loop, cast, reduction and scan.

Run with the project's Python: .venv/bin/python tests/eager/make_golden.py
Lines, fields split by one space, values as little-endian hex of the whole array:
  pool <name> <char> <hex>                  inputs; name a, b or c
  ufunc <op> <in>:<out> <hex>               op over the pools of its input dtypes
  cast <pool> <from> <to> <hex>             astype of a pool
  reduce <op> <char> <axes> <keep> <out> <shape> <hex>   of pool s as (2, 3, 4); axes "all", "none" or "0,2"
  scan <op> <char> <axis> <out> <shape> <hex>
"""
import re
import sys
import warnings
from pathlib import Path

import numpy as np

warnings.filterwarnings("ignore")
np.seterr(all="ignore")
root = Path(__file__).resolve().parents[2]
CHARS = "?bBhHiIlLefdFD"
N = 16


def real_pool(name: str, dtype: np.dtype) -> np.ndarray:
    special = {"a": [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5], "b": [2.0, -0.0, 0.0, 3.0, 2.0, -0.5, 1.0, np.nan],
               "c": [1.0, 0.5, 0.0, -2.0, 4.0, 0.25, 2.0, 1.0]}[name]
    rng = np.random.default_rng(ord(name))
    return np.array(special + list(rng.uniform(-3, 3, N - 8)), dtype=dtype)


def integer_pool(name: str, dtype: np.dtype) -> np.ndarray:
    info = np.iinfo(dtype)
    special = {"a": [0, 1, info.min, info.max, info.max - 1, 7, 12, 100], "b": [0, 3, 1, 2, 3, info.max, 5, 7],
               "c": [1, 2, 3, 4, 5, 6, 7, 8]}[name]
    rng = np.random.default_rng(ord(name))
    low = max(info.min, -20) if name == "a" else 0
    return np.array(special + list(rng.integers(low, 20, N - 8)), dtype=dtype)


def pool(name: str, char: str) -> np.ndarray:
    dtype = np.dtype(char)
    rng = np.random.default_rng(ord(name) + 1)
    if char == "?":
        return rng.integers(0, 2, N).astype(bool)
    if dtype.kind in "iu":
        return integer_pool(name, dtype)
    if dtype.kind == "f":
        return real_pool(name, dtype)
    part = rng.uniform(-2, 2, (2, N))
    part[:, :3] = [[0, 1, -1], [0, 0, 0]]
    return (part[0] + 1j * part[1]).astype(dtype)


def hex_of(a: np.ndarray) -> str:
    return np.ascontiguousarray(a).tobytes().hex() or "-"


def loops() -> list[tuple[str, list[str]]]:
    """(op, its loops) as the rows declare them."""
    macros = dict(re.findall(r"#define (L\w+) ((?:.|\\\n)*?)(?=\n#|\n\Z|\Z)", (root / "src/numjit/ops/loops.inc").read_text()))

    def text(expression: str) -> str:
        return "".join(piece[1:-1] if piece[0] == '"' else text(macros[piece])
                       for piece in re.findall(r'"[^"]*"|L\w+', expression))

    source = (root / "src/numjit/ops/elementwise.def").read_text()
    found = re.findall(r"^UFUNC\d\((\w+), \w+, [\w| ]+,\s*((?:\s*(?:\"[^\"]*\"|L\w+))+),", source, re.M)
    return [(name, text(expression).split()) for name, expression in found]


def ufunc_lines(pools: dict) -> list[str]:
    lines = []
    for name, types in loops():
        for loop in types:
            ins, out = loop.split(":")
            args = [pools["abc"[i], char] for i, char in enumerate(ins)]
            if name == "where":
                result = np.where(*args)
            elif name == "clip":
                result = np.clip(*args)
            else:
                if name == "power" and np.dtype(ins[1]).kind == "i":
                    args[1] = np.abs(args[1])
                result = getattr(np, name)(*args)
            assert result.dtype == np.dtype(out), (name, loop, result.dtype)
            lines.append(f"ufunc {name} {loop} {hex_of(result)}")
    return lines


def reduction_lines(samples: dict) -> list[str]:
    lines = []
    for char in CHARS:
        a = samples[char].reshape(2, 3, 4)
        for op in ("sum", "prod", "max", "min", "any", "all", "argmax", "argmin"):
            for axes in (None, 0, 1, -1) if op.startswith("arg") else (None, 0, 1, -1, (0, 2), (1, 2), ()):
                for keep in (False, True):
                    if (char in "FD" and op == "prod") or (keep and axes not in (1, (0, 2))):
                        continue  # a complex product's rounding differs by the order of the factors
                    result = np.asarray(getattr(np, op)(a, axis=axes, keepdims=keep))
                    text = "all" if axes is None else "none" if axes == () else ",".join(map(str, np.atleast_1d(axes)))
                    shape = ",".join(map(str, result.shape)) or "-"
                    lines.append(f"reduce {op} {char} {text} {int(keep)} {result.dtype.char} {shape} {hex_of(result)}")
        for op in ("cumsum", "cumprod"):
            for axis in (None, 0, 1, 2):
                if char in "FD" and op == "cumprod":
                    continue
                result = getattr(np, op)(a, axis=axis)
                shape = ",".join(map(str, result.shape))
                lines.append(f"scan {op} {char} {'all' if axis is None else axis} {result.dtype.char} {shape} {hex_of(result)}")
    return lines


def sample(char: str) -> np.ndarray:
    """24 values whose sums and products are exact in every dtype."""
    rng = np.random.default_rng(5)
    if char == "?":
        return rng.integers(0, 2, 24).astype(bool)
    values = rng.choice([1, 1, 1, 2, 1, 0 if char in "bBhHiIlL" else 1], 24)
    if np.dtype(char).kind in "fc":
        values = values * rng.choice([1.0, -1.0], 24)
    return (values + (1j * rng.integers(-3, 3, 24) if char in "FD" else 0)).astype(char)


def main() -> None:
    lines = [f"# written by tests/eager/make_golden.py with NumPy {np.__version__}"]
    pools = {(name, char): pool(name, char) for name in "abc" for char in CHARS}
    lines += [f"pool {name} {char} {hex_of(a)}" for (name, char), a in pools.items()]
    lines += ufunc_lines(pools)
    # What C leaves undefined NumPy answers in two ways on x86-64; for float16 to uint32 it takes the other one.
    lines += [f"cast {'c' if f + t == 'eI' else 'a'} {f} {t} {hex_of(pools['c' if f + t == 'eI' else 'a', f].astype(t))}"
              for f in CHARS for t in CHARS]
    samples = {char: sample(char) for char in CHARS}
    lines += [f"pool s {char} {hex_of(a)}" for char, a in samples.items()]
    lines += reduction_lines(samples)
    path = root / "tests/eager/golden/numpy.txt"
    path.write_text("\n".join(lines) + "\n")
    print(f"{path}: {len(lines)} lines, {path.stat().st_size // 1024} KiB", file=sys.stderr)


if __name__ == "__main__":
    main()
