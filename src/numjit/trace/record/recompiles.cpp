// What is new to a function, and what of it is a recompile: a path that differs from a known one only in what an input is.
#include <algorithm>
#include <atomic>
#include <climits>

#include <fmt/format.h>

#include <numjit/array/marks.h>
#include <numjit/base/config.h>
#include <numjit/base/log.h>
#include <numjit/ops/op_text.h>
#include <numjit/trace/record/recorder.h>
#include <numjit/trace/state/counters.h>

namespace numjit::tracing {
namespace {

// A signature holds dtype in its low 4 bits and rank in the next 5.
dtype_id type_of(std::uint64_t signature) { return static_cast<dtype_id>(signature & 15); }
int rank_of(std::uint64_t signature) { return static_cast<int>((signature >> 4) & 31); }
constexpr std::uint64_t type_and_rank = (1u << 9) - 1;

// What an input's guard saw when it was recorded, and what it sees now: the smallest difference.
std::string change_of(const InputGuard& recorded, const node* now) {
  const dtype_id type = type_of(recorded.signature);
  const int rank = rank_of(recorded.signature);
  if (type != now->type) return fmt::format("dtype {} -> {}", dtype(type).name(), dtype(now->type).name());
  if (rank != now->rank) return fmt::format("rank {} -> {}", rank, int(now->rank));
  for (int axis = 0; axis < now->rank; ++axis)
    if ((recorded.static_axes >> axis & 1) && recorded.shape[axis] != now->shape[axis])
      return fmt::format("size of axis {} {} -> {}", axis, recorded.shape[axis], now->shape[axis]);
  return "layout (contiguity, or axes of length 1)";
}

InputGuard guard_of(const node* n, std::uint32_t static_axes) { return {n->signature, static_axes, dims(n->shape, n->rank)}; }

bool is_same_guard(const InputGuard& a, const InputGuard& b) {
  if (a.signature != b.signature || a.static_axes != b.static_axes) return false;
  for (int axis = 0; axis < a.shape.size(); ++axis)
    if ((a.static_axes >> axis & 1) && a.shape[axis] != b.shape[axis]) return false;
  return true;
}

}  // namespace

// Axes of `n` whose sizes are guarded: marked ones, and all but those marked free under dynamic = no.
std::uint16_t Recorder::guarded_axes(const node* n, bool all) {
  const detail::axis_marks marks = detail::marks_of(n);
  const auto every = static_cast<std::uint16_t>((1u << n->rank) - 1);
  return static_cast<std::uint16_t>(all ? every & ~marks.free : marks.fixed);
}

std::uint64_t Recorder::new_serial() {
  static constinit std::atomic<std::uint64_t> last{0};
  return ++last;
}

// ---- hashes of paths ----

// An input as an operand of the operation that brings it in; `number`: how many the segment has bound before.
std::uint64_t Recorder::guard_key(const node* n, std::uint32_t static_axes, std::size_t slot, std::size_t number) {
  std::uint64_t key = mix(mix(n->signature, static_axes), static_cast<std::uint64_t>(slot) << 32 | number);
  for (int axis = 0; axis < n->rank; ++axis)
    if (static_axes >> axis & 1) key = mix(key, static_cast<std::uint64_t>(n->shape[axis]));
  return key;
}

PathKeys Recorder::keys_of(const op_call& call) const {
  PathKeys keys;
  std::uint64_t& path = keys.path;
  path = mix(path_.is_empty() ? 1 : path_.at->path, static_cast<std::uint64_t>(call.op) << 1 | (call.where_mask != nullptr));
  const op_params& params = call.p();
  path = mix(path, static_cast<std::uint64_t>(params.size()) << 8 |
                       (params.has_type() ? 1 + static_cast<std::uint64_t>(params.type()) : 0));
  for (int i = 0; !has_value_params(call.op) && i < params.size(); ++i) path = mix(path, static_cast<std::uint64_t>(params[i]));
  keys.any_guards = path;
  const auto add = [&](std::uint64_t word) {
    path = mix(path, word);
    keys.any_guards = mix(keys.any_guards, word);
  };
  std::vector<const node*>& fresh = keys.new_inputs;
  std::vector<node*> owners;
  const auto add_array = [&](node* n) {
    if (n->is(node::lazy)) return add(n->record->path);
    if (const Record* input = path_.input_of(n)) return add(input->path);
    const auto known = std::find(fresh.begin(), fresh.end(), n);
    if (known != fresh.end()) return add(static_cast<std::uint64_t>(known - fresh.begin()));
    node* owner = detail::storage_owner(n);
    std::size_t slot = path_.slot_of(owner);
    if (slot == path_.owners.size()) {
      slot += static_cast<std::size_t>(std::find(owners.begin(), owners.end(), owner) - owners.begin());
      if (slot == path_.owners.size() + owners.size()) owners.push_back(owner);
    }
    path = mix(path, guard_key(n, guarded_axes(n, function_->static_sizes), slot, path_.bound.size() + fresh.size()));
    // Which argument it is tells apart what one line does with several, as a loop over them.
    keys.any_guards = mix(keys.any_guards, static_cast<std::uint64_t>(argument_number(n)) << 1 | 1);
    fresh.push_back(n);
  };
  for (const operand& o : call.in) {
    if (o.is_array())
      add_array(o.n());
    else
      add(static_cast<std::uint64_t>(o.kind()) << 2 | 2);
  }
  if (call.where_mask) add_array(const_cast<node*>(call.where_mask));
  return keys;
}

// A plan of a path: for what is alive at its end, and for how memory overlaps.
std::uint64_t Recorder::variant_key(const SegmentEnd& end) const {
  std::uint64_t key = mix(end.path.back()->path, 3);
  live_.for_each([&](std::size_t i) { key = mix(key, i); });
  for (const std::uint8_t relation : end.aliases()) key = mix(key, relation + 256u);
  return key;
}

// ---- recompiles ----

// The position among the arguments of the outermost call, or their number for others.
std::size_t Recorder::argument_number(const node* n) const {
  return static_cast<std::size_t>(std::find(arguments.begin(), arguments.end(), n) - arguments.begin());
}

// "argument 1", "argument y" with names from compile's options; others come out of captures and containers.
std::string Recorder::name_of_input(const node* n) const {
  const std::size_t i = argument_number(n);
  if (i == arguments.size()) return "an array that is no argument";
  return "argument " + (i < function_->arguments.size() ? function_->arguments[i] : std::to_string(i));
}

// Two kinds of other guards are paths of the program, of which there are few: what this very call recorded, for another of
// the arrays it works on; and a view that is no argument and only lies otherwise. The program took that by other numbers,
// as a(i, np::slice(0, j)) in a loop over j, whose first two views have axes of length 0 and 1.
Recorder::GuardMiss Recorder::guard_miss(const PathKeys& keys) const {
  if (keys.new_inputs.empty()) return {};
  const std::optional<RecordedGuards> recorded = function_->learned.recorded(keys.any_guards);
  if (!recorded || (recorded->recorder == serial_ && recorded->region == region_number)) return {};
  const std::vector<const node*>& now = keys.new_inputs;
  for (std::size_t i = 0; i < std::min(now.size(), recorded->inputs.size()); ++i) {
    const InputGuard& before = recorded->inputs[i];
    const InputGuard guard = guard_of(now[i], guarded_axes(now[i], function_->static_sizes));
    if (is_same_guard(before, guard)) continue;
    const bool other_view = now[i]->base && argument_number(now[i]) == arguments.size() &&
                            (before.signature & type_and_rank) == (guard.signature & type_and_rank) &&
                            is_same_guard({guard.signature, before.static_axes, before.shape}, guard);
    if (!other_view) return {name_of_input(now[i]), change_of(before, now[i]), recorded->where};
  }
  return {};
}

std::string Recorder::GuardMiss::text() const {
  return fmt::format("{}, first used at {}:{}: {}", argument, where.file, where.line, change);
}

// Asked for what this thread records next. False: it would be one recompile too many. Where breaks are errors, none is: what
// runs eagerly would not show them.
bool Recorder::learn_path(const op_call& call, const PathKeys& keys) {
  LearnedPaths& learned_paths = function_->learned;
  if (learned_paths.knows(keys.path)) return true;  // by another thread, or before records were dropped
  // explain() records what calls in debt have left out.
  const bool counts = !(path_.trie->calls_in_debt > 0 && observers.need(CallObserver::graphs));
  const GuardMiss miss = guard_miss(keys);
  if (counts && (miss.argument.empty() ? !count_new_path(call) : !count_recompile(miss))) return false;
  if (keys.new_inputs.empty()) {
    learned_paths.add(keys.path);
    return true;
  }
  RecordedGuards guards{{}, location_of(call), serial_, region_number};
  for (const node* n : keys.new_inputs) guards.inputs.push_back(guard_of(n, guarded_axes(n, function_->static_sizes)));
  learned_paths.add(keys, std::move(guards));
  return true;
}

bool Recorder::count_recompile(const GuardMiss& miss) {
  const int limit = static_cast<int>(config().recompile_limit);
  const int number = function_->learned.count_recompile(are_breaks_errors() ? INT_MAX : limit);
  if (number > limit && !are_breaks_errors()) {
    detail::warn_once(fmt::format("recompile_limit:{}", function_->id),
                      fmt::format("{} reached the recompile limit of {}: from now on, calls with arguments of yet other "
                                  "dtypes or layouts run eagerly, those known stay compiled. Last: {}. A higher "
                                  "config.recompile_limit, or np::reset(), compiles them too.",
                                  function_->name, limit, miss.text()));
    return false;
  }
  ++own_counters().recompiles;
  const std::string of_limit = number > limit ? "" : fmt::format(" of {}", limit);
  const std::string text = fmt::format("recompile {}{}: {}", number, of_limit, miss.text());
  observers.tell([&](CallObserver& o) { o.on_recompile(text, miss.where); });
  if (detail::log_enabled(log_channel::recompiles)) detail::log(log_channel::recompiles, text);
  return true;
}

// ---- new paths ----

// What the program does otherwise than the record that stands in the call's place; "" if only guards differ.
std::string Recorder::path_change(const Record& known, const op_call& call) const {
  const std::string now = op_text(call.op, call.p());
  if (known.op != call.op) return fmt::format("the record has {}, the program calls {}", op_text(known.op, known.params), now);
  if (!has_value_params(call.op) && !(known.params == call.p()))
    return fmt::format("the record has {}({}), the program calls {}({})", op_text(known.op, known.params),
                       params_text(known.op, known.params), now, params_text(call.op, call.p()));
  if (known.arity != static_cast<int>(call.in.size()) + (call.where_mask != nullptr))
    return fmt::format("the program calls {} with {} operands", now, call.in.size());
  for (int i = 0; i < static_cast<int>(call.in.size()); ++i) {
    const operand& o = call.in[static_cast<std::size_t>(i)];
    const Record* in = known.in[i];
    if (o.is_array() != (in != nullptr))
      return fmt::format("operand {} of {} is {}", i, now, in ? "a number, and was an array" : "an array, and was a number");
    for (int j = 0; in && j < i; ++j) {
      const bool one = call.in[static_cast<std::size_t>(j)].n() == o.n();
      if ((known.in[j] == in) == one) continue;
      return fmt::format("operands {} and {} of {} {}", j, i, now,
                         one ? "are one array, and were two" : "are two arrays, and were one");
    }
    if (!in) continue;
    const Record* at = o.n()->is(node::lazy) ? o.n()->record : path_.input_of(o.n());
    if (at ? at != in : !in->is_input || in->cur) return fmt::format("operand {} of {} is another value", i, now);
  }
  return {};
}

// False: it would be one too many. The beginnings of later segments lie at the root side by side and are none.
bool Recorder::count_new_path(const op_call& call) {
  if (path_.is_empty() && (path_.previous_end || !path_.trie->entry)) return true;
  const Record* beside = nullptr;  // that the program met last, if there is a choice
  std::string change;
  for (const Record* known = path_.at->first_child; known; known = known->sibling) {
    if (known->is_cut) continue;
    const std::string other = path_change(*known, call);
    if (other.empty()) return true;
    if (beside && known != path_.at->next) continue;
    beside = known;
    change = other;
  }
  if (!beside) return true;
  constexpr int paths_a_recompile = 8;
  const int limit = paths_a_recompile * static_cast<int>(config().recompile_limit);
  const int number = function_->learned.count_new_path(are_breaks_errors() ? INT_MAX : limit);
  const location where = location_of(call);
  const std::string text = fmt::format("{} at {}:{}: {}", function_->name, where.file, where.line, change);
  constexpr const char* hint = "np::where makes one graph of several ways; what decides the way may stand outside.";
  if (number > limit && !are_breaks_errors()) {
    detail::warn_once(fmt::format("new_paths:{}", function_->id),
                      fmt::format("{} took {} new paths, as many as recompile_limit allows: from now on, calls that take another "
                                  "one go on eagerly, those known stay compiled. Last: {}. Hint: {}",
                                  function_->name, limit, text, hint));
    return false;
  }
  ++own_counters().new_paths;
  const std::string said = fmt::format("new path {} of {}. Hint: {}", number, text, hint);
  observers.tell([&](CallObserver& o) { o.on_recompile(said, where); });
  if (detail::log_enabled(log_channel::recompiles)) detail::log(log_channel::recompiles, said);
  return true;
}

}  // namespace numjit::tracing
