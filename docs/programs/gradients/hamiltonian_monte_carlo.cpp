// Hamiltonian Monte Carlo: many chains at once, by vmap, draw from a banana by leapfrog steps along
// the gradient.
#include "expect.h"

namespace np = numjit;

namespace hamiltonian_monte_carlo {

std::tuple<np::random::Generator, int, int, int> inputs() {
  return {np::random::default_rng(13), 150, 100, 12};
}

/// q(0) is normal, and q(1) is normal around q(0)^2.
np::array log_density(const np::array& q) {
  return -0.5 * np::square(q(0)) - 0.5 * np::square(q(1) - np::square(q(0)));
}

std::tuple<np::array, np::array, np::array> run(np::random::Generator rng, int chains, int draws,
                                                int steps) {
  const double size = 0.25;
  auto value_and_slope = np::vmap(np::value_and_grad(log_density));
  auto energy = [](const np::array& speed) {
    return 0.5 * np::sum(np::square(speed), {.axis = 1});
  };
  auto q = rng.normal({.size = {chains, 2}});
  auto [value, slope] = value_and_slope(q);
  auto found = np::empty({draws, chains, 2}), accepted = np::empty(draws), drift = np::empty(draws);
  for (int draw = 0; draw < draws; ++draw) {
    auto speed = rng.normal({.size = {chains, 2}});
    auto before = value - energy(speed);
    auto ahead = q, ahead_value = value, ahead_slope = slope;
    for (int step = 0; step < steps; ++step) {
      speed = speed + 0.5 * size * ahead_slope;
      ahead = ahead + size * speed;
      std::tie(ahead_value, ahead_slope) = value_and_slope(ahead);
      speed = speed + 0.5 * size * ahead_slope;
    }
    auto change = ahead_value - energy(speed) - before;
    auto take = np::log(rng.random(chains)) < change, whole = take(np::_, np::newaxis);
    q = np::where(whole, ahead, q), slope = np::where(whole, ahead_slope, slope);
    value = np::where(take, ahead_value, value);
    found(draw) = q, accepted(draw) = np::mean(take), drift(draw) = np::mean(np::exp(change));
  }
  const auto late = np::slice(20, np::none);
  return {found(late).reshape(-1, 2), np::mean(accepted), np::mean(drift(late))};
}

void check(const np::array& found, const np::array& accepted, const np::array& drift) {
  auto x = found(np::_, 0), y = found(np::_, 1);
  expect(0.6 < accepted && accepted < 0.995, "most steps are accepted, not all");
  expect(near(drift, 1, 0.05), "exp(-change of energy) is 1 on average, in equilibrium");
  expect(near(np::mean(x), 0, 0.06) && near(np::var(x), 1, 0.1), "x is normal");
  expect(near(np::mean(y), 1, 0.1) && near(np::var(y), 3, 0.4), "y has the banana's moments");
  expect(near(np::mean(np::square(y - np::square(x))), 1, 0.06), "y is normal around x^2");
}

}  // namespace hamiltonian_monte_carlo
