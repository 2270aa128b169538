// Opening the CUDA driver, and its errors in words.
#include <numjit/device/cuda_api.h>

#include <dlfcn.h>

#include <cstdlib>

#include <fmt/format.h>

#include <numjit/base/error.h>

namespace numjit::devices::cuda {
namespace {

Api load() {
  Api cu;
  const char* name = std::getenv("NUMJIT_CUDA_DRIVER");
  if (!name || !*name) name = "libcuda.so.1";
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    cu.why = fmt::format("there is no CUDA driver ({} can't be opened)", name);
    return cu;
  }
#define NUMJIT_FIND(field, symbol, ...)                                                          \
  cu.field = reinterpret_cast<decltype(cu.field)>(dlsym(library, symbol));                       \
  if (!cu.field) {                                                                               \
    cu.why = fmt::format("the CUDA driver {} is too old: it has no {}", name, symbol);           \
    return cu;                                                                                   \
  }
  NUMJIT_CUDA(NUMJIT_FIND)
#undef NUMJIT_FIND
  if (result code = cu.Init(0); code != success) {
    cu.why = "cuInit failed: " + error_text(cu, code);
    return cu;
  }
  cu.DriverGetVersion(&cu.driver_version);
  if (result code = cu.DeviceGetCount(&cu.device_count); code != success) {
    cu.device_count = 0;
    cu.why = "cuDeviceGetCount failed: " + error_text(cu, code);
  } else if (cu.device_count == 0) {
    cu.why = "the CUDA driver sees no device";
  }
  return cu;
}

/// Errors after which the context does nothing any more.
bool is_sticky(result code) {
  switch (code) {
    case 46: case 700: case 702: case 709: case 710: case 714: case 715: case 716: case 717: case 718: case 719:
      return true;
    default: return false;
  }
}

}  // namespace

const Api& api() {
  static const auto& cu = *new Api(load());
  return cu;
}

std::string error_text(const Api& cu, result code) {
  const char *name = nullptr, *text = nullptr;
  if (cu.GetErrorName && cu.GetErrorName(code, &name) != success) name = nullptr;
  if (cu.GetErrorString && cu.GetErrorString(code, &text) != success) text = nullptr;
  return fmt::format("{} ({}){}{}", name ? name : "CUDA error", code, text ? ": " : "", text ? text : "");
}

void fail(const std::string& device, const char* call, result code) {
  throw DeviceError("device", fmt::format("{}: {} failed: {}.{}", device, call, error_text(api(), code),
                                          is_sticky(code) ? " The device does nothing more for this process: start "
                                                            "it again. Arrays whose value is on the host are safe."
                                                          : ""));
}

}  // namespace numjit::devices::cuda
