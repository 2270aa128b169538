// The shapes of all values of a program for given arguments, by the rules of the rows. Internal to tiles.
#pragma once

#include <string>
#include <vector>

#include <numjit/trace/export/tiles.h>

namespace numjit::tracing {

/// The steps of one path through a program, with values that have layouts and no elements.
class ShapeWalk {
 public:
  struct Step {
    const ProgramStep* step;
    std::vector<array> inputs;                  // by ProgramSource of the step
    std::vector<array> values;                  // by node; a store's is empty
    std::vector<op_params> params;              // by node, with the sizes at hand
    std::vector<runtime::ScalarValue> scalars;  // with the sizes at hand
  };

  /// Errors of the operations go out as they are, unless `holds_errors`: then they end the walk, and the last step
  /// is incomplete.
  ShapeWalk(const Program& program, const ProgramEntry& entry, const std::vector<ArrayShape>& arguments,
            bool holds_errors = false);

  std::vector<Step> steps;               // graphs, in order
  const ProgramStep* results = nullptr;  // null if it was not reached
  std::string stopped;                   // why
  bool reads = false;                    // the path depends on a value

  array value_of(const ProgramSource& source) const;

 private:
  bool run_graph(const ProgramStep& step);
  bool fill(const graph::Graph& graph, Step& run);

  const Program& program_;
  std::vector<array> arguments_, computed_;
};

array without_elements(const ArrayShape& shape);

}  // namespace numjit::tracing
