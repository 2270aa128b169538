// Euclid's algorithm as a Func of its own:
//
//   pair(point) = (x, y)
//   for step in 0 .. as many as any two numbers of the type take:
//     if pair(point)[0] != 0:  pair(point) = (y % x, x)
//
// Halide puts a Func that is updated, and of which nobody says where it is computed, right before the value that needs it:
// the pair lives in the registers of the element's thread.
#include <euclid.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace numjit::halide_gen {
namespace {

using Halide::Expr;

/// The variables of the point that an expression is computed for.
class FindVariables : public Halide::Internal::IRVisitor {
 public:
  std::vector<Halide::Var> found;

 protected:
  using IRVisitor::visit;
  void visit(const Halide::Internal::Variable* op) override {
    if (op->param.defined() || op->image.defined() || op->reduction_domain.defined()) return;
    for (const Halide::Var& known : found)
      if (known.name() == op->name) return;
    found.emplace_back(op->name);
  }
};

/// Divisions until one leaves nothing: neighbours in Fibonacci's sequence take most, each division one number of it back.
/// The first may do no more than put the larger number second.
int most_divisions(int bits) {
  const std::uint64_t largest = std::numeric_limits<std::uint64_t>::max() >> (64 - bits);
  int steps = 1;
  for (std::uint64_t a = 1, b = 1; b <= largest - a; ++steps) {
    const std::uint64_t next = a + b;
    a = b, b = next;
  }
  return steps;
}

}  // namespace

Expr greatest_common_divisor(const Expr& x, const Expr& y) {
  FindVariables point;
  x.accept(&point);
  y.accept(&point);
  Halide::Func pair("nj_euclid");
  pair(point.found) = Halide::Tuple(x, y);
  const Halide::RDom step(0, most_divisions(x.type().bits()), "nj_step");
  const Halide::FuncRef now = pair(point.found);
  const Expr divisor = now[0], zero = Halide::Internal::make_zero(x.type());
  const Expr rest = now[1] % divisor;  // Halide's is 0 where the divisor is
  const Expr goes_on = divisor != zero && step >= 0;  // an update has to name its variable
  pair(point.found) = Halide::Tuple(Halide::select(goes_on, rest, zero), Halide::select(goes_on, divisor, now[1]));
  return now[1];
}

}  // namespace numjit::halide_gen
