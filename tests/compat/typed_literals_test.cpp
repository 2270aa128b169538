// The C++ types of what arrays are made of: braces, containers, dtypes given second, grids taken apart.
#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <numjit/np.h>

#include "support/trace_values.h"

namespace np = numjit;

namespace {

using np::testing::message;

std::string shown(const np::array& a) { return a.str() + " " + std::string(a.dtype().name()) + " " + a.shape().str(); }

TEST(TypedLiterals, BracesOfOneTypeKeepIt) {
  EXPECT_EQ(shown(np::array{1.0f, 2.0f}), "[1. 2.] float32 (2,)");
  EXPECT_EQ(shown(np::array{{1.0f, 2.0f}, {3.0f, 4.0f}}), "[[1. 2.]\n [3. 4.]] float32 (2, 2)");
  EXPECT_EQ(shown(np::array{std::uint8_t(1)}), "[1] uint8 (1,)");
  EXPECT_EQ(shown(np::array{std::int16_t(-1), std::int16_t(2)}), "[-1  2] int16 (2,)");
  EXPECT_EQ(shown(np::array{std::complex<float>(1, 2)}), "[1.+2.j] complex64 (1,)");
  EXPECT_EQ(shown(np::array{std::uint64_t(5)}), "[5] uint64 (1,)");
  EXPECT_EQ(shown(np::array{std::int64_t(5)}), "[5] int64 (1,)");
  EXPECT_EQ(shown(np::array(1.5f)), "1.5 float32 ()");
}

TEST(TypedLiterals, LiteralsAndMixturesAreThoseOfPython) {
  EXPECT_EQ(shown(np::array{1, 2}), "[1 2] int64 (2,)");
  EXPECT_EQ(shown(np::array{1.0f, 2}), "[1. 2.] float64 (2,)");
  EXPECT_EQ(shown(np::array{1.0f, 2.0}), "[1. 2.] float64 (2,)");
  EXPECT_EQ(shown(np::array{true, false}), "[ True False] bool (2,)");
  EXPECT_EQ(shown(np::array({1.0f, 2.0f}, {.dtype = np::int8})), "[1 2] int8 (2,)");
}

TEST(TypedLiterals, Containers) {
  const std::vector<double> v{1, 2, 3};
  EXPECT_EQ(shown(np::array(v)), "[1. 2. 3.] float64 (3,)");
  EXPECT_EQ(shown(np::array{v}), "[1. 2. 3.] float64 (3,)");
  EXPECT_EQ(shown(np::array(std::vector<int>{1, 2})), "[1 2] int32 (2,)");
  EXPECT_EQ(shown(np::array(std::vector<bool>{true, false})), "[ True False] bool (2,)");
  EXPECT_EQ(shown(np::array(std::array<std::int16_t, 2>{1, 2})), "[1 2] int16 (2,)");
  EXPECT_EQ(shown(np::array(std::span(v))), "[1. 2. 3.] float64 (3,)");
  EXPECT_EQ(shown(np::array(std::vector<double>{})), "[] float64 (0,)");
  EXPECT_EQ(shown(np::array(std::vector<std::vector<float>>{{1, 2}, {3, 4}})), "[[1. 2.]\n [3. 4.]] float32 (2, 2)");
  EXPECT_EQ(shown(np::array(v, np::int8)), "[1 2 3] int8 (3,)");
  EXPECT_EQ(shown(np::array(v, {.ndmin = 2})), "[[1. 2. 3.]] float64 (1, 3)");
  EXPECT_EQ(
      message([] {
        np::array(std::vector<std::vector<int>>{{1}, {1, 2}});
      }),
      "[array] setting an array element with a sequence. The requested array has an inhomogeneous shape after 1 dimensions. "
      "The detected shape was (2,) + inhomogeneous part.");
}

TEST(TypedLiterals, ACopyIsMade) {
  std::vector<double> v{1, 2};
  const np::array a(v);
  v[0] = 7;
  EXPECT_EQ(a.str(), "[1. 2.]");
}

TEST(TypedLiterals, TheDtypeSecond) {
  EXPECT_EQ(shown(np::array({1, 2}, np::float32)), "[1. 2.] float32 (2,)");
  EXPECT_EQ(shown(np::array({{1, 2}, {3, 4}}, np::uint8)), "[[1 2]\n [3 4]] uint8 (2, 2)");
  EXPECT_EQ(shown(np::array(3, np::float32)), "3.0 float32 ()");
  EXPECT_EQ(shown(np::array(np::array{1, 2}, np::float32)), "[1. 2.] float32 (2,)");
  EXPECT_EQ(shown(np::full({2}, 7, np::float32)), "[7. 7.] float32 (2,)");
  EXPECT_EQ(shown(np::asarray(np::array{1}, np::float32)), "[1.] float32 (1,)");
  EXPECT_EQ(shown(np::zeros_like(np::array{1, 2}, np::int8)), "[0 0] int8 (2,)");
  EXPECT_EQ(shown(np::ones_like(np::array{1, 2}, np::int8)), "[1 1] int8 (2,)");
  EXPECT_EQ(np::empty_like(np::array{1, 2}, np::int8).dtype(), np::int8);
}

TEST(TypedLiterals, DtypesOfTypes) {
  EXPECT_EQ(np::dtype_of<float>(), np::float32);
  EXPECT_EQ(np::dtype_of<bool>(), np::bool_);
  EXPECT_EQ(np::dtype_of<std::uint16_t>(), np::uint16);
  EXPECT_EQ(np::dtype_of<std::complex<double>>(), np::complex128);
  EXPECT_EQ(np::dtype_of<np::half>(), np::float16);
  EXPECT_EQ(np::dtype_of("f4"), np::float32);
}

TEST(TypedLiterals, GridsTakenApart) {
  auto [y, x] = np::mgrid(np::slice(0, 2), np::slice(0, 3));
  EXPECT_EQ(shown(y), "[[0 0 0]\n [1 1 1]] int64 (2, 3)");
  EXPECT_EQ(shown(x), "[[0 1 2]\n [0 1 2]] int64 (2, 3)");
  const auto grid = np::mgrid(np::slice(0, 2), np::slice(0, 3), np::slice(0, 1));
  EXPECT_EQ(grid.shape().str(), "(3, 2, 3, 1)");
  auto [a, b, c] = grid;
  EXPECT_EQ(c.shape().str(), "(2, 3, 1)");
  EXPECT_EQ((grid(1) + 1).str(), (b + 1).str());
  np::array plain = grid;
  EXPECT_EQ(np::sum(plain - grid).item<double>(), 0);
}

}  // namespace
