// Old polynomials whose coefficients have two axes, one polynomial a column; outputs of other shapes. Expected values are
// NumPy's.
#include <functional>

#include <gtest/gtest.h>

#include <numjit/np.h>

#include "support/error_text.h"

namespace np = numjit;

namespace {

TEST(coefficients_2d, values_sums_derivatives) {
  const np::array p = np::array{{1.0, 2.0}, {3.0, 4.0}}, x = np::array{1.0, 2.0};
  EXPECT_TRUE(np::array_equal(np::polyval(p, x), np::array{4.0, 8.0}));
  EXPECT_TRUE(np::array_equal(np::polyval(p, 2.0), np::array{5.0, 8.0}));
  EXPECT_TRUE(np::array_equal(np::polyval(p, np::array{{1.0}, {2.0}}), np::array{{4.0, 6.0}, {5.0, 8.0}}));
  EXPECT_TRUE(np::array_equal(np::polyadd(p, p), p + p));
  EXPECT_TRUE(np::array_equal(np::polysub(p, np::array{{1.0, 1.0}, {1.0, 1.0}}), p - 1));
  EXPECT_TRUE(np::array_equal(np::polyder(np::array{{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}), np::array{{2.0, 2.0}, {6.0, 4.0}}));
  EXPECT_EQ(np::class_and_text_of([] { np::polyder(np::ones({4, 3}), 2); }).substr(0, 10), "ValueError");
  EXPECT_EQ(np::class_and_text_of([&] { np::polyadd(p, np::ones({3})); }).substr(0, 10), "ValueError");
  EXPECT_EQ(np::class_and_text_of([&] { np::polymul(p, x); }), "ValueError: [polymul] Polynomial must be 1d only.");
}

TEST(coefficients_2d, compiled) {
  auto f = np::compile([](const np::array& p, const np::array& x) { return np::polyval(p, x) + np::polyadd(p, p); });
  const np::array p = np::array{{1.0, 2.0}, {3.0, 4.0}}, x = np::array{1.0, 2.0};
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(np::array_equal(f(p, x), np::array{{6.0, 12.0}, {10.0, 16.0}}));
}

TEST(outputs_of_other_shapes, are_refused) {
  const np::array a = np::ones({2, 3});
  EXPECT_EQ(np::class_and_text_of([&] { np::mean(a, {.axis = 0, .out = np::zeros({2})}); }),
            "ValueError: [mean] could not broadcast the result of shape (3,) to out= of shape (2,)");
  EXPECT_EQ(np::class_and_text_of([&] {
              np::nanmax(a, {.axis = 0, .out = np::zeros({1, 3})});
            }),
            "ValueError: [nanmax] output parameter for reduction operation fmax has the wrong number of dimensions: Found 2 but "
            "expected 1");
  EXPECT_EQ(np::class_and_text_of([&] { np::nanmin(a, {.out = np::zeros({1})}); }),
            "ValueError: [nanmin] output parameter for reduction operation fmin has the wrong number of dimensions: Found 1 but "
            "expected 0");
  EXPECT_EQ(np::class_and_text_of([&] { np::round(a, {.decimals = 1, .out = np::zeros({3})}); }),
            "ValueError: [round] invalid output shape");
}

}  // namespace
