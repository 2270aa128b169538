// How the host code that the code generator makes beside a GPU kernel reaches the device layer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>

#include <numjit/device/device.h>

namespace numjit::devices {

/// What kernels call, by way of halide_gen/kernel_device_rt.c, which has the same struct. The functions return 0,
/// or -1 after they have left an error to the LaunchScope of the thread.
struct KernelHooks {
  int (*initialize)(void** state, const char* source, int size);
  /// `shape`: blocks x, y, z, threads x, y, z, shared bytes. Lists end with size 0.
  int (*run)(void* state, const char* entry, const int* shape, const std::size_t* sizes, void** arguments,
             const std::int8_t* is_buffer);
};
const KernelHooks& kernel_hooks();

/// Forgets the device code that `initialize` left in a kernel's state: before the kernel's library is closed.
void release_kernel_state(void* state) noexcept;

/// Kernels called while it lives run on this device, in the order of this thread's stream.
class LaunchScope {
 public:
  LaunchScope(std::uint8_t device, Stream& stream);
  ~LaunchScope();
  LaunchScope(const LaunchScope&) = delete;
  LaunchScope& operator=(const LaunchScope&) = delete;
  /// Throws what a kernel call since the last check has met.
  void check();

  const std::uint8_t device;
  Stream& stream;
  LaunchList* list = nullptr;  // gets what is launched
  std::exception_ptr failure;
  std::int64_t launches = 0;

 private:
  LaunchScope* outer_;
};

/// Kernel launches since start, of the whole process.
std::int64_t launch_count();
void count_launches(std::int64_t n);

}  // namespace numjit::devices
