"""Memory: zeros that nobody touches take none, functions take no more than NumPy's do, LAPACK prints nothing."""
import itertools
import os
import resource
import subprocess
import sys
import tempfile
import unittest

import numpy as np

from differential import nj

PAGE = resource.getpagesize()


def resident():
    """Bytes of this process in memory."""
    with open("/proc/self/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * PAGE


# In a child: the bytes that a call needs beside what is there, by the library's name (numpy, numjit, or compiled: numjit's
# kernels once they are made) and the expression.
CHILD = """
import sys, warnings
import numpy
warnings.simplefilter("ignore")
library, dtype, n, text = sys.argv[1:]
if library == "numpy":
    np = numpy
else:
    import numjit as np
x = np.asarray((numpy.arange(int(n), dtype="int32") % 100).astype(dtype))
call = eval("lambda x: " + text)
if library == "compiled":
    np.config.compile = "sync"
    call = np.compile(call)
    call(x)
call(x[:1000])
def now(name):
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith(name)) * 1024
with open("/proc/self/clear_refs", "w") as f:
    f.write("5")
before = now("VmRSS:")
result = call(x)
print(now("VmHWM:") - before)
"""


def needed(library, dtype, n, text):
    done = subprocess.run([sys.executable, "-c", CHILD, library, dtype, str(n), text], capture_output=True, text=True, check=True)
    return int(done.stdout)


class Zeros(unittest.TestCase):
    BYTES = 400_000_000

    def lazily(self, make, **expected):
        """`make` gives an array of BYTES bytes whose pages come when they are touched."""
        for _ in range(3):
            before = resident()
            a = make()
            self.assertEqual(a.nbytes, self.BYTES)
            self.assertLess(resident() - before, self.BYTES // 8)
            a[-1] = 1
            self.assertEqual((np.asarray(a[0]).any(), np.asarray(a[-1]).all()), (False, True))
            a[...] = 1  # used: the next one must be clear all the same
            del a
        self.assertEqual(nj.count_nonzero(make()), 0)

    def test_pages_come_when_they_are_touched(self):
        n = self.BYTES // 8
        like = nj.zeros((n // 1000, 1000))
        for make in (lambda: nj.zeros(n), lambda: nj.empty(n), lambda: nj.full(n, 0), lambda: nj.full(n, 0.0),
                     lambda: nj.zeros(2 * n, "float32"), lambda: nj.zeros(8 * n, bool), lambda: nj.zeros((n // 2, 1), complex),
                     lambda: nj.zeros_like(like), lambda: nj.empty_like(like), lambda: nj.full_like(like, 0),
                     nj.compile(lambda: nj.zeros(n))):
            self.lazily(make)

    def test_other_values_are_written(self):
        n = 1 << 20
        for value, dtype in ((-0.0, float), (1, int), (0.5, "float16"), (complex(0, -0.0), complex), (5e-324, float)):
            used = nj.ones(n, dtype)
            del used
            a = np.asarray(nj.full(n, value, dtype))
            self.assertEqual(a.tobytes(), np.full(n, value, dtype).tobytes(), (value, dtype))

    def test_identities_over_used_memory(self):
        for n, m, k in itertools.product((700, 1100), (600, 1100), (-3, 0, 5)):
            used = nj.ones((n, m))
            del used
            self.assertEqual(np.asarray(nj.eye(n, m, k)).tobytes(), np.eye(n, m, k).tobytes())


class Peaks(unittest.TestCase):
    def no_more_than_numpy(self, dtype, n, *texts, library="numjit"):
        for text in texts:
            ours, theirs = (needed(each, dtype, n, text) for each in (library, "numpy"))
            self.assertLess(ours, 1.2 * theirs + (4 << 20), (text, dtype, library, theirs))

    def test_no_more_than_numpy(self):
        first = ["np.histogram(x, 10)", "np.var(x)", "np.isin(x, [1, 2, 3])", "np.mean(x)", "np.median(x)"]
        self.no_more_than_numpy("uint8", 8_000_000, *first, "np.histogram(x, np.array([0.0, 1, 50, 100]))", "np.isin(x, [1.5, 2])",
                                "np.sum(x)", "np.bincount(x)", "np.unique(x)", "np.cumsum(x)", "np.nanmean(x)", "np.sort(x)",
                                "np.searchsorted(np.array([1, 5, 9], x.dtype), x)")
        self.no_more_than_numpy("int16", 8_000_000, *first[:3])
        self.no_more_than_numpy("float64", 3_000_000, *first[:4])
        self.no_more_than_numpy("float32", 8_000_000, *first[:3], library="compiled")

    def test_the_same_values_in_blocks(self):
        random = np.random.default_rng(3)
        for dtype in ("bool", "int8", "uint8", "int16", "uint32", "int64", "uint64", "float16", "float32", "float64"):
            x = (random.random(70_001) * 100).astype(dtype)
            ours, what = nj.asarray(x), str(dtype)
            weights = random.random(x.size)
            edges = np.array([0.0, 1, 1.5, 50, 99])
            for w in (None, weights, weights.astype("float32"), weights - 2j * weights[::-1]):
                given = None if w is None else nj.asarray(w)
                if dtype != "bool":
                    for bins in (1, 7, 200, edges):
                        counts, _ = nj.histogram(ours, nj.asarray(bins) if bins is edges else bins, weights=given)
                        theirs, _ = np.histogram(x, bins, weights=w)
                        self.assertEqual(counts.dtype, theirs.dtype, what)
                        np.testing.assert_allclose(np.asarray(counts), theirs, rtol=1e-4, err_msg=what)
                        if w is None:
                            self.assertEqual(np.asarray(counts).tolist(), theirs.tolist(), what)
            for test in ([1, 2, 300], [1.5, 3.0, np.nan], np.arange(50, dtype="int8"), [], [2**40, 7]):
                for invert in (False, True):
                    self.assertEqual(np.asarray(nj.isin(ours, nj.asarray(test), invert=invert)).tobytes(),
                                     np.isin(x, test, invert=invert).tobytes(), (what, str(test)[:30]))
            for side in ("left", "right"):
                table = np.array([1, 5, 9, 60], "int8")
                self.assertEqual(np.asarray(nj.searchsorted(nj.asarray(table), ours, side)).tobytes(),
                                 np.searchsorted(table, x, side).tobytes(), what)
            if dtype not in ("float16", "float32", "float64"):
                rows = nj.asarray(x[:70_000].reshape(70, 1000))
                for axis in (None, 0, 1):
                    for call in ("sum", "mean", "prod", "cumsum"):
                        got = np.asarray(getattr(nj, call)(rows, axis=axis))
                        wanted = np.asarray(getattr(nj, call)(rows.astype(got.dtype), axis=axis))
                        self.assertEqual(got.tobytes(), wanted.tobytes(), (what, call, axis))
                values, counts = nj.unique(ours, return_counts=True)
                self.assertEqual([np.asarray(values).tolist(), np.asarray(counts).tolist()],
                                 [part.tolist() for part in np.unique(x, return_counts=True)], what)


class EmptyMatrices(unittest.TestCase):
    """LAPACK writes about arguments that it finds wrong to the process's output, which Python does not see."""

    SHAPES = [(0, 0), (0, 3), (3, 0), (1, 0), (0, 1), (2, 0, 0), (0, 2, 2), (2, 0, 3), (2, 3, 0), (0, 3, 2), (0, 2, 3), (2, 2, 0, 0)]

    def outcome(self, library, call, shape, dtype):
        try:
            result = call(library, library.zeros(shape, dtype))
        except Exception as error:  # noqa: BLE001: whatever it is
            return type(error).__name__
        return [(np.asarray(r).shape, np.asarray(r).dtype.name) for r in (result if isinstance(result, tuple) else (result,))]

    def test_as_numpy_and_in_silence(self):
        def named(name, **options):
            return lambda np, a: getattr(np.linalg, name)(a, **options)

        calls = [named(name) for name in ("inv det slogdet cholesky eig eigh eigvals eigvalsh svd svdvals qr pinv matrix_rank norm "
                                          "cond").split()]
        calls += [named("qr", mode=mode) for mode in ("r", "complete", "raw")]
        calls += [named("svd", full_matrices=False), named("svd", compute_uv=False)]
        calls += [named("norm", ord=ord) for ord in (1, 2, -2, "fro", "nuc")] + [named("cond", p=p) for p in (1, -2, "fro")]
        calls += [lambda np, a: np.linalg.solve(a, np.zeros((a.shape[-1], 2))), lambda np, a: np.linalg.matrix_power(a, 3),
                  lambda np, a: np.linalg.lstsq(a, np.zeros(a.shape[0]), rcond=None), lambda np, a: a @ np.zeros((a.shape[-1], 2))]
        with tempfile.TemporaryFile() as caught:
            sys.stdout.flush(), sys.stderr.flush()
            kept = os.dup(1), os.dup(2)
            os.dup2(caught.fileno(), 1), os.dup2(caught.fileno(), 2)
            try:
                for (i, call), shape, dtype in itertools.product(enumerate(calls), self.SHAPES, ("float64", "complex64")):
                    self.assertEqual(self.outcome(nj, call, shape, dtype), self.outcome(np, call, shape, dtype), (i, shape, dtype))
            finally:
                for fd, old in enumerate(kept, 1):
                    os.dup2(old, fd), os.close(old)
            caught.seek(0)
            self.assertEqual(caught.read(), b"")


if __name__ == "__main__":
    unittest.main()
