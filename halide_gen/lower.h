// From a kernel spec's nodes to Halide expressions at one point of the iteration space.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <lower_ops.h>
#include <numjit/graph/kernel_spec.h>
#include <numjit/runtime/kernels/compiler.h>

namespace numjit::halide_gen {

/// Where the values at the ends of an expression come from; all in value types.
struct Leaves {
  std::function<Value(int operand)> operand;
  std::function<Value(int scalar)> scalar;
  std::function<Value(int node)> reduced;  // value of a reduce node, or of a shifted one
  bool may_loop = false;                   // one thread an element: it may loop until a value says stop
};

/// The values of `wanted` nodes. Each node is built once, so that shared nodes stay shared; Halide's
/// common-subexpression pass turns them into lets when the Func is defined.
std::vector<Value> lower(const graph::KernelSpec& spec, std::span<const std::uint16_t> wanted,
                         const Leaves& leaves);
Value lower(const graph::KernelSpec& spec, std::uint16_t wanted, const Leaves& leaves);
/// The spec's outputs in storage types, a complex one as two.
std::vector<Halide::Expr> lower_outputs(const graph::KernelSpec& spec, const Leaves& leaves);

/// A reduce node as the templates see it.
struct Reduction {
  int node = 0;                 // index of the reduce node
  op_id op{};
  std::uint16_t input = 0;      // node reduced
  dtype_id input_type{};
  dtype_id type{};              // of accumulation; for arg reductions of the compared values
  bool is_arg = false;
  apply_function combine = nullptr;  // arg reductions: wins(a, b)
  Value start;                  // changes nothing: value type
  bool start_is_exact = true;   // false: it does change signs of zeros or infinities, skip what is absent
};
Reduction describe_reduction(const graph::KernelSpec& spec, int node);
/// All reduce nodes of one level, in node order.
std::vector<Reduction> reductions_of(const graph::KernelSpec& spec, int level);

/// An array's memory as Halide sees it: complex elements as two arrays of their parts. Both start where
/// the array does, with strides counted in parts; add_plane_pass puts the imaginary parts in their place.
struct Planes {
  Halide::ImageParam re, im;  // im of complex operands only
  /// The element at `at`, in storage type.
  Value operator()(const std::vector<Halide::Expr>& at) const;
};

/// Inputs of one kernel under construction: parameters in the order of runtime/kernels/abi.h.
struct KernelInputs {
  KernelInputs(const graph::KernelSpec& spec, const runtime::KernelVariant& variant, int axes);

  /// Element of operand i at `at`, one index per axis. Where the stride class is 0, axis 0's is dropped.
  Value load(int i, std::vector<Halide::Expr> at) const;
  /// The same; memory is touched only where `mask` (over axis 0) holds, elsewhere the element is 0.
  Value load_masked(int i, std::vector<Halide::Expr> at, const Halide::Expr& mask) const;
  Value scalar(int i) const;
  /// Operands at a point, and scalars.
  Leaves leaves_at(std::vector<Halide::Expr> point) const;
  /// Adds an int32 parameter of the template.
  Halide::Expr parameter(const std::string& name);

  const graph::KernelSpec& spec;
  const runtime::KernelVariant& variant;
  std::vector<Planes> operands;
  std::vector<Value> scalars;
  std::vector<Halide::Argument> arguments;
};

/// Names of two buffers that are parts of one array of complex elements.
struct PlanePair {
  std::string re, im;
};

/// What a template makes: the pipeline and its arguments.
struct KernelPipeline {
  Halide::Pipeline pipeline;
  std::vector<Halide::Argument> arguments;
};

/// Moves the accesses of imaginary parts by one. Those of contiguous elements, real part and imaginary
/// part, become one access of whole vectors and a shuffle.
void add_plane_pass(Halide::Pipeline& pipeline, std::vector<PlanePair> planes);

/// Pins the layout of an output Func's buffers (mins 0, stride classes of axis 0) and makes the kernel.
/// `types` are those of the arrays that `output` writes.
KernelPipeline finish_kernel(Halide::Func output, const KernelInputs& inputs,
                             const std::vector<dtype_id>& types, int axes, bool any_stride = false);
/// Types of the spec's outputs.
std::vector<dtype_id> output_types(const graph::KernelSpec& spec);

/// Lanes of a vector that suits the widest part of a value among the spec's nodes.
int vector_lanes(const graph::KernelSpec& spec, const Halide::Target& target);

// The templates, one file each in schedules/.
KernelPipeline build_elementwise(const graph::KernelSpec&, const runtime::KernelVariant&,
                                 const Halide::Target&);
KernelPipeline build_gpu_elementwise(const graph::KernelSpec&, const runtime::KernelVariant&,
                                     const Halide::Target&);
KernelPipeline build_gpu_rows(const graph::KernelSpec&, const runtime::KernelVariant&,
                              const Halide::Target&);
KernelPipeline build_gpu_short_rows(const graph::KernelSpec&, const runtime::KernelVariant&, const Halide::Target&);
KernelPipeline build_gpu_panel(const graph::KernelSpec&, const runtime::KernelVariant&,
                               const Halide::Target&);
KernelPipeline build_gpu_pick(const graph::KernelSpec&, const runtime::KernelVariant&,
                              const Halide::Target&);
KernelPipeline build_rows(const graph::KernelSpec&, const runtime::KernelVariant&,
                          const Halide::Target&);
KernelPipeline build_panel(const graph::KernelSpec&, const runtime::KernelVariant&,
                           const Halide::Target&);
KernelPipeline build_product(const graph::KernelSpec&, const runtime::KernelVariant&,
                             const Halide::Target&);

}  // namespace numjit::halide_gen
