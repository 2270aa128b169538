// Steps that make zeros, which the system fills in where they are touched.
#pragma once

#include <numjit/ops/inferred_layout.h>
#include <numjit/runtime/plan_steps.h>

namespace numjit::runtime {

/// Does the step fill a large new array with zeros, and nothing else?
inline bool makes_zeros(const graph::Graph& graph, const Step& step, const RunInputs& in) {
  constexpr std::int64_t large = 1 << 18;  // elements
  if (step.group.size() != 1 || step.allocate.size() != 1 || step.allocate[0] != step.group[0]) return false;
  const auto i = static_cast<std::size_t>(step.group[0]);
  const graph::Node& n = graph.nodes[i];
  return n.kind == graph::NodeKind::op && numjit::detail::fills_with_zeros(n.op, *in.params[i]) &&
         in.slot(step.group[0])->size >= large;
}

}  // namespace numjit::runtime
