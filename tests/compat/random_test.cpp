// np::random against NumPy's streams: random_cases.inc, states, seeds, errors, and draws in graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include <numjit/np.h>

#include "against_numpy.h"

namespace np = numjit;
using np::random::default_rng;
using np::random::RandomState;

namespace {

struct golden {
  std::string dtype, shape, exact, coarse;
  std::vector<std::string> first;
};

std::vector<golden> read_goldens() {
  std::ifstream file(NUMJIT_TEST_SOURCE_DIR "/tests/compat/golden/random.txt");
  std::vector<golden> all;
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    golden g;
    in >> g.dtype >> g.shape >> g.exact >> g.coarse;
    for (std::string v; in >> v;) g.first.push_back(v);
    all.push_back(std::move(g));
  }
  return all;
}

std::string fnv(const unsigned char* data, std::size_t n) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i < n; ++i) h = (h ^ data[i]) * 0x100000001b3u;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(h));
  return text;
}

const unsigned char* bytes_of(const np::array& a) { return reinterpret_cast<const unsigned char*>(a.get()->data); }

std::string exact_hash(const np::array& a) { return fnv(bytes_of(a), static_cast<std::size_t>(a.nbytes())); }

/// Of the numbers without their last 24 (float32: 6) bits: a stream that is the same but for roundings.
template <class Word>
std::string rounded_hash(const np::array& a, int bits) {
  std::vector<Word> words(static_cast<std::size_t>(a.size()));
  std::memcpy(words.data(), bytes_of(a), static_cast<std::size_t>(a.nbytes()));
  for (Word& w : words) w = static_cast<Word>(w + (Word(1) << (bits - 1))) >> bits;
  return fnv(reinterpret_cast<const unsigned char*>(words.data()), words.size() * sizeof(Word));
}
std::string coarse_hash(const np::array& a) {
  if (a.dtype() == np::float64) return rounded_hash<std::uint64_t>(a, 24);
  if (a.dtype() == np::float32) return rounded_hash<std::uint32_t>(a, 6);
  return exact_hash(a);
}

std::string shape_text(const np::array& a) {
  std::string s;
  for (std::int64_t n : a.shape()) s += (s.empty() ? "" : ",") + std::to_string(n);
  return "(" + s + ")";
}

/// Distributions whose last bit is that of a logarithm, an exponential, a power or an arc cosine, which NumPy
/// takes from glibc: not always the nearest number.
const std::set<std::string> last_bits = {"standard_exponential", "standard_gamma", "logistic", "gumbel", "lognormal",
                                         "pareto", "power", "vonmises", "weibull", "dirichlet", "exponential", "beta",
                                         "noncentral_chisquare", "standard_t", "rayleigh", "laplace"};

bool is_exact(const std::string& expression) {
  const std::string name = expression.substr(4, expression.find('(') - 4);
  return !last_bits.contains(name);
}

struct drawn {
  const char* expression;
  np::array value;
};

std::vector<drawn> draw_all() {
  std::vector<drawn> all;
#define CASE(make, ...)                              \
  {                                                  \
    auto rng = make;                                 \
    all.push_back({#__VA_ARGS__, __VA_ARGS__});      \
  }
#include "random_cases.inc"
#undef CASE
  return all;
}

TEST(random, streams_are_numpys) {
  const std::vector<golden> goldens = read_goldens();
  const std::vector<drawn> all = draw_all();
  ASSERT_EQ(all.size(), goldens.size()) << "run tests/compat/make_random_goldens.py";
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(all[i].expression);
    const np::array a = all[i].value.copy();
    EXPECT_EQ(a.dtype().name(), goldens[i].dtype);
    EXPECT_EQ(shape_text(a), goldens[i].shape);
    EXPECT_EQ(coarse_hash(a), goldens[i].coarse) << goldens[i].first[0] << " " << a.str().substr(0, 200);
    if (is_exact(all[i].expression)) {
      EXPECT_EQ(exact_hash(a), goldens[i].exact);
    }
  }
}

// ---- seeds and states ----

TEST(random, seeds_and_states) {
  VALUE_EXACT("np.random.SeedSequence(42).generate_state(5)", np::random::SeedSequence(42).generate_state(5));
  VALUE_EXACT("np.random.SeedSequence([1, 2, 2**40]).generate_state(3, np.uint64)",
              np::random::SeedSequence({1, 2, std::uint64_t{1} << 40}).generate_state(3, np::uint64));
  VALUE_EXACT("np.random.SeedSequence(7).spawn(3)[2].spawn(1)[0].generate_state(4)",
              np::random::SeedSequence(7).spawn(3)[2].spawn(1)[0].generate_state(4));
  VALUE_EXACT("np.random.default_rng(7).spawn(2)[1].random(3)", default_rng(7).spawn(2)[1].random(3));
  VALUE_EXACT("np.random.default_rng([3, 2**35]).random(3)", default_rng({3, std::uint64_t{1} << 35}).random(3));
  VALUE_EXACT("np.random.PCG64(1).jumped().random_raw(3)", np::random::PCG64(1).jumped().random_raw(3));
  VALUE_EXACT("np.random.PCG64DXSM(1).jumped(2).random_raw(3)", np::random::PCG64DXSM(1).jumped(2).random_raw(3));
  VALUE_EXACT("np.random.Philox(1).jumped().random_raw(3)", np::random::Philox(1).jumped().random_raw(3));
  VALUE_EXACT("np.random.MT19937(1).jumped().random_raw(3)", np::random::MT19937(1).jumped().random_raw(3));
  VALUE_EXACT("np.random.MT19937([1, 2]).jumped(2).random_raw(700)", np::random::MT19937({1, 2}).jumped(2).random_raw(700));
  VALUE_EXACT("np.random.PCG64(1).advance(1000).random_raw(3)", np::random::PCG64(1).advance(1000).random_raw(3));
  VALUE_EXACT("np.random.MT19937(1).random_raw(5)", np::random::MT19937(1).random_raw(5));
  VALUE_EXACT("np.random.RandomState([1, 2, 3]).randint(0, 1000, 5)", RandomState({1, 2, 3}).randint(0, 1000, 5));
  VALUE_EXACT("np.random.RandomState(np.random.PCG64(5)).randn(3)", RandomState(np::random::PCG64(5)).randn(3));
  VALUE_EXACT("np.random.seed(3); np.random.rand(2, 2)", [] {
    np::random::seed(3);
    return np::random::rand(2, 2);
  }());
  TEXT("np.random.default_rng(4).bytes(7).hex()", [] {
    std::string hex;
    for (unsigned char c : default_rng(4).bytes(7))
      hex += std::string("0123456789abcdef").substr(c >> 4, 1) + "0123456789abcdef"[c & 15];
    return hex;
  }());
}

TEST(random, a_state_that_is_put_back_draws_the_same) {
  auto again = [](const auto& rng) {
    rng.random({.size = 3, .dtype = np::float32});
    const auto state = rng.bit_generator().state();
    const np::array first = rng.random({.size = 5, .dtype = np::float32});
    rng.bit_generator().set_state(state);
    EXPECT_TRUE(np::array_equal(first, rng.random({.size = 5, .dtype = np::float32}))) << state.bit_generator;
  };
  again(np::random::Generator(np::random::PCG64(1)));
  again(np::random::Generator(np::random::PCG64DXSM(1)));
  again(np::random::Generator(np::random::MT19937(1)));
  again(np::random::Generator(np::random::Philox(1)));
  again(np::random::Generator(np::random::SFC64(1)));
  const RandomState legacy(5);
  legacy.randn(3);
  const auto state = legacy.get_state();
  EXPECT_TRUE(state.has_gauss);
  const np::array first = legacy.randn(3);
  legacy.set_state(state);
  EXPECT_TRUE(np::array_equal(first, legacy.randn(3)));
  EXPECT_THROW(default_rng(1).bit_generator().set_state(state), np::ValueError);
}

TEST(random, in_place) {
  const auto rng = default_rng(3);
  np::array a = np::zeros({3, 2});
  EXPECT_EQ(rng.random({.out = a}).get(), a.get());
  EXPECT_TRUE(np::array_equal(a, default_rng(3).random({3, 2})));
  np::array t = np::zeros({2, 3}).T();
  default_rng(3).random({.out = t});
  EXPECT_TRUE(np::array_equal(t.T(), default_rng(3).random({2, 3})));
  VALUE_EXACT("rng = np.random.default_rng(5); x = np.arange(12).reshape(4, 3); rng.shuffle(x); rng.shuffle(x, axis=1); x", [] {
    const auto g = default_rng(5);
    np::array x = np::arange(12).reshape(4, 3);
    g.shuffle(x);
    g.shuffle(x, 1);
    return x;
  }());
  VALUE_EXACT("np.random.seed(5); x = np.arange(10); np.random.shuffle(x); x", [] {
    np::random::seed(5);
    np::array x = np::arange(10);
    np::random::shuffle(x);
    return x;
  }());
}

TEST(random, errors_are_numpys) {
  const auto rng = default_rng(1);
  ERROR("np.random.default_rng(1).normal(0, -1)", rng.normal(0, -1));
  ERROR("np.random.default_rng(1).normal(0, np.array([1.0, -1.0]))", rng.normal(0, np::array({1.0, -1.0})));
  ERROR("np.random.default_rng(1).normal(np.zeros(3), 1, size=4)", rng.normal(np::zeros(3), 1, 4));
  ERROR("np.random.default_rng(1).normal(np.zeros((2, 3)), 1, size=3)", rng.normal(np::zeros({2, 3}), 1, 3));
  ERROR("np.random.default_rng(1).normal(1j)", rng.normal(std::complex<double>(0, 1)));
  ERROR("np.random.default_rng(1).random(3, dtype=np.int32)", rng.random(3, {.dtype = np::int32}));
  ERROR("np.random.default_rng(1).random(3, out=np.zeros(4))", rng.random({.size = 3, .out = np::zeros(4)}));
  ERROR("np.random.default_rng(1).random(out=np.zeros(4, np.float32))", rng.random({.out = np::zeros(4, np::float32)}));
  ERROR("np.random.default_rng(1).random(-1)", rng.random(-1));
  ERROR("np.random.default_rng(1).integers(5, 5)", rng.integers(5, 5));
  ERROR("np.random.default_rng(1).integers(0)", rng.integers(0));
  ERROR("np.random.default_rng(1).integers(0, 300, dtype=np.int8)", rng.integers(0, 300, {.dtype = np::int8}));
  ERROR("np.random.default_rng(1).integers(-1, 3, dtype=np.uint8)", rng.integers(-1, 3, {.dtype = np::uint8}));
  ERROR("np.random.default_rng(1).integers(0, 3, dtype=np.float64)", rng.integers(0, 3, {.dtype = np::float64}));
  ERROR("np.random.default_rng(1).integers(3, np.array([5, 2]), endpoint=True)",
        rng.integers(3, np::array({5, 2}), {.endpoint = true}));
  ERROR("np.random.default_rng(1).uniform(0, np.inf)", rng.uniform(0, np::inf));
  ERROR("np.random.default_rng(1).uniform(3, 1)", rng.uniform(3, 1));
  ERROR("np.random.default_rng(1).poisson(-1)", rng.poisson(-1));
  ERROR("np.random.default_rng(1).poisson(1e30)", rng.poisson(1e30));
  ERROR("np.random.default_rng(1).binomial(5, 1.5)", rng.binomial(5, 1.5));
  ERROR("np.random.default_rng(1).binomial(-5, 0.5)", rng.binomial(-5, 0.5));
  ERROR("np.random.default_rng(1).binomial(5, np.array([0.5, np.nan]))", rng.binomial(5, np::array({0.5, np::nan})));
  ERROR("np.random.default_rng(1).binomial(np.array([5.5]), 0.5)", rng.binomial(np::array({5.5}), 0.5));
  ERROR("np.random.default_rng(1).geometric(0)", rng.geometric(0));
  ERROR("np.random.default_rng(1).zipf(1)", rng.zipf(1));
  ERROR("np.random.default_rng(1).logseries(1)", rng.logseries(1));
  ERROR("np.random.default_rng(1).triangular(0, 3, 2)", rng.triangular(0, 3, 2));
  ERROR("np.random.default_rng(1).triangular(1, 1, 1)", rng.triangular(1, 1, 1));
  ERROR("np.random.default_rng(1).hypergeometric(3, 4, 9)", rng.hypergeometric(3, 4, 9));
  ERROR("np.random.default_rng(1).negative_binomial(0, 0.5)", rng.negative_binomial(0, 0.5));
  ERROR("np.random.default_rng(1).beta(0, 1)", rng.beta(0, 1));
  ERROR("np.random.default_rng(1).dirichlet(np.array([1.0, -1.0]))", rng.dirichlet(np::array({1.0, -1.0})));
  ERROR("np.random.default_rng(1).multinomial(3, np.array([0.8, 0.7, 0.1]))", rng.multinomial(3, np::array({0.8, 0.7, 0.1})));
  ERROR("np.random.default_rng(1).choice(0, 3)", rng.choice(0, 3));
  ERROR("np.random.default_rng(1).choice(3, 4, replace=False)", rng.choice(3, 4, {.replace = false}));
  ERROR("np.random.default_rng(1).choice(3, p=np.array([0.5, 0.4, 0.4]))", rng.choice(3, {.p = np::array({0.5, 0.4, 0.4})}));
  ERROR("np.random.default_rng(1).choice(3, p=np.array([0.5, 0.5]))", rng.choice(3, {.p = np::array({0.5, 0.5})}));
  ERROR("np.random.default_rng(1).choice(3, p=np.array([1.5, -0.5, 0.0]))", rng.choice(3, {.p = np::array({1.5, -0.5, 0.0})}));
  ERROR("np.random.default_rng(-1)", default_rng(-1));
  ERROR("np.random.seed(-1)", np::random::seed(-1));
  ERROR("np.random.seed(2**32)", np::random::seed(std::uint64_t{1} << 32));
  ERROR("np.random.randint(3, 3)", np::random::randint(3, 3));
  ERROR("np.random.choice(3, 4, replace=False)", np::random::choice(3, 4, {.replace = false}));
  ERROR("np.random.choice(np.zeros((2, 2)))", np::random::choice(np::zeros({2, 2})));
}

TEST(random, multivariate_normal) {
  const np::array mean({1.0, 2.0, 3.0}), cov{{2.0, 0.3, 0.1}, {0.3, 1.0, 0.2}, {0.1, 0.2, 0.5}};
  for (const char* method : {"cholesky", "eigh"}) {  // signs of vectors are LAPACK's
    const np::array x = default_rng(1).multivariate_normal(mean, cov, {.size = {20000}, .method = method});
    EXPECT_TRUE(np::allclose(np::mean(x, {.axis = 0}), mean, {.atol = 0.05})) << method;
    EXPECT_TRUE(np::allclose(np::matmul((x - mean).T(), x - mean) / 20000, cov, {.atol = 0.05})) << method;
  }
  VALUE_CLOSE(
      "np.random.default_rng(1).multivariate_normal(np.array([1.0, 2.0]), np.array([[2.0, 0.3], [0.3, 1.0]]), 4, "
      "method='cholesky')",
      1e-12,
      default_rng(1).multivariate_normal(np::array({1.0, 2.0}), np::array{{2.0, 0.3}, {0.3, 1.0}},
                                         {.size = 4, .method = "cholesky"}));
  EXPECT_EQ(RandomState(1).multivariate_normal(mean, cov, {.size = {4, 5}}).shape(), (np::dims{4, 5, 3}));
  EXPECT_EQ(default_rng(1).multivariate_normal(mean, cov).shape(), np::dims{3});
  ERROR("np.random.default_rng(1).multivariate_normal(np.ones(2), np.ones((3, 3)))",
        default_rng(1).multivariate_normal(np::ones(2), np::ones({3, 3})));
  ERROR("np.random.default_rng(1).multivariate_normal(np.ones(2), -np.eye(2), check_valid='raise')",
        default_rng(1).multivariate_normal(np::ones(2), -np::eye(2), {.check_valid = "raise"}));
  auto f =
      np::compile([&](const np::array& c) { return default_rng(1).multivariate_normal(mean, c * 1.0); }, {.fullgraph = true});
  EXPECT_TRUE(np::array_equal(f(cov), default_rng(1).multivariate_normal(mean, cov)));
}

// ---- in graphs ----

TEST(random, draws_stay_in_graphs_and_draw_anew_at_each_call) {
  const auto compiled_rng = default_rng(9), rng = default_rng(9);
  auto body = [](const np::random::Generator& g, const np::array& x) {
    auto noise = g.normal(0.0, 0.5, 4);
    g.random(3);  // its result is unused, and yet it is drawn
    auto chosen = g.integers(0, 10, 4);
    return x + noise * chosen;
  };
  auto f = np::compile([&](const np::array& x) { return body(compiled_rng, x); }, {.fullgraph = true});
  for (int i = 0; i < 4; ++i) {
    const np::array x = np::arange(4.0) + i;
    EXPECT_TRUE(np::array_equal(f(x), body(rng, x))) << i;
  }
  EXPECT_TRUE(np::array_equal(compiled_rng.random(3), rng.random(3)));
}

TEST(random, parameters_and_sizes_change_without_new_records) {
  const auto compiled_rng = default_rng(2), rng = default_rng(2);
  auto f = np::compile([&](const np::array& x, double scale) {
    return x * compiled_rng.normal(0.0, scale, x.shape(0));
  }, {.fullgraph = true});
  np::reset();
  for (int n : {3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}) {
    const np::array x = np::ones(n);
    EXPECT_TRUE(np::array_equal(f(x, n * 0.5), x * rng.normal(0.0, n * 0.5, n))) << n;
  }
  EXPECT_EQ(np::counters().recompiles, 0u);
}

TEST(random, replay_draws_anew) {
  const auto compiled_rng = default_rng(2), rng = default_rng(2);
  int bodies = 0;
  auto f = np::compile([&](const np::array& x) {
    ++bodies;
    return x + compiled_rng.random(3);
  }, {.mode = np::mode::replay});
  auto g = np::compile([&](np::random::Generator generator, const np::array& x) {
    return x + generator.random(3);
  }, {.mode = np::mode::replay});
  const np::array x = np::ones(3);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(np::array_equal(f(x), x + rng.random(3))) << i;
  EXPECT_EQ(bodies, 1);
  const auto given = default_rng(4), same = default_rng(4);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(np::array_equal(g(given, x), x + same.random(3))) << i;
}

TEST(random, replay_runs_bodies_that_make_generators) {
  auto f = np::compile([](const np::array& x) { return x + default_rng(6).random(3); }, {.mode = np::mode::replay});
  const np::array x = np::ones(3), expected = x + default_rng(6).random(3);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(np::array_equal(f(x), expected)) << i;
}

TEST(random, verified_replay_draws_each_number_once) {
  const auto compiled_rng = default_rng(2), rng = default_rng(2);
  auto f = np::compile([&](const np::array& x) { return x + compiled_rng.random(3); },
                       {.mode = np::mode::replay, .verify_replay = 2});
  const np::array x = np::ones(3);
  for (int i = 0; i < 7; ++i) EXPECT_TRUE(np::array_equal(f(x), x + rng.random(3))) << i;
}

TEST(random, reading_the_state_runs_what_is_pending) {
  const auto compiled_rng = default_rng(2), rng = default_rng(2);
  np::random::bit_generator_state seen;
  auto f = np::compile([&](const np::array& x) {
    auto y = x + compiled_rng.random(3);
    seen = compiled_rng.bit_generator().state();
    return y + compiled_rng.random(3);
  });
  const np::array x = np::ones(3);
  for (int i = 0; i < 3; ++i) {
    const np::array y = f(x), first = x + rng.random(3);
    EXPECT_EQ(seen.state, rng.bit_generator().state().state);
    EXPECT_TRUE(np::array_equal(y, first + rng.random(3)));
  }
}

TEST(random, errors_of_array_parameters_come_when_the_draw_runs) {
  const auto rng = default_rng(2);
  auto f = np::compile([&](const np::array& scale) { return rng.normal(0.0, scale - 1) * 2; });
  EXPECT_THROW(f(np::zeros(3)), np::ValueError);
  EXPECT_TRUE(np::array_equal(f(np::ones(3) * 2), default_rng(2).normal(0.0, np::ones(3)) * 2));
}

TEST(random, shuffles_and_choices_in_graphs) {
  const auto compiled_rng = default_rng(2), rng = default_rng(2);
  auto body = [](const np::random::Generator& g, np::array x) {
    g.shuffle(x);
    auto picked = g.choice(x, 3, {.p = np::full({6}, 1 / 6.0)});
    return np::concatenate({picked, g.permutation(x), g.permuted(x)});
  };
  auto f = np::compile([&](np::array x) { return body(compiled_rng, x); }, {.fullgraph = true});
  for (int i = 0; i < 3; ++i) {
    np::array x = np::arange(6.0), y = np::arange(6.0);
    EXPECT_TRUE(np::array_equal(f(x), body(rng, y))) << i;
    EXPECT_TRUE(np::array_equal(x, y));
  }
}

TEST(random, draws_are_not_exported) {
  const auto rng = default_rng(2);
  try {
    np::export_function([&](const np::array& x) { return x + rng.random(3); }, std::tuple(np::ones(3)), "/dev/null");
    FAIL();
  } catch (const np::NotImplementedError& e) {
    EXPECT_NE(std::string(e.what()).find("draws of random numbers can't be written to a file"), std::string::npos) << e.what();
  }
}

}  // namespace
