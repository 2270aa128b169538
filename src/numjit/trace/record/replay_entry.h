// What replay keeps of one call: guards on its arguments, and where inputs and results come from.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <numjit/array/array.h>
#include <numjit/ops/black_box.h>
#include <numjit/trace/record/observer.h>
#include <numjit/trace/record/record.h>
#include <numjit/trace/record/replay.h>

namespace numjit::tracing {

/// Layout of one argument; signature 0: an empty handle.
struct ReplayGuard {
  std::uint64_t signature = 0;
  bool readonly = false;
  dims shape, strides;
};

/// Where an array comes from at replay.
struct ReplaySource {
  enum class Kind : std::uint8_t { none, computed, argument, view, constant };
  Kind kind = Kind::none;  // none: an empty handle
  std::uint32_t at = 0;    // computed: among the live lazies; argument, view: which argument
  dtype_id type{};         // views of arguments
  bool readonly = false;
  std::int64_t offset = 0;
  dims shape, strides;
  array constant;  // an array that the body captured
};

struct ReplayEntry {
  std::vector<ReplayGuard> guards;
  std::vector<std::uint64_t> values;
  std::vector<std::int64_t> pattern;  // which arguments share storage, and how far apart
  SegmentEnd* end = nullptr;
  LiveSet live;
  std::vector<ReplaySource> inputs;  // as end->inputs
  std::vector<array> views;          // of inputs that are views of arguments; between calls they have no memory
  std::vector<ReplaySource> results, rebound;
  std::vector<dims> shapes, strides;       // of the lazies, as end->lazies
  std::vector<std::int64_t> view_offsets;  // of the lazies that are views
  std::vector<runtime::ScalarValue> scalars;
  std::vector<op_params> params;  // of all nodes of the path
  std::shared_ptr<void> prototype;
  std::vector<std::weak_ptr<const detail::black_box>> boxes;  // called by the segment; without them the body has to run
};

/// What is noted about a call that replay learns from.
struct LearnedCall {
  SegmentEnd* end = nullptr;
  int segments = 0;
  bool clean = true;  // no break, no cut, no fallback
  LiveSet live;
  std::vector<array> inputs;  // nodes bound, as end->inputs
  std::vector<std::weak_ptr<const detail::black_box>> boxes;
  std::vector<std::pair<const node*, std::uint32_t>> escaped;  // live lazies: node, index into lazies
};

/// Fills one.
class LearningObserver final : public CallObserver {
 public:
  LearningObserver() : CallObserver(other_work) {}
  LearnedCall noted;

 private:
  void on_segment(const SegmentEvent& event) override;
  void on_other_work() override { noted.clean = false; }
};

/// Lists of a replayed call, kept between calls of a thread.
struct ReplayScratch {
  LeafList arguments, results, rebound, before;
  bool in_use = false;
  std::vector<node*> copies;  // of run_on_copies(): arguments, with one reference each
  std::vector<node*> argument_nodes;
  std::vector<array> outputs;  // of the last run: arrays of the live lazies
  std::vector<array> given, held;
  std::unique_ptr<ReplayEntry> fresh;  // of the call being learned
  LearningObserver learning;
  std::uint64_t generators_made = 0;  // before the body of the call being learned
};

/// Null for an empty handle.
inline node* node_of(const numjit::array& a) { return a.empty_handle() ? nullptr : a.get(); }

}  // namespace numjit::tracing
