// What the tests of numjit map share: a folder of inputs, the program started in it, and looks at what it left.
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <numjit/array/same_bits.h>
#include <numjit/base/subprocess.h>
#include <numjit/np.h>
#include <support/trace_values.h>

namespace numjit::testing {

namespace np = numjit;
namespace fs = std::filesystem;
using ::testing::StartsWith;

inline np::array noise(std::int64_t n, double seed) { return np::sin(ramp(n) * 12.9898 + seed) * 3.5; }

inline bool same_bits(const np::array& a, const np::array& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && !detail::first_difference(a.get(), b.get());
}

inline std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Output {
  int status = -1;  // 128 + n for signal n
  std::string out, err;
};

/// A build without the code generator (./dev build --clang) says so once where a source is to be compiled, which is
/// none of what these tests look at. Where there is one, its absence stays in the text.
inline std::string without_generator_note(std::string err) {
  static constexpr std::string_view begin = "numjit: no code generator: ";
  if (fs::exists(NUMJIT_TEST_BUILD_DIR "/lib/numjit_halide.so")) return err;
  const std::size_t from = err.find(begin);
  if (from != std::string::npos) err.erase(from, err.find('\n', from) + 1 - from);
  return err;
}

class MapCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/numjit-map-test-XXXXXX";
    folder = mkdtemp(name);
    fs::create_directory(in("in"));
  }
  /// Whatever an ASSERT left running ends first: it would write into the folder while that is removed.
  void TearDown() override {
    while (!running_.empty()) end(running_.back());
    std::error_code failure;
    for (const auto& entry : fs::recursive_directory_iterator(folder, failure)) chmod(entry.path().c_str(), 0700);
    EXPECT_TRUE(comes([&] { return fs::remove_all(folder, failure), !fs::exists(folder); }))
        << folder << ": " << failure.message();
  }
  std::string in(const std::string& name) const { return folder + "/" + name; }

  /// Does it come true? Asked again and again for a minute at most: machines differ.
  static bool comes(const std::function<bool()>& condition, std::chrono::seconds limit = std::chrono::seconds(60)) {
    for (const auto end = std::chrono::steady_clock::now() + limit; !condition();) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
    return true;
  }
  /// Is this child running? What finish() needs is kept.
  static bool lives(pid_t child) {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
  }

  /// Starts `numjit map` in the folder, with the arguments as they would be typed between quotes.
  pid_t start(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {}) const {
    std::vector<std::string> all{program(), "map"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return start_program(std::move(all), environment);
  }
  /// The same with so many ranks of mpirun, which lets the others live when one dies.
  pid_t start_ranks(int ranks, const std::vector<std::string>& arguments, std::vector<std::string> environment = {}) const {
    std::vector<std::string> all{"mpirun", "--oversubscribe", "--enable-recovery", "-n", std::to_string(ranks),
                                 program(), "map"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    environment.insert(environment.end(), {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"});
    return start_program(std::move(all), environment);
  }
  /// The process of a rank of `run`, or -1 while there is none.
  static pid_t process_of_rank(pid_t run, int rank) {
    const std::string wanted = "OMPI_COMM_WORLD_RANK=" + std::to_string(rank), parent = " " + std::to_string(run) + " ";
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      const std::string stat = text_of("/proc/" + name + "/stat");
      const std::size_t after_name = stat.rfind(')');  // then the state and the parent
      if (after_name == std::string::npos || stat.compare(after_name + 3, parent.size(), parent) != 0) continue;
      std::istringstream environment(text_of("/proc/" + name + "/environ"));
      for (std::string variable; std::getline(environment, variable, '\0');)
        if (variable == wanted) return std::stoi(name);
    }
    return -1;
  }
  /// The same by MPICH's launcher, which ends all ranks when one dies.
  pid_t start_ranks_of_mpich(int ranks, const std::vector<std::string>& arguments) const {
    std::vector<std::string> all{"mpirun.mpich", "-n", std::to_string(ranks), program(), "map"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return start_program(std::move(all), {});
  }
  static bool has_mpich() { return numjit::detail::find_program("mpirun.mpich").has_value(); }
  static bool has_mpirun() { return numjit::detail::find_program("mpirun").has_value(); }
  Output finish(pid_t child) const {
    std::erase(running_, child);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text_of(in("stdout")),
            without_generator_note(text_of(in("stderr")))};
  }
  Output run(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {}) const {
    return finish(start(arguments, environment));
  }
  /// It does not even begin: status 2 and this line.
  void expect_refused(const std::vector<std::string>& arguments, const std::string& line) const {
    const Output output = run(arguments);
    EXPECT_EQ(output.status, 2);
    EXPECT_EQ(output.err, "numjit: [map] " + line + "\n");
    EXPECT_EQ(output.out, "");
  }
  /// One file fails with this text, others don't.
  void expect_failed(const std::vector<std::string>& arguments, const std::string& err) const {
    const Output output = run(arguments);
    EXPECT_EQ(output.status, 1);
    EXPECT_EQ(output.err, err);
  }

  void save(const std::string& name, const np::array& a) const { np::save(in(name), a); }
  np::array load(const std::string& name) const { return np::load(in(name)); }
  /// x + 1 over vectors of any length.
  void export_next() const {
    np::array x = ramp(5);
    np::mark_dynamic(x, 0);
    np::export_function([](const np::array& a) { return a + 1.0; }, {x}, in("next.npj"), {.targets = {}});
  }
  void save_inputs(int count, std::int64_t size = 100) const {
    for (int i = 0; i < count; ++i) save(name_of("in/f", i), noise(size, i));
  }
  static std::string name_of(const std::string& begin, int i) {
    const std::string digits = std::to_string(i);
    return begin + std::string(3 - digits.size(), '0') + digits + ".npy";
  }
  std::set<std::string> files_in(const std::string& name) const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(in(name))) names.insert(entry.path().filename());
    return names;
  }
  /// Outputs are right and nothing else is there but journals.
  void expect_outputs(const std::string& where, int count, std::int64_t size = 100) const {
    std::set<std::string> names = files_in(where);
    for (int i = 0; i < count; ++i) {
      const std::string name = name_of("f", i);
      ASSERT_EQ(names.erase(name), 1u) << name;
      EXPECT_TRUE(same_bits(load(where + "/" + name), noise(size, i) + 1.0)) << name;
    }
    for (const std::string& name : names) {
      EXPECT_THAT(name, StartsWith(".numjit_map"));
      EXPECT_THAT(name, ::testing::EndsWith(".jsonl"));
    }
  }

  /// Outputs that are there, by their inode: a file that is written again is another one.
  std::map<std::string, ino_t> finished() const {
    std::map<std::string, ino_t> files;
    struct stat info;
    if (!fs::exists(in("out"))) return files;
    for (const std::string& name : files_in("out"))
      if (name[0] != '.' && stat(in("out/" + name).c_str(), &info) == 0) files[name] = info.st_ino;
    return files;
  }
  /// What is there is whole and right.
  void expect_no_half_file(std::int64_t size) const {
    for (const auto& [name, inode] : finished())
      EXPECT_TRUE(same_bits(load("out/" + name), noise(size, std::stoi(name.substr(1, 3))) + 1.0)) << name;
  }

  /// Kills ranks at random moments, each run another one, rank 0 too: the run ends, no file is half there, and
  /// --resume does what is missing and nothing again.
  void kill_ranks_at_random(int kills, std::vector<std::string> arguments,
                            const std::vector<std::string>& environment = {}) const {
    constexpr int ranks = 4, count = 60;
    constexpr std::int64_t size = 30000;
    export_next();
    save_inputs(count, size);
    arguments.insert(arguments.begin(), {"next.npj", "in/*.npy", "-o", "out", "--jobs", "1", "--resume"});
    std::mt19937 random(9);
    int killed = 0;
    std::chrono::steady_clock::time_point begin;
    for (int i = 0; i < 2; ++i) {  // kernels of devices are made by the first
      fs::remove_all(in("out"));
      begin = std::chrono::steady_clock::now();
      ASSERT_EQ(finish(start_ranks(ranks, arguments, environment)).status, 0);
    }
    const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
    for (int i = 0; i < kills; ++i) {
      fs::remove_all(in("out"));
      const pid_t run = start_ranks(ranks, arguments, environment);
      const int victim = (i + 1) % ranks;
      pid_t process = -1;
      ASSERT_TRUE(comes([&] { return (process = process_of_rank(run, victim)) > 0 || !lives(run); }));
      std::this_thread::sleep_for(
          std::chrono::microseconds(static_cast<std::int64_t>(random() % static_cast<unsigned>(whole.count()))));
      if (process_of_rank(run, victim) == process && kill(process, SIGKILL) == 0) ++killed;
      ASSERT_TRUE(comes([&] { return !lives(run); }, std::chrono::seconds(110))) << "rank " << victim << "\n"
                                                                                 << text_of(in("stderr"));
      finish(run);
      expect_no_half_file(size);
      const auto before = finished();
      const Output resumed = finish(start_ranks(ranks, arguments, environment));
      ASSERT_EQ(resumed.status, 0) << resumed.err;
      EXPECT_THAT(resumed.out, ::testing::HasSubstr(std::to_string(before.size()) + " finished before")) << resumed.err;
      const auto after = finished();
      for (const auto& [name, inode] : before) EXPECT_EQ(after.at(name), inode) << name << " was done again, rank " << victim;
      expect_outputs("out", count, size);
    }
    RecordProperty("killed", killed);
  }
  /// How often programs are killed: MAP_KILLS, or so many.
  static int kills(int otherwise) {
    const char* text = std::getenv("MAP_KILLS");
    return text ? std::atoi(text) : otherwise;
  }

  std::string folder;

  /// Where the tests were carried to another machine, NUMJIT_BUILD_DIR says so.
  static std::string program() {
    const char* build = std::getenv("NUMJIT_BUILD_DIR");
    return std::string(build ? build : NUMJIT_TEST_BUILD_DIR) + "/bin/numjit";
  }
  pid_t start_program(std::vector<std::string> all, const std::vector<std::string>& environment) const {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child != 0) return running_.push_back(child), child;
    if (chdir(folder.c_str()) != 0 || !std::freopen("stdout", "w", stdout) || !std::freopen("stderr", "w", stderr)) _exit(99);
    setenv("NUMJIT_CACHE_DIR", (folder + "/cache").c_str(), 1);
    unsetenv("NUMJIT_LOGS");
    for (const std::string& variable : environment) putenv(const_cast<char*>(variable.c_str()));
    std::vector<char*> pointers;
    for (std::string& a : all) pointers.push_back(a.data());
    pointers.push_back(nullptr);
    execvp(pointers[0], pointers.data());
    _exit(98);
  }

 private:
  /// By SIGTERM first, as mpirun ends its ranks then.
  void end(pid_t child) const {
    kill(child, SIGTERM);
    if (!comes([&] { return !lives(child); }, std::chrono::seconds(10))) kill(child, SIGKILL);
    finish(child);
  }

  mutable std::vector<pid_t> running_;
};

}  // namespace numjit::testing
