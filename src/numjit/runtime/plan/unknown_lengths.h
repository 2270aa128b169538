// Lengths that depend on data, in graphs and plans: where they arise, what they are called, who meets them.
#pragma once

#include <cstdint>
#include <vector>

#include <numjit/runtime/plan/steps.h>

namespace numjit::runtime {

/// Does the length of the node's result depend on data?
inline bool selects(const graph::Node& n) {
  return n.kind == graph::NodeKind::op && length_of_result(n.op).rule != length_rule::known;
}

/// For each node of a graph that makes a length of its own, a number from 1 on; 0 for all others. Selections
/// by one mask that no store can have changed in between have the same number.
std::vector<std::uint32_t> names_of_lengths(const graph::Graph& graph);

/// Gives the inferred shape of node `i` the name of the length that it makes, if it makes one.
void put_name(const graph::Node& n, std::uint32_t name, inference& inferred);

/// Has the shape an extent that is a name?
bool has_name(const dims& shape);

/// Notes in each step which layouts it is the first to touch, and which unknown lengths it meets.
void note_unknown_lengths(const graph::Graph& graph, const RunInputs& inputs, PlannedSteps& planned);

}  // namespace numjit::runtime
