// Does recording a function's calls pay, or do they run faster one operation after the other?
//
// Loops over elements, branches on values and slices at places that data give are thousands of short segments, each of which
// costs more than its operations. Which engine carries an operation out changes no bit, so that calls may be tried both ways: of
// arguments of the same dtypes and about the same sizes, once some calls have been recorded and compiled, six calls each way, in
// turns, of which the first is not counted. Where running eagerly took less, calls go on so: no region is opened, and a call
// costs what the function costs. The choice is looked at again twice. Calls that would be slow eagerly, as of large arrays in
// fused kernels, are not tried: what the recorded one did says about how long it would take.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <numjit/array/array.h>

namespace numjit::tracing {

/// Of one function on one thread. Times in nanoseconds.
class CallWeigher {
 public:
  enum class Way : std::uint8_t { recorded, eager };
  /// Of one kind of arguments.
  struct Trial {
    static constexpr int pairs = 6;  // of which the first is not counted
    std::uint64_t signature = 0;
    Way settled = Way::recorded;
    int calls = 0, next_at = 0, examined = 0;  // the call at which it is tried; how often it was
    int recorded = 0, eager = 0;               // measured so far, of a trial that is under way
    std::array<std::int64_t, pairs> recorded_ns{}, eager_ns{};
    std::int64_t recorded_best = 0, eager_best = 0;  // of the last one

    bool is_under_way() const { return calls >= next_at && next_at > 0; }
    void settle(Way way);
  };

  /// How the next call is to run. `trial`: whose it is, or null where it is not looked at (any more).
  Way begin(std::span<const node* const> arguments, Trial*& trial);
  /// A call has ended that was measured. `eager_guess`: what a recorded one would take eagerly, about. True: a choice was made.
  static bool end(Trial& trial, Way way, std::int64_t ns, std::int64_t eager_guess);
  /// For people: "2.31 ms recorded, 0.48 ms eagerly"; "" where such calls are recorded.
  std::string choice_of(std::span<const node* const> arguments) const;

  /// The program asks whether it is compiled: it may do other things when it is not.
  void never() { is_off_ = true; }

 private:
  static std::uint64_t signature_of(std::span<const node* const> arguments);
  std::vector<Trial> trials_;
  bool is_off_ = false;
};

}  // namespace numjit::tracing
