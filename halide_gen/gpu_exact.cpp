// Constants and contraction in code for GPUs.
#include <gpu_exact.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

namespace numjit::halide_gen {
namespace {

using namespace Halide::Internal;

class OpenClPass final : public IRMutator {
  using IRMutator::visit;
  Halide::Expr visit(const FloatImm* op) override {
    if (op->type.bits() != 64) return op;
    if (static_cast<double>(static_cast<float>(op->value)) == op->value) return op;
    const auto bits = __builtin_bit_cast(std::uint64_t, op->value);
    return Halide::reinterpret(op->type, UIntImm::make(Halide::UInt(64), bits));
  }
  Halide::Expr visit(const Call* op) override {
    const Halide::Expr mutated = IRMutator::visit(op);
    const Call* call = mutated.as<Call>();
    if (!call) return mutated;
    if (call->is_intrinsic(Call::popcount)) return Call::make(call->type, "popcount", call->args, Call::PureExtern);
    return mutated;
  }
};

// LLVM's code generator for PTX contracts a product and a sum whatever it is told: products that are calls of the
// rounding instruction stay what they are.
class CudaPass final : public IRMutator {
  using IRMutator::visit;
  Stmt visit(const For* op) override {
    const bool outer = inside_;
    inside_ = inside_ || op->for_type == ForType::GPUBlock || op->for_type == ForType::GPUThread;
    const Stmt mutated = IRMutator::visit(op);
    inside_ = outer;
    return mutated;
  }
  Halide::Expr visit(const Mul* op) override {
    const Halide::Expr a = mutate(op->a), b = mutate(op->b);
    return is_float(op->type) ? product(a, b) : Mul::make(a, b);
  }
  Halide::Expr visit(const Call* op) override {
    const Halide::Expr mutated = IRMutator::visit(op);
    const Call* call = mutated.as<Call>();
    if (!call || !is_float(call->type)) return mutated;
    if (call->is_intrinsic(Call::strict_mul)) return product(call->args[0], call->args[1]);
    // Halide's own forms of these flush subnormal numbers: floor(-1e-40f) is -1.
    for (const auto& [name, exact] : {std::pair{"floor_f32", "llvm.nvvm.floor.f"}, {"ceil_f32", "llvm.nvvm.ceil.f"},
                                      {"trunc_f32", "llvm.nvvm.trunc.f"}, {"round_f32", "llvm.nvvm.round.f"}})
      if (call->name == name) return Call::make(call->type, exact, call->args, Call::PureExtern);
    return mutated;
  }

  bool is_float(const Halide::Type& type) const {
    return inside_ && type.is_float() && type.is_scalar() && (type.bits() == 32 || type.bits() == 64);
  }
  static Halide::Expr product(const Halide::Expr& a, const Halide::Expr& b) {
    const char* name = a.type().bits() == 64 ? "llvm.nvvm.mul.rn.d" : "llvm.nvvm.mul.rn.f";
    return Call::make(a.type(), name, {a, b}, Call::PureExtern);
  }

  bool inside_ = false;
};

}  // namespace

void add_gpu_pass(Halide::Pipeline& pipeline, const Halide::Target& target) {
  if (target.has_feature(Halide::Target::OpenCL)) pipeline.add_custom_lowering_pass(new OpenClPass);
  if (target.has_feature(Halide::Target::CUDA)) pipeline.add_custom_lowering_pass(new CudaPass);
}

void forbid_contraction(std::vector<char>& object) {
  constexpr std::string_view on = "#pragma OPENCL FP_CONTRACT ON", off = "#pragma STDC FP_CONTRACT OFF ";
  static_assert(on.size() == off.size());
  for (auto at = object.begin();;) {
    at = std::search(at, object.end(), on.begin(), on.end());
    if (at == object.end()) return;
    std::copy(off.begin(), off.end(), at);
  }
}

}  // namespace numjit::halide_gen
