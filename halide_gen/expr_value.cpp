// The lowering pass behind hx's `rarely`, and what an expression varies with.
#include <expr_value.h>

namespace numjit::halide_gen {

namespace {

using namespace Halide::Internal;

// rare(c, slow, usual) becomes: if any lane of c, select(c, slow, usual), else usual.
class RarePass : public IRMutator {
 protected:
  using IRMutator::visit;
  Halide::Expr visit(const Call* op) override {
    Halide::Expr mutated = IRMutator::visit(op);
    const Call* call = mutated.as<Call>();
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
