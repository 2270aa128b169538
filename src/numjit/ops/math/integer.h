// Integer elements: wrapping arithmetic, NumPy's floor division, powers, shifts, gcd and lcm.
#pragma once

#include <numjit/ops/math/value.h>

namespace numjit::m {

namespace detail {
template <integer V>
inline constexpr int width_of = static_cast<int>(sizeof(elem_of<V>)) * 8;
template <integer V>
NUMJIT_M V int_lit(long long c) {
  return V(static_cast<elem_of<V>>(c));
}
}  // namespace detail

template <integer V>
NUMJIT_M V add(V a, V b) {
  return wrap_add(a, b);
}
template <integer V>
NUMJIT_M V subtract(V a, V b) {
  return wrap_sub(a, b);
}
template <integer V>
NUMJIT_M V multiply(V a, V b) {
  return wrap_mul(a, b);
}
template <integer V>
NUMJIT_M V negative(V a) {
  return wrap_sub(detail::int_lit<V>(0), a);
}
template <integer V>
NUMJIT_M V positive(V a) {
  return a;
}
template <integer V>
NUMJIT_M V conjugate(V a) {
  return a;
}
template <integer V>
NUMJIT_M V square(V a) {
  return wrap_mul(a, a);
}
template <integer V>
NUMJIT_M V absolute(V a) {
  if constexpr (unsigned_integer<V>)
    return a;
  else
    return sel(lt(a, detail::int_lit<V>(0)), m::negative(a), a);
}
template <integer V>
NUMJIT_M V sign(V a) {
  const V zero = detail::int_lit<V>(0), one = detail::int_lit<V>(1);
  if constexpr (unsigned_integer<V>)
    return keep(ne(a, zero), one);
  else
    return sel(lt(a, zero), detail::int_lit<V>(-1), keep(gt(a, zero), one));
}

namespace detail {
// A divisor that every machine accepts: 0, and -1 for signed types, are replaced by 1.
template <integer V>
NUMJIT_M V safe_divisor(V b) {
  const V one = int_lit<V>(1);
  if constexpr (unsigned_integer<V>)
    return sel(eq(b, int_lit<V>(0)), one, b);
  else
    return sel(eq(b, int_lit<V>(0)) | eq(b, int_lit<V>(-1)), one, b);
}
template <signed_integer V>
NUMJIT_M auto differ_in_sign(V a, V b) {
  return lt(bit_xor(a, b), int_lit<V>(0));
}
}  // namespace detail

namespace detail {
/// trunc(a / b) of 64-bit numbers below 2^51 in magnitude, by vectors: what a double adds to 1.5 * 2^52 are its bits.
template <plain V>
NUMJIT_M V near_quotient(V a, V b) {
  constexpr double shift = 0x1.8p52;
  constexpr V shifted = static_cast<V>(0x4338000000000000);
  const double x = from_bits<double>(static_cast<uint_of<V>>(a + shifted)) - shift;
  const double y = from_bits<double>(static_cast<uint_of<V>>(b + shifted)) - shift;
  return static_cast<V>(bits(trunc_of(x / y) + shift)) - shifted;
}
/// The operations by q, the integer part of a / safe.
template <integer V>
NUMJIT_M V floor_from(V a, V b, V safe, V q) {
  const V zero = int_lit<V>(0);
  if constexpr (unsigned_integer<V>) {
    return keep(ne(b, zero), q);
  } else {
    const V r = wrap_sub(a, wrap_mul(q, safe));
    const auto inexact = ne(r, zero) & differ_in_sign(r, safe);
    const V floored = sel(inexact, wrap_sub(q, int_lit<V>(1)), q);
    return keep(ne(b, zero), sel(eq(b, int_lit<V>(-1)), m::negative(a), floored));
  }
}
template <integer V>
NUMJIT_M V remainder_from(V a, V b, V safe, V q) {
  const V zero = int_lit<V>(0);
  const V r = wrap_sub(a, wrap_mul(q, safe));
  if constexpr (unsigned_integer<V>) {
    return keep(ne(b, zero), r);
  } else {
    const auto off = ne(r, zero) & differ_in_sign(r, safe);
    return keep(ne(b, zero), sel(off, wrap_add(r, safe), r));
  }
}
template <integer V>
NUMJIT_M V fmod_from(V a, V b, V safe, V q) {
  return keep(ne(b, int_lit<V>(0)), wrap_sub(a, wrap_mul(q, safe)));
}
}  // namespace detail

/// Do 64-bit numbers need a division in their own width? A mask.
template <plain V>
requires(std::is_integral_v<V> && sizeof(V) == 8) NUMJIT_M mask<uint_of<V>> far_quotient(V a, V b) {
  using U = uint_of<V>;
  constexpr U low = std::is_signed_v<V> ? U(1) << 51 : 0, width = std::is_signed_v<V> ? 52 : 51;
  return ne(((static_cast<U>(a) + low) | (static_cast<U>(b) + low)) >> width, U(0));
}

/// Floor of a/b; 0 if b is 0; the least value divided by -1 is itself.
template <integer V>
NUMJIT_M V floor_divide(V a, V b) {
  const V safe = detail::safe_divisor(b);
  return detail::floor_from(a, b, safe, trunc_quotient(a, safe));
}
template <class T>
requires std::is_integral_v<T> NUMJIT_M T floor_divide(tame<T> a, T b) {
  const T safe = detail::safe_divisor(b);
  return detail::floor_from(a.value, b, safe, detail::near_quotient(a.value, safe));
}

/// a - floor(a/b)*b, with the sign of b; 0 if b is 0.
template <integer V>
NUMJIT_M V remainder(V a, V b) {
  const V safe = detail::safe_divisor(b);
  return detail::remainder_from(a, b, safe, trunc_quotient(a, safe));
}
template <class T>
requires std::is_integral_v<T> NUMJIT_M T remainder(tame<T> a, T b) {
  const T safe = detail::safe_divisor(b);
  return detail::remainder_from(a.value, b, safe, detail::near_quotient(a.value, safe));
}

/// C's remainder, with the sign of a; 0 if b is 0.
template <integer V>
NUMJIT_M V fmod(V a, V b) {
  const V safe = detail::safe_divisor(b);
  return detail::fmod_from(a, b, safe, trunc_quotient(a, safe));
}
template <class T>
requires std::is_integral_v<T> NUMJIT_M T fmod(tame<T> a, T b) {
  const T safe = detail::safe_divisor(b);
  return detail::fmod_from(a.value, b, safe, detail::near_quotient(a.value, safe));
}

/// Integer part of 1/a. For a == 0 what NumPy's conversion of an infinity gives.
template <integer V>
NUMJIT_M V reciprocal(V a) {
  using E = elem_of<V>;
  const V zero = detail::int_lit<V>(0), one = detail::int_lit<V>(1);
  constexpr bool least = std::is_signed_v<E> && sizeof(E) >= 4;
  constexpr E at_zero = least ? static_cast<E>(sign_bit<E>) : E(0);
  V result = keep(eq(a, one), one);
  if constexpr (signed_integer<V>) {
    const V minus = detail::int_lit<V>(-1);
    result = sel(eq(a, minus), minus, result);
  }
  return sel(eq(a, zero), V(at_zero), result);
}

namespace detail {
// Bits `Bit` to `End` of the exponent.
template <int Bit, int End, signed_integer V, unsigned_integer U>
NUMJIT_M V power_steps(V base, U exponent, V result) {
  if constexpr (Bit == End) {
    return result;
  } else {
    const U set = bit_and(shift_right(exponent, int_lit<U>(Bit)), int_lit<U>(1));
    const V taken = sel(ne(set, int_lit<U>(0)), wrap_mul(result, base), result);
    return power_steps<Bit + 1, End>(wrap_mul(base, base), exponent, taken);
  }
}
}  // namespace detail

/// a**b modulo 2^width. Negative exponents are an error that the op raises before it gets here; for
/// them the value is that of 1/a**-b, truncated.
template <integer V>
NUMJIT_M V power(V a, V b) {
  const V zero = detail::int_lit<V>(0), one = detail::int_lit<V>(1);
  V result = one;
  if constexpr (value_traits<V>::scalar) {
    V base = a;
    for (V e = b; e > 0; e = static_cast<V>(e >> 1)) {
      if (e & 1) result = wrap_mul(result, base);
      base = wrap_mul(base, base);
    }
  } else {
    // Products of signed values: Halide's analysis of long chains of unsigned ones takes minutes.
    using S = rebind<V, int_of<elem_of<V>>>;
    using U = rebind<V, uint_of<elem_of<V>>>;
    constexpr int bits_used = detail::width_of<V> - (signed_integer<V> ? 1 : 0);
    result = from_bits<V>(bits(detail::power_steps<0, bits_used>(from_bits<S>(bits(a)), U(bits(b)),
                                                                 detail::int_lit<S>(1))));
  }
  if constexpr (signed_integer<V>) {
    const V minus = detail::int_lit<V>(-1);
    const V by_parity = sel(ne(bit_and(b, one), zero), a, one);
    const V inverse = sel(eq(a, one), one, keep(eq(a, minus), by_parity));
    result = sel(lt(b, zero), inverse, result);
  }
  return result;
}

template <integer V>
NUMJIT_M V maximum(V a, V b) {
  return sel(lt(a, b), b, a);
}
template <integer V>
NUMJIT_M V minimum(V a, V b) {
  return sel(lt(b, a), b, a);
}
template <integer V>
NUMJIT_M V fmax(V a, V b) {
  return sel(lt(a, b), b, a);
}
template <integer V>
NUMJIT_M V fmin(V a, V b) {
  return sel(lt(b, a), b, a);
}
template <integer V>
NUMJIT_M V clip(V a, V lo, V hi) {
  return m::minimum(m::maximum(a, lo), hi);
}

template <integer V>
NUMJIT_M V bitwise_and(V a, V b) {
  return bit_and(a, b);
}
template <integer V>
NUMJIT_M V bitwise_or(V a, V b) {
  return bit_or(a, b);
}
template <integer V>
NUMJIT_M V bitwise_xor(V a, V b) {
  return bit_xor(a, b);
}
template <integer V>
NUMJIT_M V invert(V a) {
  return bit_not(a);
}

namespace detail {
template <integer V>
NUMJIT_M auto count_in_range(V n) {
  using U = rebind<V, uint_of<elem_of<V>>>;
  return lt(bits(n), int_lit<U>(width_of<V>));
}
}  // namespace detail

/// a << b; 0 if b is negative or not below the width.
template <integer V>
NUMJIT_M V left_shift(V a, V b) {
  const auto in_range = detail::count_in_range(b);
  return keep(in_range, shift_left(a, keep(in_range, b)));
}
/// a >> b, keeping the sign; all sign bits if b is negative or not below the width.
template <integer V>
NUMJIT_M V right_shift(V a, V b) {
  const auto in_range = detail::count_in_range(b);
  const V shifted = shift_right(a, keep(in_range, b));
  if constexpr (unsigned_integer<V>)
    return keep(in_range, shifted);
  else
    return sel(in_range, shifted, keep(lt(a, detail::int_lit<V>(0)), detail::int_lit<V>(-1)));
}

/// Number of 1 bits of |a|, as uint8.
template <integer V>
NUMJIT_M auto bitwise_count(V a) {
  return count_bits(bits(m::absolute(a)));
}

// Euclid's loop has no bound that a kernel could unroll: scalars only.

/// Greatest common divisor of |a| and |b|; of two zeros 0.
template <plain V>
requires integer<V> NUMJIT_M_FAR V gcd(V a, V b) {
  using U = uint_of<V>;
  U x = static_cast<U>(m::absolute(a)), y = static_cast<U>(m::absolute(b));
  while (x != 0) {
    const U rest = static_cast<U>(y % x);
    y = x;
    x = rest;
  }
  return static_cast<V>(y);
}
/// Least common multiple of |a| and |b|, wrapping; 0 if either is 0.
template <plain V>
requires integer<V> NUMJIT_M_FAR V lcm(V a, V b) {
  using U = uint_of<V>;
  const U g = static_cast<U>(m::gcd(a, b));
  if (g == 0) return 0;
  const U x = static_cast<U>(m::absolute(a)), y = static_cast<U>(m::absolute(b));
  return static_cast<V>(wrap_mul(static_cast<U>(x / g), y));
}

}  // namespace numjit::m
