// States of random generators and of communicators in graphs.
#pragma once

#include <algorithm>

#include <numjit/graph/graph.h>
#include <numjit/ops/stores_into.h>

namespace numjit::graph {

/// Is an input the state of a generator, or of a communicator? It stays on the host, whatever device the numbers are for.
inline bool is_generator(const Graph& graph, std::uint32_t input) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& n) {
    return moves_state(n.op) && n.kind == NodeKind::op && n.in[0].node == static_cast<std::int32_t>(input);
  });
}

}  // namespace numjit::graph
