// Functions of complex128 and complex64 against MPC: the distance from the exact value in units of
// the last place of its modulus.
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

/// Arguments of ordinary size, on the unit circle, near 1 and -1, of any exponents that leave the
/// result finite.
template <class T>
complex<T> value(Draw& draw, int i) {
  const auto part = [&](double v) { return static_cast<T>(v); };
  const auto small = [&] { return std::ldexp(draw.uniform(-1, 1), -draw.below(40)); };
  switch (i % 6) {
    case 0: return {part(draw.uniform(-2, 2)), part(draw.uniform(-2, 2))};
    case 1: return {part(draw.uniform(-20, 20)), part(draw.uniform(-20, 20))};
    case 2: {
      const double angle = draw.uniform(0, 7), size = 1 + small();
      return {part(size * std::cos(angle)), part(size * std::sin(angle))};
    }
    case 3: return {part(draw.sign() * (1 + small())), part(small())};
    case 4: return {part(draw.uniform(-85, 85)), part(draw.uniform(-85, 85))};
    default: return {part(small()), part(small())};
  }
}

template <class T, class F, class Reference>
void check(const char* name, F f, Reference reference, double limit) {
  Draw draw;
  Complex z(64), w(250);
  Figure figure(name, sizeof(T) == 8 ? "complex128" : "complex64");
  const int samples = accuracy::full() ? 9'000 : 3'000;
  for (int i = 0; i < samples; ++i) {
    const complex<T> x = value<T>(draw, i);
    mpc_set_d_d(z, static_cast<double>(x.re), static_cast<double>(x.im), MPC_RNDNN);
    reference(w, z);
    if (!mpfr_number_p(w.re()) || !mpfr_number_p(w.im())) continue;  // poles: see golden_test
    figure.add(error_of_modulus(f(x), w), static_cast<double>(x.re), static_cast<double>(x.im));
  }
  accuracy::report(figure, limit);
}
#define CHECK_BY(name, limit, ...)                                                               \
  {                                                                                              \
    const auto reference = [](mpc_ptr w, mpc_ptr z) { __VA_ARGS__; };                            \
    check<double>(#name, [](complex<double> v) { return m::name(v); }, reference, limit);        \
    check<float>(#name, [](complex<float> v) { return m::name(v); }, reference, limit);          \
  }
#define CHECK(name, function, limit) CHECK_BY(name, limit, function(w, z, MPC_RNDNN))

TEST(ComplexAccuracy, ExponentialAndLogarithm) {
  CHECK(exp, mpc_exp, 2);
  CHECK_BY(exp2, 2, Number two(8); mpfr_set_ui(two, 2, MPFR_RNDN); Complex base(8);
           mpc_set_fr(base, two, MPC_RNDNN); mpc_pow(w, base, z, MPC_RNDNN));
  CHECK_BY(expm1, 3, Complex t(500); mpc_exp(t, z, MPC_RNDNN); mpc_sub_ui(w, t, 1, MPC_RNDNN));
  CHECK(log, mpc_log, 1.5);
  CHECK_BY(log2, 3, Number two(300); mpfr_const_log2(two, MPFR_RNDN); Complex t(300);
           mpc_log(t, z, MPC_RNDNN); mpc_div_fr(w, t, two, MPC_RNDNN));
  CHECK(log10, mpc_log10, 3);
  CHECK_BY(log1p, 3, Complex t(500); mpc_add_ui(t, z, 1, MPC_RNDNN); mpc_log(w, t, MPC_RNDNN));
  CHECK(sqrt, mpc_sqrt, 2);
}
TEST(ComplexAccuracy, Trigonometric) {
  CHECK(sin, mpc_sin, 2.5);
  CHECK(cos, mpc_cos, 2.5);
  CHECK(tan, mpc_tan, 5);
  CHECK(sinh, mpc_sinh, 2.5);
  CHECK(cosh, mpc_cosh, 2.5);
  CHECK(tanh, mpc_tanh, 5);
}
TEST(ComplexAccuracy, Inverses) {
  CHECK(arcsin, mpc_asin, 3);
  CHECK(arccos, mpc_acos, 3);
  CHECK(arctan, mpc_atan, 3);
  CHECK(arcsinh, mpc_asinh, 3);
  CHECK(arccosh, mpc_acosh, 3);
  CHECK(arctanh, mpc_atanh, 3);
}

}  // namespace
#else
TEST(ComplexAccuracy, NeedsMpc) { GTEST_SKIP() << "libmpc-dev or libmpfr-dev is not installed"; }
#endif
