// Routines of the rows that count and look up: searchsorted, digitize, bincount, histograms, repeats.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <numjit/eager/counting.h>
#include <numjit/eager/elements_as.h>
#include <numjit/eager/engine.h>
#include <numjit/eager/histogram.h>
#include <numjit/eager/internal.h>
#include <numjit/eager/membership.h>

namespace numjit::eager {
namespace {

/// Runs fn(int64*) on the result's memory, or on scratch that is copied to it: out= may be strided or of
/// another dtype.
template <class T, class F>
void into_result(const structural_call& c, F&& fn) {
  layout_view out(c.result);
  if (out.type == type_of_element<T> && out.contiguous()) return fn(reinterpret_cast<T*>(c.result->data));
  scratch memory(std::max<std::int64_t>(1, out.size()) * static_cast<std::int64_t>(sizeof(T)));
  fn(memory.as<T>());
  copy_elements(layout_view(memory.data(), type_of_element<T>, out.shape), out);
}

// ---- what was counted to learn a length ----

/// bincount's length is known when its elements have been counted: the counts are kept for the run of
/// the op, which comes next on this thread. Not destroyed with the thread, so that its state is trivial.
struct kept_counts {
  const char* data = nullptr;
  std::int64_t size = 0, least = 0;
  dtype_id type = dtype_id::int64;
  std::vector<std::int64_t>* counts = nullptr;

  bool are_of(const node* n, std::int64_t minlength) const {
    return counts && data == n->data && size == n->size && type == n->type && least == minlength;
  }
  void drop() {
    delete counts;
    counts = nullptr;
  }
};
constinit thread_local kept_counts kept;

[[noreturn]] void throw_negative() {
  throw ValueError("bincount", "'list' argument must have no negative elements");
}

std::int64_t count_bins(const node* n, std::int64_t least) {
  kept.drop();
  const elements_as<std::int64_t> values(n);
  std::vector<std::int64_t> counts;
  if (count_short_table(values.data(), values.size(), least, counts)) {
    const auto length = static_cast<std::int64_t>(counts.size());
    kept = {n->data, n->size, least, n->type, new std::vector<std::int64_t>(std::move(counts))};
    return length;
  }
  const std::int64_t length = bins_needed(values.data(), values.size(), least);
  if (length < 0) throw_negative();
  return length;
}

std::int64_t count_repeats(const node* n) {
  const elements_as<std::int64_t> repeats(n);
  std::int64_t total = 0;
  for (std::int64_t i = 0; i < repeats.size(); ++i) {
    if (repeats[i] < 0) throw ValueError("repeat", "repeats may not contain negative values.");
    if (__builtin_add_overflow(total, repeats[i], &total))
      throw ValueError("repeat", "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum "
                                 "possible size.");
  }
  element_count(dims{total});
  return total;
}

}  // namespace

std::int64_t count_length(op_id op, const node* n, const op_params& params) {
  if (numjit::detail::is_misaligned(n)) [[unlikely]]
    return count_length(op, aligned_copy(n).get(), params);
  switch (length_of_result(op).rule) {
    case length_rule::bins: return count_bins(n, layout::first_word(params));
    case length_rule::total: return count_repeats(n);
    default: return count_true(n);
  }
}

// ---- places ----

void run_searchsorted(const structural_call& c) {
  into_result<std::int64_t>(c, [&](std::int64_t* out) { find_places(c.in[0], c.in[1], layout::first_word(c.params) != 0, out); });
}

void run_isin(const structural_call& c) {
  into_result<bool>(c, [&](bool* out) { find_members(c.in[0], c.in[1], layout::first_word(c.params) != 0, out); });
}

namespace {

/// Do edges rise (1) or fall (-1)? By the first two that differ, so that NaNs fall, as NumPy says; 0: some step is the other way.
template <class T>
int direction_of(const elements_as<T>& edges) {
  std::int64_t i = 1;
  while (i < edges.size() && edges[i] == edges[0]) ++i;
  if (i >= edges.size()) return 1;
  const bool rises = edges[0] < edges[i];
  for (++i; i < edges.size(); ++i)
    if (rises ? edges[i - 1] > edges[i] : edges[i - 1] < edges[i]) return 0;
  return rises ? 1 : -1;
}

}  // namespace

void run_digitize(const structural_call& c) {
  const bool right = layout::first_word(c.params) != 0;
  with_common_type(c.in[0], c.in[1], [&]<class T>() {
    const elements_as<T> values(c.in[0]), edges(c.in[1]);
    const int direction = direction_of(edges);
    if (direction == 0) throw ValueError("digitize", "bins must be monotonically increasing or decreasing");
    const std::int64_t n = edges.size();
    into_result<std::int64_t>(c, [&](std::int64_t* out) {
      if (direction > 0) return search_sorted(edges.data(), n, values.data(), values.size(), !right, out);
      const std::vector<T> turned(std::reverse_iterator(edges.data() + n), std::reverse_iterator(edges.data()));
      search_sorted(turned.data(), n, values.data(), values.size(), !right, out);
      for (std::int64_t i = 0; i < values.size(); ++i) out[i] = n - out[i];
    });
  });
}

void run_repeat_places(const structural_call& c) {
  const elements_as<std::int64_t> repeats(c.in[0]);
  into_result<std::int64_t>(c, [&](std::int64_t* out) {
    const std::int64_t* const end = out + c.result->size;
    for (std::int64_t i = 0; i < repeats.size(); ++i)
      for (std::int64_t k = 0; k < repeats[i] && out < end; ++k) *out++ = i;
  });
}

// ---- counts ----

namespace {

/// Counts of [0, bins) or, with a second input, sums of weights.
void count_or_sum(const structural_call& c, std::int64_t bins) {
  const elements_as<std::int64_t> values(c.in[0]);
  if (c.n_in == 2) {
    const elements_as<double> weights(c.in[1]);
    return into_result<double>(c, [&](double* sums) {
      std::fill_n(sums, bins, 0.0);
      sum_into(values.data(), weights.data(), values.size(), bins, sums);
    });
  }
  into_result<std::int64_t>(c, [&](std::int64_t* out) {
    std::vector<std::int64_t> counts;
    // One more for what is in no bin.
    if (count_short_table(values.data(), values.size(), bins + 1, counts)) {
      std::copy_n(counts.begin(), bins, out);
      return;
    }
    std::fill_n(out, bins, 0);
    count_into(values.data(), values.size(), bins, out);
  });
}

}  // namespace

void run_bincount(const structural_call& c) {
  const std::int64_t bins = c.result->size;
  const bool counted = c.n_in == 1 && kept.are_of(c.in[0], layout::first_word(c.params)) &&
                       static_cast<std::int64_t>(kept.counts->size()) == bins;
  if (counted) into_result<std::int64_t>(c, [&](std::int64_t* out) { std::copy_n(kept.counts->begin(), bins, out); });
  kept.drop();
  if (!counted) count_or_sum(c, bins);
}

void run_histogram_counts(const structural_call& c) { count_or_sum(c, c.result->size); }

namespace {

/// As Python prints it.
std::string text_of(double v) {
  std::string s = std::isnan(v) ? "nan" : fmt::format("{}", v);
  if (s.find_first_not_of("-0123456789") == std::string::npos) s += ".0";
  return s;
}

}  // namespace

namespace {

/// linspace(low, high, n + 1) with each operation rounded to T, as NumPy makes edges between values of an array.
template <class T>
void narrow_line(double low, double high, std::int64_t n, T* out) {
  auto rounded = [](float v) { return static_cast<float>(static_cast<T>(v)); };
  const float first = static_cast<float>(low), last = static_cast<float>(high);
  const float range = rounded(last - first), parts = rounded(static_cast<float>(n)), step = rounded(range / parts);
  for (std::int64_t i = 0; i < n; ++i) {
    const float place = rounded(static_cast<float>(i));
    const float way = step == 0 ? rounded(rounded(place / parts) * range) : rounded(place * step);
    out[i] = static_cast<T>(way + first);
  }
  out[n] = static_cast<T>(last);
}

}  // namespace

void run_histogram_edges(const structural_call& c) {
  double low = elements_as<double>(c.in[0])[0], high = elements_as<double>(c.in[1])[0];
  const char* op = c.params[1] ? "histogramdd" : "histogram";
  if (low == HUGE_VAL && high == -HUGE_VAL) low = 0, high = 1;  // extremes of nothing
  if (!std::isfinite(low) || !std::isfinite(high)) {
    throw ValueError(op, "autodetected range of [" + text_of(low) + ", " + text_of(high) + "] is not finite");
  }
  if (low == high) low -= 0.5, high += 0.5;
  const bool packed = c.result->size < 2 || layout_view(c.result).contiguous();
  const dtype_id type = c.in[0]->type;
  if (type == c.result->type && type == dtype_id::float32 && packed) {
    narrow_line(low, high, c.result->size - 1, reinterpret_cast<float*>(c.result->data));
  } else if (type == c.result->type && type == dtype_id::float16 && packed) {
    narrow_line(low, high, c.result->size - 1, reinterpret_cast<half*>(c.result->data));
  } else {
    const op_params line = layout::linspace_params(layout::number::of(low), layout::number::of(high),
                                                   c.result->size, true, c.result->type);
    run_linspace({c.inferred, nullptr, 0, line, c.result});
  }
  if (c.params[1]) return;
  const elements_as<double> edges(c.result);
  for (std::int64_t i = 1; i < edges.size(); ++i)
    if (edges[i - 1] >= edges[i])
      throw ValueError(op, "Too many bins for data range. Cannot create " + std::to_string(edges.size() - 1) +
                               " finite-sized bins.");
}

void run_histogram_places(const structural_call& c) {
  into_result<std::int64_t>(c, [&](std::int64_t* out) { find_bins(c.in[0], c.in[1], layout::first_word(c.params) != 0, out); });
}

}  // namespace numjit::eager
