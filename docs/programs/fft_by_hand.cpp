// The fast Fourier transform of Cooley and Tukey, by recursion over slices, and a convolution made
// with it.
#include <numjit/np.h>

namespace np = numjit;

namespace fft_by_hand {

std::pair<np::array, np::array> inputs() {
  auto t = np::arange(32) / 32;
  auto signal = np::sin(2 * np::pi * 3 * t) + 0.5 * np::cos(2 * np::pi * 7 * t);
  return {np::stack({signal, np::sqrt(t)}), np::array{0.25, 0.5, 0.25}};
}

np::array fft(const np::array& x) {
  const auto n = x.shape(-1);
  if (n == 1) return x.astype(np::complex128);
  auto even = fft(x(np::ellipsis, np::slice(0, np::none, 2)));
  auto odd = fft(x(np::ellipsis, np::slice(1, np::none, 2)));
  auto turned = np::exp(std::complex(0.0, -2 * np::pi) * np::arange(n / 2) / n) * odd;
  return np::concatenate({even + turned, even - turned}, {.axis = -1});
}

np::array inverse(const np::array& x) { return np::conj(fft(np::conj(x))) / x.shape(-1); }

std::vector<np::array> run(const np::array& x, const np::array& kernel) {
  auto spectrum = fft(x);
  auto padded = np::zeros_like(x(0));
  padded(np::slice(kernel.len())) = kernel;
  auto smooth = inverse(spectrum * fft(padded)).real();
  auto direct = np::zeros_like(x);
  for (std::int64_t i = 0; i < kernel.len(); ++i) direct += kernel(i) * np::roll(x, i, -1);
  auto right = np::max(np::abs(spectrum - np::fft::fft(x))) < 1e-12;
  return {np::abs(spectrum), smooth, right, np::max(np::abs(smooth - direct)) < 1e-14};
}

}  // namespace fft_by_hand
