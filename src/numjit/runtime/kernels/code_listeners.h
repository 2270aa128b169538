// Tells perf and debuggers of kernels that were put into memory by the loader, which sees no file of them.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <numjit/runtime/kernels/loader.h>

namespace numjit::runtime {

/// Under config.perf or NUMJIT_DEBUG; else null, and nothing is done. Appends a line to /tmp/perf-<process>.map, as perf reads
/// it; while the result lives, debuggers that know the JIT interface of gdb see the objects' symbols.
std::shared_ptr<const void> tell_of_code(const LoadedObjects& loaded, std::span<const std::span<const char>> objects,
                                         const std::string& name);

}  // namespace numjit::runtime
