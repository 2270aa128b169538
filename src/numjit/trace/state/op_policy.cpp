// The table of ops that graphs may not hold.
#include <numjit/trace/state/op_policy.h>

#include <atomic>

namespace numjit::tracing {

std::atomic<bool> disallowed_ops[op_count] = {};

namespace {

std::atomic<std::uint64_t> generation{1};

}  // namespace

bool set_disallowed(op_id op, bool disallowed) {
  if (disallowed_ops[static_cast<int>(op)].exchange(disallowed) == disallowed) return false;
  ++generation;
  return true;
}

std::uint64_t policy_generation() { return generation.load(std::memory_order_acquire); }

}  // namespace numjit::tracing
