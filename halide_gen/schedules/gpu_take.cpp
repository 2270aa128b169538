// Gathers for a GPU: elements at indices, and the places of what is true.
//
// gpu_take:    out(i, j, o) = x(i, index(j), o), indices brought into range as take_mode says
//   for o, io, j:            gpu blocks         short runs (take_narrow): blocks of 64 j
//     for ii in 64:          gpu threads                                  threads along j, each all of i
//
// gpu_places:  out(j) = the first k with upto(k) > j, where upto are the running counts of what is true: a search by
//              halves in each thread. So nobody has to write where others may, and the order is that of the input.
#include <gpu_exact.h>
#include <gpu_steps.h>
#include <numjit/ops/param_layout.h>
#include <numjit/runtime/kernels/device_abi.h>

namespace numjit::halide_gen {

using Halide::Expr;

KernelPipeline build_gpu_take(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                              const Halide::Target& target) {
  const bool narrow = (variant.size_class & runtime::take_narrow) != 0;
  const auto mode = static_cast<layout::take_mode>(variant.size_class / runtime::take_mode_unit);
  KernelInputs inputs(spec, variant, 3);
  const Expr n = inputs.parameter("n");
  Halide::Var i("nj_i"), j("nj_j"), o("nj_o");
  const Expr length = Halide::cast<std::int64_t>(n);
  Expr index = Halide::cast<std::int64_t>(inputs.load(1, {j, 0, 0}).re);
  if (mode == layout::take_mode::wrap) index = index % length;  // never negative in Halide
  if (mode == layout::take_mode::raise) index = Halide::select(index < 0, index + length, index);
  const Expr zero = Halide::cast<std::int64_t>(0);
  index = Halide::cast<std::int32_t>(Halide::clamp(index, zero, length - 1));
  Halide::Func out("nj_out");
  std::vector<Expr> parts;
  const dtype_id type = spec.operand_types[0];
  to_storage(type, inputs.load(0, {i, index, o})).append_to(parts);
  out(i, j, o) = Halide::Tuple(parts);
  constexpr auto guard = Halide::TailStrategy::GuardWithIf;
  Halide::Var inner("nj_inner"), outer("nj_outer");
  if (narrow)
    out.split(j, outer, inner, 64, guard).reorder(i, inner, outer, o).gpu_threads(inner).gpu_blocks(outer, o);
  else
    out.split(i, outer, inner, 64, guard).reorder(inner, j, outer, o).gpu_threads(inner).gpu_blocks(j, outer, o);
  KernelPipeline kernel = finish_kernel(out, inputs, output_types(spec), 3, true);
  add_gpu_pass(kernel.pipeline, target);
  return kernel;
}

KernelPipeline build_gpu_places(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                                const Halide::Target& target) {
  KernelInputs inputs(spec, variant, 1);
  const Expr n = inputs.parameter("n");
  Halide::Var j("nj_j"), outer("nj_outer"), inner("nj_inner");
  Halide::Func place("nj_place"), out("nj_out");
  place(j) = 0;
  Halide::RDom b(0, 31, "nj_b");
  const Expr next = place(j) + (Expr(1 << 30) >> Halide::cast<std::uint32_t>(b));
  const Expr upto = inputs.operands[0].re(Halide::clamp(next - 1, 0, n - 1));
  place(j) = Halide::select(next <= n && upto <= j, next, place(j));
  out(j) = Halide::cast<std::int64_t>(place(j));
  out.split(j, outer, inner, 64, Halide::TailStrategy::GuardWithIf).gpu_blocks(outer).gpu_threads(inner);
  place.compute_at(out, inner);
  KernelPipeline kernel = finish_kernel(out, inputs, output_types(spec), 1, true);
  add_gpu_pass(kernel.pipeline, target);
  return kernel;
}

}  // namespace numjit::halide_gen
