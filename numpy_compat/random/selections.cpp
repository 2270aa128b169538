// Draws that look at more than one number at a time: orders, choices, and counts of categories.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include <numjit/base/check_interrupt.h>

#include "distributions.h"
#include "draws.h"

namespace numjit::random::detail {
namespace {

using numjit::detail::draw_call;
using words = layout::draw;

/// Memory for so many values, not written yet.
template <class T>
std::unique_ptr<T[]> memory_for(std::int64_t n) {
  return std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(n));
}
constexpr std::int64_t at_once = 1 << 18;  // values of which some hundreds of microseconds write so many

/// 0, 1, 2, ...
void write_places(std::int64_t* to, std::int64_t n) {
  numjit::detail::in_parts(n, at_once, [&](std::int64_t begin, std::int64_t end) { std::iota(to + begin, to + end, begin); });
}
void copy_values(const std::int64_t* from, std::int64_t n, std::int64_t* to) {
  numjit::detail::in_parts(
      n, at_once, [&](std::int64_t begin, std::int64_t end) { std::copy(from + begin, from + end, to + begin); });
}

/// Fisher and Yates: elements from the last down to `first` are swapped with one not after them.
template <class Draw>
void shuffle(std::int64_t* data, std::int64_t n, std::int64_t first, Draw draw) {
  for (std::int64_t i = n - 1; i >= first; --i) {
    numjit::detail::check_interrupt_at(i);
    std::swap(data[i], data[draw(static_cast<std::uint64_t>(i))]);
  }
}

void draw_order(bits& g, std::int64_t* to, std::int64_t n) {
  write_places(to, n);
  shuffle(to, n, 1, [&](std::uint64_t max) { return interval(g, max); });
}

/// An order for each run of elements along an axis (the first value).
void draw_orders(bits& g, const draw_call& c) {
  const node* r = c.result;
  const auto axis = static_cast<int>(c.params[words::values]);
  const std::int64_t length = r->shape[axis];
  auto* to = reinterpret_cast<std::int64_t*>(r->data);
  std::int64_t inner = 1;
  for (int k = axis + 1; k < r->rank; ++k) inner *= r->shape[k];
  const std::int64_t outer = r->size == 0 ? 0 : r->size / (length * inner);
  if (inner == 1) {
    for (std::int64_t o = 0; o < outer; ++o) draw_order(g, to + o * length, length);
    return;
  }
  const std::unique_ptr<std::int64_t[]> order = memory_for<std::int64_t>(length);
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t i = 0; i < inner; ++i) {
      draw_order(g, order.get(), length);
      for (std::int64_t k = 0; k < length; ++k) {
        numjit::detail::check_interrupt_at(k);
        to[(o * length + k) * inner + i] = order[static_cast<std::size_t>(k)];
      }
    }
}

// ---- choice ----

const char* capital(bool legacy, const char* upper, const char* lower) { return legacy ? lower : upper; }

std::vector<double> probabilities(const draw_call& c, bool legacy) {
  std::vector<double> p = vector_of(c.in[0]);
  const double sum = kahan_sum(p.data(), static_cast<std::int64_t>(p.size()));
  if (std::isnan(sum))
    throw ValueError("choice", capital(legacy, "Probabilities contain NaN", "probabilities contain NaN"));
  if (std::any_of(p.begin(), p.end(), [](double v) { return v < 0; }))
    throw ValueError("choice", capital(legacy, "Probabilities are not non-negative", "probabilities are not non-negative"));
  if (std::fabs(sum - 1.) > c.params.real(words::values + 1))
    throw ValueError("choice",
                     capital(legacy, "Probabilities do not sum to 1. See Notes section of docstring for more information.",
                             "probabilities do not sum to 1"));
  return p;
}

std::vector<double> cumulated(const std::vector<double>& p) {
  std::vector<double> cdf(p.size());
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) cdf[i] = i == 0 ? sum = p[0] : sum += p[i];
  for (double& v : cdf) v /= sum;
  return cdf;
}
std::int64_t place_in(const std::vector<double>& cdf, double u) {
  return std::upper_bound(cdf.begin(), cdf.end(), u) - cdf.begin();
}

void choose_by_p(const draw_call& c, bool legacy) {
  const std::vector<double> p = probabilities(c, legacy);
  const std::int64_t n = c.result->size;
  auto* to = reinterpret_cast<std::int64_t*>(c.result->data);
  const std::vector<double> cdf = cumulated(p);
  const std::unique_ptr<double[]> u = memory_for<double>(n);
  fill_random(c.state, u.get(), n);
  for (std::int64_t i = 0; i < n; ++i) {
    numjit::detail::check_interrupt_at(i);
    to[i] = place_in(cdf, u[static_cast<std::size_t>(i)]);
  }
}

/// Draws in rounds: what came twice, or came before, is drawn again.
void choose_once_by_p(const draw_call& c, bool legacy) {
  std::vector<double> p = probabilities(c, legacy);
  const auto n = static_cast<std::size_t>(c.result->size);
  auto* to = reinterpret_cast<std::int64_t*>(c.result->data);
  if (static_cast<std::size_t>(std::count_if(p.begin(), p.end(), [](double v) { return v > 0; })) < n)
    throw ValueError("choice", "Fewer non-zero entries in p than size");
  std::size_t found = 0;
  std::vector<double> u;
  while (found < n) {
    u.resize(n - found);
    fill_random(c.state, u.data(), static_cast<std::int64_t>(u.size()));
    for (std::size_t i = 0; i < found; ++i) p[static_cast<std::size_t>(to[i])] = 0;
    const std::vector<double> cdf = cumulated(p);
    const std::size_t before = found;
    for (double v : u) {
      numjit::detail::check_interrupt();  // each one looks through all before
      const std::int64_t k = place_in(cdf, v);
      if (std::find(to + before, to + found, k) == to + found) to[found++] = k;
    }
  }
}

/// Floyd's way for a small part of many: a set of those taken, open addressing.
void choose_few(bits& g, std::int64_t* to, std::int64_t n, std::int64_t population) {
  const std::uint64_t most = static_cast<std::uint64_t>(1.2 * static_cast<double>(n));
  const std::uint64_t mask = most == 0 ? 0 : ~std::uint64_t{0} >> std::countl_zero(most);
  constexpr std::uint64_t none = ~std::uint64_t{0};
  const auto slots = static_cast<std::int64_t>(mask + 1);
  const std::unique_ptr<std::uint64_t[]> taken = memory_for<std::uint64_t>(slots);
  numjit::detail::in_parts(
      slots, at_once, [&](std::int64_t begin, std::int64_t end) { std::fill(&taken[0] + begin, &taken[0] + end, none); });
  auto put = [&](std::uint64_t value) {  // false: it was there
    std::uint64_t at = value & mask;
    while (taken[at] != none && taken[at] != value) at = (at + 1) & mask;
    const bool fresh = taken[at] == none;
    taken[at] = value;
    return fresh;
  };
  for (std::int64_t j = population - n; j < population; ++j) {
    numjit::detail::check_interrupt_at(j);
    std::uint64_t value = bounded(g, static_cast<std::uint64_t>(j));
    if (!put(value)) put(value = static_cast<std::uint64_t>(j));
    to[j - population + n] = static_cast<std::int64_t>(value);
  }
}

void choose_once(const draw_call& c) {
  bits g(c.state);
  const std::int64_t n = c.result->size, population = c.params[words::values];
  auto* to = reinterpret_cast<std::int64_t*>(c.result->data);
  const bool shuffled = !(c.params[words::options] & unshuffled);
  auto draw = [&](std::uint64_t max) { return bounded(g, max); };
  if (population > 10000 && n > population / (shuffled ? 50 : 20)) {
    const std::unique_ptr<std::int64_t[]> all = memory_for<std::int64_t>(population);
    write_places(all.get(), population);
    shuffle(all.get(), population, std::max<std::int64_t>(population - n, 1), draw);
    copy_values(all.get() + population - n, n, to);
    return;
  }
  choose_few(g, to, n, population);
  if (shuffled) shuffle(to, n, 1, draw);
}

void legacy_choose_once(const draw_call& c) {
  bits g(c.state);
  const std::int64_t population = c.params[words::values];
  const std::unique_ptr<std::int64_t[]> all = memory_for<std::int64_t>(population);
  draw_order(g, all.get(), population);
  copy_values(all.get(), c.result->size, reinterpret_cast<std::int64_t*>(c.result->data));
}

// ---- counts of categories ----

/// Inputs: n over the leading axes (broadcast), pvals with the categories' axis.
void draw_multinomial(const draw_call& c, bool legacy) {
  bits g(c.state);
  const node* r = c.result;
  const std::int64_t d = r->shape[r->rank - 1], rows = d == 0 ? 0 : r->size / d;
  auto* to = reinterpret_cast<std::int64_t*>(r->data);
  const std::vector<double> p = vector_of(c.in[1]);
  const std::int64_t dimensions = c.params[words::values];
  for (double v : p) check_parameter("multinomial", {"pvals", constraint::bounded_0_1}, {.d = v}, true);
  for (std::int64_t k = 0; k < rows; ++k) {
    if (!(kahan_sum(&p[static_cast<std::size_t>(k * d)], d - 1) > 1.0 + 1e-12)) continue;
    const std::string slice = dimensions == 1 ? "[:-1]" : "[...,:-1]";
    if (c.params[words::options] & single_p)
      throw ValueError("multinomial", "sum(pvals" + slice + ".astype(np.float64)) > 1.0. The pvals array is cast to 64-bit "
                                      "floating point prior to checking the sum. Precision changes when casting may "
                                      "cause problems even if the sum of the original pvals is valid.");
    throw ValueError("multinomial", "sum(pvals" + slice + ") > 1.0");
  }
  reader count(c.in[0]);
  for (std::int64_t k = 0; k < rows; ++k, count.next())
    check_parameter("multinomial", {"n", constraint::non_negative, true}, {.i = count.integer()}, true);
  reader n(c.in[0]);
  std::fill(to, to + r->size, 0);
  for (std::int64_t k = 0; k < rows; ++k, n.next(), to += d) {
    const double* pix = &p[static_cast<std::size_t>(k * d)];
    double remaining = 1.0;
    std::int64_t left = n.integer();
    for (std::int64_t j = 0; j + 1 < d && left > 0; ++j) {
      to[j] = legacy ? legacy_binomial(g, left, pix[j] / remaining) : binomial(g, left, pix[j] / remaining);
      left -= to[j];
      remaining -= pix[j];
    }
    if (left > 0) to[d - 1] = left;
  }
}

/// Small parameters: sticks are broken by betas, as gammas would underflow.
void break_sticks(bits& g, const std::vector<double>& alpha, double* to, std::int64_t rows) {
  const std::size_t k = alpha.size();
  std::vector<double> rest(k);
  double sum = 0;
  for (std::size_t j = k; j-- > 0;) rest[j] = sum += alpha[j];
  if (!(sum > 0)) return;
  for (std::int64_t i = 0; i < rows; ++i, to += k) {
    double left = 1.;
    for (std::size_t j = 0; j + 1 < k; ++j) {
      const double v = beta(g, alpha[j], rest[j + 1]);
      to[j] = left * v;
      left *= 1. - v;
      if (rest[j + 1] == 0) break;
    }
    to[k - 1] = left;
  }
}

void draw_dirichlet(const draw_call& c, bool legacy) {
  bits g(c.state);
  const std::vector<double> alpha = vector_of(c.in[0]);
  for (double a : alpha)
    if (legacy ? a <= 0 : a < 0) throw ValueError("dirichlet", legacy ? "alpha <= 0" : "alpha < 0");
  const std::size_t k = alpha.size();
  auto* to = reinterpret_cast<double*>(c.result->data);
  std::fill(to, to + c.result->size, 0.0);
  if (k == 0) return;
  const std::int64_t rows = c.result->size / static_cast<std::int64_t>(k);
  if (!legacy && *std::max_element(alpha.begin(), alpha.end()) < 0.1) return break_sticks(g, alpha, to, rows);
  for (std::int64_t i = 0; i < rows; ++i, to += k) {
    double sum = 0;
    for (std::size_t j = 0; j < k; ++j) {
      to[j] = legacy ? legacy_gamma(g, alpha[j]) : gamma_of(g, alpha[j]);
      sum += to[j];
    }
    const double by = 1. / sum;
    for (std::size_t j = 0; j < k; ++j) to[j] *= by;
  }
}

/// The colours of a sample; the values are how many are picked and how many there are.
void draw_colors(const draw_call& c, bool by_count) {
  bits g(c.state);
  const node* r = c.result;
  const std::int64_t colors = r->shape[r->rank - 1], total = c.params[words::values + 1];
  auto* to = reinterpret_cast<std::int64_t*>(r->data);
  std::fill(to, to + r->size, 0);
  std::int64_t sample = c.params[words::values];
  if (colors == 0 || total == 0 || sample == 0) return;
  std::vector<std::int64_t> many;
  reader each(c.in[0]);
  for (std::int64_t i = 0; i < colors; ++i, each.next()) many.push_back(each.integer());
  std::vector<std::int32_t> choices;
  for (std::int64_t i = 0; by_count && i < colors; ++i)
    choices.insert(choices.end(), static_cast<std::size_t>(many[static_cast<std::size_t>(i)]), static_cast<std::int32_t>(i));
  const bool complement = sample > total / 2;
  if (complement) sample = total - sample;
  for (std::int64_t row = 0; row < r->size / colors; ++row, to += colors) {
    if (by_count) {
      for (std::int64_t j = 0; j < sample; ++j) {
        const auto k = j + static_cast<std::int64_t>(interval(g, static_cast<std::uint64_t>(total - j - 1)));
        std::swap(choices[static_cast<std::size_t>(k)], choices[static_cast<std::size_t>(j)]);
      }
      for (std::int64_t j = 0; j < sample; ++j) ++to[choices[static_cast<std::size_t>(j)]];
    } else {
      std::int64_t left = sample, remaining = total;
      for (std::int64_t j = 0; left > 0 && j + 1 < colors; ++j) {
        remaining -= many[static_cast<std::size_t>(j)];
        to[j] = hypergeometric(g, many[static_cast<std::size_t>(j)], remaining, left);
        left -= to[j];
      }
      if (left > 0) to[colors - 1] = left;
    }
    for (std::int64_t k = 0; complement && k < colors; ++k) to[k] = many[static_cast<std::size_t>(k)] - to[k];
  }
}

}  // namespace

void draw_selection(distribution d, const draw_call& c) {
  bits g(c.state);
  auto* whole = reinterpret_cast<std::int64_t*>(c.result->data);
  const bool legacy = c.params[words::options] & masked;
  switch (d) {
    case distribution::tomaxint:
      for (std::int64_t i = 0; i < c.result->size; ++i) whole[i] = static_cast<std::int64_t>(g.next64() >> 1);
      return;
    case distribution::order: return draw_order(g, whole, c.result->size);
    case distribution::orders_along_axis: return draw_orders(g, c);
    case distribution::choice_by_p: return choose_by_p(c, legacy);
    case distribution::choice_without_p: return choose_once(c);
    case distribution::choice_without_replacement: return choose_once_by_p(c, legacy);
    case distribution::legacy_choice_without_p: return legacy_choose_once(c);
    case distribution::multinomial: return draw_multinomial(c, false);
    case distribution::legacy_multinomial: return draw_multinomial(c, true);
    case distribution::dirichlet: return draw_dirichlet(c, false);
    case distribution::legacy_dirichlet: return draw_dirichlet(c, true);
    case distribution::by_counts: return draw_colors(c, true);
    default: return draw_colors(c, false);
  }
}

}  // namespace numjit::random::detail
