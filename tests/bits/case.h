// What ./dev test bits runs: named inputs and a function of them, the same in every process.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <numjit/np.h>

namespace bits {

namespace np = numjit;

/// What a call gave. An error that depends on values may be met by a compiled function when it no longer knows
/// the values before it (`late`): its text is then all that counts.
struct Outcome {
  std::vector<np::array> values;
  std::string error;
  bool late = false;
};

struct Case {
  std::string name;
  std::vector<np::array> arguments;
  std::function<Outcome(std::vector<np::array>)> run;
  std::vector<std::string> labels;      // of the values; empty: by number
  std::function<Outcome()> reference;   // what the definition says, where there is one
  std::string text;                     // of a program, for people
};

/// A suite: how many cases there are, and the i-th.
struct Suite {
  std::int64_t count = 0;
  std::function<Case(std::int64_t)> make;
};

/// Every row of elementwise.def on all its dtype loops, with special values.
Suite matrix_suite();
/// The cases of reduction_cases.h for all dtypes, with the reference.
Suite reduction_suite();
/// Random programs with the seeds `seed`, `seed` + 1, ...
Suite program_suite(std::uint64_t seed, std::int64_t count);

}  // namespace bits
