// The non-template part of what steers recording.
#include <numjit/trace/api/steering.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include <fmt/format.h>

#include <numjit/array/marks.h>
#include <numjit/base/error.h>
#include <numjit/base/location_provider.h>
#include <numjit/ops/bind.h>
#include <numjit/trace/record/recorder.h>
#include <numjit/trace/state/interpreter_scope.h>
#include <numjit/trace/state/op_policy.h>

namespace numjit {
namespace tracing {

void throw_empty_callable(const char* op) {
  throw TypeError(op, "the callable is empty: got a null function, expected one that can be called.");
}

namespace {

// A new array of an operand's value.
array value_of(const operand& o, const array_spec& spec) {
  const array made = array::adopt(detail::new_node(spec.dtype.id(), spec.shape.size(), spec.shape.data()));
  const operand in[] = {made, o};
  detail::eager_interpreter->apply({op_id::store, {in, 2}, nullptr, nullptr, nullptr, o.where()});
  return made;
}

// At its line: what is pending runs before.
array call_changing_box(const detail::black_box& box, std::span<const operand> in, std::span<const int> mutates) {
  if (detail::recording) Recorder::current().cut_for_changes(detail::known_location(in[0].where()));
  std::vector<array_spec> specs;
  std::vector<array> arguments;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const bool changes = std::find(mutates.begin(), mutates.end(), static_cast<int>(i)) != mutates.end();
    specs.push_back(detail::spec_of(in[i]));
    const array given = in[i].is_array() ? array::share(detail::concrete(in[i].n(), "eval")) : value_of(in[i], specs.back());
    arguments.push_back(changes ? given : detail::read_only_view(given.get()));
  }
  const array_spec promised = box.shape_rule(specs);
  const detail::eager_on_thread eagerly;
  return value_of(detail::result_of(box, arguments, promised), promised);
}

}  // namespace

array call_black_box(const detail::black_box& box, std::span<const operand> in, std::span<const int> mutates) {
  for (const int i : mutates)
    if (i < 0 || i >= static_cast<int>(in.size()))
      throw ValueError("allow_in_graph",
                       fmt::format("mutates: got {}, expected numbers of the {} arguments, from 0 on.", i, in.size()));
  if (!mutates.empty()) return call_changing_box(box, in, mutates);
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

namespace {

// Levenshtein's distance: insertions, deletions and replacements of single characters.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

op_id op_called(std::string_view function, std::string_view name) {
  if (auto op = find_op(name)) return *op;
  std::string_view nearest;
  std::size_t least = ~std::size_t{0};
  auto consider = [&](std::string_view candidate) {
    const std::size_t distance = edit_distance(name, candidate);
    const bool sooner = std::pair(candidate.size(), candidate) < std::pair(nearest.size(), nearest);  // of equally near ones
    if (distance < least || (distance == least && sooner)) least = distance, nearest = candidate;
  };
  for (int i = 0; i < op_count; ++i) consider(info(static_cast<op_id>(i)).name);
  for (const op_alias& alias : op_aliases()) consider(alias.name);
  throw ValueError(std::string(function), fmt::format("unknown operation: got '{}'. Did you mean '{}'?", name, nearest));
}

void set_policy(std::string_view function, std::string_view name, bool disallowed) {
  if (!set_disallowed(op_called(function, name), disallowed)) return;
  ++trie_changes;
  if (detail::recording) Recorder::current().drop_records();
}

}  // namespace

}  // namespace tracing

void disallow_in_graph(std::string_view name) { tracing::set_policy("disallow_in_graph", name, true); }
void allow_in_graph(std::string_view name) { tracing::set_policy("allow_in_graph", name, false); }

void graph_break(std::string message, const char* file, const char* function, int line) {
  const location where{file, function, line};
  tracing::Recorder& recorder = tracing::Recorder::current();
  if (detail::recording && !tracing::is_skipped(where))
    recorder.graph_break(tracing::BreakId::user_break, where, nullptr, message);
}

void flush(const char* file, const char* function, int line) {
  tracing::Recorder& recorder = tracing::Recorder::current();
  if (detail::recording) recorder.graph_break(tracing::BreakId::evaluation, {file, function, line}, nullptr, "flush");
}

bool is_compiling() {
  // Also code that is disabled inside of a compiled function asks.
  if (tracing::Recorder* const recorder = tracing::recorder_of_thread(); recorder && recorder->is_open())
    recorder->note_asked_whether_compiling();
  return detail::recording || tracing::eager_call_is_open();
}

void mark_static(const array& x, int axis) {
  node* n = x.get();
  detail::mark_axis(n, normalize_axis("mark_static", axis, n->rank), true);
}

void mark_dynamic(const array& x, int axis) {
  node* n = x.get();
  detail::mark_axis(n, normalize_axis("mark_dynamic", axis, n->rank), false);
}

}  // namespace numjit
