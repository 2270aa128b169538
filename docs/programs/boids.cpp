// Boids: a flock that keeps together, keeps its distance and flies the same way, on a torus.
#include <numjit/np.h>

namespace np = numjit;

namespace boids {

std::tuple<np::array, np::array, int> inputs() {
  auto rng = np::random::default_rng(21);
  auto position = 10 * rng.random({24, 2});
  return {position, rng.normal(0, 0.3, {24, 2}), 12};
}

std::tuple<np::array, np::array, np::array> run(np::array position, np::array velocity, int steps) {
  const double size = 10.0, sight = 2.5, close = 0.8, fastest = 0.5;
  auto norm = [](const np::array& v) { return np::linalg::norm(v, {.axis = 1, .keepdims = true}); };
  for (int step = 0; step < steps; ++step) {
    auto away = position(np::newaxis) - position(np::_, np::newaxis);
    away -= size * np::round(away / size);  // the short way around
    auto distance = np::linalg::norm(away, {.axis = -1});
    auto near = distance < sight;
    np::fill_diagonal(near, false);
    auto mates = np::maximum(np::sum(near, {.axis = 1, .keepdims = true}), 1);
    auto together = np::sum(away, {.axis = 1, .where = near(np::ellipsis, np::newaxis)}) / mates;
    auto alike = np::matmul(near, velocity) / mates -
                 velocity * np::any(near, {.axis = 1, .keepdims = true});
    auto crowded = near & (distance < close);
    auto apart = -np::sum(np::where(crowded(np::ellipsis, np::newaxis), away, 0), {.axis = 1});
    velocity = velocity + 0.02 * together + 0.1 * alike + 0.3 * apart;
    velocity *= np::minimum(1, fastest / norm(velocity));
    position = (position + velocity) % size;
  }
  auto order = np::linalg::norm(np::mean(velocity / norm(velocity), {.axis = 0}));
  return {position, velocity, order};
}

}  // namespace boids
