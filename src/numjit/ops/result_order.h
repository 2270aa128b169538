// In which order the axes of a new array lie in memory. Internal.
#pragma once

#include <initializer_list>

#include <numjit/ops/bind.h>

namespace numjit::detail {

/// Steps in bytes over a new array without gaps, whose axes lie in the order of the operands' steps: NumPy's order
/// 'K'. Axes that no operand tells apart, or about which two disagree, keep C's order. Leaves `result.strides` empty
/// where that gives C's order, as it does when all operands lie so. `result` has its dtype and shape.
void keep_memory_order(const op_call& call, inference& result);

/// The same for a reduction: the axes that stay keep the order that the input's have.
void keep_memory_order(const op_call& call, const bool* reduced, bool keepdims, inference& result);

/// Steps over an array of this shape without gaps, whose axes lie in the order of those of `like`.
dims dense_strides_like(const node* like, const dims& shape);

}  // namespace numjit::detail
