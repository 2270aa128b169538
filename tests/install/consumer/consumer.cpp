// A user's program, built against the installed package: runs a function eagerly and compiled, prints both sums, and
// whether the operations ran as one kernel.
#include <numjit/np.h>

#include <cstdio>

namespace np = numjit;

np::array energy(const np::array& x) { return np::sum(x * x); }

int main() {
  np::config().compile = np::compile_mode::sync;
  auto x = np::arange(5.0);
  auto fast = np::compile(energy);
  std::printf("%g\n", energy(x).item<double>());
  std::printf("%g\n", fast(x).item<double>());
  std::printf("%s\n", np::counters().kernels_compiled == 1 && np::counters().eager_ops == 0 ? "compiled" : "eager");
}
