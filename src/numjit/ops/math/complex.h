// Complex arithmetic, comparison and predicates: NumPy's formulas (naive product, Smith's quotient,
// dictionary order). The element type lives in array/complex.h; complex_math.h has the functions.
//
// The parts are scalars or hx<T>. What is chosen by a value is written with pick (two values) and
// choose (two computations): a branch for scalars, a selection for hx (halide_gen/expr_value.h).
#pragma once

#include <numjit/array/complex.h>
#include <numjit/ops/math/arithmetic.h>
#include <numjit/ops/math/cast.h>
#include <numjit/ops/math/compare.h>
#include <numjit/ops/math/pow.h>
#include <numjit/ops/math/round.h>

namespace numjit::m {

template <class V>
NUMJIT_M V pick(bool c, V a, V b) {
  return c ? a : b;
}
template <class F, class G>
NUMJIT_M auto choose(bool c, F f, G g) {
  return c ? f() : g();
}

// ---- arithmetic
// -----------------------------------------------------------------------------------

template <class T>
NUMJIT_M complex<T> add(complex<T> a, complex<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
NUMJIT_M complex<T> subtract(complex<T> a, complex<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T>
NUMJIT_M complex<T> multiply(complex<T> a, complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
/// Smith's method; a zero divisor divides both parts by +0.
template <class T>
NUMJIT_M complex<T> divide(complex<T> a, complex<T> b) {
  const T x = magnitude(b.re), y = magnitude(b.im);
  const auto by_real = x >= y;
  const T large = pick(by_real, b.re, b.im), small = pick(by_real, b.im, b.re);
  const T ratio = small / large, by = T(1) / (large + small * ratio);
  const T re = a.re * ratio, im = a.im * ratio;
  const T sum = pick(by_real, a.re, re) + pick(by_real, im, a.im);
  const T difference = pick(by_real, a.im, im) - pick(by_real, re, a.re);
  return choose(
      detail::both(x == T(0), y == T(0)), [&] { return complex<T>(a.re / x, a.im / x); },
      [&] { return complex<T>(sum * by, difference * by); });
}
template <class T>
NUMJIT_M auto is_zero(complex<T> a) {
  return detail::both(a.re == T(0), a.im == T(0));
}
template <class T>
NUMJIT_M complex<T> scale(complex<T> a, complex<T> b) {
  return pick(is_zero(a), complex<T>(T(0), T(0)), m::multiply(a, b));
}
template <class T>
NUMJIT_M complex<T> unscale(complex<T> a, complex<T> b) {
  return pick(is_zero(a), complex<T>(T(0), T(0)), m::divide(a, b));
}
template <class T>
NUMJIT_M complex<T> scale2(complex<T> a, complex<T> b) {
  return pick(detail::either(is_zero(a), is_zero(b)), complex<T>(T(0), T(0)), m::multiply(a, b));
}
template <class T>
NUMJIT_M complex<T> negative(complex<T> a) {
  return {negated(a.re), negated(a.im)};
}
template <class T>
NUMJIT_M complex<T> positive(complex<T> a) {
  return a;
}
template <class T>
NUMJIT_M complex<T> conjugate(complex<T> a) {
  return {a.re, negated(a.im)};
}
template <class T>
NUMJIT_M complex<T> square(complex<T> a) {
  return {a.re * a.re - a.im * a.im, a.re * a.im + a.im * a.re};
}
template <class T>
NUMJIT_M complex<T> reciprocal(complex<T> a) {
  const auto by_real = magnitude(a.im) <= magnitude(a.re);
  const T large = pick(by_real, a.re, a.im), small = pick(by_real, a.im, a.re);
  const T ratio = small / large, divisor = large + small * ratio;
  return {pick(by_real, T(1), ratio) / divisor, pick(by_real, negated(ratio), T(-1)) / divisor};
}
/// The modulus, as a real.
template <class T>
NUMJIT_M T absolute(complex<T> a) {
  return m::hypot(a.re, a.im);
}
/// z / |z|; 0 for 0, NaN for NaN and for two infinite parts.
template <class T>
NUMJIT_M complex<T> sign(complex<T> a) {
  using Z = complex<T>;
  const T size = m::hypot(a.re, a.im);
  const auto re_inf = m::isinf(a.re), im_inf = m::isinf(a.im);
  const auto bad = detail::either(m::isnan(size), detail::both(re_inf, im_inf));
  const Z plain = pick(size == T(0), Z(T(0), T(0)), Z(a.re / size, a.im / size));
  const Z along_imaginary = pick(im_inf, Z(T(0), with_sign(T(1), a.im)), plain);
  const Z along_real = pick(re_inf, Z(with_sign(T(1), a.re), T(0)), along_imaginary);
  return pick(bad, Z(nan<T>(), nan<T>()), along_real);
}
template <class T>
NUMJIT_M complex<T> rint(complex<T> a) {
  return {m::rint(a.re), m::rint(a.im)};
}

// ---- predicates
// -----------------------------------------------------------------------------------

template <class T>
NUMJIT_M auto isnan(complex<T> a) {
  return detail::either(m::isnan(a.re), m::isnan(a.im));
}
template <class T>
NUMJIT_M auto isinf(complex<T> a) {
  return detail::either(m::isinf(a.re), m::isinf(a.im));
}
template <class T>
NUMJIT_M auto isfinite(complex<T> a) {
  return detail::both(m::isfinite(a.re), m::isfinite(a.im));
}
template <class T>
NUMJIT_M auto truth(complex<T> a) {
  return detail::either(a.re != T(0), a.im != T(0));
}
template <class T>
NUMJIT_M auto logical_not(complex<T> a) {
  return !m::truth(a);
}
template <class T>
NUMJIT_M auto logical_and(complex<T> a, complex<T> b) {
  return detail::both(m::truth(a), m::truth(b));
}
template <class T>
NUMJIT_M auto logical_or(complex<T> a, complex<T> b) {
  return detail::either(m::truth(a), m::truth(b));
}
template <class T>
NUMJIT_M auto logical_xor(complex<T> a, complex<T> b) {
  return m::truth(a) != m::truth(b);
}

// ---- dictionary order: real parts first; a NaN in an imaginary part makes every order false
// -------

namespace detail {
template <class T>
NUMJIT_M auto imaginary_ordered(complex<T> a, complex<T> b) {
  return both(a.im == a.im, b.im == b.im);
}
}  // namespace detail

template <class T>
NUMJIT_M auto equal(complex<T> a, complex<T> b) {
  return detail::both(a.re == b.re, a.im == b.im);
}
template <class T>
NUMJIT_M auto not_equal(complex<T> a, complex<T> b) {
  return !m::equal(a, b);
}
template <class T>
NUMJIT_M auto less(complex<T> a, complex<T> b) {
  return detail::either(detail::both(a.re < b.re, detail::imaginary_ordered(a, b)),
                        detail::both(a.re == b.re, a.im < b.im));
}
template <class T>
NUMJIT_M auto less_equal(complex<T> a, complex<T> b) {
  return detail::either(detail::both(a.re < b.re, detail::imaginary_ordered(a, b)),
                        detail::both(a.re == b.re, a.im <= b.im));
}
template <class T>
NUMJIT_M auto greater(complex<T> a, complex<T> b) {
  return m::less(b, a);
}
template <class T>
NUMJIT_M auto greater_equal(complex<T> a, complex<T> b) {
  return m::less_equal(b, a);
}
template <class T>
NUMJIT_M complex<T> maximum(complex<T> a, complex<T> b) {
  return pick(detail::either(m::isnan(a), m::greater_equal(a, b)), a, b);
}
template <class T>
NUMJIT_M complex<T> minimum(complex<T> a, complex<T> b) {
  return pick(detail::either(m::isnan(a), m::less_equal(a, b)), a, b);
}
template <class T>
NUMJIT_M complex<T> fmax(complex<T> a, complex<T> b) {
  return pick(detail::either(m::isnan(b), m::greater_equal(a, b)), a, b);
}
template <class T>
NUMJIT_M complex<T> fmin(complex<T> a, complex<T> b) {
  return pick(detail::either(m::isnan(b), m::less_equal(a, b)), a, b);
}
template <class T>
NUMJIT_M complex<T> clip(complex<T> a, complex<T> lo, complex<T> hi) {
  const complex<T> raised =
      pick(m::isnan(a), a, pick(detail::either(m::isnan(lo), m::less(a, lo)), lo, a));
  return pick(m::isnan(raised), raised,
              pick(detail::either(m::isnan(hi), m::greater(raised, hi)), hi, raised));
}
template <class B, class T>
NUMJIT_M complex<T> where(B c, complex<T> a, complex<T> b) {
  return pick(c, a, b);
}

}  // namespace numjit::m
