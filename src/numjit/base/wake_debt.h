// Whether a run is worth waking the workers of a pool.
#pragma once

#include <chrono>

#include <numjit/base/thread_pool.h>

namespace numjit::detail {

/// Work of runs that were kept serial lately because workers slept, whom to wake takes some 11 us. Many short ones in a row
/// deserve threads as much as a long one.
class WakeDebt {
 public:
  /// Is this run worth it, alone or with what others of the last millisecond were kept serial for?
  bool pays(double estimated_ns) {
    if (estimated_ns >= parallel_from_asleep_ns) return true;
    const auto now = std::chrono::steady_clock::now();
    if (now - since_ > std::chrono::milliseconds(1)) {
      ns_ = 0;
      since_ = now;
    }
    ns_ += estimated_ns;
    if (ns_ < parallel_from_asleep_ns) return false;
    ns_ = 0;
    return true;
  }

 private:
  double ns_ = 0;
  std::chrono::steady_clock::time_point since_{};
};

}  // namespace numjit::detail
