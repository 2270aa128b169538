// From a C++ source to a shared object with its function, kept for the next run. Internal to source_job.
#pragma once

#include <string>

namespace numjit {
class map_function;
}

namespace numjit::map {

struct BuiltSource {
  map_function* function = nullptr;  // alive until the process ends
  std::string identity;              // of the source and what it includes with quotes
};
/// Compiles the source with $CXX, g++, c++ or clang++ unless the cache has it. CompileError if there is no compiler or
/// it refuses the source, OSError, ValueError for a source without NUMJIT_MAP.
BuiltSource build_source(const std::string& path);

}  // namespace numjit::map
