// k-means over parted points: each rank labels its own, and the sums and counts of the clusters are reduced.
#include <numjit/np.h>
#include <numjit/np_distributed.h>

namespace np = numjit;
namespace nd = np::distributed;

namespace ranks::kmeans {

constexpr std::int64_t clusters = 4;

std::pair<np::array, np::array> improved(const np::array& points, const np::array& centres) {
  auto distance = np::sum(np::square(points(np::_, np::newaxis) - centres), {.axis = -1});
  auto labels = np::argmin(distance, {.axis = 1});
  auto members = (labels(np::_, np::newaxis) == np::arange(clusters)).astype(np::float64);
  auto sums = nd::all_reduce(np::matmul(members.T(), points));
  auto counts = nd::all_reduce(np::sum(members, {.axis = 0}));
  return {sums / np::maximum(counts, 1)(np::_, np::newaxis), labels};
}

std::vector<np::array> run() {
  const std::int64_t n = 900;
  auto rng = np::random::default_rng(5);
  auto blobs = rng.uniform(-6, 6, {clusters, 2});
  auto middles = blobs(rng.integers(0, clusters, n));  // C++ leaves open which side of a + draws first
  auto points = middles + 0.7 * rng.normal({.size = {n, 2}});
  auto step = np::compile(improved);
  auto mine = points(nd::part(n)), centres = points(np::slice(clusters));
  np::array labels;
  for (int round = 0; round < 12; ++round) std::tie(centres, labels) = step(mine, centres);
  return {centres, nd::all_gather(labels, {.length = n})};
}

}  // namespace ranks::kmeans
