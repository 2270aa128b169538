// Included first: says in one line that an older standard is too old, and ends the compilation there.
#pragma once

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#error "numjit needs C++20: compile with -std=c++20 (in CMake: target_compile_features(program PRIVATE cxx_std_20))."
#include "numjit needs C++20: compile with -std=c++20"
#endif
