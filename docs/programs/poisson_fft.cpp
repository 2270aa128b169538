// Poisson's equation on a torus by Fourier transforms, and in a box with cold walls by sine
// transforms made of them.
#include <numjit/np.h>

namespace np = numjit;

namespace poisson_fft {

std::pair<np::array, np::array> inputs() {
  auto rng = np::random::default_rng(6);
  auto f = rng.normal({.size = {16, 20}});
  return {f, rng.normal({.size = {15, 11}})};
}

np::array torus(const np::array& f) {
  auto ky = 2 * np::pi * np::fft::fftfreq(f.shape(0))(np::_, np::newaxis);
  auto kx = 2 * np::pi * np::fft::rfftfreq(f.shape(1));
  auto symbol = 2 * np::cos(kx) + 2 * np::cos(ky) - 4;
  symbol(0, 0) = 1.0;
  auto spectrum = np::fft::rfft2(f - np::mean(f)) / symbol;
  return np::fft::irfft2(spectrum, {.s = f.shape()});
}

// Along the last axis, of the first kind: the odd continuation's transform.
np::array sine_transform(const np::array& x) {
  auto zero = np::zeros({x.shape(0), 1});
  auto backwards = x(np::_, np::slice(np::none, np::none, -1));
  auto odd = np::concatenate({zero, x, zero, -backwards}, {.axis = -1});
  return -np::fft::rfft(odd)(np::_, np::slice(1, x.shape(1) + 1)).imag();
}

np::array box(const np::array& f) {
  const auto rows = f.shape(0), columns = f.shape(1);
  auto spectrum = sine_transform(sine_transform(f).T()).T();
  auto grid = np::ogrid(np::slice(1, rows + 1), np::slice(1, columns + 1));
  auto symbol = 2 * np::cos(np::pi * grid[0] / (rows + 1)) +
                2 * np::cos(np::pi * grid[1] / (columns + 1)) - 4;
  auto back = sine_transform(sine_transform(spectrum / symbol).T()).T();
  return back / (4.0 * (rows + 1) * (columns + 1));
}

std::vector<np::array> run(const np::array& f, const np::array& g) {
  const auto in = np::slice(1, -1), before = np::slice(np::none, -2),
             behind = np::slice(2, np::none);
  auto u = torus(f), v = np::pad(box(g), 1);
  auto there =
      np::roll(u, 1, 0) + np::roll(u, -1, 0) + np::roll(u, 1, 1) + np::roll(u, -1, 1) - 4 * u;
  auto here = v(before, in) + v(behind, in) + v(in, before) + v(in, behind) - 4 * v(in, in);
  return {u, v, np::abs(there - (f - np::mean(f))) < 1e-12, np::array(np::allclose(here, g))};
}

}  // namespace poisson_fft
