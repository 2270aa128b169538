// A mixture of Gaussians by expectation and maximisation, with full covariances, until the
// likelihood stands still.
#include <numjit/np.h>

namespace np = numjit;

namespace gaussian_mixture {

std::tuple<np::array, np::array, double> inputs() {
  auto rng = np::random::default_rng(43);
  auto a = np::matmul(rng.normal({.size = {60, 2}}), np::array{{1.0, 0.6}, {0.0, 0.5}});
  auto b = np::matmul(rng.normal({.size = {40, 2}}), np::array{{0.5, 0.0}, {-0.4, 0.9}}) +
           np::array{3.0, 1.0};
  return {np::concatenate({a, b}), np::array{{-1.0, 1.0}, {2.0, 2.0}}, 1e-7};
}

// Of each point under each Gaussian: (n, k).
np::array log_density(const np::array& x, const np::array& mean, const np::array& covariance) {
  auto factor = np::linalg::cholesky(covariance);
  auto away = (x(np::_, np::newaxis) - mean)(np::ellipsis, np::newaxis);
  auto scaled = np::linalg::solve(factor, away)(np::ellipsis, 0);
  auto log_det = np::sum(np::log(np::diagonal(factor, 0, -2, -1)), {.axis = -1});
  return -0.5 * np::sum(np::square(scaled), {.axis = -1}) - log_det -
         0.5 * x.shape(1) * std::log(2 * np::pi);
}

std::vector<np::array> run(const np::array& x, np::array mean, double tolerance) {
  const auto n = x.shape(0), d = x.shape(1), k = mean.len();
  auto weight = np::full(k, 1.0 / static_cast<double>(k));
  auto covariance = np::stack(std::vector<np::array>(static_cast<std::size_t>(k), np::eye(d)));
  np::array likelihood, share, before(-np::inf), gain(np::inf);
  int rounds = 0;
  while (gain > tolerance) {  // a break per round
    auto joint = np::log(weight) + log_density(x, mean, covariance);
    auto top = np::max(joint, {.axis = 1, .keepdims = true});
    auto total = top + np::log(np::sum(np::exp(joint - top), {.axis = 1, .keepdims = true}));
    share = np::exp(joint - total);
    auto mass = np::sum(share, {.axis = 0});
    weight = mass / n;
    mean = np::matmul(share.T(), x) / mass(np::_, np::newaxis);
    auto away = x(np::_, np::newaxis) - mean;
    covariance =
        np::einsum("nk,nki,nkj->kij", {share, away, away}) / mass(np::_, np::newaxis, np::newaxis);
    likelihood = np::mean(total);
    gain = likelihood - before;
    before = likelihood;
    ++rounds;
  }
  return {weight, mean, covariance, np::argmax(share, {.axis = 1}), np::array(rounds), likelihood};
}

}  // namespace gaussian_mixture
