// Which plan a run takes, the run, and what becomes of the nodes behind it. Every call of a compiled function goes through it:
// pages compile this file for speed.
#include <numjit/trace/record/bound_graph.h>

#include <iterator>
#include <utility>

#include <numjit/array/lazy_node.h>
#include <numjit/array/remote.h>
#include <numjit/graph/generators.h>
#include <numjit/graph/indices.h>

namespace numjit::tracing {

using graph::NodeKind;

const std::vector<std::uint8_t> BoundGraph::no_aliases;

void BoundGraph::complete() {
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const NodeKind kind = graph.nodes[i].kind;
    if (kind == NodeKind::input) {
      inputs.push_back(i);
    } else if (kind == NodeKind::store) {
      has_stores = true;
    } else {
      lazies.push_back(i);
      lazy_slots.push_back(slots[i]);
    }
  }
  alias_pairs_ = runtime::AliasPairs(graph);
  run_inputs = {slots, scalars, params, view_offsets};
}

graph::Graph BoundGraph::graph_of_run(const LiveSet& live) const {
  graph::Graph marked = graph;
  for (std::size_t i = 0; i < lazies.size(); ++i) marked.nodes[lazies[i]].live = live[i];
  return marked;
}

// How the memory of stored-to arrays relates to that of the others, as a key; remembered by address.
void BoundGraph::find_aliases(std::uint32_t epoch) {
  const auto fits = [&](const AliasMemo& memo) {
    if (memo.epoch != epoch) return false;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (memo.data[i] != (*slots[inputs[i]])->data) return false;
    return true;
  };
  for (const AliasMemo& memo : alias_memos_)
    if (fits(memo)) {
      aliases_ = &memo.key;
      return;
    }
  AliasMemo& memo = alias_memos_[oldest_memo_];
  oldest_memo_ = static_cast<std::uint8_t>((oldest_memo_ + 1) % std::size(alias_memos_));
  memo.data.resize(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) memo.data[i] = (*slots[inputs[i]])->data;
  alias_pairs_.key(run_inputs, memo.key);
  memo.epoch = epoch;
  aliases_ = &memo.key;
}

SegmentVariant* BoundGraph::find_other_variant(const LiveSet& live, std::uint32_t epoch) {
  const std::size_t count = variants_.size();
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = (last_variant_ + k) % count;
    SegmentVariant& v = variants_[i];
    if (v.live == live && v.aliases == *aliases_ && (v.epoch == epoch || v.plan->fits(run_inputs))) {
      last_variant_ = i;
      return &v;
    }
  }
  return nullptr;
}

SegmentVariant& BoundGraph::add_variant(const LiveSet& live, std::unique_ptr<runtime::Plan> plan) {
  constexpr std::size_t most = 16;
  if (variants_.size() >= most) variants_.erase(variants_.begin());
  SegmentVariant variant;
  variant.live = live;
  variant.aliases = *aliases_;
  variant.plan = std::move(plan);
  variants_.push_back(std::move(variant));
  last_variant_ = variants_.size() - 1;
  return variants_.back();
}

std::uint8_t BoundGraph::device(std::string_view function) const {
  if (const std::uint8_t wanted = detail::device_now(); wanted != 0) return wanted;
  std::uint8_t found = 0;
  bool any = false;
  for (std::uint32_t at : inputs) {
    const numjit::node* n = *slots[at];
    const bool goes_anywhere = n->rank == 0 || graph::is_generator(graph, at) || graph::leads_to_indices(graph, at);
    if (n->device == 0 && (goes_anywhere || brings_host_arrays)) continue;
    if (any && n->device != found) detail::throw_mixed_devices(function, found, n->device);
    found = n->device;
    any = true;
  }
  return found;
}

void BoundGraph::run(runtime::Plan& plan, bool layout_changed, std::string_view function, bool all_eager) const {
  if (on_device || detail::device_now() != 0) [[unlikely]]
    plan.run_on(device(function), run_inputs, layout_changed, all_eager);
  else
    plan.run(run_inputs, layout_changed, all_eager);
}

void BoundGraph::run(SegmentVariant& variant, std::uint32_t epoch, std::string_view function, bool all_eager) {
  const bool layout_changed = std::exchange(variant.epoch, 0) != epoch;  // a run that throws leaves the plan's memo stale
  run(*variant.plan, layout_changed, function, all_eager);
  variant.epoch = epoch;
}

void BoundGraph::give_out(const LiveSet& live) {
  bool live_views = false;
  live.for_each([&](std::size_t i) { live_views |= graph.nodes[lazies[i]].kind == NodeKind::view; });
  if (!live_views) return live.for_each([&](std::size_t i) { hand_over(lazy_slots[i]); });
  live.for_each([&](std::size_t i) {
    if (graph.nodes[lazies[i]].kind != NodeKind::view) detail::make_concrete(*lazy_slots[i]);
  });
  live.for_each([&](std::size_t i) {
    if (graph.nodes[lazies[i]].kind == NodeKind::view) place_view(lazies[i]);
  });
  // What a live view looks into is not always alive itself.
  for (std::size_t i = 0; i < lazies.size(); ++i)
    if (!(*lazy_slots[i])->is(node::lazy)) detail::release(renew(lazy_slots[i], graph.nodes[lazies[i]].kind == NodeKind::view));
}

// Its record lets go of it while other threads, which may have handles, don't count them themselves yet, and touches it no more.
void BoundGraph::hand_over(node** slot) {
  node* const done = renew(slot, false);
  --done->refs;
  detail::make_concrete(done);
}

void BoundGraph::place_view(std::uint32_t number) const {
  std::int64_t offset = 0;
  std::size_t root = number;
  for (; graph.nodes[root].kind == NodeKind::view; root = static_cast<std::size_t>(graph.nodes[root].in[0].node))
    offset += *view_offsets[root];
  node* owner = *slots[root];
  if (owner->is(node::lazy)) detail::make_concrete(owner);
  char* const first = owner->data;
  node* view = *slots[number];
  owner = detail::storage_owner(owner);  // an input may be a view itself
  detail::retain(owner);
  view->base = owner;
  view->data = first + offset;
  if (owner->is(node::remote)) [[unlikely]]
    detail::share_device(view, owner);
  detail::make_concrete(view);
}

node* BoundGraph::renew(node** slot, bool is_view) {
  node* const done = *slot;
  node* const fresh = detail::new_lazy_like(done, is_view ? done->flags & node::readonly : 0);
  fresh->record = std::exchange(done->record, nullptr);
  *slot = fresh;
  return done;
}

}  // namespace numjit::tracing
