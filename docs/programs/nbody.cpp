// Bodies that attract each other, by leapfrog steps; the energy shows how good they are.
#include <numjit/np.h>

namespace np = numjit;

namespace nbody {

std::tuple<np::array, np::array, np::array, double, int> inputs() {
  auto rng = np::random::default_rng(8);
  auto position = rng.normal({.size = {12, 3}});
  auto velocity = 0.3 * rng.normal({.size = {12, 3}});
  auto mass = rng.uniform(0.5, 1.5, 12);
  velocity -= np::average(velocity, 0, mass);
  return {position, velocity, mass, 0.01, 25};
}

np::array acceleration(const np::array& position, const np::array& mass) {
  auto away = position(np::newaxis) - position(np::_, np::newaxis);  // (n, n, 3): from each to each
  auto cubes = np::pow(np::sum(np::square(away), {.axis = -1}) + 0.05, 1.5);
  return np::einsum("ijk,ij,j->ik", {away, 1 / cubes, mass});
}

np::array energy(const np::array& position, const np::array& velocity, const np::array& mass) {
  auto [i, j] = np::triu_indices(mass.len(), 1);
  auto distance = np::sqrt(np::sum(np::square(position(i) - position(j)), {.axis = 1}) + 0.05);
  return 0.5 * np::sum(mass * np::sum(np::square(velocity), {.axis = 1})) -
         np::sum(mass(i) * mass(j) / distance);
}

std::tuple<np::array, np::array, np::array, np::array> run(np::array position, np::array velocity,
                                                           const np::array& mass, double dt,
                                                           int steps) {
  auto start = energy(position, velocity, mass);
  velocity += 0.5 * dt * acceleration(position, mass);
  for (int step = 0; step < steps; ++step) {
    position += dt * velocity;
    velocity += dt * acceleration(position, mass);
  }
  velocity -= 0.5 * dt * acceleration(position, mass);
  auto momentum = np::matmul(mass, velocity);
  return {position, velocity, np::abs(momentum) < 1e-12,
          energy(position, velocity, mass) / start - 1};
}

}  // namespace nbody
