// Reductions along an axis that is not the contiguous one: tiles of columns.
//
//   for q, for p in out:                      p: tiles of 256 bytes of columns
//     ordered (floats)                        unordered (any, integer sums, argmax, ...)
//     for r in 0..32: acc(x, r) = f(x, r)       acc(x) = identity
//     for k by 4 rounds of 32 rows:             for k by 4 rows:
//       for r in 0..32, for x:                    for x:
//         acc(x, r) = acc(x, r) (+) f(x, ...)       acc(x) = acc(x) (+) f(x, k) (+) ... f(x, k + 3)
//     the m % 32 rows that are left
//     folds r and r + h, h = 16 .. 1
//     out(x, p, q) = acc(x, 0)                and the ops after the reduction (size class `whole`)
//
// acc lies on the stack and in L1: as registers, 32 lanes spill, and power-of-two row pitches cost 2x.
// Four rows are added per load and store of acc. Lanes that would only hold the identity are skipped,
// which changes no bit. All folds are one update over a guarded domain: five updates compile for 460 ms.
#include <algorithm>

#include <numjit/runtime/kernels/abi.h>
#include <reduce_parts.h>

namespace numjit::halide_gen {
namespace {

using Halide::Expr;
using Halide::Func;
using Halide::RDom;
using Halide::RVar;
using Halide::TailStrategy;

struct PanelBuilder {
  KernelInputs& inputs;
  Expr m;
  int lanes;
  int columns;
  Halide::Var x{"nj_x"}, r{"nj_lane"}, p{"nj_p"}, q{"nj_q"};
  std::vector<Func> stages;

  Leaves at(const Expr& k) { return inputs.leaves_at({x, k, p, q}); }

  Value f(const Reduction& reduction, const Expr& k) { return element(inputs.spec, reduction, at(k)); }

  void by_four(Halide::Stage update, const RVar& k, const std::vector<Halide::VarOrRVar>& between) {
    RVar outer("nj_ko"), inner("nj_ki");
    std::vector<Halide::VarOrRVar> order{inner, x};
    order.insert(order.end(), between.begin(), between.end());
    order.push_back(outer);
    update.split(k, outer, inner, 4, TailStrategy::GuardWithIf)
        .reorder(order)
        .vectorize(x, lanes, TailStrategy::GuardWithIf)
        .unroll(inner);
  }

  Partial ordered(const Reduction& reduction, const std::string& name) {
    const int count = runtime::chunk_lanes;
    Func acc(name + "_acc");
    const Expr unset = Halide::undef(storage_type(reduction.type));
    acc(x, r, p, q) = Partial{is_complex(reduction.type) ? Value(unset, unset) : Value(unset), Expr()}.tuple();
    RDom first(0, Halide::min(m, count), name + "_first");
    RDom body(0, count, 0, Halide::max(m / count - 1, 0), name + "_body");
    RDom rest(0, Halide::select(m >= count, m % count, 0), name + "_rest");
    auto add = [&](const Expr& lane, const Expr& k, const RVar& round) {
      Value value = naming(f(reduction, k), round, reduction);
      acc(x, lane, p, q) = append(reduction, read_partial(reduction, acc, {x, lane, p, q}), value, k).tuple();
    };
    acc(x, first, p, q) = Partial{to_storage(reduction.type, f(reduction, first)), Expr()}.tuple();
    add(body.x, count + count * body.y + body.x, body.y);
    add(rest, m / count * count + rest, rest);
    RDom fold(0, count / 2, 0, 5, name + "_fold");
    Expr h = (count / 2) >> fold.y;
    fold.where(fold.x < h && fold.x + h < m);
    Expr other = Halide::unsafe_promise_clamped(fold.x + h, 0, count - 1);
    acc(x, fold.x, p, q) = merge(reduction, read_partial(reduction, acc, {x, fold.x, p, q}),
                                 read_partial(reduction, acc, {x, other, p, q})).tuple();

    acc.bound(r, 0, count).bound_storage(x, columns).store_in(Halide::MemoryType::Stack);
    acc.update(0).reorder(x, first).vectorize(x, lanes, TailStrategy::GuardWithIf);
    by_four(acc.update(1), body.y, {body.x});
    acc.update(2).reorder(x, rest).vectorize(x, lanes, TailStrategy::GuardWithIf);
    acc.update(3).reorder(x, fold.x, fold.y).vectorize(x, lanes, TailStrategy::GuardWithIf);
    stages.push_back(acc);
    return read_partial(reduction, acc, {x, 0, p, q});
  }

  Partial unordered(const Reduction& reduction, const std::string& name) {
    Func acc(name + "_acc");
    acc(x, p, q) = empty_partial(reduction, 0).tuple();
    RDom k(0, m, name + "_k");
    Value value = naming(f(reduction, k), k, reduction);
    acc(x, p, q) = append(reduction, read_partial(reduction, acc, {x, p, q}), value, k).tuple();
    acc.bound_storage(x, columns).store_in(Halide::MemoryType::Stack);
    acc.vectorize(x, lanes, TailStrategy::GuardWithIf);
    by_four(acc.update(0), k, {});
    stages.push_back(acc);
    return read_partial(reduction, acc, {x, p, q});
  }
};

}  // namespace

KernelPipeline build_panel(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                           const Halide::Target& target) {
  KernelInputs inputs(spec, variant, 4);
  std::vector<Reduction> reductions = reductions_of(spec, 0);
  int widest = 1;
  for (const Reduction& reduction : reductions)
    widest = std::max(widest, static_cast<int>(dtype(reduction.type).itemsize()));
  PanelBuilder panel{.inputs = inputs,
                     .m = inputs.parameter("m"),
                     .lanes = vector_lanes(spec, target),
                     .columns = static_cast<int>(runtime::panel_columns(widest)),
                     .stages = {}};
  std::vector<Partial> results;
  for (const Reduction& reduction : reductions) {
    const std::string name = "nj_r" + std::to_string(reduction.node);
    results.push_back(is_ordered(spec, reduction) ? panel.ordered(reduction, name)
                                                  : panel.unordered(reduction, name));
  }
  const StoredResults stored = stored_results(inputs, reductions, results, panel.at(0));
  Func out("nj_out");
  out(panel.x, panel.p, panel.q) = Halide::Tuple(stored.values);
  out.vectorize(panel.x, panel.lanes, TailStrategy::GuardWithIf);
  for (Func stage : panel.stages) stage.compute_at(out, panel.p);
  return finish_kernel(out, inputs, stored.types, 3);
}

}  // namespace numjit::halide_gen
