// A fixture whose compiled functions run by kernels from their first call on.
#pragma once

#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <numjit/np.h>

#include "support/code_generator.h"

namespace numjit::testing {

class CompiledKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_CODE_GENERATOR();
    config().compile = compile_mode::sync;
  }
  void TearDown() override {
    config().compile = compile_mode::async;
    config().threads = 0;
  }
};

/// What a report prints.
template <class Report>
std::string as_text(const Report& report) {
  std::ostringstream out;
  out << report;
  return out.str();
}

}  // namespace numjit::testing
