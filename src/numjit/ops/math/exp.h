// exp, exp2, expm1, and the reduction and scaling that the hyperbolic functions and pow share.
//
// e^x = 2^n e^r with n = rint(x / ln 2) and |r| <= 0.35. The polynomials are near-minimax fits made
// with mpmath; the head of each sum is added exactly, so that results are within 0.8 ULP.
#pragma once

#include <numjit/ops/math/extended.h>

namespace numjit::m {

namespace detail {

/// Constants that differ between the float formats. `shifter` is 1.5 * 2^fraction_bits: adding it
/// rounds to an integer and leaves that integer in the low bits.
template <class E>
struct format;
template <>
struct format<double> {
  static constexpr double shifter = 0x1.8p52;
  static constexpr int fraction_bits = 52, bias = 1023;
  static constexpr double ln2_hi = 6.93147180369123816490e-01, ln2_lo = 1.90821492927058770002e-10;
};
template <>
struct format<float> {
  static constexpr double shifter = 0x1.8p23;
  static constexpr int fraction_bits = 23, bias = 127;
  static constexpr double ln2_hi = 6.9314575195e-01, ln2_lo = 1.4286067653e-06;
};
template <class V>
using format_of = format<elem_of<V>>;

/// The integer nearest to v, as a float; |v| < 2^(fraction_bits - 1).
template <floating V>
NUMJIT_M V nearest(V v) {
  const V s = lit<V>(format_of<V>::shifter);
  return (v + s) - s;
}

/// 2^n for an integral n within the normal exponents.
template <floating V>
NUMJIT_M V power_of_two(V n) {
  using F = format_of<V>;
  return from_bits<V>(bits(n + lit<V>(F::shifter + F::bias)) << F::fraction_bits);
}

/// y * 2^n, rounded once, for n within twice the normal exponents and y near 1.
template <floating V>
NUMJIT_M V scale(V y, V n) {
  const V half = nearest(n * lit<V>(0.5));
  return y * power_of_two(half) * power_of_two(n - half);
}

/// v held between lo and hi; NaN stays.
template <floating V>
NUMJIT_M V hold(V v, double lo, double hi) {
  const V l = lit<V>(lo), h = lit<V>(hi);
  return sel(lt(v, l), l, sel(gt(v, h), h, v));
}
/// The same by the vectors' own minimum and maximum, for functions that have no other use of v.
template <floating V>
NUMJIT_M V clamp(V v, double lo, double hi) {
  const V l = lit<V>(lo), h = lit<V>(hi);
  if constexpr (plain<V>) return v < l ? l : v > h ? h : v;
  else return hold(v, lo, hi);
}

/// (e^r - 1 - r - r^2/2) / r^3 for |r| <= 0.35.
template <double_value V>
NUMJIT_M V exp_cubic(V r) {
  return polynomial(r, 0x1.5555555555557p-3, 0x1.5555555555556p-5, 0x1.11111111100cfp-7,
                0x1.6c16c16c1629fp-10, 0x1.a01a01abeef42p-13, 0x1.a01a01a6ef868p-16,
                0x1.71de021b85155p-19, 0x1.27e4db24fd195p-22, 0x1.af4e176395b68p-26,
                0x1.1f737b72c0fa4p-29);
}

/// (e^r - 1 - r) for |r| <= 0.35.
template <floating V>
NUMJIT_M V exp_tail(V r) {
  if constexpr (double_value<V>) {
    return r * r * (lit<V>(0.5) + r * exp_cubic(r));
  } else {
    return r * r *
           polynomial(r, 0x1.000000000ba47p-1, 0x1.5554dcc931f05p-3, 0x1.555518cd15528p-5,
                  0x1.120b9f894ab06p-7, 0x1.6d119f22b2894p-10);
  }
}

/// x = n ln 2 + (hi - lo), |hi - lo| <= 0.35.
template <class V>
struct exp_reduced {
  V n, hi, lo;
};
template <floating V>
NUMJIT_M exp_reduced<V> reduce_exp(V x) {
  using F = format_of<V>;
  const V n = nearest(x * lit<V>(1.44269504088896338700e+00));
  return {n, x - n * lit<V>(F::ln2_hi), n * lit<V>(F::ln2_lo)};
}

/// e^(hi - lo) for |hi - lo| <= 0.35.
template <floating V>
NUMJIT_M V exp_near_zero(V hi, V lo) {
  const V one = lit<V>(1.0);
  const V r = hi - lo;
  const V left = (hi - r) - lo;
  const V head = one + r;
  return head + ((r - (head - one)) + (left + exp_tail(r)));
}

/// e^(x.hi + x.lo) is 2^n (value.hi + value.lo); the lower part is not rounded to 53 bits.
template <class V>
struct scaled_power {
  extended<V> value;
  V n;
};
template <double_value V>
NUMJIT_M scaled_power<V> exp_extended(extended<V> x) {
  const auto p = reduce_exp(x.hi);
  const V lo = p.lo - x.lo, r = p.hi - lo;
  const auto head = exact_sum_ordered(lit<V>(1.0), r);
  return {{head.hi, head.lo + (((p.hi - r) - lo) + exp_tail(r))}, p.n};
}

}  // namespace detail

/// e to the a. exp(-inf) is 0, overflow is inf, subnormal results are rounded once.
template <floating V>
NUMJIT_M V exp(V a) {
  constexpr bool wide = double_value<V>;
  const auto p = detail::reduce_exp(detail::clamp(a, wide ? -750.0 : -110.0, wide ? 720.0 : 95.0));
  return detail::scale(detail::exp_near_zero(p.hi, p.lo), p.n);
}

namespace detail {
inline constexpr double ln2 = 0x1.62e42fefa39efp-1;
inline constexpr double ln2_head = 0x1.62e42ep-1, ln2_tail = 0x1.efa39ef35793cp-25;
// Float results come from double arithmetic with polynomials of some 33 bits and no compensated
// sums: one rounding counts. These are the forms that end in _single.

inline constexpr double log2_e = 1.442695040888963407359924681001892137;
inline constexpr double log10_e = 0.434294481903251827651128918916605082;
inline constexpr double log10_2 = 0.301029995663981195213738894724493027;

/// e^r - 1 for |r| <= 0.35.
template <double_value V>
NUMJIT_M V expm1_near_zero_single(V r) {
  return r + r * r *
                 polynomial(r, 0x1.0000000b97fd5p-1, 0x1.5555555a90e9cp-3, 0x1.5554e8db99268p-5,
                        0x1.1110e0a532e46p-7, 0x1.6d435f846613fp-10, 0x1.a1259eeba5fa3p-13);
}

/// e^x; what a float can't hold may be anything beyond its range.
template <double_value V>
NUMJIT_M V exp_single(V a) {
  const V x = clamp(a, -200.0, 200.0);
  const V n = nearest(x * lit<V>(log2_e));
  const V s = power_of_two(n);
  return s + s * expm1_near_zero_single(x - n * lit<V>(ln2));
}

template <double_value V>
NUMJIT_M V exp2_single(V a) {
  const V x = clamp(a, -300.0, 300.0);
  const V n = nearest(x);
  const V s = power_of_two(n);
  return s + s * expm1_near_zero_single((x - n) * lit<V>(ln2));
}

template <double_value V>
NUMJIT_M V expm1_single(V a) {
  const V x = clamp(a, -200.0, 200.0);
  const V n = nearest(x * lit<V>(log2_e));
  const V s = power_of_two(n);
  return (s - lit<V>(1.0)) + s * expm1_near_zero_single(x - n * lit<V>(ln2));
}

}  // namespace detail

/// 2 to the a; exact for integral a.
template <floating V>
NUMJIT_M V exp2(V a) {
  if constexpr (single_value<V>) {
    return narrow(detail::exp2_single(widen(a)));
  } else {
    const V x = detail::clamp(a, -1100.0, 1040.0);
    const V n = detail::nearest(x);
    const auto r = detail::split(x - n);
    const V lo = r.hi * lit<V>(detail::ln2_tail) + r.lo * lit<V>(detail::ln2);
    return detail::scale(detail::exp_near_zero(r.hi * lit<V>(detail::ln2_head), negated(lo)), n);
  }
}

/// e^a - 1, accurate near 0.
template <floating V>
NUMJIT_M V expm1(V a) {
  if constexpr (single_value<V>) {
    return with_sign(narrow(detail::expm1_single(widen(a))), a);
  } else {
    const auto p = detail::reduce_exp(detail::clamp(a, -60.0, 720.0));
    // e^a - 1 = 2^n (1 - 2^-n + hi + tail); beyond n = 100 the 2^-n is lost anyway
    const V up_to_100 = sel(gt(p.n, lit<V>(100.0)), lit<V>(100.0), p.n);
    const auto rest =
        detail::exact_sum(lit<V>(1.0), negated(detail::power_of_two(negated(up_to_100))));
    const auto head = detail::exact_sum_ordered(rest.hi, p.hi);
    // The square counts beside a head of 0.2: it is added in two parts
    const V r = p.hi - p.lo, r_head = detail::split(r).hi;
    const auto sum = detail::exact_sum_ordered(head.hi, lit<V>(0.5) * r_head * r_head);
    const V square_rest = lit<V>(0.5) * (r - r_head) * (r + r_head);
    const V tail = (square_rest + r * r * r * detail::exp_cubic(r)) - p.lo;
    const V lost = sum.lo + (head.lo + rest.lo);
    return with_sign(detail::scale(sum.hi + (lost + tail), p.n), a);
  }
}

}  // namespace numjit::m
