// Functions of complex128 and complex64 against MPC: the error of the worse part, in units of the last place of that
// part. Where the real part is a difference (expm1, power) the distance from the exact value counts, in units of the
// last place of its modulus.
#include <gtest/gtest.h>

#if __has_include(<mpc.h>) && __has_include(<mpfr.h>)
#include <cstdio>

#include <mpc.h>

#include <numjit/ops/math/vocabulary.h>

#include "measure.h"

namespace {

using namespace numjit;
using accuracy::Draw;
using accuracy::Figure;
using accuracy::Number;

class Complex {
 public:
  explicit Complex(int precision) { mpc_init2(v_, precision); }
  ~Complex() { mpc_clear(v_); }
  Complex(const Complex&) = delete;
  Complex& operator=(const Complex&) = delete;
  operator mpc_ptr() { return v_; }
  mpfr_ptr re() { return mpc_realref(v_); }
  mpfr_ptr im() { return mpc_imagref(v_); }

 private:
  mpc_t v_;
};

template <class T>
double error_of_modulus(complex<T> got, Complex& exact) {
  Number re(300), im(300), size(300);
  mpfr_set_d(re, static_cast<double>(got.re), MPFR_RNDN);
  mpfr_set_d(im, static_cast<double>(got.im), MPFR_RNDN);
  if (!mpfr_number_p(re) || !mpfr_number_p(im)) return accuracy::wrong;
  mpfr_sub(re, re, exact.re(), MPFR_RNDN);
  mpfr_sub(im, im, exact.im(), MPFR_RNDN);
  mpfr_hypot(re, re, im, MPFR_RNDN);
  mpfr_hypot(size, exact.re(), exact.im(), MPFR_RNDN);
  using L = std::numeric_limits<T>;
  const long unit = std::max<long>(mpfr_get_exp(size) - L::digits, L::min_exponent - L::digits);
  mpfr_mul_2si(re, re, -unit, MPFR_RNDN);
  return mpfr_get_d(re, MPFR_RNDN);
}

template <class T>
double error_of_parts(complex<T> got, Complex& exact) {
  return std::max(accuracy::error_in_ulps(got.re, exact.re()), accuracy::error_in_ulps(got.im, exact.im()));
}

/// What the parts of far arguments may be.
enum class Far { none, angles, sizes };

/// Arguments of ordinary size, on the unit circle, near 1 and -1, small ones, and far ones: with a large imaginary part
/// (or a real one, for `sin` and `cos`), or of any exponents.
template <class T>
complex<T> value(Draw& draw, int i, Far far) {
  const auto part = [&](double v) { return static_cast<T>(v); };
  // Each draw in a statement of its own: compilers evaluate arguments in different orders, which would be other samples.
  const auto small = [&] {
    const int exponent = -draw.below(40);
    return std::ldexp(draw.uniform(-1, 1), exponent);
  };
  const auto any = [&](int from, int to) {
    const int exponent = from + draw.below(to - from);
    return std::ldexp(draw.uniform(-2, 2), exponent);
  };
  constexpr int range = sizeof(T) == 8 ? 200 : 100;
  switch (far == Far::none ? i % 6 : i % 7) {
    case 0: return {part(draw.uniform(-2, 2)), part(draw.uniform(-2, 2))};
    case 1: return {part(draw.uniform(-20, 20)), part(draw.uniform(-20, 20))};
    case 2: {
      const double angle = draw.uniform(0, 7), size = 1 + small();
      return {part(size * std::cos(angle)), part(size * std::sin(angle))};
    }
    case 3: {
      const double sign = draw.sign();
      return {part(sign * (1 + small())), part(small())};
    }
    case 4: return {part(draw.uniform(-85, 85)), part(draw.uniform(-85, 85))};
    case 5: return {part(small()), part(small())};
    default:
      if (far == Far::sizes) return {part(any(-range, range)), part(any(-range, range))};
      return {part(draw.uniform(-20, 20)), part(any(0, range))};
  }
}

enum class By { parts, modulus };

template <class T, class F, class Reference>
void check(const char* name, F f, Reference reference, Far far, By by, bool turned) {
  Draw draw;
  Complex z(64), w(250);
  Figure figure(name, sizeof(T) == 8 ? "complex128" : "complex64");
  const int samples = accuracy::full() ? 9'000 : 3'000;
  for (int i = 0; i < samples; ++i) {
    complex<T> x = value<T>(draw, i, far);
    if (turned) x = {x.im, x.re};
    mpc_set_d_d(z, static_cast<double>(x.re), static_cast<double>(x.im), MPC_RNDNN);
    reference(w, z);
    if (!mpfr_number_p(w.re()) || !mpfr_number_p(w.im())) continue;  // poles: see golden_test
    figure.add(by == By::parts ? error_of_parts(f(x), w) : error_of_modulus(f(x), w), static_cast<double>(x.re),
               static_cast<double>(x.im));
  }
  accuracy::report(figure, 0.75);
}
#define CHECK_BY(name, far, by, turned, ...)                                                                \
  {                                                                                                         \
    const auto reference = [](mpc_ptr w, mpc_ptr z) { __VA_ARGS__; };                                       \
    check<double>(#name, [](complex<double> v) { return m::name(v); }, reference, Far::far, By::by, turned); \
    check<float>(#name, [](complex<float> v) { return m::name(v); }, reference, Far::far, By::by, turned);   \
  }
#define CHECK(name, function, far) CHECK_BY(name, far, parts, false, function(w, z, MPC_RNDNN))

TEST(ComplexAccuracy, ExponentialAndLogarithm) {
  CHECK(exp, mpc_exp, angles);
  CHECK_BY(exp2, none, parts, false, Number two(8); mpfr_set_ui(two, 2, MPFR_RNDN); Complex base(8);
           mpc_set_fr(base, two, MPC_RNDNN); mpc_pow(w, base, z, MPC_RNDNN));
  CHECK_BY(expm1, angles, modulus, false, Complex t(500); mpc_exp(t, z, MPC_RNDNN); mpc_sub_ui(w, t, 1, MPC_RNDNN));
  CHECK(log, mpc_log, sizes);
  CHECK_BY(log2, sizes, parts, false, Number two(300); mpfr_const_log2(two, MPFR_RNDN); Complex t(300);
           mpc_log(t, z, MPC_RNDNN); mpc_div_fr(w, t, two, MPC_RNDNN));
  CHECK(log10, mpc_log10, sizes);
  CHECK_BY(log1p, sizes, parts, false, Complex t(700); mpc_add_ui(t, z, 1, MPC_RNDNN); mpc_log(w, t, MPC_RNDNN));
  CHECK(sqrt, mpc_sqrt, sizes);
}
TEST(ComplexAccuracy, Trigonometric) {
  CHECK_BY(sin, angles, parts, true, mpc_sin(w, z, MPC_RNDNN));
  CHECK_BY(cos, angles, parts, true, mpc_cos(w, z, MPC_RNDNN));
  CHECK_BY(tan, angles, parts, true, mpc_tan(w, z, MPC_RNDNN));
  CHECK(sinh, mpc_sinh, angles);
  CHECK(cosh, mpc_cosh, angles);
  CHECK(tanh, mpc_tanh, angles);
}
TEST(ComplexAccuracy, Inverses) {
  CHECK(arcsin, mpc_asin, sizes);
  CHECK(arccos, mpc_acos, sizes);
  CHECK(arctan, mpc_atan, sizes);
  CHECK(arcsinh, mpc_asinh, sizes);
  CHECK(arccosh, mpc_acosh, sizes);
  CHECK(arctanh, mpc_atanh, sizes);
}

/// Exponents of ordinary size: those of larger ones multiply what the logarithm is off by.
TEST(ComplexAccuracy, Power) {
  Draw draw;
  Complex z(64), b(64), w(250);
  Figure figure("power", "complex128");
  const int samples = accuracy::full() ? 9'000 : 3'000;
  for (int i = 0; i < samples; ++i) {
    const complex<double> x = value<double>(draw, i, Far::none);
    const complex<double> y{draw.uniform(-4, 4), i % 2 == 0 ? 0.0 : draw.uniform(-4, 4)};
    mpc_set_d_d(z, x.re, x.im, MPC_RNDNN);
    mpc_set_d_d(b, y.re, y.im, MPC_RNDNN);
    mpc_pow(w, z, b, MPC_RNDNN);
    figure.add(error_of_modulus(m::power(x, y), w), x.re, x.im);
  }
  accuracy::report(figure, 8);
}

}  // namespace
#else
TEST(ComplexAccuracy, NeedsMpc) { GTEST_SKIP() << "libmpc-dev or libmpfr-dev is not installed"; }
#endif
