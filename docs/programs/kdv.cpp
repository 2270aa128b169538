// The Korteweg-de Vries equation in Fourier space: the stiff part exactly, the rest by Runge and
// Kutta; solitons overtake.
#include <numjit/np.h>

namespace np = numjit;

namespace kdv {

std::tuple<np::array, double, double, int> inputs() {
  auto x = np::arange(64) * (20.0 / 64);
  auto fast = 6 / np::square(np::cosh(std::sqrt(1.5) * (x - 5)));
  auto slow = 2 / np::square(np::cosh(std::sqrt(0.5) * (x - 11)));
  return {fast + slow, 20.0, 2e-3, 30};
}

std::vector<np::array> run(np::array u, double length, double dt, int steps) {
  using std::complex;
  using namespace np::fft;
  auto k = 2 * np::pi * rfftfreq(u.len(), length / static_cast<double>(u.len()));
  auto half = np::exp(complex(0.0, 0.5 * dt) * np::power(k, 3));
  auto full = np::square(half);
  auto keep = k < 2.0 / 3 * np::max(k);  // against aliasing
  auto slope = [&](const np::array& v) {
    return np::where(keep, complex(0.0, -3.0) * k * rfft(np::square(irfft(v))), 0);
  };

  auto v = rfft(u);
  std::vector<np::array> conserved{np::sum(np::square(u))};
  for (int step = 0; step < steps; ++step) {
    auto a = dt * slope(v);
    auto b = dt * slope(half * (v + a / 2));
    auto c = dt * slope(half * v + b / 2);
    auto d = dt * slope(full * v + half * c);
    v = full * v + (full * a + 2 * half * (b + c) + d) / 6;
    if (step % 10 == 9) conserved.push_back(np::sum(np::square(irfft(v))));
  }
  u = irfft(v);
  auto top = np::flatnonzero((u > np::roll(u, 1)) & (u > np::roll(u, -1)) & (u > 1));
  return {u, np::stack(conserved), top, np::abs(v(np::slice(10)))};
}

}  // namespace kdv
