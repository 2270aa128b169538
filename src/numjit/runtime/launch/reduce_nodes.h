// The reductions of a fused group, as the launches over one axis see them. Internal to runtime.
#pragma once

#include <vector>

#include <numjit/graph/kernel_spec.h>

namespace numjit::runtime::detail {

struct ReduceNode {
  std::uint16_t node;
  op_id op;
  int loop;
  bool is_arg;
  dtype_id value_type, result_type;  // of a partial value; of the result
  std::int64_t value_size() const { return static_cast<std::int64_t>(dtype(value_type).itemsize()); }
  std::int64_t result_size() const { return static_cast<std::int64_t>(dtype(result_type).itemsize()); }
};

inline std::vector<ReduceNode> reduce_nodes(const graph::KernelSpec& spec) {
  std::vector<ReduceNode> list;
  for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
    const graph::KernelNode& node = spec.nodes[i];
    if (node.kind != graph::KernelNodeKind::reduce) continue;
    const bool is_arg = info(node.op).kind == op_kind::argreduction;
    list.push_back(
        {static_cast<std::uint16_t>(i), node.op, node.loop, is_arg, is_arg ? spec.nodes[node.in[0]].type : node.type, node.type});
  }
  return list;
}

}  // namespace numjit::runtime::detail
