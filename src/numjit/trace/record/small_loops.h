// Loops over elements and short rows whose graphs do not pay.
//
// Factorisations and recurrences by hand, A(i, j) -= dot(A(i, :j), A(:j, j)), are thousands of operations on a few numbers
// each. No two rounds have equal overlaps of memory, so that each segment needs a plan of its own, or the plan fuses
// nothing, as each operation reads the element that the one before has stored. Either costs more than the operations.
// So segments on elements and short rows that were cut, or ended by a break, are weighed: those that needed a new plan, or
// whose plan does not pay, add to the debt of the call; others pay it off. What takes longer by itself, on longer rows or
// matrices, is not: there what a graph fuses is worth more than its steps cost. A call with too much of it goes on without
// recording: what finds nothing pending and has small operands runs at once, by the engine that defines the values of a graph.
// Larger arrays are recorded as ever. A function of which some calls were so begins the next ones so.
#pragma once

#include <cstdint>
#include <string>

#include <numjit/trace/record/record.h>

namespace numjit::tracing {

/// The policy of one thread's open call.
class SmallLoops {
 public:
  /// Do operations on small arrays run one by one, where nothing pends?
  bool at_once() const { return at_once_; }
  void end() { at_once_ = false; }

  /// Operations that ran so in the open call.
  std::uint64_t ops = 0;

#ifdef __EMSCRIPTEN__  // pages load no code for loops over elements
  void begin_call(const Trie&, bool) {}
  static bool are_small(const op_call&) { return false; }
  static void estimate(const SegmentEnd&, SegmentVariant&) {}
  void weigh(const SegmentEnd&, const SegmentVariant&, bool, bool, Trie&, const std::string&) {}
  void begin_guess() {}
  std::int64_t eager_guess() const { return 0; }
  void guess(const SegmentEnd&) {}
#else
  /// From here to the call's end what its segments would take eagerly is added up, about, in ns.
  void begin_guess() {
    guesses_ = true;
    eager_guess_ = 0;
  }
  std::int64_t eager_guess() const { return eager_guess_; }
  void guess(const SegmentEnd& end) {
    if (guesses_) [[unlikely]]
      add_guess(end);
  }
  void begin_call(const Trie& trie, bool allowed);
  /// Are the arrays of the call, and its result, small and at hand?
  static bool are_small(const op_call& call);
  /// Notes what the variant's plan is worth.
  static void estimate(const SegmentEnd& end, SegmentVariant& variant);
  /// A segment has run; `made`: by a plan that was new. `allowed`: does nobody ask for graphs?
  void weigh(const SegmentEnd& end, const SegmentVariant& variant, bool made, bool allowed, Trie& trie,
             const std::string& function);
#endif

 private:
  bool at_once_ = false;
#ifndef __EMSCRIPTEN__
  void add_guess(const SegmentEnd& end);

  int debt_ = 0;  // on its way there
  bool guesses_ = false;
  std::int64_t eager_guess_ = 0;
#endif
};

}  // namespace numjit::tracing
