// The phases that tests make fail.
#include <numjit/base/fault.h>

#include <string>

#include <fmt/format.h>

#include <numjit/base/error.h>

namespace numjit::detail {
namespace {
constexpr std::string_view names[] = {"lower",      "halide",      "link",  "load",
                                      "cache_read", "cache_write", "value", "allocation"};
}  // namespace

void inject_fault(std::string_view phases) {
  unsigned mask = 0;
  while (!phases.empty()) {
    std::size_t comma = phases.find(',');
    std::string_view name = phases.substr(0, comma);
    phases = comma == std::string_view::npos ? std::string_view() : phases.substr(comma + 1);
    unsigned bit = 0;
    for (unsigned i = 0; i < std::size(names); ++i)
      if (name == names[i]) bit = 1u << i;
    if (bit == 0)
      throw ValueError(
          "config", fmt::format("NUMJIT_FAULT: got '{}', expected a comma list of lower, halide, "
                                "link, load, cache_read, cache_write, value, allocation.",
                                name));
    mask |= bit;
  }
  fault_mask.store(mask, std::memory_order_relaxed);
}

std::string_view fault_name(fault_point point) noexcept { return names[static_cast<int>(point)]; }

}  // namespace numjit::detail
