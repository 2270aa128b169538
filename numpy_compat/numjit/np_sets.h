// Sets, sorting beyond sort, ufuncs with several results, and tests of elements.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <numjit/np_manipulation.h>

namespace numjit {

/// What `assume_unique` promises is used by setdiff1d, which then keeps the order of `a`.
struct set_options {
  bool assume_unique = false;
};
// Sets: sorted distinct values of flattened arrays.
//   np::intersect1d(np::array{1, 3, 3}, np::array{3, 1})  ->  [1 3]
array intersect1d(const operand& a, const operand& b, const set_options& options = {});
/// The same with the places of the values in both arrays: NumPy's return_indices=True.
struct intersect1d_result {
  array values, a_indices, b_indices;
};
intersect1d_result intersect1d_all(const operand& a, const operand& b, const set_options& options = {});
array union1d(const operand& a, const operand& b);
/// Values of `a` that are not in `b`; in exactly one of both.
array setdiff1d(const operand& a, const operand& b, const set_options& options = {});
array setxor1d(const operand& a, const operand& b, const set_options& options = {});
/// The parts of unique_all under the array API's names.
array unique_values(const operand& a);
struct unique_counts_result {
  array values, counts;
};
unique_counts_result unique_counts(const operand& a);
struct unique_inverse_result {
  array values, inverse_indices;
};
unique_inverse_result unique_inverse(const operand& a);
struct ediff1d_options {
  array to_end{}, to_begin{};
};
/// Differences of neighbours of the flattened array, with elements behind and before them.
/// TypeError: "dtype of `to_end` must be compatible with input `ary` under the `same_kind` rule."
array ediff1d(const operand& a, const ediff1d_options& options = {});
struct trim_zeros_options {
  std::string trim = "fb";
  axis_list axis{};
};
/// Without the slices of zeros at the front ("f"), the back ("b") or both, of the axes: a view. Reads values.
/// ValueError: "unexpected character(s) in `trim`: 'x'".
array trim_zeros(const operand& a, const trim_zeros_options& options = {});
inline array trim_zeros(const operand& a, const char* trim) { return trim_zeros(a, trim_zeros_options{.trim = trim}); }

/// Order of sorting by several keys, the last one first: keys (k, ...) -> indices (...), along the last axis.
///   np::lexsort({minor, major})
array lexsort(const array_list& keys, location where = location::here());
/// A copy in which the element at place `kth` (or at each of several) is the one that a sort would put there, with no
/// greater one before it and no smaller one behind it; argpartition: the indices of such a copy. The time grows like the
/// number of elements; their order within the parts is unspecified, but the same everywhere. ValueError: "kth(=5) out of
/// bounds (3)".
///   np::partition(np::array{7, 1, 5, 2}, 2)(2)  ->  5
array partition(const operand& a, const index_list& kth, std::int64_t axis = -1);
array partition(const operand& a, const index_list& kth, none_t);
array argpartition(const operand& a, const index_list& kth, std::int64_t axis = -1);
array argpartition(const operand& a, const index_list& kth, none_t);
namespace detail {
array partition_places(const operand& a, std::span<const std::int64_t> kth, std::optional<std::int64_t> axis,
                       bool indices);
}  // namespace detail
/// Sorted by real, then imaginary part; always complex.
array sort_complex(const operand& a);

/// Quotient and remainder of floor division: (floor_divide, remainder).
std::pair<array, array> divmod(const operand& a, const operand& b);
/// Fraction and whole part, both with the sign of x.
std::pair<array, array> modf(const operand& x);
/// x = mantissa * 2^exponent with 0.5 <= |mantissa| < 1; exponents are int32.
std::pair<array, array> frexp(const operand& x);
/// x * 2^exponent, rounded once.
array ldexp(const operand& x, const operand& exponent);
/// Distance to the neighbour away from zero, with the sign of x.
array spacing(const operand& x);
/// Towards zero.
array fix(const operand& x, const ufunc_options& options = {});

// Of each element: is it ...
array isposinf(const operand& x, const ufunc_options& options = {});
array isneginf(const operand& x, const ufunc_options& options = {});
array iscomplex(const operand& x);
array isreal(const operand& x);
/// Of the dtype.
bool iscomplexobj(const operand& x);
bool isrealobj(const operand& x);
/// The real parts if all imaginary parts are within `tol` epsilons of zero. Reads values.
array real_if_close(const operand& a, double tol = 100);

/// Bits of the elements that are not zero, eight a byte, first one highest; and back.
array packbits(const operand& a, std::optional<std::int64_t> axis = {}, const char* bitorder = "big");
array unpackbits(const array& a, std::optional<std::int64_t> axis = {}, std::optional<std::int64_t> count = {},
                 const char* bitorder = "big", location where = location::here());

}  // namespace numjit
