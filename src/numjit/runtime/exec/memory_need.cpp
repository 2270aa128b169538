// The memory of a plan's steps, added up in their order.
#include <numjit/runtime/exec/memory_need.h>

#include <algorithm>

#include <fmt/format.h>

#include <numjit/base/buffer_pool.h>
#include <numjit/base/error.h>
#include <numjit/base/error_location.h>

namespace numjit::runtime {
namespace {

struct Need {
  std::int64_t bytes = 0;  // at the step that has most
  int node = 0;            // of that step
};

Need need_of(const PlannedSteps& planned, const RunInputs& inputs) {
  Need most;
  std::int64_t now = 0;
  const auto bytes_of = [&](int i) {
    return inputs.slot(i)->size * static_cast<std::int64_t>(dtype(inputs.slot(i)->type).itemsize());
  };
  for (const Step& step : planned.steps) {
    if (!step.resolve.empty()) return {};
    for (const int i : step.allocate) now += bytes_of(i);
    if (now > most.bytes) most = {now, step.last_node()};
    for (const int i : step.free_after) now -= bytes_of(i);
  }
  return most;
}

}  // namespace

void refuse_what_does_not_fit(const graph::Graph& graph, const PlannedSteps& planned, const RunInputs& inputs) {
  constexpr std::int64_t little = 1 << 20;  // is not worth a look at what is left
  const bool stores =
      std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const graph::Node& n) { return n.kind == graph::NodeKind::store; });
  if (!stores) return;
  const Need need = need_of(planned, inputs);
  if (need.bytes < little || need.bytes <= numjit::detail::memory_left()) return;
  const auto bytes = static_cast<std::uint64_t>(need.bytes);
  try {
    throw MemoryError("", fmt::format("Unable to allocate {} for the arrays of a graph, of which nothing was stored: {}",
                                      numjit::detail::format_bytes(bytes), numjit::detail::memory_shortage(bytes)));
  } catch (...) {
    numjit::detail::rethrow_as_of(graph.nodes[static_cast<std::size_t>(need.node)].where, need.node);
  }
}

}  // namespace numjit::runtime
