// Carrying out op random_draw: fills, and one number after the other by the table.
#include <numjit/base/check_interrupt.h>

#include "draws.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "distributions.h"
#include "fill.h"
#include "ziggurat.h"

namespace numjit::random::detail {

using numjit::detail::draw_call;
using words = layout::draw;

namespace {

// ---- fills, with a copy of their code per engine ----

template <class Engine>
void fill_with(Engine& g, distribution d, const draw_call& c) {
  const std::int64_t n = c.result->size;
  auto* wide = reinterpret_cast<double*>(c.result->data);
  auto* narrow = reinterpret_cast<float*>(c.result->data);
  const bool single = c.result->type == dtype_id::float32;
  const double a = c.params.real(words::values), b = c.params.real(words::values + 1);
  auto wholes = [&](auto next) { fill<word::whole>(g, wide, n, next); };
  auto halves = [&](auto next) { fill<word::half>(g, narrow, n, next); };
  auto loop = [n](auto* to, auto&& next) {
    numjit::detail::in_parts(n, 1 << 15, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) to[i] = next();
    });
  };
  switch (d) {
    case distribution::random:
      if (single) return fill_singly<word::half>(g, n, [=](std::int64_t i, auto& e) { narrow[i] = next_float(e); });
      return fill_singly<word::whole>(g, n, [=](std::int64_t i, auto& e) { wide[i] = e.next_double(); });
    case distribution::uniform:
    case distribution::legacy_uniform:
      return fill_singly<word::whole>(g, n, [=](std::int64_t i, auto& e) { wide[i] = a + b * e.next_double(); });
    case distribution::standard_normal:
      if (single) return halves([](auto& e) { return standard_normal_single(e); });
      return wholes([](auto& e) { return standard_normal(e); });
    case distribution::normal: return wholes([a, b](auto& e) { return a + b * standard_normal(e); });
    case distribution::exponential: return wholes([a](auto& e) { return a * standard_exponential(e); });
    case distribution::standard_exponential:
      if (single) return halves([](auto& e) { return standard_exponential_single(e); });
      return wholes([](auto& e) { return standard_exponential(e); });
    case distribution::standard_exponential_inverse:
      if (single) return loop(narrow, [&] { return -exact::log1p(-next_float(g)); });
      return loop(wide, [&] { return -exact::log1p(-g.next_double()); });
    default: break;
  }
}

bool is_fill(distribution d) {
  return d <= distribution::standard_exponential_inverse || d == distribution::uniform ||
         d == distribution::legacy_uniform || d == distribution::normal || d == distribution::exponential;
}

// ---- the table ----

constexpr double poisson_largest = 9.223372006484771e+18;  // int64's largest without ten of its square roots

void check_triangle(const char* op, const number* p) {
  if (p[0].d > p[1].d) throw ValueError(op, "left > mode");
  if (p[1].d > p[2].d) throw ValueError(op, "mode > right");
  if (p[0].d == p[2].d) throw ValueError(op, "left == right");
}
void check_population(const char* op, const number* p) {
  if (p[0].i >= 1000000000 || p[1].i >= 1000000000)
    throw ValueError(op, "both ngood and nbad must be less than 1000000000");
  if (p[0].i + p[1].i < p[2].i) throw ValueError(op, "ngood + nbad < nsample");
}
void check_legacy_population(const char* op, const number* p) {
  std::int64_t all;
  if (__builtin_add_overflow(p[0].i, p[1].i, &all) || all < p[2].i) throw ValueError(op, "ngood + nbad < nsample");
}
void check_negative_binomial(const char* op, const number* p) {
  const double n = p[0].d, q = p[1].d;
  if ((1 - q) / q * (n + 10 * std::sqrt(n)) > poisson_largest)
    throw ValueError(op, "n too large or p too small, see Generator.negative_binomial Notes");
}

using C = constraint;
#define REAL(call) [](bits& g, [[maybe_unused]] const number* p) -> double { return call; }, nullptr
#define WHOLE(call) nullptr, [](bits& g, [[maybe_unused]] const number* p) -> std::int64_t { return call; }
#define P(k) p[k].d
#define N(k) p[k].i
#define BOTH0(name)                                                              \
  {distribution::name, {#name, 0, {}, false, REAL(name(g))}}, {                  \
    distribution::legacy_##name, { #name, 0, {}, false, REAL(legacy_##name(g)) } \
  }
#define BOTH1(name, a, rule)                                                           \
  {distribution::name, {#name, 1, {{#a, C::rule}}, false, REAL(name(g, P(0)))}},       \
      {distribution::legacy_##name, {#name, 1, {{#a, C::rule}}, false, REAL(legacy_##name(g, P(0)))}}
#define BOTH2(name, a, rule_a, b, rule_b)                                                                       \
  {distribution::name, {#name, 2, {{#a, C::rule_a}, {#b, C::rule_b}}, false, REAL(name(g, P(0), P(1)))}},       \
      {distribution::legacy_##name,                                                                             \
       {#name, 2, {{#a, C::rule_a}, {#b, C::rule_b}}, false, REAL(legacy_##name(g, P(0), P(1)))}}
#define ONE2(name, a, b) \
  {distribution::name, {#name, 2, {{#a, C::none}, {#b, C::non_negative}}, false, REAL(name(g, P(0), P(1)))}}
#define BOTH1I(name, a, rule)                                                          \
  {distribution::name, {#name, 1, {{#a, C::rule}}, true, WHOLE(name(g, P(0)))}},       \
      {distribution::legacy_##name, {#name, 1, {{#a, C::rule}}, true, WHOLE(legacy_##name(g, P(0)))}}

constexpr struct {
  distribution which;
  draw_row row;
} table[] = {
    {distribution::standard_gamma, {"standard_gamma", 1, {{"shape", C::non_negative}}, false, REAL(gamma_of(g, P(0)))}},
    {distribution::legacy_standard_gamma,
     {"standard_gamma", 1, {{"shape", C::non_negative}}, false, REAL(legacy_gamma(g, P(0)))}},
    {distribution::legacy_gauss, {"standard_normal", 0, {}, false, REAL(legacy_gauss(g))}},
    {distribution::legacy_standard_exponential,
     {"standard_exponential", 0, {}, false, REAL(legacy_standard_exponential(g))}},
    BOTH0(standard_cauchy),
    BOTH1(chisquare, df, positive),
    BOTH1(standard_t, df, positive),
    BOTH1(pareto, a, positive),
    BOTH1(weibull, a, non_negative),
    BOTH1(power, a, positive),
    BOTH1(exponential, scale, non_negative),
    BOTH1(rayleigh, scale, non_negative),
    BOTH2(beta, a, positive, b, positive),
    BOTH2(f, dfnum, positive, dfden, positive),
    BOTH2(noncentral_chisquare, df, positive, nonc, non_negative),
    BOTH2(vonmises, mu, none, kappa, non_negative),
    BOTH2(wald, mean, positive, scale, positive),
    BOTH2(normal, loc, none, scale, non_negative),
    {distribution::uniform,
     {"uniform", 2, {{"low", C::none}, {"high - low", C::range}}, false, REAL(uniform(g, P(0), P(1)))}},
    {distribution::legacy_uniform,
     {"uniform", 2, {{"low", C::none}, {"high - low", C::legacy_range}}, false, REAL(uniform(g, P(0), P(1)))}},
    ONE2(laplace, loc, scale),
    ONE2(gumbel, loc, scale),
    ONE2(logistic, loc, scale),
    BOTH2(lognormal, mean, none, sigma, non_negative),
    {distribution::gamma,
     {"gamma", 2, {{"shape", C::non_negative}, {"scale", C::non_negative}}, false, REAL(P(1) * gamma_of(g, P(0)))}},
    {distribution::legacy_gamma,
     {"gamma", 2, {{"shape", C::non_negative}, {"scale", C::non_negative}}, false, REAL(P(1) * legacy_gamma(g, P(0)))}},
    {distribution::noncentral_f,
     {"noncentral_f", 3, {{"dfnum", C::positive}, {"dfden", C::positive}, {"nonc", C::non_negative}}, false,
      REAL(noncentral_f(g, P(0), P(1), P(2)))}},
    {distribution::legacy_noncentral_f,
     {"noncentral_f", 3, {{"dfnum", C::positive}, {"dfden", C::positive}, {"nonc", C::non_negative}}, false,
      REAL(legacy_noncentral_f(g, P(0), P(1), P(2)))}},
    {distribution::triangular,
     {"triangular", 3, {{"left", C::none}, {"mode", C::none}, {"right", C::none}}, false,
      REAL(triangular(g, P(0), P(1), P(2))), check_triangle}},
    BOTH1I(zipf, a, gt_1),
    BOTH1I(geometric, p, bounded_gt_0_1),
    BOTH1I(logseries, p, bounded_lt_0_1),
    {distribution::poisson, {"poisson", 1, {{"lam", C::poisson}}, true, WHOLE(poisson(g, P(0)))}},
    {distribution::binomial,
     {"binomial", 2, {{"n", C::non_negative, true}, {"p", C::bounded_0_1}}, true, WHOLE(binomial(g, N(0), P(1)))}},
    {distribution::legacy_binomial,
     {"binomial", 2, {{"n", C::count, true}, {"p", C::bounded_0_1}}, true, WHOLE(legacy_binomial(g, N(0), P(1)))}},
    {distribution::negative_binomial,
     {"negative_binomial", 2, {{"n", C::positive_not_nan}, {"p", C::bounded_gt_0_1}}, true,
      WHOLE(negative_binomial(g, P(0), P(1))), check_negative_binomial}},
    {distribution::legacy_negative_binomial,
     {"negative_binomial", 2, {{"n", C::positive}, {"p", C::bounded_0_1}}, true,
      WHOLE(legacy_negative_binomial(g, P(0), P(1)))}},
    {distribution::hypergeometric,
     {"hypergeometric", 3,
      {{"ngood", C::non_negative, true}, {"nbad", C::non_negative, true}, {"nsample", C::non_negative, true}}, true,
      WHOLE(hypergeometric(g, N(0), N(1), N(2))), check_population}},
    {distribution::legacy_hypergeometric,
     {"hypergeometric", 3, {{"ngood", C::count, true}, {"nbad", C::non_negative, true}, {"nsample", C::gte_1, true}},
      true, WHOLE(legacy_hypergeometric(g, N(0), N(1), N(2))), check_legacy_population}},
};

#undef REAL
#undef WHOLE
#undef P
#undef N
#undef BOTH0
#undef BOTH1
#undef BOTH2
#undef ONE2
#undef BOTH1I

// ---- one number after the other ----

/// The parameters at each element, some from arrays.
class parameters {
 public:
  parameters(const draw_row& row, const draw_call& c) : row_(row), result_(c.result) {
    for (int k = 0; k < row.count; ++k) {
      values_[k].i = c.params[words::values + k];
      if (c.params[words::options] >> k & 1) arrays_[k] = c.in[given_++];
    }
    rewind();
  }
  bool any_arrays() const { return given_ > 0; }
  void rewind() {
    for (int k = 0; k < row_.count; ++k)
      if (arrays_[k]) readers_[k].emplace(arrays_[k]);
  }
  const number* next() {
    for (int k = 0; k < row_.count; ++k) {
      if (!readers_[k]) continue;
      if (row_.parameters[k].whole)
        values_[k].i = readers_[k]->integer();
      else
        values_[k].d = readers_[k]->real();
      readers_[k]->next();
    }
    return values_;
  }
  /// Every value of the arrays, before the first draw.
  void check() {
    for (std::int64_t i = 0; i < result_->size; ++i) {
      numjit::detail::check_interrupt_at(i);
      const number* p = next();
      for (int k = 0; k < row_.count; ++k)
        if (arrays_[k]) check_parameter(row_.name, row_.parameters[k], p[k], true);
      if (row_.together) row_.together(row_.name, p);
    }
    rewind();
  }

 private:
  const draw_row& row_;
  const node* result_;
  int given_ = 0;
  const node* arrays_[words::max_values] = {};
  std::optional<reader> readers_[words::max_values];
  number values_[words::max_values];
};

template <class T, class F>
void draw_each(const draw_call& c, parameters& p, F function) {
  bits g(c.state);
  auto* to = reinterpret_cast<T*>(c.result->data);
  const std::int64_t n = c.result->size;
  const number* values = p.next();
  for (std::int64_t i = 0; i < n; ++i) {
    numjit::detail::check_interrupt_at(i);
    to[i] = static_cast<T>(function(g, values));
    if (p.any_arrays() && i + 1 < n) values = p.next();
  }
}

void draw_by_table(distribution d, const draw_call& c) {
  const draw_row& row = row_of(d);
  parameters p(row, c);
  if (p.any_arrays()) p.check();
  if (c.result->size == 0) return;
  if (d == distribution::standard_gamma && c.result->type == dtype_id::float32)
    return draw_each<float>(c, p, [](bits& g, const number* v) { return gamma_single(g, static_cast<float>(v[0].d)); });
  row.whole ? draw_each<std::int64_t>(c, p, row.integer) : draw_each<double>(c, p, row.real);
}

void run(const draw_call& c) {
  const auto d = static_cast<distribution>(c.params[words::distribution]);
  if (is_fill(d) && c.n_in == 0)
    return with_frequent_engine(c.state, [&](auto& g) { fill_with(g, d, c); });
  if (d == distribution::integers) return draw_integers(c);
  if (d == distribution::state) {
    std::memcpy(c.result->data, c.state, static_cast<std::size_t>(c.result->size) * sizeof(std::uint64_t));
    return;
  }
  if (d > distribution::integers) return draw_selection(d, c);
  draw_by_table(d, c);
}

[[maybe_unused]] const bool installed = [] {
  numjit::detail::draw_runner = &run;
  return true;
}();

template <class Engine>
constexpr bits::functions functions_of = {
    [](void* s) { return static_cast<Engine*>(s)->next64(); },
    [](void* s) { return static_cast<Engine*>(s)->next32(); },
    [](void* s) { return static_cast<Engine*>(s)->next_double(); },
};
constexpr const bits::functions* engines[engine_count] = {&functions_of<pcg64>, &functions_of<pcg64dxsm>,
                                                          &functions_of<mt19937>, &functions_of<philox>,
                                                          &functions_of<sfc64>};

}  // namespace

bits::bits(void* state)
    : state_(state), table_(engines[static_cast<int>(static_cast<state_header*>(state)->kind)]) {}

const draw_row& row_of(distribution d) {
  for (const auto& entry : table)
    if (entry.which == d) return entry.row;
  throw InternalError("random", "no row of the table of distributions");
}

void check_parameter(const char* op, const parameter& p, number value, bool of_array) {
  const std::string name = p.name;
  const double v = p.whole ? static_cast<double>(value.i) : value.d;
  const auto nan_of = [&](const char* low, const char* high) {
    return name + low + ", " + name + high + (of_array ? " or " + name + " contains NaNs" : " or " + name + " is NaN");
  };
  auto require = [&](bool right, const std::string& text) {
    if (!right) throw ValueError(op, text);
  };
  switch (p.rule) {
    case C::none: return;
    case C::non_negative: return require(std::isnan(v) || !std::signbit(v), name + " < 0");
    case C::positive_not_nan: require(!std::isnan(v), name + " must not be NaN"); [[fallthrough]];
    case C::positive: return require(!(v <= 0), name + " <= 0");
    case C::bounded_0_1: return require(v >= 0 && v <= 1, nan_of(" < 0", " > 1"));
    case C::bounded_gt_0_1:
      return require(v > 0 && v <= 1, name + " <= 0, " + name + " > 1 or " + name + " contains NaNs");
    case C::bounded_lt_0_1: return require(v >= 0 && v < 1, nan_of(" < 0", " >= 1"));
    case C::gt_1: return require(v > 1, name + " <= 1 or " + name + (of_array ? " contains NaNs" : " is NaN"));
    case C::gte_1: return require(v >= 1, name + " < 1 or " + name + (of_array ? " contains NaNs" : " is NaN"));
    case C::poisson:
      require(v <= poisson_largest || !(v >= 0), name + " value too large");
      return require(v >= 0, name + " < 0 or " + name + (of_array ? " contains NaNs" : " is NaN"));
    case C::count: return require(v >= 0, name + " < 0");
    case C::range:
    case C::legacy_range:
      if (!std::isfinite(v))
        throw OverflowError(op, of_array || p.rule == C::legacy_range ? "Range exceeds valid bounds"
                                                                      : "high - low range exceeds valid bounds");
      if (p.rule == C::range) require(!std::signbit(v), name + " < 0");
      return;
  }
}

double reader::real() const {
  switch (n_->type) {
    case dtype_id::float64: return *reinterpret_cast<const double*>(at_);
    case dtype_id::float32: return *reinterpret_cast<const float*>(at_);
    default: return static_cast<double>(integer());
  }
}

std::int64_t reader::integer_of(const char* at, dtype_id type) {
  auto load = [at](auto zero) {
    std::memcpy(&zero, at, sizeof zero);
    return static_cast<std::int64_t>(zero);
  };
  switch (type) {
    case dtype_id::int8: return load(std::int8_t{});
    case dtype_id::uint8:
    case dtype_id::bool_: return load(std::uint8_t{});
    case dtype_id::int16: return load(std::int16_t{});
    case dtype_id::uint16: return load(std::uint16_t{});
    case dtype_id::int32: return load(std::int32_t{});
    case dtype_id::uint32: return load(std::uint32_t{});
    default: return load(std::int64_t{});
  }
}

std::vector<double> vector_of(const node* n) {
  std::vector<double> values;
  reader r(n);
  for (std::int64_t i = 0; i < n->size; ++i, r.next()) values.push_back(r.real());
  return values;
}

double kahan_sum(const double* values, std::int64_t n) {
  if (n <= 0) return 0;
  double sum = values[0], lost = 0;
  for (std::int64_t i = 1; i < n; ++i) {
    const double y = values[i] - lost, t = sum + y;
    lost = (t - sum) - y;
    sum = t;
  }
  return sum;
}

void fill_random(void* state, double* to, std::int64_t n) {
  with_frequent_engine(
      state, [&](auto& g) { fill_singly<word::whole>(g, n, [=](std::int64_t i, auto& e) { to[i] = e.next_double(); }); });
}

}  // namespace numjit::random::detail
