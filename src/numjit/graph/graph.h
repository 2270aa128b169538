// The recorded graph of one segment: ops in program order, free of sizes and addresses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <numjit/base/location.h>
#include <numjit/ops/bind.h>

namespace numjit::graph {

/// What a graph node is.
enum class NodeKind : std::uint8_t {
  input,   // an array that existed before the segment
  op,      // a new value
  view,    // shares the storage of in[0]
  store,   // writes into in[0]; has no value of its own (readers after it see the new elements)
};

/// A reference to an operand of a node: another node, or a weak run-time scalar.
struct Ref {
  std::int32_t node = -1;     // index of an earlier node, or -1
  std::int32_t scalar = -1;   // index into Graph::scalars, or -1
  friend bool operator==(const Ref&, const Ref&) = default;
};

/// One recorded op.
struct Node {
  NodeKind kind = NodeKind::input;
  op_id op{};
  dtype_id type{};
  std::int8_t rank = 0;
  int loop = -1;                       // ufunc or reduction loop
  dtype_id in_type[3]{};               // dtype each input is cast to
  bool has_where = false;              // last ref is the where= mask
  bool live = false;                   // an output: still reachable when the segment ends
  bool has_effect = true;              // besides its value: it may fail for some values, draws, calls a user's function
  std::vector<Ref> in;
  op_params params;
  location where;
};

/// A weak literal met while recording: a run-time argument, typed by the op that takes it.
struct Scalar {
  weak_kind kind;
  dtype_id type;      // dtype the op wants it in
};

/// Ops in program order; the order carries the meaning of stores.
struct Graph {
  std::vector<Node> nodes;
  std::vector<Scalar> scalars;

  /// Ops, views and stores (inputs do not count).
  int op_count() const;

  /// The node whose elements node `i` shares: `i` itself, but of a view what it looks at.
  int root_of(int i) const;
};

/// Readable canonical text, one node a line: `%2 = add(%0, %1) : float64[?, ?]`.
std::string to_text(const Graph& graph);
/// The same with the words of parameters: equal for graphs that do the same.
std::string key_text(const Graph& graph);
/// What reports call an operation: "sum", "linalg.inv".
std::string op_text(const Node& n);

/// Text of a dtype and rank: "float64[?, ?]", "float64[]" for 0-D.
std::string type_text(dtype_id type, int rank);

}  // namespace numjit::graph
