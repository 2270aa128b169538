// Texts that name kernels and targets.
#include <numjit/runtime/kernels/key.h>

#include <sstream>

#include <fmt/format.h>

#include <numjit/base/cpu.h>
#include <numjit/base/fault.h>
#include <numjit/base/hash.h>
#include <numjit/runtime/kernels/disk_cache.h>
#include <numjit/runtime/kernels/plugin.h>

namespace numjit::runtime {

std::string kernel_content(const graph::KernelSpec& spec, const KernelVariant& variant) {
  std::string strides;
  for (std::uint8_t stride : variant.inner_stride) strides += stride == 2 ? "*" : std::to_string(stride);
  return fmt::format("schedule {} size class {} inner strides {} {}{}\n{}", variant.schedule, variant.size_class, strides,
                     variant.fast_math ? "fast" : "exact", variant.target.empty() ? "" : " target " + variant.target,
                     graph::to_text(spec));
}

std::string kernel_name(const std::string& content) { return "nj_" + to_hex(hash_text(content)).substr(0, 16); }

std::string disk_key(const std::string& name, const std::string& content, const std::string& target) {
  const std::string compiler = compiler_identity();
  if (compiler.empty()) return "";
  return fmt::format("kernel {}\nformat {} bits {}\ncompiler {}\ntarget {}\n{}{}", name, cache_format, bits_version, compiler,
                     target_text(target), detail::injected_compile_faults(), content);
}

std::string target_text(const std::string& target) {
  return target == "host" ? fmt::format("host ({})", detail::cpu_features()) : target;
}

bool is_target_of_device(const std::string& text) { return text.starts_with("x86-64-linux-sse41-"); }

bool runs_target(const std::string& text) {
  for (int level = 2; level <= 4; ++level)
    if (text == fmt::format("x86-64-v{}", level)) return level <= detail::cpu_level();
  constexpr std::string_view begin = "host (";
  if (!text.starts_with(begin) || !text.ends_with(')')) return false;
  std::istringstream needed(text.substr(begin.size(), text.size() - begin.size() - 1));
  const std::string have = " " + detail::cpu_features() + " ";
  for (std::string feature; needed >> feature;)
    if (have.find(" " + feature + " ") == std::string::npos) return false;
  return true;
}

}  // namespace numjit::runtime
