// Reductions along the inner axis for a GPU: a group of 32 threads for each row (or chunk of 1024 of one).
//
//   for q, for p in out:                  gpu blocks
//     lane[l] = identity                  l in 32 gpu threads, lanes in memory that the block shares
//     for k in m / 32:
//       lane[l] = lane[l] (+) f(32 k + l)
//     lane[l] = lane[l] (+) f(rest + l)   m % 32 elements, other lanes take the identity
//     fold lanes l and l + h, h = 16, 8, 4, 2, 1: h threads each
//     out(p, q) = lane[0]                 and the ops after the reduction
//
// The canonical order itself, as in rows.cpp. What differs is the remainder: a thread that has none reads the
// row's last element and drops it, since code for GPUs knows no masked loads.
#include <gpu_exact.h>
#include <numjit/runtime/kernel_abi.h>
#include <reduce_parts.h>

namespace numjit::halide_gen {
namespace {

using Halide::Expr;
using Halide::Func;

struct GpuRows {
  KernelInputs& inputs;
  Expr m;
  Halide::Var l{"nj_l"}, p{"nj_p"}, q{"nj_q"};
  std::vector<Func> stages;  // computed per row, in order

  Leaves at(const Expr& k) {
    Leaves leaves;
    leaves.operand = [this, k](int i) { return inputs.load(i, {k, p, q}); };
    leaves.scalar = [this](int i) { return inputs.scalar(i); };
    return leaves;
  }

  Partial reduce(const Reduction& r) {
    const int count = runtime::chunk_lanes;
    const std::string prefix = "nj_r" + std::to_string(r.node);
    Func lane(prefix + "_lane");
    lane(l, p, q) = empty_partial(r, l).tuple();
    Halide::RDom k(0, m / count, prefix + "_k");
    const Expr index = count * k + l;
    lane(l, p, q) = append_if(r, Halide::Internal::const_true(), k == 0, read_partial(r, lane, {l, p, q}),
                              naming(element(inputs.spec, r, at(index)), k, r), index).tuple();
    const Expr rest = m / count * count + l;
    lane(l, p, q) = append_if(r, l < m % count, m < count, read_partial(r, lane, {l, p, q}),
                              element(inputs.spec, r, at(Halide::min(rest, m - 1))), rest).tuple();
    lane.bound_extent(l, count).gpu_threads(l);
    lane.update(0).reorder(k, l).gpu_threads(l);
    lane.update(1).gpu_threads(l);
    stages.push_back(lane);
    for (int h = count / 2; h >= 1; h /= 2) {
      Func fold(prefix + "_fold" + std::to_string(h));
      fold(l, p, q) = merge_if(r, l + h < m, read_partial(r, stages.back(), {l, p, q}),
                               read_partial(r, stages.back(), {l + h, p, q})).tuple();
      fold.bound_extent(l, h).gpu_threads(l);
      stages.push_back(fold);
    }
    return read_partial(r, stages.back(), {0, p, q});
  }
};

}  // namespace

KernelPipeline build_gpu_rows(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                              const Halide::Target& target) {
  KernelInputs inputs(spec, variant, 3);
  GpuRows rows{.inputs = inputs, .m = inputs.parameter("m"), .stages = {}};
  const std::vector<Reduction> reductions = reductions_of(spec, 0);
  std::vector<Partial> results;
  for (const Reduction& r : reductions) results.push_back(rows.reduce(r));
  const StoredResults stored = stored_results(inputs, reductions, results, rows.at(0));
  Func out("nj_out");
  out(rows.p, rows.q) = Halide::Tuple(stored.values);
  out.gpu_blocks(rows.p, rows.q);
  for (Func stage : rows.stages) stage.compute_at(out, rows.p);
  KernelPipeline kernel = finish_kernel(out, inputs, stored.types, 2, true);
  if (target.has_feature(Halide::Target::OpenCL)) add_opencl_pass(kernel.pipeline);
  return kernel;
}

}  // namespace numjit::halide_gen
