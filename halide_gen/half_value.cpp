// Conversions of float16: two pure calls in expressions, replaced by a lowering pass for the target.
#include <half_value.h>

namespace numjit::halide_gen {

namespace {

using Halide::Expr;
using Halide::Float;
using Halide::UInt;
using namespace Halide::Internal;

constexpr const char* widen_name = "numjit_half_to_float";
constexpr const char* round_name = "numjit_float_to_half";

Expr constant_like(const Expr& e, std::uint32_t value) {
  return make_const(UInt(32, e.type().lanes()), static_cast<std::int64_t>(value));
}

/// Exponent and fraction moved to float's places are the value times 2^-112, subnormals included.
Expr widen_by_arithmetic(const Expr& h) {
  const Expr u = Halide::cast(UInt(32, h.type().lanes()), h);
  const Expr magnitude = u & constant_like(u, 0x7fff);
  const Expr sign = (u & constant_like(u, 0x8000)) << constant_like(u, 16);
  const Expr moved = magnitude << constant_like(u, 13);
  const Halide::Type single = Float(32, h.type().lanes());
  const Expr scaled = Call::make(single, Call::strict_mul,
                                 {Halide::reinterpret(single, moved), make_const(single, 0x1p112)},
                                 Call::PureIntrinsic);
  const Expr special = moved | constant_like(u, 0x7f800000);
  const Expr bits = Halide::select(magnitude >= constant_like(u, 0x7c00), special,
                                   Halide::reinterpret(u.type(), scaled));
  return Halide::reinterpret(single, bits | sign);
}

/// The rounding is that of an integer carry; for subnormals that of a float sum whose last place is
/// theirs.
Expr round_by_arithmetic(const Expr& v) {
  const Halide::Type single = v.type();
  const Expr bits = Halide::reinterpret(UInt(32, single.lanes()), v);
  const Expr u = bits & constant_like(bits, 0x7fffffff);
  const Expr sign = (bits & constant_like(bits, 0x80000000u)) >> constant_like(bits, 16);
  const std::uint32_t magic = (127 - 15 + 13 + 1) << 23;
  const Expr sum = Call::make(single, Call::strict_add,
                              {Halide::reinterpret(single, u), make_const(single, 0.5)},
                              Call::PureIntrinsic);
  const Expr subnormal = Halide::reinterpret(u.type(), sum) - constant_like(u, magic);
  const Expr odd = (u >> constant_like(u, 13)) & constant_like(u, 1);
  const Expr normal =
      (u + constant_like(u, 0xc8000fffu) + odd) >> constant_like(u, 13);  // -112 << 23, and 0xfff
  const Expr special = Halide::select(u > constant_like(u, 0x7f800000), constant_like(u, 0x7e00),
                                      constant_like(u, 0x7c00));
  const Expr magnitude =
      Halide::select(u >= constant_like(u, 143u << 23), special,
                     Halide::select(u < constant_like(u, 113u << 23), subnormal, normal));
  return Halide::cast(UInt(16, single.lanes()), magnitude | sign);
}

class HalfPass final : public IRMutator {
 public:
  explicit HalfPass(bool native) : native_(native) {}

 private:
  using IRMutator::visit;

  Expr visit(const Call* op) override {
    const bool widens = op->name == widen_name;
    if (!widens && op->name != round_name) return IRMutator::visit(op);
    const Expr value = mutate(op->args[0]);
    const int lanes = value.type().lanes();
    if (native_ && widens)
      return Cast::make(Float(32, lanes), Reinterpret::make(Float(16, lanes), value));
    if (native_) return Reinterpret::make(UInt(16, lanes), Cast::make(Float(16, lanes), value));
    const std::string name = unique_name("nj_half");
    const Expr known = Variable::make(value.type(), name);
    return Let::make(name, value, widens ? widen_by_arithmetic(known) : round_by_arithmetic(known));
  }

  bool native_;
};

}  // namespace

hx<float> widened(const Expr& bits) {
  return hx<float>(Call::make(Float(32), widen_name, {bits}, Call::PureExtern));
}

Expr rounded(hx<float> v) { return Call::make(UInt(16), round_name, {v.e}, Call::PureExtern); }

/// Through a float with an odd last place where the double lies between two: no second rounding then.
Expr rounded(hx<double> v) {
  using U = hx<std::uint32_t>;
  const hx<float> near = convert<float>(v);
  const hx<double> back = convert<double>(near);
  const U bits_near = bits(near);
  const U inward = sel(gt(m::magnitude(back), m::magnitude(v)), bits_near - U(1), bits_near);
  return rounded(from_bits<hx<float>>(sel(eq(back, v), bits_near, inward | U(1))));
}

Expr next_half(const Expr& a, const Expr& b) {
  using U = hx<std::uint16_t>;
  const hx<float> x = widened(a), y = widened(b);
  const U at(a), sign = at & U(0x8000);
  const hx<bool> outward = !(lt(x, y) ^ eq(sign, U(0)));
  const U moved = sel(outward, at + U(1), at - U(1));
  const U least = sel(gt(y, hx<float>(0.0f)), U(0x0001), U(0x8001));
  const U next = sel(eq(at & U(0x7fff), U(0)), least, moved);
  const hx<bool> bad = is_nan(x) | is_nan(y);
  return sel(bad, U(rounded(x + y)), sel(eq(x, y), U(b), next)).e;
}

void add_half_pass(Halide::Pipeline& pipeline, const Halide::Target& target) {
  pipeline.add_custom_lowering_pass(new HalfPass(target.has_feature(Halide::Target::F16C)));
}

}  // namespace numjit::halide_gen
