// Integer literals that change from call to call, across the range of the array's dtype.
#include <gtest/gtest.h>

#include <numjit/np.h>

namespace np = numjit;

namespace {

std::string text_of(const np::array& a) { return a.str(); }

TEST(LiteralRange, ComparisonsAnswerBeyondTheDtype) {
  np::array u = np::array{1, 2, 200}.astype(np::uint8);
  auto below = np::compile([](const np::array& a, std::int64_t n) { return a < n; });
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(text_of(below(u, 3)), "[ True  True False]");
    EXPECT_EQ(text_of(below(u, 300)), "[ True  True  True]");
    EXPECT_EQ(text_of(below(u, 1000)), "[ True  True  True]");
    EXPECT_EQ(text_of(below(u, -5)), "[False False False]");
    EXPECT_EQ(text_of(below(u, 2)), "[ True False False]");
  }
}

TEST(LiteralRange, WhereWraps) {
  np::array u = np::array{1, 2, 200}.astype(np::uint8);
  auto fill = np::compile([](const np::array& a, int n) { return np::where(a > 100, a, n); });
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(text_of(fill(u, 7)), "[  7   7 200]");
    EXPECT_EQ(text_of(fill(u, 300)), "[ 44  44 200]");
    EXPECT_EQ(text_of(fill(u, -1)), "[255 255 200]");
  }
}

TEST(LiteralRange, ArithmeticThrowsAtTheCall) {
  np::array u = np::array{1, 2, 200}.astype(np::uint8);
  auto add = np::compile([](const np::array& a, int n) { return a + n; });
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(text_of(add(u, 3)), "[  4   5 203]");
    try {
      add(u, 300);
      FAIL();
    } catch (const np::OverflowError& e) {
      EXPECT_STREQ(e.what(), "[add] Python integer 300 out of bounds for uint8");
    }
    EXPECT_EQ(text_of(add(u, 255)), "[  0   1 199]");
  }
}

}  // namespace
