// Gradients of whole programs: stores, views, masks, branches and loops, eagerly and compiled both ways with the same bits,
// against differences, and forward against backward.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <numjit/np.h>

namespace np = numjit;

namespace {

using np::array;
using Arrays = std::vector<array>;
using Function = std::function<array(const Arrays&)>;

Arrays copies(const Arrays& given) {
  Arrays made;
  for (const array& a : given) made.push_back(np::copy(a));
  return made;
}

bool same_bits(const Arrays& a, const Arrays& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(np::tobytes(a[i]) == np::tobytes(b[i]))) return false;
  return a.size() == b.size();
}

double value_of(const Function& f, const Arrays& given) { return f(copies(given)).item(); }

/// Of the first argument, by central differences.
void expect_differences(const Function& f, const Arrays& given, const array& gradient) {
  for (std::int64_t i = 0; i < given[0].size(); ++i) {
    constexpr double h = 1e-5;
    Arrays up = copies(given), down = copies(given);
    np::ravel(up[0])(i) += h;
    np::ravel(down[0])(i) -= h;
    const double expected = (value_of(f, up) - value_of(f, down)) / (2 * h);
    EXPECT_NEAR(np::ravel(gradient)(i).item(), expected, 1e-7 * (1 + std::abs(expected))) << "element " << i;
  }
}

/// All that is said of a program's gradient at the top of this file.
array checked(const Function& f, const Arrays& given, bool by_differences = true) {
  const Arrays eager = np::grad(f)(copies(given));
  auto whole = np::compile([&](const Arrays& a) { return np::grad(f)(a); });
  auto inner = np::compile(f);
  for (int call = 0; call < 3; ++call) {
    EXPECT_TRUE(same_bits(whole(copies(given)), eager)) << "compile(grad(f)), call " << call;
    EXPECT_TRUE(same_bits(np::grad(inner)(copies(given)), eager)) << "grad(compile(f)), call " << call;
    np::wait_for_compiles();
  }
  for (const std::int64_t bytes : {1, 100, 1000}) {  // thinned at once, and now and then
    const np::config_scope scope({.tape_memory = bytes});
    EXPECT_TRUE(same_bits(np::grad(f)(copies(given)), eager)) << "tape_memory " << bytes;
    EXPECT_TRUE(same_bits(whole(copies(given)), eager)) << "compiled, tape_memory " << bytes;
  }
  for (const auto recompute : {np::recompute_mode::never, np::recompute_mode::all}) {
    const np::config_scope scope({.recompute = recompute});
    EXPECT_TRUE(same_bits(np::grad(inner)(copies(given)), eager)) << "recompute " << static_cast<int>(recompute);
    EXPECT_TRUE(same_bits(whole(copies(given)), eager)) << "compiled, recompute " << static_cast<int>(recompute);
    const auto pull = np::vjp(inner, copies(given)).second;
    for (int pulled = 0; pulled < 2; ++pulled) EXPECT_TRUE(same_bits(pull(array(1.0)), eager)) << "pulled " << pulled;
  }
  const auto checkpointed = np::checkpoint(f);
  EXPECT_TRUE(same_bits(np::grad(checkpointed)(copies(given)), eager));
  EXPECT_TRUE(same_bits(np::compile([&](const Arrays& a) { return np::grad(checkpointed)(a); })(copies(given)), eager));
  if (by_differences) expect_differences(f, given, eager[0]);
  auto rng = np::random::default_rng(3);
  Arrays direction;
  for (const array& a : given) direction.push_back(rng.uniform(-1, 1, a.shape()));
  double along = 0;
  for (std::size_t i = 0; i < given.size(); ++i) along += np::sum(eager[i] * direction[i]).item();
  const double forward = np::jvp(f, std::tuple(copies(given)), std::tuple(direction)).second.item();
  EXPECT_NEAR(forward, along, 1e-10 * (1 + std::abs(along)));
  const double linear = np::linearize(f, copies(given)).second(direction).item();
  EXPECT_NEAR(linear, along, 1e-10 * (1 + std::abs(along)));
  EXPECT_EQ(np::linearize(checkpointed, copies(given)).second(direction).item(), linear);
  return eager[0];
}

array numbers(std::int64_t n, std::uint64_t seed = 1) { return np::random::default_rng(seed).uniform(-1, 1, {n}); }

TEST(Gradients, HessianTimesATree) {
  const auto f = [](const std::vector<array>& p) { return np::sum(p[0] * p[0] * p[1]) + np::sum(np::exp(p[1])); };
  const Arrays at{numbers(3), numbers(3, 2)}, v{numbers(3, 3), numbers(3, 4)};
  const Arrays made = np::hvp(f, at, v);
  EXPECT_TRUE(np::allclose(made[0], 2.0 * at[1] * v[0] + 2.0 * at[0] * v[1]));
  EXPECT_TRUE(np::allclose(made[1], 2.0 * at[0] * v[0] + np::exp(at[1]) * v[1]));
}

TEST(Gradients, OfElementsStoredOneByOne) {
  checked(
      [](const Arrays& a) {
        array y = np::zeros({5});
        for (int i = 0; i < 5; ++i) y(i) = a[0](i) * a[0](i) * double(i + 1);
        return np::sum(y * y);
      },
      {numbers(5)});
}

TEST(Gradients, OfViewsMadeBeforeAndAfterStores) {
  checked(
      [](const Arrays& a) {
        array x = np::copy(a[0]);
        array w = x(np::slice(1, 4));
        w *= 2.0;
        array q = w * w;
        x(2) = 7.0;
        w += a[0](np::slice(0, 3));
        return np::sum(x * x) + np::sum(q);
      },
      {numbers(5)});
}

TEST(Gradients, OfALoopThatUpdatesInPlace) {
  checked(
      [](const Arrays& a) {
        array u = np::copy(a[0]);
        for (int k = 0; k < 4; ++k) {
          array in = u(np::slice(1, -1));
          array r = np::sin(u(np::slice(2, np::none))) * u(np::slice(np::none, -2)) - in * in;
          in += 0.1 * r;
          u(0) = u(-2);
          u(-1) = u(1);
        }
        return np::sum(u * u * u);
      },
      {numbers(12)});
}

TEST(Gradients, WhatBackwardNeedsIsCopiedBeforeItIsOverwritten) {
  checked(
      [](const Arrays& a) {
        array x = a[0] * 1.0;
        array y = x * x;
        x(np::_) = 3.0;
        return np::sum(y) + np::sum(x * y);
      },
      {numbers(5)});
}

TEST(Gradients, ThroughBranchesThatReadValues) {
  checked(
      [](const Arrays& a) {
        array x = a[0] * 2.0, s = np::zeros(np::dims());
        for (int i = 0; i < 5; ++i) {
          array h = np::tanh(x);
          x -= 0.3 * h * x;
          if (bool(np::sum(x) > 0.0)) x *= 2.0;
          s += np::sum(h * x);
        }
        return s;
      },
      {numbers(5)});
}

TEST(Gradients, OfStoresIntoArgumentsAreThoseAtEntry) {
  const array x = numbers(5);
  const Function f = [](const Arrays& a) {
    array given = a[0];
    given(np::slice(0, 2)) = given(np::slice(2, 4)) * given(4);
    given *= given;
    return np::sum(given * given);
  };
  checked(f, {x});
  const array before = np::copy(x);
  np::grad(f)(Arrays{x});
  EXPECT_FALSE(np::array_equal(x, before));  // the stores are seen
}

TEST(Gradients, OfGathersMasksSortsAndScans) {
  checked(
      [](const Arrays& a) {
        array x = a[0] * 1.0;
        x(x > 0) = 2.0 * x(x > 0);
        const array places{0, 2, 2, 1};
        const array s = np::sum(x(places) * np::array{1.0, 2.0, 3.0, 4.0});
        x(np::array{1, 1, 3}) = np::array{5.0, 6.0, 7.0} * s;
        return np::sum(np::sort(x) * np::arange(5.0)) + np::prod(x) * 1e-3 + np::max(x) + np::sum(np::cumprod(x)) * 1e-2 +
               np::sum(np::cumsum(x) * x);
      },
      {numbers(5)});
}

TEST(Gradients, OfProductsAndJoins) {
  checked(
      [](const Arrays& a) {
        const array m = np::reshape(a[0](np::slice(0, 4)), {2, 2});
        const array q = np::matmul(m, m), v = np::matmul(q, a[0](np::slice(0, 2)));
        return np::sum(v * v) + np::sum(np::concatenate({m, q}) * 2.0) + np::sum(np::diagonal(q)) + np::sum(np::matmul(v, m)) +
               np::sum(np::outer(v, v) * m) + np::sum(np::stack({m, q}) * np::arange(8.0).reshape({2, 2, 2}));
      },
      {numbers(5)});
}

array by_stores(const Arrays& a) {
  array u = np::zeros({18, 18}), v = np::zeros({18, 18});
  const auto in = np::slice(1, -1), left = np::slice(np::none, -2), right = np::slice(2, np::none);
  u(in, in) = a[0];
  v(in, in) = a[1];
  for (int k = 0; k < 4; ++k) {
    for (array x : {u, v}) {
      x(0) = x(-2);
      x(-1) = x(1);
      x(np::_, 0) = x(np::_, -2);
      x(np::_, -1) = x(np::_, 1);
    }
    const auto laplacian = [&](const array& x) {
      return x(left, in) + x(right, in) + x(in, left) + x(in, right) - 4.0 * x(in, in);
    };
    const array lu = laplacian(u), lv = laplacian(v);
    array inner_u = u(in, in), inner_v = v(in, in);
    const array r = inner_u * inner_v * inner_v;
    inner_u += 0.16 * lu - r + 0.035 * (1.0 - inner_u);
    inner_v += 0.08 * lv + r - 0.1 * inner_v;
  }
  return np::sum(v(in, in) * v(in, in));
}

array by_rolls(const Arrays& a) {
  array u = a[0], v = a[1];
  const auto laplacian = [](const array& x) {
    return np::roll(x, 1, 0) + np::roll(x, -1, 0) + np::roll(x, 1, 1) + np::roll(x, -1, 1) - 4.0 * x;
  };
  for (int k = 0; k < 4; ++k) {
    const array r = u * v * v, next = u + 0.16 * laplacian(u) - r + 0.035 * (1.0 - u);
    v = v + 0.08 * laplacian(v) + r - 0.1 * v;
    u = next;
  }
  return np::sum(v * v);
}

TEST(Gradients, OfGrayScottByStoresAndByRolls) {
  auto rng = np::random::default_rng(1);
  const Arrays given{1.0 + 0.1 * rng.uniform(0, 1, {16, 16}), 0.3 * rng.uniform(0, 1, {16, 16})};
  const array stores = checked(by_stores, given, false), rolls = checked(by_rolls, given, false);
  EXPECT_TRUE(np::allclose(stores, rolls, {.rtol = 1e-10, .atol = 1e-13}));
}

// ---- higher orders ----

TEST(Gradients, OfFunctionsThatAreConstant) {
  const auto squares = [](const array& x) { return np::sum(x * x); };
  const auto gradient = np::grad(squares);
  const auto both = np::value_and_grad(squares);
  const auto jacobian = np::jacobian([](const array& x) { return x * x; });
  const auto second = np::hessian(squares);
  const auto rows = np::vmap(np::grad(squares));
  const auto steered = np::error_on_graph_break(true, np::dont_skip_tracing(squares));
  const auto counting = np::grad([calls = 0](const array& x) mutable { return np::sum(x * ++calls); });
  const array x{1.0, 2.0};
  EXPECT_EQ(gradient(x).str(), "[2. 4.]");
  EXPECT_EQ(both(x).first.str(), "5.0");
  EXPECT_EQ(jacobian(x).str(), "[[2. 0.]\n [0. 4.]]");
  EXPECT_EQ(second(x).str(), "[[2. 0.]\n [0. 2.]]");
  EXPECT_EQ(rows(array{{1.0, 2.0}, {3.0, 4.0}}).str(), "[[2. 4.]\n [6. 8.]]");
  EXPECT_EQ(steered(x).str(), "5.0");
  EXPECT_EQ(counting(x).str(), "[1. 1.]");
  EXPECT_EQ(counting(x).str(), "[2. 2.]");
}

TEST(Gradients, OfGradients) {
  const Function f = [](const Arrays& a) { return np::sum(np::sin(a[0]) * np::exp(a[0] * a[0])); };
  const Function second = [&](const Arrays& a) { return np::sum(np::grad(f)(a)[0]); };
  const Function third = [&](const Arrays& a) { return np::sum(np::grad(second)(a)[0]); };
  checked(second, {numbers(5)});
  checked(third, {numbers(5)});
}

TEST(Gradients, OfGradientsOfStores) {
  const Function f = [](const Arrays& a) {
    array u = np::copy(a[0]);
    for (int k = 0; k < 3; ++k) {
      array in = u(np::slice(1, -1));
      in += 0.1 * np::sin(u(np::slice(2, np::none))) * u(np::slice(np::none, -2));
      u(0) = u(-2);
    }
    return np::sum(u * u * u);
  };
  checked([&](const Arrays& a) { return np::sum(np::grad(f)(a)[0]); }, {numbers(8)});
}

// d/dx sum(x * d/dy sum(x * y * y) at y = x) = 6 x^2: what is differentiated outside is a constant inside, and not the other way.
TEST(Gradients, LevelsDoNotMix) {
  const array x = numbers(5);
  const Function f = [](const Arrays& a) {
    const array outer = a[0];
    return np::sum(outer * np::grad([&](const array& y) { return np::sum(outer * y * y); })(outer));
  };
  EXPECT_TRUE(np::allclose(checked(f, {x}), 6.0 * x * x));
}

// ---- single rules that whole programs rarely reach ----

TEST(Gradients, OfReductionsWithMasksInitialValuesAndAxes) {
  const array mask{{true, false, true}, {true, true, false}};
  checked(
      [&](const Arrays& a) {
        const array m = np::reshape(a[0], {2, 3});
        return np::sum(np::sum(m, {.axis = 0, .where = mask}) * np::arange(3.0)) +
               np::sum(np::prod(m, {.axis = 1, .initial = 2.0})) + np::sum(np::max(m, {.axis = 0, .initial = -5.0})) +
               np::sum(np::prod(m, {.where = mask})) + np::sum(np::mean(m, {.axis = 1}) * np::var(m, {.axis = 1})) +
               np::sum(np::min(m, {.axis = 1, .keepdims = true}) * m);
      },
      {numbers(6)});
}

TEST(Gradients, OfMaskedUfuncsAndOut) {
  checked(
      [](const Arrays& a) {
        array out = np::zeros({5});
        np::multiply(a[0], a[0], {.out = out});
        np::add(out, a[0], {.out = out, .where = np::array{true, false, true, false, true}});
        np::sqrt(out + 2.0, {.out = out});
        return np::sum(out * np::arange(5.0));
      },
      {numbers(5)});
}

TEST(Gradients, OfMasksThatAreStoredIntoLater) {
  checked(
      [](const Arrays& a) {
        array mask = np::array{true, false, true, false, true};
        const array s = np::sum(a[0] * a[0], {.where = mask});
        mask(np::_) = false;
        return s;
      },
      {numbers(5)});
}

TEST(Gradients, OfWindowsDiagonalsAndStrides) {
  checked(
      [](const Arrays& a) {
        const array x = a[0] * 1.0;
        const array w = np::lib::sliding_window_view(x, {3}), d = np::diagonal(np::outer(x, x) * x, 1);
        const array s = np::lib::stride_tricks::as_strided(x, {3, 2}, {8, 16});
        return np::sum(w * w * np::arange(3.0)) + np::sum(d * d) + np::sum(s * s) + np::sum(np::flip(x) * x);
      },
      {numbers(6)});
}

TEST(Gradients, OfComplexIntermediates) {
  checked(
      [](const Arrays& a) {
        const array z = a[0] + np::array(std::complex<double>(0, 1)) * np::flip(a[0]);
        return np::sum(np::abs(z * z)) + np::sum(np::real(np::exp(z)) * np::imag(z)) + np::real(np::sum(z * np::conj(z)));
      },
      {numbers(4)});
}

TEST(Gradients, OfComplexArgumentsPointUphill) {
  const array z = numbers(3) + np::array(std::complex<double>(0, 1)) * numbers(3, 2);
  const array g = np::grad([](const array& w) { return np::sum(np::real(w * np::conj(w))); })(z);
  EXPECT_TRUE(np::allclose(g, 2.0 * z));
  const auto [y, change] = np::jvp([](const array& w) { return np::sin(w); }, std::tuple(z), std::tuple(np::ones_like(z)));
  EXPECT_TRUE(np::allclose(change, np::cos(z)));
  EXPECT_TRUE(np::allclose(np::jacobian([](const array& w) { return w * w; })(z), np::diag(2.0 * z)));
}

TEST(Gradients, KeepTheDtypeOfTheirVariable) {
  const array x = np::array{1.0, 2.0}.astype(np::float32), w{3.0, 4.0};
  const auto [gx, gw] = np::grad<0, 1>([](const array& a, const array& b) { return np::sum(a * b); })(x, w);
  EXPECT_EQ(gx.dtype(), np::float32);
  EXPECT_EQ(gw.dtype(), np::float64);
  EXPECT_TRUE(np::array_equal(gx, np::array{3.0, 4.0}));
}

TEST(Gradients, AreArraysThatMayBeStoredInto) {
  const auto [a, b] =
      np::grad<0, 1>([](const array& x, const array& y) { return np::sum(x) + np::sum(y); })(np::ones({3}), np::ones({3}));
  a(0) = 5.0;
  EXPECT_TRUE(np::array_equal(b, np::ones({3})));
  EXPECT_TRUE(np::array_equal(a, np::array{5.0, 1.0, 1.0}));
}

// ---- vjp and linearize outlive the call ----

TEST(Pull, MayBeCalledOftenAndAfterArgumentsChanged) {
  array x{1.0, 2.0};
  const auto [y, pull] = np::vjp([](const array& a) { return a * a; }, x);
  x(0) = 100.0;
  y(1) = -1.0;
  EXPECT_TRUE(np::array_equal(pull(np::array{1.0, 1.0}), np::array{2.0, 4.0}));
  EXPECT_TRUE(np::array_equal(pull(np::array{0.0, 3.0}), np::array{0.0, 12.0}));
}

TEST(Pull, TakesTreesOfSeveralArguments) {
  const std::map<std::string, array> weights{{"b", np::array{1.0, 1.0}}, {"w", np::array{2.0, 3.0}}};
  const auto f = [](const std::map<std::string, array>& p, const array& x) { return std::pair(p.at("w") * x + p.at("b"), x); };
  const auto [y, pull] = np::vjp(f, weights, np::array{5.0, 7.0});
  const auto [gp, gx] = pull(std::pair(np::ones({2}), np::zeros({2})));
  EXPECT_TRUE(np::array_equal(gp.at("w"), np::array{5.0, 7.0}));
  EXPECT_TRUE(np::array_equal(gp.at("b"), np::ones({2})));
  EXPECT_TRUE(np::array_equal(gx, np::array{2.0, 3.0}));
}

TEST(StopGradient, IsAConstant) {
  const array x = numbers(4);
  EXPECT_TRUE(np::array_equal(np::grad([](const array& a) { return np::sum(a * np::stop_gradient(a)); })(x), x));
}

// Of a real argument of a complex result: two sweeps a row, or one push a column.
TEST(Jacobians, OfComplexResults) {
  const auto f = [](const array& x) { return np::exp(x * std::complex<double>(0, 1)); };
  const array x = np::arange(3.0);
  const array expected = np::diag(f(x) * std::complex<double>(0, 1));
  EXPECT_TRUE(np::allclose(np::jacrev(f)(x), expected));
  EXPECT_TRUE(np::allclose(np::jacfwd(f)(x), expected));
}

// What a compiled function did is swept over by a compiled function.
TEST(Backward, OfACompiledFunctionIsCompiled) {
  const auto f = [](const array& x) { return np::sum(np::tanh(x) * np::exp(x) + x * x); };
  auto compiled = np::compile(f);
  const array x = numbers(1000), expected = np::grad(f)(x);
  const auto graphs_of = [&](auto&& call) {
    const std::uint64_t before = np::counters().graphs;
    EXPECT_TRUE(same_bits({call()}, {expected}));
    np::wait_for_compiles();
    return np::counters().graphs - before;
  };
  EXPECT_EQ(graphs_of([&] { return np::grad(compiled)(x); }), 2);  // forward and backward
  const std::uint64_t one_by_one = np::counters().eager_ops;
  EXPECT_EQ(graphs_of([&] { return np::grad(compiled)(x); }), 0);
  EXPECT_EQ(np::counters().eager_ops, one_by_one);
  auto [y, pull] = np::vjp(compiled, x);
  EXPECT_TRUE(same_bits({pull(np::array(1.0))}, {expected}));
  EXPECT_EQ(graphs_of([&, &p = pull] { return p(np::array(1.0)); }), 0);
}

}  // namespace
