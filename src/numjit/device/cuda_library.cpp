// Where the libraries of the CUDA Toolkit are looked for.
#include <numjit/device/cuda_library.h>

#include <dlfcn.h>

#include <cstdlib>

#include <fmt/format.h>

namespace numjit::devices::cuda {

void* open_library(const char* product, std::initializer_list<const char*> names, std::string& why) {
  const char* folder = std::getenv("NUMJIT_CUDA_LIBRARIES");
  std::string tried;
  for (const char* name : names) {
    const std::string path = folder && *folder ? fmt::format("{}/{}", folder, name) : name;
    if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    tried += (tried.empty() ? "" : ", ") + path;
  }
  why = fmt::format("there is no {} ({} can't be opened; NUMJIT_CUDA_LIBRARIES names the folder where it is)", product, tried);
  return nullptr;
}

}  // namespace numjit::devices::cuda
