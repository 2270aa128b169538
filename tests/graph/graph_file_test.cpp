// Graphs as text: what was recorded comes back whole, and nothing else is taken for a graph.
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <numjit/graph/check.h>
#include <numjit/graph/graph_file.h>
#include <numjit/np.h>
#include <numjit/ops/param_layout.h>
#include <support/trace_values.h>

namespace np = numjit;
using numjit::graph::Graph;
using numjit::graph::graph_from_json;
using numjit::graph::graph_to_json;
using numjit::graph::Node;
using numjit::graph::NodeKind;
using numjit::testing::message;
using numjit::testing::ramp;

namespace {

// Every graph that `body` gives on `x`.
std::vector<Graph> graphs_of(std::function<np::array(np::array)> body, const np::array& x) {
  std::vector<Graph> graphs;
  auto f = np::compile(body, {.backend = [&](const Graph& g) {
                         graphs.push_back(g);
                         return [](np::graph_call& call) { call.run_op_by_op(); };
                       }});
  f(x);
  return graphs;
}

void expect_same(const Graph& a, const Graph& b) {
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  ASSERT_EQ(a.scalars.size(), b.scalars.size());
  EXPECT_EQ(numjit::graph::to_text(a), numjit::graph::to_text(b));
  for (std::size_t i = 0; i < a.scalars.size(); ++i) {
    EXPECT_EQ(a.scalars[i].kind, b.scalars[i].kind);
    EXPECT_EQ(a.scalars[i].type, b.scalars[i].type);
  }
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    const Node &m = a.nodes[i], &n = b.nodes[i];
    EXPECT_EQ(m.kind, n.kind);
    EXPECT_EQ(m.type, n.type);
    EXPECT_EQ(m.rank, n.rank);
    if (m.kind == NodeKind::input) continue;
    EXPECT_EQ(m.op, n.op);
    EXPECT_EQ(m.loop, n.loop);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(m.in_type[k], n.in_type[k]);
    EXPECT_EQ(m.has_where, n.has_where);
    EXPECT_EQ(m.live, n.live);
    EXPECT_EQ(m.in, n.in);
    EXPECT_TRUE(m.params == n.params) << "node " << i;
    EXPECT_STREQ(m.where.file, n.where.file);
    EXPECT_STREQ(m.where.function, n.where.function);
    EXPECT_EQ(m.where.line, n.where.line);
  }
}

void expect_round_trip(std::function<np::array(np::array)> body, const np::array& x) {
  const std::vector<Graph> graphs = graphs_of(std::move(body), x);
  ASSERT_FALSE(graphs.empty());
  for (const Graph& g : graphs) {
    const std::string text = graph_to_json(g);
    EXPECT_EQ(numjit::graph::problem_of(g), "");
    const Graph back = graph_from_json(text);
    expect_same(g, back);
    EXPECT_EQ(graph_to_json(back), text);
  }
}

// A graph with one node of `op` over two inputs.
Graph one_op(numjit::op_id op, NodeKind kind, numjit::op_params params, int operands = 1) {
  Graph g;
  for (int i = 0; i < operands; ++i) {
    Node input;
    input.rank = 2;
    input.type = numjit::dtype_id::float64;
    g.nodes.push_back(input);
  }
  Node n;
  n.kind = kind;
  n.op = op;
  n.rank = 1;
  n.type = numjit::dtype_id::float64;
  for (auto& t : n.in_type) t = numjit::dtype_id::float64;
  if (!numjit::info(op).loops.empty())
    for (int l = 0; l < static_cast<int>(numjit::info(op).loops.size()); ++l)
      if (numjit::info(op).loops[static_cast<std::size_t>(l)].in[0] == numjit::dtype_id::float64) n.loop = l;
  for (int i = 0; i < operands; ++i) n.in.push_back({i, -1});
  n.params = std::move(params);
  n.where = numjit::location::here();
  g.nodes.push_back(std::move(n));
  return g;
}

void expect_same_after(const Graph& g) {
  ASSERT_EQ(numjit::graph::problem_of(g), "");
  expect_same(g, graph_from_json(graph_to_json(g)));
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what << " in " << text;
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

std::string sum_text() {
  return graph_to_json(graphs_of([](np::array x) { return np::sum(x + 1.5); }, ramp(4))[0]);
}

}  // namespace

TEST(GraphFile, Recorded_graphs_come_back_whole) {
  expect_round_trip([](np::array x) { return np::sum(x * x + 1); }, ramp(6));
  expect_round_trip([](np::array x) { return np::where(x > 2, x, -1.0) * std::complex<double>(1, 2); }, ramp(6));
  expect_round_trip([](np::array x) { return np::max(np::exp(x.reshape(2, 3)), {.axis = 1, .keepdims = true}); },
                    ramp(6));
  expect_round_trip(
      [](np::array x) {
        np::array y = x + 1;
        y(np::slice(1, -1, 2)) = 7;
        y(0) += 2;
        return y;
      },
      ramp(7));
  expect_round_trip([](np::array x) { return np::concatenate({x, np::arange(3), np::zeros({2})}); }, ramp(3));
  expect_round_trip(
      [](np::array x) { return np::transpose((x + 1).reshape(2, 3)) + np::full({3, 2}, 0.5, {.dtype = np::float32}); },
      ramp(6));
  expect_round_trip([](np::array x) { return np::sort(x, 0) + np::cumsum(x) + np::argmax(x); }, ramp(5));
  expect_round_trip([](np::array x) { return np::add(x, 1, {.where = x > 2}); }, ramp(5));
  expect_round_trip([](np::array x) { return x.astype(np::int8).sum({.dtype = np::int16}); }, ramp(5));
  expect_round_trip([](np::array x) { return np::matmul(x.reshape(2, 2), x.reshape(2, 2)); }, ramp(4));
  expect_round_trip([](np::array x) { return np::take(x, np::array{3, 1}); }, ramp(5));
  expect_round_trip([](np::array x) { return np::linspace(0, 1, 5) + x + np::eye(5); }, ramp(5));
  expect_round_trip([](np::array x) { return x + std::numeric_limits<double>::quiet_NaN() - 0x1p-1074; }, ramp(5));
}

TEST(GraphFile, All_parameters_that_rows_hold) {
  namespace layout = numjit::layout;
  using numjit::op_id;
  std::vector<layout::index_entry> entries;
  for (int i = 0; i < 16; ++i)
    entries.push_back(i % 4 == 0   ? layout::index_entry::at(-3)
                      : i % 4 == 1 ? layout::index_entry::range(layout::none, 1LL << 62, -2)
                      : i % 4 == 2 ? layout::index_entry::new_axis()
                                   : layout::index_entry::all());
  expect_same_after(one_op(op_id::index, NodeKind::view, layout::index_params(entries)));
  expect_same_after(one_op(op_id::reshape_view, NodeKind::view, layout::shape_params({2, -1})));
  expect_same_after(one_op(op_id::transpose, NodeKind::view, layout::axes_params({-1, 0})));
  expect_same_after(one_op(op_id::transpose, NodeKind::view, {}));
  expect_same_after(one_op(op_id::broadcast_to, NodeKind::view, layout::shape_params({1LL << 40})));
  expect_same_after(one_op(op_id::diagonal, NodeKind::view, layout::diagonal_params(-1, 0, 1)));
  expect_same_after(one_op(op_id::full, NodeKind::op,
                           layout::full_params({3, 2}, layout::number::of(-0.0, 1e308), numjit::dtype_id::complex64), 0));
  expect_same_after(one_op(
      op_id::full, NodeKind::op,
      layout::full_params({}, {layout::number::above_int64, -1, 0}, numjit::dtype_id::uint64), 0));
  const auto n = layout::number::of(0.1);
  expect_same_after(
      one_op(op_id::arange, NodeKind::op, layout::arange_params(n, n, n, numjit::dtype_id::float16), 0));
  expect_same_after(
      one_op(op_id::linspace, NodeKind::op, layout::linspace_params(n, n, 7, false, numjit::dtype_id::float32), 0));
  expect_same_after(one_op(op_id::eye, NodeKind::op, layout::eye_params(3, 4, -1, numjit::dtype_id::bool_), 0));
  expect_same_after(one_op(op_id::take, NodeKind::op, layout::take_params(layout::none, layout::take_mode::clip), 2));
  expect_same_after(one_op(op_id::sort, NodeKind::op, layout::sort_params(-1)));
  expect_same_after(one_op(op_id::concatenate, NodeKind::op, layout::axis_params(0), 5));
  expect_same_after(one_op(op_id::cumsum, NodeKind::op, layout::axis_params(layout::none)));
  expect_same_after(one_op(op_id::argmax, NodeKind::op, layout::arg_params(1, true)));
  layout::reduction r;
  r.axes = np::dims{0, -1};
  r.keepdims = true;
  r.initial = layout::number::of(std::int64_t{5});
  r.dtype = numjit::dtype_id::float32;
  expect_same_after(one_op(op_id::sum, NodeKind::op, layout::reduction_params(r)));
  expect_same_after(one_op(op_id::store, NodeKind::store, {}, 2));
  expect_same_after(one_op(op_id::put_index, NodeKind::store, {}, 3));
}

TEST(GraphFile, What_is_no_graph_says_so) {
  const std::string text = sum_text();
  const std::string anew = " Write the file anew with this version of numjit.";
  auto error = [](const std::string& t) { return message([&] { graph_from_json(t); }); };
  EXPECT_EQ(error(""), "[graph_from_json] the text is no graph: it is damaged or cut short." + anew);
  EXPECT_EQ(error("[1, 2]"), "[graph_from_json] the text is no graph: it is damaged or cut short." + anew);
  EXPECT_EQ(error(text.substr(0, text.size() / 2)),
            "[graph_from_json] the text is no graph: it is damaged or cut short." + anew);
  EXPECT_EQ(error(replaced(text, "\"format\":1", "\"format\":2")),
            "[graph_from_json] the graph was written by a newer numjit: format 2, this one reads up to 1. "
            "Update numjit.");
  EXPECT_EQ(error(replaced(text, "\"add\"", "\"frobnicate\"")),
            "[graph_from_json] unknown operation 'frobnicate'." + anew);
  EXPECT_EQ(error(replaced(text, "dd->d", "dq->d")), "[graph_from_json] add has no loop 'dq->d'." + anew);
  EXPECT_EQ(error(replaced(text, "[\"%0\",\"$0\"]", "[\"%0\"]")),
            "[graph_from_json] node 1: add takes 2 operands, got 1." + anew);
  EXPECT_EQ(error(replaced(text, "[\"%0\",\"$0\"]", "[\"%1\",\"$0\"]")),
            "[graph_from_json] node 1: operand %1 does not stand before it." + anew);
  EXPECT_EQ(error(replaced(text, "[\"%0\",\"$0\"]", "[\"%2\",\"$0\"]")),
            "[graph_from_json] node 1: operand %2 does not stand before it." + anew);
  EXPECT_EQ(error(replaced(text, "[\"%0\",\"$0\"]", "[\"%0\",\"$7\"]")),
            "[graph_from_json] node 1: scalar $7 does not exist." + anew);
  EXPECT_EQ(error(replaced(text, "[\"%0\",\"$0\"]", "[\"%0\",\"$99999999999\"]")),
            "[graph_from_json] operand '$99999999999', expected %number or $number." + anew);
  EXPECT_EQ(error(replaced(text, "\"rank\":1", "\"rank\":300")),
            "[graph_from_json] rank 300, expected 0 to 16." + anew);
  EXPECT_EQ(error(replaced(text, "\"type\":\"float64\"", "\"type\":\"quaternion\"")),
            "[graph_from_json] unknown dtype 'quaternion'." + anew);
  EXPECT_EQ(error(replaced(text, "\"casts\":\"dd", "\"casts\":\"fd")),
            "[graph_from_json] node 1: add casts its operand 0 to a dtype that its loop does not take." + anew);
  // A hostile count of a list: read as a count, it would reach far behind the parameters.
  EXPECT_EQ(error(replaced(text, "\"params\":[", "\"params\":[0,999999999,")),
            "[graph_from_json] node 2: parameters of sum: its list of axes is cut short." + anew);
  std::string words = "0";
  for (int i = 0; i < 100; ++i) words += ",0";
  EXPECT_EQ(error(replaced(text, "\"params\":[", "\"params\":[" + words + ",")),
            "[graph_from_json] parameters: expected a list of at most 80 words." + anew);
}

TEST(GraphFile, Black_boxes_are_refused_when_written) {
  auto box = np::allow_in_graph([](const np::array& x) { return x.copy(); },
                                [](const np::array_spec& in) { return in; });
  const auto graphs = graphs_of([&](np::array x) { return box(x) + 1; }, ramp(3));
  ASSERT_EQ(graphs.size(), 1u);
  EXPECT_THROW(graph_to_json(graphs[0]), np::NotImplementedError);
}

TEST(GraphFile, Damaged_texts_are_errors_never_crashes) {
  const std::string text = sum_text();
  std::mt19937 random(7);
  int refused = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string damaged = text;
    const auto flips = 1 + random() % 3;
    for (unsigned i = 0; i < flips; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    if (round % 3 == 0) damaged.resize(random() % damaged.size());
    try {
      EXPECT_EQ(numjit::graph::problem_of(graph_from_json(damaged)), "");
    } catch (const np::ValueError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 2000);
}
