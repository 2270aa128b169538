// Stores into arrays that their own kernel reads: rows at a time gives what one after the other gives.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <numjit/array/same_bits.h>
#include <numjit/np.h>

#include "support/compiled_kernels.h"

namespace np = numjit;
using np::_;
using np::slice;

namespace {

const auto in = slice(1, -1), up = slice(0, -2), down = slice(2, np::none);

np::array data(const np::shape_list& shape, std::int64_t size) {
  return np::reshape(np::sin(np::arange(static_cast<double>(size)) * 12.9898) * 437.5, shape);
}

using np::testing::as_text;

class InPlace : public numjit::testing::CompiledKernels {
 protected:
  using Program = std::function<void(np::array&)>;

  // Runs it often enough for steps to be joined, and compares each run.
  static void expect_same(const Program& program, const np::array& start, bool joined = true,
                          const std::string& name = "in place", const std::vector<int>& counts = {1, 2, 3, 7}) {
    for (int threads : counts) {
      np::config().threads = threads;
      auto compiled = np::compile([&](np::array u) { program(u); });
      np::array u = start.copy(), expected = start.copy();
      for (int i = 0; i < 5; ++i) {
        compiled(u);
        program(expected);
        const auto difference = np::detail::first_difference(expected.get(), u.get());
        ASSERT_FALSE(difference) << threads << " threads, call " << i << ", element " << *difference;
      }
      const std::string text = as_text(np::explain(compiled)(u));
      EXPECT_TRUE(name.empty() || (text.find(name) != std::string::npos) == joined) << text;
    }
  }
};

TEST_F(InPlace, Stencils) {
  expect_same([](np::array& u) { u(in, in) += 0.1 * (u(up, in) + u(down, in) + u(in, up) + u(in, down) - 4 * u(in, in)); },
              data({301, 128}, 301 * 128));
  expect_same([](np::array& u) { u(slice(2, -1)) = 0.5 * (u(slice(0, -3)) + u(slice(3, np::none))); },
              data({397, 70}, 397 * 70));
  expect_same([](np::array& u) { u(slice(0, -3), slice(2, np::none)) += 0.25 * u(slice(3, np::none), slice(0, -2)); },
              data({500, 65}, 500 * 65));
  expect_same([](np::array& u) { u(slice(5, np::none)) -= 0.5 * u(slice(0, -5)); }, data({264, 128}, 264 * 128));
}

TEST_F(InPlace, OtherRanks) {
  expect_same([](np::array& u) { u(in) = 0.25 * (u(up) + u(down)); }, data({50001}, 50001));
  expect_same([](np::array& u) { u(in, in, in) += 0.1 * (u(up, in, in) + u(in, down, in) - 2 * u(in, in, up)); },
              data({30, 40, 20}, 24000));
  expect_same([](np::array& u) { u(_, in) += 0.1 * (u(_, up) + u(_, down)); }, data({300, 90}, 27000));
  expect_same([](np::array& u) { u(in, in) += 0.1 * (u(up, in) - u(down, in)); }, data({9001, 5}, 45005));
  expect_same([](np::array& u) { u(in, in) = u(up, in) - 0.5 * u(slice(4, 5), in); }, data({320, 64}, 320 * 64), false);
}

// Steps of a loop over time: some rows go through several of them.
TEST_F(InPlace, SeveralSteps) {
  const auto expect_loop = [](int steps, const Program& step, const np::array& start, bool joined = true) {
    expect_same([&](np::array& u) { for (int i = 0; i < steps; ++i) step(u); }, start, joined, "several steps");
  };
  const Program heat = [](np::array& u) {
    u(in, in) += 0.1 * (u(up, in) + u(down, in) + u(in, up) + u(in, down) - 4 * u(in, in));
  };
  for (int steps : {2, 3, 8}) expect_loop(steps, heat, data({301, 128}, 301 * 128));
  expect_loop(5, heat, data({4001, 100}, 400100));  // several tiles for each thread
  expect_loop(6, heat, data({90, 1500}, 135000));
  expect_loop(4, [](np::array& u) { u(slice(2, -1)) = 0.5 * (u(slice(0, -3)) + u(slice(3, np::none))); },
              data({397, 70}, 397 * 70));
  expect_loop(3, [](np::array& u) { u(slice(0, -3), slice(2, np::none)) += 0.25 * u(slice(3, np::none), slice(0, -2)); },
              data({3500, 65}, 3500 * 65));
  expect_loop(4, [](np::array& u) { u(slice(5, np::none)) -= 0.5 * u(slice(0, -5)); }, data({3264, 70}, 3264 * 70));
  expect_loop(4, [](np::array& u) { u(in) = 0.25 * (u(up) + u(down)); }, data({50001}, 50001));
  expect_loop(4, [](np::array& u) { u(in, in, in) += 0.1 * (u(up, in, in) + u(in, down, in) - 2 * u(in, in, up)); },
              data({80, 40, 20}, 64000));
  expect_loop(3, [](np::array& u) { u(_, in) += 0.1 * (u(_, up) + u(_, down)); }, data({300, 90}, 27000));
  expect_loop(
      3, [](np::array& u) { u(in, in) += 0.1 * (u(up, in) - u(down, in)); }, data({9001, 5}, 45005));
}

// Of any reach up and down, on any number of threads, through windows that move on.
TEST_F(InPlace, RandomLoops) {
  std::mt19937 random(20261128);
  auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 24; ++round) {
    const bool flat = round % 6 == 5;
    const int trim = pick(3) == 0 ? 3 : 1, steps = 2 + pick(9), reads = 1 + pick(4);
    const std::int64_t rows = flat ? 20000 + pick(20000) : 150 + pick(1500), columns = flat ? 1 : 20 + pick(200);
    std::vector<std::array<int, 2>> shifts(static_cast<std::size_t>(reads));
    for (auto& [down, right] : shifts) down = pick(2 * trim + 1), right = flat ? 0 : pick(3);
    const auto part = [&](const np::array& u, int down, int right) {
      const auto along = slice(down, down + rows - 2 * trim);
      return flat ? u(along) : u(along, slice(right, right + columns - 2));
    };
    const Program program = [&](np::array& u) {
      for (int i = 0; i < steps; ++i) {
        np::array sum = part(u, trim, 1) * 0.5;
        for (const auto& [down, right] : shifts) sum = sum - 0.125 * part(u, down, right);
        part(u, trim, 1) = sum;
      }
    };
    SCOPED_TRACE("loop " + std::to_string(round));
    const np::shape_list shape = flat ? np::shape_list{rows} : np::shape_list{rows, columns};
    expect_same(program, data(shape, rows * columns), true, "", {1, 3});
    if (HasFatalFailure()) return;
  }
}

// The rows of a view may begin at any element of the array's.
TEST_F(InPlace, RowsThatBeginElsewhere) {
  for (const std::int64_t by : {1, 17, 70, 100})
    expect_same(
        [by](np::array& u) {
          const np::array flat = np::reshape(u, {-1});
          np::array rows = np::reshape(flat(slice(0, 300 * 70)), {300, 70});
          rows += 0.5 * np::reshape(flat(slice(by, by + 300 * 70)), {300, 70});
          np::array later = np::reshape(flat(slice(by, by + 300 * 70)), {300, 70});
          later -= 0.25 * rows;
        },
        data({302, 70}, 302 * 70));
}

// A copy that is there for its old values only.
TEST_F(InPlace, OldValuesOfACopy) {
  const Program heat = [](np::array& u) {
    np::array old = u.copy();
    u(in, in) = old(in, in) + 0.1 * (old(up, in) + old(down, in) + old(in, up) + old(in, down) - 4 * old(in, in));
  };
  expect_same(heat, data({301, 128}, 301 * 128));
  expect_same([&](np::array& u) { for (int i = 0; i < 5; ++i) heat(u); }, data({1301, 128}, 1301 * 128), true, "several steps");
  expect_same(
      [](np::array& u) {
        np::array old = u.copy();
        u(slice(5, np::none)) -= 0.5 * old(slice(0, -5));
      },
      data({264, 128}, 264 * 128));
  // The copy goes on to be read, what was copied lies elsewhere, or its rows are in another order.
  expect_same(
      [](np::array& u) {
        np::array old = u.copy();
        u(in) = old(up) + old(down);
        u(in) -= 0.5 * old(in);
        np::array turned = np::transpose(u).copy();
        u(in, slice(0, 64)) += np::transpose(turned)(up, slice(0, 64));
        const np::array other = np::exp(u).copy();
        u(in) = other(up) * other(down);
        old = u.copy();
        u(in, slice(0, 8)) = old(up, slice(8, 16)) - old(down, slice(0, 8));
      },
      data({264, 128}, 264 * 128), true, "");
}

// A copy that is written and then dropped.
TEST_F(InPlace, CopiesThatNobodyReads) {
  expect_same(
      [](np::array& u) {
        np::array lost = u.copy();
        lost(in) = u(up) + u(down);
        np::array other = u.copy();
        other(in, in) = 2 * other(in, in) + u(up, in);
        u += 1;
      },
      data({400, 300}, 120000), true, "");
}

// Steps that differ, and what they read beside the array that they write.
TEST_F(InPlace, SeveralStepsOfOtherKinds) {
  const np::array source = data({301, 128}, 301 * 128);
  const Program step = [&](np::array& u) {
    u(in, in) += 0.1 * (u(up, in) + u(in, down) - 2 * u(in, in)) + source(in, in);
    u(in, in) = u(in, in) * 0.99 - 0.01 * u(down, in);
  };
  expect_same([&](np::array& u) { for (int i = 0; i < 3; ++i) step(u); }, data({301, 128}, 301 * 128), true, "several steps");
  // Another place is written: these two do not join.
  expect_same(
      [](np::array& u) {
        u(in, in) += 0.1 * u(up, in);
        u(slice(0, -2), in) += 0.1 * u(down, in);
      },
      data({301, 128}, 301 * 128), false, "several steps");
}

TEST_F(InPlace, OtherLayoutsRunStepByStep) {
  const np::array wide = data({300, 300}, 90000);
  expect_same(
      [](np::array& u) {
        np::array t = np::transpose(u);
        t(in, in) += 0.1 * (t(up, in) + t(in, down));
      },
      wide, false);
  expect_same([](np::array& u) { u(slice(np::none, np::none, -1)) += 0.5 * u; }, wide, false);
}

// What overlaps is known only when the call is made.
TEST_F(InPlace, PlacesMayChange) {
  auto step = [](const np::array& from, np::array to) { to += 0.5 * np::sqrt(np::abs(from)); };
  auto compiled = np::compile(step);
  auto moved = np::compile([](np::array u, std::int64_t by) {
    const std::int64_t n = u.shape(0) - 40;
    u(slice(20, 20 + n)) += 0.5 * u(slice(by, by + n));
  });
  for (int round = 0; round < 3; ++round)
    for (std::int64_t shift : {0, 1, 1, 1, 1, 20, 33, 33, 2, 40}) {
      np::array u = data({260, 64}, 260 * 64), expected = u.copy();
      const std::int64_t n = 220;
      compiled(u(slice(shift, shift + n)), u(slice(20, 20 + n)));
      step(expected(slice(shift, shift + n)), expected(slice(20, 20 + n)));
      ASSERT_FALSE(np::detail::first_difference(expected.get(), u.get())) << "arguments " << shift << " rows apart";
      moved(u, shift);
      expected(slice(20, 20 + n)) += 0.5 * expected(slice(shift, shift + n));
      ASSERT_FALSE(np::detail::first_difference(expected.get(), u.get())) << "views " << shift << " rows apart";
    }
}

// Two fields and more that are written from both: their stores wait for each other.
class InPlaceFields : public InPlace {
 protected:
  using Fields = std::vector<np::array>;
  using FieldProgram = std::function<void(Fields&)>;

  static void expect_same(const FieldProgram& program, const Fields& start, const std::string& name) {
    const auto copies = [&] {
      Fields made;
      for (const np::array& field : start) made.push_back(field.copy());
      return made;
    };
    for (int threads : {1, 2, 3, 7}) {
      np::config().threads = threads;
      auto compiled = np::compile([&](Fields& fields) { program(fields); });
      Fields fields = copies(), expected = copies();
      for (int i = 0; i < 5; ++i) {
        compiled(fields);
        program(expected);
        for (std::size_t f = 0; f < fields.size(); ++f) {
          const auto difference = np::detail::first_difference(expected[f].get(), fields[f].get());
          ASSERT_FALSE(difference) << threads << " threads, call " << i << ", field " << f << ", element " << *difference;
        }
      }
      const std::string text = as_text(np::explain(compiled)(fields));
      EXPECT_NE(text.find(name), std::string::npos) << text;
    }
  }
};

void gray_scott(std::vector<np::array>& fields) {
  np::array &U = fields[0], &V = fields[1];
  const auto laplacian = [](const np::array& a) {
    return a(up, in) + a(down, in) + a(in, up) + a(in, down) - 4 * a(in, in);
  };
  const np::array u = U(in, in), v = V(in, in);
  const np::array lu = laplacian(U), lv = laplacian(V), uvv = u * v * v;
  U(in, in) += 0.1 * lu - uvv + 0.0545 * (1 - u);
  V(in, in) += 0.05 * lv + uvv - 0.1165 * v;
}

np::array small(const np::shape_list& shape, std::int64_t size) { return data(shape, size) * 0.001; }

TEST_F(InPlaceFields, ReactionAndDiffusion) {
  for (const auto& [rows, columns, steps] :
       {std::tuple{301, 128, 1}, {301, 128, 2}, {4001, 100, 5}, {90, 1500, 6}, {700, 300, 8}}) {
    const Fields start{small({rows, columns}, rows * columns), small({rows, columns}, rows * columns) + 0.1};
    const int count = steps;
    expect_same([=](Fields& f) { for (int i = 0; i < count; ++i) gray_scott(f); }, start,
                steps == 1 ? "in place" : "several steps");
  }
}

TEST_F(InPlaceFields, OtherKinds) {
  const Fields two{data({301, 128}, 301 * 128), data({301, 128}, 301 * 128).astype(np::float32)};
  expect_same(
      [](Fields& f) {  // of two dtypes, with results that are no field's
        const np::array product = f[0](in, in) * f[1](in, up);
        f[0](in, in) += 0.01 * f[0](up, in) - product;
        f[1](in, in) -= 0.5 * f[1](in, down);
        f[0](in, in) *= np::exp(-np::abs(product));
      },
      two, "in place");
  expect_same(
      [](Fields& f) {  // the second store reads what the first one stored
        f[0](in, in) += 0.1 * f[1](up, in);
        f[0](in, in) += 0.1 * f[0](down, in);
        f[1](in, in) += 0.1 * f[0](up, in) - f[1](in, down);
      },
      two, "in place");
  const np::array whole = data({600, 128}, 600 * 128);
  expect_same(
      [](Fields& f) {  // two parts of one array, which touch
        np::array upper = f[0](slice(0, 300)), lower = f[0](slice(300, np::none));
        upper(in, in) += 0.1 * upper(up, in) - 0.2 * lower(down, in);
        lower(in, in) += 0.1 * lower(down, in);
        lower(slice(0, -1)) += 0.5 * upper(slice(1, np::none));
      },
      {whole}, "");
  expect_same(
      [](Fields& f) {  // and which overlap: what is stored last stays
        np::array upper = f[0](slice(10, 310)), lower = f[0](slice(2, 302));
        for (int i = 0; i < 3; ++i) {
          const np::array a = 0.5 * f[0](slice(0, 300)) - 0.25 * upper, b = a + upper;
          upper(_) = a;
          lower(_) = b;
        }
      },
      {data({320, 128}, 320 * 128)}, "in place");
}

// A store has been made when a later operation throws.
TEST_F(InPlaceFields, StoresBeforeAnError) {
  auto compiled = np::compile([](Fields& f, const np::array& index) {
    f[0](in, in) += 0.1 * f[0](up, in);
    f[1](in, in) += np::take(f[2], index)(in, in);
  });
  const auto make = [] { return Fields{data({101, 64}, 6464), data({101, 64}, 6464), data({50}, 50)}; };
  const np::array good = np::zeros({101, 64}, np::int64), bad = good + 50;
  for (int i = 0; i < 5; ++i) {
    Fields before = make(), fields = make(), expected = make();
    compiled(before, good);
    EXPECT_THROW(compiled(fields, bad), np::IndexError);
    expected[0](in, in) += 0.1 * expected[0](up, in);
    EXPECT_FALSE(np::detail::first_difference(expected[0].get(), fields[0].get())) << "call " << i;
  }
}

}  // namespace
