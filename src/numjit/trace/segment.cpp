// The end of a segment: its graph, the plan for what is alive, the run, and what becomes of the nodes.
#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include <numjit/array/unusable.h>
#include <numjit/base/config.h>
#include <numjit/base/log.h>
#include <numjit/runtime/kernel_cache.h>
#include <numjit/trace/counters.h>
#include <numjit/trace/recorder.h>
#include <numjit/trace/replay_entry.h>

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
  node.kind = record.is_store  ? graph::NodeKind::store
              : record.is_view ? graph::NodeKind::view
                               : graph::NodeKind::op;
  node.op = record.op;
  node.type = shown->type;
  node.rank = static_cast<std::int8_t>(shown->rank);
  node.loop = record.loop;
  std::copy(std::begin(record.in_type), std::end(record.in_type), std::begin(node.in_type));
  node.has_where = record.has_where;
  node.params = record.params;
  node.where = record.where;
  return node;
}

// What an input's guard saw when it was recorded, and what it sees now: the smallest difference.
std::string change_of(const Record& recorded, const node* now) {
  // The signature holds dtype in its low 4 bits and rank in the next 5.
  const auto old_type = static_cast<dtype_id>(recorded.signature & 15);
  const int old_rank = static_cast<int>((recorded.signature >> 4) & 31);
  if (old_type != now->type)
    return fmt::format("dtype {} -> {}", dtype(old_type).name(), dtype(now->type).name());
  if (old_rank != now->rank) return fmt::format("rank {} -> {}", old_rank, int(now->rank));
  for (int axis = 0; axis < now->rank; ++axis)
    if ((recorded.static_axes >> axis & 1) && recorded.memo_shape[axis] != now->shape[axis])
      return fmt::format("size of axis {} {} -> {}", axis, recorded.memo_shape[axis], now->shape[axis]);
  return "layout (contiguity, or axes of length 1)";
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

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

// The path from the root to `last` as a graph; made once per path.
SegmentEnd& Recorder::end_of(Record& last) {
  if (last.end) return *last.end;
  auto end = std::make_unique<SegmentEnd>();
  std::vector<Record*> ops;
  for (Record* r = &last; r != trie_->root(); r = r->parent) ops.push_back(r);
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
    if (op->is_store)
      end->stores.emplace_back(static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(number.at(op->in[0])));
  }
  for (std::size_t i = 0; i < end->path.size(); ++i) {
    const Record& r = *end->path[i];
    if (r.is_input) end->inputs.push_back(static_cast<std::uint32_t>(i));
    if (!r.is_input && !r.is_store) end->lazies.push_back(static_cast<std::uint32_t>(i));
    end->params.push_back(&r.params);
    end->view_offsets.push_back(r.is_view ? &r.view_offset : nullptr);
  }
  end->slots.resize(end->path.size());
  last.end = end.release();
  ++trie_->segment_count;
  return *last.end;
}

// How the memory of stored-to arrays relates to that of the others, as a key; remembered by address.
const std::vector<std::uint8_t>& Recorder::alias_key_of(SegmentEnd& end, const runtime::RunInputs& inputs) {
  auto fits = [&](const AliasMemo& memo) {
    if (memo.epoch != epoch_) return false;
    for (std::size_t i = 0; i < end.inputs.size(); ++i)
      if (memo.data[i] != end.slots[end.inputs[i]]->data) return false;
    return true;
  };
  for (const AliasMemo& memo : end.alias_memos)
    if (fits(memo)) return memo.key;
  AliasMemo& memo = end.alias_memos[end.oldest_memo];
  end.oldest_memo = static_cast<std::uint8_t>((end.oldest_memo + 1) % std::size(end.alias_memos));
  memo.data.resize(end.inputs.size());
  for (std::size_t i = 0; i < end.inputs.size(); ++i) memo.data[i] = end.slots[end.inputs[i]]->data;
  runtime::alias_key(end.graph, inputs, memo.key);
  memo.epoch = epoch_;
  return memo.key;
}

// What this run works on: which values stay reachable, and the nodes of all records.
void Recorder::read_slots(SegmentEnd& end) {
  live_.assign(end.lazies.size(), false);
  for (std::size_t i = 0; i < end.lazies.size(); ++i)
    live_[i] = end.path[end.lazies[i]]->cur->refs > 1;
  for (std::size_t i = 0; i < end.path.size(); ++i) {
    Record* r = end.path[i];
    end.slots[i] = r->is_store ? r->in[0]->cur : r->cur;
  }
}

// The plan made earlier for what is alive now and for how memory overlaps now, or null.
SegmentVariant* Recorder::find_variant(SegmentEnd& end) {
  const runtime::RunInputs inputs{end.slots, end.scalars, end.params, end.view_offsets};
  if (!end.stores.empty())
    aliases_ = alias_key_of(end, inputs);
  else
    aliases_.clear();
  const std::size_t count = end.variants.size();
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = (end.last_variant + k) % count;
    SegmentVariant& v = end.variants[i];
    if (v.live == live_ && v.aliases == aliases_ &&
        (v.epoch == epoch_ || v.plan->fits(inputs))) {
      end.last_variant = i;
      return &v;
    }
  }
  return nullptr;
}

graph::Graph Recorder::graph_of_run(const SegmentEnd& end) const {
  graph::Graph graph = end.graph;
  for (std::size_t i = 0; i < end.lazies.size(); ++i) graph.nodes[end.lazies[i]].live = live_[i];
  return graph;
}

SegmentVariant& Recorder::make_variant(SegmentEnd& end) {
  graph::Graph graph = graph_of_run(end);
  count_graph(graph::to_text(graph));
  if (log_enabled(log_channel::graph))
    log(log_channel::graph, fmt::format("graph of {}:\n{}", function_->name, graph::to_text(graph)));
  if (log_enabled(log_channel::guards))
    for (const std::string& guard : guards_of(end))
      log(log_channel::guards, fmt::format("guard of {}: {}", function_->name, guard));
  // Bounds the plans of one path; the oldest goes.
  if (end.variants.size() >= 16) end.variants.erase(end.variants.begin());
  const runtime::RunInputs inputs{end.slots, end.scalars, end.params, end.view_offsets};
  SegmentVariant variant;
  variant.live = live_;
  variant.aliases = aliases_;
  variant.plan = std::make_unique<runtime::Plan>(std::move(graph), inputs);
  end.variants.push_back(std::move(variant));
  end.last_variant = end.variants.size() - 1;
  return end.variants.back();
}

void Recorder::run_variant(SegmentEnd& end, SegmentVariant& variant) {
  const bool layout_changed = variant.epoch != epoch_;
  const runtime::RunInputs inputs{end.slots, end.scalars, end.params, end.view_offsets};
  variant.epoch = 0;  // a run that throws leaves the plan's memo stale
  variant.plan->run(inputs, layout_changed, function_->backend != Backend::halide);
  variant.epoch = epoch_;
  ++end.runs;
  if (const std::uint64_t ops = variant.plan->take_single_ops()) own_counters().eager_ops += ops;
}

// The segment without a plan of its own: op by op, and forgotten.
void Recorder::run_unplanned(SegmentEnd& end) {
  const runtime::RunInputs inputs{end.slots, end.scalars, end.params, end.view_offsets};
  runtime::Plan plan(graph_of_run(end), inputs);
  plan.run(inputs, true, true);
  own_counters().eager_ops += plan.take_single_ops();
}

// Live lazies become concrete in place; their records get fresh nodes.
void Recorder::escape(SegmentEnd& end) {
  bool live_views = false;
  for (std::size_t i = 0; i < end.lazies.size(); ++i) {
    Record* r = end.path[end.lazies[i]];
    if (!live_[i]) continue;
    if (r->is_view) {
      live_views = true;
      continue;
    }
    r->cur->flags = static_cast<std::uint8_t>(r->cur->flags & ~node::lazy);
  }
  if (live_views) {
    for (std::size_t i = 0; i < end.lazies.size(); ++i) {
      Record* r = end.path[end.lazies[i]];
      if (!live_[i] || !r->is_view) continue;
      std::int64_t offset = r->view_offset;
      Record* root = r->in[0];
      for (; root->is_view; root = root->in[0]) offset += root->view_offset;
      node* owner = root->cur;
      owner->flags = static_cast<std::uint8_t>(owner->flags & ~node::lazy);
      node* view = r->cur;
      detail::retain(owner);
      view->base = owner;
      view->data = owner->data + offset;
      view->flags = static_cast<std::uint8_t>(view->flags & ~node::lazy);
    }
  }
  for (std::uint32_t at : end.lazies) {
    Record* r = end.path[at];
    node* done = r->cur;
    if (done->is(node::lazy)) continue;
    node* fresh = detail::allocate_node();
    detail::copy_layout(fresh, done);
    fresh->flags = static_cast<std::uint8_t>((done->flags & (node::c_contiguous | node::f_contiguous)) |
                                             (r->is_view ? done->flags & node::readonly : 0) | node::lazy);
    fresh->record = r;
    r->cur = fresh;
    done->record = nullptr;
    detail::release(done);
  }
}

void Recorder::unbind_from(std::size_t count) noexcept {
  while (bound_.size() > count) {
    Record* input = bound_.back();
    bound_.pop_back();
    node* n = input->cur;
    input->cur = nullptr;
    // Owners are numbered in order of first use: the last one goes if this input brought it.
    if (input->slot + 1u == owners_.size()) {
      bool shared = false;
      for (Record* other : bound_) shared |= other->slot == input->slot;
      if (!shared) owners_.pop_back();
    }
    detail::release(n);
  }
}

void Recorder::start_over(SegmentEnd* from) {
  ++segments_begun_;
  previous_end_ = from;
  at_ = trie_->root();
  expected_ = from ? from->following : trie_->entry;
  pending_ops_ = 0;
  stored_owners_.clear();
}

void Recorder::end_segment(EndKind kind) {
  if (at_ == trie_->root()) {
    unbind_from(0);
    owners_.clear();
    stored_owners_.clear();
    return;
  }
  if (kind == EndKind::cut) {
    ++own_counters().cuts;
    if (collector) ++collector->cuts;
  }
  std::exception_ptr compile_error;
  bool refused = false;
  try {
    SegmentEnd& end = end_of(*at_);
    read_slots(end);
    SegmentVariant* variant = find_variant(end);
    if (!variant && current_stance() > Stance::force_eager) {
      refused = kind != EndKind::fallback && current_stance() == Stance::fail_on_recompile;
      run_unplanned(end);
      if (learned) learned->clean = false;
    } else {
      if (!variant) variant = &make_variant(end);
      const runtime::defer_compiles_scope deferring(current_stance() == Stance::run_only);
      run_variant(end, *variant);
      compile_error = variant->plan->take_compile_error();
      if (collector) collect(end, *variant);
    }
    if (learned) note_for_replay(end, kind);
    escape(end);
    unbind_from(0);
    owners_.clear();
    start_over(&end);
  } catch (...) {
    discard_segment();
    if (kind != EndKind::exception) throw;
  }
  // Thrown when all is as eager would have left it.
  if (kind == EndKind::exception) return;
  if (compile_error) std::rethrow_exception(compile_error);
  if (refused)
    throw RecompileError("", fmt::format("{} would be compiled for other results kept alive or other "
                                         "overlaps of memory, and the stance is 'fail_on_recompile'. Call "
                                         "it with such arguments before the stance is set, or use "
                                         "'eager_on_recompile'.",
                                         function_->name));
}

void Recorder::note_for_replay(SegmentEnd& end, EndKind kind) {
  LearnedCall& call = *learned;
  call.end = &end;
  ++call.segments;
  call.clean &= kind == EndKind::region_end;
  call.live = live_;
  call.inputs.clear();
  for (std::uint32_t at : end.inputs) call.inputs.push_back(array::share(end.slots[at]));
  call.escaped.clear();
  for (std::size_t i = 0; i < end.lazies.size(); ++i)
    if (live_[i]) call.escaped.emplace_back(end.path[end.lazies[i]]->cur, static_cast<std::uint32_t>(i));
}

// Lazies still held by the program are poisoned: their value will never exist.
void Recorder::discard_segment(const Checkpoint& from) noexcept {
  Record* const last = from.segment == segments_begun_ ? from.at : trie_->root();
  for (Record* r = at_; r && r != last; r = r->parent) {
    if (r->is_store || r->is_input || !r->cur || r->cur->refs == 1) continue;
    node* held = r->cur;
    held->flags |= node::poisoned;
    held->record = nullptr;
    node* fresh = detail::allocate_node();
    detail::copy_layout(fresh, held);
    fresh->flags = static_cast<std::uint8_t>(
        (held->flags & ~(node::poisoned | node::marked)) | node::lazy);
    fresh->record = r;
    r->cur = fresh;
    detail::release(held);
  }
  // Layout memos of the abandoned path may be half new: recompute them at the next visit.
  ++epoch_;
  if (last != trie_->root()) {
    unbind_from(from.bound);
    stored_owners_.resize(from.stored_owners);
    at_ = last;
    expected_ = last->next;
    pending_ops_ = from.ops;
    return;
  }
  unbind_from(0);
  owners_.clear();
  start_over(nullptr);
}

std::vector<std::string> Recorder::guards_of(const SegmentEnd& end) {
  std::vector<std::string> guards;
  int argument = 0;
  for (const Record* r : end.path) {
    if (!r->is_input) continue;
    const node* n = r->cur;
    std::string text = fmt::format("input {}: {}, {}", ++argument, graph::type_text(n->type, n->rank),
                                   n->is(node::c_contiguous) ? "C-contiguous" : "strided");
    for (int axis = 0; axis < n->rank; ++axis) {
      if (r->static_axes >> axis & 1)
        text += fmt::format(", axis {} has length {}", axis, n->shape[axis]);
      else if (n->shape[axis] == 1)
        text += fmt::format(", axis {} has length 1", axis);
    }
    guards.push_back(std::move(text));
  }
  return guards;
}

void Recorder::collect(const SegmentEnd& end, const SegmentVariant& variant) {
  Collector::Segment segment;
  const graph::Graph graph = graph_of_run(end);
  segment.graph_text = graph::to_text(graph);
  segment.op_count = graph.op_count();
  segment.steps = variant.plan->steps();
  segment.peak_bytes = variant.plan->peak_bytes();
  segment.guards = guards_of(end);
  collector->segments.push_back(std::move(segment));
}

// ---- breaks ----

BreakEvent Recorder::describe(BreakId id, const location& where, node* about,
                              std::string_view message) const {
  BreakEvent event{id, std::string(message), "", where};
  if (!about) {
    event.context = fmt::format("pending ops: {}", pending_ops_);
    return event;
  }
  event.context = fmt::format("{}({})", message.empty() ? "value" : message,
                              graph::type_text(about->type, about->rank));
  if (const Record* made_by = about->record; about->is(node::lazy) && made_by) {
    int number = 0;
    for (const Record* r = made_by; r != trie_->root(); r = r->parent) ++number;
    event.context += fmt::format(" of op {} = {}(...)", number, info(made_by->op).name);
    if (where.line == 0) event.where = made_by->where;
  }
  return event;
}

void Recorder::report_break(const BreakEvent& event, std::int64_t cost_ns) {
  if (collector) {
    for (Collector::Break& b : collector->breaks) {
      if (b.event.id == event.id && b.event.where.line == event.where.line &&
          std::string_view(b.event.where.file) == event.where.file) {
        ++b.hits;
        b.cost_ns += cost_ns;
        return;
      }
    }
    collector->breaks.push_back({event, 1, cost_ns});
  }
  if (!log_enabled(log_channel::graph_breaks)) return;
  static std::mutex mutex;
  static auto& seen = *new std::unordered_set<std::string>;
  static std::uint64_t generation = 0;
  std::string key = fmt::format("{}:{}:{}", event.where.file, event.where.line, int(event.id));
  bool fresh;
  {
    std::lock_guard lock(mutex);
    if (generation != reset_generation()) {
      seen.clear();
      generation = reset_generation();
    }
    fresh = seen.insert(std::move(key)).second;
  }
  log(log_channel::graph_breaks,
      fresh ? break_text(event)
            : fmt::format("Graph break in user code at {}:{}, {} (user stack suppressed due to "
                          "duplicate graph break)",
                          event.where.file, event.where.line, break_row(event.id).title));
}

void Recorder::graph_break(BreakId id, const location& where, node* about, std::string_view message) {
  if (learned) learned->clean = false;
  if (depth_ == 0 || eager_rest_) return;
  if (in_fullgraph()) {
    const BreakEvent event = describe(id, where, about, message);
    discard_segment(fullgraphs.back());
    throw GraphBreakError(std::string(break_row(id).id), "", break_text(event));
  }
  ++own_counters().breaks;
  const bool tell = collector || error_on_break || log_enabled(log_channel::graph_breaks);
  if (!tell) return end_segment(EndKind::break_);
  const BreakEvent event = describe(id, where, about, message);
  const std::int64_t start = now_ns();
  end_segment(EndKind::break_);
  report_break(event, now_ns() - start);
  if (error_on_break) throw GraphBreakError(std::string(break_row(id).id), "", break_text(event));
}

void Recorder::materialize(node* n, const char* why, const location& where) {
  const std::string_view reason = why;
  if (!is_usable(n)) detail::throw_unusable(std::string(reason), n);
  if (depth_ == 0) return;
  if (learned) learned->clean = false;  // the body may depend on what it reads
  if (!n->is(node::lazy)) {
    // A concrete array: only pending stores to its storage matter; raw memory also if it is read.
    node* owner = detail::storage_owner(n);
    const auto& owners = reason == "data" ? owners_ : stored_owners_;
    if (std::find(owners.begin(), owners.end(), owner) == owners.end()) return;
  }
  BreakId id = BreakId::scalar_read;
  if (reason == "bool") id = BreakId::data_dependent_branch;
  if (reason == "data" || reason == "tolist") id = BreakId::memory_access;
  if (reason == "str" || reason == "repr" || reason == "print") id = BreakId::printing;
  if (reason == "save") id = BreakId::input_output;
  if (reason == "eval") id = BreakId::evaluation;
  graph_break(id, where, n, reason);
}

// ---- recompiles ----

// A branch that differs from a sibling only in what an input is: a recompile in the user's eyes.
Recorder::GuardMiss Recorder::guard_miss(const op_call& call) const {
  for (Record* child = at_->first_child; child; child = child->sibling) {
    if (child->is_cut || child->op != call.op || child->arity != std::ssize(call.in) ||
        !(child->params == call.p()))
      continue;
    int differs = -1;
    bool only_guards = true;
    for (int i = 0; i < child->arity && only_guards; ++i) {
      const operand& o = call.in[static_cast<std::size_t>(i)];
      Record* in = child->in[i];
      if (!o.is_array()) {
        only_guards = !in && child->scalars[i].kind == o.kind();
      } else if (!in) {
        only_guards = false;
      } else if (in->cur != o.n()) {
        only_guards = in->is_input && !in->cur && !o.n()->is(node::lazy);
        if (only_guards && (in->signature != o.n()->signature || !static_sizes_match(*in, o.n())))
          differs = i;
      }
    }
    if (!only_guards || differs < 0) continue;
    return {child, differs, change_of(*child->in[differs], call.in[static_cast<std::size_t>(differs)].n())};
  }
  return {};
}

std::string Recorder::GuardMiss::text() const {
  return fmt::format("argument {}, first used at {}:{}: {}", argument, child->where.file,
                     child->where.line, change);
}

void Recorder::note_recompile(const op_call& call) {
  const GuardMiss miss = guard_miss(call);
  if (!miss.child) return;
  ++own_counters().recompiles;
  const int number = ++function_->recompiles;
  const int limit = static_cast<int>(config().recompile_limit);
  const std::string text = fmt::format("recompile {} of {}: {}", number, limit, miss.text());
  if (collector) collector->recompiles.push_back({text, miss.child->where});
  if (log_enabled(log_channel::recompiles)) log(log_channel::recompiles, text);
  if (number > limit && !function_->over_limit.exchange(true))
    warn_once("recompile_limit:" + function_->name,
              fmt::format("{} reached the recompile limit of {}; it runs eagerly from now on. Last: {}",
                          function_->name, limit, text));
}

}  // namespace numjit::tracing
