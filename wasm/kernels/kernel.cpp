// Which kernels can be made, and which template makes one.
#include "kernel.h"

#include <algorithm>

#include <fmt/format.h>

#include <numjit/base/error.h>

#include "reduction.h"

namespace numjit::wasm_gen {

using graph::KernelNode;
using graph::KernelNodeKind;
using graph::KernelSpec;
using runtime::KernelVariant;

namespace {

/// Bytes of scratch memory that the states take.
std::size_t scratch_needed(const KernelSpec& spec, const KernelVariant& variant) {
  if (variant.schedule == "elementwise") return 0;
  std::size_t element = 0, widest = 1;
  for (const Reduction& r : reductions_of(spec, variant.schedule == "product" ? 1 : 0)) {
    for (Type t : r.parts) element += static_cast<std::size_t>(width_of(t));
    widest = std::max(widest, dtype(r.type).itemsize());
  }
  const auto columns = static_cast<std::size_t>(runtime::panel_columns(static_cast<std::int64_t>(widest)));
  return element * lane_count * (variant.schedule == "panel" ? columns : 1);
}

}  // namespace

std::string what_is_missing(const KernelSpec& spec, const KernelVariant& variant) {
  if (variant.fast_math) return "float_mode fast";
  const bool known = variant.schedule == "elementwise" || variant.schedule == "rows" || variant.schedule == "panel" ||
                     variant.schedule == "product";
  if (!known) return fmt::format("the template {}", variant.schedule);
  for (const KernelNode& node : spec.nodes) {
    if ((node.kind == KernelNodeKind::reduce || node.kind == KernelNodeKind::op) && !has_formula(node.op, node.loop))
      return fmt::format("{} of {}", info(node.op).name, dtype(node.type).name());
  }
  if (scratch_needed(spec, variant) > scratch_bytes) return "so many reductions at once";
  return "";
}

std::vector<char> write_kernel(const KernelSpec& spec, const KernelVariant& variant, const Target& target) {
  const std::string missing = what_is_missing(spec, variant);
  if (!missing.empty()) throw CompileError("compile", "kernels made in the page lack " + missing);
  if (variant.schedule == "rows") return write_rows(spec, variant, target);
  if (variant.schedule == "panel") return write_panel(spec, variant, target);
  if (variant.schedule == "product") return write_product(spec, variant, target);
  return write_elementwise(spec, variant, target);
}

}  // namespace numjit::wasm_gen
