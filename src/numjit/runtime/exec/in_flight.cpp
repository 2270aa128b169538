// When a run waits for operations between ranks.
#include <numjit/runtime/exec/in_flight.h>

#include <algorithm>
#include <utility>

namespace numjit::runtime {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Calls fn(root, whether it is written) for the arrays that a step touches.
template <class F>
void each_touched(const graph::Graph& graph, const Step& step, F&& fn) {
  const auto look = [&](int i) {
    const graph::Node& n = graph.nodes[at(i)];
    for (std::size_t k = 0; k < n.in.size(); ++k)
      if (n.in[k].node >= 0) fn(graph.root_of(n.in[k].node), k == 0 && n.kind == graph::NodeKind::store);
  };
  if (step.kind != Step::Kind::view && step.node >= 0) look(step.node);
  for (const int i : step.group) look(i);
  for (const int i : step.resolve) look(i);
  if (step.store_target >= 0) fn(graph.root_of(step.store_target), true);
}

}  // namespace

void InFlight::start(const graph::Graph& graph, std::span<Step> steps, const RunInputs& in) {
  Step& step = steps.front();
  const graph::Node& n = graph.nodes[at(step.node)];
  const int input = n.in[1].node;
  const auto next = std::find_if(steps.begin() + 1, steps.end(), [](const Step& s) { return s.kind != Step::Kind::view; });
  bool at_once = next == steps.end();
  if (!at_once) each_touched(graph, *next, [&](int root, bool) { at_once = at_once || root == step.node; });
  auto* const operation =
      numjit::detail::communications.start({*in.params[at(step.node)], in.slot(input), in.slot(step.node)}, at_once);
  if (operation)
    flights_.push_back(
        {step.node, graph.root_of(input), std::unique_ptr<numjit::detail::started_communication>(operation), &step});
}

void InFlight::wait(std::size_t k, int& reached, const GiveBack& give_back) {
  const Flight flight = std::move(flights_[k]);
  flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(k));
  const int before = std::exchange(reached, flight.node);
  flight.step->sent = flight.operation->wait();
  reached = before;
  for (const int node : flight.given_back) give_back(node);
}

void InFlight::before(const graph::Graph& graph, const Step& step, int& reached, const GiveBack& give_back, bool ends_arrays) {
  const auto is_input = [&](int root) { return graph.nodes[at(root)].kind == graph::NodeKind::input; };
  const auto meets = [&](const Flight& flight, int root, bool writes) {
    // Inputs may share memory.
    return root == flight.node || (writes && (root == flight.input || (is_input(root) && is_input(flight.input))));
  };
  for (std::size_t k = 0; k < flights_.size();) {
    bool met = false;
    each_touched(graph, step, [&](int root, bool writes) { met = met || meets(flights_[k], root, writes); });
    for (const int i : step.free_after) met = met || (ends_arrays && graph.root_of(i) == flights_[k].input);
    met ? wait(k, reached, give_back) : void(++k);
  }
}

bool InFlight::holds(const graph::Graph& graph, int node) {
  const int root = graph.root_of(node);
  for (Flight& flight : flights_) {
    if (flight.node != root && flight.input != root) continue;
    flight.given_back.push_back(node);
    return true;
  }
  return false;
}

void InFlight::finish(int& reached, const GiveBack& give_back) {
  while (!flights_.empty()) wait(0, reached, give_back);
}

void InFlight::abandon() {
  for (const Flight& flight : std::exchange(flights_, {})) {
    try {
      flight.operation->wait();
    } catch (...) {  // the error that is on its way came first
    }
  }
}

}  // namespace numjit::runtime
