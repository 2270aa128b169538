// Chooses the instruction set of the eager loops, once.
#include <string>

#include <numjit/base/cpu.h>
#include <numjit/base/error.h>
#include <numjit/eager/engine.h>
#include <numjit/eager/loop_table.h>

namespace numjit::eager {

#ifdef NUMJIT_HAVE_ISA_v2
namespace v2 { const loop_table& table(); }
#endif
#ifdef NUMJIT_HAVE_ISA_v3
namespace v3 { const loop_table& table(); }
#endif
#ifdef NUMJIT_HAVE_ISA_v4
namespace v4 { const loop_table& table(); }
#endif

const loop_table* loops_for(std::string_view isa) {
#ifdef NUMJIT_HAVE_ISA_v4
  if (isa == "v4" && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return &v4::table();
#endif
#ifdef NUMJIT_HAVE_ISA_v3
  if (isa == "v3" && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2"))
    return &v3::table();
#endif
#ifdef NUMJIT_HAVE_ISA_v2
  if (isa == "v2") return &v2::table();
#endif
  return nullptr;
}

const loop_table& loops_for_target(const std::string& target) {
  numjit::detail::check_target(target);
  if (target != "host") {
    if (const loop_table* table = loops_for(std::string_view(target).substr(7))) return *table;
    throw ValueError("numjit", "NUMJIT_TARGET: got " + target + ", but its eager loops were not built.");
  }
  for (const char* isa : {"v4", "v3", "v2"})
    if (const loop_table* table = loops_for(isa)) return *table;
  throw InternalError("numjit", "no eager loops fit this machine: got none of x86-64-v2, -v3, -v4.");
}

const loop_table& loops() {
  static const loop_table& chosen = loops_for_target(numjit::detail::kernel_target());
  return chosen;
}

}  // namespace numjit::eager
