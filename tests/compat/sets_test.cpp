// Sets, orders, ufuncs with two results, tests of elements, bits.
#include "against_numpy.h"

namespace np = numjit;

namespace {

const double inf = np::inf, nan = np::nan;

TEST(sets, of_values) {
  const np::array a{3, 1, 3, 7}, b{7, 3, 9};
  VALUE("np.intersect1d([3, 1, 3, 7], [7, 3, 9])", np::intersect1d(a, b));
  VALUE("np.intersect1d(np.ones(0), np.ones(0))", np::intersect1d(np::ones(0), np::ones(0)));
  VALUE("np.union1d([3, 1, 3, 7], [[7., 3, 9]])", np::union1d(a, np::array{{7.0, 3, 9}}));
  VALUE("np.setdiff1d([3, 1, 3, 7], [7, 3, 9])", np::setdiff1d(a, b));
  VALUE("np.setxor1d([3, 1, 3, 7], [7, 3, 9])", np::setxor1d(a, b));
  VALUE("np.unique_values(np.array([3, 1, 3]))", np::unique_values(np::array{3, 1, 3}));
  using c = std::complex<double>;
  VALUE("np.unique(np.array([1 + 1j, complex(np.nan, 1), np.nan, complex(1, np.nan)]))",
        np::unique(np::array{c(1, 1), c(nan, 1), c(nan, 0), c(1, nan)}));
  VALUE("np.unique(np.array([1 + 1j, complex(np.nan, 1), np.nan]), equal_nan=False)[0]",
        np::array(np::unique(np::array{c(1, 1), c(nan, 1), c(nan, 0)}, {.equal_nan = false})(0)));
  VALUE("np.unique_counts(np.array([3, 1, 3])).counts", np::unique_counts(np::array{3, 1, 3}).counts);
  VALUE("np.unique_inverse(np.array([[3, 1], [1, 3]])).inverse_indices",
        np::unique_inverse(np::array{{3, 1}, {1, 3}}).inverse_indices);
  VALUE("np.ediff1d(np.array([[1, 4], [9, 16]]))", np::ediff1d(np::array{{1, 4}, {9, 16}}));
  const np::array framed{{0, 0, 0, 0}, {0, 1, 0, 2}, {0, 0, 0, 0}};
#define FRAMED "f = np.array([[0, 0, 0, 0], [0, 1, 0, 2], [0, 0, 0, 0]]); "
  VALUE(FRAMED "np.trim_zeros(f)", np::trim_zeros(framed));
  VALUE(FRAMED "np.trim_zeros(f, 'B', axis=0)", np::trim_zeros(framed, {.trim = "B", .axis = 0}));
  VALUE("np.trim_zeros(np.zeros((2, 3)), 'f')", np::trim_zeros(np::zeros({2, 3}), "f"));
  ERROR("np.trim_zeros(np.array([1]), 'x')", np::trim_zeros(np::array{1}, "x"));
  VALUE("np.trim_zeros(np.array([0, 0, 1, 0, 2, 0]))", np::trim_zeros(np::array{0, 0, 1, 0, 2, 0}));
  VALUE("np.trim_zeros(np.array([0, 0, 1, 0, 2, 0]), 'b')", np::trim_zeros(np::array{0, 0, 1, 0, 2, 0}, "b"));
  VALUE("np.trim_zeros(np.zeros(3))", np::trim_zeros(np::zeros(3)));
}

TEST(sets, orders) {
  VALUE("np.lexsort((np.array([9, 4, 0, 4, 0, 2, 1]), np.array([1, 5, 1, 4, 3, 4, 4])))",
        np::lexsort({np::array{9, 4, 0, 4, 0, 2, 1}, np::array{1, 5, 1, 4, 3, 4, 4}}));
  VALUE("np.sort_complex(np.array([3, 1, 2]))", np::sort_complex(np::array{3, 1, 2}));
  VALUE("np.sort_complex(np.array([3, 1, 2], dtype=np.int16))", np::sort_complex(np::array{3, 1, 2}.astype(np::int16)));
  VALUE("np.partition(np.array([7, 1, 5, 2]), 2)[2]", np::array(np::partition(np::array{7, 1, 5, 2}, 2)(2)));
  VALUE("np.argpartition(np.array([7, 1, 5, 2]), -1)[3]", np::array(np::argpartition(np::array{7, 1, 5, 2}, -1)(3)));
  VALUE("np.partition(np.array([[7, 1], [5, 2]]), (1, 2), axis=None)[1:3]",
        np::array(np::partition(np::array{{7, 1}, {5, 2}}, {1, 2}, np::none)(np::slice(1, 3))));
  VALUE("np.argpartition(np.array([[7, 1], [5, 2]]), 0, axis=0)[0]",
        np::array(np::argpartition(np::array{{7, 1}, {5, 2}}, 0, 0)(0)));
  VALUE("np.partition(np.zeros(0), 3)", np::partition(np::zeros(0), 3));
  ERROR("np.partition(np.arange(3), 3)", np::partition(np::arange(3), 3));
  ERROR("np.argpartition(np.arange(3), (1, -4))", np::argpartition(np::arange(3), {1, -4}));
  ERROR("np.partition(np.arange(3), 0, axis=1)", np::partition(np::arange(3), 0, 1));
  ERROR("np.partition(np.array(3), 0)", np::partition(np::array(3), 0));
  ERROR("np.partition(np.array([7, 1, 5, 2]), 4)", np::partition(np::array{7, 1, 5, 2}, 4));
}

TEST(sets, two_results) {
  const np::array x{-2.5, 2.5, 0.0, -0.0, inf, -inf, nan, 1e-310, 3e300};
  VALUE_EXACT("np.modf(np.array([-2.5, 2.5, 0., -0., inf, -inf, nan, 1e-310, 3e300]))[0]", np::modf(x).first);
  VALUE_EXACT("np.modf(np.array([-2.5, 2.5, 0., -0., inf, -inf, nan, 1e-310, 3e300]))[1]", np::modf(x).second);
  VALUE_EXACT("np.frexp(np.array([-2.5, 2.5, 0., -0., inf, -inf, nan, 1e-310, 3e300]))[0]", np::frexp(x).first);
  VALUE_EXACT("np.frexp(np.array([-2.5, 2.5, 0., -0., inf, -inf, nan, 1e-310, 3e300]))[1]", np::frexp(x).second);
  VALUE_EXACT("np.frexp(2.0 ** np.arange(-1074, 1024))[1]", np::frexp(np::ldexp(1.0, np::arange(-1074, 1024))).second);
  VALUE_EXACT("np.frexp(np.nextafter(2.0 ** np.arange(-1021, 1024), 0))[0]",
              np::frexp(np::nextafter(np::ldexp(1.0, np::arange(-1021, 1024)), 0)).first);
  VALUE_EXACT("np.frexp(np.array([5, 0.1, 1e-45], dtype=np.float32))[0]",
              np::frexp(np::array{5, 0.1, 1e-45}.astype(np::float32)).first);
  VALUE_EXACT("np.frexp(np.array([5, 0.1, 6e-8], dtype=np.float16))[1]",
              np::frexp(np::array{5, 0.1, 6e-8}.astype(np::float16)).second);
  VALUE_EXACT("np.ldexp(1.7, np.arange(-1080, 1030))", np::ldexp(1.7, np::arange(-1080, 1030)));
  VALUE_EXACT("np.ldexp(3e-310, np.arange(0, 2100, 7))", np::ldexp(3e-310, np::arange(0, 2100, 7)));
  VALUE_EXACT("np.ldexp(np.array([1.5, nan, inf, 0], dtype=np.float32), np.array([-149, 3, -9, 200]))",
              np::ldexp(np::array{1.5, nan, inf, 0.0}.astype(np::float32), np::array{-149, 3, -9, 200}));
  // Results below the normal numbers are rounded once.
  VALUE_EXACT("np.ldexp(np.float32([-0.44779938, 0.5907275, 1.1754943e-38]), np.array([-128, -128, -1]))",
              np::ldexp(np::array{-0.44779938, 0.5907275, 1.1754943e-38}.astype(np::float32), np::array{-128, -128, -1}));
  VALUE_EXACT("np.ldexp(1 + np.arange(8) / 7, np.arange(-1074, -1066))",
              np::ldexp(1 + np::arange(8) / 7, np::arange(-1074, -1066)));
  VALUE_EXACT("np.ldexp(np.array([1.1, -3., inf, 1e-310]), np.array([-1022, 1022, -5, 900], dtype=np.int32))",
              np::ldexp(np::array{1.1, -3.0, inf, 1e-310}, np::array{-1022, 1022, -5, 900}.astype(np::int32)));
  VALUE("np.divmod(np.array([7, -7]), 3)[1]", np::divmod(np::array{7, -7}, 3).second);
  VALUE_EXACT("np.spacing(np.array([1., -3, 0, 1e300, inf]))", np::spacing(np::array{1.0, -3, 0, 1e300, inf}));
  VALUE_EXACT("np.spacing(np.array([1., -3, 0, inf, -inf, 65504], dtype=np.float16))",
              np::spacing(np::array{1.0, -3.0, 0.0, inf, -inf, 65504.0}.astype(np::float16)));
  VALUE_EXACT("np.ldexp(3, np.array([1, 2]))", np::ldexp(3, np::array{1, 2}));
  ERROR("np.ldexp(1.0, np.array([2], dtype=np.uint64))", np::ldexp(1.0, np::array{2}.astype(np::uint64)));
  ERROR("np.modf(1j)", np::modf(std::complex<double>(0, 1)));
  ERROR("np.ldexp(1.0, 2.0)", np::ldexp(1.0, 2.0));
  VALUE("np.fix(np.array([-2.5, 2.5]))", np::fix(np::array{-2.5, 2.5}));
}

// One pass over memory eagerly, operations in a graph: the same values.
TEST(sets, parts_of_floats_in_graphs) {
  auto parts = [](const np::array& x) {
    const auto [mantissa, exponent] = np::frexp(x);
    const auto [fraction, whole] = np::modf(x);
    return np::stack({mantissa, exponent.astype(x.dtype()), fraction, whole, np::count_nonzero(x).astype(x.dtype()) + x * 0});
  };
  const np::array values{0.0,    -0.0,   1.0,  -1.0, 0.5,  3.75, -2.5,    1e30,   -1e-30,
                         5e-324, 1e-310, 6e-8, inf,  -inf, nan,  65504.0, 1024.0, 0.1};
  for (np::dtype t : {np::float16, np::float32, np::float64}) {
    const np::array x = values.astype(t);
    const np::array got = np::compile(parts)(x), expected = parts(x);
    EXPECT_TRUE(np::array_equal(got, expected, true)) << t.name() << "\n" << got << "\n" << expected;
    EXPECT_TRUE(np::array_equal(np::signbit(got(np::slice(0, 4), np::slice(0, 12))),
                                np::signbit(expected(np::slice(0, 4), np::slice(0, 12)))));
  }
  for (np::dtype t : {np::bool_, np::int8, np::uint16, np::int32, np::uint64, np::float16, np::float32, np::complex64}) {
    const np::array x = np::remainder(np::arange(10000), 3).astype(t);
    EXPECT_EQ(np::count_nonzero(x).item<int>(), 6666) << t.name();
    EXPECT_EQ(np::count_nonzero(x(np::slice(0, 10000, 3))).item<int>(), 0) << t.name();
  }
}

TEST(sets, tests_of_elements) {
  const np::array z{std::complex<double>(1, 2), std::complex<double>(3, 0)};
  VALUE("np.isposinf(np.array([inf, -inf, nan, 1]))", np::isposinf(np::array{inf, -inf, nan, 1}));
  VALUE("np.isneginf(np.array([inf, -inf, nan, 1]))", np::isneginf(np::array{inf, -inf, nan, 1}));
  ERROR("np.isneginf(np.array([1j]))", np::isneginf(np::array{std::complex<double>(0, 1)}));
  VALUE("np.iscomplex(np.array([1 + 2j, 3]))", np::iscomplex(z));
  VALUE("np.isreal(np.array([1 + 2j, 3]))", np::isreal(z));
  VALUE("np.isreal(np.arange(2))", np::isreal(np::arange(2)));
  EXPECT_TRUE(np::iscomplexobj(z));
  EXPECT_TRUE(np::isrealobj(np::arange(2)));
  VALUE("np.real_if_close(np.array([2.1 + 4e-14j, 5.2 + 3e-15j]), tol=1000)",
        np::real_if_close(np::array{std::complex<double>(2.1, 4e-14), std::complex<double>(5.2, 3e-15)}, 1000));
  VALUE("np.real_if_close(np.array([1 + 2j, 3]))", np::real_if_close(z));
}

TEST(sets, bits) {
  const np::array a = np::array{{1, 0, 1, 0, 0, 0, 0, 1, 1}, {0, 7, 0, 0, 1, 1, 0, 0, 0}};
  VALUE("np.packbits(np.array([[1, 0, 1, 0, 0, 0, 0, 1, 1], [0, 7, 0, 0, 1, 1, 0, 0, 0]]))", np::packbits(a));
  VALUE("np.packbits(np.array([[1, 0, 1, 0, 0, 0, 0, 1, 1], [0, 7, 0, 0, 1, 1, 0, 0, 0]]), axis=1)", np::packbits(a, 1));
  VALUE("np.packbits(np.array([[1, 0, 1, 0, 0, 0, 0, 1, 1], [0, 7, 0, 0, 1, 1, 0, 0, 0]]), axis=0, bitorder='little')",
        np::packbits(a, 0, "little"));
  VALUE("np.unpackbits(np.array([[2], [7], [23]], dtype=np.uint8), axis=1)",
        np::unpackbits(np::array{{2}, {7}, {23}}.astype(np::uint8), 1));
  VALUE("np.unpackbits(np.array([2, 7], dtype=np.uint8), count=-3, bitorder='little')",
        np::unpackbits(np::array{2, 7}.astype(np::uint8), {}, -3, "little"));
  VALUE("np.unpackbits(np.array([2, 7], dtype=np.uint8), count=20)", np::unpackbits(np::array{2, 7}.astype(np::uint8), {}, 20));
  ERROR("np.unpackbits(np.arange(3))", np::unpackbits(np::arange(3)));
}

}  // namespace
