// Numbers of bins by NumPy's rules: "auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt".
#include <algorithm>
#include <cmath>
#include <string>

#include <surface.h>

namespace numjit {

namespace {

/// What the rules look at: the values within the range, and its ends.
struct Sample {
  array values;
  double n, low, high;

  double spread() const { return max(values).item<double>() - min(values).item<double>(); }
  double deviation() const { return std(values).item<double>(); }
};

double root(const Sample& s) { return s.spread() / std::sqrt(s.n); }
double sturges(const Sample& s) { return s.spread() / (std::log2(s.n) + 1.0); }
double rice(const Sample& s) { return s.spread() / (2.0 * std::pow(s.n, 1.0 / 3)); }
double scott(const Sample& s) { return std::pow(24.0 * std::sqrt(pi) / s.n, 1.0 / 3.0) * s.deviation(); }

/// Freedman and Diaconis: by the distance of the quartiles.
double fd(const Sample& s) {
  const array quartiles = percentile(s.values, array{25, 75});
  return 2.0 * (quartiles(1).item<double>() - quartiles(0).item<double>()) * std::pow(s.n, -1.0 / 3.0);
}

/// Sturges' rule, for skewed data.
double doane(const Sample& s) {
  const double sigma = s.n > 2 ? s.deviation() : 0.0;
  if (!(sigma > 0)) return 0.0;
  const double error = std::sqrt(6.0 * (s.n - 2) / ((s.n + 1.0) * (s.n + 3)));
  const array z = (s.values - mean(s.values)) / sigma;
  const double skew = mean(z * z * z).item<double>();
  return s.spread() / (1.0 + std::log2(s.n) + std::log2(1.0 + std::abs(skew) / error));
}

/// The width of the bins with the least estimated squared error.
double stone(const Sample& s) {
  const double spread = s.spread();
  if (s.n <= 1 || spread == 0) return 0.0;
  const auto most = std::max<std::int64_t>(100, static_cast<std::int64_t>(std::sqrt(s.n)));
  double least = inf;
  std::int64_t best = 1;
  for (std::int64_t bins = 1; bins <= most; ++bins) {
    const array share = histogram(s.values, bins, std::pair(s.low, s.high)).counts.astype(float64) / s.n;
    const double error = (2 - (s.n + 1) * sum(share * share).item<double>()) / (spread / static_cast<double>(bins));
    if (error < least) least = error, best = bins;
  }
  return spread / static_cast<double>(best);
}

/// Freedman and Diaconis' rule or Sturges', whichever is narrower; not much wider than the square root's.
double narrower(const Sample& s) {
  const double by_quartiles = std::max(fd(s), root(s) / 2), by_number = sturges(s);
  return by_quartiles != 0 ? std::min(by_quartiles, by_number) : by_number;
}

using width_rule = double (*)(const Sample&);

width_rule rule_of(std::string_view name) {
  static constexpr std::pair<std::string_view, width_rule> rules[] = {{"auto", narrower},   {"fd", fd},       {"doane", doane},
                                                                      {"scott", scott},     {"stone", stone}, {"rice", rice},
                                                                      {"sturges", sturges}, {"sqrt", root}};
  for (const auto& [known, rule] : rules)
    if (known == name) return rule;
  throw ValueError("histogram", "'" + std::string(name) + "' is not a valid estimator for `bins`");
}

}  // namespace

std::int64_t detail::bins_by_rule(const operand& a, std::string_view name, const std::optional<std::pair<double, double>>& range,
                                  bool weighted) {
  const width_rule rule = rule_of(name);
  if (weighted) throw TypeError("histogram", "Automated estimation of the number of bins is not supported for weighted data");
  const location_scope scope(a.where());
  array x = ravel(a);
  if (x.dtype() == bool_) x = x.astype(uint8);
  if (range) {
    const auto [low, high] = *range;
    if (low > high) throw ValueError("histogram", "max must be larger than min in range parameter.");
    x = x((x >= low) & (x <= high));
  }
  if (x.size() == 0) return 1;
  Sample s{x, static_cast<double>(x.size()), 0, 0};
  s.low = range ? range->first : min(x).item<double>();
  s.high = range ? range->second : max(x).item<double>();
  if (!std::isfinite(s.low) || !std::isfinite(s.high)) return 1;  // the edges tell what is wrong
  if (s.low == s.high) s.low -= 0.5, s.high += 0.5;
  double width = rule(s);
  if (width == 0) return 1;
  if (x.dtype().kind() != 'f') width = std::max(width, 1.0);
  const double bins = std::ceil((s.high - s.low) / width);
  if (!(bins < 9e18))
    throw ValueError("histogram", "Too many bins for data range. Cannot create " + array(bins).str() + " finite-sized bins.");
  return static_cast<std::int64_t>(bins);
}

histogram_result histogram(const operand& a, std::string_view rule, std::optional<std::pair<double, double>> range, bool density,
                           const array& weights) {
  const location_scope scope(a.where());
  return histogram(a, detail::bins_by_rule(a, rule, range, !weights.empty_handle()), range, density, weights);
}

array histogram_bin_edges(const operand& a, std::string_view rule, std::optional<std::pair<double, double>> range,
                          const array& weights) {
  const location_scope scope(a.where());
  return histogram_bin_edges(a, detail::bins_by_rule(a, rule, range, !weights.empty_handle()), range, weights);
}

}  // namespace numjit
