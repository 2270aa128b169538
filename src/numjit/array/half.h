// The element type of float16: 16 bits of IEEE binary16 with exact conversions, nothing else.
//
// half has no arithmetic of its own: a float16 loop loads to float, evaluates the op's float32 form
// and rounds the result with half(float). double converts in one rounding (not through float).
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace numjit {

namespace detail {

/// Rounds to nearest even while dropping the low `shift` bits (1 <= shift <= 63).
constexpr std::uint64_t round_shift(std::uint64_t v, int shift) {
  const std::uint64_t half_way = std::uint64_t(1) << (shift - 1);
  const std::uint64_t kept = v >> shift, rest = v & ((half_way << 1) - 1);
  return kept + (rest > half_way || (rest == half_way && (kept & 1)) ? 1 : 0);
}

/// binary16 bits of a value given as exponent and fraction fields of a wider format.
template <int ExponentBias, int FractionBits>
constexpr std::uint16_t to_half_bits(std::uint16_t sign, int exponent_field, int exponent_max,
                                     std::uint64_t fraction) {
  if (exponent_field == exponent_max) {  // inf, or NaN kept quiet with its top payload bits
    if (fraction == 0) return static_cast<std::uint16_t>(sign | 0x7c00);
    return static_cast<std::uint16_t>(sign | 0x7e00 | ((fraction >> (FractionBits - 10)) & 0x1ff));
  }
  const int exponent = exponent_field - ExponentBias + 15;  // as a binary16 exponent field
  if (exponent >= 31) return static_cast<std::uint16_t>(sign | 0x7c00);
  if (exponent >= 1) {
    // A carry out of the fraction moves into the exponent, up to infinity, by itself.
    const std::uint64_t all = (std::uint64_t(exponent) << FractionBits) | fraction;
    return static_cast<std::uint16_t>(sign | round_shift(all, FractionBits - 10));
  }
  if (exponent < -10 || exponent_field == 0) return sign;  // below half of the least subnormal
  const std::uint64_t significand = fraction | (std::uint64_t(1) << FractionBits);
  return static_cast<std::uint16_t>(sign |
                                    round_shift(significand, FractionBits - 10 + 1 - exponent));
}

constexpr std::uint16_t half_bits(float x) {
  const auto b = std::bit_cast<std::uint32_t>(x);
  return to_half_bits<127, 23>(static_cast<std::uint16_t>((b >> 16) & 0x8000),
                               static_cast<int>((b >> 23) & 0xff), 0xff, b & 0x7fffff);
}

constexpr std::uint16_t half_bits(double x) {
  const auto b = std::bit_cast<std::uint64_t>(x);
  return to_half_bits<1023, 52>(static_cast<std::uint16_t>((b >> 48) & 0x8000),
                                static_cast<int>((b >> 52) & 0x7ff), 0x7ff, b & 0xfffffffffffffull);
}

constexpr float half_to_float(std::uint16_t h) {
  const std::uint32_t sign = std::uint32_t(h & 0x8000) << 16;
  const std::uint32_t exponent = (h >> 10) & 0x1f, fraction = h & 0x3ff;
  if (exponent == 31) {
    const std::uint32_t quiet = fraction ? 0x400000u : 0u;
    return std::bit_cast<float>(sign | 0x7f800000u | quiet | (fraction << 13));
  }
  if (exponent == 0) {  // exact: fraction * 2^-24
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
}

}  // namespace detail

/// Element type of float16. Converting from float or double rounds once, to nearest even, with
/// overflow to infinity and subnormals kept; converting to float is exact.
/// Example: `float(half(0.1f))` is 0.09997559f.
struct half {
  std::uint16_t bits = 0;

  constexpr half() = default;
  [[gnu::always_inline]] explicit constexpr half(float x) : bits(from_float(x)) {}
  explicit constexpr half(double x) : bits(detail::half_bits(x)) {}
  /// Integers round once; int64 values beyond 2^53 overflow to infinity anyway.
  template <class T>
  requires(std::numeric_limits<T>::is_integer) explicit constexpr half(T x)
      : half(static_cast<double>(x)) {}

  [[gnu::always_inline]] constexpr operator float() const { return to_float(bits); }

  static constexpr half of_bits(std::uint16_t b) {
    half h;
    h.bits = b;
    return h;
  }

 private:
  // Always inlined: with F16C they must not be shared with code for machines without it.
  [[gnu::always_inline]] static constexpr std::uint16_t from_float(float x) {
#if defined(__F16C__) && defined(__GNUC__) && !defined(__clang__)
    if (!std::is_constant_evaluated()) {
      using f4 = float __attribute__((vector_size(16)));
      using s8 = short __attribute__((vector_size(16)));
      const s8 r = __builtin_ia32_vcvtps2ph(f4{x, 0, 0, 0}, 0);
      return static_cast<std::uint16_t>(r[0]);
    }
#endif
    return detail::half_bits(x);
  }
  [[gnu::always_inline]] static constexpr float to_float(std::uint16_t h) {
#if defined(__F16C__) && defined(__GNUC__) && !defined(__clang__)
    if (!std::is_constant_evaluated()) {
      using s8 = short __attribute__((vector_size(16)));
      return __builtin_ia32_vcvtph2ps(s8{static_cast<short>(h), 0, 0, 0, 0, 0, 0, 0})[0];
    }
#endif
    return detail::half_to_float(h);
  }
};

static_assert(sizeof(half) == 2);

}  // namespace numjit
