// float_mode = fast: a*b + c with one rounding.
//
// Kernels are built for Target::StrictFloat in this mode, too. Without it Halide marks every operation
// as free of NaNs and infinities, and a later x != x folds to false; there is no mark for contraction
// alone. So the contraction is done here, on the lowered code: a strict sum of a strict product becomes
// LLVM's fma. Halide calls that intrinsic lane by lane, and LLVM's vectoriser of straight-line code makes
// whole vectors of the calls again (held by tests/halide_gen/fast_math_test.cpp).
//
// Only products that are used once are fused: others are in lets by now. That keeps error-free
// products of the math vocabulary intact, whose rounding error is computed from the rounded product.
// Vectors longer than a register are left alone (float32 functions that compute in float64): there
// the vectoriser sometimes finds only parts of them.
#include <fast_math.h>

#include <cstdint>

namespace numjit::halide_gen {
namespace {

using Halide::Expr;
using namespace Halide::Internal;

Expr fused(const Expr& a, const Expr& b, const Expr& c) {
  const char* name = c.type().bits() == 64 ? "llvm.fma.f64" : "llvm.fma.f32";
  return Call::make(c.type(), name, {a, b, c}, Call::PureExtern);
}

Expr strictly_negated(const Expr& v) {
  return Call::make(v.type(), Call::strict_sub, {make_const(v.type(), -0.0), v}, Call::PureIntrinsic);
}

const Call* as_product(const Expr& e) {
  const Call* call = e.as<Call>();
  return call && call->is_intrinsic(Call::strict_mul) ? call : nullptr;
}

class FusePass final : public IRMutator {
 public:
  explicit FusePass(int register_bits) : register_bits_(register_bits) {}

 private:
  using IRMutator::visit;

  Expr visit(const Call* op) override {
    const Expr mutated = IRMutator::visit(op);
    const Call* call = mutated.as<Call>();
    const int bits = op->type.bits();
    if (!call || !op->type.is_float() || (bits != 32 && bits != 64)) return mutated;
    if (bits * op->type.lanes() > register_bits_) return mutated;
    const bool sum = call->is_intrinsic(Call::strict_add);
    if (!sum && !call->is_intrinsic(Call::strict_sub)) return mutated;
    const Expr &left = call->args[0], &right = call->args[1];
    if (const Call* product = as_product(left))
      return fused(product->args[0], product->args[1], sum ? right : strictly_negated(right));
    if (const Call* product = as_product(right))
      return fused(sum ? product->args[0] : strictly_negated(product->args[0]), product->args[1], left);
    return mutated;
  }

  int register_bits_;
};

}  // namespace

void add_fast_math_pass(Halide::Pipeline& pipeline, const Halide::Target& target) {
  if (target.has_gpu_feature()) return;  // their back ends have no LLVM intrinsics, or fuse anyway
  const bool has_fma = target.arch == Halide::Target::ARM || target.has_feature(Halide::Target::FMA) ||
                       target.has_feature(Halide::Target::AVX512);
  if (has_fma)
    pipeline.add_custom_lowering_pass(new FusePass(target.natural_vector_size<std::uint8_t>() * 8));
}

}  // namespace numjit::halide_gen
