// Each C++ program of docs/programs against NumPy's results: eagerly, compiled, called again,
// replayed; the same bits each time, and as many graphs and breaks as README.md says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>

#include "table.h"

#include <support/code_generator.h>

namespace ported {

std::vector<program>& programs() {
  static std::vector<program> all;
  return all;
}

namespace {

namespace fs = std::filesystem;

const fs::path folder = NUMJIT_TEST_SOURCE_DIR "/docs/programs";

struct row {
  int graphs = 0, breaks = 0;
};

/// The rows `| [name](name.cpp) ... | graphs | breaks | graphs | breaks | ...` of README.md: C++,
/// then Python.
std::map<std::string, row> documented() {
  std::map<std::string, row> rows;
  const std::regex pattern(R"(^\| \[(\w+)\].*\| (\d+) \| (\d+) \| \d+ \| \d+ \|.*)");
  std::ifstream page(folder / "README.md");
  std::smatch found;
  for (std::string line; std::getline(page, line);)
    if (std::regex_match(line, found, pattern))
      rows[found[1]] = {std::stoi(found[2]), std::stoi(found[3])};
  return rows;
}

const np::npz_file& goldens() {
  static const np::npz_file file(NUMJIT_TEST_SOURCE_DIR "/tests/ported/golden/programs.npz");
  return file;
}

bool same_bits(const np::array& a, const np::array& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && np::tobytes(a) == np::tobytes(b);
}

/// Integers and truth values must be equal; others within a part of the largest element.
void expect_near(const np::array& got, const np::array& wanted) {
  ASSERT_EQ(got.dtype().name(), wanted.dtype().name());
  ASSERT_EQ(got.shape().str(), wanted.shape().str());
  const auto g = got.astype(np::complex128).tolist<std::complex<double>>();
  const auto w = wanted.astype(np::complex128).tolist<std::complex<double>>();
  const char kind = got.dtype().kind();
  double largest = 0;
  for (auto z : w) largest = std::max(largest, std::abs(z));
  double part = 1e-10;
  if (got.dtype() == np::float32 || got.dtype() == np::complex64) part = 2e-5;
  const double tolerance = kind == 'f' || kind == 'c' ? part * largest : 0;
  for (std::size_t i = 0; i < w.size(); ++i)
    ASSERT_TRUE(g[i] == w[i] || std::abs(g[i] - w[i]) <= tolerance)
        << "element " << i << ": got " << g[i] << ", NumPy gave " << w[i];
}

class Programs : public testing::TestWithParam<program> {};

TEST_P(Programs, AsNumPy) {
  SKIP_WITHOUT_CODE_GENERATOR();
  const program& p = GetParam();
  const auto rows = documented();
  EXPECT_TRUE(rows.count(p.name)) << "no row in docs/programs/README.md";
  // Kernels are shared with the tests of the Python programs.
  const np::config_scope settings({.compile = np::compile_mode::sync,
                                   .cache_dir = NUMJIT_TEST_BUILD_DIR "/test_cache/ported/shared"});

  const results eager = p.eager();
  for (std::size_t i = 0; i < eager.size(); ++i) {
    SCOPED_TRACE("result " + std::to_string(i));
    expect_near(eager[i], goldens()[p.name + "." + std::to_string(i)]);
  }
  EXPECT_FALSE(goldens().contains(p.name + "." + std::to_string(eager.size())));

  auto expect_same_bits = [&](const results& got, const char* call) {
    ASSERT_EQ(got.size(), eager.size());
    for (std::size_t i = 0; i < eager.size(); ++i)
      EXPECT_TRUE(same_bits(got[i], eager[i])) << call << ", result " << i;
  };
  for (const char* call : {"the first call", "the second call"})
    expect_same_bits(p.compiled(), call);
  for (const char* call : {"recorded for replay", "replayed", "replayed again"})
    expect_same_bits(p.replayed(), call);
  const auto recompiles = np::counters().recompiles;
  const np::explain_report report = p.explained();
  EXPECT_EQ(np::counters().recompiles, recompiles);
  RecordProperty("graphs", report.graph_count);
  RecordProperty("breaks", report.graph_break_count);
  if (!rows.count(p.name)) return;
  const char* otherwise = " if this is right, tests/ported/programs.py writes it into README.md: ";
  EXPECT_EQ(report.graph_count, rows.at(p.name).graphs) << otherwise << report;
  EXPECT_EQ(report.graph_break_count, rows.at(p.name).breaks) << otherwise << report;
}

INSTANTIATE_TEST_SUITE_P(All, Programs, testing::ValuesIn(programs()),
                         [](const auto& test) { return test.param.name; });

TEST(ProgramFolder, IsComplete) {
  std::vector<std::string> files, entries, rows;
  for (const auto& file : fs::directory_iterator(folder))
    if (file.path().extension() == ".cpp") files.push_back(file.path().stem());
  for (const auto& p : programs()) entries.push_back(p.name);
  for (const auto& [name, row] : documented()) rows.push_back(name);
  std::sort(files.begin(), files.end());
  std::sort(entries.begin(), entries.end());
  EXPECT_EQ(entries, files) << "each .cpp file belongs into one of tests/ported/group_*.cpp";
  EXPECT_EQ(rows, files) << "each program has a row in README.md";
}

}  // namespace
}  // namespace ported
