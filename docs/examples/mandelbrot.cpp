// The Mandelbrot set as text: a compiled function with a short loop, called until the count is
// full.
#include <cstdio>

#include <numjit/np.h>

namespace np = numjit;

// Eight iterations of z = z*z + c; `count` grows where z is still bounded.
void iterate(np::array x, np::array y, np::array count, const np::array& cx, const np::array& cy) {
  np::array zx = x, zy = y, n = count;
  for (int i = 0; i < 8; ++i) {
    auto xx = zx * zx, yy = zy * zy;
    auto inside = xx + yy <= 4.0;
    zy = np::where(inside, 2.0 * zx * zy + cy, zy);
    zx = np::where(inside, xx - yy + cx, zx);
    n = n + inside.astype(np::int32);
  }
  x(np::ellipsis) = zx;
  y(np::ellipsis) = zy;
  count(np::ellipsis) = n;
}

int main() {
  constexpr int columns = 72, rows = 25;
  auto cx = np::linspace(-2.1, 0.7, columns)(np::newaxis);
  auto cy = np::linspace(-1.15, 1.15, rows)(np::_, np::newaxis);
  auto x = np::zeros({rows, columns}), y = np::zeros({rows, columns});
  auto count = np::zeros({rows, columns}, np::int32);

  auto fast = np::compile(iterate);
  for (int i = 0; i < 8; ++i) fast(x, y, count, cx, cy);

  const char shades[] = " .,:;ox%#@";
  auto shade = np::minimum(np::log2(count + 1.0) * 1.5, 9.0).astype(np::int32);
  auto rows_of_shades = shade.tolist<int>();
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j)
      std::putchar(shades[rows_of_shades[static_cast<std::size_t>(i * columns + j)]]);
    std::putchar('\n');
  }
  std::printf("%lld of %d points stayed for 64 iterations\n",
              static_cast<long long>(np::count_nonzero(count == 64).item<std::int64_t>()),
              rows * columns);
}
