// Scopes that end in other orders than they began, and on other threads: what is set is what the open ones say.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <numjit/array/remote.h>
#include <numjit/np.h>

#include "support/trace_values.h"

namespace np = numjit;

namespace {

using np::testing::message;

void on_thread(const std::function<void()>& work) { std::thread(work).join(); }

bool break_is_error() {
  auto f = np::compile([](const np::array& x) { return np::sum(x).item<double>() > 0 ? x + 1 : x; });
  return message([&] { f(np::ones({2})); }) != "no error";
}
bool compiles() {
  bool seen = false;
  np::compile([&](const np::array& x) {
    seen = np::is_compiling();
    return x + 1;
  })(np::ones({2}));
  return seen;
}
std::string reaction() {
  try {
    np::ones({2}) / 0.0;
  } catch (const np::FloatingPointError&) {
    return "raise";
  }
  return "ignore";
}

/// A kind of scope: two that set different things, and what is seen with the first, the second, and none.
struct Kind {
  std::string name;
  std::function<std::shared_ptr<void>()> first, second;
  std::function<std::string()> see;
  std::string with_first, with_second, none;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"config", [] { return std::make_shared<np::config_scope>(np::config_options{.threads = 3}); },
       [] { return std::make_shared<np::config_scope>(np::config_options{.threads = 5}); },
       [] { return std::to_string(np::config().threads.get()); }, "3", "5", "0"},
      {"stance", [] { return std::make_shared<np::stance_scope>("force_eager"); },
       [] { return std::make_shared<np::stance_scope>("default"); },
       [] { return std::string(compiles() ? "compiles" : "eager"); }, "eager", "compiles", "compiles"},
      {"breaks", [] { return std::make_shared<np::error_on_graph_break_scope>(true); },
       [] { return std::make_shared<np::error_on_graph_break_scope>(false); },
       [] { return std::string(break_is_error() ? "error" : "allowed"); }, "error", "allowed", "allowed"},
      {"budget", [] { return std::make_shared<np::budget>(np::budget_options{.max_breaks = 0}); },
       [] { return std::make_shared<np::budget>(np::budget_options{.max_breaks = 1000}); },
       [] { return std::string(break_is_error() ? "error" : "allowed"); }, "error", "allowed", "allowed"},
      {"errstate", [] { return std::make_shared<np::errstate>(np::errstate_options{.divide = "raise"}); },
       [] { return std::make_shared<np::errstate>(np::errstate_options{.divide = "ignore"}); }, reaction, "raise", "ignore",
       "ignore"},
      {"disable", [] { return std::make_shared<np::disable_scope>(); },
       [] { return std::make_shared<np::dont_skip_tracing_scope>(); },
       [] { return std::string(compiles() ? "compiles" : "eager"); }, "eager", "compiles", "compiles"},
      {"printing", [] { return std::make_shared<np::printoptions>(np::print_options{.precision = 2}); },
       [] { return std::make_shared<np::printoptions>(np::print_options{.precision = 3}); },
       [] { return np::array{1.0 / 3}.str(); }, "[0.33]", "[0.333]", "[0.33333333]"},
      {"device", [] { return std::make_shared<np::device>("cpu"); }, [] { return std::make_shared<np::device>("cpu"); },
       [] { return std::to_string(int{np::detail::own_context.scope_device}); }, "255", "255", "0"}};
  return all;
}

class Scopes : public ::testing::Test {
 protected:
  void SetUp() override { np::reset(); }
};

TEST_F(Scopes, EndInTheOrderTheyBegan) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    auto a = kind.first(), b = kind.second();
    a.reset();
    EXPECT_EQ(kind.see(), kind.with_second);
    b.reset();
    EXPECT_EQ(kind.see(), kind.none);
  }
}

TEST_F(Scopes, EndInTheMiddle) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    auto a = kind.second(), b = kind.first(), c = kind.second();
    b.reset();
    EXPECT_EQ(kind.see(), kind.with_second);
    a.reset();
    EXPECT_EQ(kind.see(), kind.with_second);
    c.reset();
    EXPECT_EQ(kind.see(), kind.none);
  }
}

TEST_F(Scopes, EndOnAnotherThread) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    auto a = kind.first();
    std::string seen;
    on_thread([&] {
      seen = kind.see();
      a.reset();
    });
    EXPECT_EQ(seen, kind.none);
    { np::stance_scope next("default"); }  // this thread opens and ends a scope
    EXPECT_EQ(kind.see(), kind.none);
  }
}

TEST_F(Scopes, OutliveTheirThread) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    std::shared_ptr<void> a, b;
    on_thread([&] {
      b = kind.second();
      a = kind.first();
      EXPECT_EQ(kind.see(), kind.with_first);
    });
    EXPECT_EQ(kind.see(), kind.none);
    b.reset();
    on_thread([&] { a.reset(); });
    EXPECT_EQ(kind.see(), kind.none);
  }
}

TEST_F(Scopes, KindsAmongEachOther) {
  std::vector<std::shared_ptr<void>> open;
  for (const Kind& kind : kinds()) open.push_back(kind.first());
  for (auto& scope : open) scope.reset();
  for (const Kind& kind : kinds()) EXPECT_EQ(kind.see(), kind.none) << kind.name;
}

TEST_F(Scopes, SettingsOfAnEndedScopeDoNotStayWithTheNext) {
  auto a = std::make_unique<np::config_scope>(np::config_options{.threads = 3, .segment_limit = 7});
  const np::config_scope b({.threads = 5});
  EXPECT_EQ(np::config().segment_limit.get(), 7);
  a.reset();
  EXPECT_EQ(np::config().segment_limit.get(), 512);
  EXPECT_EQ(np::config().threads.get(), 5);
}

TEST_F(Scopes, OfACompiledCallMayEndInAnyOrderInside) {
  auto f = np::compile([](const np::array& x) {
    auto off = std::make_unique<np::disable_scope>();
    auto errors = std::make_unique<np::errstate>(np::errstate_options{.divide = "raise"});
    auto callees = std::make_unique<np::disable_scope>(np::disable_options{.recursive = false});
    EXPECT_FALSE(np::is_compiling());
    off.reset();
    EXPECT_FALSE(np::is_compiling());
    EXPECT_EQ(reaction(), "raise");
    errors.reset();
    EXPECT_TRUE(np::is_compiling());
    callees.reset();
    EXPECT_TRUE(np::is_compiling());
    return x * 2 + 1;
  });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(f(np::ones({2})).str(), "[3. 3.]");
}

TEST_F(Scopes, LeftOpenAtTheEndOfACompiledCall) {
  std::shared_ptr<void> kept;
  auto f = np::compile([&](const np::array& x) {
    kept = std::make_shared<np::errstate>(np::errstate_options{.divide = "raise"});
    return x + 1;
  });
  EXPECT_EQ(message([&] { f(np::ones({2})); }),
            "[errstate] a scope that was opened inside the compiled function is still open at its end: expected scopes to close "
            "in the reverse order of opening. Keep the scope in a local variable.");
  EXPECT_EQ(reaction(), "raise");
  kept.reset();
  EXPECT_EQ(reaction(), "ignore");
  EXPECT_TRUE(compiles());
}

TEST_F(Scopes, PrintOptionsSetInsideEndWithTheScope) {
  {
    np::printoptions scope({.precision = 3});
    np::set_printoptions({.precision = 5});
    EXPECT_EQ(np::array{1.0 / 3}.str(), "[0.33333]");
    on_thread([] { EXPECT_EQ(np::array{1.0 / 3}.str(), "[0.33333333]"); });
  }
  EXPECT_EQ(np::array{1.0 / 3}.str(), "[0.33333333]");
}

TEST_F(Scopes, CompiledFunctionsInsideABlackBoxRunEagerly) {
  auto inner = np::compile([](const np::array& x) { return x * 2; });
  auto box = np::allow_in_graph([&](const np::array& x) { return inner(x) + 1; }, [](np::array_spec x) { return x; });
  auto f = np::compile([&](const np::array& x) { return box(x + 1) * 3; });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(f(np::ones({2})).str(), "[15. 15.]");
}

}  // namespace
