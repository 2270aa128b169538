// sinh, cosh, tanh and their inverses.
//
// With |x| = n ln 2 + r: 2 sinh = 2^n (c + s) - 2^-n (c - s), c = cosh r, s = sinh r, so that
// neither a division nor a cancellation enters. The inverses are logarithms of arguments that are
// known to twice the precision.
#pragma once

#include <numjit/ops/math/log.h>

namespace numjit::m {

namespace detail {

/// |x| = n ln 2 + r; r as head + tail, w = 4^-n, and cosh(r) - 1 and sinh(r) - head.
template <class V>
struct hyperbolic_parts {
  V n, w, head, cosh_tail, sinh_tail;
};
template <double_value V>
NUMJIT_M hyperbolic_parts<V> hyperbolic(V x) {
  const auto p = reduce_exp(hold(x, 0.0, 720.0));
  const V r = p.hi - p.lo, z = r * r;
  const V c = z * polynomial(z, 0x1p-1, 0x1.5555555555557p-5, 0x1.6c16c16c15a59p-10,
                         0x1.a01a01a9efce9p-16, 0x1.27e4d408d6e2bp-22, 0x1.1f7f45f299814p-29);
  const V s = z * r *
              polynomial(z, 0x1.5555555555555p-3, 0x1.1111111111111p-7, 0x1.a01a01a0196a4p-13,
                     0x1.71de3a5aab0efp-19, 0x1.ae642c71397e4p-26, 0x1.61bfcaa4c2fdap-33);
  const V few = sel(gt(p.n, lit<V>(64.0)), lit<V>(64.0), p.n);
  return {p.n, power_of_two(lit<V>(-2.0) * few), p.hi, c, s - p.lo};
}

/// (1 - w) + (1 - w) c + (1 + w) s, and with the signs of w turned: 2 sinh and 2 cosh over 2^n.
template <double_value V>
NUMJIT_M V hyperbolic_sum(hyperbolic_parts<V> p, V w) {
  const V one = lit<V>(1.0);
  const auto even = exact_sum_ordered(one, negated(w));
  const auto first = exact_sum_ordered(p.head, w * p.head);
  // |even| >= |first| unless even is 0
  const auto sum = exact_sum_ordered(even.hi, first.hi);
  const V tails = even.hi * p.cosh_tail + (one + w) * p.sinh_tail;
  return sum.hi + (sum.lo + ((even.lo + first.lo) + tails));
}

/// 2 sinh and 2 cosh over 2^n, see hyperbolic.h; n and the sum.
template <class V>
struct hyperbolic_sums {
  V n, sinh, cosh;
};
template <double_value V>
NUMJIT_M hyperbolic_sums<V> hyperbolic_single(V x) {
  const V one = lit<V>(1.0);
  const V held = hold(x, 0.0, 200.0);
  const V n = nearest(held * lit<V>(log2_e));
  const V r = held - n * lit<V>(ln2), z = r * r;
  const V c =
      one + z * polynomial(z, 0x1.0000000b9909bp-1, 0x1.5554e8d834d64p-5, 0x1.6d436358b3d86p-10);
  const V s =
      r + z * r * polynomial(z, 0x1.5555555a7c6cdp-3, 0x1.1110e0ddc8d7dp-7, 0x1.a125298793bf8p-13);
  const V w = power_of_two(lit<V>(-2.0) * n);
  return {n, (one - w) * c + (one + w) * s, (one + w) * c + (one - w) * s};
}

}  // namespace detail

template <floating V>
NUMJIT_M V sinh(V a) {
  if constexpr (single_value<V>) {
    const auto x = widen(a);
    const auto p = detail::hyperbolic_single(magnitude(x));
    const auto half = detail::power_of_two(p.n - lit<rebind<V, double>>(1.0));
    return narrow(flip_sign(p.sinh * half, sign_bits(x)));
  } else {
    const auto p = detail::hyperbolic(magnitude(a));
    const V value = detail::scale(detail::hyperbolic_sum(p, p.w), p.n - lit<V>(1.0));
    return flip_sign(value, sign_bits(a));
  }
}

template <floating V>
NUMJIT_M V cosh(V a) {
  if constexpr (single_value<V>) {
    const auto p = detail::hyperbolic_single(magnitude(widen(a)));
    return narrow(p.cosh * detail::power_of_two(p.n - lit<rebind<V, double>>(1.0)));
  } else {
    const auto p = detail::hyperbolic(magnitude(a));
    return detail::scale(detail::hyperbolic_sum(p, negated(p.w)), p.n - lit<V>(1.0));
  }
}

namespace detail {

/// tanh of a float x >= 0 (NaN stays): x + x num/den below 0.65, a minimax quotient in x^2, and 1 - 1/d from there
/// on, d = (e^2x + 1)/2; both by the same division.
template <single_value V>
NUMJIT_M V tanh_of_magnitude(V x) {
  const V z = x * x, one = lit<V>(1.0), half = lit<V>(0.5);
  const auto low = lt(x, lit<V>(0.65));
  // e^2x / 2 = s e^r, with 2 ln 2 taken off x exactly
  const V held = sel(gt(x, lit<V>(10.0)), lit<V>(10.0), x);
  const V n = nearest(held * lit<V>(2.0 * log2_e));
  const V half_r = (held - n * lit<V>(0.5 * format<float>::ln2_hi)) - n * lit<V>(0.5 * format<float>::ln2_lo);
  const V r = half_r + half_r, s = power_of_two(n - one);
  const V head = sel(low, one, half + s);
  const V tail = sel(low, z * polynomial(z, 0x1.c6db889e10f86p-2, 0x1.0271ee8ce20a4p-6),
                     s * (r + r * r * polynomial(r, 0x1.fffffb8901422p-2, 0x1.55548f4ff2bdep-3, 0x1.5558fadeade33p-5,
                                                 0x1.123b691df35bdp-7, 0x1.6a21c7216a90cp-10)));
  const auto d = exact_sum_ordered(head, tail);
  const V ratio = sel(low, z * polynomial(z, -0x1.555555435e6b0p-2, -0x1.e2bf6f5a896acp-7), negated(one)) / d.hi;
  // What d.lo takes from the quotient counts where that is not small beside 1
  const V missing = keep(!low, ratio * ratio * d.lo);
  const V base = sel(low, x, one);
  const auto sum = exact_sum_ordered(base, base * ratio);
  return sum.hi + (sum.lo + missing);
}

/// e^2x + 1 over 2^n, in [0.7, 2.1], its rest behind `lo`.
template <class V>
struct tanh_denominator {
  V hi, lo, n;
};
template <double_value V>
NUMJIT_M tanh_denominator<V> tanh_divisor(V x) {
  const auto p = reduce_exp(x + x);
  const V r = p.hi - p.lo;
  const auto head = exact_sum_ordered(lit<V>(1.0), r);
  const V rest = head.lo + (((p.hi - r) - p.lo) + exp_tail(r));
  const auto sum = exact_sum_ordered(head.hi, power_of_two(negated(p.n)));
  const auto d = exact_sum_ordered(sum.hi, sum.lo + rest);
  return {d.hi, d.lo, p.n};
}

/// tanh of a double x >= 0: 1 - 2/(e^2x + 1) from 0.625 on, and below a continued fraction in x^2 that shares the
/// division.
template <double_value V>
NUMJIT_M V tanh_of_magnitude(V x) {
  const V z = x * x, one = lit<V>(1.0);
  const auto d = tanh_divisor(hold(x, 0.0, 20.0));
  const V scaled = power_of_two(one - d.n);
  const auto low = lt(x, lit<V>(0.625));
  const V below = z * polynomial(z, -218243025.0, -16081065.0, -289575.0, -1430.0, -1.0);
  const V den = polynomial(z, 654729075.0, 310134825.0, 18918900.0, 315315.0, 1485.0, 1.0);
  const V ratio = sel(low, below, scaled) / sel(low, den, d.hi);
  // What the quotient lacks, by way of 1 / d = ratio / scaled
  const V missing =
      (division_rest(scaled, ratio, d.hi) - ratio * d.lo) * (ratio * power_of_two(d.n - one));
  const auto high = exact_sum_ordered(one, negated(ratio));
  return sel(low, x + x * ratio, high.hi + (high.lo - missing));
}

}  // namespace detail

template <floating V>
NUMJIT_M V tanh(V a) {
  return with_sign(detail::tanh_of_magnitude(magnitude(a)), a);
}

namespace detail {

/// k ln 2 + 2 artanh(num / den) for k >= 0 and |num| <= 0.172 den, to some 0.55 ULP.
template <double_value V>
NUMJIT_M V log_of_quotient(V k, extended<V> num, extended<V> den) {
  const V s = num.hi / den.hi;
  const V s_lo = (division_rest(num.hi, s, den.hi) + (num.lo - s * den.lo)) / den.hi;
  const V z = s * s;
  const V r =
      z * polynomial(z, 6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01,
                 2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01,
                 1.479819860511658591e-01);
  const auto sum = exact_sum_ordered(k * lit<V>(format<double>::ln2_hi), s + s);
  return sum.hi + (sum.lo + ((s_lo + s_lo) + (s * r + k * lit<V>(format<double>::ln2_lo))));
}

/// log(1 + t) + extra_k ln 2 for t >= 0.
template <double_value V>
NUMJIT_M V log1p_extended(extended<V> t, V extra_k) {
  using U = rebind<V, std::uint64_t>;
  // 2^k within a factor sqrt(2) of 1 + t
  const U root_half = U(0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
  const U exponent = (bits(lit<V>(1.0) + t.hi) + root_half) >> 52;
  const V k = from_bits<V>(exponent | U(0x4330000000000000u)) - lit<V>(0x1p52 + 1023);
  const V c = from_bits<V>(exponent << 52);
  const auto num = exact_sum(t.hi, lit<V>(1.0) - c), den = exact_sum(t.hi, c + lit<V>(1.0));
  return log_of_quotient<V>(k + extra_k, {num.hi, num.lo + t.lo}, {den.hi, den.lo + t.lo});
}

/// sqrt(w.hi + w.lo); the head of a zero is 0, its rest NaN.
template <double_value V>
NUMJIT_M extended<V> root_of(extended<V> w) {
  const V s = sqrt_of(w.hi);
  return {s, (root_rest(w.hi, s) + w.lo) * (lit<V>(0.5) / s)};
}

}  // namespace detail

/// log(1 + t), t = |x| + sqrt(x^2 + 1) - 1.
template <floating V>
NUMJIT_M V arcsinh(V a) {
  if constexpr (single_value<V>) {
    using W = rebind<V, double>;
    const W x = magnitude(widen(a)), one = lit<W>(1.0), z = x * x;
    const W t = x + z / (one + sqrt_of(one + z));
    const V result = narrow(detail::log1p_single(t));
    return with_sign(sel(is_finite(a), result, a), a);
  } else {
    const V x = magnitude(a), one = lit<V>(1.0);
    const auto huge = ge(x, lit<V>(0x1p60));
    const V y = sel(huge, one, x);
    const auto square = detail::exact_square(y);
    auto w = detail::exact_sum(one, square.hi);
    w.lo = w.lo + square.lo;
    const auto root = detail::root_of(w);
    // Beyond 2^60 it is log(2x), with x made smaller by 2^60
    const auto t =
        detail::exact_sum(sel(huge, x * lit<V>(0x1p-60), y), sel(huge, lit<V>(-1.0), root.hi - one));
    const V value = detail::log1p_extended<V>({t.hi, t.lo + sel(huge, lit<V>(0.0), root.lo)},
                                              keep(huge, lit<V>(61.0)));
    const auto plain = lt(x, inf<V>()) & ge(x, lit<V>(0x1p-30));
    return with_sign(sel(plain, value, x), a);
  }
}

/// log(1 + t), t = x - 1 + sqrt((x - 1)(x + 1)); NaN below 1.
template <floating V>
NUMJIT_M V arccosh(V a) {
  if constexpr (single_value<V>) {
    using W = rebind<V, double>;
    const W t = widen(a) - lit<W>(1.0);
    const W u = t + sqrt_of(lit<W>(2.0) * t + t * t);
    const V result = sel(lt(a, inf<V>()), narrow(detail::log1p_single(u)), a);
    return sel(lt(a, lit<V>(1.0)), nan<V>(), result);
  } else {
    const V one = lit<V>(1.0);
    const auto huge = ge(a, lit<V>(0x1p60));
    const V y = sel(huge, lit<V>(2.0), a) - one;
    const auto square = detail::exact_square(y);
    auto w = detail::exact_sum(y + y, square.hi);
    w.lo = w.lo + square.lo;
    const auto root = detail::root_of(w);
    const auto t =
        detail::exact_sum(sel(huge, a * lit<V>(0x1p-60), root.hi), sel(huge, negated(one), y));
    const V value = detail::log1p_extended<V>({t.hi, t.lo + sel(huge, lit<V>(0.0), root.lo)},
                                              keep(huge, lit<V>(61.0)));
    const V result = sel(eq(a, one), lit<V>(0.0), sel(lt(a, inf<V>()), value, a));
    return sel(lt(a, one), nan<V>(), result);
  }
}

/// log((1 + x) / (1 - x)) / 2; infinite at -1 and 1, NaN beyond.
template <floating V>
NUMJIT_M V arctanh(V a) {
  if constexpr (single_value<V>) {
    using W = rebind<V, double>;
    const V size = magnitude(a), one = lit<V>(1.0);
    const W x = widen(size);
    const W inside = detail::log1p_single((x + x) / (lit<W>(1.0) - x)) * lit<W>(0.5);
    const V result = sel(eq(size, one), inf<V>(), narrow(inside));
    return with_sign(sel(le(size, one), result, nan<V>()), a);
  } else {
    const V x = magnitude(a), one = lit<V>(1.0);
    const auto up = detail::exact_sum_ordered(one, x);
    const auto down = detail::exact_sum_ordered(one, negated(x));
    // up / down within a factor sqrt(2) of c = 2^k; m is the significand of 1 - x, below 1
    using U = rebind<V, std::uint64_t>;
    const U exponent = bits(down.hi) >> 52;
    const V m = from_bits<V>((bits(down.hi) & U(0xfffffffffffffu)) | U(0x3ff0000000000000u));
    const V j = lit<V>(0x1p52 + 1023) - from_bits<V>(exponent | U(0x4330000000000000u));
    const V root = lit<V>(1.4142135623730951);
    const V k = j + (keep(gt(up.hi, root * m), one) - keep(lt(root * up.hi, m), one));
    const V c = detail::power_of_two(k), d = c * down.hi, d_lo = c * down.lo;
    const auto low = eq(k, lit<V>(0.0));
    const auto den = detail::exact_sum(up.hi, d);
    const V value = detail::log_of_quotient<V>(
        k, {sel(low, x + x, up.hi - d), sel(low, lit<V>(0.0), up.lo - d_lo)},
        {sel(low, lit<V>(2.0), den.hi), sel(low, lit<V>(0.0), den.lo + (up.lo + d_lo))});
    const V inside = lit<V>(0.5) * value;
    const V result = sel(eq(x, one), inf<V>(), inside);
    return with_sign(sel(le(x, one), result, nan<V>()), a);
  }
}

}  // namespace numjit::m
