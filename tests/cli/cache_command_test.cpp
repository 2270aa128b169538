// The numjit program: cache commands and doctor, by their output.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <numjit/base/hash.h>
#include <numjit/runtime/kernels/disk_cache.h>

namespace numjit {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::MatchesRegex;

struct Output {
  int status;
  std::string text;  // stdout and stderr
};

class Cli : public testing::Test {
 protected:
  void SetUp() override {
    folder = testing::TempDir() + "numjit_cli_" + std::to_string(getpid());
    fs::remove_all(folder);
    setenv("NUMJIT_CACHE_DIR", folder.c_str(), 1);
  }
  void TearDown() override { fs::remove_all(folder); }

  static Output run(const std::string& arguments) {
    std::string command = NUMJIT_TEST_BUILD_DIR "/bin/numjit " + arguments + " 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    Output output{0, ""};
    char part[4096];
    while (std::size_t n = std::fread(part, 1, sizeof part, pipe)) output.text.append(part, n);
    output.status = WEXITSTATUS(pclose(pipe));
    return output;
  }
  static std::string key(int i) {
    return "kernel nj_000000000000000" + std::to_string(i) +
           "\nformat 1 bits 1\nschedule rows size class 0 inner "
           "strides 11 exact\n%0 = operand 0\n";
  }
  void store(int i, runtime::CacheKind kind = runtime::CacheKind::kernel) {
    runtime::write_cache(folder, key(i), kind, std::vector<char>(1000, 'x'));
  }
  std::string path(int i) const { return folder + "/" + to_hex(hash_text(key(i))) + ".njk"; }

  std::string folder;
};

TEST_F(Cli, ListHasALinePerEntry) {
  store(1);
  fs::last_write_time(path(1), fs::file_time_type::clock::now() - std::chrono::hours(1));
  store(2, runtime::CacheKind::quarantine);
  Output output = run("cache list");
  EXPECT_EQ(output.status, 0);
  EXPECT_THAT(
      output.text,
      MatchesRegex(
          "nj_0000000000000002  rows             1\\.1. KiB  ....-..-.. ..:..  quarantined\n"
          "nj_0000000000000001  rows             1\\.1. KiB  ....-..-.. ..:..  kernel\n"));
  EXPECT_THAT(run("cache list -v").text, HasSubstr("    %0 = operand 0\n"));
}

TEST_F(Cli, StatsCounts) {
  store(1);
  store(2);
  store(3, runtime::CacheKind::quarantine);
  fs::resize_file(path(2), 100);
  Output output = run("cache stats");
  EXPECT_EQ(output.text, "folder       " + folder +
                             "\nkernels      1\nquarantined  1\ndamaged      1\n"
                             "size         2.36 KiB of 1.00 GiB\n");
  EXPECT_EQ(run("cache --dir /nonexistent stats").text,
            "folder       /nonexistent\nkernels      0\nquarantined  0\ndamaged      0\nsize       "
            "  0 bytes of "
            "1.00 GiB\n");
}

TEST_F(Cli, VerifyNamesTheDamagedOnes) {
  store(1);
  store(2);
  EXPECT_EQ(run("cache verify").text, "2 sound, 0 damaged\n");
  EXPECT_EQ(run("cache verify").status, 0);
  fs::resize_file(path(2), 100);
  Output output = run("cache verify");
  EXPECT_EQ(output.status, 1);
  EXPECT_EQ(output.text, path(2) + ": cut short\n1 sound, 1 damaged\n");
}

TEST_F(Cli, PruneAndClear) {
  for (int i = 0; i < 4; ++i) store(i);
  auto size = static_cast<int>(fs::file_size(path(0)));
  Output output = run("cache prune --to " + std::to_string(2 * size));
  EXPECT_EQ(output.status, 0);
  EXPECT_THAT(output.text, MatchesRegex("2 removed, 2\\.[0-9]* KiB freed\n"));
  EXPECT_EQ(run("cache prune").text, "0 removed, 0 bytes freed\n");
  EXPECT_THAT(run("cache clear").text, MatchesRegex("2 removed, 2\\.[0-9]* KiB freed\n"));
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(Cli, WrongUse) {
  Output output = run("cache prune --to lots");
  EXPECT_EQ(output.status, 2);
  EXPECT_EQ(
      output.text,
      "numjit: [cache] --to: got 'lots', expected a number of bytes such as 1073741824, 512MiB or "
      "2GiB.\n");
  store(1);
  chmod(folder.c_str(), 0777);
  for (const char* command : {"list", "clear", "prune"}) {
    output = run(std::string("cache ") + command);
    EXPECT_EQ(output.status, 2);
    EXPECT_EQ(output.text, "numjit: [cache] " + folder + " is writable by others (mode 0777).\n");
  }
  chmod(folder.c_str(), 0700);
  EXPECT_TRUE(fs::exists(path(1)));
  setenv("NUMJIT_CACHE_DIR", "off", 1);
  EXPECT_EQ(run("cache stats").text,
            "numjit: [cache] the disk cache is off: got an empty NUMJIT_CACHE_DIR or 'off'. "
            "Name a folder by --dir.\n");
  EXPECT_NE(run("").status, 0);
  EXPECT_THAT(run("--help").text, HasSubstr("doctor"));
}

TEST_F(Cli, DoctorFindsWhatIsMissing) {
  store(1);
  Output output = run("doctor");
  EXPECT_THAT(
      output.text,
      ContainsRegex("ok    numjit       [0-9]+\\.[0-9]+\\.[0-9]+\nok    system       [^\n]+, Linux [^\n]+, glibc 2[^\n]+\n"
                    "ok    processor    x86-64-v[2-4] \\("));
  EXPECT_THAT(output.text, ContainsRegex("\nok    caches       [^\n]+\nok    threads      [0-9]+\n"));
  EXPECT_THAT(
      output.text,
      ContainsRegex("ok    BLAS         OpenBLAS 0[.][0-9.]+, kernels [A-Za-z0-9]+( [(]by instruction set: [^\n]+[)])?\n"));
  EXPECT_THAT(output.text, ContainsRegex("ok    linker       /[^\n]*ld[^\n]*\n"));
  EXPECT_THAT(output.text, ContainsRegex("(ok    wasm-ld      /[^\n]*wasm-ld|none  wasm-ld      )[^\n]*\n"));
  EXPECT_THAT(output.text,
              ContainsRegex("ok    cache        " + folder + ": 1 entries, 1\\.1. KiB\n"));
  setenv("NUMJIT_CUDA_DRIVER", "libcuda_absent.so", 1);
  setenv("NUMJIT_DEVICE", "cuda", 1);
  output = run("doctor");
  EXPECT_THAT(output.text, HasSubstr("none  cuda         there is no CUDA driver (libcuda_absent.so can't be opened)\n"));
  EXPECT_THAT(output.text, ContainsRegex("(ok    opencl:0     |none  opencl       )[^\n]+\n"));
  EXPECT_THAT(output.text,
              HasSubstr("wrong device       [device] 'cuda' can't be used: there is no CUDA driver (libcuda_absent.so can't be "
                        "opened). Expected 'cpu' or a device of this machine: np::list_devices() has them.\n"
                        "                   Set NUMJIT_DEVICE to a device of this machine, or not at all.\n"));
  EXPECT_EQ(output.status, 1);
  unsetenv("NUMJIT_DEVICE");
  unsetenv("NUMJIT_CUDA_DRIVER");
  const int with_linker = run("doctor").status;
  std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  output = run("doctor");
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(output.status, with_linker) << "nobody has to have a linker";
  EXPECT_THAT(
      output.text,
      HasSubstr(
          "none  linker       none of ld, ld.bfd, ld.gold, ld.lld in PATH: needed where memory can't be made executable\n"));
  EXPECT_THAT(output.text,
              HasSubstr("none  wasm-ld      not in PATH: `numjit pack` and `numjit serve` need it (Debian: apt install lld)\n"));
  fs::resize_file(this->path(1), 100);
  EXPECT_THAT(run("doctor").text, HasSubstr("1 entries, 100 bytes, 1 damaged\n"));
}

}  // namespace
}  // namespace numjit
