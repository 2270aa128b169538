// What the machine can do, under WebAssembly: what this build was compiled for. The page chooses the build.
#include <string_view>

#include <numjit/base/cpu.h>
#include <numjit/base/error.h>
#include <numjit/eager/engine.h>
#include <numjit/eager/loop_table.h>

namespace numjit::detail {

int cpu_level() { return 1; }

const std::string& cpu_features() {
#ifdef __wasm_simd128__
  static const std::string features = "simd128";
#else
  static const std::string features;
#endif
  return features;
}

std::string kernel_target() { return "host"; }

void check_target(std::string_view target) {
  if (target != "host")
    throw ValueError("config", "NUMJIT_TARGET: got '" + std::string(target) + "', expected host under WebAssembly.");
}

}  // namespace numjit::detail

namespace numjit::eager {

namespace wasm {
const loop_table& table();
}

const loop_table* loops_for(std::string_view isa) { return isa == "wasm" ? &wasm::table() : nullptr; }

const loop_table& loops_for_target(const std::string& target) {
  numjit::detail::check_target(target);
  return wasm::table();
}

const loop_table& loops() { return wasm::table(); }

}  // namespace numjit::eager
