// Where a long segment is cut: at whole periods of the loop that the program is in.
//
// Cuts are data in the trie: the policy is asked only while new records are made, and leaves an
// END(cut) record behind. A path walked again costs nothing for it. Measured with 20 loop programs:
// one kernel a loop where cuts at a fixed length gave up to 72.
#pragma once

#include <cstdint>
#include <vector>

#include <numjit/ops/location_of.h>
#include <numjit/trace/record/record.h>

namespace numjit::tracing {

/// Records of a segment up to which nothing is cut.
inline constexpr std::size_t whole_segment = 64;
/// A segment never holds more (unless it is part of a full graph, or most of its values are kept in a page).
inline constexpr std::size_t longest_segment = 512;
/// A cut waits for the operations between ranks that the segment began. So it is put off while results are unread, for as many
/// operations behind the first of them: who keeps them for later (a loss of each round) reads none soon.
inline constexpr std::size_t put_off_for_ranks = longest_segment / 2;
/// In a page nothing tells before the end of the call that a value is not needed any more, but for np.tidy. A cut stores all that
/// is kept, which costs more than a longer segment: they grow up to config.graph_limit.
#ifdef __EMSCRIPTEN__
inline constexpr bool keeps_values = true;
#else
inline constexpr bool keeps_values = false;
#endif

/// What identifies a step of a loop: the op and the line it was called at.
std::uint64_t call_key(op_id op, const location& where);

/// Are most values of `length` operations still alive where the segment ends, which then stores them?
inline bool keeps_most(std::uint32_t live, std::size_t length) { return 2 * std::size_t{live} > length; }

/// Decides cuts while the recorder grows a path.
class CutPolicy {
 public:
  /// Should the segment that ends with `at` be cut before `call`? `root` is the trie's root.
  bool want_cut(Record* root, Record* at, const op_call& call, std::uint64_t key);
  /// Records may be freed from here on.
  void forget() { path_.clear(); }
  /// Values alive before the call asked about last: kept in its record for later comparisons.
  std::uint32_t live_before = 0;

 private:
  void follow(Record* root, Record* at);
  std::uint32_t live_now() const;
  bool waits_for_ranks() const;
  std::uint32_t least_live(std::size_t last) const;
  static bool alike(const Record& a, const Record& b);
  static bool alike(const op_call& call, std::uint64_t key, const Record& record);

  std::vector<Record*> path_;  // ops of the pending segment; valid if its last one is the current one
};

}  // namespace numjit::tracing
