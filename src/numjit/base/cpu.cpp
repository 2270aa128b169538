// What the processor can do, asked once.
#include <numjit/base/cpu.h>

#include <cstdlib>

#include <fmt/format.h>

#include <numjit/base/error.h>

namespace numjit::detail {
namespace {

int find_level() {
  __builtin_cpu_init();
  bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt") &&
            __builtin_cpu_supports("ssse3");
  bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
            __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl");
  return v4 ? 4 : v3 ? 3 : v2 ? 2 : 1;
}

std::string list_features() {
  std::string text;
  __builtin_cpu_init();
#define NUMJIT_FEATURE(name) \
  if (__builtin_cpu_supports(name)) text += text.empty() ? name : " " name;
  NUMJIT_FEATURE("sse4.1")
  NUMJIT_FEATURE("avx")
  NUMJIT_FEATURE("avx2")
  NUMJIT_FEATURE("fma")
  NUMJIT_FEATURE("fma4")
  NUMJIT_FEATURE("avx512f")
  NUMJIT_FEATURE("avx512cd")
  NUMJIT_FEATURE("avx512bw")
  NUMJIT_FEATURE("avx512dq")
  NUMJIT_FEATURE("avx512vl")
  NUMJIT_FEATURE("avx512ifma")
  NUMJIT_FEATURE("avx512vnni")
  NUMJIT_FEATURE("avx512bf16")
#undef NUMJIT_FEATURE
  return text;
}

}  // namespace

int cpu_level() {
  static const int level = find_level();
  return level;
}

const std::string& cpu_features() {
  static const std::string& features = *new std::string(list_features());
  return features;
}

std::string kernel_target() {
  const char* target = std::getenv("NUMJIT_TARGET");
  return target && *target ? target : "host";
}

void check_target(std::string_view target) {
  if (target == "host") return;
  for (int level = 2; level <= 4; ++level) {
    if (target != fmt::format("x86-64-v{}", level)) continue;
    if (level <= cpu_level()) return;
    throw ValueError(
        "config", fmt::format("NUMJIT_TARGET: got '{}', but this processor is x86-64-v{}.", target,
                              cpu_level()));
  }
  throw ValueError("config",
                   fmt::format("NUMJIT_TARGET: got '{}', expected host, x86-64-v2, x86-64-v3 or "
                               "x86-64-v4.",
                               target));
}

}  // namespace numjit::detail
