// Filters over a picture: blurred, edges by Sobel, the median against outliers, and Otsu's
// threshold.
#include <numjit/np.h>

namespace np = numjit;

namespace image_filters {

std::tuple<np::array> inputs() {
  auto rng = np::random::default_rng(4);
  auto grid = np::mgrid(np::slice(0, 28), np::slice(0, 36));
  auto y = grid(0), x = grid(1);
  auto disc = 120.0 * (np::square(x - 20) + np::square(y - 13) < 64) + 60.0 * (x < 12) + x;
  auto picture = disc + rng.normal(0, 6, disc.shape());
  auto rows = rng.integers(0, 28, 12), columns = rng.integers(0, 36, 12);
  picture(rows, columns) = 255;
  return {np::clip(picture, 0, 255).astype(np::uint8)};
}

// A filter that is a product: down the columns first, then along the rows; edges are repeated.
np::array separable(const np::array& picture, const np::array& column, const np::array& row) {
  const auto in = np::slice(1, -1), before = np::slice(np::none, -2),
             behind = np::slice(2, np::none);
  auto tall = np::pad(picture, {{1, 1}, {0, 0}}, {.mode = "edge"});
  auto high = column(0) * tall(before) + column(1) * tall(in) + column(2) * tall(behind);
  auto wide = np::pad(high, {{0, 0}, {1, 1}}, {.mode = "edge"});
  return row(0) * wide(np::_, before) + row(1) * wide(np::_, in) + row(2) * wide(np::_, behind);
}

// The threshold that parts the grey levels best.
np::array otsu(const np::array& picture) {
  auto share = np::bincount(picture.ravel(), {}, 256) / picture.size();
  auto below = np::cumsum(share), level = np::cumsum(share * np::arange(256));
  auto between = np::square(level(-1) * below - level) / np::maximum(below * (1 - below), 1e-12);
  return np::argmax(between);
}

std::vector<np::array> run(const np::array& picture) {
  const auto height = picture.shape(0), width = picture.shape(1);
  auto windows = np::lib::sliding_window_view(np::pad(picture, 1, {.mode = "edge"}), {3, 3});
  auto calm = np::median(windows.reshape(height, width, 9), -1);
  auto smooth = np::array{0.25, 0.5, 0.25}, slope = np::array{-1.0, 0.0, 1.0};
  auto blurred = separable(calm, smooth, smooth);
  auto edges = np::hypot(separable(blurred, smooth, slope), separable(blurred, slope, smooth));
  edges = np::rint(255 * edges / np::max(edges)).astype(np::uint8);
  auto threshold = otsu(np::rint(blurred).astype(np::uint8));
  return {calm.astype(np::uint8), blurred.astype(np::float32), edges, threshold,
          np::rint(blurred) > threshold};
}

}  // namespace image_filters
