// Steps with lags: some rows of each at a time gives what one step after the other gives.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include <numjit/array/same_bits.h>
#include <numjit/base/buffer_pool.h>
#include <numjit/np.h>

#include "support/compiled_kernels.h"

namespace np = numjit;
using np::_;
using np::slice;

namespace {

const auto in = slice(1, -1), up = slice(0, -2), down = slice(2, np::none);
const auto head = slice(0, -1), tail = slice(1, np::none);

using Fields = std::vector<np::array>;
using Program = std::function<void(Fields&)>;

np::array data(const np::shape_list& shape, double phase = 0) {
  std::int64_t size = 1;
  for (std::int64_t n : shape) size *= n;
  return np::reshape(np::sin(np::arange(static_cast<double>(size)) * 12.9898 + phase) * 437.5, shape);
}

Fields fields(const np::shape_list& shape) { return {data(shape), data(shape, 1), data(shape, 2)}; }

class SkewedRows : public numjit::testing::CompiledKernels {
 protected:
  // Runs it often enough for steps to be joined, and compares each run. Is the plan's text to name them?
  static void expect_same(const Program& program, const Fields& start, const char* joined = "skewed rows",
                          const std::vector<int>& threads = {1, 2, 3, 7}) {
    for (int count : threads) {
      np::config().threads = count;
      auto compiled = np::compile([&](np::array a, np::array b, np::array c) {
        Fields all{a, b, c};
        program(all);
        return all;
      });
      Fields now, expected;
      for (const np::array& field : start) now.push_back(field.copy()), expected.push_back(field.copy());
      for (int i = 0; i < 4; ++i) {
        const Fields made = compiled(now[0], now[1], now[2]);
        Fields all = expected;
        program(all);
        for (std::size_t k = 0; k < all.size() + 3; ++k) {
          const auto difference = k < 3 ? np::detail::first_difference(expected[k].get(), now[k].get())
                                        : np::detail::first_difference(all[k - 3].get(), made[k - 3].get());
          ASSERT_FALSE(difference) << count << " threads, call " << i << ", array " << k << ", element " << *difference;
        }
      }
      const std::string text = np::testing::as_text(np::explain(compiled)(now[0], now[1], now[2]));
      EXPECT_TRUE(!joined || text.find(joined) != std::string::npos) << text;
    }
  }
};

void maxwell(Fields& f) {
  f[1](_, head) -= 0.5 * (f[0](_, tail) - f[0](_, head));
  f[2](head) += 0.5 * (f[0](tail) - f[0](head));
  f[0](in, in) += 0.5 * (f[2](in, in) - f[2](up, in) - f[1](in, in) + f[1](in, up));
}

TEST_F(SkewedRows, SeveralFields) {
  expect_same(maxwell, fields({301, 300}));
  expect_same([](Fields& f) { for (int i = 0; i < 5; ++i) maxwell(f); }, fields({400, 128}));
  expect_same([](Fields& f) { for (int i = 0; i < 4; ++i) maxwell(f); }, fields({97, 1000}));
}

TEST_F(SkewedRows, CopiesAndTheirInsides) {
  expect_same(
      [](Fields& f) {
        np::array u = f[0];
        for (int i = 0; i < 4; ++i) {
          np::array v = u.copy();
          v(in, in) = 0.25 * (u(up, in) + u(down, in) + u(in, up) + u(in, down));
          u = v;
        }
        f.push_back(u);
      },
      fields({300, 257}));
  expect_same(
      [](Fields& f) {
        np::array v = np::zeros_like(f[0]), w = np::zeros_like(f[0]);
        v(in) = f[0](up) - f[0](down);
        w(in) = v(up) + v(down);
        f.push_back(w);
        f.push_back(v);
      },
      fields({500, 130}));
}

TEST_F(SkewedRows, FillsAndTheirInsides) {
  for (const np::dtype& type : {np::float64, np::float32, np::int16}) {
    const auto steps = [&type](Fields& f) {
      np::array u = f[0].astype(type);
      for (int i = 0; i < 4; ++i) {
        np::array v = i % 2 == 0 ? np::zeros_like(u) : np::full_like(u, 7);
        v(in, in) = 2 * (u(up, in) + u(down, in) - u(in, up)) + u(in, down);
        u = v;
      }
      f.push_back(u);
    };
    expect_same(steps, fields({700, 400}));
    expect_same(steps, fields({65, 9000}));
  }
}

TEST_F(SkewedRows, OtherRanksAndTypes) {
  const Program along = [](Fields& f) {
    f[0](in) += 0.5 * (f[1](up) - f[1](down));
    f[1](in) += 0.5 * (f[0](up) - f[0](down));
    f[2] += f[0] * f[1];
  };
  expect_same(along, fields({90001}));
  expect_same(along, fields({60, 30, 40}));
  expect_same(along, {data({300, 200}), data({300, 200}, 1).astype(np::float32), data({300, 200}, 2)});
}

// The rows of a view may begin at any element of the array's.
TEST_F(SkewedRows, RowsThatBeginElsewhere) {
  for (const std::int64_t by : {1, 130, 299})
    expect_same(
        [by](Fields& f) {
          const np::array flat = np::reshape(f[0], {-1});
          np::array rows = np::reshape(flat(slice(by, by + 398 * 300)), {398, 300});
          f[1](in) += 0.5 * rows;
          rows -= 0.25 * f[1](up);
          f[2] -= f[0] * f[1];
        },
        fields({400, 300}));
}

TEST_F(SkewedRows, FarRowsAndFewOfThem) {
  expect_same(
      [](Fields& f) {
        f[0](slice(20, np::none)) += 0.5 * f[1](slice(0, -20));
        f[1](slice(0, -20)) -= 0.25 * f[0](slice(20, np::none));
        f[2](slice(0, -9)) = f[1](slice(9, np::none)) * 0.5;
      },
      fields({700, 100}));
  // Half of the rows look at the other half: they cannot go together.
  expect_same(
      [](Fields& f) {
        f[0](slice(0, 200)) += 0.5 * f[1](slice(200, 400));
        f[1](slice(0, 200)) -= 0.25 * f[0](slice(0, 200));
        f[1](slice(200, 400)) -= 0.25 * f[0](slice(0, 200));
      },
      fields({400, 130}), nullptr);
}

// Rows that others hold in another order are no rows of the run.
TEST_F(SkewedRows, OtherOrders) {
  expect_same(
      [](Fields& f) {
        f[0](in) += 0.5 * f[1](up);
        f[1] += f[0](slice(np::none, np::none, -1));
        f[2](slice(0, np::none, 2)) = f[1](slice(0, np::none, 2)) * 0.5;
        f[1] += np::transpose(f[2]);
        f[0] += f[1];
        f[2] += f[0](slice(0, 1));
      },
      fields({300, 300}), nullptr);
}

// What overlaps is known only when the call is made.
TEST_F(SkewedRows, PlacesMayChange) {
  auto step = [](np::array a, np::array b) {
    a(in) += 0.5 * (b(up) + b(down));
    b(in) -= 0.5 * (a(up) + a(down));
  };
  auto compiled = np::compile(step);
  for (int round = 0; round < 2; ++round)
    for (std::int64_t shift : {400, 400, 400, 400, 3, 3, 3, 0, 0, 0, 1, 400, 401, 401, 401}) {
      np::array u = data({900, 130}), expected = u.copy();
      compiled(u(slice(0, 400)), u(slice(shift, shift + 400)));
      step(expected(slice(0, 400)), expected(slice(shift, shift + 400)));
      ASSERT_FALSE(np::detail::first_difference(expected.get(), u.get())) << "arguments " << shift << " rows apart";
    }
}

// Without memory for all of them, steps run one by one, and those before the one that fails have run.
TEST_F(SkewedRows, NoMemory) {
  np::array a = data({400, 300}), b = data({400, 300}, 1), expected = a.copy();
  auto compiled = np::compile([](np::array x, np::array y) {
    x(in) += 0.5 * y(up);
    return x * 0.5 + y;
  });
  for (int i = 0; i < 4; ++i) {
    compiled(a, b);
    expected(in) += 0.5 * b(up);
  }
  const std::string text = np::testing::as_text(np::explain(compiled)(a, b));
  expected(in) += 0.5 * b(up);
  EXPECT_NE(text.find("skewed rows"), std::string::npos) << text;
  np::detail::release_cached_blocks();
  const std::int64_t limit = np::config().memory_limit.get();
  np::config().memory_limit = np::detail::memory_usage().in_use + 100000;
  EXPECT_THROW(compiled(a, b), np::MemoryError);
  np::config().memory_limit = limit;
  expected(in) += 0.5 * b(up);
  EXPECT_FALSE(np::detail::first_difference(expected.get(), a.get()));
}

// Rows longer than the cache is are cut into strips of columns.
TEST_F(SkewedRows, WideRows) {
  const std::vector<int> threads{1, 3};
  const Program heat = [](Fields& f) {
    for (int i = 0; i < 5; ++i) f[0](in, in) += 0.1 * (f[0](up, in) + f[0](down, in) + f[0](in, up) + f[0](in, down));
  };
  expect_same(heat, fields({67, 30000}), "skewed rows", threads);
  expect_same(
      [](Fields& f) {
        for (int i = 0; i < 2; ++i) maxwell(f);
      },
      fields({80, 15001}), "skewed rows", threads);
  expect_same(
      [](Fields& f) {
        np::array u = f[0];
        for (int i = 0; i < 3; ++i) {
          np::array v = i == 1 ? np::zeros_like(u) : u.copy();
          v(in, in) = 0.25 * (u(up, in) + u(down, in) + u(in, up) + u(in, down));
          u = v;
        }
        f.push_back(u);
      },
      fields({65, 30000}), "skewed rows", threads);
}

TEST_F(SkewedRows, WideRowsOfOtherLayouts) {
  const std::vector<int> threads{1, 2};
  const auto of_type = [&](const np::dtype& type, const np::shape_list& shape) {
    Fields all;
    for (const np::array& field : fields(shape)) all.push_back(field.astype(type));
    expect_same(
        [](Fields& f) {
          f[1](in, head) -= f[0](in, tail) - f[0](in, head);  // columns one to the left
          f[0](in, tail) += f[1](up, head) + f[1](down, head);
          f[2](in) = f[0](up) - f[1](down);
        },
        all, "skewed rows", threads);
  };
  of_type(np::int16, {64, 70000});
  of_type(np::complex128, {60, 9000});
  of_type(np::float32, {50, 9000, 3});
  // Each second column, and one row for all.
  expect_same(
      [](Fields& f) {
        const np::array even = f[0](_, slice(0, np::none, 2)), odd = f[0](_, slice(1, np::none, 2));
        even(in) += 0.5 * (odd(up) + odd(down));
        odd(in) += 0.5 * (even(up) + even(down)) * f[1](0, slice(0, np::none, 2));
        f[2](in) = f[0](up) + f[0](down);
      },
      fields({60, 24000}), nullptr, threads);
}

// Statements of any kind: the lags have to be right whatever reads and writes what.
TEST_F(SkewedRows, RandomPrograms) {
  std::mt19937 random(20261123);
  auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  struct Statement {
    int to, one, other, rows[3], columns[3], kind;
  };
  for (int round = 0; round < 32; ++round) {
    const bool wide = round % 4 == 3;
    const std::int64_t rows = (wide ? 60 : 180) + pick(wide ? 30 : 200), trim = 1 + pick(4);
    const std::int64_t columns = (wide ? 18000 : 90) + pick(wide ? 9000 : 60);
    std::vector<Statement> statements(static_cast<std::size_t>(2 + pick(7)));
    for (Statement& s : statements) {
      s.to = pick(3), s.one = pick(3), s.other = pick(3), s.kind = pick(4);
      for (int& r : s.rows) r = pick(static_cast<int>(2 * trim + 1));
      for (int& c : s.columns) c = pick(3);
    }
    const Program program = [&](Fields& f) {
      for (const Statement& s : statements) {
        const auto part = [&](int field, int k) {
          return f[static_cast<std::size_t>(field)](slice(s.rows[k], s.rows[k] + rows - 2 * trim),
                                                    slice(s.columns[k], s.columns[k] + columns - 2));
        };
        if (s.kind == 0)
          part(s.to, 0) = 0.5 * part(s.one, 1) - 0.25 * part(s.other, 2);
        else if (s.kind == 1)
          part(s.to, 0) += 0.5 * part(s.one, 1);
        else if (s.kind == 2)
          f[static_cast<std::size_t>(s.to)] = f[static_cast<std::size_t>(s.to)] * 0.5 + f[static_cast<std::size_t>(s.one)];
        else
          f[static_cast<std::size_t>(s.to)] *= 0.75;
      }
    };
    SCOPED_TRACE("program " + std::to_string(round));
    expect_same(program, fields({rows, columns}), nullptr, {1, 3});
    if (HasFatalFailure()) return;
  }
}

}  // namespace
