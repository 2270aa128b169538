// Kernels over short integers that become floats are compiled: Halide knows the range of such integers, and following it
// through a long function once took forever.
#include <gtest/gtest.h>

#include <complex>

#include <numjit/np.h>

namespace {

namespace np = numjit;

TEST(ShortIntegers, HaveComplexPowers) {
  np::config_scope scope({.compile = np::compile_mode::sync, .suppress_errors = false});
  const np::array exponents = np::array(std::complex<double>(0.5, 1.25)) * np::arange(300.0);
  for (const np::dtype type : {np::bool_, np::int8, np::uint8, np::int16, np::uint16}) {
    const np::array bases = (np::arange(300) % 5).astype(type);
    auto f = np::compile([](const np::array& a, const np::array& b) { return np::pow(a, b); });
    f(bases, exponents);
    EXPECT_EQ(np::npy_bytes(f(bases, exponents)), np::npy_bytes(np::pow(bases, exponents))) << type.name();
  }
  EXPECT_EQ(np::counters().quarantined, 0);
}

TEST(ShortIntegers, KeepTheirValueAsFloats) {
  np::config_scope scope({.compile = np::compile_mode::sync, .suppress_errors = false});
  for (const np::dtype type : {np::bool_, np::int8, np::uint8, np::int16, np::uint16}) {
    const np::array all = (np::arange(65536) - 32768).astype(type);
    auto f = np::compile([](const np::array& a) { return a.astype(np::float32) * 0.5; });
    f(all);
    EXPECT_EQ(np::npy_bytes(f(all)), np::npy_bytes(all.astype(np::float32) * 0.5)) << type.name();
  }
}

}  // namespace
