// Opening the libraries of the CUDA Toolkit at run time.
#pragma once

#include <initializer_list>
#include <string>

namespace numjit::devices::cuda {

/// A library: "cuBLAS", the file names of its versions, best first, and the first version that has all functions.
struct LibraryNames {
  const char* product;
  std::initializer_list<const char*> files;
  int version;
};
/// A function of it, and where its address goes.
struct LibraryFunction {
  const char* symbol;
  void** at;
};

/// The first of the files that can be opened, in the folder that NUMJIT_CUDA_LIBRARIES names, else where the system looks,
/// with all these functions found; null, and `why`, if there is none.
void* open_library(const LibraryNames& names, std::initializer_list<LibraryFunction> functions, std::string& why);

}  // namespace numjit::devices::cuda

// A list X(name, symbol, parameters...) of functions that return a status, as fields of a struct `api`, and found by name.
#define NUMJIT_LIBRARY_FIELD(name, symbol, ...) int (*name)(__VA_ARGS__) = nullptr;
#define NUMJIT_LIBRARY_FUNCTION(name, symbol, ...) {symbol, reinterpret_cast<void**>(&api.name)},
