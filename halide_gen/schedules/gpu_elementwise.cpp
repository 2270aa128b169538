// Elementwise kernels for a GPU.
//
//   for z, y in out:                 one block each
//     for xo in blocks of 64:        gpu blocks
//       for xi in 64:                gpu threads; what lies behind the row's end is skipped
//         out(x, y, z) = f(in0(x, y, z), in1(x, y, z), ...)
//
// A GPU starts a block or two a nanosecond, so of many points each thread takes several: device_long has blocks of 512
// points of a row or more, device_rows of 128 points of each of 8 rows. Short rows (device_narrow): 4 points of each of
// 32 rows.
//
// The bits are those of the CPU: the same expressions under StrictFloat, one thread an element.
#include <gpu_exact.h>
#include <lower.h>
#include <numjit/runtime/kernels/device_blocks.h>

namespace numjit::halide_gen {

KernelPipeline build_gpu_elementwise(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                                     const Halide::Target& target) {
  const bool deep = (variant.size_class & runtime::device_axis_z) != 0;
  const runtime::DeviceBlock shape = runtime::device_block(variant.size_class, spec.operand_types.size());
  const int axes = deep ? 3 : 2;
  KernelInputs inputs(spec, variant, axes);
  Halide::Var x("nj_x"), y("nj_y"), z("nj_z"), xi("nj_xi"), xk("nj_xk"), yi("nj_yi");
  std::vector<Halide::Var> point{x, y};
  if (deep) point.push_back(z);
  Leaves leaves = inputs.leaves_at({point.begin(), point.end()});
  leaves.may_loop = true;
  Halide::Func out("nj_out");
  out(point) = Halide::Tuple(lower_outputs(spec, leaves));
  constexpr auto guard = Halide::TailStrategy::GuardWithIf;
  std::vector<Halide::VarOrRVar> order{xi};
  out.split(x, x, xi, shape.threads_x * shape.points, guard);
  if (shape.points > 1) {
    out.split(xi, xk, xi, shape.threads_x).unroll(xk);
    order.insert(order.begin(), xk);
  }
  if (shape.threads_y > 1) {
    out.split(y, y, yi, shape.threads_y, guard);
    order.push_back(yi);
  }
  order.insert(order.end(), {x, y});
  if (deep) order.push_back(z);
  out.reorder(order);
  if (shape.threads_y > 1)
    out.gpu_threads(xi, yi);
  else
    out.gpu_threads(xi);
  if (deep) out.gpu_blocks(x, y, z);
  else out.gpu_blocks(x, y);
  KernelPipeline kernel = finish_kernel(out, inputs, output_types(spec), axes);
  add_gpu_pass(kernel.pipeline, target);
  return kernel;
}

// The element at which an arg reduction stands, from the chunk that won: see kernels/abi.h.
KernelPipeline build_gpu_pick(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                              const Halide::Target& target) {
  KernelInputs inputs(spec, variant, 2);
  const Halide::Expr scale = inputs.parameter("scale");
  Halide::Var g("nj_g"), row("nj_row"), gi("nj_gi");
  constexpr int last = static_cast<int>(runtime::chunk_size) - 1;  // tells Halide what it may count on
  const Halide::Expr winner = Halide::clamp(Halide::cast<std::int32_t>(inputs.operands[0].re(g, row)), 0, last);
  const Halide::Expr chunk = static_cast<int>(runtime::chunk_size) * g + winner;
  Halide::Func out("nj_out");
  out(g, row) = Halide::cast<std::int64_t>(inputs.operands[1].re(chunk, row)) +
                Halide::cast<std::int64_t>(scale) * Halide::cast<std::int64_t>(chunk);
  out.split(g, g, gi, 32, Halide::TailStrategy::GuardWithIf).gpu_blocks(g, row).gpu_threads(gi);
  KernelPipeline kernel = finish_kernel(out, inputs, output_types(spec), 2);
  add_gpu_pass(kernel.pipeline, target);
  return kernel;
}

}  // namespace numjit::halide_gen
