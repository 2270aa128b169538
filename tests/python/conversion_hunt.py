# ctest: TIMEOUT 300
"""Objects that misbehave where arrays, indices, numbers and plain arguments are read: they change what is being read, lie about
lengths, raise, call numjit, let go of references, run the collector. Nothing may crash or read what it should not; objects that
only answer are compared with NumPy. Settings: hunt.py."""
import gc
import re
import warnings

import numpy

from differential import nj
from hunt import hunt

METHODS = ("__float__", "__int__", "__index__", "__complex__", "__bool__", "__len__", "__getitem__", "__iter__", "__array__",
           "__array_interface__", "__dlpack__", "dtype", "__eq__", "__hash__", "__getattr__", "__del__")
BINDING = re.compile(r"incompatible function arguments|std::|bad_cast|basic_string|vector::")
UNWANTED = (SystemError, nj.exceptions.InternalError)


class World:
    """What misbehaving objects may reach: lists and arrays that are being read."""

    def __init__(self, rng):
        self.rng = rng
        self.lists, self.arrays, self.depth = [], [], 0

    def act(self):
        """One thing that nobody expects."""
        if self.depth > 2:
            return
        self.depth += 1
        try:
            self._act()
        finally:
            self.depth -= 1

    def _act(self):
        rng = self.rng
        what = rng.choice("clear append pop replace deepen collect resize shape dtype flags enter drop raise nothing nothing".split())
        some = rng.choice(self.lists) if self.lists else []
        a = rng.choice(self.arrays) if self.arrays else None
        if what == "clear":
            some.clear()
        elif what == "append":
            some.extend([1.0] * rng.choice((1, 3, 1000)))
        elif what == "pop" and some:
            some.pop()
        elif what == "replace" and some:
            some[rng.randrange(len(some))] = rng.choice((2.0, [1, 2], None, "x", (), nj.arange(3)))
        elif what == "deepen" and some:
            some[:] = [[x] for x in some]
        elif what == "collect":
            gc.collect()
        elif what == "drop":
            self.lists, self.arrays = [], []
        elif what == "raise":
            raise rng.choice((ValueError, KeyError, RecursionError, ZeroDivisionError, IndexError, TypeError))("mine")
        elif what == "enter":
            nj.array(some, dtype=float)
        elif a is not None and what == "resize":
            a.resize(rng.choice((0, 1, 2, 50)), refcheck=False)
        elif a is not None and what == "shape":
            a.shape = (a.size, 1)
        elif a is not None and what == "dtype":
            a.dtype = rng.choice(("i8", "f8", "u1"))
        elif a is not None and what == "flags":
            a.flags.writeable = rng.choice((True, False))


def evil(world):
    """An object with some of the methods that conversions ask, each of which may do more than answer."""
    rng = world.rng
    answers = {"__float__": (1.5, "x", 2), "__int__": (1, 2.5), "__index__": (0, 1, -1, 2 ** 70), "__complex__": (1j, 1),
               "__bool__": (True, 5), "__len__": (0, 1, 3, -1, 10 ** 6, "x"), "__iter__": (), "__eq__": (True, None),
               "__hash__": (1,), "dtype": ("f8", nj.dtype("i4"), numpy.dtype("f4"), 5)}

    def respond(name):
        def method(self, *args, **kwargs):
            if rng.random() < 0.6:
                world.act()
            if name == "__getitem__":
                if args[0] >= rng.choice((0, 1, 3, 4)):
                    raise IndexError
                return rng.choice((1.0, self, [1.0], args[0]))
            if name == "__iter__":
                return iter(rng.choice(world.lists or [[]]))
            if name == "__array__":
                return rng.choice((nj.arange(2.0), numpy.arange(2), numpy.float64(1), 5, None, self, nj.float64(2)))
            if name == "__array_interface__":
                return rng.choice((numpy.arange(2).__array_interface__, {}, None, {"shape": (1,)}))
            if name == "__dlpack__":
                return rng.choice((numpy.arange(2).__dlpack__(), 5, None))
            if name == "__getattr__":
                raise AttributeError(args[0])
            if name == "__del__":
                return None
            return rng.choice(answers[name])
        return property(method) if name in ("dtype", "__array_interface__") else method
    names = rng.sample(METHODS, rng.randint(1, 5))
    base = rng.choice((object, object, object, list, tuple, float, int, dict, str))
    if base is not object:
        names = [n for n in names if n not in ("__hash__", "__getattr__")]
    body = {n: respond(n) for n in names}
    if "__eq__" in body and "__hash__" not in body:
        body["__hash__"] = lambda self: 1
    return type("Evil", (base,), body)()


def nested(world, depth=0):
    """Lists in lists, arrays, numbers and evil objects."""
    rng = world.rng
    kind = rng.random()
    if depth < 3 and kind < (0.9 if depth == 0 else 0.35):
        made = [nested(world, depth + 1) for _ in range(rng.choice((0, 1, 2, 2, 3, 3)))]
        if rng.random() < 0.2 and made:
            made = [made[0]] * len(made)
        if rng.random() < 0.03:
            made.append(made)
        if rng.random() < 0.2:
            return tuple(made)
        world.lists.append(made)
        return made
    if kind < 0.6:
        return evil(world)
    return rng.choice((1.0, 2, True, 1j, 2 ** 70, nj.float64(3), numpy.float32(1), nj.arange(2.0), numpy.arange(3), None, "x", b"y",
                       {1: 2}, 0.5, 1.5, 7, slice(None), ..., range(3), memoryview(b"abc"), bytearray(8)))


def _dtype(world):
    return world.rng.choice((None, None, float, int, bool, complex, "f4", "i1", "u8"))


def _array(world):
    a = nj.arange(world.rng.choice((3.0, 4.0, 12.0)))
    a = world.rng.choice((a, a.astype(int), a.astype(complex), a.astype("f4")))
    world.arrays.append(a)
    return a


def _compiled(f, mode):
    return nj.compile(f, mode=mode, backend="eager")


CALLS = {
    "array": lambda w: nj.array(nested(w), dtype=_dtype(w)),
    "asarray": lambda w: nj.asarray(nested(w), _dtype(w)),
    "ndmin": lambda w: nj.array(nested(w), ndmin=w.rng.randint(0, 5)),
    "get": lambda w: _array(w)[nested(w)],
    "slice": lambda w: _array(w)[slice(evil(w), evil(w), w.rng.choice((None, evil(w))))],
    "tuple": lambda w: _array(w).reshape(1, -1)[nested(w), nested(w)],
    "set": lambda w: _array(w).__setitem__(w.rng.choice((0, slice(None), slice(1, None), evil(w))), nested(w)),
    "set_slice": lambda w: _array(w).__setitem__(slice(evil(w), None), w.rng.choice((2.0, 3, evil(w)))),
    "set_at": lambda w: _array(w).__setitem__(nested(w), 2.0),
    "add": lambda w: _array(w) + nested(w),
    "radd": lambda w: nested(w) + _array(w),
    "iadd": lambda w: _array(w).__iadd__(nested(w)),
    "compare": lambda w: _array(w) == nested(w),
    "ufunc": lambda w: nj.add(_array(w), nested(w), out=w.rng.choice((None, _array(w))), where=w.rng.choice((True, nested(w)))),
    "ufunc1": lambda w: nj.sin(nested(w)),
    "dtype": lambda w: nj.dtype(evil(w)),
    "add_dtype": lambda w: nj.add(_array(w), 1, dtype=evil(w)),
    "at": lambda w: nj.add.at(_array(w), nested(w), nested(w)),
    "reduce": lambda w: nj.add.reduce(_array(w), axis=evil(w), initial=w.rng.choice((0, evil(w)))),
    "sum": lambda w: nj.sum(nested(w), axis=w.rng.choice((None, 0, evil(w), [evil(w)]))),
    "zeros": lambda w: nj.zeros(w.rng.choice((evil(w), [evil(w), 2], [2, evil(w)]))),
    "reshape": lambda w: _array(w).reshape(nested(w)),
    "transpose": lambda w: _array(w).reshape(1, -1).transpose(nested(w)),
    "concatenate": lambda w: nj.concatenate(nested(w)),
    "stack": lambda w: nj.stack(nested(w)),
    "where": lambda w: nj.where(nested(w), nested(w), nested(w)),
    "take": lambda w: nj.take(_array(w), nested(w), axis=w.rng.choice((None, evil(w)))),
    "put": lambda w: nj.put(_array(w), nested(w), nested(w)),
    "choose": lambda w: nj.choose([0, 1], nested(w)),
    "fromiter": lambda w: nj.fromiter(nested(w), float),
    "linspace": lambda w: nj.linspace(nested(w), nested(w), 3),
    "arange": lambda w: nj.arange(evil(w), evil(w)),
    "full": lambda w: nj.full(3, nested(w), dtype=_dtype(w)),
    "fill": lambda w: _array(w).fill(nested(w)),
    "set_shape": lambda w: setattr(_array(w), "shape", nested(w)),
    "einsum": lambda w: nj.einsum("i,i", nested(w), nested(w)),
    "matmul": lambda w: nj.matmul(nested(w), nested(w)),
    "scalar": lambda w: nj.float32(nested(w)),
    "scalar_int": lambda w: nj.int8(evil(w)),
    "search": lambda w: nj.searchsorted(nested(w), nested(w)),
    "sort": lambda w: nj.sort(nested(w), axis=w.rng.choice((-1, evil(w)))),
    "in": lambda w: nested(w) in _array(w),
    "result_type": lambda w: nj.result_type(nested(w), _array(w)),
    "shuffle": lambda w: nj.random.default_rng(1).shuffle(nested(w)),
    "choice": lambda w: nj.random.default_rng(1).choice(nested(w), 2),
    "draw": lambda w: nj.random.default_rng(1).normal(nested(w), size=w.rng.choice((None, evil(w), [evil(w)]))),
    "eye": lambda w: nj.eye(evil(w), evil(w), evil(w)),
    "repeat": lambda w: nj.repeat(_array(w), nested(w)),
    "item": lambda w: _array(w).item(evil(w)),
    "rerun": lambda w: _compiled(lambda x, p: x + p, "rerun")(_array(w), nested(w)),
    "body": lambda w: _compiled(lambda x, p: nj.sum(x[1:] * 2 + nj.array(p, dtype=float)), "rerun")(_array(w), nested(w)),
}


def _replayed(w):
    plain = nested(w)

    def body(x, p):
        if w.rng.random() < 0.3:
            w.act()
        return {"a": x + 1, "p": p}
    f = _compiled(body, "replay")
    x = nj.arange(3.0)
    made = [f(x, plain) for _ in range(3)]
    return [m["a"] for m in made]


CALLS["replay"] = _replayed


def _use(made):
    """Reads all of a result."""
    if isinstance(made, nj.ndarray) or isinstance(made, nj.generic):
        repr(made)
        made.tolist()
        str((made + 1).sum()) if made.dtype.kind != "b" else None
    elif isinstance(made, (list, tuple)):
        for m in made[:5]:
            if m is not made:
                _use(m)


def misbehave(rng):
    """One call with objects that may do anything."""
    world = World(rng)
    name = rng.choice(list(CALLS))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _use(CALLS[name](world))
    except UNWANTED as e:
        raise AssertionError(f"{name}: an error of ours: {e!r}") from e
    except Exception as e:  # noqa: BLE001
        if BINDING.search(str(e)):
            raise AssertionError(f"{name}: the binding's words: {e}") from e
    for a in world.arrays:
        _use(a)


class Answering:
    """A sequence that only answers, by __getitem__ or __iter__."""

    def __init__(self, values, says, by_iter):
        self.values, self.says = values, says
        if by_iter:
            self.__class__ = AnsweringByIter

    def __len__(self):
        return self.says

    def __getitem__(self, i):
        return self.values[i]


class AnsweringByIter(Answering):
    def __iter__(self):
        return iter(self.values)


class Number:
    """A number by Python's conversions."""

    def __init__(self, value):
        self.value = value

    def __float__(self):
        return float(self.value)

    def __index__(self):
        return int(self.value)

    def __complex__(self):
        return complex(self.value)


def _tame(rng, depth, shape):
    if depth == len(shape):
        return rng.choice((1.0, 2, 3.5, Number(2), True))
    values = [_tame(rng, depth + 1, shape) for _ in range(shape[depth] if rng.random() < 0.95 else shape[depth] + 1)]
    return rng.choice((values, values, values, tuple(values), Answering(values, rng.choice((len(values), 0, 7)), rng.random() < 0.5)))


def behave(rng):
    """Objects that only answer: NumPy's result, or an error of its class."""
    tree = _tame(rng, 0, [rng.randint(0, 3) for _ in range(rng.randint(1, 3))])
    dtype = rng.choice((float, "f4", complex, int))
    made = []
    for module in (numpy, nj):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                a = module.array(tree, dtype=dtype)
                made.append((a.dtype.name, a.shape, a.tolist()))
        except (TypeError, ValueError, RuntimeError) as e:
            made.append(type(e).__name__)
    if made[0] != made[1]:
        raise AssertionError(f"NumPy: {made[0]}, numjit: {made[1]}")


if __name__ == "__main__":
    hunt(lambda rng: (behave if rng.random() < 0.1 else misbehave)(rng))
