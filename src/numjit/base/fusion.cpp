// The setting of NUMJIT_FUSION.
#include <numjit/base/fusion.h>

#include <string_view>

#include <fmt/format.h>

#include <numjit/base/error.h>

namespace numjit::detail {

void set_fusion(const char* text) {
  const std::string_view value = text ? text : "on";
  if (value != "on" && value != "off")
    throw ValueError("config", fmt::format("NUMJIT_FUSION: got '{}', expected on or off.", value));
  fusion.store(value == "on", std::memory_order_relaxed);
}

}  // namespace numjit::detail
