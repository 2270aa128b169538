// The cheapest set of edges that separates two vertices of a directed graph.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace numjit::transform {

/// E. A. Dinic, "Algorithm for solution of a problem of maximum flow in networks with power estimation" (1970).
class FlowNetwork {
 public:
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max() / 4;

  explicit FlowNetwork(std::size_t vertices) : edges_of_(vertices) {}
  void add_edge(std::size_t from, std::size_t to, std::int64_t capacity);
  /// By vertex: is it on the sink's side of a cheapest cut? Of several the one nearest to the sink. Empty if all cuts are
  /// unlimited.
  std::vector<bool> sink_side(std::size_t source, std::size_t sink);

 private:
  struct Edge {
    std::size_t to;
    std::int64_t left;  // of its capacity
  };
  bool find_levels(std::size_t source, std::size_t sink);
  std::int64_t push(std::size_t from, std::size_t sink, std::int64_t at_most);

  std::vector<Edge> edges_;  // each followed by its reverse
  std::vector<std::vector<std::size_t>> edges_of_;
  std::vector<int> level_;
  std::vector<std::size_t> next_;  // edge to try, by vertex
};

}  // namespace numjit::transform
