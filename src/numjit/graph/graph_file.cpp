// Graphs to JSON and back.
#include <numjit/graph/graph_file.h>

#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/graph/check.h>
#include <numjit/graph/json_limits.h>
#include <numjit/graph/loop_text.h>

namespace numjit::graph {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* kind_names[] = {"input", "op", "view", "store"};
constexpr const char* weak_names[] = {"none", "bool", "int", "float", "complex"};

[[noreturn]] void refuse(const std::string& what) {
  throw ValueError("graph_from_json", what + ". Write the file anew with this version of numjit.");
}

template <std::size_t N>
int number_of(const char* const (&names)[N], const std::string& name) {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == name) return static_cast<int>(i);
  refuse(fmt::format("unknown kind '{}'", name));
}

dtype_id type_named(const std::string& name) {
  for (int i = 0; i < dtype_count; ++i)
    if (numjit::detail::dtype_table[i].name == name) return static_cast<dtype_id>(i);
  refuse(fmt::format("unknown dtype '{}'", name));
}

op_id op_named(const std::string& name) {
  const std::optional<op_id> op = find_op(name);
  if (!op) refuse(fmt::format("unknown operation '{}'", name));
  return *op;
}

// ---- writing ----

json params_json(const op_params& p) {
  json words = json::array();
  for (int i = 0; i < p.size(); ++i) words.push_back(p[i]);
  return words;
}

json node_json(const Node& n) {
  json j{{"kind", kind_names[static_cast<int>(n.kind)]}, {"type", dtype(n.type).name()}, {"rank", int(n.rank)}};
  if (n.kind == NodeKind::input) return j;
  if (n.op == op_id::black_box)
    throw NotImplementedError("black_box", fmt::format("a function of np::allow_in_graph can't be written to a "
                                                       "file: it is called at {}:{}. Write it with operations.",
                                                       n.where.file, n.where.line));
  if (n.op == op_id::random_draw)
    throw NotImplementedError("random", fmt::format("draws of random numbers can't be written to a file: got one at "
                                                    "{}:{}. Pass the numbers as an argument.",
                                                    n.where.file, n.where.line));
  if (n.op == op_id::communicate)
    throw NotImplementedError("distributed", fmt::format("operations between ranks can't be written to a file: got one at "
                                                         "{}:{}. Communicate outside.",
                                                         n.where.file, n.where.line));
  j["op"] = info(n.op).name;
  if (n.loop >= 0) j["loop"] = loop_text(n.op, n.loop);
  std::string casts;
  for (dtype_id t : n.in_type) casts += dtype(t).character();
  j["casts"] = casts;
  json in = json::array();
  for (const Ref& ref : n.in)
    in.push_back(ref.node >= 0 ? fmt::format("%{}", ref.node) : fmt::format("${}", ref.scalar));
  j["in"] = std::move(in);
  if (n.params.size()) j["params"] = params_json(n.params);
  if (n.params.has_type()) j["dtype"] = dtype(n.params.type()).name();
  if (n.has_where) j["where"] = true;
  if (n.live) j["live"] = true;
  j["at"] = json::array({n.where.file, n.where.line, n.where.function});
  return j;
}

// ---- reading ----

std::int32_t ref_number(std::string_view text) {
  std::int32_t number = -1;
  const auto [end, failure] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size() || number < 0)
    refuse(fmt::format("operand '{}', expected %number or $number", text));
  return number;
}

Ref ref_of(const std::string& text) {
  if (text.size() < 2 || (text[0] != '%' && text[0] != '$'))
    refuse(fmt::format("operand '{}', expected %number or $number", text));
  return text[0] == '%' ? Ref{ref_number(text), -1} : Ref{-1, ref_number(text)};
}

op_params params_of(const json& j) {
  op_params p;
  if (j.contains("params")) {
    const json& words = j.at("params");
    if (!words.is_array() || words.size() > static_cast<std::size_t>(op_params::max_words))
      refuse(fmt::format("parameters: expected a list of at most {} words", op_params::max_words));
    for (const json& word : words) {
      if (!word.is_number_integer()) refuse("parameters: expected integers");
      p.push(word.get<std::int64_t>());
    }
  }
  if (j.contains("dtype")) p.type(type_named(j.at("dtype").get<std::string>()));
  return p;
}

// Places live as long as the process, as those of compiled code do.
location place_of(const json& at) {
  return {numjit::detail::intern_text(at.at(0).get<std::string>())->c_str(),
          numjit::detail::intern_text(at.at(2).get<std::string>())->c_str(), at.at(1).get<int>()};
}

Node node_of(const json& j) {
  Node n;
  n.kind = static_cast<NodeKind>(number_of(kind_names, j.at("kind").get<std::string>()));
  n.type = type_named(j.at("type").get<std::string>());
  const auto rank = j.at("rank").get<std::int64_t>();
  if (rank < 0 || rank > max_rank) refuse(fmt::format("rank {}, expected 0 to {}", rank, max_rank));
  n.rank = static_cast<std::int8_t>(rank);
  if (n.kind == NodeKind::input) return n;
  n.op = op_named(j.at("op").get<std::string>());
  if (j.contains("loop")) {
    const auto loop = j.at("loop").get<std::string>();
    n.loop = find_loop(n.op, loop);
    if (n.loop < 0) refuse(fmt::format("{} has no loop '{}'", info(n.op).name, loop));
  }
  const auto casts = j.at("casts").get<std::string>();
  if (casts.size() != std::size(n.in_type)) refuse("casts: expected three type characters");
  for (std::size_t i = 0; i < casts.size(); ++i) {
    n.in_type[i] = dtype_of_char(casts[i]);
    if (dtype(n.in_type[i]).character() != casts[i]) refuse(fmt::format("unknown type character '{}'", casts[i]));
  }
  for (const json& ref : j.at("in")) n.in.push_back(ref_of(ref.get<std::string>()));
  n.params = params_of(j);
  n.has_where = j.value("where", false);
  n.live = j.value("live", false);
  n.where = place_of(j.at("at"));
  return n;
}

Graph graph_of(const json& j) {
  const auto format = j.at("format").get<std::int64_t>();
  if (format > graph_format)
    throw ValueError("graph_from_json",
                     fmt::format("the graph was written by a newer numjit: format {}, this one reads up to {}. "
                                 "Update numjit.",
                                 format, graph_format));
  if (format < 1) refuse(fmt::format("format {}", format));
  Graph graph;
  for (const json& s : j.at("scalars")) {
    const int kind = number_of(weak_names, s.at(0).get<std::string>());
    if (kind == 0) refuse("a scalar without a kind");
    graph.scalars.push_back({static_cast<weak_kind>(kind), type_named(s.at(1).get<std::string>())});
  }
  for (const json& n : j.at("nodes")) graph.nodes.push_back(node_of(n));
  return graph;
}

}  // namespace

std::string graph_to_json(const Graph& graph) {
  json j{{"format", graph_format}, {"scalars", json::array()}, {"nodes", json::array()}};
  for (const Scalar& s : graph.scalars)
    j["scalars"].push_back(json::array({weak_names[static_cast<int>(s.kind)], dtype(s.type).name()}));
  for (const Node& n : graph.nodes) j["nodes"].push_back(node_json(n));
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

Graph graph_from_json(std::string_view text) {
  const json j = parse_json<json>(text);
  if (j.is_discarded() || !j.is_object()) refuse("the text is no graph: it is damaged or cut short");
  Graph graph;
  try {
    graph = graph_of(j);
  } catch (const nlohmann::json::exception& e) {
    refuse(fmt::format("the text is no graph: {}", e.what()));
  }
  if (const std::string problem = problem_of(graph); !problem.empty()) refuse(problem);
  return graph;
}

}  // namespace numjit::graph
