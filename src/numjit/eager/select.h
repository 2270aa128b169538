// Selecting: what a sort would put at some places, in time that grows like the number of elements. The sequence that
// comes out depends on the elements alone, not on the machine or the library's sort.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include <numjit/base/check_interrupt.h>
#include <numjit/eager/internal.h>
#include <numjit/eager/vector_split.h>

namespace numjit::eager {

template <class T, class Less>
void insertion_sort(T* p, std::int64_t n, Less less) {
  for (std::int64_t i = 1; i < n; ++i) {
    const T v = p[i];
    std::int64_t k = i;
    for (; k > 0 && less(v, p[k - 1]); --k) p[k] = p[k - 1];
    p[k] = v;
  }
}

/// Two elements that most likely have place k between them, and little else: neighbours of its share in a sample.
template <class T, class Less>
std::pair<T, T> sampled_borders(const T* p, std::int64_t n, std::int64_t k, Less less) {
  constexpr std::int64_t most = 1024;
  T sample[most];
  const std::int64_t size = std::min(most, n / 16);
  for (std::int64_t i = 0; i < size; ++i) sample[i] = p[(2 * i + 1) * n / (2 * size)];
  std::sort(sample, sample + size, less);  // equal elements are alike as borders, in whichever order they come
  std::int64_t margin = 1;
  while (margin * margin < size) ++margin;
  const std::int64_t share = k * size / n;
  return {sample[std::max<std::int64_t>(0, share - margin)], sample[std::min(size - 1, share + margin)]};
}

constexpr std::int64_t split_block = 2048;
/// Elements of the room that splitting a sequence of any length needs.
constexpr std::int64_t split_room = 8 * split_block;

template <class T, class Less>
void select_place(T* p, std::int64_t n, std::int64_t k, Less less, T* spare);

/// An element with at least three tenths of the others on either side.
template <class T, class Less>
T median_of_medians(const T* p, std::int64_t n, Less less, T* spare) {
  const std::int64_t groups = n / 5;
  scratch memory(groups * static_cast<std::int64_t>(sizeof(T)));
  T* medians = memory.as<T>();
  for (std::int64_t i = 0; i < groups; ++i) {
    T five[5];
    std::copy_n(p + 5 * i, 5, five);
    insertion_sort(five, 5, less);
    medians[i] = five[2];
  }
  select_place(medians, groups, groups / 2, less, spare);
  return medians[groups / 2];
}

/// p[0, n) as those below `low`, those from `low` to `high`, those above, each kind in its order; where the second and
/// the third begin. `spare`: 2 n elements. Every element is written three times rather than once by a branch that nobody
/// can predict.
template <class T, class Less>
std::pair<std::int64_t, std::int64_t> split(T* p, std::int64_t n, const T& low, const T& high, Less less, T* spare) {
  T *middle = spare, *above = spare + n;
  split_counts counts;
  if constexpr (splits_by_vectors<T, Less>) counts = vector_split(p, n, low, high, middle, above);
  auto [done, below_count, middle_count, above_count] = counts;
  for (std::int64_t i = done; i < n; ++i) {
    const T v = p[i];
    const bool is_below = less(v, low), is_above = less(high, v);
    p[below_count] = v;
    middle[middle_count] = v;
    above[above_count] = v;
    below_count += is_below;
    above_count += is_above;
    middle_count += !(is_below | is_above);
  }
  std::copy_n(middle, middle_count, p + below_count);
  std::copy_n(above, above_count, p + below_count + middle_count);
  return {below_count, below_count + middle_count};
}

/// p[0, n) as those below `border`, then the others, or with `inclusive` those up to it, then the others; how many come
/// first. Blocks are read from whichever end has less room and written to both, so that `spare` has split_room elements
/// whatever n is. The order that comes out is the same on all machines.
template <class T, class Less>
std::int64_t split_in_place(T* p, std::int64_t n, const T& border, bool inclusive, Less less, T* spare) {
  constexpr std::int64_t block = split_block;
  T *const ends = spare + 2 * block, *const stage = spare + 4 * block;
  std::int64_t left = 0, right = n;  // between them the next elements go
  const auto place = [&](T* from, std::int64_t count) {
    const auto [below, up_to] = split(from, count, border, border, less, spare);
    const std::int64_t first = inclusive ? up_to : below;
    std::copy_n(from, first, p + left);
    left += first;
    right -= count - first;
    std::copy_n(from + first, count - first, p + right);
  };
  const std::int64_t first_block = std::min(block, n), last_block = std::min(block, n - first_block);
  std::copy_n(p, first_block, ends);
  std::copy_n(p + n - last_block, last_block, ends + block);
  std::int64_t unread = first_block, end = n - last_block;
  for (int blocks = 1; unread < end; ++blocks) {
    if (blocks % 256 == 0) numjit::detail::check_interrupt();
    const std::int64_t count = std::min(block, end - unread);
    if (unread - left <= right - end) {
      std::copy_n(p + unread, count, stage);
      unread += count;
    } else {
      end -= count;
      std::copy_n(p + end, count, stage);
    }
    place(stage, count);
  }
  place(ends, first_block);
  place(ends + block, last_block);
  return left;
}

/// split() of a sequence of any length, with split_room elements of room.
template <class T, class Less>
std::pair<std::int64_t, std::int64_t> split_any(T* p, std::int64_t n, const T& low, const T& high, Less less, T* spare) {
  if (2 * n <= split_room) return split(p, n, low, high, less, spare);
  const std::int64_t middle = split_in_place(p, n, low, false, less, spare);
  return {middle, middle + split_in_place(p + middle, n - middle, high, true, less, spare)};
}

/// p[k] becomes the element that a sort would put there, with none that is greater before it and none that is smaller
/// behind it. `spare`: split_room elements. A sample shows where to cut; when it misleads, the median of medians does, so
/// that no input takes more than a multiple of n.
template <class T, class Less>
void select_place(T* p, std::int64_t n, std::int64_t k, Less less, T* spare) {
  constexpr std::int64_t few = 64;
  bool misled = false;
  while (n > few) {
    std::pair<T, T> borders = sampled_borders(p, n, k, less);
    if (misled) borders.first = borders.second = median_of_medians(p, n, less, spare);
    const auto [middle, above] = split_any(p, n, borders.first, borders.second, less, spare);
    const std::int64_t before = n;
    if (k < middle) {
      n = middle;
    } else if (k >= above) {
      p += above, k -= above, n -= above;
    } else if (!less(borders.first, borders.second)) {
      return;  // all of them are equal
    } else {
      p += middle, k -= middle, n = above - middle;
    }
    misled = n > before - before / 4;
  }
  insertion_sort(p, n, less);
}

/// The same for the places first to last, which rise; they count from `offset` before p.
template <class T, class Less>
void select_places(T* p, std::int64_t n, const std::int64_t* first, const std::int64_t* last, std::int64_t offset,
                   Less less, T* spare) {
  while (first != last) {
    const std::int64_t* const half = first + (last - first) / 2;
    const std::int64_t k = *half - offset;
    select_place(p, n, k, less, spare);
    select_places(p, k, first, half, offset, less, spare);
    p += k + 1, n -= k + 1, offset += k + 1;
    first = half + 1;
  }
}

}  // namespace numjit::eager
