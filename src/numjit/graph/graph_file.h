// Recorded graphs as text for files: bundles of np::export_function and reproductions of faults.
#pragma once

#include <string>
#include <string_view>

#include <numjit/graph/graph.h>

namespace numjit::graph {

/// Version of the text's form. A reader takes this one and older ones.
inline constexpr int graph_format = 1;

/// The graph as JSON. Ops, loops and dtypes are named by text, so that another build reads it; the same
/// graph gives the same text. NotImplementedError for a graph that holds a function of
/// np::allow_in_graph.
std::string graph_to_json(const Graph& graph);

/// The graph of such a text. Nothing in the text is trusted: ValueError for one that is damaged, newer
/// than graph_format, names an unknown op, loop or dtype, or is no graph (check.h).
Graph graph_from_json(std::string_view text);

}  // namespace numjit::graph
