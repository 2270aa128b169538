// Stances, disallowed ops, marks, dynamic, disable's relatives and constants.
#include <gtest/gtest.h>

#include <numjit/np.h>

#include <functional>
#include <string>
#include <vector>

#include <support/code_generator.h>

#include "support/trace_values.h"

namespace np = numjit;

namespace {

using np::testing::message;
using np::testing::ramp;
using np::testing::values;

// Collects log lines while it lives.
struct Lines {
  Lines() {
    np::set_log_sink([this](std::string_view line) { text += std::string(line) + "\n"; });
  }
  ~Lines() {
    np::set_log_sink({});
    np::set_logs({});
  }
  std::string text;
};

// ---- stances ----

TEST(Stance, UnknownNameIsAnError) {
  EXPECT_EQ(message([] { np::set_stance("fast"); }),
            "[set_stance] unknown stance: got 'fast', expected one of 'default', 'force_eager', "
            "'eager_on_recompile', 'fail_on_recompile', 'run_only'.");
  EXPECT_EQ(message([] { np::stance_scope scope(""); }),
            "[stance_scope] unknown stance: got '', expected one of 'default', 'force_eager', "
            "'eager_on_recompile', 'fail_on_recompile', 'run_only'.");
}

TEST(Stance, ForceEagerRecordsNothing) {
  np::reset();
  auto f = np::compile([](const np::array& x) {
    EXPECT_FALSE(np::is_compiling());
    return x + 1;
  });
  np::stance_scope scope("force_eager");
  EXPECT_EQ(values(f(ramp(3))), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(np::counters().graphs, 0u);
}

TEST(Stance, ProcessWideAndOverlaid) {
  np::reset();
  auto f = np::compile([](const np::array& x) { return x + 1; });
  np::set_stance("force_eager");
  f(ramp(3));
  EXPECT_EQ(np::counters().graphs, 0u);
  {
    np::stance_scope scope("default");
    f(ramp(3));
    EXPECT_EQ(np::counters().graphs, 1u);
  }
  np::set_stance("default");
}

TEST(Stance, EagerOnRecompileUsesWhatIsThere) {
  np::reset();
  auto f = np::compile([](const np::array& x) { return x * 2 + 1; });
  f(ramp(3));
  np::stance_scope scope("eager_on_recompile");
  EXPECT_EQ(values(f(ramp(4))), (std::vector<double>{1, 3, 5, 7}));  // another size: the same graph
  const auto before = np::counters().eager_ops;
  EXPECT_EQ(f(ramp(4).astype(np::float32)).dtype(), np::float32);   // another dtype: eager
  EXPECT_EQ(np::counters().graphs, 1u);
  EXPECT_EQ(np::counters().recompiles, 0u);
  EXPECT_EQ(np::counters().eager_ops, before);
}

TEST(Stance, TheRestOfTheCallIsEagerAndPendingWorkIsDone) {
  np::reset();
  bool longer = false;
  auto f = np::compile([&](np::array& u) {
    u += 1;
    if (longer) u *= 3;
    return u + 0.5;
  });
  auto u = ramp(2);
  f(u);
  longer = true;
  np::stance_scope scope("eager_on_recompile");
  EXPECT_EQ(values(f(u)), (std::vector<double>{6.5, 9.5}));
  EXPECT_EQ(values(u), (std::vector<double>{6, 9}));
  EXPECT_EQ(np::counters().graphs, 1u);
}

TEST(Stance, FailOnRecompileThrowsWithArraysAsEagerLeavesThem) {
  auto f = np::compile([](np::array& u, const np::array& v) {
    u += 1;
    return u * v;
  }, {.name = "f"});
  auto u = ramp(2);
  f(u, ramp(2));
  np::stance_scope scope("fail_on_recompile");
  f(u, ramp(2));
  const int line = __LINE__ - 6;
  EXPECT_EQ(message([&] { f(u, ramp(2).astype(np::float32)); }),
            "[multiply] f would be compiled at " __FILE__ ":" + std::to_string(line) +
                ", and the stance is 'fail_on_recompile': argument 1, first used at " __FILE__ ":" + std::to_string(line) +
                ": dtype float64 -> float32. Call it with such arguments before the stance is set, or use "
                "'eager_on_recompile'.");
  EXPECT_EQ(values(u), (std::vector<double>{3, 4}));
}

TEST(Stance, FailOnRecompileAtTheFirstCall) {
  auto f = np::compile([](const np::array& u) { return u + 1; }, {.name = "f"});
  np::stance_scope scope("fail_on_recompile");
  EXPECT_THROW(f(ramp(2)), np::RecompileError);
}

TEST(Stance, FailOnRecompileForOtherResultsKeptAlive) {
  auto f = np::compile([](const np::array& u, np::array* keep) {
    auto t = u * 2;
    if (keep) *keep = t;
    return t + 1;
  }, {.name = "f"});
  f(ramp(2), nullptr);
  np::stance_scope scope("fail_on_recompile");
  np::array kept;
  EXPECT_EQ(message([&] { f(ramp(2), &kept); }),
            "f would be compiled for other results kept alive or other overlaps of memory, and the stance is "
            "'fail_on_recompile'. Call it with such arguments before the stance is set, or use "
            "'eager_on_recompile'.");
  EXPECT_EQ(values(kept), (std::vector<double>{0, 2}));
}

TEST(Stance, RunOnlyCompilesNoKernel) {
  SKIP_WITHOUT_CODE_GENERATOR();
  np::reset();
  const np::config_scope config({.compile = np::compile_mode::sync, .cache_dir = "off"});
  auto f = np::compile([](const np::array& x) { return x * 7.5 - 1; });
  auto g = np::run(f);
  EXPECT_EQ(values(g(ramp(2))), (std::vector<double>{-1, 6.5}));
  EXPECT_EQ(np::counters().graphs, 0u);
  f(ramp(2));
  const auto kernels = np::counters().kernels_compiled;
  EXPECT_EQ(kernels, 1u);
  EXPECT_EQ(values(g(ramp(2))), (std::vector<double>{-1, 6.5}));
  // The graph is known, but a strided argument needs another kernel: not now, but at the next plain call.
  auto strided = np::array(ramp(40)(np::slice(np::none, np::none, 2)));
  auto k = np::compile([](const np::array& x) { return np::floor(x * 7.5) - np::ceil(x); });
  k(ramp(2));
  const auto known = np::counters().kernels_compiled;
  np::run(k)(strided);
  EXPECT_EQ(np::counters().kernels_compiled, known);
  EXPECT_EQ(values(k(strided)), values(np::floor(strided * 7.5) - np::ceil(strided)));
  EXPECT_EQ(np::counters().kernels_compiled, known + 1);
}

// Stance x fullgraph x error_on_graph_break x suppress_errors, for a first call whose body breaks.
// docs/compile.md shows the same table.
struct Row {
  const char* stance;
  bool fullgraph, error_on_break, suppress;
};
std::string expected(const Row& row) {
  if (std::string(row.stance) == "force_eager") return "eager";
  if (std::string(row.stance) == "fail_on_recompile") return "RecompileError";
  if (std::string(row.stance) != "default") return "eager";  // nothing recorded: no break is seen
  if (row.fullgraph || row.error_on_break) return "NJ0008";
  return "2 graphs";
}

TEST(Stance, TruthTable) {
  SKIP_WITHOUT_CODE_GENERATOR();
  for (const char* stance : {"default", "force_eager", "eager_on_recompile", "fail_on_recompile", "run_only"})
    for (int bits = 0; bits < 8; ++bits) {
      const Row row{stance, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
      np::reset();
      auto f = np::compile([](np::array& x) {
        x += 1;
        np::graph_break("here");
        return x * 2;
      }, {.fullgraph = row.fullgraph});
      const np::config_scope config({.suppress_errors = row.suppress});
      const np::stance_scope scope(stance);
      const np::error_on_graph_break_scope breaks(row.error_on_break);
      std::string got;
      auto x = ramp(2);
      try {
        auto r = f(x);
        EXPECT_EQ(values(r), (std::vector<double>{2, 4}));
        got = np::counters().graphs == 0 ? "eager" : std::to_string(np::counters().graphs) + " graphs";
      } catch (const np::error& e) {
        got = e.code();
        // Full graphs fail before anything changed; the others where eager would be.
        const bool changed = !(row.fullgraph && got == "NJ0008") && got != "RecompileError";
        EXPECT_EQ(values(x)[0], changed ? 1 : 0) << got;
      }
      EXPECT_EQ(got, expected(row)) << stance << " fullgraph " << row.fullgraph << " error_on_graph_break "
                                    << row.error_on_break << " suppress_errors " << row.suppress;
    }
}

// ---- ops kept out of graphs ----

TEST(DisallowInGraph, BreaksAndRunsEagerly) {
  np::reset();
  auto f = np::compile([](const np::array& x) { return (x + 1 - 0.5) * 2; });
  EXPECT_EQ(np::explain(f)(ramp(2)).graph_count, 1);
  np::disallow_in_graph("subtract");
  auto report = np::explain(f)(ramp(2));
  EXPECT_EQ(values(f(ramp(2))), (std::vector<double>{1, 3}));
  np::allow_in_graph("subtract");
  EXPECT_EQ(report.graph_count, 2);
  ASSERT_EQ(report.break_reasons.size(), 1u);
  EXPECT_EQ(report.break_reasons[0].id, "NJ0009");
  EXPECT_EQ(report.break_reasons[0].explanation,
            "The operation 'subtract' was excluded from graphs by np::disallow_in_graph.");
  EXPECT_EQ(np::explain(f)(ramp(2)).graph_count, 1);
}

TEST(DisallowInGraph, UnderFullgraphItIsAnError) {
  auto f = np::compile([](const np::array& x) { return x - 0.5; }, {.fullgraph = true});
  np::disallow_in_graph("subtract");
  EXPECT_THROW(f(ramp(2)), np::GraphBreakError);
  np::allow_in_graph("subtract");
  EXPECT_EQ(values(f(ramp(2))), (std::vector<double>{-0.5, 0.5}));
}

TEST(DisallowInGraph, InTheMiddleOfAFunction) {
  auto f = np::compile([](const np::array& x, bool toggle) {
    auto y = x - 1;
    if (toggle) np::disallow_in_graph("subtract");
    auto z = y - 1;
    if (toggle) np::allow_in_graph("subtract");
    return z - 1;
  });
  f(ramp(2), false);
  EXPECT_EQ(values(f(ramp(2), true)), (std::vector<double>{-3, -2}));
  EXPECT_EQ(values(f(ramp(2), false)), (std::vector<double>{-3, -2}));
}

TEST(DisallowInGraph, UnknownNameSuggestsTheNearest) {
  EXPECT_EQ(message([] { np::disallow_in_graph("substract"); }),
            "[disallow_in_graph] unknown operation: got 'substract'. Did you mean 'subtract'?");
  EXPECT_EQ(message([] { np::allow_in_graph("sine"); }),
            "[allow_in_graph] unknown operation: got 'sine'. Did you mean 'sin'?");
}

// ---- sizes ----

TEST(Dynamic, ThousandSizesOneGraph) {
  np::reset();
  auto f = np::compile([](const np::array& x) { return np::sum(x * 2 + 1); });
  for (int n = 0; n < 1000; ++n) f(ramp(n));
  np::wait_for_compiles();
  EXPECT_LE(np::counters().kernels_compiled + np::counters().kernels_loaded, 2u);
  EXPECT_LE(np::counters().graphs, 2u);
}

TEST(Dynamic, NoGuardsEachSizeToTheLimit) {
  np::reset();
  Lines lines;
  np::set_logs({.recompiles = true});
  auto f = np::compile([](const np::array& x) { return x + 1; }, {.dynamic = false, .name = "f"});
  for (int n = 2; n < 14; ++n) EXPECT_EQ(f(ramp(n)).size(), n);
  const int line = __LINE__ - 2;
  const std::string place = "first used at " __FILE__ ":" + std::to_string(line) + ": size of axis 0";
  EXPECT_NE(lines.text.find("recompile 1 of 8: argument 0, " + place), std::string::npos) << lines.text;
  EXPECT_NE(
      lines.text.find("f reached the recompile limit of 8: from now on, calls with arguments of yet other dtypes or layouts "),
      std::string::npos)
      << lines.text;
  EXPECT_EQ(np::counters().recompiles, 8u);
}

TEST(Dynamic, MarkedAxes) {
  np::reset();
  auto f = np::compile([](const np::array& x) { return x + 1; });
  auto a = np::zeros({3, 4}), b = np::zeros({5, 4});
  np::mark_static(a, 0);
  np::mark_static(b, 0);
  f(a);
  f(b);
  EXPECT_EQ(np::counters().recompiles, 1u);
  auto g = np::compile([](const np::array& x) { return x + 1; }, {.dynamic = false});
  auto c = np::zeros({3, 4}), d = np::zeros({5, 4}), e = np::zeros({5, 6});
  for (auto* x : {&c, &d, &e}) np::mark_dynamic(*x, 0);
  g(c);
  g(d);
  EXPECT_EQ(np::counters().recompiles, 1u);
  g(e);  // axis 1 is guarded
  EXPECT_EQ(np::counters().recompiles, 2u);
  EXPECT_EQ(message([&] { np::mark_static(a, 2); }),
            "[mark_static] axis 2 is out of bounds for array of dimension 2");
  EXPECT_EQ(message([&] { np::mark_dynamic(a, -3); }),
            "[mark_dynamic] axis -3 is out of bounds for array of dimension 2");
}

// ---- disable's relatives ----

TEST(Disable, StateOfACallable) {
  auto plain = [](const np::array& x) { return x + 1; };
  auto off = np::disable(plain, {.recursive = false, .reason = "prints"});
  EXPECT_TRUE(np::is_disabled(off));
  EXPECT_FALSE(np::is_disabled(off).recursive);
  EXPECT_EQ(np::is_disabled(off).reason, "prints");
  EXPECT_TRUE(np::is_disabled(np::disable(plain)).recursive);
  EXPECT_FALSE(np::is_disabled(plain));
  EXPECT_FALSE(np::is_disabled(np::compile(plain, {.disable = true})));
}

TEST(Disable, CompiledFunctionInsideWithoutRecursionIsRecorded) {
  np::reset();
  auto inner = np::compile([](const np::array& x) { return x * 2 + 1; });
  auto outer = np::disable([&](const np::array& x) { return inner(x + 2); }, {.recursive = false});
  auto f = np::compile([&](const np::array& x) { return outer(x) + 4; });
  auto report = np::explain(f)(np::ones(3));
  EXPECT_EQ(report.graph_count, 2);
  EXPECT_EQ(values(f(np::ones(3))), (std::vector<double>{11, 11, 11}));
}

TEST(Disable, DontSkipTracing) {
  np::reset();
  auto inner = [](const np::array& x) { return x * 2 + 1; };
  auto traced = np::dont_skip_tracing(inner);
  auto eager = np::disable([&](const np::array& x) { return inner(x) + 1; }, {.recursive = false});
  auto mixed = np::disable([&](const np::array& x) { return traced(x) + 1; }, {.recursive = false});
  auto f = np::compile([&](const np::array& x) { return eager(x) * 1; });
  auto g = np::compile([&](const np::array& x) { return mixed(x) * 1; });
  EXPECT_EQ(np::explain(f)(np::ones(2)).graph_count, 1);
  EXPECT_EQ(np::explain(g)(np::ones(2)).graph_count, 2);
  EXPECT_EQ(values(g(np::ones(2))), (std::vector<double>{4, 4}));
}

TEST(Controls, EmptyCallablesAreErrors) {
  std::function<np::array(const np::array&)> empty;
  const std::string text = "the callable is empty: got a null function, expected one that can be called.";
  EXPECT_EQ(message([&] { np::compile(empty); }), "[compile] " + text);
  EXPECT_EQ(message([&] { np::disable(empty); }), "[disable] " + text);
  EXPECT_EQ(message([&] { np::error_on_graph_break(true, empty); }), "[error_on_graph_break] " + text);
  EXPECT_EQ(message([&] { np::assume_constant(empty); }), "[assume_constant] " + text);
  EXPECT_EQ(message([&] { np::dont_skip_tracing(empty); }), "[dont_skip_tracing] " + text);
}

TEST(AssumeConstant, RunsOnceAndDoesNotBreak) {
  np::reset();
  int runs = 0;
  auto table = np::assume_constant([&] {
    ++runs;
    EXPECT_FALSE(np::is_compiling());
    return np::arange(3) * (np::arange(3).sum().item<std::int64_t>() + 1);
  });
  auto f = np::compile([&](const np::array& x) { return x + table(); }, {.fullgraph = true});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(f(ramp(3))), (std::vector<double>{0, 5, 10}));
  EXPECT_EQ(runs, 1);
  np::reset();
  f(ramp(3));
  EXPECT_EQ(runs, 2);
}

TEST(AssumeConstant, UnderFullgraphPendingStoresAreNotRun) {
  auto constant = np::assume_constant([] { return np::ones(2); });
  const std::string line = std::to_string(__LINE__ - 1);
  auto f = np::compile([&](np::array x) {
    x += 1;
    return x + constant();
  }, {.fullgraph = true});
  auto x = np::ones(2);
  const std::string text = message([&] { f(x); });
  EXPECT_TRUE(text.starts_with("Graph break in user code at " __FILE__ ":" + line + "\n")) << text;
  EXPECT_EQ(values(x), (std::vector<double>{1, 1}));
}

// ---- breaks as errors: the five worked forms ----

np::array breaking(const np::array& x) {
  np::graph_break("inner");
  return x + 1;
}

TEST(ErrorOnGraphBreak, FalseInsideTrueByWrapper) {
  auto f = np::compile([](const np::array& x) { return np::error_on_graph_break(false, breaking)(x * 2); });
  np::error_on_graph_break_scope scope(true);
  EXPECT_EQ(values(f(ramp(2))), (std::vector<double>{1, 3}));
}

TEST(ErrorOnGraphBreak, FalseInsideTrueByScope) {
  auto f = np::compile([](const np::array& x) {
    np::error_on_graph_break_scope on(true);
    auto y = x * 2;
    {
      np::error_on_graph_break_scope off(false);
      y = breaking(y);
    }
    return y * 2;
  });
  EXPECT_EQ(values(f(ramp(2))), (std::vector<double>{2, 6}));
}

TEST(ErrorOnGraphBreak, ThirdPartyCallableWrapped) {
  std::function<np::array(const np::array&)> third_party = breaking;
  auto f = np::compile([strict = np::error_on_graph_break(true, third_party)](const np::array& x) mutable { return strict(x); });
  EXPECT_THROW(f(ramp(2)), np::GraphBreakError);
}

TEST(ErrorOnGraphBreak, TrueInsideFalseHasTheFullText) {
  auto f = np::compile([](const np::array& x) {
    np::graph_break("outer");
    return np::error_on_graph_break(true, [](const np::array& y) {
      np::graph_break("strict");
      return y;
    })(x + 1);
  });
  const std::string line = std::to_string(__LINE__ - 4);
  EXPECT_EQ(message([&] { f(ramp(2)); }), "Graph break in user code at " __FILE__ ":" + line +
                                              "\nGraph Break Reason: Call to np::graph_break()\n"
                                              "  Explanation: User-inserted graph break. Message: strict\n"
                                              "  Hint: Remove the np::graph_break() call.\n"
                                              "  Developer debug context: pending ops: 1\n"
                                              "For more: np::help(\"NJ0008\")\n"
                                              "User code traceback:\n  " __FILE__ ":" +
                                              line + " in operator()");
}

TEST(ErrorOnGraphBreak, ScopeAroundANestedCall) {
  auto inner = np::compile([](const np::array& x) { return breaking(x) * 3; });
  auto f = np::compile([&](const np::array& x) {
    np::error_on_graph_break_scope on(true);
    return inner(x + 1);
  });
  EXPECT_THROW(f(ramp(2)), np::GraphBreakError);
  EXPECT_EQ(values(inner(ramp(2))), (std::vector<double>{3, 6}));
}

// ---- long functions ----

TEST(Cuts, TimeLoopIsFewGraphsAndKernels) {
  np::reset();
  auto body = [](np::array& u, np::array& v, int steps) {
    for (int t = 0; t < steps; ++t) {
      v(np::slice(1, -1)) = u(np::slice(1, -1)) + 0.1 * (u(np::slice(2, np::none)) - u(np::slice(np::none, -2)));
      swap(u, v);
    }
  };
  auto f = np::compile(body);  // of rows that are not so short that they run at once
  auto u = ramp(1200), v = ramp(1200) * 2, eu = ramp(1200), ev = ramp(1200) * 2;
  f(u, v, 500);
  body(eu, ev, 500);
  np::wait_for_compiles();
  EXPECT_EQ(values(u), values(eu));
  EXPECT_EQ(values(v), values(ev));
  EXPECT_LE(np::counters().graphs, 3u);
  EXPECT_LE(np::counters().kernels_compiled + np::counters().kernels_loaded, 4u);
  EXPECT_GT(np::counters().cuts, 20u);
  EXPECT_EQ(np::counters().breaks, 0u);
}

TEST(Cuts, TwoBranchesInTurn) {
  np::reset();
  auto body = [](np::array& u, np::array& v, int steps) {
    for (int t = 0; t < steps; ++t) {
      if (t % 2)
        u += 0.1 * v * v;
      else
        v -= 0.1 * u;
    }
  };
  auto f = np::compile(body);
  auto u = ramp(5) / 5, v = ramp(5) / 7, eu = ramp(5) / 5, ev = ramp(5) / 7;
  for (int call = 0; call < 3; ++call) {
    f(u, v, 400);
    body(eu, ev, 400);
    EXPECT_EQ(values(u), values(eu));
  }
  EXPECT_LE(np::counters().graphs, 4u);
}

TEST(Cuts, FullgraphIsNotCutButLimited) {
  auto f = np::compile([](const np::array& x, int n) {
    auto y = x;
    for (int i = 0; i < n; ++i) y = y + x;
    return y;
  }, {.fullgraph = true, .name = "f"});
  EXPECT_EQ(values(f(ramp(2), 300)), (std::vector<double>{0, 301}));
  const np::config_scope config({.graph_limit = 350});
  EXPECT_THROW(f(ramp(2), 400), np::GraphBreakError);
}

}  // namespace
