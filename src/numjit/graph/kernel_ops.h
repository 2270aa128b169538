// Which op loops kernels can compute: what the planner asks and what lowering is generated for.
#pragma once

#include <numjit/ops/op.h>

namespace numjit::graph {

/// Rows whose eval loops until a value says stop (Euclid's algorithm) are not expressions.
constexpr bool has_kernel_form(op_id op) { return op != op_id::gcd && op != op_id::lcm; }

}  // namespace numjit::graph
