// Faults on purpose: tests make a phase fail that can't be made to fail otherwise.
#pragma once

#include <cstdint>
#include <string_view>

namespace numjit::detail {

enum class fault_point : std::uint8_t { lower, halide, link, load, cache_read, cache_write };

/// Replaces the set of phases that fail: a comma list of the names above, "" for none. At start it
/// is that of NUMJIT_FAULT. ValueError for other names.
void inject_fault(std::string_view phases);

bool fault_injected(fault_point point) noexcept;

/// "lower", "halide", ...
std::string_view fault_name(fault_point point) noexcept;

}  // namespace numjit::detail
