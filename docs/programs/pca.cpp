// Principal components: of the covariance matrix, and by the singular values; projection and what
// is lost.
#include <numjit/np.h>

namespace np = numjit;

namespace pca {

std::pair<np::array, int> inputs() {
  auto rng = np::random::default_rng(11);
  auto hidden = rng.normal({.size = {60, 3}}) * np::array{3.0, 1.5, 0.7};
  auto x = np::matmul(hidden, rng.normal({.size = {3, 6}}));
  return {x + 0.1 * rng.normal({.size = {60, 6}}), 2};
}

std::vector<np::array> run(const np::array& x, int k) {
  auto mean = np::mean(x, {.axis = 0});
  auto centred = x - mean;
  auto [variances, vectors] = np::linalg::eigh(np::cov(centred, {.rowvar = false}));
  auto order = np::argsort(-variances);
  variances = variances(order);
  vectors = vectors(np::_, order);
  // The sign of a component is open: its largest entry shall be positive.
  auto place = np::argmax(np::abs(vectors), {.axis = 0, .keepdims = true});
  vectors *= np::sign(np::take_along_axis(vectors, place, 0));
  auto first = vectors(np::_, np::slice(k));
  auto scores = np::matmul(centred, first);
  auto rebuilt = np::matmul(scores, first.T()) + mean;
  auto singular = np::square(np::linalg::svdvals(centred)) / (x.len() - 1);
  auto same = np::max(np::abs(singular - variances)) < 1e-12;
  return {variances / np::sum(variances), first, scores, np::mean(np::square(x - rebuilt)), same};
}

}  // namespace pca
