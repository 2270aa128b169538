// A graph that is bound to arrays, numbers and parameters, and the plans made for it: what the recorder, replay and programs
// from files run.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <numjit/array/array.h>
#include <numjit/graph/graph.h>
#include <numjit/runtime/plan/plan.h>
#include <numjit/trace/state/backend.h>

namespace numjit::tracing {

/// Which lazies of a graph are still reachable behind its run, by their index in BoundGraph::lazies.
class LiveSet {
 public:
  /// Lazy i of `size` is a member if is_live(i).
  template <class F>
  void assign(std::size_t size, F&& is_live) {
    first_ = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(size, 64); ++i) first_ |= std::uint64_t{is_live(i)} << i;
    if (size <= 64) return rest_.clear();
    rest_.assign((size - 1) / 64, 0);
    for (std::size_t i = 64; i < size; ++i) rest_[i / 64 - 1] |= std::uint64_t{is_live(i)} << i % 64;
  }
  bool operator[](std::size_t i) const { return word(i / 64) >> i % 64 & 1; }
  friend bool operator==(const LiveSet& a, const LiveSet& b) {
    return a.first_ == b.first_ && (a.rest_.empty() || a.rest_ == b.rest_);
  }
  /// Calls f(i) for all members in order.
  template <class F>
  void for_each(F&& f) const {
    for (std::size_t k = 0; k <= rest_.size(); ++k)
      for (std::uint64_t bits = word(k); bits; bits &= bits - 1) f(k * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
  }

 private:
  std::uint64_t word(std::size_t k) const { return k == 0 ? first_ : rest_[k - 1]; }

  std::uint64_t first_ = 0;  // nearly all segments have no more
  std::vector<std::uint64_t> rest_;
};

/// One way to run a graph: for one set of arrays alive behind it and one alias relation.
struct SegmentVariant {
  LiveSet live;
  std::vector<std::uint8_t> aliases;
  std::unique_ptr<runtime::Plan> plan;
  graph_runner runner;      // of a user's backend
  std::uint32_t epoch = 0;  // layouts of the last run
  int ops = 0;              // of the graph
  bool pays = false;        // does running it cost less than the ops one by one, if all are small?
};

/// The alias relations found for inputs at certain addresses: loops alternate between a few.
struct AliasMemo {
  std::uint32_t epoch = 0;        // of the layouts; 0: never filled
  std::vector<const char*> data;  // first elements of the inputs, in their order
  std::vector<std::uint8_t> key;
};

/// Owned by who made it: the nodes (by `slots`), numbers and parameters it points to. Layouts have an epoch, which changes with
/// them: a run of the epoch before needs no look at them.
class BoundGraph {
 public:
  BoundGraph() = default;
  BoundGraph(const BoundGraph&) = delete;
  BoundGraph& operator=(const BoundGraph&) = delete;

  // ---- filled by the owner, before complete() ----
  graph::Graph graph;         // without live marks, where they differ from run to run
  std::vector<node**> slots;  // where the array of node i stands; a store's is its target's
  std::vector<const runtime::ScalarValue*> scalars;
  std::vector<const op_params*> params;
  std::vector<const std::int64_t*> view_offsets;  // views: bytes from the viewed array; else null

  bool on_device = false;           // some input lies on one
  bool brings_host_arrays = false;  // arrays of the host go with those of a device

  /// Makes what follows of it.
  void complete();
  std::vector<std::uint32_t> inputs;  // nodes that are inputs
  std::vector<std::uint32_t> lazies;  // nodes that have an array of their own: neither inputs nor stores
  std::vector<node**> lazy_slots;     // as lazies
  bool has_stores = false;
  runtime::RunInputs run_inputs;
  /// The graph with the lazies marked that are alive behind a run.
  graph::Graph graph_of_run(const LiveSet& live) const;

  // ---- plans ----
  /// The plan made earlier for what is alive now and for how memory overlaps now, or null.
  SegmentVariant* find_variant(const LiveSet& live, std::uint32_t epoch) {
    if (has_stores) find_aliases(epoch);
    if (last_variant_ < variants_.size()) {
      SegmentVariant& last = variants_[last_variant_];
      if (last.epoch == epoch && last.live == live && (!has_stores || last.aliases == *aliases_)) [[likely]]
        return &last;
    }
    return find_other_variant(live, epoch);
  }
  /// How memory overlaps, as find_variant() last saw it.
  const std::vector<std::uint8_t>& aliases() const { return *aliases_; }
  /// The variant that find_variant() missed. The oldest of many goes.
  SegmentVariant& add_variant(const LiveSet& live, std::unique_ptr<runtime::Plan> plan);

  // ---- a run ----
  /// Runs the variant's plan, on the device where new arrays belong, else on that of its arrays: DeviceError where they do not
  /// agree. `all_eager`: without kernels.
  void run(SegmentVariant& variant, std::uint32_t epoch, std::string_view function, bool all_eager);
  /// The same for a plan of its own.
  void run(runtime::Plan& plan, bool layout_changed, std::string_view function, bool all_eager) const;
  /// Live arrays become concrete, views among them get their memory, and all slots whose array has its value get a new one.
  void give_out(const LiveSet& live);
  /// A view of a node that has its memory.
  void place_view(std::uint32_t number) const;
  /// Gives the node of a slot away, with its value; the slot goes on with a new one.
  static void hand_over(node** slot);
  /// The node of a slot, which goes on with a new one.
  static node* renew(node** slot, bool is_view);

 private:
  void find_aliases(std::uint32_t epoch);
  SegmentVariant* find_other_variant(const LiveSet& live, std::uint32_t epoch);
  std::uint8_t device(std::string_view function) const;

  static const std::vector<std::uint8_t> no_aliases;
  const std::vector<std::uint8_t>* aliases_ = &no_aliases;
  runtime::AliasPairs alias_pairs_;
  AliasMemo alias_memos_[4];  // of graphs with stores
  std::uint8_t oldest_memo_ = 0;
  std::vector<SegmentVariant> variants_;
  std::size_t last_variant_ = 0;
};

}  // namespace numjit::tracing
