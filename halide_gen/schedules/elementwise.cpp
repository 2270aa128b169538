// Elementwise kernels.
//
//   for y in out rows:                 run-time strides: 0 (broadcast) and negative ones are free
//     for x in out columns by V:       vectorised; the rest of a row by a masked vector
//       out(x, y) = f(in0(x, y), in1(x, y), ...)
//
// The stride of x is part of the variant (1, 0, any): a run-time inner stride would cost 1.4x in cache.
// The tail is GuardWithIf and nothing else: ShiftInwards recomputes elements, which is wrong where the
// output's memory is an input's. No parallel loop, no inner split: the executor calls ranges.
#include <lower.h>

namespace numjit::halide_gen {

KernelPipeline build_elementwise(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                                 const Halide::Target& target) {
  KernelInputs inputs(spec, variant, 2);
  Halide::Var x("nj_x"), y("nj_y");
  Leaves leaves;
  leaves.operand = [&](int i) { return inputs.load(i, {x, y}); };
  leaves.scalar = [&](int i) { return inputs.scalar(i); };
  Halide::Func out("nj_out");
  out(x, y) = Halide::Tuple(lower_outputs(spec, leaves));
  out.vectorize(x, vector_lanes(spec, target), Halide::TailStrategy::GuardWithIf);
  return finish_kernel(out, inputs, output_types(spec), 2);
}

}  // namespace numjit::halide_gen
