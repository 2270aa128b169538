"""Calls against NumPy's: NEP 50 in full, a table of functions with arguments made at random, views, compiled calls."""
# ctest: TIMEOUT 900
import functools
import itertools
import json
import os
import pathlib
import subprocess
import sys
import unittest
import warnings

import numpy as np

import oracle
from differential import DTYPES, difference, outcome, to_numjit, to_numpy
from oracle import BINARY, COMPARISONS, UNARY, Case, Makers, compare_call, function, known, run_cases

import numjit as nj

LITERALS = [True, False, 0, 1, -1, 127, 128, -128, -129, 255, 256, 32767, 32768, -32769, 65535, 65536, 2**31 - 1, 2**31, -2**31 - 1, 2**32, 2**63 - 1, 2**63,
            -2**63, 2**64 - 1, 0.0, 1.5, 1e300, float("nan"), 1j, 2.5 - 1j]
PROBLEMATIC = {"left_shift", "right_shift", "bitwise_left_shift", "bitwise_right_shift", "ldexp", "power", "pow", "float_power"}
HOME = pathlib.Path(os.environ.get("NUMJIT_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
SEED = int(os.environ.get("FUZZ_SEED", 20240611))


def same_outcome(name, args):
    """Empty if value, dtype, shape and error of a ufunc are NumPy's."""
    return compare_call(function(name), args, {}, ulps=32)


class Nep50(unittest.TestCase):
    """All pairs of dtypes, as arrays and as 0-D arrays, and all dtypes with literals of every kind."""

    def finish(self, cases, wrong, least):
        print(f"{self._testMethodName}: {cases} cases")
        self.assertGreater(cases, least)
        self.assertFalse(wrong, f"{len(wrong)} of {cases} differ:\n" + "\n".join(wrong[:30]))

    def test_pairs(self):
        cases, wrong = 0, []
        for x, y in itertools.product(DTYPES, DTYPES):
            a, b = np.array([3, 2, 5]).astype(x), np.array([2, 3, 1]).astype(y)
            forms = [(a, b), (a, b[0].reshape(())), (a[0].reshape(()), b), (a[0].reshape(()), b[1].reshape(()))]
            for name in BINARY:
                for p, q in forms:
                    cases += 1
                    found = same_outcome(name, [p, q])
                    if found:
                        wrong.append(f"{name}({x}{list(p.shape)}, {y}{list(q.shape)}): {found}")
        self.finish(cases, wrong, 30000)

    def test_literals(self):
        cases, wrong = 0, []
        for x, literal in itertools.product(DTYPES, LITERALS):
            a = np.array([1, 2]).astype(x)
            for name in BINARY:
                if name in PROBLEMATIC and not (isinstance(literal, int) and 0 <= literal < 2):
                    continue  # shifts beyond the width, powers that overflow: undefined or another's rounding
                for args in ([a, literal], [literal, a], [a[0].reshape(()), literal]):
                    if name == "ldexp" and args[0] is literal:
                        continue  # NumPy's loops of float and int make float16 of a literal: known to differ
                    cases += 1
                    found = same_outcome(name, args)
                    if found:
                        wrong.append(f"{name}({', '.join(x if isinstance(v, np.ndarray) else repr(v) for v in args)}): {found}")
        self.finish(cases, wrong, 40000)

    def test_result_type_of_literals(self):
        cases, wrong = 0, []
        for x, y, literal in itertools.product(DTYPES, DTYPES, [True, 1, 1.5, 1j]):
            cases += 1
            args = [np.dtype(x), np.ones(2, y), literal]
            ours, theirs = nj.result_type(*to_numjit(args)).name, np.result_type(*args).name
            if ours != theirs:
                wrong.append(f"result_type({x}, {y}, {literal}): got {ours}, expected {theirs}")
        self.finish(cases, wrong, 700)


class Table(unittest.TestCase):
    """The functions of oracle.py."""

    def test_random_calls(self):
        cases, wrong = run_cases(SEED, cases=40000)
        print(f"{cases} calls of {len(oracle.NAMES)} functions")
        self.assertGreater(cases, 36000)
        self.assertFalse(wrong, "\n".join(wrong))

    def test_cases_can_be_made_again(self):
        first, again = Case(7, 11), Case(7, 11)
        self.assertEqual(first.text(), again.text())

    def test_the_comparison_finds_faults(self):
        a = np.arange(4.0)
        self.assertEqual(compare_call(function("sin"), [a], {}), "")
        self.assertIn("expected", compare_call(lambda m, x: m.sin(x) if m is np else m.cos(x), [a], {}))
        self.assertIn("dtype", compare_call(lambda m, x: m.sum(x) if m is np else m.sum(x, dtype="float32"), [a], {}))
        self.assertIn("text: ", compare_call(lambda m, x: m.broadcast_to(x, (2,)) if m is np else m.reshape(x, (3,)), [a], {}))
        self.assertIn("expected TypeError", compare_call(lambda m, x: m.sin(x, x, x, x) if m is np else x, [a], {}))


class Stored(unittest.TestCase):
    """The calls that C++ and JavaScript answer, too: tests/compat/golden, whose maker says how a line reads."""

    def value(self, json, targets):
        if isinstance(json, list):
            made = [self.value(item, targets) for item in json]
            return tuple(made) if not any(isinstance(x, (nj.ndarray, str)) for x in made) else made
        if not isinstance(json, str):
            return json
        letter, text = json.split(":", 1)
        if letter not in "aw":
            return {"t": str, "d": nj.dtype, "f": float, "i": int, "c": lambda t: complex(*map(float, t.split(",")))}[letter](text)
        dtype, shape, layout, elements = text.split(":")
        parts = [complex(*map(float, x.split(","))) for x in elements.split()] if dtype.startswith("complex") else elements.split()
        shape = [int(n) for n in shape.split(",") if n]
        a = np.array([x == "1" for x in parts] if dtype == "bool" else parts).astype(dtype).reshape(shape)
        every = (slice(None, None, -1 if layout == "R" else 2),) * len(shape)
        if layout == "F":
            a = np.asfortranarray(a)
        elif layout in "RS":
            wide = np.zeros([n * (1 if layout == "R" else 2) for n in shape], dtype)
            wide[every] = a
            a = wide[every]
        made = nj.asarray(a)
        if letter == "w":
            targets.append(made)
        return made

    def call(self, line):
        targets = []
        args = [self.value(a, targets) for a in line["a"]]
        options = {k: self.value(v, targets) for k, v in line.get("o", {}).items()}
        home, name = (nj.ndarray, line["f"][1:]) if line["f"].startswith(".") else (nj, line["f"])
        return [functools.reduce(getattr, name.split("."), home)(*args, **options), *targets]

    def precision(self, json):
        if isinstance(json, list):
            return max(map(self.precision, json), default=0)
        dtype = json.split(":")[1] if isinstance(json, str) else ""
        return np.finfo(dtype).eps if dtype.startswith(("float", "complex")) else 0

    def difference(self, got, json, coarse):
        if json is None or isinstance(json, list):
            got = list(got) if isinstance(got, (list, tuple)) else got
            if json is None or not isinstance(got, list) or len(got) != len(json):
                return "" if got is json else f"got {got}, expected {json}"
            return next((found for x, y in zip(got, json) if (found := self.difference(x, y, coarse))), "")
        a, b = np.asarray(got), np.asarray(self.value(json, []))
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"got {a.dtype}{a.shape}, expected {b.dtype}{b.shape}"
        tolerance = 64 * max(coarse, self.precision(json))
        parts = [(a.real, b.real), (a.imag, b.imag)] if a.dtype.kind == "c" else [(a.astype("O"), b.astype("O")) if a.dtype.kind in "iu" else (a, b)]
        with np.errstate(all="ignore"):
            near = all(np.all((x == y) | ((x != x) & (y != y)) | (abs(x - y) <= tolerance * (abs(y) + 1 / 16))) for x, y in parts) if a.dtype != bool else np.array_equal(a, b)
        return "" if near else f"got {a}, expected {b}"

    def check(self, name, least):
        text = (HOME / "tests/compat/golden" / name).read_text()
        lines, wrong = [line for line in text.splitlines() if line.startswith("{")], []
        for text in lines:
            line = json.loads(text)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                kind, got = outcome(lambda: self.call(line))
            if kind == "error" or "e" in line:
                found = "" if "e" in line and kind == "error" and line["e"] in [c.__name__ for c in type(got).__mro__] else f"got {kind} {got!r}, expected {line.get('e', 'none')}"
            else:
                found = self.difference(got, line["r"], self.precision([*line["a"], *line.get("o", {}).values()]))
            if found:
                wrong.append(f"{text[:300]}\n    {found}")
        print(f"{len(lines)} calls of {name}")
        self.assertGreater(len(lines), least)
        self.assertFalse(wrong, f"{len(wrong)} of {len(lines)} differ:\n" + "\n".join(wrong[:40]))

    def test_the_files_are_what_their_maker_writes(self):
        made = subprocess.run([sys.executable, HOME / "tests/compat/make_oracle_goldens.py", "--check"], capture_output=True, text=True)
        self.assertEqual((made.returncode, made.stdout, made.stderr), (0, "", ""))

    def test_ufuncs_and_reductions_of_all_dtypes(self):
        self.check("oracle.txt", 4000)

    def test_every_option_of_every_function(self):
        self.check("options.txt", 2000)


class Compiled(unittest.TestCase):
    """The same calls inside compiled functions, many in one graph."""

    def setUp(self):
        nj.reset()
        nj.config.compile = "sync"

    def batch(self, cases, **options):
        """What differs between a batch run inside one compiled function and NumPy's results."""
        expected = [outcome(lambda c=c: c.call(np, *c.args, **c.kwargs))[1] for c in cases]
        arguments = [to_numjit([np.asarray(a) if isinstance(a, np.generic) else a for a in c.args]) for c in cases]

        @nj.compile(**options)
        def run(arguments):
            return [c.call(nj, *args, **c.kwargs) for c, args in zip(cases, arguments)]
        got = run(arguments)
        return [f"{c.text()}: {found}" for c, g, e in zip(cases, got, expected)
                if (found := difference(to_numpy(g), e, c.ulps, coarse=oracle.precision(c.args), floor=c.ulps))]

    def good_cases(self, count, names, seed):
        """Calls that NumPy carries out and that numjit has no known reason to do otherwise."""
        made, number = [], 0
        while len(made) < count:
            case = Case(seed, number, names[number % len(names)])
            number += 1
            if "out" in case.kwargs or "where" in case.kwargs or "casting" in case.kwargs or known(case):
                continue
            case.kwargs = {k: to_numjit(v) for k, v in case.kwargs.items()} if case.name in ("sum", "prod", "cumsum") else case.kwargs
            if any(isinstance(v, np.dtype) for v in case.kwargs.values()) or any(isinstance(a, np.dtype) for a in case.args):
                continue
            kind, _ = outcome(lambda: case.call(np, *case.args, **case.kwargs))
            if kind == "value" and not case.in_place:
                made.append(case)
        return made

    def check(self, batches, size, names, **options):
        cases, wrong = 0, []
        for i in range(batches):
            wrong += self.batch(self.good_cases(size, names, SEED + i), **options)
            cases += size
        print(f"{self._testMethodName}: {cases} cases")
        self.assertFalse(wrong, f"{len(wrong)} of {cases} differ:\n" + "\n".join(wrong[:20]))

    def test_recorded_and_run_one_by_one(self):
        names = UNARY + [n for n in BINARY if n not in PROBLEMATIC] + ["sum", "prod", "max", "min", "all", "any", "mean", "var", "cumsum", "argmax", "reshape",
            "ravel", "transpose", "moveaxis", "flip", "concatenate", "stack", "where", "clip", "take", "sort", "tril", "diff", "roll", "matmul", "repeat", "pad",
            "unique", "nonzero", "searchsorted", "count_nonzero", "isin", "interp", "round", "diagonal", "getitem"]
        self.check(40, 100, names, backend="graph")

    def test_kernels(self):
        self.check(6, 60, ["add", "multiply", "maximum", "less", "negative", "abs", "square", "where", "sum", "max", "clip", "logical_and"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
