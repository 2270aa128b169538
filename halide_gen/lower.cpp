// Lowering of spec nodes, and the parts that all templates share.
#include <lower.h>

#include <algorithm>

#include <expr_value.h>
#include <numjit/base/error.h>
#include <numjit/ops/rows.h>
#include <numjit/runtime/kernels/abi.h>
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

  const Value& value(std::uint16_t index) {
    Value& value = values_[index];
    if (!value.defined()) value = compute(spec_.nodes[index], index);
    return value;
  }

 private:
  Value compute(const KernelNode& node, int index) {
    switch (node.kind) {
      case KernelNodeKind::operand: return leaves_.operand(node.index);
      case KernelNodeKind::scalar: return leaves_.scalar(node.index);
      case KernelNodeKind::reduce:
      case KernelNodeKind::shifted: return leaves_.reduced(index);
      case KernelNodeKind::cast:
        if (node.index) return value(node.in[0]).im;
        return cast_value(spec_.nodes[node.in[0]].type, node.type, value(node.in[0]));
      case KernelNodeKind::op: break;
    }
    apply_function apply = find_apply(node.op, node.loop);
    if (!apply && leaves_.may_loop) apply = find_apply_of_loop(node.op, node.loop);
    if (!apply)
      throw CompileError(std::string(info(node.op).name), "kernels can't express this loop");
    Value in[3];
    for (int i = 0; i < info(node.op).arity; ++i) in[i] = value(node.in[i]);
    return apply(in);
  }

  const KernelSpec& spec_;
  const Leaves& leaves_;
  std::vector<Value> values_;
};

/// The neutral value of a reduction for an element type.
template <class T>
Value start_value(op_id op) {
  const T value = neutral_value<T>(neutral_of(op));
  if constexpr (m::is_complex_type<T>) {
    using R = decltype(T{}.re);
    return Value(constant<R>(value.re), constant<R>(value.im));
  } else {
    return constant<T>(value);
  }
}

}  // namespace

std::vector<Value> lower(const KernelSpec& spec, std::span<const std::uint16_t> wanted,
                         const Leaves& leaves) {
  Lowering lowering(spec, leaves);
  std::vector<Value> values;
  for (std::uint16_t node : wanted) values.push_back(lowering.value(node));
  return values;
}

Value lower(const KernelSpec& spec, std::uint16_t wanted, const Leaves& leaves) {
  return Lowering(spec, leaves).value(wanted);
}

std::vector<Expr> lower_outputs(const KernelSpec& spec, const Leaves& leaves) {
  const std::vector<Value> values = lower(spec, spec.outputs, leaves);
  std::vector<Expr> stored;
  for (std::size_t i = 0; i < values.size(); ++i)
    to_storage(spec.nodes[spec.outputs[i]].type, values[i]).append_to(stored);
  return stored;
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
  r.start = visit_dtype(r.type, [&]<class T>() -> Value {
    if constexpr (std::is_same_v<T, half>) throw CompileError("", "float16 is reduced as float32");
    else return start_value<T>(node.op);
  });
  r.start_is_exact = !(node.op == op_id::prod && is_complex(r.type));
  return r;
}

std::vector<Reduction> reductions_of(const KernelSpec& spec, int level) {
  std::vector<Reduction> list;
  for (std::size_t i = 0; i < spec.nodes.size(); ++i)
    if (spec.nodes[i].kind == KernelNodeKind::reduce && spec.nodes[i].index == level)
      list.push_back(describe_reduction(spec, static_cast<int>(i)));
  return list;
}

namespace {
/// Of a picture whose channels an operand is one of; 1 for other operands.
int channels_of(std::uint8_t stride_class) {
  switch (stride_class) {
    case runtime::stride_class_of_three: return 3;
    case runtime::stride_class_of_four: return 4;
    default: return 1;
  }
}
}  // namespace

Value Planes::operator()(const std::vector<Expr>& at) const {
  return im.defined() ? Value(re(at), im(at)) : Value(re(at));
}

KernelInputs::KernelInputs(const KernelSpec& spec_in, const runtime::KernelVariant& variant_in, int axes)
    : spec(spec_in), variant(variant_in) {
  for (std::size_t i = 0; i < spec.operand_types.size(); ++i) {
    const dtype_id type = spec.operand_types[i];
    const bool contiguous = variant.inner_stride[i] == 1 ||
                            variant.inner_stride[i] == runtime::stride_class_staged_contiguous;
    Planes planes;
    planes.re = Halide::ImageParam(storage_type(type), axes, "nj_in" + std::to_string(i));
    for (int d = 0; d < axes; ++d) planes.re.dim(d).set_min(0);
    const int channels = channels_of(variant.inner_stride[i]);
    if (channels > 1)
      planes.re.dim(0).set_stride(channels);
    else if (!contiguous)
      planes.re.dim(0).set_stride(Expr());
    else if (is_complex(type)) planes.re.dim(0).set_stride(2);
    arguments.push_back(planes.re);
    if (is_complex(type)) {
      planes.im = Halide::ImageParam(storage_type(type), axes, "nj_imag" + std::to_string(i));
      for (int d = 0; d < axes; ++d) {
        planes.im.dim(d).set_min(0);
        planes.im.dim(d).set_stride(planes.re.dim(d).stride());
      }
      if (contiguous) planes.im.dim(0).set_stride(2);
      arguments.push_back(planes.im);
    }
    operands.push_back(planes);
  }
  for (std::size_t i = 0; i < spec.scalar_types.size(); ++i) {
    const dtype_id type = spec.scalar_types[i];
    const std::string name = "nj_s" + std::to_string(i);
    std::vector<Expr> parts;
    for (const char* part : {"", "_imag"}) {
      if (*part && !is_complex(type)) continue;
      Halide::Param<> scalar(storage_type(type), name + part);
      parts.push_back(scalar);
      arguments.push_back(scalar);
    }
    scalars.push_back(is_complex(type) ? Value(parts[0], parts[1]) : Value(parts[0]));
  }
}

Value KernelInputs::load(int i, std::vector<Expr> at) const {
  auto index = static_cast<std::size_t>(i);
  if (variant.inner_stride[index] == 0) at[0] = 0;
  return from_storage(spec.operand_types[index], operands[index](at));
}

Value KernelInputs::load_masked(int i, std::vector<Expr> at, const Expr& mask) const {
  auto index = static_cast<std::size_t>(i);
  if (variant.inner_stride[index] == 0) return load(i, std::move(at));  // one element, always there
  return from_storage(spec.operand_types[index], masked_load(mask, operands[index](at)));
}

Value KernelInputs::scalar(int i) const {
  auto index = static_cast<std::size_t>(i);
  return from_storage(spec.scalar_types[index], scalars[index]);
}

Leaves KernelInputs::leaves_at(std::vector<Expr> point) const {
  Leaves leaves;
  leaves.operand = [this, point = std::move(point)](int i) { return load(i, point); };
  leaves.scalar = [this](int i) { return scalar(i); };
  return leaves;
}

Expr KernelInputs::parameter(const std::string& name) {
  Halide::Param<std::int32_t> p("nj_" + name);
  arguments.push_back(p);
  return p;
}

KernelPipeline finish_kernel(Halide::Func output, const KernelInputs& inputs,
                             const std::vector<dtype_id>& types, int axes, bool any_stride) {
  KernelPipeline kernel{Halide::Pipeline(output), inputs.arguments};
  std::vector<PlanePair> planes;
  for (const Planes& operand : inputs.operands)
    if (operand.im.defined()) planes.push_back({operand.re.name(), operand.im.name()});
  const auto& classes = inputs.variant.inner_stride;
  auto buffers = output.output_buffers();
  for (int d = 0; d < axes; ++d) buffers[0].dim(d).set_min(0);  // the others follow
  std::size_t at = 0;
  for (std::size_t i = 0; i < types.size(); ++i, ++at) {
    const std::size_t array = inputs.operands.size() + i;
    const bool contiguous = !any_stride && (array >= classes.size() || classes[array] == 1);
    const int parts = is_complex(types[i]) ? 2 : 1;
    if (!contiguous) buffers[at].dim(0).set_stride(Expr());
    else buffers[at].dim(0).set_stride(parts);
    if (parts == 1) continue;
    planes.push_back({buffers[at].name(), buffers[at + 1].name()});
    for (int d = 0; d < axes; ++d) buffers[at + 1].dim(d).set_stride(buffers[at].dim(d).stride());
    if (contiguous) buffers[at + 1].dim(0).set_stride(2);
    ++at;
  }
  const bool has_complex = std::any_of(inputs.spec.nodes.begin(), inputs.spec.nodes.end(),
                                       [](const KernelNode& node) { return is_complex(node.type); });
  if (has_complex) add_plane_pass(kernel.pipeline, planes);  // the first: masks look for its loads
  return kernel;
}

std::vector<dtype_id> output_types(const KernelSpec& spec) {
  std::vector<dtype_id> types;
  for (std::uint16_t output : spec.outputs) types.push_back(spec.nodes[output].type);
  return types;
}

int vector_lanes(const KernelSpec& spec, const Halide::Target& target) {
  int widest = 8;
  for (const KernelNode& node : spec.nodes)
    if (node.kind != KernelNodeKind::scalar)
      widest = std::max(widest, node.type == dtype_id::float16 ? 32 : storage_type(node.type).bits());
  return target.natural_vector_size(Halide::UInt(widest));
}

}  // namespace numjit::halide_gen
