// A second process reaches its compiled result from the disk cache, with libHalide never loaded.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <numjit/np.h>

namespace {

namespace np = numjit;
namespace fs = std::filesystem;

bool mapped(const std::string& library) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(library) != std::string::npos) return true;
  return false;
}

// What one process of the program does; its exit status tells how the kernel came.
int program(bool expect_warm) {
  np::config().compile = np::compile_mode::sync;
  auto f = np::compile([](const np::array& x, const np::array& y) { return np::sum((x - y) * (x - y), {.axis = 1}); });
  auto x = np::arange(6000).astype(np::float64).reshape(6, 1000);
  auto y = np::cos(x);
  auto got = f(x, y);
  auto expected = np::sum((x - y) * (x - y), {.axis = 1});
  if (!np::array_equal(got, expected)) return 10;
  const auto c = np::counters();
  if (c.quarantined != 0) return 11;
  if (expect_warm) {
    if (c.kernels_compiled != 0 || c.kernels_loaded == 0) return 12;
    if (mapped("libHalide") || mapped("numjit_halide")) return 13;
  } else {
    if (c.kernels_compiled == 0) return 14;
    if (!mapped("libHalide")) return 15;
  }
  return 0;
}

int run_child(const std::string& cache, const char* mode) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("NUMJIT_CACHE_DIR", cache.c_str(), 1);
    setenv("WARM_START_CHILD", mode, 1);
    const std::string self = fs::read_symlink("/proc/self/exe");
    execl(self.c_str(), self.c_str(), nullptr);
    _exit(99);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

TEST(WarmStart, SecondProcessLoadsKernelsWithoutCompiler) {
  const fs::path cache = fs::temp_directory_path() / ("numjit_warm_" + std::to_string(getpid()));
  fs::create_directory(cache);
  fs::permissions(cache, fs::perms::owner_all);
  EXPECT_EQ(run_child(cache, "cold"), 0);
  EXPECT_EQ(run_child(cache, "warm"), 0);
  fs::remove_all(cache);
}

}  // namespace

// A child process is this same program, told by its environment what to do.
int main(int argc, char** argv) {
  if (const char* mode = std::getenv("WARM_START_CHILD")) return program(std::string(mode) == "warm");
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
