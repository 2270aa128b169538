// Derivatives through random numbers: by the parameters that what a generator gives does not depend on.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <numjit/np.h>

namespace np = numjit;

namespace {

using np::array;
using Draw = std::function<array(const array&, const array&, bool)>;  // by two parameters; as RandomState

template <class F>
array with(bool legacy, F&& draw) {
  if (!legacy) {
    auto rng = np::random::default_rng(11);
    return draw(rng);
  }
  np::random::RandomState rng(11);
  return draw(rng);
}

struct Case {
  const char* name;
  Draw draw;
  bool legacy = true;
};
#define TWO(name)                                                                                                        \
  {                                                                                                                      \
#name, [](const array& a, const array& b, bool l) { return with(l, [&](auto& g) { return g.name(a, b, {3, 2}); }); } \
  }
#define ONE(name)                                                                                                         \
  {                                                                                                                       \
#name, [](const array& a, const array& b, bool l) { return with(l, [&](auto& g) { return g.name(a * b, {3, 2}); }); } \
  }
const Case cases[] = {
    TWO(normal),
    TWO(laplace),
    TWO(gumbel),
    TWO(logistic),
    TWO(lognormal),
    {"uniform",
     [](const array& a, const array& b, bool l) { return with(l, [&](auto& g) {
                                                    return g.uniform(a, a + b, {3, 2});
                                                  }); }},
    {"gamma",
     [](const array& a, const array& b, bool l) { return a + with(l, [&](auto& g) {
                                                           return g.gamma(1.5, b, {3, 2});
                                                         }); }},
    {"scale",
     [](const array& a, const array& b, bool l) { return a * with(l, [&](auto& g) {
                                                           return g.normal(2.0, b, {3, 2});
                                                         }); }},
    {"location",
     [](const array& a, const array& b, bool l) { return b * with(l, [&](auto& g) {
                                                           return g.normal(a, 0.5, {3, 2});
                                                         }); }},
    ONE(exponential),
    ONE(rayleigh),
    ONE(weibull),
    ONE(pareto),
    ONE(power),
};
#undef TWO
#undef ONE

TEST(Draws, HaveTheDerivativesOfDifferences) {
  const array a{0.7, 1.3}, b{0.9, 0.4};
  for (const Case& c : cases)
    for (const bool legacy : {false, true}) {
      const auto f = [&](const array& p, const array& q) { return c.draw(p, q, legacy); };
      EXPECT_NO_THROW(np::testing::check_grads(f, std::tuple(a, b), {.order = 2})) << c.name << (legacy ? ", RandomState" : "");
    }
}

// Under a transform the numbers are those without.
TEST(Draws, AreTheSameNumbers) {
  const array a{0.7, 1.3}, b{0.9, 0.4};
  for (const Case& c : cases)
    for (const bool legacy : {false, true}) {
      const array plain = c.draw(a, b, legacy);
      array inside;
      const auto f = [&](const array& p) {
        const array y = c.draw(p, b, legacy);
        inside = np::stop_gradient(y);
        return np::sum(y);
      };
      const array g = np::grad(f)(a);
      EXPECT_EQ(np::tobytes(plain), np::tobytes(inside)) << c.name;
      auto compiled =
          np::compile([&](const array& p) { return np::grad([&](const array& x) { return np::sum(c.draw(x, b, legacy)); })(p); });
      for (int call = 0; call < 2; ++call) EXPECT_EQ(np::tobytes(compiled(a)), np::tobytes(g)) << c.name;
    }
}

// A deviation that is tiny beside the mean loses no digit.
TEST(Draws, ByTheScaleAreExact) {
  const array z = np::random::default_rng(1).normal(0, 1, {5});
  const auto f = [](const array& scale) { return np::sum(np::random::default_rng(1).normal(1e9, scale, {5})); };
  EXPECT_NEAR(np::grad(f)(array(1e-6)).item(), np::sum(z).item(), 1e-12);
}

TEST(Draws, OfWhichNoDerivativeIsKnown) {
  auto rng = np::random::default_rng(1);
  const auto text_of = [&](auto&& draw) -> std::string {
    try {
      np::grad([&](const array& x) { return np::sum(1.0 * draw(x)); })(array{0.25, 0.75});
    } catch (const np::NotImplementedError& e) {
      return e.what();
    }
    return "no error";
  };
  const auto text = [](const std::string& name) {
    return "[grad] no derivative of '" + name + "' is known. Use stop_gradient, or give one by custom_vjp.";
  };
  EXPECT_EQ(text_of([&](const array& x) { return rng.poisson(x); }), text("poisson"));
  EXPECT_EQ(text_of([&](const array& x) { return rng.gamma(x, 1.0); }), text("gamma"));
  EXPECT_EQ(text_of([&](const array& x) { return rng.beta(x, 1.0); }), text("beta"));
  EXPECT_EQ(text_of([&](const array& x) { return rng.binomial(5, x); }), text("binomial"));
  EXPECT_EQ(text_of([&](const array& x) { return rng.dirichlet(x); }), text("dirichlet"));
  EXPECT_EQ(text_of([&](const array& x) { return rng.choice(2, {.size = 3, .p = x}); }), text("choice"));
  EXPECT_EQ(text_of([&](const array& x) { return rng.multinomial(3, x); }), text("multinomial"));
  EXPECT_EQ(text_of([&](const array& x) { return rng.triangular(x, 1.0, 2.0); }), text("triangular"));
}

// Orders and choices of values are differentiated as the elements that they take.
TEST(Draws, OfElements) {
  const array x{1.0, 2.0, 3.0, 4.0};
  const auto f = [](const array& a) {
    auto rng = np::random::default_rng(2);
    array b = a * 1.0;
    rng.shuffle(b);
    return b * b + rng.permutation(a) * rng.choice(a, {.size = 4});
  };
  EXPECT_NO_THROW(np::testing::check_grads(f, std::tuple(x), {.order = 2}));
  const auto of_matrix = [](const array& mean, const array& cov) {
    return np::random::default_rng(2).multivariate_normal(mean, np::matmul(cov, cov.T()), {.size = 3, .method = "cholesky"});
  };
  EXPECT_NO_THROW(np::testing::check_grads(of_matrix, std::tuple(array{1.0, 2.0}, array{{1.0, 0.2}, {0.3, 1.5}}), {.order = 1}));
}

TEST(Draws, UnderBatchesOfGradients) {
  const array rows{{0.5, 1.0}, {1.5, 0.7}};
  const auto f = [](const array& p) { return np::sum(np::random::default_rng(4).normal(p(0), p(1), {4})); };
  const array together = np::vmap(np::grad(f), {.randomness = "same"})(rows);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(np::array_equal(together(i), np::grad(f)(rows(i))));
  const auto outside = np::grad([&](const array& r) { return np::sum(np::vmap(f, {.randomness = "same"})(r)); })(rows);
  EXPECT_TRUE(np::array_equal(together, outside));
}

}  // namespace
