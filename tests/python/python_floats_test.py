"""float64 is a class derived from Python's float, and complex128 from complex: what Python's own libraries make of them, also while
a graph computes them, and of objects that are kept for the next scalar."""
import copy
import gc
import json
import pickle
import sys
import threading
import unittest
import weakref

import numpy

from by_text import ByText
from differential import nj

LIBRARIES = """
isinstance(np.float64(1), float), isinstance(np.complex128(1), complex), isinstance(np.float32(1), float), isinstance(np.int64(1), int)
issubclass(np.float64, float), issubclass(np.complex128, complex), issubclass(np.float64, np.floating), issubclass(np.complex64, complex)
[isinstance(s, float) for s in (np.arange(3.)[0], np.arange(3.).sum(), np.mean(np.ones(3)), np.max([1., 2.]), np.dot([1.], [2.]), np.sqrt(2.))]
[isinstance(s, complex) for s in (np.array([1j])[0], np.sum([1j, 2]), np.sqrt(-1+0j), np.array(1j)[()])]
__import__('json').dumps({'a': np.float64(1.5), 'b': [np.ones(3).sum(), {np.float64(2): 1}.get(2.0)]})
__import__('json').dumps([np.float64('nan'), np.float64('inf')])
__import__('json').dumps(np.float32(1))
__import__('statistics').mean([np.float64(1.5), np.float64(2)])
__import__('statistics').median([np.float64(3), np.float64(1), 2.0])
__import__('statistics').fmean([np.float64(1.5), 2])
float(__import__('statistics').stdev([np.float64(1.5), np.float64(2)]))
(lambda c: (c.execute('create table t(x)'), c.executemany('insert into t values(?)', [(np.float64(1.5),), (np.ones(2).sum(),)]), c.execute('select x, typeof(x) from t').fetchall())[2])(__import__('sqlite3').connect(':memory:'))
__import__('decimal').Decimal(np.float64(1.5))
__import__('fractions').Fraction(np.float64(1.5))
__import__('time').sleep(np.float64(1e-6))
__import__('datetime').timedelta(seconds=np.float64(1.5)) * np.float64(2) / np.float64(4)
__import__('datetime').datetime.fromtimestamp(np.float64(1.5), __import__('datetime').timezone.utc)
__import__('random').Random(np.float64(1.5)).uniform(np.float64(1), 2)
__import__('struct').pack('d', np.float64(1.5))
__import__('array').array('d', [np.float64(1.5)])
'%.3f %d %s %r' % (np.float64(1.5), np.float64(2.5), np.float64(3), np.float64(4)), f'{np.float64(1.5):.2f} {np.float64(0.1)} {np.float64(2):>6}'
f'{np.float32(0.1)} {np.float16(0.1)} {np.int8(3)} {np.complex64(1.5)} {np.True_} {np.complex128(1+2j):.1f}'
round(np.float64(2.5)), round(np.float64(2.567), 1), round(np.float32(2.567), 1), type(round(np.float64(2.5), 1)).__name__
hash(np.float64(1.5)) == hash(1.5), hash(np.float64(2)) == hash(2), hash(np.complex128(1+2j)) == hash(1+2j), {1.5: 'a'}[np.float64(1.5)], len({np.float64(1), 1.0, 1})
__import__('pickle').loads(__import__('pickle').dumps([np.float64(1.5), np.complex128(2j)]))
__import__('copy').deepcopy([np.float64(1.5)]), __import__('copy').copy(np.complex128(1j))
np.float64(1.5).as_integer_ratio(), np.float64(1.5).hex(), np.float64(2).is_integer(), np.float64(1.5).__getnewargs__(), np.complex128(1j).__getnewargs__()
np.float64.fromhex('0x1.8p0'), type(np.float64.fromhex('0x1.8p0')).__name__
float.__add__(np.float64(1.5), 1.0), float.__repr__(np.float64(1.5)), complex.__abs__(np.complex128(3+4j)), float(np.float64(2)), complex(np.complex128(1j))
[type(x).__name__ for x in (1.5 + np.float64(1), np.float64(1) + 1.5, 2 * np.float64(1), 1j * np.float64(1), np.float64(1) * 1j, 2 ** np.float64(1), 1j + np.complex128(1))]
1.5 == np.float64(1.5), type(1.5 == np.float64(1.5)).__name__, type(1.5 < np.float64(2)).__name__, np.float64(1.5) == 'a', np.float64(1) != None
sum([np.float64(1), np.float64(2)]), max(np.float64(1), 3), sorted([np.float64(3), 1.0, np.float64(2)])
__import__('math').fsum([np.float64(1)] * 3), __import__('math').ldexp(np.float64(1), 2), __import__('math').floor(np.float64(1.5)), __import__('math').isclose(np.float64(1), 1.0)
__import__('fractions').Fraction(1, 2) + np.float64(1.5), np.float64(1.5) + __import__('fractions').Fraction(1, 2), np.int64(2) * __import__('fractions').Fraction(1, 2)
np.float64(1.5) == __import__('fractions').Fraction(3, 2), np.float64(1.5) < __import__('decimal').Decimal(2), np.arange(3) == __import__('fractions').Fraction(1)
__import__('decimal').Decimal(1) + np.float64(1)
np.float64(__import__('fractions').Fraction(3, 2)), np.float32(__import__('decimal').Decimal('1.5')), np.int64(__import__('fractions').Fraction(7, 2)), np.complex128(__import__('fractions').Fraction(3, 2))
np.float64(None), np.float64('1.5'), np.float64(b'1.5'), np.float64([1, 2]), np.complex128(1, 2)
np.array([np.float64(1), 2]).dtype, np.array([np.float64(1), np.float32(1)]).dtype, np.array(np.complex128(1)).dtype, np.ones(2, 'f4') + np.float64(1), np.float32(1) + np.float64(1)
np.result_type(np.float32, np.float64(1)), np.where(True, np.float32(1), np.float64(2)).dtype, np.linspace(np.float64(0), 1, 3), np.full(2, np.float64(3)).dtype
np.repeat([1, 2], np.float64(2))
np.var([1., 2.], mean=np.float64(1.5)), np.zeros(2, 'i4').fill(np.float64(2))
np.full(2, np.float64(np.inf), 'i4').dtype
np.uint64('18446744073709551615'), np.int64('-9223372036854775808')
np.uint64('18446744073709551616')
np.int64('9223372036854775808')
np.uint8('256')
memoryview(np.float64(1.5)).readonly, memoryview(np.complex128(1)).format, bytes(np.float64(1.5))
-np.float64(0.0), np.float64(0.0) - np.float64(0.0), np.float64(1) / np.float64(3), np.float64(5) / 2, 5 / np.int64(2), -np.float64('nan')
np.int64(2**63 - 1) * np.int64(1), np.int64(3) - 5, 7 + np.int64(1), np.int64(3) * 2.5, 2**70 + np.float64(1), np.float64(1) < 2**70, np.int64(1) < 2**70
[op(np.int64(3), x) for x in (3, 4, np.int64(2), 3.5, True, np.True_) for op in (__import__('operator').eq, __import__('operator').lt, __import__('operator').ge, __import__('operator').ne)]
[op(np.float64(3), x) for x in (3, 4, np.int64(2), 3.5, True, float('nan'), np.float32(3)) for op in (__import__('operator').eq, __import__('operator').gt, __import__('operator').le)]
"""


class Floats(ByText):
    def test_libraries(self):
        self.check(LIBRARIES)

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = pandas.DataFrame([{"v": nj.float64(1.5)}, {"v": nj.ones(2).sum()}])
        self.assertEqual(str(frame.dtypes["v"]), "float64")
        frame.loc[0, "v"] = nj.float64(3)
        self.assertEqual(frame["v"].tolist(), [3.0, 2.0])

    def test_match(self):
        def kind(x):
            match x:
                case float(v):
                    return "float", v
                case complex():
                    return "complex"
        self.assertEqual((kind(nj.float64(1)), kind(nj.complex128(1))), (("float", 1.0), "complex"))

    def test_numpys_arrays_beside_them(self):
        self.assertEqual((numpy.ones(2, "f4") + nj.float64(1)).dtype, (numpy.ones(2, "f4") + numpy.float64(1)).dtype)
        self.assertEqual(numpy.array([nj.float64(1), nj.float64(2)]).dtype, numpy.float64)
        self.assertEqual(numpy.float64(1) + nj.float64(2), 3)
        self.assertEqual(nj.float64(1) + numpy.float64(2), 3)


class KeptObjects(unittest.TestCase):
    """The memory of scalars serves the next ones: nothing of the former ones is left, and what others hold is not touched."""

    def test_values(self):
        for name in ("float64", "complex128", "int64", "float32", "uint8"):
            t = getattr(nj, name)
            held, seen = [], []
            for i in range(200):
                s = t(i % 100) + t(1)
                if i % 3 == 0:
                    held.append((s, i % 100 + 1))
                if i % 7 == 0 and name != "complex128":  # of whose format memoryview makes no number
                    seen.append((memoryview(s), i % 100 + 1))
                if i % 11 == 0:
                    seen.append((nj.asarray(s), i % 100 + 1))
                if i % 13 == 0:
                    seen.append((s[...], i % 100 + 1))
                del s
                for other in (t(77), t(78) + t(1), nj.arange(100).astype(name)[99]):
                    del other
            for s, value in held:
                self.assertEqual(s, value)
                self.assertIs(type(s), t)
            for view, value in seen:
                self.assertEqual(view.tolist(), value)

    def test_floats_read_by_python(self):
        a = nj.arange(50.0)
        made = [a[i] * 2 for i in range(50)] + [a[i] for i in range(50)]
        self.assertEqual([float.__float__(s) for s in made], [2.0 * i for i in range(50)] + [float(i) for i in range(50)])

    def test_weak_references(self):
        s = nj.float64(1)
        r = weakref.ref(s)
        self.assertIs(r(), s)
        del s
        self.assertIsNone(r())
        again = [nj.float64(2) for _ in range(5)]
        self.assertIsNone(r())
        self.assertEqual(again, [2] * 5)

    def test_references_to_types(self):
        before = sys.getrefcount(nj.float64)
        for _ in range(1000):
            nj.float64(1) + nj.float64(2)
        gc.collect()
        self.assertLess(abs(sys.getrefcount(nj.float64) - before), 50)

    def test_threads(self):
        wrong = []

        def work(k):
            for i in range(2000):
                s = nj.float64(k) + nj.float64(i)
                if float.__float__(s) != k + i:
                    wrong.append((k, i))
        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])


class Pending(unittest.TestCase):
    """Inside a compiled function a scalar that a graph computes is no float until it has run."""

    def run_compiled(self, body, *args):
        f = nj.compile(body)
        for _ in range(3):
            made = f(*args)
        return made

    def test_results_are_floats(self):
        for made in (self.run_compiled(lambda x: (x * 2).sum(), nj.ones(3)), self.run_compiled(lambda x: {"a": [(x * 2).sum()]}, nj.ones(3))["a"][0]):
            self.assertIs(type(made), nj.float64)
            self.assertEqual(json.dumps(made), "6.0")
            self.assertEqual(float.__repr__(made), "6.0")
        z = self.run_compiled(lambda x: (x * 2j).sum(), nj.ones(3))
        self.assertIs(type(z), nj.complex128)
        self.assertEqual(complex.__repr__(z), "6j")

    def test_replayed(self):
        f = nj.compile(lambda x: ((x * 2).sum(), x + 1), mode="replay")
        for i in range(5):
            s, _ = f(nj.ones(3) * i)
            self.assertIs(type(s), nj.float64)
            self.assertEqual(json.dumps(s), str(6.0 * i))

    def test_kept_beyond_the_call(self):
        kept = []

        def body(x):
            kept.append(x.sum())
            kept.append(x.max())
            return x + 1
        self.run_compiled(body, nj.arange(4.0))
        self.assertEqual([type(s) for s in kept], [nj.float64] * 6)
        self.assertEqual(json.dumps(kept), "[6.0, 3.0, 6.0, 3.0, 6.0, 3.0]")

    def test_inside(self):
        def body(x):
            s = x.sum()
            seen = [isinstance(s, float), isinstance(s, nj.float64), isinstance(s, nj.floating), s.__class__ is nj.float64, type(s).__name__]
            seen += [f"{s:.1f}", float(s), round(x.sum(), 1), "%.2f" % x.sum(), x.sum() == 6.0, {6.0: "found"}[x.sum()], str(x.sum()), int(x.sum())]
            return seen, x * 2
        seen, _ = self.run_compiled(body, nj.arange(4.0))
        self.assertEqual(seen, [True, True, True, True, "float64", "6.0", 6.0, 6.0, "6.00", True, "found", "6.0", 6])

    def test_sqlite(self):
        import sqlite3

        def body(x):
            c = sqlite3.connect(":memory:")
            c.execute("create table t(x)")
            c.execute("insert into t values(?)", (x.sum(),))
            return c.execute("select x, typeof(x) from t").fetchall(), x + 1
        self.assertEqual(self.run_compiled(body, nj.arange(4.0))[0], [(6.0, "real")])

    def test_what_reads_floats_only_says_so(self):
        import datetime
        import decimal

        for use in (json.dumps, decimal.Decimal, lambda s: datetime.timedelta(seconds=s)):
            def body(x, use=use):
                s = x.sum()
                with self.assertRaises(TypeError):
                    use(s)
                return use(float(s)), x + 1
            self.assertEqual(self.run_compiled(body, nj.arange(4.0))[0], use(6.0))

    def test_pickled_and_copied(self):
        def body(x):
            return pickle.loads(pickle.dumps(x.sum())), copy.copy(x.sum()), copy.deepcopy(x.max())
        made = self.run_compiled(body, nj.arange(4.0))
        self.assertEqual([type(s) for s in made], [nj.float64] * 3)
        self.assertEqual(json.dumps(made), "[6.0, 6.0, 3.0]")

    def test_failed_segments(self):
        kept = []

        def body(x):
            kept.append(x.sum())
            raise KeyError("x")
        f = nj.compile(body)
        for _ in range(3):
            with self.assertRaises(KeyError):
                f(nj.ones(3))
        for s in kept:  # its segment ran, or its use is an error: never the value of something else
            try:
                self.assertEqual(float(s), 3.0)
            except (ValueError, RuntimeError):
                pass
        del kept[:], s
        gc.collect()
        self.assertEqual(json.dumps(self.run_compiled(lambda x: x.sum(), nj.ones(3))), "3.0")


if __name__ == "__main__":
    unittest.main()
