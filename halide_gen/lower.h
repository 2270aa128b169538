// From a kernel spec's nodes to Halide expressions at one point of the iteration space.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <lower_ops.h>
#include <numjit/graph/kernel_spec.h>
#include <numjit/runtime/kernel_compiler.h>

namespace numjit::halide_gen {

/// Where the values at the ends of an expression come from; all in value types.
struct Leaves {
  std::function<Halide::Expr(int operand)> operand;
  std::function<Halide::Expr(int scalar)> scalar;
  std::function<Halide::Expr(int node)> reduced;  // value of a reduce node
};

/// The values of `wanted` nodes. Each node is built once, so that shared nodes stay shared; Halide's
/// common-subexpression pass turns them into lets when the Func is defined.
std::vector<Halide::Expr> lower(const graph::KernelSpec& spec, std::span<const std::uint16_t> wanted,
                                const Leaves& leaves);
Halide::Expr lower(const graph::KernelSpec& spec, std::uint16_t wanted, const Leaves& leaves);

/// A reduce node as the templates see it.
struct Reduction {
  int node = 0;                 // index of the reduce node
  op_id op{};
  std::uint16_t input = 0;      // node reduced
  dtype_id input_type{};
  dtype_id type{};              // of accumulation; for arg reductions of the compared values
  bool is_arg = false;
  apply_function combine = nullptr;  // arg reductions: wins(a, b)
  Halide::Expr start;           // changes nothing: value type
};
Reduction describe_reduction(const graph::KernelSpec& spec, int node);
/// All reduce nodes of one level, in node order.
std::vector<Reduction> reductions_of(const graph::KernelSpec& spec, int level);

/// Inputs of one kernel under construction: parameters in the order of runtime/kernel_abi.h.
struct KernelInputs {
  KernelInputs(const graph::KernelSpec& spec, const runtime::KernelVariant& variant, int axes);

  /// Element of operand i at `at`, one index per axis. Where the stride class is 0, axis 0's is dropped.
  Halide::Expr load(int i, std::vector<Halide::Expr> at) const;
  /// The same; memory is touched only where `mask` (over axis 0) holds, elsewhere the element is 0.
  Halide::Expr load_masked(int i, std::vector<Halide::Expr> at, const Halide::Expr& mask) const;
  Halide::Expr scalar(int i) const;
  /// Adds an int32 parameter of the template.
  Halide::Expr parameter(const std::string& name);

  const graph::KernelSpec& spec;
  const runtime::KernelVariant& variant;
  std::vector<Halide::ImageParam> operands;
  std::vector<Halide::Param<>> scalars;
  std::vector<Halide::Argument> arguments;
};

/// What a template makes: the pipeline and its arguments.
struct KernelPipeline {
  Halide::Pipeline pipeline;
  std::vector<Halide::Argument> arguments;
};

/// Pins the layout of an output Func's buffers: mins 0, stride classes of axis 0.
void set_output_layout(Halide::Func output, const graph::KernelSpec& spec,
                       const runtime::KernelVariant& variant, int axes);

/// Lanes of a vector that suits the widest element type among the spec's nodes.
int vector_lanes(const graph::KernelSpec& spec, const Halide::Target& target);

// The templates, one file each in schedules/.
KernelPipeline build_elementwise(const graph::KernelSpec&, const runtime::KernelVariant&,
                                 const Halide::Target&);
KernelPipeline build_gpu_elementwise(const graph::KernelSpec&, const runtime::KernelVariant&,
                                     const Halide::Target&);
KernelPipeline build_gpu_rows(const graph::KernelSpec&, const runtime::KernelVariant&,
                              const Halide::Target&);
KernelPipeline build_rows(const graph::KernelSpec&, const runtime::KernelVariant&,
                          const Halide::Target&);
KernelPipeline build_panel(const graph::KernelSpec&, const runtime::KernelVariant&,
                           const Halide::Target&);
KernelPipeline build_product(const graph::KernelSpec&, const runtime::KernelVariant&,
                             const Halide::Target&);

}  // namespace numjit::halide_gen
