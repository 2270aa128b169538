// Which op loops kernels can compute: what the planner asks and what lowering is generated for.
#pragma once

#include <numjit/ops/op.h>

namespace numjit::graph {

/// Element types of kernels: all but float16 and complex.
constexpr bool has_kernel_form(dtype_id type) {
  return type != dtype_id::float16 && type != dtype_id::complex64 && type != dtype_id::complex128;
}

/// Rows whose eval loops until a value says stop (Euclid's algorithm) are not expressions.
constexpr bool has_kernel_form(op_id op) { return op != op_id::gcd && op != op_id::lcm; }

}  // namespace numjit::graph
