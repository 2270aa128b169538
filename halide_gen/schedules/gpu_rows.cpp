// Reductions for a GPU: along the inner axis 32 threads for each row (or chunk of 1024 of one), a block for each or, of
// rows that are not long, for 8; along another axis (panels) a block of 32 by 32 threads for 32 columns.
//
//   for q, for p in out:                  gpu blocks (panels: 32 columns p each, threads side by side)
//     lane[l] = identity                  l in 32 gpu threads, lanes in memory that the block shares
//     for k in m / 32:
//       lane[l] = lane[l] (+) f(32 k + l)
//     lane[l] = lane[l] (+) f(rest + l)   m % 32 elements, other lanes take the identity
//     fold lanes l and l + h, h = 16, 8, 4, 2, 1: h threads each
//     out(p, q) = lane[0]                 and the ops after the reduction
//
// The canonical order itself, as in rows.cpp. What differs is the remainder: a thread that has none reads the
// row's last element (blocks of several: the last row's) and drops it, since code for GPUs knows no masked loads.
#include <algorithm>

#include <gpu_exact.h>
#include <numjit/runtime/kernels/abi.h>
#include <reduce_parts.h>

namespace numjit::halide_gen {
namespace {

using Halide::Expr;
using Halide::Func;

struct GpuRows {
  KernelInputs& inputs;
  Expr m;
  Expr columns;        // of blocks that take several: how many there are in all
  int width = 1;       // rows of a block
  bool panel = false;  // they lie side by side
  Halide::Var l{"nj_l"}, p{"nj_p"}, q{"nj_q"};
  std::vector<Func> stages;  // computed per row, in order

  Leaves at(const Expr& k) { return inputs.leaves_at({k, width > 1 ? Halide::min(p, columns - 1) : Expr(p), q}); }

  void threads(Func& f, int count) {
    f.bound_extent(l, count);
    if (width > 1) f.bound_extent(p, width);
    spread(f);
  }

  template <class Stage>
  void spread(Stage&& f) {
    if (panel)
      f.gpu_threads(p, l);
    else if (width > 1)
      f.gpu_threads(l, p);
    else f.gpu_threads(l);
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
    threads(lane, count);
    if (panel)
      lane.update(0).reorder(k, p, l), lane.update(1).reorder(p, l);
    else
      lane.update(0).reorder(k, l, p);
    // Of whole chunks several loads are under way at once.
    Halide::Stage whole = lane.update(0).specialize(m == static_cast<int>(runtime::chunk_size));
    whole.unroll(k, 4);
    spread(whole);
    spread(lane.update(0));
    spread(lane.update(1));
    stages.push_back(lane);
    for (int h = count / 2; h >= 1; h /= 2) {
      Func fold(prefix + "_fold" + std::to_string(h));
      fold(l, p, q) = merge_if(r, l + h < m, read_partial(r, stages.back(), {l, p, q}),
                               read_partial(r, stages.back(), {l + h, p, q})).tuple();
      if (panel) fold.reorder(p, l, q);
      threads(fold, h);
      stages.push_back(fold);
    }
    return read_partial(r, stages.back(), {0, p, q});
  }
};

KernelPipeline build(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                     const Halide::Target& target, bool panel) {
  KernelInputs inputs(spec, variant, 3);
  const std::vector<Reduction> reductions = reductions_of(spec, 0);
  GpuRows rows{.inputs = inputs, .m = inputs.parameter("m"), .columns = {}, .stages = {}};
  rows.panel = panel;
  const bool several = panel || (variant.size_class & runtime::device_several_rows) != 0;
  if (several) {
    rows.columns = inputs.parameter("columns");
    // The lanes and folds of a block have to fit in the memory that its threads share.
    rows.width = !panel ? runtime::device_rows_of_block : reductions.size() <= 2 ? 32 : reductions.size() <= 4 ? 16 : 8;
  }
  std::vector<Partial> results;
  for (const Reduction& r : reductions) results.push_back(rows.reduce(r));
  const StoredResults stored = stored_results(inputs, reductions, results, rows.at(0));
  Func out("nj_out");
  out(rows.p, rows.q) = Halide::Tuple(stored.values);
  Halide::Var pi("nj_pi");
  if (several)
    out.split(rows.p, rows.p, pi, rows.width, Halide::TailStrategy::GuardWithIf)
        .gpu_blocks(rows.p, rows.q)
        .gpu_threads(pi);
  else
    out.gpu_blocks(rows.p, rows.q);
  for (Func stage : rows.stages) stage.compute_at(out, rows.p);
  KernelPipeline kernel = finish_kernel(out, inputs, stored.types, 2, true);
  add_gpu_pass(kernel.pipeline, target);
  return kernel;
}

}  // namespace

KernelPipeline build_gpu_rows(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                              const Halide::Target& target) {
  return build(spec, variant, target, false);
}

KernelPipeline build_gpu_panel(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                               const Halide::Target& target) {
  return build(spec, variant, target, true);
}

}  // namespace numjit::halide_gen
