// Floating-point errors that np::errstate finds beside those of plain operations: in casts, stores, results in place, and methods
// of ufuncs. The texts are NumPy's.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include <numjit/np.h>

namespace np = numjit;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

/// The text of the error that a program ends with while all kinds are raised, "" if there is none. With all ignored it has none.
template <class F>
std::string error_of(F&& program) {
  program();
  const np::errstate scope({.all = "raise"});
  try {
    program();
  } catch (const np::FloatingPointError& e) {
    return e.what();
  }
  return "";
}

TEST(FloatErrors, Casts) {
  EXPECT_EQ(error_of([] { np::array{1e300}.astype(np::float32); }), "[astype] overflow encountered in cast");
  EXPECT_EQ(error_of([] { np::array{1e10}.astype(np::float16); }), "[astype] overflow encountered in cast");
  EXPECT_EQ(error_of([] { np::array{1e-300}.astype(np::float32); }), "[astype] underflow encountered in cast");
  EXPECT_EQ(error_of([] { np::array{std::nan("")}.astype(np::int64); }), "[astype] invalid value encountered in cast");
  EXPECT_EQ(error_of([] { np::array{3e9}.astype(np::int32); }), "[astype] invalid value encountered in cast");
  EXPECT_EQ(error_of([] { np::array{3e9, -1.0}.astype(np::int64); }), "");
  EXPECT_EQ(error_of([] { np::array{1e20}.astype(np::int64); }), "[astype] invalid value encountered in cast");
  EXPECT_EQ(error_of([] { np::array{inf, 0.0, 0.5, std::nan("")}.astype(np::float32); }), "");
  EXPECT_EQ(error_of([] { np::array{1e300}.astype(np::bool_); }), "");
}

TEST(FloatErrors, Stores) {
  const auto target = [] { return np::zeros({2}, np::float32); };
  EXPECT_EQ(error_of([&] { target()(np::ellipsis) = np::array{1e300, 1.0}; }), "[astype] overflow encountered in cast");
  EXPECT_EQ(error_of([&] { target()(0) = np::array(1e300); }), "[astype] overflow encountered in cast");
  EXPECT_EQ(error_of([&] { target()(0) = 1e300; }), "[astype] overflow encountered in cast");
  EXPECT_EQ(error_of([&] { target()(np::array{true, false}) = np::array{1e300}; }), "[astype] overflow encountered in cast");
  EXPECT_EQ(error_of([&] { target()(np::array{0, 1}) = np::array{1.0, 1e300}; }), "[astype] overflow encountered in cast");
  EXPECT_EQ(error_of([&] { target()(np::ellipsis) = np::array{inf, 1.0}; }), "");
}

TEST(FloatErrors, InPlaceTheOperandsCountAsTheyWere) {
  EXPECT_EQ(error_of([] {
              np::array a{1e300};
              a *= 1e300;
            }),
            "[multiply] overflow encountered in multiply");
  EXPECT_EQ(error_of([] {
              np::array a{1.0};
              a /= 0.0;
            }),
            "[divide] divide by zero encountered in divide");
  EXPECT_EQ(error_of([] {
              np::array a{inf};
              a *= 2.0;
            }),
            "");
  EXPECT_EQ(error_of([] {
              np::array a{0.0};
              a /= a;
            }),
            "[divide] invalid value encountered in divide");
}

TEST(FloatErrors, NumbersThatHaveLostDigits) {
  EXPECT_EQ(error_of([] { (void)(np::array{1e-300} * np::array{1e-10}); }), "[multiply] underflow encountered in multiply");
  EXPECT_EQ(error_of([] { (void)(np::array{0.0f} * 1.0); }), "");
  EXPECT_EQ(error_of([] { (void)(np::array{1e-310} * 1.0); }), "");
  EXPECT_EQ(error_of([] { (void)(np::array{0.0} * 1e-300); }), "");
}

TEST(FloatErrors, ProductsOfMany) {
  EXPECT_EQ(error_of([] { np::prod(np::array{1e-300, 1e-20}); }), "[prod] underflow encountered in reduce");
  EXPECT_EQ(error_of([] { np::cumprod(np::array{1e-300, 1e-20}); }), "[cumprod] underflow encountered in accumulate");
  EXPECT_EQ(error_of([] { np::prod(np::array{1e-300, 0.0}); }), "");
  EXPECT_EQ(error_of([] { (void)(np::array{-1.0} / np::array{1e308}); }), "[divide] underflow encountered in divide");
}

TEST(FloatErrors, MethodsOfUfuncs) {
  const np::array poles{1.0, 0.0, 2.0};
  EXPECT_EQ(error_of([&] { np::divide.reduce(poles); }), "[divide] divide by zero encountered in reduce");
  EXPECT_EQ(error_of([&] { np::divide.accumulate(poles); }), "[divide] divide by zero encountered in accumulate");
  EXPECT_EQ(error_of([] { np::divide.reduce(np::array{1e300, 1e-300}); }), "[divide] overflow encountered in reduce");
  EXPECT_EQ(error_of([] {
              np::array a = np::ones(2);
              np::divide.at(a, np::array{0}, 0.0);
            }),
            "[divide] divide by zero encountered in divide");
  EXPECT_EQ(error_of([] {
              np::array a = np::full({2}, 1e300);
              np::multiply.at(a, np::array{0}, 1e300);
            }),
            "[multiply] overflow encountered in multiply");
  EXPECT_EQ(error_of([] {
              np::array a = np::ones(2);
              np::add.at(a, np::array{0, 0}, 1.0);
            }),
            "");
}

}  // namespace
