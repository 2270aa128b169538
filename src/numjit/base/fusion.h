// NUMJIT_FUSION=off: each operation is a kernel of its own.
#pragma once

#include <atomic>

namespace numjit::detail {

/// Do plans that are made from now on put several operations into one kernel? Results have the same bits either
/// way; tests and bug hunts turn it off to tell a wrong kernel from a wrong fusion.
inline std::atomic<bool> fusion{true};

/// From the text of the variable, null where unset. ValueError for other texts than on and off.
void set_fusion(const char* text);

}  // namespace numjit::detail
