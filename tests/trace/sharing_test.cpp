// What compiled functions share: records of one function in several threads, functions compiled again from one lambda.
#include <gtest/gtest.h>

#include <numjit/np.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/trace_values.h"

namespace np = numjit;

namespace {

using list = std::vector<double>;
using np::testing::values;

struct Lines {
  std::vector<std::string> all;
  Lines() {
    np::set_log_sink([this](std::string_view text) { all.emplace_back(text); });
  }
  ~Lines() { np::set_log_sink({}); }
  std::size_t with(std::string_view text) const {
    std::size_t count = 0;
    for (const std::string& line : all) count += line.find(text) != std::string::npos;
    return count;
  }
};

template <class F>
void in_threads(int count, F work) {
  for (int i = 0; i < count; ++i) std::thread(work, i).join();
}

TEST(Sharing, TwoLayoutsInManyThreadsAreOneRecompile) {
  np::reset();
  const Lines lines;
  auto f = np::compile([](const np::array& x) { return np::sum(x * 2 + 1, {.axis = 0}); });
  const std::pair<np::array, np::array> both{np::ones({1, 32}), np::ones({50, 32})};
  in_threads(12, [&](int i) {
    f(i % 2 ? both.first : both.second);
    f(i % 2 ? both.second : both.first);
  });
  EXPECT_EQ(np::counters().recompiles, 1u);
  EXPECT_EQ(lines.with("limit"), 0u);
  for (const np::array& x : {both.first, both.second}) EXPECT_EQ(np::explain(f)(x).op_count, 3);
}

TEST(Sharing, AThreadWithALayoutEachCountsAsOneThreadDoes) {
  const np::dtype types[] = {np::float32, np::float64, np::int32, np::int64, np::uint8};
  for (const bool threads : {true, false}) {
    np::reset();
    auto f = np::compile([](const np::array& x) { return x + 1; });
    const auto work = [&](int i) { f(np::ones(3).astype(types[i])); };
    if (threads)
      in_threads(5, work);
    else
      for (int i = 0; i < 5; ++i) work(i);
    EXPECT_EQ(np::counters().recompiles, 4u) << threads;
  }
}

TEST(Sharing, AStanceKnowsWhatOtherThreadsRecorded) {
  np::reset();
  auto f = np::compile([](const np::array& x) { return np::sum(x * 2); });
  f(np::ones(5));
  np::set_stance("fail_on_recompile");
  std::string error;
  double sum = 0;
  std::thread([&] {
    try {
      sum = f(np::ones(4)).item<double>();
      f(np::ones({4, 4}).astype(np::float32));
    } catch (const np::RecompileError& e) {
      error = e.what();
    }
  }).join();
  np::set_stance("default");
  EXPECT_EQ(sum, 8.0);
  EXPECT_NE(error.find("first used at"), std::string::npos) << error;
}

TEST(Sharing, PastTheLimitWhatIsKnownStaysCompiled) {
  np::reset();
  const Lines lines;
  auto f = np::compile([](const np::array& x) { return x * 2 + 1; }, {.dynamic = false, .name = "f"});
  for (int n = 2; n < 40; ++n) EXPECT_EQ(values(f(np::ones(n))), list(static_cast<std::size_t>(n), 3.0));
  EXPECT_EQ(lines.with("f reached the recompile limit of 8: from now on, calls with arguments of yet other dtypes or "
                       "layouts run eagerly, those known stay compiled. Last: argument 0, first used at "),
            1u);
  EXPECT_EQ(np::explain(f)(np::ones(3)).op_count, 2);
  EXPECT_EQ(np::explain(f)(np::ones(30)).op_count, 0);
  const np::config_scope more({.recompile_limit = 100});
  EXPECT_EQ(np::explain(f)(np::ones(30)).op_count, 2);
}

TEST(Sharing, SeveralArraysOfOneCallAreNoRecompiles) {
  np::reset();
  auto f = np::compile([](const std::vector<np::array>& arrays) {
    double sum = 0;
    for (const np::array& a : arrays) sum += np::sum(a + 1).item<double>();
    return sum;
  });
  std::vector<np::array> kinds;
  for (const np::dtype type : {np::float64, np::float32, np::int64, np::int32, np::int16, np::uint8})
    kinds.push_back(np::ones(3).astype(type));
  for (int n = 2; n < 8; ++n) kinds.push_back(np::ones(np::dims(std::vector<std::int64_t>(static_cast<std::size_t>(n), 2))));
  for (int i = 0; i < 3; ++i) f(kinds);
  EXPECT_EQ(np::counters().recompiles, 0u);
}

// Nothing new is recorded when `call` is made again.
template <class F>
auto again(F call) {
  call();
  const np::stance_scope scope("fail_on_recompile");
  return call();
}

TEST(Sharing, ALambdaCompiledAgainGoesOnWithItsRecords) {
  np::reset();
  const auto analyse = [](const np::array& x, double k) {
    auto step = np::compile([&](const np::array& y) { return y * k + 1; });
    return step(x);
  };
  const np::array x = np::arange(3.0);
  EXPECT_EQ(values(again([&] { return analyse(x, 2); })), (list{1, 3, 5}));
  EXPECT_EQ(values(analyse(x, 3)), (list{1, 4, 7}));
  const auto capturing = [](const np::array& x, np::array y) {
    return np::compile([y](const np::array& z) { return z + y; })(x);
  };
  EXPECT_EQ(values(again([&] { return capturing(x, np::ones(3)); })), (list{1, 2, 3}));
  EXPECT_EQ(values(capturing(x, np::array(5.0))), (list{5, 6, 7}));
}

// A function that carries out what it holds is another one each time, for all that its type tells: its kinds of arguments do
// not use up the limit of those that come after it.
TEST(Sharing, FunctionsThatCaptureBeginAnewHalfWayToTheLimit) {
  np::reset();
  std::set<const void*> capturing, plain;
  const auto make = [](double k) { return np::compile([k](const np::array& y) { return y + y * k; }); };
  std::vector<decltype(make(1))> kept;  // so that no state stands where another stood
  double k = 1;
  for (const np::dtype type : {np::bool_, np::int8, np::int16, np::int32, np::int64, np::uint8, np::uint16, np::uint32,
                               np::uint64, np::float16, np::float32, np::float64, np::complex64, np::complex128}) {
    const np::array x = np::ones({2}, type);
    auto& f = kept.emplace_back(make(k));
    auto g = np::compile([](const np::array& y) { return y + y; });
    EXPECT_TRUE(np::array_equal(f(x), x + x * k));
    EXPECT_TRUE(np::array_equal(g(x), x + x));
    capturing.insert(&f.state());
    plain.insert(&g.state());
    k += 1;
  }
  EXPECT_EQ(capturing.size(), 3u);
  EXPECT_EQ(plain.size(), 1u);
}

np::array doubled(const np::array& x) { return x * 2; }
np::array halved(const np::array& x) { return x / 2; }

TEST(Sharing, FunctionPointersAreToldApart) {
  np::reset();
  const np::array x = np::ones(2);
  EXPECT_EQ(values(again([&] { return np::compile(doubled)(x); })), (list{2, 2}));
  EXPECT_EQ(values(np::compile(halved)(x)), (list{0.5, 0.5}));
  EXPECT_EQ(&np::compile(doubled).state(), &np::compile(&doubled).state());
  EXPECT_NE(&np::compile(doubled).state(), &np::compile(halved).state());
}

TEST(Sharing, OptionsAndErasedTypesAreToldApart) {
  const auto f = [](const np::array& x) { return x + 1; };
  EXPECT_EQ(&np::compile(f).state(), &np::compile(f).state());
  EXPECT_NE(&np::compile(f).state(), &np::compile(f, {.fullgraph = true}).state());
  EXPECT_NE(&np::compile(f).state(), &np::compile(f, {.name = "other"}).state());
  EXPECT_NE(&np::compile(f).state(), &np::compile(f, {.dynamic = false}).state());
  const auto backend = [](const np::graph::Graph&) { return [](np::graph_call& call) { call.run_op_by_op(); }; };
  EXPECT_NE(&np::compile(f, {.backend = backend}).state(), &np::compile(f, {.backend = backend}).state());
  const std::function<np::array(const np::array&)> one = f, two = doubled;
  EXPECT_NE(&np::compile(one).state(), &np::compile(two).state());
}

TEST(Sharing, ReplayReadsWhatItsOwnFunctionCaptured) {
  const auto make = [](double k) { return np::compile([k](const np::array& x) { return x * k; }, {.mode = np::mode::replay}); };
  for (const double k : {2.0, 3.0, 2.0}) {
    const auto f = make(k);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(values(f(np::ones(2))), (list{k, k}));
  }
  const auto nothing = [](const np::array& x) { return x * 2; };
  EXPECT_EQ(&np::compile(nothing, {.mode = np::mode::replay}).state(), &np::compile(nothing, {.mode = np::mode::replay}).state());
}

TEST(Sharing, ManyOptionsOfOneLambdaAreBounded) {
  const auto f = [](const np::array& x) { return x + 1; };
  auto first = np::compile(f, {.name = "0"});
  first(np::ones(2));
  for (int i = 1; i < 40; ++i) np::compile(f, {.name = std::to_string(i)})(np::ones(2));
  EXPECT_EQ(values(first(np::ones(2))), (list{2, 2}));
  EXPECT_NE(&first.state(), &np::compile(f, {.name = "0"}).state());
}

TEST(Lifetimes, ABoxEndsWithItsLastHandle) {
  const auto held = std::make_shared<int>(3);
  {
    auto box = np::allow_in_graph([held](const np::array& x) { return x * *held; }, [](np::array_spec x) { return x; });
    auto f = np::compile([&](const np::array& x) { return box(x) + 1; });
    for (int i = 0; i < 3; ++i) EXPECT_EQ(values(f(np::ones(2))), (list{4, 4}));
    np::reset();
    EXPECT_EQ(values(f(np::ones(2))), (list{4, 4}));
    const auto inside = np::compile([&](const np::array& x) {
      return np::allow_in_graph([held](const np::array& y) { return y * *held; }, [](np::array_spec s) { return s; })(x) + 1;
    });
    for (int i = 0; i < 3; ++i) EXPECT_EQ(values(inside(np::ones(2))), (list{4, 4}));
    EXPECT_GT(held.use_count(), 1);
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Lifetimes, ResetFreesConstants) {
  const auto held = std::make_shared<int>(3);
  auto constant = np::assume_constant([weak = std::weak_ptr<int>(held)] { return weak.lock(); });
  EXPECT_EQ(*constant(), 3);
  EXPECT_EQ(held.use_count(), 2);
  np::reset();
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(*constant(), 3);
}

TEST(Lifetimes, ABackendEndsWithItsFunction) {
  const auto held = std::make_shared<int>(3);
  {
    auto f = np::compile([](const np::array& x) { return x + 1; }, {.backend = [held](const np::graph::Graph&) {
                           return [held](np::graph_call& call) { call.run_op_by_op(); };
                         }});
    f(np::ones(2));
    EXPECT_GT(held.use_count(), 1);
  }
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
