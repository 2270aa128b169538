// Logistic regression by Newton's method, its steps by conjugate gradients that ask only for the
// Hessian times a vector.
#include "expect.h"

namespace np = numjit;

namespace newton_cg {

std::tuple<np::array, np::array, np::array> inputs() {
  auto rng = np::random::default_rng(9);
  auto x = np::column_stack({np::ones(400), rng.normal({.size = {400, 7}})});
  const np::array truth{0.5, 1.0, -2.0, 0.0, 0.7, 1.5, -0.5, 0.0};
  auto chance = 1 / (1 + np::exp(-np::matmul(x, truth)));
  return {x, (rng.random(400) < chance) * 1.0, truth};
}

std::vector<np::array> run(const np::array& x, const np::array& y, const np::array& truth) {
  const int rounds = 8;
  auto loss = [&](const np::array& w) {
    auto s = np::matmul(x, w);
    return np::mean(np::logaddexp(0, s) - y * s) + 0.5 * 1e-3 * np::dot(w, w);
  };
  auto w = np::zeros(x.shape()[1]), losses = np::empty(rounds), slopes = np::empty(rounds);
  for (int i = 0; i < rounds; ++i) {
    auto [value, slope] = np::value_and_grad(loss)(w);
    losses(i) = value, slopes(i) = np::sqrt(np::dot(slope, slope));
    auto step = np::zeros_like(w), rest = -slope, way = rest, square = np::dot(rest, rest);
    // As many as there are weights: exact but for rounding.
    for (int k = 0; k < w.len(); ++k) {
      auto bent = np::hvp(loss, w, way);
      auto length = square / np::dot(way, bent), before = square;
      step = step + length * way, rest = rest - length * bent;
      square = np::dot(rest, rest);
      way = rest + square / before * way;
    }
    w = w + step;
  }
  auto error = np::sqrt(np::diag(np::linalg::inv(np::hessian(loss)(w))) / x.len());
  return {w, error, losses, slopes, (w - truth) / error};
}

void check(const std::vector<np::array>& found) {
  auto error = found[1], losses = found[2], slopes = found[3], surprise = found[4];
  expect(np::all(np::diff(losses) < 1e-15), "the loss never rises");
  expect(slopes(-1) < 1e-12, "the slope is nothing in the end");
  expect(slopes(5) < 20 * np::square(slopes(4)), "quadratic: the digits double each round");
  expect(np::all(error < 0.3) && near(surprise, 0, 3), "the truth, within the errors");
}

}  // namespace newton_cg
