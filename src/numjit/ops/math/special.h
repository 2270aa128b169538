// erf, erfc, gamma and gammaln, under SciPy's names. Nothing here is NumPy's.
//
// erf near 0 is x + x P(x^2); beyond 1/2 everything comes from erfc(x) = e^(-x^2) g(t) / (1 + 2x),
// where t = (x - 2) / (x + 2) and g stays between 1.12 and 1.29 (Shepherd and Laframboise, Math.
// Comp. 36, 1981). Gamma is Stirling's series from 8 on, below that divided by x (x + 1) ... (x +
// 7), and for negative arguments Euler's reflection (DLMF 5.5.1, 5.5.3, 5.11.1), with logarithms
// and products of some 100 bits. The polynomials are Chebyshev interpolations made with mpmath.
#pragma once

#include <numjit/ops/math/log.h>
#include <numjit/ops/math/trig.h>

namespace numjit::m {

namespace detail {

// ---- the error function ------------------------------------------------------------------------

/// erf(x) - x for 0 <= x <= 1/2.
template <double_value V>
NUMJIT_M V erf_rest(V x) {
  return x * polynomial(x * x, 0x1.06eba8214db69p-3, -0x1.812746b0379e6p-2, 0x1.ce2f21a042b29p-4,
                    -0x1.b82ce3127f739p-6, 0x1.565bcd0aa6349p-8, -0x1.c02db23d41138p-11,
                    0x1.f9a2a6635fe79p-14, -0x1.f4bb9f7301dedp-17, 0x1.b776442df3041p-20,
                    -0x1.39fb524e9c1f7p-23);
}
template <double_value V>
NUMJIT_M V erf_rest_single(V x) {
  return x * polynomial(x * x, 0x1.06eba7edfacdap-3, -0x1.812732a02c36fp-2, 0x1.ce250ffea58dcp-4,
                    -0x1.b66610c0c49cdp-6, 0x1.3545114b17941p-8);
}

/// erfc(x) for 1/2 <= x <= 28, over 2^n.
template <double_value V>
NUMJIT_M scaled_power<V> erfc_far(V x) {
  const auto square = exact_square(x);
  const auto power = exp_extended<V>({negated(square.hi), negated(square.lo)});
  const V t = (x - lit<V>(2.0)) / (x + lit<V>(2.0));
  const V rise =
      t * polynomial(t, -0x1.7bf5ec1700634p-4, -0x1.5407bebf3243bp-3, 0x1.4ffa1e14e289p-3,
                    -0x1.bc2b956199bc9p-5, -0x1.07423404b57d9p-7, 0x1.1dd2ec9173316p-7,
                    0x1.4d461d55ff706p-10, -0x1.7de5219442ebap-10, -0x1.dc693b0e74d22p-12,
                    0x1.b0c8c9178d2d6p-13, 0x1.3cc1271673a18p-13, -0x1.96487d9816f0cp-20,
                    -0x1.3193f6858f48fp-15, -0x1.c414a6637c983p-17, 0x1.f2ca9ea4353d3p-19,
                    0x1.5a0bc4ba9c391p-18, 0x1.99cf8dcbff59p-20, -0x1.2bb5129d23e66p-21,
                    -0x1.fc38857b27bf5p-21, -0x1.b59efe6603aa8p-22, 0x1.64aacade720f9p-22,
                    0x1.b3568f21d24bap-23, -0x1.ce488e7ed06d7p-24);
  const auto g =
      exact_sum_ordered(lit<V>(0x1.46e80e2277953p+0), rise + lit<V>(0x1.9b70e83d98a63p-54));
  const auto num = product_of(power.value, g);
  const auto den = exact_sum(lit<V>(1.0), x + x);
  const V over = lit<V>(1.0) / den.hi, q = num.hi * over;
  const V rest = division_rest(num.hi, q, den.hi) + (num.lo - q * den.lo);
  return {{q, rest * over}, power.n};
}
template <double_value V>
NUMJIT_M V erfc_far_single(V x) {
  const V t = (x - lit<V>(2.0)) / (x + lit<V>(2.0));
  const V g = polynomial(t, 0x1.46e80e206c1f9p+0, -0x1.7bf5e9610ff83p-4, -0x1.5407b5a95a39cp-3,
                     0x1.4ff9d8aad23e9p-3, -0x1.bc2ec033a58cbp-5, -0x1.07026cd6bc3c5p-7,
                     0x1.1e33f233a18f7p-7, 0x1.40fb5fd5263e8p-10, -0x1.871b686b1a9ccp-10,
                     -0x1.522611f143eb5p-12, 0x1.f9ae2bfb8ea04p-13);
  return exp_single(negated(x * x)) * g / (lit<V>(1.0) + (x + x));
}

}  // namespace detail

/// The error function, 2/sqrt(pi) times the integral of e^(-t^2) from 0 to a.
template <floating V>
NUMJIT_M V erf(V a) {
  if constexpr (single_value<V>) {
    using W = rebind<V, double>;
    const W x = detail::hold(magnitude(widen(a)), 0.0, 6.0);
    const W near = x + detail::erf_rest_single(x), far = lit<W>(1.0) - detail::erfc_far_single(x);
    return with_sign(narrow(sel(lt(x, lit<W>(0.5)), near, far)), a);
  } else {
    const V x = magnitude(a);
    const auto p = detail::erfc_far(detail::hold(x, 0.5, 6.5));
    const V scale = detail::power_of_two(p.n);
    const auto far = detail::exact_sum_ordered(lit<V>(1.0), negated(p.value.hi * scale));
    const V result = sel(lt(x, lit<V>(0.5)), x + detail::erf_rest(x),
                         far.hi + (far.lo - p.value.lo * scale));
    return sel(is_nan(a), a, with_sign(result, a));
  }
}

/// 1 - erf(a), without the cancellation.
template <floating V>
NUMJIT_M V erfc(V a) {
  if constexpr (single_value<V>) {
    using W = rebind<V, double>;
    const W x = detail::hold(widen(a), -6.0, 12.0), size = magnitude(x), one = lit<W>(1.0);
    const W far = detail::erfc_far_single(size);
    const W beyond = sel(lt(x, lit<W>(0.0)), lit<W>(2.0) - far, far);
    const W near = one - (x + detail::erf_rest_single(x));
    return narrow(sel(lt(size, lit<W>(0.5)), near, beyond));
  } else {
    const V x = magnitude(a), one = lit<V>(1.0);
    const auto near = lt(x, lit<V>(0.5));
    const auto p = detail::erfc_far(detail::hold(x, 0.5, 28.0));
    const V scale = detail::power_of_two(detail::hold(p.n, -200.0, 0.0));
    // 1 - erf(a), or 2 - erfc(|a|)
    const auto sum = detail::exact_sum_ordered(sel(near, one, lit<V>(2.0)),
                                               negated(sel(near, a, p.value.hi * scale)));
    const V rest = sel(near, detail::erf_rest(a), p.value.lo * scale);
    const V alone = detail::scale(p.value.hi + p.value.lo, p.n);
    const V result = sel(near | lt(a, lit<V>(0.0)), sum.hi + (sum.lo - rest), alone);
    return sel(is_nan(a), a, result);
  }
}

namespace detail {

/// start + x slope
template <double_value V>
NUMJIT_M extended<V> linear(V x, extended<V> slope, extended<V> start) {
  const auto product = exact_product(x, slope.hi);
  const auto sum = exact_sum_ordered(start.hi, product.hi);
  return exact_sum_ordered(sum.hi, sum.lo + (start.lo + (product.lo + x * slope.lo)));
}

// ---- gamma -------------------------------------------------------------------------------------

/// log Gamma(x) for x >= 8.
template <double_value V>
NUMJIT_M extended<V> stirling(extended<V> x) {
  const V over = lit<V>(1.0) / x.hi;
  const auto log_x = log_extended<V>({x.hi, lit<V>(0.0)});
  // (x - 1/2) (log x - 1) + (log(2 pi) - 1) / 2 + series
  const auto factor = exact_sum(log_x.hi, lit<V>(-1.0));
  const auto half_less = exact_sum_ordered(x.hi, lit<V>(-0.5));
  const auto product = exact_product(half_less.hi, factor.hi);
  const V series = over * polynomial(over * over, 0x1.5555555555555p-4, -0x1.6c16c16c149f4p-9,
                                              0x1.a01a017dcf9e1p-11, -0x1.38134d4f8896fp-11,
                                              0x1.b92c33f9445e5p-11, -0x1.ef8d748aeb0f2p-10,
                                              0x1.4bffc9d8b455bp-8);
  const auto sum = exact_sum(product.hi, lit<V>(0x1.acfe390c97d69p-2));
  const V shift = half_less.lo * factor.hi + x.lo * (log_x.hi - lit<V>(0.5) * over);
  const V lost = product.lo + half_less.hi * (factor.lo + log_x.lo);
  const V last = series + lit<V>(0x1.3494bc9001442p-56);
  return exact_sum_ordered(sum.hi, sum.lo + ((lost + shift) + last));
}

/// x (x + 1) ... (x + 7) for x >= 0.
template <double_value V>
NUMJIT_M extended<V> eight_factors(V x) {
  // with t = x (x + 7): t (t + 6) (t + 10) (t + 12)
  const auto square = exact_square(x), seven = exact_sum_ordered(lit<V>(8.0) * x, negated(x));
  const auto sum = exact_sum(square.hi, seven.hi);
  const auto t = exact_sum_ordered(sum.hi, sum.lo + (square.lo + seven.lo));
  const auto plus = [t](double c) __attribute__((always_inline)) {
    const auto s = exact_sum(t.hi, lit<V>(c));
    return exact_sum_ordered(s.hi, s.lo + t.lo);
  };
  return product_of(product_of(t, plus(6.0)), product_of(plus(10.0), plus(12.0)));
}

/// |sin(pi x)|, x >= 0.
template <double_value V>
NUMJIT_M extended<V> sine_of_turns(V x) {
  const V one = lit<V>(1.0);
  const V r = magnitude(x - rint_of(x));
  const auto late = gt(r, lit<V>(0.25));
  const V part = sel(late, lit<V>(0.5) - r, r);
  const auto y = product_of<V>({part, lit<V>(0.0)},
                               {lit<V>(0x1.921fb54442d18p+1), lit<V>(0x1.1a62633145c07p-53)});
  const auto z = exact_square(y.hi);
  const V s = polynomial(z.hi, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
                     2.75573137070700676789e-06, -2.50507602534068634195e-08,
                     1.58969099521155010221e-10);
  const V v = z.hi * y.hi;
  const V sine = y.lo - (z.hi * (lit<V>(0.5) * y.lo - v * s) +
                         v * lit<V>(1.66666666666666324348e-01));
  const V c = z.hi * polynomial(z.hi, 4.16666666666666019037e-02, -1.38888888888741095749e-03,
                            2.48015872894767294178e-05, -2.75573143513906633035e-07,
                            2.08757232129817482790e-09, -1.13596475577881948265e-11);
  const auto w = exact_sum_ordered(one, lit<V>(-0.5) * z.hi);
  const V cosine = w.lo + ((z.hi * c - y.hi * y.lo) - lit<V>(0.5) * z.lo);
  return exact_sum_ordered(sel(late, w.hi, y.hi), sel(late, cosine, sine));
}

/// What Gamma(|a|) = e^stirling / factors is made of, and Euler's reflection of it for negative a:
/// Gamma(a) is num / den times e^stirling, or over it.
template <class V>
struct gamma_parts {
  extended<V> stirling, num, den;
};
template <double_value V, class M>
NUMJIT_M gamma_parts<V> gamma_of(V size, M below) {
  const V zero = lit<V>(0.0), one = lit<V>(1.0);
  const auto small = lt(size, lit<V>(8.0));
  const auto x = exact_sum(size, keep(small, lit<V>(8.0)));
  auto factors = eight_factors(keep(small, size));
  factors = {sel(small, factors.hi, one), keep(small, factors.lo)};
  const auto turned =
      product_of<V>(factors, {lit<V>(0x1.921fb54442d18p+1), lit<V>(0x1.1a62633145c07p-53)});
  const auto reflected = product_of<V>({size, zero}, sine_of_turns(size));
  return {stirling(x),
          {sel(below, turned.hi, one), keep(below, turned.lo)},
          {sel(below, reflected.hi, factors.hi), sel(below, reflected.lo, factors.lo)}};
}

}  // namespace detail

/// The gamma function; infinite at the zeros with their signs, NaN at negative integers.
template <floating V>
NUMJIT_M V gamma(V a) {
  if constexpr (single_value<V>) {
    return narrow(m::gamma(widen(a)));
  } else {
    const V zero = lit<V>(0.0), one = lit<V>(1.0), x = magnitude(a);
    const auto below = lt(a, zero), tiny = lt(x, lit<V>(0x1p-60));
    const auto p = detail::gamma_of(sel(tiny, one, detail::hold(x, 0.0, 190.25)), below);
    const auto q = detail::quotient_of(p.num, p.den);
    const auto sign = sign_bits(a);
    const auto power = detail::exp_extended<V>(
        {flip_sign(p.stirling.hi, sign), flip_sign(p.stirling.lo, sign)});
    const auto product = detail::product_of(q, power.value);
    const V value = detail::scale(product.hi + product.lo, power.n);
    // Negative between -1 and 0, and so on in turn
    const V half = floor_of(x) * lit<V>(0.5);
    const V signed_value = sel(below & eq(floor_of(half), half), negated(value), value);
    V result = sel(tiny, one / a, sel(gt(a, lit<V>(172.0)), inf<V>(), signed_value));
    result = sel(below & eq(floor_of(x), x) & !tiny, nan<V>(), result);
    return sel(is_nan(a), a, result);
  }
}

/// log|gamma(a)|; infinite at 0, the negative integers and the infinities.
template <floating V>
NUMJIT_M V gammaln(V a) {
  if constexpr (single_value<V>) {
    return narrow(m::gammaln(widen(a)));
  } else {
    const V zero = lit<V>(0.0), one = lit<V>(1.0), x = magnitude(a);
    const auto below = lt(a, zero), tiny = lt(x, lit<V>(0x1p-60));
    const auto middle = ge(a, lit<V>(0.5)) & le(a, lit<V>(2.5)), first = lt(a, lit<V>(1.5));
    const auto p = detail::gamma_of(sel(tiny, one, x), below);
    const auto q = detail::quotient_of(p.num, p.den);
    // log Gamma(2 + y) = y B(y), and Gamma(1 + y) is that over 1 + y
    const V y = keep(middle, a - sel(first, one, lit<V>(2.0)));
    const V rise = y * polynomial(y, -0x1.13e001a557607p-4, 0x1.51322ac7d8485p-6,
                                 -0x1.e404fc218ecffp-8, 0x1.7add6eadb63a3p-9,
                                 -0x1.38ac5c2c96006p-10, 0x1.0b36af86cf91ap-11,
                                 -0x1.d3fd4bda4f97bp-13, 0x1.a127b05bf078fp-14,
                                 -0x1.78de85fa0bf74p-15, 0x1.580df7289cce6p-16,
                                 -0x1.3cb5f201754a6p-17, 0x1.25914b1f69b2fp-18,
                                 -0x1.125408d7ee6ebp-19, 0x1.00febbea532f7p-20,
                                 -0x1.d06b46182e294p-22, 0x1.b6445fadb0174p-23,
                                 -0x1.1be56b7e101c6p-23, 0x1.0e050f68b724ep-24);
    const auto slope = detail::linear<V>(
        y,
        detail::exact_sum_ordered(lit<V>(0x1.4a34cc4a60fa6p-2),
                                  rise + lit<V>(0x1.1873d8912200cp-56)),
        {lit<V>(0x1.b0ee6072093cep-2), lit<V>(0x1.6cb90701fbfabp-58)});
    const auto near = detail::exact_product(y, slope.hi);
    const auto simple = middle | tiny;
    const auto argument = sel(simple, sel(first, x, one), q.hi);
    const auto log_q = detail::log_extended<V>({argument, sel(simple, zero, q.lo)});
    const auto turn = sign_bits(sel(simple, lit<V>(-1.0), one));
    const auto back = sign_bits(sel(simple, one, a));
    const V base = sel(simple, near.hi, flip_sign(p.stirling.hi, back));
    const V base_lo = sel(simple, near.lo + y * slope.lo, flip_sign(p.stirling.lo, back));
    const auto sum = detail::exact_sum(base, flip_sign(log_q.hi, turn));
    const V value = sum.hi + (sum.lo + (base_lo + flip_sign(log_q.lo, turn)));
    const auto pole = (eq(floor_of(x), x) & !gt(a, zero)) | eq(x, inf<V>());
    const V result = sel(pole | gt(a, lit<V>(2.5563481638716905e305)), inf<V>(), value);
    return sel(is_nan(a), a, result);
  }
}

}  // namespace numjit::m
