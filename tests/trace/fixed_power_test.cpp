// Powers by numbers of the program: the same bits eager and compiled, also when the number changes.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <numjit/array/same_bits.h>
#include <numjit/np.h>
#include <numjit/ops/fixed_power.h>

namespace np = numjit;

namespace {

constexpr double exponents[] = {2, 3, 4, 5, 6, -1, -2, -3, 0.5, 1.5, -0.5, -1.5};

np::array samples(np::dtype type) {
  const double inf = std::numeric_limits<double>::infinity();
  np::array special{0.0, -0.0, 1.0, -1.0, inf, -inf, std::nan(""), 1e-310, 1e300, -1e-100};
  np::array usual = np::linspace(-40.0, 40.0, 1013) * 1.7;
  return np::concatenate({usual, special}).astype(type);
}

TEST(FixedPower, EveryOneHasItsOp) {
  for (const double e : exponents) EXPECT_NE(np::power_op(e), np::op_id::power) << e;
  for (const double e : {0.0, 1.0, 7.0, -4.0, 2.5, std::nan("")}) EXPECT_EQ(np::power_op(e), np::op_id::power) << e;
}

TEST(FixedPower, EagerAndCompiledHaveTheSameBits) {
  for (const np::dtype& type : {np::float16, np::float32, np::float64}) {
    const np::array x = samples(type);
    for (const double e : exponents) {
      auto power = np::compile([e](const np::array& a) { return np::power(a, e); });
      for (int round = 0; round < 2; ++round)
        EXPECT_FALSE(np::detail::first_difference(np::power(x, e).get(), power(x).get())) << type.name() << " " << e;
    }
  }
}

TEST(FixedPower, ANumberThatChangesIsFollowed) {
  auto power = np::compile([](const np::array& x, double e) { return np::power(x, e) + 1; });
  const np::array x{1.0, 2.0, 4.0};
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(power(x, 3).str(), "[ 2.  9. 65.]");
    EXPECT_EQ(power(x, 2.5).str(), "[ 2.          6.65685425 33.        ]");
    EXPECT_EQ(power(x, -2).str(), "[2.     1.25   1.0625]");
    EXPECT_EQ(power(x, 0).str(), "[2. 2. 2.]");
  }
}

TEST(FixedPower, AnArrayAsExponentIsNotLookedInto) {
  const np::array x = samples(np::float64), three(3.0);
  auto power = np::compile([](const np::array& a, const np::array& e) { return np::power(a, e); });
  EXPECT_TRUE(np::array_equal(power(x, three), np::power(x, three), true));
  EXPECT_TRUE(np::allclose(np::power(x, three), np::power(x, 3), {.rtol = 1e-15, .atol = 0, .equal_nan = true}));
}

TEST(FixedPower, TheErrorStateStillSpeaksOfPower) {
  np::errstate raise({.all = "raise"});
  auto text = [](double v, double e) {
    try {
      np::power(np::array{v}, e);
    } catch (const np::FloatingPointError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(text(1e200, 3), "[power] overflow encountered in power");
  EXPECT_EQ(text(0, -2), "[power] divide by zero encountered in power");
  EXPECT_EQ(text(-1, 1.5), "[power] invalid value encountered in power");
  EXPECT_EQ(text(1e-200, 3), "[power] underflow encountered in power");
  EXPECT_EQ(text(2, 3), "none");
}

}  // namespace
