// The span of integers that lie close together, for tables with a place for each value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace numjit::detail {

/// The values low, low + 1, ..., low + length - 1; of signed integers modulo 2^64.
struct value_span {
  std::uint64_t low = 0;
  std::int64_t length = 0;

  template <class T>
  std::size_t place_of(T value) const {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(value) - low);
  }
  template <class T>
  T value_at(std::size_t place) const {
    return static_cast<T>(low + place);
  }
};

/// What n > 0 integers span; nothing if that is more than `longest` values, which most sequences show in their first block.
template <class T>
std::optional<value_span> span_of(const T* p, std::int64_t n, std::uint64_t longest) {
  constexpr std::int64_t block = 4096;
  T low = p[0], high = p[0];
  std::uint64_t distance = 0;
  for (std::int64_t begin = 0; begin < n; begin += block) {
    for (std::int64_t i = begin; i < std::min(n, begin + block); ++i) {
      low = std::min(low, p[i]);
      high = std::max(high, p[i]);
    }
    distance = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    if (distance >= longest) return std::nullopt;
  }
  return value_span{static_cast<std::uint64_t>(low), static_cast<std::int64_t>(distance) + 1};
}

}  // namespace numjit::detail
