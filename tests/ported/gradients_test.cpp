// The programs of docs/programs/gradients, which gradients_*.cpp test: all are there.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace {

TEST(GradientPrograms, AreAllThereInBothLanguages) {
  const std::filesystem::path folder = NUMJIT_TEST_SOURCE_DIR "/docs/programs/gradients";
  std::vector<std::string> files, others, tests, rows;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() == ".cpp") files.push_back(file.path().stem());
    if (file.path().extension() == ".py") others.push_back(file.path().stem());
  }
  const auto& suite = *testing::UnitTest::GetInstance()->current_test_suite();
  for (int i = 0; i < suite.total_test_count(); ++i)
    if (const std::string name = suite.GetTestInfo(i)->name(); name != "AreAllThereInBothLanguages") tests.push_back(name);
  std::ifstream page(folder / "README.md");
  std::smatch found;
  for (std::string line; std::getline(page, line);)
    if (std::regex_match(line, found, std::regex(R"(^\| \[(\w+)\]\(\w+\.cpp\) \| \[py\].*)"))) rows.push_back(found[1]);
  for (auto* names : {&files, &others, &tests, &rows}) std::sort(names->begin(), names->end());
  EXPECT_EQ(others, files);
  EXPECT_EQ(tests, files) << "each program has a line GRADIENT_PROGRAM above";
  EXPECT_EQ(rows, files) << "each program has a row in README.md";
}

}  // namespace
