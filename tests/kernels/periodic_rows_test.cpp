// Steps of loops with periodic borders, some rows at a time: the same bits as with each of them stored.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <numjit/array/same_bits.h>
#include <numjit/np.h>

#include "support/compiled_kernels.h"

namespace np = numjit;

namespace {

using Fields = std::vector<np::array>;
using Program = std::function<Fields(const Fields&)>;

np::array data(const np::shape_list& shape, double phase = 0) {
  std::int64_t size = 1;
  for (std::int64_t n : shape) size *= n;
  return np::reshape(np::sin(np::arange(static_cast<double>(size)) * 12.9898 + phase) * 437.5, shape);
}

class PeriodicRows : public numjit::testing::CompiledKernels {
 protected:
  /// Of two fields. Is the plan's text to name them?
  static void expect_same(const Program& program, const Fields& start, bool joined = true,
                          const std::vector<int>& counts = {1, 2, 3, 7}) {
    for (int threads : counts) {
      np::config().threads = threads;
      auto compiled = np::compile([&](const np::array& a, const np::array& b) { return program({a, b}); });
      const Fields expected = program(start);
      for (int i = 0; i < 4; ++i) {
        const Fields made = compiled(start[0], start[1]);
        for (std::size_t k = 0; k < expected.size(); ++k) {
          const auto difference = np::detail::first_difference(expected[k].get(), made[k].get());
          ASSERT_FALSE(difference) << threads << " threads, call " << i << ", array " << k << ", element " << *difference;
        }
      }
      const std::string text = np::testing::as_text(np::explain(compiled)(start[0], start[1]));
      EXPECT_EQ(text.find("periodic rows") != std::string::npos, joined) << text;
    }
  }
};

np::array spread(const np::array& u) {
  return np::roll(u, 1, 0) + np::roll(u, -1, 0) + np::roll(u, 1, 1) + np::roll(u, -1, 1) - 4.0 * u;
}

Program heat(int steps) {
  return [steps](const Fields& f) {
    np::array u = f[0];
    for (int i = 0; i < steps; ++i) u = u + 0.1 * spread(u);
    return Fields{u};
  };
}

TEST_F(PeriodicRows, Heat) {
  for (int steps : {2, 3, 8}) expect_same(heat(steps), {data({301, 128}), data({1})});
  expect_same(heat(5), {data({4001, 100}), data({1})});  // windows move on
  expect_same(heat(2), {data({90, 1500}), data({1})});
}

// What a step reads that is not rolled, results that others read, too, and fields that are made together.
TEST_F(PeriodicRows, SeveralFields) {
  expect_same(
      [](const Fields& f) {
        np::array u = f[0] * 1e-3, v = f[1] * 1e-3;
        for (int i = 0; i < 4; ++i) {
          const np::array r = u * v * v;
          std::tie(u, v) = std::pair{u + 0.16 * spread(u) - r + 0.035 * (1.0 - u), v + 0.08 * spread(v) + r - 0.1 * v};
        }
        return Fields{u, v};
      },
      {data({500, 130}), data({500, 130}, 1)});
  expect_same(
      [](const Fields& f) {  // the last result but one is returned as well
        np::array now = f[0], before = f[1];
        for (int i = 0; i < 5; ++i) before = std::exchange(now, 2.0 * now - before + 0.1 * spread(now));
        return Fields{now, before};
      },
      {data({333, 201}), data({333, 201}, 1)});
  expect_same(
      [](const Fields& f) {
        np::array u = f[0];
        for (int i = 0; i < 6; ++i) u = 0.5 * (np::roll(u, 2, 0) + np::roll(u, -1, 0)) - 0.25 * f[1];
        return Fields{u};
      },
      {data({900, 70}), data({900, 70}, 1)});
}

TEST_F(PeriodicRows, OtherRanksAndTypes) {
  const Program wave = [](const Fields& f) {
    np::array now = f[0], before = f[1];
    for (int i = 0; i < 5; ++i) before = std::exchange(now, 2.0 * now - before + 0.1 * (np::roll(now, 1) + np::roll(now, -1)));
    return Fields{now};
  };
  expect_same(wave, {data({70001}), data({70001}, 1)});
  const Program colours = [](const Fields& f) {
    np::array u = f[0];
    for (int i = 0; i < 3; ++i) u = np::roll(u, {1, -2}, {0, 1}) - np::roll(u, 3, 1) + u;
    return Fields{u};
  };
  for (const np::dtype& type : {np::int16, np::float32, np::complex64})
    expect_same(colours, {data({70, 40, 80}).astype(type), data({1})}, true, {1, 3});
}

// Each as it was before: results that are kept, columns that lie elsewhere, and axes behind the second.
TEST_F(PeriodicRows, OthersRunStepByStep) {
  expect_same(
      [](const Fields& f) {
        Fields all{f[0]};
        for (int i = 0; i < 4; ++i) all.push_back(all.back() + 0.1 * spread(all.back()));
        return all;
      },
      {data({300, 200}), data({1})}, false);
  expect_same(heat(3), {np::transpose(data({300, 200})), data({1})}, false);  // in another order
  expect_same(
      [](const Fields& f) {
        np::array u = f[0];
        for (int i = 0; i < 3; ++i) u = np::roll(u, 1, 2) - np::roll(u, -1, 0);
        return Fields{u};
      },
      {data({60, 50, 80}), data({1})}, false);
}

TEST_F(PeriodicRows, RandomPrograms) {
  std::mt19937 random(20261128);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 20; ++round) {
    const std::int64_t rows = 150 + pick(500), columns = 64 + pick(200);
    const int reach = 1 + pick(3), steps = 2 + pick(6);
    struct Term {
      int from, down, right, to;
    };
    std::vector<Term> terms(static_cast<std::size_t>(1 + pick(5)));
    for (Term& term : terms) term = {pick(2), pick(2 * reach + 1) - reach, pick(2 * reach + 1) - reach, pick(2)};
    const bool together = pick(2) == 0;
    const Program program = [&](const Fields& start) {
      Fields now{start[0], start[1]};
      for (int i = 0; i < steps; ++i) {
        Fields next = now;
        for (const Term& term : terms) {
          const np::array& read = together ? now[static_cast<std::size_t>(term.from)] : next[static_cast<std::size_t>(term.from)];
          np::array& to = next[static_cast<std::size_t>(term.to)];
          to = 0.5 * to - 0.25 * np::roll(np::roll(read, term.down, 0), term.right, 1);
        }
        now = next;
      }
      return now;
    };
    SCOPED_TRACE("program " + std::to_string(round));
    for (int threads : {1, 3}) {
      np::config().threads = threads;
      auto compiled = np::compile([&](const np::array& a, const np::array& b) { return program({a, b}); });
      const Fields start{data({rows, columns}), data({rows, columns}, 1)}, expected = program(start);
      for (int i = 0; i < 4; ++i) {
        const Fields made = compiled(start[0], start[1]);
        for (std::size_t k = 0; k < 2; ++k) {
          const auto difference = np::detail::first_difference(expected[k].get(), made[k].get());
          ASSERT_FALSE(difference) << threads << " threads, call " << i << ", array " << k << ", element " << *difference;
        }
      }
    }
  }
}

}  // namespace
