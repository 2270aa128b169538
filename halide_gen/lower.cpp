// Lowering of spec nodes, and the parts that all templates share.
#include <lower.h>

#include <algorithm>
#include <limits>

#include <expr_value.h>
#include <numjit/base/error.h>
#include <numjit/runtime/kernel_abi.h>
#include <reduce_parts.h>

namespace numjit::halide_gen {

using graph::KernelNode;
using graph::KernelNodeKind;
using graph::KernelSpec;
using Halide::Expr;

namespace {

class Lowering {
 public:
  Lowering(const KernelSpec& spec, const Leaves& leaves)
      : spec_(spec), leaves_(leaves), values_(spec.nodes.size()) {}

  const Expr& value(std::uint16_t index) {
    Expr& value = values_[index];
    if (!value.defined()) value = compute(spec_.nodes[index], index);
    return value;
  }

 private:
  Expr compute(const KernelNode& node, int index) {
    switch (node.kind) {
      case KernelNodeKind::operand: return leaves_.operand(node.index);
      case KernelNodeKind::scalar: return leaves_.scalar(node.index);
      case KernelNodeKind::reduce: return leaves_.reduced(index);
      case KernelNodeKind::cast:
        return cast_value(spec_.nodes[node.in[0]].type, node.type, value(node.in[0]));
      case KernelNodeKind::op: break;
    }
    apply_function apply = find_apply(node.op, node.loop);
    if (!apply)
      throw CompileError(std::string(info(node.op).name), "kernels can't express this loop");
    Expr in[3];
    for (int i = 0; i < info(node.op).arity; ++i) in[i] = value(node.in[i]);
    return apply(in);
  }

  const KernelSpec& spec_;
  const Leaves& leaves_;
  std::vector<Expr> values_;
};

/// Identity of a row's combine for an element type.
template <class T>
Expr start_value(op_id op) {
  constexpr bool is_float = std::is_floating_point_v<T>;
  using limits = std::numeric_limits<T>;
  switch (op) {
    case op_id::sum:
      // -0.0 + x is x for every x, also -0.0; +0.0 is not an identity.
      if constexpr (is_float) return constant<T>(T(-0.0));
      return constant<T>(T(0));
    case op_id::any: return constant<T>(T(0));
    case op_id::prod:
    case op_id::all: return constant<T>(T(1));
    case op_id::max:
    case op_id::argmax: return constant<T>(is_float ? -limits::infinity() : limits::lowest());
    default: return constant<T>(is_float ? limits::infinity() : limits::max());
  }
}

}  // namespace

std::vector<Expr> lower(const KernelSpec& spec, std::span<const std::uint16_t> wanted,
                        const Leaves& leaves) {
  Lowering lowering(spec, leaves);
  std::vector<Expr> values;
  for (std::uint16_t node : wanted) values.push_back(lowering.value(node));
  return values;
}

Expr lower(const KernelSpec& spec, std::uint16_t wanted, const Leaves& leaves) {
  return Lowering(spec, leaves).value(wanted);
}

Reduction describe_reduction(const KernelSpec& spec, int index) {
  const KernelNode& node = spec.nodes[static_cast<std::size_t>(index)];
  Reduction r;
  r.node = index;
  r.op = node.op;
  r.input = node.in[0];
  r.input_type = spec.nodes[node.in[0]].type;
  r.is_arg = info(node.op).kind == op_kind::argreduction;
  r.type = r.is_arg ? r.input_type : node.type;
  r.combine = find_apply(node.op, node.loop);
  if (!r.combine)
    throw CompileError(std::string(info(node.op).name), "kernels can't express this loop");
  r.start = visit_dtype(r.type, [&]<class T>() -> Expr {
    if constexpr (std::is_arithmetic_v<T>) return start_value<T>(node.op);
    else throw CompileError("", "kernels have no float16 and complex elements");
  });
  return r;
}

std::vector<Reduction> reductions_of(const KernelSpec& spec, int level) {
  std::vector<Reduction> list;
  for (std::size_t i = 0; i < spec.nodes.size(); ++i)
    if (spec.nodes[i].kind == KernelNodeKind::reduce && spec.nodes[i].index == level)
      list.push_back(describe_reduction(spec, static_cast<int>(i)));
  return list;
}

KernelInputs::KernelInputs(const KernelSpec& spec_in, const runtime::KernelVariant& variant_in, int axes)
    : spec(spec_in), variant(variant_in) {
  for (std::size_t i = 0; i < spec.operand_types.size(); ++i) {
    Halide::ImageParam in(storage_type(spec.operand_types[i]), axes, "nj_in" + std::to_string(i));
    for (int d = 0; d < axes; ++d) in.dim(d).set_min(0);
    if (variant.inner_stride[i] != 1 && variant.inner_stride[i] != runtime::stride_class_staged_contiguous)
      in.dim(0).set_stride(Expr());
    arguments.push_back(in);
    operands.push_back(in);
  }
  for (std::size_t i = 0; i < spec.scalar_types.size(); ++i) {
    scalars.emplace_back(storage_type(spec.scalar_types[i]), "nj_s" + std::to_string(i));
    arguments.push_back(scalars.back());
  }
}

Expr KernelInputs::load(int i, std::vector<Expr> at) const {
  auto index = static_cast<std::size_t>(i);
  if (variant.inner_stride[index] == 0) at[0] = 0;
  return from_storage(spec.operand_types[index], operands[index](at));
}

Expr KernelInputs::load_masked(int i, std::vector<Expr> at, const Expr& mask) const {
  auto index = static_cast<std::size_t>(i);
  if (variant.inner_stride[index] == 0) return load(i, std::move(at));  // one element, always there
  return from_storage(spec.operand_types[index], masked_load(mask, operands[index](at)));
}

Expr KernelInputs::scalar(int i) const {
  auto index = static_cast<std::size_t>(i);
  return from_storage(spec.scalar_types[index], scalars[index]);
}

Expr KernelInputs::parameter(const std::string& name) {
  Halide::Param<std::int32_t> p("nj_" + name);
  arguments.push_back(p);
  return p;
}

void set_output_layout(Halide::Func output, const KernelSpec& spec,
                       const runtime::KernelVariant& variant, int axes) {
  std::size_t first = spec.operand_types.size();
  auto buffers = output.output_buffers();
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    for (int d = 0; i == 0 && d < axes; ++d) buffers[i].dim(d).set_min(0);  // the others follow
    if (first + i < variant.inner_stride.size() && variant.inner_stride[first + i] != 1)
      buffers[i].dim(0).set_stride(Expr());
  }
}

int vector_lanes(const KernelSpec& spec, const Halide::Target& target) {
  std::size_t widest = 1;
  for (const KernelNode& node : spec.nodes) widest = std::max(widest, dtype(node.type).itemsize());
  return target.natural_vector_size(Halide::UInt(static_cast<int>(widest) * 8));
}

}  // namespace numjit::halide_gen
