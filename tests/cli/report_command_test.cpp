// numjit report: the program that it runs knows where to leave its pages (tests/python/report_test.py looks at them); what can't
// be run is told.
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <numjit/base/subprocess.h>

using testing::HasSubstr;

namespace {

class ReportCommand : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/numjit-report-XXXXXX";
    folder = mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  int run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {NUMJIT_TEST_BUILD_DIR "/bin/numjit", "report"});
    return numjit::detail::run_program(arguments, &said);
  }
  std::string folder, said;
};

TEST_F(ReportCommand, IsTheProgramWithAFolderForItsPages) {
  EXPECT_EQ(run({"-o", folder + "/new/pages", "sh", "-c", "echo \"$NUMJIT_REPORT $0\"; exit 3", "-o"}), 3);
  EXPECT_EQ(said, folder + "/new/pages -o\n");
  EXPECT_TRUE(std::filesystem::is_directory(folder + "/new/pages"));
}

TEST_F(ReportCommand, TellsWhatCannotBeRun) {
  EXPECT_EQ(run({"-o", folder, "/none/such"}), 2);
  EXPECT_THAT(said, HasSubstr("numjit: [report] the program can't be run: '/none/such': No such file or directory.\n"));
  EXPECT_EQ(run({"-o", folder}), 2);
  EXPECT_THAT(said, HasSubstr("numjit: [report] no program to run: expected a program and its arguments.\n"));
  EXPECT_EQ(run({"-o", "/dev/null/x", "true"}), 2);
  EXPECT_THAT(said, HasSubstr("numjit: [report] the folder can't be made: '/dev/null/x'.\n"));
}

}  // namespace
