// Checks of graphs from files: nothing in them is trusted.
#include <numjit/graph/check.h>

#include <fmt/format.h>

#include <numjit/ops/param_layout.h>
#include <numjit/ops/routine.h>

namespace numjit::graph {
namespace {

using layout::index_entry;

/// Does a list that was pushed at word `at` end within the words? `end`: the word behind it.
bool list_fits(const op_params& p, int at, int& end) {
  if (at >= p.size() || p[at] < 0 || p[at] > max_rank) return false;
  end = at + 1 + static_cast<int>(p[at]);
  return end <= p.size();
}

bool number_fits(const op_params& p, int at) {
  return at + layout::number_words <= p.size() && p[at] >= layout::number::integer &&
         p[at] <= layout::number::complex_;
}

std::string index_problem(const op_params& p) {
  int axes = 0, made = 0;
  for (int at = 0; at < p.size();) {
    const std::int64_t kind = p[at++];
    if (kind < index_entry::integer || kind > index_entry::whole) return "an index entry of unknown kind";
    at += kind == index_entry::integer ? 1 : kind == index_entry::slice ? 3 : 0;
    if (at > p.size()) return "its last index entry is cut short";
    axes += kind != index_entry::newaxis;
    made += kind != index_entry::integer;
    if (kind == index_entry::slice && p[at - 1] == 0) return "a slice step of zero";
  }
  return axes > max_rank || made > max_rank ? "too many index entries" : "";
}

std::string list_problem(const op_params& p) {
  int end = 0;
  return p.size() == 0 || (list_fits(p, 0, end) && end == p.size()) ? "" : "its list has another length";
}

std::string numbers_problem(const op_params& p, int numbers, int words) {
  if (p.size() != words) return fmt::format("{} words, expected {}", p.size(), words);
  for (int i = 0; i < numbers; ++i)
    if (!number_fits(p, i * layout::number_words)) return "a number of unknown kind";
  return "";
}

std::string full_problem(const op_params& p) {
  int end = 0;
  if (!number_fits(p, 0)) return "a number of unknown kind";
  return list_fits(p, layout::number_words, end) && end == p.size() ? "" : "its shape has another length";
}

std::string reduction_problem(const op_params& p) {
  if (p.size() == 0) return "";
  int end = 0;
  if (p[0] < 0 || p[0] > 7) return "unknown flags";
  if (!list_fits(p, 1, end)) return "its list of axes is cut short";
  if (p[0] & 4) {
    if (!number_fits(p, end)) return "its initial value is cut short";
    end += layout::number_words;
  }
  return end == p.size() ? "" : "words behind its last one";
}

std::string at_most(const op_params& p, int words) {
  return p.size() <= words ? "" : fmt::format("{} words, expected at most {}", p.size(), words);
}

std::string words_problem(op_id op, const op_params& p) {
  switch (op) {
    case op_id::index: return index_problem(p);
    case op_id::reshape_view: case op_id::transpose: case op_id::broadcast_to:
    case op_id::sliding_window_view:
      return list_problem(p);
    case op_id::diagonal: return p.size() == 0 ? "" : numbers_problem(p, 0, 3);
    case op_id::full: return full_problem(p);
    case op_id::arange: return numbers_problem(p, 3, 9);
    case op_id::linspace: return numbers_problem(p, 2, 8);
    case op_id::eye: return numbers_problem(p, 0, 3);
    case op_id::take:
      if (p.size() > 1 && (p[1] < 0 || p[1] > 2)) return "an unknown mode";
      return at_most(p, 3);
    case op_id::put_index: return at_most(p, 1);
    case op_id::sort: case op_id::argsort:  // axis, then the places of a partition
      return p.size() > 2 && p[1] != p.size() - 2 ? "its list of places is cut short" : "";
    case op_id::axis_length: case op_id::searchsorted: case op_id::digitize: case op_id::histogram_places:
      return at_most(p, 1);
    case op_id::bincount: case op_id::histogram_counts: return numbers_problem(p, 0, 1);
    case op_id::histogram_edges: return numbers_problem(p, 0, 2);
    case op_id::concatenate: return numbers_problem(p, 0, 1);
    case op_id::take_places: return at_most(p, max_rank);
    case op_id::black_box: return "a function of np::allow_in_graph, which no file can hold";
    case op_id::routine: {
      const detail::routine* r = p.size() > 0 ? detail::find_routine(p[0]) : nullptr;
      return !r ? "an unknown routine" : p.size() != r->words ? "a wrong number of words" : "";
    }
    case op_id::random_draw: return "a draw of random numbers, which no file can hold";
    default: break;
  }
  switch (info(op).kind) {
    case op_kind::reduction: return reduction_problem(p);
    case op_kind::argreduction: return at_most(p, 2);
    case op_kind::scan: return at_most(p, 1);
    default: return at_most(p, 0);
  }
}

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
  return words_problem(op, params);
}

std::string problem_of(const Graph& graph) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (std::string text = node_problem(graph, i); !text.empty()) return fmt::format("node {}: {}", i, text);
  return "";
}

}  // namespace numjit::graph
