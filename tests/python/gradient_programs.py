"""Random differentiable programs as text, which run with NumPy and with numjit alike: what gradient_hunt.py draws from.

A program is a list of statements, each taken only if NumPy carries out the program with it, in finite numbers of moderate size.
"""
import re
import warnings

import numpy

from gradient_forms import BLOCKS, ELEMENTWISE, MOVING, PRODUCTS, REDUCTIONS, STATEMENTS_WITHOUT, STORES

LIMIT = 40.0  # of all values: differences of larger ones are not exact enough


class Refused(Exception):
    """A hole that nothing fits, or a statement that NumPy does not carry out, or not in moderate numbers."""


class Program:
    """Statements, the terms of the result, and the arguments, which are NumPy arrays."""

    def __init__(self, arguments, statements=(), terms=()):
        self.arguments, self.statements, self.terms = arguments, list(statements), list(terms)

    def source(self, returned=None):
        body = "\n".join([*self.statements, f"return {returned or ' + '.join(self.terms)}"])
        return f"def f({', '.join(self.arguments)}):\n" + re.sub("^", "    ", body, flags=re.MULTILINE) + "\n"

    def function(self, module, returned=None, stop=lambda x: x):
        """The program as a function of that module's arrays."""
        scope = {"np": module, "stop": stop}
        exec(compile(self.source(returned), "<program>", "exec"), scope)  # noqa: S102
        return scope["f"]

    def values(self):
        """What the variables are in the end, with NumPy."""
        return checked(self.function(numpy, "locals()"), self.copies())

    def copies(self):
        return [numpy.array(a) for a in self.arguments.values()]  # in the memory order they have

    def has(self, pattern):
        return re.search(pattern, self.source()) is not None


class Kept:
    """stop_gradient for NumPy: what it was given in the first run, in that order, in each later one."""

    def __init__(self):
        self.values, self.at = [], None

    def __call__(self, x):
        if self.at is None:
            self.values.append(numpy.array(x))
            return x
        self.at += 1
        return self.values[self.at - 1]

    def again(self):
        self.at = 0


def checked(function, arguments):
    """What a function gives under NumPy. Refused where it fails, or where numbers are not of moderate size."""
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found = function(*arguments)
        except Exception as e:  # noqa: BLE001
            raise Refused(str(e)) from e
    for value in found.values() if isinstance(found, dict) else [found]:
        if isinstance(value, (numpy.ndarray, numpy.generic)) and value.dtype.kind in "fc":
            if value.size > 60 or not numpy.isfinite(value).all() or (value.size and numpy.abs(value).max() > LIMIT):
                raise Refused("numbers")
    return found


class Drawer:
    """Draws a program, statement by statement."""

    def __init__(self, rng, kind):
        self.rng, self.kind, self.count = rng, kind, 0
        self.program = Program({name: self._argument() for name in "xyz"[:rng.choice((1, 1, 2, 2, 3))]})
        self.values = self.program.values()

    def _argument(self):
        rng = self.rng
        shape = rng.choice(((), (1,), (2,), (3,), (3,), (4,), (4,), (5,), (2, 2), (2, 3), (3, 3), (3, 2), (1, 3), (2, 1, 2)))
        made = numpy.random.default_rng(rng.randrange(2**32)).uniform(-1.4, 1.4, shape)
        dtype = {"double": "f8", "single": "f4", "complex": rng.choice(("c16", "c16", "f8"))}[self.kind]
        if dtype == "c16":
            made = made + 1j * numpy.random.default_rng(rng.randrange(2**32)).uniform(-1.4, 1.4, shape)
        if rng.random() < 0.15 and len(shape) > 1:
            made = numpy.asfortranarray(made)
        return numpy.array(made).astype(dtype)

    def draw(self, length):
        for _ in range(8 * length):
            if len(self.program.statements) >= length:
                break
            self._try(self._statement)
        self._result()
        return self.program

    def _try(self, make):
        """Takes a statement if it works."""
        before = self.program.statements[:]
        try:
            self.program.statements.append(make())
            self.values = self.program.values()
        except Refused:
            self.program.statements = before

    def add(self, template):
        """Takes this one, or not."""
        self._try(lambda: self._assigned(template))

    def _statement(self):
        rng = self.rng
        kind = rng.random()
        if kind < 0.28:
            return self._filled(rng.choice(STORES))
        if kind < 0.40:
            return self._filled(rng.choice(BLOCKS))
        return self._assigned(rng.choice(rng.choice((ELEMENTWISE, ELEMENTWISE, REDUCTIONS, MOVING, MOVING, PRODUCTS))))

    def _assigned(self, template):
        filled = self._filled(template)
        return filled if template.startswith(STATEMENTS_WITHOUT) else f"{self._new()} = {filled}"

    def _new(self):
        self.count += 1
        return f"v{self.count}"

    # ---- holes ----
    def _arrays(self, fits=lambda value: True):
        names = [name for name, v in self.values.items()
                 if isinstance(v, (numpy.ndarray, numpy.generic)) and v.dtype.kind in "fc" and fits(v)]
        return names[-6:] if len(names) > 6 and self.rng.random() < 0.6 else names

    def _one(self, fits=lambda value: True):
        names = self._arrays(fits)
        if not names:
            raise Refused("nothing fits")
        return self.rng.choice(names)

    def _filled(self, template):
        rng = self.rng
        made = {}
        target = "{t}" in template
        if target:
            made["t"] = self._one(lambda v: isinstance(v, numpy.ndarray) and v.flags.writeable)
        of = self.values[made["t"]] if target else None
        for hole in re.findall(r"\{(\w+)\}", template):
            if hole not in made:
                made[hole] = self._hole(hole, made, of)
            if hole == "n":  # each another
                template = template.replace("{n}", self._hole("n", made, of), 1)
        return re.sub(r"\{(\w+)\}", lambda m: made[m.group(1)], template)

    def _hole(self, hole, made, of):
        rng, values = self.rng, self.values
        if hole == "a" and "a" not in made:
            return self._one()
        if "a" not in made and hole in "beixl" or hole in ("m", "shape") and "a" not in made:
            made["a"] = self._one()
        a = values.get(made.get("a"))
        if hole == "b":
            return self._one(lambda v: rng.random() < 0.1 or v.shape == a.shape or v.ndim == 0)
        if hole == "e":
            return self._one(lambda v: v.shape == a.shape)
        if hole in "vw":
            size = values[made["v" if hole == "w" else "w"]].size if ("v" if hole == "w" else "w") in made else None
            return self._one(lambda v: v.ndim == 1 and v.size > 0 and (size is None or v.size == size))
        if hole == "q":
            return self._one(lambda v: v.ndim == 2)
        if hole == "s":
            one = rng.choice(self._arrays(lambda v: v.size > 0) or [None])
            if one is None:
                raise Refused("nothing fits")
            shape = values[one].shape
            return one if shape == () else rng.choice((f"{one}[{', '.join('0' * len(shape))}]", f"{one}.mean()", f"{one}.sum()"))
        if hole in "uc":
            one = self._one(lambda v: v.shape == of.shape or rng.random() < 0.2)
            return one + ".copy()" * (hole == "c")
        if hole == "z":
            return self._one(lambda v: v.shape == of.shape != () and v.dtype == of.dtype) + ".copy()"
        if hole in ("m", "tm"):
            like = made["a" if hole == "m" else "t"]
            shape = (values[like]).shape
            masks = [n for n, v in values.items() if isinstance(v, numpy.ndarray) and v.dtype.kind == "b" and v.shape == shape]
            return rng.choice(masks + [f"({like} > {self._number()})", f"({like} * {like} < {self._number(True)})"] * 2)
        if hole in ("i", "ti"):
            size = (a if hole == "i" else of).shape[:1]
            if not size or size[0] == 0:
                raise Refused("nothing fits")
            first = -size[0] if hole == "ti" else 0
            return f"np.array({[rng.randrange(first, size[0]) for _ in range(rng.choice((1, 2, 3, size[0])))]})"
        if hole in "np":
            return self._number(hole == "p")
        if hole == "k":
            return str(rng.choice((0, 1, 1, 2, -1)))
        if hole in "xl":
            if not a.ndim:
                raise Refused("nothing fits")
            return str(rng.randrange(-a.ndim, a.ndim) if hole == "x" else a.shape[0])
        if hole == "shape":
            return rng.choice((f"{a.size}, 1", f"1, {a.size}", f"2, {a.size // 2}", "-1, 2"))
        if hole == "r":
            return self._new()
        raise KeyError(hole)

    def _number(self, positive=False):
        """Odd ones: whatever is computed of the arguments is not equal to them."""
        return f"{self.rng.uniform(0.3, 1.7) * (1 if positive or self.rng.random() < 0.6 else -1):.4f}"

    def _result(self):
        """A real 0-D array that depends on much of what there is."""
        names = self._arrays()
        self.rng.shuffle(names)
        for name in names[:self.rng.choice((2, 3, 4))]:
            value = self.values[name]
            number = self._number()
            if value.dtype.kind == "c":
                terms = [f"np.sum(np.real({name}) * {number} + np.imag({name}))", f"np.sum(np.abs({name} + 3.3))"]
            else:
                terms = [f"np.sum({name}) * {number}", f"np.mean(np.sin({name}))", f"({name} * {name}).sum()",
                         f"np.sum({name}.T * {number})"]
            if value.size:
                self.program.terms.append(self.rng.choice(terms))
        if not self.program.terms:
            raise Refused("nothing")
        value = checked(self.program.function(numpy), self.program.copies())
        if numpy.shape(value) or numpy.asarray(value).dtype.kind != "f":
            raise Refused("result")
