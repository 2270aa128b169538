// A pendulum swings up by a motor that is too weak to lift it: the best torques by the gradient
// through all time steps.
#include "expect.h"
#include "optimisers.h"

namespace pendulum_control {

constexpr double limit = 0.4, h = 0.15;  // gravity pulls with 1

/// Wobbles: hanging straight down, no torque is better than any.
std::tuple<np::array, int> inputs() { return {0.3 * np::sin(h * np::arange(100)), 60}; }

/// Angle and speed over time; 0 is down.
np::array swing(const np::array& torques) {
  np::array angle(0.0), speed(0.0);
  std::vector<np::array> path;
  for (int i = 0; i < torques.len(); ++i) {
    speed = speed + h * (torques(i) - np::sin(angle));
    angle = angle + h * speed;
    path.push_back(np::stack({angle, speed}));
  }
  return np::stack(path);
}

std::tuple<np::array, np::array, np::array> run(const np::array& start, int rounds) {
  auto loss = [](const np::array& wish) {
    auto torques = limit * np::tanh(wish);
    auto end = swing(torques)(np::slice(-10, np::none));
    auto height = 1 + np::cos(end(np::_, 0)), speed = end(np::_, 1);
    return 10 * np::sum(height + np::square(speed)) + 0.1 * np::sum(np::square(torques));
  };
  auto [wish, losses] = optimisers::lbfgs(loss, start, rounds);
  auto torques = limit * np::tanh(wish);
  return {losses, torques, swing(torques)};
}

void check(const np::array& losses, const np::array& torques, const np::array& path) {
  auto angle = path(np::_, 0), speed = path(np::_, 1);
  const auto end = np::slice(-5, np::none);
  expect(losses(-1) < 0.02 * losses(0), "the loss falls");
  expect(np::all(np::abs(torques) <= limit), "the motor is weak");
  expect(np::all(np::cos(angle(end)) < -0.98) && near(speed(end), 0, 0.1), "stands on its head");
  auto way = np::sign(speed(speed != 0));
  expect(np::count_nonzero(np::diff(way)) >= 2, "after swinging to and fro");
}

}  // namespace pendulum_control
