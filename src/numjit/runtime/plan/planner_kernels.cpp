// Kernels of a plan: expressions taken in whole, stores written through, reductions over one or two levels.
#include <numjit/runtime/plan/planner.h>

#include <algorithm>
#include <utility>

#include <numjit/array/remote.h>
#include <numjit/base/error.h>
#include <numjit/graph/kernel_ops.h>
#include <numjit/ops/param_layout.h>
#include <numjit/ops/promotion.h>
#include <numjit/ops/rows.h>

namespace numjit::runtime {
namespace {

/// Nodes of one kernel, functions counted as several; larger ones compile slowly (facts: 32 minutes were seen elsewhere).
constexpr int max_kernel_nodes = 160;
constexpr int additions_of_node = 4;
/// Recomputing an expression above this cost takes longer than storing and loading it.
constexpr int cheap_cost = 8;
/// The same beside a store, whose kernel has no other results: by a kernel of its own, and from memory again.
constexpr int cheap_cost_beside_store = 32;
/// Below this, what a step by itself costs besides its loop tells.
constexpr std::int64_t least_column_elements = 1 << 16;

}  // namespace

// ---- building kernels ----

Planner::Body Planner::new_body() const {
  Body body;
  body.kernel_node.assign(graph_.nodes.size(), -1);
  return body;
}

void Planner::add_to_group(Body& body, int i) {
  if (std::find(body.group.begin(), body.group.end(), i) == body.group.end()) body.group.push_back(i);
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
  std::uint16_t made;
  if (state(i) == State::pending_view && state(root_of(i)) != State::pending) force(i);
  if (state(i) == State::pending_part && state(node_of(i).in[0].node) != State::pending) force(i);
  if (state(i) == State::pending_part) {
    const std::uint16_t whole = lower(body, node_of(i).in[0].node);
    const std::uint16_t part = node_of(i).op == op_id::imag_view ? 1 : 0;
    made = push(body, {KernelNodeKind::cast, {}, 0, node_of(i).type, part, {whole, 0, 0}});
    add_to_group(body, i);
  } else if (state(i) == State::pending_view) {
    made = lower_through(body, i, root_of(i));
    add_views_to_group(body, i);
  } else if (state(i) == State::pending) {
    made = lower_op(body, i, [&](int input) { return lower(body, input); });
  } else {
    made = operand_node(body, {i, -1, body.level}, node_of(i).type);
  }
  body.kernel_node[static_cast<std::size_t>(i)] = made;
  return made;
}

std::uint16_t Planner::lower_op(Body& body, int i, const std::function<std::uint16_t(int)>& input) {
  const Node& n = node_of(i);
  if (n.op == op_id::full) {
    add_to_group(body, i);
    return scalar_node(body, {-1, i, n.type});
  }
  const bool is_ufunc = info(n.op).kind == op_kind::ufunc;
  std::uint16_t in[3] = {0, 0, 0};
  for (std::size_t k = 0; k < n.in.size(); ++k) {
    const Ref& ref = n.in[k];
    in[k] = ref.node >= 0 ? input(ref.node)
                          : scalar_node(body, {ref.scalar, -1, graph_.scalars[static_cast<std::size_t>(ref.scalar)].type});
    if (is_ufunc) in[k] = cast_to(body, in[k], n.in_type[k]);
  }
  add_to_group(body, i);
  if (!is_ufunc) return cast_to(body, in[0], n.type);  // astype, copy
  return push(body, {KernelNodeKind::op, n.op, static_cast<std::uint8_t>(n.loop), n.type, 0, {in[0], in[1], in[2]}});
}

void Planner::prepare(const std::vector<int>& roots, std::int64_t space_size, std::vector<int>& extra) {
  std::vector<int> order;
  count_uses_to_come();
  ++seen_mark_;
  seen_.resize(graph_.nodes.size());
  std::function<void(int)> walk = [&](int i) {
    auto& seen = seen_[static_cast<std::size_t>(i)];
    if (seen == seen_mark_ || !is_expression(i)) return;
    seen = seen_mark_;
    for (const Ref& ref : node_of(i).in)
      if (ref.node >= 0) walk(ref.node);
    order.push_back(i);
  };
  for (int r : roots) walk(r);
  auto is_root = [&](int i) { return std::find(roots.begin(), roots.end(), i) != roots.end(); };
  // Users come first: what stands below an op that will be in memory is not taken in.
  std::vector<int> inside(graph_.nodes.size(), 0), to_force;  // uses from inside the kernel
  int taken = 0;
  const auto is_full = [&](int i, int& n) {
    n += 1;
    if (info(node_of(i).op).kind == op_kind::ufunc) n += additions_of(facts_of(node_of(i).op).cost) / additions_of_node;
    return n >= max_kernel_nodes / 2 && std::exchange(n, 0) > 0;
  };
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const int i = *at, uses = inside[static_cast<std::size_t>(i)];
    if (!is_root(i)) {
      if (uses == 0) continue;
      const bool narrow = slot(i)->size < space_size;  // broadcast inside the kernel
      const int cost = cost_[static_cast<std::size_t>(i)];
      const bool store = is_worth_storing(i, uses);
      if ((narrow && (cost >= 4 || store)) || (!store && is_full(i, taken))) {
        to_force.push_back(i);
        continue;
      }
      if (store) extra.push_back(i);
    }
    for (const Ref& ref : node_of(i).in) {
      if (ref.node < 0) continue;
      ++inside[static_cast<std::size_t>(ref.node)];
      if (waits_in_memory(ref.node)) to_force.push_back(ref.node);
    }
  }
  std::sort(to_force.begin(), to_force.end());
  for (int i : to_force) force(i);
  std::reverse(extra.begin(), extra.end());
}

void Planner::force_below(int i) {
  // The first ones met: what stands below them is theirs to force, or to take in.
  std::vector<int> found;
  seen_.resize(graph_.nodes.size());
  ++seen_mark_;
  std::function<void(int)> walk = [&](int k) {
    auto& seen = seen_[static_cast<std::size_t>(k)];
    if (seen == seen_mark_) return;
    seen = seen_mark_;
    if (waits_in_memory(k)) found.push_back(k);
    if (!is_expression(k)) return;
    for (const Ref& ref : node_of(k).in)
      if (ref.node >= 0) walk(ref.node);
  };
  walk(i);
  std::sort(found.begin(), found.end());
  for (int k : found) force(k);
}

void Planner::prepare_inputs(const std::vector<int>& inputs, std::int64_t space_size) {
  std::vector<int> extra;
  prepare(inputs, space_size, extra);
  emit_together(std::move(extra));
}

bool Planner::needed_after(int i, int inside) const {
  return result_.persistent[static_cast<std::size_t>(i)] || uses_to_come_[static_cast<std::size_t>(i)] > inside;
}

bool Planner::is_worth_storing(int i, int inside) const {
  return needed_after(i, inside) && (cost_[static_cast<std::size_t>(i)] >= cheap_cost || node_of(i).live);
}

void Planner::count_uses_to_come() {
  uses_to_come_.assign(graph_.nodes.size(), 0);
  for (int i = count_ - 1; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    if (i < current_ && !(waits(i) && (result_.persistent[at] || uses_to_come_[at] > 0))) continue;
    for (const Ref& ref : node_of(i).in)
      if (ref.node >= 0) ++uses_to_come_[static_cast<std::size_t>(ref.node)];
  }
}

std::vector<int> Planner::costly(std::vector<int> values) const {
  std::erase_if(values, [&](int i) { return cost_[static_cast<std::size_t>(i)] < cheap_cost_beside_store; });
  return values;
}

void Planner::add_results(std::vector<int>& outputs, std::vector<int> extra) {
  std::erase_if(extra, [&](int i) {
    return state(i) != State::pending || !same_shape_now(i, outputs[0]) ||
           std::find(outputs.begin(), outputs.end(), i) != outputs.end();
  });
  // Too many for one kernel: the first ones by kernels before, so that nothing is computed by several.
  std::size_t first = 0;
  for (; outputs.size() + extra.size() - first > most_outputs; first += std::min(extra.size() - first, most_outputs))
    emit({extra.begin() + static_cast<std::ptrdiff_t>(first),
          extra.begin() + static_cast<std::ptrdiff_t>(std::min(first + most_outputs, extra.size()))},
         -1);
  outputs.insert(outputs.end(), extra.begin() + static_cast<std::ptrdiff_t>(first), extra.end());
}

void Planner::emit(std::vector<int> outputs, int store) {
  const int space = store >= 0 ? node_of(store).in[0].node : outputs[0];
  std::vector<int> extra;
  const std::size_t outer = being_emitted_.size();
  being_emitted_.insert(being_emitted_.end(), outputs.begin(), outputs.end());
  prepare(outputs, slot(space)->size, extra);
  if (store < 0)
    add_results(outputs, std::move(extra));
  else
    emit_together(costly(std::move(extra)));
  being_emitted_.resize(outer);
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

namespace {
/// The loop that computes a reduction: of float16 the one of float32.
int computing_loop(const Node& n) {
  const std::span<const op_loop> loops = info(n.op).loops;
  const int loop = std::max(n.loop, 0);
  const op_loop& own = loops[static_cast<std::size_t>(loop)];
  if (own.in[0] != dtype_id::float16 || own.out == dtype_id::bool_) return loop;
  const auto wide = std::find_if(loops.begin(), loops.end(), [](const op_loop& l) { return l.in[0] == dtype_id::float32; });
  return static_cast<int>(wide - loops.begin());
}
}  // namespace

dtype_id Planner::accumulator(int i) const {
  const Node& n = node_of(i);
  return n.loop < 0 ? n.type : info(n.op).loops[static_cast<std::size_t>(computing_loop(n))].out;
}

namespace {

/// The loop of an elementwise op whose second input (the first of two alike) and result have this dtype.
std::uint8_t loop_over(op_id op, dtype_id type) {
  const auto& loops = info(op).loops;
  for (std::size_t l = 0; l < loops.size(); ++l)
    if (loops[l].in[1] == type && loops[l].out == type) return static_cast<std::uint8_t>(l);
  throw InternalError(std::string(info(op).name), "no loop over the dtype of a reduction");
}

}  // namespace

std::uint16_t Planner::reduce_value(Body& body, int i, std::uint16_t value, int level, bool last) {
  const Node& n = node_of(i);
  const KernelNode reduction{KernelNodeKind::reduce,
                             n.op,
                             static_cast<std::uint8_t>(computing_loop(n)),
                             accumulator(i),
                             static_cast<std::uint16_t>(level),
                             {value, 0, 0}};
  // The same reduction with and without kept axes is one.
  const auto known = std::find(body.spec.nodes.begin(), body.spec.nodes.end(), reduction);
  std::uint16_t reduced =
      known == body.spec.nodes.end() ? push(body, reduction) : static_cast<std::uint16_t>(known - body.spec.nodes.begin());
  if (!last) return reduced;
  if (info(n.op).kind == op_kind::reduction) reduced = with_initial(body, i, reduced);
  return cast_to(body, reduced, n.type);
}

std::uint16_t Planner::with_initial(Body& body, int i, std::uint16_t reduced) {
  const Node& n = node_of(i);
  const bool given = layout::reduction_of(n.params).initial.has_value();
  if (!given && !(n.has_where && n.op == op_id::sum)) return reduced;  // a masked sum begins at +0.0
  const dtype_id type = accumulator(i);
  const op_id op = ufunc_of(n.op);
  // In the dtype of the result first.
  const std::uint16_t initial = scalar_node(body, given ? ScalarSource{-1, i, n.type} : ScalarSource{-1, -1, n.type, 0.0});
  const std::uint16_t wide = cast_to(body, initial, type);
  return push(body, {KernelNodeKind::op, op, loop_over(op, type), type, 0, {wide, reduced, 0}});
}

std::uint16_t Planner::masked(Body& body, int i, std::uint16_t value) {
  const Node& n = node_of(i);
  if (!n.has_where) return value;
  const dtype_id type = accumulator(i);
  const std::uint16_t mask = lower(body, n.in.back().node);
  const std::uint16_t neutral = scalar_node(body, {-1, -1, type, neutral_value<double>(neutral_of(n.op))});
  return push(body, {KernelNodeKind::op, op_id::where, loop_over(op_id::where, type), type, 0, {mask, value, neutral}});
}

std::uint16_t Planner::reduction_input(Body& body, int i, std::uint16_t value) {
  const Node& n = node_of(i);
  if (info(n.op).kind != op_kind::argreduction) return cast_to(body, cast_to(body, value, n.type), accumulator(i));
  const bool is_half = body.spec.nodes[value].type == dtype_id::float16;
  return is_half ? cast_to(body, value, dtype_id::float32) : value;
}

int Planner::inner_reduction(int i) {
  const int value = node_of(i).in[0].node;
  if (state(value) != State::pending_reduction || node_of(value).live || result_.persistent[static_cast<std::size_t>(value)] ||
      uses_[static_cast<std::size_t>(value)] != 1 || node_of(value).has_where || node_of(i).has_where || keeps_dims(value) ||
      reduced_axes(value).size() != 1 || reduced_axes(i).size() != 1 || info(node_of(value).op).kind != op_kind::reduction)
    return -1;
  std::int64_t read = 0;
  ++seen_mark_;
  seen_.resize(graph_.nodes.size());
  leaves(node_of(value).in[0].node, [&](int leaf) {
    if (!is_expression(leaf)) read += slot(leaf)->size;
  });
  const node* space = slot(node_of(value).in[0].node);
  return space->size >= 4 * read ? value : -1;
}

bool Planner::joins_reduction(int j, int i) {
  if (j == i || state(j) != State::pending_reduction || !needed_after(j, 0) ||
      !same_shape_now(node_of(j).in[0].node, node_of(i).in[0].node) || reduced_axes(j) != reduced_axes(i))
    return false;
  // The inner one of two nested reductions is better off there.
  const int user = last_use_[static_cast<std::size_t>(j)];
  if (user >= 0 && user < count_ && state(user) == State::pending_reduction && inner_reduction(user) == j) return false;
  // What it reads must be at hand, and some of it be read here anyway.
  auto values_below = [&](int reduction) {
    std::vector<int> values;
    ++seen_mark_;
    for (const Ref& ref : node_of(reduction).in) leaves_once(ref.node, [&](int leaf) { values.push_back(leaf); });
    std::sort(values.begin(), values.end());
    return values;
  };
  seen_.resize(graph_.nodes.size());
  const std::vector<int> ours = values_below(i), theirs = values_below(j);
  bool shares = false;
  for (int value : theirs) {
    if (waits_in_memory(value)) return false;
    shares |= slot(value)->rank > 0 && std::binary_search(ours.begin(), ours.end(), value);
  }
  return shares;
}

std::vector<int> Planner::reductions_with(int i) {
  // Lanes of all reductions live in registers at the same time, or in the first-level cache.
  constexpr std::size_t most_bytes = 32;
  auto bytes_of = [&](int j) {
    const bool is_arg = info(node_of(j).op).kind == op_kind::argreduction;
    return dtype(is_arg ? node_of(node_of(j).in[0].node).type : node_of(j).type).itemsize() + (is_arg ? 4 : 0);
  };
  count_uses_to_come();
  std::vector<int> group{i};
  std::size_t bytes = bytes_of(i);
  for (int j = 0; j < count_ && j <= current_; ++j) {
    if (!joins_reduction(j, i) || bytes + bytes_of(j) > most_bytes) continue;
    bytes += bytes_of(j);
    group.push_back(j);
  }
  std::sort(group.begin(), group.end());
  return group;
}

void Planner::prepare_reductions(std::vector<int>& group) {
  count_uses_to_come();
  std::vector<int> inputs;
  for (int j : group)
    for (const Ref& ref : node_of(j).in) inputs.push_back(ref.node);
  for (int input : inputs)  // the reduced expression itself is stored only if someone else wants it
    if (state(input) == State::pending &&
        is_worth_storing(input, static_cast<int>(std::count(inputs.begin(), inputs.end(), input))))
      force(input);
  std::erase_if(inputs, [&](int input) { return !is_expression(input); });
  if (!inputs.empty()) prepare_inputs(inputs, slot(node_of(group[0]).in[0].node)->size);
  std::erase_if(group, [&](int j) { return state(j) != State::pending_reduction; });
}

void Planner::emit_reduction(int i) {
  const int inner = inner_reduction(i);
  if (inner >= 0 && emit_two_levels(i, inner)) return;
  for (const Ref& ref : node_of(i).in) force_below(ref.node);
  std::vector<int> group = reductions_with(i);
  prepare_reductions(group);
  if (group.empty()) return;
  if (group.size() == 1 && is_plain_column_reduction(i))
    return reduce_by_itself(i, "it reads an array in memory along its first axis, where eager loops do as well");
  if (!emit_reductions(group) && (group.size() == 1 || !emit_reductions({i}))) reduce_by_itself(i, "it has no kernel form");
}

namespace {

// Eager loops are the host's: on a device a kernel it is.
bool is_for_device(const graph::Graph& graph, const RunInputs& inputs) {
  if (numjit::detail::device_now() != 0) return true;
  for (std::size_t k = 0; k < graph.nodes.size(); ++k)
    if (graph.nodes[k].kind == graph::NodeKind::input && inputs.slot(static_cast<int>(k))->device != 0) return true;
  return false;
}

}  // namespace

bool Planner::is_plain_column_reduction(int i) {
  const Node& n = node_of(i);
  const int input = n.in[0].node;
  const op_kind kind = info(n.op).kind;
  if (kind != op_kind::reduction || n.has_where || layout::reduction_of(n.params).initial || n.loop < 0 || waits(input) ||
      slot(input)->size < least_column_elements || slot(input)->rank < 2)
    return false;
  const std::vector<int> axes = reduced_axes(i);
  return axes.size() == 1 && axes[0] == 0 && !is_for_device(graph_, inputs_);
}

bool Planner::emit_reductions(const std::vector<int>& group) {
  const int first = group[0], input = node_of(first).in[0].node;
  const int members = static_cast<int>(group.size());
  const std::vector<int> axes = reduced_axes(first);
  Step step{Step::Kind::fused, -1, {}, {}, {}, -1, {}, {}};
  std::uint32_t done = 0;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const bool last = k + 1 == axes.size();
    const int before = (static_cast<int>(k) - 1) * members, after = static_cast<int>(k) * members;
    Body body = new_body();
    const ArraySource space = k == 0 ? ArraySource{input, -1, 0} : ArraySource{-1, before, 0};
    std::vector<ArraySource> outputs;
    if (!last) done |= 1u << axes[k];
    for (int m = 0; m < members; ++m) {
      const int j = group[static_cast<std::size_t>(m)];
      std::uint16_t value;
      if (k == 0) {
        value = masked(body, j, reduction_input(body, j, lower(body, node_of(j).in[0].node)));
      } else {
        value = operand_node(body, {-1, before + m, 0}, accumulator(j));
      }
      body.spec.outputs.push_back(reduce_value(body, j, value, 0, last));
      outputs.push_back(last ? ArraySource{j, -1, 0} : ArraySource{-1, after + m, 0});
      if (!last) step.temporaries.push_back({input, done, accumulator(j)});
    }
    if (k == 0) step.group = body.group;
    body.spec.reduction_levels = 1;
    if (!FusedCall::can_express(body.spec)) return false;
    FusedPart part(std::move(body.spec));
    part.operands = std::move(body.operands);
    part.scalars = std::move(body.scalars);
    part.outputs = std::move(outputs);
    part.space = space;
    part.reduced_axis[0] = axes[k];
    // Temporaries keep reduced axes with length 1; so does the last space.
    if (last) part.dropped = done;
    step.parts.push_back(std::move(part));
  }
  for (int j : group) {
    if (j != first) result_.same_shape.emplace_back(input, node_of(j).in[0].node);
    step.allocate.push_back(j);
    step.group.push_back(j);
    state(j) = State::stored;
  }
  result_.steps.push_back(std::move(step));
  return true;
}

void Planner::reduce_by_itself(int i, std::string why) {
  force(node_of(i).in[0].node);
  state(i) = State::stored;
  Step step{Step::Kind::single, i, {}, {}, {}, -1, {i}, {}};
  step.why = std::move(why);
  result_.steps.push_back(std::move(step));
}

bool Planner::emit_two_levels(int i, int inner) {
  const int input = node_of(inner).in[0].node;
  if (is_expression(input)) {
    count_uses_to_come();
    if (is_worth_storing(input, 1)) return false;
    prepare_inputs({input}, slot(input)->size);
  } else {
    force(input);
  }
  Body body = new_body();
  std::uint16_t value = reduction_input(body, inner, lower(body, input));
  value = reduce_value(body, inner, value, 0, true);
  value = reduction_input(body, i, value);
  body.spec.outputs.push_back(reduce_value(body, i, value, 1, true));
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
  step.parts.push_back(std::move(part));
  state(inner) = State::none;  // never stored
  state(i) = State::stored;
  result_.steps.push_back(std::move(step));
  return true;
}

}  // namespace numjit::runtime
