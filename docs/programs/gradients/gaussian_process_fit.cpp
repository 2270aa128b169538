// Length, height and noise of a Gaussian process by the gradient of the marginal likelihood,
// through np::linalg.
#include "expect.h"
#include "optimisers.h"

namespace gaussian_process_fit {

std::tuple<np::array, np::array, np::array, np::array> inputs() {
  auto rng = np::random::default_rng(11);
  auto x = np::sort(rng.uniform(0, 10, 24));
  auto y = np::sin(1.3 * x) + rng.normal(0, 0.15, 24);
  return {x, y, np::log(np::array{0.5, 0.5, 0.5}), np::linspace(0, 10, 50)};
}

/// p: the logarithms of length, height and noise.
np::array kernel(const np::array& p, const np::array& a, const np::array& b) {
  auto away = (a(np::_, np::newaxis) - b) / np::exp(p(0));
  return np::exp(2 * p(1) - 0.5 * np::square(away));
}

np::array covariance(const np::array& p, const np::array& x) {
  return kernel(p, x, x) + np::exp(2 * p(2)) * np::eye(x.len());
}

np::array loss(const np::array& p, const np::array& x, const np::array& y) {
  auto k = covariance(p, x);
  auto white = np::linalg::solve(np::linalg::cholesky(k), y);
  return 0.5 * (np::dot(white, white) + np::linalg::slogdet(k).logabsdet +
                x.len() * std::log(2 * np::pi));
}

std::tuple<np::array, np::array, np::array, np::array> run(const np::array& x, const np::array& y,
                                                           const np::array& start,
                                                           const np::array& at) {
  auto [p, losses] =
      optimisers::lbfgs([&](const np::array& p) { return loss(p, x, y); }, start, 15);
  auto mean = np::matmul(kernel(p, at, x), np::linalg::solve(covariance(p, x), y));
  return {np::exp(p), losses, np::grad(loss)(p, x, y), mean - np::sin(1.3 * at)};
}

void check(const np::array& found, const np::array& losses, const np::array& slope,
           const np::array& error) {
  auto length = found(0), height = found(1), noise = found(2);
  expect(losses(-1) < losses(0) - 5, "the likelihood rises");
  expect(near(slope, 0, 1e-4), "the likelihood is highest there");
  expect(0.1 < noise && noise < 0.22, "the noise that was added");
  expect(0.8 < length && length < 2.5 && 0.4 < height && height < 2.5, "as a sine is");
  expect(np::sqrt(np::mean(np::square(error))) < 0.15, "nearer to the truth than the observations");
}

}  // namespace gaussian_process_fit
