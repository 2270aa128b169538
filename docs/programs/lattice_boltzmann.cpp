// Flow around a cylinder by the lattice Boltzmann method: nine speeds, collisions, streaming,
// bounces.
#include <numjit/np.h>

namespace np = numjit;

namespace lattice_boltzmann {

std::pair<np::array, int> inputs() {
  auto grid = np::ogrid(np::slice(0, 18), np::slice(0, 36));
  auto y = grid[0], x = grid[1];
  return {np::square(x - 9) + np::square(y - 8) < 10, 15};
}

np::array equilibrium(const np::array& density, const np::array& velocity,
                      const np::array& directions, const np::array& weights) {
  auto along = 3 * np::einsum("id,dyx->iyx", {directions, velocity});
  auto speed = 1.5 * np::sum(np::square(velocity), {.axis = 0});
  return weights(np::_, np::newaxis, np::newaxis) * density *
         (1 + along + 0.5 * np::square(along) - speed);
}

std::tuple<np::array, np::array, np::array> run(const np::array& solid, int steps) {
  const double relaxation = 1.7, inflow = 0.08;
  const int shifts[9][2] = {{0, 0}, {1, 0},  {0, 1},   {-1, 0}, {0, -1},
                            {1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
  auto directions =
      np::array{{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
  auto weights = np::repeat(np::array{4.0 / 9, 1.0 / 9, 1.0 / 36}, np::array{1, 4, 4});
  auto opposite = np::array{0, 3, 4, 1, 2, 7, 8, 5, 6};
  const auto rows = solid.shape(0), columns = solid.shape(1);
  auto wind = np::zeros({2, rows, columns});
  wind(0) = inflow;
  auto f = equilibrium(np::ones(solid.shape()), wind, directions, weights);
  np::array density, velocity;
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < 9; ++i) f(i) = np::roll(np::roll(f(i), shifts[i][1], 0), shifts[i][0], 1);
    auto bounced = f(opposite);
    density = np::sum(f, {.axis = 0});
    velocity = np::tensordot(directions.T(), f, 1) / density;
    f += relaxation * (equilibrium(density, velocity, directions, weights) - f);
    f = np::where(solid, bounced, f);
    auto entering = wind(np::_, np::_, np::slice(1));
    f(np::_, np::_, 0) =
        equilibrium(np::ones({rows, 1}), entering, directions, weights)(np::_, np::_, 0);
  }
  velocity = np::where(solid, 0, velocity);
  auto curl = np::gradient(velocity(1), 1.0, 1) - np::gradient(velocity(0), 1.0, 0);
  return {velocity(0), curl, np::sum(density(~solid))};
}

}  // namespace lattice_boltzmann
