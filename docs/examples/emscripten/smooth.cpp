// A curve smoothed by numjit under Emscripten. Kernels are made in the page, or come from a pack.
//
//   node smooth.js --record graphs.txt            writes the graphs that a pack is built from
//   node smooth.js kernels.simd.wasm              runs with the pack
#include <cstdio>
#include <cstring>

#include <numjit/np.h>
#include <numjit/packs.h>

namespace np = numjit;

np::array smooth(const np::array& u) {
  return 0.25 * u(np::slice(np::none, -2)) + 0.5 * u(np::slice(1, -1)) + 0.25 * u(np::slice(2, np::none));
}

int main(int count, char** words) try {
  const char* record = count == 3 && std::strcmp(words[1], "--record") == 0 ? words[2] : nullptr;
  if (count > 1 && !record) {
    const np::loaded_pack pack = np::load_pack(words[1]);
    std::printf("%d kernel for %s\n", pack.kernels, pack.target.c_str());
  }
  const auto fast = np::compile(smooth);
  auto u = np::sin(np::arange(1000.0));
  for (int i = 0; i < 100; ++i) u = fast(u);
  std::printf("%lld points, sum %.17g\n", static_cast<long long>(u.size()), u.sum().item<double>());
  std::printf("%lld kernels made here, %zu graphs without a kernel\n", static_cast<long long>(np::counters().kernels_compiled),
              np::missing_kernels().size());
  if (record) {
    std::FILE* file = std::fopen(record, "w");
    if (!file) throw np::OSError("smooth", std::string(record) + ": " + std::strerror(errno));
    std::fputs(np::recording().c_str(), file);
    std::fclose(file);
  }
} catch (const np::error& e) {
  std::printf("%s\n", e.what());
  return 1;
}
