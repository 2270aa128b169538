// Indices of triangles and diagonals, writing at places, choosing, blocks, inserting, functions along axes.
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include <numjit/np_indexing.h>
#include <numjit/np_manipulation.h>

namespace numjit {

/// Indices (int64) of the diagonal of an array (n, n, ...), one vector per axis.
array_list diag_indices(std::int64_t n, int ndim = 2);
array_list diag_indices_from(const array& a, location where = location::here());
/// Indices of the lower and upper triangle of (n, m) matrices, from diagonal k.
///   auto [i, j] = np::tril_indices(2);   ->  i is [0 1 1], j is [0 0 1]
array_tuple<2> tril_indices(std::int64_t n, std::int64_t k = 0, std::int64_t m = -1);
array_tuple<2> triu_indices(std::int64_t n, std::int64_t k = 0, std::int64_t m = -1);
array_tuple<2> tril_indices_from(const array& a, std::int64_t k = 0, location where = location::here());
array_tuple<2> triu_indices_from(const array& a, std::int64_t k = 0, location where = location::here());
/// Indices where mask_function(ones((n, n)), k) is not zero.
array_list mask_indices(std::int64_t n, const std::function<array(const array&, std::int64_t)>& mask_function,
                        std::int64_t k = 0);
/// A matrix with the flattened `v` on diagonal k.
array diagflat(const operand& v, std::int64_t k = 0);

// In place: the diagonal; elements where a mask is true, by values in order (`place`) or by the values
// at the same places of `values` repeated (`putmask`); at indices along an axis.
struct fill_diagonal_options {
  bool wrap = false;  // of tall matrices: again below, after a row without
};
void fill_diagonal(const array& a, const operand& value, const fill_diagonal_options& options = {});
void place(const array& a, const array& mask, const operand& values);
void putmask(const array& a, const array& mask, const operand& values);
void put_along_axis(const array& a, const array& indices, const operand& values, std::int64_t axis);

/// Element i of the result is choices[a[i]][i]. mode: "raise", "wrap", "clip".
/// ValueError: "invalid entry in choice array".
array choose(const operand& a, const array_list& choices, const char* mode = "raise");
/// Functions of x where conditions hold; the last condition that does counts; one more function than
/// conditions is for the rest, which is 0 otherwise.
array piecewise(const operand& x, const array_list& conditions,
                const std::vector<std::function<array(const array&)>>& functions);

/// Arrays of nested lists joined: rows of blocks, each row along the last axis, rows along the first but last.
///   np::block({{a, b}, {c, d}})
array block(const std::vector<array_list>& rows, location where = location::here());
/// Values before the elements at `at` along an axis (of the flattened array without one).
array insert(const operand& a, std::int64_t at, const operand& values, std::optional<std::int64_t> axis = {});
array insert(const operand& a, const array& at, const operand& values, std::optional<std::int64_t> axis = {});
/// Without the elements at several indices, or in a slice.
array delete_(const operand& a, const array& at, std::optional<std::int64_t> axis = {});
array delete_(const operand& a, const slice& at, std::optional<std::int64_t> axis = {});
array delete_(const operand& a, std::initializer_list<std::int64_t> at, std::optional<std::int64_t> axis = {});
/// The flattened elements repeated as often as they fill a shape.
array resize(const operand& a, const shape_list& shape);
/// The arrays along an axis, which goes away.
array_list unstack(const operand& a, std::int64_t axis = 0);
/// Other names of the array API: concatenate, transpose.
array concat(const array_list& arrays, const join_options& options = {}, location where = location::here());
array permute_dims(const operand& a, const dims& axes);
/// The shape that arrays of these shapes broadcast to. ValueError as for the arrays.
dims broadcast_shapes(const std::vector<dims>& shapes);

/// f of each vector along an axis; results are vectors or scalars of one shape, which replaces the axis.
array apply_along_axis(const std::function<array(const array&)>& f, std::int64_t axis, const operand& a);
/// f(a, axis) over several axes, one after the other; an axis that f drops is kept with length 1.
array apply_over_axes(const std::function<array(const array&, std::int64_t)>& f, const operand& a, const dims& axes);

/// Matrix times vector, (..., m, n), (..., n) -> (..., m), and conjugated vector times matrix.
array matvec(const operand& a, const operand& b);
array vecmat(const operand& a, const operand& b);

/// May two arrays have memory in common? shares_memory is exact for what it can tell within bounds of their
/// strides, and counts the others as sharing; may_share_memory compares first and last bytes only.
bool shares_memory(const array& a, const array& b);
bool may_share_memory(const array& a, const array& b);

/// Parts that r_ and c_ join: arrays, numbers and ranges (slices with a stop).
class joined_part {
 public:
  joined_part(const slice& range) : range_(range) {}  // NOLINT(google-explicit-constructor)
  template <class T>
    requires(!std::same_as<std::remove_cvref_t<T>, slice> && std::convertible_to<const T&, operand>)
  joined_part(const T& value) : value_(operand(value)) {}  // NOLINT(google-explicit-constructor)

 private:
  friend array join_parts(std::initializer_list<joined_part> parts, bool columns, location where);
  std::optional<slice> range_;
  std::optional<operand> value_;
};
array join_parts(std::initializer_list<joined_part> parts, bool columns, location where);

/// `np::r_(np::slice(1, 4), 0, a)`: joined along the first axis, as NumPy's np.r_[1:4, 0, a]. ValueError for slices
/// without a stop, and for shapes that do not fit.
struct r_t {
  template <class... A>
  array operator()(const A&... parts) const {
    return join_parts({joined_part(parts)...}, false, location::here());
  }
};
inline constexpr r_t r_{};
/// `np::c_(a, b)`: vectors as columns of a matrix, arrays joined along the last axis.
struct c_t {
  template <class... A>
  array operator()(const A&... parts) const {
    return join_parts({joined_part(parts)...}, true, location::here());
  }
};
inline constexpr c_t c_{};

}  // namespace numjit
