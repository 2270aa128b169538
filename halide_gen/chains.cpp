// The longest chain of a kernel's operations.
#include <chains.h>

#include <algorithm>
#include <map>
#include <utility>

#include <expr_value.h>

namespace numjit::halide_gen {
namespace {

using namespace Halide::Internal;

class FindChain final : public IRGraphVisitor {
 public:
  double all = 0;

  double longest_of(const std::vector<Halide::Expr>& values) {
    for (const Halide::Expr& value : values) include(value);
    return below_;
  }

 protected:
  using IRGraphVisitor::include;
  using IRGraphVisitor::visit;

  void include(const Halide::Expr& e) override {
    if (!e.defined()) return;
    const auto known = length_.find(e.get());
    if (known != length_.end()) {
      below_ = std::max(below_, known->second);
      return;
    }
    const double outer = std::exchange(below_, 0.0);
    e.accept(this);
    const double cost = cost_of(e);
    all += cost;
    below_ += cost;
    length_.emplace(e.get(), below_);
    below_ = std::max(outer, below_);
  }

  void visit(const Call* op) override {
    if (op->name == rare_name) {
      include(op->args[0]);
      include(op->args[2]);
    } else if (op->call_type != Call::Halide && op->call_type != Call::Image) {
      IRGraphVisitor::visit(op);
    }
  }

 private:
  static double cost_of(const Halide::Expr& e) {
    switch (e.node_type()) {
      case IRNodeType::IntImm: case IRNodeType::UIntImm: case IRNodeType::FloatImm: case IRNodeType::Variable:
      case IRNodeType::Load: case IRNodeType::Reinterpret: case IRNodeType::Let:
        return 0;
      case IRNodeType::Div: case IRNodeType::Mod:
        return 4;
      case IRNodeType::Call: {
        const Call* call = e.as<Call>();
        if (call->call_type == Call::Halide || call->call_type == Call::Image || call->name == rare_name) return 0;
        return call->name.starts_with("sqrt") ? 5 : 1;
      }
      default:
        return 1;
    }
  }

  std::map<const IRNode*, double> length_;
  double below_ = 0;  // the longest chain among the children seen so far
};

}  // namespace

ChainLength chain_length(const std::vector<Halide::Expr>& values) {
  FindChain find;
  const double longest = find.longest_of(values);
  return {find.all, longest};
}

int vectors_side_by_side(const std::vector<Halide::Expr>& values) {
  const ChainLength length = chain_length(values);
  constexpr double long_chain = 24, much_beside = 5;  // measured: logarithms, angles, complex steps gain a third
  return length.longest >= long_chain && length.all <= much_beside * length.longest ? 2 : 1;
}

}  // namespace numjit::halide_gen
