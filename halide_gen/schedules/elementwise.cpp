// Elementwise kernels.
//
//   for y in out rows:                 run-time strides: 0 (broadcast) and negative ones are free
//     for x in out columns by V:       vectorised; the rest of a row by a masked vector
//       out(x, y) = f(in0(x, y), in1(x, y), ...)
//
// V is a vector of the processor, or two where the operations are a long chain (chains.h).
//
// The stride of x is part of the variant (1, 0, any): a run-time inner stride would cost 1.4x in cache.
// The tail is GuardWithIf and nothing else: ShiftInwards recomputes elements, which is wrong where the
// output's memory is an input's. No parallel loop, no inner split: the executor calls ranges.
//
// Integers that fit a narrower type are computed in it (graph/narrow.h); where that takes scalars for small
// ones, both forms stand in the kernel, which chooses one at its start.
#include <lower.h>

#include <chains.h>
#include <expr_value.h>
#include <numjit/graph/narrow.h>

namespace numjit::halide_gen {
namespace {

/// Do the scalars lie where the narrow form wants them?
Halide::Expr holds(const std::vector<graph::ScalarBound>& bounds, const KernelInputs& inputs) {
  Halide::Expr all = constant<bool>(true);
  for (const graph::ScalarBound& bound : bounds) {
    const Halide::Expr scalar = inputs.scalar(bound.scalar).re;
    const auto number = [&](std::int64_t value) { return Halide::Internal::make_const(scalar.type(), value); };
    all = all && scalar <= number(bound.most);
    if (scalar.type().is_int()) all = all && scalar >= number(bound.least);
  }
  return all;
}

}  // namespace

KernelPipeline build_elementwise(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                                 const Halide::Target& target) {
  KernelInputs inputs(spec, variant, 2);
  Halide::Var x("nj_x"), y("nj_y");
  const Leaves leaves = inputs.leaves_at({x, y});
  Halide::Func out("nj_out");
  const auto tail = Halide::TailStrategy::GuardWithIf;
  if (const auto narrow = graph::narrow_integers(spec)) {
    std::vector<Halide::Expr> values = lower_outputs(narrow->spec, leaves);
    const int lanes = vector_lanes(narrow->spec, target);
    if (narrow->bounds.empty()) {
      out(x, y) = Halide::Tuple(values);
      out.vectorize(x, lanes, tail);
    } else {
      const Halide::Expr small = holds(narrow->bounds, inputs);
      const std::vector<Halide::Expr> wide = lower_outputs(spec, leaves);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = Halide::select(small, values[i], wide[i]);
      out(x, y) = Halide::Tuple(values);
      out.specialize(small).vectorize(x, lanes, tail);
      out.vectorize(x, vector_lanes(spec, target), tail);
    }
  } else {
    const std::vector<Halide::Expr> values = lower_outputs(spec, leaves);
    out(x, y) = Halide::Tuple(values);
    // Fast mode fuses vectors of one register only (fast_math.cpp), which shortens chains as well.
    const int vectors = variant.fast_math ? 1 : vectors_side_by_side(values);
    out.vectorize(x, vector_lanes(spec, target) * vectors, tail);
  }
  return finish_kernel(out, inputs, output_types(spec), 2);
}

}  // namespace numjit::halide_gen
