// From object code to a shared object in memory, with the system's linker.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace numjit::runtime {

/// Path of the linker kernels are linked with: the first of ld, ld.bfd, ld.gold, ld.lld in PATH.
std::optional<std::string> find_linker();

/// Links `object` and numjit_kernel_rt.o (where it lies beside the library) to a shared object; kernels for a
/// device also with numjit_kernel_device_rt.o. Throws CompileError with the linker's first line.
std::vector<char> link_kernel(const std::vector<char>& object, const std::string& name, bool for_device = false);

}  // namespace numjit::runtime
