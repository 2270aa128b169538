// A pass of selection by vectors: elements below, within and above two borders, each kind in its order, so that the
// result is that of the loop in select.h.
#pragma once

#include <cstdint>
#include <functional>
#include <type_traits>

#include <numjit/eager/vector_sort.h>

namespace numjit::eager {

/// Those of one value have no order, which a selection may show.
struct by_key {
  bool operator()(const placed_key& a, const placed_key& b) const { return a.key < b.key; }
};

/// How many elements of each kind were found among the first `done`.
struct split_counts {
  std::int64_t done = 0, below = 0, middle = 0, above = 0;
};

/// Goes through as many elements of p[0, n) as whole vectors hold: those below `low` to the front of p, those up to
/// `high` to `middle`, the others to `above`, which have room for n elements each. Nothing without AVX2.
split_counts vector_split(std::int32_t* p, std::int64_t n, std::int32_t low, std::int32_t high, std::int32_t* middle,
                          std::int32_t* above);
split_counts vector_split(std::int64_t* p, std::int64_t n, std::int64_t low, std::int64_t high, std::int64_t* middle,
                          std::int64_t* above);
split_counts vector_split(std::uint64_t* p, std::int64_t n, std::uint64_t low, std::uint64_t high, std::uint64_t* middle,
                          std::uint64_t* above);
split_counts vector_split(placed_key* p, std::int64_t n, placed_key low, placed_key high, placed_key* middle,
                          placed_key* above);

/// Elements and an order that vector_split knows.
template <class T, class Less>
inline constexpr bool splits_by_vectors =
    (std::is_same_v<Less, std::less<T>> &&
     (std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t>)) ||
    (std::is_same_v<T, placed_key> && std::is_same_v<Less, by_key>);

}  // namespace numjit::eager
