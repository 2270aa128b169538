// Printing of recorded graphs.
#include <numjit/graph/graph.h>

#include <fmt/format.h>

#include <numjit/ops/op_text.h>

namespace numjit::graph {
namespace {

std::string ref_text(const Graph& graph, const Ref& ref) {
  if (ref.node >= 0) return fmt::format("%{}", ref.node);
  const Scalar& s = graph.scalars[static_cast<std::size_t>(ref.scalar)];
  return fmt::format("${}:{}", ref.scalar, dtype(s.type).name());
}

std::string words_text(const op_params& p) {
  std::string text;
  for (int i = 0; i < p.size(); ++i) fmt::format_to(std::back_inserter(text), "{}{}", i ? "," : "", p[i]);
  if (p.has_type()) text += fmt::format("{}{}", text.empty() ? "" : ",", dtype(p.type()).name());
  return text;
}

}  // namespace

int Graph::root_of(int i) const {
  auto node = [this](int k) -> const Node& { return nodes[static_cast<std::size_t>(k)]; };
  while (node(i).kind == NodeKind::view) i = node(i).in[0].node;
  return i;
}

int Graph::op_count() const {
  int n = 0;
  for (const Node& node : nodes) n += node.kind != NodeKind::input;
  return n;
}

std::string op_text(const Node& n) { return numjit::op_text(n.op, n.params); }

std::string type_text(dtype_id type, int rank) {
  std::string text(dtype(type).name());
  text += '[';
  for (int i = 0; i < rank; ++i) text += i ? ", ?" : "?";
  return text + ']';
}

namespace {

/// As text: with parameters as keyword arguments for people, as words for comparing.
std::string text_of(const Graph& graph, bool as_words) {
  std::string text;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (node.kind == NodeKind::input) {
      text += fmt::format("%{} = input : {}\n", i, type_text(node.type, node.rank));
      continue;
    }
    // An index stands behind the op's name, other parameters behind the operands as keyword arguments.
    const std::string params = as_words ? words_text(node.params) : params_text(node.op, node.params);
    const bool is_index = node.op == op_id::index;
    std::string in;
    for (const Ref& ref : node.in) in += (in.empty() ? "" : ", ") + ref_text(graph, ref);
    if (node.has_where) in += " where last";
    if (!is_index && !params.empty()) in += (in.empty() ? "" : ", ") + params;
    text += fmt::format("%{} = {}{}({}) : {}{}\n", i, op_text(node), is_index ? params : "", in, type_text(node.type, node.rank),
                        node.live ? "  -> output" : "");
  }
  return text;
}

}  // namespace

std::string to_text(const Graph& graph) { return text_of(graph, false); }

std::string key_text(const Graph& graph) { return text_of(graph, true); }

}  // namespace numjit::graph
