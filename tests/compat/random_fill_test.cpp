// Draws so long that threads share them: the numbers, and the state that they leave, are those of one thread.
#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include <numjit/np.h>

namespace np = numjit;
using np::random::Generator;

namespace {

using draw = std::function<np::array(const Generator&, std::int64_t)>;

const std::vector<std::pair<const char*, draw>>& draws() {
  static const std::vector<std::pair<const char*, draw>> all = {
      {"random", [](const Generator& g, std::int64_t n) { return g.random(n); }},
      {"random float32", [](const Generator& g, std::int64_t n) { return g.random(n, {.dtype = np::float32}); }},
      {"uniform", [](const Generator& g, std::int64_t n) { return g.uniform(-1, 3, n); }},
      {"standard_normal", [](const Generator& g, std::int64_t n) { return g.standard_normal(n); }},
      {"standard_normal float32",
       [](const Generator& g, std::int64_t n) { return g.standard_normal(n, {.dtype = np::float32}); }},
      {"normal", [](const Generator& g, std::int64_t n) { return g.normal(1, 2, n); }},
      {"exponential", [](const Generator& g, std::int64_t n) { return g.exponential(2, n); }},
      {"standard_exponential float32",
       [](const Generator& g, std::int64_t n) { return g.standard_exponential(n, {.dtype = np::float32}); }},
      {"integers of halves", [](const Generator& g, std::int64_t n) { return g.integers(-5, 1000, n); }},
      {"integers that are often rejected", [](const Generator& g, std::int64_t n) { return g.integers(0, 3000000000, n); }},
      {"integers of whole words", [](const Generator& g, std::int64_t n) { return g.integers(0, std::int64_t{3} << 60, n); }},
      {"integers int32", [](const Generator& g, std::int64_t n) { return g.integers(-9, 9, {.size = n, .dtype = np::int32}); }},
      {"integers of all bits",
       [](const Generator& g, std::int64_t n) { return g.integers(-2147483648, 2147483648, {.size = n, .dtype = np::int32}); }},
      {"integers that are one", [](const Generator& g, std::int64_t n) { return g.integers(4, 5, n); }},
  };
  return all;
}

/// The draw, and what is drawn after it: halves first, since one may be left over.
std::vector<np::array> drawn(Generator g, const draw& d, std::int64_t n, bool half_before, int threads) {
  np::config_scope scope({.threads = threads});
  std::vector<np::array> all;
  if (half_before) all.push_back(g.integers(0, 100, {.size = 1, .dtype = np::int32}));
  all.push_back(d(g, n));
  all.push_back(g.integers(0, 1000000, {.size = 3, .dtype = np::int32}));
  all.push_back(g.standard_normal(5));
  return all;
}

void expect_one_stream(const std::function<Generator()>& make, std::int64_t n) {
  for (const auto& [name, d] : draws())
    for (const bool half_before : {false, true}) {
      const auto alone = drawn(make(), d, n, half_before, 1);
      for (const int threads : {2, 3, 7}) {
        const auto together = drawn(make(), d, n, half_before, threads);
        for (std::size_t i = 0; i < alone.size(); ++i)
          EXPECT_TRUE(np::array_equal(alone[i], together[i])) << name << ", " << n << " by " << threads << " threads, part " << i;
      }
    }
}

TEST(random_fill, threads_draw_what_one_draws) {
  for (const std::int64_t n : {32767, 32768, 50001, 300000})
    for (const int seed : {1, 2}) expect_one_stream([seed] { return np::random::default_rng(seed); }, n);
}

TEST(random_fill, of_every_engine) {
  expect_one_stream([] { return Generator(np::random::PCG64DXSM(5)); }, 100003);
  expect_one_stream([] { return Generator(np::random::Philox(5)); }, 100003);
  expect_one_stream([] { return Generator(np::random::SFC64(5)); }, 40000);
  expect_one_stream([] { return Generator(np::random::MT19937(5)); }, 40000);
}

TEST(random_fill, from_the_middle_of_a_block) {
  for (int words = 1; words < 6; ++words)
    expect_one_stream(
        [words] {
          Generator g(np::random::Philox(7));
          g.random(words);
          return g;
        },
        70000);
}

}  // namespace
