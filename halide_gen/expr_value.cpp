// The lowering pass behind hx's `rarely` and quotients by zero, and what an expression varies with.
#include <expr_value.h>

#include <cmath>
#include <limits>

namespace numjit::halide_gen {

namespace {

using namespace Halide::Internal;

// Inverse of a zero that is known: infinity of its sign. Undefined for all else.
Halide::Expr inverse_of_zero(const Halide::Expr& divisor) {
  if (!divisor.type().is_float() || !is_const_zero(divisor)) return {};
  Halide::Expr zero = divisor;
  while (const Broadcast* lanes = zero.as<Broadcast>()) zero = lanes->value;
  const FloatImm* value = zero.as<FloatImm>();
  const double inverse = std::numeric_limits<double>::infinity();
  return make_const(divisor.type(), value && std::signbit(value->value) ? -inverse : inverse);
}

// rare(c, slow, usual) becomes: if any lane of c, select(c, slow, usual), else usual.
// a / 0 becomes a * inf, which has the same bits: Halide's code generator takes it for a mistake.
class RarePass : public IRMutator {
 protected:
  using IRMutator::visit;
  Halide::Expr visit(const Div* op) override {
    const Halide::Expr mutated = IRMutator::visit(op);
    const Div* quotient = mutated.as<Div>();
    const Halide::Expr inverse = quotient ? inverse_of_zero(quotient->b) : Halide::Expr();
    return inverse.defined() ? Mul::make(quotient->a, inverse) : mutated;
  }
  Halide::Expr visit(const Call* op) override {
    Halide::Expr mutated = IRMutator::visit(op);
    const Call* call = mutated.as<Call>();
    if (call && call->is_intrinsic(Call::strict_div))
      if (const Halide::Expr inverse = inverse_of_zero(call->args[1]); inverse.defined())
        return Call::make(call->type, Call::strict_mul, {call->args[0], inverse}, Call::PureIntrinsic);
    if (!call || call->name != rare_name) return mutated;
    const Halide::Expr &condition = call->args[0], &slow = call->args[1], &usual = call->args[2];
    Halide::Expr any = condition;
    if (condition.type().is_vector()) any = VectorReduce::make(VectorReduce::Or, condition, 1);
    return Call::make(call->type, Call::if_then_else,
                      {any, Halide::select(condition, slow, usual), usual}, Call::PureIntrinsic);
  }
};

// Finds what differs from point to point: a variable of the loops, or a load.
class FindPoint : public IRVisitor {
 public:
  bool found = false;

 protected:
  using IRVisitor::visit;
  void visit(const Variable* op) override { found |= !op->param.defined(); }
  void visit(const Call* op) override {
    found |= !op->is_pure() || op->call_type == Call::Halide || op->call_type == Call::Image;
    IRVisitor::visit(op);
  }
};

}  // namespace

namespace detail {
bool is_same_everywhere(const Halide::Expr& e) {
  FindPoint point;
  e.accept(&point);
  return !point.found;
}
}  // namespace detail

void add_rare_pass(Halide::Pipeline& pipeline) { pipeline.add_custom_lowering_pass(new RarePass); }

}  // namespace numjit::halide_gen
