// Angles of any size: x mod pi/2 from 192 bits of 2/pi around x's exponent (Payne and Hanek), in
// integers. The rare path of sin, cos and tan.
#pragma once

#include <numjit/ops/math/exp.h>

namespace numjit::m {

namespace detail {

/// |x| = q pi/2 + (hi + lo); the low bits of `quadrant` are q.
template <class V>
struct quarter_turns {
  rebind<V, std::uint64_t> quadrant;
  V hi, lo;
};

/// 2/pi, 64 zero bits in front.
inline constexpr std::uint64_t two_over_pi_bits[20] = {
    0x0000000000000000u, 0xa2f9836e4e441529u, 0xfc2757d1f534ddc0u, 0xdb6295993c439041u,
    0xfe5163abdebbc561u, 0xb7246e3a424dd2e0u, 0x06492eea09d1921cu, 0xfe1deb1cb129a73eu,
    0xe88235f52ebb4484u, 0xe99c7026b45f7e41u, 0x3991d639835339f4u, 0x9c845f8bbdf9283bu,
    0x1ff897ffde05980fu, 0xef2f118b5a0a6d1fu, 0x6d367ecf27cb09b7u, 0x4f463f669e5fea2du,
    0x7527bac7ebe5f17bu, 0x3d0739f78a5292eau, 0x6bfb5fb11f8d5d08u, 0x56033046fc7b6babu};

template <class U>
struct four_words {
  U w[4];
};

/// Words `index` to `index` + 3 of 2/pi, index <= 16. A kernel selects among constants, halving the
/// candidates with each bit of the index.
template <class U>
NUMJIT_M four_words<U> two_over_pi_words(U index) {
  four_words<U> result{};
  if constexpr (value_traits<U>::scalar) {
    for (int i = 0; i < 4; ++i) result.w[i] = two_over_pi_bits[index + static_cast<U>(i)];
  } else {
    U words[20];
    for (int i = 0; i < 20; ++i) words[i] = U(two_over_pi_bits[i]);
    int kept = 19;
    for (int step = 16; step > 0; step /= 2) {
      const auto set = ne(index & U(static_cast<std::uint64_t>(step)), U(std::uint64_t(0)));
      kept = step == 16 ? 19 : step + 3;
      for (int i = 0; i < kept && i + step < 20; ++i)
        words[i] = sel(set, words[i + step], words[i]);
    }
    for (int i = 0; i < 4; ++i) result.w[i] = words[i];
  }
  return result;
}

/// The high 64 bits of a 53-bit times a 64-bit number.
template <class U>
NUMJIT_M U high_product(U m, U w) {
  const U low = U(std::uint64_t(0xffffffffu));
  const U m_h = m >> 32, m_l = m & low, w_h = w >> 32, w_l = w & low;
  const U cross_1 = m_h * w_l, cross_2 = m_l * w_h;
  const U middle = ((m_l * w_l) >> 32) + (cross_1 & low) + (cross_2 & low);
  return m_h * w_h + (cross_1 >> 32) + (cross_2 >> 32) + (middle >> 32);
}

/// A 32-bit number in the low or high half of u, times 2^-scale; exact.
template <class V, class U>
NUMJIT_M V half_word(U half, double unit) {
  return (from_bits<V>(half | U(std::uint64_t(0x4330000000000000u))) - lit<V>(0x1p52)) *
         lit<V>(unit);
}

/// For finite x >= 2^20.
template <double_value V>
NUMJIT_M quarter_turns<V> reduce_wide(V x) {
  using U = rebind<V, std::uint64_t>;
  const U zero = U(std::uint64_t(0));
  const U exponent = bits(x) >> 52;
  const U significand = (bits(x) & U(0xfffffffffffffu)) | U(0x10000000000000u);
  // Bits of 2/pi before this one only add multiples of 4 to x * 2/pi.
  const U position = exponent - U(std::uint64_t(1013));
  const four_words<U> t = two_over_pi_words<U>((position >> 6) & U(std::uint64_t(31)));
  const U up = position & U(std::uint64_t(63)), down = U(std::uint64_t(63)) - up;
  const auto join = [&](U left, U right) {
    return shift_left(left, up) | shift_right(right >> 1, down);
  };
  const U w2 = join(t.w[0], t.w[1]), w1 = join(t.w[1], t.w[2]), w0 = join(t.w[2], t.w[3]);
  // The product modulo 2^192, without its lowest word: two bits of quadrant, then the fraction.
  const U middle_low = significand * w1;
  const U middle = middle_low + high_product(significand, w0);
  const U carry = sel(resize_mask<U>(lt(middle, middle_low)), U(std::uint64_t(1)), zero);
  const U high = significand * w2 + high_product(significand, w1) + carry;
  const U fraction = (high << 2) | (middle >> 62), fraction_low = middle << 2;
  // Beyond one half the next quadrant is nearer, from below.
  const U above = fraction >> 63;
  const U flip = zero - above;
  const U h = fraction ^ flip, l = fraction_low ^ flip;
  const U low32 = U(std::uint64_t(0xffffffffu));
  const V d1 = half_word<V>(h >> 32, 0x1p-32), d2 = half_word<V>(h & low32, 0x1p-64);
  const V d3 = half_word<V>(l >> 32, 0x1p-96), d4 = half_word<V>(l & low32, 0x1p-128);
  const V s = d1 + d2;
  const V rest = (d2 - (s - d1)) + (d3 + d4);
  const V f = s + rest, f_lo = rest - (f - s);
  // times pi/2
  const auto p = split(f);
  const V c_hi = lit<V>(0x1.921fb5p+0), c_lo = lit<V>(0x1.110b46p-26);
  const V y = f * lit<V>(0x1.921fb54442d18p+0);
  const V y_lost = ((p.hi * c_hi - y) + (p.hi * c_lo + p.lo * c_hi)) + p.lo * c_lo;
  const V tail = y_lost + (f * lit<V>(0x1.1a62633145c07p-54) + f_lo * lit<V>(0x1.921fb54442d18p+0));
  const V hi = y + tail;
  const U sign = above << 63;
  return {(high >> 62) + above, flip_sign(hi, sign), flip_sign(tail - (hi - y), sign)};
}

}  // namespace detail

}  // namespace numjit::m
