// arcsin, arccos, arctan, arctan2: fdlibm's ranges and polynomials, selected instead of branched.
#pragma once

#include <numjit/ops/math/value.h>

namespace numjit::m {

namespace detail {

inline constexpr double pio2_hi = 1.57079632679489655800e+00, pio2_lo = 6.12323399573676603587e-17;
inline constexpr double pi_hi = 3.1415926535897931160e+00, pi_lo = 1.2246467991473531772e-16;

/// arctan of a value >= 0 (or inf, NaN).
template <double_value V>
NUMJIT_M V arctan_positive(V x) {
  const V one = lit<V>(1.0);
  // x = (num/den) turned by arctan of 0, 1/2, 1, 3/2 or infinity
  const auto r1 = ge(x, lit<V>(0.4375)), r2 = ge(x, lit<V>(0.6875)), r3 = ge(x, lit<V>(1.1875)),
             r4 = ge(x, lit<V>(2.4375));
  const V num = sel(r4, lit<V>(-1.0),
                    sel(r3, x - lit<V>(1.5), sel(r2, x - one, sel(r1, lit<V>(2.0) * x - one, x))));
  const V den =
      sel(r4, x, sel(r3, one + lit<V>(1.5) * x, sel(r2, x + one, sel(r1, lit<V>(2.0) + x, one))));
  const V hi = sel(r4, lit<V>(pio2_hi),
                   sel(r3, lit<V>(9.82793723247329054082e-01),
                       sel(r2, lit<V>(7.85398163397448278999e-01),
                           keep(r1, lit<V>(4.63647609000806093515e-01)))));
  const V lo = sel(r4, lit<V>(pio2_lo),
                   sel(r3, lit<V>(1.39033110312309984516e-17),
                       sel(r2, lit<V>(3.06161699786838301793e-17),
                           keep(r1, lit<V>(2.26987774529616870924e-17)))));
  const V t = num / den;
  const V z = t * t, w = z * z;
  const V s1 = z * horner(w, 3.33333333333329318027e-01, 1.42857142725034663711e-01,
                          9.09088713343650656196e-02, 6.66107313738753120669e-02,
                          4.97687799461593236017e-02, 1.62858201153657823623e-02);
  const V s2 = w * horner(w, -1.99999999998764832476e-01, -1.11111104054623557880e-01,
                          -7.69187620504482999495e-02, -5.83357013379057348645e-02,
                          -3.65315727442169155270e-02);
  const V small = t - t * (s1 + s2);
  const V turned = hi - ((t * (s1 + s2) - lo) - t);
  return sel(r1, turned, small);
}

/// Angle of the point (x, y), x and y >= 0 and not both 0 or infinite, to float accuracy. The
/// quotient of the smaller by the larger is turned by pi/4 beyond tan(pi/8), so that one division
/// is enough.
template <double_value V>
NUMJIT_M V angle_single(V y, V x) {
  const auto steep = gt(y, x);
  const V small = sel(steep, x, y), large = sel(steep, y, x);
  const auto turned = gt(small, large * lit<V>(0.41421356237309503));
  const V t = sel(turned, small - large, small) / sel(turned, small + large, large);
  const V z = t * t;
  const V r = t + z * t *
                      horner(z, -0x1.55555554ab1ecp-2, 0x1.999996f0a647dp-3, -0x1.249168f8694fbp-3,
                             0x1.c6e4993fec481p-4, -0x1.71017d4e44b1dp-4, 0x1.1fdbedff38f98p-4,
                             -0x1.39a0c714956f3p-5);
  const V angle = r + keep(turned, lit<V>(pio2_hi / 2));
  return sel(steep, lit<V>(pio2_hi) - angle, angle);
}

/// P/Q with arcsin(x) = x + x*(P/Q)(x^2), |x| <= 1/2.
template <double_value V>
NUMJIT_M V arcsin_ratio(V z) {
  const V p = z * horner(z, 1.66666666666666657415e-01, -3.25565818622400915405e-01,
                         2.01212532134862925881e-01, -4.00555345006794114027e-02,
                         7.91534994289814532176e-04, 3.47933107596021167570e-05);
  const V q = horner(z, 1.0, -2.40339491173441421878e+00, 2.02094576023350569471e+00,
                     -6.88283971605453293030e-01, 7.70381505559019352791e-02);
  return p / q;
}

/// The square root of z with 21 bits, and the rest of it.
template <class V>
struct root_value {
  V whole, head, tail;
};
template <double_value V>
NUMJIT_M root_value<V> split_root(V z) {
  using U = rebind<V, std::uint64_t>;
  const V s = sqrt_of(z);
  const V head = from_bits<V>(bits(s) & U(0xffffffff00000000u));
  return {s, head, (z - head * head) / (s + head)};
}

}  // namespace detail

/// Inverse tangent, in [-pi/2, pi/2].
template <floating V>
NUMJIT_M V arctan(V a) {
  if constexpr (single_value<V>)
    return with_sign(narrow(detail::angle_single(magnitude(widen(a)), lit<rebind<V, double>>(1.0))),
                     a);
  else
    return flip_sign(detail::arctan_positive(magnitude(a)), sign_bits(a));
}

/// Inverse sine, in [-pi/2, pi/2]; NaN outside [-1, 1].
template <floating V>
NUMJIT_M V arcsin(V a) {
  if constexpr (single_value<V>) {
    return narrow(m::arcsin(widen(a)));
  } else {
    const V x = magnitude(a);
    const V half = lit<V>(0.5), one = lit<V>(1.0), two = lit<V>(2.0);
    const auto large = ge(x, half);
    const V z = sel(large, (one - x) * half, x * x);
    const V ratio = detail::arcsin_ratio(z);
    const auto root = detail::split_root(sel(large, z, one));
    // pi/2 - 2 arcsin(sqrt(z)), as pi/4 - (2 s r - (pio2_lo - 2c) - (pi/4 - 2 head))
    const V quarter = lit<V>(7.85398163397448278999e-01);
    const V p = two * root.whole * ratio - (lit<V>(detail::pio2_lo) - two * root.tail);
    const V q = quarter - two * root.head;
    V result = sel(large, quarter - (p - q), x + x * ratio);
    result = sel(eq(x, one), lit<V>(detail::pio2_hi), result);
    return flip_sign(sel(le(x, one), result, nan<V>()), sign_bits(a));
  }
}

/// Inverse cosine, in [0, pi]; NaN outside [-1, 1].
template <floating V>
NUMJIT_M V arccos(V a) {
  if constexpr (single_value<V>) {
    return narrow(m::arccos(widen(a)));
  } else {
    const V x = magnitude(a);
    const V half = lit<V>(0.5), one = lit<V>(1.0), two = lit<V>(2.0);
    const auto large = ge(x, half), below = lt(a, lit<V>(0.0));
    const V z = sel(large, (one - x) * half, x * x);
    const V ratio = detail::arcsin_ratio(z);
    const auto root = detail::split_root(sel(large & ne(x, one), z, one));
    const V middle = lit<V>(detail::pio2_hi) - (a - (lit<V>(detail::pio2_lo) - a * ratio));
    const V near_one = two * (root.head + (ratio * root.whole + root.tail));
    const V near_minus_one =
        lit<V>(detail::pi_hi) - two * (root.whole + (ratio * root.whole - lit<V>(detail::pio2_lo)));
    V result = sel(large, sel(below, near_minus_one, near_one), middle);
    result = sel(eq(a, one), lit<V>(0.0), result);
    result = sel(eq(a, lit<V>(-1.0)), lit<V>(detail::pi_hi), result);
    return sel(le(x, one), result, nan<V>());
  }
}

/// Angle of the point (b, a), in [-pi, pi]; signed zeros and infinities as C's atan2.
template <floating V>
NUMJIT_M V arctan2(V a, V b) {
  if constexpr (single_value<V>) {
    using W = rebind<V, double>;
    const V y = magnitude(a), x = magnitude(b), one = lit<V>(1.0);
    const auto equal_inf = eq(y, inf<V>()) & eq(x, inf<V>());
    const auto both_zero = eq(y, lit<V>(0.0)) & eq(x, lit<V>(0.0));
    const W angle = detail::angle_single(widen(sel(equal_inf, one, y)),
                                         widen(sel(equal_inf | both_zero, one, x)));
    const auto behind = ne(sign_bits(b), sign_bits(one));
    const W result = sel(resize_mask<W>(behind), lit<W>(detail::pi_hi) - angle, angle);
    return sel(is_nan(a) | is_nan(b), a + b, with_sign(narrow(result), a));
  } else {
    const V y = magnitude(a), x = magnitude(b);
    const V one = lit<V>(1.0);
    // inf/inf counts as 1, 0/0 as 0; the quotient's overflow and underflow do what they should
    const auto equal_inf = eq(y, inf<V>()) & eq(x, inf<V>());
    const auto both_zero = eq(y, lit<V>(0.0)) & eq(x, lit<V>(0.0));
    const V num = sel(equal_inf, one, y);
    const V den = sel(equal_inf | both_zero, one, x);
    const V angle = detail::arctan_positive(num / den);
    const V left = lit<V>(detail::pi_hi) - (angle - lit<V>(detail::pi_lo));
    const auto behind = ne(sign_bits(b), sign_bits(one));
    const V result = sel(resize_mask<V>(behind), left, angle);
    return flip_sign(sel(is_nan(a) | is_nan(b), a + b, result), sign_bits(a));
  }
}

}  // namespace numjit::m
