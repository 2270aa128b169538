// Kernels of a plan: expressions taken in whole, stores written through, reductions over one or two levels.
#include <numjit/runtime/planner.h>

#include <algorithm>

#include <numjit/graph/kernel_ops.h>
#include <numjit/ops/param_layout.h>
#include <numjit/ops/promotion.h>

namespace numjit::runtime {
namespace {

/// Nodes of one kernel; larger ones compile slowly (facts: 32 minutes were seen elsewhere).
constexpr int max_kernel_nodes = 160;
/// Recomputing an expression dearer than this costs more than storing and loading it.
constexpr int cheap_cost = 8;

}  // namespace

// ---- building kernels ----

Planner::Body Planner::new_body() const {
  Body body;
  body.kernel_node.assign(graph_.nodes.size(), -1);
  return body;
}

std::uint16_t Planner::push(Body& body, const KernelNode& n) {
  body.spec.nodes.push_back(n);
  return static_cast<std::uint16_t>(body.spec.nodes.size() - 1);
}

std::uint16_t Planner::operand_node(Body& body, ArraySource source, dtype_id type) {
  KernelNode n{KernelNodeKind::operand, {}, 0, type, static_cast<std::uint16_t>(body.operands.size()), {}};
  body.spec.operand_types.push_back(type);
  body.operands.push_back(source);
  return push(body, n);
}

std::uint16_t Planner::scalar_node(Body& body, ScalarSource source) {
  KernelNode n{KernelNodeKind::scalar, {}, 0, source.type, static_cast<std::uint16_t>(body.scalars.size()), {}};
  body.spec.scalar_types.push_back(source.type);
  body.scalars.push_back(source);
  return push(body, n);
}

std::uint16_t Planner::cast_to(Body& body, std::uint16_t value, dtype_id type) {
  if (body.spec.nodes[value].type == type) return value;
  return push(body, {KernelNodeKind::cast, {}, 0, type, 0, {value, 0, 0}});
}

std::uint16_t Planner::lower(Body& body, int i) {
  int& known = body.kernel_node[static_cast<std::size_t>(i)];
  if (known >= 0) return static_cast<std::uint16_t>(known);
  const Node& n = node_of(i);
  std::uint16_t made;
  if (state(i) != State::pending) {
    made = operand_node(body, {i, -1, body.level}, n.type);
  } else if (n.op == op_id::full) {
    made = scalar_node(body, {-1, i, n.type});
    body.group.push_back(i);
  } else {
    std::uint16_t in[3] = {0, 0, 0};
    for (std::size_t k = 0; k < n.in.size(); ++k) {
      const Ref& ref = n.in[k];
      in[k] = ref.node >= 0
                  ? lower(body, ref.node)
                  : scalar_node(body, {ref.scalar, -1,
                                       graph_.scalars[static_cast<std::size_t>(ref.scalar)].type});
      if (info(n.op).kind == op_kind::ufunc) in[k] = cast_to(body, in[k], n.in_type[k]);
    }
    made = info(n.op).kind == op_kind::ufunc
               ? push(body, {KernelNodeKind::op, n.op, static_cast<std::uint8_t>(n.loop), n.type, 0,
                             {in[0], in[1], in[2]}})
               : cast_to(body, in[0], n.type);  // astype, copy
    body.group.push_back(i);
  }
  body.kernel_node[static_cast<std::size_t>(i)] = made;
  return made;
}

void Planner::prepare(const std::vector<int>& roots, std::int64_t space_size, std::vector<int>& extra) {
  std::vector<int> order;
  ++seen_mark_;
  seen_.resize(graph_.nodes.size());
  std::vector<int> inside(graph_.nodes.size(), 0);  // uses from inside the kernel
  std::function<void(int)> walk = [&](int i) {
    auto& seen = seen_[static_cast<std::size_t>(i)];
    if (seen == seen_mark_ || state(i) != State::pending) return;
    seen = seen_mark_;
    for (const Ref& ref : node_of(i).in) {
      if (ref.node < 0) continue;
      ++inside[static_cast<std::size_t>(ref.node)];
      walk(ref.node);
    }
    order.push_back(i);
  };
  for (int r : roots) walk(r);
  auto is_root = [&](int i) { return std::find(roots.begin(), roots.end(), i) != roots.end(); };
  std::vector<int> to_force;
  int taken = 0;
  for (int i : order) {
    for (const Ref& ref : node_of(i).in)
      if (ref.node >= 0 && state(ref.node) == State::pending_reduction) to_force.push_back(ref.node);
    if (is_root(i)) continue;
    const auto at = static_cast<std::size_t>(i);
    const bool narrow = slot(i)->size < space_size;  // broadcast inside the kernel
    const bool shared = needed_after(i, inside[at]);
    const bool dear = cost_[at] >= cheap_cost;
    if ((narrow && cost_[at] >= 4) || (shared && (dear || node_of(i).live) && narrow))
      to_force.push_back(i);
    else if (shared && (dear || node_of(i).live))
      extra.push_back(i);
    else if (++taken % (max_kernel_nodes / 2) == 0)
      to_force.push_back(i);
  }
  for (int i : to_force) force(i);
}

void Planner::prepare_input(int input) {
  std::vector<int> extra;
  prepare({input}, slot(input)->size, extra);
  for (int i : extra) force(i);
}

bool Planner::needed_after(int i, int inside) const {
  return result_.persistent[static_cast<std::size_t>(i)] ||
         (uses_[static_cast<std::size_t>(i)] > inside && last_use_[static_cast<std::size_t>(i)] > current_);
}

void Planner::emit(std::vector<int> outputs, int store) {
  const int space = store >= 0 ? node_of(store).in[0].node : outputs[0];
  std::vector<int> extra;
  prepare(outputs, slot(space)->size, extra);
  if (store < 0)
    for (int i : extra)
      if (state(i) == State::pending && same_shape_now(i, outputs[0]) &&
          std::find(outputs.begin(), outputs.end(), i) == outputs.end() && outputs.size() < 8)
        outputs.push_back(i);
  std::erase_if(outputs, [&](int i) { return state(i) != State::pending; });
  if (outputs.empty()) {  // forcing a part computed the output itself
    if (store >= 0) single(store, "what it stores is in memory already");
    return;
  }
  for (std::size_t k = 1; k < outputs.size(); ++k) result_.same_shape.emplace_back(outputs[0], outputs[k]);
  Body body = new_body();
  Step step{Step::Kind::fused, -1, {}, {}, {}, store >= 0 ? node_of(store).in[0].node : -1, {}, {}};
  std::vector<ArraySource> targets;
  for (int i : outputs) {
    std::uint16_t value = lower(body, i);
    if (store >= 0) value = cast_to(body, value, node_of(space).type);
    body.spec.outputs.push_back(value);
    targets.push_back({store >= 0 ? space : i, -1, 0});
    if (store < 0) step.allocate.push_back(i);
  }
  for (int i : outputs)
    if (store < 0) state(i) = State::stored;
  step.group = std::move(body.group);
  if (store >= 0) step.group.push_back(store);
  FusedPart part(std::move(body.spec));
  part.operands = std::move(body.operands);
  part.scalars = std::move(body.scalars);
  part.outputs = std::move(targets);
  part.space = {space, -1, 0};
  step.parts.push_back(std::move(part));
  result_.steps.push_back(std::move(step));
}

// ---- reductions ----

std::vector<int> Planner::reduced_axes(int i) const {
  const Node& n = node_of(i);
  const int rank = slot(n.in[0].node)->rank;
  std::vector<int> axes;
  if (info(n.op).kind == op_kind::argreduction) {
    const std::int64_t axis = layout::axis_of(n.params);
    axes.push_back(axis == layout::none ? 0 : normalize_axis(info(n.op).name, axis, rank));
  } else {
    const layout::reduction r = layout::reduction_of(n.params);
    if (!r.axes)
      for (int a = 0; a < rank; ++a) axes.push_back(a);
    else
      for (std::int64_t a : *r.axes) axes.push_back(normalize_axis(info(n.op).name, a, rank));
  }
  std::sort(axes.rbegin(), axes.rend());
  return axes;
}

bool Planner::keeps_dims(int i) const {
  const Node& n = node_of(i);
  return slot(i)->rank == slot(n.in[0].node)->rank;
}

dtype_id Planner::accumulator(int i) const {
  const Node& n = node_of(i);
  return n.loop < 0 ? n.type : info(n.op).loops[static_cast<std::size_t>(n.loop)].out;
}

std::uint16_t Planner::reduce_value(Body& body, int i, std::uint16_t value, int level) const {
  const Node& n = node_of(i);
  const std::uint16_t reduced =
      push(body, {KernelNodeKind::reduce, n.op, static_cast<std::uint8_t>(std::max(n.loop, 0)),
                  accumulator(i), static_cast<std::uint16_t>(level), {value, 0, 0}});
  return cast_to(body, reduced, n.type);
}

std::uint16_t Planner::reduction_input(Body& body, int i, std::uint16_t value) {
  const Node& n = node_of(i);
  if (info(n.op).kind == op_kind::argreduction) return value;
  return cast_to(body, cast_to(body, value, n.type), accumulator(i));
}

int Planner::inner_reduction(int i) {
  const int value = node_of(i).in[0].node;
  if (state(value) != State::pending_reduction || node_of(value).live ||
      result_.persistent[static_cast<std::size_t>(value)] || uses_[static_cast<std::size_t>(value)] != 1 ||
      keeps_dims(value) || reduced_axes(value).size() != 1 || reduced_axes(i).size() != 1 ||
      info(node_of(value).op).kind != op_kind::reduction)
    return -1;
  std::int64_t read = 0;
  ++seen_mark_;
  seen_.resize(graph_.nodes.size());
  leaves(node_of(value).in[0].node, [&](int leaf) {
    if (state(leaf) != State::pending) read += slot(leaf)->size;
  });
  const node* space = slot(node_of(value).in[0].node);
  return space->size >= 4 * read ? value : -1;
}

void Planner::emit_reduction(int i) {
  const int inner = inner_reduction(i);
  if (inner >= 0 && emit_two_levels(i, inner)) return;
  const Node& n = node_of(i);
  const int input = n.in[0].node;
  if (state(input) == State::pending_reduction) force(input);
  // The reduced expression itself is stored only if someone else wants it.
  if (state(input) == State::pending && needed_after(input, 1)) force(input);
  if (state(input) == State::pending) prepare_input(input);
  const std::vector<int> axes = reduced_axes(i);
  Step step{Step::Kind::fused, -1, {}, {}, {}, -1, {}, {}};
  step.allocate.push_back(i);
  const bool keep = keeps_dims(i);
  std::uint32_t done = 0;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    Body body = new_body();
    std::uint16_t value;
    ArraySource space;
    if (k == 0) {
      value = lower(body, input);
      space = {input, -1, 0};
      step.group = body.group;
    } else {
      space = {-1, static_cast<int>(k) - 1, 0};
      value = operand_node(body, space, n.type);
    }
    value = reduction_input(body, i, value);
    body.spec.reduction_levels = 1;
    body.spec.outputs.push_back(reduce_value(body, i, value, 0));
    if (!FusedCall::can_express(body.spec)) return reduce_by_itself(i);
    FusedPart part(std::move(body.spec));
    part.operands = std::move(body.operands);
    part.scalars = std::move(body.scalars);
    part.space = space;
    part.reduced_axis[0] = axes[k];
    if (k + 1 == axes.size()) {
      part.outputs.push_back({i, -1, 0});
      part.keepdims[0] = keep;
      // Temporaries keep reduced axes with length 1; so does the last space.
      if (!keep) part.dropped = done;
    } else {
      part.outputs.push_back({-1, static_cast<int>(k), 0});
      part.keepdims[0] = true;
      done |= 1u << axes[k];
      step.temporaries.push_back({input, done, n.type});
    }
    step.parts.push_back(std::move(part));
  }
  state(i) = State::stored;
  step.group.push_back(i);
  result_.steps.push_back(std::move(step));
}

void Planner::reduce_by_itself(int i) {
  force(node_of(i).in[0].node);
  state(i) = State::stored;
  Step step{Step::Kind::single, i, {}, {}, {}, -1, {i}, {}};
  step.why = "it has no kernel form";
  result_.steps.push_back(std::move(step));
}

bool Planner::emit_two_levels(int i, int inner) {
  const int input = node_of(inner).in[0].node;
  if (state(input) == State::pending) {
    if (needed_after(input, 1)) return false;
    prepare_input(input);
  }
  Body body = new_body();
  std::uint16_t value = reduction_input(body, inner, lower(body, input));
  value = reduce_value(body, inner, value, 0);
  value = reduction_input(body, i, value);
  body.spec.outputs.push_back(reduce_value(body, i, value, 1));
  body.spec.reduction_levels = 2;
  if (!FusedCall::can_express(body.spec)) return false;
  const int first = reduced_axes(inner)[0];
  int second = reduced_axes(i)[0];
  if (second >= first) ++second;  // counted in the space before the first reduction
  Step step{Step::Kind::fused, -1, {}, {}, {}, -1, {i}, {}};
  step.group = body.group;
  step.group.push_back(inner);
  step.group.push_back(i);
  FusedPart part(std::move(body.spec));
  part.operands = std::move(body.operands);
  part.scalars = std::move(body.scalars);
  part.outputs.push_back({i, -1, 0});
  part.space = {input, -1, 0};
  part.reduced_axis[0] = first;
  part.reduced_axis[1] = second;
  part.keepdims[0] = false;
  part.keepdims[1] = keeps_dims(i);
  step.parts.push_back(std::move(part));
  state(inner) = State::none;  // never stored
  state(i) = State::stored;
  result_.steps.push_back(std::move(step));
  return true;
}

}  // namespace numjit::runtime
