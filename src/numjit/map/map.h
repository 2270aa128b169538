// The batch runner: applies a function to many files.
#pragma once

#include <numjit/map/options.h>

namespace numjit::map {

/// Applies a function to many files. 0 done, 1 some files failed, 130 stopped by a signal. Throws what keeps it from
/// beginning.
int run_map(const map_options& options);

}  // namespace numjit::map
