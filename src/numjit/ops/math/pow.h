// power of floats, cbrt, hypot, logaddexp.
#pragma once

#include <numjit/ops/math/log.h>

namespace numjit::m {

namespace detail {

/// x^y for positive finite x, |y| <= 2^70.
template <double_value V>
NUMJIT_M V power_positive(V x, V y) {
  const V zero = lit<V>(0.0);
  const auto l = log_extended<V>({x, zero});
  const auto z = exact_product(y, l.hi);
  const auto outside = gt(magnitude(z.hi), lit<V>(800.0));
  const auto power =
      exp_extended<V>({sel(outside, with_sign(lit<V>(800.0), z.hi), z.hi),
                       sel(outside, zero, z.lo + y * l.lo)});
  return scale(power.value.hi + power.value.lo, power.n);
}

/// What |a|^b gives for zero, infinite and negative a, and where the result is 1 or NaN by decree.
template <floating V>
NUMJIT_M V power_specials(V a, V b, V result) {
  const V zero = lit<V>(0.0), one = lit<V>(1.0);
  const V x = magnitude(a);
  const auto whole = eq(floor_of(b), b);
  const V half = b * lit<V>(0.5);
  const auto odd = whole & ne(floor_of(half), half);
  const auto rising = gt(b, zero);
  result = sel(eq(x, zero), sel(rising, zero, inf<V>()), result);
  result = sel(eq(x, inf<V>()), sel(rising, inf<V>(), zero), result);
  using E = uint_of<elem_of<V>>;
  using U = rebind<V, E>;
  const U sign = sel(resize_mask<U>(odd), sign_bits(a), U(E(0)));
  result = flip_sign(result, sign);
  result = sel(lt(a, zero) & gt(a, lit<V>(-__builtin_inf())) & !whole, nan<V>(), result);
  result = sel(is_nan(a) | is_nan(b), nan<V>(), result);
  return sel(eq(b, zero) | eq(a, one), one, result);
}

}  // namespace detail

/// a to the b, as C's pow: 1 if b is 0 or a is 1, NaN for a negative a and a fractional b.
template <floating V>
NUMJIT_M V power(V a, V b) {
  if constexpr (single_value<V>) {
    const auto l = detail::log_single(widen(magnitude(a)));
    const auto y = detail::hold(widen(b), -0x1p40, 0x1p40);
    return detail::power_specials(a, b, narrow(detail::exp_single(y * l)));
  } else {
    const V y = detail::hold(b, -0x1p70, 0x1p70);
    return detail::power_specials(a, b, detail::power_positive(magnitude(a), y));
  }
}

namespace detail {

constexpr double two_to(int n) {
  double power = 1;
  for (int i = 0; i < n; ++i) power *= 2;
  for (int i = 0; i > n; --i) power *= 0.5;
  return power;
}

/// 1 / a if `Negative`, else a; of the square root of a if `Root`; with its rounding error. `lo` is not finite where
/// `hi` needs no correction: at zeros and infinities.
template <bool Root, bool Negative, double_value V>
NUMJIT_M extended<V> base_of_power(V a) {
  const V one = lit<V>(1.0);
  if constexpr (!Root) {
    if constexpr (!Negative) return {a, lit<V>(0.0)};
    const V q = one / a;
    return {q, division_rest(one, q, a) * q};
  } else {
    // Tiny numbers are taken 2^104 times: the square of a root would lose what its rest is made of.
    const auto tiny = lt(a, lit<V>(0x1p-900));
    const V scaled = sel(tiny, a * lit<V>(0x1p104), a);
    const V root = sqrt_of(scaled);
    const V rest = root_rest(scaled, root) / (root + root);
    const V back = sel(tiny, lit<V>(Negative ? 0x1p52 : 0x1p-52), one);
    if constexpr (!Negative) return {root * back, rest * back};
    const V q = one / root;
    return {q * back, ((division_rest(one, q, root) - q * rest) * q) * back};
  }
}

/// a^n, by squares; a.lo is 0 if `Exact`. `lo` may be as large as some units of hi's last place.
template <int N, bool Exact, double_value V>
NUMJIT_M extended<V> whole_power(extended<V> a) {
  if constexpr (N == 1) {
    return a;
  } else {
    const auto x = whole_power<N % 2 == 0 ? N / 2 : N - 1, Exact>(a), y = N % 2 == 0 ? x : a;
    const auto p = exact_product(x.hi, y.hi);
    if constexpr (Exact && N == 2) return p;
    if constexpr (Exact && N % 2 != 0) return {p.hi, p.lo + x.lo * y.hi};
    return {p.hi, p.lo + (x.hi * y.lo + x.lo * y.hi)};
  }
}

}  // namespace detail

/// a to the power Twice / 2, as power but nearly always rounded correctly (0.501 ULP, 0.75 where the result is
/// subnormal): roots and quotients with their rounding errors, and exact products of these.
template <int Twice, floating V>
NUMJIT_M V power_fixed(V a) {
  constexpr bool root = Twice % 2 != 0, negative = Twice < 0;
  constexpr int size = negative ? -Twice : Twice, n = root ? size : size / 2;
  // A root has no sign for a zero in power, and takes -inf for inf.
  if constexpr (root) a = sel(eq(a, lit<V>(0.0)) | eq(a, lit<V>(-__builtin_inf())), magnitude(a), a);
  if constexpr (single_value<V>) {
    auto base = widen(a);
    if constexpr (root) base = sqrt_of(base);
    auto result = base;
    for (int i = 1; i < n; ++i) result = result * base;
    if constexpr (negative) result = lit<decltype(base)>(1.0) / result;
    return narrow(result);
  } else {
    constexpr bool exact = !root && !negative;
    auto base = detail::base_of_power<root, negative>(a);
    // Where the power is next to the subnormals it is taken larger: the errors of its products would be lost.
    constexpr int up = 150 / n;
    const V one = lit<V>(1.0);
    const auto tiny = lt(magnitude(base.hi), lit<V>(detail::two_to(-900 / n)));
    const V scale = sel(tiny, lit<V>(detail::two_to(up)), one);
    base.hi = base.hi * scale;
    if constexpr (!exact) base.lo = base.lo * scale;
    const auto power = detail::whole_power<n, exact>(base);
    const V rest = magnitude(power.lo);
    const V value = sel(gt(rest, lit<V>(0.0)) & lt(rest, inf<V>()), power.hi + power.lo, power.hi);
    return value * sel(tiny, lit<V>(detail::two_to(-up * n)), one);
  }
}

namespace detail {
/// A polynomial guess of 24 bits, and one step that doubles them (Single) or triples them.
template <bool Single, double_value V>
NUMJIT_M V cube_root(V a) {
  using U = rebind<V, std::uint64_t>;
  const V x = magnitude(a), one = lit<V>(1.0);
  const auto tiny = lt(x, lit<V>(0x1p-1022));
  const V y = Single ? x : sel(tiny, x * lit<V>(0x1p54), x);
  const V f = from_bits<V>((bits(y) & U(0xfffffffffffffu)) | U(0x3ff0000000000000u));
  const V k = from_bits<V>((bits(y) >> 52) | U(0x4330000000000000u)) - lit<V>(0x1p52 + 1023);
  const V third = nearest((k - one) * lit<V>(1.0 / 3.0));
  const V left = k - lit<V>(3.0) * third;  // 0, 1 or 2
  const V guess = polynomial(f, 0x1.b57404a79acdep-2, 0x1.0cab2347a65bep+0, -0x1.c0aed6feefe58p-1,
                         0x1.426ff4d9f4ef7p-1, -0x1.40d1e5d2c0cfap-2, 0x1.9a641d211ff03p-4,
                         -0x1.2f31b0c59619cp-6, 0x1.892e84ccec2f8p-10);
  const V root = sel(eq(left, lit<V>(2.0)), lit<V>(1.5874010519681994),
                     sel(eq(left, one), lit<V>(1.2599210498948732), one));
  const V whole = f * power_of_two(left);
  const auto regular = lt(x, inf<V>()) & gt(x, lit<V>(0.0));
  if constexpr (Single) {
    const V t = guess * root;
    const V better = t - (t - whole / (t * t)) * lit<V>(1.0 / 3.0);
    return with_sign(sel(regular, better * power_of_two(third), x), a);
  } else {
    const V t = split(guess * root).hi;
    const V ratio = whole / (t * t);
    const V step = (ratio - t) / ((t + t) + ratio);
    const V n = third - keep(tiny, lit<V>(18.0));
    return with_sign(sel(regular, (t + t * step) * power_of_two(n), x), a);
  }
}
}  // namespace detail

/// Cube root.
template <floating V>
NUMJIT_M V cbrt(V a) {
  if constexpr (single_value<V>) {
    return narrow(detail::cube_root<true>(widen(a)));
  } else {
    return detail::cube_root<false>(a);
  }
}

/// sqrt(a*a + b*b) without overflow on the way; inf if either is, even beside a NaN.
template <floating V>
NUMJIT_M V hypot(V a, V b) {
  if constexpr (single_value<V>) {
    const auto x = widen(a), y = widen(b);
    const V result = narrow(sqrt_of(x * x + y * y));
    return sel(is_inf(a) | is_inf(b), inf<V>(), result);
  } else {
    const V x = magnitude(a), y = magnitude(b);
    const V large = sel(gt(x, y), x, y), small = sel(gt(x, y), y, x);
    const auto big = gt(large, lit<V>(0x1p500)), tiny = lt(large, lit<V>(0x1p-450));
    const V by = blend(big, lit<V>(0x1p-600), blend(tiny, lit<V>(0x1p700), lit<V>(1.0)));
    const V back = blend(big, lit<V>(0x1p600), blend(tiny, lit<V>(0x1p-700), lit<V>(1.0)));
    const V u = large * by, v = small * by;
    // The squares' rounding errors count: without them the result is off by up to 1.2 ULP.
    const auto p = detail::exact_square(u), q = detail::exact_square(v);
    const auto sum = detail::exact_sum_ordered(p.hi, q.hi);
    const V result = sqrt_of(sum.hi + (sum.lo + (p.lo + q.lo))) * back;
    return sel(is_inf(a) | is_inf(b), inf<V>(), result);
  }
}

namespace detail {
/// The larger of x and y plus `tail`(-|x - y|), as NumPy's logaddexp; `twice` added where x == y.
template <double_value V, class F>
NUMJIT_M V log_add(V x, V y, double twice, F tail) {
  const V difference = x - y;
  const V larger = sel(gt(difference, lit<V>(0.0)), x, y);
  const V sum = larger + tail(negated(magnitude(difference)));
  return sel(eq(x, y), x + lit<V>(twice), sel(is_nan(difference), difference, sum));
}
}  // namespace detail

/// log(exp(a) + exp(b)).
template <floating V>
NUMJIT_M V logaddexp(V a, V b) {
  if constexpr (single_value<V>) {
    return narrow(detail::log_add(
        widen(a), widen(b), detail::ln2, [](auto d) __attribute__((always_inline)) {
          return detail::log1p_single(detail::exp_single(d));
        }));
  } else {
    return detail::log_add(
        a, b, detail::ln2, [](V d) __attribute__((always_inline)) { return m::log1p(m::exp(d)); });
  }
}

/// log2(2**a + 2**b).
template <floating V>
NUMJIT_M V logaddexp2(V a, V b) {
  if constexpr (single_value<V>) {
    return narrow(detail::log_add(
        widen(a), widen(b), 1.0, [](auto d) __attribute__((always_inline)) {
          return lit<decltype(d)>(detail::log2_e) * detail::log1p_single(detail::exp2_single(d));
        }));
  } else {
    return detail::log_add(
        a, b, 1.0, [](V d) __attribute__((always_inline)) {
          return lit<V>(1.442695040888963407359924681001892137) * m::log1p(m::exp2(d));
        });
  }
}

}  // namespace numjit::m
