// Pi and the volume of a ball in five dimensions by Monte Carlo: every rank takes its part of the one stream of numbers.
#include <numjit/np.h>
#include <numjit/np_distributed.h>

namespace np = numjit;
namespace nd = np::distributed;

namespace ranks::monte_carlo {

np::array inside(const np::array& points) { return np::sum(points * points, {.axis = 1}) < 1; }

std::vector<np::array> run() {
  const std::int64_t n = 60000, dimensions = 5;
  const auto mine = nd::part(n);
  auto bits = np::random::Philox(9);
  bits.advance(static_cast<std::uint64_t>(mine.start * dimensions / 4));  // four numbers a block: n is a multiple for 8 ranks
  auto points = np::random::Generator(bits).random({mine.stop - mine.start, dimensions});
  auto is_inside = np::compile(inside);
  auto hits = is_inside(points), in_plane = is_inside(points(np::_, np::slice(2)));
  return {nd::sum(hits.astype(np::float64)) / n * std::pow(2, dimensions), nd::sum(in_plane.astype(np::float64)) / n * 4,
          nd::sum(points, {.axis = 0})};
}

}  // namespace ranks::monte_carlo
