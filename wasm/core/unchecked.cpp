// Compiled segments beside eager ones: not in pages. They have no environment that could ask for it
// (NUMJIT_REPRO_LEVEL), and no files that a difference could be written to; programs have both.
#include <numjit/runtime/repro/check.h>

namespace numjit::runtime {

void run_checked(const graph::Graph&, const RunInputs&, Trust&, const std::function<void(bool)>& run) { run(false); }

}  // namespace numjit::runtime
