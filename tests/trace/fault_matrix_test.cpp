// Every step that can fail, with and without suppress_errors, waiting for compiles or not.
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <regex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <numjit/array/same_bits.h>
#include <numjit/base/fault.h>
#include <numjit/base/repro_level.h>
#include <numjit/base/subprocess.h>
#include <numjit/np.h>
#include <support/code_generator.h>
#include <support/trace_values.h>

namespace np = numjit;

namespace numjit::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// What a fault does to a program under suppress_errors, and what the program gets without.
struct FaultRow {
  const char* name;
  const char* fault;       // NUMJIT_FAULT
  const char* log;         // part of the line about it
  bool quarantines;        // else: the kernel is compiled anew, or nothing is wrong with it
  const char* error;       // part of the CompileError; "" if nothing is lost, so that there is none
  int repro_level = 1;
};

const FaultRow rows[] = {
    {"lower", "lower@tanh", "fault injected into lower", true, "fault injected into lower"},
    {"halide", "halide@tanh", "fault injected into halide", true, "fault injected into halide"},
    {"link", "link@tanh", "fault injected into link", true, "fault injected into link"},
    {"load", "load@tanh", "fault injected into load", true, "fault injected into load"},
    {"cache_read", "cache_read", "is damaged (checksum differs); it is compiled anew.", false, ""},
    {"cache_write", "cache_write", "the disk cache can't store kernels in ", false, ""},
    {"value", "value@tanh", "differs from what the operations one by one give", true,
     "differs from what the operations one by one give", 3},
    {"timeout", "timeout@tanh", "not compiled within compile_timeout_ms = 300", true,
     "not compiled within compile_timeout_ms = 300"},
};

/// name, fault, ...: row x suppress_errors x sync.
class FaultMatrix : public ::testing::TestWithParam<std::tuple<int, bool, bool>> {
 protected:
  const FaultRow& row() const { return rows[std::get<0>(GetParam())]; }
  bool suppress() const { return std::get<1>(GetParam()); }
  bool sync() const { return std::get<2>(GetParam()); }

  void SetUp() override {
    folder = fs::temp_directory_path() / ("numjit_fault_matrix_" + std::to_string(getpid()));
    fs::remove_all(folder);
    np::reset();
    np::set_log_sink([this](std::string_view text) {
      std::lock_guard lock(mutex);
      lines.emplace_back(text);
    });
  }
  void TearDown() override {
    np::detail::inject_fault("");
    np::detail::repro_level = 1;
    try {
      np::wait_for_compiles();
    } catch (const np::CompileError&) {
      // A test that failed midway left it.
    }
    np::set_log_sink({});
    np::reset();
    fs::remove_all(folder);
  }

  /// Results and mutated arguments of a program, by `call`.
  template <class F>
  std::vector<np::array> results(F&& call) const {
    np::array x = np::linspace(0.25, 3, 60).reshape(4, 15), y = np::ones({4, 15});
    np::array result = call(x, y);
    return {result, x, y};
  }

  std::string folder;
  std::mutex mutex;
  std::vector<std::string> lines;
};

np::array program(const np::array& x, const np::array& y) {
  np::array target = y;
  target(1) = np::exp(x(0)) * 2;
  return np::sum(np::tanh(x * 0.5) + target, {.axis = 0});
}

bool same_bits(const std::vector<np::array>& a, const std::vector<np::array>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (detail::first_difference(a[i].get(), b[i].get())) return false;
  return a.size() == b.size();
}

/// The path that a text names to reproduce its fault.
std::string repro_of(const std::string& text) {
  std::smatch match;
  return std::regex_search(text, match, std::regex("Reproduce it: numjit repro (\\S+\\.npj)")) ? match[1].str() : "";
}

int run_numjit(const std::vector<std::string>& arguments, std::string* said) {
  std::vector<std::string> command{std::string(NUMJIT_TEST_BUILD_DIR) + "/bin/numjit"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return detail::run_program(command, said, {"NUMJIT_LOGS=", "NUMJIT_FAULT="});
}

TEST_P(FaultMatrix, AProgramIsRightOrItsErrorNamesARepro) {
  SKIP_WITHOUT_CODE_GENERATOR();
  np::config_scope scope({.compile = sync() ? np::compile_mode::sync : np::compile_mode::async,
                          .suppress_errors = suppress(),
                          .cache_dir = folder,
                          .compile_timeout_ms = std::string(row().name) == "timeout" ? 300 : 60000});
  const auto expected = results(program);
  auto f = np::compile(&program, {.name = "matrix"});
  if (std::string(row().name) == "cache_read") {  // there must be something to read
    results(f);
    np::wait_for_compiles();
    np::reset();
    lines.clear();
  }
  np::detail::repro_level = row().repro_level;
  np::detail::inject_fault(row().fault);

  std::string error;
  for (int call = 0; call < 3; ++call) {
    try {
      EXPECT_TRUE(same_bits(results(f), expected)) << "call " << call;
    } catch (const np::CompileError& e) {
      error = e.what();
    }
    try {
      np::wait_for_compiles();
    } catch (const np::CompileError& e) {
      error = e.what();
    }
  }
  const bool is_error = !suppress() && *row().error;
  EXPECT_EQ(!error.empty(), is_error) << error;
  EXPECT_EQ(np::counters().quarantined > 0, row().quarantines);
  std::string said = error;
  for (const std::string& line : lines) said += "\n" + line;
  EXPECT_THAT(said, HasSubstr(is_error ? row().error : row().log));
  if (!row().quarantines) return;

  const std::string path = repro_of(said);
  ASSERT_TRUE(fs::exists(path)) << said;
  EXPECT_TRUE(fs::exists(path.substr(0, path.size() - 4) + ".cpp"));
  if (!is_error || sync()) return;  // the same file: once is enough
  std::string output;
  EXPECT_EQ(run_numjit({"repro", path}, &output), 1) << output;
  EXPECT_THAT(output, HasSubstr("eager   right\ngraph   right\nhalide  "));
  EXPECT_THAT(output, HasSubstr(std::string("with NUMJIT_FAULT=") + row().fault));
}

std::string case_name(const ::testing::TestParamInfo<std::tuple<int, bool, bool>>& info) {
  const auto [row, suppress, sync] = info.param;
  return std::string(rows[row].name) + (suppress ? "_suppressed" : "_thrown") + (sync ? "_sync" : "_async");
}

INSTANTIATE_TEST_SUITE_P(Faults, FaultMatrix,
                         ::testing::Combine(::testing::Range(0, static_cast<int>(std::size(rows))),
                                            ::testing::Bool(), ::testing::Bool()),
                         case_name);

/// No memory is an error of the program, compiled or not.
TEST(FaultMatrixMemory, NoMemoryIsAMemoryErrorEitherWay) {
  SKIP_WITHOUT_CODE_GENERATOR();
  for (bool suppress : {true, false})
    for (auto mode : {np::compile_mode::sync, np::compile_mode::async}) {
      np::config_scope scope({.compile = mode, .suppress_errors = suppress});
      auto f = np::compile([](const np::array& x) { return np::exp(x) + 1; });
      const np::array x = np::ones(100000);
      f(x);
      np::wait_for_compiles();
      np::detail::inject_fault("allocation");
      EXPECT_THROW(np::exp(x), np::MemoryError);
      EXPECT_THROW(f(x), np::MemoryError);
      np::detail::inject_fault("");
      EXPECT_EQ(values(f(x))[0], values(np::exp(np::ones(1)) + 1)[0]);  // and after it, all is well
    }
}

}  // namespace
}  // namespace numjit::testing
