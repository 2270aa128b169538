// Reductions of rows of at most 32 elements for a GPU: a thread for each row.
//
//   for q, for p in out:                  blocks of 128 threads along p, or (device_short_columns) of 8 by 16
//     lane[l] = f(l) if l < m             l in the least power of two that is not below m; in registers
//     fold lanes l and l + h, h = half of them, ..., 2, 1
//     out(p, q) = lane[0]                 and the ops after the reduction
//
// The canonical order, as in gpu_rows.cpp: the lanes that are not here would be dropped there.
#include <gpu_exact.h>
#include <numjit/runtime/kernels/abi.h>
#include <reduce_parts.h>

namespace numjit::halide_gen {
namespace {

using Halide::Expr;
using Halide::Func;

struct ShortRows {
  KernelInputs& inputs;
  Expr m;
  int lanes;
  Halide::Var l{"nj_l"}, p{"nj_p"}, q{"nj_q"};
  std::vector<Func> stages;  // computed per row, in order

  Leaves at(const Expr& k) { return inputs.leaves_at({k, p, q}); }

  void add(Func stage, int count) {
    stage.bound_extent(l, count).store_in(Halide::MemoryType::Register).unroll(l);
    stages.push_back(stage);
  }

  Partial reduce(const Reduction& r) {
    const std::string prefix = "nj_r" + std::to_string(r.node);
    Func lane(prefix + "_lane");
    lane(l, p, q) = append_if(r, l < m, Halide::Internal::const_true(), empty_partial(r, l),
                              element(inputs.spec, r, at(Halide::min(l, m - 1))), l)
                        .tuple();
    add(lane, lanes);
    for (int h = lanes / 2; h >= 1; h /= 2) {
      Func fold(prefix + "_fold" + std::to_string(h));
      fold(l, p, q) =
          merge_if(r, l + h < m, read_partial(r, stages.back(), {l, p, q}), read_partial(r, stages.back(), {l + h, p, q}))
              .tuple();
      add(fold, h);
    }
    return read_partial(r, stages.back(), {0, p, q});
  }
};

}  // namespace

KernelPipeline build_gpu_short_rows(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                                    const Halide::Target& target) {
  KernelInputs inputs(spec, variant, 3);
  ShortRows rows{.inputs = inputs,
                 .m = inputs.parameter("m"),
                 .lanes = static_cast<int>(variant.size_class / runtime::device_row_unit),
                 .stages = {}};
  const std::vector<Reduction> reductions = reductions_of(spec, 0);
  std::vector<Partial> results;
  for (const Reduction& r : reductions) results.push_back(rows.reduce(r));
  const StoredResults stored = stored_results(inputs, reductions, results, rows.at(0));
  Func out("nj_out");
  out(rows.p, rows.q) = Halide::Tuple(stored.values);
  Halide::Var pi("nj_pi"), qi("nj_qi");
  constexpr auto guard = Halide::TailStrategy::GuardWithIf;
  if (variant.size_class & runtime::device_short_columns)
    out.split(rows.p, rows.p, pi, 8, guard)
        .split(rows.q, rows.q, qi, 16, guard)
        .reorder({pi, qi, rows.q, rows.p})  // of the blocks' axes the first one may be long
        .gpu_threads(pi, qi)
        .gpu_blocks(rows.q, rows.p);
  else
    out.split(rows.p, rows.p, pi, 128, guard).gpu_threads(pi).gpu_blocks(rows.p, rows.q);
  for (Func stage : rows.stages) stage.compute_at(out, pi);
  KernelPipeline kernel = finish_kernel(out, inputs, stored.types, 2, true);
  add_gpu_pass(kernel.pipeline, target);
  return kernel;
}

}  // namespace numjit::halide_gen
