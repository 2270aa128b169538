// Newton's fractal: to which zero of a polynomial each point of the plane goes, and how fast.
#include <numjit/np.h>

namespace np = numjit;

namespace newton_fractal {

std::tuple<np::array, int, int, int> inputs() {
  return {np::array{1.0, 0.0, -2.0, 2.0}, 32, 24, 30};
}

std::vector<np::array> run(const np::array& p, int columns, int rows, int limit) {
  const std::complex i(0.0, 1.0);
  auto grid = np::meshgrid({np::linspace(-1.5, 1.5, rows), np::linspace(-2, 2, columns)},
                           {.indexing = "ij"});
  auto z = grid[1] + i * grid[0];
  auto slope = np::polyder(p);
  auto steps = np::zeros(z.shape(), np::int16);
  for (int step = 0; step < limit; ++step) {
    auto move = np::polyval(p, z) / np::polyval(slope, z);
    z = z - move;
    steps += np::abs(move) > 1e-6;
  }
  auto zeros = np::sort_complex(np::roots(p));
  auto basin = np::argmin(np::abs(z(np::ellipsis, np::newaxis) - zeros), {.axis = -1});
  auto settled = np::abs(np::polyval(p, z)) < 1e-9;
  auto counts = np::histogram(basin(settled), 3, {{-0.5, 2.5}}).counts;
  return {steps, np::where(settled, basin, -1), zeros, counts / np::count_nonzero(settled)};
}

}  // namespace newton_fractal
