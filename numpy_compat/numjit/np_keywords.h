// Arguments by NumPy's names, for functions that elsewhere take them in their places, and lists in braces where a
// vector is meant:
//
//   np::tril(a, {.k = -1});  np::searchsorted(a, v, {.side = "right"});  np::concatenate({a, b}, 1);
//   np::histogram(x, {.bins = 50, .range = {0, 1}, .density = true});
//   np::isin(a, {1, 2});  np::percentile(a, {25, 50, 75}, {.axis = 0});
//
// What each of them does, and which errors it throws, stands where the function is declared.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <numjit/np_index_tricks.h>
#include <numjit/np_io.h>
#include <numjit/np_linalg.h>
#include <numjit/np_polynomial.h>
#include <numjit/np_random.h>
#include <numjit/np_sets.h>
#include <numjit/np_statistics.h>

namespace numjit {

/// Values in braces, nested to any depth.
using value_list = std::initializer_list<nested>;

// ---- making arrays ----

struct linspace_keywords {
  std::int64_t num = 50;
  bool endpoint = true;
  optional_dtype dtype{};
  std::int64_t axis = 0;
  std::optional<std::string> device{};
};
array linspace(const operand& start, const operand& stop, const linspace_keywords& o);
linspace_result linspace_retstep(const operand& start, const operand& stop, const linspace_keywords& o);
array geomspace(const operand& start, const operand& stop, const linspace_keywords& o);
struct logspace_keywords {
  std::int64_t num = 50;
  bool endpoint = true;
  operand base = 10.0;
  optional_dtype dtype{};
  std::int64_t axis = 0;
};
array logspace(const operand& start, const operand& stop, const logspace_keywords& o);
array full(const shape_list& shape, const operand& value, numjit::dtype t);
array zeros_like(const operand& a, numjit::dtype t);
array ones_like(const operand& a, numjit::dtype t);
array empty_like(const operand& a, numjit::dtype t);
array full_like(const operand& a, const operand& value, numjit::dtype t);
array asarray(const operand& a, numjit::dtype t);
/// Another dtype; without `copy` the array itself if it has that dtype and order already. order: as of np::copy. casting:
/// "no", "equiv", "safe", "same_kind" or "unsafe"; TypeError where a rule forbids the cast: "Cannot cast array data from
/// dtype('float64') to dtype('int32') according to the rule 'safe'".
struct astype_options {
  char order = 'K';
  const char* casting = "unsafe";
  bool copy = true;
  std::optional<std::string> device{};
};
array astype(const array& x, numjit::dtype t, const astype_options& o = {}, location where = location::here());
array_tuple<2> meshgrid(const array& x, const array& y, const meshgrid_options& o = {}, location where = location::here());
array_tuple<3> meshgrid(const array& x, const array& y, const array& z, const meshgrid_options& o = {},
                        location where = location::here());
struct vander_options {
  std::int64_t N = -1;
  bool increasing = false;
};
array vander(const operand& x, const vander_options& o);

// ---- diagonals and triangles ----

struct k_options {
  std::int64_t k = 0;
};
array diag(const operand& v, const k_options& o);
array diagflat(const operand& v, const k_options& o);
array tril(const operand& m, const k_options& o);
array triu(const operand& m, const k_options& o);
array_tuple<2> tril_indices_from(const array& a, const k_options& o, location where = location::here());
array_tuple<2> triu_indices_from(const array& a, const k_options& o, location where = location::here());
struct triangle_options {
  std::int64_t k = 0;
  std::int64_t m = -1;
};
array_tuple<2> tril_indices(std::int64_t n, const triangle_options& o);
array_tuple<2> triu_indices(std::int64_t n, const triangle_options& o);
struct diagonal_options {
  std::int64_t offset = 0;
  std::int64_t axis1 = 0;
  std::int64_t axis2 = 1;
};
array diagonal(const operand& a, const diagonal_options& o);
struct trace_keywords {
  std::int64_t offset = 0;
  std::int64_t axis1 = 0;
  std::int64_t axis2 = 1;
  optional_dtype dtype{};
  array out{};
};
array trace(const operand& a, const trace_keywords& o);

// ---- shapes, joining, rearranging ----

/// order: 'C', 'F' (the first index changes fastest, in reading and in placing the elements), or 'A' ('F' for arrays in
/// Fortran's order only).
struct order_options {
  char order = 'C';
};
/// copy: true for a new array in any case, false for none: ValueError "Unable to avoid creating a copy while reshaping."
struct reshape_options {
  char order = 'C';
  std::optional<bool> copy{};
};
array reshape(const operand& a, const shape_list& shape, const reshape_options& o);
/// As np::copy(a, order), in the order of the argument without one.
struct copy_options {
  char order = 'K';
};
array copy(const operand& a, const copy_options& o);
array ravel(const operand& a, const order_options& o);
array concatenate(const array_list& arrays, std::int64_t axis, location where = location::here());
array stack(const array_list& arrays, std::int64_t axis, location where = location::here());
struct axis_options {
  std::optional<std::int64_t> axis{};
};
array append(const operand& a, const operand& values, const axis_options& o);
array repeat(const operand& a, std::int64_t repeats, const axis_options& o);
array repeat(const operand& a, const array& repeats, const axis_options& o);
array roll(const operand& a, std::int64_t shift, const axis_options& o);
array insert(const operand& a, std::int64_t at, const operand& values, const axis_options& o);
array insert(const operand& a, const array& at, const operand& values, const axis_options& o);
array delete_(const operand& a, std::int64_t at, const axis_options& o);
array delete_(const operand& a, const array& at, const axis_options& o);
struct split_options {
  std::int64_t axis = 0;
};
array_list split(const operand& a, const indices_or_sections& by, const split_options& o);
array_list array_split(const operand& a, const indices_or_sections& by, const split_options& o);
array_list unstack(const operand& a, const split_options& o);
struct rot90_options {
  int k = 1;
  std::pair<std::int64_t, std::int64_t> axes = {0, 1};
};
array rot90(const operand& a, const rot90_options& o);

// ---- searching, sorting, counting ----

/// axis none: of the flattened array, by a vector of indices.
struct along_axis_options {
  std::optional<std::int64_t> axis = -1;
};
array take_along_axis(const operand& a, const array& indices, const along_axis_options& o = {});
void put_along_axis(const array& a, const array& indices, const operand& values, const along_axis_options& o);
struct last_axis_options {
  std::int64_t axis = -1;
};
array lexsort(const array_list& keys, const last_axis_options& o, location where = location::here());
/// ValueError: "select kind must be 'introselect' (got 'x')".
struct partition_options {
  std::optional<std::int64_t> axis = -1;  // none: of the flattened array
  const char* kind = "introselect";
};
array partition(const operand& a, const index_list& kth, const partition_options& o);
array argpartition(const operand& a, const index_list& kth, const partition_options& o);
struct searchsorted_options {
  const char* side = "left";
  array sorter{};
};
array searchsorted(const operand& a, const operand& v, const searchsorted_options& o);
array searchsorted(const operand& a, value_list v, const searchsorted_options& o = {});
struct digitize_options {
  bool right = false;
};
array digitize(const operand& x, const operand& bins, const digitize_options& o);
array digitize(const operand& x, value_list bins, const digitize_options& o = {});
struct mode_options {
  const char* mode = "raise";
};
struct choose_options {
  array out{};
  const char* mode = "raise";
};
array choose(const operand& a, const array_list& choices, const choose_options& o);
void put(const array& a, const array& indices, const operand& values, const mode_options& o);
array take(const operand& a, value_list indices, const take_options& o = {});
array take(const operand& a, value_list indices, std::int64_t axis);
array isin(const operand& a, value_list test, const isin_options& o = {});
struct unravel_options {
  char order = 'C';
};
array_list unravel_index(const operand& flat, const shape_list& shape, const unravel_options& o);
struct ravel_multi_options {
  const char* mode = "raise";
  char order = 'C';
};
array ravel_multi_index(const array_list& index, const shape_list& shape, const ravel_multi_options& o,
                        location where = location::here());
struct packbits_options {
  std::optional<std::int64_t> axis{};
  const char* bitorder = "big";
};
array packbits(const operand& a, const packbits_options& o);
struct unpackbits_options {
  std::optional<std::int64_t> axis{};
  std::optional<std::int64_t> count{};
  const char* bitorder = "big";
};
array unpackbits(const array& a, const unpackbits_options& o, location where = location::here());

/// The bins of a histogram: their number, their edges, or a rule by its name.
class histogram_bins {
 public:
  template <std::integral T>
    requires(weak_scalar<T> && !std::same_as<T, bool>)
  histogram_bins(T count) : count_(static_cast<std::int64_t>(count)) {}
  histogram_bins(const char* rule) : rule_(rule) {}
  histogram_bins(const array& edges) : edges_(edges) {}
  histogram_bins(value_list edges) : edges_(edges) {}

  std::int64_t count() const { return count_; }
  const char* rule() const { return rule_; }
  /// An empty handle if there is a number or a rule.
  const array& edges() const { return edges_; }

 private:
  std::int64_t count_ = 0;
  const char* rule_ = nullptr;
  array edges_;
};
/// The range of a histogram, that of the data by default.
class histogram_range {
 public:
  histogram_range() = default;
  histogram_range(none_t) {}
  histogram_range(double low, double high) : bounds_(std::pair(low, high)) {}
  histogram_range(std::pair<double, double> bounds) : bounds_(bounds) {}
  const std::optional<std::pair<double, double>>& bounds() const { return bounds_; }

 private:
  std::optional<std::pair<double, double>> bounds_;
};
struct histogram_options {
  random::detail::named_only _{};
  histogram_bins bins = 10;
  histogram_range range{};
  bool density = false;
  array weights{};
};
histogram_result histogram(const operand& a, const histogram_options& o);
struct histogram_counting {
  random::detail::named_only _{};
  histogram_range range{};
  bool density = false;
  array weights{};
};
histogram_result histogram(const operand& a, std::int64_t bins, const histogram_counting& o);
histogram_result histogram(const operand& a, const array& edges, const histogram_counting& o);
struct histogram_edges_options {
  random::detail::named_only _{};
  histogram_bins bins = 10;
  histogram_range range{};
  array weights{};
};
array histogram_bin_edges(const operand& a, const histogram_edges_options& o);
/// The bins of np::histogram2d: one number for both axes, or two.
struct histogram2d_bins {
  histogram2d_bins(std::int64_t both) : x(both), y(both) {}
  histogram2d_bins(std::int64_t x_, std::int64_t y_) : x(x_), y(y_) {}
  std::int64_t x, y;
};
struct histogram2d_options {
  random::detail::named_only _{};
  histogram2d_bins bins = 10;
  std::pair<histogram_range, histogram_range> range{};
  bool density = false;
  array weights{};
};
histogram2d_result histogram2d(const operand& x, const operand& y, const histogram2d_options& o);

/// Points by their coordinates, a vector for each axis; bins and ranges: one for each axis, bins one for all, too.
struct histogramdd_options {
  random::detail::named_only _{};
  std::vector<histogram_bins> bins{10};
  std::vector<histogram_range> range{};
  bool density = false;
  array weights{};
};
histogramdd_result histogramdd(const array_list& columns, const histogramdd_options& o, location where = location::here());

// ---- numbers ----

struct round_options {
  int decimals = 0;
  array out{};
};
array round(const operand& a, const round_options& o);
array around(const operand& a, const round_options& o);
struct clip_options {
  std::optional<operand> a_min{}, a_max{};
  array out{};
  std::optional<operand> min{}, max{};
};
/// ValueError: "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden."
array clip(const operand& a, const clip_options& o);
struct angle_options {
  bool deg = false;
};
array angle(const operand& z, const angle_options& o);
struct equal_nan_options {
  bool equal_nan = false;
};
bool array_equal(const operand& a1, const operand& a2, const equal_nan_options& o);
array percentile(const operand& a, value_list q, const quantile_options& o = {});
array percentile(const operand& a, value_list q, std::int64_t axis);
array quantile(const operand& a, value_list q, const quantile_options& o = {});
array quantile(const operand& a, value_list q, std::int64_t axis);
array nanpercentile(const operand& a, value_list q, const quantile_options& o = {});
array nanquantile(const operand& a, value_list q, const quantile_options& o = {});
struct slope_options {
  std::int64_t axis = 0;
  int edge_order = 1;
};
array gradient(const operand& f, const slope_options& o);
array gradient(const operand& f, double spacing, const slope_options& o);
array gradient(const operand& f, const array& coordinates, const slope_options& o = {});
struct convolve_options {
  const char* mode = "full";
};
array convolve(const operand& a, const operand& v, const convolve_options& o);
array convolve(const operand& a, value_list v, const convolve_options& o = {});
struct correlate_options {
  const char* mode = "valid";
};
array correlate(const operand& a, const operand& v, const correlate_options& o);
array correlate(const operand& a, value_list v, const correlate_options& o = {});

// ---- products ----

/// Axes summed over: how many, or those of each operand.
class tensordot_axes {
 public:
  template <std::integral T>
    requires(weak_scalar<T>)
  tensordot_axes(T count) : count_(static_cast<int>(count)) {}
  tensordot_axes(dims a, dims b) : a_(std::move(a)), b_(std::move(b)) {}
  int count() const { return count_; }
  const dims& a() const { return a_; }
  const dims& b() const { return b_; }

 private:
  int count_ = -1;
  dims a_, b_;
};
struct tensordot_options {
  tensordot_axes axes = 2;
};
array tensordot(const operand& a, const operand& b, const tensordot_options& o);
struct cross_options {
  std::int64_t axisa = -1;
  std::int64_t axisb = -1;
  std::int64_t axisc = -1;
  std::optional<std::int64_t> axis{};
};
array cross(const operand& a, const operand& b, const cross_options& o);
/// The result is written to `out` and cast by 'same_kind'; dot takes an array of exactly its dtype and shape in C order.
/// ValueError: "output array is not acceptable (must have the right datatype, number of dimensions, and be a C-Array)",
/// "output array has wrong dimensions".
struct out_options {
  array out{};
};
array matmul(const operand& a, const operand& b, const out_options& o);
array dot(const operand& a, const operand& b, const out_options& o);
array outer(const operand& a, const operand& b, const out_options& o);

namespace linalg {
struct uplo_options {
  char UPLO = 'L';
};
eig_result eigh(const operand& a, const uplo_options& o);
array eigvalsh(const operand& a, const uplo_options& o);
struct qr_options {
  const char* mode = "reduced";
};
qr_result qr(const operand& a, const qr_options& o);
struct lstsq_options {
  std::optional<double> rcond{};
};
lstsq_result lstsq(const operand& a, const operand& b, const lstsq_options& o);
struct cond_options {
  norm_order p{};
};
array cond(const operand& a, const cond_options& o);
struct tensorinv_options {
  int ind = 2;
};
array tensorinv(const operand& a, const tensorinv_options& o);
struct tensorsolve_options {
  std::optional<dims> axes{};
};
array tensorsolve(const operand& a, const operand& b, const tensorsolve_options& o);
array cross(const operand& a, const operand& b, const axis_options& o);
struct offset_options {
  std::int64_t offset = 0;
};
array diagonal(const operand& a, const offset_options& o);
array vecdot(const operand& a, const operand& b, const axis_options& o);
using numjit::tensordot;
}  // namespace linalg
using linalg::vecdot;

// ---- polynomials ----

array polyval(value_list p, const operand& x);
array poly(value_list zeros);
array roots(value_list p);
struct polyder_options {
  int m = 1;
};
array polyder(const operand& p, const polyder_options& o);
struct polyint_options {
  int m = 1;
  integration_constants k{};
};
array polyint(const operand& p, const polyint_options& o);

// ---- bytes ----

/// Of array::byteswap.
struct byteswap_options {
  bool inplace = false;
};

struct frombuffer_options {
  numjit::dtype dtype = float64;
  std::int64_t count = -1;
  std::int64_t offset = 0;
};
array frombuffer(std::string_view bytes, const frombuffer_options& o);
array fromfile(const std::string& path, const frombuffer_options& o);
struct fromstring_options {
  numjit::dtype dtype = float64;
  std::int64_t count = -1;
  const char* sep = " ";
};
array fromstring(std::string_view text, const fromstring_options& o);

}  // namespace numjit
