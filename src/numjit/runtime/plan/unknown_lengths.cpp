// Lengths that depend on data, in graphs and plans.
#include <numjit/runtime/plan/unknown_lengths.h>

#include <algorithm>

#include <numjit/ops/param_layout.h>

namespace numjit::runtime {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool is_name(std::int64_t extent) { return extent >= numjit::detail::unknown_extents; }

// May a node between two selections by `mask` have written to it?
bool may_write(const graph::Graph& graph, const graph::Node& n, int mask) {
  if (n.kind == graph::NodeKind::op && n.op == op_id::black_box) return true;
  if (n.kind != graph::NodeKind::store) return false;
  const int target = graph.root_of(n.in[0].node), read = graph.root_of(mask);
  return target == read ||
         (graph.nodes[at(target)].kind == graph::NodeKind::input && graph.nodes[at(read)].kind == graph::NodeKind::input);
}

// The node that the length is counted from.
int counted_by(const graph::Node& n) { return n.in[at(length_of_result(n.op).input)].node; }

bool same_length(const graph::Node& a, const graph::Node& b) {
  return length_of_result(a.op).rule == length_of_result(b.op).rule && counted_by(a) == counted_by(b) && counted_by(a) >= 0 &&
         a.params == b.params;
}

// The axis whose extent is a name, or -1.
int unknown_axis(const node* n) {
  for (int axis = 0; axis < n->rank; ++axis)
    if (n->shape[axis] >= numjit::detail::unknown_extents) return axis;
  return -1;
}

}  // namespace

bool has_name(const dims& shape) { return std::any_of(shape.begin(), shape.end(), is_name); }

std::vector<std::uint32_t> names_of_lengths(const graph::Graph& graph) {
  std::vector<std::uint32_t> names(graph.nodes.size(), 0);
  std::uint32_t last = 0;
  for (int i = 0; i < static_cast<int>(graph.nodes.size()); ++i) {
    const graph::Node& n = graph.nodes[at(i)];
    if (selects(n)) {
      for (int k = i - 1; k >= 0 && names[at(i)] == 0 && counted_by(n) >= 0; --k) {
        const graph::Node& earlier = graph.nodes[at(k)];
        if (may_write(graph, earlier, counted_by(n))) break;
        if (selects(earlier) && same_length(earlier, n)) names[at(i)] = names[at(k)];
      }
      if (names[at(i)] == 0) names[at(i)] = ++last;
    } else if (n.kind == graph::NodeKind::op && n.op == op_id::concatenate) {
      names[at(i)] = ++last;
    }
  }
  return names;
}

void put_name(const graph::Node& n, std::uint32_t name, inference& inferred) {
  if (name == 0) return;
  int axis = 0;
  if (n.op == op_id::concatenate) {
    axis = normalize_axis("concatenate", layout::axis_of(n.params), inferred.shape.size());
    if (!is_name(inferred.shape[axis])) return;
  }
  inferred.shape[axis] = numjit::detail::unknown_extents + name;
}

void note_unknown_lengths(const graph::Graph& graph, const RunInputs& inputs, PlannedSteps& planned) {
  const int count = static_cast<int>(graph.nodes.size());
  std::vector<int> axis(graph.nodes.size(), -1);
  std::vector<bool> touched(graph.nodes.size());  // has an unknown length, or reads one
  bool any = false;
  for (int i = 0; i < count; ++i) {
    axis[at(i)] = unknown_axis(inputs.slot(i));
    touched[at(i)] = axis[at(i)] >= 0;
    for (const graph::Ref& ref : graph.nodes[at(i)].in)
      if (ref.node >= 0 && axis[at(ref.node)] >= 0) touched[at(i)] = true;
    any |= touched[at(i)];
  }
  planned.counted_by.assign(graph.nodes.size(), -1);
  if (!any) return;
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < i && selects(graph.nodes[at(i)]); ++k)
      if (selects(graph.nodes[at(k)]) && inputs.slot(k)->shape[0] == inputs.slot(i)->shape[0]) {
        planned.counted_by[at(i)] = k;
        break;
      }
  std::vector<bool> resolved(graph.nodes.size());
  for (Step& step : planned.steps) {
    std::vector<int> nodes = step.group;
    if (step.node >= 0) nodes.push_back(step.node);
    auto meets = [&](int i) {
      if (i >= 0 && axis[at(i)] >= 0) step.unknown.push_back({i, axis[at(i)]});
    };
    for (int i : nodes) {
      if (touched[at(i)] && !resolved[at(i)]) {
        step.resolve.push_back(i);
        resolved[at(i)] = true;
      }
      meets(i);
      for (const graph::Ref& ref : graph.nodes[at(i)].in) meets(ref.node);
    }
  }
}

}  // namespace numjit::runtime
