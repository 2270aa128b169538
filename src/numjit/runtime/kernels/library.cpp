// Opening kernels from memory files.
#include <numjit/runtime/kernels/library.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <numjit/base/error.h>
#include <numjit/base/fault.h>
#include <numjit/base/file.h>
#include <numjit/runtime/kernels/abi.h>

namespace numjit::runtime {

constinit DeviceKernels device_kernels;

namespace {

/// dlopen() takes a name it has seen for a library it has open, but file numbers are used again:
/// each path spells a running number by "//" and "/./", so that no two are equal.
std::string unique_path(int fd) {
  static std::atomic<unsigned> opened{0};
  std::string path = "/proc/self/fd";
  for (unsigned bits = opened.fetch_add(1) + 1; bits > 1; bits >>= 1) path += bits & 1 ? "//" : "/./";
  return fmt::format("{}/{}", path, fd);
}

}  // namespace

KernelLibrary open_kernel(std::span<const char> bytes, const std::string& name) {
  if (detail::fault_injected(detail::fault_point::load)) throw CompileError("compile", "fault injected into load");
  const detail::File file(memfd_create(name.c_str(), MFD_CLOEXEC));
  if (file.fd < 0 || !detail::write_whole(file.fd, bytes))
    throw CompileError("compile", fmt::format("no memory file for the kernel: {}", std::strerror(errno)));
  KernelLibrary library;
  library.handle = dlopen(unique_path(file.fd).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library.handle) {
    const char* reason = dlerror();
    throw CompileError("compile", fmt::format("the linked kernel can't be loaded: {}", reason ? reason : ""));
  }
  library.entry = reinterpret_cast<int (*)(void**)>(dlsym(library.handle, entry_symbol(name).c_str()));
  if (auto** hooks = static_cast<const void**>(dlsym(library.handle, "numjit_kernel_hooks"))) *hooks = device_kernels.hooks;
  if (!library.entry) {
    dlclose(library.handle);
    throw CompileError("compile", fmt::format("the linked kernel lacks the entry point {}", entry_symbol(name)));
  }
  return library;
}

void close_kernel(void* handle) noexcept {
  if (device_kernels.release)
    if (auto** state = static_cast<void***>(dlsym(handle, "numjit_kernel_state")); state && *state)
      device_kernels.release(**state);
  dlclose(handle);
}

}  // namespace numjit::runtime
