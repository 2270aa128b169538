// Differential fuzz: random programs give the same bits, mutations and errors eagerly, compiled, and from a
// bundle.
// FUZZ_SECONDS sets the time (60), FUZZ_PROGRAMS a number of programs after which it ends, FUZZ_SEED the first seed (else from
// the clock).
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <unistd.h>

#include <support/random_program.h>

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

using Check = std::function<std::string(const fuzz::Program&)>;

// Drops statements while the program still fails.
fuzz::Program shrink(fuzz::Program program, const Check& wrong_with) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t i = program.statements.size(); i-- > 0;) {
      fuzz::Program shorter = program;
      shorter.statements.erase(shorter.statements.begin() + static_cast<std::ptrdiff_t>(i));
      if (wrong_with(shorter).empty()) continue;
      program = shorter;
      smaller = true;
    }
  }
  return program;
}

struct Exported {
  std::uint64_t programs = 0, calls = 0, other_calls = 0;
};

/// Empty if a bundle of the program gives what the program gives, or if there can be no bundle of it.
std::string check_bundle(const fuzz::Program& program, const std::string& path,
                         const std::vector<std::string>& targets, bool any_size, Exported& done) {
  auto f = [&](std::vector<np::array> variables) {
    std::string ignored;
    return fuzz::run(program, std::move(variables), ignored);
  };
  std::string error;
  fuzz::run(program, fuzz::make_arguments(program, 0), error);
  if (!error.empty()) return "";
  const auto example = fuzz::make_arguments(program, 0);
  for (const np::array& a : example)
    for (int axis = 0; any_size && axis < a.ndim(); ++axis)
      if (a.shape(axis) > 1) np::mark_dynamic(a, axis);
  try {
    np::export_function(f, std::tuple(example), path, {.targets = targets});
  } catch (const np::ValueError& e) {
    if (!any_size) return std::string("export: ") + e.what();
    return "";  // it is another function for other sizes
  } catch (const np::NotImplementedError&) {
    return "";
  } catch (const np::GraphBreakError&) {
    return "";
  } catch (const np::error& e) {
    return std::string("export: ") + e.what();
  }
  ++done.programs;
  const np::loaded_function g = np::load_function(path);
  for (int round : {0, 1, 0, 2}) {
    auto plain = fuzz::make_arguments(program, round), given = fuzz::make_arguments(program, round);
    const auto expected = fuzz::run(program, plain, error);
    if (!error.empty()) return "";
    const std::string where = "bundle, round " + std::to_string(round) + ": ";
    std::vector<np::array> got;
    try {
      got = g.call<std::vector<np::array>>(given);
    } catch (const np::ValueError& e) {
      // Other rounds have other sizes and values.
      const std::string_view text = e.what();
      const bool another = text.find("no exported example") != text.npos || text.find("of the example") != text.npos;
      if (round > 0 && another) continue;
      return where + e.what();
    }
    ++(round == 0 ? done.calls : done.other_calls);
    if (expected.size() != got.size()) return where + "number of variables";
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (std::string d = fuzz::difference(expected[i], got[i]); !d.empty())
        return where + "v" + std::to_string(i) + ": " + d;
    for (std::size_t i = 0; i < plain.size(); ++i)
      if (std::string d = fuzz::difference(plain[i], given[i]); !d.empty())
        return where + "argument " + std::to_string(i) + ": " + d;
  }
  return "";
}

std::uint64_t first_seed() {
  return static_cast<std::uint64_t>(setting(
      "FUZZ_SEED",
      static_cast<double>(std::chrono::system_clock::now().time_since_epoch().count() / 1000000 % 1000000007)));
}

TEST(Fuzz, EagerAndCompiledAgree) {
  np::config().compile = np::compile_mode::sync;
  const double seconds = setting("FUZZ_SECONDS", 60);
  const auto start = std::chrono::steady_clock::now();
  auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const std::uint64_t first = first_seed();
  std::cout << "fuzz: first seed " << first << ", " << seconds << " s" << std::endl;
  std::uint64_t programs = 0, with_kernels = 0;
  const double most = setting("FUZZ_PROGRAMS", 1e18);
  for (std::uint64_t seed = first; elapsed() < seconds && static_cast<double>(programs) < most; ++seed) {
    const fuzz::Program program = fuzz::make_program(seed);
    // Most programs test recording and planning alone; each eighth also compiles its kernels.
    const char* backend = seed % 8 == 0 ? "halide" : "graph";
    with_kernels += seed % 8 == 0;
    ++programs;
    const std::string wrong = check(program, backend);
    if (wrong.empty()) continue;
    const fuzz::Program small = shrink(program, [&](const fuzz::Program& p) { return check(p, backend); });
    FAIL() << "FUZZ_SEED=" << seed << ": " << wrong << "\nshrunk: " << check(small, backend) << "\n"
           << fuzz::to_text(small);
  }
  std::cout << "fuzz: " << programs << " programs, " << with_kernels << " with kernels, "
            << np::counters().kernels_compiled << " kernels compiled" << std::endl;
  EXPECT_GT(programs, 0u);
}

TEST(Fuzz, BundlesAgree) {
  const double seconds = setting("FUZZ_SECONDS", 60) / 3;
  const auto start = std::chrono::steady_clock::now();
  const std::string path =
      (std::filesystem::temp_directory_path() / ("numjit_fuzz_" + std::to_string(getpid()) + ".npj")).string();
  Exported done, ignored;
  std::uint64_t programs = 0;
  const std::uint64_t first = first_seed();
  for (std::uint64_t seed = first; std::chrono::steady_clock::now() - start < std::chrono::duration<double>(seconds);
       ++seed) {
    const fuzz::Program program = fuzz::make_program(seed);
    const std::vector<std::string> targets(seed % 8 == 0, "host");
    const bool any_size = seed % 3 == 0;
    ++programs;
    const std::string wrong = check_bundle(program, path, targets, any_size, done);
    if (wrong.empty()) continue;
    auto again = [&](const fuzz::Program& p) { return check_bundle(p, path, targets, any_size, ignored); };
    const fuzz::Program small = shrink(program, again);
    FAIL() << "FUZZ_SEED=" << seed << ": " << wrong << "\nshrunk: " << again(small) << "\n" << fuzz::to_text(small);
  }
  std::filesystem::remove(path);
  std::cout << "fuzz: " << programs << " programs, " << done.programs << " bundles, " << done.calls << " calls, "
            << done.other_calls << " with other arguments" << std::endl;
  EXPECT_GT(done.calls, 0u);
}

}  // namespace
