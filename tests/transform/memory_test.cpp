// What derivatives keep: np::checkpoint and config.tape_memory. Gradients have the same bits whatever is kept.
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include <numjit/base/buffer_pool.h>
#include <numjit/np.h>
#include <numjit/transform/rerun.h>

namespace np = numjit;

namespace {

using np::array;

array numbers(const np::dims& shape, std::uint64_t seed = 1) { return np::random::default_rng(seed).uniform(-1, 1, shape); }
bool same(const array& a, const array& b) { return np::tobytes(a) == np::tobytes(b); }

constexpr std::int64_t size = 1 << 16, bytes = size * 8;

array layer(const array& x) {
  array y = np::sin(x) * np::exp(-x * x);
  y = np::tanh(y) / (1.0 + y * y);
  return np::sqrt(1.0 + y * y) * np::cos(y);
}

/// Bytes in use where `f` has run, before the way back.
template <class F>
std::int64_t kept_by(F f, const array& x, array* gradient = nullptr) {
  const std::int64_t before = np::detail::memory_usage().in_use;
  std::int64_t kept = 0;
  const array g = np::grad([&](const array& a) {
    const array y = np::sum(f(a));
    kept = np::detail::memory_usage().in_use - before;
    return y;
  })(x);
  if (gradient) *gradient = g;
  return kept;
}

TEST(Checkpoint, KeepsWhatItTakes) {
  const array x = numbers({size});
  array plain, again, nested;
  const auto twice = [](const array& a) { return layer(layer(a)); };
  const auto each = [](const array& a) { return np::checkpoint(layer)(np::checkpoint(layer)(a)); };
  EXPECT_GT(kept_by(twice, x, &plain), 10 * bytes);
  EXPECT_LT(kept_by(each, x, &again), 4 * bytes);
  EXPECT_LT(kept_by(np::checkpoint(each), x, &nested), 3 * bytes);
  EXPECT_TRUE(same(plain, again));
  EXPECT_TRUE(same(plain, nested));
}

/// The most in use on the way back, beyond what was there before all.
template <class F>
std::int64_t peak_of(F f, const array& x) {
  const std::int64_t before = np::detail::memory_usage().in_use;
  np::detail::reset_memory_peak();
  np::grad([&](const array& a) { return np::sum(f(a)); })(x);
  return np::detail::memory_usage().peak - before;
}

TEST(Checkpoint, OneInsideOfAnotherHoldsItsPartAlone) {
  const array x = numbers({size});
  const auto run = [](const array& a, bool nested) {
    return np::checkpoint([nested](array y) {
      for (int i = 0; i < 8; ++i) y = nested ? np::checkpoint(layer)(y) : layer(y);
      return y;
    })(a);
  };
  const std::int64_t nested = peak_of([&](const array& a) { return run(a, true); }, x);
  EXPECT_LT(nested * 2, peak_of([&](const array& a) { return run(a, false); }, x));
}

// What the function does beside its operations happens once.
TEST(Checkpoint, CallsTheFunctionOnce) {
  const array x = numbers({50});
  int calls = 0;
  const auto noisy = [&](const array& a, np::random::Generator& rng) {
    ++calls;
    array y = a * rng.normal(0.0, 1.0, {50}) + rng.uniform(0.0, np::sum(a * a), {50});
    if (np::sum(y) > 0) y = y * y;
    const array kept = y(rng.permutation(50));
    y(np::slice(0, 20)) = np::sin(y(np::slice(10, 30)));
    return y * (kept > 0.1) + np::floor(kept) * y;
  };
  const auto gradient = [&](bool checkpointed) {
    auto rng = np::random::default_rng(5);
    const auto f = [&](const array& a) { return noisy(a, rng); };
    const array g = np::grad([&](const array& a) { return np::sum(checkpointed ? np::checkpoint(f)(a) : f(a)); })(x);
    return np::concatenate({g, rng.random({3})});
  };
  const array plain = gradient(false);
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(same(plain, gradient(true)));
  EXPECT_EQ(calls, 2);
}

// Also arrays that do not depend on the arguments, where the program stores into them later.
TEST(Checkpoint, KeepsConstantsAsTheyWere) {
  const array x = numbers({8}), start = numbers({8}, 2);
  const auto run = [&](const array& a, bool checkpointed) {
    array c = start * 1.0, mask = start > 0, y = a * 1.0;
    const auto part = [&](const array& b) { return np::where(mask, np::sin(b * c) * b, b + c); };
    for (int i = 0; i < 4; ++i) {
      y = checkpointed ? np::checkpoint(part)(y) : part(y);
      c(np::slice(0, 4)) += 1.0;
      mask(i) = !mask(i).item<bool>();
      y(i) *= 2.0;
    }
    return np::sum(y * c);
  };
  const array plain = np::grad([&](const array& a) { return run(a, false); })(x);
  EXPECT_TRUE(same(plain, np::grad([&](const array& a) { return run(a, true); })(x)));
  const np::config_scope scope({.tape_memory = 200});
  EXPECT_TRUE(same(plain, np::grad([&](const array& a) { return run(a, false); })(x)));
  EXPECT_TRUE(same(plain, np::grad([&](const array& a) { return run(a, true); })(x)));
}

TEST(Checkpoint, UnderOtherTransforms) {
  const array x = numbers({6}), v = numbers({6}, 2);
  const auto f = [](const array& a) { return np::sum(layer(a * a)); };
  const auto c = np::checkpoint(f);
  EXPECT_TRUE(same(np::hessian(f)(x), np::hessian(c)(x)));
  EXPECT_TRUE(same(np::hvp(f, x, v), np::hvp(c, x, v)));
}

TEST(Checkpoint, UnderBatches) {
  const array rows = numbers({5, 6});
  const auto f = [](const array& a) { return np::sum(layer(a) * a); };
  const auto c = np::checkpoint(f);
  EXPECT_TRUE(same(np::vmap(np::grad(f))(rows), np::vmap(np::grad(c))(rows)));
  const auto total = [&rows](auto g) { return np::grad([g](const array& a) { return np::sum(np::vmap(g)(a)); })(rows); };
  EXPECT_TRUE(same(total(f), total(c)));
  // The way back may be gone often, and forward.
  const auto rest = np::checkpoint([](const array& a) { return layer(a) * a; });
  auto [y, pull] = np::vjp(rest, rows);
  EXPECT_TRUE(same(pull(y), pull(y)));
  EXPECT_TRUE(same(np::linearize(rest, rows).second(rows),
                   np::linearize([](const array& a) { return layer(a) * a; }, rows).second(rows)));
}

// What errors leave behind is a level that ends.
TEST(Checkpoint, AfterErrors) {
  const array x = numbers({4});
  auto fails = np::checkpoint([](const array& a) { return a + np::zeros({3}); });
  EXPECT_THROW(np::grad([&](const array& a) { return np::sum(fails(a)); })(x), np::ValueError);
  const array g = np::grad([&](const array& a) {
    try {
      fails(a * 2.0);
    } catch (const np::ValueError&) {
    }
    return np::sum(a * a);
  })(x);
  EXPECT_TRUE(same(g, x * 2.0));
  EXPECT_TRUE(np::array_equal(fails(numbers({3})), numbers({3})));
}

// ---- config.tape_memory ----

/// A loop with a state, reads, draws, masks and stores.
array loop(const array& start, int steps) {
  auto rng = np::random::default_rng(3);
  array u = np::copy(start), total = np::zeros({});
  for (int i = 0; i < steps; ++i) {
    u(np::slice(1, -1)) += 0.1 * (u(np::slice(2, np::none)) - 2.0 * u(np::slice(1, -1)) + u(np::slice(np::none, -2)));
    u = u + 0.01 * np::sin(u * 3.0) * rng.random(u.shape());
    if (i % 10 == 0 && np::max(u) > 0.5) u = np::where(u > 0.5, u * 0.9, u);
    total = total + np::mean(u * u);
  }
  return total + np::sum(u);
}

TEST(TapeMemory, BoundsALoop) {
  constexpr std::int64_t n = 1 << 13, state = n * 8;
  constexpr int steps = 500;
  const array x = numbers({n});
  const auto run = [&](const array& a) { return loop(a, steps); };
  const std::int64_t before = np::detail::memory_usage().in_use;
  const array expected = np::grad(run)(x);
  const std::int64_t room = 64 * state;
  const np::config_scope scope({.tape_memory = room});
  np::detail::reset_memory_peak();
  const array found = np::grad(run)(x);
  const std::int64_t peak = np::detail::memory_usage().peak - before;
  EXPECT_TRUE(same(expected, found));
  EXPECT_LT(peak, room + room / 4);
}

TEST(TapeMemory, TenStatesAreEnough) {
  const array x = numbers({1000});
  const auto run = [&](const array& a) { return loop(a, 200); };
  const array expected = np::grad(run)(x);
  for (const std::int64_t states : {0, 4, 10, 100}) {
    const np::config_scope scope({.tape_memory = states * 8000 + 1});
    EXPECT_TRUE(same(expected, np::grad(run)(x))) << states;
  }
  const np::config_scope scope({.tape_memory = 20 * 8000});
  auto compiled = np::compile([&](const array& a) { return np::grad(run)(a); });
  EXPECT_TRUE(same(expected, compiled(x)));
  EXPECT_TRUE(same(expected, compiled(x)));
}

// Of parts gone through with states to keep, none is carried out more often than the theory says.
TEST(TapeMemory, StatesArePlacedByBinomials) {
  std::map<std::pair<std::size_t, std::int64_t>, std::size_t> known;
  const std::function<std::size_t(std::size_t, std::int64_t)> carried_out = [&](std::size_t parts,
                                                                                std::int64_t states) -> std::size_t {
    std::size_t total = 0;
    const auto key = std::pair(parts, states);
    if (const auto found = known.find(key); found != known.end()) return found->second;
    for (std::size_t end = parts; end > 1;) {
      const std::size_t middle = np::transform::parts_before_state(end, states);
      total += middle + carried_out(end - middle, std::max<std::int64_t>(states - 1, 0));
      end = middle;
    }
    return known[key] = total + (parts > 0 ? 1 : 0);
  };
  // (32 + 2)! / 32! 2! is 561, (32 + 3)! / 32! 3! is 6545, (3 + 7)! / 3! 7! is 120; once more for what the rules see.
  EXPECT_LE(carried_out(560, 32), (2u + 1) * 560);
  EXPECT_LE(carried_out(6500, 32), (3u + 1) * 6500);
  EXPECT_LE(carried_out(100, 3), (7u + 1) * 100);
  EXPECT_EQ(carried_out(1, 3), 1u);
}

}  // namespace
