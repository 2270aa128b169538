// Who runs recorded graphs: a named layer, or a function of the user's.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <numjit/array/array.h>
#include <numjit/graph/graph.h>

namespace numjit {

/// One run of a graph, as a user's backend sees it.
struct graph_call {
  /// Arrays of the graph's input nodes, in their order. Stores of the graph write into them.
  std::vector<array> inputs;
  /// One for each node that stays alive (graph.nodes[i].live), in their order. The backend sets them,
  /// with the node's dtype and shape.
  std::vector<array> outputs;
  /// Does all of it operation by operation: stores, and outputs.
  std::function<void()> run_op_by_op;
};

/// What a user's backend makes of a graph: called at each run.
using graph_runner = std::function<void(graph_call&)>;
/// A backend: called once for each graph. Its exceptions pass to the caller unchanged.
///   auto f = np::compile(fn, {.backend = [](const np::graph::Graph& g) {
///     std::cout << np::graph::to_text(g);
///     return [](np::graph_call& call) { call.run_op_by_op(); };
///   }});
using backend_function = std::function<graph_runner(const graph::Graph&)>;

/// The backend option: "eager" (record, run op by op), "graph" (with graph passes, op by op), "halide"
/// (fused kernels), or a backend_function.
class backend {
 public:
  backend(const char* name) : name_(name) {}
  backend(std::string name) : name_(std::move(name)) {}
  template <class F>
  requires(!std::convertible_to<F, std::string> && std::convertible_to<F, backend_function>) backend(F function)
      : name_("function"), function_(std::move(function)) {}
  const std::string& name() const { return name_; }
  const backend_function& function() const { return function_; }

 private:
  std::string name_;
  backend_function function_;
};

}  // namespace numjit
