// Bootstrap: intervals for the median and a correlation from samples drawn anew, and a permutation
// test of two groups.
#include <numjit/np.h>

namespace np = numjit;

namespace bootstrap {

std::tuple<np::array, np::array, int, int> inputs() {
  auto rng = np::random::default_rng(31);
  auto x = rng.gamma(2.0, 1.5, 40);
  return {x, 0.6 * x + rng.normal(0, 1, 40), 31, 300};
}

std::vector<np::array> run(const np::array& x, const np::array& y, int seed, int draws) {
  auto rng = np::random::default_rng(seed);
  const auto n = x.len();
  auto pick = rng.integers(0, n, {draws, n});
  auto medians = np::median(x(pick), 1);
  auto centred = [](const np::array& v) { return v - np::mean(v, {.axis = 1, .keepdims = true}); };
  auto sum = [](const np::array& v) { return np::sum(v, {.axis = 1}); };
  auto a = centred(x(pick)), b = centred(y(pick));
  auto r = sum(a * b) / np::sqrt(sum(a * a) * sum(b * b));
  // Bias-corrected: the rank of the sample's own value shifts the quantiles.
  auto share = np::mean(medians < np::median(x));
  // Permutations: how often is the difference of means as large by chance?
  auto both = np::concatenate({x, y});
  auto shuffled = rng.permuted(np::tile(both, {draws, 1}), {.axis = 1});
  auto chance = np::mean(shuffled(np::_, np::slice(n)), {.axis = 1}) -
                np::mean(shuffled(np::_, np::slice(n, np::none)), {.axis = 1});
  auto p =
      (1 + np::count_nonzero(np::abs(chance) >= np::abs(np::mean(x) - np::mean(y)))) / (draws + 1);
  auto [counts, edges] = np::histogram(r, 8, {{0.0, 1.0}});
  return {np::quantile(medians, np::array{0.025, 0.5, 0.975}),
          np::percentile(r, np::array{2.5, 97.5}),
          share,
          p,
          counts,
          edges};
}

}  // namespace bootstrap
