"""Random functions of numbers: np.vectorize gives what NumPy's gives, bit for bit, its errors included; compiled, too.

They have ifs, loops over ranges that differ between lanes, while loops, breaks, results in the middle, ints, floats and bools mixed,
and divisions that fail for some of the numbers. Settings: hunt.py."""
import itertools
import linecache
import os
from unittest import mock

import numpy
import numjit as nj
from numjit import _lane_packing, _lane_program, _vectorize

from hunt import hunt

NUMBERS = itertools.count()
INTS, FLOATS = ("0", "1", "2", "3", "-1", "7", "-4"), ("0.0", "0.5", "-1.5", "2.0", "1e3", "-0.0")
COMPARE = ("<", "<=", ">", ">=", "==", "!=")
SAME_WORDS = {"FloatingPointError", "ZeroDivisionError", "ValueError", "UnboundLocalError", "TypeError", "IndexError", "AssertionError"}


class Writer:
    """A random function's text."""

    def __init__(self, rng, parameters):
        self.rng, self.names, self.loops, self.fresh = rng, list(parameters), 0, itertools.count()
        self.results = 1 if rng.random() < 0.85 else 2

    def result(self):
        return self.number() if self.results == 1 else f"({self.number()}, {self.number(1)})"

    def number(self, depth=2):
        pick = self.rng.random()
        if depth == 0 or pick < 0.25:
            return self.rng.choice(self.names) if self.rng.random() < 0.7 else self.rng.choice(INTS + FLOATS)
        a, b = self.number(depth - 1), self.number(depth - 1)
        if self.loops:  # ints are not to grow without bounds
            b = self.rng.choice(INTS + FLOATS)
        if pick < 0.7:
            return f"({a} {self.rng.choice('+-*+-*+-*/')} {b})"
        if pick < 0.76:
            return f"({a} {self.rng.choice(('//', '%'))} {b})"
        if pick < 0.82:
            return self.rng.choice((f"min({a}, {b})", f"max({a}, {b})", f"abs({a})", f"(-{a})", f"float({a})", f"int({a})", f"round({a})"))
        if pick < 0.9:
            return f"({a} if {self.test(1)} else {b})"
        if pick < 0.95:
            return f"({a} {self.rng.choice(('and', 'or'))} {b})"
        if not self.loops and self.rng.random() < 0.2:
            return f"((0 + {a}) ** 2)"
        return self.rng.choice((f"T[int({a}) % 5]", f"helper({a}, {b})", f"({a} == {b})"))

    def test(self, depth=2):
        if depth and self.rng.random() < 0.3:
            return f"({self.test(depth - 1)} {self.rng.choice(('and', 'or'))} {self.test(depth - 1)})"
        if self.rng.random() < 0.1:
            return f"not {self.test(0)}"
        if self.rng.random() < 0.1:
            return f"{self.number(1)} < {self.number(1)} <= {self.number(1)}"
        return f"{self.number(1)} {self.rng.choice(COMPARE)} {self.number(1)}"

    def assigned(self):
        if self.rng.random() < 0.35 and len(self.names) < 6:
            return f"v{next(self.fresh)}"
        return self.rng.choice(self.names)

    def block(self, depth, indent):
        lines = []
        for _ in range(self.rng.randrange(1, 4)):
            lines += self.statement(depth, indent)
        return lines

    def statement(self, depth, indent):
        pick, pad = self.rng.random(), "    " * indent
        if depth == 0 or pick < 0.4:
            name = self.assigned()
            if name in self.names and self.rng.random() < 0.3:
                return [f"{pad}{name} {self.rng.choice('+-' if self.loops else '+-*')}= {self.number(1)}"]
            line = f"{pad}{name} = {self.number()}"
            if name not in self.names:
                self.names.append(name)
            return [line]
        if pick < 0.65:
            known = list(self.names)
            lines = [f"{pad}if {self.test()}:", *self.block(depth - 1, indent + 1)]
            first, self.names = self.names, list(known)
            if self.rng.random() < 0.6:
                lines += [f"{pad}else:", *self.block(depth - 1, indent + 1)]
                self.names = [n for n in self.names if n in first]
            self.names = known if self.rng.random() < 0.95 else self.names
            return lines
        if pick < 0.72:
            return [f"{pad}if {self.test()}:", f"{pad}    return {self.result()}"]
        if pick < 0.77 and self.loops:
            return [f"{pad}if {self.test()}:", f"{pad}    {self.rng.choice(('break', 'continue'))}"]
        if pick < 0.8:
            a, b = self.rng.sample(self.names, 2) if len(self.names) > 1 else (self.names[0], "w")
            return [f"{pad}{a}, {b} = {self.number(1)}, {self.number(1)}"]
        return self.loop(depth, indent, pad)

    def loop(self, depth, indent, pad):
        known, index = list(self.names), f"i{next(self.fresh)}"
        if self.rng.random() < 0.7:
            bound = self.rng.choice(("4", "9", f"int({self.number(0)}) % 7", f"int({self.number(0)}) % 5, 6", f"6, int({self.number(0)}) % 9, -1"))
            head = [f"{pad}for {index} in range({bound}):"]
            start = []
            self.names.append(index)
        else:  # whose counter is nobody else's, so that it ends
            head, start = [f"{pad}{index} = 0", f"{pad}while {index} < 12 and {self.test(1)}:"], [f"{pad}    {index} += 1"]
        self.loops += 1
        body = self.block(depth - 1, indent + 1)
        self.loops -= 1
        lines = head + start + body
        self.names = known
        if self.rng.random() < 0.15:
            lines += [f"{pad}else:", f"{pad}    {self.rng.choice(known)} = {self.number(1)}"]
        return lines


def draw(rng):
    """The text of a function, and of one that it may call."""
    count = rng.randrange(1, 4)
    parameters = list("xyz")[:count]
    writer = Writer(rng, parameters)
    body = writer.block(3, 1)
    lines = [f"def f({', '.join(parameters)}):", *body, f"    return {writer.result()}"]
    helper = ["def helper(a, b=2.0):", "    if a < 0:", "        return a * b", "    return a + b", "T = (3, 1, 4, 1, 5)"]
    return "\n".join(helper + lines) + "\n"


def function_of(text):
    """The function, with its source where Python looks for it."""
    name = f"<random function {next(NUMBERS)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {}
    exec(compile(text, name, "exec"), space)
    return space["f"]


def arguments(rng, count):
    data = numpy.random.default_rng(rng.randrange(2**32))
    made = []
    for _ in range(count):
        kind = rng.random()
        if kind < 0.4:
            made.append(data.uniform(-4, 4, 40).round(rng.choice((0, 1, 3))))
        elif kind < 0.8:
            made.append(data.integers(-6, 7, 40))
        elif kind < 0.9:
            made.append(data.integers(-2**62, 2**62, 40) if kind < 0.85 else data.integers(-100, 100, 40).astype("i1"))
        else:
            made.append(data.uniform(-4, 4, 40).astype("f4") if kind < 0.95 else data.random(40) < 0.5)
    return made


def outcome(call, *given):
    """Dtypes and bits, or an error's type and text without the name of what numjit puts before it."""
    try:
        with numpy.errstate(all="ignore"):
            made = call(*given)
    except RecursionError:
        raise
    except Exception as e:  # noqa: BLE001
        text = str(e).split("] ", 1)[-1] if str(e).startswith("[") else str(e)
        return f"{type(e).__name__}: {text.replace('numjit.', 'numpy.')}"
    return [(str(a.dtype), a.shape, numpy.asarray(a).tobytes()) for a in (made if isinstance(made, tuple) else (made,))]


def case(rng):
    text = draw(rng)
    f = function_of(text)
    args = arguments(rng, f.__code__.co_argcount)
    expected = outcome(numpy.vectorize(f), *args)
    with (mock.patch.object(_lane_program, "MANY", rng.choice((16, 1024))), mock.patch.object(_vectorize, "FEW", 0),
          mock.patch.object(_lane_packing, "WORTH", rng.choice((4, 4096)))):
        with nj.config_scope(disable=rng.random() < 0.95):
            found = outcome(nj.vectorize(f), *map(nj.array, args))
    shown = f"{text}arguments = {[a.tolist() for a in args]}, {[str(a.dtype) for a in args]}\nNumPy: {expected}\nnumjit: {found}\n"
    assert _same(expected, found), shown
    if rng.random() < 0.1:
        vectorized = nj.vectorize(f)
        compiled = nj.compile(lambda *given: vectorized(*given), backend=rng.choices(("eager", "graph", "halide"), (8, 4, 1))[0])
        for _ in range(2):
            again = outcome(compiled, *map(nj.array, args))
            assert again == found, f"{shown}compiled: {again}\n"


def _same(expected, found):
    if isinstance(expected, list):  # there are no arrays of objects
        return expected == found or expected[0][0] == "object"
    if "out of bounds for int8" in expected:  # a list of floats and ints is stored as floats, whatever its ints are
        return True
    return isinstance(found, str) and _tells(expected) == _tells(found)


def _tells(error):
    """Errors of conversions have numjit's own words."""
    name = error.partition(":")[0]
    return error if name in SAME_WORDS else name


if __name__ == "__main__":
    if "HUNT_SECONDS" not in os.environ and "HUNT_CASE" not in os.environ:  # a test among others: the same cases each time
        os.environ["HUNT_SECONDS"] = "10"
        os.environ.setdefault("HUNT_SEED", "1")
    hunt(case)
