// Chooses the instruction set of the eager loops, once.
#include <cstdlib>
#include <string>

#include <numjit/base/error.h>
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

namespace {

const loop_table& choose() {
  if (const char* wish = std::getenv("NUMJIT_TARGET"); wish && *wish) {
    std::string_view name = wish;
    if (std::size_t at = name.find("x86-64-"); at == 0) name.remove_prefix(7);
    if (const loop_table* table = loops_for(name.substr(0, 2))) return *table;
    throw ValueError("numjit", "NUMJIT_TARGET: got " + std::string(wish) +
                                   ", expected a level this machine has: x86-64-v2, -v3 or -v4.");
  }
  for (const char* isa : {"v4", "v3", "v2"})
    if (const loop_table* table = loops_for(isa)) return *table;
  throw InternalError("numjit", "no eager loops fit this machine: got none of x86-64-v2, -v3, -v4.");
}

}  // namespace

const loop_table& loops() {
  static const loop_table& chosen = choose();
  return chosen;
}

}  // namespace numjit::eager
