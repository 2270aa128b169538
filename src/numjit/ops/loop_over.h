// The loop of an op that stays within one dtype.
#pragma once

#include <numjit/ops/op.h>

namespace numjit::detail {

/// The loop of `op` whose first input and result are of this dtype, or -1. In rows of two inputs the second one is, too.
inline int loop_over(op_id op, dtype_id type) {
  const auto loops = info(op).loops;
  for (std::size_t l = 0; l < loops.size(); ++l)
    if (loops[l].in[0] == type && loops[l].out == type) return static_cast<int>(l);
  return -1;
}

/// The first loop of `op` over this dtype, or -1.
inline int first_loop_from(op_id op, dtype_id type) {
  const auto loops = info(op).loops;
  for (std::size_t l = 0; l < loops.size(); ++l)
    if (loops[l].in[0] == type) return static_cast<int>(l);
  return -1;
}

}  // namespace numjit::detail
