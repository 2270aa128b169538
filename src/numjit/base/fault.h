// Faults on purpose: tests make a phase fail that can't be made to fail otherwise.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace numjit::detail {

/// value: kernels write a wrong bit. allocation: no memory can be had.
enum class fault_point : std::uint8_t {
  lower, halide, link, load, cache_read, cache_write, value, allocation,
};

/// Replaces the set of phases that fail: a comma list of the names above, "" for none. At start it
/// is that of NUMJIT_FAULT. ValueError for other names.
void inject_fault(std::string_view phases);

inline std::atomic<unsigned> fault_mask{0};
inline bool fault_injected(fault_point point) noexcept {
  return fault_mask.load(std::memory_order_relaxed) >> static_cast<unsigned>(point) & 1;
}

/// "lower", "halide", ...
std::string_view fault_name(fault_point point) noexcept;

}  // namespace numjit::detail
