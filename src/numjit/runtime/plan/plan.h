// From a recorded graph to steps that can be run: which ops fuse, what is stored, in which order.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <numjit/graph/graph.h>
#include <numjit/ops/communicate.h>
#include <numjit/runtime/launch/fused_call.h>

namespace numjit::runtime {

/// The value of a weak literal, as the program gave it.
struct ScalarValue {
  weak_kind kind = weak_kind::none;
  bool above_int64 = false;
  std::int64_t integer = 0;
  double real = 0, imag = 0;
};

/// Writes `value` as an element of `type` (16 bytes are enough).
void write_scalar(const ScalarValue& value, dtype_id type, void* to);

/// The literal that `value` was, as an operand at a place.
operand operand_of(const ScalarValue& value, const location& where);

/// How the memory of two arrays relates.
enum class Alias : std::uint8_t { disjoint, same, overlap };

/// What changes from run to run. Entry i belongs to graph node i (scalars: to graph scalar i).
struct RunInputs {
  /// Inputs concrete, others lazy with their layout. Where a layout depends on data, it is the run that
  /// puts lengths in place of names (numjit::detail::unknown_extents), and whoever owns the node that
  /// takes them out again.
  std::span<node* const* const> slots;
  std::span<const ScalarValue* const> scalars;
  std::span<const op_params* const> params;           // sizes of creation and view ops change
  std::span<const std::int64_t* const> view_offsets;  // views: bytes from the viewed array; else null
  bool same_scalars = false;                          // scalars and params are those of this plan's last run

  /// The array of graph node i; a store's is the one it writes into.
  node* slot(int i) const { return *slots[static_cast<std::size_t>(i)]; }
};

/// Runs one op by itself into a given node: the eager engine's routine, installed by trace/ because
/// runtime/ and eager/ do not know each other. Arguments as eager::run_into.
using OpRunner = void (*)(op_id, const inference&, node* const*, int, const op_params&, node*, node*);
extern constinit OpRunner op_runner;

/// The length of a result that only the data can tell, from the input that it is counted from (see
/// length_of_result). Installed like op_runner.
using LengthCounter = std::int64_t (*)(op_id, const node*, const op_params&);
extern constinit LengthCounter length_counter;

/// What one step of a plan does, for explain() and tests.
struct StepInfo {
  std::string kernel;    // "" for a step that runs one op by itself
  std::string schedule;  // "elementwise", "rows", ..., or "eager"
  std::vector<std::string> ops;
  std::vector<int> nodes;  // of the graph, in order
  std::int64_t bytes = 0;
  std::int64_t ns = 0;
  bool compiled = false;
  bool fused = false;      // a kernel computes it, when there is one
  std::int64_t flops = 0;  // of a matrix product
  std::optional<numjit::detail::communication_cost> sent = {};  // of an operation between ranks
};

/// Why a plan is slower than it could be, for the log channel perf_hints.
struct PlanHint {
  location where;
  std::string text;
};

/// The pairs (array stored to, input) of a graph. How their memory relates is the part of a plan's key
/// that addresses decide.
class AliasPairs {
 public:
  AliasPairs() = default;
  explicit AliasPairs(const graph::Graph& graph);
  /// The relations of this run; empty for graphs without stores into inputs.
  void key(const RunInputs& inputs, std::vector<std::uint8_t>& key);

 private:
  std::vector<int> targets_, inputs_;               // graph nodes
  std::vector<numjit::detail::byte_range> ranges_;  // of the inputs, while key() works
};

/// A runnable segment. Belongs to one thread.
class Plan {
 public:
  /// Fuses `graph` for the layouts at hand. How the memory of a stored-to array relates to the other
  /// inputs is looked up in the slots themselves; a plan serves only runs with equal relations
  /// (AliasPairs).
  Plan(graph::Graph graph, const RunInputs& inputs);
  ~Plan();

  /// Runs the steps in order. Lazy slots of live nodes have storage afterwards; temporary storage is
  /// given back. With `eager_only`, op by op without kernels.
  /// When an op throws, live slots that the program made before it have storage, later ones have none.
  void run(const RunInputs& inputs, bool layout_changed, bool eager_only);

  /// The same on a device (see node::device): kernels run there one after the other, the host does what has none.
  /// Live nodes are arrays of the device afterwards, unless all inputs were the host's.
  void run_on(std::uint8_t device, const RunInputs& inputs, bool layout_changed, bool eager_only);

  /// Lengths in place of names in the layout of a node (see RunInputs) whose inputs have theirs, for runs
  /// that compute values by other means.
  void resolve(int node, const RunInputs& inputs);

  /// Do the layouts at hand still allow this plan (outputs that share a kernel have one shape)?
  bool fits(const RunInputs& inputs) const;

  /// Has take_single_ops() or take_error() something to tell?
  bool has_news() const;
  /// Ops of groups and singles that ran one by one since the last call.
  std::uint64_t take_single_ops();
  /// The error of the last run that does not keep its results from being complete: a CompileError if a
  /// kernel failed and errors are not suppressed, an InternalError of config.check_same_bits.
  std::exception_ptr take_error();

  std::vector<StepInfo> steps() const;
  /// Launches and single ops of a run; views are none.
  int step_count() const;
  /// The steps with the specs of their kernels, for people: what the passes made of the graph.
  std::string to_text() const;
  /// Ops that run by themselves, and large temporaries between kernels, for the sizes at hand.
  std::vector<PlanHint> hints(const RunInputs& inputs) const;
  /// Bytes of live and temporary arrays at the worst moment of the last run.
  std::int64_t peak_bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace numjit::runtime
