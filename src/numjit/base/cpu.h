// The processor: its x86-64 level, its features, and the target kernels are compiled for.
#pragma once

#include <string>
#include <string_view>

namespace numjit::detail {

/// Highest x86-64 level of this processor: 1 to 4.
int cpu_level();

/// Features that code generators use, as text: "sse4.1 avx avx2 fma f16c avx512f ...".
const std::string& cpu_features();

/// Target of kernels: NUMJIT_TARGET ("host", "x86-64-v2", "x86-64-v3", "x86-64-v4"), "host" if
/// unset or empty.
std::string kernel_target();

/// ValueError for a target that is unknown or that this processor can't run.
void check_target(std::string_view target);

}  // namespace numjit::detail
