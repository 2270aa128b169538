"""What a workload is: its data, what it computes in NumPy's words, and how results are compared."""
import numpy as np


def listed(results) -> list:
    """One result or a tuple of them as a list of arrays."""
    return [np.asarray(r) for r in (results if isinstance(results, (tuple, list)) else [results])]


class Workload:
    """One row of the table.

    `make(rng)` draws the inputs, `function(xp, *inputs)` says what is computed, generic over NumPy, jax.numpy and
    torch_words. `forms` has, by a peer's name, another form of the function where the generic one is not what its
    users would write ("numexpr": form(evaluate, *inputs)), or None where the peer has no way to say it. The C++
    function is called `call`. `bound` tells what limits a good engine: memory, compute or calls. `written` inputs,
    the last ones, are only written. A workload may write its inputs only if doing so again changes nothing.
    """

    def __init__(self, name, title, function, make, call=None, unit="ms", rtol=1e-12, mismatch=1e-4, bound="memory",
                 limit=None, written=0, jit=True, **forms):
        self.name, self.title, self.function, self.make, self.call = name, title, function, make, call or name
        self.unit, self.rtol, self.mismatch, self.bound, self.limit = unit, rtol, mismatch, bound, limit
        self.written, self.jit, self.forms = written, jit, forms

    def form(self, peer):
        """The function for a peer; None if it has no way to compute it."""
        return self.forms.get(peer, self.function)

    def traffic(self, inputs, results) -> int:
        """Bytes that have to move at least: every input read once, every result written once."""
        read = inputs[:len(inputs) - self.written]
        return sum(a.nbytes for a in read) + sum(r.nbytes for r in listed(results))

    def agrees(self, results, expected) -> bool:
        """Equal up to rounding; of integers a few may differ (ties decided by rounding)."""
        results, expected = listed(results), listed(expected)
        return len(results) == len(expected) and all(self.close(r, e) for r, e in zip(results, expected))

    def close(self, result, expected) -> bool:
        if result.shape != expected.shape:
            return False
        if expected.dtype.kind in "iub":
            return bool(np.mean(result != expected) <= self.mismatch)
        far = ~np.isclose(result, expected, rtol=self.rtol, atol=self.rtol, equal_nan=True)
        return not far.any() or (self.mismatch > 1e-4 and bool(np.mean(far) <= self.mismatch))


def uniform(*bounds_and_shape, dtype=np.float64):
    def make(rng):
        return [rng.uniform(low, high, shape).astype(dtype) for low, high, shape in bounds_and_shape]
    return make


def integers(low, high, shape, dtype):
    return lambda rng: [rng.integers(low, high, shape, dtype=dtype)]


STEPS = ["x * b + 0.5", "maximum(x, b) - 0.25", "sqrt(x * x + b)"]


def distinct(xp, i, a, b):
    """The i-th of a family of small functions no two of which have the same graph: digits choose the ops."""
    x = a
    for _ in range(4):
        x = [lambda: x * b + 0.5, lambda: xp.maximum(x, b) - 0.25, lambda: xp.sqrt(x * x + b)][i % 3]()
        i //= 3
    return x


def distinct_source(i) -> str:
    """The same as text of a function f(x, b), for compilers that read source."""
    lines = []
    for _ in range(4):
        lines.append(f"    x = {STEPS[i % 3]}\n")
        i //= 3
    return "def f(x, b):\n" + "".join(lines) + "    return x\n"
