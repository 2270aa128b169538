// Lazy arrays whose handles go on other threads than the one that records them.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include <numjit/array/lazy_node.h>
#include <numjit/np.h>

namespace np = numjit;

TEST(LazyNode, a_handle_that_goes_on_another_thread_is_counted) {
  auto f = np::compile([](const np::array& x) {
    np::array y = x * 2;
    std::vector<np::array> copies(10, y);
    std::thread([&] {
      for (np::array& gone : copies) np::detail::drop_anywhere(gone);
    }).join();
    const double first = y.item(0);
    EXPECT_EQ(y.get()->refs, 1u);
    return first;
  });
  for (int call = 0; call < 3; ++call) EXPECT_EQ(f(np::ones(3)), 2);
}

TEST(LazyNode, handles_go_while_their_thread_records_and_runs) {
  const np::array x = np::arange(1000.0);
  auto f = np::compile([&](const np::array& a) {
    std::vector<np::array> values;
    for (int k = 0; k < 60; ++k) values.push_back(a + k);
    std::atomic<bool> go{false};
    std::vector<std::vector<np::array>> copies;
    copies.reserve(3);
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&go, &gone = copies.emplace_back(values)] {
        while (!go) std::this_thread::yield();
        for (np::array& value : gone) np::detail::drop_anywhere(value);
      });
    go = true;
    double sum = 0;
    for (int k = 0; k < 60; ++k) sum += np::sum(values[static_cast<std::size_t>(k)] * 2).item();
    for (std::thread& t : threads) t.join();
    np::flush();
    EXPECT_EQ((a * 2).eval().item(1), 2);
    for (const np::array& v : values) EXPECT_EQ(v.get()->refs, 1u);
    return sum;
  });
  const double expected = 2 * (60 * 499500.0 + 1000 * 1770.0);
  for (int call = 0; call < 20; ++call) EXPECT_EQ(f(x), expected);
}

TEST(LazyNode, handles_outlive_the_thread_that_recorded) {
  np::array kept;
  std::thread([&] {
    auto f = np::compile(
        [&](const np::array& x) {
          kept = x + 1;
          return kept.item(0);
        },
        {.fullgraph = true});
    EXPECT_THROW(f(np::ones(3)), np::GraphBreakError);
  }).join();
  EXPECT_THROW(kept.str(), np::ValueError);  // it never got a value
  np::detail::drop_anywhere(kept);
}
