// Opening kernels: objects by the loader, shared objects from memory files.
#include <numjit/runtime/kernels/library.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/base/fault.h>
#include <numjit/base/file.h>
#include <numjit/runtime/kernels/abi.h>
#include <numjit/runtime/kernels/code_listeners.h>
#include <numjit/runtime/kernels/linker.h>
#include <numjit/runtime/kernels/loader.h>
#include <numjit/runtime/kernels/objects.h>

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

class SharedObject final : public OpenKernel {
 public:
  SharedObject(std::span<const char> bytes, const std::string& name) {
    const detail::File file(memfd_create(name.c_str(), MFD_CLOEXEC));
    if (file.fd < 0 || !detail::write_whole(file.fd, bytes))
      throw CompileError("compile", fmt::format("no memory file for the kernel: {}", std::strerror(errno)));
    handle_ = dlopen(unique_path(file.fd).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_) return;
    const char* reason = dlerror();
    throw CompileError("compile", fmt::format("the linked kernel can't be loaded: {}", reason ? reason : ""));
  }
  ~SharedObject() override { dlclose(handle_); }
  void* find(const char* symbol) override { return dlsym(handle_, symbol); }

 private:
  void* handle_;
};

class Objects final : public OpenKernel {
 public:
  Objects(std::span<const std::span<const char>> objects, const std::string& name)
      : loaded_(objects), told_(tell_of_code(loaded_, objects, name)) {}
  void* find(const char* symbol) override { return loaded_.find(symbol); }

 private:
  const LoadedObjects loaded_;
  const std::shared_ptr<const void> told_;
};

std::unique_ptr<OpenKernel> open_code(std::span<const char> bytes, const std::string& name) {
  if (!is_packed_objects(bytes)) return std::make_unique<SharedObject>(bytes, name);
  const auto objects = unpack_objects(bytes);
  if (config().linker == linker_choice::system) return std::make_unique<SharedObject>(link_kernel(bytes, name), name);
  try {
    return std::make_unique<Objects>(objects, name);
  } catch (const CompileError&) {
    // Made where code can be put into memory, opened where it can't.
    if (!find_linker()) throw;
    return std::make_unique<SharedObject>(link_kernel(bytes, name), name);
  }
}

}  // namespace

std::string why_not_loadable(std::span<const char> packed) {
  if (config().linker == linker_choice::system) return "config.linker is system";
  try {
    LoadedObjects{unpack_objects(packed)};
  } catch (const CompileError& e) {
    return e.what();
  }
  return "";
}

KernelLibrary open_kernel(std::span<const char> bytes, const std::string& name) {
  if (detail::fault_injected(detail::fault_point::load)) throw CompileError("compile", "fault injected into load");
  std::unique_ptr<OpenKernel> opened = open_code(bytes, name);
  if (auto** hooks = static_cast<const void**>(opened->find("numjit_kernel_hooks"))) *hooks = device_kernels.hooks;
  const auto entry = reinterpret_cast<int (*)(void**)>(opened->find(entry_symbol(name).c_str()));
  if (!entry) throw CompileError("compile", fmt::format("the linked kernel lacks the entry point {}", entry_symbol(name)));
  return {opened.release(), entry};
}

void close_kernel(OpenKernel* handle) noexcept {
  const std::unique_ptr<OpenKernel> closed(handle);
  if (device_kernels.release)
    if (auto** state = static_cast<void***>(closed->find("numjit_kernel_state")); state && *state)
      device_kernels.release(**state);
}

}  // namespace numjit::runtime
