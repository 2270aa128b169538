// Counting and looking up in sorted arrays: plain memory in, plain memory out.
#pragma once

#include <cstdint>
#include <vector>

namespace numjit::eager {

/// Number of bins that values need: the largest plus one, at least `least`. -1 if one is negative.
std::int64_t bins_needed(const std::int64_t* values, std::int64_t n, std::int64_t least);

/// Counts of 0, 1, ..., up to the largest value, at least `least` of them, in one pass and on all
/// threads (counts have no order of addition). False, and nothing told, for values that are negative or
/// need a table so long that each thread can't have its own: then bins_needed and count_into do it.
bool count_short_table(const std::int64_t* values, std::int64_t n, std::int64_t least,
                       std::vector<std::int64_t>& counts);
/// ++counts[v] for each value in [0, bins).
void count_into(const std::int64_t* values, std::int64_t n, std::int64_t bins, std::int64_t* counts);

/// sums[v] += weight for values in [0, bins), in the order of the elements, as NumPy does: on one thread.
void sum_into(const std::int64_t* values, const double* weights, std::int64_t n, std::int64_t bins, double* sums);

/// The range of a sorted sequence in cells of equal width, with the number of elements before each. As the cell of a value
/// never falls where the value rises, all elements of earlier cells are less than it, those of later ones greater.
struct cell_table {
  double low = 0, per_unit = 0;
  int steps = 0;  // of a binary search among the elements of one cell
  std::vector<std::int32_t> first;

  bool empty() const { return first.empty(); }
  template <class T>
  std::int32_t cell_of(T value) const {
    const double at = (static_cast<double>(value) - low) * per_unit, last = static_cast<double>(first.size() - 1);
    return static_cast<std::int32_t>(at > 0 ? (at < last ? at : last) : 0.0);
  }
};

/// A sorted sequence in which many values are looked up. For T = std::int64_t, std::uint64_t, double.
template <class T>
class sorted_search {
 public:
  /// `count`: about how many values there will be. So many as pay for it have the sequence looked through first: values that
  /// rise are then found from where the last one stood, at places that would be no others in a sequence that is not sorted,
  /// and a sequence that is spread over its range gets a table of where each part of the range begins in it.
  sorted_search(const T* sorted, std::int64_t n, std::int64_t count);
  /// Places before ("left") or after (right) the elements equal to each value, NaN largest.
  void find(const T* values, std::int64_t count, bool right, std::int64_t* out) const;

 private:
  void tabulate();

  const T* sorted_;
  std::int64_t n_;
  bool walks_;
  cell_table cells_;
};
extern template class sorted_search<std::int64_t>;
extern template class sorted_search<std::uint64_t>;
extern template class sorted_search<double>;

/// Places in sorted[0, n) before ("left") or after (right) the elements equal to each value, NaN largest.
/// For T = std::int64_t, std::uint64_t, double; on all threads.
template <class T>
void search_sorted(const T* sorted, std::int64_t n, const T* values, std::int64_t count, bool right,
                   std::int64_t* out);
extern template void search_sorted(const std::int64_t*, std::int64_t, const std::int64_t*, std::int64_t,
                                   bool, std::int64_t*);
extern template void search_sorted(const std::uint64_t*, std::int64_t, const std::uint64_t*, std::int64_t,
                                   bool, std::int64_t*);
extern template void search_sorted(const double*, std::int64_t, const double*, std::int64_t, bool,
                                   std::int64_t*);

/// Bins of values in [edges[0], edges[bins]] by NumPy's rule for `bins` equal bins: scaled, truncated,
/// then corrected by the edges themselves, in the arithmetic of T (float, double). bin[i] is the bin of
/// value i, or `bins` for a value outside. On all threads.
template <class T>
void find_equal_bins(const T* values, std::int64_t n, const T* edges, std::int64_t bins, std::int64_t* bin);
extern template void find_equal_bins(const float*, std::int64_t, const float*, std::int64_t, std::int64_t*);
extern template void find_equal_bins(const double*, std::int64_t, const double*, std::int64_t,
                                     std::int64_t*);

}  // namespace numjit::eager
