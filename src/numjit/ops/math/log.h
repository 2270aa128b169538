// log, log1p, log2, log10, in fdlibm's form: x = 2^k (1 + f), s = f / (2 + f), one division.
#pragma once

#include <numjit/ops/math/exp.h>

namespace numjit::m {

namespace detail {

/// x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), for positive finite x. Subnormals only where
/// Subnormals is set.
template <class V>
struct log_reduced {
  V k, f;
};
template <bool Subnormals, floating V>
NUMJIT_M log_reduced<V> reduce_log(V a) {
  using F = format_of<V>;
  using UE = uint_of<elem_of<V>>;
  using U = rebind<V, UE>;
  constexpr bool wide = double_value<V>;
  V x = a, lift = lit<V>(0.0);
  if constexpr (Subnormals) {
    const auto tiny = lt(a, lit<V>(wide ? 0x1p-1022 : 0x1p-126));
    x = sel(tiny, a * lit<V>(wide ? 0x1p54 : 0x1p25), a);
    lift = keep(tiny, lit<V>(wide ? 54.0 : 25.0));
  }
  constexpr UE one = wide ? UE(0x3ff0000000000000u) : UE(0x3f800000u);
  constexpr UE root_half = wide ? UE(0x3fe6a09e667f3bcdu) : UE(0x3f3504f3u);
  constexpr UE fraction = (UE(1) << F::fraction_bits) - 1;
  const U t = bits(x) + U(static_cast<UE>(one - root_half));
  const V f = from_bits<V>((t & U(fraction)) + U(root_half)) - lit<V>(1.0);
  // The exponent field as a float: it is put into the low bits of 2^fraction_bits.
  constexpr UE base = wide ? UE(0x4330000000000000u) : UE(0x4b000000u);
  const V biased = from_bits<V>((t >> F::fraction_bits) | U(base));
  const V k = biased - lit<V>((wide ? 0x1p52 : 0x1p23) + F::bias);
  return {Subnormals ? k - lift : k, f};
}

/// s*(hfsq + R) of fdlibm's log, where log(1 + f) = f - hfsq + s*(hfsq + R) and hfsq = f*f/2.
template <floating V>
NUMJIT_M V log_tail(V f, V hfsq) {
  const V s = f / (lit<V>(2.0) + f);
  const V z = s * s;
  if constexpr (double_value<V>) {
    const V r =
        z * polynomial(z, 6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01,
                   2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01,
                   1.479819860511658591e-01);
    return s * (hfsq + r);
  } else {
    const V r = z * polynomial(z, 0.66666662693, 0.40000972152, 0.28498786688, 0.24279078841);
    return s * (hfsq + r);
  }
}

/// k ln 2 + log(1 + f) + extra.
template <floating V>
NUMJIT_M V log_sum(log_reduced<V> p, V extra) {
  constexpr bool wide = double_value<V>;
  const V hi = lit<V>(wide ? 6.93147180369123816490e-01 : 6.9313812256e-01);
  const V lo = lit<V>(wide ? 1.90821492927058770002e-10 : 9.0580006145e-06);
  const V hfsq = lit<V>(0.5) * p.f * p.f;
  const V tail = log_tail(p.f, hfsq) + (p.k * lo + extra);
  return p.k * hi - ((hfsq - tail) - p.f);
}

/// Natural logarithm of the positive number a.hi + a.lo with some 70 bits.
template <double_value V>
NUMJIT_M extended<V> log_extended(extended<V> a) {
  const auto p = reduce_log<true>(a.hi);
  const auto den = exact_sum_ordered(lit<V>(2.0), p.f);
  const V over = lit<V>(1.0) / den.hi;
  const V s = p.f * over;
  const V s_lo = (division_rest(p.f, s, den.hi) - s * den.lo) * over;
  // log(1 + f) = 2s + s (2/3 z + 2/5 z^2 + z^3 G(z)), z = s^2
  auto z = exact_square(s);
  z.lo = z.lo + (s + s) * s_lo;
  auto zz = exact_square(z.hi);
  zz.lo = zz.lo + (z.hi + z.hi) * z.lo;
  const V rest = zz.hi * z.hi *
                 polynomial(z.hi, 0x1.2492492492492p-2, 0x1.c71c71c71c822p-3, 0x1.745d1745a3f45p-3,
                        0x1.3b13b16b46cffp-3, 0x1.1110f8073d8b0p-3, 0x1.e1eff9e6e4474p-4,
                        0x1.acf85ae2a346dp-4, 0x1.b2dfea620b0dbp-4);
  const auto third = exact_product(z.hi, lit<V>(0x1.5555555555555p-1));
  const V third_lo = third.lo + (z.hi * lit<V>(0x1.5555555555555p-55) +
                                 z.lo * lit<V>(0x1.5555555555555p-1));
  const auto fifth = exact_product(zz.hi, lit<V>(0x1.999999999999ap-2));
  const V fifth_lo = fifth.lo + (zz.hi * lit<V>(-0x1.999999999999ap-56) +
                                 zz.lo * lit<V>(0x1.999999999999ap-2));
  const auto both = exact_sum_ordered(third.hi, fifth.hi);
  const V tail = s * both.hi;
  const V tail_lo = exact_product(s, both.hi).lo +
                    (s * (both.lo + (third_lo + (fifth_lo + rest))) + s_lo * both.hi);
  const auto whole = exact_sum_ordered(p.k * lit<V>(format<double>::ln2_hi), s + s);
  const auto sum = exact_sum_ordered(whole.hi, tail);
  const V lost = a.lo / a.hi + (s_lo + s_lo);
  return exact_sum_ordered(
      sum.hi, whole.lo + (sum.lo + (tail_lo + (lost + p.k * lit<V>(format<double>::ln2_lo)))));
}

/// The values of a logarithm outside its finite positive arguments.
template <floating V>
NUMJIT_M V log_specials(V a, V result) {
  const V zero = lit<V>(0.0);
  result = sel(lt(a, inf<V>()), result, a);
  result = sel(eq(a, zero), lit<V>(-__builtin_inf()), result);
  return sel(lt(a, zero), nan<V>(), result);
}

/// log(1 + f), f of a log_reduced.
template <double_value V>
NUMJIT_M V log_near_one_single(V f) {
  const V s = f / (lit<V>(2.0) + f);
  const V z = s * s;
  return s * (lit<V>(2.0) + z * polynomial(z, 0x1.555555556500bp-1, 0x1.999998ca19bf1p-2,
                                       0x1.24932495b05ccp-2, 0x1.c67a8311cacc0p-3,
                                       0x1.8c92a23e2deb8p-3));
}

/// k log 2 + log(1 + f), times `by`; log_2 is the logarithm of 2 in the same base.
template <double_value V>
NUMJIT_M V log_sum_single(log_reduced<V> p, double by, double log_2) {
  return p.k * lit<V>(log_2) + log_near_one_single(p.f) * lit<V>(by);
}

/// Logarithm of a positive normal value.
template <double_value V>
NUMJIT_M V log_single(V a, double by = 1.0, double log_2 = ln2) {
  return log_sum_single(reduce_log<false>(a), by, log_2);
}

/// log(1 + a), a > -1.
template <double_value V>
NUMJIT_M V log1p_single(V a) {
  auto p = reduce_log<false>(lit<V>(1.0) + a);
  p.f = sel(eq(p.k, lit<V>(0.0)), a, p.f);
  return log_sum_single(p, 1.0, ln2);
}

}  // namespace detail

/// Natural logarithm: -inf at zero, NaN below.
template <floating V>
NUMJIT_M V log(V a) {
  return detail::log_specials(a, detail::log_sum(detail::reduce_log<true>(a), lit<V>(0.0)));
}

namespace detail {

/// log(1 + a) + extra_k ln 2 for a > -1, with what the sum 1 + a lost carried along.
template <double_value V>
NUMJIT_M V log1p_sum(V a, V extra_k) {
  const V one = lit<V>(1.0);
  const V u = one + a;
  const V back = u - one;
  const V lost = (one - (u - back)) + (a - back);
  auto p = reduce_log<false>(u);
  const auto near_one = eq(p.k, lit<V>(0.0));
  p.f = sel(near_one, a, p.f);
  p.k = p.k + extra_k;
  return log_sum(p, sel(near_one, lit<V>(0.0), lost / u));
}

}  // namespace detail

/// log(1 + a), accurate near 0: -inf at -1, NaN below.
template <floating V>
NUMJIT_M V log1p(V a) {
  V result = a;
  if constexpr (single_value<V>)
    result = narrow(detail::log1p_single(widen(a)));
  else
    result = detail::log1p_sum(a, lit<V>(0.0));
  const V minus_one = lit<V>(-1.0);
  result = sel(lt(a, inf<V>()), with_sign(result, a), a);
  result = sel(eq(a, minus_one), lit<V>(-__builtin_inf()), result);
  return sel(lt(a, minus_one), nan<V>(), result);
}

namespace detail {
/// log(1 + f) = hi + lo, hi with 21 bits, and the product of it with the split constant c_hi +
/// c_lo.
template <class V>
struct log_product {
  V hi, lo;
};
template <double_value V>
NUMJIT_M log_product<V> log_times(V f, double c_hi, double c_lo) {
  using U = rebind<V, std::uint64_t>;
  const V hfsq = lit<V>(0.5) * f * f;
  const V hi = from_bits<V>(bits(f - hfsq) & U(0xffffffff00000000u));
  const V lo = ((f - hi) - hfsq) + log_tail(f, hfsq);
  return {hi * lit<V>(c_hi), (lo + hi) * lit<V>(c_lo) + lo * lit<V>(c_hi)};
}
}  // namespace detail

/// Logarithm to base 2; exact for powers of two.
template <floating V>
NUMJIT_M V log2(V a) {
  if constexpr (single_value<V>) {
    return detail::log_specials(a, narrow(detail::log_single(widen(a), detail::log2_e, 1.0)));
  } else {
    const auto p = detail::reduce_log<true>(a);
    const auto v = detail::log_times(p.f, 1.44269504072144627571e+00, 1.67517131648865118353e-10);
    const V w = p.k + v.hi;
    return detail::log_specials(a, (v.lo + ((p.k - w) + v.hi)) + w);
  }
}

/// Logarithm to base 10.
template <floating V>
NUMJIT_M V log10(V a) {
  if constexpr (single_value<V>) {
    return detail::log_specials(
        a, narrow(detail::log_single(widen(a), detail::log10_e, detail::log10_2)));
  } else {
    const auto p = detail::reduce_log<true>(a);
    const auto v = detail::log_times(p.f, 4.34294481878168880939e-01, 2.50829467116452752298e-11);
    const V k_hi = p.k * lit<V>(3.01029995663611771306e-01);
    const V w = k_hi + v.hi;
    const V lo = (p.k * lit<V>(3.69423907715893078616e-13) + v.lo) + ((k_hi - w) + v.hi);
    return detail::log_specials(a, lo + w);
  }
}

}  // namespace numjit::m
