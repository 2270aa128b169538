// Which ops may be in a graph.
#pragma once

#include <atomic>
#include <cstdint>

#include <numjit/ops/op.h>

namespace numjit::tracing {

extern std::atomic<bool> disallowed_ops[op_count];

inline bool is_disallowed(op_id op) { return disallowed_ops[static_cast<int>(op)].load(std::memory_order_relaxed); }

/// False: it was like that before.
bool set_disallowed(op_id op, bool disallowed);

/// Grows with each change: records made under an older policy are dropped.
std::uint64_t policy_generation();

}  // namespace numjit::tracing
