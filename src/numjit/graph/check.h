// What a graph must be for the planner, the rules of the rows and the loops to be safe with it.
#pragma once

#include <string>

#include <numjit/graph/graph.h>

namespace numjit::graph {

/// What is wrong with a graph that was not recorded by this process, "" if nothing is:
/// "node 3: add takes 2 operands, got 1". Operands must stand before their users, parameters must have
/// the form of their row (ops/param_layout.h). Sizes are not known here: infer() checks them at a run.
std::string problem_of(const Graph& graph);

/// The same for the parameters of one op: "its list of axes is cut short".
std::string problem_of(op_id op, const op_params& params);

}  // namespace numjit::graph
