// Operations between ranks that a run has started: they go on while later steps compute.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <numjit/ops/communicate.h>
#include <numjit/runtime/plan/steps.h>

namespace numjit::runtime {

/// Of one run. Whoever reads a result waits for it before, and so does who stores into what is still being sent. Arrays are given
/// back behind their operation only.
class InFlight {
 public:
  using GiveBack = std::function<void(int node)>;

  static bool is_one(const graph::Graph& graph, const Step& step) {
    return step.kind == Step::Kind::single && graph.nodes[static_cast<std::size_t>(step.node)].op == op_id::communicate;
  }
  bool empty() const { return flights_.empty(); }
  /// The operation of the first of these steps, whose arrays have memory. Where the next one waits for it, a small one is
  /// carried out at once: another thread would have to be woken for it, and this one again.
  void start(const graph::Graph& graph, std::span<Step> steps, const RunInputs& in);
  /// Waits for what the step needs. `reached` is the node of the operation while it is waited for. `ends_arrays`: the step gives
  /// back what it was the last to use, without asking holds().
  void before(const graph::Graph& graph, const Step& step, int& reached, const GiveBack& give_back, bool ends_arrays = false);
  /// Is the array of a node in use? Then it is given back later.
  bool holds(const graph::Graph& graph, int node);
  void finish(int& reached, const GiveBack& give_back);
  /// The same where something failed: errors of what is still under way are not the first ones.
  void abandon();

 private:
  struct Flight {
    int node, input;  // the roots of its arrays
    std::unique_ptr<numjit::detail::started_communication> operation;
    Step* step;
    std::vector<int> given_back = {};
  };
  void wait(std::size_t k, int& reached, const GiveBack& give_back);

  std::vector<Flight> flights_;
};

}  // namespace numjit::runtime
