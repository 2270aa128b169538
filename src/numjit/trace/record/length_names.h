// Lengths that depend on data, by name.
//
// The result of x(mask) has one extent that nobody knows while the body runs. In its place stands a
// name (detail::unknown_extents and above), the same one wherever the same mask selected. The shape
// rules of the rows carry names like any extent: equal names broadcast, different ones do not. What a
// rule refuses, or what would make a length of a name, needs the number: a graph break.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <numjit/ops/bind.h>
#include <numjit/trace/record/path.h>

namespace numjit::tracing {

/// Has the result a length that only the data can tell?
inline bool selects(const op_call& call) { return length_of_result(call.op).rule != length_rule::known; }
/// Has an array of the call one?
bool has_unsized(const op_call& call);
inline bool is_unsized(const dims& shape) {
  return std::any_of(shape.begin(), shape.end(), [](auto e) { return e >= detail::unknown_extents; });
}

/// Marks the record's node, and remembers the names in its shape for the time after its run.
void keep_names(Record& record);
/// A node of the record as it is before its segment runs: with the name in its shape.
void forget_length(Record& record);

/// Which calls of the pending segment are recorded with such lengths, and how these are named.
class LengthNames {
 public:
  explicit LengthNames(const Path& path) : path_(path) {}

  /// The op's rules where extents may be names. False if they need a length. `known`: the record whose
  /// layout is inferred again, or null. Without names in the operands errors are the program's; with
  /// them they arise where the op runs on lengths.
  bool infer(const op_call& call, inference& inferred, const Record* known);
  /// Of the length made by the call inferred last, or 0.
  std::uint32_t fresh() const { return fresh_; }

 private:
  using SlotPairs = std::vector<std::pair<const ScalarSlot*, ScalarSlot*>>;
  std::int64_t name_for(const op_call& call, const Record* known);
  bool name_extents(const op_call& call, inference& inferred, const Record* known, int& unknown);
  std::uint32_t name_of_count(const node* counted, length_rule rule, const op_params& params) const;
  bool computes_the_same(const Record& first, const Record& second, SlotPairs& numbers, int& steps) const;
  bool is_before(const Record& first, const Record& second) const;
  bool written_since(const Record& since, const Record& read) const;

  const Path& path_;
  std::uint32_t fresh_ = 0;
};

}  // namespace numjit::tracing
