// What the functions of complex elements are put together from (ops/math/complex_math.h): real functions whose results
// are W. For complex128 that is extended<V>, some 100 bits in two doubles, so that the parts of a result are rounded
// once; for complex64 it is V itself, a double.
//
// Parts are scalars or what builds expressions. What is chosen by a value is written with pick and choose
// (ops/math/complex.h); a kernel computes all branches.
#pragma once

#include <numjit/ops/math/complex.h>
#include <numjit/ops/math/exp.h>
#include <numjit/ops/math/hyperbolic.h>
#include <numjit/ops/math/inverse_trig.h>
#include <numjit/ops/math/log.h>
#include <numjit/ops/math/trig.h>

namespace numjit::m::detail {

inline constexpr double ln2_rest = 0x1.abc9e3b39803fp-56;
inline constexpr double c_nan = __builtin_nan(""), c_inf = __builtin_inf();

template <class W>
struct value_under {
  using type = W;
};
template <class V>
struct value_under<extended<V>> {
  using type = V;
};
/// The value type whose sums W holds.
template <class W>
using under = typename value_under<W>::type;
template <class W>
inline constexpr bool is_extended = !std::is_same_v<W, under<W>>;

template <class V>
struct work_type {
  using type = rebind<V, double>;
};
template <double_value V>
struct work_type<V> {
  using type = extended<V>;
};
/// What the parts of a complex of V are computed as.
template <class V>
using work_of = typename work_type<V>::type;

// ---- arithmetic: for a double, the operators it has

using numjit::m::choose;
using numjit::m::pick;
template <class C, double_value V>
  requires(!std::is_same_v<C, bool>)
NUMJIT_M extended<V> pick(C c, extended<V> a, extended<V> b) {
  return {pick(c, a.hi, b.hi), pick(c, a.lo, b.lo)};
}

/// a in two parts of 26 bits.
template <double_value V>
NUMJIT_M extended<V> even_split(V a) {
  using U = rebind<V, std::uint64_t>;
  const V hi = from_bits<V>((bits(a) + U(0x4000000u)) & U(0xfffffffff8000000u));
  return {hi, a - hi};
}
/// a * b and all that its rounding lost, where exact_product's sums lose what is 2^-79 of it.
template <double_value V>
NUMJIT_M_FAR extended<V> full_product(V a, V b) {
  const auto p = even_split(a), q = even_split(b);
  const V product = a * b;
  return {product, (((p.hi * q.hi - product) + p.hi * q.lo) + p.lo * q.hi) + p.lo * q.lo};
}

template <double_value V>
NUMJIT_M extended<V> operator+(extended<V> a, extended<V> b) {
  const auto sum = exact_sum(a.hi, b.hi);
  return exact_sum_ordered(sum.hi, sum.lo + (a.lo + b.lo));
}
template <double_value V>
NUMJIT_M extended<V> operator-(extended<V> a) {
  return {negated(a.hi), negated(a.lo)};
}
template <double_value V>
NUMJIT_M extended<V> operator-(extended<V> a, extended<V> b) {
  return a + -b;
}
template <double_value V>
NUMJIT_M extended<V> operator*(extended<V> a, extended<V> b) {
  const auto p = full_product(a.hi, b.hi);
  return exact_sum_ordered(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}
template <double_value V>
NUMJIT_M extended<V> operator/(extended<V> a, extended<V> b) {
  return quotient_of(a, b);
}

template <class W>
NUMJIT_M W exactly(under<W> v) {
  if constexpr (is_extended<W>)
    return {v, under<W>(0.0)};
  else
    return v;
}
/// A constant of some 100 bits.
template <class W>
NUMJIT_M W constant(double hi, double lo) {
  if constexpr (is_extended<W>)
    return {under<W>(hi), under<W>(lo)};
  else
    return W(hi);
}
/// a + b
template <class W>
NUMJIT_M W exact_sum_as(under<W> a, under<W> b) {
  if constexpr (is_extended<W>)
    return exact_sum(a, b);
  else
    return a + b;
}
template <class W>
NUMJIT_M W exact_square_as(under<W> v) {
  if constexpr (is_extended<W>)
    return full_product(v, v);
  else
    return v * v;
}
template <double_value V>
NUMJIT_M V value_of(extended<V> a) {
  return a.hi + a.lo;
}
template <double_value V>
NUMJIT_M V value_of(V a) {
  return a;
}
/// The number that decides comparisons and signs.
template <double_value V>
NUMJIT_M V head(extended<V> a) {
  return a.hi;
}
template <double_value V>
NUMJIT_M V head(V a) {
  return a;
}
/// a times a power of two.
template <double_value V>
NUMJIT_M extended<V> scaled_by(extended<V> a, V power) {
  return {a.hi * power, a.lo * power};
}
template <double_value V>
NUMJIT_M V scaled_by(V a, V power) {
  return a * power;
}
template <class W>
NUMJIT_M W magnitude_of(W a) {
  if constexpr (is_extended<W>)
    return {magnitude(a.hi), pick(a.hi < under<W>(0.0), negated(a.lo), a.lo)};
  else
    return magnitude(a);
}
/// The square root of a >= 0; a NaN may lie behind that of 0.
template <double_value V>
NUMJIT_M_FAR extended<V> root(extended<V> a) {
  return root_of(a);
}
template <double_value V>
NUMJIT_M V root(V a) {
  return sqrt_of(a);
}

/// a 2^n, for any n that a double's range leaves a use for. Rounded once unless the result is subnormal.
template <double_value V>
NUMJIT_M V scaled_up(extended<V> a, V n) {
  const auto far = [&] {
    const V third = nearest(n * V(1.0 / 3.0)), rest = nearest((n - third) * V(0.5));
    return value_of(a) * power_of_two(third) * power_of_two(rest) * power_of_two((n - third) - rest);
  };
  return choose(magnitude(n) < V(1000.0), [&] { return value_of(a) * power_of_two(n); }, far);
}

// ---- exponentials

/// e^x as value 2^n; for doubles n is 0 and the value may overflow. |x| <= 1500 if extended.
template <class W>
struct power_parts {
  W value;
  under<W> n;
};

/// cosh(r) and sinh(r), |r| <= 0.35: their sum is e^r.
template <class W>
struct even_and_odd {
  W even, odd;
};
template <double_value V>
NUMJIT_M even_and_odd<extended<V>> near_zero(exp_reduced<V> p) {
  const V r = p.hi - p.lo, left = (p.hi - r) - p.lo, one = V(1.0);
  const auto z = exact_square(r);
  const V fourth = z.hi * z.hi *
                   polynomial(z.hi, 0x1.5555555555557p-5, 0x1.6c16c16c15a59p-10, 0x1.a01a01a9efce9p-16,
                              0x1.27e4d408d6e2bp-22, 0x1.1f7f45f299814p-29);
  const auto even = exact_sum_ordered(one, V(0.5) * z.hi);
  const V cube = z.hi * r *
                 polynomial(z.hi, 0x1.5555555555555p-3, 0x1.1111111111111p-7, 0x1.a01a01a0196a4p-13,
                            0x1.71de3a5aab0efp-19, 0x1.ae642c71397e4p-26, 0x1.61bfcaa4c2fdap-33);
  return {exact_sum_ordered(even.hi, even.lo + (V(0.5) * z.lo + (fourth + r * left))),
          exact_sum_ordered(r, cube + left * even.hi)};
}

template <class W>
NUMJIT_M_FAR power_parts<W> exp_of(under<W> x) {
  using V = under<W>;
  if constexpr (is_extended<W>) {
    const auto p = reduce_exp(hold(x, -1500.0, 1500.0));
    const V r = p.hi - p.lo, left = (p.hi - r) - p.lo, one = V(1.0);
    const auto z = exact_square(r);
    const auto line = exact_sum_ordered(one, r), parabola = exact_sum_ordered(line.hi, V(0.5) * z.hi);
    const V rest = V(0.5) * z.lo + (r * z.hi * exp_cubic(r) + left * line.hi);
    return {exact_sum_ordered(parabola.hi, parabola.lo + (line.lo + rest)), p.n};
  } else {
    return {m::exp(x), V(0.0)};
  }
}

/// sinh x and cosh x over 2^n for x >= 0.
template <class W>
struct hyperbolic_values {
  W sinh, cosh;
  under<W> n;
};
template <class W>
NUMJIT_M_FAR hyperbolic_values<W> hyperbolic_of(under<W> x) {
  using V = under<W>;
  if constexpr (is_extended<W>) {
    const auto p = reduce_exp(hold(x, 0.0, 1500.0));
    const auto parts = near_zero(p);
    // 2 sinh x = 2^n (even + odd) - 2^-n (even - odd)
    const V few = pick(p.n > V(64.0), V(64.0), p.n), w = power_of_two(V(-2.0) * few), one = V(1.0);
    const auto less = exact_sum_ordered(one, negated(w)), more = exact_sum_ordered(one, w);
    return {parts.even * less + parts.odd * more, parts.even * more + parts.odd * less, p.n - one};
  } else {
    return {m::sinh(x), m::cosh(x), V(0.0)};
  }
}

// ---- angles

/// The remainder of an angle from `ordinary_angles` on, or what it is not by, with the quadrant in its last two bits.
template <bool Rest>
struct wide_turn {
  static constexpr const char* name = Rest ? "numjit_far_turn_rest" : "numjit_far_turn";
  template <double_value V>
  NUMJIT_M static V of(V x) {
    const auto t = reduce_wide(x);
    return Rest ? with_quadrant(t.lo, t.quadrant) : t.hi;
  }
  template <double_value V, class U>
  NUMJIT_M static V with_quadrant(V lo, U quadrant) {
    const U two_bits = U(std::uint64_t(3));
    return from_bits<V>((bits(lo) & U(~std::uint64_t(3))) | (quadrant & two_bits));
  }
};

template <class W>
struct circular_values {
  W sin, cos;
};
/// Sine and cosine of any finite angle, in radians.
template <class W>
NUMJIT_M_FAR circular_values<W> circular_pair(under<W> y) {
  using V = under<W>;
  if constexpr (is_extended<W>) {
    using U = rebind<V, std::uint64_t>;
    const V x = magnitude(y), one = V(1.0);
    const auto t = reduce_ordinary(x);
    const auto rare = ge(x, lit<V>(ordinary_angles)) & lt(x, inf<V>());
    const V a = rarely_called<wide_turn<false>>(rare, t.hi, x);
    const V packed = rarely_called<wide_turn<true>>(rare, wide_turn<true>::with_quadrant(t.lo, t.quadrant), x);
    const U quadrant = bits(packed) & U(std::uint64_t(3)), odd_bit = U(std::uint64_t(1));
    const V rest = from_bits<V>(bits(packed) & U(~std::uint64_t(3)));
    const auto z = exact_square(a);
    // a + a z (-1/6 + ...)
    const V ratio = polynomial(z.hi, -1.66666666666666324348e-01, 8.33333333332248946124e-03,
                               -1.98412698298579493134e-04, 2.75573137070700676789e-06, -2.50507602534068634195e-08,
                               1.58969099521155010221e-10);
    const V cube = a * (z.hi * ratio + z.lo * V(-1.66666666666666324348e-01));
    const auto odd = exact_sum_ordered(a, cube + (rest - V(0.5) * z.hi * rest));
    // 1 - z/2 + ...
    const V fourth = z.hi * (z.hi * polynomial(z.hi, 4.16666666666666019037e-02, -1.38888888888741095749e-03,
                                               2.48015872894767294178e-05, -2.75573143513906633035e-07,
                                               2.08757232129817482790e-09, -1.13596475577881948265e-11));
    const auto less = exact_sum_ordered(one, V(-0.5) * z.hi);
    const auto even = exact_sum_ordered(less.hi, less.lo + (fourth - (V(0.5) * z.lo + a * rest)));
    const auto crossed = ne(quadrant & odd_bit, U(std::uint64_t(0)));
    const auto wide = resize_mask<V>(crossed);
    const auto sign = sign_bits(y);
    const U sine_sign = ((quadrant << 62) & U(sign_bit<double>)) ^ sign;
    const U cosine_sign = ((quadrant + odd_bit) << 62) & U(sign_bit<double>);
    return {{flip_sign(sel(wide, even.hi, odd.hi), sine_sign), flip_sign(sel(wide, even.lo, odd.lo), sine_sign)},
            {flip_sign(sel(wide, odd.hi, even.hi), cosine_sign), flip_sign(sel(wide, odd.lo, even.lo), cosine_sign)}};
  } else {
    return {m::sin(y), m::cos(y)};
  }
}

/// Those of the sum of that angle and a small one.
template <double_value V>
NUMJIT_M circular_values<extended<V>> turned_by(circular_values<extended<V>> t, V d) {
  const V fall = V(0.5) * d * d;
  return {exact_sum_ordered(t.sin.hi, t.sin.lo + (d * t.cos.hi - fall * t.sin.hi)),
          exact_sum_ordered(t.cos.hi, t.cos.lo - (d * t.sin.hi + fall * t.cos.hi))};
}

/// The angle of (x, y) as arctan2 gives it, signs and special values too.
template <class W>
NUMJIT_M_FAR W angle_of_point(W y, W x) {
  using V = under<W>;
  if constexpr (is_extended<W>) {
    const V zero = V(0.0), one = V(1.0);
    const V y_size = magnitude(y.hi), x_size = magnitude(x.hi);
    const auto equal_inf = both(y_size == V(c_inf), x_size == V(c_inf));
    const auto both_zero = both(y_size == zero, x_size == zero);
    const auto odd = either(equal_inf, both_zero);
    const auto rise = pick(equal_inf, exactly<W>(one), magnitude_of(y));
    const auto run = pick(odd, exactly<W>(one), magnitude_of(x));
    const auto behind = m::signbit(x.hi);
    const auto steep = rise.hi > run.hi;
    const V top = pick(steep, rise.hi, run.hi);
    const V by = pick(top > V(0x1p500), V(0x1p-600), pick(top < V(0x1p-400), V(0x1p560), one));
    const auto small = scaled_by(pick(steep, run, rise), by), large = scaled_by(pick(steep, rise, run), by);
    // small/large turned by arctan of 0, 1/2 or 1
    const auto half = small.hi >= V(0.4375) * large.hi, whole = small.hi >= V(0.6875) * large.hi;
    const auto two_large = scaled_by(large, V(2.0)), two_small = scaled_by(small, V(2.0));
    const auto num = pick(whole, small - large, pick(half, two_small - large, small));
    const auto den = pick(whole, small + large, pick(half, two_large + small, large));
    const auto plain = both(small.hi > V(0x1p-900), large.hi < V(c_inf));
    const auto quotient = num / den;
    const V t = pick(plain, quotient.hi, small.hi / large.hi), t_lo = pick(plain, quotient.lo, zero);
    const V base = pick(whole, V(7.85398163397448278999e-01), pick(half, V(4.63647609000806093515e-01), zero));
    const V base_lo = pick(whole, V(3.06161699786838301793e-17), pick(half, V(2.26987774529616870924e-17), zero));
    const auto sum = exact_sum(base, t);
    const V rest = sum.lo + ((base_lo + t_lo - t_lo * t * t) - arctan_rest(t));
    // 0, pi/2 or pi, plus or minus the angle that was found
    const auto turned = exact_sum_ordered(sum.hi, rest);
    const auto from_axis = pick(steep, W{V(pio2_hi), V(pio2_lo)} - turned, turned);
    const auto angle = pick(behind, W{V(pi_hi), V(pi_lo)} - from_axis, from_axis);
    const auto nan = either(m::isnan(x.hi), m::isnan(y.hi));
    const auto below = m::signbit(y.hi);
    return pick(nan, W{x.hi + y.hi, zero}, pick(below, -angle, angle));
  } else {
    return m::arctan2(y, x);
  }
}

// ---- logarithms

/// log(a) for a > 0, or log(1 + t) where t is nearer to 0 than `near` says.
template <class W, class C>
NUMJIT_M_FAR W log_of(C near, W t, W a) {
  using V = under<W>;
  if constexpr (is_extended<W>) {
    const auto one_more = exact_sum(V(1.0), t.hi);
    const auto from = pick(near, W{one_more.hi, one_more.lo + t.lo}, a);
    const auto result = log_extended(from);
    // Near 1 the square of what lies behind counts
    const V missing = pick(near, V(0.5) * from.lo * from.lo, V(0.0));
    return {result.hi, result.lo - missing};
  } else {
    return choose(near, [&] { return m::log1p(t); }, [&] { return m::log(a); });
  }
}

/// log(hypot(a, b)), given a^2 + b^2 - 1 too, so that it is accurate near 1; -inf at 0, inf or NaN where a or b are.
template <class W>
NUMJIT_M_FAR W log_modulus(W a, under<W> b, W excess) {
  using V = under<W>;
  const V x = magnitude(head(a)), y = magnitude(b), top = pick(x < y, y, x);
  const auto large = top > V(0x1p400), small = top < V(0x1p-400);
  const V by = pick(large, V(0x1p-600), pick(small, V(0x1p600), V(1.0)));
  const W u = scaled_by(a, by), v = exactly<W>(b * by);
  const auto near = both(magnitude(head(excess)) <= V(0.125), by == V(1.0));
  const W half = scaled_by(log_of<W>(near, excess, u * u + v * v), V(0.5));
  const W shift = constant<W>(0x1.9fe3682cd3be4p+8, 0x1.4aa84b6b3b125p-46);  // log(2^600)
  const W value = pick(large, half + shift, pick(small, half - shift, half));
  const V special = pick(either(m::isinf(x), m::isinf(y)), V(c_inf), pick(x + y == V(0.0), V(-c_inf), x + y));
  const auto usual = both(x + y != V(0.0), both(m::isfinite(x), m::isfinite(y)));
  return pick(usual, value, exactly<W>(special));
}

/// arcsinh(u) for 0 <= u < 2^500.
template <class W>
NUMJIT_M_FAR W arcsinh_of(W u) {
  using V = under<W>;
  if constexpr (is_extended<W>) {
    const auto square = u * u;
    const auto value = u + root(square + exactly<W>(V(1.0)));
    const auto result = log_of<W>(value.hi < V(1.5), value - exactly<W>(V(1.0)), value);
    return pick(u.hi < V(0x1p-30), u, result);
  } else {
    return m::arcsinh(u);
  }
}

/// The square root of a + ib, b >= 0, with its real part and its imaginary part; 0 for 0.
template <class W>
struct root_parts {
  W re, im;
};
template <class W>
NUMJIT_M_FAR root_parts<W> complex_root(W a, under<W> b) {
  using V = under<W>;
  const V x = magnitude(head(a)), zero = V(0.0), top = pick(x < b, b, x);
  const auto large = top > V(0x1p400), small = top < V(0x1p-400);
  const V by = pick(large, V(0x1p-600), pick(small, V(0x1p600), V(1.0)));
  const V back = pick(large, V(0x1p300), pick(small, V(0x1p-300), V(1.0)));
  const W u = magnitude_of(scaled_by(a, by)), v = exactly<W>(b * by);
  const W twice = u + root(u * u + v * v);
  const W t = root(scaled_by(twice, V(0.5)));
  const W other = scaled_by(v / scaled_by(t, V(2.0)), back), same = scaled_by(t, back);
  const auto left = head(a) < zero, nothing = top == zero;
  const W none = exactly<W>(zero);
  return {pick(nothing, none, pick(left, other, same)), pick(nothing, none, pick(left, same, other))};
}

}  // namespace numjit::m::detail
