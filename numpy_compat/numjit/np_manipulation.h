// Shapes, joining, splitting, rearranging, searching and sorting.
#pragma once

#include <concepts>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <numjit/np_options.h>

namespace numjit {

using array_list = std::vector<array>;

/// The same elements in another shape (one extent may be -1): a view where strides allow, else a copy.
/// ValueError: "cannot reshape array of size 6 into shape (4,)".
array reshape(const operand& a, const shape_list& shape);
array ravel(const operand& a);
/// Axes permuted; without `axes` reversed. A view.
struct transpose_options {
  dims axes{};
};
array transpose(const operand& a, const transpose_options& options);
template <class A = dims>
array transpose(const operand& a, beside_options<A> axes = {}) { return transpose(a, transpose_options{axes}); }
array swapaxes(const operand& a, std::int64_t axis1, std::int64_t axis2);
array moveaxis(const operand& a, const axis_list& source, const axis_list& destination);
array rollaxis(const operand& a, std::int64_t axis, std::int64_t start = 0);
/// Axes of length 1 removed: all, or those given (ValueError if one has another length).
array squeeze(const operand& a, const axes_options& options);
template <class A = axis_list>
array squeeze(const operand& a, beside_options<A> axis = {}) { return squeeze(a, axes_options{axis}); }
array expand_dims(const operand& a, const axes_options& options);
template <class A = axis_list>
array expand_dims(const operand& a, beside_options<A> axis) { return expand_dims(a, axes_options{axis}); }
array atleast_1d(const operand& a);
array atleast_2d(const operand& a);
array atleast_3d(const operand& a);
/// A read-only view repeated along new or length-1 axes.
array broadcast_to(const operand& a, const shape_list& shape);
array_list broadcast_arrays(const array_list& arrays, location where = location::here());
template <std::derived_from<array> A, std::derived_from<array> B, std::derived_from<array>... More>
array_tuple<2 + sizeof...(More)> broadcast_arrays(const A& a, const B& b, const More&... more) {
  return detail::first_of<2 + sizeof...(More)>(broadcast_arrays(array_list{a, b, more...}));
}
/// The diagonal of two axes: a read-only view, the diagonal as last axis.
array diagonal(const operand& a, std::int64_t offset = 0, std::int64_t axis1 = 0,
               std::int64_t axis2 = 1);
/// Real and imaginary part: views of a complex array; of others the array itself, or zeros.
array real(const operand& a);
array imag(const operand& a);
/// Angle of complex elements in radians.
array angle(const operand& z, bool deg = false);

struct join_options {
  std::optional<std::int64_t> axis = 0;  // none: the arrays are flattened (np::concatenate)
  array out{};
  optional_dtype dtype{};
  const char* casting = "same_kind";  // of the elements, to `dtype` or that of `out`
};
/// Arrays joined along an existing axis, in the promoted dtype.
///   np::concatenate({a, b}, {.axis = 1})
/// ValueError: "all the input array dimensions except for the concatenation axis must match exactly, ...". TypeError for casts
/// that `casting` forbids, and for `out` and `dtype` together.
array concatenate(const array_list& arrays, const join_options& options = {},
                  location where = location::here());
/// Arrays of one shape joined along a new axis. ValueError: "all input arrays must have the same shape".
array stack(const array_list& arrays, const join_options& options = {},
            location where = location::here());
struct stack_options {
  optional_dtype dtype{};
  const char* casting = "same_kind";
};
array vstack(const array_list& arrays, const stack_options& options = {}, location where = location::here());
inline array row_stack(const array_list& arrays, const stack_options& options = {}, location where = location::here()) {
  return vstack(arrays, options, where);
}
array hstack(const array_list& arrays, const stack_options& options = {}, location where = location::here());
array dstack(const array_list& arrays, location where = location::here());
array column_stack(const array_list& arrays, location where = location::here());
array append(const operand& a, const operand& values, std::optional<std::int64_t> axis = {});
/// Without the elements at index `at` along `axis`.
array delete_(const operand& a, std::int64_t at, std::optional<std::int64_t> axis = {});
/// Equal parts (ValueError: "array split does not result in an equal division"), or parts between the given indices. Views.
///   np::split(np::arange(6), {1, 4})  ->  {[0], [1 2 3], [4 5]}
array_list split(const operand& a, const indices_or_sections& by, std::int64_t axis = 0);
/// The same, where the first parts may be one longer.
array_list array_split(const operand& a, const indices_or_sections& by, std::int64_t axis = 0);
/// Along the second axis (the first of vectors), the first, and the third.
array_list hsplit(const operand& a, const indices_or_sections& by);
array_list vsplit(const operand& a, const indices_or_sections& by);
array_list dsplit(const operand& a, const indices_or_sections& by);

/// The array repeated `reps` times along each axis.
array tile(const operand& a, const shape_list& reps);
/// Each element repeated; without axis of the flattened array.
array repeat(const operand& a, std::int64_t repeats, std::optional<std::int64_t> axis = {});
/// As often as the element of an integer array says that stands at the same place, or its only one.
array repeat(const operand& a, const array& repeats, std::optional<std::int64_t> axis = {});
/// Elements moved cyclically; without axis of the flattened array.
array roll(const operand& a, std::int64_t shift, std::optional<std::int64_t> axis = {});
/// Along several axes: one shift for each, or one for all.
array roll(const operand& a, const dims& shift, const dims& axis);
/// Order reversed along all or the given axes: a view.
array flip(const operand& a, const axes_options& options);
template <class A = axis_list>
array flip(const operand& a, beside_options<A> axis = {}) { return flip(a, axes_options{axis}); }
array flipud(const operand& a);
array fliplr(const operand& a);
/// Rotated by 90 degrees k times in the plane of two axes, from the first towards the second. ValueError: "Axes must be
/// different."
array rot90(const operand& a, int k = 1, std::pair<std::int64_t, std::int64_t> axes = {0, 1});

/// Widths of np::pad: one for all sides, (before, after) for all axes, or one pair per axis.
class pad_widths {
 public:
  template <std::integral T>
  pad_widths(T all) : pairs_{{static_cast<std::int64_t>(all), static_cast<std::int64_t>(all)}} {}
  pad_widths(std::int64_t before, std::int64_t after) : pairs_{{before, after}} {}
  pad_widths(std::initializer_list<std::pair<std::int64_t, std::int64_t>> pairs) : pairs_(pairs) {}
  explicit pad_widths(std::vector<std::pair<std::int64_t, std::int64_t>> pairs) : pairs_(std::move(pairs)) {}
  const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs() const { return pairs_; }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs_;
};
/// Numbers of np::pad for its sides: one for all, (before, after) for all axes, or one pair per axis.
class pad_values {
 public:
  template <weak_scalar T>
  pad_values(T all) : pairs_{{all, all}} {}
  template <weak_scalar T, weak_scalar U>
  pad_values(T before, U after) : pairs_{{before, after}} {}
  pad_values(std::complex<double> all) : pairs_{{all, all}} {}
  pad_values(std::initializer_list<std::pair<operand, operand>> pairs) : pairs_(pairs) {}
  explicit pad_values(std::vector<std::pair<operand, operand>> pairs) : pairs_(std::move(pairs)) {}
  const std::vector<std::pair<operand, operand>>& pairs() const { return pairs_; }

 private:
  std::vector<std::pair<operand, operand>> pairs_;
};
struct pad_options {
  const char* mode = "constant";  // constant edge linear_ramp maximum mean median minimum reflect symmetric wrap empty
  pad_values constant_values = 0;
  pad_values end_values = 0;                 // of linear_ramp
  std::optional<pad_widths> stat_length{};   // of maximum, mean, median, minimum: how many elements count
  const char* reflect_type = "even";         // or "odd": mirrored at the edge's value as well
};
/// Borders added: constants, the edge's elements or ramps from them, statistics of the elements next to them, mirrored
/// or wrapped around. "empty" gives zeros.
///   np::pad(a, 1, {.mode = "edge"});  np::pad(a, {{1, 0}, {2, 2}}, {.constant_values = {7, 9}})
/// ValueError: "index can't contain negative values", "mode 'x' is not supported", ...
array pad(const operand& a, const pad_widths& widths, const pad_options& options = {});

/// Indices of the non-zero elements, one int64 array per axis. Inside a compiled function their length
/// stays open.
array_list nonzero(const operand& a);
array_list where(const operand& condition);
array flatnonzero(const operand& a);
/// The same as rows: shape (count, ndim).
array argwhere(const operand& a);
/// Elements at integer indices along an axis (of the flattened array without one). IndexError:
/// "index 7 is out of bounds for axis 0 with size 5".
array take(const operand& a, const operand& indices);
struct take_options {
  std::optional<std::int64_t> axis{};
  array out{};
  const char* mode = "raise";  // "wrap": modulo the length, "clip": cut to it, so that negative indices mean 0
};
array take(const operand& a, const operand& indices, const take_options& options);
template <class A>
  requires(std::convertible_to<A, std::optional<std::int64_t>>)
array take(const operand& a, const operand& indices, const A& axis) {
  return take(a, indices, take_options{.axis = axis});
}
/// Elements at flat indices overwritten, in place; values are repeated where they are fewer.
void put(const array& a, const array& indices, const operand& values, const char* mode = "raise");
array take_along_axis(const operand& a, const array& indices, std::int64_t axis);
/// Elements where a bool vector is true, of the flattened array or along an axis.
array compress(const array& condition, const operand& a);
struct compress_options {
  std::optional<std::int64_t> axis{};
  array out{};
};
array compress(const array& condition, const operand& a, const compress_options& options);
array extract(const array& condition, const operand& a);
/// Elements of `values` written over those of `a`, cast by a rule; where a mask is given only there.
struct copyto_options {
  const char* casting = "same_kind";
  array where{};
};
void copyto(const array& destination, const operand& values, const copyto_options& options = {});
template <std::convertible_to<array> Mask>
void copyto(const array& destination, const operand& values, const Mask& where) {
  copyto(destination, values, copyto_options{.where = where});
}
/// First condition that holds chooses.
array select(const array_list& conditions, const array_list& choices, const operand& otherwise = 0);

/// A sorted copy along an axis (NaN last), or of the flattened array for np::none.
array sort(const operand& a, std::int64_t axis = -1);
array sort(const operand& a, none_t);
struct sort_options {
  std::optional<std::int64_t> axis = -1;  // none: of the flattened array
  const char* kind = "stable";            // any of NumPy's: all of them give the same
  bool stable = true;                     // it is, in any case
  bool descending = false;                // NaN first; equal elements keep their order in indices
};
/// ValueError: "sort kind must be one of 'quick', 'heap', or 'stable' (got 'bubble')".
array sort(const operand& a, const sort_options& options);
/// Indices that sort; equal elements keep their order.
array argsort(const operand& a, std::int64_t axis = -1);
array argsort(const operand& a, none_t);
array argsort(const operand& a, const sort_options& options);
struct unique_options {
  std::optional<std::int64_t> axis{};  // of rows along an axis, in the order of their elements
  bool equal_nan = true;               // NaNs count as one value
  bool sorted = true;                  // they are, in any case
};
/// Sorted distinct values of the flattened array, or distinct rows.
array unique(const operand& a, const unique_options& options = {});
/// values, first indices, inverse indices, counts.
///   np::unique_all(np::array{{1, 0}, {1, 0}, {2, 3}}, {.axis = 0}).counts  ->  [2 1]
struct unique_result {
  array values, indices, inverse_indices, counts;
};
unique_result unique_all(const operand& a, const unique_options& options = {});
/// Places where `v` would be inserted into the sorted `a`: "left" before equal elements, or "right". `sorter`: indices
/// that sort `a`.
array searchsorted(const operand& a, const operand& v, const char* side = "left", const array& sorter = {});
array digitize(const operand& x, const operand& bins, bool right = false);
/// Counts of the values 0, 1, ... of a non-negative integer array, or sums of their weights.
/// ValueError: "'list' argument must have no negative elements".
struct bincount_options {
  array weights{};
  std::int64_t minlength = 0;
};
array bincount(const operand& x, const bincount_options& options);
template <class A = array>
array bincount(const operand& x, beside_options<A> weights = {}, std::int64_t minlength = 0) {
  return bincount(x, bincount_options{weights, minlength});
}
struct histogram_result {
  array counts, edges;
};
namespace detail {
histogram_result histogram_between(const operand& a, const array& edges, bool density, const array& weights);
}  // namespace detail
/// Counts in equal bins from the smallest to the largest element, or from `low` to `high`; the last bin
/// includes its upper edge. With `weights` (shape of `a`) their sums; with `density` over the widths and
/// the total. ValueError: "`bins` must be positive, when an integer", a range that is not finite.
///   np::histogram(np::array{1, 2, 2, 3}, 3).counts  ->  [1 2 1]
histogram_result histogram(const operand& a, std::int64_t bins = 10,
                           std::optional<std::pair<double, double>> range = {}, bool density = false,
                           const array& weights = {});
/// The same between given edges. ValueError: "`bins` must increase monotonically, when an array".
template <class A = array>
histogram_result histogram(const operand& a, beside_options<A> edges, bool density = false, const array& weights = {}) {
  return detail::histogram_between(a, edges, density, weights);
}
/// The same with a number of bins by a rule: "auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt". Reads
/// values. ValueError: "'x' is not a valid estimator for `bins`"; TypeError with weights.
///   np::histogram(np::arange(10), "auto").edges  ->  [0. 1.8 3.6 5.4 7.2 9.]
histogram_result histogram(const operand& a, std::string_view rule,
                           std::optional<std::pair<double, double>> range = {}, bool density = false,
                           const array& weights = {});
namespace detail {
std::int64_t bins_by_rule(const operand& a, std::string_view rule, const std::optional<std::pair<double, double>>& range,
                          bool weighted);
}  // namespace detail
struct histogram2d_result {
  array counts, x_edges, y_edges;
};
/// Counts (float64) of the points (x, y) in a grid of equal bins; ranges left out are those of the data.
///   np::histogram2d(x, y, {100, 100}, {{{0, 1}}, {{0, 1}}}).counts  ->  shape (100, 100)
histogram2d_result histogram2d(
    const operand& x, const operand& y, std::pair<std::int64_t, std::int64_t> bins = {10, 10},
    const std::pair<std::optional<std::pair<double, double>>, std::optional<std::pair<double, double>>>&
        range = {},
    bool density = false, const array& weights = {});
struct isin_options {
  bool assume_unique = false;  // as NumPy takes it; changes nothing
  bool invert = false;
  const char* kind = nullptr;  // "sort" or "table", of integers: as NumPy takes it; changes nothing
};
/// True where the elements of `a` occur in `test` (`invert`: do not). ValueError: "Invalid kind: 'x'. Please use None, 'sort' or
/// 'table'."
array isin(const operand& a, const operand& test, const isin_options& options = {});
/// Index arrays of flat indices, and back. order: 'C', or 'F' for the first axis fastest; mode as in np::take.
array_list unravel_index(const operand& flat, const shape_list& shape, char order = 'C');
/// ValueError: "invalid entry in coordinates array".
array ravel_multi_index(const array_list& index, const shape_list& shape, const char* mode = "raise", char order = 'C',
                        location where = location::here());
/// Index grids that, used as indices, select the outer product: a(np::ix_(rows, columns)).
array_list ix_(const array_list& vectors, location where = location::here());
template <std::derived_from<array> A, std::derived_from<array> B, std::derived_from<array>... More>
array_tuple<2 + sizeof...(More)> ix_(const A& a, const B& b, const More&... more) {
  return detail::first_of<2 + sizeof...(More)>(ix_(array_list{a, b, more...}));
}

namespace lib {
/// All windows of a shape: a read-only view of shape (places..., window...).
array sliding_window_view(const operand& a, const shape_list& window);
struct window_options {
  axis_list axis{};  // one for each extent of the window; all axes without
  bool writeable = false;
};
array sliding_window_view(const operand& a, const shape_list& window,
                          const window_options& options);
template <std::integral Axis>
array sliding_window_view(const operand& a, const shape_list& window, Axis axis) {
  return sliding_window_view(a, window, {.axis = axis});
}

namespace stride_tricks {
using lib::sliding_window_view;
using numjit::broadcast_arrays;
using numjit::broadcast_to;
struct strided_options {
  bool writeable = true;
};
/// A view of an array's memory of any shape and strides (in bytes). It looks at memory: a graph
/// break inside a compiled function. ValueError where it would reach beyond the memory of the
/// array, or for as many strides as no shape has.
///   np::lib::stride_tricks::as_strided(np::arange(4), {3, 2}, {8, 8})  ->  [[0, 1], [1, 2], [2,
///   3]]
array as_strided(const array& x, const shape_list& shape, const shape_list& strides,
                 const strided_options& options = {});
}  // namespace stride_tricks
}  // namespace lib

}  // namespace numjit
