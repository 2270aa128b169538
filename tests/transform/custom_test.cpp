// Functions with derivatives of their own, and np::testing::check_grads.
#include <gtest/gtest.h>

#include <numjit/np.h>

#include <support/error_text.h>

namespace np = numjit;

namespace {

using np::array;
using np::text_of;

const auto clipped = np::custom_vjp([](const array& x) { return x * 1.0; }, [](const array& x) { return std::pair(x * 1.0, 0); },
                                    [](int, const array& g) { return np::clip(g, -1.0, 1.0); });

TEST(CustomVjp, GivesItsOwnCotangents) {
  const array x{1.0, 2.0, 3.0};
  EXPECT_TRUE(np::array_equal(clipped(x), x));
  const auto f = [](const array& a) { return np::sum(clipped(a) * np::array{5.0, -0.5, -7.0}); };
  EXPECT_TRUE(np::array_equal(np::grad(f)(x), np::array{1.0, -0.5, -1.0}));
  auto compiled = np::compile([&](const array& a) { return np::grad(f)(a); });
  for (int call = 0; call < 3; ++call) {
    EXPECT_TRUE(np::array_equal(compiled(x), np::array{1.0, -0.5, -1.0}));
    np::wait_for_compiles();
  }
  EXPECT_TRUE(np::array_equal(np::vmap(np::grad([](const array& a) { return clipped(a) * 3.0; }))(x), np::ones({3})));
}

TEST(CustomVjp, KeepsWhatForwardGaveItAndServesTheOuterLevel) {
  const auto cube =
      np::custom_vjp([](const array& x) { return x * x * x; }, [](const array& x) { return std::pair(x * x * x, x); },
                     [](const array& x, const array& g) { return 3.0 * x * x * g; });
  const auto f = [&](const array& a) { return np::sum(cube(a)); };
  const array x{2.0, 3.0};
  EXPECT_TRUE(np::array_equal(np::grad(f)(x), np::array{12.0, 27.0}));
  EXPECT_TRUE(np::allclose(np::grad([&](const array& a) { return np::sum(np::grad(f)(a)); })(x), 6.0 * x));
  // An inner level that it does not concern.
  const array w{1.0, 1.0};
  const auto g = [&](const array& a) { return np::sum(np::grad([&](const array& b) { return np::sum(b * cube(a)); })(w)); };
  EXPECT_TRUE(np::array_equal(np::grad(g)(x), np::array{12.0, 27.0}));
}

TEST(CustomVjp, SaysWhatIsWrong) {
  const auto two = np::custom_vjp([](const array& a, const array& b) { return a * b; },
                                  [](const array& a, const array& b) { return std::pair(a * b, b); },
                                  [](const array& b, const array& g) { return g * b; });
  EXPECT_EQ(text_of<np::error>([&] { np::grad([&](const array& a) { return np::sum(two(a, a)); })(np::ones({2})); }),
            "[custom_vjp] bwd gave 1 cotangent, the function has 2 arguments.");
  EXPECT_EQ(text_of<np::error>([&] { np::jvp(clipped, std::tuple(np::ones({2})), std::tuple(np::ones({2}))); }),
            "[jvp] no forward derivative of a custom_vjp function is known. Give one by custom_jvp.");
}

TEST(CustomJvp, ServesBothModes) {
  const auto safe_log = np::custom_jvp([](const array& x) { return np::log(x); },
                                       [](const auto& args, const auto& changes) {
                                         const array x = std::get<0>(args), t = std::get<0>(changes);
                                         return std::pair(np::log(x), t / np::maximum(x, 0.5));
                                       });
  const array x{0.1, 2.0};
  const auto f = [&](const array& a) { return np::sum(safe_log(a)); };
  EXPECT_TRUE(np::array_equal(np::grad(f)(x), np::array{2.0, 0.5}));
  EXPECT_EQ(np::jvp(f, std::tuple(x), std::tuple(np::ones({2}))).second.item(), 2.5);
  EXPECT_EQ(np::linearize(f, x).second(np::ones({2})).item(), 2.5);
  EXPECT_TRUE(np::array_equal(np::grad([&](const array& a) { return np::sum(np::grad(f)(a)); })(x), np::array{0.0, -0.25}));
}

// The rules are called for stacks, whatever stands around.
TEST(CustomRules, UnderVmapInsideOfATransform) {
  const auto scaled =
      np::custom_vjp([](const array& x, const array& w) { return np::sin(x) * w; },
                     [](const array& x, const array& w) { return std::pair(np::sin(x) * w, std::tuple(x, w, 2)); },
                     [](const auto& kept, const array& g) {
                       const auto& [x, w, two] = kept;
                       return std::tuple(np::cos(x) * w * g * 10.0, np::sin(x) * g * (5.0 * two));
                     });
  const array x{{0.1, 0.2}, {0.3, 0.4}, {0.5, 0.6}}, w{2.0, 3.0};
  auto rows = np::vmap(scaled, {.in_axes = {0, np::none}});
  const auto f = [&](const array& a, const array& b) { return np::sum(rows(a, b)); };
  const auto [by_x, by_w] = np::grad<0, 1>(f)(x, w);
  EXPECT_TRUE(np::allclose(by_x, np::cos(x) * w * 10.0));
  EXPECT_TRUE(np::allclose(by_w, np::sum(np::sin(x) * 10.0, {.axis = 0})));
  // A batch in a batch, each with arrays that are the same for all.
  auto all = np::vmap([&](const array& a, const array& b) { return rows(a, b); }, {.in_axes = {np::none, 0}});
  const array ws{{2.0, 3.0}, {4.0, 5.0}};
  const auto [outer_x, outer_w] = np::grad<0, 1>([&](const array& a, const array& b) { return np::sum(all(a, b)); })(x, ws);
  EXPECT_TRUE(np::allclose(outer_x, np::cos(x) * np::sum(ws, {.axis = 0}) * 10.0));
  EXPECT_TRUE(np::allclose(outer_w, np::broadcast_to(np::sum(np::sin(x) * 10.0, {.axis = 0}), {2, 2})));
  const auto outside = np::vmap(np::grad<0, 1>([&](const array& a, const array& b) { return np::sum(scaled(a, b)); }),
                                {.in_axes = {0, np::none}})(x, w);
  EXPECT_TRUE(np::allclose(std::get<0>(outside), by_x));

  const auto by_change = np::custom_jvp([](const array& a, const array& b) { return np::sin(a) * b; },
                                        [](const auto& args, const auto& changes) {
                                          const auto& [a, b] = args;
                                          const auto& [da, db] = changes;
                                          return std::pair(np::sin(a) * b, np::cos(a) * b * da * 10.0 + np::sin(a) * db * 10.0);
                                        });
  auto batched = np::vmap(by_change, {.in_axes = {0, np::none}});
  const auto g = [&](const array& a, const array& b) { return np::sum(batched(a, b)); };
  EXPECT_TRUE(np::allclose((std::get<0>(np::grad<0, 1>(g)(x, w))), by_x));
  EXPECT_TRUE(np::allclose((std::get<1>(np::grad<0, 1>(g)(x, w))), by_w));
  const auto pushed = np::jvp(g, std::tuple(x, w), std::tuple(np::ones_like(x), np::ones_like(w)));
  EXPECT_TRUE(np::allclose(pushed.second, np::sum(by_x) + np::sum(by_w)));
  auto compiled = np::compile([&](const array& a, const array& b) { return np::grad(g)(a, b); });
  EXPECT_TRUE(np::array_equal(compiled(x, w), np::grad(g)(x, w)));
}

TEST(CustomRules, KeepWhatCanBeSeenUnderVmap) {
  struct hidden {
    array x;
  };
  const auto f =
      np::custom_vjp([](const array& x) { return x * 1.0; }, [](const array& x) { return std::pair(x * 1.0, hidden{x}); },
                     [](const hidden& kept, const array& g) { return g * kept.x; });
  const array x{{1.0, 2.0}, {3.0, 4.0}};
  EXPECT_TRUE(np::array_equal(np::grad([&](const array& a) { return np::sum(f(a)); })(x), x));
  EXPECT_EQ(text_of<np::NotImplementedError>([&] { np::grad([&](const array& a) { return np::sum(np::vmap(f)(a)); })(x); }),
            "[custom_vjp] fwd keeps values of a type whose arrays can't be seen, and is called under vmap. Keep arrays, "
            "numbers, tuples, vectors, maps, or a struct with NUMJIT_FIELDS.");
}

TEST(Tree, IsTakenApartAndMadeAgain) {
  using parameters = std::tuple<array, std::vector<array>, int>;
  const parameters p{array{1.0, 2.0}, {array{3.0}, array{4.0}}, 7};
  const std::vector<array> leaves = np::tree::leaves(p);
  ASSERT_EQ(leaves.size(), 3u);
  EXPECT_TRUE(np::array_equal(leaves[2], array{4.0}));
  const parameters sum = np::tree::map([](const array& a, const array& b) { return a + 10.0 * b; }, p, p);
  EXPECT_TRUE(np::array_equal(std::get<0>(sum), array{11.0, 22.0}));
  EXPECT_TRUE(np::array_equal(std::get<1>(sum)[1], array{44.0}));
  EXPECT_EQ(std::get<2>(sum), 7);
  EXPECT_TRUE(np::array_equal(std::get<0>(p), array{1.0, 2.0}));
  const parameters made = np::tree::unflatten(p, {array{5.0}, array{6.0}, array{8.0}});
  EXPECT_TRUE(np::array_equal(std::get<1>(made)[0], array{6.0}));
  EXPECT_EQ(text_of<np::ValueError>([&] { np::tree::unflatten(p, {}); }), "[tree.unflatten] got 0 arrays, the tree has 3.");
  const parameters shorter{array{1.0}, {array{3.0}}, 7};
  EXPECT_EQ(text_of<np::ValueError>([&] { np::tree::map([](const array& a, const array&) { return a; }, p, shorter); }),
            "[tree.map] got 2 arrays, the tree has 3.");
}

TEST(CheckGrads, FindsWrongDerivatives) {
  const array x{0.3, 0.7}, y{{1.0, 2.0}, {3.0, 4.0}};
  np::testing::check_grads([](const array& a, const array& b) { return np::sin(a) * np::matmul(b, a); }, std::tuple(x, y));
  const auto wrong = np::custom_jvp([](const array& a) { return a * a; },
                                    [](const auto& args, const auto& changes) {
                                      const array a = std::get<0>(args), t = std::get<0>(changes);
                                      return std::pair(a * a, 3.0 * a * t);
                                    });
  EXPECT_THROW(np::testing::check_grads(wrong, std::tuple(x)), np::AssertionError);
}

// What the rule has read belongs to the way back, whatever the program stores later.
TEST(CustomJvp, KeepsWhatIsStoredIntoLater) {
  const auto squared = np::custom_jvp([](const array& x) { return x * x; }, [](const auto& args, const auto& changes) {
    const array& x = std::get<0>(args);
    return std::pair(x * x, x * std::get<0>(changes) * 2.0);
  });
  const array g = np::grad([&](const array& x) {
    array y = x * 1.0;
    const array z = squared(y);
    y *= 100.0;
    return np::sum(z);
  })(np::array{1.0, 2.0});
  EXPECT_TRUE(np::array_equal(g, np::array{2.0, 4.0}));
}

// The rule keeps what the program stores into later: its results, arguments, parts of them.
TEST(Custom, KeepsValuesAsTheyWere) {
  const auto exponential =
      np::custom_vjp([](const array& x) { return np::exp(x); },
                     [](const array& x) {
                       const array y = np::exp(x);
                       return std::pair(y, std::tuple(y, x));
                     },
                     [](const auto& kept, const array& g) { return g * std::get<0>(kept) + 0.0 * std::get<1>(kept); });
  const auto by_change = np::custom_jvp([](const array& x) { return np::exp(x); },
                                        [](const auto& args, const auto& changes) {
                                          const array y = np::exp(std::get<0>(args));
                                          return std::pair(y, y * std::get<0>(changes));
                                        });
  const array x{0.5, 1.0, -0.3};
  const auto check = [&](const char* name, const auto& f) {
    for (const bool compiled : {false, true}) {
      const auto gradient = [&](auto g) { return compiled ? np::compile(np::grad(g))(x) : np::grad(g)(x); };
      const array found = gradient([&](const array& a) {
        array b = a * 1.0, y = f(b);
        const array sum = np::sum(y * y);
        y(0) = 7.0;  // what the rule kept
        b(1) = 8.0;  // what it was called with
        return sum + np::sum(y * np::array{1.0, 2.0, 3.0}) + b(2);
      });
      const array y = np::exp(x);
      EXPECT_TRUE(np::allclose(found, 2.0 * y * y + y * np::array{0.0, 2.0, 3.0} + np::array{0.0, 0.0, 1.0}, {.rtol = 1e-14}))
          << name << found;
    }
  };
  check("custom_vjp", exponential);
  check("custom_jvp", by_change);
  check("checkpoint", np::checkpoint(exponential));
  const array matrix{{1.0, 2.0, 3.0}};
  const auto pinv = [](const array& a) {
    array p = np::linalg::pinv(a);
    p(0) = 0.5;
    return np::sum(p * p);
  };
  EXPECT_NO_THROW(np::testing::check_grads(pinv, std::tuple(matrix), {.order = 1}));
}

}  // namespace
