// Segments whose kernels can't be compiled, as the kernel cache sees them.
#pragma once

#include <memory>

#include <numjit/runtime/kernels/reproducer.h>

namespace numjit::runtime {

/// As reproducer_at_work.
std::unique_ptr<Reproducer> capture_at_work();

}  // namespace numjit::runtime
