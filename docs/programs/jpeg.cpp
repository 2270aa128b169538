// What JPEG does to a picture: blocks of 8 x 8, the cosine transform, quantisation, the zigzag; and
// the picture back.
#include <numjit/np.h>

namespace np = numjit;

namespace jpeg {

std::pair<np::array, int> inputs() {
  auto grid = np::mgrid(np::slice(0, 24), np::slice(0, 32));
  auto y = grid(0), x = grid(1);
  auto picture = 128 + 60 * np::sin(x / 5) * np::cos(y / 4) + 50 * (x > 20);
  return {np::clip(picture, 0, 255).astype(np::uint8), 50};
}

std::vector<np::array> run(const np::array& picture, int quality) {
  auto table = np::array{{16, 11, 10, 16, 24, 40, 51, 61},     {12, 12, 14, 19, 26, 58, 60, 55},
                         {14, 13, 16, 24, 40, 57, 69, 56},     {14, 17, 22, 29, 51, 87, 80, 62},
                         {18, 22, 37, 56, 68, 109, 103, 77},   {24, 35, 55, 64, 81, 104, 113, 92},
                         {49, 64, 78, 87, 103, 121, 120, 101}, {72, 92, 95, 98, 112, 100, 103, 99}};
  const int scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  table = np::clip(np::floor_divide(table * scale + 50, 100), 1, 255);
  auto grid = np::ogrid(np::slice(0, 8), np::slice(0, 8));
  auto k = grid[0], n = grid[1];
  auto cosines =
      np::cos(np::pi * (2 * n + 1) * k / 16) * np::where(k == 0, std::sqrt(1.0 / 8), 0.5);
  const auto rows = picture.shape(0) / 8, columns = picture.shape(1) / 8;
  auto blocks = picture.astype(np::float64).reshape(rows, 8, columns, 8).swapaxes(1, 2) - 128;
  auto spectrum = np::einsum("ki,abij,lj->abkl", {cosines, blocks, cosines});
  auto coded = np::rint(spectrum / table).astype(np::int16);
  // Along the diagonals, up and down in turn.
  auto places = np::indices({8, 8}).reshape(2, 64);
  auto i = places(0), j = places(1);
  auto zigzag = np::lexsort({np::where((i + j) % 2, i, j), i + j});
  auto lines = coded.reshape(-1, 64)(np::_, zigzag);
  auto backwards = lines(np::_, np::slice(np::none, np::none, -1));
  auto used = 64 - np::argmax(backwards != 0, {.axis = 1});
  auto back =
      np::einsum("ki,abkl,lj->abij", {cosines, (coded * table).astype(np::float64), cosines}) + 128;
  auto bytes = np::clip(np::rint(back), 0, 255).astype(np::uint8);
  auto restored = bytes.swapaxes(1, 2).reshape(picture.shape());
  auto error = np::mean(np::square(picture.astype(np::float64) - restored));
  return {lines, used, restored, 10 * np::log10(255.0 * 255.0 / error),
          np::count_nonzero(coded) / coded.size()};
}

}  // namespace jpeg
