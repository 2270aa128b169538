// Shapes that depend on data stay inside the graph; a break where the program needs a length.
#include <gtest/gtest.h>

#include <numjit/np.h>

#include <functional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "support/code_generator.h"
#include "support/trace_values.h"

namespace np = numjit;

namespace {

using np::testing::message;
using np::testing::ramp;
using np::testing::values;

/// sin(0), sin(1), ...: about half of them are positive.
np::array wave(std::int64_t n) { return np::sin(np::arange(static_cast<double>(n))); }

using function = std::function<np::array(const np::array&)>;

/// The same elements, dtype and shape in five calls of one graph without a break, also under fullgraph
/// and in every backend.
void expect_one_graph(const std::string& what, const function& f, const np::array& x) {
  const np::array eager = f(x);
  auto same = [&](const np::array& got, const std::string& how) {
    EXPECT_EQ(got.shape(), eager.shape()) << what << " " << how;
    EXPECT_EQ(got.dtype(), eager.dtype()) << what << " " << how;
    EXPECT_EQ(got.str(), eager.str()) << what << " " << how;
  };
  for (const char* backend : {"eager", "graph", "halide"}) {
    np::reset();
    auto fast = np::compile(f, {.fullgraph = true, .backend = backend});
    for (int call = 0; call < 5; ++call) same(fast(x), backend);
    EXPECT_EQ(np::counters().breaks, 0) << what;
    EXPECT_EQ(np::counters().recompiles, 0) << what;
    EXPECT_EQ(np::counters().graphs, 1) << what;
  }
  np::config().compile = np::compile_mode::sync;
  auto fast = np::compile(f);
  for (int call = 0; call < 2; ++call) same(fast(x), "sync");
  auto report = np::explain(f)(x);
  EXPECT_EQ(report.graph_count, 1) << what;
  EXPECT_EQ(report.graph_break_count, 0) << what;
  np::config().compile = np::compile_mode::async;
}

TEST(DataDependent, ResultsThatFlowOnStayInOneGraph) {
  const std::pair<const char*, function> programs[] = {
      {"sum", [](auto& x) { return np::array(x(x > 0)).sum(); }},
      {"mean", [](auto& x) { return np::mean(x(x > 0)); }},
      {"mean of float32", [](auto& x) { return np::mean(x(x > 0).astype(np::float32)); }},
      {"mean of float16", [](auto& x) { return np::mean(x(x > 0).astype(np::float16)); }},
      {"mean of complex", [](auto& x) { return np::mean(x(x > 0).astype(np::complex64) * 2); }},
      {"mean of bool", [](auto& x) { return np::mean(x(x > 0) > 0.5); }},
      {"var", [](auto& x) { return np::var(x(x > 0)); }},
      {"std", [](auto& x) { return np::std(x(x > 0), {.ddof = 1}); }},
      {"min", [](auto& x) { return np::min(x(x > 0)); }},
      {"argmax", [](auto& x) { return np::argmax(x(x > 0)); }},
      {"any", [](auto& x) { return np::any(x(x > 0) > 2); }},
      {"cumsum", [](auto& x) { return np::cumsum(x(x > 0)); }},
      {"chain", [](auto& x) { auto y = x(x > 0) * 2; return np::exp(y) - y / 3 + 1; }},
      {"weights", [](auto& x) { auto m = x > 0; return x(m) * np::cos(x)(m) + np::sum(x(m)); }},
      {"astype", [](auto& x) { return x(x > 0).astype(np::float32) * 3; }},
      {"where", [](auto& x) { np::array y = x(x > 0); return np::where(y > 0.5, y, -y); }},
      {"clip", [](auto& x) { return np::clip(x(x > 0), 0.2, 0.7); }},
      {"selected twice", [](auto& x) { np::array y = x(x > 0); return y(y < 0.5) * 2; }},
      {"nonzero", [](auto& x) { return np::nonzero(x > 0)[0] * 2; }},
      {"flatnonzero", [](auto& x) { return np::flatnonzero(x > 0) + 1; }},
      {"where of one", [](auto& x) { return np::where(x > 0)[0]; }},
      {"argwhere", [](auto& x) { return np::argwhere(x > 0); }},
      {"compress", [](auto& x) { return np::compress(x > 0, x) + 1; }},
      {"extract", [](auto& x) { return np::extract(x > 0, x) + 1; }},
      {"unique", [](auto& x) { return np::unique(np::floor(x * 3)) * 2; }},
      {"unique of a selection", [](auto& x) { return np::unique(np::floor(x(x > 0) * 3)) * 2; }},
      {"counts of unique", [](auto& x) { auto u = np::unique_all(np::floor(x * 3)); return u.values * u.counts; }},
      {"bincount", [](auto& x) { return np::bincount((np::abs(x) * 9).astype(np::int64)) * 2; }},
      {"weights of bins", [](auto& x) {
         auto bin = (np::abs(x) * 9).astype(np::int64);
         return np::bincount(bin, x) / np::maximum(np::bincount(bin), 1);
       }},
      {"bincount of a selection", [](auto& x) { return np::bincount((x(x > 0) * 9).astype(np::int32), {}, 12) + 1; }},
      {"repeat", [](auto& x) { return np::repeat(x, (np::abs(x) * 3).astype(np::int64)) * 2; }},
      {"places of a selection", [](auto& x) { return np::searchsorted(np::sort(x), x(x > 0)) * 2; }},
      {"histogram of a selection", [](auto& x) {
         auto h = np::histogram(x(x > 0), 5);
         return h.counts * 2 + h.edges(np::slice(1, np::none));
       }},
      {"histogram of nothing", [](auto& x) { auto h = np::histogram(x(x > 5), 5); return h.counts + h.edges(0); }},
      {"indices", [](auto& x) { return x(np::flatnonzero(x > 0)) * 2; }},
      {"take", [](auto& x) { return np::take(x * 2, np::flatnonzero(x > 0)); }},
      {"joined", [](auto& x) { return np::concatenate({x(x > 0), x(x <= 0) * 2}) + 1; }},
      {"sorted", [](auto& x) { return np::sort(x(x > 0)) * 2; }},
      {"dot", [](auto& x) { auto m = x > 0; return np::dot(x(m), np::cos(x)(m)); }},
      {"column", [](auto& x) { auto y = x(x > 0); return np::sum(y(np::_, np::newaxis) * np::array{1.0, 2.0}, {.axis = 0}); }},
      {"columns", [](auto& x) { auto m = x > 0; return np::column_stack({x(m), x(m) * 2}); }},
      {"stacked", [](auto& x) { auto m = x > 0; return np::stack({x(m), x(m) * 2}); }},
      {"in place", [](auto& x) { np::array y = x(x > 0); y += 1; y(y > 1.5) = 0; return y; }},
      {"stored back", [](auto& x) { auto y = x.copy(); auto m = y > 0; y(m) = np::sqrt(y(m)); return y; }},
      {"updated", [](auto& x) { auto y = x.copy(); auto m = y > 0; y(m) += x(m) * 2; return y; }},
      {"scattered", [](auto& x) { auto y = x * 0; y(np::flatnonzero(x > 0)) = 5; return y; }},
      {"nothing", [](auto& x) { return x(x > 10) * 2; }},
      {"sum of nothing", [](auto& x) { return np::sum(x(x > 10) * 2); }},
      {"one element", [](auto& x) { return x(x == np::max(x)) * 2; }},
      {"everything", [](auto& x) { return x(x > -10) * 2; }},
      {"ravel", [](auto& x) { return x(x > 0).ravel() * 2; }},
      {"all extents given", [](auto& x) { auto y = x(x > -2).reshape(5, 10); return y * y(0); }},
      {"reshaped view", [](auto& x) { return x(x > -2).reshape(5, 10); }},
      {"grid of counts", [](auto& x) {
         auto cell = (np::abs(x) * 3).astype(np::int64) * 4 + (np::cos(x) > 0).astype(np::int64);
         return np::bincount(cell, {}, 16).reshape(4, 4) / 50.0;
       }},
  };
  for (const auto& [what, f] : programs) expect_one_graph(what, f, wave(50));
}

TEST(DataDependent, RowsOfMatrices) {
  const std::pair<const char*, function> programs[] = {
      {"column sums", [](auto& x) { np::array y = x(x(np::_, 0) > 0); return np::sum(y * y, {.axis = 0}); }},
      {"row sums", [](auto& x) { np::array y = x(x(np::_, 0) > 0); return np::sum(y * y, {.axis = 1}) + 1; }},
      {"column means", [](auto& x) { np::array y = x(x(np::_, 0) > 0); return np::mean(y, {.axis = 0}); }},
      {"all", [](auto& x) { np::array y = x(x(np::_, 0) > 0); return np::sum(y) / np::mean(y); }},
      {"transposed", [](auto& x) { np::array y = x(x(np::_, 0) > 0); return y.T() * 2; }},
      {"one column", [](auto& x) { np::array y = x(x(np::_, 0) > 0); return y(np::_, 1) - y(np::_, -1); }},
      {"centred", [](auto& x) { np::array y = x(x(np::_, 0) > 0); return y - np::mean(y, {.axis = 0}); }},
      {"distances", [](auto& x) {
         np::array y = x(x(np::_, 0) > 0);
         auto d = y(np::_, np::newaxis) - x(np::newaxis);
         return np::argmin(np::sum(d * d, {.axis = -1}), {.axis = 1});
       }},
      {"product", [](auto& x) { np::array y = x(x(np::_, 0) > 0); return np::matmul(y, np::ones({3, 2})); }},
      {"elements", [](auto& x) { return np::sum(x(x > 0)); }},
      {"places", [](auto& x) { auto p = np::nonzero(x > 0); return p[0] * 10 + p[1]; }},
      {"known axis", [](auto& x) { np::array y = x(x(np::_, 0) > 0); return y * static_cast<double>(y.shape(1)); }},
  };
  for (const auto& [what, f] : programs) expect_one_graph(what, f, wave(36).reshape(12, 3));
}

TEST(DataDependent, MaskedStoreDoesNotBreak) {
  expect_one_graph("store", [](auto& x) { auto y = x * 2; y(y < 0) = 0; return y; }, wave(20));
  expect_one_graph("update", [](auto& x) { auto y = x * 2; y(y < 0) *= -1; return y; }, wave(20));
}

TEST(DataDependent, AThousandCountsOneGraphAndNoFurtherKernel) {
  SKIP_WITHOUT_CODE_GENERATOR();
  np::reset();
  np::config().compile = np::compile_mode::sync;
  auto body = [](const np::array& x, const np::array& limit) {
    auto m = x < limit;
    np::array y = x(m);
    return std::tuple(y * 2 + limit, np::sum(y * y), np::mean(y));
  };
  auto f = np::compile(body, {.fullgraph = true});
  const auto x = ramp(1100);
  f(x, np::array(700.5));
  const auto kernels = np::counters().kernels_compiled + np::counters().kernels_loaded;
  for (int count : {0, 1, 2, 0, 1, 1, 3}) {
    auto [a, b, c] = f(x, np::array(count - 0.5));
    auto [ea, eb, ec] = body(x, np::array(count - 0.5));
    EXPECT_EQ(values(a), values(ea)) << count;
    EXPECT_EQ(a.shape(), ea.shape()) << count;
    EXPECT_EQ(b.str() + c.str(), eb.str() + ec.str()) << count;
  }
  for (int count = 0; count < 1000; ++count) {
    auto [a, b, c] = f(x, np::array(count - 0.5));
    ASSERT_EQ(a.size(), count);
    ASSERT_EQ(b.item(), std::get<1>(body(x, np::array(count - 0.5))).item()) << count;
  }
  EXPECT_EQ(np::counters().graphs, 1);
  EXPECT_EQ(np::counters().recompiles, 0);
  EXPECT_EQ(np::counters().breaks, 0);
  // Sums of short and of long axes may be two kernels each; counts bring no others.
  EXPECT_LE(np::counters().kernels_compiled + np::counters().kernels_loaded, kernels + 3);
  np::config().compile = np::compile_mode::async;
}

/// Rows of the breaks of one call, with their contexts.
std::vector<std::string> breaks_of(const function& f, const np::array& x) {
  auto report = np::explain(f)(x);
  std::vector<std::string> rows;
  for (const auto& b : report.break_reasons) rows.push_back(b.id + " " + b.context);
  const np::array fast = np::compile(f)(x);
  EXPECT_EQ(fast.str(), f(x).str());
  return rows;
}
using rows = std::vector<std::string>;

TEST(DataDependent, ABreakWhereALengthIsNeeded) {
  const auto x = wave(30);
  EXPECT_EQ(breaks_of([](auto& x) { np::array y = x(x > 0); return y * y.size(); }, x),
            rows{"NJ0005 size(float64[?]) of op 2 = mask_select(...)"});
  EXPECT_EQ(breaks_of([](auto& x) { np::array y = x(x > 0); return y * y.shape()[0]; }, x),
            rows{"NJ0005 size(float64[?]) of op 2 = mask_select(...)"});
  EXPECT_EQ(breaks_of([](auto& x) { auto y = np::flatnonzero(x > 0); return y * y.len(); }, x),
            rows{"NJ0005 size(int64[?]) of op 2 = nonzero_flat(...)"});
  EXPECT_EQ(breaks_of([](auto& x) { np::array y = x(x > 0); return y(0) + 1; }, x),
            rows{"NJ0005 index(float64[?]) of op 2 = mask_select(...)"});
  EXPECT_EQ(breaks_of([](auto& x) { np::array y = x(x > 0); return y(np::slice(1, np::none)) + 1; }, x),
            rows{"NJ0005 index(float64[?]) of op 2 = mask_select(...)"});
  EXPECT_EQ(breaks_of([](auto& x) { np::array y = x(x > 0); return y * np::zeros_like(y); }, x),
            rows{"NJ0005 size(float64[?]) of op 2 = mask_select(...)"});
  EXPECT_EQ(breaks_of([](auto& x) { return np::roll(x(x > 0), 1, 0); }, x), rows{});
  EXPECT_EQ(breaks_of([](auto& x) { return np::reshape(x(x > -2), {5, -1}) + 1; }, x),
            rows{"NJ0005 size(float64[?]) of op 2 = mask_select(...)"});
}

TEST(DataDependent, CountsOfDifferentMasksAreNotTakenForEqual) {
  const auto x = wave(30);
  // Equal by chance, and it may be otherwise at the next call.
  EXPECT_EQ(breaks_of(
                [](auto& x) {
                  np::array y = x(x > 0), z = x(x > 1e-9);
                  return y + z;
                },
                x),
            rows{"NJ0005 add(float64[?]) of op 2 = mask_select(...)"});
  // The same expression, but a store in between may have changed what it compares.
  EXPECT_EQ(breaks_of(
                [](auto& given) {
                  auto x = given * 1;
                  np::array y = x(x > 0);
                  x(0) = -1;
                  x(1) = 1;
                  return y + x(x > 0);
                },
                x)
                .size(),
            1u);
  // One of them has one element: NumPy broadcasts it.
  EXPECT_EQ(breaks_of([](auto& x) { np::array y = x(x > 0), z = x(x == np::max(x)); return y * z; }, x).size(), 1u);
  // A length that is one by chance against a known one.
  EXPECT_EQ(breaks_of([](auto& x) { np::array y = x(x == np::max(x)); return y * x; }, x).size(), 1u);
  // A store to the mask between two uses.
  EXPECT_EQ(breaks_of([](auto& x) {
              auto m = x > 0;
              np::array y = x(m);
              m(0) = true;
              m(1) = false;
              return y + x(m);
            }, x).size(), 1u);
}

TEST(DataDependent, TheSameExpressionIsTheSameMask) {
  np::reset();
  const auto fix = [](const np::array& given) {
    auto x = given * 1;
    x(x > 0) = np::sqrt(x(x > 0)) + 1;
    x((x < 0) & ~np::isnan(x)) = x((x < 0) & ~np::isnan(x)) * x((x < 0) & ~np::isnan(x));
    return x;
  };
  const auto f = np::compile(fix, {.fullgraph = true});
  for (int round = 0; round < 4; ++round, np::wait_for_compiles())
    for (const int n : {30, 7, 1})
      EXPECT_TRUE(np::array_equal(f(wave(n) - 0.3 * round), fix(wave(n) - 0.3 * round)));
  EXPECT_EQ(np::counters().breaks, 0);
}

TEST(DataDependent, NumbersOfEqualMasksMustStayEqual) {
  np::reset();
  const auto f = np::compile([](const np::array& x, double low, double high) -> np::array {
    return x(x > low) + x(x > high);
  });
  const auto x = np::array{3.0, 1.0, 4.0, 2.0};
  for (int round = 0; round < 3; ++round, np::wait_for_compiles()) {
    EXPECT_TRUE(np::array_equal(f(x, 1.5, 1.5), np::array{6.0, 8.0, 4.0}));
    EXPECT_TRUE(np::array_equal(f(x, 0.5, 0.5), np::array{6.0, 2.0, 8.0, 4.0}));
    EXPECT_EQ(np::counters().breaks, round * 2);
    EXPECT_TRUE(np::array_equal(f(x, 1.5, 3.5),
                                np::array{7.0, 8.0, 6.0}));  // one element, which is broadcast
    EXPECT_THROW(f(x, 0.5, 1.5), np::ValueError);
    EXPECT_EQ(np::counters().breaks, round * 2 + 2);
  }
}

TEST(DataDependent, CountsOfOneArrayHaveOneLength) {
  const auto x = np::arange(30) % 7;
  // Other minimal lengths, and a store in between, make other lengths.
  EXPECT_EQ(breaks_of([](auto& x) { auto y = x * 1; return np::bincount(y) + np::bincount(y, {}, 5); }, x).size(), 1u);
  EXPECT_EQ(breaks_of([](auto& x) {
              auto y = x * 1;
              auto before = np::bincount(y);
              y(0) = 3;
              return before + np::bincount(y);
            }, x).size(), 1u);
}

TEST(DataDependent, ErrorsOfCountsAreThoseOfTheSegment) {
  const std::pair<function, std::string> programs[] = {
      {[](auto& x) { return np::bincount(x.astype(np::int64) - 3) * 2; },
       "[bincount] 'list' argument must have no negative elements"},
      {[](auto& x) { return np::bincount(x.astype(np::int64), {}, 6).reshape(2, 3) * 2; },
       "[reshape] cannot reshape array of size 9 into shape (2,3)"},
      {[](auto& x) { return np::repeat(x, 2 - x.astype(np::int64)) * 2; },
       "[repeat] repeats may not contain negative values."},
      {[](auto& x) { return np::digitize(x, np::sin(x) * 1) * 2; },
       "[digitize] bins must be monotonically increasing or decreasing"},
      {[](auto& x) { return np::histogram(x, np::sin(x)).counts * 2; },
       "[histogram] `bins` must increase monotonically, when an array"},
      {[](auto& x) { return np::histogram(x / 0.0, 3).counts * 2; },
       "[histogram] autodetected range of [nan, nan] is not finite"},
  };
  for (const auto& [f, text] : programs) {
    EXPECT_EQ(message([&f = f] { f(ramp(9)); }), text);
    auto fast = np::compile(f, {.fullgraph = true});
    for (int call = 0; call < 3; ++call) EXPECT_EQ(message([&] { fast(ramp(9)); }), text);
  }
}

TEST(DataDependent, BroadcastErrorsComeAtTheOperation) {
  std::string log;
  auto body = [&](const np::array& x) {
    np::array y = x(x > 0), z = x(x < 2);
    log += "before ";
    np::array sum = y + z;
    log += "after ";
    return sum;
  };
  const auto x = ramp(6);
  const std::string eager = message([&] { body(x); });
  EXPECT_EQ(eager, "[add] operands could not be broadcast together with shapes (5,) (2,)");
  auto f = np::compile(body);
  for (int call = 0; call < 3; ++call) {
    log.clear();
    EXPECT_EQ(message([&] { f(x); }), eager);
    EXPECT_EQ(log, "before ");
  }
}

TEST(DataDependent, ReductionsOfNothingAreErrorsOfTheSegment) {
  auto body = [](const np::array& x, np::array& kept) {
    kept = x * 2;
    return np::max(x(x > 100)) + 1;
  };
  const auto x = ramp(5);
  np::array kept;
  const std::string eager = message([&] { body(x, kept); });
  EXPECT_EQ(eager, "[max] zero-size array to reduction operation maximum which has no identity");
  auto f = np::compile(body);
  for (int call = 0; call < 3; ++call) {
    kept = np::array();
    EXPECT_EQ(message([&] { f(x, kept); }), eager);
    EXPECT_EQ(values(kept), values(x * 2));
  }
  auto big = ramp(200);
  EXPECT_EQ(f(big, kept).item(), 200);
}

TEST(DataDependent, LengthsUnderFullgraphAreErrors) {
  auto f = np::compile([](const np::array& x) {
    np::array y = x(x > 0);
    return y * y.size();
  }, {.fullgraph = true});
  const std::string text = message([&] { f(wave(9)); });
  EXPECT_NE(text.find("Graph Break Reason: Data-dependent shape\n"
                      "  Explanation: size needs a length that depends on values, which are not known while recording.\n"
                      "  Hint: Keep the count as an array, np::count_nonzero(mask), use np::where or a masked store, or "
                      "ask for the length after the compiled function returns.\n"
                      "  Developer debug context: size(float64[?]) of op 2 = mask_select(...)\n"),
            std::string::npos)
      << text;
}

TEST(DataDependent, ResultsAreOrdinaryArraysAfterwards) {
  auto f = np::compile([](const np::array& x) {
    auto m = x > 0;
    np::array y = x(m);
    return std::vector<np::array>{y, y(np::_, np::newaxis), y * 2, np::flatnonzero(m), m};
  });
  for (std::int64_t n : {9, 5, 9, 1, 0}) {
    const auto x = wave(n);
    const auto got = f(x);
    const auto count = static_cast<std::int64_t>(np::count_nonzero(x > 0).item());
    EXPECT_EQ(got[0].size(), count);
    EXPECT_EQ(got[1].shape(), (np::dims{count, 1}));
    EXPECT_TRUE(got[0].is_c_contiguous());
    EXPECT_EQ(values(got[0] * 2), values(got[2]));
    EXPECT_EQ(values(x(got[3])), values(got[0]));
    EXPECT_EQ(values(got[1]), values(got[0]));
  }
}

TEST(DataDependent, UserBackendsGiveTheLength) {
  auto f = np::compile(
      [](const np::array& x) {
        np::array y = x(x > 0);
        return std::pair(y, y(np::_, np::newaxis));
      },
      {.backend = [](const np::graph::Graph&) {
        return [](np::graph_call& call) {
          const np::array& x = call.inputs[0];
          call.outputs[0] = x(x > 0);
        };
      }});
  for (std::int64_t n : {9, 4, 1, 0}) {
    auto [a, b] = f(wave(n));
    EXPECT_EQ(values(a), values(wave(n)(wave(n) > 0)));
    EXPECT_EQ(b.shape(), (np::dims{a.size(), 1}));
  }
}

TEST(DataDependent, ReplayWithOtherCounts) {
  np::reset();
  auto f = np::compile(
      [](const np::array& x) {
        auto m = x > 0;
        return std::pair(x(m) * 2, np::sum(x(m)));
      },
      {.mode = np::mode::replay, .verify_replay = 3});
  for (int k = 0; k < 40; ++k) {
    const auto x = wave(20) + (k % 7 - 3) * 0.4;
    auto [a, b] = f(x);
    EXPECT_EQ(values(a), values(np::array(x(x > 0)) * 2)) << k;
    EXPECT_EQ(b.item(), np::sum(x(x > 0)).item()) << k;
  }
  EXPECT_EQ(np::counters().breaks, 0);
}

TEST(DataDependent, SameBitsAreChecked) {
  SKIP_WITHOUT_CODE_GENERATOR();
  np::reset();
  np::config().compile = np::compile_mode::sync;
  np::config().check_same_bits = true;
  auto f = np::compile([](const np::array& x) {
    np::array y = x(x > 0);
    return np::sum(np::sqrt(y) * 2 + 1) / np::mean(y);
  });
  for (int n : {5000, 40, 3, 100000}) EXPECT_EQ(message([&] { f(wave(n)); }), "no error") << n;
  np::config().check_same_bits = false;
  np::config().compile = np::compile_mode::async;
}

TEST(DataDependent, FromManyThreads) {
  auto f = np::compile([](const np::array& x) { return np::sum(x(x > 0) * 2); });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&f, t] {
      for (int n = 0; n < 60; ++n) {
        const auto x = wave(n * 7 + t);
        EXPECT_EQ(f(x).item(), np::sum(x(x > 0) * 2).item());
      }
    });
  for (auto& t : threads) t.join();
}

TEST(DataDependent, SelectionInParallelKeepsTheOrder) {
  for (std::int64_t n : {65535, 65536, 65537, 1 << 18, 300001}) {
    const auto x = wave(n);
    const auto m = x > 0.3;
    const auto places = np::flatnonzero(m).tolist<std::int64_t>();
    const auto chosen = values(x(m));
    const auto all = values(x);
    const auto truth = m.tolist<bool>();
    std::vector<std::int64_t> expected_places;
    std::vector<double> expected;
    for (std::int64_t i = 0; i < n; ++i)
      if (truth[static_cast<std::size_t>(i)]) {
        expected_places.push_back(i);
        expected.push_back(all[static_cast<std::size_t>(i)]);
      }
    EXPECT_EQ(places, expected_places) << n;
    EXPECT_EQ(chosen, expected) << n;
  }
}

TEST(DataDependent, IndicesThatWereStoredToAreCheckedWhenTheyAreUsed) {
  auto chosen = [](const np::array& x, np::array order) {
    order(0) = np::argmax(x);
    return np::stack({x(order), np::broadcast_to(x(order(0)), x.shape())});
  };
  expect_one_graph("stored indices", [&](auto& x) { return chosen(x, np::arange(x.len())); }, wave(20));
  // An argument's storage, too: it is concrete, and its new elements are not there yet.
  const auto order = np::arange(20);
  const auto eager = chosen(wave(20), order.copy());
  for (int call = 0; call < 2; ++call) {
    const auto report = np::explain(np::compile(chosen))(wave(20), order.copy());
    EXPECT_EQ(report.graph_break_count, 0);
    EXPECT_EQ(np::compile(chosen)(wave(20), order.copy()).str(), eager.str());
  }
  auto beyond = np::compile([](const np::array& x, np::array order) {
    order(0) = np::argmax(x) + 100;
    return x(order);
  });
  EXPECT_EQ(message([&] { beyond(wave(3), np::arange(3)); }), "[index] index 102 is out of bounds for axis 0 with size 3");
}

TEST(DataDependent, EachOfSeveralIndicesIsHeldAgainstItsOwnAxis) {
  // Row 0, column 3 of a matrix with two columns must not become row 1, column 1.
  const auto x = np::arange(6).reshape(3, 2), rows = np::arange(3);
  auto read = np::compile([](const np::array& x, const np::array& i, const np::array& j) { return x(i, j + 0) + 0; });
  auto write = np::compile([](const np::array& x, const np::array& i, const np::array& j) {
    auto y = x * 1;
    y(i, j + 0) = 7;
    return y;
  });
  EXPECT_EQ(read(x, rows, np::array{1, 0, -1}).str(), "[1 2 5]");
  EXPECT_EQ(write(x, rows, np::array{1, 0, -2}).ravel().str(), "[0 7 7 3 7 5]");
  for (auto j : {3, -3}) {
    const std::string wanted = "index " + std::to_string(j) + " is out of bounds for axis 1 with size 2";
    EXPECT_EQ(message([&] { read(x, rows, np::array{j, 0, 0}); }), "[index] " + wanted);
    EXPECT_EQ(message([&] { write(x, rows, np::array{j, 0, 0}); }), "[index] " + wanted);
  }
}

TEST(DataDependent, AnArrayIsStoredToWhatAMaskBesideSlicesSelects) {
  // The length that the value must have ends the graph, once.
  const auto x = np::arange(12.0).reshape(3, 4);
  const np::array columns = np::array{1, 0, 0, 1} > 0;
  auto write = np::compile([](const np::array& x, const np::array& mask, const np::array& v) {
    auto y = x * 1;
    y(np::_, mask) = v;
    return y;
  });
  const auto v = np::arange(6.0).reshape(3, 2) + 20.0;
  for (int call = 0; call < 3; ++call)
    EXPECT_EQ(write(x, columns, v).str(), "[[20.  1.  2. 21.]\n [22.  5.  6. 23.]\n [24.  9. 10. 25.]]");
  EXPECT_EQ(message([&] { write(x, columns, np::ones(4)); }),
            "[index] shape mismatch: value array of shape (4,) could not be broadcast to indexing result of shape (3,2)");
}

TEST(DataDependent, MasksOfManyStepsAreComparedInFewOfThem) {
  // Each product is used twice: compared use by use there would be 2^50 of them.
  auto mask = [](np::array z) {
    for (int i = 0; i < 50; ++i) z = z * z;
    return z > 0.5;
  };
  auto sum = [&](const np::array& x) { return np::sum(x(mask(x))) + np::sum(x(mask(x))); };
  auto compiled = np::compile(sum);
  const np::array x = np::linspace(0.0, 2.0, 9);
  for (int call = 0; call < 3; ++call) EXPECT_TRUE(np::array_equal(compiled(x), sum(x)));
}

// Of two masks that are arguments each has its own number of elements, in whatever order they come again.
TEST(DataDependent, MasksThatAreArguments) {
  const auto f = [](const np::array& x, const np::array& a, const np::array& b) {
    std::vector<np::array> made;
    for (const np::array* mask : {&a, &b, &a, &b, &b}) made.push_back(x(*mask) * 2.0);
    np::array y = x * 1.0;
    y(a) = x(a) * x(a);
    y(b) = y(b) + 1.0;
    made.push_back(y);
    return made;
  };
  const np::array x = wave(6);
  const np::array a{true, false, true, true, false, true}, b{false, true, false, false, false, true};
  for (const char* backend : {"eager", "graph", "halide"}) {
    auto fast = np::compile(f, {.backend = backend});
    for (int call = 0; call < 3; ++call) {
      const np::array &first = call == 1 ? b : a, &second = call == 1 ? a : b;
      const std::vector<np::array> eager = f(x, first, second), got = fast(x, first, second);
      for (std::size_t i = 0; i < eager.size(); ++i) EXPECT_EQ(got[i].str(), eager[i].str()) << backend << " " << i;
    }
  }
}

}  // namespace
