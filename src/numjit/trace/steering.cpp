// The non-template part of what steers recording.
#include <numjit/trace/steering.h>

#include <mutex>
#include <vector>

#include <numjit/array/marks.h>
#include <numjit/base/error.h>
#include <numjit/ops/bind.h>
#include <numjit/trace/recorder.h>

namespace numjit {
namespace tracing {

void throw_empty_callable(const char* op) {
  throw TypeError(op, "the callable is empty: got a null function, expected one that can be called.");
}

array call_black_box(const detail::black_box& box, std::span<const operand> in) {
  op_params params;
  params.push(box.number);
  return bind({op_id::black_box, in, &params, nullptr, nullptr, in.empty() ? location{} : in[0].where()});
}

namespace {

struct ConstantSlots {
  std::mutex mutex;
  std::vector<std::weak_ptr<constant_slot>> slots;
};
ConstantSlots& constant_slots() {
  static auto& slots = *new ConstantSlots;
  return slots;
}

}  // namespace

std::shared_ptr<constant_slot> make_constant_slot() {
  auto slot = std::make_shared<constant_slot>();
  ConstantSlots& all = constant_slots();
  std::lock_guard lock(all.mutex);
  if (all.slots.size() == all.slots.capacity()) std::erase_if(all.slots, [](const auto& old) { return old.expired(); });
  all.slots.push_back(slot);
  return slot;
}

void empty_constant_slots() {
  std::vector<std::shared_ptr<void>> dropped;  // what they hold may call back
  ConstantSlots& all = constant_slots();
  std::lock_guard lock(all.mutex);
  for (const auto& weak : all.slots)
    if (const auto slot = weak.lock()) dropped.push_back(slot->exchange(nullptr));
}

}  // namespace tracing

void graph_break(std::string message, const char* file, const char* function, int line) {
  tracing::Recorder& recorder = tracing::Recorder::current();
  if (detail::recording)
    recorder.graph_break(tracing::BreakId::user_break, {file, function, line}, nullptr, message);
}

void flush(const char* file, const char* function, int line) {
  tracing::Recorder& recorder = tracing::Recorder::current();
  if (detail::recording)
    recorder.graph_break(tracing::BreakId::evaluation, {file, function, line}, nullptr, "flush");
}

bool is_compiling() { return detail::recording; }

void mark_static(const array& x, int axis) {
  node* n = x.get();
  detail::mark_axis(n, normalize_axis("mark_static", axis, n->rank), true);
}

void mark_dynamic(const array& x, int axis) {
  node* n = x.get();
  detail::mark_axis(n, normalize_axis("mark_dynamic", axis, n->rank), false);
}

}  // namespace numjit
