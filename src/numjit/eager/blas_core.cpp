// OpenBLAS knows processors by their model, and takes its oldest kernels on a model that is newer than it is (0.3.21, of Debian
// 12, on Xeons from 2023 on: products take four times as long). The library has it choose by instruction set then, as newer
// releases do by themselves. What the user asks for with OPENBLAS_CORETYPE stays.
#include <numjit/eager/blas_core.h>

#include <algorithm>
#include <cstdlib>

#include <cblas.h>
#include <fmt/format.h>

#include <numjit/base/cpu.h>

// Not there in an OpenBLAS that was built for one processor.
extern "C" {
__attribute__((weak)) void gotoblas_dynamic_init();
__attribute__((weak)) void gotoblas_dynamic_quit();
}

namespace numjit::eager {
namespace {

std::string_view core() { return openblas_get_corename(); }

/// When the library is loaded, before it calls OpenBLAS.
const bool is_corrected = [] {
  if (!gotoblas_dynamic_init || !gotoblas_dynamic_quit || std::getenv("OPENBLAS_CORETYPE")) return false;
  gotoblas_dynamic_init();  // does nothing if that was done
  const std::string better(better_blas_core(core(), numjit::detail::cpu_level()));
  if (better.empty()) return false;
  setenv("OPENBLAS_CORETYPE", better.c_str(), 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  unsetenv("OPENBLAS_CORETYPE");
  return true;
}();

}  // namespace

std::string_view better_blas_core(std::string_view chosen, int level) {
  // Those that it falls back to know no AVX.
  constexpr std::string_view old[] = {"Prescott", "Core2", "Nehalem", "Barcelona"};
  if (level < 3 || std::find(std::begin(old), std::end(old), chosen) == std::end(old)) return {};
  return level > 3 ? "SkylakeX" : "Haswell";
}

std::string blas_text() {
  const std::string_view config = openblas_get_config();  // "OpenBLAS 0.3.21 NO_LAPACKE ..."
  return fmt::format("{}, kernels {}{}", config.substr(0, config.find(' ', config.find(' ') + 1)), core(),
                     is_corrected ? " (by instruction set: it does not know this processor)" : "");
}

}  // namespace numjit::eager
