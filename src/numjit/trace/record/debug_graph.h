// What is told about a graph and its plan when they are made: performance hints, and the files of the
// debug folder.
#pragma once

#include <string>

#include <numjit/graph/graph.h>
#include <numjit/runtime/plan/plan.h>

namespace numjit::tracing {

/// Tells the channel perf_hints and the debug folder, as far as they are on.
void report_plan(const std::string& function, const graph::Graph& graph, const runtime::Plan& plan,
                 const runtime::RunInputs& inputs);

}  // namespace numjit::tracing
