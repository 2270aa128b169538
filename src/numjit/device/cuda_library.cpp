// Where the libraries of the CUDA Toolkit are looked for.
#include <numjit/device/cuda_library.h>

#include <dlfcn.h>

#include <cstdlib>

#include <fmt/format.h>

namespace numjit::devices::cuda {

namespace {

void* open_file(const LibraryNames& names, std::string& why) {
  const char* folder = std::getenv("NUMJIT_CUDA_LIBRARIES");
  std::string tried;
  for (const char* name : names.files) {
    const std::string path = folder && *folder ? fmt::format("{}/{}", folder, name) : name;
    if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    tried += (tried.empty() ? "" : ", ") + path;
  }
  why = fmt::format("there is no {} ({} can't be opened; NUMJIT_CUDA_LIBRARIES names the folder where it is)", names.product,
                    tried);
  return nullptr;
}

}  // namespace

void* open_library(const LibraryNames& names, std::initializer_list<LibraryFunction> functions, std::string& why) {
  void* const library = open_file(names, why);
  if (!library) return nullptr;
  for (const LibraryFunction& function : functions) {
    *function.at = dlsym(library, function.symbol);
    if (*function.at) continue;
    why = fmt::format("its {} has no {} (version {} is needed)", names.product, function.symbol, names.version);
    return nullptr;
  }
  return library;
}

}  // namespace numjit::devices::cuda
