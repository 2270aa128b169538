// vector_split for AVX-512 and AVX2: the elements of a vector that a mask names are moved together in a register, and the
// whole register is stored; what stands behind them is overwritten by the next ones.
#include <numjit/eager/vector_split.h>

#include <array>
#include <limits>

#if defined(NUMJIT_ISA_v3) || defined(NUMJIT_ISA_v4)
#include <immintrin.h>

namespace numjit::eager::NUMJIT_ISA {
namespace {

#if defined(NUMJIT_ISA_v4)

/// What to do with a vector of T for AVX-512: masks count lanes, compress() moves named ones to the front.
template <class T>
struct wide;

template <>
struct wide<std::int32_t> {
  static constexpr int lanes = 16, lane_of_element = 1;
  static __m512i border(std::int32_t v) { return _mm512_set1_epi32(v); }
  static unsigned less(__m512i a, __m512i b) { return _mm512_cmplt_epi32_mask(a, b); }
  static __m512i compress(unsigned m, __m512i v) {
    return _mm512_maskz_compress_epi32(static_cast<__mmask16>(m), v);
  }
};
struct wide_of_64_bits {
  static __m512i compress(unsigned m, __m512i v) {
    return _mm512_maskz_compress_epi64(static_cast<__mmask8>(m), v);
  }
};
template <>
struct wide<std::int64_t> : wide_of_64_bits {
  static constexpr int lanes = 8, lane_of_element = 1;
  static __m512i border(std::int64_t v) { return _mm512_set1_epi64(v); }
  static unsigned less(__m512i a, __m512i b) { return _mm512_cmplt_epi64_mask(a, b); }
};
template <>
struct wide<std::uint64_t> : wide_of_64_bits {
  static constexpr int lanes = 8, lane_of_element = 1;
  static __m512i border(std::uint64_t v) { return _mm512_set1_epi64(static_cast<long long>(v)); }
  static unsigned less(__m512i a, __m512i b) { return _mm512_cmplt_epu64_mask(a, b); }
};
/// Two lanes an element, of which the second is compared.
template <>
struct wide<placed_key> : wide_of_64_bits {
  static constexpr int lanes = 8, lane_of_element = 2;
  static __m512i border(placed_key v) { return _mm512_set1_epi64(static_cast<long long>(v.key)); }
  static unsigned less(__m512i a, __m512i b) {
    const unsigned keys = _mm512_cmplt_epu64_mask(a, b) & 0xaau;
    return keys | keys >> 1;
  }
};

template <class T>
split_counts split_vectors(T* p, std::int64_t n, T low, T high, T* middle, T* above) {
  using ops = wide<T>;
  constexpr std::int64_t step = ops::lanes / ops::lane_of_element;
  constexpr unsigned all = (1u << ops::lanes) - 1;
  const __m512i least = ops::border(low), most = ops::border(high);
  split_counts c;
  for (; c.done + step <= n; c.done += step) {
    const __m512i v = _mm512_loadu_si512(p + c.done);
    const unsigned is_below = ops::less(v, least), is_above = ops::less(most, v);
    const unsigned is_middle = all & ~(is_below | is_above);
    _mm512_storeu_si512(p + c.below, ops::compress(is_below, v));
    _mm512_storeu_si512(above + c.above, ops::compress(is_above, v));
    _mm512_storeu_si512(middle + c.middle, ops::compress(is_middle, v));
    c.below += _mm_popcnt_u32(is_below) / ops::lane_of_element;
    c.above += _mm_popcnt_u32(is_above) / ops::lane_of_element;
    c.middle += _mm_popcnt_u32(is_middle) / ops::lane_of_element;
  }
  return c;
}

#else

/// For each mask of eight 32-bit lanes where the named ones stand, in order.
constexpr auto lane_orders = [] {
  std::array<std::array<std::uint8_t, 8>, 256> orders{};
  for (unsigned m = 0; m < 256; ++m) {
    unsigned to = 0;
    for (unsigned lane = 0; lane < 8; ++lane)
      if (m >> lane & 1) orders[m][to++] = static_cast<std::uint8_t>(lane);
  }
  return orders;
}();

__m256i compress_lanes(unsigned m, __m256i v) {
  const __m128i order = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(lane_orders[m].data()));
  return _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(order));
}

/// For AVX2 a mask always counts 32-bit lanes; comparisons are those of signed numbers.
template <class T>
struct narrow;

template <>
struct narrow<std::int32_t> {
  static constexpr int lane_of_element = 1;
  static __m256i border(std::int32_t v) { return _mm256_set1_epi32(v); }
  static __m256i signed_order(__m256i v) { return v; }
  static unsigned greater(__m256i a, __m256i b) {
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(a, b))));
  }
};
template <>
struct narrow<std::int64_t> {
  static constexpr int lane_of_element = 2;
  static __m256i border(std::int64_t v) { return _mm256_set1_epi64x(v); }
  static __m256i signed_order(__m256i v) { return v; }
  static unsigned greater(__m256i a, __m256i b) {
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi64(a, b))));
  }
};
template <>
struct narrow<std::uint64_t> : narrow<std::int64_t> {
  static __m256i signed_order(__m256i v) {
    return _mm256_xor_si256(v, _mm256_set1_epi64x(std::numeric_limits<std::int64_t>::min()));
  }
  static __m256i border(std::uint64_t v) { return signed_order(_mm256_set1_epi64x(static_cast<long long>(v))); }
};
template <>
struct narrow<placed_key> {
  static constexpr int lane_of_element = 4;
  static __m256i border(placed_key v) { return narrow<std::uint64_t>::border(v.key); }
  static __m256i signed_order(__m256i v) { return narrow<std::uint64_t>::signed_order(v); }
  static unsigned greater(__m256i a, __m256i b) {
    const unsigned keys = narrow<std::int64_t>::greater(a, b) & 0xccu;
    return keys | keys >> 2;
  }
};

template <class T>
split_counts split_vectors(T* p, std::int64_t n, T low, T high, T* middle, T* above) {
  using ops = narrow<T>;
  constexpr std::int64_t step = 8 / ops::lane_of_element;
  const __m256i least = ops::border(low), most = ops::border(high);
  split_counts c;
  for (; c.done + step <= n; c.done += step) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + c.done)), ordered = ops::signed_order(v);
    const unsigned is_below = ops::greater(least, ordered), is_above = ops::greater(ordered, most);
    const unsigned is_middle = 0xffu & ~(is_below | is_above);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p + c.below), compress_lanes(is_below, v));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(above + c.above), compress_lanes(is_above, v));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(middle + c.middle), compress_lanes(is_middle, v));
    c.below += _mm_popcnt_u32(is_below) / ops::lane_of_element;
    c.above += _mm_popcnt_u32(is_above) / ops::lane_of_element;
    c.middle += _mm_popcnt_u32(is_middle) / ops::lane_of_element;
  }
  return c;
}

#endif

}  // namespace

#define NUMJIT_SPLIT(T)                                                                          \
  split_counts split(T* p, std::int64_t n, T low, T high, T* middle, T* above) {                 \
    return split_vectors(p, n, low, high, middle, above);                                        \
  }
NUMJIT_SPLIT(std::int32_t)
NUMJIT_SPLIT(std::int64_t)
NUMJIT_SPLIT(std::uint64_t)
NUMJIT_SPLIT(placed_key)
#undef NUMJIT_SPLIT

}  // namespace numjit::eager::NUMJIT_ISA
#endif
