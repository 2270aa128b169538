// Times of one clock, which those who write and those who read them share.
#pragma once

#include <chrono>
#include <cstdint>

namespace numjit::detail {

/// Nanoseconds of the steady clock.
inline std::int64_t clock_ns() { return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace numjit::detail
