// Operations on one element. Integers narrower than 32 bits are kept extended to i32 as their type says.
#include "pass.h"

namespace numjit::wasm_gen {
namespace {

bool is_wide(Type t) { return width_of(t) == 8; }

/// Brings an i32 back into the range of a narrow type.
void normalize(Function& code, Type t) {
  switch (t) {
    case Type::i8: code.raw(0xc0); break;
    case Type::i16: code.raw(0xc1); break;
    case Type::u8: code.i32(0xff).raw(op::i32_and); break;
    case Type::u16: code.i32(0xffff).raw(op::i32_and); break;
    default: break;
  }
}

void convert_number(Function& code, Type from, Type to) {
  const bool wide_from = is_wide(from), signed_from = is_signed(from);
  if (is_float(from) && is_float(to)) {
    if (from != to) code.raw(from == Type::f64 ? 0xb6 : 0xbb);
  } else if (is_float(from)) {
    const bool is_unsigned = to == Type::u32 || to == Type::u64;
    const int which = (is_wide(to) ? 4 : 0) + (from == Type::f64 ? 2 : 0) + is_unsigned;
    code.raw(0xfc).number(static_cast<unsigned>(which));
    normalize(code, to);
  } else if (is_float(to)) {
    // Narrow unsigned integers are small signed ones.
    const bool is_unsigned = !signed_from && width_of(from) >= 4;
    code.raw(static_cast<std::uint8_t>((to == Type::f64 ? 0xb7 : 0xb2) + (wide_from ? 2 : 0) + is_unsigned));
  } else if (is_wide(to) && !wide_from) {
    code.raw(signed_from ? 0xac : 0xad);
  } else if (!is_wide(to)) {
    if (wide_from) code.raw(op::i32_wrap_i64);
    normalize(code, to);
  }
}

void reinterpret_bits(Function& code, Type from, Type to) {
  if (from == Type::f32 && !is_float(to)) code.raw(0xbc);
  else if (from == Type::f64 && !is_float(to)) code.raw(0xbd);
  else if (to == Type::f32) code.raw(0xbe);
  else if (to == Type::f64) code.raw(0xbf);
  else normalize(code, to);
}

/// The codes of one operation for i32, i64, f32, f64; 0 where there is none.
struct Codes {
  std::uint8_t i32, i64, f32, f64;
};
void put(Function& code, Type t, Codes codes) {
  code.raw(t == Type::f32 ? codes.f32 : t == Type::f64 ? codes.f64 : is_wide(t) ? codes.i64 : codes.i32);
}

}  // namespace

Wasm scalar_type(Type t) {
  return t == Type::f32 ? Wasm::f32 : t == Type::f64 ? Wasm::f64 : is_wide(t) ? Wasm::i64 : Wasm::i32;
}

void write_scalar_constant(Function& code, Type t, std::uint64_t bits) {
  switch (t) {
    case Type::f32: code.raw(op::f32_const).fixed(bits, 4); break;
    case Type::f64: code.raw(op::f64_const).fixed(bits, 8); break;
    case Type::i64:
    case Type::u64: code.raw(op::i64_const).signed_number(static_cast<std::int64_t>(bits)); break;
    case Type::i8: code.i32(static_cast<std::int8_t>(bits)); break;
    case Type::i16: code.i32(static_cast<std::int16_t>(bits)); break;
    default: code.i32(static_cast<std::int32_t>(bits)); break;
  }
}

void write_scalar_op(Function& code, const Dag& dag, const DagNode& n) {
  const Type t = n.type, in = arity_of(n.prim) ? dag[n.in[0]].type : t;
  const bool is_unsigned = !is_signed(in);
  const auto u = [&](int s, int us) { return static_cast<std::uint8_t>(is_unsigned ? us : s); };
  switch (n.prim) {
    case Prim::reinterpret: return reinterpret_bits(code, in, t);
    case Prim::convert: return convert_number(code, in, t);
    case Prim::lt: return put(code, in, {u(0x48, 0x49), u(0x53, 0x54), 0x5d, 0x63});
    case Prim::le: return put(code, in, {u(0x4c, 0x4d), u(0x57, 0x58), 0x5f, 0x65});
    case Prim::eq: return put(code, in, {0x46, 0x51, 0x5b, 0x61});
    case Prim::ne: return put(code, in, {0x47, 0x52, 0x5c, 0x62});
    case Prim::bit_and: return put(code, t, {0x71, 0x83, 0, 0});
    case Prim::bit_or: return put(code, t, {0x72, 0x84, 0, 0});
    case Prim::bit_xor: return put(code, t, {0x73, 0x85, 0, 0});
    case Prim::bit_not:
      if (t == Type::b) {
        code.raw(op::i32_eqz);
      } else {
        write_scalar_constant(code, is_wide(t) ? Type::i64 : Type::i32, ~std::uint64_t{0});
        put(code, t, {0x73, 0x85, 0, 0});
        normalize(code, t);
      }
      return;
    case Prim::add: put(code, t, {0x6a, 0x7c, 0x92, 0xa0}); return normalize(code, t);
    case Prim::sub: put(code, t, {0x6b, 0x7d, 0x93, 0xa1}); return normalize(code, t);
    case Prim::mul: put(code, t, {0x6c, 0x7e, 0x94, 0xa2}); return normalize(code, t);
    case Prim::div: return put(code, t, {0, 0, 0x95, 0xa3});
    case Prim::quotient: return put(code, t, {u(0x6d, 0x6e), u(0x7f, 0x80), 0, 0});
    case Prim::sqrt: return put(code, t, {0, 0, 0x91, 0x9f});
    case Prim::floor: return put(code, t, {0, 0, 0x8e, 0x9c});
    case Prim::ceil: return put(code, t, {0, 0, 0x8d, 0x9b});
    case Prim::trunc: return put(code, t, {0, 0, 0x8f, 0x9d});
    case Prim::nearest: return put(code, t, {0, 0, 0x90, 0x9e});
    case Prim::shl: put(code, t, {0x74, 0x86, 0, 0}); return normalize(code, t);
    case Prim::shr: return put(code, t, {u(0x75, 0x76), u(0x87, 0x88), 0, 0});
    case Prim::popcount: return put(code, t, {0x69, 0x7b, 0, 0});
    default: __builtin_trap();
  }
}

}  // namespace numjit::wasm_gen
