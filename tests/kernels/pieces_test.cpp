// Kernels over arrays put together from parts of others, as rolls are: the same bits as with these arrays stored.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include <numjit/array/same_bits.h>
#include <numjit/np.h>

#include "support/compiled_kernels.h"

namespace np = numjit;
using np::_;
using np::slice;

namespace {

np::array data(const np::shape_list& shape, std::int64_t size) {
  return np::reshape(np::sin(np::arange(static_cast<double>(size)) * 12.9898) * 437.5, shape);
}

class Pieces : public numjit::testing::CompiledKernels {
 protected:
  using Program = std::function<np::array(const np::array&)>;

  static void expect_same(const Program& program, const np::array& start, bool joined = true,
                          const std::vector<int>& counts = {1, 2, 7}) {
    for (int threads : counts) {
      np::config().threads = threads;
      auto compiled = np::compile([&](const np::array& u) { return program(u); });
      np::array now = start, expected = start;
      for (int i = 0; i < 5; ++i) {
        const np::array made = compiled(now), right = program(expected);
        const auto difference = np::detail::first_difference(right.get(), made.get());
        ASSERT_FALSE(difference) << threads << " threads, call " << i << ", element " << *difference;
        if (made.shape() == start.shape() && made.dtype() == start.dtype()) now = made, expected = right;
      }
      const std::string text = np::testing::as_text(np::explain(compiled)(now));
      const bool is_joined = text.find("in pieces") != std::string::npos || text.find("periodic rows") != std::string::npos;
      EXPECT_EQ(is_joined, joined) << text;
    }
  }
};

np::array wave(const np::array& u) {
  return u + 0.1 * (np::roll(u, 1, 0) + np::roll(u, -1, 0) + np::roll(u, 1, 1) + np::roll(u, -1, 1) - 4 * u);
}

TEST_F(Pieces, PeriodicStencils) {
  expect_same(wave, data({120, 90}, 120 * 90));
  expect_same(wave, data({700, 301}, 700 * 301));
  expect_same([](const np::array& u) { return wave(wave(wave(u))); }, data({200, 128}, 200 * 128));
  expect_same([](const np::array& u) { return 0.5 * (np::roll(u, 3, 0) + np::roll(u, -2, 0)); }, data({5001}, 5001));
  expect_same(
      [](const np::array& u) {
        return np::roll(u, 1, 0) + np::roll(u, -1, 1) * 0.5 - np::roll(u, 2, 2) + np::exp(-np::roll(u, 0, 1) * 0.001);
      },
      data({40, 50, 80}, 160000));
}

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
  return n;
}

std::pair<np::array, np::array> react(const np::array& u, const np::array& v) {
  const auto spread = [](const np::array& a) {
    return np::roll(a, 1, 0) + np::roll(a, -1, 0) + np::roll(a, 1, 1) + np::roll(a, -1, 1) - 4.0 * a;
  };
  const np::array r = u * v * v;
  return {u + 0.16 * spread(u) - r + 0.035 * (1.0 - u), v + 0.08 * spread(v) + r - 0.1 * v};
}

// Fields that react with each other: one kernel a step computes both. The same of the way back of their gradient.
TEST_F(Pieces, TwoFields) {
  const Program steps = [](const np::array& start) {
    np::array u = start * 1e-3, v = u * 0.5;
    for (int step = 0; step < 3; ++step) std::tie(u, v) = react(u, v);
    return np::stack({u, v});
  };
  expect_same(steps, data({120, 90}, 120 * 90));
  auto compiled = np::compile(steps);
  const np::array start = data({120, 90}, 120 * 90);
  for (int call = 0; call < 3; ++call) compiled(start);
  std::string text = np::testing::as_text(np::explain(compiled)(start));
  EXPECT_EQ(count(text, "periodic rows"), 1) << text;

  const Program gradient = [](const np::array& u) {
    return np::grad([](const np::array& a) {
      np::array b = a * 1e-3, c = b * 0.5;
      for (int step = 0; step < 2; ++step) std::tie(b, c) = react(b, c);
      return np::sum(b * c);
    })(u);
  };
  expect_same(gradient, start);
  auto back = np::compile(gradient);
  for (int call = 0; call < 3; ++call) back(start);
  text = np::testing::as_text(np::explain(back)(start));
  EXPECT_EQ(count(text, "in pieces"), 2) << text;  // of the way forward, whose results are kept
  EXPECT_EQ(count(text, "periodic rows"), 1) << text;
}

// How far is a value of the program, as all parameters of views are.
TEST_F(Pieces, OneGraphServesAllShifts) {
  auto turn = np::compile([](const np::array& u, int by) { return np::roll(u, by, 1) + 0.5 * np::roll(u, -by, 0); });
  const np::array u = data({120, 90}, 120 * 90);
  turn(u, 1);
  const auto before = np::counters();
  for (const int by : {2, -3, 0, 91, 7}) {
    const np::array expected = np::roll(u, by, 1) + 0.5 * np::roll(u, -by, 0);
    EXPECT_FALSE(np::detail::first_difference(expected.get(), turn(u, by).get())) << by;
  }
  EXPECT_EQ(np::counters().new_paths, before.new_paths);
}

TEST_F(Pieces, RollsOfRolls) {
  const Program life = [](const np::array& cells) {
    np::array n = np::zeros(cells.shape(), cells.dtype());
    for (int i : {-1, 0, 1})
      for (int j : {-1, 0, 1})
        if (i != 0 || j != 0) n = n + np::roll(np::roll(cells, i, 0), j, 1);
    return np::where((n == 3) | ((cells != 0) & (n == 2)), 1, 0).astype(np::int8);
  };
  expect_same(life, (data({150, 130}, 19500) > 100.0).astype(np::int8));
  expect_same([](const np::array& u) { return np::roll(u, {2, -3}, {0, 1}) - u; }, data({90, 100}, 9000).astype(np::float32));
  expect_same([](const np::array& u) { return np::roll(np::roll(np::roll(u, 5, 1), -2, 1), 7, 0) * 2; },
              data({90, 100}, 9000).astype(np::complex128));
}

TEST_F(Pieces, OtherJoints) {
  expect_same(  // a border of zeros, and one of a row of the array
      [](const np::array& u) {
        const np::array zeros = np::zeros({u.shape(0), 1});
        const np::array left = np::concatenate({zeros, u(_, slice(0, -1))}, {.axis = 1});
        const np::array above = np::concatenate({u(slice(0, 1)), u(slice(0, -1))}, {.axis = 0});
        return u - left + 0.5 * (u - above);
      },
      data({200, 90}, 18000));
  expect_same(  // differences along an axis, beside an operand that is broadcast
      [](const np::array& u) {
        return np::roll(u, 1, 1) * np::arange(90.0) + np::roll(u, -1, 0) * np::reshape(np::arange(200.0), {200, 1});
      },
      data({200, 90}, 18000));
  expect_same(  // of an array that the program made, turned and with steps
      [](const np::array& u) {
        const np::array v = np::exp(u * 0.001);
        return np::roll(np::transpose(v), 2, 0) + np::roll(np::transpose(v), -1, 1);
      },
      data({150, 150}, 22500));
}

TEST_F(Pieces, PartsOfRolls) {
  expect_same([](const np::array& u) { return np::roll(u, 1, 0)(slice(1, -1)) + u(slice(1, -1)); }, data({200, 90}, 18000));
  expect_same(
      [](const np::array& u) {
        const np::array rolled = np::roll(np::roll(u, 4, 0), -2, 1);
        return rolled(slice(1, -1), slice(2, np::none)) * 0.5 - u(slice(2, np::none), slice(0, -2)) +
               rolled(slice(0, -2), slice(1, -1));
      },
      data({200, 90}, 18000));
}

// Where the joined array is wanted itself, is seen in part, or has no large part, it is stored.
TEST_F(Pieces, StoredWhereItHasToBe) {
  expect_same([](const np::array& u) { return np::roll(u, 100, 0) + u; }, data({200, 90}, 18000), false);
  expect_same([](const np::array& u) { return np::roll(u, 1, 0)(slice(1, -1, 2)) + u(slice(1, -1, 2)); }, data({200, 90}, 18000),
              false);
  expect_same([](const np::array& u) { return np::roll(u, 1, 0) + u; }, data({20, 20}, 400), false);
  expect_same(
      [](const np::array& u) {
        const np::array rolled = np::roll(u, 1, 0);
        return (rolled + u) * np::sum(rolled) / np::matmul(np::transpose(rolled), u)(0, 0);
      },
      data({200, 90}, 18000), false);
}

// What was rolled may be written afterwards, or be what the result goes into.
TEST_F(Pieces, BesideStores) {
  expect_same(
      [](const np::array& start) {
        np::array u = start.copy();
        const np::array rolled = np::roll(u, 1, 0);
        u += 1.0;
        u(slice(1, -1)) = rolled(slice(1, -1)) + u(slice(1, -1));
        u(_) = 0.5 * (np::roll(u, 1, 1) + np::roll(u, -1, 1));
        return u + np::roll(u, 3, 0);
      },
      data({150, 120}, 18000));
}

// A join that is read behind a store into what it is made of.
TEST_F(Pieces, JoinsBeforeStoresThatWait) {
  const Program program = [](const np::array& start) {
    np::array u = start * 1.0;
    const np::array pair = np::concatenate({u, u}, {.axis = 1}), turned = np::roll(u, 1, 0);
    u(slice(np::none, np::none, 2)) += u(0);
    const np::array product = np::matmul(np::transpose(pair), pair);
    u(slice(1, np::none)) -= 0.5 * u(slice(0, -1));
    return np::sum(product) + turned + u;
  };
  expect_same(program, data({20, 9}, 180), false);
  expect_same(program, data({120, 90}, 120 * 90), false);
}

TEST_F(Pieces, RandomPrograms) {
  std::mt19937 random(20261124);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 30; ++round) {
    const std::int64_t rows = 30 + pick(120), columns = 64 + pick(100);
    struct Term {
      int shift, axis, kind;
    };
    std::vector<std::vector<Term>> sums(static_cast<std::size_t>(1 + pick(3)));
    for (auto& terms : sums) {
      terms.resize(static_cast<std::size_t>(1 + pick(4)));
      for (Term& term : terms) term = {pick(9) - 4, pick(2), pick(4)};
    }
    SCOPED_TRACE("program " + std::to_string(round));
    const Program program = [&](const np::array& start) {
      np::array u = start;
      for (const auto& terms : sums) {
        np::array next = 0.25 * u;
        for (const Term& term : terms) {
          const np::array rolled = np::roll(u, term.shift, term.axis);
          if (term.kind == 0)
            next = next + 0.1 * np::roll(rolled, -term.shift - 1, 1 - term.axis);
          else if (term.kind == 1)
            next = next - 0.1 * np::concatenate({rolled(slice(0, 3)), u(slice(3, np::none))}, {.axis = 0});
          else if (term.kind == 2)
            next = next * 0.5 + np::roll(np::concatenate({u(_, slice(5, np::none)), rolled(_, slice(0, 5))}, {.axis = 1}), 1, 0);
          else
            next = next + 0.3 * rolled;
        }
        u = next;
      }
      return u;
    };
    for (int threads : {1, 3}) {
      np::config().threads = threads;
      auto compiled = np::compile([&](const np::array& u) { return program(u); });
      np::array now = data({rows, columns}, rows * columns);
      for (int i = 0; i < 4; ++i) {
        const np::array made = compiled(now), right = program(now);
        const auto difference = np::detail::first_difference(right.get(), made.get());
        ASSERT_FALSE(difference) << threads << " threads, call " << i << ", element " << *difference;
        now = made;
      }
    }
  }
}

}  // namespace
