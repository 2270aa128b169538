// Complex arithmetic, comparison and predicates: NumPy's formulas (naive product, Smith's quotient,
// dictionary order). The element type lives in array/complex.h; complex_math.h has the functions.
#pragma once

#include <numjit/array/complex.h>
#include <numjit/ops/math/arithmetic.h>
#include <numjit/ops/math/cast.h>
#include <numjit/ops/math/compare.h>
#include <numjit/ops/math/pow.h>
#include <numjit/ops/math/round.h>

namespace numjit::m {

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
  if (x >= y) {
    if (x == T(0) && y == T(0)) return {a.re / x, a.im / x};
    const T ratio = b.im / b.re, by = T(1) / (b.re + b.im * ratio);
    return {(a.re + a.im * ratio) * by, (a.im - a.re * ratio) * by};
  }
  const T ratio = b.re / b.im, by = T(1) / (b.im + b.re * ratio);
  return {(a.re * ratio + a.im) * by, (a.im * ratio - a.re) * by};
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
  if (magnitude(a.im) <= magnitude(a.re)) {
    const T r = a.im / a.re, d = a.re + a.im * r;
    return {T(1) / d, negated(r) / d};
  }
  const T r = a.re / a.im, d = a.re * r + a.im;
  return {r / d, T(-1) / d};
}
/// The modulus, as a real.
template <class T>
NUMJIT_M T absolute(complex<T> a) {
  return m::hypot(a.re, a.im);
}
/// z / |z|; 0 for 0, NaN for NaN and for two infinite parts.
template <class T>
NUMJIT_M complex<T> sign(complex<T> a) {
  const T size = m::hypot(a.re, a.im), bad = nan<T>();
  const bool re_inf = magnitude(a.re) == inf<T>(), im_inf = magnitude(a.im) == inf<T>();
  if (size != size) return {bad, bad};
  if (size == inf<T>()) {
    if (re_inf && im_inf) return {bad, bad};
    if (re_inf) return {a.re > 0 ? T(1) : T(-1), T(0)};
    if (im_inf) return {T(0), a.im > 0 ? T(1) : T(-1)};
  }
  if (size == T(0)) return {T(0), T(0)};
  return {a.re / size, a.im / size};
}
template <class T>
NUMJIT_M complex<T> rint(complex<T> a) {
  return {m::rint(a.re), m::rint(a.im)};
}

// ---- predicates
// -----------------------------------------------------------------------------------

template <class T>
NUMJIT_M bool isnan(complex<T> a) {
  return a.re != a.re || a.im != a.im;
}
template <class T>
NUMJIT_M bool isinf(complex<T> a) {
  return m::isinf(a.re) || m::isinf(a.im);
}
template <class T>
NUMJIT_M bool isfinite(complex<T> a) {
  return m::isfinite(a.re) && m::isfinite(a.im);
}
template <class T>
NUMJIT_M bool truth(complex<T> a) {
  return a.re != T(0) || a.im != T(0);
}
template <class T>
NUMJIT_M bool logical_not(complex<T> a) {
  return !m::truth(a);
}
template <class T>
NUMJIT_M bool logical_and(complex<T> a, complex<T> b) {
  return m::truth(a) && m::truth(b);
}
template <class T>
NUMJIT_M bool logical_or(complex<T> a, complex<T> b) {
  return m::truth(a) || m::truth(b);
}
template <class T>
NUMJIT_M bool logical_xor(complex<T> a, complex<T> b) {
  return m::truth(a) != m::truth(b);
}

// ---- dictionary order: real parts first; a NaN in an imaginary part makes every order false
// -------

namespace detail {
template <class T>
NUMJIT_M bool imaginary_ordered(complex<T> a, complex<T> b) {
  return a.im == a.im && b.im == b.im;
}
}  // namespace detail

template <class T>
NUMJIT_M bool equal(complex<T> a, complex<T> b) {
  return a.re == b.re && a.im == b.im;
}
template <class T>
NUMJIT_M bool not_equal(complex<T> a, complex<T> b) {
  return !m::equal(a, b);
}
template <class T>
NUMJIT_M bool less(complex<T> a, complex<T> b) {
  return (a.re < b.re && detail::imaginary_ordered(a, b)) || (a.re == b.re && a.im < b.im);
}
template <class T>
NUMJIT_M bool less_equal(complex<T> a, complex<T> b) {
  return (a.re < b.re && detail::imaginary_ordered(a, b)) || (a.re == b.re && a.im <= b.im);
}
template <class T>
NUMJIT_M bool greater(complex<T> a, complex<T> b) {
  return m::less(b, a);
}
template <class T>
NUMJIT_M bool greater_equal(complex<T> a, complex<T> b) {
  return m::less_equal(b, a);
}
template <class T>
NUMJIT_M complex<T> maximum(complex<T> a, complex<T> b) {
  return m::isnan(a) || m::greater_equal(a, b) ? a : b;
}
template <class T>
NUMJIT_M complex<T> minimum(complex<T> a, complex<T> b) {
  return m::isnan(a) || m::less_equal(a, b) ? a : b;
}
template <class T>
NUMJIT_M complex<T> fmax(complex<T> a, complex<T> b) {
  return m::isnan(b) || m::greater_equal(a, b) ? a : b;
}
template <class T>
NUMJIT_M complex<T> fmin(complex<T> a, complex<T> b) {
  return m::isnan(b) || m::less_equal(a, b) ? a : b;
}
template <class T>
NUMJIT_M complex<T> clip(complex<T> a, complex<T> lo, complex<T> hi) {
  const complex<T> raised = m::isnan(a) ? a : m::isnan(lo) || m::less(a, lo) ? lo : a;
  return m::isnan(raised) ? raised : m::isnan(hi) || m::greater(raised, hi) ? hi : raised;
}
template <class T>
NUMJIT_M complex<T> where(bool c, complex<T> a, complex<T> b) {
  return c ? a : b;
}

}  // namespace numjit::m
