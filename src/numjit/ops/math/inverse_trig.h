// arcsin, arccos, arctan, arctan2: fdlibm's ranges and polynomials, selected instead of branched.
// arctan2 doesn't round the quotient before it takes its angle.
#pragma once

#include <numjit/ops/math/extended.h>

namespace numjit::m {

namespace detail {

inline constexpr double pio2_hi = 1.57079632679489655800e+00, pio2_lo = 6.12323399573676603587e-17;
inline constexpr double pi_hi = 3.1415926535897931160e+00, pi_lo = 1.2246467991473531772e-16;

/// t - arctan(t), |t| <= 0.44.
template <double_value V>
NUMJIT_M V arctan_rest(V t) {
  const V z = t * t, w = z * z;
  const V s1 = z * polynomial(w, 3.33333333333329318027e-01, 1.42857142725034663711e-01,
                          9.09088713343650656196e-02, 6.66107313738753120669e-02,
                          4.97687799461593236017e-02, 1.62858201153657823623e-02);
  const V s2 = w * polynomial(w, -1.99999999998764832476e-01, -1.11111104054623557880e-01,
                          -7.69187620504482999495e-02, -5.83357013379057348645e-02,
                          -3.65315727442169155270e-02);
  return t * (s1 + s2);
}

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
  const V rest = arctan_rest(t);
  const V small = t - rest;
  const V turned = hi - ((rest - lo) - t);
  return sel(r1, turned, small);
}

/// Angle of the point (x, y), x and y >= 0 and not both 0 or infinite; `behind` reflects it to
/// (-x, y).
template <double_value V, class M>
NUMJIT_M V angle_of(V y, V x, M behind) {
  const V zero = lit<V>(0.0), one = lit<V>(1.0);
  const auto steep = gt(y, x);
  V small = sel(steep, x, y), large = sel(steep, y, x);
  const V by = sel(gt(large, lit<V>(0x1p1000)), lit<V>(0x1p-100),
                   sel(lt(large, lit<V>(0x1p-700)), lit<V>(0x1p300), one));
  small = small * by;
  large = large * by;
  // small/large turned by arctan of 0, 1/2 or 1; the numerators are exact
  const auto half = ge(small, lit<V>(0.4375) * large);
  const auto whole = ge(small, lit<V>(0.6875) * large);
  const V num = sel(whole, small - large, sel(half, (small + small) - large, small));
  const auto den = exact_sum_ordered(sel(half & !whole, large + large, large), keep(half, small));
  const V t = num / den.hi;
  const auto exact = gt(small, lit<V>(0x1p-950)) & lt(large, inf<V>());
  const V t_lo = keep(exact, division_rest(num, t, den.hi) - t * den.lo) / den.hi;
  // 0, pi/2 or pi, plus or minus the angle by which the point was turned
  const V start = sel(steep, lit<V>(pio2_hi), keep(behind, lit<V>(pi_hi)));
  const V start_lo = sel(steep, lit<V>(pio2_lo), keep(behind, lit<V>(pi_lo)));
  const V unit = sel(steep ^ behind, negated(one), one);
  const V base = sel(whole, lit<V>(7.85398163397448278999e-01),
                     keep(half, lit<V>(4.63647609000806093515e-01)));
  const V base_lo = sel(whole, lit<V>(3.06161699786838301793e-17),
                        keep(half, lit<V>(2.26987774529616870924e-17)));
  const auto corner = exact_sum_ordered(start, unit * base);
  const auto sum = exact_sum_ordered(corner.hi, unit * t);
  const V rest = (base_lo + t_lo) - arctan_rest(t);
  const V result = sum.hi + (sum.lo + (corner.lo + (start_lo + unit * rest)));
  return sel(eq(sum.hi, zero), sum.hi, result);
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
                      polynomial(z, -0x1.55555554ab1ecp-2, 0x1.999996f0a647dp-3, -0x1.249168f8694fbp-3,
                             0x1.c6e4993fec481p-4, -0x1.71017d4e44b1dp-4, 0x1.1fdbedff38f98p-4,
                             -0x1.39a0c714956f3p-5);
  const V angle = r + keep(turned, lit<V>(pio2_hi / 2));
  return sel(steep, lit<V>(pio2_hi) - angle, angle);
}

/// P/Q with arcsin(x) = x + x*(P/Q)(x^2), |x| <= 1/2.
template <double_value V>
NUMJIT_M V arcsin_ratio(V z) {
  const V p = z * polynomial(z, 1.66666666666666657415e-01, -3.25565818622400915405e-01,
                         2.01212532134862925881e-01, -4.00555345006794114027e-02,
                         7.91534994289814532176e-04, 3.47933107596021167570e-05);
  const V q = polynomial(z, 1.0, -2.40339491173441421878e+00, 2.02094576023350569471e+00,
                     -6.88283971605453293030e-01, 7.70381505559019352791e-02);
  return p / q;
}

/// arcsin(x) to float accuracy for 0 <= x < 1/2, half of arccos(x) up to 1.
template <double_value V>
NUMJIT_M V arcsin_single(V x) {
  const V half = lit<V>(0.5);
  const auto large = ge(x, half);
  const V z = sel(large, (lit<V>(1.0) - x) * half, x * x);
  const V s = sel(large, sqrt_of(z), x);
  return s + s * z *
                 polynomial(z, 0x1.5555555c0171dp-3, 0x1.33331ecf8b70bp-4, 0x1.6dc0f007c13e8p-5, 0x1.efedf83ab6506p-6,
                        0x1.82db23768c84fp-6, 0x1.5a80a068e3ee2p-7, 0x1.fb7ca379d49c6p-6);
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
    const auto x = magnitude(widen(a));
    using W = decltype(x + x);
    const W part = detail::arcsin_single(x);
    const W value = sel(lt(x, lit<W>(0.5)), part, lit<W>(detail::pio2_hi) - (part + part));
    return narrow(sel(le(x, lit<W>(1.0)), with_sign(value, widen(a)), nan<W>()));
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
    const auto wide = widen(a), x = magnitude(wide);
    using W = decltype(x + x);
    const W part = detail::arcsin_single(x), twice = part + part;
    const W near_one = sel(lt(wide, lit<W>(0.0)), lit<W>(detail::pi_hi) - twice, twice);
    const W value = sel(lt(x, lit<W>(0.5)), lit<W>(detail::pio2_hi) - with_sign(part, wide), near_one);
    return narrow(sel(le(x, lit<W>(1.0)), value, nan<W>()));
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
    const auto behind = has_sign(b);
    const W result = sel(resize_mask<W>(behind), lit<W>(detail::pi_hi) - angle, angle);
    return sel(is_nan(a) | is_nan(b), a + b, with_sign(narrow(result), a));
  } else {
    const V y = magnitude(a), x = magnitude(b);
    const V one = lit<V>(1.0);
    // inf/inf counts as 1, 0/0 as 0; the quotient's overflow and underflow do what they should
    const auto equal_inf = eq(y, inf<V>()) & eq(x, inf<V>());
    const auto both_zero = eq(y, lit<V>(0.0)) & eq(x, lit<V>(0.0));
    const auto behind = has_sign(b);
    const V result = detail::angle_of(blend(equal_inf, one, y), blend(equal_inf | both_zero, one, x), behind);
    return flip_sign(sel(is_nan(a) | is_nan(b), a + b, result), sign_bits(a));
  }
}

}  // namespace numjit::m
