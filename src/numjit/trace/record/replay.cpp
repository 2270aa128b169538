// Replayed calls: the guards of what was learned (replay_learn.cpp), the run, and the comparison with the body.
#include <numjit/trace/record/replay.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include <numjit/array/same_bits.h>
#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/base/log.h>
#include <numjit/base/thread_end.h>
#include <numjit/ops/random_draw.h>
#include <numjit/runtime/kernels/cache.h>
#include <numjit/trace/record/copies.h>
#include <numjit/trace/record/recorder.h>
#include <numjit/trace/record/replay_entry.h>

namespace numjit::tracing {

void LeafList::array(numjit::array& a) { arrays.push_back(&a); }
void LeafList::value(std::uint64_t word) { values.push_back(word); }
void LeafList::clear() {
  arrays.clear();
  values.clear();
}

namespace {

using Scratch = ReplayScratch;

bool guard_holds(const ReplayGuard& guard, const node* n) {
  if (!n || !guard.signature) return !n && !guard.signature;
  if (n->signature != guard.signature || (n->flags & (node::lazy | node::poisoned)) || n->is(node::readonly) != guard.readonly)
    return false;
  for (int axis = 0; axis < n->rank; ++axis)
    if (n->shape[axis] != guard.shape[axis] || n->strides[axis] != guard.strides[axis]) return false;
  return true;
}

// Do these arguments share storage as the entry's did? As owner_pattern(), without the list.
bool pattern_holds(const ReplayEntry& entry, const std::vector<node*>& nodes) {
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const auto first = static_cast<std::size_t>(entry.pattern[2 * i]);
    const node* n = nodes[i];
    if (!n) continue;
    const node* owner = detail::storage_owner(nodes[i]);
    for (std::size_t k = 0; k < first; ++k)
      if (nodes[k] && detail::storage_owner(nodes[k]) == owner) return false;
    if (first == i) continue;
    if (!nodes[first] || detail::storage_owner(nodes[first]) != owner || n->data - nodes[first]->data != entry.pattern[2 * i + 1])
      return false;
  }
  return true;
}

bool entry_fits(const ReplayEntry& entry, const LeafList& in, const std::vector<node*>& nodes) {
  if (entry.guards.size() != nodes.size() || entry.values.size() != in.values.size()) return false;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (!guard_holds(entry.guards[i], nodes[i])) return false;
  for (std::size_t i = 0; i < in.values.size(); ++i)
    if (entry.values[i] != in.values[i]) return false;
  for (const auto& box : entry.boxes)
    if (box.expired()) return false;
  return pattern_holds(entry, nodes);
}

array array_from(const ReplaySource& source, const std::vector<node*>& arguments, const std::vector<array>& outputs) {
  switch (source.kind) {
    case ReplaySource::Kind::none: return array();
    case ReplaySource::Kind::computed: return outputs[source.at];
    case ReplaySource::Kind::argument: return array::share(arguments[source.at]);
    case ReplaySource::Kind::constant: return source.constant;
    case ReplaySource::Kind::view: break;
  }
  array view = array::adopt(detail::new_view(arguments[source.at], source.type, source.shape.size(), source.shape.data(),
                                             source.strides.data(), source.offset));
  if (source.readonly) view.get()->flags |= node::readonly;
  return view;
}

bool is_aligned(const node* n, const char* data) {
  return !detail::is_misaligned(n->type, reinterpret_cast<std::uintptr_t>(data));
}

// Lets the memory of a view go, and keeps the view for the next call unless somebody else has it.
void detach(array& view) {
  if (view.empty_handle()) return;
  node* n = view.get();
  if (n->refs != 1 || !n->base || n->device != 0 || n->is(node::remote) || !is_aligned(n, n->data)) {
    view = array();
    return;
  }
  detail::release(std::exchange(n->base, nullptr));
  n->data = nullptr;
}

// Brings the view of an earlier call to where the argument lies now: the layouts are guarded, and the signature, which
// tells of alignment, too, stays what it was. False: there is none.
bool attach(array& view, const ReplaySource& source, node* of) {
  if (view.empty_handle() || of->device != 0 || of->is(node::remote)) return false;
  node* n = view.get();
  char* data = of->data + source.offset;
  if (!is_aligned(n, data)) return false;
  n->data = data;
  n->base = detail::storage_owner(of);
  detail::retain(n->base);
  return true;
}

bool is_drawn_from(const SegmentEnd& end, const Record& input) {
  return std::any_of(end.path.begin(), end.path.end(),
                     [&](const Record* r) { return r->op == op_id::random_draw && !r->is_input && r->in[0] == &input; });
}

array copy_of(const array& a) {
  std::vector<node*> copies;
  copy_sharing({a.get()}, copies);
  return array::adopt(copies[0]);
}

// Nodes of the list, by position.
void nodes_of(const LeafList& list, std::vector<node*>& nodes) {
  nodes.clear();
  for (numjit::array* a : list.arrays) nodes.push_back(node_of(*a));
}

}  // namespace

void throw_not_replayable(const std::string& function, const std::string& what) {
  throw TypeError("compile", fmt::format("mode replay of {}: {}. Expected arrays, numbers, strings, enums, tuples, "
                                         "vectors, optionals and maps of these, or structs with NUMJIT_FIELDS.",
                                         function, what));
}

ReplayCall::ReplayCall(FunctionState& function) : function_(function) {
  static constinit thread_local Scratch* mine [[gnu::tls_model("initial-exec")]] = nullptr;
  if (!mine) [[unlikely]] {
    mine = new Scratch;
    detail::delete_at_end_of_thread(mine);
  }
  Recorder& recorder = Recorder::current();
  if (mine->in_use || !recorder.replay_possible(function)) return;
  recorder_ = &recorder;
  scratch_ = mine;
  Scratch& s = *mine;
  s.in_use = true;
  recorder.in_replay = true;
  s.arguments.clear();
  s.results.clear();
  s.rebound.clear();
}

ReplayCall::~ReplayCall() {
  if (!scratch_) return;
  Scratch& s = *scratch_;
  s.in_use = false;
  recorder_->in_replay = false;
  s.outputs.clear();
  if (replays_) [[likely]]
    return;
  s.before.clear();
  s.held.clear();
  for (node* n : s.copies)
    if (n) detail::release(n);
  s.copies.clear();
  ObserverList::remove(s.learning);
}

LeafList& ReplayCall::arguments() { return scratch_->arguments; }
LeafList& ReplayCall::results() { return scratch_->results; }
LeafList& ReplayCall::rebound() { return scratch_->rebound; }
LeafList& ReplayCall::before() { return scratch_->before; }

bool ReplayCall::known() {
  Scratch& s = *scratch_;
  auto& entries = recorder_->replay_entries();
  nodes_of(s.arguments, s.argument_nodes);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!entry_fits(*entries[i], s.arguments, s.argument_nodes)) continue;
    if (i > 0) std::swap(entries[i], entries[0]);
    entry_ = entries[0].get();
    verifies_ = function_.verify_replay > 0 && ++function_.replays % function_.verify_replay == 0;
    replays_ = !verifies_;
    if (verifies_) held_ = entries[0];  // the body may drop the function's records
    return true;
  }
  return false;
}

void ReplayCall::run() { run_with(scratch_->argument_nodes, false); }

// A function without a float_mode of its own does not pay for a scope.
void ReplayCall::run_with(const std::vector<node*>& arguments, bool copies) {
  if (!function_.float_mode) [[likely]]
    return recorder_->replay(function_, *entry_, arguments, scratch_->outputs, copies);
  const config_scope float_mode({.float_mode = function_.float_mode});
  recorder_->replay(function_, *entry_, arguments, scratch_->outputs, copies);
}

void ReplayCall::run_on_copies() {
  Scratch& s = *scratch_;
  // By-value parameters die with the body, before compare() looks at what it left in them.
  s.held.clear();
  for (node* n : s.argument_nodes) s.held.push_back(array::share(n));
  copy_sharing(s.argument_nodes, s.copies);
  run_with(s.copies, true);
}

void ReplayCall::give() {
  Scratch& s = *scratch_;
  // Arguments that the body rebinds may be sources of each other (u, v swapped): all first, then assign.
  s.given.clear();
  for (const ReplaySource& source : entry_->rebound) s.given.push_back(array_from(source, s.argument_nodes, s.outputs));
  for (std::size_t i = 0; i < s.results.arrays.size(); ++i)
    *s.results.arrays[i] = array_from(entry_->results[i], s.argument_nodes, s.outputs);
  for (std::size_t i = 0; i < s.given.size(); ++i) *s.rebound.arrays[i] = std::move(s.given[i]);
  s.given.clear();
}

numjit::array ReplayCall::give_one() {
  const ReplaySource& source = entry_->results[0];
  if (source.kind != ReplaySource::Kind::computed || !entry_->rebound.empty()) {
    numjit::array result;
    scratch_->results.array(result);
    give();
    return result;
  }
  return std::move(scratch_->outputs[source.at]);
}

void ReplayCall::compare() {
  Scratch& s = *scratch_;
  auto check = [&](const ReplaySource& source, numjit::array& body, const std::string& what) {
    const numjit::array replayed = array_from(source, s.copies, s.outputs);
    const node *a = node_of(replayed), *b = node_of(body);
    std::string difference;
    if (!a != !b)
      difference = "one of the two is an empty handle";
    else if (a && (a->type != b->type || !detail::same_shape(a, b)))
      difference = "dtype or shape differ";
    else if (auto at = a ? detail::first_difference(a, b) : std::nullopt)
      difference = fmt::format("element {} differs", *at);
    if (!difference.empty())
      throw ValueError("compile", fmt::format("replay of {} is not what its body gives: {}: {}. In mode replay "
                                              "the body may depend on its arguments only; use mode rerun.",
                                              function_.name, what, difference));
  };
  if (entry_->results.size() != s.results.arrays.size())
    throw ValueError("compile", fmt::format("replay of {} is not what its body gives: {} arrays, got {}. In "
                                            "mode replay the body may depend on its arguments only; use mode "
                                            "rerun.",
                                            function_.name, entry_->results.size(), s.results.arrays.size()));
  for (std::size_t i = 0; i < entry_->results.size(); ++i)
    check(entry_->results[i], *s.results.arrays[i], fmt::format("result {}", i));
  for (std::size_t i = 0; i < entry_->rebound.size(); ++i)
    check(entry_->rebound[i], *s.rebound.arrays[i], fmt::format("reference argument {}", i));
  ReplaySource argument;
  argument.kind = ReplaySource::Kind::argument;
  for (std::size_t i = 0; i < s.argument_nodes.size(); ++i) {
    if (!s.argument_nodes[i]) continue;
    argument.at = static_cast<std::uint32_t>(i);
    numjit::array now = array::share(s.argument_nodes[i]);
    check(argument, now, fmt::format("contents of argument {}", i));
  }
}

const std::shared_ptr<void>& ReplayCall::prototype() const { return entry_->prototype; }
void ReplayCall::set_prototype(std::shared_ptr<void> prototype) { entry_->prototype = std::move(prototype); }

// ---- the run ----

bool Recorder::replay_possible(FunctionState& function) {
  if (depth_ > 0 || detail::levels_are_open() || observers.need(CallObserver::bodies) || function.passes_through()) return false;
  if (current_stance() != Stance::run_only) runtime::compile_deferred();
  select_trie(function);
  if (path_.trie->replay_pause == 0 || !path_.trie->replays.empty()) return true;
  --path_.trie->replay_pause;
  return false;
}

bool Recorder::tries_replay() {
  if (path_.trie->replay_pause == 0) return true;
  --path_.trie->replay_pause;
  return false;
}

// A function that breaks in each call: asking costs, and hardly ever pays. After some such calls in a row it is asked again
// after ever longer pauses: it may be another matter once the program has warmed up, or with other arguments.
void Recorder::count_replay_attempt(bool learned_it) {
  constexpr int patience = 8, longest = 16;
  int& failed = path_.trie->failed_replays;
  failed = learned_it ? 0 : failed + 1;
  path_.trie->replay_pause = failed < patience ? 0 : 1 << std::min(failed - patience + 3, longest);
}

std::vector<std::shared_ptr<ReplayEntry>>& Recorder::replay_entries() { return path_.trie->replays; }

// Puts the entry's layouts, scalars and parameters into the records, which other calls share.
// False: they are there.
bool Recorder::restore(const ReplayEntry& entry) {
  SegmentEnd& end = *entry.end;
  if (path_.trie->replayed_by == &entry && path_.trie->replayed_region == path_.trie->regions) return false;
  ++epoch_;
  for (std::size_t i = 0; i < end.lazies.size(); ++i) {
    Record& r = *end.path[end.lazies[i]];
    detail::set_layout(r.cur, r.cur->type, entry.shapes[i].size(), entry.shapes[i].data(), entry.strides[i].data());
    r.view_offset = entry.view_offsets[i];
  }
  for (std::size_t i = 0; i < end.path.size(); ++i)
    if (!(end.path[i]->params == entry.params[i])) end.path[i]->params = entry.params[i];
  for (std::size_t i = 0; i < end.scalars.size(); ++i) *const_cast<runtime::ScalarValue*>(end.scalars[i]) = entry.scalars[i];
  path_.trie->replayed_by = &entry;
  path_.trie->replayed_region = path_.trie->regions;
  return true;
}

void Recorder::replay(FunctionState& function, ReplayEntry& entry, const std::vector<node*>& arguments,
                      std::vector<array>& outputs, bool on_copies) {
  struct Running {
    Recorder& r;
    ReplayEntry& entry;
    SegmentEnd& end;
    ~Running() {
      for (array& view : entry.views) detach(view);
      for (std::uint32_t at : end.inputs) end.path[at]->cur = nullptr;
      end.run_inputs.same_scalars = false;
      r.function_ = nullptr;
      r.bound_views_.clear();
    }
  } running{*this, entry, *entry.end};
  function_ = &function;
  SegmentEnd& end = *entry.end;
  if (restore(entry)) path_.trie->replayed_plan = nullptr;
  bound_views_.clear();
  entry.views.resize(end.inputs.size());
  for (std::size_t i = 0; i < end.inputs.size(); ++i) {
    const ReplaySource& source = entry.inputs[i];
    Record& input = *end.path[end.inputs[i]];
    if (source.kind == ReplaySource::Kind::argument) [[likely]] {
      input.cur = arguments[source.at];
    } else if (source.kind == ReplaySource::Kind::view && !on_copies) {
      array& view = entry.views[i];
      if (!attach(view, source, arguments[source.at])) view = array_from(source, arguments, {});
      input.cur = view.get();
    } else {
      bound_views_.push_back(array_from(source, arguments, {}));
      // Draws move the state of a captured generator on: the body, run beside it, begins where they did.
      if (on_copies && is_drawn_from(end, input)) bound_views_.back() = copy_of(bound_views_.back());
      input.cur = bound_views_.back().get();
    }
  }
  if (detail::others_record() && !on_copies) [[unlikely]]
    meet_others(end);
  outputs.clear();
  if (!(live_ == entry.live)) live_ = entry.live;
  live_.for_each([&](std::size_t i) { outputs.push_back(array::share(*end.lazy_slots[i])); });
  SegmentVariant* variant = end.find_variant(live_, epoch_);
  if (!variant) variant = &make_variant(end);
  end.run_inputs.same_scalars = path_.trie->replayed_plan == variant->plan.get();
  run_variant(end, *variant);
  path_.trie->replayed_plan = variant->plan.get();
  escape(end);
  if (late_error_) std::rethrow_exception(std::exchange(late_error_, nullptr));
}

}  // namespace numjit::tracing
