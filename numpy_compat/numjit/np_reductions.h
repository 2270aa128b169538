// Reductions, scans and what is made of them: sums, extrema, means, products of vectors and matrices.
#pragma once

#include <concepts>
#include <string>
#include <vector>

#include <numjit/np_ufuncs.h>

namespace numjit {

// np::sum, prod, max, min, any, all: over all axes (a 0-D result) or those of `.axis`. Integers
// narrower than 64 bits are summed and multiplied as int64 or uint64; float order is the canonical one
// of docs/numerics.md. Their rows stand in src/numjit/ops/reductions.def. Errors:
//   AxisError   "axis 2 is out of bounds for array of dimension 2"
//   ValueError  max or min of no elements and no `initial`
#define REDUCTION(name, ...) array name(const operand& a, const reduce_options& options = {});
// np::argmax, argmin: index (int64) of the first extreme element; NaN counts as extreme.
#define ARGREDUCTION(name, ...) array name(const operand& a, const arg_options& options = {});
// np::cumsum, cumprod: running results along `.axis`, or of the flattened input.
#define SCAN(name, ...) array name(const operand& a, const scan_options& options = {});
#include <numjit/ops/all_rows.inc>

/// Arithmetic mean: the sum divided by the count; integers are summed as float64, float16 in float32.
///   np::mean(np::arange(4)) -> 1.5
array mean(const operand& a, const reduce_options& options = {});
/// Variance: mean of the squared distances from the mean (two passes), over n - ddof.
array var(const operand& a, const var_options& options = {});
/// Standard deviation: the square root of var.
array std(const operand& a, const var_options& options = {});
struct average_options {
  axis_list axis{};
  array weights{};
  bool keepdims = false;
};
/// Mean weighted by `weights`: of the shape of `a`, or of its extents along the axes.
///   np::average(np::array{1, 2, 3}, {.weights = np::array{3, 0, 1}})  ->  1.5
/// ZeroDivisionError: "Weights sum to zero, can't be normalized".
array average(const operand& a, const average_options& options = {});
template <axis_argument A>
array average(const operand& a, const A& axis, const array& weights = {}) {
  return average(a, average_options{.axis = axis, .weights = weights});
}
/// The same with the sums of the weights: NumPy's returned=True.
struct average_result {
  array average, sum_of_weights;
};
average_result average_returned(const operand& a, const average_options& options = {});

struct ptp_options {
  axis_list axis{};
  array out{};
  bool keepdims = false;
};
/// Largest minus smallest element ("peak to peak").
array ptp(const operand& a, const ptp_options& options = {});
template <axis_argument A>
array ptp(const operand& a, const A& axis) {
  return ptp(a, ptp_options{.axis = axis});
}
struct count_options {
  axis_list axis{};
  bool keepdims = false;
};
/// Number of elements that are not zero, int64.
array count_nonzero(const operand& a, const count_options& options = {});
template <axis_argument A>
array count_nonzero(const operand& a, const A& axis) {
  return count_nonzero(a, count_options{.axis = axis});
}

struct median_options {
  axis_list axis{};
  array out{};
  bool overwrite_input = false;  // as NumPy takes it; the input is never changed
  bool keepdims = false;
};
/// Middle element of the sorted values, the mean of the two middle ones for an even count; NaN where one is.
array median(const operand& a, const median_options& options = {});
inline array median(const operand& a, std::int64_t axis) { return median(a, {.axis = axis}); }

struct quantile_options {
  axis_list axis{};
  array out{};
  bool overwrite_input = false;
  const char* method = "linear";  // inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen
                                  // weibull linear median_unbiased normal_unbiased lower higher midpoint nearest
  bool keepdims = false;
  array weights{};  // with method "inverted_cdf": of the shape of the input, or of its extents along the axes
};
/// q-th quantiles, 0 <= q <= 1 (percentiles: 0 to 100), of a number q or an array, whose axes come first. Integers are
/// interpolated as float64; NaN where one is.
///   np::quantile(np::array{1.0, 2.0, 4.0}, 0.75)  ->  3.0
/// Errors: TypeError for complex values; ValueError: "Quantiles must be in the range [0, 1]", "Only method 'inverted_cdf'
/// supports weights. Got: linear.", "Weights must be non-negative."
array quantile(const operand& a, const operand& q, const quantile_options& options = {});
array percentile(const operand& a, const operand& q, const quantile_options& options = {});
inline array quantile(const operand& a, const operand& q, std::int64_t axis) { return quantile(a, q, {.axis = axis}); }
inline array percentile(const operand& a, const operand& q, std::int64_t axis) { return percentile(a, q, {.axis = axis}); }
/// sum and friends that skip NaN.
array nansum(const operand& a, const reduce_options& options = {});
array nanmean(const operand& a, const reduce_options& options = {});
array nanmax(const operand& a, const reduce_options& options = {});
array nanmin(const operand& a, const reduce_options& options = {});

struct diff_options {
  int n = 1;
  std::int64_t axis = -1;
  array prepend{}, append{};  // before and behind the elements: 0-D, or with the extents of the other axes
};
/// n-th difference along an axis: out[i] = a[i+1] - a[i] (!= for bool).
array diff(const operand& a, const diff_options& options = {});
inline array diff(const operand& a, int n, std::int64_t axis = -1) { return diff(a, diff_options{.n = n, .axis = axis}); }

struct gradient_options {
  std::vector<array> spacing{};  // one number for all axes; or for each a number, or a vector of coordinates
  axis_list axis{};
  int edge_order = 1;            // 2: second order at the ends as well
};
/// Slopes along each axis: central differences inside, one-sided ones at the ends. Integers become float64.
///   np::gradients(np::array{1.0, 2, 4}, {.spacing = {np::array{0.0, 1, 3}}})[0]  ->  [1 1 1]
/// ValueError: "'edge_order' greater than 2 not supported", "Shape of array too small to calculate a numerical
/// gradient, ..."; TypeError: "invalid number of arguments".
std::vector<array> gradients(const operand& a, const gradient_options& options = {});
/// The same along one axis, for equal distances.
array gradient(const operand& a, double spacing = 1.0, std::int64_t axis = 0);

struct trapezoid_options {
  array x{};  // places of the values: a vector, or one of y's shape
  operand dx = 1.0;
  std::int64_t axis = -1;
};
/// Integral along an axis by the trapezoidal rule.
array trapezoid(const operand& y, const trapezoid_options& options = {});
inline array trapezoid(const operand& y, double dx, std::int64_t axis = -1) {
  return trapezoid(y, trapezoid_options{.dx = dx, .axis = axis});
}

/// Rounds to `decimals` places (halves to even), as NumPy does: scale, rint, scale back.
array round(const operand& a, int decimals = 0);
inline array around(const operand& a, int decimals = 0) { return round(a, decimals); }
/// clip with one bound left out.
array clip(const operand& a, none_t, const operand& high);
array clip(const operand& a, const operand& low, none_t);
/// What NaN and infinities become: numbers, or arrays that broadcast to the elements.
struct nan_to_num_options {
  bool copy = true;  // false: they are overwritten
  operand nan = 0.0;
  std::optional<operand> posinf{}, neginf{};  // the largest and the lowest finite number of the dtype
};
/// NaN and infinities replaced. ValueError: "could not broadcast input array from shape (2,) into shape (4,)".
array nan_to_num(const operand& a, const nan_to_num_options& options = {});
inline array nan_to_num(const operand& a, double nan, std::optional<double> posinf = {}, std::optional<double> neginf = {}) {
  return nan_to_num(a, nan_to_num_options{.nan = nan, .posinf = posinf, .neginf = neginf});
}
struct interp_options {
  std::optional<operand> left{}, right{};  // beyond the ends, instead of their values
  std::optional<double> period{};          // of x and xp, which need not be sorted then
};
/// Piecewise linear interpolation of the points (xp, fp), real or complex, at x.
/// ValueError: "fp and xp are not of the same length.", "period must be a non-zero value".
array interp(const operand& x, const operand& xp, const operand& fp, const interp_options& options = {});

/// Dot product: of vectors, matrices (as matmul), or the last axis with the second last.
/// ValueError: "shapes (2,) and (3,) not aligned: 2 (dim 0) != 3 (dim 0)".
array dot(const operand& a, const operand& b);
/// Sum of products of the flattened arrays, the first conjugated.
array vdot(const operand& a, const operand& b);
/// Sum of products over the last axes.
array inner(const operand& a, const operand& b);
/// All products: shape (a.size(), b.size()).
array outer(const operand& a, const operand& b);
/// Matrix product over the last two axes, leading axes broadcast.
array matmul(const operand& a, const operand& b);
/// Sum of products over the last `axes` axes of a and the first of b.
array tensordot(const operand& a, const operand& b, int axes = 2);
/// Sum of products over the given pairs of axes.
array tensordot(const operand& a, const operand& b, const dims& a_axes, const dims& b_axes);
/// Kronecker product of two arrays of up to two dimensions.
array kron(const operand& a, const operand& b);
/// Sum of products by subscripts: np::einsum("ij,jk->ik", {a, b}). One letter per axis, "..." for those that
/// are left, which broadcast; without "->" the result has these and the letters that occur once, in alphabetic
/// order. Operands are contracted from the left, two at a time. Of one operand of which nothing is summed the result is a view.
/// ValueError as NumPy's.
array einsum(const std::string& subscripts, const std::vector<array>& operands,
             location where = location::here());
template <std::derived_from<array> A, std::derived_from<array>... More>
array einsum(const std::string& subscripts, const A& first, const More&... more) {
  return einsum(subscripts, std::vector<array>{first, more...});
}
struct einsum_options {
  array out{};
  /// "greedy" or "optimal": the order that costs least by NumPy's searches (the second tries all of them, whose number
  /// grows like a factorial); "none": from the left.
  const char* optimize = "none";
  double memory_limit = 0;  // elements of a temporary; 0: as many as the largest operand or the result has
  std::vector<std::vector<int>> path{};  // of einsum_path, in the place of a search
  optional_dtype dtype{};                // of operands and result
  char order = 'K';                      // of the result: 'F', or 'A' for that of operands that all have it
  const char* casting = "safe";          // of operands to dtype, of the result to out
};
array einsum(const std::string& subscripts, const std::vector<array>& operands, const einsum_options& options,
             location where = location::here());
/// The order in which einsum would contract: operands of each step by their places among those left, results last.
struct contraction_order {
  std::vector<std::vector<int>> path;
  std::string text;  // NumPy's table of it
};
///   np::einsum_path("ij,jk,kl->il", {a, b, c}).path  ->  {{0, 1}, {0, 1}}
contraction_order einsum_path(const std::string& subscripts, const std::vector<array>& operands,
                              const einsum_options& options = {.optimize = "greedy"});
/// Vector product along the last axis, of vectors of three elements or, in the plane, of two: of two of those a number.
/// ValueError: "incompatible dimensions for cross product\n(dimension must be 2 or 3)".
array cross(const operand& a, const operand& b);

/// Tolerances of isclose and allclose: |a - b| <= atol + rtol * |b|.
struct close_options {
  operand rtol = 1e-5;
  operand atol = 1e-8;
  bool equal_nan = false;
};
array isclose(const operand& a, const operand& b, const close_options& options = {});
/// True if all elements are close. Reads a value: a graph break inside a compiled function.
bool allclose(const operand& a, const operand& b, const close_options& options = {});
/// Same shape, and all elements equal.
bool array_equal(const operand& a, const operand& b, bool equal_nan = false);
/// Broadcastable, and all elements equal.
bool array_equiv(const operand& a, const operand& b);

}  // namespace numjit
