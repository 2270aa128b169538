// Checks of graphs from files: nothing in them is trusted.
#include <numjit/graph/check.h>

#include <fmt/format.h>

#include <numjit/ops/op_text.h>

namespace numjit::graph {
namespace {

NodeKind expected_kind(op_id op) {
  switch (info(op).kind) {
    case op_kind::view: return NodeKind::view;
    case op_kind::store: return NodeKind::store;
    default: return NodeKind::op;
  }
}

std::string operands_problem(const Graph& graph, std::size_t at) {
  const Node& n = graph.nodes[at];
  const int arity = info(n.op).arity;
  const int given = static_cast<int>(n.in.size()) - n.has_where;
  if (arity >= 0 ? given != arity : given < 1)
    return fmt::format("{} takes {} operands, got {}", info(n.op).name, arity >= 0 ? std::to_string(arity) : "some",
                       given);
  for (const Ref& ref : n.in) {
    if ((ref.node >= 0) == (ref.scalar >= 0)) return "an operand that is neither a node nor a scalar";
    if (ref.node >= 0 && static_cast<std::size_t>(ref.node) >= at)
      return fmt::format("operand %{} does not stand before it", ref.node);
    if (ref.scalar >= 0 && static_cast<std::size_t>(ref.scalar) >= graph.scalars.size())
      return fmt::format("scalar ${} does not exist", ref.scalar);
    if (ref.node >= 0 && graph.nodes[static_cast<std::size_t>(ref.node)].kind == NodeKind::store)
      return fmt::format("operand %{} is a store, which has no value", ref.node);
  }
  const bool array_first = n.kind != NodeKind::op || n.has_where;
  if (array_first && (n.in.empty() || n.in[0].node < 0)) return "its first operand must be an array";
  if (n.has_where && n.in.back().node < 0) return "its where= mask must be an array";
  return "";
}

std::string node_problem(const Graph& graph, std::size_t at) {
  const Node& n = graph.nodes[at];
  if (n.rank < 0 || n.rank > max_rank) return fmt::format("rank {}", static_cast<int>(n.rank));
  if (n.kind == NodeKind::input) return n.in.empty() ? "" : "an input with operands";
  if (n.kind != expected_kind(n.op)) return fmt::format("{} of another kind", info(n.op).name);
  if (n.kind == NodeKind::store && n.live) return "a store is no output";
  const op_kind kind = info(n.op).kind;
  if (n.has_where && kind != op_kind::ufunc && kind != op_kind::reduction)
    return fmt::format("{} takes no where= mask", info(n.op).name);
  const bool has_loops = !info(n.op).loops.empty();
  if (has_loops ? n.loop < 0 || n.loop >= static_cast<int>(info(n.op).loops.size()) : n.loop != -1)
    return fmt::format("{} has no such loop", info(n.op).name);
  for (int k = 0; has_loops && k < info(n.op).arity; ++k)
    if (n.in_type[k] != info(n.op).loops[static_cast<std::size_t>(n.loop)].in[k])
      return fmt::format("{} casts its operand {} to a dtype that its loop does not take", info(n.op).name, k);
  if (std::string text = operands_problem(graph, at); !text.empty()) return text;
  if (std::string text = problem_of(n.op, n.params); !text.empty())
    return fmt::format("parameters of {}: {}", info(n.op).name, text);
  return "";
}

}  // namespace

std::string problem_of(op_id op, const op_params& params) {
  if (structure_of(op).takes_dtype && !params.has_type()) return "no dtype";
  return params_problem(op, params);
}

std::string problem_of(const Graph& graph) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (std::string text = node_problem(graph, i); !text.empty()) return fmt::format("node {}: {}", i, text);
  return "";
}

}  // namespace numjit::graph
