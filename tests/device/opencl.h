// What the tests on a device share: an OpenCL one, or with TEST_DEVICE=cuda a GPU (tests/bench/gpu.sh).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include <numjit/device/device.h>
#include <numjit/np.h>
#include <support/code_generator.h>
#include <support/element_bits.h>

namespace numjit::testing {

/// "opencl" or "cuda".
inline const std::string& device_kind() {
  static const std::string kind = [] {
    const char* text = std::getenv("TEST_DEVICE");
    return std::string(text ? text : "opencl");
  }();
  return kind;
}
inline std::string device_name() { return device_kind() + ":0"; }

/// Is there one? Else what the machine lacks, as np::device says it.
inline std::string missing_device() {
  for (const auto& driver : devices::drivers()) {
    std::string why;
    if (driver.kind == device_kind()) return driver.count(why) > 0 ? "" : why;
  }
  return "no driver";
}

class OnOpenCl : public ::testing::Test {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_CODE_GENERATOR();
    if (const std::string why = missing_device(); !why.empty()) GTEST_SKIP() << why;
    config().compile = compile_mode::sync;
  }
};

/// The same bits. Of NaN sign and payload are open (docs/numerics.md): those of a GPU are its own.
inline void expect_same(const array& want, const array& got) {
  ASSERT_EQ(want.dtype(), got.dtype());
  ASSERT_EQ(want.shape(), got.shape());
  const array a = ascontiguousarray(want), b = ascontiguousarray(got.to("cpu"));
  const auto *in_a = static_cast<const char*>(a.raw_data()), *in_b = static_cast<const char*>(b.raw_data());
  const auto item = static_cast<std::int64_t>(a.dtype().itemsize());
  for (std::int64_t i = 0; i < a.size(); ++i)
    ASSERT_TRUE(same_element_bits(a.dtype().id(), in_a + i * item, in_b + i * item))
        << "element " << i << ": " << ravel(a)(i).str() << ", on the device " << ravel(b)(i).str() << " in\n"
        << want.str() << "\non the device:\n"
        << b.str();
}

inline array numbers(std::int64_t n) { return sin(arange(static_cast<double>(n))) * 3.0; }

}  // namespace numjit::testing
