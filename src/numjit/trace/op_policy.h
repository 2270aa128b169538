// Which ops may be in a graph: np::disallow_in_graph and np::allow_in_graph by name.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include <numjit/ops/op.h>

namespace numjit {
namespace tracing {

extern std::atomic<bool> disallowed_ops[op_count];

inline bool is_disallowed(op_id op) {
  return disallowed_ops[static_cast<int>(op)].load(std::memory_order_relaxed);
}

/// Grows with each change: records made under an older policy are dropped.
std::uint64_t policy_generation();

}  // namespace tracing

/// Keeps an op out of graphs, process-wide: in compiled functions it ends the segment (break NJ0009)
/// and runs eagerly. `name`: the op's NumPy name, such as "subtract". Errors: ValueError for an unknown
/// name, with the nearest known one.
///   np::disallow_in_graph("subtract");
void disallow_in_graph(std::string_view name);

/// Undoes disallow_in_graph. Errors as there.
void allow_in_graph(std::string_view name);

}  // namespace numjit
