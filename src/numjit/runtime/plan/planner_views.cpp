// Views of pending values: moved below the expression instead of storing it, where that is cheaper.
#include <numjit/runtime/plan/planner.h>

#include <numjit/base/fusion.h>

namespace numjit::runtime {
namespace {

/// What may be computed again per element read through a view, in additions: casts are free.
constexpr int free_to_repeat = 1;

bool steps_along_axes(op_id view) { return view == op_id::index || view == op_id::transpose || view == op_id::broadcast_to; }

}  // namespace

bool Planner::commutes(int i) {
  if (!detail::fusion.load(std::memory_order_relaxed) || result_.persistent[static_cast<std::size_t>(i)]) return false;
  for (int view = i; node_of(view).kind == NodeKind::view; view = node_of(view).in[0].node)
    if (!steps_along_axes(node_of(view).op) || slot(view)->is(node::unsized)) return false;
  const int base = root_of(i);
  const auto at = static_cast<std::size_t>(base);
  if (state(base) != State::pending || result_.persistent[at] || cost_[at] > free_to_repeat || slot(base)->is(node::unsized) ||
      slot(i)->size > slot(base)->size)
    return false;
  // One array below it, that takes no more memory to read; an expression with views in it would need both.
  int arrays = 0;
  bool cheaper = true;
  seen_.resize(graph_.nodes.size());
  ++seen_mark_;
  leaves(base, [&](int leaf) {
    if (state(leaf) == State::pending) return;
    arrays += slot(leaf)->rank > 0;
    cheaper &= !waits(leaf) && dtype(slot(leaf)->type).itemsize() <= dtype(slot(base)->type).itemsize();
  });
  return arrays == 1 && cheaper;
}

bool Planner::is_part_of_pending(int i) const {
  const Node& n = node_of(i);
  return (n.op == op_id::real_view || n.op == op_id::imag_view) && detail::fusion.load(std::memory_order_relaxed) &&
         !result_.persistent[static_cast<std::size_t>(i)] && state(n.in[0].node) == State::pending &&
         dtype(node_of(n.in[0].node).type).kind() == 'c';
}

void Planner::place_view(int i) {
  const int viewed = node_of(i).in[0].node;
  if (state(viewed) == State::pending_view) place_view(viewed);
  state(i) = State::view;
  result_.steps.push_back(Step{Step::Kind::view, i, {}, {}, {}, -1, {}, {}});
}

void Planner::add_views_to_group(Body& body, int i) {
  if (node_of(i).kind != NodeKind::view) return;
  add_views_to_group(body, node_of(i).in[0].node);
  add_to_group(body, i);
}

std::uint16_t Planner::lower_through(Body& body, int view, int i) {
  const auto known = body.seen_through.find({view, i});
  if (known != body.seen_through.end()) return known->second;
  const std::uint16_t made = state(i) == State::pending
                                 ? lower_op(body, i, [&](int input) { return lower_through(body, view, input); })
                                 : operand_node(body, {i, -1, body.level, slot(i)->rank > 0 ? view : -1}, node_of(i).type);
  return body.seen_through[{view, i}] = made;
}

}  // namespace numjit::runtime
