// What a run will need, known before it begins.
#pragma once

#include <numjit/runtime/plan/steps.h>

namespace numjit::runtime {

/// MemoryError where a graph that stores into arrays of the program's needs more memory than there is, so that nothing is
/// stored. Not known of graphs with lengths that depend on data; graphs that store nothing fail at the operation.
void refuse_what_does_not_fit(const graph::Graph& graph, const PlannedSteps& planned, const RunInputs& inputs);

}  // namespace numjit::runtime
