// Operands that no op may get wrong.
#pragma once

#include <numjit/np.h>
#include <numjit/ops/op.h>

namespace numjit::testing {

/// A (37, 331) array: above what threads share, and no multiple of a vector. Operands 0, 1, ... of an op meet all
/// pairs of special values (NaN, infinities, zeros, subnormals, ends of ranges); random bits and numbers follow.
array operand_values(dtype_id type, int operand);

/// The same held to what the op takes: integers are shifted by 0 to 70 places (a negative count means nothing)
/// and raised to no negative power.
array fitting(op_id op, dtype_id type, int operand, array a);

}  // namespace numjit::testing
