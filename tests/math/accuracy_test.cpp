// Accuracy of the transcendental functions against MPFR: random values of the whole range,
// subnormals, values near 1, near the functions' own boundaries, and near multiples of pi/2 up to
// the largest.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#if __has_include(<mpfr.h>)
#include <mpfr.h>

#include <numjit/ops/math/vocabulary.h>

namespace {

using namespace numjit;

class Number {
 public:
  explicit Number(int precision) { mpfr_init2(v_, precision); }
  ~Number() { mpfr_clear(v_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  operator mpfr_ptr() { return v_; }

 private:
  mpfr_t v_;
};

/// |got - exact| in units of the last place of the exact value; huge where special values differ.
template <class T>
double error_in_ulps(T got, mpfr_ptr exact) {
  const T want = sizeof(T) == 8 ? static_cast<T>(mpfr_get_d(exact, MPFR_RNDN))
                                : static_cast<T>(mpfr_get_flt(exact, MPFR_RNDN));
  constexpr double wrong = 1e9;
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got) ? 0 : wrong;
  if (std::isinf(want) || std::isinf(got)) {
    if (want == got) return 0;
    const T last = std::numeric_limits<T>::max();
    return std::fabs(want) == last || std::fabs(got) == last ? 1 : wrong;
  }
  if (want == 0 && got == 0) return std::signbit(want) == std::signbit(got) ? 0 : wrong;
  int exponent = 0;
  std::frexp(want, &exponent);
  using L = std::numeric_limits<T>;
  const int unit = std::max(exponent - L::digits, L::min_exponent - L::digits);
  Number difference(1500);
  mpfr_set_d(difference, static_cast<double>(got), MPFR_RNDN);
  mpfr_sub(difference, difference, exact, MPFR_RNDN);
  mpfr_mul_2si(difference, difference, -unit, MPFR_RNDN);
  return std::fabs(mpfr_get_d(difference, MPFR_RNDN));
}

class Draw {
 public:
  double uniform(double lo, double hi) {
    return lo + (hi - lo) * static_cast<double>(rng_() >> 11) * 0x1p-53;
  }
  template <class T>
  T any_bits() {
    return std::bit_cast<T>(static_cast<m::uint_of<T>>(rng_()));
  }
  int below(int n) { return static_cast<int>(rng_() % static_cast<unsigned>(n)); }
  double sign() { return rng_() & 1 ? 1.0 : -1.0; }

  /// A value of kind i: any bits, near zero, within [lo, hi], near 1, near a boundary, large.
  template <class T>
  T value(int i, double lo, double hi) {
    switch (i % 6) {
      case 0: return any_bits<T>();
      case 1: return static_cast<T>(std::ldexp(uniform(-1, 1), -below(60)));
      case 2: return static_cast<T>(uniform(lo, hi));
      case 3: return static_cast<T>(sign() * (1 + uniform(-1, 1) * std::ldexp(1, -below(40))));
      case 4:
        return static_cast<T>((below(2) ? lo : hi) *
                              (1 + uniform(-1, 1) * std::ldexp(1, -below(50))));
      default: return static_cast<T>(sign() * std::ldexp(uniform(0.5, 1), below(80)));
    }
  }

 private:
  std::mt19937_64 rng_{20240607};
};

constexpr int samples = 12'000;

template <class T, class F, class Reference>
void check(const char* name, F f, Reference reference, double lo, double hi, double limit) {
  Draw draw;
  Number x(64), y(160);
  double worst = 0;
  T at = 0;
  for (int i = 0; i < samples; ++i) {
    const T v = draw.value<T>(i, lo, hi);
    mpfr_set_d(x, static_cast<double>(v), MPFR_RNDN);
    reference(y, x, MPFR_RNDN);
    const double e = error_in_ulps(f(v), y);
    if (e > worst) worst = e, at = v;
  }
  EXPECT_LE(worst, sizeof(T) == 4 ? std::min(limit, 1.0) : limit)
      << name << " of a " << (sizeof(T) == 4 ? "float" : "double") << " at " << std::hexfloat << at;
}

template <class T, class F, class Reference>
void check_two(const char* name, F f, Reference reference, double limit) {
  Draw draw;
  Number x(64), y(64), z(160);
  double worst = 0;
  T at = 0, and_at = 0;
  for (int i = 0; i < 3 * samples; ++i) {
    const T v = draw.value<T>(i / 6, 0, 20), w = draw.value<T>(i, -300, 300);
    mpfr_set_d(x, static_cast<double>(v), MPFR_RNDN);
    mpfr_set_d(y, static_cast<double>(w), MPFR_RNDN);
    reference(z, x, y, MPFR_RNDN);
    const double e = error_in_ulps(f(v, w), z);
    if (e > worst) worst = e, at = v, and_at = w;
  }
  EXPECT_LE(worst, sizeof(T) == 4 ? std::min(limit, 1.0) : limit)
      << name << " of a " << (sizeof(T) == 4 ? "float" : "double") << " at " << std::hexfloat << at
      << ", " << and_at;
}

#define CHECK(name, reference, lo, hi, limit)                                \
  check<double>(                                                             \
      #name, [](double v) { return m::name(v); }, reference, lo, hi, limit); \
  check<float>(                                                              \
      #name, [](float v) { return m::name(v); }, reference, lo, hi, limit)
#define CHECK_TWO(name, reference, limit)                                         \
  check_two<double>(                                                              \
      #name, [](double v, double w) { return m::name(v, w); }, reference, limit); \
  check_two<float>(                                                               \
      #name, [](float v, float w) { return m::name(v, w); }, reference, limit)

TEST(Accuracy, Exponential) {
  CHECK(exp, mpfr_exp, -745.13, 709.78, 0.85);
  CHECK(exp, mpfr_exp, -103.9, 88.72, 0.85);
  CHECK(exp2, mpfr_exp2, -1074.9, 1024, 0.8);
  CHECK(expm1, mpfr_expm1, -37, 709.78, 1.3);
}
TEST(Accuracy, Logarithm) {
  CHECK(log, mpfr_log, 0.7, 1.42, 0.9);
  CHECK(log2, mpfr_log2, 0.7, 1.42, 0.9);
  CHECK(log10, mpfr_log10, 0.7, 1.42, 0.9);
  CHECK(log1p, mpfr_log1p, -0.3, 0.42, 0.9);
}
TEST(Accuracy, Hyperbolic) {
  CHECK(sinh, mpfr_sinh, -0.35, 710.47, 1.4);
  CHECK(cosh, mpfr_cosh, -0.35, 710.47, 1.4);
  CHECK(tanh, mpfr_tanh, -0.625, 3, 1.5);
  CHECK(arcsinh, mpfr_asinh, -1.0, 20, 2.5);
  CHECK(arccosh, mpfr_acosh, 1.0, 20, 2.5);
  CHECK(arctanh, mpfr_atanh, -0.5, 1, 2.0);
}
TEST(Accuracy, InverseTrigonometric) {
  CHECK(arctan, mpfr_atan, -0.4375, 2.4375, 1.0);
  CHECK(arcsin, mpfr_asin, -0.5, 1, 1.0);
  CHECK(arccos, mpfr_acos, -0.5, 1, 1.0);
  CHECK_TWO(arctan2, mpfr_atan2, 1.5);
}
TEST(Accuracy, PowersAndRoots) {
  CHECK_TWO(power, mpfr_pow, 0.9);
  CHECK_TWO(hypot, mpfr_hypot, 1.2);
  CHECK(cbrt, mpfr_cbrt, -8, 27, 0.7);
  CHECK(sqrt, mpfr_sqrt, 0, 27, 0.5);
}
TEST(Accuracy, Trigonometric) {
  CHECK(sin, mpfr_sin, -0.785, 1.6e6, 0.9);
  CHECK(cos, mpfr_cos, -0.785, 1.6e6, 0.9);
  CHECK(tan, mpfr_tan, -0.785, 1.6e6, 2.2);
}

/// The nearest T to k pi/2 for k up to the largest: nothing of the angle is left but the rounding.
template <class T, class F, class Reference>
void check_near_multiples(const char* name, F f, Reference reference, double limit) {
  Draw draw;
  Number pi(1400), x(1400), y(1400);
  mpfr_const_pi(pi, MPFR_RNDN);
  double worst = 0;
  T at = 0;
  for (int i = 0; i < samples; ++i) {
    mpfr_set_d(x, 1 + std::floor(std::ldexp(draw.uniform(0, 1), 1 + draw.below(53))), MPFR_RNDN);
    mpfr_mul_2ui(x, x, static_cast<unsigned>(draw.below(sizeof(T) == 8 ? 960 : 70)), MPFR_RNDN);
    mpfr_mul(x, x, pi, MPFR_RNDN);
    mpfr_div_2ui(x, x, 1, MPFR_RNDN);
    const T v = sizeof(T) == 8 ? static_cast<T>(mpfr_get_d(x, MPFR_RNDN))
                               : static_cast<T>(mpfr_get_flt(x, MPFR_RNDN));
    if (!std::isfinite(v)) continue;
    mpfr_set_d(x, static_cast<double>(v), MPFR_RNDN);
    reference(y, x, MPFR_RNDN);
    const double e = error_in_ulps(f(v), y);
    if (e > worst) worst = e, at = v;
  }
  EXPECT_LE(worst, limit) << name << " at " << std::hexfloat << at;
}
#define CHECK_NEAR_MULTIPLES(name, reference, limit)                 \
  check_near_multiples<double>(                                      \
      #name, [](double v) { return m::name(v); }, reference, limit); \
  check_near_multiples<float>(                                       \
      #name, [](float v) { return m::name(v); }, reference, std::min(limit, 1.0))

TEST(Accuracy, NearMultiplesOfHalfPi) {
  CHECK_NEAR_MULTIPLES(sin, mpfr_sin, 0.9);
  CHECK_NEAR_MULTIPLES(cos, mpfr_cos, 0.9);
  CHECK_NEAR_MULTIPLES(tan, mpfr_tan, 2.2);
  // The double that comes nearest to a multiple of pi/2
  Number x(64), y(400);
  const double hard = 0x1.6ac5b262ca1ffp+849;
  mpfr_set_d(x, hard, MPFR_RNDN);
  mpfr_cos(y, x, MPFR_RNDN);
  EXPECT_LE(error_in_ulps(m::cos(hard), y), 0.9);
}

}  // namespace
#else
TEST(Accuracy, NeedsMpfr) { GTEST_SKIP() << "libmpfr-dev is not installed"; }
#endif
