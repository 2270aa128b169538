// Process-wide counts of what the compiler did.
#pragma once

#include <atomic>
#include <cstdint>

namespace numjit {

/// A snapshot; see np::counters().
struct counter_values {
  std::uint64_t graphs = 0;      // distinct graphs recorded
  std::uint64_t breaks = 0;      // graph breaks hit
  std::uint64_t cuts = 0;        // segments ended for reasons of numjit's own: size, errors of values
  std::uint64_t recompiles = 0;  // new variants of a known op sequence because a guard differed
  std::uint64_t kernels_compiled = 0;
  std::uint64_t kernels_loaded = 0;  // from the disk cache
  std::uint64_t eager_ops = 0;       // ops run one by one inside compiled functions
  std::uint64_t cache_hits = 0;      // kernels found in memory or on disk
  std::uint64_t quarantined = 0;
  std::uint64_t new_paths = 0;  // of programs that parted from what was recorded
};

namespace tracing {
/// The recorder's own counts.
struct Counters {
  std::atomic<std::uint64_t> graphs{0}, breaks{0}, cuts{0}, recompiles{0}, eager_ops{0}, new_paths{0};
};
Counters& own_counters();
}  // namespace tracing

}  // namespace numjit
