// Bins of values: blocks of them are converted, looked up and counted while they are in the cache.
#include <numjit/eager/histogram.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include <numjit/base/check_interrupt.h>
#include <numjit/eager/counting.h>
#include <numjit/eager/elements_as.h>

namespace numjit::eager {
namespace {

constexpr std::int64_t block = 4096;  // values at a time

/// Finds bins of contiguous values of a dtype, which are looked up as T (float, double, int64, uint64).
template <class T>
class bin_finder {
 public:
  bin_finder(const node* values, const node* edges, bool equal)
      : data_(values->data), type_(values->type), edges_(edges), bins_(edges_.size() - 1), equal_(equal) {
    if constexpr (!std::is_same_v<T, float>)
      if (!equal && bins_ >= 1) search_.emplace(edges_.data(), edges_.size(), values->size);
  }
  std::int64_t bins() const { return std::max<std::int64_t>(bins_, 0); }

  /// The bins of values [first, first + n), n <= block.
  void find(std::int64_t first, std::int64_t n, std::int64_t* bin) const {
    if (bins_ < 1) return void(std::fill_n(bin, n, bins()));
    T converted[block];
    const T* values = block_as(data_, type_, first, n, converted);
    if constexpr (std::is_floating_point_v<T>)
      if (equal_) return find_equal_bins(values, n, edges_.data(), bins_, bin);
    if constexpr (!std::is_same_v<T, float>) {
      search_->find(values, n, true, bin);
      // Places 1 to bins are inside; the last edge belongs to the last bin, NaN to none.
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t place = bin[i] - (values[i] == edges_[bins_]);
        bin[i] = place < 1 || place > bins_ ? bins_ : place - 1;
      }
    }
  }

 private:
  struct nothing {};
  using search = std::conditional_t<std::is_same_v<T, float>, nothing,
                                    sorted_search<std::conditional_t<std::is_same_v<T, float>, double, T>>>;

  const char* data_;
  dtype_id type_;
  elements_as<T> edges_;
  std::int64_t bins_;
  bool equal_;
  std::optional<search> search_;
};

/// fn(finder) with the type that values and edges are compared in.
template <class F>
void with_finder(const node* values, const node* edges, bool equal, F&& fn) {
  if (equal)
    return values->type == dtype_id::float32 ? fn(bin_finder<float>(values, edges, true))
                                             : fn(bin_finder<double>(values, edges, true));
  with_common_type(values, edges, [&]<class T>() {
    const elements_as<T> sorted(edges);
    if (!std::is_sorted(sorted.data(), sorted.data() + sorted.size()))
      throw ValueError("histogram", "`bins` must increase monotonically, when an array");
    fn(bin_finder<T>(values, edges, false));
  });
}

/// fn(first, count) for blocks of [begin, end).
template <class F>
void in_blocks(std::int64_t begin, std::int64_t end, F&& fn) {
  for (std::int64_t first = begin; first < end; first += block) fn(first, std::min(block, end - first));
}

constexpr double ns_per_value = 6;

/// counts[bin] of values [begin, end), those in no bin at the end.
template <class Finder>
void count_range(const Finder& finder, std::int64_t begin, std::int64_t end, std::int64_t* counts) {
  std::int64_t bin[block];
  in_blocks(begin, end, [&](std::int64_t first, std::int64_t n) {
    finder.find(first, n, bin);
    for (std::int64_t i = 0; i < n; ++i) ++counts[bin[i]];
  });
}

/// Each value of one byte is looked up once, and counts as often as it is there.
template <class Finder>
void count_bytes(const Finder& of_all_bytes, const node* values, std::int64_t* counts) {
  std::int64_t often[256] = {}, bin[256];
  std::mutex mutex;
  const auto* const p = reinterpret_cast<const std::uint8_t*>(values->data);
  numjit::detail::parallel_ranges(
      values->size, 1 << 16, static_cast<double>(values->size) * 0.7, [&](std::int64_t begin, std::int64_t end) {
        std::int64_t own[4][256] = {};  // by turns, so that a value that repeats does not wait for its own last store
        std::int64_t i = begin;
        for (; i + 4 <= end; i += 4)
          for (int k = 0; k < 4; ++k) ++own[k][p[i + k]];
        for (; i < end; ++i) ++own[0][p[i]];
        const std::lock_guard lock(mutex);
        for (int v = 0; v < 256; ++v) often[v] += own[0][v] + own[1][v] + own[2][v] + own[3][v];
      });
  of_all_bytes.find(0, 256, bin);
  for (int v = 0; v < 256; ++v) counts[bin[v]] += often[v];
}

}  // namespace

void find_bins(const node* values, const node* edges, bool equal, std::int64_t* bin) {
  std::optional<scratch> memory;
  node flat = *values;  // a plain view of the contiguous elements
  flat.data = contiguous_input(layout_view(values), memory).data;
  with_finder(&flat, edges, equal, [&](const auto& finder) {
    numjit::detail::parallel_ranges(
        flat.size, block, ns_per_value * static_cast<double>(flat.size), [&](std::int64_t begin, std::int64_t end) {
          in_blocks(begin, end, [&](std::int64_t first, std::int64_t n) { finder.find(first, n, bin + first); });
        });
  });
}

void count_bins(const node* values, const node* edges, bool equal, std::int64_t* out) {
  constexpr std::int64_t longest = 1 << 16;  // bins of which each thread can have its own
  const bool bytes = size_of(values->type) == 1 && values->size > 1024;
  char all_bytes[256];
  node source = *values;
  if (bytes) {
    for (int v = 0; v < 256; ++v) all_bytes[v] = static_cast<char>(v);
    source.data = all_bytes;
    source.size = 256;
    if (source.type == dtype_id::bool_) source.type = dtype_id::uint8;  // of which every byte is one
  }
  with_finder(&source, edges, equal, [&](const auto& finder) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(finder.bins() + 1));
    if (bytes) {
      count_bytes(finder, values, counts.data());
    } else if (finder.bins() > longest) {
      for (std::int64_t first = 0; first < values->size; first += 64 * block) {
        numjit::detail::check_interrupt();
        count_range(finder, first, std::min(values->size, first + 64 * block), counts.data());
      }
    } else {
      std::mutex mutex;
      numjit::detail::parallel_ranges(values->size, std::max(16 * block, 4 * finder.bins()),
                                      ns_per_value * static_cast<double>(values->size),
                                      [&](std::int64_t begin, std::int64_t end) {
                                        std::vector<std::int64_t> own(counts.size());
                                        count_range(finder, begin, end, own.data());
                                        const std::lock_guard lock(mutex);
                                        for (std::size_t i = 0; i < own.size(); ++i) counts[i] += own[i];
                                      });
    }
    std::copy_n(counts.begin(), finder.bins(), out);
  });
}

void sum_bins(const node* values, const node* edges, bool equal, const node* weights, double* sums) {
  constexpr std::int64_t together = 16 * block;  // found on all threads, added on one
  const int parts = kind_of(weights->type) == 'c' ? 2 : 1;
  const dtype_id wide = parts == 2 ? dtype_id::complex128 : dtype_id::float64;
  const loop_fn cast = cast_loop(weights->type, wide);
  const std::int64_t step = weights->size > 1 ? weights->strides[0] : 0;
  scratch bin_memory(together * 8), weight_memory(together * 8 * parts);
  auto* const bin = bin_memory.as<std::int64_t>();
  auto* const weight = weight_memory.as<double>();
  with_finder(values, edges, equal, [&](const auto& finder) {
    std::fill_n(sums, parts * finder.bins(), 0.0);
    for (std::int64_t first = 0; first < values->size; first += together) {
      const std::int64_t n = std::min(together, values->size - first);
      numjit::detail::parallel_ranges(n, block, ns_per_value * static_cast<double>(n), [&](std::int64_t begin, std::int64_t end) {
        in_blocks(begin, end, [&](std::int64_t at, std::int64_t m) { finder.find(first + at, m, bin + at); });
        char* const data[] = {weights->data + (first + begin) * step, weight_memory.data() + begin * 8 * parts};
        const std::int64_t steps[] = {step, 8 * parts};
        cast(data, steps, end - begin);
      });
      numjit::detail::check_interrupt();
      for (std::int64_t i = 0; i < n; ++i) {
        if (bin[i] == finder.bins()) continue;
        for (int p = 0; p < parts; ++p) sums[bin[i] * parts + p] += weight[i * parts + p];
      }
    }
  });
}

}  // namespace numjit::eager
