// Operands that need not lie on the device of the others: they say where elements are, or are stored.
#pragma once

#include <algorithm>

#include <numjit/graph/graph.h>

namespace numjit::graph {

/// Does this operand of an operation hold indices or a mask by which elements are chosen?
inline bool is_index_operand(op_id op, std::size_t operand) {
  switch (op) {
    case op_id::take:
    case op_id::put_index:
    case op_id::mask_select:
    case op_id::mask_put: return operand == 1;
    case op_id::take_places: return operand >= 1;
    case op_id::nonzero_flat: return operand == 0;
    default: return false;
  }
}

/// Is everything that comes of node `i` used as indices? With `or_stored`, it may also be what is stored itself.
inline bool leads_to_indices(const Graph& graph, std::size_t i, bool or_stored = true) {
  bool any = false;
  for (std::size_t k = i + 1; k < graph.nodes.size(); ++k) {
    const Node& n = graph.nodes[k];
    for (std::size_t operand = 0; operand < n.in.size(); ++operand) {
      if (n.in[operand].node != static_cast<std::int32_t>(i)) continue;
      any = true;
      const bool is_store = n.kind == NodeKind::store;
      if (is_index_operand(n.op, operand) || (or_stored && is_store && operand > 0)) continue;
      if (is_store || n.live || !leads_to_indices(graph, k, false)) return false;
    }
  }
  return any;
}

}  // namespace numjit::graph
