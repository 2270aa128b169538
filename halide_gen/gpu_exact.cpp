// Constants and contraction in code for GPUs.
#include <gpu_exact.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

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

}  // namespace

void add_opencl_pass(Halide::Pipeline& pipeline) {
  pipeline.add_custom_lowering_pass(new OpenClPass);
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
