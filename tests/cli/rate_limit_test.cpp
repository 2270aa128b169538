// How many requests numjit serve takes: a burst, then so many a second.
#include <gtest/gtest.h>

#include <numjit/cli/serve/rate_limit.h>

namespace {

using numjit::cli::RateLimit;
using std::chrono::milliseconds;

int taken(RateLimit& limit, RateLimit::clock::time_point now, int asked) {
  int count = 0;
  for (int i = 0; i < asked; ++i) count += limit.take(now);
  return count;
}

}  // namespace

TEST(RateLimit, BurstsThenTheRate) {
  RateLimit limit(10, 4);
  const auto start = RateLimit::clock::now() + milliseconds(1);
  EXPECT_EQ(taken(limit, start, 10), 4);
  EXPECT_EQ(taken(limit, start + milliseconds(50), 10), 0);
  EXPECT_EQ(taken(limit, start + milliseconds(100), 10), 1);
  EXPECT_EQ(taken(limit, start + milliseconds(310), 10), 2);
  EXPECT_EQ(taken(limit, start + milliseconds(10000), 10), 4) << "no more than a burst is saved up";
}
