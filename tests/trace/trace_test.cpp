// Meaning of compiled functions: results, mutations, exceptions and breaks as the eager program has them.
#include <gtest/gtest.h>

#include <numjit/np.h>

#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support/trace_values.h"

namespace np = numjit;

namespace {

using np::testing::ramp;
using np::testing::values;

/// Runs `f` three times compiled and compares each result with the eager one.
template <class F, class... A>
void expect_same(F f, const A&... args) {
  const std::vector<double> eager = values(f(args...));
  auto fast = np::compile(f);
  for (int run = 0; run < 3; ++run) EXPECT_EQ(values(fast(args...)), eager) << "run " << run;
}

TEST(Compile, Elementwise) {
  expect_same([](const np::array& a, const np::array& b) { return a * b + np::sqrt(a) - b / (1 + a); },
              ramp(10), ramp(10) + 2);
}

TEST(Compile, Broadcast) {
  expect_same([](const np::array& a, const np::array& b) { return a(np::_, np::newaxis) * b + 1; }, ramp(5),
              ramp(3));
}

TEST(Compile, ReductionsOfExpressions) {
  auto x = ramp(12).reshape(3, 4);
  expect_same([](const np::array& a) { return np::sum(a * a, {.axis = 1}); }, x);
  expect_same([](const np::array& a) { return np::sum(a * a, {.axis = 0}); }, x);
  expect_same([](const np::array& a) { return np::sum(a * a) + np::max(a); }, x);
  expect_same([](const np::array& a) { return np::argmin(np::cos(a), {.axis = 1}); }, x);
  expect_same([](const np::array& a) { return a - np::mean(a, {.axis = 1, .keepdims = true}); }, x);
}

TEST(Compile, NearestCentre) {
  expect_same(
      [](const np::array& p, const np::array& c) {
        auto diff = p(np::_, np::newaxis) - c(np::newaxis);
        return np::argmin(np::sum(diff * diff, {.axis = -1}), {.axis = 1});
      },
      np::sin(ramp(60)).reshape(20, 3), np::cos(ramp(12)).reshape(4, 3));
}

TEST(Compile, ScalarsChangePerCallWithoutNewGraphs) {
  np::reset();
  auto f = np::compile([](const np::array& x, double t) { return x * t + t; });
  auto x = ramp(7);
  for (int i = 0; i < 50; ++i) {
    const double t = 0.5 * i;
    EXPECT_EQ(values(f(x, t)), values(x * t + t));
  }
  EXPECT_EQ(np::counters().graphs, 1u);
}

TEST(Compile, SizesChangePerCallWithoutNewGraphs) {
  np::reset();
  auto f = np::compile([](const np::array& x) { return np::sum(x * x) / x.size() + x; });
  for (std::int64_t n = 2; n < 60; ++n) {
    auto x = ramp(n);
    EXPECT_EQ(values(f(x)), values(np::sum(x * x) / n + x)) << n;
  }
  EXPECT_EQ(np::counters().graphs, 1u);
}

TEST(Compile, SizesZeroAndOne) {
  auto body = [](const np::array& x, const np::array& y) { return x * y + 1; };
  auto f = np::compile(body);
  for (std::int64_t n : {3, 1, 0, 1, 3, 0}) EXPECT_EQ(values(f(ramp(n), ramp(1))), values(body(ramp(n), ramp(1))));
}

// An empty array needs no kernel: what it left behind is not taken for the layout that waits for one.
TEST(Compile, SizeZeroWhileTheKernelCompiles) {
  auto body = [](const np::array& x) { return x * 31 - x / 17 + np::sqrt(x) * 0.375; };
  auto f = np::compile(body);
  for (std::int64_t n : {7, 0, 7, 7, 7, 0, 7, 7}) EXPECT_EQ(values(f(ramp(n))), values(body(ramp(n)))) << n;
  np::wait_for_compiles();
  for (std::int64_t n : {7, 7, 0, 7, 7}) EXPECT_EQ(values(f(ramp(n))), values(body(ramp(n)))) << n;
}

TEST(Compile, InPlaceStoreIntoArgument) {
  auto body = [](const np::array& u) { u(np::slice(1, -1)) = u(np::slice(2, np::none)) + u(np::slice(np::none, -2)); };
  auto eager = ramp(10), compiled = ramp(10);
  auto f = np::compile(body);
  for (int i = 0; i < 4; ++i) {
    body(eager);
    f(compiled);
    EXPECT_EQ(values(compiled), values(eager)) << i;
  }
}

TEST(Compile, HeatLoopWithSwap) {
  auto body = [](np::array u, np::array v, int steps) {
    for (int s = 0; s < steps; ++s) {
      v(np::slice(1, -1)) = u(np::slice(1, -1)) + 0.1 * (u(np::slice(2, np::none)) -
                            2.0 * u(np::slice(1, -1)) + u(np::slice(np::none, -2)));
      std::swap(u, v);
    }
    return u;
  };
  auto f = np::compile(body);
  auto u = np::sin(ramp(50));
  const auto expected = values(body(u.copy(), np::zeros(50), 100));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(f(u.copy(), np::zeros(50), 100)), expected) << i;
}

TEST(Compile, OldValueReadAfterStore) {
  auto body = [](const np::array& a) {
    auto before = a * 2;
    a(np::slice(0, 3)) = 100.0;
    return before + a;
  };
  auto f = np::compile(body);
  for (int i = 0; i < 3; ++i) {
    auto x = ramp(6), y = ramp(6);
    EXPECT_EQ(values(f(x)), values(body(y)));
    EXPECT_EQ(values(x), values(y));
  }
}

TEST(Compile, OverlappingArguments) {
  auto body = [](const np::array& a, const np::array& b) { a(np::_) = b * 2; };
  auto f = np::compile(body);
  for (int i = 0; i < 3; ++i) {
    auto x = ramp(8), y = ramp(8);
    f(x(np::slice(1, np::none)), x(np::slice(np::none, -1)));
    body(y(np::slice(1, np::none)), y(np::slice(np::none, -1)));
    EXPECT_EQ(values(x), values(y));
    f(x, x);
    body(y, y);
    EXPECT_EQ(values(x), values(y));
    auto z = ramp(8);
    f(x, z);
    body(y, z);
    EXPECT_EQ(values(x), values(y));
  }
}

TEST(Compile, ViewsOfPendingValuesOutliveTheCall) {
  auto body = [](const np::array& a) {
    auto t = a + 1;
    return t(np::slice(1, np::none, 2));
  };
  auto f = np::compile(body);
  for (int i = 0; i < 3; ++i) {
    auto view = f(ramp(9));
    EXPECT_EQ(values(view), values(body(ramp(9))));
    view(0) = -1.0;
    EXPECT_EQ(view(0).item<double>(), -1.0);
  }
}

TEST(Compile, StoreIntoPendingValue) {
  expect_same(
      [](const np::array& a) {
        auto z = np::zeros_like(a);
        z(np::slice(2, 5)) = a(np::slice(2, 5)) * 3;
        z += 1;
        return z * a;
      },
      ramp(8));
}

TEST(Compile, MaskedStore) {
  auto body = [](const np::array& a) { a(a > 3) = 0; };
  auto f = np::compile(body);
  for (int i = 0; i < 3; ++i) {
    auto x = ramp(8), y = ramp(8);
    f(x);
    body(y);
    EXPECT_EQ(values(x), values(y));
  }
}

TEST(Compile, ReturnsItsArgument) {
  auto f = np::compile([](const np::array& a) { return a; });
  auto x = ramp(3);
  auto y = f(x);
  y(0) = 7.0;
  EXPECT_EQ(x(0).item<double>(), 7.0);
}

TEST(Compile, AssignThroughOut) {
  auto body = [](const np::array& a, const np::array& out) { np::add(a, 1, {.out = out}); };
  auto f = np::compile(body);
  for (int i = 0; i < 3; ++i) {
    auto o = np::zeros(4);
    f(ramp(4), o);
    EXPECT_EQ(values(o), (std::vector<double>{1, 2, 3, 4}));
  }
}

// ---- breaks ----

TEST(Breaks, BranchOnValue) {
  auto body = [](const np::array& x) {
    if (bool(np::sum(x) > 0)) return x * 2;
    return x - 1;
  };
  auto f = np::compile(body);
  for (double sign : {1.0, -1.0, 1.0, -1.0}) {
    auto x = ramp(5) * sign;
    EXPECT_EQ(values(f(x)), values(body(x)));
  }
  auto report = np::explain(f)(ramp(5));
  EXPECT_EQ(report.graph_count, 2);
  EXPECT_EQ(report.graph_break_count, 1);
  ASSERT_EQ(report.break_reasons.size(), 1u);
  EXPECT_EQ(report.break_reasons[0].id, "NJ0001");
  EXPECT_EQ(report.break_reasons[0].reason, "Data-dependent branch");
}

TEST(Breaks, LoopUntilConverged) {
  auto body = [](np::array x) {
    while (bool(np::max(x) > 1)) x = x / 2;
    return x;
  };
  auto f = np::compile(body);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(f(ramp(100))), values(body(ramp(100))));
  np::reset();
  f(ramp(100));
  EXPECT_LE(np::counters().graphs, 4u);
}

TEST(Breaks, UserBreakText) {
  std::string text;
  np::set_log_sink([&](std::string_view said) {
    // Meanwhile a background compile may say that there is no code generator.
    if (said.starts_with("Graph break")) text += std::string(said) + "\n";
  });
  np::set_logs({.graph_breaks = true});
  auto f = np::compile([](const np::array& x) {
    auto y = x + 1;
#line 500 "user.cpp"
    np::graph_break("look here");
#line 248 "trace_test.cpp"
    return y * 2;
  });
  f(ramp(3));
  np::set_logs({});
  np::set_log_sink({});
  EXPECT_EQ(text,
            "Graph break in user code at user.cpp:500\n"
            "Graph Break Reason: Call to np::graph_break()\n"
            "  Explanation: User-inserted graph break. Message: look here\n"
            "  Hint: Remove the np::graph_break() call.\n"
            "  Developer debug context: pending ops: 1\n"
            "For more: np::help(\"NJ0008\")\n"
            "User code traceback:\n"
            "  user.cpp:500 in operator()\n");
}

TEST(Breaks, PrintingAfterAnInPlaceOperationHasItsPlace) {
  std::ostringstream text;
  auto f = np::compile(
      [&](np::array x) {
#line 600 "user.cpp"
        x += 1;
        text << x;
#line 272 "trace_test.cpp"
      },
      {.fullgraph = true});
  try {
    f(ramp(3));
    FAIL();
  } catch (const np::GraphBreakError& e) {
    EXPECT_NE(std::string(e.what()).find("Graph break in user code at user.cpp:600\n"), std::string::npos) << e.what();
  }
}

TEST(Breaks, FullgraphThrowsBeforeAnyArrayChanged) {
  auto f = np::compile(
      [](np::array x) {
        x += 1;
        if (bool(np::sum(x) > 0)) x *= 2;
      },
      {.fullgraph = true});
  auto x = ramp(4);
  EXPECT_THROW(f(x), np::GraphBreakError);
  EXPECT_EQ(values(x), (std::vector<double>{0, 1, 2, 3}));
}

TEST(Breaks, ErrorOnGraphBreakLeavesArraysAsEagerHad) {
  auto f = np::compile([](np::array x) {
    np::error_on_graph_break_scope strict(true);
    x += 1;
    if (bool(np::sum(x) > 0)) x *= 2;
  });
  auto x = ramp(4);
  EXPECT_THROW(f(x), np::GraphBreakError);
  EXPECT_EQ(values(x), (std::vector<double>{1, 2, 3, 4}));
}

TEST(Disable, RecursiveWorkedExample) {
  auto inner = [](const np::array& x) { return x + 1; };
  auto outer = np::disable([inner](const np::array& x) { return inner(x + 2); });
  auto f = np::compile([outer](const np::array& x) mutable { return outer(x) + 4; });
  auto report = np::explain(f)(np::ones(3));
  EXPECT_EQ(report.graph_count, 1);
  EXPECT_EQ(report.op_count, 1);
  EXPECT_EQ(values(f(np::ones(3))), (std::vector<double>{8, 8, 8}));
}

// ---- errors and lifetimes ----

TEST(Errors, ThrownAtTheCallAndEarlierWorkIsDone) {
  auto body = [](np::array a, const np::array& b) {
    a += 1;
    return a + b;
  };
  auto f = np::compile(body);
  for (int i = 0; i < 3; ++i) {
    auto x = ramp(3);
    try {
      f(x, ramp(4));
      FAIL();
    } catch (const np::ValueError& e) {
      EXPECT_STREQ(e.what(), "[add] operands could not be broadcast together with shapes (3,) (4,)");
    }
    EXPECT_EQ(values(x), (std::vector<double>{1, 2, 3}));
    EXPECT_EQ(values(f(x, ramp(3))), (std::vector<double>{2, 4, 6}));
  }
}

TEST(Errors, UserExceptionPassesAndArraysHoldTheirValues) {
  np::array kept;
  auto f = np::compile([&](np::array x) {
    kept = x * 3;
    x += 1;
    throw std::runtime_error("user");
  });
  auto x = ramp(3);
  EXPECT_THROW(f(x), std::runtime_error);
  EXPECT_EQ(values(kept), (std::vector<double>{0, 3, 6}));
  EXPECT_EQ(values(x), (std::vector<double>{1, 2, 3}));
}

TEST(Errors, UnknownBackend) {
  try {
    np::compile([](const np::array& x) { return x; }, {.backend = "inductor"});
    FAIL();
  } catch (const np::ValueError& e) {
    EXPECT_STREQ(e.what(),
                 "[compile] unknown backend: got 'inductor', expected one of 'eager', 'graph', 'halide', or a function.");
  }
}

TEST(Threads, OneFunctionFromManyThreads) {
  auto f = np::compile([](const np::array& x) { return np::sum(x * x + 1); });
  auto x = ramp(1000);
  const double expected = np::sum(x * x + 1).item<double>();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) wrong += f(x).item<double>() != expected;
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Compile, NestedCompiledFunctionsInline) {
  auto inner = np::compile([](const np::array& x) { return x + 1; });
  auto f = np::compile([inner](const np::array& x) { return inner(x) * 2; });
  auto report = np::explain(f)(ramp(3));
  EXPECT_EQ(report.graph_count, 1);
  EXPECT_EQ(report.op_count, 2);
  EXPECT_EQ(values(f(ramp(3))), (std::vector<double>{2, 4, 6}));
}

TEST(Compile, LiteralsAndGenericLambdas) {
  auto f = np::compile([](const auto& x, auto n) { return x * n; });
  EXPECT_EQ(values(f(ramp(3), 2)), (std::vector<double>{0, 2, 4}));
  EXPECT_EQ(values(f(ramp(3), 2.5)), (std::vector<double>{0, 2.5, 5}));
}

}  // namespace
