// Two reductions over a broadcast product, of which nothing is stored: argmin over k of the sum over d
// of (points(x, d) - centres(k, d))^2.
//
//   for q, for p in out:                        p: tiles of one 64-byte vector of x
//     copy operands that vary along x but not along k to the stack, x first
//     best(x) = identity                        in registers
//     for k:
//       s(x) = reduce over d of f(x, d, k)      canonical order for float sums
//       best(x) = best(x) (+) s(x)
//     out(x, p, q) = best(x)                    and the ops after the reductions
//
// The vector runs over x: operands that stand still along x are broadcast from memory, strided ones are
// transposed once a tile. Size class 4 or 8: d is at most that; its lanes are unrolled, those beyond d
// take the identity (as many lanes as the next power of two give the bits of 32). A tile's vector is
// always whole inside; only loads and the final store heed the end of x. The reduction over k has no
// order to keep here. Longer d and ordered sums over k run as two kernels a tile (launch/nested.cpp):
// with a vector over x, 32 lanes of d spill, which measured 8 times slower than rows.
#include <algorithm>

#include <numjit/runtime/kernels/abi.h>
#include <reduce_parts.h>

namespace numjit::halide_gen {
namespace {

using Halide::Expr;
using Halide::Func;
using Halide::RDom;

struct ProductBuilder {
  KernelInputs& inputs;
  Expr d_extent, k_extent, x_extent;
  int columns;
  Halide::Var x{"nj_x"}, d{"nj_d"}, p{"nj_p"}, q{"nj_q"};
  std::vector<Func> staged;  // per operand; undefined where it is read in place

  /// Most elements along d.
  int lanes() const { return static_cast<int>(inputs.variant.size_class); }

  void stage_operands(Func out) {
    for (std::size_t i = 0; i < inputs.operands.size(); ++i) {
      staged.emplace_back();
      if (inputs.variant.inner_stride[i] != runtime::stride_class_staged &&
          inputs.variant.inner_stride[i] != runtime::stride_class_staged_contiguous)
        continue;
      const bool contiguous = inputs.variant.inner_stride[i] == runtime::stride_class_staged_contiguous;
      Func stage("nj_stage" + std::to_string(i));
      const Planes& in = inputs.operands[i];
      if (contiguous) {
        stage(x, d, p, q) = Partial{masked_load(x < x_extent, in({x, d, 0, p, q})), Expr()}.tuple();
        stage.vectorize(x);
      } else {
        stage(x, d, p, q) = Partial{in({Halide::min(x, x_extent - 1), d, 0, p, q}), Expr()}.tuple();
        stage.reorder(d, x);
      }
      stage.bound_extent(x, columns).bound_storage(d, lanes());
      stage.compute_at(out, p).store_in(Halide::MemoryType::Stack);
      staged.back() = stage;
    }
  }

  Leaves at(const Expr& d_index, const Expr& k_index) {
    Leaves leaves;
    leaves.operand = [this, d_index, k_index](int i) {
      const Func& stage = staged[static_cast<std::size_t>(i)];
      const dtype_id type = inputs.spec.operand_types[static_cast<std::size_t>(i)];
      if (stage.defined()) {
        const Halide::FuncRef stored = Func(stage)(x, d_index, p, q);
        return from_storage(type, is_complex(type) ? Value(stored[0], stored[1]) : Value(Expr(stored)));
      }
      return inputs.load_masked(i, {x, d_index, k_index, p, q}, x < x_extent);
    };
    leaves.scalar = [this](int i) { return inputs.scalar(i); };
    return leaves;
  }

  /// Reduction over at most lanes() elements as one expression.
  Value unrolled(const Reduction& r, const Expr& k) {
    std::vector<Partial> lane;
    for (int i = 0; i < lanes(); ++i) {
      Value value = element(inputs.spec, r, at(Halide::min(i, d_extent - 1), k));
      if (i > 0 && r.start_is_exact) value = select(i < d_extent, value, r.start);
      lane.push_back({to_storage(r.type, value), Expr()});
    }
    for (std::size_t h = lane.size() / 2; h >= 1; h /= 2)
      for (std::size_t l = 0; l < h; ++l)
        lane[l] = merge_if(r, static_cast<int>(l + h) < d_extent, lane[l], lane[l + h]);
    return from_storage(r.type, lane[0].value);
  }
};

}  // namespace

KernelPipeline build_product(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                             const Halide::Target&) {
  KernelInputs inputs(spec, variant, 5);
  std::size_t widest = 1;
  for (const graph::KernelNode& node : spec.nodes) widest = std::max(widest, dtype(node.type).itemsize());
  Func out("nj_out");
  Expr md = inputs.parameter("md"), mk = inputs.parameter("mk"), nx = inputs.parameter("nx");
  ProductBuilder product{.inputs = inputs,
                         .d_extent = md,
                         .k_extent = mk,
                         .x_extent = nx,
                         .columns = static_cast<int>(runtime::product_columns(widest)),
                         .staged = {}};
  product.stage_operands(out);
  std::vector<Func> outer;
  std::vector<Partial> partials(spec.nodes.size());
  for (const Reduction& r : reductions_of(spec, 1)) {
    const std::string name = "nj_r" + std::to_string(r.node);
    Func best(name + "_best");
    auto& b = product;
    best(b.x, b.p, b.q) = empty_partial(r, 0).tuple();
    RDom k(0, mk, name + "_k");
    Leaves leaves = product.at(0, k);
    leaves.reduced = [&](int node) {
      return product.unrolled(describe_reduction(spec, node), k);
    };
    Value value = naming(element(spec, r, leaves), k, r);
    best(b.x, b.p, b.q) = append(r, read_partial(r, best, {b.x, b.p, b.q}), value, k).tuple();
    best.bound_extent(b.x, product.columns).store_in(Halide::MemoryType::Register).vectorize(b.x);
    best.update(0).reorder(b.x, k).vectorize(b.x);
    outer.push_back(best);
    partials[static_cast<std::size_t>(r.node)] = read_partial(r, best, {b.x, b.p, b.q});
  }
  Leaves leaves = product.at(0, 0);
  leaves.reduced = [&](int node) {
    return finished(describe_reduction(spec, node), partials[static_cast<std::size_t>(node)]);
  };
  out(product.x, product.p, product.q) = Halide::Tuple(lower_outputs(spec, leaves));
  out.vectorize(product.x, product.columns, Halide::TailStrategy::GuardWithIf);
  for (Func best : outer) best.compute_at(out, product.p);
  KernelPipeline kernel = finish_kernel(out, inputs, output_types(spec), 3);
  add_mask_pass(kernel.pipeline);
  return kernel;
}

}  // namespace numjit::halide_gen
