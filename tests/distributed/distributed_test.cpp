// np::distributed on one rank, without a launcher: the operations of any number of ranks, and what they say of wrong arguments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numjit/np.h>
#include <numjit/np_distributed.h>

namespace np = numjit;
namespace nd = np::distributed;

namespace {

template <class F>
std::string text_of(F&& fn) {
  try {
    fn();
  } catch (const np::error& e) {
    return e.code() + ": " + e.what();
  }
  return "nothing was thrown";
}

TEST(Distributed, IsOneRankWithoutALauncher) {
  EXPECT_EQ(nd::world().rank(), 0);
  EXPECT_EQ(nd::world().size(), 1);
  EXPECT_EQ(nd::world().split(3).size(), 1);
  const np::array x = np::arange(6.0).reshape(3, 2);
  EXPECT_TRUE(np::array_equal(nd::all_reduce(x), x));
  EXPECT_TRUE(np::array_equal(nd::all_reduce(np::array{1, 2}, {.op = "mean"}), np::array{1.0, 2.0}));
  EXPECT_TRUE(np::array_equal(nd::all_gather(x), x));
  EXPECT_TRUE(np::array_equal(nd::reduce_scatter(x), x));
  EXPECT_TRUE(np::array_equal(nd::broadcast(x), x));
  EXPECT_TRUE(np::array_equal(nd::all_to_all(x), x));
  EXPECT_TRUE(np::array_equal(nd::permute(x, {{0, 0}}), x));
  EXPECT_TRUE(np::array_equal(nd::permute(x, {}), np::zeros({3, 2})));
  EXPECT_TRUE(np::array_equal(nd::exchange_halo(x, 1), np::concatenate({np::zeros({1, 2}), x, np::zeros({1, 2})})));
  EXPECT_TRUE(np::array_equal(nd::exchange_halo(x, 1, {.periodic = true}), x(np::arange(-1, 4) % 3)));
  EXPECT_TRUE(np::array_equal(nd::sum(x), np::sum(x)));
  EXPECT_TRUE(np::array_equal(nd::sum(x, {.axis = 1}), np::sum(x, {.axis = 1})));
  EXPECT_EQ(nd::part(5).stop, 5);
  nd::barrier();
}

TEST(Distributed, RefusesWrongArguments) {
  const np::array x = np::arange(6.0).reshape(3, 2);
  EXPECT_EQ(text_of([&] { nd::all_reduce(x, {.op = "median"}); }),
            "ValueError: [all_reduce] got op 'median', expected 'sum', 'mean', 'prod', 'max' or 'min'.");
  EXPECT_EQ(text_of([&] { nd::reduce_scatter(np::array(1.0)); }),
            "ValueError: [reduce_scatter] got an array of shape (), expected one axis at least.");
  EXPECT_EQ(text_of([&] { nd::all_gather(x, {.length = 4}); }),
            "ValueError: [all_gather] got 3 rows on rank 0, expected its part of 4, which has 4. Hint: "
            "x(np::distributed::part(n)) is this rank's part.");
  EXPECT_EQ(text_of([&] { nd::broadcast(x, {.root = 1}); }), "ValueError: [broadcast] got root 1, expected a rank from 0 to 0.");
  EXPECT_EQ(text_of([&] { nd::permute(x, {{0, 1}}); }), "ValueError: [permute] got the pair (0, 1), expected ranks from 0 to 0.");
  EXPECT_EQ(text_of([&] {
              nd::permute(x, {{0, 0}, {0, 0}});
            }),
            "ValueError: [permute] got the pair (0, 0), expected each rank to send once and to receive once at most.");
  EXPECT_EQ(
      text_of([&] { nd::exchange_halo(x, 4); }),
      "ValueError: [exchange_halo] got width 4 for an axis of 3 on rank 0, expected at most the length of the axis on every "
      "rank. Hint: use fewer ranks, or exchange more often.");
  EXPECT_EQ(text_of([&] { nd::part(-1); }), "ValueError: [part] got -1, expected a length of 0 or more.");
  EXPECT_EQ(text_of([&] { nd::adopt(0, "MPICH"); }),
            "TypeError: [distributed] got a communicator of MPICH, expected one of the library that is open, and there is none.");
}

}  // namespace
