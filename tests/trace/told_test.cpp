// What users of compile are told, in C++: disabled functions and the lines of their calls, new paths, explain, help, functions
// that change their arguments.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <numjit/np.h>

#include "support/code_generator.h"
#include "support/trace_values.h"

namespace np = numjit;

namespace {

using np::testing::message;
using np::testing::ramp;
using np::testing::values;

np::array plus_one(const np::array& x) { return x + 1; }
np::array halved(const np::array& x) { return x / 2; }
np::array only_calls(const np::array& x) { return halved(plus_one(x)); }

std::string explanation_of(const np::explain_report& report) {
  return report.break_reasons.size() == 1 ? report.break_reasons[0].explanation : std::to_string(report.break_reasons.size());
}

TEST(Disabled, NameReasonAndLineOfTheCall) {
  auto off = np::disable(plus_one, {.reason = "prints"});
  auto f = np::compile([&](const np::array& x) {
    auto y = x * 2;
    return off(y) - 1;
  });
  const int line = __LINE__ - 2;
  const np::explain_report report = np::explain(f)(ramp(3));
  EXPECT_EQ(explanation_of(report), "Skip calling function 'plus_one': excluded by np::disable, reason: prints.");
  ASSERT_EQ(report.break_reasons.size(), 1u);
  EXPECT_EQ(report.break_reasons[0].file, __FILE__);
  EXPECT_EQ(report.break_reasons[0].line, line);
}

TEST(Disabled, LambdasHaveNoNameAndScopesAreScopes) {
  auto off = np::disable([](const np::array& x) { return x + 1; }, {.recursive = false});
  EXPECT_EQ(explanation_of(np::explain(np::compile([&](const np::array& x) { return off(x * 2); }))(ramp(3))),
            "Skip inlining a function without a name: excluded by np::disable without recursion, what it calls is recorded.");
  EXPECT_EQ(explanation_of(np::explain(np::compile([&](const np::array& x) {
              auto y = x * 2;
              np::disable_scope scope({.reason = "a scope"});
              return y + 1;
            }))(ramp(3))),
            "Skip the code of a scope: excluded by np::disable_scope, reason: a scope.");
}

TEST(Disabled, FunctionsWithoutOperationsOfTheirOwn) {
  for (int i = 0; i < 2; ++i) {
    auto by_name = np::disable(only_calls, {.recursive = false});
    auto lambda = np::disable([](const np::array& x) { return halved(plus_one(x)); }, {.recursive = false});
    auto f = np::compile([&](const np::array& x) { return (i == 0 ? by_name(x * 5) : lambda(x * 5)) - 3; });
    const np::explain_report report = np::explain(f)(np::ones(3));
    EXPECT_EQ(report.op_count, 4) << i;
    EXPECT_EQ(report.graph_count, 3) << i;
    EXPECT_EQ(values(f(np::ones(3))), (std::vector<double>{0, 0, 0}));
  }
}

TEST(Disabled, CompiledAndOfManyKinds) {
  auto off = np::disable(plus_one);
  EXPECT_EQ(values(np::compile(off)(np::ones(2))), (std::vector<double>{2, 2}));
  auto generic = np::disable([](const auto& x) { return x + 1; });
  EXPECT_EQ(values(generic(np::ones(2))), (std::vector<double>{2, 2}));
  std::vector<np::array> list{np::ones(1), np::ones(1)}, made;
  std::transform(list.begin(), list.end(), std::back_inserter(made), off);
  EXPECT_EQ(values(made[1]), (std::vector<double>{2}));
}

TEST(NewPaths, AreToldAndCounted) {
  np::reset();
  int line = 0;
  auto f = np::compile(
      [&](const np::array& x, int bits) {
        np::array y = x;
        for (int i = 0; i < 7; ++i) {
          line = __LINE__ + 1;
          y = bits >> i & 1 ? np::sqrt(y) : y + 1;
        }
        return y;
      },
      {.backend = "eager", .name = "f"});
  std::string text;
  np::set_log_sink([&](std::string_view line_of_log) { text += line_of_log; });
  np::set_logs({.recompiles = true});
  f(np::ones(3), 0);
  f(np::ones(3), 1);
  np::set_logs({});
  np::set_log_sink({});
  EXPECT_EQ(text, "new path 1 of f at " __FILE__ ":" + std::to_string(line) +
                      ": the record has add, the program calls sqrt. Hint: np::where makes one graph of several ways; what "
                      "decides the way may stand outside.");
  for (int bits = 0; bits < 128; ++bits) f(np::ones(3), bits);
  EXPECT_EQ(np::counters().new_paths, 64u);
  EXPECT_EQ(np::counters().recompiles, 0u);
}

TEST(NewPaths, FullgraphRecordsThoseBeyondTheLimit) {
  np::reset();
  const auto body = [](const np::array& x, int bits) {
    np::array y = x;
    for (int i = 0; i < 7; ++i) y = bits >> i & 1 ? np::sqrt(y) : y + 1;
    return bits == 127 && y.item<double>() > 0 ? y * 2 : y;
  };
  auto f = np::compile(body, {.fullgraph = true, .backend = "graph"});
  for (int bits = 0; bits < 127; ++bits) EXPECT_EQ(f(np::array(3.0), bits).item(), body(np::array(3.0), bits).item()) << bits;
  EXPECT_THROW(f(np::array(3.0), 127), np::GraphBreakError);
  EXPECT_GT(np::counters().new_paths, 64u);
}

TEST(NewPaths, FullgraphRecordsArgumentsBeyondTheLimitOfRecompiles) {
  np::reset();
  const np::config_scope config({.recompile_limit = 2});
  auto f = np::compile([](const np::array& x) { return x.size() == 6 && np::sum(x).item<double>() > 0 ? x * 2 : x + 1; },
                       {.fullgraph = true, .backend = "graph"});
  double size = 1;
  for (const np::dtype type : {np::float64, np::float32, np::int64, np::int32, np::int16})
    EXPECT_EQ(f(ramp(size++).astype(type)).dtype(), type);
  EXPECT_THROW(f(ramp(6).astype(np::int8)), np::GraphBreakError);
}

TEST(Explain, EqualGraphsAreOne) {
  auto f = np::compile(
      [](np::array x) {
        for (int i = 0; i < 20; ++i) {
          x = x * 2 + 1;
          np::graph_break();
        }
        return x;
      },
      {.name = "loop"});
  const np::explain_report report = np::explain(f)(ramp(3));
  EXPECT_EQ(report.graph_count, 1);
  EXPECT_EQ(report.graphs[0].runs, 20u);
  EXPECT_EQ(report.str().find("loop: 1 graph (run 20 times), 20 graph breaks, 2 ops,"), 0u) << report.str();
  EXPECT_EQ(explanation_of(report), "User-inserted graph break.");
}

TEST(Explain, WaitsForKernelsUnlessItIsNotTo) {
  SKIP_WITHOUT_CODE_GENERATOR();
  const np::config_scope config({.compile = np::compile_mode::async, .cache_dir = "off"});
  auto f = np::compile([](const np::array& x) { return np::sin(x) * 2.5 + x * x * x - 0.75; });
  np::reset();
  EXPECT_NE(np::explain(f, {.wait = false})(ramp(9)).str().find("  (compiling)            sin, "), std::string::npos);
  np::wait_for_compiles();
  np::reset();
  EXPECT_EQ(np::explain(f)(ramp(9)).kernels[0].schedule, "elementwise");
}

TEST(Explain, ResultsThatNobodyReadsAreNotComputed) {
  auto f = np::compile([](const np::array& x) {
    auto unused = np::sort(x);
    auto also_unused = np::cumsum(unused);
    return x + 1;
  });
  const np::explain_report report = np::explain(f)(ramp(4));
  ASSERT_EQ(report.kernels.size(), 1u);
  EXPECT_EQ(report.kernels[0].ops, std::vector<std::string>{"add"});
}

TEST(Help, TellsOfBreaksAndErrors) {
  EXPECT_EQ(np::help("NJ0001").find("NJ0001: Data-dependent branch\n\nbool() of an array needs its value"), 0u);
  EXPECT_EQ(np::help("OSError").find("OSError\n\nA file or folder can't be read or written"), 0u);
  EXPECT_EQ(message([] {
              np::help("NJ9");
            }).find("[help] unknown topic: got 'NJ9', expected the identifier of a graph break, NJ0001 to "),
            0u);
}

TEST(AllowInGraph, FunctionsMayChangeWhatTheyName) {
  const auto same = [](np::array_spec a, np::array_spec) { return a; };
  const auto add = [](np::array a, const np::array& b) {
    a += b;
    return a * 1;
  };
  const std::string text =
      "[allow_in_graph] the function stores into an argument, which it gets for reading: expected a function that changes none. "
      "Hint: name the arguments that it changes by their numbers, as the option mutates.";
  auto reads = np::allow_in_graph(add, same);
  EXPECT_EQ(message([&] { reads(np::ones(2), np::ones(2)); }), text);
  EXPECT_EQ(message([&] { np::compile([&](const np::array& x) { return reads(x * 2, x); })(np::ones(2)); }), text);
  auto changes = np::allow_in_graph(add, same, {.mutates = {0}});
  const auto body = [&](np::array x) {
    auto y = x * 2;
    auto z = changes(y, 1.0);
    auto w = changes(x, y);
    return y + z + w + x;
  };
  np::array x = np::full({3}, 5.0), again = np::full({3}, 5.0);
  const std::vector<double> plain = values(body(x));
  EXPECT_EQ(plain, (std::vector<double>{54, 54, 54}));
  EXPECT_EQ(values(np::compile(body, {.fullgraph = true})(again)), plain);
  EXPECT_EQ(values(again), values(x));
  EXPECT_EQ(message([&] { np::allow_in_graph(add, same, {.mutates = {2}})(x, x); }),
            "[allow_in_graph] mutates: got 2, expected numbers of the 2 arguments, from 0 on.");
}

}  // namespace
