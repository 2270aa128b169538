// Regression by a Gaussian process: the best of several length scales by likelihood, predictions
// with bounds.
#include <numjit/np.h>

namespace np = numjit;

namespace gaussian_process {

std::tuple<np::array, np::array, np::array> inputs() {
  auto rng = np::random::default_rng(47);
  auto x = np::sort(rng.uniform(0, 10, 18));
  return {x, np::sin(x) + 0.3 * np::cos(3 * x) + rng.normal(0, 0.1, 18), np::linspace(-1, 11, 40)};
}

np::array kernel(const np::array& a, const np::array& b, const np::array& scale) {
  return np::exp(-0.5 * np::square((a(np::_, np::newaxis) - b) / scale));
}

std::vector<np::array> run(const np::array& x, const np::array& y, const np::array& at) {
  using np::linalg::cholesky, np::linalg::solve;
  const double noise = 0.1;
  const auto n = x.len();
  auto scales = np::geomspace(0.3, 3.0, 6), evidence = np::empty(6);
  auto spread = noise * noise * np::eye(n);
  for (int i = 0; i < 6; ++i) {
    auto factor = cholesky(kernel(x, x, scales(i)) + spread);
    auto white = solve(factor, y);
    evidence(i) = -0.5 * np::dot(white, white) - np::sum(np::log(np::diag(factor))) -
                  0.5 * n * std::log(2 * np::pi);
  }
  auto best = scales(np::argmax(evidence));
  auto factor = cholesky(kernel(x, x, best) + spread);
  auto cross = solve(factor, kernel(x, at, best));
  auto mean = np::matmul(cross.T(), solve(factor, y));
  auto covariance = kernel(at, at, best) - np::matmul(cross.T(), cross);
  auto deviation = np::sqrt(np::maximum(np::diag(covariance), 0));
  auto close = np::abs(np::sin(at) + 0.3 * np::cos(3 * at) - mean) < 2 * deviation;
  return {evidence, best, mean, deviation, np::mean(close(np::slice(5, -5)))};
}

}  // namespace gaussian_process
