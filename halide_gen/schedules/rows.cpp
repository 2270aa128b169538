// Reductions along the inner axis: rows, and whole arrays as rows of chunks.
//
//   for q, for p in out:                    rows, or chunks of 1024 of one row
//     lane[0..32) = identity                in registers
//     for k in m / 32:                      whole vectors, no masks
//       lane[l] = lane[l] (+) f(32 k + l)
//     lane[l] = lane[l] (+) f(rest + l)     m % 32 elements; masked loads, other lanes take the identity
//     fold lanes l and l + h, h = 16, 8, 4, 2, 1
//     out(p, q) = lane[0]                   and the ops after the reduction (size class `whole`)
//
// This is the canonical order itself, so every reduction uses it, ordered or not. The identity of float
// sums is -0.0: masked lanes change no bit. Each fold is a Func of its own: inlined, the tree would turn
// scalar. Clamping the remainder's index would make gathers, a branch per lane would be slow and a plain
// select would read past the array, hence the masked loads (reduce_parts.h).
#include <algorithm>

#include <numjit/runtime/kernels/abi.h>
#include <reduce_parts.h>

namespace numjit::halide_gen {
namespace {

using Halide::Expr;
using Halide::Func;

struct RowsBuilder {
  KernelInputs& inputs;
  Expr m;
  int lanes;
  Halide::Var l{"nj_l"}, p{"nj_p"}, q{"nj_q"};
  std::vector<Func> stages;  // computed per row, in order

  Leaves at(const Expr& k, const Expr& mask) {
    Leaves leaves;
    leaves.operand = [this, k, mask](int i) {
      return mask.defined() ? inputs.load_masked(i, {k, p, q}, mask) : inputs.load(i, {k, p, q});
    };
    leaves.scalar = [this](int i) { return inputs.scalar(i); };
    return leaves;
  }

  /// All reductions in one walk over the row: what their expressions share is computed once.
  std::vector<Partial> reduce(const std::vector<Reduction>& reductions) {
    const int count = runtime::chunk_lanes;
    const int width = std::min(lanes, count);
    Func lane("nj_lane");
    lane(l, p, q) = Halide::Tuple(values_of(reductions, [&](std::size_t i, std::size_t) {
      return empty_partial(reductions[i], l);
    }));
    Halide::RDom k(0, m / count, "nj_k");
    const Expr index = count * k + l;
    lane(l, p, q) = Halide::Tuple(values_of(reductions, [&](std::size_t i, std::size_t at) {
      const Reduction& r = reductions[i];
      const Value value = element(inputs.spec, r, this->at(index, Expr()));
      return append_if(r, Halide::Internal::const_true(), k == 0, read(r, lane, at, l), naming(value, k, r), index);
    }));
    const Expr rest = m / count * count + l;
    const Expr mask = l < m % count;
    lane(l, p, q) = Halide::Tuple(values_of(reductions, [&](std::size_t i, std::size_t at) {
      const Reduction& r = reductions[i];
      const Value tail = element(inputs.spec, r, this->at(rest, mask));
      return append_if(r, mask, m < count, read(r, lane, at, l), tail, rest);
    }));
    lane.bound_extent(l, count).store_in(Halide::MemoryType::Register).vectorize(l, width).unroll(l);
    lane.update(0).reorder(l, k).vectorize(l, width).unroll(l);
    lane.update(1).vectorize(l, width).unroll(l);
    stages.push_back(lane);

    for (int h = count / 2; h >= 1; h /= 2) {
      Func fold("nj_fold" + std::to_string(h));
      Func from = stages.back();
      fold(l, p, q) = Halide::Tuple(values_of(reductions, [&](std::size_t i, std::size_t at) {
        const Reduction& r = reductions[i];
        return merge_if(r, l + h < m, read(r, from, at, l), read(r, from, at, l + h));
      }));
      fold.bound_extent(l, h).store_in(Halide::MemoryType::Register).vectorize(l, std::min(width, h)).unroll(l);
      stages.push_back(fold);
    }
    std::vector<Partial> results;
    values_of(reductions, [&](std::size_t i, std::size_t at) {
      results.push_back(read(reductions[i], stages.back(), at, 0));
      return results.back();
    });
    return results;
  }

 private:
  /// One list of the values (and indices) that f(reduction, place of its value in the list) gives.
  template <class F>
  static std::vector<Expr> values_of(const std::vector<Reduction>& reductions, F&& f) {
    std::vector<Expr> values;
    for (std::size_t i = 0; i < reductions.size(); ++i) {
      const Partial partial = f(i, values.size());
      partial.append_to(values);
    }
    return values;
  }
  Partial read(const Reduction& r, const Func& from, std::size_t at, const Expr& lane) const {
    if (from.outputs() == 1) return {Value(Expr(from(lane, p, q))), Expr()};
    const Halide::FuncRef state = from(lane, p, q);
    const std::size_t parts = is_complex(r.type) ? 2 : 1;
    return {parts == 2 ? Value(state[at], state[at + 1]) : Value(Expr(state[at])),
            r.is_arg ? Expr(state[at + parts]) : Expr()};
  }
};

}  // namespace

KernelPipeline build_rows(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                          const Halide::Target& target) {
  KernelInputs inputs(spec, variant, 3);
  RowsBuilder rows{.inputs = inputs, .m = inputs.parameter("m"), .lanes = vector_lanes(spec, target), .stages = {}};
  const std::vector<Reduction> reductions = reductions_of(spec, 0);
  const StoredResults stored = stored_results(inputs, reductions, rows.reduce(reductions), rows.at(0, Expr()));
  Func out("nj_out");
  out(rows.p, rows.q) = Halide::Tuple(stored.values);
  for (Func stage : rows.stages) stage.compute_at(out, rows.p);
  KernelPipeline kernel = finish_kernel(out, inputs, stored.types, 2, true);
  add_mask_pass(kernel.pipeline);
  return kernel;
}

}  // namespace numjit::halide_gen
