// Graphs in graphviz's language.
#include <numjit/graph/dot.h>

#include <fmt/format.h>

namespace numjit::graph {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string node_text(const Graph& graph, int i) {
  const Node& n = graph.nodes[static_cast<std::size_t>(i)];
  const bool input = n.kind == NodeKind::input;
  const std::string label = fmt::format("%{} {}\n{}", i, input ? "input" : op_text(n), type_text(n.type, n.rank));
  return fmt::format("n{} [label={}{}{}];\n", i, quoted(label), input ? ", shape=oval" : "",
                     n.live ? ", peripheries=2" : "");
}

}  // namespace

std::string to_dot(const Graph& graph, const std::string& title, const std::vector<DotGroup>& groups) {
  std::string text = fmt::format("digraph graph_ {{\n  label={};\n  node [shape=box];\n", quoted(title));
  std::vector<bool> drawn(graph.nodes.size());
  int number = 0;
  for (const DotGroup& group : groups) {
    text += fmt::format("  subgraph cluster_{} {{\n    label={};\n", number++, quoted(group.label));
    for (int i : group.nodes) {
      if (drawn[static_cast<std::size_t>(i)]) continue;  // computed by two kernels: cheap ones are
      drawn[static_cast<std::size_t>(i)] = true;
      text += "    " + node_text(graph, i);
    }
    text += "  }\n";
  }
  for (int i = 0; i < static_cast<int>(graph.nodes.size()); ++i)
    if (!drawn[static_cast<std::size_t>(i)]) text += "  " + node_text(graph, i);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    for (const Ref& ref : graph.nodes[i].in)
      if (ref.node >= 0) text += fmt::format("  n{} -> n{};\n", ref.node, i);
  return text + "}\n";
}

}  // namespace numjit::graph
