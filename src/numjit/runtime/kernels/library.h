// A linked kernel in memory, opened as a shared library.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace numjit::runtime {

/// Opens the bytes of a shared object from an anonymous file, so that what was checked is what
/// runs, and nothing stays behind. Throws CompileError if it can't be opened or lacks the entry
/// point.
struct KernelLibrary {
  void* handle = nullptr;
  int (*entry)(void** argv) = nullptr;
};
KernelLibrary open_kernel(std::span<const char> bytes, const std::string& name);

void close_kernel(void* handle) noexcept;

/// For kernels of devices, installed by whoever launches them: the table that goes into a kernel (see
/// device/kernel_hooks.h), and what to do with its state before it is closed.
struct DeviceKernels {
  const void* hooks = nullptr;
  void (*release)(void* state) noexcept = nullptr;
};
extern constinit DeviceKernels device_kernels;

}  // namespace numjit::runtime
