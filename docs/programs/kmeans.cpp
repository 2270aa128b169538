// k-means clustering, from centres far apart until no point changes its cluster.
#include <numjit/np.h>

namespace np = numjit;

namespace kmeans {

std::pair<np::array, int> inputs() {
  auto rng = np::random::default_rng(5);
  auto blobs = rng.uniform(-6, 6, {4, 2});
  auto centres = blobs(rng.integers(0, 4, 150));  // C++ leaves open which side of a + draws first
  return {centres + 0.7 * rng.normal({.size = {150, 2}}), 4};
}

np::array squared_distance(const np::array& points, const np::array& centres) {
  return np::sum(np::square(points(np::_, np::newaxis) - centres), {.axis = -1});
}

std::tuple<np::array, np::array, np::array> run(const np::array& points, int k) {
  auto centres = points(np::slice(1));
  while (centres.len() < k) {  // the point farthest from all centres so far
    auto far = np::argmax(np::min(squared_distance(points, centres), {.axis = 1}));
    centres = np::concatenate({centres, points(far)(np::newaxis)});
  }
  auto labels = np::full(points.len(), -1);
  while (true) {
    auto new_labels = np::argmin(squared_distance(points, centres), {.axis = 1});
    if (np::array_equal(new_labels, labels)) break;  // a break per round
    labels = new_labels;
    auto counts = np::bincount(labels, {}, k);
    std::vector<np::array> sums;
    for (int d = 0; d < points.shape(1); ++d)
      sums.push_back(np::bincount(labels, points(np::_, d), k));
    centres = np::stack(sums, {.axis = 1}) / counts(np::_, np::newaxis);
  }
  return {centres, labels, np::sum(np::min(squared_distance(points, centres), {.axis = 1}))};
}

}  // namespace kmeans
