// Parts that the reduction templates share: combining values, and loads that must not touch memory.
#pragma once

#include <vector>

#include <lower.h>

namespace numjit::halide_gen {

/// The state of one reduction in flight: a value, and for arg reductions the index it stands at.
struct Partial {
  Value value;         // storage type
  Halide::Expr index;  // int32, arg reductions only
  /// Both, as a Func's right-hand side.
  Halide::Tuple tuple() const {
    std::vector<Halide::Expr> list;
    append_to(list);
    return Halide::Tuple(list);
  }
  void append_to(std::vector<Halide::Expr>& list) const {
    value.append_to(list);
    if (index.defined()) list.push_back(index);
  }
};

/// Reads a Func that holds partials.
Partial read_partial(const Reduction& reduction, Halide::Func from, const std::vector<Halide::Expr>& at);

/// The state that changes nothing, standing at `index`.
Partial empty_partial(const Reduction& reduction, Halide::Expr index);

/// `state` and one more element (value type), which comes after all elements in `state`.
Partial append(const Reduction& reduction, const Partial& state, const Value& value, Halide::Expr index);

/// The same where `present` holds; `first`: nothing is in `state` yet.
Partial append_if(const Reduction& reduction, const Halide::Expr& present, const Halide::Expr& first,
                  const Partial& state, const Value& value, Halide::Expr index);

/// Two states in any order: an arg reduction takes the smaller index among equals.
Partial merge(const Reduction& reduction, const Partial& a, const Partial& b);

/// The same; `present`: there is something in b.
Partial merge_if(const Reduction& reduction, const Halide::Expr& present, const Partial& a,
                 const Partial& b);

/// Value of the reduce node for use by the ops after it.
Value finished(const Reduction& reduction, const Partial& state);

/// The element to be reduced at a point, cast to the type of accumulation.
Value element(const graph::KernelSpec& spec, const Reduction& reduction, const Leaves& leaves);

/// `value`, made to name the reduction variable k: an update has to, also where all elements are equal.
Value naming(const Value& value, const Halide::RVar& k, const Reduction& reduction);

/// Marks a load that may only touch memory where `condition` holds; elsewhere it gives 0. Needs
/// MaskPass on the pipeline (without it the kernel does not link).
Value masked_load(const Halide::Expr& condition, const Value& load);
void add_mask_pass(Halide::Pipeline& pipeline);

/// What a kernel of one reduction level stores: with size class `partial` the values of its reduce nodes
/// (and indices of arg reductions), else the spec's outputs, computed from them and `after`.
struct StoredResults {
  std::vector<Halide::Expr> values;
  std::vector<dtype_id> types;
};
StoredResults stored_results(const KernelInputs& inputs, const std::vector<Reduction>& reductions,
                             const std::vector<Partial>& results, Leaves after);

/// True if the order shows in the result: in roundings, or in the sign of a zero that is the largest.
bool is_ordered(const graph::KernelSpec& spec, const Reduction& reduction);

}  // namespace numjit::halide_gen
