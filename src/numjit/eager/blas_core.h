// Which of OpenBLAS's kernels are used.
#pragma once

#include <string>
#include <string_view>

namespace numjit::eager {

/// The kernels that OpenBLAS is to use instead of `chosen`, its own choice, on a processor of x86-64 level `level`, by the names
/// of OPENBLAS_CORETYPE. Empty: its choice is well.
std::string_view better_blas_core(std::string_view chosen, int level);

/// "OpenBLAS 0.3.21, kernels SkylakeX".
std::string blas_text();

}  // namespace numjit::eager
