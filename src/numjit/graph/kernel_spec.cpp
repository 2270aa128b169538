// Canonical text and content hash of kernel specs.
#include <numjit/graph/kernel_spec.h>

#include <numjit/base/hash.h>
#include <numjit/graph/loop_text.h>
#include <numjit/graph/stencil.h>

namespace numjit::graph {
namespace {

std::string arguments(const KernelNode& node, int count) {
  std::string text = "(";
  for (int i = 0; i < count; ++i)
    text += (i ? ", %" : "%") + std::to_string(node.in[i]);
  return text + ")";
}

std::string node_text(const KernelNode& node) {
  switch (node.kind) {
    case KernelNodeKind::operand: return "operand " + std::to_string(node.index);
    case KernelNodeKind::scalar: return "scalar " + std::to_string(node.index);
    case KernelNodeKind::cast:
      return (node.index ? "imag." : "cast.") + std::string(1, dtype(node.type).character()) + arguments(node, 1);
    case KernelNodeKind::shifted: {
      const Shift shift = shift_of(node);
      return "at " + std::to_string(shift[0]) + "," + std::to_string(shift[1]) + "," + std::to_string(shift[2]) + " " +
             arguments(node, 1);
    }
    case KernelNodeKind::op:
      return std::string(info(node.op).name) + "." + loop_text(node.op, node.loop) +
             arguments(node, info(node.op).arity);
    case KernelNodeKind::reduce:
      return std::string(info(node.op).name) + "." + loop_text(node.op, node.loop) +
             arguments(node, 1) + " over axis " + std::to_string(node.index);
  }
  __builtin_unreachable();
}

}  // namespace

std::string to_text(const KernelSpec& spec) {
  std::string text = "operands ";
  for (dtype_id type : spec.operand_types) text += dtype(type).character();
  text += "\nscalars ";
  for (dtype_id type : spec.scalar_types) text += dtype(type).character();
  if (spec.reduction_levels) text += "\nreduced axes " + std::to_string(spec.reduction_levels);
  text += "\n";
  for (std::size_t i = 0; i < spec.nodes.size(); ++i)
    text += "%" + std::to_string(i) + " = " + node_text(spec.nodes[i]) + "\n";
  text += "outputs";
  for (std::uint16_t output : spec.outputs) text += " %" + std::to_string(output);
  return text + "\n";
}

std::vector<std::string_view> op_names(const KernelSpec& spec) {
  std::vector<std::string_view> names;
  for (const KernelNode& node : spec.nodes)
    if (node.kind == KernelNodeKind::op || node.kind == KernelNodeKind::reduce)
      names.push_back(info(node.op).name);
  return names;
}

std::string content_hash(const KernelSpec& spec) {
  return to_hex(hash_text(to_text(spec)));
}

}  // namespace numjit::graph
