// Makes a repro smaller as long as its fault still shows.
#pragma once

#include <functional>

#include <numjit/runtime/repro/repro.h>

namespace numjit::runtime {

/// Does the fault in question show in this candidate?
using ReproCheck = std::function<bool(const Repro&)>;

/// Delta debugging over the graph: cuts it to a prefix, keeps single outputs, turns chunks of operations
/// into inputs, and replaces operations by an operand of the same type and shape. The repro itself, whose
/// fault must show, is returned if nothing smaller does. Runs the graph once in this process, eagerly.
Repro minify(const Repro& repro, const ReproCheck& shows);

/// Are two outcomes the same fault? Kernel names and numbers in errors do not count.
bool same_fault(const ReproOutcome& a, const ReproOutcome& b);

}  // namespace numjit::runtime
