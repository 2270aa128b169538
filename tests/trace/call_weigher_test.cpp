// Trials of calls, with times that no machine's load can change.
#include <algorithm>
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include <numjit/trace/record/call_weigher.h>

namespace numjit::testing {
namespace {

using tracing::CallWeigher;
using Way = CallWeigher::Way;

constexpr std::array<const node*, 1> arguments{nullptr};
constexpr int calls = 100, first_trial = 16, until_next = 512;

/// Which way each call goes. `times`: of call i, recorded or eagerly.
template <class Times>
std::vector<Way> ways_by(CallWeigher& weigher, Times times, std::int64_t guess, int count) {
  std::vector<Way> result;
  for (int i = 0; i < count; ++i) {
    CallWeigher::Trial* trial;
    result.push_back(weigher.begin(arguments, trial));
    if (trial) CallWeigher::end(*trial, result.back(), times(i, result.back()), guess);
  }
  return result;
}
std::vector<Way> ways(CallWeigher& weigher, std::int64_t recorded, std::int64_t eager, std::int64_t guess, int count = calls) {
  return ways_by(
      weigher, [&](int, Way way) { return way == Way::eager ? eager : recorded; }, guess, count);
}

std::ptrdiff_t count_eager(const std::vector<Way>& all) { return std::count(all.begin(), all.end(), Way::eager); }

TEST(CallWeigher, TriesInTurnsAndGoesOnTheWayThatTakesLess) {
  CallWeigher faster_eagerly, faster_recorded;
  const auto all = ways(faster_eagerly, 2'000'000, 500'000, 1'000'000);
  EXPECT_EQ(count_eager({all.begin(), all.begin() + first_trial}), 0);  // kernels are compiled meanwhile
  EXPECT_EQ(count_eager({all.begin() + first_trial, all.begin() + first_trial + 12}), 6);
  EXPECT_EQ(count_eager({all.begin() + first_trial + 12, all.end()}), calls - first_trial - 12);
  EXPECT_EQ(faster_eagerly.choice_of(arguments), "2 ms recorded, 0.5 ms eagerly");
  EXPECT_EQ(count_eager(ways(faster_recorded, 500'000, 600'000, 1'000'000)), 6);
  EXPECT_EQ(faster_recorded.choice_of(arguments), "");
}

TEST(CallWeigher, WhatWouldBeSlowIsNotTriedOrLeftEarly) {
  CallWeigher guessed, clearly, long_one;
  EXPECT_EQ(count_eager(ways(guessed, 100'000, 50'000, 400'001)), 0);
  EXPECT_EQ(count_eager(ways(clearly, 100'000, 250'000, 0)), 3);
  EXPECT_EQ(count_eager(ways(long_one, 100'000, 10'000'001, 0)), 1);
}

TEST(CallWeigher, WhatDisturbsTheMachineDecidesNothing) {
  CallWeigher weigher;
  const auto times = [](int i, Way way) { return (way == Way::eager ? 500'000 : 600'000) + (i % 3 ? 4'000'000 : 0); };
  const auto all = ways_by(weigher, times, 0, calls);
  EXPECT_EQ(all.back(), Way::eager);
  EXPECT_EQ(weigher.choice_of(arguments), "0.6 ms recorded, 0.5 ms eagerly");
}

TEST(CallWeigher, LooksAgainTwice) {
  CallWeigher weigher;
  const int second_trial = first_trial + 11 + until_next;
  EXPECT_EQ(count_eager(ways(weigher, 500'000, 600'000, 0, second_trial)), 6);
  EXPECT_EQ(count_eager(ways(weigher, 600'000, 500'000, 0, calls)), 6 + calls - 12);
  EXPECT_NE(weigher.choice_of(arguments), "");
}

TEST(CallWeigher, FunctionsThatAskAreRecordedEverAfter) {
  CallWeigher weigher;
  weigher.never();
  EXPECT_EQ(count_eager(ways(weigher, 2'000'000, 500'000, 0)), 0);
}

}  // namespace
}  // namespace numjit::testing
