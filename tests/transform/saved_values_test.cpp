// What compiled graphs store for the way back, and what the way back computes again: config.recompute.
#include <random>

#include <gtest/gtest.h>

#include <numjit/np.h>
#include <numjit/transform/min_cut.h>

namespace np = numjit;

namespace {

using np::array;
using np::recompute_mode;

constexpr std::int64_t size = 1 << 16, bytes = size * 8;

array numbers(std::uint64_t seed = 1) { return np::random::default_rng(seed).uniform(0.5, 1, {size}); }
bool same(const array& a, const array& b) { return np::tobytes(a) == np::tobytes(b); }

struct Told {
  std::int64_t saved_bytes;
  int recomputed_ops;
  friend bool operator==(const Told&, const Told&) = default;
};
/// What explain() says of the gradient of a function that breaks, whose bits are those of the eager one.
template <class F>
Told told(F f, recompute_mode mode, const array& x) {
  const np::config_scope scope({.compile = np::compile_mode::sync, .recompute = mode});
  auto compiled = np::compile([&](const array& a) { return np::grad(f)(a); });
  const array eager = np::grad(f)(x);
  EXPECT_TRUE(same(compiled(x), eager));
  EXPECT_TRUE(same(compiled(x), eager));
  EXPECT_TRUE(same(np::grad(np::compile(f))(x), eager));
  const np::tape_report tape = np::explain(compiled)(x).tape;
  return {tape.saved_bytes, tape.recomputed_ops};
}

// ---- the cut ----

TEST(FlowNetwork, CutsAtTheLeastPrice) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 3 + random() % 5;
    struct Edge {
      std::size_t from, to;
      std::int64_t capacity;
    };
    std::vector<Edge> edges;
    for (std::size_t k = 0; k < n * 2; ++k)
      edges.push_back({random() % n, random() % n, static_cast<std::int64_t>(random() % 9)});
    np::transform::FlowNetwork network(n);
    for (const Edge& e : edges) network.add_edge(e.from, e.to, e.capacity);
    const auto price = [&](auto&& behind) {  // of the cut that has these vertices behind it
      std::int64_t sum = 0;
      for (const Edge& e : edges)
        if (!behind(e.from) && behind(e.to)) sum += e.capacity;
      return sum;
    };
    const std::vector<bool> found = network.sink_side(0, n - 1);
    ASSERT_EQ(found.size(), n);
    EXPECT_FALSE(found[0]);
    EXPECT_TRUE(found[n - 1]);
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (unsigned set = 0; set < 1U << n; ++set)
      if (!(set & 1) && set >> (n - 1) & 1) least = std::min(least, price([&](std::size_t v) { return set >> v & 1; }));
    EXPECT_EQ(price([&](std::size_t v) { return found[v]; }), least);
  }
}

TEST(FlowNetwork, WithoutAnyCut) {
  np::transform::FlowNetwork network(3);
  network.add_edge(0, 1, np::transform::FlowNetwork::unlimited);
  network.add_edge(1, 2, np::transform::FlowNetwork::unlimited);
  EXPECT_TRUE(network.sink_side(0, 2).empty());
}

// ---- what is stored ----

TEST(SavedValues, CheapOnesAreComputedAgain) {
  // Rules want the square root, which three cheap operations make of x, and exp2(x), which costs more than a load and a store.
  const auto f = [](const array& x) {
    const array w = np::sqrt(x * x + 1.0) * np::exp2(x);
    const double largest = np::max(w).item();  // a break
    return np::sum(w * w) / largest;
  };
  const array x = numbers();  // 8: the largest
  EXPECT_EQ(told(f, recompute_mode::never, x), (Told{2 * bytes + 8, 0}));
  EXPECT_EQ(told(f, recompute_mode::cheap, x), (Told{1 * bytes + 8, 3}));
  EXPECT_EQ(told(f, recompute_mode::all, x), (Told{0, 4}));
}

TEST(SavedValues, ProductsAreStored) {
  const auto f = [](const array& x) {
    const array m = np::reshape(x, {256, 256});
    const array q = np::sin(np::matmul(m, m) + 1.0);
    const double largest = np::max(q).item();
    return np::sum(q * q) / largest;
  };
  EXPECT_EQ(told(f, recompute_mode::all, numbers()), (Told{1 * bytes, 0}));
}

TEST(SavedValues, WhatIsStoredIntoLater) {
  const auto f = [](const array& given) {
    array x = np::copy(given);
    const array y = x * x, z = y * x;
    x += 1.0;  // in the same graph
    const double largest = np::max(z * y).item();
    x *= 2.0;  // behind the break
    const array w = z * y * x;
    return np::sum(w * w) / largest;
  };
  for (const recompute_mode mode : {recompute_mode::never, recompute_mode::cheap, recompute_mode::all}) told(f, mode, numbers());
}

TEST(SavedValues, AnArgumentThatIsStoredIntoBehindTheGraph) {
  const auto f = np::compile([](const array& x) { return np::sin(x) * np::exp(-x * x); });
  const auto run = [&](recompute_mode mode) {
    const np::config_scope scope({.recompute = mode});
    array a = numbers();
    return np::grad([&](const array& x) {
      array y = np::copy(x);
      const array z = f(y);
      y *= 3.0;
      return np::sum(z * y);
    })(a);
  };
  EXPECT_TRUE(same(run(recompute_mode::never), run(recompute_mode::all)));
}

TEST(SavedValues, PulledAndPushedAgain) {
  const auto f = [](const array& x) -> array {
    const array y = np::cos(x) * x;
    return np::max(y).item() > 0 ? y * np::exp(y) : y;
  };
  const array x = numbers(), ct = numbers(2);
  const array gradient = np::vjp(f, x).second(ct), change = np::linearize(f, x).second(ct);
  const auto compiled = np::compile(f);
  const np::config_scope scope({.recompute = recompute_mode::all});
  const auto pull = np::vjp(compiled, x).second;
  const auto push = np::linearize(compiled, x).second;
  for (int k = 0; k < 3; ++k) {
    EXPECT_TRUE(same(pull(ct), gradient));
    EXPECT_TRUE(same(push(ct), change));
  }
}

TEST(SavedValues, LittleOnesAreStored) {
  const auto f = [](const array& x) {
    const array y = np::sqrt(x * x + 1.0);
    return np::sum(y * y) / np::max(y).item();
  };
  EXPECT_EQ(told(f, recompute_mode::cheap, np::linspace(0.5, 1, 100)).recomputed_ops, 0);
}

TEST(SavedValues, OfSecondDerivativesAndBatches) {
  const auto f = [](const array& x) {
    const array y = np::sin(x) * x;
    const double largest = np::max(y).item();
    return np::sum(y * y * y) / largest;
  };
  const array x = np::linspace(0.5, 1, 40);
  const auto compiled = np::compile(f);
  const array second = np::grad([&](const array& a) { return np::sum(np::grad(f)(a) * a); })(x);
  const array batched = np::vmap(np::grad([&](const array& a) { return np::sum(np::sin(a) * a * a); }))(np::reshape(x, {4, 10}));
  const np::config_scope scope({.recompute = recompute_mode::all});
  EXPECT_TRUE(same(np::grad([&](const array& a) { return np::sum(np::grad(compiled)(a) * a); })(x), second));
  const auto inner = np::compile([&](const array& a) { return np::sum(np::sin(a) * a * a); });
  EXPECT_TRUE(same(np::vmap(np::grad(inner))(np::reshape(x, {4, 10})), batched));
}

}  // namespace
