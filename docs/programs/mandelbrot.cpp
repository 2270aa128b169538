// The Mandelbrot set by escape times: only the points that are still inside are computed, by a
// mask.
#include <numjit/np.h>

namespace np = numjit;

namespace mandelbrot {

std::tuple<int, int, int> inputs() { return {48, 32, 25}; }

std::pair<np::array, np::array> run(int columns, int rows, int limit) {
  const std::complex<double> i(0, 1);
  auto c = np::linspace(-2.2, 0.8, columns) + i * np::linspace(-1.2, 1.2, rows)(np::_, np::newaxis);
  auto z = np::zeros_like(c);
  auto count = np::zeros(c.shape(), np::int32);
  for (int step = 0; step < limit; ++step) {
    auto inside = np::abs(z) <= 2;
    z(inside) = np::square(z(inside)) + c(inside);
    count(inside) += 1;
  }
  // Between the bands: how far beyond the circle the last step went.
  auto beyond = np::log2(np::log(np::maximum(np::abs(z), 2)) / np::log(2));
  return {count, np::where(count < limit, count + 1 - beyond, limit)};
}

}  // namespace mandelbrot
