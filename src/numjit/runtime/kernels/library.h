// A kernel in memory, ready to be called.
#pragma once

#include <span>
#include <string>

namespace numjit::runtime {

/// What holds a kernel's code.
class OpenKernel {
 public:
  OpenKernel() = default;
  OpenKernel(const OpenKernel&) = delete;
  OpenKernel& operator=(const OpenKernel&) = delete;
  virtual ~OpenKernel() = default;
  /// Address of a symbol, or null.
  virtual void* find(const char* symbol) = 0;
};

/// Opens packed objects (objects.h) by the loader; a shared object, and objects where config.linker is `system` or code can't
/// be put into memory, by the system's dynamic linker, from an anonymous file, so that what was checked is what runs, and
/// nothing stays behind. Throws CompileError if it can't be opened or lacks the entry point.
struct KernelLibrary {
  OpenKernel* handle = nullptr;
  int (*entry)(void** argv) = nullptr;
};
KernelLibrary open_kernel(std::span<const char> bytes, const std::string& name);

void close_kernel(OpenKernel* handle) noexcept;

/// Why the loader can't take packed objects; "" if it can. Asked once for each kernel, before it is stored.
std::string why_not_loadable(std::span<const char> packed);

/// For kernels of devices, installed by whoever launches them: the table that goes into a kernel (see
/// device/kernel_hooks.h), and what to do with its state before it is closed.
struct DeviceKernels {
  const void* hooks = nullptr;
  void (*release)(void* state) noexcept = nullptr;
};
extern constinit DeviceKernels device_kernels;

}  // namespace numjit::runtime
