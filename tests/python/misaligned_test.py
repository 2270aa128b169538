"""Arrays whose elements lie across the boundaries of their dtype (views of bytes at odd places, fields of packed files): every
operation gives what it gives on aligned memory, to the bit, and NumPy's values; stores land in the memory."""
import unittest

import numpy

from differential import nj

EXPRESSIONS = [
    "a + b", "a * 2", "2 - a", "a[::2] * b[::-2]", "a ** 2", "abs(a)", "a == b", "np.where(a > 20, a, b)",
    "np.sqrt(abs(a))", "np.exp(-a)", "a.sum()", "a.sum(axis=0)", "a.mean(axis=1)", "a.max(axis=0)", "a.argmax(axis=1)",
    "np.cumsum(a, axis=0)", "a.std()", "np.sort(a)", "np.argsort(a, axis=0, kind='stable')",
    "np.partition(a.ravel(), 5)[5]", "np.median(a)", "np.unique(a)", "a.T.copy()", "a.reshape(-1)", "a.T.reshape(-1)",
    "np.concatenate([a, b], axis=1)", "np.take(a, [3, 1, 2], axis=0)", "a[[0, 2, 1]]", "a[a > 20]", "np.nonzero(a)[0]",
    "a @ b.T", "np.dot(a[0], b[0])", "np.einsum('ij,ij->i', a, b)", "np.searchsorted(np.sort(a[0]), b[0])",
    "np.histogram(a.real, bins=5)[0]", "np.convolve(a[0], b[1])",
    "np.interp(a[0].real, np.arange(50.0), np.arange(50.0))", "np.add.reduceat(a[0], [0, 3, 5])",
    "np.add.outer(a[0], b[1])", "np.diff(a)", "np.roll(a, 1, axis=0)", "np.pad(a, 1)", "np.tile(a, 2)", "np.repeat(a, 2)",
    "np.isin(a, b)", "a.astype('f4')", "a.astype('i2')", "np.fft.fft(a)", "np.clip(a, 5, 30)", "a.tolist()", "str(a)",
    "a[1, 2]", "a.item(3)", "np.percentile(a, 30)", "np.cov(a)", "a.tobytes()",
]
STORES = [
    "a[...] = b", "a[::2] = 3", "a[:, 1] = b[:, 0]", "a[1, 2] = 7", "a += b", "a *= 2", "a[1:] += a[:-1]",
    "a[a > 20] = 0", "a[[0, 2]] = b[[1, 1]]", "a.sort()", "a.sort(axis=0)", "a.fill(4)", "np.add(a, b, out=a)",
    "np.add(a, b, out=a, where=b > 20)", "np.add.at(a, [0, 0, 1], 5)", "np.put(a, [1, 3], 9)",
    "np.copyto(a, b, where=b > 10)", "np.sum(b, axis=0, out=a[0])", "np.cumsum(b, axis=1, out=a)",
    "np.matmul(b[:4, :4], b[:4, :4], out=a[:4, :4])", "np.place(a, a > 10, [1, 2])", "a.byteswap(inplace=True)",
    "a[:] = a[::-1]", "a.T[1:3].sort()", "np.take(b, [1, 0, 2, 4, 3], axis=0, out=a)", "np.fill_diagonal(a, 1)",
    "a.flat[3] = 2", "np.random.default_rng(0).shuffle(a)",
]
PLAIN = (str, bytes, list, int, float, complex)
DTYPES = ["i2", "u4", "i8", "f2", "f4", "f8", "c8", "c16"]


def misaligned(values, offset):
    """A copy in the middle of bytes."""
    raw = numpy.full(values.nbytes + 16, 0x55, "u1")
    raw[offset:offset + values.nbytes] = values.ravel().view("u1")
    return raw, raw[offset:offset + values.nbytes].view(values.dtype).reshape(values.shape)


def told(value):
    """What can be compared to the bit."""
    if type(value) in PLAIN:
        return repr(value)
    value = numpy.asarray(value)
    return value.dtype.str, value.shape, value.tobytes()


def outcome(module, text, a, b, statement=False):
    try:
        with numpy.errstate(all="ignore"):
            if not statement:
                return eval(text, {"np": module, "a": a, "b": b})
            exec(text, {"np": module, "a": a, "b": b})
    except (TypeError, ValueError) as e:
        return type(e).__name__
    return None


def close(ours, theirs):
    """Results may differ in the order in which floats were added."""
    if type(theirs) in PLAIN:
        return told(ours) == told(theirs)
    ours, theirs = numpy.asarray(ours), numpy.asarray(theirs)
    return ours.shape == theirs.shape and ours.dtype == theirs.dtype and numpy.allclose(
        ours.astype("c16"), theirs.astype("c16"), rtol=1e-2 if theirs.dtype.char == "e" else 1e-4, atol=1e-4, equal_nan=True)


class Misaligned(unittest.TestCase):
    def pairs(self):
        rng = numpy.random.default_rng(3)
        for dtype in DTYPES:
            values = [rng.integers(0, 40, (5, 7)).astype(dtype) for _ in range(2)]
            for offset in (1, numpy.dtype(dtype).itemsize // 2 - 1 | 1):
                yield dtype, offset, values

    def test_values_are_those_of_aligned_memory(self):
        for dtype, offset, values in self.pairs():
            ours = [nj.asarray(misaligned(v, offset)[1]) for v in values]
            compiled = [None, "eager"] + (["halide"] if dtype in ("f4", "i8") and offset == 1 else [])
            for text in EXPRESSIONS:
                theirs = outcome(numpy, text, *values)
                for backend in compiled:
                    with self.subTest(text=text, dtype=dtype, offset=offset, backend=backend):
                        run = lambda a, b: outcome(nj, text, a, b)  # noqa: E731
                        call = run if backend is None else nj.compile(run, backend=backend)
                        made, aligned = call(*ours), run(*map(nj.array, values))
                        self.assertEqual(told(made), told(aligned))
                        if isinstance(theirs, str) and text != "str(a)":
                            self.assertEqual(aligned, theirs)
                        else:
                            self.assertTrue(close(aligned, theirs), (aligned, theirs))

    def test_stores_land_in_the_memory(self):
        for dtype, offset, values in self.pairs():
            for text in STORES:
                for backend in (None, "eager"):
                    with self.subTest(text=text, dtype=dtype, offset=offset, backend=backend):
                        theirs = [v.copy() for v in values]
                        error = outcome(numpy, text, *theirs, statement=True)
                        raw, view = misaligned(values[0], offset)
                        run = lambda a, b: outcome(nj, text, a, b, statement=True)  # noqa: E731
                        call = run if backend is None else nj.compile(run, backend=backend)
                        self.assertEqual(call(nj.asarray(view), nj.asarray(misaligned(values[1], offset)[1])), error)
                        self.assertTrue("shuffle" in text or close(view, theirs[0]), (view, theirs[0]))
                        self.assertEqual((set(raw[:offset]), set(raw[offset + view.nbytes:])), ({0x55}, {0x55}))


if __name__ == "__main__":
    unittest.main()
