// For tests of the null tier that need kernels to be compiled: skipped in builds without Halide.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace numjit::testing {

/// NUMJIT_BUILD_DIR names another folder, of a build that was carried elsewhere (tests/bench/gpu.sh).
inline bool has_code_generator() {
  const char* build = std::getenv("NUMJIT_BUILD_DIR");
  return std::filesystem::exists(std::string(build ? build : NUMJIT_TEST_BUILD_DIR) + "/lib/numjit_halide.so");
}

}  // namespace numjit::testing

#define SKIP_WITHOUT_CODE_GENERATOR()         \
  if (!numjit::testing::has_code_generator()) \
  GTEST_SKIP() << "built without the code generator: ops run one by one, and that is said"
