// Workloads that iterate over points: fractals, forces and distances between all pairs.
#include "workloads.h"

namespace bench {
namespace {

namespace np = numjit;
using np::_;
using np::newaxis;

np::array mandelbrot(const np::array& c) {
  np::array z = np::zeros_like(c);
  np::array count = np::zeros(c.shape(), np::int32);
  for (int i = 0; i < 50; ++i) {
    auto inside = z.real() * z.real() + z.imag() * z.imag() < 4.0;
    z = np::where(inside, z * z + c, z);
    count = count + inside;
  }
  return count;
}

np::array newton(const np::array& start) {  // for the roots of z^3 = 1
  np::array z = start;
  for (int i = 0; i < 50; ++i) z = z - (z * z * z - 1) / (3 * (z * z));
  return z;
}

std::array<np::array, 3> nbody(const np::array& x, const np::array& y, const np::array& z,
                               const np::array& mass) {
  auto dx = x(newaxis) - x(_, newaxis);
  auto dy = y(newaxis) - y(_, newaxis);
  auto dz = z(newaxis) - z(_, newaxis);
  auto r2 = dx * dx + dy * dy + dz * dz + 1e-4;
  auto pull = mass / (r2 * np::sqrt(r2));
  return {np::sum(dx * pull, {.axis = 1}), np::sum(dy * pull, {.axis = 1}),
          np::sum(dz * pull, {.axis = 1})};
}

np::array distances(const np::array& points) {
  auto diff = points(_, newaxis) - points(newaxis);
  return np::sqrt(np::sum(diff * diff, {.axis = -1}));
}

np::array kmeans(const np::array& points, const np::array& centres) {
  auto diff = points(_, newaxis) - centres(newaxis);
  return np::argmin(np::sum(diff * diff, {.axis = -1}), {.axis = 1});
}

}  // namespace

std::span<const Workload> simulation_workloads() {
  static constexpr Workload all[] = {
      make<mandelbrot>("mandelbrot"), make<newton>("newton"), make<nbody>("nbody"),
      make<distances>("distances"),   make<kmeans>("kmeans"),
  };
  return all;
}

}  // namespace bench
