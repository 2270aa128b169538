// np::vmap against the loop over examples: rows of every kind, stores into arrays made inside, in nests with grad and compile.
#include <functional>

#include <gtest/gtest.h>

#include <numjit/np.h>

#include "support/error_text.h"

namespace np = numjit;

namespace {

using np::text_of;
using np::array;
using np::none;

array numbers(const np::dims& shape, std::uint64_t seed = 1) { return np::random::default_rng(seed).uniform(-1, 1, shape); }

/// vmap(f)(x) and the stack of f of each part.
void expect_like_the_loop(const char* what, const std::function<array(const array&)>& f, const array& x, bool same_bits = true) {
  const array batched = np::vmap(f)(x);
  std::vector<array> parts;
  for (std::int64_t i = 0; i < x.shape(0); ++i) parts.push_back(f(np::copy(x(i))));
  const array expected = np::stack(parts);
  EXPECT_EQ(batched.shape().str(), expected.shape().str()) << what;
  EXPECT_EQ(batched.dtype(), expected.dtype()) << what;
  const bool equal = same_bits ? np::tobytes(batched) == np::tobytes(expected) : np::allclose(batched, expected, {.rtol = 1e-12});
  EXPECT_TRUE(equal) << what << ": " << batched << " " << expected;
}

TEST(Vmap, IsTheLoopOverExamples) {
  const array x = numbers({3, 4, 2}), fixed = numbers({4, 2}, 2), row = numbers({2}, 3);
  const array mask = fixed > 0;
  const array places{{1, 0}, {3, -1}};
  const std::pair<const char*, std::function<array(const array&)>> rows[] = {
      {"ufuncs", [&](const array& a) { return np::sin(a) * fixed + row - 2.0; }},
      {"where", [&](const array& a) { return np::where(a > 0, a, fixed); }},
      {"masked ufunc",
       [&](const array& a) {
         return np::multiply(a, a, {.out = np::zeros({4, 2}), .where = mask});
       }},
      {"0-D", [&](const array& a) { return np::sum(a); }},
      {"sum", [&](const array& a) { return np::sum(a, {.axis = -1, .keepdims = true}); }},
      {"sum where", [&](const array& a) { return np::sum(a, {.axis = 0, .where = mask}); }},
      {"max", [&](const array& a) { return np::max(a, {.axis = 0}); }},
      {"argmax", [&](const array& a) { return np::argmax(a); }},
      {"argmin axis", [&](const array& a) { return np::argmin(a, {.axis = 1}); }},
      {"cumsum", [&](const array& a) { return np::cumsum(a); }},
      {"cumprod axis", [&](const array& a) { return np::cumprod(a, {.axis = 0}); }},
      {"mean and var", [&](const array& a) { return np::mean(a, {.axis = 0}) + np::var(a); }},
      {"index", [&](const array& a) { return a(np::slice(none, none, -1), 1); }},
      {"newaxis", [&](const array& a) { return a(np::newaxis, 1); }},
      {"reshape",
       [&](const array& a) {
         return np::reshape(a, {2, 4});
       }},
      {"transpose", [&](const array& a) { return np::transpose(a) * 1.0; }},
      {"broadcast",
       [&](const array& a) {
         return np::broadcast_to(a, {3, 4, 2}) * 1.0;
       }},
      {"diagonal", [&](const array& a) { return np::diagonal(a, -1) * 1.0; }},
      {"windows", [&](const array& a) { return np::lib::sliding_window_view(np::ravel(a), {3}) * 1.0; }},
      {"concatenate",
       [&](const array& a) {
         return np::concatenate({a, fixed, a}, {.axis = 1});
       }},
      {"stack",
       [&](const array& a) {
         return np::stack({a, fixed}, {.axis = -1});
       }},
      {"roll", [&](const array& a) { return np::roll(a, 1, 0); }},
      {"take",
       [&](const array& a) {
         return np::take(a, np::array{2, 0, 3}, 0);
       }},
      {"take of another", [&](const array& a) { return np::take(fixed, np::argsort(a, 0), 0); }},
      {"take along", [&](const array& a) { return np::take_along_axis(a, np::argsort(a, 0), 0); }},
      {"places", [&](const array& a) { return a(places); }},
      {"mask", [&](const array& a) { return a(mask); }},
      {"sort", [&](const array& a) { return np::sort(a, 0); }},
      {"sort flat", [&](const array& a) { return np::sort(np::ravel(a)); }},
      {"searchsorted", [&](const array& a) { return np::searchsorted(np::sort(np::ravel(fixed)), a); }},
      {"digitize",
       [&](const array& a) {
         return np::digitize(a, np::array{-0.5, 0.0, 0.5});
       }},
      {"isin",
       [&](const array& a) {
         return np::isin(np::round(a), np::array{0.0, 1.0});
       }},
      {"astype", [&](const array& a) { return a.astype(np::float32); }},
      {"complex", [&](const array& a) { return np::abs(a + np::array(std::complex<double>(0, 1)) * fixed); }},
      {"clip and isnan", [&](const array& a) { return np::clip(a, -0.5, 0.5) + np::isnan(a); }},
  };
  for (const auto& [what, f] : rows) expect_like_the_loop(what, f, x);
}

// NumPy takes the axes 0 and -1 of a 0-D array.
TEST(Vmap, AxesOfNumbers) {
  const array x = numbers({3});
  const std::pair<const char*, std::function<array(const array&)>> rows[] = {
      {"sum", [](const array& a) { return np::sum(a, {.axis = 0}); }},
      {"max", [](const array& a) { return np::max(a, {.axis = -1}); }},
      {"argmax", [](const array& a) { return np::argmax(a, {.axis = 0}); }},
      {"argmin", [](const array& a) { return np::argmin(a, {.axis = -1}); }},
      {"cumsum", [](const array& a) { return np::cumsum(a, {.axis = -1}); }},
      {"cumprod", [](const array& a) { return np::cumprod(a, {.axis = 0}); }},
  };
  for (const auto& [what, f] : rows) expect_like_the_loop(what, f, x);
  EXPECT_EQ(np::grad([](const array& a) { return np::sum(a * a, {.axis = -1}); })(array(3.0)).item(), 6.0);
}

TEST(Vmap, OfProducts) {
  const array x = numbers({3, 4, 4}), v = numbers({3, 4}, 2), m = numbers({4, 4}, 3), w = numbers({4}, 4);
  const auto check = [](const char* what, const std::function<array(const array&)>& f, const array& stack) {
    expect_like_the_loop(what, f, stack, false);
  };
  check(
      "matrix vector", [&](const array& a) { return np::matmul(a, w); }, x);
  check(
      "vector matrix", [&](const array& a) { return np::matmul(w, a); }, x);
  check(
      "matrix matrix", [&](const array& a) { return np::matmul(a, m); }, x);
  check(
      "fixed matrix", [&](const array& a) { return np::matmul(m, a); }, x);
  check(
      "both", [&](const array& a) { return np::matmul(a, np::matmul(a, w)); }, x);
  check(
      "vectors", [&](const array& a) { return np::matmul(a, w); }, v);
  check(
      "fixed matrix and vectors", [&](const array& a) { return np::matmul(m, a); }, v);
  check(
      "vectors and fixed matrix", [&](const array& a) { return np::matmul(a, m); }, v);
  check(
      "stacks of matrices",
      [&](const array& a) {
        return np::matmul(np::broadcast_to(m, {2, 4, 4}) * 1.0, a);
      },
      x);
  check(
      "dot of both", [&](const array& a) { return np::matmul(a, a); }, v);
}

TEST(Vmap, StoresIntoArraysMadeInside) {
  const array x = numbers({3, 5});
  expect_like_the_loop(
      "elements",
      [](const array& a) {
        array z = np::zeros({5});
        for (int i = 0; i < 5; ++i) z(i) = a(i) * a(4 - i);
        return z;
      },
      x);
  expect_like_the_loop(
      "views",
      [](const array& a) {
        array z = np::ones({5});
        const array before = z(np::slice(1, 4));
        z += a;
        array part = z(np::slice(none, none, 2));
        part *= 2.0;
        z(np::array{0, 1, 0}) = a(np::slice(2, none));
        z(a > 0) = -1.0;
        return np::concatenate({z, before});
      },
      x);
  expect_like_the_loop(
      "in place of a result",
      [](const array& a) {
        array y = a * 2.0;
        y(1) = 7.0;
        const array v = y(np::slice(2, none));
        y(3) += a(0);
        return y + np::sum(v);
      },
      x);
  expect_like_the_loop(
      "loop",
      [](const array& a) {
        array u = np::copy(a);
        for (int k = 0; k < 3; ++k) {
          array in = u(np::slice(1, -1));
          in += 0.1 * (u(np::slice(2, none)) - u(np::slice(none, -2)));
          u(0) = u(-2);
        }
        return u;
      },
      x);
}

TEST(Vmap, TakesAndGivesAxes) {
  const array x = numbers({4, 3}), y = numbers({5}, 2);
  const auto f = [](const array& a, const array& b) { return np::outer(a, b); };
  const array made = np::vmap(f, {.in_axes = {1, none}, .out_axes = {-1}})(x, y);
  EXPECT_EQ(made.shape().str(), "(4, 5, 3)");
  EXPECT_TRUE(np::array_equal(made(np::ellipsis, 2), np::outer(x(np::_, 2), y)));
  EXPECT_EQ(np::vmap([](const array& a) { return std::pair(a * 2.0, np::ones({2})); }, {.in_axes = {1}})(x).second.shape().str(),
            "(3, 2)");
  const std::map<std::string, array> tree{{"a", x}, {"b", numbers({4}, 3)}};
  EXPECT_EQ(np::vmap([](const std::map<std::string, array>& t) { return t.at("a") * t.at("b"); })(tree).shape().str(), "(4, 3)");
}

TEST(Vmap, NestsWithItselfGradAndCompile) {
  const array x = numbers({3, 4}), w = numbers({4}, 2);
  const array outer =
      np::vmap([&](const array& a) { return np::vmap([&](const array& b) { return a * b; }, {.in_axes = {0}})(w); })(x);
  EXPECT_TRUE(np::allclose(outer, np::expand_dims(x, 1) * np::reshape(w, {4, 1})));

  const auto loss = [&](const array& a) {
    array z = np::zeros({4});
    z(np::slice(1, none)) = a(np::slice(none, -1)) * a(np::slice(1, none));
    return np::sum(np::tanh(z) * w);
  };
  std::vector<array> gradients;
  for (int i = 0; i < 3; ++i) gradients.push_back(np::grad(loss)(x(i)));
  const array per_example = np::vmap(np::grad(loss))(x);
  EXPECT_TRUE(np::array_equal(per_example, np::stack(gradients)));
  const array whole = np::grad([&](const array& all) { return np::sum(np::vmap(loss)(all)); })(x);
  EXPECT_TRUE(np::allclose(whole, per_example));
  auto compiled = np::compile([&](const array& all) { return np::vmap(np::grad(loss))(all); });
  for (int call = 0; call < 3; ++call) {
    EXPECT_TRUE(np::array_equal(compiled(x), per_example));
    np::wait_for_compiles();
  }
  auto inner = np::compile(loss);
  EXPECT_TRUE(np::array_equal(np::vmap(inner)(x), np::vmap(loss)(x)));
  const array changes =
      np::jvp([&](const array& all) { return np::vmap(loss)(all); }, std::tuple(x), std::tuple(np::ones_like(x))).second;
  EXPECT_TRUE(np::allclose(changes, np::sum(per_example, {.axis = 1})));
  const array hessians = np::vmap(np::hessian(loss))(x);
  EXPECT_TRUE(np::allclose(hessians(1), np::hessian(loss)(x(1))));
}

TEST(Vmap, ErrorsSayWhatCanNotBe) {
  const array x = numbers({5, 2});
  EXPECT_EQ(text_of<np::ValueError>([&] {
              np::vmap([](const array& a) {
                if (a(0) > 0) return a;
                return -a;
              })(x);
            }),
            "[vmap] bool() of a batched array: each example may branch its own way. Use np.where, or loop over the axis.");
  EXPECT_EQ(text_of<np::ValueError>([&] { np::vmap([](const array& a) { return np::array(a(0).item()); })(x); }),
            "[vmap] item() of a batched array: each example may branch its own way. Use np.where, or loop over the axis.");
  array outside = np::zeros({2});
  EXPECT_EQ(text_of<np::ValueError>([&] {
              np::vmap([&](const array& a) {
                outside(0) = a(0);
                return a;
              })(x);
            }),
            "[vmap] a batched value is stored into an array made outside of the function. Make it inside, or return the value.");
  EXPECT_TRUE(np::array_equal(outside, np::zeros({2})));
  EXPECT_EQ(text_of<np::ValueError>([&] {
              np::vmap([](const array& a, const array&, const array& c) { return a + np::sum(c); })(x, np::zeros({5}),
                                                                                                    np::zeros({7}));
            }),
            "[vmap] axis sizes differ: argument 0 has 5 along axis 0, argument 2 has 7.");
  EXPECT_EQ(text_of<np::ValueError>([&] { np::vmap([](const array& a) { return np::sum(a(a > 0)); })(x); }),
            "[vmap] the length of x[mask] depends on values of a batched array. Use np.where, or loop over the axis.");
  array leaked;
  np::vmap([&](const array& a) {
    leaked = a * 1.0;
    return a;
  })(x);
  EXPECT_EQ(text_of<np::ValueError>([&] { (leaked + 1.0).item(); }), "[vmap] this array belongs to a level that has ended.");
  auto rng = np::random::default_rng(1);
  EXPECT_EQ(text_of<np::ValueError>([&] { np::vmap([&](const array& a) { return a + rng.normal(0, 1, {2}); })(x); }),
            "[vmap] a random number is drawn, and randomness is 'error'. Draw outside and pass the numbers, or say "
            "randomness='same' for one draw for all examples, 'different' for one for each.");
  EXPECT_EQ(text_of<np::ValueError>([&] { np::vmap([](const array& a) { return a; }, {.randomness = "other"})(x); }),
            "[vmap] randomness is 'other', expected 'error', 'same' or 'different'.");
}

// One draw for each example, one after the other; or for all what the function alone would draw.
TEST(Vmap, Draws) {
  const array scales = numbers({4}) + 2.0;
  const auto with = [](std::uint64_t seed) { return np::random::default_rng(seed); };
  const auto rows = [&](auto&& draw, const char* randomness) {
    auto rng = with(7);
    return np::vmap([&](const array& s) { return draw(rng, s); }, {.randomness = randomness})(scales);
  };
  const auto one_by_one = [&](auto&& draw, bool again) {
    auto rng = with(7);
    std::vector<array> made;
    for (int i = 0; i < 4; ++i) {
      if (again) rng = with(7);
      made.push_back(draw(rng, scales(i)));
    }
    return np::stack(made);
  };
  const auto check = [&](const char* name, auto&& draw) {
    EXPECT_TRUE(np::array_equal(rows(draw, "different"), one_by_one(draw, false))) << name;
    EXPECT_TRUE(np::array_equal(rows(draw, "same"), one_by_one(draw, true))) << name;
  };
  using np::random::Generator;
  check("normal", [](Generator& g, const array& s) { return s + g.normal(0, 1, {3}); });
  check("batched scale", [](Generator& g, const array& s) { return g.normal(1, s, {3}); });
  check("two", [](Generator& g, const array& s) { return np::sum(g.uniform(0, s, {2})); });
  check("gamma", [](Generator& g, const array& s) { return g.gamma(s, 2.0, {3}); });
  check("poisson", [](Generator& g, const array& s) { return g.poisson(s, {3}) * 1.0; });
  check("permutation", [](Generator& g, const array& s) { return s * g.permutation(5); });
  check("choice", [](Generator& g, const array& s) { return s * g.choice(10, {.size = 3, .replace = false}); });
  check("stored", [](Generator& g, const array& s) {
    array a = np::zeros({3});
    g.random({.out = a});
    return a * s;
  });
}

}  // namespace
