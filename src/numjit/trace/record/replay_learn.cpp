// What replay learns from a call that ran its body: guards on its arguments, and where each input and result comes from.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <numjit/base/config.h>
#include <numjit/base/log.h>
#include <numjit/ops/random_draw.h>
#include <numjit/trace/record/recorder.h>
#include <numjit/trace/record/replay.h>
#include <numjit/trace/record/replay_entry.h>

namespace numjit::tracing {
namespace {

using Scratch = ReplayScratch;

// Numbers the storage owners of `arrays` in order of first use; distances within one owner are guarded
// too, as they decide what overlaps.
void owner_pattern(const std::vector<numjit::array*>& arrays, std::vector<std::int64_t>& pattern) {
  pattern.clear();
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const node* n = node_of(*arrays[i]);
    std::int64_t first = static_cast<std::int64_t>(i), distance = 0;
    for (std::size_t k = 0; n && k < i; ++k) {
      node* other = node_of(*arrays[k]);
      if (!other || detail::storage_owner(other) != detail::storage_owner(const_cast<node*>(n))) continue;
      first = static_cast<std::int64_t>(k);
      distance = n->data - other->data;
      break;
    }
    pattern.push_back(first);
    pattern.push_back(distance);
  }
}

// Where `n` comes from, seen from the arguments and from what the segment computed. False: nowhere.
bool find_source(const node* n, const std::vector<node*>& arguments, const LearnedCall& learned, ReplaySource& source) {
  source = {};
  if (!n) return true;
  for (std::size_t i = 0; i < learned.escaped.size(); ++i)
    if (learned.escaped[i].first == n) {
      source.kind = ReplaySource::Kind::computed;
      source.at = static_cast<std::uint32_t>(i);
      return true;
    }
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i] == n) {
      source.kind = ReplaySource::Kind::argument;
      source.at = static_cast<std::uint32_t>(i);
      return true;
    }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i] || detail::storage_owner(arguments[i]) != detail::storage_owner(const_cast<node*>(n))) continue;
    source.kind = ReplaySource::Kind::view;
    source.at = static_cast<std::uint32_t>(i);
    source.offset = n->data - arguments[i]->data;
    source.type = n->type;
    source.readonly = n->is(node::readonly);
    source.shape = dims(n->shape, n->rank);
    source.strides = dims(n->strides, n->rank);
    return true;
  }
  return false;
}

// Do all stores of the segment write into arguments or into values it made? Others would be repeated
// on arrays that the body makes anew at each call.
bool stores_reach_arguments_only(const SegmentEnd& end, const ReplayEntry& entry) {
  for (const Record* r : end.path) {
    if (!r->is_store) continue;
    const Record* root = r->in[0];
    while (root->is_view) root = root->in[0];
    if (!root->is_input) continue;
    for (std::size_t i = 0; i < end.inputs.size(); ++i)
      if (end.path[end.inputs[i]] == root && entry.inputs[i].kind == ReplaySource::Kind::constant) return false;
  }
  return true;
}

}  // namespace

void LearningObserver::on_segment(const SegmentEvent& event) {
  SegmentEnd& end = event.end;
  noted.end = &end;
  ++noted.segments;
  noted.clean &= event.kind == EndKind::region_end;
  noted.live = event.live;
  noted.boxes.assign(event.boxes.begin(), event.boxes.end());
  noted.inputs.clear();
  for (std::uint32_t at : end.inputs) noted.inputs.push_back(array::share(*end.slots[at]));
  noted.escaped.clear();
  event.live.for_each([&](std::size_t i) { noted.escaped.emplace_back(*end.lazy_slots[i], static_cast<std::uint32_t>(i)); });
}

void ReplayCall::begin() {
  Scratch& s = *scratch_;
  s.held.clear();
  s.fresh.reset();
  if (!recorder_->tries_replay()) return;
  // The guards describe the arguments as they were before the body ran.
  s.fresh = std::make_unique<ReplayEntry>();
  s.fresh->values = s.arguments.values;
  owner_pattern(s.arguments.arrays, s.fresh->pattern);
  for (numjit::array* a : s.arguments.arrays) {
    ReplayGuard guard;
    if (const node* n = node_of(*a)) {
      guard = {n->signature, n->is(node::readonly), dims(n->shape, n->rank), dims(n->strides, n->rank)};
      s.held.push_back(*a);
    } else {
      s.held.emplace_back();
    }
    s.fresh->guards.push_back(std::move(guard));
  }
  s.learning.noted = {};
  s.generators_made = detail::generators_made;
  recorder_->observers.add(s.learning);
}

bool ReplayCall::learn() {
  if (!scratch_->fresh) return false;
  const bool made = make_entry();
  recorder_->count_replay_attempt(made);
  return made;
}

bool ReplayCall::make_entry() {
  Scratch& s = *scratch_;
  Recorder& recorder = *recorder_;
  ObserverList::remove(s.learning);
  const LearnedCall noted = std::move(s.learning.noted);
  std::unique_ptr<ReplayEntry> entry = std::move(s.fresh);
  std::vector<array> held = std::move(s.held);
  if (detail::generators_made != s.generators_made) return false;  // its draws begin anew at each call
  if (!entry || !noted.clean || noted.segments != 1 || s.before.values != s.rebound.values) return false;
  const auto limit = static_cast<std::size_t>(config().recompile_limit);
  auto& entries = recorder.replay_entries();
  std::erase_if(entries, [](const auto& known) {
    return std::any_of(known->boxes.begin(), known->boxes.end(), [](const auto& box) { return box.expired(); });
  });
  if (entries.size() > limit) {
    detail::warn_once("replay_limit:" + function_.name,
                      fmt::format("{} reached the recompile limit of {} in mode replay; calls with other "
                                  "arguments run its body.",
                                  function_.name, limit));
    return false;
  }
  std::vector<node*> arguments;
  for (const array& a : held) arguments.push_back(node_of(a));
  SegmentEnd& end = *noted.end;
  entry->end = &end;
  entry->live = noted.live;
  entry->boxes = noted.boxes;
  for (const array& input : noted.inputs) {
    ReplaySource source;
    if (!find_source(input.get(), arguments, noted, source)) {
      source.kind = ReplaySource::Kind::constant;
      source.constant = input;
    }
    entry->inputs.push_back(std::move(source));
  }
  if (!stores_reach_arguments_only(end, *entry)) return false;
  for (auto [list, sources] : {std::pair{&s.results, &entry->results}, std::pair{&s.rebound, &entry->rebound}})
    for (numjit::array* a : list->arrays) {
      ReplaySource source;
      if (!find_source(node_of(*a), arguments, noted, source)) return false;
      sources->push_back(std::move(source));
    }
  for (std::uint32_t at : end.lazies) {
    const Record& r = *end.path[at];
    entry->shapes.emplace_back(r.cur->shape, r.cur->rank);
    entry->strides.emplace_back(r.cur->strides, r.cur->rank);
    entry->view_offsets.push_back(r.view_offset);
  }
  for (const runtime::ScalarValue* value : end.scalars) entry->scalars.push_back(*value);
  for (const op_params* params : end.params) entry->params.push_back(*params);
  entry_ = entry.get();
  entries.insert(entries.begin(), std::move(entry));
  return true;
}

}  // namespace numjit::tracing
