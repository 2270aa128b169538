// numjit map, killed and stopped: nothing finished is done again, no half file is left. MAP_KILLS=50 kills more often.
#include <atomic>
#include <csignal>
#include <map>
#include <random>
#include <thread>

#include <fcntl.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/socket.h>

#include <cli/map_command.h>

namespace np = numjit;
namespace fs = std::filesystem;
using namespace numjit::testing;
using ::testing::HasSubstr;
using std::chrono::microseconds;

namespace {

constexpr std::int64_t size = 30000;

/// A process that has its first file in hand says so and waits: nothing is done before the test says "go".
constexpr const char* waiting_source = R"(#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>

#include <numjit/map.h>

numjit::array next(const numjit::array& x) {
  const char* number = std::getenv("OMPI_COMM_WORLD_RANK");
  if (!number) number = std::getenv("PMI_RANK");
  const std::string rank = number ? number : "0";
  static const bool said = [&] {
    std::ofstream("pid.new" + rank) << getpid();
    std::filesystem::rename("pid.new" + rank, "pid." + rank);
    return true;
  }();
  while (said && !std::filesystem::exists("go")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return x + 1.0;
}
NUMJIT_MAP(next)
)";

class MapKilled : public MapCommand {
 protected:
  /// Compiled as well, so that ranks need not.
  void save_waiting_source() const {
    std::ofstream(in("next.cpp")) << waiting_source;
    save("warm.npy", noise(size, 0));
    let_go();
    ASSERT_EQ(run({"next.cpp", "warm.npy", "-o", "warm"}).err, "");
    forget();
  }
  void forget() const {
    for (const char* left : {"out", "go", "pid.0"}) fs::remove_all(in(left));
  }
  /// Waits until each rank of the run has a file in hand.
  void wait_for_ranks(pid_t run, int ranks) const {
    const bool came = comes([&] {
      int begun = 0;
      for (int rank = 0; rank < ranks; ++rank) begun += fs::exists(in("pid." + std::to_string(rank)));
      return begun == ranks || !lives(run);
    });
    ASSERT_TRUE(came) << "they do not begin";
    ASSERT_TRUE(lives(run)) << text_of(in("stderr"));
  }
  void let_go() const { std::ofstream(in("go")) << "now"; }
};

}  // namespace

TEST_F(MapKilled, killed_at_random_moments_and_resumed) {
  export_next();
  constexpr int count = 150;
  save_inputs(count, size);
  std::mt19937 random(7);
  auto now = [] { return std::chrono::steady_clock::now(); };
  const auto begin = now();
  ASSERT_EQ(run({"next.npj", "in/*.npy", "-o", "out", "--jobs", "2"}).status, 0);
  const auto whole = std::chrono::duration_cast<microseconds>(now() - begin);
  int killed = 0;
  while (killed < kills(6)) {
    fs::remove_all(in("out"));
    for (;;) {
      const pid_t child = start({"next.npj", "in/*.npy", "-o", "out", "--jobs", std::to_string(1 + random() % 4), "--resume"});
      std::this_thread::sleep_for(microseconds(static_cast<std::int64_t>(random() % static_cast<unsigned>(whole.count()))));
      kill(child, SIGKILL);
      const Output output = finish(child);
      if (output.status == 0) break;  // it was done before
      ++killed;
      expect_no_half_file(size);
      const auto before = finished();
      if (killed % 2 == 0) continue;
      const Output resumed = run({"next.npj", "in/*.npy", "-o", "out", "--jobs", "2", "--resume"});
      ASSERT_EQ(resumed.status, 0) << resumed.err;
      EXPECT_THAT(resumed.out, HasSubstr(std::to_string(before.size()) + " finished before"));
      const auto after = finished();
      for (const auto& [name, inode] : before) EXPECT_EQ(after.at(name), inode) << name << " was done again";
      break;
    }
    expect_outputs("out", count, size);
  }
}

TEST_F(MapKilled, killed_while_a_file_comes_in_parts) {
  np::array x = ramp(40).reshape(10, 4);
  np::mark_dynamic(x, 0);
  np::export_function([](const np::array& a) { return a * 2.0; }, {x}, in("twice.npj"), {.targets = {}});
  save("in/large.npy", noise(1000000, 1).reshape(250000, 4));
  const std::vector<std::string> arguments{"twice.npj", "in/*.npy", "-o", "out", "--memory", "100KiB", "--jobs", "2", "--resume"};
  std::mt19937 random(8);
  for (int i = 0; i < std::min(kills(6), 5); ++i) {
    const pid_t child = start(arguments);
    std::this_thread::sleep_for(std::chrono::milliseconds(15 + random() % 60));
    kill(child, SIGKILL);
    if (finish(child).status == 0) fs::remove_all(in("out"));
  }
  ASSERT_EQ(run(arguments).status, 0);
  EXPECT_TRUE(same_bits(load("out/large.npy"), noise(1000000, 1).reshape(250000, 4) * 2.0));
  EXPECT_EQ(files_in("out"), (std::set<std::string>{".numjit_map.jsonl", "large.npy"}));
}

TEST_F(MapKilled, what_is_left_of_a_report_is_replaced) {
  export_next();
  save_inputs(1);
  std::ofstream(in("report.json.new")) << "{\"files\": {\"do";
  ASSERT_EQ(run({"next.npj", "in/*.npy", "-o", "out", "--report", "report.json"}).err, "");
  EXPECT_EQ(nlohmann::json::parse(text_of(in("report.json")))["files"]["done"], 1);
  EXPECT_FALSE(fs::exists(in("report.json.new")));
}

TEST_F(MapKilled, signals_end_it_cleanly) {
  ASSERT_NO_FATAL_FAILURE(save_waiting_source());
  constexpr int count = 100;
  save_inputs(count, size);
  for (int signal : {SIGINT, SIGTERM}) {
    forget();
    const pid_t child = start({"next.cpp", "in/*.npy", "-o", "out", "--jobs", "2", "--report", "report.json"});
    ASSERT_NO_FATAL_FAILURE(wait_for_ranks(child, 1));
    kill(child, signal);
    let_go();
    const Output output = finish(child);
    EXPECT_EQ(output.status, 130);
    const std::string why = "signal " + std::to_string(signal);
    EXPECT_EQ(output.err, "numjit: stopped: " + why + "\n");
    const auto report = nlohmann::json::parse(text_of(in("report.json")));
    EXPECT_EQ(report["stopped"], why);
    EXPECT_EQ(report["exit_status"], 130);
    EXPECT_EQ(report["files"]["done"], finished().size()) << "what was in flight is finished";
    EXPECT_GT(report["files"]["not_begun"], 0);
    expect_no_half_file(size);
    for (const std::string& name : files_in("out")) EXPECT_THAT(name, Not(HasSubstr(".tmp.")));
    EXPECT_EQ(run({"next.cpp", "in/*.npy", "-o", "out", "--resume"}).status, 0);
    expect_outputs("out", count, size);
  }
}

TEST_F(MapKilled, memory_does_not_grow_with_the_number_of_files) {
  export_next();
  save_inputs(200, size);
  ASSERT_EQ(run({"next.npj", "in/*.npy", "-o", "out", "--jobs", "2", "--report", "report.json"}).status, 0);
  // Input and result of each file that can be in flight: read, waiting, computed, waiting, written.
  const auto peak = nlohmann::json::parse(text_of(in("report.json")))["peak_array_bytes"].get<std::int64_t>();
  EXPECT_LE(peak, 2 * 10 * (size * 8 + 16384));
}

TEST_F(MapKilled, ranks_share_the_files_and_one_dies) {
  if (!has_mpirun()) GTEST_SKIP() << "mpirun is not installed";
  ASSERT_NO_FATAL_FAILURE(save_waiting_source());
  constexpr int count = 40;
  save_inputs(count, size);
  const pid_t child = start_ranks(4, {"next.cpp", "in/*.npy", "-o", "out", "--jobs", "1", "--report", "report.json"});
  ASSERT_NO_FATAL_FAILURE(wait_for_ranks(child, 4));
  ASSERT_EQ(kill(std::stoi(text_of(in("pid.2"))), SIGKILL), 0);
  let_go();
  const Output output = finish(child);
  EXPECT_EQ(output.status, 0) << output.err;
  expect_outputs("out", count, size);
  const auto report = nlohmann::json::parse(text_of(in("report.json")));
  EXPECT_EQ(report["ranks"], 4);
  EXPECT_EQ(report["files"]["done"], count);
  std::set<int> ranks;
  for (const auto& e : report["traceEvents"]) ranks.insert(e["pid"].get<int>());
  EXPECT_EQ(ranks, (std::set<int>{0, 1, 3})) << "the dead tell nothing";
}

TEST_F(MapKilled, ranks_of_mpich_share_the_files) {
  if (!has_mpich()) GTEST_SKIP() << "mpirun.mpich is not installed";
  ASSERT_NO_FATAL_FAILURE(save_waiting_source());
  constexpr int count = 20;
  save_inputs(count, size);
  const pid_t child = start_ranks_of_mpich(3, {"next.cpp", "in/*.npy", "-o", "out", "--jobs", "1", "--report", "report.json"});
  ASSERT_NO_FATAL_FAILURE(wait_for_ranks(child, 3));
  let_go();
  const Output output = finish(child);
  EXPECT_EQ(output.status, 0) << output.err;
  expect_outputs("out", count, size);
  const auto report = nlohmann::json::parse(text_of(in("report.json")));
  EXPECT_EQ(report["ranks"], 3);
  EXPECT_EQ(report["files"]["done"], count);
}

TEST_F(MapKilled, ranks_share_files_that_come_in_parts) {
  if (!has_mpirun()) GTEST_SKIP() << "mpirun is not installed";
  ASSERT_NO_FATAL_FAILURE(save_waiting_source());
  constexpr int count = 8;
  save_inputs(count, size);
  for (const char* jobs : {"1", "3"}) {  // with three jobs, two threads of a rank ask for files
    const pid_t child =
        start_ranks(4, {"next.cpp", "in/*.npy", "-o", "out", "--jobs", jobs, "--memory", "300KiB", "--report", "report.json"});
    // Each has one in hand before any is done: nobody takes more than its share.
    ASSERT_NO_FATAL_FAILURE(wait_for_ranks(child, 4));
    let_go();
    ASSERT_TRUE(comes([&] { return !lives(child); }, std::chrono::seconds(110))) << text_of(in("stderr"));
    const Output output = finish(child);
    EXPECT_EQ(output.status, 0) << output.err;
    expect_outputs("out", count, size);
    const auto report = nlohmann::json::parse(text_of(in("report.json")));
    EXPECT_EQ(report["files"]["done"], count);
    EXPECT_GE(report["stages"]["compute"]["count"], 2 * count);
    std::set<int> ranks;
    for (const auto& e : report["traceEvents"]) ranks.insert(e["pid"].get<int>());
    EXPECT_EQ(ranks, (std::set<int>{0, 1, 2, 3}));
    forget();
    for (int rank = 1; rank < 4; ++rank) fs::remove(in("pid." + std::to_string(rank)));
  }
}

TEST_F(MapKilled, ranks_end_when_the_first_of_them_dies) {
  if (!has_mpirun()) GTEST_SKIP() << "mpirun is not installed";
  ASSERT_NO_FATAL_FAILURE(save_waiting_source());
  constexpr int count = 40;
  save_inputs(count, size);
  const pid_t child = start_ranks(4, {"next.cpp", "in/*.npy", "-o", "out", "--jobs", "1"});
  ASSERT_NO_FATAL_FAILURE(wait_for_ranks(child, 4));
  ASSERT_EQ(kill(std::stoi(text_of(in("pid.0"))), SIGKILL), 0);
  let_go();
  const Output output = finish(child);
  EXPECT_EQ(output.out, "") << "rank 0 speaks for all";
  for (const char* rank : {"1", "2", "3"})
    EXPECT_THAT(output.err,
                HasSubstr(std::string("numjit: rank ") + rank + " stopped: rank 0 is gone. Run again with --resume.\n"));
  expect_no_half_file(size);
  const auto before = finished();
  EXPECT_EQ(before.size(), 3u) << "what the others had in hand";
  EXPECT_EQ(finish(start_ranks(4, {"next.cpp", "in/*.npy", "-o", "out", "--resume"})).status, 0);
  expect_outputs("out", count, size);
  const auto after = finished();
  for (const auto& [name, inode] : before) EXPECT_EQ(after.at(name), inode) << name << " was done again";
}

TEST_F(MapKilled, ranks_at_random_moments) {
  if (!has_mpirun()) GTEST_SKIP() << "mpirun is not installed";
  kill_ranks_at_random(kills(4), {});
}

/// Ranks that begin remove what killed runs left, files without a lock: also that of a rank 0 which has just made its own
/// and not locked it yet.
TEST_F(MapKilled, a_rank_0_makes_its_sign_again_if_others_remove_it) {
  if (!has_mpirun()) GTEST_SKIP() << "mpirun is not installed";
  export_next();
  save_inputs(4);
  std::atomic<bool> over = false;
  std::thread others([&] {
    while (!over) {
      std::error_code ignored;
      for (const auto& entry : fs::directory_iterator(in("out"), ignored)) {
        const std::string path = entry.path();
        const int fd = path.ends_with(".new") ? open(path.c_str(), O_RDWR | O_CLOEXEC) : -1;
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) unlink(path.c_str());
        if (fd >= 0) close(fd);
      }
    }
  });
  for (int i = 0; i < 4; ++i) {
    const Output output = finish(start_ranks(2, {"next.npj", "in/*.npy", "-o", "out", "--jobs", "1", "--resume"}));
    EXPECT_THAT(output.out, HasSubstr(i == 0 ? "4 done" : "4 finished before")) << output.err;
  }
  over = true;
  others.join();
  expect_outputs("out", 4);
}

TEST_F(MapKilled, ranks_do_not_wait_for_one_that_can_not_begin) {
  if (!has_mpirun()) GTEST_SKIP() << "mpirun is not installed";
  export_next();
  save_inputs(1);
  const Output output = finish(start_ranks(3, {"next.npj", "absent/*.npy", "-o", "out"}));
  EXPECT_THAT(output.err, HasSubstr("numjit: [map] no file matches: got 'absent/*.npy'"));
  EXPECT_THAT(output.err, Not(HasSubstr("rank"))) << "rank 0 speaks for all";
  EXPECT_EQ(files_in("out"), std::set<std::string>({".numjit_map.rank1.jsonl", ".numjit_map.rank2.jsonl"}));
}

/// Rank 1 of 2, started by hand, in a folder where a rank 0 that was killed said that it listens.
TEST_F(MapKilled, a_rank_does_not_wait_for_one_that_has_ended) {
  export_next();
  fs::create_directory(in("out"));
  const std::vector<std::string> as_rank{"OMPI_COMM_WORLD_SIZE=2", "OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_LOCAL_SIZE=2",
                                         "PMIX_NAMESPACE=by hand"};
  // A port of this machine at which nobody listens.
  const int taken = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ASSERT_EQ(bind(taken, reinterpret_cast<sockaddr*>(&address), length), 0);
  ASSERT_EQ(getsockname(taken, reinterpret_cast<sockaddr*>(&address), &length), 0);
  std::ofstream(in("out/.numjit_map.runby_hand"))
      << nlohmann::json{{"host", "another"}, {"port", ntohs(address.sin_port)}, {"addresses", {"127.0.0.1"}}, {"secret", "s"}};
  const Output output = run({"next.npj", "in/*.npy", "-o", "out"}, as_rank);
  close(taken);
  EXPECT_EQ(output.status, 2);
  EXPECT_EQ(output.err, "numjit: [map] rank 1 does not find rank 0: it has ended. Run again with --resume.\n");
}
