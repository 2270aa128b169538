// Opening the libraries of the CUDA Toolkit at run time.
#pragma once

#include <initializer_list>
#include <string>

namespace numjit::devices::cuda {

/// The first of the names that can be opened, in the folder that NUMJIT_CUDA_LIBRARIES names, else where the system looks;
/// null, and `why`, if there is none. `product`: "cuBLAS".
void* open_library(const char* product, std::initializer_list<const char*> names, std::string& why);

}  // namespace numjit::devices::cuda
