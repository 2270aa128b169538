"""np.compile of functions written for NumPy: corners of what their twins see and give, compared with the plain call."""
import unittest

import numpy as np

import numjit as nj
from numpy_programs_test import Compiled, difference, ramp

RECORDS = np.array([(2, 1.0), (1, 2.0), (2, 0.5)], dtype=[("k", int), ("v", float)])


def numbers_in(made):
    """What a program may have left in containers, by class."""
    return sorted(type(value).__module__ + "." + type(value).__name__ for value in made)


class Classes(Compiled):
    def test_ufuncs(self):
        self.same(lambda x: [isinstance(f, np.ufunc) for f in (np.add, np.sin, np.sum, np.where, np.linalg.det, len, x)],
                  lambda: (ramp(3),))
        self.same(lambda x: (np.add.reduce(x), issubclass(np.ufunc, np.ufunc), np.ufunc.__name__), lambda: (ramp(3),))
        self.same(lambda x, f: isinstance(f, np.ufunc), lambda: (ramp(3), np.add))

    def test_flags(self):
        def of(x):
            y = x.T * 2
            return x.flags, y.flags, [y[::2].flags]

        def outcome(f, x):
            given, made, (part,) = f(x)
            given.writeable = False
            return (given == x.flags, x.flags.writeable, given.c_contiguous, given["F"], given.owndata, made.num & ~4,
                    made.writeable, part.c_contiguous, type(made).__name__, repr(given))
        fast = nj.compile(of)
        for _ in range(2):
            self.assertEqual(outcome(fast, ramp(4, 3)), outcome(of, ramp(4, 3)))

    def test_records_are_sorted_by_their_fields(self):
        for f in (lambda d: np.sort(d, order="k"), lambda d: np.sort(d, order=["k", "v"]), lambda d: np.argsort(d, order="v"),
                  lambda d: np.argsort(d, -1, None, ["v"]), lambda d: np.sort(list(d), order="k"), lambda d: np.sort(d),
                  lambda d: np.partition(d, 1, order="v"), lambda d: d.argsort(order="k"), lambda d: np.sort(d["k"], order="k"),
                  lambda d: np.sort(d["v"]), lambda d: np.argsort(a=d["v"])):
            self.same(f, lambda: (RECORDS.copy(),))


class Vectorize(Compiled):
    def test_elements_that_are_no_numbers(self):
        for f in (lambda x: np.vectorize(str)(x), lambda x: np.vectorize(str, otypes=["U5"])(x),
                  lambda x: np.vectorize(lambda v: [v], otypes=[object])(x), lambda x: np.vectorize(lambda v: (v, str(v)))(x),
                  lambda x: np.vectorize(lambda v: (v, str(v)), otypes=[float, "U3"])(x),
                  lambda x: np.vectorize(str, otypes="U")(x[:0]), lambda x: np.vectorize(str)(x[:0]),
                  lambda x: np.vectorize(lambda v: None if v > 2 else v, otypes="O")(x),
                  lambda x: np.vectorize(lambda v, s: s % v, excluded=[1])(x, "%.2f"),
                  lambda x: np.vectorize(lambda v: str(v.sum()), signature="(n)->()")(x),
                  lambda x: np.vectorize(lambda s, v: s * int(v))(np.array(["a", "bcd", "e"]), x),
                  lambda x: np.vectorize(lambda v: np.datetime64("2020-01-01") + int(v))(x),
                  lambda x: np.vectorize(lambda v: v * 2)(x), lambda x: np.frompyfunc(str, 1, 1)(x)):
            self.same(f, lambda: (ramp(2, 3),))

    def test_decorators(self):
        def run(x):
            @np.vectorize(otypes=["U5"])
            def text(v):
                return f"{v:.1f}"

            @np.vectorize
            def repeated(v, n):
                return f"{v:.0f}" * n
            return text(x), repeated(x, n=[1, 2, 3]), isinstance(text, np.vectorize)
        self.same(run, lambda: (ramp(3),))

    def test_arrays_in_objects_are_numpys(self):
        self.same(lambda x: [type(v).__module__ for v in np.vectorize(lambda v: np.ones(2) * v, otypes=[object])(x)],
                  lambda: (ramp(3),))


class Texts(Compiled):
    def test_one_state_of_print_options(self):
        def inside(x):
            y = x * 1
            with np.printoptions(precision=2):
                return (str(x), repr(x), f"{x}", str(y), repr(y), f"{y}", np.array2string(y), np.array_repr(x), np.array_str(y),
                        np.get_printoptions()["precision"])

        def outside(x):
            return np.array2string(x), np.array_repr(x * 1), np.array_str(x), str(x), np.get_printoptions()["precision"]

        def sets(x):
            before = np.get_printoptions()
            np.set_printoptions(precision=2, sign="+", formatter={"int": lambda i: f"<{i}>"})
            made = str(x), np.array2string(x), np.array_repr(np.arange(3))
            np.set_printoptions(**before)
            return made, np.get_printoptions()
        for f in (inside, outside, sets):
            self.same(f, lambda: (ramp(3) / 3,))
        with np.printoptions(precision=3):
            self.same(outside, lambda: (ramp(3) / 3,))
            self.assertEqual(nj.compile(outside)(ramp(2) / 3)[0], "[0.333 0.667]")
            self.assertEqual(nj.get_printoptions()["precision"], 8)

    def test_single_numbers(self):
        self.same(lambda x: (np.format_float_positional(x[0], precision=3), np.format_float_scientific(x.sum() / 3, 2)),
                  lambda: (ramp(3) / 3,))


class Left(Compiled):
    """What a call leaves behind, and what leaves it, is NumPy's."""

    def test_errors(self):
        class Told(Exception):
            pass

        def run(x, told):
            error = Told(x.max(), (x * 2, "text"))
            error.at = x * 3
            raise error if told else ValueError((x + 1).sum())
        for told in (True, False):
            outcomes = []
            for f in (nj.compile(run), run):
                with self.assertRaises((Told, ValueError)) as caught:
                    f(ramp(3), told)
                outcomes.append([caught.exception.args, vars(caught.exception)])
            self.assertEqual(difference(*outcomes), "")

    def test_lists_that_held_no_arrays(self):
        def fill(items, table, x, fails):
            items.append((x + 1).sum())
            items.append(x * 2)
            table["x"] = [x * 3]
            if fails:
                raise KeyError("on purpose")
        for items in ([], [1, "a"], [ramp(2)], [[]]):
            for fails in (False, True):
                self.same(fill, lambda: (list(items), {}, ramp(3), fails))

        def deep(items, x):
            items[0][1].append(x.sum())
        self.same(deep, lambda: ([(1, [])], ramp(3)))

    def test_sets_and_keys(self):
        def run(x, seen, table):
            seen.add(x.sum())
            table[x.max()] = table[2, x.min()] = x * 2
            return frozenset([x.sum(), "a"]), {x.max()}, {x.min(): 1, (x.sum(), 2): 3}
        fast = nj.compile(run)
        outcomes = []
        for f in (fast, run):
            seen, table = set(), {}
            frozen, made, keyed = f(ramp(3), seen, table)
            keys = [part for key in (*keyed, *table) for part in (key if isinstance(key, tuple) else (key,))]
            outcomes.append([numbers_in(values) for values in (frozen, made, seen, keys)])
            outcomes[-1] += [table, frozen == {6.0, "a"}, keyed[1.0]]
        self.assertEqual(outcomes[0][:4], outcomes[1][:4])
        self.assertEqual(difference(outcomes[0][4:], outcomes[1][4:]), "")


class Names(Compiled):
    def function(self, count):
        """One whose first names are redirected when there is no room for another number in the instruction."""
        lines = "\n".join(f"    x = x + g{i}" for i in range(count))
        namespace = {f"g{i}": float(i) for i in range(count)}
        namespace.update(np=np, sqrt=np.sqrt, sum=np.sum, __name__="many")
        exec(f"def run(x):\n    x = np.sqrt(x) + sqrt(x) + x.sum() + sum(x)\n{lines}\n"
             "    for i in range(3):\n        x = x + np.ones(3) + sum(x)\n"
             "    def inner(y):\n        return sqrt(y) + np.zeros(3) + y.sum()\n"
             "    try:\n        return np.sqrt(x) + sum(x) + inner(x)\n    finally:\n        x = sqrt(x)\n", namespace)
        return namespace["run"]

    def test_any_number_of_names(self):
        for count in (100, 130, 260, 700):
            run = self.function(count)
            fast = self.same(run, lambda: (ramp(3),))
            self.assertEqual([f.by for f in nj.explain(fast)(ramp(3)).functions], ["twin"])

    def test_a_name_among_many_may_change(self):
        run = self.function(300)
        fast = nj.compile(run)
        for value in (np.sqrt, np.square, np.sqrt):
            run.__globals__["sqrt"] = value
            self.assertEqual(difference(fast(ramp(3)), run(ramp(3)), part=1e-14), "")


if __name__ == "__main__":
    unittest.main()
