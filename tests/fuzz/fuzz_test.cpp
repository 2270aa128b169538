// Differential fuzz: random programs give the same bits, mutations and errors eagerly and compiled.
// FUZZ_SECONDS sets the time (60), FUZZ_SEED the first seed (else from the clock).
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <iostream>

#include "program.h"

namespace {

namespace np = numjit;

double setting(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atof(text) : otherwise;
}

/// Empty if program behaves alike in both engines, else what differs.
std::string check(const fuzz::Program& program, const char* backend) {
  auto compiled = np::compile(
      [&](std::vector<np::array> variables, std::string& error) {
        return fuzz::run(program, std::move(variables), error);
      },
      {.backend = backend});
  for (int round : {0, 0, 1, 2, 0}) {
    auto eager_arguments = fuzz::make_arguments(program, round);
    auto compiled_arguments = fuzz::make_arguments(program, round);
    std::string eager_error, compiled_error;
    auto expected = fuzz::run(program, eager_arguments, eager_error);
    std::vector<np::array> got;
    try {
      got = compiled(compiled_arguments, compiled_error);
    } catch (const np::error& e) {  // an error that depends on values, met when the segment ran
      compiled_error = e.code() + ": " + e.what();
      got = expected;
    }
    const std::string where = std::string(backend) + " round " + std::to_string(round) + ": ";
    if (eager_error != compiled_error)
      return where + "error '" + eager_error + "' / '" + compiled_error + "'";
    if (expected.size() != got.size()) return where + "number of variables";
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (std::string d = fuzz::difference(expected[i], got[i]); !d.empty())
        return where + "v" + std::to_string(i) + ": " + d;
    for (std::size_t i = 0; i < eager_arguments.size(); ++i)
      if (std::string d = fuzz::difference(eager_arguments[i], compiled_arguments[i]); !d.empty())
        return where + "argument " + std::to_string(i) + ": " + d;
  }
  return "";
}

// Drops statements while the program still fails.
fuzz::Program shrink(fuzz::Program program, const char* backend) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t i = program.statements.size(); i-- > 0;) {
      fuzz::Program shorter = program;
      shorter.statements.erase(shorter.statements.begin() + static_cast<std::ptrdiff_t>(i));
      if (check(shorter, backend).empty()) continue;
      program = shorter;
      smaller = true;
    }
  }
  return program;
}

TEST(Fuzz, EagerAndCompiledAgree) {
  np::config().compile = np::compile_mode::sync;
  const double seconds = setting("FUZZ_SECONDS", 60);
  const auto start = std::chrono::steady_clock::now();
  auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const auto first = static_cast<std::uint64_t>(setting(
      "FUZZ_SEED",
      static_cast<double>(std::chrono::system_clock::now().time_since_epoch().count() / 1000000 % 1000000007)));
  std::cout << "fuzz: first seed " << first << ", " << seconds << " s" << std::endl;
  std::uint64_t programs = 0, with_kernels = 0;
  for (std::uint64_t seed = first; elapsed() < seconds; ++seed) {
    const fuzz::Program program = fuzz::make_program(seed);
    // Most programs test recording and planning alone; each eighth also compiles its kernels.
    const char* backend = seed % 8 == 0 ? "halide" : "graph";
    with_kernels += seed % 8 == 0;
    ++programs;
    const std::string wrong = check(program, backend);
    if (wrong.empty()) continue;
    const fuzz::Program small = shrink(program, backend);
    FAIL() << "FUZZ_SEED=" << seed << ": " << wrong << "\nshrunk: " << check(small, backend) << "\n"
           << fuzz::to_text(small);
  }
  std::cout << "fuzz: " << programs << " programs, " << with_kernels << " with kernels, "
            << np::counters().kernels_compiled << " kernels compiled" << std::endl;
  EXPECT_GT(programs, 0u);
}

}  // namespace
