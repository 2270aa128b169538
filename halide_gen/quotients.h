// Quotients of integers in vectors, which have no integer division: by way of floating point, exactly. The last part of
// expr_value.h.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <expr_value.h>

namespace numjit::halide_gen {
namespace detail {

/// Vectors have no integer division, but one of floats: the quotient of integers below 2^p, rounded to
/// p + 1 bits or more, is never rounded up to an integer that it does not reach. `shift` is 1.5 * 2^p of
/// the widest p: adding it leaves the integer in the low bits. (A cast from float would do, if Halide did
/// not join it with later casts to unsigned types, for which negative values are undefined.)
///
/// A divisor that is the same everywhere is inverted once: with r = (1 / b) (1 + 2 epsilon), which roundings
/// leave above 1 / b, a r reaches every integer that a / b reaches, and is too large by less than 1 / b.
template <class T, class Float, class Word>
hx<T> quotient_through(hx<T> a, hx<T> b, Float shift) {
  const Halide::Type real = Halide::type_of<Float>(), word = Halide::type_of<Word>();
  const Halide::Expr number = Halide::cast(real, a.e), divisor = Halide::cast(real, b.e);
  const Halide::Expr inverse = constant<Float>(1) / divisor * constant<Float>(1 + 2 * std::numeric_limits<Float>::epsilon());
  const Halide::Expr quotient = Halide::trunc(is_same_everywhere(b.e) ? number * inverse : number / divisor);
  const Halide::Expr shifted = Halide::reinterpret(word, quotient + constant<Float>(shift));
  return hx<T>(Halide::reinterpret(
      Halide::type_of<T>(),
      Halide::cast(Halide::type_of<uint_for<T>>(), shifted - constant<Word>(__builtin_bit_cast(Word, shift)))));
}

/// Of 16 bits by a divisor that is the same everywhere: Granlund and Montgomery's multiplication by an inverse of 17
/// bits, whose upper half is all that a vector computes. With l = ceil(log2 d) and m = floor(2^16 (2^l - d) / d) + 1,
/// n / d is (t + (n - t) / 2) / 2^(l - 1) for t = m n / 2^16; for d = 1 no shift halves.
inline Halide::Expr quotient_by_same(const Halide::Expr& n, const Halide::Expr& d) {
  using Halide::Expr;
  const Halide::Type word = Halide::UInt(16), wide = Halide::UInt(32), real = Halide::Float(64);
  const Expr one = constant<std::uint32_t>(1), wide_d = Halide::cast(wide, d);
  // The exponent of 2 d - 1; not every GPU language counts leading zeros.
  const Expr log =
      (Halide::reinterpret(wide, Halide::cast(Halide::Float(32), wide_d + wide_d - one)) >> constant<std::uint32_t>(23)) -
      constant<std::uint32_t>(127);
  const Expr above = ((one << log) - wide_d) << constant<std::uint32_t>(16);
  // By doubles, which no one keeps from computing once: both are below 2^32.
  const Expr ratio = Halide::cast(wide, Halide::trunc(Halide::cast(real, above) / Halide::cast(real, wide_d)));
  const Expr inverse = Halide::cast(word, ratio + one), first = Halide::cast(word, Halide::min(log, one));
  const Expr upper = Halide::cast(word, (Halide::cast(wide, n) * Halide::cast(wide, inverse)) >> constant<std::uint32_t>(16));
  return (upper + ((n - upper) >> first)) >> (Halide::cast(word, log) - first);
}

/// C's quotient of at most 16 bits by a divisor that is the same everywhere, from those of magnitudes.
template <class T>
hx<T> quotient_of_short(hx<T> a, hx<T> b) {
  const Halide::Type word = Halide::UInt(16);
  if constexpr (std::is_unsigned_v<T>) {
    return hx<T>(Halide::cast(Halide::type_of<T>(), quotient_by_same(Halide::cast(word, a.e), Halide::cast(word, b.e))));
  } else {
    const auto wide = [&](hx<T> v) { return Halide::reinterpret(word, Halide::cast(Halide::Int(16), v.e)); };
    const Halide::Expr zero = constant<std::uint16_t>(0), x = wide(a), y = wide(b);
    const Halide::Expr negative_a = a.e < constant<T>(T(0)), negative_b = b.e < constant<T>(T(0));
    const Halide::Expr q = quotient_by_same(Halide::select(negative_a, zero - x, x), Halide::select(negative_b, zero - y, y));
    const Halide::Expr differ = (negative_a && !negative_b) || (!negative_a && negative_b);
    return from_bits<hx<T>>(hx<uint_for<T>>(Halide::cast(Halide::type_of<uint_for<T>>(), Halide::select(differ, zero - q, q))));
  }
}

/// 64-bit words and the doubles that hold them. What is added is 1.5 * 2^52: words below 2^51 and their doubles are the
/// same bits then.
struct LongWords {
  Halide::Type real = Halide::Float(64), word = Halide::UInt(64);
  Halide::Expr shift = constant<double>(0x1.8p52), shift_bits = constant<std::uint64_t>(0x4338000000000000);
  Halide::Expr two32 = constant<double>(0x1p32), half = constant<std::uint64_t>(32);

  /// Both ways between -2^51 and 2^51; the word nearest to a number that is not whole.
  Halide::Expr number(const Halide::Expr& w) const { return Halide::reinterpret(real, w + shift_bits) - shift; }
  Halide::Expr whole(const Halide::Expr& x) const { return Halide::reinterpret(word, x + shift) - shift_bits; }
  /// The nearest double of any word, by its halves.
  template <class T>
  Halide::Expr nearest(const Halide::Expr& w) const {
    const Halide::Expr sign = constant<std::uint64_t>(std::is_signed_v<T> ? std::uint64_t{1} << 63 : 0);
    const Halide::Expr upper = number((w ^ sign) >> half), lower = number(w & constant<std::uint64_t>(0xffffffff));
    return (upper - constant<double>(std::is_signed_v<T> ? 0x1p31 : 0)) * two32 + lower;
  }
  /// The word nearest to a number up to 2^64.
  Halide::Expr word_of(const Halide::Expr& x) const {
    const Halide::Expr sum = x * constant<double>(0x1p-32) + shift, upper = sum - shift;
    return ((Halide::reinterpret(word, sum) - shift_bits) << half) + whole(x - upper * two32);
  }
};

/// Of any a by |b| < 2^49. The quotient of their doubles, rounded, is off by less than 2^12 / |b| + 2, so that a less its
/// product with b is below 2^50, and its own quotient off by no more than a half and some 2^-50. What is left then is less
/// than b. Where it has the wrong sign, that is one b more or less. (No trunc: of vectors of 64 bytes Halide makes two.)
template <class T>
hx<T> quotient_of_large(hx<T> a, hx<T> b) {
  using Halide::Expr;
  const LongWords w;
  const Expr x = Halide::reinterpret(w.word, a.e), y = Halide::reinterpret(w.word, b.e), divisor = w.number(y);
  const bool inverts = is_same_everywhere(b.e);
  const Expr inverse = constant<double>(1) / divisor;
  auto quotient = [&](const Expr& by) { return inverts ? by * inverse : by / divisor; };
  const Expr first = w.word_of(quotient(w.nearest<T>(x))), left = x - first * y;
  const Expr second = w.whole(quotient(w.number(left))), rest = left - second * y;
  const Expr one = constant<std::uint64_t>(1), zero = constant<std::uint64_t>(0), top = constant<std::uint64_t>(63);
  const Expr is_negative = (rest >> top) != zero;
  const Expr should_be = std::is_signed_v<T> ? (x >> top) != zero : Halide::Internal::make_bool(false);
  const Expr like_divisor = std::is_signed_v<T> ? is_negative == ((y >> top) != zero) : Halide::Internal::make_bool(false);
  const Expr back = Halide::select(like_divisor, one, zero - one);
  return hx<T>(Halide::reinterpret(Halide::type_of<T>(),
                                   first + second + Halide::select(rest != zero && is_negative != should_be, back, zero)));
}

/// For 64 bits: where both are below 2^51 by the quotient of their doubles.
template <class T>
hx<T> quotient_of_long(hx<T> a, hx<T> b) {
  using Halide::Expr;
  const LongWords w;
  auto bits = [&](hx<T> v) { return Halide::reinterpret(w.word, v.e); };
  auto is_large = [&](hx<T> v, int power) {
    const auto limit = std::uint64_t{1} << power;
    if constexpr (std::is_unsigned_v<T>)
      return bits(v) >= constant<std::uint64_t>(limit);
    else
      return bits(v) + constant<std::uint64_t>(limit) >= constant<std::uint64_t>(2 * limit);
  };
  const hx<T> usual(Halide::reinterpret(Halide::type_of<T>(), w.whole(Halide::trunc(w.number(bits(a)) / w.number(bits(b))))));
  const auto of_large = [&] {
    return rarely(
        hx<bool>(is_large(b, 49)), [&] { return hx<T>(Halide::div_round_to_zero(a.e, b.e)); }, quotient_of_large(a, b));
  };
  return rarely(hx<bool>(is_large(a, 51) || is_large(b, 51)), of_large, usual);
}
}  // namespace detail

/// C's quotient; b must be neither 0 nor, for signed types, -1.
template <is_int T>
hx<T> trunc_quotient(hx<T> a, hx<T> b) {
  if constexpr (sizeof(T) <= 2)
    return detail::is_same_everywhere(b.e) ? detail::quotient_of_short(a, b)
                                           : detail::quotient_through<T, float, std::uint32_t>(a, b, 0x1.8p23f);
  else if constexpr (sizeof(T) == 4)
    return detail::quotient_through<T, double, std::uint64_t>(a, b, 0x1.8p52);
  else
    return detail::quotient_of_long(a, b);
}

}  // namespace numjit::halide_gen
