// Loads a bundle and calls it on sin(0), sin(1), ...; says what was computed and what was loaded for it.
//   run_bundle FILE N
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include <numjit/base/hash.h>
#include <numjit/np.h>

namespace np = numjit;

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    const auto g = np::load_function(argv[1]);
    const np::array x = np::sin(np::arange(std::atoll(argv[2])).astype(np::float64));
    const np::array y = g(x);
    const np::array c = y.copy();
    std::printf("hash %s\n",
                numjit::to_hex(numjit::hash_bytes(c.data<double>(), static_cast<std::size_t>(c.nbytes()))).c_str());
  } catch (const np::error& e) {
    std::printf("%s\n", e.what());
  }
  const auto counters = np::counters();
  std::printf("kernels loaded %d, compiled %d, ops one by one %d\n", static_cast<int>(counters.kernels_loaded),
              static_cast<int>(counters.kernels_compiled), static_cast<int>(counters.eager_ops));
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("Halide") != std::string::npos || line.find("numjit_halide") != std::string::npos)
      std::printf("loaded: %s\n", line.c_str());
}
