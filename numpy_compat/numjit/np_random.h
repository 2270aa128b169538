// np::random: NumPy's generators of random numbers, with its streams.
//
//   auto rng = np::random::default_rng(42);           // a Generator over PCG64
//   rng.random({2, 3});                               // the same 6 numbers as in NumPy
//   rng.normal(0.0, 1.0, 1000);                       // sizes: an integer or a list, last,
//   rng.normal({.scale = 2.0, .size = {4, 4}});       // or by name
//   rng.integers(0, 10, {.size = 5, .dtype = np::int8, .endpoint = true});
//   np::random::seed(0);                              // the legacy functions: RandomState's streams
//   np::random::rand(3, 4);
//
// Inside a compiled function a draw is an operation of the graph that runs once per call, in the program's
// order. Reading or setting a state runs what is pending. docs/random.md says what is exact.
#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <numjit/np_options.h>

namespace numjit::random {

/// What a stream begins with: a non-negative integer, a list of them, or an array of them.
class seed_value {
 public:
  template <std::integral T>
    requires(weak_scalar<T>)
  seed_value(T value) : values_{static_cast<std::uint64_t>(value)}, negative_(value < T(0)) {}
  seed_value(std::initializer_list<std::uint64_t> values) : values_(values), is_list_(true) {}
  seed_value(std::vector<std::uint64_t> values) : values_(std::move(values)), is_list_(true) {}
  seed_value(const array& values);

  const std::vector<std::uint64_t>& values() const { return values_; }
  bool is_list() const { return is_list_; }
  bool negative() const { return negative_; }

 private:
  std::vector<std::uint64_t> values_;
  bool is_list_ = false, negative_ = false;
};

/// Mixes entropy into states that have nothing to do with each other, and spawns others like it.
///   np::random::SeedSequence(42).generate_state(2);   // uint32 [3444837047 2669555309]
class SeedSequence {
 public:
  SeedSequence();  // entropy of the system
  /// ValueError: "expected non-negative integer", "The size of the entropy pool should be at least 4".
  explicit SeedSequence(const seed_value& entropy, std::vector<std::uint64_t> spawn_key = {},
                        int pool_size = 4, std::uint32_t n_children_spawned = 0);
  /// n words of dtype uint32 or uint64. ValueError: "only support uint32 or uint64".
  array generate_state(std::int64_t n, numjit::dtype type = uint32) const;
  /// n sequences that depend on this one's entropy and on their number.
  std::vector<SeedSequence> spawn(int n);

  const std::vector<std::uint64_t>& entropy() const { return entropy_; }
  const std::vector<std::uint64_t>& spawn_key() const { return spawn_key_; }
  const std::vector<std::uint32_t>& pool() const { return pool_; }
  std::uint32_t n_children_spawned() const { return children_; }

  /// The same words as plain numbers.
  std::vector<std::uint32_t> words(std::size_t n) const;
  std::vector<std::uint64_t> long_words(std::size_t n) const;

 private:
  std::vector<std::uint64_t> entropy_, spawn_key_;
  std::vector<std::uint32_t> pool_;
  std::uint32_t children_ = 0;
};

/// The state of a bit generator, by the names of NumPy's dictionaries.
struct bit_generator_state {
  std::string bit_generator;           // "PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"
  std::vector<std::uint64_t> state;    // PCG64: state and inc, the upper word first; Philox: counter; else all
  std::vector<std::uint64_t> key, buffer;  // Philox
  int pos = 0;                         // MT19937; Philox: buffer_pos
  bool has_uint32 = false;
  std::uint32_t uinteger = 0;
  bool has_gauss = false;              // RandomState
  double gauss = 0;
};

namespace detail {
/// Keeps braces without names from being options: `{3, 4}` is a size.
struct named_only {
  constexpr named_only() {}
};
/// A shape that may be left out: an integer, a list, np::dims.
class optional_size {
 public:
  optional_size() = default;
  template <std::integral T>
    requires(weak_scalar<T> && !std::same_as<T, bool>)
  optional_size(T extent) : shape_{static_cast<std::int64_t>(extent)}, given_(true) {}
  optional_size(std::initializer_list<std::int64_t> extents) : shape_(extents), given_(true) {}
  optional_size(const dims& shape) : shape_(shape), given_(true) {}

  explicit operator bool() const { return given_; }
  const dims& operator*() const { return shape_; }

 private:
  dims shape_;
  bool given_ = false;
};
/// A size in its place. In overloads that are templates: `{.size = 3}` shall be options, which g++ 12 would
/// also take for a list.
template <class Size>
using size_of = const std::type_identity_t<Size>&;
enum class distribution : std::int64_t;
}  // namespace detail

/// The source of random bits under a Generator: a handle, whose copies are the same source.
class BitGenerator {
 public:
  /// n raw values: 64 bits, of MT19937 32.
  array random_raw(const shape_list& size) const;
  std::uint64_t random_raw() const;
  bit_generator_state state() const;
  /// ValueError if the state is another bit generator's.
  void set_state(const bit_generator_state& state) const;
  /// n sources with seeds spawned from this one's. TypeError if it was not made from a SeedSequence.
  std::vector<BitGenerator> spawn(int n) const;
  SeedSequence& seed_seq() const;
  /// Moves on as if `delta` values had been drawn: PCG64, PCG64DXSM and Philox (which counts by four).
  const BitGenerator& advance(std::uint64_t delta) const;
  /// One that is far ahead on the same stream (of MT19937 2^128 values). NotImplementedError for SFC64, which has none.
  BitGenerator jumped(std::uint64_t jumps = 1) const;
  std::string name() const;

  /// The words of the state. Not to be written to.
  const array& words() const { return state_; }

 protected:
  friend class distributions;
  friend class Generator;
  friend class RandomState;
  BitGenerator() = default;
  explicit BitGenerator(int kind);  // of the system's entropy
  BitGenerator(int kind, const SeedSequence& seed);
  BitGenerator(int kind, std::shared_ptr<SeedSequence> seed);
  array state_;
  std::shared_ptr<SeedSequence> seed_;
};

#define NUMJIT_BIT_GENERATOR(Name, number)                                                        \
  class Name : public BitGenerator {                                                              \
   public:                                                                                        \
    Name() : BitGenerator(number) {}                                                              \
    explicit Name(const seed_value& seed) : BitGenerator(number, SeedSequence(seed)) {}           \
    explicit Name(const SeedSequence& seed) : BitGenerator(number, seed) {}                       \
  };
NUMJIT_BIT_GENERATOR(PCG64, 0)
NUMJIT_BIT_GENERATOR(PCG64DXSM, 1)
NUMJIT_BIT_GENERATOR(MT19937, 2)
NUMJIT_BIT_GENERATOR(Philox, 3)
NUMJIT_BIT_GENERATOR(SFC64, 4)
#undef NUMJIT_BIT_GENERATOR

// Options: all by name. Without a size the result has the shape of the parameters, 0-D for numbers.
struct size_options {
  detail::named_only _{};
  detail::optional_size size{};
};
/// `out` is written in place and returned; dtype is float64 or float32.
struct fill_options {
  detail::named_only _{};
  detail::optional_size size{};
  optional_dtype dtype{};
  array out{};
};
struct exponential_fill_options {
  detail::named_only _{};
  detail::optional_size size{};
  optional_dtype dtype{};
  const char* method = "zig";  // or "inv"
  array out{};
};
struct integers_options {
  detail::named_only _{};
  detail::optional_size size{};
  optional_dtype dtype{};   // int64
  bool endpoint = false;    // high is drawn too
};
struct choice_options {
  detail::named_only _{};
  detail::optional_size size{};
  bool replace = true;
  array p{};
  std::int64_t axis = 0;
  bool shuffle = true;
};
struct colors_options {
  detail::named_only _{};
  detail::optional_size size{};
  const char* method = "marginals";  // or "count"
};
struct permuted_options {
  detail::named_only _{};
  std::optional<std::int64_t> axis{};
  array out{};
};
struct multivariate_options {
  detail::named_only _{};
  detail::optional_size size{};
  const char* check_valid = "warn";  // or "raise", "ignore"
  double tol = 1e-8;
  const char* method = "svd";        // or "eigh", "cholesky"
};

// The distributions that Generator, RandomState and np::random share. D: no parameter, one, two or three;
// those with a default may be left out and have options by their names.
#define NUMJIT_RANDOM_DRAWS(D0, D1, D1D, D2, D2D, D2E, D3)                        \
  D0(standard_cauchy)                                                             \
  D1(chisquare, df) D1(standard_t, df) D1(pareto, a) D1(weibull, a) D1(power, a)  \
  D1(zipf, a) D1(geometric, p) D1(logseries, p)                                   \
  D1D(exponential, scale) D1D(rayleigh, scale) D1D(poisson, lam)                  \
  D2(beta, a, b) D2(f, dfnum, dfden) D2(noncentral_chisquare, df, nonc)           \
  D2(vonmises, mu, kappa) D2(wald, mean, scale) D2(binomial, n, p)                \
  D2(negative_binomial, n, p)                                                     \
  D2D(normal, loc, scale) D2D(uniform, low, high) D2D(laplace, loc, scale)        \
  D2D(gumbel, loc, scale) D2D(logistic, loc, scale) D2D(lognormal, mean, sigma)   \
  D2E(gamma, shape, scale)                                                        \
  D3(noncentral_f, dfnum, dfden, nonc) D3(triangular, left, mode, right)          \
  D3(hypergeometric, ngood, nbad, nsample)

#define NUMJIT_NONE(...)
#define NUMJIT_OPTIONS1(name, a)       \
  struct name##_options {              \
    detail::named_only _{};            \
    operand a = 1.0;                   \
    detail::optional_size size{};      \
  };
#define NUMJIT_OPTIONS2(name, a, b)    \
  struct name##_options {              \
    detail::named_only _{};            \
    operand a = 0.0;                   \
    operand b = 1.0;                   \
    detail::optional_size size{};      \
  };
NUMJIT_RANDOM_DRAWS(NUMJIT_NONE, NUMJIT_NONE, NUMJIT_OPTIONS1, NUMJIT_NONE, NUMJIT_OPTIONS2, NUMJIT_NONE, NUMJIT_NONE)
#undef NUMJIT_OPTIONS1
#undef NUMJIT_OPTIONS2

/// What Generator and RandomState have in common: every distribution of NumPy by its name. Parameters are
/// numbers or arrays that broadcast; ValueError in NumPy's words if one is out of its range ("scale < 0"),
/// for arrays when the draw runs.
class distributions {
 public:
  // clang-format off
#define NUMJIT_M0(name)                                                                                      \
  array name(const size_options& o = {}, location where = location::here()) const;                           \
  template <class Size = shape_list> array name(detail::size_of<Size> size, location where = location::here()) const { return name(size_options{{}, size}, where); }
#define NUMJIT_M1(name, a)                                                                                   \
  array name(const operand& a, const size_options& o = {}) const;                                            \
  template <class Size = shape_list> array name(const operand& a, detail::size_of<Size> size) const { return name(a, size_options{{}, size}); }
#define NUMJIT_M1D(name, a)                                                                                  \
  array name(const operand& a = 1.0, const size_options& o = {}) const;                                      \
  template <class Size = shape_list> array name(const operand& a, detail::size_of<Size> size) const { return name(a, size_options{{}, size}); }     \
  array name(const name##_options& o) const { return name(o.a, size_options{{}, o.size}); }
#define NUMJIT_M2(name, a, b)                                                                                \
  array name(const operand& a, const operand& b, const size_options& o = {}) const;                          \
  template <class Size = shape_list> array name(const operand& a, const operand& b, detail::size_of<Size> size) const { return name(a, b, size_options{{}, size}); }
#define NUMJIT_M2D(name, a, b)                                                                               \
  array name(const operand& a = 0.0, const operand& b = 1.0, const size_options& o = {}) const;              \
  template <class Size = shape_list> array name(const operand& a, const operand& b, detail::size_of<Size> size) const { return name(a, b, size_options{{}, size}); } \
  array name(const operand& a, const size_options& o) const { return name(a, 1.0, o); }                      \
  array name(const name##_options& o) const { return name(o.a, o.b, size_options{{}, o.size}); }
#define NUMJIT_M2E(name, a, b)                                                                               \
  array name(const operand& a, const operand& b = 1.0, const size_options& o = {}) const;                    \
  template <class Size = shape_list> array name(const operand& a, const operand& b, detail::size_of<Size> size) const { return name(a, b, size_options{{}, size}); } \
  array name(const operand& a, const size_options& o) const { return name(a, 1.0, o); }
#define NUMJIT_M3(name, a, b, c)                                                                             \
  array name(const operand& a, const operand& b, const operand& c, const size_options& o = {}) const;        \
  template <class Size = shape_list> array name(const operand& a, const operand& b, const operand& c, detail::size_of<Size> size) const { return name(a, b, c, size_options{{}, size}); }
  NUMJIT_RANDOM_DRAWS(NUMJIT_M0, NUMJIT_M1, NUMJIT_M1D, NUMJIT_M2, NUMJIT_M2D, NUMJIT_M2E, NUMJIT_M3)
#undef NUMJIT_M0
#undef NUMJIT_M1
#undef NUMJIT_M1D
#undef NUMJIT_M2
#undef NUMJIT_M2D
#undef NUMJIT_M2E
#undef NUMJIT_M3
  // clang-format on

  /// Counts of n draws among categories of probabilities pvals; the last axis is the categories'.
  array multinomial(const operand& n, const operand& pvals, const size_options& o = {}) const;
  template <class Size = shape_list> array multinomial(const operand& n, const operand& pvals, detail::size_of<Size> size) const {
    return multinomial(n, pvals, size_options{{}, size});
  }
  /// Rows of numbers that sum to 1.
  array dirichlet(const operand& alpha, const size_options& o = {}) const;
  template <class Size = shape_list> array dirichlet(const operand& alpha, detail::size_of<Size> size) const {
    return dirichlet(alpha, size_options{{}, size});
  }
  /// Bytes, as many as asked for.
  std::string bytes(std::int64_t length) const;

  /// The source of bits.
  BitGenerator bit_generator() const;
  /// The words of the state. Not to be written to.
  const array& words() const { return state_; }

 protected:
  distributions(array state, std::shared_ptr<SeedSequence> seed, bool legacy)
      : state_(std::move(state)), seed_(std::move(seed)), legacy_(legacy) {}
  array draw(detail::distribution d, std::initializer_list<const operand*> values,
             const detail::optional_size& size, const location& where) const;
  array drawn_beside_location(detail::distribution d, std::int64_t options, const std::int64_t (&values)[3],
                              std::vector<array> arrays, const dims& shape, const location& where) const;
  array fill(detail::distribution d, const char* name, const detail::optional_size& size,
             const optional_dtype& type, const array& out, const location& where) const;
  array whole_numbers(const char* name, const operand& low, const operand* high, const integers_options& o) const;
  array chosen(const operand& a, const choice_options& o) const;
  array permutation_of(const operand& x, std::int64_t axis) const;
  void shuffle_in_place(const array& x, std::int64_t axis, const location& where) const;
  array run(detail::distribution d, std::int64_t options, const std::int64_t (&values)[3],
            std::span<const array> arrays, const dims& shape, numjit::dtype type, const location& where,
            const array& out = {}) const;

  array state_;
  std::shared_ptr<SeedSequence> seed_;
  bool legacy_;
};

/// NumPy's Generator: a handle, whose copies draw from the same stream.
class Generator : public distributions {
 public:
  explicit Generator(const BitGenerator& source);

  /// Numbers in [0, 1). TypeError: "Unsupported dtype dtype('int64') for random".
  array random(const fill_options& o = {}, location where = location::here()) const;
  template <class Size = shape_list>
  array random(detail::size_of<Size> size, const fill_options& o = {}, location where = location::here()) const {
    return random(fill_options{{}, size, o.dtype, o.out}, where);
  }
  template <class Size = shape_list>
  array random(detail::size_of<Size> size, numjit::dtype t,
               location where = location::here()) const {
    return random(fill_options{{}, size, t, {}}, where);
  }
  array standard_normal(const fill_options& o = {}, location where = location::here()) const;
  template <class Size = shape_list> array standard_normal(detail::size_of<Size> size, const fill_options& o = {},
                        location where = location::here()) const {
    return standard_normal(fill_options{{}, size, o.dtype, o.out}, where);
  }
  template <class Size = shape_list>
  array standard_normal(detail::size_of<Size> size, numjit::dtype t,
                        location where = location::here()) const {
    return standard_normal(fill_options{{}, size, t, {}}, where);
  }
  array standard_exponential(const exponential_fill_options& o = {},
                             location where = location::here()) const;
  template <class Size = shape_list>
  array standard_exponential(detail::size_of<Size> size, const exponential_fill_options& o = {},
                             location where = location::here()) const {
    return standard_exponential(exponential_fill_options{{}, size, o.dtype, o.method, o.out}, where);
  }
  array standard_gamma(const operand& shape, const fill_options& o = {}) const;
  template <class Size = shape_list> array standard_gamma(const operand& shape, detail::size_of<Size> size) const {
    return standard_gamma(shape, fill_options{{}, size, {}, {}});
  }
  /// Integers in [low, high), or in [0, low) without high. ValueError: "low >= high",
  /// "high is out of bounds for int8".
  array integers(const operand& low, const operand& high, const integers_options& o = {}) const {
    return whole_numbers("integers", low, &high, o);
  }
  template <class Size = shape_list> array integers(const operand& low, const operand& high, detail::size_of<Size> size) const {
    return integers(low, high, integers_options{{}, size, {}, false});
  }
  array integers(const operand& high, const integers_options& o = {}) const {
    return whole_numbers("integers", high, nullptr, o);
  }
  /// Elements of `a` along `axis`, or of np::arange(a) for an integer.
  array choice(const operand& a, const choice_options& o = {}) const { return chosen(a, o); }
  template <class Size = shape_list> array choice(const operand& a, detail::size_of<Size> size, choice_options o = {}) const {
    o.size = size;
    return chosen(a, o);
  }
  /// A copy in random order along an axis; of an integer, of np::arange.
  array permutation(const operand& x, std::int64_t axis = 0) const { return permutation_of(x, axis); }
  /// In place.
  void shuffle(const array& x, std::int64_t axis = 0, location where = location::here()) const {
    shuffle_in_place(x, axis, where);
  }
  /// A copy in which each slice along `axis` has an order of its own; without axis all elements are mixed.
  array permuted(const array& x, const permuted_options& o = {}, location where = location::here()) const;
  array multivariate_normal(const array& mean, const array& cov, const multivariate_options& o = {},
                            location where = location::here()) const;
  array multivariate_hypergeometric(const array& colors, std::int64_t nsample,
                                    const colors_options& o = {}) const;
  std::vector<Generator> spawn(int n) const;

  friend auto numjit_fields(Generator& g) { return std::tie(g.state_); }
};

/// NumPy's RandomState: the streams of 1.16 and before.
class RandomState : public distributions {
 public:
  RandomState();
  explicit RandomState(const seed_value& seed);
  explicit RandomState(const BitGenerator& source);
  /// TypeError: "can only re-seed a MT19937 BitGenerator"; ValueError: "Seed must be between 0 and 2**32 - 1".
  void seed(const seed_value& seed);
  void seed();
  bit_generator_state get_state() const;
  void set_state(const bit_generator_state& state) const;

  array random(const size_options& o = {}, location where = location::here()) const;
  template <class Size = shape_list> array random(detail::size_of<Size> size, location where = location::here()) const {
    return random(size_options{{}, size}, where);
  }
  array random_sample(const size_options& o = {}, location where = location::here()) const {
    return random(o, where);
  }
  template <class Size = shape_list>
  array random_sample(detail::size_of<Size> size, location where = location::here()) const {
    return random(size, where);
  }
  template <std::integral... I>
  array rand(I... extents) const {
    return sizeof...(I) ? random(shape_list{static_cast<std::int64_t>(extents)...}) : random(size_options{});
  }
  template <std::integral... I>
  array randn(I... extents) const {
    return sizeof...(I) ? standard_normal(shape_list{static_cast<std::int64_t>(extents)...})
                        : standard_normal(size_options{});
  }
  array standard_normal(const size_options& o = {}, location where = location::here()) const;
  template <class Size = shape_list> array standard_normal(detail::size_of<Size> size, location where = location::here()) const {
    return standard_normal(size_options{{}, size}, where);
  }
  array standard_exponential(const size_options& o = {}, location where = location::here()) const;
  template <class Size = shape_list>
  array standard_exponential(detail::size_of<Size> size, location where = location::here()) const {
    return standard_exponential(size_options{{}, size}, where);
  }
  array standard_gamma(const operand& shape, const size_options& o = {}) const;
  template <class Size = shape_list> array standard_gamma(const operand& shape, detail::size_of<Size> size) const {
    return standard_gamma(shape, size_options{{}, size});
  }
  /// Integers in [low, high), or in [0, low) without high.
  array randint(const operand& low, const operand& high, const integers_options& o = {}) const {
    return whole_numbers("randint", low, &high, o);
  }
  template <class Size = shape_list> array randint(const operand& low, const operand& high, detail::size_of<Size> size) const {
    return randint(low, high, integers_options{{}, size, {}, false});
  }
  array randint(const operand& high, const integers_options& o = {}) const {
    return whole_numbers("randint", high, nullptr, o);
  }
  /// Integers in [low, high], or in [1, low].
  array random_integers(std::int64_t low, std::optional<std::int64_t> high = {}, const size_options& o = {}) const;
  array tomaxint(const size_options& o = {}, location where = location::here()) const;
  array choice(const operand& a, const choice_options& o = {}) const { return chosen(a, o); }
  template <class Size = shape_list> array choice(const operand& a, detail::size_of<Size> size, choice_options o = {}) const {
    o.size = size;
    return chosen(a, o);
  }
  array permutation(const operand& x) const { return permutation_of(x, 0); }
  void shuffle(const array& x, location where = location::here()) const { shuffle_in_place(x, 0, where); }
  array multivariate_normal(const array& mean, const array& cov, const multivariate_options& o = {},
                            location where = location::here()) const;

  friend auto numjit_fields(RandomState& g) { return std::tie(g.state_); }
};

/// A Generator over PCG64 with this seed, or over the source given.
Generator default_rng();
Generator default_rng(const seed_value& seed);
Generator default_rng(const SeedSequence& seed);
inline Generator default_rng(const BitGenerator& source) { return Generator(source); }
inline Generator default_rng(const Generator& generator) { return generator; }

// ---- the functions of np.random: one RandomState of the process --------------------------------------

namespace detail {
RandomState& global_state();
}
inline RandomState& mtrand() { return detail::global_state(); }
inline void seed(const seed_value& s) { mtrand().seed(s); }
inline void seed() { mtrand().seed(); }
inline bit_generator_state get_state() { return mtrand().get_state(); }
inline void set_state(const bit_generator_state& state) { mtrand().set_state(state); }
inline BitGenerator get_bit_generator() { return mtrand().bit_generator(); }
inline void set_bit_generator(const BitGenerator& source) { mtrand() = RandomState(source); }

// clang-format off
#define NUMJIT_F0(name)                                                                                                         \
  inline array name(const size_options& o = {}, location where = location::here()) { return mtrand().name(o, where); }          \
  template <class Size = shape_list> array name(detail::size_of<Size> size, location where = location::here()) { return mtrand().name(size, where); }
#define NUMJIT_F1(name, a)                                                                                                      \
  inline array name(const operand& a, const size_options& o = {}) { return mtrand().name(a, o); }                               \
  template <class Size = shape_list> array name(const operand& a, detail::size_of<Size> size) { return mtrand().name(a, size); }
#define NUMJIT_F1D(name, a)                                                                                                     \
  inline array name(const operand& a = 1.0, const size_options& o = {}) { return mtrand().name(a, o); }                         \
  template <class Size = shape_list> array name(const operand& a, detail::size_of<Size> size) { return mtrand().name(a, size); }                                \
  inline array name(const name##_options& o) { return mtrand().name(o); }
#define NUMJIT_F2(name, a, b)                                                                                                   \
  inline array name(const operand& a, const operand& b, const size_options& o = {}) { return mtrand().name(a, b, o); }          \
  template <class Size = shape_list> array name(const operand& a, const operand& b, detail::size_of<Size> size) { return mtrand().name(a, b, size); }
#define NUMJIT_F2D(name, a, b)                                                                                                  \
  inline array name(const operand& a = 0.0, const operand& b = 1.0, const size_options& o = {}) { return mtrand().name(a, b, o); } \
  template <class Size = shape_list> array name(const operand& a, const operand& b, detail::size_of<Size> size) { return mtrand().name(a, b, size); }           \
  inline array name(const operand& a, const size_options& o) { return mtrand().name(a, o); }                                    \
  inline array name(const name##_options& o) { return mtrand().name(o); }
#define NUMJIT_F2E(name, a, b)                                                                                                  \
  inline array name(const operand& a, const operand& b = 1.0, const size_options& o = {}) { return mtrand().name(a, b, o); }    \
  template <class Size = shape_list> array name(const operand& a, const operand& b, detail::size_of<Size> size) { return mtrand().name(a, b, size); }           \
  inline array name(const operand& a, const size_options& o) { return mtrand().name(a, o); }
#define NUMJIT_F3(name, a, b, c)                                                                                                \
  inline array name(const operand& a, const operand& b, const operand& c, const size_options& o = {}) { return mtrand().name(a, b, c, o); } \
  template <class Size = shape_list> array name(const operand& a, const operand& b, const operand& c, detail::size_of<Size> size) { return mtrand().name(a, b, c, size); }
NUMJIT_RANDOM_DRAWS(NUMJIT_F0, NUMJIT_F1, NUMJIT_F1D, NUMJIT_F2, NUMJIT_F2D, NUMJIT_F2E, NUMJIT_F3)
NUMJIT_F0(random) NUMJIT_F0(random_sample) NUMJIT_F0(standard_normal) NUMJIT_F0(standard_exponential)
NUMJIT_F1(standard_gamma, shape) NUMJIT_F1(dirichlet, alpha) NUMJIT_F2(multinomial, n, pvals)
#undef NUMJIT_F0
#undef NUMJIT_F1
#undef NUMJIT_F1D
#undef NUMJIT_F2
#undef NUMJIT_F2D
#undef NUMJIT_F2E
#undef NUMJIT_F3
#undef NUMJIT_NONE
// clang-format on

inline array ranf(const size_options& o = {}, location where = location::here()) { return mtrand().random(o, where); }
template <class Size = shape_list>
array ranf(detail::size_of<Size> size, location where = location::here()) {
  return mtrand().random(size, where);
}
inline array sample(const size_options& o = {}, location where = location::here()) { return mtrand().random(o, where); }
template <class Size = shape_list>
array sample(detail::size_of<Size> size, location where = location::here()) {
  return mtrand().random(size, where);
}
template <std::integral... I>
array rand(I... extents) { return mtrand().rand(extents...); }
template <std::integral... I>
array randn(I... extents) { return mtrand().randn(extents...); }
inline array randint(const operand& low, const operand& high, const integers_options& o = {}) {
  return mtrand().randint(low, high, o);
}
template <class Size = shape_list>
array randint(const operand& low, const operand& high, detail::size_of<Size> size) {
  return mtrand().randint(low, high, size);
}
inline array randint(const operand& high, const integers_options& o = {}) { return mtrand().randint(high, o); }
inline array random_integers(std::int64_t low, std::optional<std::int64_t> high = {}, const size_options& o = {}) {
  return mtrand().random_integers(low, high, o);
}
inline array choice(const operand& a, const choice_options& o = {}) { return mtrand().choice(a, o); }
template <class Size = shape_list>
array choice(const operand& a, detail::size_of<Size> size, const choice_options& o = {}) {
  return mtrand().choice(a, size, o);
}
inline array permutation(const operand& x) { return mtrand().permutation(x); }
inline void shuffle(const array& x, location where = location::here()) { mtrand().shuffle(x, where); }
inline std::string bytes(std::int64_t length) { return mtrand().bytes(length); }
inline array multivariate_normal(const array& mean, const array& cov, const multivariate_options& o = {},
                                 location where = location::here()) {
  return mtrand().multivariate_normal(mean, cov, o, where);
}

}  // namespace numjit::random
