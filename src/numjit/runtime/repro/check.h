// NUMJIT_REPRO_LEVEL 3 and 4: each run of a segment is compared with the operations one by one.
#pragma once

#include <exception>
#include <functional>

#include <numjit/graph/graph.h>
#include <numjit/runtime/plan/plan.h>

namespace numjit::runtime {

/// What a plan has shown so far.
struct Trust {
  bool lost = false;         // it gave a wrong value: no kernels from now on
  std::exception_ptr error;  // the CompileError about it, where errors are not suppressed
};

/// Calls run(without_kernels) and compares its results with eager ones. Where they differ the right ones
/// take their place, a repro is written, and one line says so (or `trust.error`).
void run_checked(const graph::Graph& graph, const RunInputs& inputs, Trust& trust, const std::function<void(bool)>& run);

}  // namespace numjit::runtime
