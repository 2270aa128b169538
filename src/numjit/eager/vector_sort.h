// Highway's vector sort, opened at the first sort that wants it: its library takes 4 ms to start.
#pragma once

#include <cstdint>

namespace numjit::eager {

/// A 64-bit key and the place it came from, ordered by key, then by place. Highway's 128-bit key.
struct alignas(16) placed_key {
  std::uint64_t place, key;
  friend bool operator<(const placed_key& a, const placed_key& b) {
    return a.key < b.key || (a.key == b.key && a.place < b.place);
  }
};

/// Sorts p[0, n). False, and nothing done, where libhwy_contrib.so.1 is not installed: std::sort gives
/// the same sequence, more slowly.
bool vector_sort(std::int32_t* p, std::int64_t n);
bool vector_sort(std::int64_t* p, std::int64_t n);
bool vector_sort(std::uint64_t* p, std::int64_t n);
bool vector_sort(placed_key* p, std::int64_t n);

/// Are `n` keys of 32 bits sorted in less time than as many of 64? Half of it without AVX-512; with AVX-512 it takes a
/// fourth or four times as much, which is measured once where n, that of all rows together, is large.
bool vector_sort_prefers_short_keys(std::int64_t n);

}  // namespace numjit::eager
