// Accuracy of the functions of float64 and float32 against MPFR: any bits, the functions' own
// boundaries, values near 1 and near zeros, near multiples of pi/2 up to the largest, arguments
// that are published as hard. How many depends on accuracy::full().
#include <gtest/gtest.h>

#if __has_include(<mpfr.h>)
#include <bit>
#include <vector>

#include <numjit/ops/math/vocabulary.h>

#include "measure.h"

namespace {

using namespace numjit;
using accuracy::Draw;
using accuracy::Figure;
using accuracy::Number;

int samples() { return accuracy::full() ? 240'000 : 12'000; }

template <class T>
const char* type_name() {
  return sizeof(T) == 8 ? "float64" : "float32";
}
template <class T>
T round_to(mpfr_ptr v) {
  return sizeof(T) == 8 ? static_cast<T>(mpfr_get_d(v, MPFR_RNDN))
                        : static_cast<T>(mpfr_get_flt(v, MPFR_RNDN));
}

/// Points between which a function changes its formula, or where its values are special.
using Points = std::vector<double>;

/// Value number i: any bits, near zero, between two points, near a point, near 1, large.
template <class T>
T value(Draw& draw, int i, const Points& points) {
  const int count = static_cast<int>(points.size());
  const auto pick = [&] { return points[static_cast<std::size_t>(draw.below(count))]; };
  const auto near = [&](int bits) {
    return 1 + draw.uniform(-1, 1) * std::ldexp(1, -draw.below(bits));
  };
  switch (i % 8) {
    case 0: return std::bit_cast<T>(draw.any_bits<m::uint_of<T>>());
    case 1: return static_cast<T>(std::ldexp(draw.uniform(-1, 1), -draw.below(60)));
    case 2:
    case 3: {
      const double a = pick(), b = pick();
      return static_cast<T>(draw.uniform(a, b));
    }
    case 4: {
      const double point = pick();
      return static_cast<T>(point * near(53));
    }
    case 5: {
      const double sign = draw.sign();
      return static_cast<T>(sign * near(50));
    }
    case 6: {
      const std::size_t k = static_cast<std::size_t>(draw.below(count - 1));
      return static_cast<T>(draw.uniform(points[k], points[k + 1]));
    }
    default: return static_cast<T>(draw.sign() * std::ldexp(draw.uniform(0.5, 1), draw.below(80)));
  }
}

/// From tables of worst cases: exp and log are the hardest arguments to round (Lefevre and Muller,
/// 2001), the last three come nearest to multiples of pi/2 or are the usual tests of a reduction.
constexpr double hard[] = {0x1.9e9cbbfd6080bp-31, 0x1.62a88613629b6p+678, 0x1.4c1b45f7a1d2ap-2,
                           0x1.921fb54442d18p+1,  0x1.921fb54442d18p+0,   1e22,
                           0x1.6ac5b262ca1ffp+849, 0x1.fffffffffffffp+1023};

template <class T, class F, class Reference>
Figure error_of(const char* name, F f, Reference reference, const Points& points) {
  Draw draw;
  Number x(64), y(200);
  Figure figure{name, type_name<T>()};
  const auto one = [&](T v) {
    mpfr_set_d(x, static_cast<double>(v), MPFR_RNDN);
    reference(y, x, MPFR_RNDN);
    figure.add(accuracy::error_in_ulps(f(v), y), static_cast<double>(v));
  };
  for (double v : hard) one(static_cast<T>(v)), one(static_cast<T>(-v));
  for (double v : points) one(static_cast<T>(v)), one(static_cast<T>(-v));
  for (double v : {0.0, 1.0, std::numeric_limits<double>::infinity(), std::nan("")})
    one(static_cast<T>(v)), one(static_cast<T>(-v));
  const int count = sizeof(T) == 8 ? samples() : 12'000;  // float32 has all values below
  for (int i = 0; i < count; ++i) one(value<T>(draw, i, points));
  return figure;
}
template <class T, class F, class Reference>
void check(const char* name, F f, Reference reference, const Points& points, double limit = 1.0) {
  const Figure figure = error_of<T>(name, f, reference, points);
  // float32 goes into the table with all its values, see exhaustive_test.cpp
  if (sizeof(T) == 8)
    accuracy::report(figure, limit);
  else
    EXPECT_LE(figure.ulps, limit) << name << " of a float at " << figure.where;
}

template <class T>
std::pair<T, T> pair_of(Draw& draw, int i) {
  const T any = value<T>(draw, i / 8, {0, 20});
  switch (i % 3) {
    case 0: return {any, value<T>(draw, i, {-300, 300})};
    case 1: return {any, static_cast<T>(static_cast<double>(any) * draw.uniform(-4, 4))};
    default: {  // x^y from the smallest to the largest
      const T x = std::fabs(value<T>(draw, i / 3, {0, 1, 1.4142, 20}));
      const double size = sizeof(T) == 8 ? 745 : 104;
      return {x, static_cast<T>(draw.uniform(-size, size) / std::log(static_cast<double>(x)))};
    }
  }
}
template <class T, class F, class Reference>
void check_two(const char* name, F f, Reference reference, double limit = 1.0) {
  Draw draw;
  Number x(64), y(64), z(200);
  Figure figure{name, type_name<T>()};
  const auto one = [&](T v, T w) {
    mpfr_set_d(x, static_cast<double>(v), MPFR_RNDN);
    mpfr_set_d(y, static_cast<double>(w), MPFR_RNDN);
    reference(z, x, y, MPFR_RNDN);
    figure.add(accuracy::error_in_ulps(f(v, w), z), static_cast<double>(v), static_cast<double>(w));
  };
  const double inf = std::numeric_limits<double>::infinity();
  const double special[] = {0.0, -0.0, 1.0,  -1.0,         0.5,    -2.0,
                            3.0, inf,  -inf, std::nan(""), 1e-320, 1e308};
  for (double v : special)
    for (double w : special) one(static_cast<T>(v), static_cast<T>(w));
  for (int i = 0; i < 3 * samples(); ++i) {
    const auto [v, w] = pair_of<T>(draw, i);
    one(v, w);
  }
  accuracy::report(figure, limit);
}

#define CHECK(name, reference, ...)                                                          \
  check<double>(#name, [](double v) { return m::name(v); }, reference, Points __VA_ARGS__); \
  check<float>(#name, [](float v) { return m::name(v); }, reference, Points __VA_ARGS__)
#define CHECK_TWO(name, reference)                                                       \
  check_two<double>(#name, [](double v, double w) { return m::name(v, w); }, reference); \
  check_two<float>(#name, [](float v, float w) { return m::name(v, w); }, reference)

TEST(Accuracy, Exponential) {
  CHECK(exp, mpfr_exp, {-745.2, -708.4, -103.98, -87.4, -0.35, 0.35, 88.73, 709.79});
  CHECK(exp2, mpfr_exp2, {-1075, -1022, -150, -126, -0.5, 0.5, 128, 1024});
  CHECK(expm1, mpfr_expm1, {-40, -0.35, 0.346, 0.37, 1.04, 37.08, 37.43, 88.73, 709.79});
}
TEST(Accuracy, Logarithm) {
  CHECK(log, mpfr_log, {0, 0.7071, 0.99, 1.01, 1.4142, 3, 1e5});
  CHECK(log2, mpfr_log2, {0, 0.7071, 0.99, 1.01, 1.4142, 3, 1e5});
  CHECK(log10, mpfr_log10, {0, 0.7071, 0.99, 1.01, 1.4142, 3, 1e5});
  CHECK(log1p, mpfr_log1p, {-1, -0.2929, 0, 0.4142, 2, 1e5});
}
TEST(Accuracy, Hyperbolic) {
  CHECK(sinh, mpfr_sinh, {0, 0.346, 0.37, 1.04, 3, 18, 19, 89.42, 710.48});
  CHECK(cosh, mpfr_cosh, {0, 0.346, 0.37, 1.04, 3, 18, 19, 89.42, 710.48});
  CHECK(tanh, mpfr_tanh, {0, 0.3, 0.625, 0.7, 1, 3, 20});
  CHECK(arcsinh, mpfr_asinh, {0, 0.25, 0.35, 0.45, 1.5, 20, 0x1p28});
  CHECK(arccosh, mpfr_acosh, {1, 1.0001, 1.1, 2, 20, 0x1p28});
  CHECK(arctanh, mpfr_atanh, {0, 0.1, 0.1716, 0.5, 0.9, 1});
}
TEST(Accuracy, InverseTrigonometric) {
  CHECK(arctan, mpfr_atan, {0, 0.4375, 0.6875, 1.1875, 2.4375, 10});
  CHECK(arcsin, mpfr_asin, {0, 0.25, 0.5, 0.99, 1});
  CHECK(arccos, mpfr_acos, {-1, -0.99, -0.5, 0, 0.5, 0.99, 1});
  CHECK_TWO(arctan2, mpfr_atan2);
}
TEST(Accuracy, PowersAndRoots) {
  CHECK_TWO(power, mpfr_pow);
  CHECK_TWO(hypot, mpfr_hypot);
  CHECK(cbrt, mpfr_cbrt, {-8, -1, 1, 2, 4, 8, 27});
  CHECK(sqrt, mpfr_sqrt, {0, 1, 2, 4, 27});
}
/// Every row of a power by a fixed exponent; next to where it leaves the range, too.
template <int Twice>
void check_fixed_power() {
  const double exponent = Twice / 2.0;
  const auto reference = [](mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t r) {
    Number e(64);
    mpfr_set_d(e, Twice / 2.0, MPFR_RNDN);
    return mpfr_pow(y, x, e, r);
  };
  const std::string name = "power by " + std::to_string(exponent);
  for (const double unit : {1022.0, 126.0}) {
    const double edge = std::exp2(unit / exponent), low = std::exp2(-(unit + 4) / exponent);
    const double lowest = std::exp2(-(unit + 20) / exponent);
    const Points points{0, 1, 2, 27, edge, 2 * edge, low, lowest, 0.5 * lowest, 2 * low, 1e-310, 2.2e-308};
    const auto check_one = [&](auto zero) {
      using T = decltype(zero);
      const Figure figure = error_of<T>(name.c_str(), [](T v) { return m::power_fixed<Twice>(v); }, reference, points);
      EXPECT_LE(figure.ulps, 0.76) << name << " of a " << type_name<T>() << " at " << figure.where;
    };
    check_one(0.0);
    check_one(0.0f);
  }
}
TEST(Accuracy, PowersByFixedExponents) {
#define UFUNC1(...)
#define POWER1(name, twice, ...) check_fixed_power<twice>();
#include <numjit/ops/all_rows.inc>
}
TEST(Accuracy, Rounding) {
  CHECK(floor, mpfr_rint_floor, {-2.5, -1, 0, 0.5, 1.5, 1e15, 0x1p52, 0x1p53}, 0.0);
  CHECK(ceil, mpfr_rint_ceil, {-2.5, -1, 0, 0.5, 1.5, 1e15, 0x1p52, 0x1p53}, 0.0);
  CHECK(trunc, mpfr_rint_trunc, {-2.5, -1, 0, 0.5, 1.5, 1e15, 0x1p52, 0x1p53}, 0.0);
  CHECK(rint, mpfr_rint_roundeven, {-2.5, -1, 0, 0.5, 1.5, 1e15, 0x1p52, 0x1p53}, 0.0);
}
TEST(Accuracy, Trigonometric) {
  CHECK(sin, mpfr_sin, {0, 0.785, 2.36, 7, 100, 1.6e6, 1e9});
  CHECK(cos, mpfr_cos, {0, 0.785, 2.36, 7, 100, 1.6e6, 1e9});
  CHECK(tan, mpfr_tan, {0, 0.67434, 0.785, 2.36, 7, 100, 1.6e6, 1e9});
}
TEST(Accuracy, ErrorFunction) {
  CHECK(erf, mpfr_erf, {0, 0.25, 0.5, 0.6, 1, 2, 6});
  CHECK(erfc, mpfr_erfc, {-6, -0.5, 0, 0.25, 0.5, 0.6, 1, 3, 9.2, 10.1, 15, 26.5, 27.3});
}
int log_gamma(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t r) {
  int sign = 0;
  return mpfr_lgamma(y, &sign, x, r);
}
TEST(Accuracy, Gamma) {
  CHECK(gamma, mpfr_gamma, {-185, -170, -20, -4, -1, 0, 0.5, 1, 1.5, 2.5, 8, 20, 35.1, 171.63});
}
TEST(Accuracy, LogarithmOfGamma) {
  const auto positive = [](double v) { return v < 0 ? std::nan("") : m::gammaln(v); };
  check<double>("gammaln", positive, [](mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t r) {
    if (mpfr_sgn(x) < 0) return mpfr_set_nan(y), 0;
    return log_gamma(y, x, r);
  }, Points{0, 0.5, 1, 1.5, 2, 2.5, 8, 100, 1e10});
}

/// For negative arguments gammaln has zeros that no double comes near to; what is bounded is the
/// error in units of the last place of 1 or, if that is larger, of the result.
TEST(Accuracy, LogarithmOfGammaOfNegatives) {
  Draw draw;
  Number x(64), y(200);
  Figure figure{"gammaln_negative", "float64"};
  for (int i = 0; i < samples(); ++i) {
    const double hi = -draw.below(i % 2 ? 8 : 200), v = draw.uniform(hi - 1, hi);
    mpfr_set_d(x, v, MPFR_RNDN);
    log_gamma(y, x, MPFR_RNDN);
    const double got = m::gammaln(v), want = mpfr_get_d(y, MPFR_RNDN);
    if (std::isinf(want)) {
      figure.add(got == want ? 0 : accuracy::wrong, v);
      continue;
    }
    mpfr_sub_d(y, y, got, MPFR_RNDN);
    const double unit = std::ldexp(1, std::max(0, std::ilogb(want)) - 52);
    figure.add(std::fabs(mpfr_get_d(y, MPFR_RNDN)) / unit, v);
  }
  accuracy::report(figure, 1.0);
}

/// The nearest T to k pi/2 for k up to the largest: nothing of the angle is left but the rounding.
template <class T, class F, class Reference>
void check_near_multiples(const char* name, F f, Reference reference) {
  Draw draw;
  Number pi(1400), x(1400), y(200);
  mpfr_const_pi(pi, MPFR_RNDN);
  Figure figure{name, type_name<T>()};
  for (int i = 0; i < 12'000; ++i) {
    mpfr_set_d(x, 1 + std::floor(std::ldexp(draw.uniform(0, 1), 1 + draw.below(53))), MPFR_RNDN);
    mpfr_mul_2ui(x, x, static_cast<unsigned>(draw.below(sizeof(T) == 8 ? 960 : 70)), MPFR_RNDN);
    mpfr_mul(x, x, pi, MPFR_RNDN);
    mpfr_div_2ui(x, x, 1, MPFR_RNDN);
    const T v = round_to<T>(x);
    if (!std::isfinite(v)) continue;
    mpfr_set_d(x, static_cast<double>(v), MPFR_RNDN);
    reference(y, x, MPFR_RNDN);
    figure.add(accuracy::error_in_ulps(f(v), y), static_cast<double>(v));
  }
  EXPECT_LE(figure.ulps, 1.0) << name << " at " << figure.where;
}
#define CHECK_NEAR_MULTIPLES(name, reference)                                           \
  check_near_multiples<double>(#name, [](double v) { return m::name(v); }, reference); \
  check_near_multiples<float>(#name, [](float v) { return m::name(v); }, reference)

TEST(Accuracy, NearMultiplesOfHalfPi) {
  CHECK_NEAR_MULTIPLES(sin, mpfr_sin);
  CHECK_NEAR_MULTIPLES(cos, mpfr_cos);
  CHECK_NEAR_MULTIPLES(tan, mpfr_tan);
}

/// Exact by definition: C's fmod, from MPFR.
template <class T>
void check_fmod() {
  Draw draw;
  Number x(64), y(64), z(64);
  for (int i = 0; i < samples(); ++i) {
    auto [v, w] = pair_of<T>(draw, i);
    const int least = sizeof(T) == 8 ? 1074 : 149;
    if (i % 5 == 0) w = static_cast<T>(std::ldexp(draw.uniform(1, 2), -draw.below(least)));
    if (i % 7 == 0) v = static_cast<T>(static_cast<double>(w) * std::floor(draw.uniform(0, 1e6)));
    mpfr_set_d(x, static_cast<double>(v), MPFR_RNDN);
    mpfr_set_d(y, static_cast<double>(w), MPFR_RNDN);
    mpfr_fmod(z, x, y, MPFR_RNDN);
    ASSERT_EQ(accuracy::error_in_ulps(m::fmod(v, w), z), 0) << v << " fmod " << w;
  }
}
TEST(Accuracy, FmodIsExact) {
  check_fmod<double>();
  check_fmod<float>();
}

/// Where a function rises its values do, over neighbours at the joints of its formulas.
template <class F>
void check_rising(const char* name, F f, const Points& joints) {
  for (double joint : joints) {
    double x = joint;
    for (int i = 0; i < 500; ++i) x = std::nextafter(x, -1e300);
    double last = f(x);
    for (int i = 0; i < 1000; ++i) {
      x = std::nextafter(x, 1e300);
      const double next = f(x);
      ASSERT_LE(last, next) << name << " falls at " << std::hexfloat << x;
      last = next;
    }
  }
}
#define CHECK_RISING(name, ...) \
  check_rising(#name, [](double v) { return m::name(v); }, Points __VA_ARGS__)
TEST(Accuracy, MonotoneAtTheJoints) {
  CHECK_RISING(exp, {-0.34657359, 0.34657359, 1.0397208, 700});
  CHECK_RISING(log, {0.70710678, 1, 1.41421356, 2});
  CHECK_RISING(arctan, {0.4375, 0.6875, 1.1875, 2.4375});
  CHECK_RISING(erf, {-0.5, 0.5});
  CHECK_RISING(tanh, {-0.65, -0.625, 0.625, 0.65});
  CHECK_RISING(arcsinh, {0.35355339, 1.0606602});
  CHECK_RISING(arctanh, {0.17157288, 0.47759225, 0.5});
  CHECK_RISING(cbrt, {1, 2, 4, 8});
  CHECK_RISING(sqrt, {1, 2, 4});
}

}  // namespace
#else
TEST(Accuracy, NeedsMpfr) { GTEST_SKIP() << "libmpfr-dev is not installed"; }
#endif
