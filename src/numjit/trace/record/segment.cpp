// The end of a segment: its graph, the plan for what is alive, the run, and what becomes of the nodes.
#include <algorithm>
#include <exception>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include <numjit/array/lazy_node.h>
#include <numjit/array/remote.h>
#include <numjit/base/clock.h>
#include <numjit/base/config.h>
#include <numjit/base/log.h>
#include <numjit/ops/stores_into.h>
#include <numjit/trace/record/debug_graph.h>
#include <numjit/trace/record/recorder.h>
#include <numjit/trace/state/counters.h>

namespace numjit::tracing {

using detail::log;
using detail::log_enabled;
using detail::warn_once;

namespace {

dtype_id scalar_type(const Record& record, int operand) {
  if (record.loop >= 0 && operand < 3) return record.in_type[operand];
  if (record.is_store && record.in[0]) return record.in[0]->cur->type;
  switch (record.scalars[operand].kind) {
    case weak_kind::bool_: return dtype_id::bool_;
    case weak_kind::int_: return dtype_id::int64;
    case weak_kind::float_: return dtype_id::float64;
    default: return dtype_id::complex128;
  }
}

graph::Node graph_node(const Record& record) {
  graph::Node node;
  if (record.is_input) {
    node.kind = graph::NodeKind::input;
    node.type = record.cur->type;
    node.rank = static_cast<std::int8_t>(record.cur->rank);
    return node;
  }
  const numjit::node* shown = record.is_store ? record.in[0]->cur : record.cur;
  node.kind = record.is_store ? graph::NodeKind::store : record.is_view ? graph::NodeKind::view : graph::NodeKind::op;
  node.op = record.op;
  node.type = shown->type;
  node.rank = static_cast<std::int8_t>(shown->rank);
  node.loop = record.loop;
  std::copy(std::begin(record.in_type), std::end(record.in_type), std::begin(node.in_type));
  node.has_where = record.has_where;
  node.params = record.params;
  node.where = record.where;
  node.has_effect = record.errors != value_errors::none || moves_state(record.op) || record.op == op_id::black_box;
  return node;
}

// Distinct graphs of the process, by text.
void count_graph(const std::string& text) {
  static std::mutex mutex;
  static auto& seen = *new std::unordered_set<std::size_t>;
  std::lock_guard lock(mutex);
  static std::uint64_t generation = 0;
  if (generation != reset_generation()) {
    seen.clear();
    generation = reset_generation();
  }
  if (seen.insert(std::hash<std::string>{}(text)).second) ++own_counters().graphs;
}

}  // namespace

// The path from the root to `last` as a graph; made once per path.
SegmentEnd& Recorder::make_end(Record& last) {
  auto end = std::make_unique<SegmentEnd>();
  std::vector<Record*> ops;
  for (Record* r = &last; r != path_.trie->root(); r = r->parent) ops.push_back(r);
  std::reverse(ops.begin(), ops.end());
  std::unordered_map<Record*, std::int32_t> number;
  auto add = [&](Record* r) {
    auto [it, fresh] = number.emplace(r, static_cast<std::int32_t>(end->path.size()));
    if (fresh) {
      end->path.push_back(r);
      end->graph.nodes.push_back(graph_node(*r));
    }
    return it->second;
  };
  for (Record* op : ops) {
    std::vector<graph::Ref> refs;
    for (int i = 0; i < op->arity; ++i) {
      if (op->in[i]) {
        refs.push_back({add(op->in[i]), -1});
        continue;
      }
      refs.push_back({-1, static_cast<std::int32_t>(end->graph.scalars.size())});
      end->graph.scalars.push_back({op->scalars[i].kind, scalar_type(*op, i)});
      end->scalars.push_back(&op->scalars[i].value);
    }
    const std::int32_t at = add(op);
    end->graph.nodes[static_cast<std::size_t>(at)].in = std::move(refs);
  }
  for (std::size_t i = 0; i < end->path.size(); ++i) {
    Record& r = *end->path[i];
    end->slots.push_back(r.is_store ? &r.in[0]->cur : &r.cur);
    if (r.is_input) end->on_device |= r.cur->device != 0;
    if (r.is_unsized && !r.is_input && !r.is_store) end->unsized.push_back(static_cast<std::uint32_t>(i));
    end->params.push_back(&r.params);
    end->view_offsets.push_back(r.is_view ? &r.view_offset : nullptr);
  }
  end->complete();
  last.end = end.release();
  ++path_.trie->segment_count;
  return *last.end;
}

SegmentVariant& Recorder::make_variant(SegmentEnd& end) {
  graph::Graph graph = end.graph_of_run(live_);
  count_graph(graph::key_text(graph));
  if (log_enabled(log_channel::graph))
    log(log_channel::graph, fmt::format("graph of {}:\n{}", function_->name, graph::to_text(graph)));
  if (log_enabled(log_channel::guards))
    for (const std::string& guard : guards_of(end))
      log(log_channel::guards, fmt::format("guard of {}: {}", function_->name, guard));
  const runtime::RunInputs& inputs = end.run_inputs;
  function_->learned.add(variant_key(end));
  const std::int64_t start = detail::clock_ns();
  auto plan = std::make_unique<runtime::Plan>(std::move(graph), inputs);
  passes_ns_ += detail::clock_ns() - start;
  if (log_enabled(log_channel::perf_hints)) report_plan(function_->name, end.graph_of_run(live_), *plan, inputs);
  SegmentVariant& variant = end.add_variant(live_, std::move(plan));
  SmallLoops::estimate(end, variant);
  return variant;
}

// The segment without a plan of its own: op by op, and forgotten.
void Recorder::run_unplanned(SegmentEnd& end) {
  runtime::Plan plan(end.graph_of_run(live_), end.run_inputs);
  end.run(plan, true, function_->name, true);
  own_counters().eager_ops += plan.take_single_ops();
}

// Errors that leave everything as eager would have; an exception in flight goes before them.
void Recorder::report_end(EndKind kind, bool refused) {
  const std::exception_ptr error = std::exchange(late_error_, nullptr);
  if (kind == EndKind::exception) return;
  if (error) std::rethrow_exception(error);
  if (refused)
    throw RecompileError("", fmt::format("{} would be compiled for other results kept alive or other "
                                         "overlaps of memory, and the stance is 'fail_on_recompile'. Call "
                                         "it with such arguments before the stance is set, or use "
                                         "'eager_on_recompile'.",
                                         function_->name));
}

// A new plan; null where the stance allows none, and the segment has run without one.
SegmentVariant* Recorder::variant_not_met(SegmentEnd& end, EndKind kind, bool& refused) {
  if (current_stance() <= Stance::force_eager || function_->learned.knows(variant_key(end))) return &make_variant(end);
  refused = kind != EndKind::fallback && current_stance() == Stance::fail_on_recompile;
  run_unplanned(end);
  note_other_work();
  return nullptr;
}

// Lazies still held by the program become concrete if they have their value, and are poisoned else:
// it will never exist.
void Recorder::discard_segment(const Checkpoint& from) noexcept {
  Record* const last = from.segment == path_.segments_begun ? from.at : path_.trie->root();
  for (Record* r = path_.at; r && r != last; r = r->parent) {
    if (r->is_store || r->is_input || !r->cur) continue;
    if (r->cur->refs == 1) {
      if (r->is_unsized) forget_length(*r);
      continue;
    }
    node* held = r->cur;
    std::int64_t offset = r->view_offset;
    Record* root = r;
    if (r->is_view) {
      for (root = r->in[0]; root->is_view; root = root->in[0]) offset += root->view_offset;
    }
    node* owner = r->is_view ? root->cur : held;
    if (owner->data && r->is_view && !held->is(node::unsized)) {
      held->base = detail::storage_owner(owner);
      detail::retain(held->base);
      held->data = owner->data + offset;
      if (held->base->is(node::remote)) detail::share_device(held, held->base);
    }
    if (!held->data) held->flags |= node::poisoned;
    held->record = nullptr;
    node* fresh = detail::allocate_node();
    detail::copy_layout(fresh, held);
    fresh->flags = static_cast<std::uint8_t>((held->flags & ~(node::poisoned | node::marked)) | node::lazy);
    fresh->deleter_context = held->deleter ? detail::this_thread() : held->deleter_context;
    fresh->record = r;
    r->cur = fresh;
    if (r->is_unsized) forget_length(*r);
    if (held->data) held->flags = static_cast<std::uint8_t>(held->flags & ~node::lazy);
    detail::release(held);
  }
  forget_discarded_computed_views();
  // Layout memos of the abandoned path may be half new: recompute them at the next visit.
  ++epoch_;
  if (last != path_.trie->root()) {
    path_.forget_stores(from.stored_owners);
    path_.unbind_from(from.bound);
    path_.at = last;
    path_.expected = last->next;
    path_.ops = from.ops;
    return;
  }
  path_.unbind_from(0);
  start_over(nullptr);
}

}  // namespace numjit::tracing
