// The exact remainder of a division of floats, in integers: a = m 2^e as a whole number m, and what
// m 2^(e - e') leaves when divided by m', the divisor's.
//
// Up to quotients of 2^52 that is one division and one product modulo 2^64. Beyond, 2^(e - e')
// modulo m' is found by squaring, behind a branch.
#pragma once

#include <numjit/ops/math/extended.h>

namespace numjit::m {

namespace detail {

/// A whole number in [0, 2^54] as an integer.
template <double_value V>
NUMJIT_M auto whole_number(V v) {
  using U = rebind<V, std::uint64_t>;
  const U fraction = U(0xfffffffffffffu);
  const V high = floor_of(v * lit<V>(0x1p-27));
  const V low = v - high * lit<V>(0x1p27);
  return ((bits(high + lit<V>(0x1p52)) & fraction) << 27) +
         (bits(low + lit<V>(0x1p52)) & fraction);
}
/// The other way, below 2^53; exact.
template <class V, class U>
NUMJIT_M V from_whole_number(U u) {
  const U magic = U(std::uint64_t(0x4330000000000000u));
  const V high = from_bits<V>((u >> 32) | magic) - lit<V>(0x1p52);
  const V low = from_bits<V>((u & U(std::uint64_t(0xffffffffu))) | magic) - lit<V>(0x1p52);
  return high * lit<V>(0x1p32) + low;
}

/// u - n where that is not negative.
template <class U>
NUMJIT_M U reduced_once(U u, U n) {
  return sel(ge(u, n), u - n, u);
}

/// a * b modulo n, for a * b < 2^53 n and n < 2^53: the quotient in floating point is off by 3 at
/// most, the rest is right modulo 2^64.
template <class V, class U>
NUMJIT_M U product_modulo(U a, U b, U n, V one_over_n) {
  const V product = from_whole_number<V>(a) * from_whole_number<V>(b);
  const U quotient = whole_number(floor_of(product * one_over_n));
  const U four = n << 2, two = n << 1;
  const U rest = a * b - quotient * n + four;
  return reduced_once(reduced_once(reduced_once(rest, four), two), n);
}

/// a 2^shift modulo n, for shift < 2048.
template <class V, class U>
NUMJIT_M U shifted_modulo(U a, U shift, U n) {
  const U one = U(std::uint64_t(1));
  const V one_over_n = lit<V>(1.0) / from_whole_number<V>(n);
  U power = product_modulo(shift_left(one, shift >> 6), one, n, one_over_n);
  for (int bit = 5; bit >= 0; --bit) {
    power = product_modulo(power, power, n, one_over_n);
    const U twice = reduced_once(power << 1, n);
    power = sel(ne((shift >> bit) & one, U(std::uint64_t(0))), twice, power);
  }
  return product_modulo(product_modulo(a, one, n, one_over_n), power, n, one_over_n);
}

/// |v| = whole * 2^(exponent - 1075)
template <class U>
struct float_parts {
  U whole, exponent;
};
template <double_value V>
NUMJIT_M auto parts_of(V magnitude) {
  using U = rebind<V, std::uint64_t>;
  const U one = U(std::uint64_t(1)), field = bits(magnitude) >> 52;
  const U fraction = bits(magnitude) & U(0xfffffffffffffu);
  const auto subnormal = eq(field, U(std::uint64_t(0)));
  return float_parts<U>{sel(subnormal, fraction, fraction | (one << 52)),
                        sel(subnormal, one, field)};
}

/// whole * 2^-52 * 2^(exponent - 1023)
template <class V, class U>
NUMJIT_M V in_units(U whole, U exponent) {
  return from_whole_number<V>(whole) * lit<V>(0x1p-52) * from_bits<V>(exponent << 52);
}

/// fmod of finite x and y > 0, where x / y is 2^52 or more.
struct far_fmod {
  static constexpr const char* name = "numjit_far_fmod";
  template <double_value V>
  NUMJIT_M static V of(V x, V y) {
    using U = rebind<V, std::uint64_t>;
    const auto p = parts_of(x), q = parts_of(y);
    const U shift = (p.exponent - q.exponent) & U(std::uint64_t(2047));
    return in_units<V>(shifted_modulo<V>(p.whole, shift, q.whole), q.exponent);
  }
};

/// fmod of finite x and y > 0, where x / y is below 2^52.
template <double_value V>
NUMJIT_M V near_fmod(V x, V y, V ratio) {
  using U = rebind<V, std::uint64_t>;
  const auto p = parts_of(x), q = parts_of(y);
  const U shift = p.exponent - q.exponent;
  // The quotient may have been rounded up, then the rest is negative.
  const V whole = floor_of(keep(lt(ratio, lit<V>(0x1p52)), ratio));
  const U quotient = bits(whole + lit<V>(0x1p52)) & U(0xfffffffffffffu);
  const U rest = shift_left(p.whole, shift & U(std::uint64_t(63))) - quotient * q.whole;
  const U low = sel(ne(rest >> 63, U(std::uint64_t(0))), rest + q.whole, rest);
  return in_units<V>(low, q.exponent);
}

/// The rest of the magnitudes x and y, as that of a / b.
template <floating V, class C>
NUMJIT_M V signed_rest(V a, V x, V y, C defined, V rest) {
  return blend(defined, blend(lt(x, y), a, with_sign(rest, a)), nan<V>());
}

/// C's fmod.
template <floating V>
NUMJIT_M V fmod_of(V a, V b) {
  if constexpr (single_value<V>) {
    return narrow(fmod_of(widen(a), widen(b)));
  } else {
    const V x = magnitude(a), y = magnitude(b), ratio = x / y;
    const auto defined = lt(x, inf<V>()) & gt(y, lit<V>(0.0));
    const V rest = rarely_called<far_fmod>(ge(ratio, lit<V>(0x1p52)) & defined, near_fmod(x, y, ratio), x, y);
    return signed_rest(a, x, y, defined, rest);
  }
}
/// The same where `far_quotient` is false.
template <class T>
NUMJIT_M T fmod_of(tame<T> number, T b) {
  const T a = number.value, x = magnitude(a), y = magnitude(b);
  const auto defined = lt(x, inf<T>()) & gt(y, lit<T>(0.0));
  if constexpr (sizeof(T) == 4) {  // quotient and product are exact in double precision
    const double wide_x = widen(x), wide_y = widen(y);
    return signed_rest(a, x, y, defined, narrow(wide_x - floor_of(wide_x / wide_y) * wide_y));
  } else {
    return signed_rest(a, x, y, defined, near_fmod(x, y, x / y));
  }
}

}  // namespace detail

/// Is |a / b| so large that its remainder takes the rare way, or not far from it? A mask.
template <plain V>
requires std::is_floating_point_v<V> NUMJIT_M mask<uint_of<V>> far_quotient(V a, V b) {
  const V x = magnitude(a), y = magnitude(b);
  return ge(x, y * lit<V>(sizeof(V) == 4 ? 0x1p27 : 0x1p51)) & lt(x, inf<V>()) & gt(y, lit<V>(0.0));
}

}  // namespace numjit::m
