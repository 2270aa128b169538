// A mixture of Gaussians by the gradient of the log likelihood: weights by softmax, precisions by
// their triangular factors.
#include "expect.h"
#include "optimisers.h"

namespace mixture_by_gradient {

/// The factor of the precision matrix is lower triangular, its diagonal exp(log_diagonal): positive
/// whatever the numbers are.
struct mixture {
  np::array shares, means, log_diagonal, below;
  NUMJIT_FIELDS(mixture, shares, means, log_diagonal, below)
};

std::tuple<np::array, mixture> inputs() {
  auto rng = np::random::default_rng(10);
  auto cloud = [&](int n) { return rng.normal({.size = {n, 2}}); };
  auto first = np::matmul(cloud(150), np::array{{1.0, 0.6}, {0.0, 0.5}});
  auto second = cloud(100) * 0.5 + np::array{4.0, 0.0};
  auto third = cloud(50) * np::array{0.3, 1.0} + np::array{2.0, 4.0};
  return {np::concatenate({first, second, third}),
          mixture{np::zeros(3), np::array{{-1.0, 1.0}, {3.0, 1.0}, {1.0, 3.0}}, np::zeros({3, 2}),
                  np::zeros(3)}};
}

np::array logsumexp(const np::array& x, int axis) {
  auto top = np::max(x, {.axis = axis, .keepdims = true});
  return np::squeeze(top, axis) + np::log(np::sum(np::exp(x - top), {.axis = axis}));
}

/// log of the share of each Gaussian times its density at each point: (n, k).
np::array log_joint(const mixture& p, const np::array& x) {
  auto away = x(np::_, np::newaxis) - p.means;
  auto by_x = away(np::ellipsis, 0), by_y = away(np::ellipsis, 1);
  auto first = np::exp(p.log_diagonal(np::_, 0)) * by_x;
  auto second = p.below * by_x + np::exp(p.log_diagonal(np::_, 1)) * by_y;
  auto log_share = p.shares - logsumexp(p.shares, 0);
  return log_share + np::sum(p.log_diagonal, {.axis = 1}) - std::log(2 * np::pi) -
         0.5 * (np::square(first) + np::square(second));
}

std::tuple<np::array, np::array, np::array, np::array, np::array> run(const np::array& x,
                                                                      const mixture& start) {
  auto loss = [&](const mixture& p) { return -np::mean(logsumexp(log_joint(p, x), 1)); };
  auto [p, losses] = optimisers::lbfgs(loss, start, 60);
  auto joint = log_joint(p, x);
  auto share = np::exp(joint - logsumexp(joint, 1)(np::_, np::newaxis));
  return {p.means, np::mean(share, {.axis = 0}), np::exp(p.shares - logsumexp(p.shares, 0)),
          np::argmax(share, {.axis = 1}), losses};
}

void check(const np::array& means, const np::array& responsible, const np::array& shares,
           const np::array& cluster, const np::array& losses) {
  expect(near(means, np::array{{0.0, 0.0}, {4.0, 0.0}, {2.0, 4.0}}, 0.3), "the means");
  expect(near(shares, np::array{1.0 / 2, 1.0 / 3, 1.0 / 6}, 0.05), "the shares");
  expect(near(responsible, shares, 1e-5), "at the maximum a step of EM changes nothing");
  auto truth = np::repeat(np::arange(3), np::array{150, 100, 50});
  expect(np::mean(cluster == truth) > 0.95, "nearly all points are in their cluster");
  expect(losses(-1) < losses(0) - 1, "the likelihood rises");
}

}  // namespace mixture_by_gradient
