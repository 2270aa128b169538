// Perlin's gradient noise: several octaves over a picture, by table look-ups with a permutation.
#include <numjit/np.h>

namespace np = numjit;

namespace perlin_noise {

std::tuple<np::array, int, int> inputs() {
  return {np::random::default_rng(41).permutation(64), 28, 36};
}

np::array noise(const np::array& x, const np::array& y, const np::array& table) {
  auto i = np::floor(x).astype(np::int64), j = np::floor(y).astype(np::int64);
  auto u = x - i, v = y - j;
  auto fade = [](const np::array& t) { return np::power(t, 3) * (t * (6 * t - 15) + 10); };
  // The product of the corner's gradient and the way from there.
  auto corner = [&](int a, int b) {
    auto angle = 2 * np::pi * table((table((i + a) % 64) + j + b) % 64) / 64;
    return np::cos(angle) * (u - a) + np::sin(angle) * (v - b);
  };
  auto low = corner(0, 0) + fade(u) * (corner(1, 0) - corner(0, 0));
  auto high = corner(0, 1) + fade(u) * (corner(1, 1) - corner(0, 1));
  return low + fade(v) * (high - low);
}

std::vector<np::array> run(const np::array& table, int rows, int columns) {
  auto grid = np::mgrid(np::slice(0, rows), np::slice(0, columns)) / 12;
  auto y = grid(0), x = grid(1);
  auto total = np::zeros({rows, columns});
  for (int octave = 0; octave < 4; ++octave) {
    const double scale = 1 << octave;
    total += noise(x * scale, y * scale, table) / scale;
  }
  auto height = (total - np::min(total)) / np::ptp(total);
  auto colours = np::array({{20, 40, 120}, {60, 120, 60}, {120, 100, 70}, {250, 250, 250}},
                           {.dtype = np::uint8});
  auto zone = np::digitize(height, np::array{0.4, 0.6, 0.85});
  auto picture = colours(zone);
  auto steep = np::hypot(np::gradient(height, 1.0, 0), np::gradient(height, 1.0, 1));
  const auto second = np::slice(np::none, np::none, 2);
  return {total, picture, steep(second, second), np::bincount(zone.ravel())};
}

}  // namespace perlin_noise
