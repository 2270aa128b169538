// sinh, cosh, tanh and their inverses.
//
// With |x| = n ln 2 + r: 2 sinh = 2^n (c + s) - 2^-n (c - s), c = cosh r, s = sinh r, so that
// neither a division nor a cancellation enters.
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
  const V c = z * horner(z, 0x1p-1, 0x1.5555555555557p-5, 0x1.6c16c16c15a59p-10,
                         0x1.a01a01a9efce9p-16, 0x1.27e4d408d6e2bp-22, 0x1.1f7f45f299814p-29);
  const V s = z * r *
              horner(z, 0x1.5555555555555p-3, 0x1.1111111111111p-7, 0x1.a01a01a0196a4p-13,
                     0x1.71de3a5aab0efp-19, 0x1.ae642c71397e4p-26, 0x1.61bfcaa4c2fdap-33);
  const V few = sel(gt(p.n, lit<V>(64.0)), lit<V>(64.0), p.n);
  return {p.n, power_of_two(lit<V>(-2.0) * few), p.hi, c, s - p.lo};
}

/// (1 - w) + (1 - w) c + (1 + w) s, and with the signs of w turned: 2 sinh and 2 cosh over 2^n.
template <double_value V>
NUMJIT_M V hyperbolic_sum(hyperbolic_parts<V> p, V w) {
  const V one = lit<V>(1.0);
  const V even = one - w, odd = one + w;
  const V first = odd * p.head;
  const V sum = even + first;
  // |even| >= |first| unless even is 0, where the sum is exact
  return sum + ((first - (sum - even)) + (even * p.cosh_tail + odd * p.sinh_tail));
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
      one + z * horner(z, 0x1.0000000b9909bp-1, 0x1.5554e8d834d64p-5, 0x1.6d436358b3d86p-10);
  const V s =
      r + z * r * horner(z, 0x1.5555555a7c6cdp-3, 0x1.1110e0ddc8d7dp-7, 0x1.a125298793bf8p-13);
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

/// Below 1 a continued fraction in x^2, above 1 - 2/(e^2x + 1); the division is shared.
template <floating V>
NUMJIT_M V tanh(V a) {
  if constexpr (single_value<V>) {
    using W = rebind<V, double>;
    const W x = detail::hold(magnitude(widen(a)), 0.0, 20.0);
    const W t = detail::expm1_single(x + x);
    return with_sign(narrow(t / (t + lit<W>(2.0))), a);
  } else {
    const V x = magnitude(a);
    const V z = x * x;
    const V held = detail::hold(x, 0.0, 20.0);
    const auto p = detail::reduce_exp(held + held);
    const V e = detail::exp_near_zero(p.hi, p.lo) * detail::power_of_two(p.n);
    const auto low = lt(x, lit<V>(0.625));
    const V below = z * horner(z, -218243025.0, -16081065.0, -289575.0, -1430.0, -1.0);
    const V den = horner(z, 654729075.0, 310134825.0, 18918900.0, 315315.0, 1485.0, 1.0);
    const V ratio = sel(low, below, lit<V>(-2.0)) / sel(low, den, e + lit<V>(1.0));
    return flip_sign(sel(low, x + x * ratio, lit<V>(1.0) + ratio), sign_bits(a));
  }
}

/// log(|x| + sqrt(x^2 + 1)), through log1p.
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
    const V z = y * y;
    const V t = sel(huge, x, y + z / (one + sqrt_of(one + z)));
    const V value = detail::log1p_sum(t, keep(huge, one));
    const V result = sel(lt(x, inf<V>()), value, x);
    return with_sign(result, a);
  }
}

/// log(x + sqrt(x^2 - 1)), through log1p; NaN below 1.
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
    const V t = sel(huge, one, a) - one;
    const V u = sel(huge, a, t + sqrt_of(lit<V>(2.0) * t + t * t));
    const V value = detail::log1p_sum(u, keep(huge, one));
    const V result = sel(lt(a, inf<V>()), value, a);
    return sel(lt(a, one), nan<V>(), result);
  }
}

/// log1p(2x / (1 - x)) / 2; infinite at -1 and 1, NaN beyond.
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
    const V x = magnitude(a), one = lit<V>(1.0), two = lit<V>(2.0);
    const V t = x + x;
    const V ratio = sel(lt(x, lit<V>(0.5)), t + t * x / (one - x), two * (x / (one - x)));
    const V inside = lit<V>(0.5) * detail::log1p_sum(sel(lt(x, one), ratio, one), lit<V>(0.0));
    const V result = sel(eq(x, one), inf<V>(), inside);
    return with_sign(sel(le(x, one), result, nan<V>()), a);
  }
}

}  // namespace numjit::m
