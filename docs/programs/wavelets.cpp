// Daubechies's wavelets by lifting: a signal split into scales, cleaned of noise by a soft
// threshold, and put together.
#include <numjit/np.h>

namespace np = numjit;

namespace wavelets {

const double r2 = std::sqrt(2.0), r3 = std::sqrt(3.0);
const auto evens = np::slice(np::none, np::none, 2), odds = np::slice(1, np::none, 2);

std::tuple<np::array, np::array, int> inputs() {
  auto rng = np::random::default_rng(37);
  auto t = np::arange(128) / 128;
  return {np::sin(4 * np::pi * t) + (t > 0.4) * (t < 0.7), rng.normal(0, 0.15, 128), 4};
}

// One level of the D4 transform, on a circle.
std::pair<np::array, np::array> split(const np::array& x) {
  auto even = x(evens).copy(), odd = x(odds).copy();
  even += r3 * odd;
  odd -= r3 / 4 * even + (r3 - 2) / 4 * np::roll(even, 1);
  even -= np::roll(odd, -1);
  return {(r3 - 1) / r2 * even, (r3 + 1) / r2 * odd};
}

np::array join(const np::array& smooth, const np::array& detail) {
  auto even = smooth * r2 / (r3 - 1), odd = detail * r2 / (r3 + 1);
  even += np::roll(odd, -1);
  odd += r3 / 4 * even + (r3 - 2) / 4 * np::roll(even, 1);
  even -= r3 * odd;
  auto x = np::empty(2 * even.len());
  x(evens) = even;
  x(odds) = odd;
  return x;
}

std::vector<np::array> run(const np::array& signal, const np::array& noise, int levels) {
  auto smooth = signal + noise;
  std::vector<np::array> details, energy, large;
  for (int level = 0; level < levels; ++level) {
    auto [rest, detail] = split(smooth);
    smooth = rest;
    details.push_back(detail);
  }
  auto sigma = np::median(np::abs(details[0])) / 0.6745;
  auto threshold = sigma * std::sqrt(2 * std::log(signal.size()));
  for (const auto& detail : details) {
    energy.push_back(np::sum(np::square(detail)));
    large.push_back(np::count_nonzero(np::abs(detail) > threshold));
  }
  for (auto detail = details.rbegin(); detail != details.rend(); ++detail) {
    auto kept = np::sign(*detail) * np::maximum(np::abs(*detail) - threshold, 0);
    smooth = join(smooth, kept);
  }
  auto before = np::std(noise), after = np::std(smooth - signal);
  return {smooth, np::stack(energy), sigma, after < before, np::sum(np::stack(large))};
}

}  // namespace wavelets
