// A spectrogram of a rising tone: windows, short Fourier transforms, the tone's path, and the
// signal put together again.
#include <numjit/np.h>

namespace np = numjit;

namespace spectrogram {

std::tuple<np::array, int, int> inputs() {
  auto t = np::arange(1024) / 1024;
  auto rng = np::random::default_rng(59);
  return {np::sin(2 * np::pi * (60 * t + 70 * np::square(t))) + 0.2 * rng.standard_normal(1024),
          128, 64};
}

std::vector<np::array> run(const np::array& signal, int length, int hop) {
  auto window = np::hanning(length + 1)(np::slice(np::none, -1));
  auto windows = np::lib::sliding_window_view(signal, length)(np::slice(np::none, np::none, hop));
  auto spectrum = np::fft::rfft(windows * window, {.axis = 1});
  auto power = np::square(np::abs(spectrum)) / np::sum(np::square(window));
  auto decibels = 10 * np::log10(np::maximum(power, 1e-10));
  auto peak = np::argmax(power, {.axis = 1});
  auto frequency = np::fft::rfftfreq(length, 1.0 / 1024);
  auto rise = np::polyfit(np::arange(peak.len()) * hop / 1024, frequency(peak), 1);
  auto centroid = np::matmul(power, frequency) / np::sum(power, {.axis = 1});
  // Overlap and add; Hann windows half overlapping sum to one.
  auto back = np::zeros_like(signal);
  auto frames = np::fft::irfft(spectrum, {.n = length, .axis = 1});
  for (std::int64_t i = 0; i < frames.len(); ++i)
    back(np::slice(i * hop, i * hop + length)) += frames(i);
  const auto inner = np::slice(hop, -hop);
  auto right = np::max(np::abs(back(inner) - signal(inner))) < 1e-12;
  return {decibels(np::slice(np::none, np::none, 3), np::slice(np::none, np::none, 4)), peak, rise,
          centroid, right};
}

}  // namespace spectrogram
