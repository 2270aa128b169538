"""Stores whose indices, masks or values share memory with the target, and masks that are views of other dtypes: NumPy's results."""
import unittest

import numpy

from differential import nj

STORES = """
a = base; a[a] = 10**9
a = base; a[a] = a
a = base; a[a] = a[::-1]
a = base; a[a[::-1]] = 7
a = base[1:]; a[base[:-1]] = 7
a = base[::-1]; a[base] = 5
a = base; a[base.reshape(2, -1)] = 5
a = base; np.put(a, a, 9)
a = base; np.put(a, a, a[::-1])
a = base; np.add.at(a, a, 1)
a = base; np.add.at(a, a, a)
a = base; np.multiply.at(a, a[::-1], 2)
a = base; a[a] += 3
a = base; a[a > 1] = a[::-1][a > 1]
a = base; np.take(a, a, out=a)
a = base; np.take(a[::-1], a, out=a)
a = base; np.choose(a % 2, [a, a[::-1]], out=a)
a = base; np.copyto(a[1:], a[:-1])
a = base; np.copyto(a, a[::-1], where=a > 1)
a = base; np.add(a[1:], a[:-1], out=a[1:])
a = base; np.add(a, 1, out=a, where=a > 1)
a = base; np.cumsum(a[::-1], out=a)
a = base; np.cumsum(a[:-1], out=a[1:])
a = base.reshape(2, -1); np.matmul(a[:, :2], a[:, :2].T, out=a[:, :2])
a = base.reshape(2, -1); a += a[::-1]
a = base.reshape(2, -1); np.einsum('ij->ij', a[::-1], out=a)
a = base; a[1:] = a[:-1]
a = base; np.clip(a, a[::-1], 9, out=a)
a = base; np.putmask(a, a > 1, a[::-1])
a = base; np.putmask(a, a > 1, [])
a = base; np.compress(a > -1, a[::-1], out=a)
a = base.view('i1'); a[a[:8].astype(int)] = 3
""".strip().split("\n")

MASKS = """
a[m]
a[m].sum()
m.astype(int)
m + 1
m.sum()
np.count_nonzero(m)
np.nonzero(m)[0]
np.flatnonzero(m)
np.where(m, a, 0)
np.cumsum(m)
m * 2.5
~m
m.mean()
np.choose(m, [a, -a])
np.compress(m, a)
np.extract(m, a)
np.arange(3)[m.astype(int)]
np.concatenate([m, m]) + 0
np.add(a, 1, where=m, out=np.zeros(a.size, a.dtype))
store(a, m, 5)
store(a, m, 5.0)
store(a, m, a[::-1][m])
np.put_along_axis(a, m.astype(int), 7, 0)
""".strip().split("\n")


def same(test, ours, theirs):
    numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)
    test.assertEqual(numpy.asarray(ours).dtype, numpy.asarray(theirs).dtype)


class Overlap(unittest.TestCase):
    def check(self, start, text):
        theirs = start.copy()
        exec(text, {"np": numpy, "base": theirs})  # noqa: S102
        code = compile(text, text, "exec")
        for mode in ("eager", "compiled"):
            ours = nj.array(start)

            def body(base):
                exec(code, {"np": nj, "base": base})  # noqa: S102
            (body if mode == "eager" else nj.compile(body, backend="eager"))(ours)
            with self.subTest(store=text, mode=mode, size=start.size):
                same(self, ours, theirs)
        shared = start.copy()  # the same memory through two owners
        first = nj.asarray(shared)
        exec(text.replace("[a]", "[other]"), {"np": nj, "base": first, "other": nj.asarray(shared)})  # noqa: S102
        with self.subTest(store=text, mode="two owners"):
            same(self, shared, theirs)

    def test_stores(self):
        for text in STORES:
            for start in (numpy.array([1, 0, 0, 0]), numpy.array([3, 1, 2, 0, 5, 4, 1, 0]), numpy.arange(6000) % 5000):
                self.check(start, text)


class Masks(unittest.TestCase):
    def test_any_byte_but_0_is_true(self):
        def store(a, m, value):
            a[m] = value
            return a
        for size in (4, 40, 1000, 100000):
            raw = numpy.resize(numpy.array([0, 1, 2, 7, 128, 255, 0, 129, 1, 3, 64], "u1"), size)
            for dtype in ("i8", "f8", "f4", "i1"):
                for text in MASKS:
                    a = numpy.arange(size).astype(dtype)
                    theirs = eval(text, {"np": numpy, "a": a.copy(), "m": raw.view("?"), "store": store})
                    for mode in ("eager", "compiled"):
                        if mode == "compiled" and (size > 40 or dtype != "f8"):
                            continue

                        def body(a, m):
                            return eval(text, {"np": nj, "a": a, "m": m, "store": store})  # noqa: B023
                        call = body if mode == "eager" else nj.compile(body, backend="eager")
                        ours = call(nj.array(a), nj.asarray(raw.copy()).view("?"))
                        with self.subTest(text=text, size=size, dtype=dtype, mode=mode):
                            numpy.testing.assert_allclose(numpy.asarray(ours) if ours is not None else 0, theirs if theirs is not None else 0)


if __name__ == "__main__":
    unittest.main()
