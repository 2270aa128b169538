// What the tests over the recording CUDA driver share.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <numjit/np.h>
#include <numjit/device/device.h>
#include <support/code_generator.h>

#include "fake/fake_cuda.h"

namespace numjit::testing {

struct Fake {
  fake_fail_function fail;
  fake_log_function log;
  fake_reset_function reset;
  fake_counts_function count;
  fake_memory_function memory;
  fake_answer_function answer;
};

/// The fake, made the driver of this process before anything asks for one.
inline const Fake& fake() {
  static const Fake functions = [] {
    const std::string path = NUMJIT_TEST_BUILD_DIR "/bin/tests/libfake_cuda.so";
    setenv("NUMJIT_CUDA_DRIVER", path.c_str(), 1);
    setenv("NUMJIT_CUDA_LIBRARIES", NUMJIT_TEST_BUILD_DIR "/bin/tests/cuda_libraries", 1);
    void* library = dlopen(path.c_str(), RTLD_NOW);
    if (!library) throw std::runtime_error(dlerror());
    return Fake{reinterpret_cast<fake_fail_function>(dlsym(library, "fake_fail")),
                reinterpret_cast<fake_log_function>(dlsym(library, "fake_log")),
                reinterpret_cast<fake_reset_function>(dlsym(library, "fake_reset")),
                reinterpret_cast<fake_counts_function>(dlsym(library, "fake_count")),
                reinterpret_cast<fake_memory_function>(dlsym(library, "fake_memory")),
                reinterpret_cast<fake_answer_function>(dlsym(library, "fake_answer"))};
  }();
  return functions;
}

class OverFakeCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    config().compile = compile_mode::sync;
    faults_ = fake().count().faults;
    fake().fail("", 0, 0);
    fake().reset();
  }
  void TearDown() override {
    fake().fail("", 0, 0);
    fake().answer(nullptr, 0);
    EXPECT_EQ(fake().count().faults, faults_) << "memory, events, modules or graphs were used after their end";
  }
  int faults_ = 0;
};

/// The calls of the log that matter, in order, without the context's.
inline std::vector<std::string> calls() {
  std::vector<std::string> list;
  std::string text = fake().log();
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    const std::string line = text.substr(at, end - at);
    if (line.rfind("cuCtxSetCurrent", 0) != 0) list.push_back(line);
  }
  return list;
}
inline int count_of(const std::string& name) {
  int n = 0;
  for (const std::string& line : calls()) n += line.rfind(name, 0) == 0;
  return n;
}

/// Numbers of errors that the driver has.
inline constexpr int cuda_errors[] = {1,   2,   3,   4,   34,  46,  100, 101, 200, 201, 209, 214, 218, 222,
                                      300, 301, 302, 304, 400, 401, 500, 600, 700, 701, 702, 709, 710, 714,
                                      715, 716, 717, 718, 719, 800, 801, 802, 803, 900, 901, 999};

}  // namespace numjit::testing
