// sin, cos, tan: |x| = q pi/2 + y with |y| <= pi/4, then fdlibm's kernels on y. Beyond 1.6e6 the
// reduction is that of trig_wide.h, behind a branch that a loop over ordinary angles never takes.
#pragma once

#include <numjit/ops/math/trig_wide.h>

namespace numjit::m {

namespace detail {

inline constexpr double ordinary_angles = 1.6e6;
// pi/2 in parts of 33 bits and the rest: products with q < 2^20 are exact.
inline constexpr double pio2_1 = 1.57079632673412561417e+00, pio2_2 = 6.07710050630396597660e-11,
                        pio2_3 = 2.02226624871116645580e-21, pio2_3t = 8.47842766036889956997e-32,
                        pio2_1t = 6.07710050650619224932e-11;

/// For 0 <= x < ordinary_angles.
template <double_value V>
NUMJIT_M quarter_turns<V> reduce_ordinary(V x) {
  const V s = lit<V>(0x1.8p52);
  const V shifted = x * lit<V>(6.36619772367581382433e-01) + s;
  const V q = shifted - s;
  const V w2 = q * lit<V>(pio2_2), w3 = q * lit<V>(pio2_3);
  const V r1 = x - q * lit<V>(pio2_1);
  const V r2 = r1 - w2;
  const V lost2 = (r1 - r2) - w2;
  const V r3 = r2 - w3;
  const V lost3 = (r2 - r3) - w3;
  const V tail = (lost2 + lost3) - q * lit<V>(pio2_3t);
  const V hi = r3 + tail;
  return {bits(shifted), hi, (r3 - hi) + tail};
}

/// The same, accurate enough for a float result.
template <double_value V>
NUMJIT_M quarter_turns<V> reduce_for_float(V x) {
  const V s = lit<V>(0x1.8p52);
  const V shifted = x * lit<V>(6.36619772367581382433e-01) + s;
  const V q = shifted - s;
  return {bits(shifted), (x - q * lit<V>(pio2_1)) - q * lit<V>(pio2_1t), lit<V>(0.0)};
}

/// sin and cos of hi + lo, |hi| <= pi/4; to float accuracy where Short is set.
template <bool Short, double_value V>
NUMJIT_M V sin_kernel(V hi, V lo) {
  const V z = hi * hi, v = z * hi;
  if constexpr (Short) {
    return hi + v * polynomial(z, -0x1.5555554cbac77p-3, 0x1.11110896efbb2p-7, -0x1.a00f9e2cae774p-13,
                           0x1.6cd878c3b46a7p-19);
  } else {
    const V r =
        polynomial(z, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
               2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10);
    return hi - ((z * (lit<V>(0.5) * lo - v * r) - lo) - v * lit<V>(-1.66666666666666324348e-01));
  }
}
template <bool Short, double_value V>
NUMJIT_M V cos_kernel(V hi, V lo) {
  const V one = lit<V>(1.0);
  const V z = hi * hi;
  if constexpr (Short) {
    return one + z * polynomial(z, -0x1.ffffffd0c5e81p-2, 0x1.55553e1053a42p-5, -0x1.6c087e80f1e27p-10,
                            0x1.99342e0ee5069p-16);
  } else {
    const V r = z * polynomial(z, 4.16666666666666019037e-02, -1.38888888888741095749e-03,
                           2.48015872894767294178e-05, -2.75573143513906633035e-07,
                           2.08757232129817482790e-09, -1.13596475577881948265e-11);
    const V hz = lit<V>(0.5) * z;
    const V w = one - hz;
    return w + (((one - w) - hz) + (z * r - hi * lo));
  }
}

/// tan(hi + lo), or -1 / tan where `turn` holds, |hi| <= pi/4: fdlibm's kernel with one division.
template <double_value V, class M>
NUMJIT_M V tan_kernel(V hi, V lo, M turn) {
  const V one = lit<V>(1.0);
  const auto sign = sign_bits(hi);
  const V ahead = magnitude(hi), behind = flip_sign(lo, sign);
  // tan(pi/4 - x) from 0.67 on
  const auto big = ge(ahead, lit<V>(0.67434));
  const V x = sel(big, (lit<V>(7.85398163397448278999e-01) - ahead) +
                           (lit<V>(3.06161699786838301793e-17) - behind),
                  ahead);
  const V y = sel(big, lit<V>(0.0), behind);
  const V z = x * x, w = z * z;
  const V odd = polynomial(w, 1.33333333333201242699e-01, 2.18694882948595424599e-02,
                       3.59207910759131235356e-03, 5.88041240820264096874e-04,
                       7.81794442939557092300e-05, -1.85586374855275456654e-05);
  const V even = z * polynomial(w, 5.39682539762260521377e-02, 8.86323982359930005737e-03,
                            1.45620945432529025516e-03, 2.46463134818469906812e-04,
                            7.14072491382608190305e-05, 2.59073051863633712884e-05);
  const V s = z * x;
  const V r = y + z * (s * (odd + even) + y) + lit<V>(3.33333333333334091986e-01) * s;
  const V t = x + r;
  const V unit = sel(turn, negated(one), one);
  const V quotient = sel(big, t * t, negated(one)) / sel(big, t + unit, t);
  const V near_one = unit - lit<V>(2.0) * (x - (quotient - r));
  // -1 / (x + r) with the rounding of x + r and of the quotient made good
  const V head = head_of(t), rest = r - (head - x);
  const V q = head_of(quotient);
  const V cotangent = q + quotient * ((one + q * head) + q * rest);
  return flip_sign(sel(big, near_one, sel(turn, cotangent, t)), sign);
}

/// Is q odd? As has_sign.
template <class V, class U>
NUMJIT_M auto last_bit(U q) {
  if constexpr (plain<V>) return has_sign(from_bits<V>(q << 63));
  else return resize_mask<V>(ne(q & U(std::uint64_t(1)), U(std::uint64_t(0))));
}

enum class circular { sine, cosine, tangent };

/// The function of the angle t; `sign` holds the sign bit of the argument.
template <circular F, bool Short, double_value V, class U>
NUMJIT_M V circular_of(quarter_turns<V> t, U sign) {
  const U one = U(std::uint64_t(1));
  const U q = F == circular::cosine ? t.quadrant + one : t.quadrant;
  const auto odd = last_bit<V>(q);
  if constexpr (F == circular::tangent && !Short) {
    return flip_sign(tan_kernel(t.hi, t.lo, odd), sign);
  } else {
    const V s = sin_kernel<Short>(t.hi, t.lo), c = cos_kernel<Short>(t.hi, t.lo);
    if constexpr (F == circular::tangent)
      return flip_sign(sel(odd, c, s) / sel(odd, s, c), (q << 63) ^ sign);
    const U turned = (q << 62) & U(sign_bit<double>);
    return flip_sign(sel(odd, c, s), F == circular::sine ? turned ^ sign : turned);
  }
}

template <circular F, floating V>
NUMJIT_M V circular_ordinary(V a) {
  if constexpr (single_value<V>) {
    const auto x = widen(a);
    return narrow(circular_of<F, true>(reduce_for_float(magnitude(x)), sign_bits(x)));
  } else {
    return circular_of<F, false>(reduce_ordinary(magnitude(a)), sign_bits(a));
  }
}

/// The function of a finite angle from 2^20 on.
template <circular F>
struct wide_angle {
  static constexpr const char* name = F == circular::sine     ? "numjit_far_sin"
                                      : F == circular::cosine ? "numjit_far_cos"
                                                              : "numjit_far_tan";
  template <double_value V>
  NUMJIT_M static V of(V a) {
    return circular_of<F, false>(reduce_wide(magnitude(a)), sign_bits(a));
  }
};

template <circular F, floating V>
NUMJIT_M V circular_any(V a) {
  const V x = magnitude(a);
  const auto rare = ge(x, lit<V>(ordinary_angles)) & lt(x, inf<V>());
  return rarely_called<wide_angle<F>>(rare, circular_ordinary<F>(a), widen(a));
}

}  // namespace detail

/// Whether sin, cos and tan of a need no wide reduction: true below 1.6e6, for infinities and NaN.
template <floating V>
NUMJIT_M auto ordinary_angle(V a) {
  const V x = magnitude(a);
  return to_bool(!(ge(x, lit<V>(detail::ordinary_angles)) & lt(x, inf<V>())));
}

/// |a|, and 0 for infinities and NaN: what a loop compares to find out whether all angles are
/// ordinary.
template <floating V>
NUMJIT_M V finite_magnitude(V a) {
  const V x = magnitude(a);
  return keep(lt(x, inf<V>()), x);
}

/// Sine of an angle in radians, of any size; NaN for an infinity.
template <floating V>
NUMJIT_M V sin(V a) {
  return detail::circular_any<detail::circular::sine>(a);
}
/// Cosine of an angle in radians.
template <floating V>
NUMJIT_M V cos(V a) {
  return detail::circular_any<detail::circular::cosine>(a);
}
/// Tangent of an angle in radians.
template <floating V>
NUMJIT_M V tan(V a) {
  return detail::circular_any<detail::circular::tangent>(a);
}

template <class T>
NUMJIT_M T sin(tame<T> a) {
  return detail::circular_ordinary<detail::circular::sine>(a.value);
}
template <class T>
NUMJIT_M T cos(tame<T> a) {
  return detail::circular_ordinary<detail::circular::cosine>(a.value);
}
template <class T>
NUMJIT_M T tan(tame<T> a) {
  return detail::circular_ordinary<detail::circular::tangent>(a.value);
}

}  // namespace numjit::m
