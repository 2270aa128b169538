// A driver without the toolkit's libraries, or with others than are needed: the host computes, once it is said why, and
// each time it is counted. In a process of its own, since a process looks for a library once.
#include <filesystem>
#include <string>

#include <unistd.h>

#include <gtest/gtest.h>

#include <numjit/base/subprocess.h>

namespace {

const std::string build = NUMJIT_TEST_BUILD_DIR;

class MissingLibraries : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("numjit_libraries_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// What the program says, with the folder's name left out.
  std::string run() const {
    std::string output;
    const int status = numjit::detail::run_program({build + "/bin/tests/programs/library_calls"}, &output,
                                                   {"NUMJIT_CUDA_DRIVER=" + build + "/bin/tests/libfake_cuda.so",
                                                    "NUMJIT_CUDA_LIBRARIES=" + folder_.string(), "NUMJIT_LOGS=perf_hints"});
    EXPECT_EQ(status, 0) << output;
    for (std::size_t at; (at = output.find(folder_.string() + "/")) != std::string::npos;)
      output.erase(at, folder_.string().size() + 1);
    return output;
  }
  static int count_of(const std::string& text, const std::string& part) {
    int n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
    return n;
  }
  void expect_the_hosts(const std::string& output) const {
    EXPECT_EQ(count_of(output, "cuda:0 [[10. 13.]\n [28. 40.]]\n"), 2) << output;  // the results belong there all the same
    EXPECT_EQ(count_of(output, "cuda:0 (2, 2)\n"), 2) << output;
    EXPECT_EQ(count_of(output, "cuda:0 [[0.25 0.  ]\n [0.   0.25]]\n"), 2) << output;
    EXPECT_EQ(count_of(output, "cuda:0 matmul 2\n"), 1) << output;
    EXPECT_EQ(count_of(output, "cuda:0 fft.rfft 2\n"), 1) << output;
    EXPECT_EQ(count_of(output, "cuda:0 linalg.inv 2\n"), 1) << output;
  }

  std::filesystem::path folder_;
};

TEST_F(MissingLibraries, AreSaidOnceAndWhatTheyDoIsTheHosts) {
  const std::string output = run();
  expect_the_hosts(output);
  EXPECT_EQ(count_of(output,
                     "cuda:0: matmul is the host's: there is no cuBLAS (libcublas.so.13, libcublas.so.12, libcublas.so.11 can't "
                     "be opened; NUMJIT_CUDA_LIBRARIES names the folder where it is)\n"),
            1)
      << output;
  EXPECT_EQ(count_of(output,
                     "cuda:0: fft is the host's: there is no cuFFT (libcufft.so.12, libcufft.so.11, libcufft.so.10 can't be "
                     "opened; NUMJIT_CUDA_LIBRARIES names the folder where it is)\n"),
            1)
      << output;
  EXPECT_EQ(count_of(output, "cuda:0: linalg is the host's: there is no cuSOLVER (libcusolver.so.12, libcusolver.so.11 can't be "
                             "opened; NUMJIT_CUDA_LIBRARIES names the folder where it is)\n"), 1) << output;
}

TEST_F(MissingLibraries, ThatLackAFunctionAreNotUsed) {
  // Some library or other under their names.
  for (const char* name : {"libcublas.so.12", "libcufft.so.11", "libcusolver.so.11"})
    std::filesystem::create_symlink(build + "/bin/tests/libfake_cuda.so", folder_ / name);
  const std::string output = run();
  expect_the_hosts(output);
  EXPECT_EQ(count_of(output, "cuda:0: matmul is the host's: its cuBLAS has no cublasCreate_v2 (version 11 is needed)\n"), 1)
      << output;
  EXPECT_EQ(count_of(output, "cuda:0: fft is the host's: its cuFFT has no cufftCreate (version 10 is needed)\n"), 1) << output;
  EXPECT_EQ(count_of(output, "cuda:0: linalg is the host's: its cuSOLVER has no cusolverDnCreate (version 11 is needed)\n"), 1)
      << output;
}

}  // namespace
