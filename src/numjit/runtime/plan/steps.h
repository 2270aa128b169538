// Inside of a plan: its steps, as the planner makes them and the executor runs them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <numjit/ops/communicate.h>
#include <numjit/runtime/plan/plan.h>

namespace numjit::runtime {

/// Where a kernel argument of a fused step comes from.
struct ScalarSource {
  int graph_scalar = -1;  // a weak literal of the graph, or
  int fill_node = -1;     // the value of a `full` node, `initial=` of a reduction, or
  dtype_id type{};
  double value = 0;  // this one
};

/// An array argument of a fused step: a graph node, or a temporary of a reduction chain.
struct ArraySource {
  int node = -1;
  int temporary = -1;  // index into FusedStep::temporaries
  int level = 0;       // 1: lives in the space without reduced axis 0
  int view = -1;       // seen through this view of an array that is not stored: see strides.h
};

/// One kernel launch. The iteration space has the shape of array `space` (before reduction).
struct FusedPart {
  FusedPart(graph::KernelSpec spec) : call(std::move(spec)) {}
  FusedCall call;
  std::vector<ArraySource> operands;
  std::vector<ArraySource> outputs;
  std::vector<ScalarSource> scalars;
  ArraySource space;
  int reduced_axis[2] = {-1, -1};
  std::uint32_t dropped = 0;  // bit per axis of the space, of length 1, that the output does not have

  // Launch memory, filled when layouts change.
  std::int64_t extent[max_rank];
  int rank = 0;
  std::vector<std::int64_t> strides;  // per argument, max_rank entries
  std::vector<LaunchOperand> arguments;
  std::vector<node* const*> places;   // where the arrays of the arguments stand
  std::vector<std::int64_t> offsets;  // per argument, bytes from there; empty without operands seen through views
  std::vector<const void*> scalar_pointers;
  std::vector<std::array<std::uint64_t, 2>> scalar_values;
};

/// A temporary between the parts of a reduction over several axes: the shape of graph node `like`
/// with the axes of `reduced` (its length 1) already reduced.
struct ChainTemporary {
  int like = -1;
  std::uint32_t reduced = 0;
  dtype_id type{};
};

/// An axis whose length depends on data.
struct UnknownAxis {
  int node = -1;
  int axis = -1;
};

/// One step: a fused group, one op by itself, or the placing of a view.
struct Step {
  enum class Kind : std::uint8_t { fused, single, view } kind;
  int node = -1;                 // single, view: the graph node
  std::vector<FusedPart> parts;  // fused: one launch, or a chain of reductions
  std::vector<ChainTemporary> temporaries;
  std::vector<int> group;                 // fused: graph nodes in order, for running them one by one
  int store_target = -1;                  // fused: the graph node that the last part writes through
  std::vector<int> allocate;              // nodes that get storage before the step
  std::vector<int> free_after;            // nodes whose storage is given back after it
  std::vector<int> resolve = {};          // nodes whose layouts depend on data and are known from here on
  std::vector<UnknownAxis> unknown = {};  // lengths that the step's kernels meet and no guard has seen
  std::int64_t ns = 0;                    // single: of the last timed run
  std::int64_t bytes = 0, flops = 0;      // the same, of a matrix product
  std::optional<numjit::detail::communication_cost> sent = {};  // of an operation between ranks
  std::string why = {};                   // single: why it is not part of a kernel
  std::string device_form = {};           // single: the kernels and the device of the last run; "": the host did it

  int last_node() const { return group.empty() ? node : group.back(); }
};

/// Everything the planner decides.
struct PlannedSteps {
  std::vector<Step> steps;
  std::vector<std::pair<int, int>> same_shape;  // nodes that must have one shape for the plan to hold
  std::vector<bool> persistent;                 // nodes whose storage outlives the run
  bool has_views = false;                       // any step of kind view
  std::vector<int> counted_by;                  // earlier node with the same count of true elements, or -1
};

/// Groups of nodes, each in graph order, that no kernel may join with what comes after them: the first
/// halves of kernels that took too long to compile.
using Splits = std::vector<std::vector<int>>;

PlannedSteps make_steps(const graph::Graph& graph, const RunInputs& inputs, const Splits& splits);

/// Of a matrix product: what it reads, writes and computes, a sum over the operands' common axis for each element.
void note_product(Step& step, const graph::Graph& graph, const RunInputs& inputs);
/// What a step is and took, for explain().
StepInfo step_info(const graph::Graph& graph, const Step& step);
/// For people: see Plan::to_text() and Plan::hints().
std::string steps_text(const graph::Graph& graph, const PlannedSteps& planned);
std::vector<PlanHint> plan_hints(const graph::Graph& graph, const PlannedSteps& planned, const RunInputs& inputs);

/// Relation of two arrays that have memory (inputs).
Alias memory_relation(const node* a, const node* b);

}  // namespace numjit::runtime
