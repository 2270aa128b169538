// Logistic regression by Newton's method (iteratively reweighted least squares), with its standard
// errors.
#include <numjit/np.h>

namespace np = numjit;

namespace logistic_regression {

std::pair<np::array, np::array> inputs() {
  auto rng = np::random::default_rng(17);
  auto x = np::column_stack({np::ones(80), rng.normal({.size = {80, 3}})});
  auto chance = 1 / (1 + np::exp(-np::matmul(x, np::array{-0.5, 1.5, -2.0, 0.0})));
  return {x, (rng.random(80) < chance).astype(np::float64)};
}

np::array log_likelihood(const np::array& x, const np::array& y, const np::array& weights) {
  auto score = np::matmul(x, weights);
  return np::sum(y * score - np::logaddexp(0, score));
}

std::vector<np::array> run(const np::array& x, const np::array& y) {
  auto weights = np::zeros(x.shape(1));
  std::vector<np::array> history;
  np::array hessian, step(np::inf);
  while (np::max(np::abs(step)) > 1e-8) {  // a break per step
    auto chance = 1 / (1 + np::exp(-np::matmul(x, weights)));
    hessian = np::matmul(x.T(), x * (chance * (1 - chance))(np::_, np::newaxis));
    step = np::linalg::solve(hessian, np::matmul(x.T(), y - chance));
    weights = weights + step;
    history.push_back(log_likelihood(x, y, weights));
  }
  auto errors = np::sqrt(np::diag(np::linalg::inv(hessian)));
  auto guess = np::matmul(x, weights) > 0;
  auto cell = 2 * y.astype(np::int64) + guess.astype(np::int64);
  auto confusion = np::bincount(cell, {}, 4).reshape(2, 2);
  return {weights, errors, np::stack(history), confusion};
}

}  // namespace logistic_regression
