// Ufuncs as values, for their methods: reduce, accumulate, reduceat, outer, at.
//
//   np::maximum.accumulate(x)          running maximum
//   np::add.reduceat(x, {0, 4, 9})     sums of pieces
//   np::add.at(counts, places, 1)      each occurrence counts
//   np::ufunc("fmax").reduce(x)        by name: any ufunc
#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <string_view>

#include <numjit/np_indexing.h>
#include <numjit/np_options.h>
#include <numjit/ops/op.h>

namespace numjit {

/// Options of ufunc::reduce: the axes (np::none: all; the first one by default), dtype in which elements are joined,
/// out, keepdims, the value to begin with, and where elements count.
struct ufunc_reduce_options {
  axis_list axis{0};
  optional_dtype dtype{};
  array out{};
  bool keepdims = false;
  std::optional<operand> initial{};
  array where{};
};

/// Options of ufunc::accumulate and ufunc::reduceat.
struct ufunc_axis_options {
  std::int64_t axis = 0;
  optional_dtype dtype{};
  array out{};
};

/// A ufunc of the op table by its NumPy name ("add", "maximum", "abs", ...); ValueError for another name:
/// "[ufunc] unknown ufunc: got 'madd'; a name of NumPy's ufuncs is expected, as in np::ufunc(\"add\")."
///
/// The methods join elements in the dtype of the call on two of them; add and multiply of shorter integers in 64 bits;
/// logical ones in bool. Elements are joined from the first to the last; sums, products, maxima, minima, any and all
/// in the canonical order (docs/numerics.md). Recorded as one operation each.
/// Errors: ValueError where a function of two arguments is needed, for an empty lane without an identity, for several
/// axes of a function that can't be reordered; TypeError where no loop gives what it takes; AxisError.
class ufunc {
 public:
  explicit ufunc(std::string_view name);
  explicit constexpr ufunc(op_id op) : op_(op) {}

  std::string_view name() const { return info(op_).name; }
  int nin() const { return info(op_).arity; }
  op_id op() const { return op_; }
  /// What changes nothing in a reduction (-1: all bits), or nothing.
  std::optional<double> identity() const;

  array operator()(const operand& a, const ufunc_options& options = {}) const;
  array operator()(const operand& a, const operand& b, const ufunc_options& options = {}) const;

  /// Joins the elements along axes: `np::ufunc("subtract").reduce(np::array{10, 2, 3})` is 5.
  array reduce(const operand& a, const ufunc_reduce_options& options = {}) const;
  template <std::integral Axis>
  array reduce(const operand& a, Axis axis) const {
    return reduce(a, {.axis = axis});
  }
  /// Running results along an axis: `np::maximum.accumulate(np::array{1, 3, 2})` is [1 3 3].
  array accumulate(const operand& a, const ufunc_axis_options& options = {}) const;
  template <std::integral Axis>
  array accumulate(const operand& a, Axis axis) const {
    return accumulate(a, {.axis = axis});
  }
  /// reduce() of the pieces that begin at `indices` and end before the next one; a piece whose end
  /// is not behind its begin is that one element. IndexError: "index 4 out-of-bounds in
  /// add.reduceat [0, 4)".
  array reduceat(const operand& a, const operand& indices,
                 const ufunc_axis_options& options = {}) const;
  array reduceat(const operand& a, std::initializer_list<std::int64_t> indices,
                 const ufunc_axis_options& options = {}) const;
  /// Of all pairs of elements: shape a.shape + b.shape.
  array outer(const operand& a, const operand& b, const ufunc_options& options = {}) const;
  /// a[indices] = op(a[indices], b) one element after the other, so that an index that occurs twice counts twice. The
  /// result is cast to a's dtype, whatever it is.
  void at(const array& a, std::initializer_list<index> indices, const operand& b) const;
  void at(const array& a, const index& indices, const operand& b) const { at(a, {indices}, b); }
  /// The same of a ufunc with one argument.
  void at(const array& a, std::initializer_list<index> indices, call_site where = location::here()) const;
  void at(const array& a, const index& indices, call_site where = location::here()) const { at(a, {indices}, where); }

 private:
  op_id op_;
};

namespace detail {
/// ufunc::at at flat places, C order; values (null: none) have as many elements.
void ufunc_at_places(op_id op, const array& a, const array& places, const array* values);
}  // namespace detail

}  // namespace numjit
