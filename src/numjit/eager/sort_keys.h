// Sorting of integer keys, and what makes keys of numbers. Keys are totally ordered, so that the sorted
// sequence does not depend on the algorithm, the instruction set or the number of threads.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <numjit/eager/internal.h>
#include <numjit/eager/vector_sort.h>

namespace numjit::eager {

/// The integer of a float's size that orders it: -inf, ..., -0.0, 0.0, ..., inf, NaN (all NaN alike).
template <class Float>
auto key_of_float(Float v) {
  using Int = std::conditional_t<sizeof(Float) == 8, std::int64_t, std::int32_t>;
  if (v != v) v = std::numeric_limits<Float>::quiet_NaN();
  const Int bits = std::bit_cast<Int>(v);
  return static_cast<Int>(bits ^ ((bits >> (8 * sizeof(Int) - 1)) & std::numeric_limits<Int>::max()));
}
template <class Float, class Int>
Float float_of_key(Int key) {
  return std::bit_cast<Float>(
      static_cast<Int>(key ^ ((key >> (8 * sizeof(Int) - 1)) & std::numeric_limits<Int>::max())));
}

/// Sorts p[0, n) on this thread.
template <class Key>
void sort_here(Key* p, std::int64_t n) {
  constexpr std::int64_t few = 48;  // below it the vector sort's preparations cost more than the sort
  if (n < few || !vector_sort(p, n)) std::sort(p, p + n);
}

/// How many of the first `rank` elements of the merge of a and b come from a.
template <class Key>
std::int64_t merge_split(const Key* a, std::int64_t na, const Key* b, std::int64_t nb, std::int64_t rank) {
  std::int64_t low = std::max<std::int64_t>(0, rank - nb), high = std::min(rank, na);
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (b[rank - middle - 1] < a[middle]) high = middle;
    else low = middle + 1;
  }
  return low;
}

/// Elements [begin, end) of the merge of a and b. No branch on values: they are random.
template <class Key>
void merge_part(const Key* a, std::int64_t na, const Key* b, std::int64_t nb, Key* out, std::int64_t begin,
                std::int64_t end) {
  std::int64_t i = merge_split(a, na, b, nb, begin), j = begin - i, k = begin;
  while (k < end && i < na && j < nb) {
    const bool right = b[j] < a[i];
    out[k++] = right ? b[j] : a[i];
    i += !right;
    j += right;
  }
  for (; k < end && i < na; ++k) out[k] = a[i++];
  for (; k < end && j < nb; ++k) out[k] = b[j++];
}

/// Sorts p[0, n), long sequences on all threads: parts side by side, then merged in rounds whose work
/// is split by place in the result.
template <class Key>
void sort_all(Key* p, std::int64_t n) {
  constexpr std::int64_t smallest_part = 1 << 14, piece = 1 << 13;
  std::int64_t parts = 1;
  if (!numjit::detail::inside_parallel())
    while (2 * parts <= numjit::detail::thread_count() && n / (2 * parts) >= smallest_part) parts *= 2;
  if (parts == 1) return sort_here(p, n);
  const double size = static_cast<double>(n);
  auto border = [&](std::int64_t part) { return n * part / parts; };
  numjit::detail::parallel_ranges(parts, 1, size * 10, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) sort_here(p + border(i), border(i + 1) - border(i));
  });
  scratch memory(n * static_cast<std::int64_t>(sizeof(Key)));
  Key *from = p, *to = memory.as<Key>();
  for (std::int64_t width = 1; width < parts; width *= 2) {
    for (std::int64_t i = 0; i < parts; i += 2 * width) {
      const std::int64_t first = border(i), middle = border(i + width), last = border(i + 2 * width);
      numjit::detail::parallel_ranges(last - first, piece, static_cast<double>(last - first) * 2,
                                      [&](std::int64_t begin, std::int64_t end) {
                                        merge_part(from + first, middle - first, from + middle,
                                                   last - middle, to + first, begin, end);
                                      });
    }
    std::swap(from, to);
  }
  if (from == p) return;
  numjit::detail::parallel_ranges(n, piece, size * 0.3, [&](std::int64_t begin, std::int64_t end) {
    std::copy(from + begin, from + end, p + begin);
  });
}

}  // namespace numjit::eager
