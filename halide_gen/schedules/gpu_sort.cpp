// Sorting for a GPU: merges of neighbouring runs, searches in what is sorted, and sums of runs.
//
// gpu_merge:   rows of n elements, of which each `run` are sorted; afterwards each 2 * run are. In each thread:
//   pair:      the two runs a and b that out(e) is of, where it has the rank d
//   taken:     how many of the first d come from a, by a search with halving steps: a(i) is among them if it is not
//              above b(d - 1 - i), so that equal elements keep their order
//   out(e):    the smaller one of a(taken) and b(d - taken), and what goes with it
//
// gpu_search:  out(j) = the number of k with a(k) < x(j), or with a(k) <= x(j)
//
// gpu_bins:    out(b) = 0 + x(begin(b)) + ... + x(after(b) - 1), in this order. Halide turns the condition into the
//              bound of the loop, so that each thread goes through its own elements only.
//
// All only read at places that they compute: nobody writes where others may.
#include <gpu_exact.h>
#include <gpu_steps.h>
#include <numjit/runtime/device_kernel_abi.h>

namespace numjit::halide_gen {
namespace {

using Halide::Expr;

KernelPipeline one_thread_each(Halide::Func out, const Halide::Var& e, Halide::Func search, const KernelInputs& inputs,
                               const Halide::Target& target) {
  Halide::Var outer("nj_outer"), inner("nj_inner");
  out.split(e, outer, inner, 64, Halide::TailStrategy::GuardWithIf).gpu_blocks(outer).gpu_threads(inner);
  search.compute_at(out, inner);
  KernelPipeline kernel = finish_kernel(out, inputs, output_types(inputs.spec), 1, true);
  add_gpu_pass(kernel.pipeline, target);
  return kernel;
}

}  // namespace

KernelPipeline build_gpu_merge(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                               const Halide::Target& target) {
  KernelInputs inputs(spec, variant, 1);
  const Expr n = inputs.parameter("n"), run = inputs.parameter("run"), steps = inputs.parameter("steps"), all = inputs.parameter("all");
  Halide::Var e("nj_e");
  const Expr in_row = e % n, d = in_row % (2 * run), start = e - d;  // start: of the pair
  const Expr rest = n - (in_row - d);
  const Expr of_a = Halide::min(run, rest), of_b = Halide::clamp(rest - run, 0, run);
  const Expr high = Halide::min(d, of_a);
  // What the search asks for beyond the runs is not looked at; Halide wants to know that it is there.
  auto inside = [&](const Expr& at) { return Halide::clamp(at, 0, all - 1); };
  auto key = [&](const Expr& at) { return inputs.operands[0].re(inside(at)); };
  auto a = [&](const Expr& i) { return key(start + i); };
  auto b = [&](const Expr& i) { return key(start + of_a + i); };
  Halide::Func taken("nj_taken"), out("nj_out");
  taken(e) = Halide::max(d - of_b, 0);
  const Halide::RDom step(0, steps, "nj_step");
  const Expr next = taken(e) + (Expr(1) << Halide::cast<std::uint32_t>(steps - 1 - step));
  taken(e) = Halide::select(next <= high && a(next - 1) <= b(d - next), next, taken(e));
  const Expr i = taken(e), j = d - i;
  const Expr at = start + Halide::select(i < of_a && (j >= of_b || a(i) <= b(j)), i, of_a + j);
  std::vector<Expr> parts;
  for (std::size_t k = 0; k < spec.operand_types.size(); ++k) parts.push_back(inputs.operands[k].re(inside(at)));
  out(e) = Halide::Tuple(parts);
  return one_thread_each(out, e, taken, inputs, target);
}

KernelPipeline build_gpu_search(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                                const Halide::Target& target) {
  KernelInputs inputs(spec, variant, 1);
  const bool after = variant.size_class == runtime::search_after;
  const Expr n = inputs.parameter("n");
  Halide::Var j("nj_j");
  Halide::Func place("nj_place"), out("nj_out");
  place(j) = 0;
  const Halide::RDom step(0, 31, "nj_step");
  const Expr next = place(j) + (Expr(1 << 30) >> Halide::cast<std::uint32_t>(step));
  const Expr element = inputs.operands[0].re(Halide::clamp(next - 1, 0, n - 1)), wanted = inputs.operands[1].re(j);
  place(j) = Halide::select(next <= n && (after ? element <= wanted : element < wanted), next, place(j));
  out(j) = Halide::cast<std::int64_t>(place(j));
  return one_thread_each(out, j, place, inputs, target);
}

KernelPipeline build_gpu_bins(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                              const Halide::Target& target) {
  KernelInputs inputs(spec, variant, 1);
  const Expr n = inputs.parameter("n");
  Halide::Var b("nj_b");
  Halide::Func sum("nj_sum"), out("nj_out");
  const Expr begin = Halide::cast<std::int32_t>(inputs.operands[1].re(b)), after = Halide::cast<std::int32_t>(inputs.operands[2].re(b));
  sum(b) = Halide::Internal::make_zero(Halide::Float(64));
  Halide::RDom k(0, n, "nj_k");
  k.where(k < after - begin);
  sum(b) += inputs.operands[0].re(Halide::clamp(begin + k, 0, n - 1));
  out(b) = sum(b);
  return one_thread_each(out, b, sum, inputs, target);
}

}  // namespace numjit::halide_gen
