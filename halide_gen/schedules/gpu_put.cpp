// Rows written at indices, for a GPU: out(i, index(j)) = value(i, source(j)).
//
//   for j, io:               gpu blocks        where index(j) is not index(j + 1)
//     for ii in 64:          gpu threads
//
// Indices are sorted, equal ones in the program's order: so only the last one of each is written, and no two threads
// write the same element. Elements at no index stay what they are.
#include <gpu_exact.h>
#include <gpu_steps.h>
#include <numjit/runtime/kernels/device_abi.h>

namespace numjit::halide_gen {

using Halide::Expr;

KernelPipeline build_gpu_put(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                             const Halide::Target& target) {
  KernelInputs inputs(spec, variant, 2);
  const Expr run = inputs.parameter("run"), count = inputs.parameter("count"), rows = inputs.parameter("rows");
  const dtype_id type = spec.operand_types[0];
  Halide::Var i("nj_i"), row("nj_row");
  Halide::Func out("nj_out");
  const int parts = is_complex(type) ? 2 : 1;
  out(i, row) = Halide::Tuple(std::vector<Expr>(static_cast<std::size_t>(parts), Halide::undef(storage_type(type))));
  Halide::RDom r(0, run, 0, count, "nj_r");
  auto number = [&](int operand, const Expr& j) {
    return Halide::cast<std::int32_t>(inputs.operands[static_cast<std::size_t>(operand)].re(j, 0));
  };
  const Expr index = number(1, r.y);
  r.where(r.y == count - 1 || index != number(1, Halide::min(r.y + 1, count - 1)));
  std::vector<Expr> written;
  const Expr source = Halide::clamp(number(2, r.y), 0, count - 1);
  to_storage(type, inputs.load(0, {r.x, source})).append_to(written);
  out(r.x, Halide::clamp(index, 0, rows - 1)) = Halide::Tuple(written);
  Halide::RVar outer("nj_outer"), inner("nj_inner");
  constexpr auto guard = Halide::TailStrategy::GuardWithIf;
  if (variant.size_class & runtime::put_narrow)
    out.update()
        .allow_race_conditions()
        .split(r.y, outer, inner, 64, guard)
        .reorder(r.x, inner, outer)
        .gpu_blocks(outer)
        .gpu_threads(inner);
  else
    out.update()
        .allow_race_conditions()
        .split(r.x, outer, inner, 64, guard)
        .reorder(inner, outer, r.y)
        .gpu_blocks(outer, r.y)
        .gpu_threads(inner);
  KernelPipeline kernel = finish_kernel(out, inputs, output_types(spec), 2, true);
  add_gpu_pass(kernel.pipeline, target);
  return kernel;
}

}  // namespace numjit::halide_gen
