"""Arrays long enough for the ways of their own that eager calls have: NumPy's answers, and the bits of the general way."""
import unittest

import numpy as np

from differential import nj

RNG = np.random.default_rng(5)


class Large(unittest.TestCase):
    def same(self, ours, theirs, what=""):
        ours, theirs = np.asarray(ours), np.asarray(theirs)
        self.assertEqual((ours.dtype, ours.shape), (theirs.dtype, theirs.shape), what)
        self.assertEqual(ours.tobytes(), theirs.tobytes(), what)

    def test_bits_are_packed_along_any_axis(self):
        for dtype in ("bool", "uint8", "int8", "int32"):
            for shape in ((1,), (7,), (16,), (17,), (1000,), (3, 17), (17, 3), (4, 5, 9), (0, 5), (5, 0), (2, 8)):
                x = RNG.integers(0, 3, shape).astype(dtype)
                for axis in (None, *range(-len(shape), len(shape))):
                    for order in ("big", "little"):
                        what = str((dtype, shape, axis, order))
                        self.same(nj.packbits(nj.asarray(x), axis=axis, bitorder=order), np.packbits(x, axis=axis, bitorder=order), what)
        t = RNG.integers(0, 2, (9, 20)).astype(bool).T
        self.same(nj.packbits(nj.asarray(t), axis=1), np.packbits(t, axis=1))
        self.same(nj.packbits(nj.asarray(t)), np.packbits(t))

    def test_lines_are_made_piece_by_piece(self):
        for n in (0, 1, 2, 1023, 1024, 1025, 4097, 10001):
            for ends in ((0.0, 1.0), (-3.5, 2.25), (5, 1), (7.0, 7.0), (0.0, 1e-322)):
                for dtype in (None, "float32", "float16", "int32", "complex64"):
                    for endpoint in (True, False):
                        self.same(nj.linspace(*ends, n, endpoint=endpoint, dtype=dtype), np.linspace(*ends, n, endpoint=endpoint, dtype=dtype),
                                  str((n, ends, dtype, endpoint)))

    def test_sums_of_products_have_the_bits_of_a_sum(self):
        for dtype in ("float64", "float32"):
            for n in (8191, 8192, 10000, 65536, 300001):
                x, y = nj.asarray((RNG.random(n) - 0.5).astype(dtype)), nj.asarray(RNG.random(n).astype(dtype))
                total, squares = nj.sum(x * y), nj.sum(x * x)
                compiled = nj.compile(lambda p, q: (nj.dot(p, q), nj.average(p, weights=q), nj.linalg.norm(p)))
                for call in (lambda: nj.dot(x, y), lambda: nj.vdot(x, y), lambda: nj.inner(x, y), lambda: nj.einsum("i,i->", x, y),
                             lambda: compiled(x, y)[0]):
                    self.same(call(), total)
                for call in (lambda: nj.average(x, weights=y), lambda: compiled(x, y)[1]):
                    self.same(call(), total / nj.sum(y))
                for call in (lambda: nj.linalg.norm(x), lambda: compiled(x, y)[2]):
                    self.same(call(), nj.sqrt(squares))
            for shape in ((10, 1000), (3, 5000), (4000, 3)):
                x, y = nj.asarray(RNG.random(shape).astype(dtype)), nj.asarray(RNG.random(shape).astype(dtype))
                rows = nj.sum(x * y, axis=1)
                self.same(nj.einsum("ij,ij->i", x, y), rows)
                self.same(nj.average(x, axis=-1, weights=y), rows / nj.sum(y, axis=1))
                self.same(nj.linalg.norm(x, axis=1), nj.sqrt(nj.sum(x * x, axis=1)))
        big = nj.full(20000, 1e200)
        with nj.errstate(over="raise"), self.assertRaisesRegex(FloatingPointError, "overflow encountered in multiply"):
            nj.dot(big, big)

    def test_pieces_of_one_length(self):
        n = 5003
        for a in (RNG.random(n), RNG.random(n).astype("float32"), RNG.random(n).astype("float16"), RNG.integers(-9, 9, n)):
            for cuts in (np.arange(0, n, 10), np.arange(0, n, 7)[:-3], np.arange(n), RNG.integers(0, n, 50), np.array([0, 10, 20, 30, 30, 40, 41, 5000])):
                for name in ("add", "maximum", "multiply", "subtract"):
                    ufunc = getattr(nj, name)
                    ends = [*cuts[1:].tolist(), n]
                    pieces = [ufunc.reduce(nj.asarray(a[b:e] if e > b else a[b:b + 1]), dtype=a.dtype) for b, e in zip(cuts.tolist(), ends)]
                    self.same(ufunc.reduceat(nj.asarray(a), nj.asarray(cuts)), np.array([np.asarray(p) for p in pieces]), str((a.dtype, name)))

    def test_values_that_rise_are_found_from_the_last_place(self):
        for n in (1, 5, 100, 5000):
            points = np.sort(RNG.integers(0, n, n) * 0.5)  # some of them equal
            for count in (3, n, 20000):
                rising = np.sort(RNG.random(count) * n * 0.6 - 1)
                rising[count // 2:count // 2 + 9] = points[min(n - 1, 3)]
                stumbling = rising.copy()
                stumbling[::97] = stumbling[0]
                stumbling[::203] = np.nan
                for values in (rising, stumbling, rising[::-1].copy(), RNG.permutation(rising)):
                    for side in ("left", "right"):
                        self.same(nj.searchsorted(nj.asarray(points), nj.asarray(values), side), np.searchsorted(points, values, side))
                        whole, wanted = points.astype("int64"), np.where(np.isnan(values), 0, values).astype("int64")
                        self.same(nj.searchsorted(nj.asarray(whole), nj.asarray(wanted), side), np.searchsorted(whole, wanted, side))
        with_nan = np.array([0.0, 1.0, np.nan, np.nan])
        values = np.sort(RNG.random(50) * 2)
        self.same(nj.searchsorted(nj.asarray(with_nan), nj.asarray(values)), np.searchsorted(with_nan, values))

    def test_sequences_spread_and_crowded_over_their_range(self):
        for n in (16, 33, 1000):
            inside = np.sort(RNG.random(n - 2))
            sequences = (np.linspace(-3, 7, n), np.sort(RNG.standard_normal(n) ** 3), np.sort(RNG.integers(0, n // 2, n)).astype(float),
                         np.r_[-1e300, inside, 1e300], np.r_[-1.7e308, inside, 1.7e308], np.r_[inside, np.inf, np.inf], np.r_[inside, 2, np.nan],
                         np.repeat([0, 5e-324], n // 2))
            for i, points in enumerate(sequences):
                some = RNG.choice(points, 8 * n)
                values = np.r_[some, np.nextafter(some, np.inf), RNG.random(16 * n) * 2 - 0.5, np.nan, np.inf, -np.inf, -0.0, 1e308, -1e308]
                for side in ("left", "right"):
                    self.same(nj.searchsorted(nj.asarray(points), nj.asarray(values), side), np.searchsorted(points, values, side), str((n, i)))
                if i < 3 and np.all(np.diff(points) >= 0):
                    held = values[np.isfinite(values)]
                    self.same(nj.histogram(nj.asarray(held), nj.asarray(points))[0], np.histogram(held, points)[0], str((n, i)))
            for low, high in ((0, 10 * n), (-2 ** 63, 2 ** 63 - 1), (2 ** 63 - 1 - 3 * n, 2 ** 63 - 1)):
                points = np.sort(RNG.integers(low, high, n, endpoint=True))
                values = np.r_[RNG.choice(points, 16 * n), RNG.integers(low, high, 16 * n, endpoint=True), -2 ** 63, 2 ** 63 - 1]
                for side in ("left", "right"):
                    self.same(nj.searchsorted(nj.asarray(points), nj.asarray(values), side), np.searchsorted(points, values, side), str((n, low)))

    def test_interpolation(self):
        for n in (2, 3, 1000):
            points, heights = np.unique(RNG.random(n) * 10), RNG.random(n)
            heights = heights[:len(points)]
            for values in (np.sort(RNG.random(4000) * 12 - 1), RNG.random(4000) * 12 - 1, points, RNG.random(2), np.array([np.nan, 3.0, np.inf, -np.inf])):
                ours = nj.interp(nj.asarray(values), nj.asarray(points), nj.asarray(heights))
                np.testing.assert_allclose(np.asarray(ours), np.interp(values, points, heights), rtol=1e-13, atol=1e-15)
                compiled = nj.compile(nj.interp)
                self.same(compiled(nj.asarray(values), nj.asarray(points), nj.asarray(heights)), ours)

    def test_angles_of_all_sizes_side_by_side(self):
        for dtype in ("float64", "float32"):
            x = (RNG.normal(size=2000) * 10).astype(dtype)
            x[300:310] = [np.inf, -np.inf, np.nan, 1.6e6, -1.6e6, 1e10, -3e20, 0.0, -0.0, 1e-40]
            x[900:903] = [1599999.9, 1600000.2, np.nan]
            for name in ("sin", "cos", "tan"):
                ours = getattr(nj, name)
                one_by_one = np.array([np.asarray(ours(nj.asarray(x[i:i + 1])))[0] for i in range(len(x))])
                self.same(ours(nj.asarray(x)), one_by_one, name + " " + dtype)

    def test_bessel_functions(self):
        for x in (RNG.normal(size=3000), RNG.normal(size=3000) * 20, np.linspace(7.9, 8.1, 700), np.array([0.0, -0.0, 8.0, -8.0, np.inf, np.nan, 1e-300])):
            ours = nj.i0(nj.asarray(x))
            with np.errstate(all="ignore"):
                np.testing.assert_allclose(np.asarray(ours), np.i0(x), rtol=3e-15)
            self.same(nj.compile(lambda v: nj.i0(v))(nj.asarray(x)), ours)

    def test_diagonals(self):
        v = RNG.random(50)
        for k in (0, 3, -3, 60, -60):
            self.same(nj.diag(nj.asarray(v), k), np.diag(v, k))
            self.same(nj.diag(nj.asarray(v[:0]), k), np.diag(v[:0], k))
        for shape in ((5, 5), (5, 3), (3, 5), (4, 4, 4), (10, 3)):
            for wrap in (False, True):
                for value in (7, [1, 2], list(range(9))):
                    for layout in (lambda x: x, lambda x: x.T):
                        ours, theirs = layout(nj.zeros(shape)), layout(np.zeros(shape))
                        nj.fill_diagonal(ours, value, wrap)
                        np.fill_diagonal(theirs, value, wrap)
                        self.same(ours, theirs, str((shape, wrap, value)))

    def test_borders_and_turns(self):
        for a in (RNG.random((20, 30)), RNG.integers(0, 255, (20, 30)).astype("uint8")):
            own = nj.asarray(a)
            for width in (0, 1, (1, 2), ((1, 2), (0, 3))):
                for given in ({}, {"constant_values": 5}, {"constant_values": (1, 2)}, {"constant_values": ((1, 2), (3, 4))}):
                    self.same(nj.pad(own, width, **given), np.pad(a, width, **given), str((width, given)))
            for shift, axis in ((0, None), (5, None), (0, 1), (-3, 0), ((2, 7), (0, 1))):
                turned = nj.roll(own, shift, axis)
                self.same(turned, np.roll(a, shift, axis))
                self.assertFalse(nj.shares_memory(turned, own))

    def test_stores_at_several_index_arrays(self):
        a = RNG.random((4, 5, 6))
        i, j = np.array([0, 3, 3]), np.array([1, 2, 2])
        value = RNG.random(3)
        for order in ("C", "F"):
            for index in ((i, j), (i, slice(None), j), (slice(1, 3), j, i), (i[:, None], j, 1)):
                ours, theirs = nj.asarray(a.copy(order)), a.copy(order)
                theirs[index] = -1.5
                ours[tuple(nj.asarray(k) if isinstance(k, np.ndarray) else k for k in index)] = -1.5
                self.same(nj.ascontiguousarray(ours), np.ascontiguousarray(theirs), str(index))
            ours, theirs = nj.asarray(a.copy(order)), a.copy(order)
            theirs[i, j, i] = value
            ours[nj.asarray(i), nj.asarray(j), nj.asarray(i)] = nj.asarray(value)
            theirs[i, j] = theirs[1, :3]  # from the memory that is written
            ours[nj.asarray(i), nj.asarray(j)] = ours[1, :3]
            self.same(nj.ascontiguousarray(ours), np.ascontiguousarray(theirs))

    def test_at_places(self):
        for dtype in ("int64", "int32", "uint8", "int8"):
            for low in (0, -50):
                if low < 0 and dtype == "uint8":
                    continue
                places, values = RNG.integers(low, 50, 1000).astype(dtype), RNG.random(1000)
                ours, theirs = nj.zeros(50), np.zeros(50)
                nj.add.at(ours, nj.asarray(places), nj.asarray(values))
                np.add.at(theirs, places, values)
                self.same(ours, theirs)
        with self.assertRaisesRegex(IndexError, "index 50 is out of bounds for axis 0 with size 50"):
            nj.add.at(ours, nj.asarray(np.array([50])), 1.0)

    def test_floats_beyond_int64(self):
        values = [0.0, -0.0, 1.5, -1.5, np.nan, np.inf, -np.inf, 2.0**63, -(2.0**63), 2.0**63 - 1024, 9.3e18, -9.3e18, 1e300, 0.99]
        for dtype in ("float64", "float32"):
            with np.errstate(all="ignore"):
                x = np.tile(np.array(values).astype(dtype), 9)
                self.same(nj.asarray(x).astype("int64"), x.astype("int64"))
                self.same(nj.asarray(x)[::-3].astype("int64"), x[::-3].astype("int64"))


if __name__ == "__main__":
    unittest.main()
