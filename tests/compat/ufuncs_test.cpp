// Ufuncs and operators: dtypes, weak literals, options, errors.
#include <cmath>
#include <limits>

#include "against_numpy.h"

namespace np = numjit;

namespace {

np::array ints() { return np::array{{1, 2, 3}, {4, 5, 6}}; }
np::array reals() { return np::array{0.5, -1.25, 3.0}; }

TEST(operators, of_arrays_and_literals) {
  VALUE("np.arange(3) + 1", np::arange(3) + 1);
  VALUE("1 - np.arange(3)", 1 - np::arange(3));
  VALUE("np.arange(3) * 2.5", np::arange(3) * 2.5);
  VALUE("1 / np.arange(1, 4)", 1 / np::arange(1, 4));
  VALUE("np.arange(-5, 5) % 3", np::arange(-5, 5) % 3);
  VALUE("np.arange(8) & 5", np::arange(8) & 5);
  VALUE("np.arange(8) | 5", np::arange(8) | 5);
  VALUE("np.arange(8) ^ 5", np::arange(8) ^ 5);
  VALUE("np.arange(4) << 2", np::arange(4) << 2);
  VALUE("1 << np.arange(4)", 1 << np::arange(4));
  VALUE("np.arange(-8, 8) >> 1", np::arange(-8, 8) >> 1);
  VALUE("~np.arange(3)", ~np::arange(3));
  VALUE("-np.arange(3)", -np::arange(3));
  VALUE("+np.arange(3)", +np::arange(3));
  VALUE("~np.array([True, False])", ~np::array{true, false});
  VALUE("np.array([0.5, -1.25, 3.0]) ** 2", np::pow(reals(), 2));
  VALUE("np.arange(3) == 1", np::arange(3) == 1);
  VALUE("np.arange(3) != np.array([0, 5, 2])", np::arange(3) != np::array{0, 5, 2});
  VALUE("np.arange(3) < 1.5", np::arange(3) < 1.5);
  VALUE("2 >= np.arange(4)", 2 >= np::arange(4));
  VALUE("np.arange(3) <= 1", np::arange(3) <= 1);
  VALUE("np.arange(3) > 1", np::arange(3) > 1);
  VALUE("np.array([[1, 2, 3], [4, 5, 6]]) + np.array([10, 20, 30])",
        ints() + np::array{10, 20, 30});
  VALUE("np.arange(3) * (1 + 2j)", np::arange(3) * std::complex<double>(1, 2));
  VALUE("np.arange(3) + True", np::arange(3) + true);
}

TEST(operators, literals_are_weak) {
  VALUE("np.ones(2, np.float32) + 1.5", np::ones(2, np::float32) + 1.5);
  VALUE("np.ones(2, np.uint8) + 200", np::ones(2, np::uint8) + 200);
  VALUE("np.ones(2, np.int8) * 1.5", np::ones(2, np::int8) * 1.5);
  VALUE("np.ones(2, np.float16) + 1j", np::ones(2, np::float16) + std::complex<double>(0, 1));
  VALUE("np.ones(2, np.float32) + np.float64(1)", np::ones(2, np::float32) + np::float64(1));
  VALUE("np.ones(2, bool) + 1", np::ones(2, np::bool_) + 1);
  ERROR("np.ones(2, np.uint8) + 300", np::ones(2, np::uint8) + 300);
  ERROR("np.ones(2, np.uint8) - (-1)", np::ones(2, np::uint8) - (-1));
  ERROR("np.uint8(300)", np::uint8(300));
  VALUE("np.float32(3)", np::float32(3));
  VALUE("np.int8(-5)", np::int8(-5));
  VALUE("np.complex64(1.5)", np::complex64(1.5));
  VALUE("np.bool_(2)", np::bool_(2));
}

TEST(operators, in_place) {
  auto a = np::arange(4);
  auto alias = a;
  a += 10;
  a *= 2;
  a -= np::array{1, 2, 3, 4};
  VALUE("a = np.arange(4); a += 10; a *= 2; a -= np.array([1, 2, 3, 4]); a", alias);
  auto x = np::arange(6) / 2;
  x(np::slice(1, -1)) += 1;
  x(np::slice(np::none, np::none, 2)) *= 10;
  VALUE("x = np.arange(6) / 2; x[1:-1] += 1; x[::2] *= 10; x", x);
  auto b = np::array{true, false, true};
  b &= np::array{true, true, false};
  b |= np::array{false, true, false};
  b ^= true;
  VALUE("b = np.array([True, False, True]); b &= np.array([True, True, False]); "
        "b |= np.array([False, True, False]); b ^= True; b", b);
  auto c = np::arange(5);
  c %= 3, c <<= 2, c >>= 1;
  VALUE("c = np.arange(5); c %= 3; c <<= 2; c >>= 1; c", c);
  auto d = np::ones(2, np::float32);
  d /= 3;
  VALUE("d = np.ones(2, np.float32); d /= 3; d", d);
  auto i = np::arange(3);
  ERROR("i = np.arange(3); i += 1.5", i += 1.5);
  ERROR("i = np.arange(3); i /= 2", i /= 2);
  ERROR("i = np.arange(3); i += np.arange(2)", i += np::arange(2));
  ERROR("i = np.ones((2, 3)); i[0] += np.ones((2, 3))",
        np::ones({2, 3})(0) += np::ones({2, 3}));
  // Overlap: as if the right side had been copied first.
  auto o = np::arange(6);
  o(np::slice(1, np::none)) += o(np::slice(np::none, -1));
  VALUE("o = np.arange(6); o[1:] += o[:-1]; o", o);
}

TEST(operators, truth_of_one_element) {
  EXPECT_TRUE(np::array(3) && !np::array(0.0));
  EXPECT_THROW((void)static_cast<bool>(np::arange(2)), np::ValueError);
  ERROR("bool(np.arange(2))", static_cast<bool>(np::arange(2)));
  ERROR("bool(np.zeros(0))", static_cast<bool>(np::zeros(0)));
}

TEST(ufuncs, of_each_kind) {
  VALUE("np.sqrt(np.arange(5))", np::sqrt(np::arange(5)));
  VALUE("np.exp(np.array([0.5, -1.25, 3.0]))", np::exp(reals()));
  VALUE("np.log(np.arange(1, 5))", np::log(np::arange(1, 5)));
  VALUE("np.sin(np.linspace(0, 6, 7))", np::sin(np::linspace(0, 6, 7)));
  VALUE("np.tanh(np.array([0.5, -1.25, 3.0], np.float32))", np::tanh(reals().astype(np::float32)));
  VALUE("np.arctan2(1.0, np.array([0.5, -1.25, 3.0]))", np::arctan2(1.0, reals()));
  VALUE("np.hypot(3, np.arange(5))", np::hypot(3, np::arange(5)));
  VALUE("np.floor(np.array([0.5, -1.25, 3.0]))", np::floor(reals()));
  VALUE("np.ceil(np.array([0.5, -1.25, 3.0]))", np::ceil(reals()));
  VALUE("np.rint(np.array([0.5, 1.5, -2.5]))", np::rint(np::array{0.5, 1.5, -2.5}));
  VALUE("np.absolute(np.array([3 + 4j, -1]))", np::abs(np::array{std::complex<double>(3, 4), -1}));
  VALUE("np.sign(np.array([-2, 0, 5]))", np::sign(np::array{-2, 0, 5}));
  VALUE("np.floor_divide(np.arange(-5, 5), 3)", np::floor_divide(np::arange(-5, 5), 3));
  VALUE("np.fmod(np.arange(-5, 5), 3)", np::fmod(np::arange(-5, 5), 3));
  VALUE("np.power(np.arange(5), 3)", np::power(np::arange(5), 3));
  VALUE("np.maximum(np.array([1.0, np.nan]), 2)", np::maximum(np::array{1.0, np::nan}, 2));
  VALUE("np.fmax(np.array([1.0, np.nan]), 2)", np::fmax(np::array{1.0, np::nan}, 2));
  VALUE("np.logical_and(np.arange(3), True)", np::logical_and(np::arange(3), true));
  VALUE("np.isnan(np.array([1.0, np.nan]))", np::isnan(np::array{1.0, np::nan}));
  VALUE("np.bitwise_count(np.arange(9))", np::bitwise_count(np::arange(9)));
  VALUE("np.gcd(12, np.arange(1, 9))", np::gcd(12, np::arange(1, 9)));
  VALUE("np.copysign(1.0, np.array([-0.0, 2.0]))", np::copysign(1.0, np::array{-0.0, 2.0}));
  VALUE("np.where(np.arange(4) > 1, np.arange(4), 0.5)",
        np::where(np::arange(4) > 1, np::arange(4), 0.5));
  VALUE("np.clip(np.arange(6), 1, 4)", np::clip(np::arange(6), 1, 4));
  VALUE("np.clip(np.arange(6), None, 4)", np::clip(np::arange(6), np::none, 4));
  VALUE("np.clip(np.arange(6), 2, None)", np::clip(np::arange(6), 2, np::none));
  VALUE("np.sin(1.0)", np::sin(1.0));
  VALUE("np.add(1, 2)", np::add(1, 2));
  VALUE("np.isfinite(np.arange(3))", np::isfinite(np::arange(3)));
  VALUE("np.conj(np.array([1 + 2j]))", np::conj(np::array{std::complex<double>(1, 2)}));
}

TEST(ufuncs, aliases_take_the_arguments_of_their_targets) {
  VALUE("np.abs(np.array([-1, 2]))", np::abs(np::array{-1, 2}));
  VALUE("np.mod(np.arange(5), 3)", np::mod(np::arange(5), 3));
  VALUE("np.pow(np.arange(5), 2)", np::pow(np::arange(5), 2));
  VALUE("np.true_divide(np.arange(3), 2)", np::true_divide(np::arange(3), 2));
  VALUE("np.amax(np.arange(6).reshape(2, 3), axis=1)",
        np::amax(np::arange(6).reshape(2, 3), {.axis = 1}));
  VALUE("np.asin(np.array([0.5]))", np::asin(np::array{0.5}));
  VALUE("np.deg2rad(np.array([180.0]))", np::deg2rad(np::array{180.0}));
}

TEST(ufuncs, options) {
  auto out = np::zeros(3);
  auto given = np::add(np::arange(3), 1, {.out = out});
  EXPECT_EQ(given.get(), out.get());
  VALUE("np.add(np.arange(3), 1.0)", out);
  VALUE("np.add(np.arange(3), 1, dtype=np.float32)",
        np::add(np::arange(3), 1, {.dtype = np::float32}));
  auto masked = np::full({4}, -1.0);
  np::sqrt(np::arange(4), {.out = masked, .where = np::array{true, false, true, false}});
  VALUE("o = np.full(4, -1.0); "
        "o = np.sqrt(np.arange(4), out=o, where=np.array([True, False, True, False])); o", masked);
  auto small = np::zeros(3, np::int32);
  ERROR("np.sqrt(np.arange(3), out=np.zeros(3, np.int32))",
        np::sqrt(np::arange(3), {.out = small}));
  auto narrow = np::zeros(2);
  ERROR("np.add(np.arange(3), 1, out=np.zeros(2))", np::add(np::arange(3), 1, {.out = narrow}));
}

TEST(ufuncs, powers_by_numbers) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  auto x = np::array{0.5, -1.25, 3.0, 4.0, 0.0, -0.0, inf, -inf, nan, 1e200};
  VALUE("np.power(np.array([0.5, -1.25, 3.0, 4.0, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e200]), 2)", np::power(x, 2));
  VALUE("np.power(np.array([0.5, -1.25, 3.0, 4.0, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e200]), 3)", np::power(x, 3));
  VALUE("np.power(np.array([0.5, -1.25, 3.0, 4.0, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e200]), 4)", np::power(x, 4));
  VALUE("np.power(np.array([0.5, -1.25, 3.0, 4.0, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e200]), 5)", np::power(x, 5));
  VALUE("np.power(np.array([0.5, -1.25, 3.0, 4.0, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e200]), 6)", np::power(x, 6));
  VALUE("np.power(np.array([0.5, -1.25, 3.0, 4.0, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e200]), 7.0)", np::power(x, 7.0));
  VALUE("np.power(np.array([0.5, -1.25, 3.0, 4.0, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e200]), -1)", np::power(x, -1));
  VALUE("np.power(np.array([0.5, -1.25, 3.0, 4.0, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e200]), -2)", np::power(x, -2));
  VALUE("np.power(np.array([0.5, -1.25, 3.0, 4.0, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e200]), -3.0)", np::power(x, -3.0));
  VALUE("np.power(np.array([0.5, -1.25, 3.0, 4.0, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e200]), 0.5)", np::power(x, 0.5));
  VALUE("np.power(np.array([0.5, -1.25, 3.0, 4.0, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e200]), 1.5)", np::power(x, 1.5));
  VALUE("np.power(np.array([0.5, -1.25, 3.0, 4.0, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e200]), -0.5)", np::power(x, -0.5));
  VALUE("np.power(np.array([0.5, -1.25, 3.0, 4.0, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e200]), -1.5)", np::power(x, -1.5));
  VALUE("np.power(np.array([0.5, -1.25, 3.0, 4.0, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e200]), 2.5)", np::power(x, 2.5));
  VALUE("np.power(np.array([0.5, -1.25, 3.0, 4.0, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e200]), 0)", np::power(x, 0));
  VALUE("np.power(np.float32([0.5, -1.25, 3.0, 1e30]), 3)",
        np::power(np::array{0.5, -1.25, 3.0, 1e30}.astype(np::float32), 3));
  VALUE("np.power(np.arange(5, dtype=np.int8) * 30, 2)", np::power(np::arange(5).astype(np::int8) * 30, 2));
  VALUE("np.power(np.arange(4), 2.0)", np::power(np::arange(4), 2.0));
  VALUE("np.power(np.arange(4, dtype=np.int8), 3.0)", np::power(np::arange(4).astype(np::int8), 3.0));
  VALUE("np.power(np.array([True, False]), 2)", np::power(np::array{true, false}, 2));
  VALUE("np.power(np.array([1 + 2j, -3j]), 2)",
        np::power(np::array{std::complex<double>(1, 2), std::complex<double>(0, -3)}, 2));
  VALUE("np.power(np.arange(3), np.float64(3))", np::power(np::arange(3), np::float64(3)));
  auto out = np::full({3}, -1.0);
  np::power(np::arange(3).astype(np::float64), 3, {.out = out, .where = np::array{true, false, true}});
  VALUE("o = np.full(3, -1.0); o = np.power(np.arange(3.0), 3, out=o, where=np.array([True, False, True])); o", out);
  np::power(np::array(8.0), 3, {.out = out});
  VALUE("np.power(np.float64(8), 3, out=np.zeros(3))", out);
  auto small = np::zeros(2), whole = np::zeros(3, np::int32);
  ERROR("np.power(np.arange(3.0), 3, out=np.zeros(2))",
        np::power(np::arange(3).astype(np::float64), 3, {.out = small}));
  ERROR("np.power(np.arange(3.0), 3, out=np.zeros(3, np.int32))",
        np::power(np::arange(3).astype(np::float64), 3, {.out = whole}));
}

TEST(ufuncs, errors) {
  ERROR("np.add(np.arange(2), np.arange(3))", np::add(np::arange(2), np::arange(3)));
  ERROR("np.subtract(np.array([True]), np.array([False]))",
        np::array{true} - np::array{false});
  ERROR("np.left_shift(1.5, np.arange(3))", np::left_shift(1.5, np::arange(3)));
  ERROR("np.invert(np.ones(2))", ~np::ones(2));
  ERROR("np.negative(np.array([True]))", -np::array{true});
  ERROR("np.floor(np.array([1j]))", np::floor(np::array{std::complex<double>(0, 1)}));
}

}  // namespace
