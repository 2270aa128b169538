// sin, cos, tan: |x| = q pi/2 + y0 + y1 with |y0| <= pi/4, then fdlibm's kernels on y.
#pragma once

#include <numjit/ops/math/exp.h>

namespace numjit::m {

namespace detail {

/// |x| = q pi/2 + (hi + lo); the low bits of `quadrant` are q.
template <class V> struct quarter_turns { rebind<V, std::uint64_t> quadrant; V hi, lo; };

// pi/2 in three parts of 33 bits and the rest: products with q < 2^20 are exact.
inline constexpr double pio2_1 = 1.57079632673412561417e+00, pio2_2 = 6.07710050630396597660e-11,
                        pio2_3 = 2.02226624871116645580e-21, pio2_3t = 8.47842766036889956997e-32;
inline constexpr double two_over_pi = 6.36619772367581382433e-01;

/// For 0 <= x < 1.6e6.
template <double_value V> NUMJIT_M quarter_turns<V> reduce_quarter(V x) {
  const V s = lit<V>(0x1.8p52);
  const V shifted = x * lit<V>(two_over_pi) + s;
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

/// sin and cos of hi + lo, |hi| <= pi/4.
template <double_value V> NUMJIT_M V sin_kernel(V hi, V lo) {
  const V z = hi * hi, v = z * hi;
  const V r = horner(z, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
                     2.75573137070700676789e-06, -2.50507602534068634195e-08,
                     1.58969099521155010221e-10);
  return hi - ((z * (lit<V>(0.5) * lo - v * r) - lo) - v * lit<V>(-1.66666666666666324348e-01));
}
template <double_value V> NUMJIT_M V cos_kernel(V hi, V lo) {
  const V one = lit<V>(1.0);
  const V z = hi * hi;
  const V r = z * horner(z, 4.16666666666666019037e-02, -1.38888888888741095749e-03,
                         2.48015872894767294178e-05, -2.75573143513906633035e-07,
                         2.08757232129817482790e-09, -1.13596475577881948265e-11);
  const V hz = lit<V>(0.5) * z;
  const V w = one - hz;
  return w + (((one - w) - hz) + (z * r - hi * lo));
}

template <class U> NUMJIT_M auto bit_set(U u, std::uint64_t which) {
  return ne(u & U(which), U(std::uint64_t(0)));
}

/// sin((q + shift) pi/2 + hi + lo) with the sign bits `sign` flipped in.
template <double_value V, class U>
NUMJIT_M V sine_of_turns(quarter_turns<V> t, std::uint64_t shift, U sign) {
  const U q = t.quadrant + U(shift);
  const V value = sel(resize_mask<V>(bit_set(q, 1)), cos_kernel(t.hi, t.lo), sin_kernel(t.hi, t.lo));
  return flip_sign(value, ((q << 62) & U(sign_bit<double>)) ^ sign);
}

}  // namespace detail

/// Sine of an angle in radians.
template <floating V> NUMJIT_M V sin(V a) {
  if constexpr (single_value<V>) {
    return narrow(m::sin(widen(a)));
  } else {
    return detail::sine_of_turns(detail::reduce_quarter(magnitude(a)), 0, sign_bits(a));
  }
}

/// Cosine of an angle in radians.
template <floating V> NUMJIT_M V cos(V a) {
  if constexpr (single_value<V>) {
    return narrow(m::cos(widen(a)));
  } else {
    using U = rebind<V, std::uint64_t>;
    return detail::sine_of_turns(detail::reduce_quarter(magnitude(a)), 1, U(std::uint64_t(0)));
  }
}

/// Tangent of an angle in radians.
template <floating V> NUMJIT_M V tan(V a) {
  if constexpr (single_value<V>) {
    return narrow(m::tan(widen(a)));
  } else {
    const auto t = detail::reduce_quarter(magnitude(a));
    const V s = detail::sin_kernel(t.hi, t.lo), c = detail::cos_kernel(t.hi, t.lo);
    const auto odd = resize_mask<V>(detail::bit_set(t.quadrant, 1));
    const V value = sel(odd, c, s) / sel(odd, s, c);
    return flip_sign(value, (t.quadrant << 63) ^ sign_bits(a));
  }
}

}  // namespace numjit::m
