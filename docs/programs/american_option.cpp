// American and European puts by the binomial tree of Cox, Ross and Rubinstein, for many strikes at
// once.
#include <numjit/np.h>

namespace np = numjit;

namespace american_option {

std::tuple<np::array, double, double, double, double, int> inputs() {
  return {np::linspace(80, 120, 9), 100.0, 0.05, 0.25, 1.0, 40};
}

std::tuple<np::array, np::array, np::array> run(const np::array& strike, double spot, double rate,
                                                double volatility, double maturity, int steps) {
  const double dt = maturity / steps;
  const double up = std::exp(volatility * std::sqrt(dt));
  const double chance = (std::exp(rate * dt) - 1 / up) / (up - 1 / up),
               discount = std::exp(-rate * dt);
  const auto first = np::slice(np::none, -1), last = np::slice(1, np::none);
  auto strikes = strike(np::_, np::newaxis);
  auto prices = [&](int step) { return spot * np::power(up, np::arange(step, -step - 1, -2.0)); };
  auto american = np::maximum(strikes - prices(steps), 0);
  auto european = american.copy();
  auto exercised = np::zeros(strike.len(), np::int64);
  for (int step = steps - 1; step >= 0; --step) {
    european = discount * (chance * european(np::_, first) + (1 - chance) * european(np::_, last));
    auto waiting =
        discount * (chance * american(np::_, first) + (1 - chance) * american(np::_, last));
    auto now = np::maximum(strikes - prices(step), 0);
    exercised += np::count_nonzero(now > waiting, 1);
    american = np::maximum(waiting, now);
  }
  return {american(np::_, 0), european(np::_, 0), exercised};
}

}  // namespace american_option
