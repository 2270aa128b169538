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
  Halide::Func out("nj_out");
  out(x, y) = Halide::Tuple(lower_outputs(spec, leaves));
  constexpr int threads = 64;  // two warps, or a wavefront
  out.split(x, x, xi, threads, Halide::TailStrategy::GuardWithIf).gpu_blocks(x, y).gpu_threads(xi);
  KernelPipeline kernel = finish_kernel(out, inputs, output_types(spec), 2);
  if (target.has_feature(Halide::Target::OpenCL)) add_opencl_pass(kernel.pipeline);
  return kernel;
}

}  // namespace numjit::halide_gen
