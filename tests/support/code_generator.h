// For tests of the null tier that need kernels to be compiled: skipped in builds without Halide.
#pragma once

#include <filesystem>

#include <gtest/gtest.h>

#define SKIP_WITHOUT_CODE_GENERATOR()                                          \
  if (!std::filesystem::exists(NUMJIT_TEST_BUILD_DIR "/lib/numjit_halide.so")) \
  GTEST_SKIP() << "built without the code generator: ops run one by one, and that is said"
