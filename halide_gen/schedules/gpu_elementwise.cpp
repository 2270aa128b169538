// Elementwise kernels for a GPU.
//
//   for y in out rows:               one row of blocks each
//     for xo in blocks of 64:        gpu blocks
//       for xi in 64:                gpu threads; what lies behind the row's end is skipped
//         out(x, y) = f(in0(x, y), in1(x, y), ...)
//
// The bits are those of the CPU: the same expressions under StrictFloat, one thread an element.
#include <gpu_exact.h>
#include <lower.h>

namespace numjit::halide_gen {

KernelPipeline build_gpu_elementwise(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                                     const Halide::Target& target) {
  KernelInputs inputs(spec, variant, 2);
  Halide::Var x("nj_x"), y("nj_y"), xi("nj_xi");
  Leaves leaves;
  leaves.operand = [&](int i) { return inputs.load(i, {x, y}); };
  leaves.scalar = [&](int i) { return inputs.scalar(i); };
  std::vector<Halide::Expr> values = lower(spec, spec.outputs, leaves);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = to_storage(spec.nodes[spec.outputs[i]].type, values[i]);

  Halide::Func out("nj_out");
  out(x, y) = Halide::Tuple(values);
  constexpr int threads = 64;  // two warps, or a wavefront
  out.split(x, x, xi, threads, Halide::TailStrategy::GuardWithIf).gpu_blocks(x, y).gpu_threads(xi);
  set_output_layout(out, spec, variant, 2);
  Halide::Pipeline pipeline(out);
  if (target.has_feature(Halide::Target::OpenCL)) add_opencl_pass(pipeline);
  return {pipeline, inputs.arguments};
}

}  // namespace numjit::halide_gen
