// Decides which ops of a graph fuse into one kernel, what is stored, and in which order.
//
// Nodes are visited in program order. An elementwise op stays *pending* until someone needs it in
// memory; a kernel then takes in the whole pending expression below it. A store may not overtake
// readers of the old elements: pending expressions that read what it overwrites are computed first.
#include <algorithm>
#include <array>
#include <functional>

#include <numjit/graph/kernel_ops.h>
#include <numjit/ops/param_layout.h>
#include <numjit/ops/promotion.h>
#include <numjit/runtime/plan_steps.h>

namespace numjit::runtime {
namespace {

using graph::Graph;
using graph::KernelNode;
using graph::KernelNodeKind;
using graph::KernelSpec;
using graph::Node;
using graph::NodeKind;
using graph::Ref;

/// Nodes of one kernel; larger ones compile slowly (facts: 32 minutes were seen elsewhere).
constexpr int max_kernel_nodes = 160;
/// Recomputing an expression dearer than this costs more than storing and loading it.
constexpr int cheap_cost = 8;

enum class State : std::uint8_t { input, pending, pending_reduction, stored, view, none };

bool fusable_type(dtype_id t) { return graph::has_kernel_form(t); }

// Rough cost of an elementwise op, in additions.
int op_cost(op_id op) {
  switch (op) {
    case op_id::divide: case op_id::sqrt: case op_id::floor_divide: case op_id::remainder:
    case op_id::fmod: case op_id::reciprocal:
      return 4;
    default: break;
  }
  // Everything from exp to arctanh in the table's order, and the dear arithmetic.
  const bool transcendental = (op >= op_id::exp && op <= op_id::arctanh) || op == op_id::power ||
                              op == op_id::float_power || op == op_id::cbrt ||
                              op == op_id::hypot || op == op_id::gcd || op == op_id::lcm;
  return transcendental ? 20 : 1;
}

class Planner {
 public:
  Planner(const Graph& graph, const RunInputs& inputs)
      : graph_(graph), inputs_(inputs), count_(static_cast<int>(graph.nodes.size())),
        state_(graph.nodes.size(), State::none), uses_(graph.nodes.size(), 0),
        last_use_(graph.nodes.size(), -1), cost_(graph.nodes.size(), 0) {
    result_.persistent.assign(graph.nodes.size(), false);
  }

  PlannedSteps plan() {
    count_uses();
    for (int i = 0; i < count_; ++i) visit(i);
    current_ = count_;
    finish();
    place_frees();
    return std::move(result_);
  }

 private:
  const Node& node_of(int i) const { return graph_.nodes[static_cast<std::size_t>(i)]; }
  node* slot(int i) const { return inputs_.slots[static_cast<std::size_t>(i)]; }
  State& state(int i) { return state_[static_cast<std::size_t>(i)]; }
  bool needed_later(int i) const {
    return node_of(i).live || last_use_[static_cast<std::size_t>(i)] >= current_;
  }

  void count_uses() {
    for (int i = 0; i < count_; ++i) {
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
      if (node_of(i).live || result_.persistent[static_cast<std::size_t>(i)])
        result_.persistent[base] = true;
    }
    for (int i = 0; i < count_; ++i)
      if (node_of(i).live) result_.persistent[static_cast<std::size_t>(i)] = true;
  }

  // ---- visiting ----

  bool fusable(int i) const {
    const Node& n = node_of(i);
    if (n.has_where) return false;
    auto arrays_fusable = [&] {
      for (const Ref& ref : n.in)
        if (ref.node >= 0 && !fusable_type(node_of(ref.node).type)) return false;
      return fusable_type(n.type);
    };
    const op_kind kind = info(n.op).kind;
    if (kind == op_kind::ufunc) {
      for (std::size_t k = 0; k < n.in.size(); ++k)
        if (!fusable_type(n.in_type[k])) return false;
      return n.loop >= 0 && graph::has_kernel_form(n.op) && arrays_fusable();
    }
    if (n.op == op_id::astype || n.op == op_id::copy || n.op == op_id::full) return arrays_fusable();
    if (kind == op_kind::reduction) {
      const layout::reduction r = layout::reduction_of(n.params);
      return !r.initial && slot(n.in[0].node)->rank > 0 && arrays_fusable() &&
             !(r.axes && r.axes->empty());
    }
    if (kind == op_kind::argreduction)
      return arrays_fusable() && slot(n.in[0].node)->rank > 0 &&
             (layout::axis_of(n.params) != layout::none || slot(n.in[0].node)->rank == 1);
    return false;
  }

  void visit(int i) {
    current_ = i;
    const Node& n = node_of(i);
    switch (n.kind) {
      case NodeKind::input:
        state(i) = State::input;
        return;
      case NodeKind::view: {
        force(n.in[0].node);
        state(i) = State::view;
        Step step{Step::Kind::view, i, {}, {}, {}, -1, {}, {}};
        result_.steps.push_back(std::move(step));
        return;
      }
      case NodeKind::store:
        visit_store(i);
        return;
      case NodeKind::op: break;
    }
    if (!fusable(i)) {
      single(i);
      return;
    }
    const op_kind kind = info(n.op).kind;
    if (kind == op_kind::reduction || kind == op_kind::argreduction) {
      state(i) = State::pending_reduction;
      return;
    }
    int cost = kind == op_kind::ufunc ? op_cost(n.op) : 0;
    for (const Ref& ref : n.in)
      if (ref.node >= 0 && state(ref.node) == State::pending) cost += cost_[static_cast<std::size_t>(ref.node)];
    cost_[static_cast<std::size_t>(i)] = std::min(cost, 1 << 20);
    state(i) = State::pending;
  }

  // One op by itself, its inputs in memory.
  void single(int i) {
    const Node& n = node_of(i);
    for (const Ref& ref : n.in)
      if (ref.node >= 0) force(ref.node);
    Step step{Step::Kind::single, i, {}, {}, {}, -1, {}, {}};
    if (n.kind == NodeKind::op) {
      step.allocate.push_back(i);
      state(i) = State::stored;
    }
    result_.steps.push_back(std::move(step));
  }

  // ---- stores ----

  int root_of(int i) const {
    while (node_of(i).kind == NodeKind::view) i = node_of(i).in[0].node;
    return i;
  }

  Alias relation(int a, int b) const {
    if (a == b) return Alias::same;
    const int ra = root_of(a), rb = root_of(b);
    const bool in_a = node_of(ra).kind == NodeKind::input, in_b = node_of(rb).kind == NodeKind::input;
    if (in_a && in_b) return memory_relation(slot(ra), slot(rb));
    return ra == rb ? Alias::overlap : Alias::disjoint;
  }

  // Calls f(leaf) for each array in memory that the pending value i reads, pending ops it inlines
  // included.
  void leaves(int i, const std::function<void(int)>& f) {
    f(i);
    if (state(i) != State::pending && state(i) != State::pending_reduction) return;
    for (const Ref& ref : node_of(i).in)
      if (ref.node >= 0) leaves_once(ref.node, f);
  }
  void leaves_once(int i, const std::function<void(int)>& f) {
    auto& seen = seen_[static_cast<std::size_t>(i)];
    if (seen == seen_mark_) return;
    seen = seen_mark_;
    leaves(i, f);
  }
  bool reads_changed(int i, int target, Alias* worst = nullptr) {
    seen_.resize(graph_.nodes.size());
    ++seen_mark_;
    bool any = false;
    leaves(i, [&](int leaf) {
      if (state(leaf) == State::pending || state(leaf) == State::pending_reduction) return;
      const Alias a = relation(leaf, target);
      any |= a != Alias::disjoint;
      if (worst) *worst = std::max(*worst, a);
    });
    return any;
  }

  void visit_store(int i) {
    const Node& n = node_of(i);
    const int target = n.in[0].node;
    force(root_of(target));
    const int value = n.op == op_id::store ? n.in[1].node : -1;
    // Readers of the old elements come first.
    for (int k = 0; k < i; ++k) {
      if (state(k) != State::pending && state(k) != State::pending_reduction) continue;
      if (k == value && !node_of(k).live && last_use_[static_cast<std::size_t>(k)] == i) continue;
      if (needed_later(k) && reads_changed(k, target)) force(k);
    }
    Alias worst = Alias::disjoint;
    const bool direct = value >= 0 && state(value) == State::pending &&
                        !node_of(value).live && last_use_[static_cast<std::size_t>(value)] == i &&
                        fusable_type(node_of(target).type) &&
                        (!reads_changed(value, target, &worst) ||
                         (worst == Alias::same && same_shape_now(value, target)));
    if (!direct) {
      single(i);
      return;
    }
    if (worst == Alias::same) result_.same_shape.emplace_back(value, target);
    emit({value}, i);
  }

  bool same_shape_now(int a, int b) const { return detail::same_shape(slot(a), slot(b)); }

  // ---- forcing ----

  void force(int i) {
    if (state(i) == State::pending) {
      emit({i}, -1);
    } else if (state(i) == State::pending_reduction) {
      emit_reduction(i);
    }
  }

  void finish() {
    std::vector<int> outputs;
    for (int i = 0; i < count_; ++i) {
      if (!result_.persistent[static_cast<std::size_t>(i)]) continue;
      if (state(i) == State::pending_reduction) force(i);
      if (state(i) == State::pending) outputs.push_back(i);
    }
    // Outputs of one shape share a kernel where they share work or inputs.
    while (!outputs.empty()) {
      std::vector<int> same;
      const int first = outputs.front();
      std::vector<int> rest;
      for (int o : outputs) {
        if (state(o) != State::pending) continue;
        (same_shape_now(first, o) && same.size() < 8 ? same : rest).push_back(o);
      }
      if (!same.empty()) emit(same, -1);
      outputs = std::move(rest);
    }
  }

  // ---- building kernels ----

  // The body of one kernel under construction.
  struct Body {
    KernelSpec spec;
    std::vector<ArraySource> operands;
    std::vector<ScalarSource> scalars;
    std::vector<int> group;
    std::vector<int> kernel_node;   // graph node -> spec node, or -1
    int level = 0;
    bool full = false;              // grew past the limit
  };

  Body new_body() const {
    Body body;
    body.kernel_node.assign(graph_.nodes.size(), -1);
    return body;
  }

  static std::uint16_t push(Body& body, const KernelNode& n) {
    body.spec.nodes.push_back(n);
    return static_cast<std::uint16_t>(body.spec.nodes.size() - 1);
  }

  std::uint16_t operand_node(Body& body, ArraySource source, dtype_id type) {
    KernelNode n{KernelNodeKind::operand, {}, 0, type, static_cast<std::uint16_t>(body.operands.size()), {}};
    body.spec.operand_types.push_back(type);
    body.operands.push_back(source);
    return push(body, n);
  }

  std::uint16_t scalar_node(Body& body, ScalarSource source) {
    KernelNode n{KernelNodeKind::scalar, {}, 0, source.type, static_cast<std::uint16_t>(body.scalars.size()), {}};
    body.spec.scalar_types.push_back(source.type);
    body.scalars.push_back(source);
    return push(body, n);
  }

  static std::uint16_t cast_to(Body& body, std::uint16_t value, dtype_id type) {
    if (body.spec.nodes[value].type == type) return value;
    return push(body, {KernelNodeKind::cast, {}, 0, type, 0, {value, 0, 0}});
  }

  // The kernel node of graph node i, taking in pending expressions.
  std::uint16_t lower(Body& body, int i) {
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

  // Before a kernel takes in the expression below `roots`: whatever in it should live in memory by
  // itself is forced now. Returns pending nodes that had better become further outputs.
  void prepare(const std::vector<int>& roots, std::int64_t space_size, std::vector<int>& extra) {
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

  // Is i wanted by someone besides the kernel that uses it `inside` times?
  bool needed_after(int i, int inside) const {
    return result_.persistent[static_cast<std::size_t>(i)] ||
           (uses_[static_cast<std::size_t>(i)] > inside && last_use_[static_cast<std::size_t>(i)] > current_);
  }

  // One elementwise kernel for `outputs` (one shape). With `store`, the single output is written
  // straight through that store node's target.
  void emit(std::vector<int> outputs, int store) {
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
      if (store >= 0) single(store);
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

  // Axes of a reduction in the order they are reduced: the last one first.
  std::vector<int> reduced_axes(int i) const {
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
  bool keeps_dims(int i) const {
    const Node& n = node_of(i);
    return slot(i)->rank == slot(n.in[0].node)->rank;
  }

  KernelNode reduce_node(int i, std::uint16_t value, int level) const {
    const Node& n = node_of(i);
    return {KernelNodeKind::reduce, n.op, static_cast<std::uint8_t>(std::max(n.loop, 0)), n.type,
            static_cast<std::uint16_t>(level), {value, 0, 0}};
  }

  // The input of a reduction as its accumulation wants it: cast to the result's dtype; predicates
  // (any, all) and arg reductions take it as it is.
  std::uint16_t reduction_input(Body& body, int i, std::uint16_t value) {
    const Node& n = node_of(i);
    if (info(n.op).kind == op_kind::argreduction) return value;
    return cast_to(body, value, n.type);
  }

  // A one-axis reduction pending below reduction i whose space is much larger than what it reads:
  // its values need not be stored.
  int inner_reduction(int i) {
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

  void emit_reduction(int i) {
    const int inner = inner_reduction(i);
    if (inner >= 0 && emit_two_levels(i, inner)) return;
    const Node& n = node_of(i);
    const int input = n.in[0].node;
    if (state(input) == State::pending_reduction) force(input);
    std::vector<int> extra;
    if (state(input) == State::pending) {
      // The reduced expression itself is stored only if someone else wants it.
      if (needed_after(input, 1)) force(input);
      else prepare({input}, slot(input)->size, extra);
    }
    for (int e : extra) force(e);
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
      body.spec.outputs.push_back(push(body, reduce_node(i, value, 0)));
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

  void reduce_by_itself(int i) {
    force(node_of(i).in[0].node);
    state(i) = State::stored;
    Step step{Step::Kind::single, i, {}, {}, {}, -1, {i}, {}};
    result_.steps.push_back(std::move(step));
  }

  bool emit_two_levels(int i, int inner) {
    const int input = node_of(inner).in[0].node;
    if (state(input) == State::pending) {
      if (needed_after(input, 1)) return false;
      std::vector<int> extra;
      prepare({input}, slot(input)->size, extra);
      for (int e : extra) force(e);
    }
    Body body = new_body();
    std::uint16_t value = reduction_input(body, inner, lower(body, input));
    value = push(body, reduce_node(inner, value, 0));
    value = reduction_input(body, i, value);
    body.spec.outputs.push_back(push(body, reduce_node(i, value, 1)));
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

  // ---- lifetimes ----

  // Storage of temporaries goes back after the last step that touches it.
  void place_frees() {
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

  const Graph& graph_;
  const RunInputs& inputs_;
  int count_;
  int current_ = 0;
  std::vector<State> state_;
  std::vector<int> uses_, last_use_, cost_;
  std::vector<int> seen_;
  int seen_mark_ = 0;
  PlannedSteps result_;
};

}  // namespace

PlannedSteps make_steps(const Graph& graph, const RunInputs& inputs) {
  return Planner(graph, inputs).plan();
}

}  // namespace numjit::runtime
