// Sweeps over what a compiled function did are compiled, too: as calls of a function of their own, "f.backward".
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace numjit::transform {

/// Set by tracing; who counts calls of compiled functions (Python) may put its own way around `run`.
struct BackwardRegions {
  /// What sweeps over operations of the compiled call that is open on this thread are calls of; null: none is.
  std::shared_ptr<void> (*function_here)() = nullptr;
  /// Runs a sweep as a call of it.
  void (*run)(void* function, const std::function<void()>& sweep) = nullptr;
  /// Does somebody on this thread ask what tapes hold? Then `tell` says how many bytes in memory one alone holds at its sweep,
  /// how many of its segments are carried out again, and how many operations of others.
  bool (*is_asked)() = nullptr;
  void (*tell)(std::int64_t bytes, int thinned_segments, int recipe_operations) = nullptr;
};
extern constinit BackwardRegions backward_regions;

}  // namespace numjit::transform
