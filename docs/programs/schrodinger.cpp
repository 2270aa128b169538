// Schrodinger's equation by split steps: a wave packet tunnels through a barrier; the norm stays,
// the parts are measured.
#include <numjit/np.h>

namespace np = numjit;

namespace schrodinger {

std::tuple<np::array, np::array, double, int> inputs() {
  auto x = np::linspace(-20, 20, 128, {.endpoint = false});
  return {x, np::where(np::abs(x) < 0.5, 2.6, 0.0), 0.05, 60};
}

std::vector<np::array> run(const np::array& x, const np::array& barrier, double dt, int steps) {
  using namespace np::fft;
  const std::complex i(0.0, 1.0);
  auto dx = x(1) - x(0);
  auto k = 2 * np::pi * fftfreq(x.len()) / dx;
  auto psi = np::exp(-np::square(x + 6) / 4 + 2.0 * i * x);
  psi = psi / np::sqrt(np::sum(np::square(np::abs(psi))) * dx);
  auto half_kick = np::exp(-0.5 * i * dt * barrier), drift = np::exp(-0.5 * i * dt * np::square(k));
  auto place = np::zeros(steps);
  for (int step = 0; step < steps; ++step) {
    psi = half_kick * ifft(drift * fft(half_kick * psi));
    place(step) = np::sum(x * np::square(np::abs(psi))) * dx;
  }
  auto density = np::square(psi.real()) + np::square(psi.imag());
  auto through = np::trapezoid(np::where(x > 0.5, density, 0), 1.0) * dx;
  auto phase = np::unwrap(np::angle(psi(np::slice(52, 76))));
  auto momentum = np::sum((np::conj(psi) * ifft(k * fft(psi))).real()) * dx;
  return {density, place, through, phase, momentum, np::abs(np::sum(density) * dx - 1) < 1e-12};
}

}  // namespace schrodinger
