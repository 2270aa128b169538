// All shortest paths of a graph by Floyd and Warshall, with the paths themselves, and which nodes
// reach each other.
#include <numjit/np.h>

namespace np = numjit;

namespace floyd_warshall {

std::tuple<np::array> inputs() {
  auto rng = np::random::default_rng(9);
  auto weight = rng.integers(1, 20, {14, 14}).astype(np::float64);
  weight(rng.random({14, 14}) < 0.75) = np::inf;
  np::fill_diagonal(weight, 0);
  return {weight};
}

std::vector<np::array> run(const np::array& weight) {
  const auto n = weight.len();
  auto distance = weight.copy();
  auto next_node = np::where(np::isfinite(weight), np::arange(n), -1);
  for (std::int64_t k = 0; k < n; ++k) {
    auto through = distance(np::_, k, np::newaxis) + distance(k);
    auto shorter = through < distance;
    distance = np::where(shorter, through, distance);
    next_node = np::where(shorter, next_node(np::_, k, np::newaxis), next_node);
  }
  // From the node 0 to all others at once, a step at a time.
  auto target = np::arange(n);
  auto here = np::where(next_node(0) >= 0, 0, -1);
  std::vector<np::array> path{here};
  for (int step = 0; step < 6; ++step) {
    here = np::where(here >= 0, next_node(np::maximum(here, 0), target), -1);
    path.push_back(here);
  }
  auto reach = np::isfinite(distance);
  auto finite = np::where(reach, distance, -1);
  return {finite, np::stack(path), np::unique(np::sum(reach, {.axis = 1})),
          np::max(finite, {.axis = 1}), np::argmax(finite, {.axis = 1})};
}

}  // namespace floyd_warshall
