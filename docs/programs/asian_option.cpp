// An Asian option by Monte Carlo, with antithetic paths and the geometric mean as control variate;
// quantiles of the payoff.
#include <numjit/np.h>

namespace np = numjit;

namespace asian_option {

std::tuple<int, int, int, double, double, double, double> inputs() {
  return {2024, 400, 12, 100.0, 100.0, 0.03, 0.3};
}

std::vector<np::array> run(int seed, int paths, int months, double spot, double strike, double rate,
                           double volatility) {
  auto rng = np::random::default_rng(seed);
  const double dt = 1.0 / months;
  auto half = rng.standard_normal({paths / 2, months});
  auto moves = np::concatenate({half, -half});
  auto growth = (rate - 0.5 * volatility * volatility) * dt + volatility * std::sqrt(dt) * moves;
  auto price = spot * np::exp(np::cumsum(growth, {.axis = 1}));
  const double discount = std::exp(-rate);
  auto payoff = discount * np::maximum(np::mean(price, {.axis = 1}) - strike, 0);
  auto control = discount * np::maximum(np::exp(np::mean(np::log(price), {.axis = 1})) - strike, 0);
  auto c = np::cov(payoff, control);
  auto beta = c(0, 1) / c(1, 1);
  auto better = payoff - beta * (control - np::mean(control));
  auto error = np::std(better, {.ddof = 1}) / std::sqrt(paths);
  auto ever = np::mean(np::any(price > 1.2 * spot, {.axis = 1}));
  return {np::mean(better),
          error,
          beta,
          ever,
          np::percentile(payoff, np::array{50, 75, 95, 99}),
          np::corrcoef(payoff, control)};
}

}  // namespace asian_option
