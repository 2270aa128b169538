// Visiting a graph: what fuses, what must be in memory, in which order steps run.
#include <numjit/runtime/plan/planner.h>

#include <algorithm>
#include <utility>

#include <numjit/base/fusion.h>
#include <numjit/graph/kernel_ops.h>
#include <numjit/ops/param_layout.h>
#include <numjit/ops/promotion.h>
#include <numjit/runtime/plan/joins.h>
#include <numjit/runtime/plan/unknown_lengths.h>

namespace numjit::runtime {
// ---- uses ----

void Planner::find_unused() {
  std::vector<bool> read(graph_.nodes.size(), false);
  unused_.assign(graph_.nodes.size(), false);
  for (int i = count_ - 1; i >= 0; --i) {
    const Node& n = node_of(i);
    const auto at = static_cast<std::size_t>(i);
    const bool is_value = n.kind == NodeKind::view || (n.kind == NodeKind::op && !n.has_effect);
    const node* const value = slot(i);  // null in a part of a graph
    unused_[at] = is_value && !n.live && !read[at] && value && !value->is(node::unsized);
    for (const Ref& ref : n.in)
      if (ref.node >= 0 && !unused_[at]) read[static_cast<std::size_t>(ref.node)] = true;
  }
}

void Planner::count_uses() {
  for (int i = 0; i < count_; ++i) {
    if (unused_[static_cast<std::size_t>(i)]) continue;
    for (const Ref& ref : node_of(i).in) {
      if (ref.node < 0) continue;
      ++uses_[static_cast<std::size_t>(ref.node)];
      last_use_[static_cast<std::size_t>(ref.node)] = i;
    }
  }
  // The array behind a live view, or behind a view that is used later, is needed as long.
  for (int i = count_ - 1; i >= 0; --i) {
    if (node_of(i).kind != NodeKind::view) continue;
    const auto base = static_cast<std::size_t>(node_of(i).in[0].node);
    last_use_[base] = std::max(last_use_[base], last_use_[static_cast<std::size_t>(i)]);
    if (node_of(i).live || result_.persistent[static_cast<std::size_t>(i)]) result_.persistent[base] = true;
  }
  read_in_memory_.assign(graph_.nodes.size(), false);
  for (int i = 0; i < count_; ++i) {
    const Node& n = node_of(i);
    if (n.live) result_.persistent[static_cast<std::size_t>(i)] = true;
    if (n.kind != NodeKind::op || unused_[static_cast<std::size_t>(i)] || obstacle(i).empty()) continue;
    for (const Ref& ref : n.in)
      if (ref.node >= 0) read_in_memory_[static_cast<std::size_t>(root_of(ref.node))] = true;
  }
}

// ---- visiting ----

bool Planner::can_join_later(int i) const {
  const auto is_sized = [&](const Ref& ref) { return ref.node >= 0 && !slot(ref.node)->is(node::unsized); };
  const Node& n = node_of(i);
  return is_join(n.op) && !n.has_effect && detail::fusion.load(std::memory_order_relaxed) && !slot(i)->is(node::unsized) &&
         std::all_of(n.in.begin(), n.in.end(), is_sized);
}

std::string Planner::obstacle(int i) const {
  const Node& n = node_of(i);
  const op_kind kind = info(n.op).kind;
  const bool reduces = kind == op_kind::reduction || kind == op_kind::argreduction;
  const bool casts = n.op == op_id::astype || n.op == op_id::copy || n.op == op_id::full;
  if (!reduces && !casts && (kind != op_kind::ufunc || n.loop < 0 || !graph::has_kernel_form(n.op)))
    return "it has no kernel form";
  const bool summed = n.op == op_id::sum || n.op == op_id::prod;
  if (n.has_where && (kind != op_kind::reduction || (dtype(n.type).kind() == 'c' && !summed))) return "where= has no kernel form";
  if (!reduces) return "";
  if (slot(n.in[0].node)->rank == 0) return "its input is 0-D";
  if (kind == op_kind::argreduction)
    return layout::axis_of(n.params) != layout::none || slot(n.in[0].node)->rank == 1
               ? ""
               : "axis=None over several axes has no kernel form";
  const layout::reduction r = layout::reduction_of(n.params);
  if (n.has_where || r.initial) {
    if (n.type == dtype_id::float16) return "where= and initial= of float16 have no kernel form";
    if (slot(n.in[0].node)->size == 0) return "its input is empty";
  }
  if (n.has_where) {
    const bool extremum = n.op == op_id::max || n.op == op_id::min;
    if (node_of(n.in.back().node).type != dtype_id::bool_) return "where= is not an array of bool";
    if (extremum && dtype(n.type).kind() != 'f') return "where= of integer extrema has no kernel form";
  }
  return r.axes && r.axes->empty() ? "it reduces over no axis" : "";
}

void Planner::visit(int i) {
  current_ = i;
  if (meets_waiting_store(i)) place_waiting_stores();
  const Node& n = node_of(i);
  switch (n.kind) {
    case NodeKind::input: state(i) = State::input; return;
    case NodeKind::view: {
      if (commutes(i)) {
        state(i) = State::pending_view;
        return;
      }
      if (is_part_of_pending(i)) {
        state(i) = State::pending_part;
        cost_[static_cast<std::size_t>(i)] = cost_[static_cast<std::size_t>(n.in[0].node)];
        return;
      }
      force(n.in[0].node);
      place_view(i);
      return;
    }
    case NodeKind::store: visit_store(i); return;
    case NodeKind::op: break;
  }
  if (can_join_later(i)) {
    state(i) = State::pending_join;
    return;
  }
  if (std::string why = obstacle(i); !why.empty()) {
    single(i, std::move(why));
    return;
  }
  const op_kind kind = info(n.op).kind;
  if (kind == op_kind::reduction || kind == op_kind::argreduction) {
    state(i) = State::pending_reduction;
    if (!detail::fusion.load(std::memory_order_relaxed)) force(i);
    return;
  }
  int cost = kind == op_kind::ufunc ? additions_of(facts_of(n.op).cost) : 0;
  for (const Ref& ref : n.in)
    if (ref.node >= 0 && (state(ref.node) == State::pending || state(ref.node) == State::pending_part))
      cost += cost_[static_cast<std::size_t>(ref.node)];
  cost_[static_cast<std::size_t>(i)] = std::min(cost, 1 << 20);
  state(i) = State::pending;
  if (!detail::fusion.load(std::memory_order_relaxed)) force(i);
}

void Planner::single(int i, std::string why) {
  const Node& n = node_of(i);
  if (n.kind == NodeKind::op) place_waiting_stores();
  for (const Ref& ref : n.in)
    if (ref.node >= 0) force(ref.node);
  Step step{Step::Kind::single, i, {}, {}, {}, -1, {}, {}};
  step.why = std::move(why);
  if (n.kind == NodeKind::op) {
    step.allocate.push_back(i);
    state(i) = State::stored;
  }
  result_.steps.push_back(std::move(step));
}

// ---- stores ----

Alias Planner::relation(int a, int b) const {
  if (a == b) return Alias::same;
  const int ra = root_of(a), rb = root_of(b);
  const bool in_a = node_of(ra).kind == NodeKind::input, in_b = node_of(rb).kind == NodeKind::input;
  if (in_a && in_b) {
    const Alias roots = memory_relation(slot(ra), slot(rb));
    // Views are not compared one by one: the same root says only that they may meet.
    return roots == Alias::same && (a != ra || b != rb) ? Alias::overlap : roots;
  }
  return ra == rb ? Alias::overlap : Alias::disjoint;
}

void Planner::leaves(int i, const std::function<void(int)>& f) {
  f(i);
  if (!waits(i)) return;
  seen_through_view_ |= state(i) == State::pending_view;
  for (const Ref& ref : node_of(i).in)
    if (ref.node >= 0) leaves_once(ref.node, f);
}

void Planner::leaves_once(int i, const std::function<void(int)>& f) {
  auto& seen = seen_[static_cast<std::size_t>(i)];
  if (seen == seen_mark_) return;
  seen = seen_mark_;
  leaves(i, f);
}

bool Planner::reads_changed(int i, int target, Alias* worst) {
  seen_.resize(graph_.nodes.size());
  ++seen_mark_;
  seen_through_view_ = false;
  bool any = false;
  leaves(i, [&](int leaf) {
    if (waits(leaf)) return;
    const Alias a = relation(leaf, target);
    any |= a != Alias::disjoint;
    if (worst) *worst = std::max(*worst, a);
  });
  // Through a view other elements are read than those at hand.
  if (worst && seen_through_view_ && *worst == Alias::same) *worst = Alias::overlap;
  return any;
}

void Planner::visit_store(int i) {
  const Node& n = node_of(i);
  const int target = n.in[0].node;
  force(target);
  if (can_wait(i)) {
    waiting_stores_.push_back(i);
    return;
  }
  place_waiting_stores();
  const int value = n.op == op_id::store ? n.in[1].node : -1;
  // Readers of the old elements come first.
  for (int k = 0; k < i; ++k) {
    if (!waits(k)) continue;
    if (k == value && !node_of(k).live && last_use_[static_cast<std::size_t>(k)] == i) continue;
    if (needed_later(k) && reads_changed(k, target)) force(k);
  }
  Alias worst = Alias::disjoint;
  const bool direct = value >= 0 && state(value) == State::pending && !node_of(value).live &&
                      last_use_[static_cast<std::size_t>(value)] == i &&
                      (!reads_changed(value, target, &worst) || (worst == Alias::same && same_shape_now(value, target)));
  if (!direct) {
    single(i, value >= 0 ? "what it stores is in memory already, or overlaps what is read for it" : "it has no kernel form");
    return;
  }
  if (worst == Alias::same) result_.same_shape.emplace_back(value, target);
  emit({value}, i);
}

bool Planner::can_wait(int i) {
  constexpr std::size_t most = 8;
  const Node& n = node_of(i);
  const int target = n.in[0].node, value = n.op == op_id::store && !n.has_where ? n.in[1].node : -1;
  Alias worst = Alias::disjoint;
  if (value < 0 || state(value) != State::pending || node_of(value).live || node_of(value).type != slot(target)->type ||
      last_use_[static_cast<std::size_t>(value)] != i || !same_shape_now(value, target) ||
      !reads_changed(value, target, &worst) || worst == Alias::same)
    return false;
  const auto conflicts = [&](int store) {
    return relation(node_of(store).in[0].node, target) != Alias::disjoint || !same_shape_now(node_of(store).in[0].node, target);
  };
  if (waiting_stores_.size() == most || std::any_of(waiting_stores_.begin(), waiting_stores_.end(), conflicts)) {
    place_waiting_stores();
    return state(value) == State::pending;
  }
  return true;
}

bool Planner::meets_waiting_store(int i) const {
  if (node_of(i).kind == NodeKind::store) return false;  // it sees to that itself
  return std::any_of(waiting_stores_.begin(), waiting_stores_.end(), [&](int store) {
    const int target = node_of(store).in[0].node;
    return std::any_of(node_of(i).in.begin(), node_of(i).in.end(),
                       [&](const Ref& ref) { return ref.node >= 0 && relation(ref.node, target) != Alias::disjoint; });
  });
}

void Planner::place_waiting_stores() {
  const std::vector<int> stores = std::exchange(waiting_stores_, {});
  if (stores.empty()) return;
  std::vector<int> outputs;
  for (int k = 0; k < current_; ++k) {
    const auto stored = [&](int store) { return node_of(store).in[1].node == k; };
    const auto reads = [&](int store) { return reads_changed(k, node_of(store).in[0].node); };
    if (!waits(k) || !(std::any_of(stores.begin(), stores.end(), stored) ||
                       (needed_later(k) && std::any_of(stores.begin(), stores.end(), reads))))
      continue;
    if (state(k) == State::pending)
      outputs.push_back(k);
    else
      force(k);
  }
  emit_together(std::move(outputs));
  for (const int store : stores) single(store, "what it stores overlaps what is read for it");
}

// ---- forcing ----

void Planner::force(int i) {
  if (state(i) == State::pending) {
    emit(with_siblings(i), -1);
  } else if (state(i) == State::pending_reduction) {
    emit_reduction(i);
  } else if (state(i) == State::pending_join) {
    place_waiting_stores();  // it is made before them if it reads what they overwrite
    if (state(i) == State::pending_join) single(i, obstacle(i));
  } else if (state(i) == State::pending_view || state(i) == State::pending_part) {
    force(node_of(i).in[0].node);
    place_view(i);
  }
}

Planner::Below Planner::below(int i) {
  Below found;
  std::map<int, int> joins;  // below each node
  const std::function<int(int)> walk = [&](int k) {
    if (const auto known = joins.find(k); known != joins.end()) return known->second;
    int most = 0;
    found.any_reduction |= state(k) == State::pending_reduction;
    found.any_emitted |= std::find(being_emitted_.begin(), being_emitted_.end(), k) != being_emitted_.end();
    if (!waits(k)) found.reads.push_back(k);
    for (const Ref& ref : node_of(k).in)
      if (ref.node >= 0 && waits(k)) most = std::max(most, walk(ref.node));
    return joins[k] = most + (state(k) == State::pending_join);
  };
  found.joins = walk(i);
  return found;
}

std::vector<int> Planner::with_siblings(int i) {
  std::vector<int> outputs{i};
  const auto may_join = [&](int k) {
    return k != i && state(k) == State::pending && read_in_memory_[static_cast<std::size_t>(k)] && same_shape_now(k, i);
  };
  std::optional<Below> own;
  for (int k = 0; k < current_ && outputs.size() < most_outputs; ++k) {
    if (!may_join(k)) continue;
    if (!own) {
      own = below(i);
      count_uses_to_come();
    }
    if (!needed_after(k, 0)) continue;
    const Below other = below(k);
    const auto is_read = [&](int leaf) { return std::find(own->reads.begin(), own->reads.end(), leaf) != own->reads.end(); };
    // As many joins: none of them is of what is computed here.
    if (!other.any_reduction && !other.any_emitted && other.joins == own->joins &&
        std::any_of(other.reads.begin(), other.reads.end(), is_read))
      outputs.push_back(k);
  }
  std::sort(outputs.begin(), outputs.end());
  return outputs;
}

void Planner::finish() {
  place_waiting_stores();
  std::vector<int> outputs;
  for (int i = 0; i < count_; ++i) {
    if (!result_.persistent[static_cast<std::size_t>(i)]) continue;
    if (waits_in_memory(i)) force(i);
    if (state(i) == State::pending) outputs.push_back(i);
  }
  emit_together(std::move(outputs));
}

void Planner::store_results_of(const std::vector<int>& split) {
  std::vector<int> outputs;
  for (int i : split) {
    const auto at = static_cast<std::size_t>(i);
    if (!result_.persistent[at] && last_use_[at] <= split.back()) continue;
    if (waits_in_memory(i)) force(i);
    if (state(i) == State::pending) outputs.push_back(i);
  }
  emit_together(std::move(outputs));
}

void Planner::emit_together(std::vector<int> outputs) {
  // Outputs of one shape share a kernel where they share work or inputs.
  while (!outputs.empty()) {
    std::vector<int> same;
    const int first = outputs.front();
    std::vector<int> rest;
    for (int o : outputs) {
      if (state(o) != State::pending) continue;
      (same_shape_now(first, o) && same.size() < most_outputs ? same : rest).push_back(o);
    }
    if (!same.empty()) emit(same, -1);
    outputs = std::move(rest);
  }
}

// ---- joins ----

bool Planner::touches(const Step& step, int root) const {
  const auto reads = [&](int i) {
    return std::any_of(node_of(i).in.begin(), node_of(i).in.end(),
                       [&](const Ref& ref) { return ref.node >= 0 && root_of(ref.node) == root; });
  };
  return (step.node >= 0 && (root_of(step.node) == root || reads(step.node))) ||
         std::any_of(step.group.begin(), step.group.end(), reads) ||
         (step.store_target >= 0 && root_of(step.store_target) == root);
}

// Nothing that the join reads is written by the step.
bool Planner::may_pass(int join, const Step& step) const {
  const bool stores = step.node >= 0 && node_of(step.node).kind == NodeKind::store;
  const int target = stores ? node_of(step.node).in[0].node : step.store_target;
  if (step.node >= 0 && node_of(step.node).has_effect && !stores) return false;
  return target < 0 || std::all_of(node_of(join).in.begin(), node_of(join).in.end(),
                                   [&](const Ref& ref) { return ref.node < 0 || relation(ref.node, target) == Alias::disjoint; });
}

void Planner::sink_joins() {
  std::vector<Step>& steps = result_.steps;
  const auto joins = [&](std::size_t s) {
    return steps[s].kind == Step::Kind::single && node_of(steps[s].node).kind == NodeKind::op &&
           is_join(node_of(steps[s].node).op);
  };
  for (std::size_t s = steps.size(); s-- > 0;) {
    if (!joins(s)) continue;
    const int node = steps[s].node;
    std::size_t to = s + 1;
    while (to < steps.size() && !touches(steps[to], node) && may_pass(node, steps[to])) ++to;
    if (to == steps.size() || !touches(steps[to], node)) continue;
    // One that is read again goes before those that only this kernel reads.
    const auto again = [&](std::size_t t) { return touches(steps[t], node); };
    bool is_read_again = result_.persistent[static_cast<std::size_t>(node)];
    for (std::size_t t = to + 1; t < steps.size() && !is_read_again; ++t) is_read_again = again(t);
    while (is_read_again && to > s + 1 && joins(to - 1)) --to;
    std::rotate(steps.begin() + static_cast<std::ptrdiff_t>(s), steps.begin() + static_cast<std::ptrdiff_t>(s) + 1,
                steps.begin() + static_cast<std::ptrdiff_t>(to));
  }
}

// ---- lifetimes ----

void Planner::place_frees() {
  std::vector<int> last(graph_.nodes.size(), -1);
  std::vector<bool> allocated(graph_.nodes.size(), false);
  auto touch = [&](int i, int step) {
    if (i >= 0) last[static_cast<std::size_t>(root_of(i))] = step;
  };
  for (int s = 0; s < static_cast<int>(result_.steps.size()); ++s) {
    const Step& step = result_.steps[static_cast<std::size_t>(s)];
    for (int i : step.allocate) allocated[static_cast<std::size_t>(i)] = true, touch(i, s);
    if (step.node >= 0) {
      touch(step.node, s);
      for (const Ref& ref : node_of(step.node).in) touch(ref.node, s);
    }
    for (int i : step.group)
      for (const Ref& ref : node_of(i).in) touch(ref.node, s);
    touch(step.store_target, s);
  }
  for (int i = 0; i < count_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (allocated[at] && !result_.persistent[at] && last[at] >= 0)
      result_.steps[static_cast<std::size_t>(last[at])].free_after.push_back(i);
  }
}

PlannedSteps make_steps(const Graph& graph, const RunInputs& inputs, const Splits& splits) {
  PlannedSteps planned = Planner(graph, inputs, splits).plan();
  for (const Step& step : planned.steps) planned.has_views |= step.kind == Step::Kind::view;
  note_unknown_lengths(graph, inputs, planned);
  return planned;
}

}  // namespace numjit::runtime
