// Decides which ops of a graph fuse into one kernel, what is stored, and in which order.
//
// Nodes are visited in program order. An elementwise op stays *pending* until someone needs it in
// memory; a kernel then takes in the whole pending expression below it. A store may not overtake
// readers of the old elements: pending expressions that read what it overwrites are computed first.
// planner.cpp visits, planner_kernels.cpp builds kernels, planner_views.cpp moves views below cheap expressions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <numjit/graph/kernel_spec.h>
#include <numjit/runtime/plan/steps.h>

namespace numjit::runtime {

using graph::Graph;
using graph::KernelNode;
using graph::KernelNodeKind;
using graph::KernelSpec;
using graph::Node;
using graph::NodeKind;
using graph::Ref;

/// What became of a node so far.
enum class State : std::uint8_t {
  input,
  pending,
  pending_reduction,
  pending_join,  // parts of others side by side: made when a kernel is about to read it, which may do without (pieces.h)
  pending_view,  // of a pending value that need not be stored for it
  pending_part,  // real or imaginary part of a pending value, computed with it
  stored,
  view,
  none
};

/// Results of one elementwise kernel.
inline constexpr std::size_t most_outputs = 8;

class Planner {
 public:
  Planner(const Graph& graph, const RunInputs& inputs, const Splits& splits)
      : graph_(graph),
        inputs_(inputs),
        splits_(splits),
        count_(static_cast<int>(graph.nodes.size())),
        state_(graph.nodes.size(), State::none),
        uses_(graph.nodes.size(), 0),
        last_use_(graph.nodes.size(), -1),
        cost_(graph.nodes.size(), 0) {
    result_.persistent.assign(graph.nodes.size(), false);
  }

  PlannedSteps plan() {
    find_unused();
    count_uses();
    for (int i = 0; i < count_; ++i) {
      if (!unused_[static_cast<std::size_t>(i)]) visit(i);
      for (const std::vector<int>& split : splits_)
        if (split.back() == i) store_results_of(split);
    }
    current_ = count_;
    finish();
    sink_joins();
    place_frees();
    return std::move(result_);
  }

 private:
  // The body of one kernel under construction.
  struct Body {
    KernelSpec spec;
    std::vector<ArraySource> operands;
    std::vector<ScalarSource> scalars;
    std::vector<int> group;
    std::vector<int> kernel_node;                               // graph node -> spec node, or -1
    std::map<std::pair<int, int>, std::uint16_t> seen_through;  // (view, graph node) -> spec node
    int level = 0;
    bool full = false;  // grew past the limit
  };

  const Node& node_of(int i) const { return graph_.nodes[static_cast<std::size_t>(i)]; }
  node* slot(int i) const { return inputs_.slot(i); }
  State& state(int i) { return state_[static_cast<std::size_t>(i)]; }
  State state(int i) const { return state_[static_cast<std::size_t>(i)]; }
  bool needed_later(int i) const { return node_of(i).live || last_use_[static_cast<std::size_t>(i)] >= current_; }

  // Ops and views whose value nobody reads, and that do nothing else: they are left out.
  void find_unused();
  void count_uses();

  // ---- visiting ----

  // Is op i one that puts arrays together, and can be made when it is read?
  bool can_join_later(int i) const;

  // Why op i can't be part of a kernel; "" if it can.
  std::string obstacle(int i) const;

  void visit(int i);

  // Not computed yet; and among these, what a kernel takes in as it is.
  bool waits(int i) const { return is_expression(i) || waits_in_memory(i); }
  // What a kernel reads when it has been computed.
  bool waits_in_memory(int i) const { return state(i) == State::pending_reduction || state(i) == State::pending_join; }
  bool is_expression(int i) const {
    return state(i) == State::pending || state(i) == State::pending_view || state(i) == State::pending_part;
  }

  // One op by itself, its inputs in memory.
  void single(int i, std::string why);

  // ---- stores ----

  int root_of(int i) const { return graph_.root_of(i); }

  Alias relation(int a, int b) const;

  // Calls f(leaf) for each array in memory that the pending value i reads, pending ops it inlines
  // included.
  void leaves(int i, const std::function<void(int)>& f);
  void leaves_once(int i, const std::function<void(int)>& f);
  bool reads_changed(int i, int target, Alias* worst = nullptr);

  void visit_store(int i);

  // Stores whose values are computed from what they overwrite wait for others like them: one kernel computes all of
  // these values, then they are stored. Nothing that they overwrite is read, and nothing that may throw is run, before.
  bool can_wait(int store);
  bool meets_waiting_store(int i) const;
  void place_waiting_stores();

  bool same_shape_now(int a, int b) const { return detail::same_shape(slot(a), slot(b)); }

  // ---- views of pending values ----

  // May view i stay pending: is what it views cheaper computed again at each element than stored and read?
  bool commutes(int i);

  // Is view i the real or imaginary part of a pending value, to be computed with it?
  bool is_part_of_pending(int i) const;

  // The step that gives view i its place.
  void place_view(int i);

  // For running the group op by op: view i, after those that it is a view of.
  void add_views_to_group(Body& body, int i);

  // The kernel node of pending node i, as part of the value that `view` selects from.
  std::uint16_t lower_through(Body& body, int view, int i);

  // ---- forcing ----

  void force(int i);

  // Pending value i, and others of its shape that read what it reads and must be in memory anyway, as what reads them is no
  // part of a kernel.
  std::vector<int> with_siblings(int i);
  struct Below {
    std::vector<int> reads;  // in memory
    int joins = 0;           // one on the other, that are still to be made
    bool any_reduction = false, any_emitted = false;
  };
  // What is below the waiting value i.
  Below below(int i);

  void finish();

  // Computes pending nodes into memory, in as few kernels as their shapes allow.
  void emit_together(std::vector<int> outputs);

  // Computes what of a split is needed later.
  void store_results_of(const std::vector<int>& split);

  // ---- building kernels ----

  Body new_body() const;

  static void add_to_group(Body& body, int i);

  static std::uint16_t push(Body& body, const KernelNode& n);

  std::uint16_t operand_node(Body& body, ArraySource source, dtype_id type);

  std::uint16_t scalar_node(Body& body, ScalarSource source);

  static std::uint16_t cast_to(Body& body, std::uint16_t value, dtype_id type);

  // The kernel node of graph node i, taking in pending expressions. lower_op: of an op, which takes its
  // inputs by `input`.
  std::uint16_t lower(Body& body, int i);
  std::uint16_t lower_op(Body& body, int i, const std::function<std::uint16_t(int)>& input);

  // Before a kernel takes in the expression below `roots`: whatever in it should live in memory by
  // itself is forced now. Returns pending nodes that had better become further outputs.
  void prepare(const std::vector<int>& roots, std::int64_t space_size, std::vector<int>& extra);

  // The same for expressions that reductions take in: they have no further outputs.
  void prepare_inputs(const std::vector<int>& inputs, std::int64_t space_size);

  // Is i wanted by someone besides the kernel that uses it `inside` times?
  bool needed_after(int i, int inside) const;

  // The same, and more costly to compute again than to store and load.
  bool is_worth_storing(int i, int inside) const;

  // Per node, its uses by ops that will still be computed: not visited yet, or pending and wanted.
  void count_uses_to_come();

  // Of values that had better become further outputs, those that a store's kernel should not compute again.
  std::vector<int> costly(std::vector<int> values) const;
  // Makes them outputs, as many as one kernel has; the rest is computed before.
  void add_results(std::vector<int>& outputs, std::vector<int> extra);

  // One elementwise kernel for `outputs` (one shape). With `store`, the single output is written
  // straight through that store node's target.
  void emit(std::vector<int> outputs, int store);

  // ---- reductions ----

  // Axes of a reduction in the order they are reduced: the last one first.
  std::vector<int> reduced_axes(int i) const;
  bool keeps_dims(int i) const;

  // What reduction i adds up in: sums of dtype=int32 are int64, cut at the end; float16 is reduced as
  // float32 and rounded once.
  dtype_id accumulator(int i) const;

  // Reduction i of `value` in the accumulator's dtype; over the last of its axes with `initial=` and in
  // the dtype of its result.
  std::uint16_t reduce_value(Body& body, int i, std::uint16_t value, int level, bool last);
  std::uint16_t with_initial(Body& body, int i, std::uint16_t reduced);

  // `value`, where reduction i masks it the value that changes nothing.
  std::uint16_t masked(Body& body, int i, std::uint16_t value);

  // The input of a reduction as its accumulation wants it: cast to the result's dtype, then to the
  // accumulator's; arg reductions take it as it is.
  std::uint16_t reduction_input(Body& body, int i, std::uint16_t value);

  // A one-axis reduction pending below reduction i whose space is much larger than what it reads:
  // its values need not be stored.
  int inner_reduction(int i);

  // May pending reduction j share i's kernel: same space, same axes, common reads, all of them at hand?
  bool joins_reduction(int j, int i);

  // i and the pending reductions that had better be computed in one pass with it, in graph order.
  std::vector<int> reductions_with(int i);

  // Reductions and joins that the value i reads, computed into memory.
  void force_below(int i);

  // prepare() for what the reductions take in. Those that this computed leave the group.
  void prepare_reductions(std::vector<int>& group);

  void emit_reduction(int i);

  // One kernel for all of the group, per axis. False if no kernel can express it.
  bool emit_reductions(const std::vector<int>& group);

  // Reads an array in memory along its first axis: eager loops are as good, and need no compiler.
  bool is_plain_column_reduction(int i);

  void reduce_by_itself(int i, std::string why);

  bool emit_two_levels(int i, int inner);

  // ---- lifetimes ----

  // Moves steps that join arrays to their first readers, where the kernel that reads them may do without (see pieces.h).
  void sink_joins();
  bool touches(const Step& step, int root) const;
  bool may_pass(int join, const Step& step) const;

  // Storage of temporaries goes back after the last step that touches it.
  void place_frees();

  const Graph& graph_;
  const RunInputs& inputs_;
  const Splits& splits_;
  int count_;
  int current_ = 0;
  std::vector<State> state_;
  std::vector<bool> unused_;
  std::vector<int> uses_, last_use_, cost_;
  std::vector<bool> read_in_memory_;  // by an op that is no part of a kernel
  std::vector<int> uses_to_come_;
  std::vector<int> seen_;
  int seen_mark_ = 0;
  bool seen_through_view_ = false;  // did the last leaves() meet a pending view?
  std::vector<int> waiting_stores_;
  std::vector<int> being_emitted_;  // results of the kernels that are being made
  PlannedSteps result_;
};

}  // namespace numjit::runtime
