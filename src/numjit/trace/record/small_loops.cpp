// What adds to the debt of a call, and which operations run at once then.
#include <numjit/trace/record/small_loops.h>

#include <algorithm>

#include <fmt/format.h>

#include <numjit/array/remote.h>
#include <numjit/base/log.h>
#include <numjit/ops/stores_into.h>
#include <numjit/trace/state/op_policy.h>

namespace numjit::tracing {
#ifndef __EMSCRIPTEN__
namespace {

/// Elements of a small array, and of a new one that is made at once.
constexpr std::int64_t small_size = 4096, small_creation = 1 << 16;
/// Elements of a row that segments are weighed for.
constexpr std::int64_t short_row = 1024;
/// Operations in segments that did not pay, or needed a new plan, on balance, from which on a call is too much in debt.
/// One in a segment that did both counts twice.
constexpr int most_debt = 512;
/// Calls after which small arrays run eagerly from a call's beginning.
constexpr int in_debt_for_good = 3;

constexpr int not_at_hand = node::lazy | node::remote | node::poisoned | node::unsized;

bool is_small(const node* n) { return !(n->flags & not_at_hand) && n->size <= small_size; }

/// How large the result of an op is. `unknown`: of views, which others make, of lengths that depend on data, and of code
/// that is not the engine's or has a state.
enum class extent : std::uint8_t { unknown, of_inputs, of_broadcasting, of_parameters };

extent extent_of_result(op_id op) {
  if (is_opaque(op) || runs_once(op) || length_of_result(op).rule != length_rule::known) return extent::unknown;
  switch (info(op).kind) {
    case op_kind::view: return extent::unknown;
    case op_kind::creation: return extent::of_parameters;
    case op_kind::ufunc:
    case op_kind::gather: return extent::of_broadcasting;
    default: return extent::of_inputs;
  }
}

/// The same, looked up.
struct extent_table {
  extent of[op_count];
  extent_table() {
    for (int op = 0; op < op_count; ++op) of[op] = extent_of_result(static_cast<op_id>(op));
  }
};

// Costs of arrays that fit a few cache lines, in ns: an operation run eagerly, one that is matched with its record, a step
// of a plan, a segment, and an input that is a view. Views come anew in each round of a loop: they are bound, laid out and
// compared with all others for overlaps.
bool pays_when_small(int ops, int steps, int views) {
  constexpr int eager_op = 56, recorded_op = 14, step = 60, segment = 60, view = 40;
  return ops * recorded_op + steps * step + segment + views * view < ops * eager_op;
}

}  // namespace

void SmallLoops::begin_call(const Trie& trie, bool allowed) {
  debt_ = 0;
  guesses_ = false;
  at_once_ = allowed && trie.calls_in_debt >= in_debt_for_good;
}

bool SmallLoops::are_small(const op_call& call) {
  if (is_disallowed(call.op)) return false;
  static const extent_table extents;
  const extent result = extents.of[static_cast<int>(call.op)];
  if (result == extent::unknown) return false;
  std::int64_t size = 1;
  const node* full = nullptr;
  for (std::size_t i = 0; i < call.in.size(); ++i) {
    const node* n = call.in[i].n();
    if (!n) continue;
    if (!is_small(n)) return false;
    if (result != extent::of_broadcasting || n->size == 1 || (full && detail::same_shape(full, n))) continue;
    size *= n->size;
    if (size > small_size) return false;
    full = n;
  }
  if (call.out && !is_small(call.out)) return false;
  if (call.where_mask && !is_small(call.where_mask)) return false;
  if (result != extent::of_parameters) return true;
  inference inferred;
  infer(call, inferred);
  return element_count(inferred.shape) <= small_creation;
}

void SmallLoops::add_guess(const SegmentEnd& end) {
  constexpr double operation = 80;
  double ns = 0;
  for (std::size_t i = 0; i < end.graph.nodes.size(); ++i) {
    const graph::Node& of = end.graph.nodes[i];
    if (of.kind != graph::NodeKind::op && of.kind != graph::NodeKind::store) continue;
    std::int64_t size = (*end.slots[i])->size;
    for (const graph::Ref& in : of.in)
      if (in.node >= 0) size = std::max(size, (*end.slots[static_cast<std::size_t>(in.node)])->size);
    const op_cost cost =
        of.kind == graph::NodeKind::op && kind_of(of.op) == op_kind::ufunc ? facts_of(of.op).cost : op_cost::simple;
    ns += operation + ns_of(cost) * static_cast<double>(size);
  }
  eager_guess_ += static_cast<std::int64_t>(ns);
}

void SmallLoops::estimate(const SegmentEnd& end, SegmentVariant& variant) {
  variant.ops = static_cast<int>(std::count_if(end.graph.nodes.begin(), end.graph.nodes.end(), [](const graph::Node& n) {
    return n.kind == graph::NodeKind::op || n.kind == graph::NodeKind::store;
  }));
  const auto views =
      std::count_if(end.inputs.begin(), end.inputs.end(), [&](std::uint32_t at) { return (*end.slots[at])->base != nullptr; });
  variant.pays = pays_when_small(variant.ops, variant.plan->step_count(), static_cast<int>(views));
}

void SmallLoops::weigh(const SegmentEnd& end, const SegmentVariant& variant, bool made, bool allowed, Trie& trie,
                       const std::string& function) {
  if (variant.pays && !made) {
    debt_ = std::max(0, debt_ - variant.ops);
    return;
  }
  if (at_once_ || !allowed) return;
  for (node* const* slot : end.slots)
    if ((*slot)->rank > 1 || (*slot)->size > short_row) return;
  debt_ += made && !variant.pays ? 2 * variant.ops : variant.ops;
  if (debt_ < most_debt) return;
  at_once_ = true;
  if (++trie.calls_in_debt != in_debt_for_good || !detail::log_enabled(log_channel::perf_hints)) return;
  detail::log(log_channel::perf_hints,
              fmt::format("{} works on small arrays in loops whose graphs do not pay: its operations on up to {} elements "
                          "run one by one. Compute whole rows at a time where you can.",
                          function, small_size));
}

#endif

}  // namespace numjit::tracing
