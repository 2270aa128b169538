// The Ising magnet by Metropolis's steps on a checkerboard, with its magnetisation, energy and
// correlations.
#include <numjit/np.h>

namespace np = numjit;

namespace ising {

std::tuple<int, int, int, double> inputs() { return {7, 16, 20, 2.0}; }

std::vector<np::array> run(int seed, int n, int sweeps, double temperature) {
  auto rng = np::random::default_rng(seed);
  auto spin = rng.choice(np::array({-1, 1}, {.dtype = np::int8}), {n, n});
  auto black = np::indices({n, n}).sum({.axis = 0}) % 2 == 0;
  auto magnetisation = np::empty(sweeps), energy = np::empty(sweeps, np::int64);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (const auto& cells : {black, ~black}) {
      auto field = np::roll(spin, 1, 0) + np::roll(spin, -1, 0) + np::roll(spin, 1, 1) +
                   np::roll(spin, -1, 1);
      auto cost = 2 * spin * field;
      auto flips = cells & (rng.random({n, n}) < np::exp(-cost / temperature));
      spin(flips) *= -1;
    }
    magnetisation(sweep) = np::mean(spin);
    energy(sweep) = -np::sum(spin * (np::roll(spin, 1, 0) + np::roll(spin, 1, 1)));
  }
  auto power = np::square(np::abs(np::fft::fft2(spin)));
  auto correlation = np::fft::ifft2(power).real()(0, np::slice(n / 2)) / (n * n);
  return {spin, magnetisation, energy, correlation};
}

}  // namespace ising
