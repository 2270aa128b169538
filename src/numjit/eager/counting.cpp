// Counting and looking up in sorted arrays.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <mutex>
#include <numeric>

#include <numjit/base/check_interrupt.h>
#include <numjit/base/thread_pool.h>
#include <numjit/eager/counting.h>

namespace numjit::eager {
namespace {

using counts_t = std::vector<std::int64_t>;

constexpr std::int64_t block = 4096;  // counted anew, from the cache, where it has values beyond the table

/// Smallest and largest of some values.
struct value_range {
  std::int64_t low = 0, high = -1;
};
value_range range_of(const std::int64_t* p, std::int64_t n) {
  value_range r;
  for (std::int64_t i = 0; i < n; ++i) {
    r.low = std::min(r.low, p[i]);
    r.high = std::max(r.high, p[i]);
  }
  return r;
}

constexpr std::int64_t longest_table = 1 << 18;  // of which each thread can have its own
constexpr std::size_t longest_pair = 1 << 14;    // two of which stay in the second-level cache

/// Counts of a piece by value, in a table whose length is a power of two and grows as needed.
class piece_counts {
 public:
  /// False at a value that is negative or past longest_table.
  bool add(const std::int64_t* p, std::int64_t n) {
    for (std::int64_t first = 0; first < n; first += block)
      if (!add_block(p + first, std::min(block, n - first))) return false;
    return true;
  }
  counts_t finish() {
    for (std::size_t i = 0; i < second_.size(); ++i) first_[i] += second_[i];
    return std::move(first_);
  }

 private:
  /// Values are cut to the table in place of being looked at first, which took as long as counting them. The bits of
  /// all of them tell whether any was cut: then the block is taken back and counted anew in a longer table.
  bool add_block(const std::int64_t* p, std::int64_t n) {
    const std::uint64_t bits = count(p, n, 1);
    if (bits < first_.size()) return true;
    count(p, n, -1);
    if (bits >= longest_table) return false;
    lengthen(std::bit_ceil(static_cast<std::size_t>(bits) + 1));
    count(p, n, 1);
    return true;
  }
  /// Two tables by turns where they are short, so that a value that repeats does not wait for its own last store.
  std::uint64_t count(const std::int64_t* p, std::int64_t n, std::int64_t step) {
    const std::uint64_t mask = first_.size() - 1;
    std::int64_t *even = first_.data(), *odd = second_.empty() ? even : second_.data();
    std::uint64_t bits = 0;
    std::int64_t i = 0;
    for (; i + 2 <= n; i += 2) {
      const auto a = static_cast<std::uint64_t>(p[i]), b = static_cast<std::uint64_t>(p[i + 1]);
      bits |= a | b;
      even[a & mask] += step;
      odd[b & mask] += step;
    }
    if (i == n) return bits;
    const auto last = static_cast<std::uint64_t>(p[i]);
    even[last & mask] += step;
    return bits | last;
  }
  void lengthen(std::size_t length) {
    first_.resize(length);
    if (length <= longest_pair) return second_.resize(length);
    for (std::size_t i = 0; i < second_.size(); ++i) first_[i] += second_[i];
    second_ = {};
  }

  counts_t first_ = counts_t(64), second_ = counts_t(64);
};

/// Tables have room to grow: cut to the largest value that occurs, or to `least`.
void trim(counts_t& counts, std::int64_t least) {
  std::size_t length = counts.size();
  while (length > static_cast<std::size_t>(least) && counts[length - 1] == 0) --length;
  counts.resize(std::max(length, static_cast<std::size_t>(least)));
}

/// Where each of `count` values belongs, none of them NaN: NaN in `sorted` comes last and compares false.
/// A search waits for its loads and comparisons, so all go on side by side; no branches on values.
template <bool Right, int count, class T>
void search_together(const T* sorted, std::int64_t n, const T* values, std::int64_t* out) {
  std::int64_t place[count] = {};
  T value[count];
  for (int k = 0; k < count; ++k) value[k] = values[k];
  for (std::int64_t left = n; left > 0;) {
    const std::int64_t half = (left + 1) / 2;
    for (int k = 0; k < count; ++k) {
      const T probe = sorted[place[k] + half - 1];
      const bool after = Right ? probe <= value[k] : probe < value[k];
      place[k] += half & -static_cast<std::int64_t>(after);
    }
    left -= half;
  }
  for (int k = 0; k < count; ++k) out[k] = place[k];
}

/// The same by a table of cells: it leaves a few steps among the elements of one cell, beyond which none stands behind the value.
template <bool Right, int count, class T>
void search_cells(const cell_table& cells, const T* sorted, std::int64_t n, const T* values, std::int64_t* out) {
  std::int64_t place[count];
  T value[count];
  for (int k = 0; k < count; ++k) value[k] = values[k];
  for (int k = 0; k < count; ++k) place[k] = cells.first[static_cast<std::size_t>(cells.cell_of(value[k]))];
  for (std::int64_t half = std::int64_t{1} << (cells.steps - 1); half > 0; half /= 2) {
    for (int k = 0; k < count; ++k) {
      const std::int64_t at = place[k] + half - 1;
      const T probe = sorted[std::min(at, n - 1)];
      const bool after = (at < n) & (Right ? probe <= value[k] : probe < value[k]);
      place[k] += half & -static_cast<std::int64_t>(after);
    }
  }
  for (int k = 0; k < count; ++k) out[k] = place[k];
}

/// The place of NaN: before ("left") or after those in `sorted`.
template <class T>
std::int64_t place_of_nan(const T* sorted, std::int64_t n, bool right) {
  if (right) return n;
  return std::partition_point(sorted, sorted + n, [](const T& x) { return x == x; }) - sorted;
}

constexpr int together = 8;
constexpr std::int64_t most_in_cells = 1 << 16;  // whose table the second-level cache has

template <bool Right, class T>
bool stands_behind(const T& value, const T& element) {
  return Right ? element <= value : element < value;
}

/// The places of so many rising values, step by step from `place`, if none of them is far behind it. False, and nothing
/// told, otherwise.
template <bool Right, class T>
bool walk_together(const T* sorted, std::int64_t n, const T* values, std::int64_t place, std::int64_t* out) {
  constexpr std::int64_t near = 2 * together;
  for (int k = 1; k < together; ++k)
    if (!(values[k - 1] <= values[k])) return false;
  if (place > 0 && !stands_behind<Right>(values[0], sorted[place - 1])) return false;
  if (place + near < n && stands_behind<Right>(values[together - 1], sorted[place + near])) return false;
  for (int k = 0; k < together; ++k) {
    while (place < n && stands_behind<Right>(values[k], sorted[place])) ++place;
    out[k] = place;
  }
  return true;
}

template <bool Right, class T>
void search_range(const T* sorted, std::int64_t n, bool walks, const cell_table& cells, const T* values, std::int64_t count,
                  std::int64_t* out) {
  for (std::int64_t i = 0; i < count;) {
    bool plain = i + together <= count;
    for (std::int64_t k = i; plain && k < i + together; ++k) plain = values[k] == values[k];
    if (plain) {
      if (walks && walk_together<Right>(sorted, n, values + i, i > 0 ? out[i - 1] : 0, out + i)) {}
      else if (!cells.empty()) search_cells<Right, together>(cells, sorted, n, values + i, out + i);
      else search_together<Right, together>(sorted, n, values + i, out + i);
      i += together;
      continue;
    }
    if (values[i] == values[i]) search_together<Right, 1>(sorted, n, values + i, out + i);
    else out[i] = place_of_nan(sorted, n, Right);
    ++i;
  }
}

}  // namespace

std::int64_t bins_needed(const std::int64_t* values, std::int64_t n, std::int64_t least) {
  const value_range r = range_of(values, n);
  return r.low < 0 ? -1 : std::max(least, r.high + 1);
}

void count_into(const std::int64_t* values, std::int64_t n, std::int64_t bins, std::int64_t* counts) {
  numjit::detail::in_parts(n, 1 << 17, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      if (static_cast<std::uint64_t>(values[i]) < static_cast<std::uint64_t>(bins)) ++counts[values[i]];
  });
}

bool count_short_table(const std::int64_t* values, std::int64_t n, std::int64_t least, counts_t& counts) {
  if (least > longest_table) return false;
  counts.assign(static_cast<std::size_t>(least), 0);
  std::mutex mutex;
  std::atomic<bool> good{true};
  numjit::detail::parallel_ranges(n, 1 << 17, static_cast<double>(n), [&](std::int64_t begin, std::int64_t end) {
    if (!good.load(std::memory_order_relaxed)) return;
    piece_counts piece;
    if (!piece.add(values + begin, end - begin)) {
      good = false;
      return;
    }
    const counts_t own = piece.finish();
    const std::lock_guard lock(mutex);
    if (counts.size() < own.size()) counts.resize(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) counts[i] += own[i];
  });
  trim(counts, least);
  return good;
}

void sum_into(const std::int64_t* values, const double* weights, std::int64_t n, std::int64_t bins, double* sums) {
  numjit::detail::in_parts(n, 1 << 17, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      if (static_cast<std::uint64_t>(values[i]) < static_cast<std::uint64_t>(bins)) sums[values[i]] += weights[i];
  });
}

template <class T>
sorted_search<T>::sorted_search(const T* sorted, std::int64_t n, std::int64_t count)
    : sorted_(sorted), n_(n), walks_(count >= n) {
  if (!walks_) return;
  numjit::detail::in_parts(n - 1, 1 << 20, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; walks_ && i < end; ++i) walks_ = sorted[i] <= sorted[i + 1];  // false beside NaN, too
  });
  if (walks_ && n >= 16 && n <= most_in_cells && count >= 16 * n) tabulate();
}

template <class T>
void sorted_search<T>::tabulate() {
  const std::size_t count = 4 * std::bit_ceil(static_cast<std::size_t>(n_));
  cells_.low = static_cast<double>(sorted_[0]);
  cells_.per_unit = static_cast<double>(count) / (static_cast<double>(sorted_[n_ - 1]) - cells_.low);
  if (!std::isnormal(cells_.low * 0 + cells_.per_unit)) return;  // one value, or ends too far apart
  std::vector<std::int32_t> elements(count + 1);  // of the cell before each
  cells_.first.resize(count);                     // cell_of goes by its length
  for (std::int64_t i = 0; i < n_; ++i) ++elements[static_cast<std::size_t>(cells_.cell_of(sorted_[i])) + 1];
  const auto bits = [](std::int64_t x) { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x))); };
  cells_.steps = bits(*std::max_element(elements.begin(), elements.end()));
  if (cells_.steps + 3 > bits(n_)) return void(cells_.first.clear());  // too crowded
  std::partial_sum(elements.begin(), elements.end() - 1, cells_.first.begin());
}
template <class T>
void sorted_search<T>::find(const T* values, std::int64_t count, bool right, std::int64_t* out) const {
  if (right) search_range<true>(sorted_, n_, walks_, cells_, values, count, out);
  else search_range<false>(sorted_, n_, walks_, cells_, values, count, out);
}
template class sorted_search<std::int64_t>;
template class sorted_search<std::uint64_t>;
template class sorted_search<double>;

template <class T>
void search_sorted(const T* sorted, std::int64_t n, const T* values, std::int64_t count, bool right,
                   std::int64_t* out) {
  const double ns = static_cast<double>(count) * (1.0 + 0.5 * std::log2(1.0 + static_cast<double>(n)));
  const sorted_search<T> search(sorted, n, count);
  numjit::detail::parallel_ranges(count, 1024, ns, [&](std::int64_t begin, std::int64_t end) {
    search.find(values + begin, end - begin, right, out + begin);
  });
}
template void search_sorted(const std::int64_t*, std::int64_t, const std::int64_t*, std::int64_t, bool,
                            std::int64_t*);
template void search_sorted(const std::uint64_t*, std::int64_t, const std::uint64_t*, std::int64_t, bool,
                            std::int64_t*);
template void search_sorted(const double*, std::int64_t, const double*, std::int64_t, bool, std::int64_t*);

template <class T>
void find_equal_bins(const T* values, std::int64_t n, const T* edges, std::int64_t bins, std::int64_t* bin) {
  const T low = edges[0], high = edges[bins], scale = static_cast<T>(bins);
  numjit::detail::parallel_ranges(n, 1 << 13, static_cast<double>(n) * 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const T v = values[i];
      std::int64_t b = bins;
      if (v >= low && v <= high) {
        b = std::clamp<std::int64_t>(static_cast<std::int64_t>((v - low) / (high - low) * scale), 0, bins - 1);
        if (v < edges[b] && b > 0) --b;
        else if (b != bins - 1 && v >= edges[b + 1]) ++b;
      }
      bin[i] = b;
    }
  });
}
template void find_equal_bins(const float*, std::int64_t, const float*, std::int64_t, std::int64_t*);
template void find_equal_bins(const double*, std::int64_t, const double*, std::int64_t, std::int64_t*);

}  // namespace numjit::eager
