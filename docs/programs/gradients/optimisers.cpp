// Gradient descent, momentum, Adam and L-BFGS, tried on a curve with a wave, a line and a bump.
#include "optimisers.h"

#include "expect.h"

namespace optimisers {

struct wave {
  np::array height, phase;
  NUMJIT_FIELDS(wave, height, phase)
};

struct shape {
  wave sine;
  np::array line;
  std::vector<np::array> bump;
  NUMJIT_FIELDS(shape, sine, line, bump)
};

np::array curve(const shape& p, const np::array& x) {
  return p.sine.height * np::sin(3 * x + p.sine.phase) + p.line(0) * x + p.line(1) +
         p.bump[0] * np::exp(-np::square(x - p.bump[1]));
}

std::tuple<np::array, np::array, shape> inputs() {
  auto number = [](double x) { return np::array(x); };
  const shape truth{{number(0.8), number(0.6)}, np::array{0.5, -1.0}, {number(2.0), number(1.5)}};
  auto x = np::linspace(-3, 3, 60);
  return {x, curve(truth, x),
          shape{{number(0.3), number(0.0)}, np::zeros(2), {number(1.0), number(1.0)}}};
}

std::tuple<np::array, np::array, np::array, np::array, np::array> run(const np::array& x,
                                                                      const np::array& y,
                                                                      const shape& first) {
  auto loss = [&](const shape& p) { return np::mean(np::square(curve(p, x) - y)); };
  auto descent = minimise(loss, first, sgd{0.1}, 150).second;
  auto rolling = minimise(loss, first, momentum{0.05}, 150).second;
  auto by_adam = minimise(loss, first, adam{0.05}, 150).second;
  auto [p, newton] = lbfgs(loss, first, 25);
  auto found =
      np::concatenate({np::stack({p.sine.height, p.sine.phase}), p.line, np::stack(p.bump)});
  return {descent, rolling, by_adam, newton, found};
}

void check(const np::array& descent, const np::array& rolling, const np::array& by_adam,
           const np::array& newton, const np::array& found) {
  expect(descent(-1) < 0.01 * descent(0), "gradient descent finds it roughly");
  expect(rolling(-1) < 0.1 * descent(-1), "momentum is faster than without");
  expect(by_adam(-1) < 1e-3 * by_adam(0), "Adam finds it");
  expect(newton(-1) < 1e-12 && newton.len() <= 26, "L-BFGS finds it exactly");
  expect(near(found, np::array{0.8, 0.6, 0.5, -1.0, 2.0, 1.5}, 1e-5), "the truth");
}

}  // namespace optimisers
