// Workloads on images of uint8 pixels, computed in wider integers.
#include "workloads.h"

namespace bench {
namespace {

namespace np = numjit;

np::array blend(const np::array& a, const np::array& b, const np::array& alpha) {
  auto weight = alpha.astype(np::uint16);
  auto mixed = a.astype(np::uint16) * weight + b.astype(np::uint16) * (255 - weight) + 127;
  return np::floor_divide(mixed, 255).astype(np::uint8);
}

np::array threshold(const np::array& image) {
  return np::where(image > 128, np::uint8(255), np::uint8(0));
}

np::array box_filter(const np::array& image) {
  const auto wide = image.astype(np::int64);
  const std::int64_t height = wide.shape(0), width = wide.shape(1);
  np::array total = np::zeros({height - 2, width - 2}, np::int64);
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t j = 0; j < 3; ++j)
      total = total + wide(np::slice(i, height - 2 + i), np::slice(j, width - 2 + j));
  return np::floor_divide(total, 9).astype(np::uint8);
}

np::array sobel(const np::array& image) {
  const auto in = np::slice(1, -1), up = np::slice(0, -2), down = np::slice(2, np::none);
  const auto p = image.astype(np::int32);
  auto gx = p(up, down) - p(up, up) + 2 * (p(in, down) - p(in, up)) + p(down, down) - p(down, up);
  auto gy = p(down, up) - p(up, up) + 2 * (p(down, in) - p(up, in)) + p(down, down) - p(up, down);
  return np::minimum(np::abs(gx) + np::abs(gy), 255).astype(np::uint8);
}

}  // namespace

std::span<const Workload> image_workloads() {
  static constexpr Workload all[] = {
      make<blend>("blend"),
      make<threshold>("threshold"),
      make<box_filter>("box_filter"),
      make<sobel>("sobel"),
  };
  return all;
}

}  // namespace bench
