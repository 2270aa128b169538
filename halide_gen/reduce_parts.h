// Parts that the reduction templates share: combining values, and loads that must not touch memory.
#pragma once

#include <vector>

#include <lower.h>

namespace numjit::halide_gen {

/// The state of one reduction in flight: a value, and for arg reductions the index it stands at.
struct Partial {
  Halide::Expr value;  // storage type
  Halide::Expr index;  // int32, arg reductions only
  /// Both, as a Func's right-hand side.
  Halide::Tuple tuple() const {
    return index.defined() ? Halide::Tuple(value, index) : Halide::Tuple(value);
  }
};

/// Reads a Func that holds partials.
Partial read_partial(const Reduction& reduction, Halide::Func from, const std::vector<Halide::Expr>& at);

/// The state that changes nothing, standing at `index`.
Partial empty_partial(const Reduction& reduction, Halide::Expr index);

/// `state` and one more element (value type), which comes after all elements in `state`.
Partial append(const Reduction& reduction, const Partial& state, Halide::Expr value, Halide::Expr index);

/// Two states in any order: an arg reduction takes the smaller index among equals.
Partial merge(const Reduction& reduction, const Partial& a, const Partial& b);

/// Value of the reduce node for use by the ops after it.
Halide::Expr finished(const Reduction& reduction, const Partial& state);

/// The element to be reduced at a point, cast to the type of accumulation.
Halide::Expr element(const graph::KernelSpec& spec, const Reduction& reduction, const Leaves& leaves);

/// `value`, made to name the reduction variable k: an update has to, also where all elements are equal.
Halide::Expr naming(const Halide::Expr& value, const Halide::RVar& k, const Reduction& reduction);

/// Marks a load that may only touch memory where `condition` holds; elsewhere it gives 0. Needs
/// MaskPass on the pipeline (without it the kernel does not link).
Halide::Expr masked_load(const Halide::Expr& condition, const Halide::Expr& load);
void add_mask_pass(Halide::Pipeline& pipeline);

/// True if the order shows in the result: in roundings, or in the sign of a zero that is the largest.
bool is_ordered(const graph::KernelSpec& spec, const Reduction& reduction);

}  // namespace numjit::halide_gen
