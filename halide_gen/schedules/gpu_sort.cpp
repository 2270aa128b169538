// Sorting for a GPU: merges of neighbouring runs, searches in what is sorted, and sums of runs.
//
// gpu_merge:   rows of n elements, of which each `run` are sorted; afterwards each 2 * run are. In each thread:
//   pair:      the two runs a and b that out(e) is of, where it has the rank d
//   taken:     how many of the first d come from a, by a search with halving steps: a(i) is among them if it is not
//              above b(d - 1 - i), so that equal elements keep their order
//   out(e):    the smaller one of a(taken) and b(d - taken), and what goes with it
//
// gpu_join:    the same for rows (x, row) and runs that are multiples of 1024, which are longer than a block. In each block of
// 1024 places of the result:
//                cut(0), cut(1) = how many elements from a come before the first place, and before what follows the last
//                tile           = those from a, then those from b, in shared memory
//                out            = the tile's two parts merged
//              So each element is read and written once, and what is searched lies near.
//
// gpu_search:  out(j) = the number of k with a(k) < x(j), or with a(k) <= x(j)
//
// gpu_bins:    out(b) = 0 + x(begin(b)) + ... + x(after(b) - 1), in this order. Halide turns the condition into the
//              bound of the loop, so that each thread goes through its own elements only.
//
// All only read at places that they compute: nobody writes where others may.
#include <functional>

#include <gpu_exact.h>
#include <gpu_steps.h>
#include <gpu_tiles.h>
#include <numjit/runtime/kernels/device_abi.h>

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

constexpr int block = static_cast<int>(runtime::join_block), block_threads = 256;

/// Two sorted runs to be merged.
struct Runs {
  Expr of_a, of_b;                      // how many elements
  std::function<Expr(const Expr&)> a, b;  // keys
};

/// How many of the first `d` come from a; `points` are the Func's variables, `steps` halve what is searched.
Halide::Func search_cut(const std::string& name, const std::vector<Halide::Var>& points, const Runs& runs, const Expr& d,
                        const Expr& steps) {
  Halide::Func taken(name);
  const std::vector<Expr> at(points.begin(), points.end());
  taken(at) = Halide::max(d - runs.of_b, 0);
  const Halide::RDom step(0, steps, name + "_step");
  const Expr now = taken(at), next = now + (Expr(1) << Halide::cast<std::uint32_t>(steps - 1 - step)),
             high = Halide::min(d, runs.of_a);
  taken(at) = Halide::select(next <= high && runs.a(next - 1) <= runs.b(d - next), next, now);
  return taken;
}
/// Of the element at `d`: does it come from a?
Expr comes_from_a(const Runs& runs, const Expr& taken, const Expr& d) {
  return taken < runs.of_a && (d - taken >= runs.of_b || runs.a(taken) <= runs.b(d - taken));
}

}  // namespace

KernelPipeline build_gpu_join(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                              const Halide::Target& target) {
  KernelInputs inputs(spec, variant, 2);
  const Expr n = inputs.parameter("n"), run = inputs.parameter("run"), steps = inputs.parameter("steps");
  Halide::Var x("nj_x"), row("nj_row"), i("nj_i"), part("nj_part"), end("nj_end");
  const std::size_t arrays = spec.operand_types.size();
  const auto element = [&](std::size_t k, const Expr& at) { return inputs.operands[k].re(Halide::clamp(at, 0, n - 1), row); };
  // The two runs that a block's places are of.
  const Expr first = block * part, from = first % (2 * run), start = first - from, rest = n - start;
  Runs runs{Halide::min(run, rest), Halide::clamp(rest - run, 0, run), {}, {}};
  runs.a = [&](const Expr& at) { return element(0, start + at); };
  runs.b = [&](const Expr& at) { return element(0, start + runs.of_a + at); };
  const Expr places = Halide::min(block, rest - from);
  Halide::Func search = search_cut("nj_search", {end, part, row}, runs, from + Halide::select(end == 0, 0, places), steps),
               cut("nj_cut");
  cut(end, part, row) = search(end, part, row);
  const Expr before = cut(0, part, row), of_a = cut(1, part, row) - before;
  Halide::Func tile("nj_tile"), near("nj_near"), out("nj_out");
  const Expr at = start + Halide::select(i < of_a, before + i, runs.of_a + from - before + i - of_a);
  std::vector<Expr> parts;
  for (std::size_t k = 0; k < arrays; ++k) parts.push_back(element(k, at));
  tile(i, part, row) = Halide::Tuple(parts);

  const Expr own = x / block, d = x % block;
  const auto of_tile = [&](std::size_t k, const Expr& place) {
    const auto found = tile(Halide::clamp(place, 0, block - 1), own, row);
    return arrays > 1 ? Expr(found[static_cast<int>(k)]) : Expr(found);
  };
  const Expr split = cut(1, own, row) - cut(0, own, row), all = Halide::min(n - block * own, block);
  Runs halves{split, all - split, [&](const Expr& place) { return of_tile(0, place); },
              [&, split](const Expr& place) { return of_tile(0, split + place); }};
  near = search_cut("nj_near", {x, row}, halves, d, 11);
  const Expr taken = near(x, row), place = Halide::select(comes_from_a(halves, taken, d), taken, split + d - taken);
  std::vector<Expr> results;
  for (std::size_t k = 0; k < arrays; ++k) results.push_back(of_tile(k, place));
  out(x, row) = Halide::Tuple(results);
  Halide::Var four("nj_four"), thread("nj_thread");
  out.split(x, x, i, block, Halide::TailStrategy::GuardWithIf)
      .split(i, four, thread, block_threads)
      .reorder(four, thread, x, row)
      .gpu_blocks(x, row)
      .gpu_threads(thread);
  near.compute_at(out, four);
  tile.compute_at(out, x).store_in(Halide::MemoryType::GPUShared).bound(i, 0, block);
  tile.split(i, four, thread, block_threads).reorder(four, thread).gpu_threads(thread);
  cut.compute_at(out, x).store_in(Halide::MemoryType::GPUShared).bound(end, 0, 2).gpu_threads(end);
  search.compute_at(cut, end);
  KernelPipeline kernel = finish_kernel(out, inputs, output_types(spec), 2);
  add_gpu_pass(kernel.pipeline, target);
  return kernel;
}

KernelPipeline build_gpu_merge(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                               const Halide::Target& target) {
  KernelInputs inputs(spec, variant, 1);
  const Expr n = inputs.parameter("n"), run = inputs.parameter("run"), steps = inputs.parameter("steps"),
             all = inputs.parameter("all");
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
  const Expr begin = Halide::cast<std::int32_t>(inputs.operands[1].re(b)),
             after = Halide::cast<std::int32_t>(inputs.operands[2].re(b));
  sum(b) = Halide::Internal::make_zero(Halide::Float(64));
  Halide::RDom k(0, n, "nj_k");
  k.where(k < after - begin);
  sum(b) += inputs.operands[0].re(Halide::clamp(begin + k, 0, n - 1));
  out(b) = sum(b);
  return one_thread_each(out, b, sum, inputs, target);
}

}  // namespace numjit::halide_gen
