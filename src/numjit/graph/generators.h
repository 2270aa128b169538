// States of random generators in graphs.
#pragma once

#include <algorithm>

#include <numjit/graph/graph.h>

namespace numjit::graph {

/// Is an input the state of a generator? It stays on the host, whatever device its numbers are for.
inline bool is_generator(const Graph& graph, std::uint32_t input) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& n) {
    return n.op == op_id::random_draw && n.kind == NodeKind::op && n.in[0].node == static_cast<std::int32_t>(input);
  });
}

}  // namespace numjit::graph
