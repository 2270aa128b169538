// Shapes and parts of arrays, by operations: what rules and paths are written in.
#pragma once

#include <numjit/ops/calls.h>

namespace numjit::transform {

/// Lengths that depend on data are waited for: rules compare and count them.
inline dims shape_of(const array& a) { return dims(detail::sized(a.get())->shape, a.get()->rank); }
inline int rank_of(const array& a) { return a.get()->rank; }
inline dtype_id type_of(const array& a) { return a.get()->type; }
inline bool is_complex(dtype_id t) { return dtype(t).kind() == 'c'; }
inline bool is_inexact(dtype_id t) { return dtype(t).kind() == 'f' || dtype(t).kind() == 'c'; }

/// Summed over the axes that broadcasting `shape` to that of `g` repeated, in the dtype of `g`.
array sum_to_shape(const array& g, const dims& shape);
/// The same elements in another shape, of which one extent may be -1.
array reshaped(const array& a, dims shape);
/// a[..., start:stop:step, ...] on one axis; layout::none: not given.
array slice(const array& a, int axis, std::int64_t start, std::int64_t stop, std::int64_t step = layout::none);
op_params slice_params(int rank, int axis, std::int64_t start, std::int64_t stop, std::int64_t step = layout::none);
array flip(const array& a, int axis);
/// With the axis at another place, the others in their order.
array move_axis(const array& a, int from, int to);
array with_axis_of_one(const array& a, int axis);
/// A copy whose axes lie in memory as those of `like`, which has the same shape: libraries give other bits for other orders.
array copy_lying_as(const array& a, const node* like);
array joined(const array& a, const array& b, int axis);
array full_of(const dims& shape, dtype_id type, std::int64_t value);
array count_to(std::int64_t n);  // 0, 1, ..., n - 1
array conjugate(const array& a);
array select(const operand& mask, const operand& a, const operand& b);
array binary(op_id op, const operand& a, const operand& b);

/// The axes of a reduction that are reduced, rising, each from 0.
dims reduced_axes(const layout::reduction& r, int rank);
/// The shape with the reduced axes kept as 1.
dims kept_shape(const dims& shape, const dims& axes);

/// x[..., index[..., i, ...], ...]: elements along an axis, by an array of indices of x's shape but for that axis.
array take_along(const array& x, const array& index, int axis);

}  // namespace numjit::transform
