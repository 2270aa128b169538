// A mutation fuzzer for functions of bytes: a corpus, a dictionary, a seed, a time limit, a memory bound.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace bad_input {

using Random = std::mt19937_64;

/// What is fuzzed.
struct Target {
  std::string name;                        // also the folder of its corpus in tests/fuzz/corpus
  std::vector<std::string> seeds;          // besides the corpus
  std::vector<std::string> words;          // pieces that mutations put in
  /// A change of its own, in place of three of four general ones; none if empty.
  std::function<std::string(const std::string&, Random&)> change;
  /// Reads the input. Errors of numjit are answers; any other exception is a failure.
  std::function<void(const std::string&)> read;
  /// Bytes that reading may hold at once: factor * input + base.
  std::size_t memory_factor = 64, memory_base = 1 << 20;
};

struct Outcome {
  std::string problem;  // empty: all inputs were read or refused
  std::string input;    // the smallest that was found
  std::uint64_t inputs = 0, accepted = 0, errors = 0;
  std::size_t largest = 0;  // bytes held at once
};

/// Reads mutated inputs for so many seconds, or until one fails; a failing one is made smaller.
Outcome fuzz(const Target& target, double seconds, std::uint64_t seed);

/// Reads one input: empty, or what is wrong with how it was read.
std::string problem_of(const Target& target, const std::string& input);

/// Largest number of bytes held at once while `f` ran, above those held before. Counted are operator new and
/// the memory pool of arrays.
std::size_t peak_of(const std::function<void()>& f);

/// The files of tests/fuzz/corpus/<name>.
std::vector<std::string> corpus(const std::string& name);

/// Seconds for all targets together: FUZZ_SECONDS, else 20.
double fuzz_seconds();
/// FUZZ_SEED, else one that is always the same, or where FUZZ_SECONDS is given from the clock.
std::uint64_t fuzz_seed();

}  // namespace bad_input
