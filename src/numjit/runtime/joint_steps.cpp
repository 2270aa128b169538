// All ways in which steps run together.
#include <numjit/runtime/joint_steps.h>

#include <algorithm>

#include <numjit/runtime/in_place.h>
#include <numjit/runtime/row_blocks.h>

namespace numjit::runtime {

std::vector<std::unique_ptr<JointSteps>> find_joint_steps(const graph::Graph& graph, PlannedSteps& planned,
                                                          const RunInputs& inputs) {
  std::vector<std::unique_ptr<JointSteps>> all;
  for (auto& blocks : RowBlocks::find(graph, planned, inputs)) all.push_back(std::move(blocks));
  for (auto& store : InPlaceStore::find(graph, planned, inputs)) {
    const bool taken = std::any_of(all.begin(), all.end(), [&](const auto& other) {
      return store->first() <= other->last() && other->first() <= store->last();
    });
    if (!taken) all.push_back(std::move(store));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a->first() < b->first(); });
  return all;
}

}  // namespace numjit::runtime
