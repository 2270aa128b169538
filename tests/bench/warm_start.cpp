// A fresh process that computes compiled results with what the disk cache holds, and says how it got
// them: `warm_start` one result, `warm_start 20` of twenty functions. run.py times it from start to end.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <numjit/np.h>

namespace np = numjit;

namespace {

bool halide_is_loaded() {
  bool found = false;
  if (std::FILE* maps = std::fopen("/proc/self/maps", "r")) {
    char line[1024];
    while (std::fgets(line, sizeof line, maps)) found = found || std::strstr(line, "libHalide");
    std::fclose(maps);
  }
  return found;
}

// No two of the twenty have the same graph.
np::array function(int i, const np::array& a, const np::array& b) {
  np::array x = a * b + np::sqrt(a) - b / (1 + a);
  for (; i > 0; i /= 2) x = i % 2 ? x * b + 0.5 : np::maximum(x, b) - 0.25;
  return x;
}

}  // namespace

int main(int argc, char** argv) {
  const int functions = argc > 1 ? std::atoi(argv[1]) : 1;
  np::config().compile = np::compile_mode::sync;
  np::config().adaptive = false;  // all of them run as kernels, however small they are
  auto a = np::linspace(0.5, 2, 1000), b = np::linspace(1, 3, 1000);
  double total = 0;
  for (int i = 0; i < functions; ++i) {
    auto f = np::compile([i](const np::array& x, const np::array& y) { return function(i, x, y); });
    total += f(a, b)(999).item<double>();
  }
  const auto counts = np::counters();
  std::printf("%.17g compiled %d loaded %d halide %d\n", total,
              static_cast<int>(counts.kernels_compiled), static_cast<int>(counts.kernels_loaded),
              halide_is_loaded());
}
