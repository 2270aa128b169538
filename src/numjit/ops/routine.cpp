// The table of routines and their shape rule.
#include <numjit/ops/routine.h>

namespace numjit {
namespace detail {
namespace {

constexpr int count = static_cast<int>(routine_id::count_);
constinit routine table[count] = {};

}  // namespace

void add_routine(routine_id id, const routine& what) { table[static_cast<int>(id)] = what; }

const routine* find_routine(std::int64_t id) {
  return id >= 0 && id < count && table[id].run ? &table[id] : nullptr;
}

}  // namespace detail

void infer_routine(const op_call& call, inference& result) {
  result = {};
  detail::find_routine(call.p()[0])->infer(call, result);
}

}  // namespace numjit
