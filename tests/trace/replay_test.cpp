// Replay mode: what it repeats, what it guards, when it runs the body, and verify_replay.
#include <gtest/gtest.h>

#include <numjit/np.h>

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "support/trace_values.h"

namespace np = numjit;

namespace {

using np::testing::message;
using np::testing::ramp;
using np::testing::values;

const np::compile_options replay{.mode = np::mode::replay};

// How often a body ran: replay promises that it does not matter.
int runs = 0;

TEST(Replay, BodyRunsOncePerSetOfLayouts) {
  runs = 0;
  auto f = np::compile([](const np::array& a, const np::array& b) {
    ++runs;
    return a * b + np::sqrt(a);
  }, replay);
  for (int i = 1; i < 6; ++i) EXPECT_EQ(values(f(ramp(5) * i, ramp(5))), values(ramp(5) * i * ramp(5) + np::sqrt(ramp(5) * i)));
  EXPECT_EQ(runs, 1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(f(ramp(7), ramp(7))), values(ramp(7) * ramp(7) + np::sqrt(ramp(7))));
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(values(f(ramp(5), ramp(5))), values(ramp(5) * ramp(5) + np::sqrt(ramp(5))));
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(f(ramp(5).astype(np::float32), ramp(5).astype(np::float32)).dtype(), np::float32);
  EXPECT_EQ(runs, 3);
}

TEST(Replay, ResultsAreNewArraysEachTime) {
  auto f = np::compile([](const np::array& a) { return a + 1; }, replay);
  auto first = f(ramp(3)), second = f(ramp(3)), third = f(ramp(3) * 2);
  first += 100;
  EXPECT_EQ(values(second), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(values(third), (std::vector<double>{1, 3, 5}));
}

TEST(Replay, PlainArgumentsAreGuardedByValue) {
  runs = 0;
  auto f = np::compile([](const np::array& a, double k, const std::string& how) {
    ++runs;
    return how == "add" ? a + k : a * k;
  }, replay);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(values(f(ramp(3), 2.0, "add")), (std::vector<double>{2, 3, 4}));
    EXPECT_EQ(values(f(ramp(3), 3.0, "mul")), (std::vector<double>{0, 3, 6}));
    EXPECT_EQ(values(f(ramp(3), 3.0, "add")), (std::vector<double>{3, 4, 5}));
  }
  EXPECT_EQ(runs, 3);
}

TEST(Replay, StoresIntoArguments) {
  runs = 0;
  auto f = np::compile([](np::array& u, const np::array& v) {
    ++runs;
    u(np::slice(1, -1)) += v(np::slice(2, np::none));
  }, replay);
  auto u = ramp(5), v = ramp(5), eager = ramp(5);
  for (int i = 0; i < 4; ++i) {
    f(u, v);
    eager(np::slice(1, -1)) += v(np::slice(2, np::none));
    EXPECT_EQ(values(u), values(eager));
  }
  EXPECT_EQ(runs, 1);
}

TEST(Replay, SwappedReferencesAndReturnedArguments) {
  runs = 0;
  auto f = np::compile([](np::array& u, np::array& v) {
    ++runs;
    v(np::ellipsis) = u + 1;
    swap(u, v);
    return v;
  }, replay);
  auto u = ramp(2), v = ramp(2), eu = ramp(2), ev = ramp(2);
  for (int i = 0; i < 5; ++i) {
    auto r = f(u, v);
    ev(np::ellipsis) = eu + 1;
    swap(eu, ev);
    EXPECT_EQ(values(u), values(eu)) << i;
    EXPECT_EQ(values(v), values(ev)) << i;
    EXPECT_EQ(values(r), values(ev)) << i;
    r += 10;  // the same array as v
    ev += 10;
    EXPECT_EQ(values(v), values(ev)) << i;
  }
  EXPECT_EQ(runs, 1);
}

TEST(Replay, SharedStorageIsAnotherCall) {
  runs = 0;
  auto f = np::compile([](np::array& a, np::array& b) {
    ++runs;
    a += 1;
    return a * b;
  }, replay);
  auto x = ramp(3), y = ramp(3);
  f(x, y);
  f(x, y);
  EXPECT_EQ(runs, 1);
  auto z = ramp(3);
  EXPECT_EQ(values(f(z, z)), (std::vector<double>{1, 4, 9}));
  EXPECT_EQ(values(f(z, z)), (std::vector<double>{4, 9, 16}));
  EXPECT_EQ(runs, 2);
}

TEST(Replay, ViewsOfArgumentsAsResults) {
  auto f = np::compile([](const np::array& a) { return std::pair(a + 1, np::array(a(np::slice(1, np::none)))); }, replay);
  for (int i = 0; i < 3; ++i) {
    auto x = ramp(4) + i;
    auto [sum, tail] = f(x);
    tail(0) = 50;
    EXPECT_EQ(values(x)[1], 50) << i;
    EXPECT_EQ(values(sum)[0], 1 + i);
  }
}

struct state {
  np::array u, v;
  int step = 0;
  NUMJIT_FIELDS(state, u, v, step)
};

TEST(Replay, StructsAndContainers) {
  runs = 0;
  auto f = np::compile([](const state& s, const std::vector<np::array>& list, std::optional<double> k) {
    ++runs;
    std::map<std::string, np::array> result;
    result["sum"] = s.u + s.v;
    result["scaled"] = list[0] * (k ? *k : 1.0);
    return std::tuple(std::move(result), list.size(), s.step);
  }, replay);
  for (int i = 0; i < 3; ++i) {
    auto [arrays, count, step] = f(state{ramp(2) + i, ramp(2), 7}, {ramp(2), ramp(3)}, 2.0);
    EXPECT_EQ(values(arrays.at("sum")), (std::vector<double>{0.0 + i, 2.0 + i}));
    EXPECT_EQ(values(arrays.at("scaled")), (std::vector<double>{0, 2}));
    EXPECT_EQ(count, 2u);
    EXPECT_EQ(step, 7);
  }
  EXPECT_EQ(runs, 1);
  f(state{ramp(2), ramp(2), 8}, {ramp(2), ramp(3)}, 2.0);
  f(state{ramp(2), ramp(2), 8}, {ramp(2)}, std::nullopt);
  EXPECT_EQ(runs, 3);
}

TEST(Replay, BodiesThatReadValuesRunEachTime) {
  runs = 0;
  auto f = np::compile([](const np::array& a) -> np::array {
    ++runs;
    if (bool(np::sum(a) > 3)) return a * 2;
    return a + 1;
  }, replay);
  EXPECT_EQ(values(f(ramp(3))), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(values(f(ramp(3) * 2)), (std::vector<double>{0, 4, 8}));
  EXPECT_EQ(values(f(ramp(3))), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(runs, 3);
  auto g = np::compile([](const np::array& a) { return a * a.max().item<double>(); }, replay);
  EXPECT_EQ(values(g(ramp(3))), (std::vector<double>{0, 2, 4}));
  EXPECT_EQ(values(g(ramp(3) * 2)), (std::vector<double>{0, 8, 16}));
}

TEST(Replay, ArraysThatTheBodyMakesAreNotShared) {
  auto f = np::compile([](const np::array& a) {
    np::array table{1.0, 2.0};
    table += a;
    return table * 1;
  }, replay);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(f(np::ones(2))), (std::vector<double>{2, 3})) << i;
}

TEST(Replay, ChangedPlainReferenceIsNotReplayed) {
  auto f = np::compile([](const np::array& a, int& count) {
    ++count;
    return a + 1;
  }, replay);
  int count = 0;
  for (int i = 0; i < 4; ++i) f(ramp(2), count);
  EXPECT_EQ(count, 4);
}

TEST(Replay, VerifyCatchesACapturedVariable) {
  double k = 1;
  auto f = np::compile([&k](const np::array& a) { return a * k; },
                       {.mode = np::mode::replay, .name = "scale", .verify_replay = 2});
  EXPECT_EQ(values(f(ramp(3))), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(values(f(ramp(3))), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(values(f(ramp(3))), (std::vector<double>{0, 1, 2}));  // verified: equal
  k = 5;
  EXPECT_EQ(values(f(ramp(3))), (std::vector<double>{0, 1, 2}));  // replayed: the promise is broken
  EXPECT_EQ(message([&] { f(ramp(3)); }),
            "[compile] replay of scale is not what its body gives: result 0: element 1 differs. In mode "
            "replay the body may depend on its arguments only; use mode rerun.");
}

TEST(Replay, VerifyLeavesArgumentsAsOneRunLeavesThem) {
  auto f = np::compile([](np::array& u) { u += 1; }, {.mode = np::mode::replay, .verify_replay = 1});
  auto u = ramp(3);
  for (int i = 0; i < 5; ++i) f(u);
  EXPECT_EQ(values(u), (std::vector<double>{5, 6, 7}));
}

TEST(Replay, SignaturesItCannotSee) {
  struct opaque { np::array hidden; };
  EXPECT_EQ(message([] { np::compile([](const opaque& o) { return o.hidden + 1; }, {.mode = np::mode::replay, .name = "f"}); }),
            "[compile] mode replay of f: a parameter or the result has a type whose arrays can't be seen. "
            "Expected arrays, numbers, strings, enums, tuples, vectors, optionals and maps of these, or "
            "structs with NUMJIT_FIELDS.");
  EXPECT_EQ(message([] { np::compile([](const auto& a) { return a + 1; }, {.mode = np::mode::replay, .name = "g"}); }),
            "[compile] mode replay of g: its parameter types are not known (a generic lambda or several "
            "overloads). Expected arrays, numbers, strings, enums, tuples, vectors, optionals and maps of "
            "these, or structs with NUMJIT_FIELDS.");
}

TEST(Replay, PastTheLimitTheBodyRuns) {
  runs = 0;
  std::string said;
  np::set_log_sink([&](std::string_view line) { said += std::string(line) + "\n"; });
  auto f = np::compile([](const np::array& a, double k) {
    ++runs;
    return a * k;
  }, {.mode = np::mode::replay, .name = "scale"});
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 12; ++i) EXPECT_EQ(values(f(ramp(2), i)), (std::vector<double>{0, double(i)}));
  np::set_log_sink({});
  EXPECT_EQ(runs, 12 + 3);
  EXPECT_EQ(said, "scale reached the recompile limit of 8 in mode replay; calls with other arguments run its body.\n");
}

TEST(Replay, ErrorsOfTheBodyArriveEachTime) {
  auto f = np::compile([](const np::array& a, const np::array& b) { return a + b; }, replay);
  for (int i = 0; i < 3; ++i) {
    EXPECT_THROW(f(ramp(2), ramp(3)), np::ValueError);
    EXPECT_EQ(values(f(ramp(2), ramp(2))), (std::vector<double>{0, 2}));
  }
}

TEST(Replay, MixedWithOtherFunctions) {
  auto f = np::compile([](const np::array& a) { return np::sum(a * a, {.axis = 0}); }, replay);
  auto g = np::compile([](const np::array& a) { return a(np::slice(np::none, np::none, 2)) + 1; });
  for (int i = 1; i < 8; ++i) {
    auto x = ramp(6 * (i % 3 + 1)).reshape(-1, 3);
    EXPECT_EQ(values(f(x)), values(np::sum(x * x, {.axis = 0})));
    EXPECT_EQ(values(g(ramp(i))), values(ramp(i)(np::slice(np::none, np::none, 2)) + 1));
  }
}

}  // namespace
