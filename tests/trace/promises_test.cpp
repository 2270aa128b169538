// What docs/compile.md promises of compiled functions and no other test is about.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <unistd.h>
#include <nlohmann/json.hpp>

#include <numjit/base/fault.h>
#include <numjit/np.h>

#include <support/code_generator.h>

#include "support/trace_values.h"

namespace np = numjit;

namespace {

using np::testing::message;
using np::testing::ramp;
using np::testing::values;
using list = std::vector<double>;

// Log entries and warnings while it lives.
struct Lines {
  explicit Lines(np::log_options channels) {
    np::set_log_sink([this](std::string_view line) { all.emplace_back(line); });
    np::set_logs(channels);
  }
  /// Those that begin so: a build without code generator says that it has none.
  std::vector<std::string> of(const std::string& begin) const {
    std::vector<std::string> some;
    for (const std::string& line : all)
      if (line.starts_with(begin)) some.push_back(line);
    return some;
  }
  ~Lines() {
    np::set_logs({});
    np::set_log_sink({});
  }
  std::vector<std::string> all;
};

struct state {
  np::array u, v;
  NUMJIT_FIELDS(state, u, v)
};
enum class flavour { sum, product };

NUMJIT_COMPILED(doubled, np::array, (const np::array& x)) { return x * 2; }

// ---- 1. compile ----

TEST(Promises, ArgumentsAndResultsOfEveryKind) {
  using parts = std::tuple<np::array, std::pair<np::array, double>>;
  auto f = np::compile([](const std::vector<np::array>& xs, const std::map<std::string, np::array>& named,
                          std::optional<np::array> maybe, const state& s, flavour how, const std::string& key) {
    np::array total = s.u - s.v;
    for (const np::array& x : xs) total = how == flavour::sum ? total + x : total * x;
    if (maybe) total = total + *maybe;
    return parts(total + named.at(key), {xs[0] * 2, 0.5});
  });
  const std::vector<np::array> xs{ramp(3), ramp(3) + 1};
  const std::map<std::string, np::array> named{{"a", ramp(3) * 10}, {"b", ramp(3) * 100}};
  const state s{ramp(3) + 5, ramp(3)};
  for (int call = 0; call < 2; ++call) {
    auto [total, rest] = f(xs, named, ramp(3), s, flavour::sum, "a");
    EXPECT_EQ(values(total), (list{6, 19, 32}));
    EXPECT_EQ(values(rest.first), (list{0, 2, 4}));
    EXPECT_EQ(rest.second, 0.5);
    EXPECT_EQ(values(std::get<0>(f(xs, named, std::nullopt, s, flavour::product, "b"))), (list{0, 110, 230}));
  }
  EXPECT_EQ(values(doubled(ramp(3))), (list{0, 2, 4}));
}

TEST(Promises, NothingHappensAtCompile) {
  np::reset();
  int runs = 0;
  auto f = np::compile([&](const np::array& x) { return ++runs, x + 1; });
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(np::counters().graphs, 0u);
  f(ramp(2));
  EXPECT_EQ(runs, 1);
}

TEST(Promises, NopythonIsFullgraph) {
  auto f = np::compile([](const np::array& x) { return bool(np::all(x >= 0)) ? x : -x; }, {.nopython = true});
  EXPECT_THROW(f(ramp(2)), np::GraphBreakError);
}

TEST(Promises, UnknownNamesAndValuesAreErrors) {
  EXPECT_EQ(message([] { np::config().recompile_limit = -1; }).substr(0, 43), "[config] recompile_limit: got -1, expected ");
  np::wait_for_compiles();  // the linker is given the environment
  setenv("NUMJIT_RECOMPILE_LIMITT", "3", 1);
  const std::string text = message([] { np::detail::reload_config(); });
  unsetenv("NUMJIT_RECOMPILE_LIMITT");
  np::detail::reload_config();
  EXPECT_NE(text.find("NUMJIT_RECOMPILE_LIMITT"), std::string::npos) << text;
  EXPECT_NE(text.find("NUMJIT_RECOMPILE_LIMIT"), std::string::npos) << text;
}

TEST(Promises, ResetForgetsGraphsAndIsRefusedInside) {
  auto f = np::compile([](const np::array& x) { return x + 1; });
  f(ramp(2));
  EXPECT_GT(np::counters().graphs, 0u);
  np::reset();
  EXPECT_EQ(np::counters().graphs, 0u);
  EXPECT_EQ(values(f(ramp(2))), (list{1, 2}));
  EXPECT_EQ(np::counters().graphs, 1u);
  auto g = np::compile([](const np::array& x) {
    EXPECT_TRUE(np::is_compiling());
    np::reset();
    return x;
  });
  EXPECT_THROW(g(ramp(2)), np::ValueError);
  EXPECT_FALSE(np::is_compiling());
}

// ---- 2. graph breaks ----

TEST(Promises, WhatHasAGraphFormDoesNotBreak) {
  auto body = [](np::array x) {
    const auto n = x.len();
    auto y = np::where(x > 2, x, -x)(np::slice(np::none, np::none, -1));
    y(np::slice(0, 2)) += 1;
    x(x > 3) = 0;
    np::add(x, y, {.out = x, .where = y > -3});
    std::ostringstream shape;
    shape << x.shape().str();
    return y.astype(np::float32) * np::max(x) + static_cast<double>(n) + static_cast<double>(shape.str().size());
  };
  auto f = np::compile(body, {.fullgraph = true});
  auto x = ramp(5), e = ramp(5);
  EXPECT_EQ(values(f(x)), values(body(e)));
  EXPECT_EQ(values(x), values(e));
}

TEST(Promises, ARepeatedBreakPrintsOneLine) {
  np::reset();
  const Lines lines({.graph_breaks = true});
  auto f = np::compile([](const np::array& x) {
    auto y = x + 1;
    np::graph_break("again");
    return y * 2;
  });
  for (int i = 0; i < 3; ++i) f(ramp(2));
  int whole = 0, short_ones = 0;
  for (const std::string& line : lines.all) {
    whole += line.find("Graph Break Reason") != std::string::npos;
    short_ones += line.find("user stack suppressed due to duplicate graph break") != std::string::npos;
  }
  EXPECT_EQ(whole, 1);
  EXPECT_LE(short_ones, 2);
  EXPECT_GE(short_ones, 1);
}

TEST(Promises, BreaksAreRankedByCost) {
  auto f = np::compile([](const np::array& x) {
    auto y = x + 1;
    np::graph_break("cheap");
    for (int i = 0; i < 50; ++i) {
      y = np::sin(y) + np::cos(y);
      np::graph_break("costly");
    }
    return y;
  });
  const auto report = np::explain(f)(ramp(20000));
  ASSERT_EQ(report.break_reasons.size(), 2u);
  EXPECT_EQ(report.break_reasons[0].explanation, "User-inserted graph break. Message: costly");
  EXPECT_EQ(report.break_reasons[0].hits, 50u);
  EXPECT_GT(report.break_reasons[0].cost_ns, report.break_reasons[1].cost_ns);
}

TEST(Promises, UnknownChannelsAreErrors) {
  EXPECT_NE(message([] { np::detail::parse_logs("graph_breaks,graphs"); }).find("'graphs'"), std::string::npos);
  EXPECT_TRUE(np::detail::parse_logs("all").perf_hints);
}

// ---- 3. steering ----

TEST(Promises, GraphBreakSplitsTheGraph) {
  auto f = np::compile([](const np::array& x) {
    auto y = x + 1;
    np::graph_break("here");
    return y * 2;
  });
  const auto report = np::explain(f)(ramp(2));
  EXPECT_EQ(report.graph_count, 2);
  EXPECT_EQ(report.break_reasons[0].id, "NJ0008");
}

TEST(Promises, AFailureIsQuarantinedOrThrown) {
  SKIP_WITHOUT_CODE_GENERATOR();
  np::reset();
  np::detail::inject_fault("halide");
  {
    const np::config_scope config({.compile = np::compile_mode::sync, .suppress_errors = true, .cache_dir = "off"});
    const Lines lines({});
    auto f = np::compile([](const np::array& x) { return np::cbrt(x) * 3 + 0.25; });
    EXPECT_EQ(values(f(np::ones(2))), (list{3.25, 3.25}));
    EXPECT_EQ(np::counters().quarantined, 1u);
    EXPECT_EQ(values(f(np::ones(2))), (list{3.25, 3.25}));
    EXPECT_FALSE(lines.all.empty());
  }
  np::detail::inject_fault("");
  np::reset();
}

TEST(Promises, TheSegmentRunsBeforeItsCompileError) {
  SKIP_WITHOUT_CODE_GENERATOR();
  np::reset();
  np::detail::inject_fault("halide");
  {
    const np::config_scope config({.compile = np::compile_mode::sync, .suppress_errors = false, .cache_dir = "off"});
    const Lines lines({});
    auto f = np::compile([](np::array x) { x += np::cbrt(x) * 3 + 0.25; });
    auto x = np::ones(2);
    EXPECT_THROW(f(x), np::CompileError);
    EXPECT_EQ(values(x), (list{4.25, 4.25}));
  }
  np::detail::inject_fault("");
  np::reset();
}

TEST(Promises, DisableTurnsEverythingOff) {
  np::reset();
  const np::config_scope config({.disable = true});
  auto f = np::compile(
      [](const np::array& x) {
        EXPECT_FALSE(np::is_compiling());
        return bool(np::any(x > 0)) ? x + 1 : x;
      },
      {.fullgraph = true});
  EXPECT_EQ(values(f(ramp(2))), (list{1, 2}));
  EXPECT_EQ(np::counters().graphs, 0u);
}

// ---- 4. guards and recompiles ----

TEST(Promises, GuardsDescribeWhatIsChecked) {
  auto f = np::compile([](const np::array& x, const np::array& y) { return x * y; });
  const auto report = np::explain(f)(np::ones({2, 1}), np::ones(3));
  ASSERT_EQ(report.guards.size(), 2u);
  EXPECT_NE(report.guards[0].find("float64"), std::string::npos) << report.guards[0];
}

TEST(Promises, AMissExplainsItselfByTheSmallestDifference) {
  np::reset();
  const Lines lines({.recompiles = true});
  auto f = np::compile([](int, const np::array& x) {
#line 20 "heat.cpp"
    return x + 1;
#line 241 "promises_test.cpp"
  });
  f(7, ramp(3));
  f(7, ramp(3).astype(np::float32));
  const std::vector<std::string> said = lines.of("recompile");
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].find("recompile 1 of 8: argument 1, first used at heat.cpp:20: dtype float64 -> float32"), 0u) << said[0];
}

TEST(Promises, ViewsOfChangingLengthsAreThePathsOfTheProgram) {
  np::reset();
  const auto decompose = [](np::array& a) {
    const auto to = [](std::int64_t end) { return np::slice(np::none, end); };
    for (std::int64_t i = 0; i < a.shape(0); ++i) {
      for (std::int64_t j = 0; j < i; ++j) {
        a(i, j) -= np::matmul(a(i, to(j)), a(to(j), j));
        a(i, j) /= a(j, j);
      }
      for (std::int64_t j = i; j < a.shape(0); ++j) a(i, j) -= np::matmul(a(i, to(i)), a(to(i), j));
    }
  };
  const auto fast = np::compile([&](np::array& a) { decompose(a); });
  for (const int n : {9, 10, 11, 12, 13, 9, 12}) {
    np::array a = np::sin(np::arange(static_cast<double>(n * n))).reshape(n, n) + n * np::eye(n), b = a.copy();
    decompose(a);
    fast(b);
    np::wait_for_compiles();
    EXPECT_TRUE(np::array_equal(a, b)) << n;
  }
  EXPECT_EQ(np::counters().recompiles, 0u);
}

TEST(Promises, PastTheLimitCallsAreEagerAndOneLineSaysSo) {
  np::reset();
  const np::config_scope config({.recompile_limit = 2});
  const Lines lines({});
  auto f = np::compile([](const np::array& x) { return x + 1; });
  int said = 0;
  for (const np::dtype type : {np::float64, np::float32, np::int64, np::int32, np::int16, np::int8})
    EXPECT_EQ(values(f(ramp(2).astype(type))), (list{1, 2}));
  for (const std::string& line : lines.all) said += line.find("recompile") != std::string::npos;
  EXPECT_EQ(said, 1);
  EXPECT_LE(np::counters().recompiles, 3u);
}

TEST(Promises, ExplainIsAStructTextAndJson) {
  SKIP_WITHOUT_CODE_GENERATOR();
  const np::config_scope config({.compile = np::compile_mode::sync});
  auto f = np::compile(
      [](const np::array& x) {
        auto y = np::sum(x * x, {.axis = 1});
        if (y.item<double>(0) < 0) return y;
        return y + 1;
      },
      {.name = "energy"});
  const auto report = np::explain([&](const np::array& x) { return f(x(np::slice(0, 1))); })(np::ones({3, 4}));
  EXPECT_EQ(report.graph_count, 2);
  EXPECT_EQ(report.graph_break_count, 1);
  ASSERT_EQ(report.graphs.size(), 2u);
  EXPECT_EQ(report.graphs[0].op_count, 2);
  ASSERT_FALSE(report.kernels.empty());
  EXPECT_GT(report.kernels[0].bytes, 0);
  const auto json = nlohmann::json::parse(report.json());
  for (const char* name : {"function", "graph_count", "graph_break_count", "op_count", "break_reasons", "graphs", "kernels",
                           "guards", "recompiles", "compile_times", "peak_bytes"})
    EXPECT_TRUE(json.contains(name)) << name;
  EXPECT_EQ(json["graph_count"], 2);
  EXPECT_EQ(json["break_reasons"][0]["id"], report.break_reasons[0].id);
  EXPECT_NE(report.str().find("2 graphs"), std::string::npos) << report.str();
}

// ---- 5. when things go wrong ----

TEST(Promises, TheLadderTellsTheLayer) {
  auto body = [](const np::array& x) { return np::exp(-x * x) / (1 + x); };
  const list plain = values(body(ramp(9)));
  for (const char* backend : {"eager", "graph", "halide"})
    EXPECT_EQ(values(np::compile(body, {.backend = backend})(ramp(9))), plain) << backend;
}

// ---- 7. persistence ----

TEST(Promises, KernelsAreKeptOnDiskAndFoundThereAgain) {
  SKIP_WITHOUT_CODE_GENERATOR();
  const std::string folder = testing::TempDir() + "numjit_points_" + std::to_string(getpid());
  {
    const np::config_scope config({.compile = np::compile_mode::sync, .cache_dir = folder});
    np::reset();
    auto body = [](const np::array& x) { return np::tanh(x) * 0.875 - 3; };
    const list plain = values(body(ramp(5)));
    EXPECT_EQ(values(np::compile(body)(ramp(5))), plain);
    EXPECT_EQ(np::counters().kernels_compiled, 1u);
    np::reset();
    EXPECT_EQ(values(np::compile(body)(ramp(5))), plain);
    EXPECT_EQ(np::counters().kernels_compiled, 0u);
    EXPECT_EQ(np::counters().kernels_loaded, 1u);
  }
  std::filesystem::remove_all(folder);
}

TEST(Promises, AWarmStartNeedsNoPart) {
  SKIP_WITHOUT_CODE_GENERATOR();
  const std::string folder = testing::TempDir() + "numjit_points_warm_" + std::to_string(getpid());
  std::filesystem::remove_all(folder);
  const std::string binary = NUMJIT_TEST_BUILD_DIR "/bin/bench/warm_start";
  if (!std::filesystem::exists(binary)) GTEST_SKIP() << "built without benchmarks: " << binary << " is not there";
  const std::string program = "NUMJIT_CACHE_DIR='" + folder + "' '" + binary + "'";
  ASSERT_EQ(std::system((program + " > /dev/null").c_str()), 0);
  FILE* pipe = popen(program.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  char line[200] = "";
  EXPECT_NE(std::fgets(line, sizeof line, pipe), nullptr);
  pclose(pipe);
  EXPECT_NE(std::string(line).find("compiled 0 loaded 1 halide 0"), std::string::npos) << line;
  std::filesystem::remove_all(folder);
}

// ---- details ----

TEST(Promises, AnInterpreterMayStandOverTheRecorder) {
  struct counting final : np::interpreter {
    int ops = 0;
    np::array apply(const np::op_call& call) override {
      ++ops;
      const np::interpreter_scope scope(np::detail::own_context.base_interpreter);
      return np::bind(call);
    }
  };
  counting over;
  auto f = np::compile([&](const np::array& x) {
    const np::interpreter_scope scope(&over);
    auto y = x * 2;
    const np::disable_scope off;
    return y + 1;
  });
  EXPECT_EQ(np::explain(f)(ramp(3)).graph_count, 1);
  EXPECT_EQ(over.ops, 2);  // disable swaps who stands below: y + 1 went to the eager engine
}

TEST(Promises, PathsOfTheProgramAreNotRecompiles) {
  np::reset();
  auto f = np::compile([](const np::array& x, int way) {
    auto y = x + 1;
    for (int i = 0; i < way; ++i) y = y * 2;
    return y;
  });
  for (int way = 0; way < 12; ++way) EXPECT_EQ(values(f(ramp(1) + 1, way)), (list{std::ldexp(2, way)}));
  EXPECT_EQ(np::counters().recompiles, 0u);
}

TEST(Promises, TheOutermostCallOwnsTheGraph) {
  auto inner = np::compile(
      [](const np::array& x) {
        np::graph_break("inner");
        return x + 1;
      },
      {.fullgraph = true, .backend = "eager"});
  auto outer = np::compile([&](const np::array& x) { return inner(x * 2) * 3; });
  EXPECT_THROW(outer(ramp(2)), np::GraphBreakError);
  auto plain = np::compile([](const np::array& x) { return x + 1; }, {.backend = "eager"});
  np::reset();
  auto whole = np::compile([&](const np::array& x) { return plain(x * 2) * 3; });
  EXPECT_EQ(np::explain(whole)(ramp(2)).graph_count, 1);
}

TEST(Promises, ArgumentsAreNamedByPlaceOrByOption) {
  np::reset();
  const Lines lines({.recompiles = true});
  auto f = np::compile([](const np::array& x, const np::array& y) { return x + y; }, {.args = {"x", "y"}});
  f(ramp(2), ramp(2));
  f(ramp(2), ramp(2).astype(np::int32));
  const std::vector<std::string> said = lines.of("recompile");
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("argument y, first used at"), std::string::npos) << said[0];
}

TEST(Promises, FloatModeOfAFunction) {
  auto body = [](const np::array& x) { return x * 3 + 0.1; };
  auto f = np::compile(
      [&](const np::array& x) {
        EXPECT_EQ(np::config().float_mode.get(), np::float_mode::fast);
        return body(x);
      },
      {.float_mode = np::float_mode::fast});
  f(ramp(2));
  EXPECT_EQ(np::config().float_mode.get(), np::float_mode::exact);
}

TEST(Promises, FloatModeOfAReplayedFunction) {
  SKIP_WITHOUT_CODE_GENERATOR();
  const np::config_scope config({.compile = np::compile_mode::sync});
  auto body = [](const np::array& x) { return np::sin(x) * np::cos(x) + 0.1 * x; };
  auto rerun = np::compile(body, {.float_mode = np::float_mode::fast});
  auto replayed = np::compile([&](const np::array& x) { return body(x); },
                              {.mode = np::mode::replay, .verify_replay = 2, .float_mode = np::float_mode::fast});
  const list fused = values(rerun(ramp(500)));
  EXPECT_NE(fused, values(body(ramp(500))));
  for (int call = 0; call < 6; ++call) EXPECT_EQ(values(replayed(ramp(500))), fused);
}

TEST(Promises, NamedArraysAliveAtABreakBecomeOutputs) {
  auto f = np::compile([](const np::array& x) {
    auto named = x * 2;
    auto gone = np::sum(named + 1);
    np::graph_break("now");
    return named + gone;
  });
  const auto report = np::explain(f)(ramp(3));
  EXPECT_EQ(report.graph_count, 2);
  EXPECT_EQ(values(f(ramp(3))), (list{9, 11, 13}));
}

TEST(Promises, LargeArraysAliveAtABreakAreListed) {
  auto f = np::compile([](const np::array& x) {
#line 60 "user.cpp"
    auto named = x * 2;
    auto small = np::sum(named);
#line 420 "promises_test.cpp"
    np::graph_break("now");
    return named + small;
  });
  const auto report = np::explain(f)(np::zeros({400, 400}));
  ASSERT_EQ(report.kept_arrays.size(), 1u);
  EXPECT_EQ(report.kept_arrays[0].array, "float64 (400, 400)");
  EXPECT_EQ(report.kept_arrays[0].bytes, 400 * 400 * 8);
  EXPECT_EQ(report.kept_arrays[0].file + ":" + std::to_string(report.kept_arrays[0].line), "user.cpp:60");
  EXPECT_NE(report.str().find("large arrays alive at a graph break, so stored\n  user.cpp:60  float64 (400, 400), 1.22 "
                              "MiB\n"),
            std::string::npos)
      << report.str();
  EXPECT_TRUE(np::explain(f)(ramp(3)).kept_arrays.empty());
}

TEST(Promises, ResetKeepsConfigAndFunctions) {
  const np::config_scope config({.recompile_limit = 3});
  np::disallow_in_graph("arctan");
  np::reset();
  EXPECT_EQ(static_cast<int>(np::config().recompile_limit), 3);
  auto f = np::compile([](const np::array& x) { return np::arctan(x) * 0 + 1; });
  EXPECT_EQ(np::explain(f)(ramp(2)).graph_break_count, 1);  // marks stay, too
  np::allow_in_graph("arctan");
}

TEST(Promises, ScopesAreOfTheThread) {
  const np::config_scope config({.recompile_limit = 5});
  int seen = 0;
  std::thread([&] { seen = np::config().recompile_limit; }).join();
  EXPECT_EQ(seen, 8);
  EXPECT_EQ(static_cast<int>(np::config().recompile_limit), 5);
}

TEST(Promises, DotOfVectorsIsTheCanonicalReduction) {
  const np::array x = np::sin(ramp(5000)), y = np::cos(ramp(5000));
  EXPECT_EQ(values(np::dot(x, y)), values(np::sum(x * y)));
  auto f = np::compile([](const np::array& a, const np::array& b) { return np::dot(a, b); });
  EXPECT_EQ(values(f(x, y)), values(np::dot(x, y)));
}

TEST(Promises, CompositesReportTheUsersLine) {
  auto f = np::compile([](const np::array& x) {
    auto y = x + 1;
#line 77 "user.cpp"
    return np::mean(np::compress(y > 1, y));
#line 402 "promises_test.cpp"
  });
  const auto report = np::explain(f)(ramp(3));
  for (const auto& reason : report.break_reasons) {
    EXPECT_EQ(reason.file, "user.cpp");
    EXPECT_EQ(reason.line, 77);
  }
  EXPECT_EQ(values(f(ramp(3))), (list{2.5}));
}

TEST(Promises, MethodsTakeTheUsersLine) {
  auto f = np::compile([](const np::array& x) {
#line 90 "user.cpp"
    auto y = x.copy();
    auto z = y.sum();
    const double* p = y.data<double>();
    return z.item(0) + p[1] + z.astype(np::float32).tolist<float>()[0];
#line 430 "promises_test.cpp"
  });
  const auto report = np::explain(f)(ramp(3));
  ASSERT_FALSE(report.break_reasons.empty());
  for (const auto& reason : report.break_reasons) EXPECT_EQ(reason.file, "user.cpp") << reason.line;
  for (const auto& guard : report.guards) EXPECT_EQ(guard.find("methods.cpp"), std::string::npos) << guard;
  EXPECT_EQ(f(ramp(3)), 7.0);
  EXPECT_EQ(message([] { ramp(3).item(3); }), "[item] index 3 is out of bounds for size 3");
  EXPECT_EQ(ramp(6).reshape(2, 3).T().item(-2), 2.0);
}

TEST(Promises, ALazyOfAnotherThreadIsAnError) {
  std::string text;
  auto f = np::compile([&](const np::array& x) {
    const np::array y = x + 1;
    std::thread([&] { text = message([&] { np::add(y, 1); }); }).join();
    return y;
  });
  f(ramp(2));
  EXPECT_NE(text.find("x.eval()"), std::string::npos) << text;
}

}  // namespace
