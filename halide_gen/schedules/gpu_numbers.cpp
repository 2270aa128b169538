// Elements that are made from their numbers, for a GPU: out(j) = f(j).
//
// gpu_numbers:  the spec's operand 0 is j itself, as int64; nothing is read
//   for jo in blocks of 64:  gpu blocks
//     for ji in 64:          gpu threads
#include <gpu_exact.h>
#include <gpu_steps.h>
#include <numjit/runtime/kernels/abi.h>

namespace numjit::halide_gen {

KernelPipeline build_gpu_numbers(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                                 const Halide::Target& target) {
  KernelInputs inputs(spec, variant, 1);
  Halide::Var j("nj_j"), outer("nj_outer"), inner("nj_inner");
  Leaves leaves;
  leaves.operand = [&](int) { return Value{Halide::cast<std::int64_t>(j), {}}; };
  leaves.scalar = [&](int i) { return inputs.scalar(i); };
  Halide::Func out("nj_out");
  out(j) = Halide::Tuple(lower_outputs(spec, leaves));
  out.split(j, outer, inner, 64, Halide::TailStrategy::GuardWithIf).gpu_blocks(outer).gpu_threads(inner);
  KernelPipeline kernel = finish_kernel(out, inputs, output_types(spec), 1, true);
  add_gpu_pass(kernel.pipeline, target);
  return kernel;
}

}  // namespace numjit::halide_gen
