// Combining of partial results, and the lowering pass behind masked loads.
#include <reduce_parts.h>

#include <map>

#include <numjit/base/error.h>

namespace numjit::halide_gen {

using Halide::Expr;
using namespace Halide::Internal;

namespace {

Expr nan_mask(const Expr& v) { return v.type().is_float() ? v != v : const_false(); }

/// Does an arg reduction prefer value b to value a?
Expr better(const Reduction& r, const Expr& b, const Expr& a) {
  Expr in[2] = {b, a};
  return r.combine(in) || (nan_mask(b) && !nan_mask(a));
}

Partial choose(const Expr& take_b, const Partial& a, const Partial& b) {
  return {Halide::select(take_b, b.value, a.value), Halide::select(take_b, b.index, a.index)};
}

Partial combine_values(const Reduction& r, const Expr& a, const Expr& b) {
  if ((r.op == op_id::max || r.op == op_id::min) && a.type().is_float()) {
    // The row's formula in the form that processors have an instruction for: of equal values b.
    const Expr winner = Halide::select(r.op == op_id::max ? a > b : a < b, a, b);
    return {Halide::select(nan_mask(a), a, winner), Expr()};
  }
  Expr in[2] = {from_storage(r.type, a), from_storage(r.type, b)};
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
    const Load* l = load.as<Load>();
    if (!l) throw CompileError("compile", "a masked load got lost in lowering");
    if (condition.type().lanes() != l->type.lanes()) {
      if (condition.type().lanes() != 1)
        throw CompileError("compile", "a masked load has a mask of another width");
      condition = Broadcast::make(condition, l->type.lanes());
    }
    Expr masked = Load::make(l->type, l->name, l->index, l->image, l->param, condition, l->alignment);
    return Select::make(condition, masked, make_zero(l->type));
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

  std::map<std::string, Expr> lets_;
};

}  // namespace

Partial read_partial(const Reduction& r, Halide::Func from, const std::vector<Expr>& at) {
  if (r.is_arg) return {from(at)[0], from(at)[1]};
  return {from(at), Expr()};
}

Partial empty_partial(const Reduction& r, Expr index) {
  return {to_storage(r.type, r.start), r.is_arg ? Halide::cast<std::int32_t>(index) : Expr()};
}

Partial append(const Reduction& r, const Partial& state, Expr value, Expr index) {
  Partial next{to_storage(r.type, value), r.is_arg ? Halide::cast<std::int32_t>(index) : Expr()};
  if (!r.is_arg) return combine_values(r, state.value, next.value);
  return choose(better(r, value, from_storage(r.type, state.value)), state, next);
}

Partial merge(const Reduction& r, const Partial& a, const Partial& b) {
  if (!r.is_arg) return combine_values(r, a.value, b.value);
  Expr va = from_storage(r.type, a.value), vb = from_storage(r.type, b.value);
  Expr tie = !better(r, vb, va) && !better(r, va, vb);
  return choose(better(r, vb, va) || (tie && b.index < a.index), a, b);
}

Expr finished(const Reduction& r, const Partial& state) {
  return r.is_arg ? Halide::cast<std::int64_t>(state.index) : from_storage(r.type, state.value);
}

Expr element(const graph::KernelSpec& spec, const Reduction& r, const Leaves& leaves) {
  Expr value = lower(spec, r.input, leaves);
  return r.input_type == r.type ? value : cast_value(r.input_type, r.type, value);
}

Expr naming(const Expr& value, const Halide::RVar& k, const Reduction& r) {
  return stmt_or_expr_uses_var(value, k.name()) ? value : Halide::select(k >= 0, value, r.start);
}

Expr masked_load(const Expr& condition, const Expr& load) {
  return Call::make(load.type(), mask_name, {condition, load}, Call::PureExtern);
}

void add_mask_pass(Halide::Pipeline& pipeline) { pipeline.add_custom_lowering_pass(new MaskPass); }

bool is_ordered(const graph::KernelSpec& spec, const Reduction& r) {
  op_id op = spec.nodes[static_cast<std::size_t>(r.node)].op;
  return (op == op_id::sum || op == op_id::prod || op == op_id::max || op == op_id::min) && value_type(r.type).is_float();
}

}  // namespace numjit::halide_gen
