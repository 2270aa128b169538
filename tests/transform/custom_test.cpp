// Functions with derivatives of their own, and np::testing::check_grads.
#include <gtest/gtest.h>

#include <numjit/np.h>

namespace np = numjit;

namespace {

using np::array;

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
  const auto text = [](auto&& f) {
    try {
      f();
    } catch (const np::error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  const auto two = np::custom_vjp([](const array& a, const array& b) { return a * b; },
                                  [](const array& a, const array& b) { return std::pair(a * b, b); },
                                  [](const array& b, const array& g) { return g * b; });
  EXPECT_EQ(text([&] { np::grad([&](const array& a) { return np::sum(two(a, a)); })(np::ones({2})); }),
            "[custom_vjp] bwd gave 1 cotangent, the function has 2 arguments.");
  EXPECT_EQ(text([&] { np::jvp(clipped, std::tuple(np::ones({2})), std::tuple(np::ones({2}))); }),
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

TEST(CustomRules, UnderVmapInsideOfATransform) {
  const auto f = [](const array& x) { return np::sum(np::vmap(clipped)(x)); };
  std::string text;
  try {
    np::grad(f)(np::ones({3, 2}));
  } catch (const np::NotImplementedError& e) {
    text = e.what();
  }
  EXPECT_EQ(text,
            "[vmap] a function with a derivative of its own under vmap, and that under another transform. Put vmap outside.");
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
