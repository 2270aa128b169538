// Which op loops kernels can compute: what the planner asks and what lowering is generated for.
#pragma once

#include <numjit/ops/op.h>

namespace numjit::graph {

/// Is the row's eval an expression?
constexpr bool has_kernel_form(op_id op) { return !facts_of(op).iterates; }

}  // namespace numjit::graph
