// Combining of partial results, and the lowering pass behind masked loads.
#include <reduce_parts.h>

#include <map>

#include <numjit/base/error.h>
#include <numjit/runtime/kernels/abi.h>

namespace numjit::halide_gen {

using Halide::Expr;
using namespace Halide::Internal;

namespace {

Expr nan_mask(const Value& v) {
  if (!v.re.type().is_float()) return const_false();
  return v.is_complex() ? v.re != v.re || v.im != v.im : v.re != v.re;
}

/// Does an arg reduction prefer value b to value a?
Expr better(const Reduction& r, const Value& b, const Value& a) {
  Value in[2] = {b, a};
  return r.combine(in).re || (nan_mask(b) && !nan_mask(a));
}

Partial choose(const Expr& take_b, const Partial& a, const Partial& b) {
  Partial chosen{select(take_b, b.value, a.value), Expr()};
  if (a.index.defined()) chosen.index = Halide::select(take_b, b.index, a.index);
  return chosen;
}

Partial combine_values(const Reduction& r, const Value& a, const Value& b) {
  if ((r.op == op_id::max || r.op == op_id::min) && a.re.type().is_float() && !a.is_complex()) {
    // The row's formula in the form that processors have an instruction for: of equal values b.
    const Expr winner = Halide::select(r.op == op_id::max ? a.re > b.re : a.re < b.re, a.re, b.re);
    return {Value(Halide::select(nan_mask(a), a.re, winner)), Expr()};
  }
  Value in[2] = {from_storage(r.type, a), from_storage(r.type, b)};
  return {to_storage(r.type, r.combine(in)), Expr()};
}

constexpr const char* mask_name = "nj_mask";

/// Turns marked loads into predicated ones. Runs last, on vectorised code; a marked load may have been
/// lifted into a let by common-subexpression elimination.
class MaskPass final : public IRMutator {
 public:
  using IRMutator::mutate;

 private:
  using IRMutator::visit;

  Expr visit(const Call* op) override {
    if (op->name != mask_name) return IRMutator::visit(op);
    Expr condition = mutate(op->args[0]), load = mutate(op->args[1]);
    while (const Variable* variable = load.as<Variable>()) {
      auto let = lets_.find(variable->name);
      if (let == lets_.end()) break;
      load = let->second;
    }
    if (condition.type().lanes() != load.type().lanes()) {
      if (condition.type().lanes() != 1)
        throw CompileError("compile", "a masked load has a mask of another width");
      condition = Broadcast::make(condition, load.type().lanes());
    }
    return Select::make(condition, masked(load, condition), make_zero(load.type()));
  }
  Expr visit(const Let* op) override {
    Expr value = mutate(op->value);
    lets_[op->name] = value;
    Expr body = mutate(op->body);
    lets_.erase(op->name);
    return Let::make(op->name, value, body);
  }
  Halide::Internal::Stmt visit(const LetStmt* op) override {
    Expr value = mutate(op->value);
    lets_[op->name] = value;
    Halide::Internal::Stmt body = mutate(op->body);
    lets_.erase(op->name);
    return LetStmt::make(op->name, value, body);
  }

  static Expr masked(const Expr& load, const Expr& condition) {
    const Shuffle* slice = load.as<Shuffle>();  // parts of complex elements
    if (slice && slice->is_slice() && slice->slice_stride() == 2 && slice->vectors.size() == 1)
      return Shuffle::make_slice(masked(slice->vectors[0], Shuffle::make_interleave({condition, condition})),
                                 slice->slice_begin(), 2, load.type().lanes());
    const Load* l = load.as<Load>();
    if (!l || l->type.lanes() != condition.type().lanes())
      throw CompileError("compile", "a masked load got lost in lowering");
    return Load::make(l->type, l->name, l->index, l->image, l->param, condition, l->alignment);
  }

  std::map<std::string, Expr> lets_;
};

}  // namespace

Partial read_partial(const Reduction& r, Halide::Func from, const std::vector<Expr>& at) {
  if (is_complex(r.type)) {
    const Halide::FuncRef element = from(at);
    return {Value(element[0], element[1]), r.is_arg ? Expr(element[2]) : Expr()};
  }
  if (r.is_arg) return {Expr(from(at)[0]), from(at)[1]};
  return {Expr(from(at)), Expr()};
}

Partial empty_partial(const Reduction& r, Expr index) {
  return {to_storage(r.type, r.start), r.is_arg ? Halide::cast<std::int32_t>(index) : Expr()};
}

Partial append(const Reduction& r, const Partial& state, const Value& value, Expr index) {
  Partial next{to_storage(r.type, value), r.is_arg ? Halide::cast<std::int32_t>(index) : Expr()};
  if (!r.is_arg) return combine_values(r, state.value, next.value);
  return choose(better(r, value, from_storage(r.type, state.value)), state, next);
}

Partial append_if(const Reduction& r, const Expr& present, const Expr& first, const Partial& state,
                  const Value& value, Expr index) {
  if (r.start_is_exact) return append(r, state, select(present, value, r.start), index);
  const Partial alone{to_storage(r.type, value), Expr()};
  return choose(present, state, choose(first, append(r, state, value, index), alone));
}

Partial merge(const Reduction& r, const Partial& a, const Partial& b) {
  if (!r.is_arg) return combine_values(r, a.value, b.value);
  Value va = from_storage(r.type, a.value), vb = from_storage(r.type, b.value);
  Expr tie = !better(r, vb, va) && !better(r, va, vb);
  return choose(better(r, vb, va) || (tie && b.index < a.index), a, b);
}

Partial merge_if(const Reduction& r, const Expr& present, const Partial& a, const Partial& b) {
  return r.start_is_exact ? merge(r, a, b) : choose(present, a, merge(r, a, b));
}

Value finished(const Reduction& r, const Partial& state) {
  return r.is_arg ? Value(Halide::cast<std::int64_t>(state.index)) : from_storage(r.type, state.value);
}

Value element(const graph::KernelSpec& spec, const Reduction& r, const Leaves& leaves) {
  Value value = lower(spec, r.input, leaves);
  return r.input_type == r.type ? value : cast_value(r.input_type, r.type, value);
}

Value naming(const Value& value, const Halide::RVar& k, const Reduction& r) {
  const bool names = stmt_or_expr_uses_var(value.re, k.name()) ||
                     (value.is_complex() && stmt_or_expr_uses_var(value.im, k.name()));
  return names ? value : select(k >= 0, value, r.start);
}

Value masked_load(const Expr& condition, const Value& load) {
  return load.each([&](const Expr& part) {
    return Call::make(part.type(), mask_name, {condition, part}, Call::PureExtern);
  });
}

StoredResults stored_results(const KernelInputs& inputs, const std::vector<Reduction>& reductions,
                             const std::vector<Partial>& results, Leaves after) {
  if ((inputs.variant.size_class & runtime::size_class_partial) == 0) {
    after.reduced = [&](int node) {
      std::size_t i = 0;
      while (reductions[i].node != node) ++i;
      return finished(reductions[i], results[i]);
    };
    return {lower_outputs(inputs.spec, after), output_types(inputs.spec)};
  }
  StoredResults stored;
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    results[i].append_to(stored.values);
    stored.types.push_back(reductions[i].type);
    if (reductions[i].is_arg) stored.types.push_back(dtype_id::int32);
  }
  return stored;
}

void add_mask_pass(Halide::Pipeline& pipeline) { pipeline.add_custom_lowering_pass(new MaskPass); }

bool is_ordered(const graph::KernelSpec& spec, const Reduction& r) {
  op_id op = spec.nodes[static_cast<std::size_t>(r.node)].op;
  if (is_complex(r.type)) return !r.is_arg;
  const bool ordered = op == op_id::sum || op == op_id::prod || op == op_id::max || op == op_id::min;
  return ordered && value_type(r.type).is_float();
}

}  // namespace numjit::halide_gen
