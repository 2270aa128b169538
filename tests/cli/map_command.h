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
    EXPECT_TRUE(comes([&] { return fs::remove_all(folder, failure), !fs::exists(folder); })) << folder << ": " << failure.message();
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
  static bool has_mpirun() { return numjit::detail::find_program("mpirun").has_value(); }
  Output finish(pid_t child) const {
    std::erase(running_, child);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text_of(in("stdout")), text_of(in("stderr"))};
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

  std::string folder;

 private:
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
  /// By SIGTERM first, as mpirun ends its ranks then.
  void end(pid_t child) const {
    kill(child, SIGTERM);
    if (!comes([&] { return !lives(child); }, std::chrono::seconds(10))) kill(child, SIGKILL);
    finish(child);
  }

  mutable std::vector<pid_t> running_;
};

}  // namespace numjit::testing
