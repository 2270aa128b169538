// PageRank of a small web by the power method until it stands still, and by the eigenvector it is.
#include <numjit/np.h>

namespace np = numjit;

namespace pagerank {

std::tuple<np::array, np::array, int> inputs() {
  auto rng = np::random::default_rng(30);
  auto source = rng.integers(0, 20, 70);
  auto target = (source + 1 + rng.zipf(1.7, 70)) % 18;  // few pages have most of the links
  return {source, target, 20};
}

std::vector<np::array> run(const np::array& source, const np::array& target, int n) {
  const double damping = 0.85;
  auto links = np::zeros({n, n});
  links(target, source) = 1.0;  // doubles count once
  auto out = np::sum(links, {.axis = 0});
  auto dangling = out == 0;
  auto walk = links / np::where(dangling, 1.0, out);
  auto rank = np::full(n, 1.0 / n), change = np::array(1.0);
  int rounds = 0;
  while (change > 1e-11) {  // a break each five rounds
    np::array old;
    for (int i = 0; i < 5; ++i) {
      old = rank;
      rank = damping * (np::matmul(walk, rank) + np::sum(rank(dangling)) / n) + (1 - damping) / n;
    }
    change = np::sum(np::abs(rank - old));
    rounds += 5;
  }
  auto full = damping * (walk + dangling / n) + (1 - damping) / n;
  auto [values, vectors] = np::linalg::eig(full.astype(np::complex128));
  auto leading = np::abs(vectors(np::_, np::argmax(np::abs(values))));
  auto agrees = np::max(np::abs(leading / np::sum(leading) - rank)) < 1e-9;
  return {rank, np::argsort(-rank)(np::slice(5)), np::array(rounds), agrees};
}

}  // namespace pagerank
