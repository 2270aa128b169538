// Profiler, budget, compile times, users' backends and black boxes.
#include <gtest/gtest.h>

#include <numjit/base/fault.h>
#include <numjit/np.h>

#include <string>
#include <vector>

#include "support/code_generator.h"
#include "support/trace_values.h"

namespace np = numjit;

namespace {

using np::testing::message;
using np::testing::ramp;
using np::testing::values;

auto breaking() {
  return np::compile([](const np::array& x) {
    auto y = x * 2;
    np::graph_break("here");
    return y + 1;
  }, {.name = "f"});
}

TEST(Profiler, CountsWhatHappened) {
  SKIP_WITHOUT_CODE_GENERATOR();
  np::reset();
  const np::config_scope config({.compile = np::compile_mode::sync, .cache_dir = "off"});
  auto f = breaking();
  np::profiler profile;
  for (int i = 0; i < 3; ++i) f(ramp(4));
  f(ramp(4).astype(np::float32));
  const np::profile_report report = profile.report();
  EXPECT_EQ(report.calls, 4u);
  ASSERT_EQ(report.breaks.size(), 1u);
  EXPECT_EQ(report.breaks[0].hits, 4u);
  EXPECT_EQ(report.breaks[0].id, "NJ0008");
  ASSERT_EQ(report.recompiles.size(), 2u);  // one for each of the two graphs
  EXPECT_NE(report.recompiles[0].reason.find("dtype float64 -> float32"), std::string::npos);
  EXPECT_EQ(report.disk_hits, 0u);
  EXPECT_GE(report.compiled, 2u);
  EXPECT_EQ(report.eager_ops, 0u);
  EXPECT_GT(report.kernel_ns, 0);
  EXPECT_NE(report.str().find("4 calls of compiled functions"), std::string::npos) << report.str();
  EXPECT_NE(report.json().find("\"calls\": 4"), std::string::npos);
}

TEST(Profiler, SeesOpsRunOneByOne) {
  auto f = np::compile([](const np::array& x) { return x * 2 + 1; }, {.backend = "eager"});
  np::profiler profile;
  f(ramp(4));
  EXPECT_EQ(profile.report().eager_ops, 2u);
  EXPECT_EQ(profile.report().kernel_ns, 0);
}

TEST(Budget, WithinItNothingHappens) {
  auto f = breaking();
  np::budget limit({.max_breaks = 2, .max_recompiles = 0});
  f(ramp(4));
  f(ramp(5));
  limit.check();
}

TEST(Budget, BreaksOverItNameTheWorst) {
  auto f = breaking();
  np::budget limit({.max_breaks = 1});
  np::array r = f(ramp(3));
  EXPECT_EQ(values(r), (std::vector<double>{1, 3, 5}));
  const std::string text = message([&] { r = f(ramp(3)); });
  const std::string start = "[budget] 2 graph breaks, allowed 1. Costliest: " __FILE__ ":";
  EXPECT_EQ(text.substr(0, start.size()), start);
  EXPECT_NE(text.find("Call to np::graph_break() (NJ0008), 2 times, "), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("Remove the np::graph_break() call.")) << text;
  EXPECT_THROW(limit.check(), np::GraphBreakError);
}

TEST(Budget, RecompilesAndTime) {
  auto f = np::compile([](const np::array& x) { return x + 1; }, {.name = "f"});
  f(ramp(3));
  {
    np::budget limit({.max_recompiles = 0});
    EXPECT_THROW(f(ramp(3).astype(np::float32)), np::RecompileError);
  }
  auto g = np::compile([](const np::array& x) { return np::sort(x); }, {.backend = "eager", .name = "g"});
  np::budget limit({.max_fallback_ms = 0});
  const std::string text = message([&] { g(ramp(1000)); });
  EXPECT_NE(text.find("ms outside kernels, allowed 0.000 ms. Longest segment: that of g, "), std::string::npos) << text;
}

TEST(CompileTimes, ByPhaseAndFunction) {
  SKIP_WITHOUT_CODE_GENERATOR();
  np::reset();
  const np::config_scope config({.compile = np::compile_mode::sync, .cache_dir = "off"});
  auto f = np::compile([](const np::array& x) { return np::exp(x) + 1; }, {.name = "grow"});
  f(ramp(4));
  const np::compile_times_report times = np::compile_times();
  EXPECT_GT(times.total.record, 0);
  EXPECT_GT(times.total.halide, 0);
  ASSERT_EQ(times.functions.size(), 1u);
  EXPECT_EQ(times.functions[0].first, "grow");
  EXPECT_GT(times.functions[0].second.halide, 0);
  EXPECT_GT(times.functions[0].second.link, 0);
  EXPECT_NE(times.str().find("grow"), std::string::npos);
  np::reset();
  EXPECT_EQ(np::compile_times().total.total(), 0);
}

// ---- backends ----

TEST(UserBackend, RunsOpByOpAndSeesTheGraph) {
  std::string text;
  int made = 0, ran = 0;
  auto f = np::compile(
      [](np::array& u, const np::array& v) {
        u += v;
        auto w = u * 2;
        return std::pair(w + 1, np::array(w(np::slice(1, np::none))));
      },
      {.backend = [&](const np::graph::Graph& graph) -> np::graph_runner {
        ++made;
        text = np::graph::to_text(graph);
        return [&](np::graph_call& call) {
          ++ran;
          call.run_op_by_op();
        };
      }});
  for (int i = 0; i < 3; ++i) {
    auto u = ramp(3);
    auto [a, b] = f(u, ramp(3));
    EXPECT_EQ(values(u), (std::vector<double>{0, 2, 4}));
    EXPECT_EQ(values(a), (std::vector<double>{1, 5, 9}));
    EXPECT_EQ(values(b), (std::vector<double>{4, 8}));
  }
  EXPECT_EQ(made, 1);
  EXPECT_EQ(ran, 3);
  EXPECT_NE(text.find("multiply"), std::string::npos) << text;
}

TEST(UserBackend, ComputesItself) {
  auto f = np::compile([](const np::array& x) { return x * 2 + 1; },
                       {.backend = [](const np::graph::Graph&) -> np::graph_runner {
                         return [](np::graph_call& call) { call.outputs[0] = call.inputs[0] * 10; };
                       }});
  EXPECT_EQ(values(f(ramp(3))), (std::vector<double>{0, 10, 20}));
}

TEST(UserBackend, WrongOutputsAndOwnErrors) {
  auto with = [](np::graph_runner runner) {
    return np::compile([](const np::array& x) { return x * 2; },
                       {.backend = [runner](const np::graph::Graph&) { return runner; }});
  };
  EXPECT_EQ(message([&] { with([](np::graph_call&) {})(ramp(3)); }),
            "[compile] the backend did not set output 0.");
  EXPECT_EQ(message([&] { with([](np::graph_call& c) { c.outputs[0] = np::ones(2); })(ramp(3)); }),
            "[compile] the backend set output 0 to float64 of shape (2,), expected float64 of shape (3,).");
  EXPECT_EQ(message([&] { with([](np::graph_call&) { throw std::runtime_error("my backend is out of order"); })(ramp(3)); }),
            "my backend is out of order");
}

// ---- black boxes ----

TEST(AllowInGraph, OneGraphAndNoLookInside) {
  np::reset();
  int runs = 0;
  auto box = np::allow_in_graph(
      [&](const np::array& x) {
        ++runs;
        EXPECT_FALSE(np::is_compiling());
        return np::array(x * x.max().item<double>());
      },
      [](np::array_spec x) { return x; });
  auto f = np::compile([&](const np::array& x) { return box(x + 1) * 2; }, {.fullgraph = true});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(f(ramp(3))), (std::vector<double>{6, 12, 18}));
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(values(box(ramp(3))), (std::vector<double>{0, 2, 4}));  // outside too
}

TEST(AllowInGraph, OrderWithStoresAndEachOther) {
  std::string order;
  auto box = [&](char name) {
    return np::allow_in_graph(
        [&order, name](const np::array& x) {
          order += name + std::to_string(x(0).item<std::int64_t>());
          return np::array(x + 0);
        },
        [](np::array_spec x) { return x; });
  };
  auto first = box('a'), second = box('b');
  auto body = [&](np::array& u) {
    first(u);
    u += 1;
    second(u);
    u *= 3;
    first(u);
  };
  auto f = np::compile(body, {.fullgraph = true});
  for (int i = 0; i < 2; ++i) {
    order.clear();
    auto u = np::arange(2);
    f(u);
    EXPECT_EQ(order, "a0b1a3");
  }
}

TEST(AllowInGraph, TwoArgumentsAndShapeRules) {
  auto outer = np::allow_in_graph(
      [](const np::array& a, const np::array& b) { return np::outer(a, b); },
      [](np::array_spec a, np::array_spec b) { return np::array_spec{a.dtype, {a.shape[0], b.shape[0]}}; });
  auto f = np::compile([&](const np::array& x) { return np::sum(outer(x, x + 1)); });
  EXPECT_EQ(f(ramp(3)).item<double>(), 18);
  EXPECT_EQ(f(ramp(4)).item<double>(), 60);
}

TEST(AllowInGraph, ErrorsPassAndWrongRulesAreCaught) {
  auto f = np::compile([box = np::allow_in_graph([](const np::array&) -> np::array { throw std::runtime_error("boom"); },
                                                 [](np::array_spec x) { return x; })](np::array& u) {
    u += 1;
    auto r = box(u);
    u += 10;
    return r;
  });
  auto u = ramp(2);
  EXPECT_EQ(message([&] { f(u); }), "boom");
  EXPECT_EQ(values(u), (std::vector<double>{1, 2}));  // stores before it are done, later ones are not
  auto g = np::compile([box = np::allow_in_graph([](const np::array& x) { return np::sum(x); },
                                                 [](np::array_spec x) { return x; })](const np::array& x) {
    return box(x);
  });
  EXPECT_EQ(message([&] { g(ramp(2)); }),
            "[allow_in_graph] the function returned float64 of shape (), its shape rule said float64 of shape "
            "(2,).");
}

TEST(Errors, ValuesMadeBeforeAnOpThatFailsExist) {
  auto fail = np::allow_in_graph([](const np::array&) -> np::array { throw std::runtime_error("boom"); },
                                 [](np::array_spec x) { return x; });
  np::array before, view, after;
  auto f = np::compile([&](const np::array& x) {
    before = x * 2;
    view = before(np::slice(1, np::none));
    auto bad = fail(x);
    after = bad + 1;
  });
  EXPECT_EQ(message([&] { f(ramp(3)); }), "boom");
  EXPECT_EQ(values(before), (std::vector<double>{0, 2, 4}));
  EXPECT_EQ(values(view), (std::vector<double>{2, 4}));
  EXPECT_THROW(values(after), np::ValueError);
}

// ---- config.check_same_bits ----

TEST(CheckSameBits, FindsAKernelThatDiffers) {
  SKIP_WITHOUT_CODE_GENERATOR();
  const np::config_scope config({.compile = np::compile_mode::sync, .check_same_bits = true});
  auto f = np::compile([](np::array& u, const np::array& v) {
    u += v * 2;
    return np::sum(u * v, {.axis = 0});
  });
  auto u = ramp(6), v = ramp(6);
  EXPECT_EQ(f(u, v).item<double>(), 165);
  np::detail::inject_fault("value");
  const std::string text = message([&] { f(u, v); });
  np::detail::inject_fault("");
  EXPECT_TRUE(text.starts_with("[store] check_same_bits: kernel nj_")) << text;
  EXPECT_NE(text.find("differ in element 0 of the result of store at " __FILE__ ":"), std::string::npos) << text;
}

TEST(Errors, NoMemoryForAResultIsAMemoryError) {
  auto f = np::compile([](const np::array& x) { return x * 2 + 1; });
  auto x = ramp(100);
  f(x);
  np::detail::inject_fault("allocation");
  EXPECT_THROW(f(x), np::MemoryError);
  np::detail::inject_fault("");
  EXPECT_EQ(values(f(ramp(2))), (std::vector<double>{1, 3}));
}

// ---- errstate and device ----

TEST(ErrState, RaisesAndWarns) {
  auto x = ramp(3), zero = np::zeros(3);
  {
    np::errstate scope({.all = "raise"});
    EXPECT_EQ(message([&] { np::ones(3) / zero; }), "[divide] divide by zero encountered in divide");
    EXPECT_EQ(message([&] { zero / zero; }), "[divide] invalid value encountered in divide");
    EXPECT_EQ(message([&] { np::log(zero); }), "[log] divide by zero encountered in log");
    EXPECT_EQ(message([&] { np::sqrt(zero - 1); }), "[sqrt] invalid value encountered in sqrt");
    EXPECT_EQ(message([&] { np::exp(x * 1000); }), "[exp] overflow encountered in exp");
    EXPECT_EQ(message([&] { np::exp(x * -1000); }), "[exp] underflow encountered in exp");
    EXPECT_EQ(message([&] { np::full({2}, 1e308) * 10; }), "[multiply] overflow encountered in multiply");
    EXPECT_EQ(message([&] { np::arange(3) / np::arange(3)(0); }), "[divide] divide by zero encountered in divide");
    EXPECT_EQ(message([&] { np::floor_divide(np::arange(3), 0); }), "[floor_divide] divide by zero encountered in floor_divide");
    EXPECT_EQ(message([&] { np::sum(np::full({4}, 1e308)); }), "[sum] overflow encountered in reduce");
    EXPECT_EQ(message([&] { np::full({2}, np::nan).astype(np::int64); }), "[astype] invalid value encountered in cast");
    EXPECT_EQ(message([&] { x * 2 + 1; }), "no error");
    EXPECT_EQ(message([&] { np::full({2}, np::inf) + 1; }), "no error");
    np::errstate quiet({.divide = "ignore"});
    EXPECT_EQ(message([&] { np::ones(3) / zero; }), "no error");
  }
  EXPECT_EQ(message([&] { np::ones(3) / zero; }), "no error");
  std::string said;
  np::set_log_sink([&](std::string_view line) { said += line; });
  {
    np::errstate scope({.divide = "warn"});
    np::ones(3) / zero;
    np::sqrt(zero - 1);  // invalid is ignored
  }
  np::set_log_sink({});
  EXPECT_EQ(said, "RuntimeWarning: divide by zero encountered in divide");
  EXPECT_EQ(message([] { np::errstate scope({.over = "panic"}); }),
            "[errstate] over: got 'panic', expected 'ignore', 'warn' or 'raise'.");
}

TEST(ErrState, CompiledFunctionsRunEagerly) {
  auto f = np::compile([](const np::array& x) { return 1 / x; });
  f(np::ones(2));
  np::errstate scope({.divide = "raise"});
  EXPECT_THROW(f(np::zeros(2)), np::FloatingPointError);
}

TEST(ErrState, InsideACompiledFunctionItBreaks) {
  auto f = np::compile([](const np::array& x) {
    auto y = x * 2;
    {
      np::errstate scope({.divide = "raise"});
      try {
        y = 1 / y;
      } catch (const np::FloatingPointError&) {
        y = y + 1;
      }
    }
    return y * 3;
  });
  auto report = np::explain(f)(np::zeros(2));
  ASSERT_EQ(report.break_reasons.size(), 1u);
  EXPECT_EQ(report.break_reasons[0].id, "NJ0014");
  EXPECT_EQ(values(f(np::zeros(2))), (std::vector<double>{3, 3}));
  EXPECT_EQ(values(f(np::ones(2))), (std::vector<double>{1.5, 1.5}));
}

TEST(Device, CpuOnly) {
  {
    np::device scope("cpu");
    EXPECT_EQ(np::ones(2).device(), "cpu");
  }
  EXPECT_EQ(message([] { np::device scope("gpu"); }),
            "[device] unknown device: got 'gpu', expected 'cpu', 'cuda', 'opencl', or one of these with a number, "
            "as 'cuda:0'.");
  EXPECT_EQ(message([] { np::device scope("cuda:77"); }).substr(0, 34), "[device] 'cuda:77' can't be used: ");
  auto f = np::compile([](const np::array& x) {
    auto y = x + 1;
    np::device scope("cpu");
    return y * 2;
  });
  auto report = np::explain(f)(ramp(2));
  ASSERT_EQ(report.break_reasons.size(), 1u);
  EXPECT_EQ(report.break_reasons[0].id, "NJ0011");
}

}  // namespace
