// Operations of a tape carried out again, for what the tape does not hold.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include <numjit/transform/tape.h>

namespace numjit::transform {

/// The entries of a thin segment. Host code does not run again, draws give the numbers that they gave.
class Rerun {
 public:
  /// `of` outlives it. Entries that were swept over may be cleared meanwhile, from the last on.
  Rerun(const Layouts& layouts, Segment& of);

  /// From the last entry to the first: before `then` sees one, it holds what rules need. About `room` bytes are taken: states
  /// between entries are kept in three quarters, of what lies between two states as much is held at once as fits into the rest.
  ///
  /// Which states are kept when follows A. Griewank, A. Walther, "Algorithm 799: revolve" (2000): with s states, (s + t)! / s! t!
  /// parts are gone through while none is carried out more than t times, and once more for what the rules see.
  void back(std::int64_t room, const std::function<void(Applied&)>& then);
  /// From the first to the last.
  void forward(const std::function<void(Applied&)>& then);

 private:
  /// What entries from a place on take of what others before it made.
  using State = std::unordered_map<int, array>;
  /// Carries out entries [from, to): `state` is that at `from`, then that at `to`. `fill`: they hold what rules need.
  void run(std::size_t from, std::size_t to, State& state, bool fill);
  void run_one(std::size_t k, State& state, bool fill);
  array carried_out(const Applied& e, std::vector<array> values) const;
  const array& value_of(int variable, const State& state) const;
  void back_over(std::size_t part, std::size_t end, State state, std::int64_t states, const std::function<void(Applied&)>& then);
  void find_parts(std::int64_t room);

  const Layouts& layouts_;
  Segment& of_;
  std::vector<bool> is_needed_;        // by entry
  std::vector<std::size_t> last_use_;  // by variable, from the segment's first one: number of an entry
  std::vector<std::int64_t> alive_;    // bytes that a state before each entry has
  std::vector<std::size_t> borders_;   // of parts, among entries
  std::int64_t states_ = 0;
  State known_;
};

/// How many of `parts`, of which there are at least two, to go over before the next state is kept, if so many can be.
std::size_t parts_before_state(std::size_t parts, std::int64_t states);

}  // namespace numjit::transform
