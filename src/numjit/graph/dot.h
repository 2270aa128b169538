// Recorded graphs as pictures for graphviz.
#pragma once

#include <string>
#include <vector>

#include <numjit/graph/graph.h>

namespace numjit::graph {

/// Nodes that one kernel computes, drawn in one box.
struct DotGroup {
  std::string label;
  std::vector<int> nodes;
};

/// The graph in graphviz's language: a box per group, inputs as ovals, outputs with a double border.
std::string to_dot(const Graph& graph, const std::string& title, const std::vector<DotGroup>& groups);

}  // namespace numjit::graph
