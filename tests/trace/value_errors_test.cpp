// Errors that depend on values: where they arise in compiled functions, and the line that they know.
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

#include <numjit/np.h>

#include "support/trace_values.h"

namespace np = numjit;

namespace {

using np::testing::message;

struct ValueErrors : testing::Test {
  ValueErrors() { np::reset(); }
  np::array x = np::arange(3.0);
  np::array bad = np::array{7};
  np::array singular = np::zeros({2, 2});
};

int line_of_error(const std::exception& e) { return np::error_location(e).line; }

TEST_F(ValueErrors, KnowTheirLine) {
  int line = 0;
  auto f = np::compile([&](const np::array& a, const np::array& i) {
    line = __LINE__ + 1;
    auto y = np::take(a, i * 1);
    return y + 1;
  });
  for (int call = 0; call < 3; ++call) try {
      f(x, bad);
      FAIL() << "no error";
    } catch (const np::IndexError& e) {
      EXPECT_STREQ(e.what(), "[take] index 7 is out of bounds for axis 0 with size 3");
      EXPECT_TRUE(typeid(e) == typeid(np::IndexError));
      EXPECT_EQ(line_of_error(e), line);
      EXPECT_NE(std::string(np::error_location(e).file).find("value_errors_test.cpp"), std::string::npos);
    }
  EXPECT_EQ(f(x, np::array{1}).str(), "[2.]");
}

TEST_F(ValueErrors, OfTheCallItselfHaveNoOther) {
  try {
    np::take(x, bad);
    FAIL() << "no error";
  } catch (const np::IndexError& e) {
    EXPECT_EQ(line_of_error(e), 0);
  }
}

TEST_F(ValueErrors, LibraryCallsRunAtOnce) {
  std::vector<std::string> log;
  auto f = np::compile(
      [&](np::array a) {
        a(0, 0) = 0;
        np::array y;
        try {
          y = np::linalg::inv(a * 1);
          log.push_back("after");
        } catch (const np::LinAlgError& e) {
          log.push_back(e.what());
          y = a + 5;
        }
        return y;
      },
      {.fullgraph = true});
  for (int call = 0; call < 3; ++call) {
    log.clear();
    EXPECT_EQ(f(singular).str(), (singular + 5).str());
    EXPECT_EQ(log, std::vector<std::string>{"[inv] Singular matrix"});
  }
  log.clear();
  EXPECT_EQ(f(np::array{{9.0, 1.0}, {1.0, 0.0}}).str(), np::linalg::inv(np::array{{0.0, 1.0}, {1.0, 0.0}}).str());
  EXPECT_EQ(log, std::vector<std::string>{"after"});
  EXPECT_EQ(np::counters().breaks, 0u);
}

TEST_F(ValueErrors, ExplainListsCuts) {
  int line = 0;
  auto f = np::compile([&](const np::array& a) {
    line = __LINE__ + 1;
    auto y = np::linalg::inv(a + 1);
    return y * 2;
  });
  const np::explain_report report = np::explain(f)(np::array{{1.0, 0.0}, {0.0, 3.0}});
  EXPECT_EQ(report.graph_count, 2);
  EXPECT_EQ(report.graph_break_count, 0);
  EXPECT_EQ(report.cuts, 1u);
  ASSERT_EQ(report.cut_reasons.size(), 1u);
  EXPECT_EQ(report.cut_reasons[0].reason, "linalg.inv fails for some values");
  EXPECT_EQ(report.cut_reasons[0].line, line);
  EXPECT_NE(report.str().find("cuts, which are not graph breaks"), std::string::npos);
  EXPECT_NE(report.json().find("\"cut_reasons\""), std::string::npos);
}

TEST_F(ValueErrors, OfKnownValuesAriseAtTheCall) {
  const struct {
    const char* text;
    std::function<np::array(const np::array&)> op;
  } cases[] = {
      {"[take] index 100 is out of bounds for axis 0 with size 3", [](const np::array& a) { return np::take(a, 100); }},
      {"[take] index -4 is out of bounds for axis 0 with size 3", [](const np::array& a) { return np::take(a * 1, -4); }},
      {"[take] index 3 is out of bounds for axis 0 with size 3",
       [](const np::array& a) {
         return np::take(a, np::array{0, 3});
       }},
      {"[quantile] Quantiles must be in the range [0, 1]", [](const np::array& a) { return np::quantile(a, 1.5); }},
      {"[percentile] Percentiles must be in the range [0, 100]", [](const np::array& a) { return np::percentile(a, -1); }},
      {"[choose] invalid entry in choice array",
       [](const np::array& a) {
         return np::choose(np::array{0, 5, 0}, {a, a});
       }},
      {"[geomspace] Geometric sequence cannot include zero", [](const np::array& a) { return np::geomspace(0.0, a, 3); }},
  };
  for (const auto& c : cases) {
    int after = 0;
    std::string caught;
    auto f = np::compile([&](const np::array& a) -> np::array {
      try {
        auto y = c.op(a);
        ++after;
        return y;
      } catch (const np::error& e) {
        caught = e.what();
        return a;
      }
    });
    for (int call = 0; call < 2; ++call) EXPECT_EQ(f(x).str(), x.str()) << c.text;
    EXPECT_EQ(caught, c.text);
    EXPECT_EQ(after, 0) << c.text;
  }
}

TEST_F(ValueErrors, ALiteralThatWasRightIsCheckedAgain) {
  auto f = np::compile([](const np::array& a, int i) { return np::take(a * 2, i); });
  EXPECT_EQ(f(x, 1).str(), "2.0");
  EXPECT_EQ(f(x, 2).str(), "4.0");
  EXPECT_EQ(message([&] { f(x, 3); }), "[take] index 3 is out of bounds for axis 0 with size 3");
  EXPECT_EQ(message([&] { f(np::arange(2.0), 2); }), "[take] index 2 is out of bounds for axis 0 with size 2");
  EXPECT_EQ(f(x, 2).str(), "4.0");
}

TEST_F(ValueErrors, OthersAriseWhenTheGraphRuns) {
  std::vector<std::string> log;
  auto f = np::compile([&](const np::array& a, const np::array& i) -> np::array {
    try {
      auto y = np::take(a, i * 1);
      log.push_back("after");
      return y;
    } catch (const np::IndexError&) {
      return a;
    }
  });
  EXPECT_EQ(message([&] { f(x, bad); }), "[take] index 7 is out of bounds for axis 0 with size 3");
  EXPECT_EQ(log, std::vector<std::string>{"after"});
}

TEST_F(ValueErrors, AreNotHiddenByLaterOnes) {
  auto f = np::compile([&](const np::array& a, const np::array& i) -> np::array {
    auto y = np::take(a, i * 1);
    throw std::runtime_error("later");
  });
  EXPECT_THROW(f(x, bad), np::IndexError);
  EXPECT_THROW(f(x, np::array{1}), std::runtime_error);
  auto g = np::compile([&](const np::array& a, const np::array& i) { return np::take(a, i * 1) + np::ones(5); });
  EXPECT_EQ(message([&] { g(x, np::array{7, 0}); }), "[take] index 7 is out of bounds for axis 0 with size 3");
}

TEST_F(ValueErrors, ComeAfterTheStoresBefore) {
  auto f = np::compile([&](np::array a, const np::array& i) {
    a += 1;
    a(np::slice(1, np::none)) *= 2;
    auto y = np::linalg::inv(np::take(np::zeros(4), i * 1).reshape(2, 2));
    a(0) = 100;
    return y;
  });
  EXPECT_THROW(f(x, np::array{0, 1, 2, 3}), np::LinAlgError);
  EXPECT_EQ(x.str(), "[1. 4. 6.]");
}

TEST_F(ValueErrors, OfIndicesNameIndexAndAxis) {
  // As in eager code, where the indices are known.
  auto f = np::compile([](const np::array& a, const np::array& i) -> np::array { return a(np::_, i * 1); });
  EXPECT_EQ(message([&] { f(np::ones({2, 3}), bad); }), "[index] index 7 is out of bounds for axis 1 with size 3");
  auto g = np::compile([](const np::array& a) -> np::array { return np::ravel(a)(np::arange(3)); });
  EXPECT_EQ(message([&] { g(np::ones(0)); }), "[index] index 0 is out of bounds for axis 0 with size 0");
  auto h = np::compile([](np::array a, const np::array& i) { a(i * 1) = 5; });
  EXPECT_EQ(message([&] { h(np::ones(3), bad); }), "[index] index 7 is out of bounds for axis 0 with size 3");
}

TEST_F(ValueErrors, ReplayKeepsOneGraph) {
  int runs = 0;
  auto f = np::compile(
      [&](const np::array& a) -> np::array {
        ++runs;
        return np::linalg::inv(a + 1) * 2;
      },
      {.mode = np::mode::replay});
  const np::array good{{1.0, 0.0}, {0.0, 3.0}};
  for (int call = 0; call < 5; ++call) EXPECT_EQ(f(good).str(), (np::linalg::inv(good + 1) * 2).str());
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(message([&] { f(singular); }), "[inv] Singular matrix");
  EXPECT_EQ(np::counters().cuts, 0u);
}

}  // namespace
