// The trie of records: what a compiled function did with arrays, as a tree of paths.
//
// A call walks the tree along with the program. Each op call is compared with the record expected
// next: same op, same operands, same parameters. Identity of an operand is "the node that record
// holds now", so a match is a few compares and one count. A difference looks among the siblings and
// else grows a branch. All segments of one function start at one root, so a loop whose body ends in
// a break uses the same branch in every round.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <numjit/ops/bind.h>
#include <numjit/trace/record/bound_graph.h>
#include <numjit/trace/record/call_weigher.h>
#include <numjit/trace/record/value_errors.h>

namespace numjit::tracing {

/// A weak literal's value at one operand of a record, as of the current run.
struct ScalarSlot {
  weak_kind kind = weak_kind::none;
  bool checked = false;  // an int that must be checked against its dtype's range on change
  runtime::ScalarValue value;
  // An earlier one whose value it must have, because a name of a length relies on it, or
  // (`differs`) must not have.
  const ScalarSlot* same_as = nullptr;
  bool differs = false;
};

/// Sizes, bounds and fill values of these are run-time values: a change updates the record.
inline bool has_value_params(op_id op) {
  const op_kind kind = info(op).kind;
  return kind == op_kind::view || kind == op_kind::creation || structure_of(op).runtime_params;
}

/// Equal in kind and in every bit.
inline bool is_same_value(const runtime::ScalarValue& a, const runtime::ScalarValue& b) {
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  return a.kind == b.kind && a.above_int64 == b.above_int64 && a.integer == b.integer && bits(a.real) == bits(b.real) &&
         bits(a.imag) == bits(b.imag);
}

struct SegmentEnd;
struct SavedChoice;
class Trie;
struct ReplayEntry;

/// One op (or input array) on a path. What a match reads stands first, in one cache line.
struct alignas(64) Record {
  op_id op{};
  op_id short_op = op_id::count_;  // op, if it is a ufunc of 1 or 2 operands without options
  bool is_input = false;
  bool is_view = false;  // view of a lazy
  bool is_store = false;
  bool has_where = false;
  bool is_unsized = false;                   // its node has an extent without a value: see length_names.h
  bool is_backward = false;                  // a derivative's way back does it
  bool is_cut = false;                       // the segment ends here if the next call has this key
  value_errors errors = value_errors::none;  // can it fail for values that are not known when it is called?
  bool brings_owner = false;                 // inputs: its storage is new among those bound
  std::uint16_t slot = 0;                    // inputs: number of its storage owner among those bound so far
  std::uint32_t epoch = 0;                   // layouts of this record are those of this epoch
  node* cur = nullptr;                       // the node handles point to now; inputs: the bound node or null
  static constexpr int few = 3;
  Record* in_few[few] = {};
  Record** in = in_few;    // producers; null where the operand is a scalar
  Record* next = nullptr;  // child taken last

  int arity = 0;                  // operands, where mask included; concatenate takes any number
  bool needs_care = false;        // it draws, calls a box, may fail for values, or uses memory that is shown
  bool shown = false;             // inputs: others look at the memory; ops: they use such, and the segment ends behind
  ScalarSlot* scalars = nullptr;  // arity entries, or null when there are none
  Record* first_child = nullptr;
  Record* sibling = nullptr;
  Record* parent = nullptr;
  const Trie* trie = nullptr;       // that holds it: lazies of another one are pending on another thread
  SegmentEnd* end = nullptr;        // what runs when a segment ends after this record
  std::uint64_t signature = 0;      // inputs: the guard
  const location* place = nullptr;  // of operations, and of what brought an input: immortal; null where nobody asks for it
  std::uint64_t key = 0;            // op and line: see cut_policy.h
  std::uint64_t path = 0;           // hash of the path up to here, guards included: see learned_paths.h
  std::uint32_t live_before = 0;    // values alive when this was recorded
  std::uint16_t cut_segments = 0;   // first record of a segment: how many were cut
  std::uint32_t name = 0;           // of the length that this op makes, if that depends on data
  std::uint16_t static_axes = 0;    // inputs: axes whose sizes are guarded too
  dims memo_shape, memo_strides;    // inputs: layout at the last bind; unsized: with names of lengths
  std::int64_t view_offset = 0;     // views: bytes from the viewed node's first element
  int loop = -1;
  dtype_id in_type[3]{};
  op_params params;
  location where;

  Record() = default;
  Record(const Record&) = delete;  // `in` may point into it
  Record& operator=(const Record&) = delete;
};

/// The end of a segment: its path and the plans made for it.
struct SegmentEnd : BoundGraph {
  std::vector<Record*> path;           // inputs and ops in first-use order; graph node i is path[i]
  std::vector<std::uint32_t> unsized;  // indices into path of the records whose length depends on data
  Record* following = nullptr;         // first record of the segment that came next
  std::uint64_t runs = 0;
  std::shared_ptr<const SavedChoice> saved;  // the last: see saved_values.cpp
};

/// All records of one function on one thread.
class Trie {
 public:
  Trie();
  ~Trie();
  Trie(const Trie&) = delete;
  Trie& operator=(const Trie&) = delete;

  Record* new_record(int arity, bool with_scalars);
  Record* root() { return &root_; }
  std::size_t record_count() const { return records_.size(); }
  std::size_t segment_count = 0;
  Record* entry = nullptr;       // first record of the first segment, as of the last call
  std::uint64_t regions = 0;     // calls that ran the body
  int failed_replays = 0;        // calls in a row that replay could learn nothing from
  int replay_pause = 0;          // calls until it tries again
  int calls_in_debt = 0;         // calls that recording slowed down: see small_loops.h
  // A call may outlive the records, which np::reset() forgets.
  const std::shared_ptr<CallWeigher> weigher = std::make_shared<CallWeigher>();
  std::uint32_t names = 0;       // given so far to lengths that depend on data
  std::uint64_t generation = 0;  // of np::reset() and of disallow_in_graph

  std::vector<std::shared_ptr<ReplayEntry>> replays;  // most recent first
  const runtime::Plan* replayed_plan = nullptr;       // which ran last by replay, with the scalars of the entry below
  const ReplayEntry* replayed_by = nullptr;           // whose layouts the records hold, since the region below
  std::uint64_t replayed_region = 0;                  // (of the trie: segments share records)

  const std::vector<std::unique_ptr<Record>>& records() const { return records_; }

 private:
  Record root_;
  std::vector<std::unique_ptr<Record>> records_;
  std::vector<std::unique_ptr<Record*[]>> inputs_;
  std::vector<std::unique_ptr<ScalarSlot[]>> scalars_;
};

}  // namespace numjit::tracing
