// Heat spreading over a plate: a stencil over shifted views, stored in place, in a compiled time
// loop.
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include <numjit/np.h>

namespace np = numjit;

// `steps` time steps. The store reads its neighbours' old values, as NumPy's would: the right side
// is computed from the grid before the store.
void simulate(np::array u, int steps) {
  const auto inner = np::slice(1, -1);
  for (int step = 0; step < steps; ++step) {
    auto neighbours = u(np::slice(2, np::none), inner) + u(np::slice(0, -2), inner) +
                      u(inner, np::slice(2, np::none)) + u(inner, np::slice(0, -2));
    u(inner, inner) += 0.2 * (neighbours - 4 * u(inner, inner));
  }
}

// The plate as text: one letter per patch of cells, the hotter the darker.
void print_plate(const np::array& u) {
  const char shades[] = " .:-=+*#%@";
  const auto rows = u.shape(0) / 16, columns = u.shape(1) / 48;
  auto patches = np::mean(
      u(np::slice(0, rows * 16), np::slice(0, columns * 48)).reshape({16, rows, 48, columns}),
      {.axis = {1, 3}});
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 48; ++j) {
      const int shade = static_cast<int>(patches(i, j).item<double>() / 100 * 9.999);
      std::putchar(shades[shade]);
    }
    std::putchar('\n');
  }
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 192;
  if (n < 48) {
    std::fprintf(stderr, "heat: the grid is too small: got %d, expected at least 48\n", n);
    return 1;
  }
  auto u = np::zeros({n, n});
  u(0) = 100;                                                                 // a hot edge
  u(np::slice(n / 2, n / 2 + n / 8), np::slice(n / 2, n / 2 + n / 8)) = 100;  // and a hot square
  auto eager = u.copy();

  auto fast = np::compile(simulate);
  for (int chunk = 0; chunk < 10; ++chunk) fast(u, 50);
  print_plate(u);
  std::printf("mean temperature %.6f\n", u.mean().item<double>());

  for (int chunk = 0; chunk < 10; ++chunk) simulate(eager, 50);
  std::printf("as eager, bit for bit: %s\n", np::array_equal(u, eager) ? "true" : "false");
}
