// Steps that make zeros, which the system fills in where they are touched.
#pragma once

#include <cstddef>

#include <numjit/ops/inferred_layout.h>
#include <numjit/runtime/plan/steps.h>

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

/// Which steps of a plan's runs leave their zeros to the system. A step that was left has no layout: a plan whose layouts come
/// again runs all its steps, which may then go together with others; one of a single step has nothing to gain from that.
class ZeroSteps {
 public:
  /// A run begins, over other layouts than the last one or over the same.
  void begin(bool layout_changed, std::size_t steps) {
    wait_ = layout_changed || steps == 1;
    left_ = false;
  }
  bool may_wait(const graph::Graph& graph, const Step& step, const RunInputs& in) const {
    return wait_ && makes_zeros(graph, step, in);
  }
  void leave() { left_ = true; }
  bool left() const { return left_; }

 private:
  bool wait_ = true, left_ = false;
};

}  // namespace numjit::runtime
