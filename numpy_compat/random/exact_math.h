// Elementary functions for the distributions, rounded correctly in all but about one of 10^5 cases, with
// the same bits on all targets: arithmetic of some 70 bits from ops/math, rounded once.
#pragma once

#include <cmath>

#include <numjit/ops/math/vocabulary.h>

namespace numjit::random::detail::exact {

using m::detail::extended;

inline extended<double> log_of(extended<double> x) { return m::detail::log_extended<double>(x); }

/// 1 + x without rounding.
inline extended<double> one_plus(double x) { return m::detail::exact_sum(1.0, x); }

inline bool is_regular(double x) { return x > 0 && x < HUGE_VAL; }

inline double log(double x) {
  if (!is_regular(x)) return x == 0 ? -HUGE_VAL : x > 0 ? x : std::nan("");
  const auto l = log_of({x, 0});
  return l.hi + l.lo;
}

inline double log1p(double x) {
  if (!(x > -1) || !(x < HUGE_VAL)) return x == -1 ? -HUGE_VAL : x > 0 ? x : std::nan("");
  if (std::abs(x) < 0x1p-54) return x;
  const auto l = log_of(one_plus(x));
  return l.hi + l.lo;
}

/// e^(x.hi + x.lo) is 2^n times the value, for |x.hi| up to 750: an eighth of the exponent by its series, then
/// three squares.
struct power_of_e {
  extended<double> value;
  double n;
};
inline power_of_e exp_parts(extended<double> x) {
  const auto p = m::detail::reduce_exp(x.hi);
  const auto r = m::detail::exact_sum(p.hi, x.lo - p.lo);
  const extended<double> y{r.hi * 0.125, r.lo * 0.125};
  const auto square = m::detail::exact_square(y.hi);
  const double tail = square.hi * y.hi * m::detail::exp_cubic(y.hi);
  const auto head = m::detail::exact_sum_ordered(1.0, y.hi);
  const auto sum = m::detail::exact_sum_ordered(head.hi, 0.5 * square.hi);
  const double lost = head.lo + sum.lo + (y.lo + (y.hi * y.lo + 0.5 * square.lo)) + tail;
  extended<double> e = m::detail::exact_sum_ordered(sum.hi, lost);
  for (int i = 0; i < 3; ++i) e = m::detail::product_of(e, e);
  return {e, p.n};
}

inline double exp_of(extended<double> x) {
  if (x.hi > 720) return HUGE_VAL;
  if (x.hi < -750) return 0;
  const auto p = exp_parts(x);
  return m::detail::scale(p.value.hi, p.n);
}
inline double exp(double x) { return x == x ? exp_of({x, 0}) : x; }

inline double expm1(double x) {
  if (!(x < 50) || std::abs(x) < 0x1p-54) return x < 50 || x != x ? x : exp(x);
  if (x < -50) return -1;
  const auto p = exp_parts({x, 0});
  const double by = m::detail::power_of_two(p.n);
  const auto head = m::detail::exact_sum(p.value.hi * by, -1.0);
  return head.hi + (head.lo + p.value.lo * by);
}

/// x^y for x >= 0.
inline double pow(double x, double y) {
  if (!is_regular(x) || y == 0 || !(std::abs(y) < 1e300)) return m::power(x, y);
  const auto l = log_of({x, 0});
  const auto z = m::detail::exact_product(y, l.hi);
  if (std::abs(z.hi) > 740) return m::power(x, y);
  return exp_of({z.hi, z.lo + y * l.lo});
}

inline float log(float x) { return static_cast<float>(log(static_cast<double>(x))); }
inline float log1p(float x) { return static_cast<float>(log1p(static_cast<double>(x))); }
inline float exp(float x) { return static_cast<float>(exp(static_cast<double>(x))); }
inline float pow(float x, float y) { return static_cast<float>(pow(static_cast<double>(x), static_cast<double>(y))); }

inline double sqrt(double x) { return std::sqrt(x); }

}  // namespace numjit::random::detail::exact
