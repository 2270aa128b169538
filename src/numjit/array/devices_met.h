// Whether this process has to do with devices at all.
#pragma once

#include <atomic>

namespace numjit::detail {

/// Has anybody opened a device besides the CPU?
extern constinit std::atomic<bool> devices_met;

}  // namespace numjit::detail
