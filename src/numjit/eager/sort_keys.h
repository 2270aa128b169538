// Sorting of integer keys, and what makes keys of numbers. Keys are totally ordered, so that the sorted
// sequence does not depend on the algorithm, the instruction set or the number of threads.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

#include <numjit/eager/internal.h>
#include <numjit/eager/select.h>
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

/// Sorts p[0, n) on this thread, to the end.
template <class Key>
void sort_at_once(Key* p, std::int64_t n) {
  constexpr std::int64_t few = 48;  // below it the vector sort's preparations cost more than the sort
  if (n < few || !vector_sort(p, n)) std::sort(p, p + n);
}

/// How a selection orders keys: those that it can't tell apart stay in one bucket.
template <class Key>
using bucket_order = std::conditional_t<std::is_same_v<Key, placed_key>, by_key, std::less<Key>>;

/// Borders between `parts` buckets of about the same size, from a sample.
template <class Key>
std::vector<Key> bucket_borders(const Key* p, std::int64_t n, std::int64_t parts) {
  const std::int64_t size = std::clamp<std::int64_t>(n / 256, 16 * parts, 512 * parts);
  std::vector<Key> sample(static_cast<std::size_t>(size)), borders;
  for (std::int64_t i = 0; i < size; ++i) sample[static_cast<std::size_t>(i)] = p[n / size * i];
  sort_at_once(sample.data(), size);
  for (std::int64_t i = 1; i < parts; ++i) borders.push_back(sample[static_cast<std::size_t>(size * i / parts)]);
  return borders;
}

/// Sorts p[0, n) by halves until these are short, asking between them. `spare`: split_room elements.
template <class Key, class Less>
void sort_by_halves(Key* p, std::int64_t n, Less less, Key* spare) {
  constexpr std::int64_t short_enough = 1 << 17;
  for (int unlucky = 0; n > short_enough && unlucky < 4;) {
    numjit::detail::check_interrupt();
    const Key border = bucket_borders(p, n, 2)[0];
    std::int64_t below = split_in_place(p, n, border, false, less, spare);
    if (below == 0) {  // the smallest one: those like it come first
      below = split_in_place(p, n, border, true, less, spare);
      if constexpr (std::is_same_v<Less, by_key>) sort_by_halves(p, below, std::less<Key>(), spare);
    } else {
      unlucky += std::min(below, n - below) < n / 16;
      sort_by_halves(p, below, less, spare);
    }
    p += below, n -= below;
  }
  sort_at_once(p, n);
}

/// Sorts p[0, n) on this thread, so that it can be given up if somebody may want that.
template <class Key>
void sort_here(Key* p, std::int64_t n) {
  if (n <= 1 << 18 || !numjit::detail::may_be_interrupted()) return sort_at_once(p, n);
  scratch spare(split_room * static_cast<std::int64_t>(sizeof(Key)));
  sort_by_halves(p, n, bucket_order<Key>(), spare.as<Key>());
}

/// Puts the buckets [first, last) of p[0, n) one behind the other, and writes down how many elements each one has. `spare`:
/// split_room elements.
template <class Key>
void split_buckets(Key* p, std::int64_t n, const std::vector<Key>& borders, std::int64_t first, std::int64_t last,
                   Key* spare, std::int64_t* counts) {
  if (last - first == 1) {
    counts[first] = n;
    return;
  }
  const std::int64_t middle = first + (last - first) / 2;
  const Key& border = borders[static_cast<std::size_t>(middle - 1)];
  const std::int64_t below = split_in_place(p, n, border, false, bucket_order<Key>(), spare);
  split_buckets(p, below, borders, first, middle, spare, counts);
  split_buckets(p + below, n - below, borders, middle, last, spare, counts);
}

/// Sorts p[0, n), long sequences on all threads: each splits a part into buckets, then those of all parts are brought
/// together, and each thread sorts one.
template <class Key>
void sort_all(Key* p, std::int64_t n) {
  constexpr std::int64_t smallest_part = 1 << 14;
  std::int64_t parts = 1;
  if (!numjit::detail::inside_parallel())
    while (2 * parts <= numjit::detail::thread_count() && n / (2 * parts) >= smallest_part) parts *= 2;
  if (parts == 1) return sort_here(p, n);
  const auto on_all = [&](double ns, const auto& work) {
    numjit::detail::parallel_ranges(parts, 1, ns * static_cast<double>(n), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) work(i);
    });
  };
  const auto part_begin = [&](std::int64_t part) { return n * part / parts; };
  scratch memory(n * static_cast<std::int64_t>(sizeof(Key)));
  Key* const other = memory.as<Key>();
  const std::vector<Key> borders = bucket_borders(p, n, parts);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(parts * parts));  // of part i's bucket b: [i * parts + b]
  on_all(1, [&](std::int64_t part) {
    const std::int64_t begin = part_begin(part);
    scratch spare(split_room * static_cast<std::int64_t>(sizeof(Key)));
    split_buckets(p + begin, part_begin(part + 1) - begin, borders, 0, parts, spare.as<Key>(),
                  &counts[static_cast<std::size_t>(part * parts)]);
  });
  std::vector<std::int64_t> places(counts.size()), bucket_begin;  // where they go
  std::int64_t place = 0;
  for (std::int64_t bucket = 0; bucket < parts; ++bucket) {
    bucket_begin.push_back(place);
    for (auto at = static_cast<std::size_t>(bucket); at < counts.size(); at += static_cast<std::size_t>(parts)) {
      places[at] = place;
      place += counts[at];
    }
  }
  bucket_begin.push_back(n);
  on_all(0.5, [&](std::int64_t part) {
    const Key* from = p + part_begin(part);
    for (auto at = static_cast<std::size_t>(part * parts); at < static_cast<std::size_t>((part + 1) * parts); ++at) {
      std::copy_n(from, counts[at], other + places[at]);
      from += counts[at];
    }
  });
  on_all(10, [&](std::int64_t bucket) {
    const std::int64_t begin = bucket_begin[static_cast<std::size_t>(bucket)];
    const std::int64_t count = bucket_begin[static_cast<std::size_t>(bucket + 1)] - begin;
    sort_here(other + begin, count);
    std::copy_n(other + begin, count, p + begin);
  });
}

}  // namespace numjit::eager
