// What launchers of MPI tell in the environment.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <numjit/base/launcher.h>

namespace {

using numjit::detail::launched;
using numjit::detail::launched_rank;

class Launcher : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) unsetenv(name);
  }
  void TearDown() override {
    for (const std::string& name : given_) unsetenv(name.c_str());
  }
  launched_rank told(const std::vector<std::pair<std::string, std::string>>& variables) {
    for (const auto& [name, value] : variables) {
      setenv(name.c_str(), value.c_str(), 1);
      given_.push_back(name);
    }
    return launched();
  }

 private:
  std::vector<std::string> given_;
};

TEST_F(Launcher, NobodyLaunchedIt) {
  const launched_rank rank = launched();
  EXPECT_EQ(rank.library, "");
  EXPECT_EQ(rank.number, 0);
  EXPECT_EQ(rank.count, 1);
}

TEST_F(Launcher, OpenMpi) {
  const launched_rank rank = told({{"OMPI_COMM_WORLD_SIZE", "8"},
                                   {"OMPI_COMM_WORLD_RANK", "5"},
                                   {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                   {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                                   {"PMIX_NAMESPACE", "job 7/1"}});
  EXPECT_EQ(rank.library, "openmpi");
  EXPECT_EQ(rank.number, 5);
  EXPECT_EQ(rank.count, 8);
  EXPECT_EQ(rank.local, 1);
  EXPECT_EQ(rank.local_count, 4);
  EXPECT_EQ(rank.run, "job_7_1");
}

TEST_F(Launcher, MpichNamesARunOnOneMachineByItsParent) {
  launched_rank rank = told({{"PMI_SIZE", "3"}, {"PMI_RANK", "2"}, {"MPI_LOCALRANKID", "2"}, {"MPI_LOCALNRANKS", "3"}});
  EXPECT_EQ(rank.library, "mpich");
  EXPECT_EQ(rank.number, 2);
  EXPECT_EQ(rank.count, 3);
  EXPECT_EQ(rank.local, 2);
  EXPECT_EQ(rank.local_count, 3);
  EXPECT_EQ(rank.run, "mpich" + std::to_string(getppid()));
  rank = told({{"MPI_LOCALNRANKS", "1"}});
  EXPECT_EQ(rank.run, "") << "ranks of other machines have another parent";
}

}  // namespace
