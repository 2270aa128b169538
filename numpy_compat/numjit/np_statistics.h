// Statistics beyond the reductions: without NaN, covariances, correlation and convolution, histograms.
#pragma once

#include <vector>

#include <numjit/np_reductions.h>

namespace numjit {

// What no NaN takes part in. Integers have none: then these are the plain functions.
/// Product, and running sums and products, of the elements that are no NaN.
///   np::nanprod(np::array{2.0, np::nan, 3.0})  ->  6.0
array nanprod(const operand& a, const reduce_options& options = {});
array nancumsum(const operand& a, const scan_options& options = {});
array nancumprod(const operand& a, const scan_options& options = {});
/// Variance and standard deviation of the others; the divisor is their count less ddof.
array nanvar(const operand& a, const var_options& options = {});
array nanstd(const operand& a, const var_options& options = {});
/// Index of the extreme element that is no NaN. ValueError: "All-NaN slice encountered".
array nanargmax(const operand& a, const arg_options& options = {});
array nanargmin(const operand& a, const arg_options& options = {});
/// Order statistics of the others; NaN where nothing else is.
array nanmedian(const operand& a, const median_options& options = {});
array nanquantile(const operand& a, const operand& q, const quantile_options& options = {});
array nanpercentile(const operand& a, const operand& q, const quantile_options& options = {});
inline array nanmedian(const operand& a, std::int64_t axis) { return nanmedian(a, {.axis = axis}); }
inline array nanquantile(const operand& a, const operand& q, std::int64_t axis) {
  return nanquantile(a, q, {.axis = axis});
}
inline array nanpercentile(const operand& a, const operand& q, std::int64_t axis) {
  return nanpercentile(a, q, {.axis = axis});
}

/// Running sums and products by the array API's names; several axes need `.axis`.
///   np::cumulative_sum(np::array{1, 2}, {.include_initial = true})  ->  [0 1 3]
struct cumulative_options {
  std::optional<std::int64_t> axis{};
  optional_dtype dtype{};
  array out{};
  bool include_initial = false;
};
array cumulative_sum(const operand& a, const cumulative_options& options = {});
array cumulative_prod(const operand& a, const cumulative_options& options = {});

/// Options of np::cov: rows are variables (or columns); the divisor is n - ddof, by default n - 1 (n with bias).
struct cov_options {
  bool rowvar = true;
  bool bias = false;
  std::optional<double> ddof{};
  array fweights{};  // how often each observation counts (integers)
  array aweights{};  // how much each observation counts
  optional_dtype dtype{};
};
/// Covariance matrix of variables (d, n) -> (d, d); 0-D for one variable. `y`: further variables.
///   np::cov(np::array{{0, 1, 2}, {2, 1, 0}})  ->  [[1, -1], [-1, 1]]
array cov(const operand& m, const cov_options& options = {});
array cov(const operand& m, const operand& y, const cov_options& options = {});
struct corrcoef_options {
  bool rowvar = true;
  optional_dtype dtype{};
};
/// Correlation coefficients: the covariances over the standard deviations, within [-1, 1].
array corrcoef(const operand& x, const corrcoef_options& options = {});
array corrcoef(const operand& x, const operand& y, const corrcoef_options& options = {});
inline array corrcoef(const operand& x, bool rowvar) { return corrcoef(x, corrcoef_options{.rowvar = rowvar}); }
inline array corrcoef(const operand& x, const operand& y, bool rowvar) {
  return corrcoef(x, y, corrcoef_options{.rowvar = rowvar});
}

/// Sums of products of shifted vectors. mode: "full" (n + m - 1 results), "same" (as the longer one),
/// "valid" (without borders). In the order of the products; not a Fourier transform.
///   np::convolve(np::array{1, 2, 3}, np::array{0, 1, 0.5})  ->  [0, 1, 2.5, 4, 1.5]
/// ValueError: "a cannot be empty", a mode that is none of these.
array convolve(const operand& a, const operand& v, const char* mode = "full");
/// correlate(a, v)[k] = sum over n of a[n + k] * conj(v[n]).
array correlate(const operand& a, const operand& v, const char* mode = "valid");

/// Edges of np::histogram's bins.
array histogram_bin_edges(const operand& a, std::int64_t bins = 10, std::optional<std::pair<double, double>> range = {},
                          const array& weights = {});
array histogram_bin_edges(const operand& a, std::string_view rule, std::optional<std::pair<double, double>> range = {},
                          const array& weights = {});
struct histogramdd_result {
  array counts;
  std::vector<array> edges;
};
/// Counts (float64) of points (n, d) in a grid of equal bins over the range of the data.
/// ValueError: "The dimension of bins must be equal to the dimension of the sample x."
histogramdd_result histogramdd(const operand& sample, const dims& bins, bool density = false,
                               const array& weights = {});

}  // namespace numjit
