// Stacks of matrices, by operations: what the rules of linear algebra are written in. Internal to transform.
#pragma once

#include <numjit/ops/routine.h>
#include <numjit/transform/shapes.h>

namespace numjit::transform {

/// In this dtype.
inline array of_type(const array& a, dtype_id type) { return type_of(a) == type ? a : detail::cast(a, type); }
/// A sum or maximum over axes; all of them, if none is named.
array reduced(op_id op, const array& a, std::initializer_list<int> axes, bool keepdims = false);
inline array matmul(const array& a, const array& b) {
  const operand in[] = {a, b};
  return bind({op_id::matmul, in});
}
inline array matmul(const array& a, const array& b, const array& c) { return matmul(matmul(a, b), c); }
inline array plus(const array& a, const array& b) { return binary(op_id::add, a, b); }
inline array minus(const array& a, const array& b) { return binary(op_id::subtract, a, b); }
inline array times(const array& a, const array& b) { return binary(op_id::multiply, a, b); }
inline array negated(const array& a) { return bind_ufunc(op_id::negative, a); }
inline array halved(const array& a) { return binary(op_id::multiply, a, operand(0.5, "", "", 0)); }
/// The last two axes exchanged.
array transposed(const array& a);
/// The same, conjugate: A^H.
array adjoint_of(const array& a);
/// (A + A^H) / 2.
array hermitian_part(const array& a);
array real_of(const array& a);
array imag_of(const array& a);
/// 1j * a.
array times_i(const array& a);
/// The elements of the diagonals: shape (..., n).
array diagonal_of(const array& a);
/// Matrices with these diagonals, in the dtype of `like`.
array diagonal_matrix(const array& d, const array& like);
/// What is below the diagonals, and zeros.
array below_diagonal(const array& a);
/// With a factor for each column, (..., n), or each row.
array scale_columns(const array& a, const array& factors);
array scale_rows(const array& a, const array& factors);
/// d[..., j] - d[..., i].
array differences(const array& d);
/// 1 / a, and 0 where the magnitude is at most `least` (which broadcasts).
array inverse_or_zero(const array& a, const array& least);

/// What a change of `a` by `d` changes of its pseudoinverse `p`. G. Golub, V. Pereyra, "The differentiation of pseudo-inverses
/// and nonlinear least squares problems whose variables separate" (1973): right where singular values are equal, which the rule
/// of the SVD is not.
array change_of_pseudoinverse(const array& a, const array& p, const array& d);
/// A routine of one or two inputs of the same dtype.
array run_routine(detail::routine_id id, std::initializer_list<array> in, std::initializer_list<std::int64_t> more = {});
inline array solved(const array& a, const array& b) { return run_routine(detail::routine_id::solve, {a, b}); }
/// NaN for singular matrices.
inline array inverse(const array& a) { return run_routine(detail::routine_id::inverse, {a}, {1}); }

/// Parts of what a routine gives for each matrix, one after the other along the last axis.
class Packed {
 public:
  explicit Packed(const array& all) : all_(all) {}
  /// The next part, in this shape.
  array next(const dims& shape);

 private:
  const array& all_;
  std::int64_t at_ = 0;
};
/// The reverse: parts with so many axes each behind those of the stack, in the dtype of the result.
array packed(std::initializer_list<std::pair<array, int>> parts, dtype_id type);

}  // namespace numjit::transform
