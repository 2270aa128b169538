// np::special: values that SciPy's documentation and C99 give, dtypes, options, compiled functions.
#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include <numjit/np.h>
#include <support/code_generator.h>

namespace {

namespace np = numjit;
constexpr double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

double erf(double x) { return np::special::erf(x).item<double>(); }
double erfc(double x) { return np::special::erfc(x).item<double>(); }
double gamma(double x) { return np::special::gamma(x).item<double>(); }
double gammaln(double x) { return np::special::gammaln(x).item<double>(); }

TEST(Special, ErrorFunctionAtTheEdges) {
  EXPECT_EQ(erf(inf), 1);
  EXPECT_EQ(erf(-inf), -1);
  EXPECT_EQ(erf(6.5), 1);
  EXPECT_FALSE(std::signbit(erf(0.0)));
  EXPECT_TRUE(std::signbit(erf(-0.0)));
  EXPECT_EQ(erf(5e-324), 5e-324);
  EXPECT_TRUE(std::isnan(erf(nan)));
  EXPECT_EQ(erfc(0.0), 1);
  EXPECT_EQ(erfc(-0.0), 1);
  EXPECT_EQ(erfc(inf), 0);
  EXPECT_EQ(erfc(-inf), 2);
  EXPECT_EQ(erfc(28.0), 0);
  EXPECT_TRUE(std::isnan(erfc(nan)));
}

TEST(Special, GammaOfIntegersIsAFactorial) {
  double factorial = 1;
  for (int n = 1; n <= 23; ++n) {  // 22! is the last that a double holds
    EXPECT_EQ(gamma(n), factorial) << n;
    factorial *= n;
  }
}

TEST(Special, GammaAtTheEdges) {
  EXPECT_EQ(gamma(0.0), inf);
  EXPECT_EQ(gamma(-0.0), -inf);
  EXPECT_EQ(gamma(inf), inf);
  EXPECT_TRUE(std::isnan(gamma(-inf)));
  EXPECT_TRUE(std::isnan(gamma(-1.0)));
  EXPECT_TRUE(std::isnan(gamma(-1e300)));
  EXPECT_TRUE(std::isnan(gamma(nan)));
  EXPECT_EQ(gamma(172.0), inf);
  EXPECT_EQ(gamma(1e300), inf);
  EXPECT_EQ(gamma(-200.5), 0);
  EXPECT_TRUE(std::signbit(gamma(-200.5)));
  EXPECT_FALSE(std::signbit(gamma(-201.5)));
  EXPECT_LT(gamma(-0.5), 0);
  EXPECT_GT(gamma(-1.5), 0);
}

TEST(Special, LogarithmOfGammaAtTheEdges) {
  for (double x : {0.0, -0.0, -1.0, -7.0, -1e300, inf, -inf, 1e306})
    EXPECT_EQ(gammaln(x), inf) << x;
  for (double x : {1.0, 2.0}) {
    EXPECT_EQ(gammaln(x), 0) << x;
    EXPECT_FALSE(std::signbit(gammaln(x))) << x;
  }
  EXPECT_TRUE(std::isnan(gammaln(nan)));
}

TEST(Special, DtypesAreThoseOfExp) {
  EXPECT_EQ(np::special::erf(np::arange(3)).dtype(), np::float64);
  EXPECT_EQ(np::special::erfc(np::ones(3, np::float32)).dtype(), np::float32);
  EXPECT_EQ(np::special::gamma(np::ones(3, np::float16)).dtype(), np::float16);
  EXPECT_EQ(np::special::gammaln(np::ones(3), {.dtype = np::float32}).dtype(), np::float32);
  EXPECT_THROW(np::special::erf(np::ones(3, np::complex128)), np::TypeError);
}

TEST(Special, OptionsAreThoseOfUfuncs) {
  auto out = np::zeros(3);
  np::special::gamma(np::arange(1, 4), {.out = out, .where = np::array{true, false, true}});
  EXPECT_EQ(out(0).item<double>(), 1);
  EXPECT_EQ(out(1).item<double>(), 0);
  EXPECT_EQ(out(2).item<double>(), 2);
}

TEST(Special, CompiledGivesTheBitsOfEager) {
  SKIP_WITHOUT_CODE_GENERATOR();
  np::config_scope scope({.compile = np::compile_mode::sync});
  const auto body = [](const np::array& x) {
    return np::special::erf(x) + np::special::erfc(x) * np::special::gamma(x) -
           np::special::gammaln(x * 3);
  };
  auto f = np::compile(body);
  const auto x = np::linspace(-4.3, 9.1, 1001);
  const auto want = body(x);
  for (int i = 0; i < 3; ++i) {
    const auto got = f(x);
    EXPECT_EQ(std::memcmp(got.data<double>(), want.data<double>(), 1001 * sizeof(double)), 0);
  }
}

}  // namespace
